// SPDX-License-Identifier: MIT
#include "profiler/trace/perf_waits.h"

#include <stdlib.h>

#include "fold/base/memory.h"

/* What is known of a thread. All zero is nothing. */
struct waiting_thread {
    uint64_t begin;      /* of the wait under way */
    uint32_t row;        /* of its stack */
    uint32_t leave_row;  /* of the stack with which it will go out */
    uint32_t sample_row; /* of its last sample, unless it has waited since */
    uint64_t found_time; /* when somebody looked at it in this wait; 0 = nobody did */
    uint32_t found_row;
    bool is_out, preempted, guessed;
    bool has_leave_row;
    bool told; /* that the stack of the wait under way is a guess */
};

struct perf_waits {
    perf_waits_take *take;
    void *context;
    struct waiting_thread *threads;
    size_t count, capacity;
};

struct perf_waits *perf_waits_open(perf_waits_take *take, void *context) {
    struct perf_waits *waits = memory_allocate_zero(1, sizeof *waits);
    waits->take = take;
    waits->context = context;
    return waits;
}

void perf_waits_close(struct perf_waits *waits) {
    if (!waits)
        return;
    free(waits->threads);
    free(waits);
}

static struct waiting_thread *find(struct perf_waits *waits, uint32_t thread) {
    MEMORY_RESERVE(waits->threads, waits->capacity, (size_t)thread + 1);
    while (waits->count <= thread)
        waits->threads[waits->count++] = (struct waiting_thread){0};
    return &waits->threads[thread];
}

/* Hands out the wait of the thread until `time`; the rest of it begins there. */
static void hand_out(struct perf_waits *waits, uint32_t thread, uint64_t time) {
    struct waiting_thread *state = &waits->threads[thread];
    if (time <= state->begin)
        return;
    /* A wait that was over when its thread was looked at is not the one that was seen. */
    bool is_found = state->found_time != 0 && state->found_time <= time;
    struct perf_wait wait = {.thread = thread,
                             .row = is_found ? state->found_row : state->row,
                             .begin = state->begin,
                             .end = time,
                             .preempted = state->preempted,
                             .guessed = state->guessed && !is_found};
    state->begin = time;
    waits->take(waits->context, &wait);
}

void perf_waits_sample(struct perf_waits *waits, uint32_t thread, uint32_t row) {
    struct waiting_thread *state = find(waits, thread);
    state->is_out = false;
    state->sample_row = row;
}

void perf_waits_leave(struct perf_waits *waits, uint32_t thread, uint32_t row) {
    struct waiting_thread *state = find(waits, thread);
    state->is_out = false;
    state->leave_row = row;
    state->has_leave_row = true;
}

void perf_waits_out(struct perf_waits *waits, uint32_t thread, uint64_t time, bool preempted) {
    struct waiting_thread *state = find(waits, thread);
    state->is_out = true;
    state->begin = time;
    state->preempted = preempted;
    state->guessed = !state->has_leave_row;
    state->row = state->has_leave_row ? state->leave_row : state->sample_row;
    state->has_leave_row = false;
    state->told = false;
    state->found_time = 0;
    if (!preempted)
        state->sample_row = 0;
}

void perf_waits_in(struct perf_waits *waits, uint32_t thread, uint64_t time) {
    if (find(waits, thread)->is_out)
        hand_out(waits, thread, time);
    find(waits, thread)->is_out = false;
}

uint32_t perf_waits_next_guess(struct perf_waits *waits, uint32_t thread, uint64_t time,
                               uint64_t least) {
    size_t i = thread == NO_THREAD ? 0 : (size_t)thread + 1;
    for (; i < waits->count; i++) {
        struct waiting_thread *state = &waits->threads[i];
        if (!state->is_out || state->preempted || !state->guessed || state->told ||
            time < state->begin || time - state->begin < least)
            continue;
        state->told = true;
        return (uint32_t)i;
    }
    return NO_THREAD;
}

void perf_waits_found(struct perf_waits *waits, uint32_t thread, uint64_t time, uint32_t row) {
    struct waiting_thread *state = find(waits, thread);
    if (!state->is_out)
        return;
    state->found_time = time;
    state->found_row = row;
}

void perf_waits_exit(struct perf_waits *waits, uint32_t thread, uint64_t time) {
    perf_waits_in(waits, thread, time);
    *find(waits, thread) = (struct waiting_thread){0};
}

void perf_waits_lost(struct perf_waits *waits, uint64_t time) {
    for (size_t i = 0; i < waits->count; i++) {
        struct waiting_thread *state = &waits->threads[i];
        state->has_leave_row = false;
        state->sample_row = 0;
        state->guessed = true;
        state->found_time = 0;
        if (state->begin < time)
            state->begin = time;
    }
}

void perf_waits_pending(struct perf_waits *waits, uint64_t time, uint64_t least) {
    for (size_t i = 0; i < waits->count; i++) {
        const struct waiting_thread *state = &waits->threads[i];
        if (state->is_out && time > state->begin && time - state->begin >= least)
            hand_out(waits, (uint32_t)i, time);
    }
}
