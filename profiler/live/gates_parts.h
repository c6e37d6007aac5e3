// SPDX-License-Identifier: MIT
/* What the files of gates.h share; for no other file. */
#ifndef TICKFLAME_PROFILER_LIVE_GATES_PARTS_H
#define TICKFLAME_PROFILER_LIVE_GATES_PARTS_H

#include <linux/perf_event.h> /* before perf_record.h, which has macros for what is an enumeration here */
#include <stdbool.h>
#include <sys/types.h>

#include "profiler/live/gates.h"
#include "profiler/live/permissions.h"
#include "profiler/live/sampler.h"

/* Adds a gate with what was found. Valid until the gates are. */
struct gate *gates_add(struct gates *gates, const char *name, bool open, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Says what opens the gate, unless it is open. */
void gates_set_fix(struct gate *gate, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Opens and closes an event as `record` would (process_id 0: on this program). Returns 0, or the
 * errno. */
int gates_try_event(pid_t process_id, bool kernel, enum sampler_event event);

/* Says what opens the gate that perf_event_open closed with this errno. */
void gates_set_refusal(struct gate *gate, int number, pid_t process_id);

/* target_gates.c: the gates of one process, and the route that they leave open. */
const char *gates_try_target(struct gates *gates, const struct permissions *permissions,
                             pid_t process_id);

#endif
