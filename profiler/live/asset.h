// SPDX-License-Identifier: MIT
/*
 * Scripts that are loaded into a Node process: real files of this folder that the build turns into
 * constants (svg/embed.cmake).
 */
#ifndef TICKFLAME_PROFILER_LIVE_ASSET_H
#define TICKFLAME_PROFILER_LIVE_ASSET_H

#include <stddef.h>

/* The bytes of a file, UTF-8; a NUL follows that is not counted. */
struct live_asset {
    const unsigned char *data;
    size_t size;
};

extern const struct live_asset live_asset_v8_profiler_js;

#endif
