// SPDX-License-Identifier: MIT
/*
 * Gates: what this machine lets us do now, and for each closed gate the setting that closes it and
 * the command that opens it. `tickflame doctor` prints them; errors of sampling are made of them.
 *
 * Each gate is tried, not guessed: perf_event_open is called, files are opened.
 */
#ifndef TICKFLAME_PROFILER_LIVE_GATES_H
#define TICKFLAME_PROFILER_LIVE_GATES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "fold/base/error.h"

struct gate {
    const char *name; /* a constant: "perf_event_open", "kernel-frames", "kernel-symbols",
                         "hardware-cycles", "ring-memory", "open-files", "target-owner",
                         "target-memory", "target-files", "perf-map", "sample-rate" ... */
    bool open;
    char value[160]; /* what was found: "kernel.perf_event_paranoid = 2, no CAP_PERFMON" */
    char fix[320];   /* what opens it, a command where there is one; empty when open */
};

enum { GATES_MAX = 24 };

struct gates {
    struct gate items[GATES_MAX];
    size_t count;
    const char *route; /* what `record` would do: "perf_event", "cpu-prof" (only a process that it
                          starts itself), "none" */
};

/* Tries the gates, for sampling `process_id` (0: a process of the user's own). */
void gates_try(struct gates *gates, pid_t process_id);

/* The sentence for a refused perf_event_open: which setting, and what helps. `number`: its errno.
 */
void gates_explain_refusal(struct error *error, int number, pid_t process_id);

#endif
