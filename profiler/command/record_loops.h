// SPDX-License-Identifier: MIT
/*
 * The event loops of the processes that are recorded: looked at a hundred times a second, and five
 * times as often while a turn lasts, so that the borders of long turns are known to a millisecond
 * or two.
 */
#ifndef TICKFLAME_PROFILER_COMMAND_RECORD_LOOPS_H
#define TICKFLAME_PROFILER_COMMAND_RECORD_LOOPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "profiler/live/loop_watch.h"

struct record_loops;

/* Takes a long turn of a process's loop. */
typedef void record_loops_take(void *context, pid_t process_id, const struct loop_turn *turn);

/* No loops yet. To be freed. */
struct record_loops *record_loops_new(record_loops_take *take, void *context);
void record_loops_free(struct record_loops *loops);

/* Looks at the loop of this process too from now on, or, if it has none (yet), tries again later:
 * a process that has just been started runs another program first. May be called again and again.
 */
void record_loops_add(struct record_loops *loops, pid_t process_id);

/* Looks at those that are due at the time `now` (counters_clock()). Returns when the next one is.
 */
uint64_t record_loops_look(struct record_loops *loops, uint64_t now);

/* How long the loop of the `number`th process (from 0) that can be looked at has waited for work
 * since the process began, at the last look, in nanoseconds. False: there are not so many. */
bool record_loops_idle(const struct record_loops *loops, size_t number, pid_t *process_id,
                       uint64_t *idle);

/* Looking ends at the time `now`: hands out the turns that are under way. */
void record_loops_end(struct record_loops *loops, uint64_t now);

#endif
