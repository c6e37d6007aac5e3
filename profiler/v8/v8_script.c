// SPDX-License-Identifier: MIT
#include "profiler/v8/v8_script.h"

#include <stdlib.h>
#include <string.h>

#include "fold/model/v8_name.h"
#include "profiler/v8/v8_string.h"

/* The words that tell one script from another. */
static bool read_identity(struct v8_heap *heap, uint64_t tagged, uint64_t *id, uint64_t *name) {
    const struct v8_part parts[] = {
        {v8_field(heap, tagged, heap->layout.script_id), id, sizeof *id},
        {v8_field(heap, tagged, heap->layout.script_name), name, sizeof *name},
    };
    return v8_memory_read_parts(&heap->memory, parts, 2);
}

static int64_t read_offset(struct v8_heap *heap, uint64_t tagged, int32_t offset) {
    uint64_t word;
    int64_t value = 0;
    return v8_read_slot(heap, tagged, offset, &word) && v8_small_integer(heap, word, &value) ? value
                                                                                             : 0;
}

/* Fills in the script; `tagged`, `id` and `name` are set. */
static void describe(struct v8_script *script, struct v8_heap *heap, struct string_table *strings,
                     struct arena *arena) {
    struct buffer text = {0};
    script->file = (struct string_id){0};
    if (v8_string_read(heap, script->name, V8_NAME_MOST, &text))
        script->file = string_table_intern(strings, arena, v8_file_strip(buffer_text(&text)));
    script->line_offset = read_offset(heap, script->tagged, heap->layout.script_line);
    script->column_offset = read_offset(heap, script->tagged, heap->layout.script_column);
    buffer_free(&text);
}

static uint32_t find_kept(const struct v8_scripts *scripts, uint64_t tagged) {
    struct hash_probe probe = hash_index_start(&scripts->index, hash_number(tagged));
    uint32_t row;
    while ((row = hash_index_next(&scripts->index, &probe)) != 0) {
        if (scripts->scripts[row - 1].tagged == tagged)
            return row;
    }
    return 0;
}

uint32_t v8_script_find(struct v8_scripts *scripts, struct v8_heap *heap, uint64_t tagged,
                        struct string_table *strings, struct arena *arena) {
    uint32_t row = find_kept(scripts, tagged);
    struct v8_script *script = row ? &scripts->scripts[row - 1] : NULL;
    if (script && heap->now - script->seen <= V8_FRESH_NANOSECONDS)
        return row;
    uint64_t id, name;
    if (!v8_object_is(heap, &tagged, heap->layout.type_script) ||
        !read_identity(heap, tagged, &id, &name))
        return 0;
    if (script && script->id == id && script->name == name) {
        script->seen = heap->now;
        return row;
    }
    if (!script && scripts->count == V8_SCRIPTS_MOST)
        return 0;
    if (!script) {
        MEMORY_RESERVE(scripts->scripts, scripts->capacity, scripts->count + 1);
        script = &scripts->scripts[scripts->count++];
        row = (uint32_t)scripts->count;
        memset(script, 0, sizeof *script);
        hash_index_insert(&scripts->index, hash_number(tagged), row);
    }
    /* Another script may have taken the place of the one that was known. */
    scripts->line_count -= script->line_count;
    free(script->starts);
    *script = (struct v8_script){.tagged = tagged, .id = id, .name = name, .seen = heap->now};
    describe(script, heap, strings, arena);
    return row;
}

/* ---- lines ---- */

/* A look through a source. */
struct line_search {
    struct v8_script *script;
    size_t most;       /* lines */
    uint64_t position; /* characters before the piece */
    bool is_return;    /* the last character was a carriage return */
};

static bool add_line(struct line_search *search, uint64_t start) {
    struct v8_script *script = search->script;
    if (script->line_count == search->most)
        return false;
    MEMORY_RESERVE(script->starts, script->line_capacity, script->line_count + 1);
    script->starts[script->line_count++] = (uint32_t)start;
    return true;
}

/* What JavaScript calls a line terminator; a carriage return before a line feed is part of it. */
static bool take_character(struct line_search *search, uint32_t character, uint64_t position) {
    bool was_return = search->is_return;
    search->is_return = character == '\r';
    if (was_return && character != '\n' && !add_line(search, position))
        return false;
    if (character == '\n' || character == 0x2028 || character == 0x2029)
        return add_line(search, position + 1);
    return true;
}

static bool take_wide(struct line_search *search, const unsigned char *characters, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint16_t character;
        memcpy(&character, characters + 2 * i, sizeof character);
        if (!take_character(search, character, search->position + i))
            return false;
    }
    return true;
}

static bool take_narrow(struct line_search *search, const unsigned char *characters, size_t count) {
    size_t i = 0;
    while (i < count) {
        if (!take_character(search, characters[i], search->position + i))
            return false;
        i++;
        if (search->is_return)
            continue;
        /* Most characters end no line. */
        while (i < count && characters[i] != '\n' && characters[i] != '\r')
            i++;
    }
    return true;
}

static bool take_piece(void *context, const unsigned char *characters, size_t count, size_t width) {
    struct line_search *search = context;
    bool more =
        width == 1 ? take_narrow(search, characters, count) : take_wide(search, characters, count);
    search->position += count;
    return more;
}

static bool find_lines(struct v8_scripts *scripts, struct v8_heap *heap, struct v8_script *script) {
    uint64_t source;
    struct line_search search = {.script = script, .most = V8_LINES_MOST - scripts->line_count};
    /* A source is read once: it has a budget of its own. */
    uint64_t budget = heap->memory.budget;
    heap->memory.budget = V8_SOURCE_MOST / 1024;
    bool found = v8_read_slot(heap, script->tagged, heap->layout.script_source, &source) &&
                 v8_string_visit(heap, source, V8_SOURCE_MOST, take_piece, &search);
    heap->memory.budget = budget;
    scripts->line_count += script->line_count;
    if (!found)
        return false;
    script->has_lines = true;
    return true;
}

bool v8_script_place(struct v8_scripts *scripts, struct v8_heap *heap, uint32_t number,
                     uint64_t position, uint32_t *line, uint32_t *column) {
    struct v8_script *script = &scripts->scripts[number - 1];
    if (!script->has_lines) {
        scripts->line_count -= script->line_count;
        script->line_count = 0;
        if (!find_lines(scripts, heap, script))
            return false;
    }
    size_t low = 0, high = script->line_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (script->starts[middle] <= position)
            low = middle + 1;
        else
            high = middle;
    }
    uint64_t start = low ? script->starts[low - 1] : 0;
    int64_t at = (int64_t)(position - start) + 1 + (low == 0 ? script->column_offset : 0);
    int64_t row = (int64_t)low + 1 + script->line_offset;
    if (position > UINT32_MAX || row < 1 || row > INT32_MAX || at < 1 || at > INT32_MAX)
        return false;
    *line = (uint32_t)row;
    *column = (uint32_t)at;
    return true;
}

bool v8_scripts_are_many(const struct v8_scripts *scripts) {
    return scripts->count == V8_SCRIPTS_MOST || scripts->line_count > V8_LINES_MOST / 2;
}

void v8_scripts_free(struct v8_scripts *scripts) {
    for (size_t i = 0; i < scripts->count; i++)
        free(scripts->scripts[i].starts);
    free(scripts->scripts);
    hash_index_free(&scripts->index);
    *scripts = (struct v8_scripts){0};
}
