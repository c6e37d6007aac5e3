// SPDX-License-Identifier: MIT
/*
 * The page's script and style: real files of this folder (flame_graph.js, flame_graph.css) that the
 * build turns into constants (embed.cmake), so that the program is one file and its pictures load
 * nothing.
 */
#ifndef TICKFLAME_SVG_ASSET_H
#define TICKFLAME_SVG_ASSET_H

#include <stddef.h>

/* The bytes of a file, UTF-8; a NUL follows that is not counted. */
struct svg_asset {
    const unsigned char *data;
    size_t size;
};

extern const struct svg_asset svg_asset_flame_graph_css;
extern const struct svg_asset svg_asset_flame_graph_js;

#endif
