// SPDX-License-Identifier: MIT
/*
 * The event loop of a process's main thread, read from outside: how often it turned, and how long
 * it waited for work.
 *
 * libuv counts both itself. node runs the default loop (`default_loop_struct`, a symbol of the
 * program) with UV_METRICS_IDLE_TIME, so `uv_loop_t` points at internal fields that hold the time
 * spent in the poll and, since libuv 1.45 (Node 20), the number of turns. Nothing is asked of the
 * process and nothing is stopped: some 80 bytes of its memory are read (process_vm_readv).
 *
 * Source of the layout: libuv's headers uv.h, uv/unix.h and src/uv-common.h, versions 1.42 to 1.52,
 * the same on all of them but for the counters; tried on Node 14 to 26. It is not believed: every
 * reading is checked against the clock, and the part of the fields that libuv keeps in reserve must
 * be zero. A program whose symbols are stripped, or whose libuv is a library, cannot be read so;
 * nor can the loops of worker threads.
 */
#ifndef TICKFLAME_PROFILER_LIVE_EVENT_LOOP_H
#define TICKFLAME_PROFILER_LIVE_EVENT_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Where the loop of a process is. All zero is none. */
struct event_loop {
    pid_t process_id;
    uint64_t address; /* of the uv_loop_t in the process; 0 = not known */
};

/* One look at a loop. Times in nanoseconds of CLOCK_MONOTONIC, counters_clock(). */
struct event_loop_reading {
    uint64_t time;       /* of the look */
    uint64_t turns;      /* begun so far; 0 where libuv does not count them, and before the first */
    uint64_t idle;       /* spent in polls that have ended */
    uint64_t idle_since; /* the poll under way began then; 0 = the loop works */
    uint64_t updated;    /* when the loop last looked at the clock, which it does behind each poll,
                            and node when a timer is set; whole milliseconds */
    bool counts_turns;
};

/* Finds the loop of a process. False: it has none that can be read. */
bool event_loop_find(struct event_loop *loop, pid_t process_id);

/* Looks at the loop. False: the process has ended or its memory may not be read, or what stands
 * there is no loop (yet: a process that has just been started has none). */
bool event_loop_read(const struct event_loop *loop, struct event_loop_reading *reading);

/* The bytes that event_loop_read() looks at, and what they say; `now` in nanoseconds. False: it
 * cannot be a loop. */
enum { EVENT_LOOP_FIELDS_SIZE = 152 };
bool event_loop_decode(uint64_t updated_ms, const unsigned char fields[EVENT_LOOP_FIELDS_SIZE],
                       uint64_t now, struct event_loop_reading *reading);

#endif
