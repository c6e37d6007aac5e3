// SPDX-License-Identifier: MIT
/*
 * From switch records to waits: how long each thread was off its processor, and with which stack.
 *
 * Fed in order of time. A thread goes out (it waits, or was preempted) and comes in again; between
 * lies a wait. Its stack is the one that was sampled where the thread left; where the kernel does
 * not tell that, the one of the last sample before, which is a guess. Lost records leave an out or
 * an in alone: an in without an out, and what lies before the second of two outs, give no wait.
 */
#ifndef TICKFLAME_PROFILER_TRACE_PERF_WAITS_H
#define TICKFLAME_PROFILER_TRACE_PERF_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A wait that is over. */
struct perf_wait {
    uint64_t start, end; /* nanoseconds of the recording's clock */
    uint32_t stack;      /* as it was given; 0 = not known */
    bool preempted;      /* the thread could have run */
    bool guessed;        /* the stack is that of the last sample before */
    bool stale;          /* and between that sample and the wait there were others */
};

/* A thread, as far as waits are concerned. */
struct thread_waits {
    uint64_t out_since;        /* 0 = it runs, or nothing is known */
    uint32_t sampled, leaving; /* stacks: of its last sample; where it left; 0 = none */
    bool preempted;
    bool fresh; /* sampled since it came in last */
};

/* All zero knows no thread. Threads are small numbers of the caller's. */
struct perf_waits {
    struct thread_waits *threads;
    size_t count, capacity;
};

/* The thread was sampled while it ran, or where it left its processor. */
void perf_waits_sampled(struct perf_waits *waits, size_t thread, uint32_t stack);
void perf_waits_leaving(struct perf_waits *waits, size_t thread, uint32_t stack);

void perf_waits_out(struct perf_waits *waits, size_t thread, uint64_t time, bool preempted);

/* The thread comes in. Returns whether a wait ends by that. */
bool perf_waits_in(struct perf_waits *waits, size_t thread, uint64_t time, struct perf_wait *wait);

/* The thread has ended, or its number is another thread's from here on. */
void perf_waits_forget(struct perf_waits *waits, size_t thread);

void perf_waits_free(struct perf_waits *waits);

#endif
