// SPDX-License-Identifier: MIT
/*
 * Text in columns for the text report: padding, cutting, wrapping, emphasis. Widths are columns of
 * a terminal, so names in any script line up.
 */
#ifndef TICKFLAME_PROFILER_REPORT_TABLE_H
#define TICKFLAME_PROFILER_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "fold/base/output.h"
#include "fold/base/text.h"

enum { REPORT_WIDTH = 80 };

enum emphasis { PLAIN, BOLD, ALARM, FAINT };

/* Where text goes, and whether it may be coloured. */
struct table {
    struct output *output;
    bool color;
};

/* `text` with an emphasis; the same text when colours are off. */
void table_text(struct table *table, enum emphasis emphasis, struct text text);

/* An empty line, then a heading. */
void table_heading(struct table *table, const char *heading);

/* `text` padded with blanks to `width`; longer text stays whole. */
void table_left(struct table *table, enum emphasis emphasis, struct text text, size_t width);
void table_right(struct table *table, enum emphasis emphasis, struct text text, size_t width);

/* Words of `text` in lines of REPORT_WIDTH, each line indented by `indent`; the first word stands
 * behind what was written to the line already, which took `column` columns. Ends the line. */
void table_wrapped(struct table *table, enum emphasis emphasis, struct text text, size_t indent,
                   size_t column);

/* Appends `text` in at most `width` columns, with `...` where its end (or with `keep_end` its
 * front) was cut off. */
void append_cut(struct buffer *buffer, struct text text, size_t width, bool keep_end);

#endif
