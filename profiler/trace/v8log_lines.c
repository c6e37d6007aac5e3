// SPDX-License-Identifier: MIT
#include "profiler/trace/v8log_lines.h"

#include <string.h>

/* Adds the first bytes of a line to the pending ones, as far as the limit allows. */
static void keep(struct v8log_lines *lines, struct text part) {
    lines->pending_size += part.size;
    size_t room = lines->size_limit - lines->pending.size;
    buffer_append(&lines->pending, part.data, part.size < room ? part.size : room);
}

void v8log_lines_feed(struct v8log_lines *lines, struct text piece) {
    lines->piece = piece;
}

bool v8log_lines_next(struct v8log_lines *lines, struct text *line) {
    if (lines->pending_is_out) {
        buffer_clear(&lines->pending);
        lines->pending_size = 0;
        lines->pending_is_out = false;
    }
    lines->longest_cut = 0;
    if (lines->piece.size == 0)
        return false;
    const char *end = memchr(lines->piece.data, '\n', lines->piece.size);
    if (!end) {
        keep(lines, lines->piece);
        lines->piece.size = 0;
        return false;
    }
    struct text part = {lines->piece.data, (size_t)(end - lines->piece.data)};
    lines->piece = text_skip(lines->piece, part.size + 1);
    lines->number++;
    if (lines->pending_size == 0 && part.size <= lines->size_limit) {
        *line = part;
        return true;
    }
    keep(lines, part);
    *line = buffer_text(&lines->pending);
    lines->longest_cut = lines->pending_size > lines->pending.size ? lines->pending_size : 0;
    lines->pending_is_out = true;
    return true;
}

bool v8log_lines_rest(struct v8log_lines *lines, struct text *line) {
    if (lines->pending_size == 0 || lines->pending_is_out)
        return false;
    *line = buffer_text(&lines->pending);
    lines->number++;
    lines->longest_cut = lines->pending_size > lines->pending.size ? lines->pending_size : 0;
    lines->pending_is_out = true;
    return true;
}

void v8log_lines_free(struct v8log_lines *lines) {
    buffer_free(&lines->pending);
}
