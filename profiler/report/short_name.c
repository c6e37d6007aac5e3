// SPDX-License-Identifier: MIT
#include "profiler/report/short_name.h"

#include <stdlib.h>
#include <string.h>

#include "fold/base/utf8.h"
#include "profiler/report/table.h"

enum { DEPTH_MOST = 4, CONTEXT = 12 };

struct short_name {
    struct text whole, shown;
};

/* How many characters at a place are the name of an operator, such as `<<` behind `operator`. */
static size_t operator_size(struct text name, size_t place) {
    static const char word[] = "operator";
    const size_t size = sizeof word - 1;
    size_t signs = 0;
    if (place < size || memcmp(name.data + place - size, word, size) != 0)
        return 0;
    while (place + signs < name.size && signs < 3 && strchr("<>=-", name.data[place + signs]))
        signs++;
    /* `operator<< <T>` and `operator<<T>`: an argument list may follow at once. */
    if (signs == 3 && name.data[place + 2] != '=')
        signs = 2;
    return signs;
}

/* Appends the name without template arguments that lie deeper than `depth_most`. */
static void append_without(struct buffer *buffer, struct text name, int depth_most) {
    int depth = 0;
    for (size_t i = 0; i < name.size; i++) {
        size_t signs = operator_size(name, i);
        char byte = name.data[i];
        bool arrow = byte == '>' && i > 0 && name.data[i - 1] == '-';
        if (signs > 0) {
            if (depth <= depth_most)
                buffer_append(buffer, name.data + i, signs);
            i += signs - 1;
        } else if (byte == '<') {
            if (depth <= depth_most)
                buffer_append_byte(buffer, '<');
            if (depth == depth_most)
                buffer_append_text(buffer, TEXT("..."));
            depth++;
        } else if (byte == '>' && depth > 0 && !arrow) {
            depth--;
            if (depth <= depth_most)
                buffer_append_byte(buffer, '>');
        } else if (depth <= depth_most) {
            buffer_append_byte(buffer, byte);
        }
    }
}

/* The name behind as many namespaces, without arguments of their own, as it takes to fit. */
static struct text without_namespaces(struct text name, size_t width) {
    struct text rest = name;
    for (size_t i = 0; i + 2 < name.size && name.data[i] != '<'; i++) {
        if (name.data[i] == ':' && name.data[i + 1] == ':') {
            rest = text_skip(name, i + 2);
            if (utf8_columns(rest) <= width)
                break;
        }
    }
    /* Rather a part of a name than nothing of it. */
    return 3 * utf8_columns(rest) < 2 * width ? name : rest;
}

static void append_short(struct buffer *buffer, struct text name, size_t width) {
    struct buffer shorter = {0};
    if (utf8_columns(name) <= width) {
        buffer_append_text(buffer, name);
        return;
    }
    for (int depth = DEPTH_MOST; depth >= 0; depth--) {
        buffer_clear(&shorter);
        append_without(&shorter, name, depth);
        if (utf8_columns(buffer_text(&shorter)) <= width)
            break;
    }
    struct text rest = buffer_text(&shorter);
    if (utf8_columns(rest) > width)
        rest = without_namespaces(rest, width - 3);
    if (rest.size < shorter.size)
        buffer_append_text(buffer, TEXT("..."));
    append_cut(buffer, rest, rest.size < shorter.size ? width - 3 : width,
               text_contains(rest, TEXT("::")));
    buffer_free(&shorter);
}

/* The part of a name in which it differs from another one. */
static void append_difference(struct buffer *buffer, struct text name, struct text other,
                              size_t width) {
    size_t same = 0;
    while (same < name.size && same < other.size && name.data[same] == other.data[same])
        same++;
    size_t start = same > CONTEXT ? same - CONTEXT : 0;
    /* Not inside a character. */
    while (start > 0 && start < name.size && ((unsigned char)name.data[start] & 0xC0) == 0x80)
        start--;
    if (start > 0)
        buffer_append_text(buffer, TEXT("..."));
    append_cut(buffer, text_skip(name, start), start > 0 ? width - 3 : width, false);
}

void short_names_append(struct short_names *names, struct buffer *buffer, struct text name,
                        size_t width) {
    struct buffer shown = {0};
    append_short(&shown, name, width);
    for (size_t i = 0; i < names->count; i++) {
        const struct short_name *other = &names->items[i];
        if (!text_equal(other->shown, buffer_text(&shown)) || text_equal(other->whole, name))
            continue;
        buffer_clear(&shown);
        append_difference(&shown, name, other->whole, width);
        break;
    }
    MEMORY_RESERVE(names->items, names->capacity, names->count + 1);
    names->items[names->count++] =
        (struct short_name){{arena_copy_text(&names->arena, name.data, name.size), name.size},
                            {arena_copy_text(&names->arena, shown.data, shown.size), shown.size}};
    buffer_append_text(buffer, buffer_text(&shown));
    buffer_free(&shown);
}

void short_names_free(struct short_names *names) {
    free(names->items);
    arena_free(&names->arena);
}
