// SPDX-License-Identifier: MIT
/*
 * Which colour a frame gets. The colours themselves stand in flame_graph.css, a class each.
 *
 * They were chosen by computation: of the fills of two kinds, the most alike still differ by 11
 * (CIEDE2000) for normal, protanope, deuteranope and tritanope vision (simulated after Machado and
 * others, 2009), and the dark labels have a contrast (WCAG 2) of at least 4.5 on each of them, in
 * the light and the dark theme.
 */
#ifndef TICKFLAME_SVG_PALETTE_H
#define TICKFLAME_SVG_PALETTE_H

#include "fold/tally/call_tree.h"

/* What the colour tells. */
enum flame_colors { FLAME_COLORS_KIND, FLAME_COLORS_PACKAGE, FLAME_COLORS_NAME };

enum paint {
    PAINT_APP,        /* the application's own JavaScript */
    PAINT_DEPENDENCY, /* JavaScript of packages */
    PAINT_CORE,       /* Node's own JavaScript */
    PAINT_BUILTIN,    /* V8's builtins, handlers and compilers */
    PAINT_REGEXP,
    PAINT_CPP, /* C++ and add-ons, WebAssembly */
    PAINT_LIBRARY,
    PAINT_KERNEL,
    PAINT_GC,
    PAINT_WAITING,
    PAINT_OTHER, /* not known */
    PAINT_HUE,   /* first of PAINT_HUE_COUNT hues for packages or names */
};

enum { PAINT_HUE_COUNT = 8, PAINT_COUNT = PAINT_HUE + PAINT_HUE_COUNT };

struct palette {
    enum flame_colors colors;
    struct text packages[PAINT_HUE_COUNT]; /* views into the profile: the packages with a hue of
                                              their own, largest self weight first */
    size_t package_count;
};

/* Chooses which packages get a hue: those with the most self weight, ties by name. */
void palette_choose(struct palette *palette, const struct call_tree *tree,
                    enum flame_colors colors);

/* The paint of a function. */
enum paint palette_paint(const struct palette *palette, const struct call_tree *tree,
                         const struct function *function);

/* The paint's class in flame_graph.css, such as "app", "gc", "h3". */
const char *paint_class(enum paint paint);

/* Appends what the paint stands for, such as "application" or a package's name; not escaped. */
void palette_append_meaning(struct buffer *buffer, const struct palette *palette, enum paint paint);

#endif
