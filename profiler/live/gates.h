// SPDX-License-Identifier: MIT
/*
 * Gates: what this machine lets us do now, and for each closed gate the setting that closes it and
 * the command that opens it. `tickflame doctor` prints them; errors of sampling are made of them.
 *
 * Each gate is tried, not guessed: perf_event_open is called, rings are mapped, files are opened.
 */
#ifndef TICKFLAME_PROFILER_LIVE_GATES_H
#define TICKFLAME_PROFILER_LIVE_GATES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "fold/base/error.h"

/* Names of gates, in this order: "perf_event_open" (on this program itself), "kernel-frames",
 * "kernel-symbols", "hardware-cycles", "ring-memory", "open-files", "sample-rate", "namespace"; for
 * a process also "target", "target-owner", "target-dumpable", "yama", "sandbox", "target-event"
 * (perf_event_open on it), "target-files", "target-memory", "ptrace", "container", "script-names".
 */
struct gate {
    const char *name; /* a constant, see above */
    bool open;
    char value[160]; /* what was found: "kernel.perf_event_paranoid = 2, no CAP_PERFMON" */
    char fix[320];   /* what opens it, a command where there is one; empty when open */
};

enum { GATES_MAX = 24 };

struct gates {
    struct gate items[GATES_MAX];
    size_t count;
    const char *route; /* what `record` would do: "perf_event", "ptrace" (stop a process that runs),
                          "cpu-prof" (only a process that it starts itself), "none" */
};

/* Tries the gates, for sampling `process_id` (0: a process of the user's own). */
void gates_try(struct gates *gates, pid_t process_id);

/*
 * The sentence for a refused perf_event_open (ERROR_SAMPLE): which setting, and what helps.
 * `number`: its errno. `process_id`: whom it was asked for; 0: this program.
 */
void gates_explain_refusal(struct error *error, int number, pid_t process_id);

#endif
