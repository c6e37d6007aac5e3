// SPDX-License-Identifier: MIT
/*
 * Lines of an isolate log, cut out of pieces of any size.
 *
 * A line that lies whole in a piece is handed out as a view into it; only one that straddles two
 * pieces is copied. So reading costs one search for the line's end.
 */
#ifndef TICKFLAME_PROFILER_TRACE_V8LOG_LINES_H
#define TICKFLAME_PROFILER_TRACE_V8LOG_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/text.h"

/* Put `size_limit` in, leave the rest zero. To be freed with v8log_lines_free(). */
struct v8log_lines {
    size_t size_limit; /* bytes of a line that are kept; the rest of a longer one is dropped */

    struct buffer pending; /* the start of a line whose end has not come yet */
    uint64_t pending_size; /* its true size in bytes, with what was dropped */
    struct text piece;     /* what is left of the current piece */
    uint64_t number;       /* of the line handed out last, from 1 */
    uint64_t longest_cut;  /* true size of the line handed out last, when it was cut; else 0 */
    bool pending_is_out;   /* `pending` was handed out and is to be emptied */
};

/* Takes the next piece. All lines of the piece before must have been taken with v8log_lines_next.
 */
void v8log_lines_feed(struct v8log_lines *lines, struct text piece);

/* The next line without its newline, valid until the next call. False: a new piece is needed. */
bool v8log_lines_next(struct v8log_lines *lines, struct text *line);

/* The last line, which no newline ends; false when there is none. */
bool v8log_lines_rest(struct v8log_lines *lines, struct text *line);

void v8log_lines_free(struct v8log_lines *lines);

#endif
