// SPDX-License-Identifier: MIT
#include "profiler/trace/v8log_inline.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/trace/v8log_fields.h"

/* From this code offset on, the code belongs to this inlining; NOT_INLINED: to the function itself.
 */
struct position {
    uint32_t offset;
    uint32_t inlining;
};

/* A call that was inlined: the function, and the inlining that holds the call. */
struct inlining {
    uint32_t function; /* row of a code entry; 0 = not known */
    uint32_t caller;   /* an earlier inlining, or NOT_INLINED */
};

enum { NOT_INLINED = UINT32_MAX };

struct v8log_inline_info {
    struct position *positions; /* ascending by offset */
    struct inlining *inlinings;
    size_t position_count, inlining_count;
};

/* Takes a letter and digits off the front of *rest. */
static bool take(struct text *rest, char letter, uint32_t *number) {
    if (rest->size < 2 || rest->data[0] != letter)
        return false;
    uint64_t value = 0;
    size_t i = 1;
    for (; i < rest->size && rest->data[i] >= '0' && rest->data[i] <= '9'; i++) {
        value = value * 10 + (uint64_t)(rest->data[i] - '0');
        if (value >= NOT_INLINED)
            return false;
    }
    if (i == 1)
        return false;
    *number = (uint32_t)value;
    *rest = text_skip(*rest, i);
    return true;
}

static size_t count_letter(struct text text, char letter) {
    size_t count = 0;
    for (size_t i = 0; i < text.size; i++)
        count += text.data[i] == letter;
    return count;
}

/* The functions of `S0x1S0x2...` as rows. */
static size_t parse_functions(const struct v8log_code *code, struct text list, uint32_t *rows) {
    size_t count = 0;
    while (list.size > 0) {
        list = text_skip(list, 1);
        const char *end = list.size ? memchr(list.data, 'S', list.size) : NULL;
        struct text item = {list.data, end ? (size_t)(end - list.data) : list.size};
        list = text_skip(list, item.size);
        uint64_t address;
        rows[count++] =
            v8log_parse_address(item, &address) ? v8log_code_function_at(code, address) : 0;
    }
    return count;
}

static bool parse_inlinings(struct v8log_inline_info *info, struct text text,
                            const uint32_t *functions, size_t function_count) {
    while (text.size > 0) {
        uint32_t function, offset, caller = NOT_INLINED;
        if (!take(&text, 'F', &function) || !take(&text, 'O', &offset))
            return false;
        (void)take(&text, 'I', &caller);
        /* Callers come before what is inlined into them: so a walk outwards always ends. */
        if (function >= function_count || (caller != NOT_INLINED && caller >= info->inlining_count))
            return false;
        info->inlinings[info->inlining_count++] = (struct inlining){functions[function], caller};
    }
    return true;
}

static bool parse_positions(struct v8log_inline_info *info, struct text text) {
    uint32_t before = 0;
    while (text.size > 0) {
        struct position position = {0, NOT_INLINED};
        uint32_t script_offset;
        if (!take(&text, 'C', &position.offset) || !take(&text, 'O', &script_offset))
            return false;
        (void)take(&text, 'I', &position.inlining);
        if (position.offset < before ||
            (position.inlining != NOT_INLINED && position.inlining >= info->inlining_count))
            return false;
        before = position.offset;
        info->positions[info->position_count++] = position;
    }
    return true;
}

uint32_t v8log_inline_add(struct v8log_inline *table, const struct v8log_code *code,
                          const struct v8log_source_info *source) {
    if (source->inlined.size == 0 || source->functions.size == 0)
        return 0;
    uint32_t *functions =
        memory_allocate((count_letter(source->functions, 'S') + 1) * sizeof *functions);
    size_t function_count = parse_functions(code, source->functions, functions);
    struct v8log_inline_info info = {0};
    info.inlinings =
        arena_allocate(&table->arena, count_letter(source->inlined, 'F') * sizeof *info.inlinings);
    info.positions = arena_allocate(&table->arena,
                                    count_letter(source->positions, 'C') * sizeof *info.positions);
    bool parsed = parse_inlinings(&info, source->inlined, functions, function_count) &&
                  parse_positions(&info, source->positions);
    free(functions);
    if (!parsed || info.position_count == 0)
        return 0;
    MEMORY_RESERVE(table->infos, table->capacity, table->size + 2);
    if (table->size == 0)
        table->infos[table->size++] = (struct v8log_inline_info){0};
    table->infos[table->size] = info;
    return (uint32_t)table->size++;
}

size_t v8log_inline_find(const struct v8log_inline *table, uint32_t row, uint64_t offset,
                         uint32_t *functions) {
    if (row == 0)
        return 0;
    const struct v8log_inline_info *info = &table->infos[row];
    size_t low = 0, high = info->position_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (info->positions[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t inlining = low > 0 ? info->positions[low - 1].inlining : (uint32_t)NOT_INLINED;
    size_t count = 0;
    while (inlining != NOT_INLINED && count < V8LOG_INLINE_DEPTH_MAX) {
        functions[count++] = info->inlinings[inlining].function;
        inlining = info->inlinings[inlining].caller;
    }
    return count;
}

void v8log_inline_free(struct v8log_inline *table) {
    arena_free(&table->arena);
    free(table->infos);
    *table = (struct v8log_inline){0};
}
