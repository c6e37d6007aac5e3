// SPDX-License-Identifier: MIT
/*
 * The flame graph: one SVG file that is complete without scripts and interactive with them.
 *
 * From top to bottom: title, a verdict in words (what blocks the event loop, else what is hottest),
 * the hot strip (blocking calls, then functions by self weight, each function over all its boxes),
 * the legend with the share of each kind, the graph, and a footer that says what was not drawn.
 *
 * For scripts that read the file: `<g id="frames">` holds one `<g>` per frame whose first child is
 * `<title>`, then `<rect>` with `fg:x` and `fg:w` (offset and width in the unit of the weights),
 * then `<text>` where a label fits. The first line of a title is `NAME (1,234 ticks, 12.34%)`; then
 * follow `at FILE:LINE:COLUMN`, `self ...` (where that is neither nothing nor all), the tiers of
 * the function where there are several, and what is to be said of a blocking call. The ids title,
 * subtitle, details, unzoom, search and matched are those of other flame graph tools.
 *
 * The file loads nothing, holds no `on...` attribute, and its script (flame_graph.js) reads names
 * only as text of the document. The bytes depend on the tree and the options alone.
 */
#ifndef TICKFLAME_SVG_FLAME_GRAPH_H
#define TICKFLAME_SVG_FLAME_GRAPH_H

#include <stdbool.h>

#include "fold/base/error.h"
#include "fold/base/output.h"
#include "fold/tally/blocking.h"
#include "fold/tally/call_tree.h"
#include "svg/palette.h"

/* All zero (with min_width FLAME_MIN_WIDTH_AUTO, see flame_options_default) is the usual graph. */
struct flame_options {
    const char *title;      /* NULL: "Flame graph" */
    const char *subtitle;   /* one line below it; NULL: none */
    const char *notes;      /* goes into a comment near the top of the file; NULL: none */
    const char *count_name; /* word for the unit; NULL: the profile's own, times in ms */
    const char *search;     /* regular expression: frames whose name or place it matches are marked;
                               NULL: none */
    uint32_t width;   /* pixels of the picture, FLAME_WIDTH_LEAST to FLAME_WIDTH_MOST; 0: 1200,
                         or 960 with static_only */
    double min_width; /* narrower frames get no box: pixels, or a share from 0 to 1 with
                         min_width_is_share; 0 = draw all; FLAME_MIN_WIDTH_AUTO: half a pixel,
                         and more where there would be too many boxes */
    bool min_width_is_share;
    bool static_only; /* no script; larger letters and fewer rows, for pictures in web pages */
    bool upright;     /* root at the bottom; else at the top */
    enum flame_colors colors;
};

#define FLAME_MIN_WIDTH_AUTO (-1.0)

enum { FLAME_WIDTH_LEAST = 320, FLAME_WIDTH_MOST = 20000 };

struct flame_options flame_options_default(void);

/*
 * Writes the graph of `tree`; `blocking` is blocking_find(tree). False, and *error filled: the tree
 * weighs nothing (ERROR_INPUT), the search is no regular expression or the width is out of range
 * (ERROR_USAGE); nothing is written then. Errors of `output` are left to output_close().
 */
bool svg_flame_write(struct output *output, const struct call_tree *tree,
                     const struct blocking *blocking, const struct flame_options *options,
                     struct error *error);

#endif
