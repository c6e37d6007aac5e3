// SPDX-License-Identifier: MIT
/* Recording a running Node with V8's own profiler, through its inspector. */
#ifndef TICKFLAME_PROFILER_COMMAND_RECORD_INSPECTOR_H
#define TICKFLAME_PROFILER_COMMAND_RECORD_INSPECTOR_H

#include <stdint.h>
#include <sys/types.h>

#include "fold/base/error.h"
#include "fold/model/profile.h"

struct record_inspector_options {
    pid_t process_id;
    uint64_t frequency;   /* Hz */
    uint64_t duration_ms; /* 0 = until the process ends or `signals` can be read */
    int signals;          /* a descriptor that can be read when the recording should end */
};

/* Records. NULL: it is not possible (ERROR_SAMPLE). The profile is to be freed. */
struct profile *record_inspector_run(const struct record_inspector_options *options,
                                     struct error *error);

#endif
