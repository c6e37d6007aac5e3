// SPDX-License-Identifier: MIT
/*
 * Waits of threads, as samples of a profile.
 *
 * A wait below JavaScript keeps the thread from doing anything else: its stack gets the innermost
 * frame `(waiting)`. All other waits are for work to do, the event loop's poll above all, and are
 * idle: innermost frame `(idle)`. Those of one thread that follow on each other without a sample
 * between are one sample, because a busy server makes ten thousand of them a second.
 */
#ifndef TICKFLAME_PROFILER_COMMAND_RECORD_WAITS_H
#define TICKFLAME_PROFILER_COMMAND_RECORD_WAITS_H

#include <stdbool.h>

#include "fold/model/profile.h"

struct record_waits;

/* Takes a sample that is complete. */
typedef void record_waits_take(void *context, const struct sample *sample);

/* For stacks of `profile`, which outlives it. To be freed. */
struct record_waits *record_waits_new(struct profile *profile, record_waits_take *take,
                                      void *context);
void record_waits_free(struct record_waits *waits);

/* Takes a wait: `sample` has its stack, thread, end (`time`) and length (`weight`, nanoseconds).
 * `guessed`: the stack is not that of the wait. */
void record_waits_add(struct record_waits *waits, struct sample sample, bool guessed);

/* A thread was seen running: what it waited for before is complete. */
void record_waits_running(struct record_waits *waits, uint32_t thread);

/* Hands out all that is still held back. */
void record_waits_flush(struct record_waits *waits);

#endif
