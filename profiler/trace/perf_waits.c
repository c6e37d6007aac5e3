// SPDX-License-Identifier: MIT
#include "profiler/trace/perf_waits.h"

#include <stdlib.h>

#include "fold/base/memory.h"

static struct thread_waits *get(struct perf_waits *waits, size_t thread) {
    MEMORY_RESERVE(waits->threads, waits->capacity, thread + 1);
    for (; waits->count <= thread; waits->count++)
        waits->threads[waits->count] = (struct thread_waits){0};
    return &waits->threads[thread];
}

void perf_waits_sampled(struct perf_waits *waits, size_t thread, uint32_t stack) {
    struct thread_waits *state = get(waits, thread);
    /* It runs: that it came in was lost. */
    state->out_since = 0;
    state->sampled = stack;
    state->leaving = 0;
    state->fresh = true;
}

void perf_waits_leaving(struct perf_waits *waits, size_t thread, uint32_t stack) {
    get(waits, thread)->leaving = stack;
}

void perf_waits_out(struct perf_waits *waits, size_t thread, uint64_t time, bool preempted) {
    struct thread_waits *state = get(waits, thread);
    state->out_since = time;
    state->preempted = preempted;
}

bool perf_waits_in(struct perf_waits *waits, size_t thread, uint64_t time, struct perf_wait *wait) {
    struct thread_waits *state = get(waits, thread);
    bool ends = state->out_since != 0 && time >= state->out_since;
    *wait = (struct perf_wait){
        .start = state->out_since,
        .end = time,
        .stack = state->leaving ? state->leaving : state->sampled,
        .preempted = state->preempted,
        .guessed = state->leaving == 0,
        .stale = !state->fresh,
    };
    state->out_since = 0;
    state->leaving = 0;
    state->fresh = false;
    return ends;
}

void perf_waits_forget(struct perf_waits *waits, size_t thread) {
    if (thread < waits->count)
        waits->threads[thread] = (struct thread_waits){0};
}

void perf_waits_free(struct perf_waits *waits) {
    free(waits->threads);
    *waits = (struct perf_waits){0};
}
