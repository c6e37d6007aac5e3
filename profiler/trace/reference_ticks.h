// SPDX-License-Identifier: MIT
/*
 * Which ticks count, by the options of `node --prof-process`: VM state, time range, distortion,
 * runtime timer. Shared by its text and its JSON.
 */
#ifndef TICKFLAME_PROFILER_TRACE_REFERENCE_TICKS_H
#define TICKFLAME_PROFILER_TRACE_REFERENCE_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/base/output.h"
#include "fold/base/text.h"
#include "profiler/trace/v8log_process.h"

/* The options; reference_options_default() gives the defaults. */
struct reference_options {
    bool filters_state; /* only ticks in `state` */
    double state;       /* a VM state of the log, 0 to 10; NaN matches none */
    bool drops_state;   /* no ticks in `dropped_state`; goes before `filters_state` */
    double dropped_state;
    const char *runtime_timer;     /* only ticks behind this active-runtime-timer; NULL = all */
    double range_start, range_end; /* microseconds; infinite = open */
    double distortion; /* microseconds taken off the time for each tick and timer event so far */
    double call_graph_size; /* callers shown below a first-level entry of the heavy view */
    bool ignore_unknown;
    bool separate_ic, separate_bytecodes, separate_builtins, separate_stubs;
    bool only_summary;
    const char *log_name; /* as the first line shows it */
};

struct reference_options reference_options_default(void);

/* Counts by the options. All zero at the start. */
struct reference_ticks {
    uint64_t total, gc, excluded;
    double distortion; /* microseconds so far */
    struct buffer runtime_timer;
    bool has_runtime_timer;
    bool heap_sample_open;
    unsigned heap_samples;
};

/* Counts a tick, corrects its time. Whether it is to be processed further. */
bool reference_ticks_take(struct reference_ticks *ticks, const struct reference_options *options,
                          struct v8log_tick *tick);

/* Takes an event record; the end of a heap sample prints its heading to `output`. */
void reference_ticks_event(struct reference_ticks *ticks, const struct reference_options *options,
                           enum v8log_event event, struct text name, struct output *output);

void reference_ticks_free(struct reference_ticks *ticks);

#endif
