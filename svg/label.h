// SPDX-License-Identifier: MIT
/*
 * Text of a picture: names of strangers made harmless, amounts in an honest unit, labels that fit.
 *
 * Order matters: a name is first brought into visible form (fold/base/utf8.h), then shortened on
 * character boundaries, then escaped for XML. So no control byte, no half character and no half
 * entity can reach the file. Widths are counted in columns of a monospaced font, never measured.
 */
#ifndef TICKFLAME_SVG_LABEL_H
#define TICKFLAME_SVG_LABEL_H

#include "fold/base/number.h"
#include "fold/base/text.h"
#include "fold/model/profile.h"

/* How weights are written. */
struct amount_unit {
    const char *name;  /* "ticks", "samples", "ms", "bytes", "counts", or what the user said */
    uint64_t division; /* weights are divided by this power of ten: 1, or what makes milliseconds */
};

/* The unit of a profile; a `count_name` that is not NULL replaces its name, and then weights are
 * written as they are. */
struct amount_unit amount_unit_of(enum profile_unit unit, const char *count_name);

/* Appends "1,234 ticks": all digits, exact; milliseconds to a hundredth. */
void amount_append(struct buffer *buffer, struct amount_unit unit, struct weight weight);

/* Appends `text`, which must be in visible form, escaped for XML text and attribute values. */
void xml_append(struct buffer *buffer, struct text text);

/*
 * Appends `text` (visible form, not escaped) in at most `columns` columns: whole; or, from twelve
 * columns on, both its ends with `…` in the middle, since names differ at their ends; or its start
 * and `…`. Nothing for 0 columns.
 */
void label_append_cut(struct buffer *buffer, struct text text, size_t columns);

/* The longest end of `text` that needs at most `columns` columns. */
struct text label_tail(struct text text, size_t columns);

/*
 * A place (`FILE:LINE:COLUMN`, visible form) as short as it still helps: what stands behind the
 * last `node_modules/`, or the file's own name, without the column. The first of these forms that
 * fits `columns`: whole, behind node_modules, own name; empty when none does.
 */
struct text label_place(struct text place, size_t columns);

/*
 * The first line of `text` (visible form), broken at a blank so that it needs at most `columns`
 * columns; a word that is too long is cut. *rest is what follows. An empty text gives an empty
 * line.
 */
struct text label_line(struct text text, size_t columns, struct text *rest);

#endif
