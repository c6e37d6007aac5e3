// SPDX-License-Identifier: MIT
#include "profiler/v8/v8_string.h"

#include <string.h>

#include "fold/base/utf8.h"

/* Parts of cons strings that wait for their turn at most: they are deep on the left, as a rule,
 * because text is added at the end. */
enum { PENDING_MOST = 256, STEPS_MOST = 4096, PIECE = 16384 };

enum { REPLACEMENT = 0xfffd };

/* A part of a string: `count` characters from `start` on. */
struct part {
    uint64_t tagged;
    uint64_t start, count;
};

/* A walk through the parts of one string. */
struct string_walk {
    struct v8_heap *heap;
    v8_take_characters *take;
    void *context;
    struct part pending[PENDING_MOST];
    size_t pending_count;
};

static bool length_of(struct v8_heap *heap, uint64_t tagged, uint32_t *length) {
    return v8_memory_read_half(&heap->memory, v8_field(heap, tagged, heap->layout.string_length),
                               length);
}

static bool push(struct string_walk *walk, struct part part) {
    if (walk->pending_count == PENDING_MOST)
        return false;
    walk->pending[walk->pending_count++] = part;
    return true;
}

/* The two halves of a cons string, as far as the part wants them. */
static bool push_halves(struct string_walk *walk, const struct part *part) {
    struct v8_heap *heap = walk->heap;
    uint64_t first, second;
    uint32_t length;
    if (!v8_read_slot(heap, part->tagged, heap->layout.cons_first, &first) ||
        !v8_read_slot(heap, part->tagged, heap->layout.cons_second, &second) ||
        !v8_is_object(heap, first) || !length_of(heap, first, &length))
        return false;
    uint64_t end = part->start + part->count;
    uint64_t second_start = part->start > length ? part->start - length : 0;
    if (end > length &&
        !push(walk, (struct part){second, second_start, end - length - second_start}))
        return false;
    if (part->start >= length)
        return true;
    uint64_t first_end = end < length ? end : length;
    return push(walk, (struct part){first, part->start, first_end - part->start});
}

static bool push_sliced(struct string_walk *walk, const struct part *part) {
    struct v8_heap *heap = walk->heap;
    uint64_t parent, word;
    int64_t offset;
    return v8_read_slot(heap, part->tagged, heap->layout.sliced_parent, &parent) &&
           v8_read_slot(heap, part->tagged, heap->layout.sliced_offset, &word) &&
           v8_small_integer(heap, word, &offset) && offset >= 0 &&
           push(walk, (struct part){parent, part->start + (uint64_t)offset, part->count});
}

static bool push_thin(struct string_walk *walk, const struct part *part) {
    uint64_t actual;
    return v8_read_slot(walk->heap, part->tagged, walk->heap->layout.thin_actual, &actual) &&
           push(walk, (struct part){actual, part->start, part->count});
}

/* Hands out characters that stand one behind the other from `address` on. False in *more: no more
 * are wanted. */
static bool take_flat(struct string_walk *walk, uint64_t address, uint64_t count, size_t width,
                      bool *more) {
    unsigned char characters[PIECE];
    while (count > 0 && *more) {
        size_t piece = count < PIECE / width ? (size_t)count : PIECE / width;
        if (!v8_memory_read(&walk->heap->memory, address, characters, piece * width))
            return false;
        *more = walk->take(walk->context, characters, piece, width);
        address += piece * width;
        count -= piece;
    }
    return true;
}

static bool take_part(struct string_walk *walk, struct part part, bool *more) {
    struct v8_heap *heap = walk->heap;
    const struct v8_layout *layout = &heap->layout;
    uint32_t type, length;
    if (!v8_object_type(heap, &part.tagged, &type) ||
        type >= (uint32_t)layout->type_first_nonstring || !length_of(heap, part.tagged, &length) ||
        part.start > length)
        return false;
    part.count = part.count < length - part.start ? part.count : length - part.start;
    uint32_t representation = type & (uint32_t)layout->string_representation;
    if (representation == (uint32_t)layout->string_cons)
        return push_halves(walk, &part);
    if (representation == (uint32_t)layout->string_sliced)
        return push_sliced(walk, &part);
    if (representation == (uint32_t)layout->string_thin)
        return push_thin(walk, &part);
    size_t width = type & (uint32_t)layout->string_one_byte ? 1 : 2;
    uint64_t address = v8_field(heap, part.tagged, layout->string_chars);
    if (representation == (uint32_t)layout->string_external_tag &&
        !v8_read_slot(heap, part.tagged, layout->string_external, &address))
        return false;
    else if (representation != 0 && representation != (uint32_t)layout->string_external_tag)
        return false;
    return take_flat(walk, address + part.start * width, part.count, width, more);
}

bool v8_string_is(struct v8_heap *heap, uint64_t tagged) {
    uint32_t type;
    return v8_object_type(heap, &tagged, &type) &&
           type < (uint32_t)heap->layout.type_first_nonstring;
}

bool v8_string_visit(struct v8_heap *heap, uint64_t tagged, size_t most, v8_take_characters *take,
                     void *context) {
    struct string_walk walk = {.heap = heap, .take = take, .context = context};
    bool more = true;
    push(&walk, (struct part){tagged, 0, most});
    for (int steps = 0; walk.pending_count > 0 && more; steps++) {
        if (steps == STEPS_MOST || !take_part(&walk, walk.pending[--walk.pending_count], &more))
            return false;
    }
    return true;
}

/* Characters on their way to UTF-8. */
struct conversion {
    struct buffer *text;
    uint32_t high; /* the first half of a pair; 0 = none waits */
};

static void add_character(struct conversion *conversion, uint32_t character) {
    bool is_low = character >= 0xdc00 && character < 0xe000;
    if (conversion->high) {
        uint32_t high = conversion->high;
        conversion->high = 0;
        if (is_low) {
            utf8_append(conversion->text, 0x10000 + ((high - 0xd800) << 10) + (character - 0xdc00));
            return;
        }
        utf8_append(conversion->text, REPLACEMENT);
    }
    if (character >= 0xd800 && character < 0xdc00)
        conversion->high = character;
    else
        utf8_append(conversion->text, is_low ? REPLACEMENT : character);
}

static bool add_characters(void *context, const unsigned char *characters, size_t count,
                           size_t width) {
    struct conversion *conversion = context;
    for (size_t i = 0; i < count; i++) {
        uint16_t character = characters[i * width];
        if (width == 2)
            memcpy(&character, characters + i * width, sizeof character);
        add_character(conversion, character);
    }
    return true;
}

bool v8_string_read(struct v8_heap *heap, uint64_t tagged, size_t most, struct buffer *text) {
    struct conversion conversion = {.text = text};
    buffer_clear(text);
    if (!v8_string_visit(heap, tagged, most, add_characters, &conversion))
        return false;
    if (conversion.high)
        utf8_append(text, REPLACEMENT);
    return true;
}
