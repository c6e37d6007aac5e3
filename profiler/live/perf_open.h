// SPDX-License-Identifier: MIT
/*
 * Opening perf events, with less where the kernel refuses what was asked for.
 *
 * The steps, each tried once: without the kernel's frames (EACCES); cpu-clock in place of the
 * hardware's cycles (ENOENT and the like); without what old kernels do not know (EINVAL, E2BIG).
 * The first event of a sampler finds the steps that are needed; all others are opened alike.
 */
#ifndef TICKFLAME_PROFILER_LIVE_PERF_OPEN_H
#define TICKFLAME_PROFILER_LIVE_PERF_OPEN_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

#include "profiler/live/sampler.h"

/* perf_event_open(2). Returns the descriptor; -1: errno says why. */
int perf_open_event(const struct perf_event_attr *attribute, pid_t thread_id, int cpu);

/* Adds a sentence to the notes; beyond the room for notes it is dropped. */
void perf_open_note(struct sampler_state *state, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The attribute of the event that samples context switches, beside one with *attribute. */
void perf_open_prepare_switches(const struct perf_event_attr *attribute,
                                struct perf_event_attr *switches);

/* What `options` ask for: frequency within the kernel's limit, event and kernel's frames as asked;
 * fills in the same in *state. With state->by_thread events are not inherited. */
void perf_open_prepare(const struct sampler_options *options, struct perf_event_attr *attribute,
                       struct sampler_state *state);

/*
 * Opens the first event, step by step with less; *attribute and *state are then what could be had.
 * Returns the descriptor; -1: errno says why.
 */
int perf_open_first(const struct sampler_options *options, struct perf_event_attr *attribute,
                    struct sampler_state *state, pid_t thread_id, int cpu);

#endif
