// SPDX-License-Identifier: MIT
/*
 * Waits of threads: from the moments at which they leave their processor and take one again, how
 * long each wait took and with which stack.
 *
 * Everything is told in order of time. A thread's wait begins where it goes out and ends where it
 * comes in. Its stack is that of the sample that the kernel made right before it went out; where
 * there are none of those (they need rights), it is guessed: that of the thread's last sample, if
 * the thread has not waited since. A preempted thread, which could have gone on, did not wait in
 * this sense.
 *
 * What does not fit together, because records were lost or a thread was found in the middle:
 *
 *     in, without having gone out     nothing: when the wait began is not known
 *     out again, without having come in, or a sample of it
 *                                     the wait is dropped: it ended, but nobody knows when
 *     records were lost               threads that are out may have come and gone: their waits go
 *                                     on from here, with stacks that are guesses
 *     exit, while out                 the wait ends there
 */
#ifndef TICKFLAME_PROFILER_TRACE_PERF_WAITS_H
#define TICKFLAME_PROFILER_TRACE_PERF_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A wait, or a part of one. Threads are the caller's numbers, small ones from 0; rows of stacks
 * its numbers too, 0 = not known. */
struct perf_wait {
    uint32_t thread;
    uint32_t row;
    uint64_t begin, end; /* nanoseconds of the recording's clock; begin < end */
    bool preempted;      /* it waited for a processor only */
    bool guessed;        /* the row is a guess */
};
typedef void perf_waits_take(void *context, const struct perf_wait *wait);

struct perf_waits;

struct perf_waits *perf_waits_open(perf_waits_take *take, void *context);
void perf_waits_close(struct perf_waits *waits);

/* The thread was seen running, with this stack. */
void perf_waits_sample(struct perf_waits *waits, uint32_t thread, uint32_t row);

/* The thread is about to go out, with this stack. */
void perf_waits_leave(struct perf_waits *waits, uint32_t thread, uint32_t row);

/* The thread went out, or came in. */
void perf_waits_out(struct perf_waits *waits, uint32_t thread, uint64_t time, bool preempted);
void perf_waits_in(struct perf_waits *waits, uint32_t thread, uint64_t time);

/*
 * The next thread after `thread` (NO_THREAD: from the first one) that has been out for `least`
 * nanoseconds or more at `time`, not preempted, with a stack that is a guess; each wait is told
 * once. NO_THREAD: there is none. With perf_waits_found() its stack is known: the thread was seen
 * out with it at `time`. It goes for the wait that is under way, unless that turns out to have
 * ended before.
 */
#define NO_THREAD UINT32_MAX
uint32_t perf_waits_next_guess(struct perf_waits *waits, uint32_t thread, uint64_t time,
                               uint64_t least);
void perf_waits_found(struct perf_waits *waits, uint32_t thread, uint64_t time, uint32_t row);

/* The thread ended; its number may be used again. */
void perf_waits_exit(struct perf_waits *waits, uint32_t thread, uint64_t time);

/* Records of any thread were lost before this time. */
void perf_waits_lost(struct perf_waits *waits, uint64_t time);

/*
 * Hands out the part until `time` of the waits that have gone on for `least` nanoseconds or more;
 * what comes of them later begins there. Everything that happened before `time` has been told. With
 * `least` 0 this is the end of all waits.
 */
void perf_waits_pending(struct perf_waits *waits, uint64_t time, uint64_t least);

#endif
