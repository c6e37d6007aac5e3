// SPDX-License-Identifier: MIT
/*
 * From looks at an event loop (event_loop.h) to its long turns: the stretches in which the loop did
 * not come back to its poll, so that nothing else could be served.
 *
 * Between two looks the loop may have turned several times; what matters here is longer than the
 * time between looks, so every long turn is seen. Its borders are known exactly where the loop
 * waited before or behind it (libuv notes when a poll begins and how long it lasted); otherwise
 * they lie between two looks, and the clock that the loop reads behind each poll narrows them to a
 * millisecond as a rule. `error` says how far off they can be.
 */
#ifndef TICKFLAME_PROFILER_LIVE_LOOP_WATCH_H
#define TICKFLAME_PROFILER_LIVE_LOOP_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/live/event_loop.h"

/* A stretch without a return to the poll; nanoseconds of the clock of the looks. */
struct loop_turn {
    uint64_t start, end;
    uint64_t error; /* of its length, at most */
    bool startup;   /* before the loop's first turn: the program is being loaded */
};

/* All zero is a loop that was not looked at yet. */
struct loop_watch {
    struct event_loop_reading last;
    bool looked;  /* `last` is there */
    bool working; /* the loop works since `start` */
    uint64_t start, start_error;
};

/*
 * Takes the next look. Returns whether a turn has ended by it that is at least `least` nanoseconds
 * long, and writes it to *turn.
 */
bool loop_watch_take(struct loop_watch *watch, const struct event_loop_reading *reading,
                     uint64_t least, struct loop_turn *turn);

/* As loop_watch_take() for the turn that is under way at the end of looking. */
bool loop_watch_end(struct loop_watch *watch, uint64_t time, uint64_t least,
                    struct loop_turn *turn);

/* How long the loop has waited for work by this look, in nanoseconds since the process began. */
uint64_t loop_watch_idle(const struct event_loop_reading *reading);

#endif
