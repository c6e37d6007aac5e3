// SPDX-License-Identifier: MIT
/*
 * Layout: where each box of a flame graph stands, and which frames are too small for one.
 *
 * A box is as wide as its share of the total; its children stand inside its width, from its left
 * edge on, the heaviest first (ties in the tree's order, which is by name); what remains at the
 * right is its self weight. Coordinates are whole hundredths of a pixel made from exact sums, so a
 * child can never stick out of its parent.
 *
 * Frames narrower than the limits, and frames below the last row, get no box. The ones under one
 * parent stand side by side, so together they make one "rest" box where that is wide enough to see.
 * All of them are counted.
 */
#ifndef TICKFLAME_SVG_LAYOUT_H
#define TICKFLAME_SVG_LAYOUT_H

#include "fold/tally/call_tree.h"

/* What limits a layout. */
struct layout_limits {
    double width;      /* pixels of the root; above 0 */
    double min_width;  /* pixels: narrower frames get no box; 0 = every frame gets one */
    size_t max_boxes;  /* no more frames than this get a box: the widest ones, of those of one width
                          the first ones in the tree; 0 = no such cap */
    uint32_t max_rows; /* rows, the root's included; at least 2 */
};

struct layout_box {
    uint32_t node;       /* of the tree; for a rest box: the parent */
    uint32_t row;        /* 0 = the root */
    uint64_t rest;       /* 0: a frame; else how many frames this box stands for */
    struct weight start; /* weight to the left of the box */
    struct weight total;
    uint64_t left, right; /* hundredths of a pixel from the root's left edge */
};

/* Owns `boxes`: depth first, so that a box comes after its parent and a subtree is one piece. */
struct layout {
    struct layout_box *boxes;
    size_t size, capacity;
    uint32_t rows;          /* used, the root's included */
    bool cut_deep;          /* frames were left out because they lie below the last row */
    double widest_left_out; /* pixels: of the frames left out as too narrow */
    uint64_t left_out;      /* frames without a box of their own */
    struct weight hidden;   /* what the left-out frames weigh together, each sample once */
};

/* Lays out a tree whose total is not 0. To be freed with layout_free(). */
void layout_make(struct layout *layout, const struct call_tree *tree,
                 const struct layout_limits *limits);
void layout_free(struct layout *layout);

#endif
