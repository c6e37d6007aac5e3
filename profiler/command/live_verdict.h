// SPDX-License-Identifier: MIT
/*
 * The verdict while it is still being recorded: one line on a terminal that names the culprit two
 * seconds after the start, and is rewritten as more samples come.
 */
#ifndef TICKFLAME_PROFILER_COMMAND_LIVE_VERDICT_H
#define TICKFLAME_PROFILER_COMMAND_LIVE_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/model/profile.h"

struct live_verdict {
    bool wanted;
    bool shown;
    uint64_t next; /* nanoseconds (counters.h): the line is written at this time or later */
};

/* Starts at the time `now`. It is wanted when standard error is a terminal that can rewrite lines,
 * and not `quiet`. */
struct live_verdict live_verdict_start(uint64_t now, bool quiet);

/* Rewrites the line when it is time. The profile is not changed. `elapsed`: nanoseconds since the
 * start of the recording. */
void live_verdict_update(struct live_verdict *verdict, struct profile *profile, uint64_t elapsed,
                         uint64_t now);

/* Erases the line. */
void live_verdict_end(struct live_verdict *verdict);

#endif
