// SPDX-License-Identifier: MIT
/*
 * The way round where perf events are refused: a program that we start ourselves is recorded by
 * V8's own profiler. A script (v8_profiler.js) is loaded in front of it through NODE_OPTIONS; it
 * leaves a `.cpuprofile` for each thread in a folder of ours.
 */
#ifndef TICKFLAME_PROFILER_LIVE_V8_PROFILER_H
#define TICKFLAME_PROFILER_LIVE_V8_PROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/error.h"

/* All zero is none. */
struct v8_profiler {
    char folder[256];     /* 0700, below TMPDIR or /tmp */
    char *environment[4]; /* for launch_prepare(); ends with NULL */
    char **profiles;      /* paths found by v8_profiler_collect(), in order of their names */
    size_t profile_count, profile_capacity;
};

/* Makes the folder with the script. `interval_us`: microseconds between two samples. False:
 * ERROR_SAMPLE. To be removed in any case. */
bool v8_profiler_prepare(struct v8_profiler *profiler, uint64_t interval_us, struct error *error);

/* Looks for the profiles that the program has left. */
void v8_profiler_collect(struct v8_profiler *profiler);

/* Removes the folder and all in it. */
void v8_profiler_remove(struct v8_profiler *profiler);

#endif
