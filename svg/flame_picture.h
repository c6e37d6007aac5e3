// SPDX-License-Identifier: MIT
/*
 * What the parts of a flame graph's writer share: flame_graph.c draws the frames and puts the page
 * together, flame_summary.c the text around them. Not for use outside svg/.
 */
#ifndef TICKFLAME_SVG_FLAME_PICTURE_H
#define TICKFLAME_SVG_FLAME_PICTURE_H

#include "svg/flame_graph.h"
#include "svg/label.h"
#include "svg/layout.h"

/* Sizes in pixels, which follow from the font size. */
struct flame_metrics {
    uint32_t width;
    uint32_t margin; /* left and right of everything */
    uint32_t font;
    uint32_t row;  /* height of a row of boxes, and of a line of text */
    double column; /* width of one column of the monospaced font; slightly too large, so that
                      labels fit in every common font */
};

struct picture {
    struct output *output;
    const struct call_tree *tree;
    const struct blocking *blocking;
    const struct flame_options *options;
    struct flame_metrics metrics;
    struct amount_unit unit;
    struct palette palette;
    struct layout layout;
    uint32_t y;            /* where the next part begins */
    struct buffer scratch; /* for one text at a time, not yet escaped */
    struct buffer escaped;
};

/* Columns that fit between the margins, and in `pixels`. */
size_t picture_columns(const struct picture *picture, double pixels);

/* Writes `text` (visible form) escaped. */
void picture_text(struct picture *picture, struct text text);

/* Appends a function's name in visible form, no more than 1,000 bytes of it. */
void picture_append_name(const struct picture *picture, struct buffer *buffer, uint32_t function);

/* Appends `FILE:LINE:COLUMN` likewise; nothing when it is not known. */
void picture_append_place(const struct picture *picture, struct buffer *buffer, uint32_t function);

/* The parts above the graph: each begins at picture->y and moves it down. */
void summary_write_verdict(struct picture *picture);
void summary_write_hot_strip(struct picture *picture);
void summary_write_legend(struct picture *picture);

/* The lines below the graph. */
void summary_write_footer(struct picture *picture);

#endif
