// SPDX-License-Identifier: MIT
/*
 * Recording a program that we start with V8's own profiler, where the kernel refuses perf events.
 */
#ifndef TICKFLAME_PROFILER_COMMAND_RECORD_FALLBACK_H
#define TICKFLAME_PROFILER_COMMAND_RECORD_FALLBACK_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/base/error.h"
#include "fold/model/profile.h"
#include "profiler/live/launch.h"

struct record_fallback_options {
    char *const *arguments; /* of the program; ends with NULL */
    uint64_t frequency;     /* Hz */
    uint64_t duration_ms;   /* 0 = until it ends or `signals` can be read */
    int signals;            /* a descriptor that can be read when the recording should end */
};

/*
 * Runs the program under V8's profiler, ends it after the duration, and reads what the profiler
 * left. NULL: it could not be started, or left no profile (ERROR_SAMPLE). *launch then tells how it
 * ended. The profile is to be freed.
 */
struct profile *record_fallback_run(const struct record_fallback_options *options,
                                    struct launch *launch, struct error *error);

#endif
