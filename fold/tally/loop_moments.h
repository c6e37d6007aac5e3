// SPDX-License-Identifier: MIT
/*
 * The moments of each thread that has an event loop, in order, and what their stacks tell of it.
 * Internal to fold/tally.
 */
#ifndef TICKFLAME_FOLD_TALLY_LOOP_MOMENTS_H
#define TICKFLAME_FOLD_TALLY_LOOP_MOMENTS_H

#include "fold/tally/loop_blocks.h"

/* What a moment tells. */
enum loop_moment {
    LOOP_WORKS,   /* code runs that something else waits for */
    LOOP_WAITS,   /* the same, but the thread has no processor */
    LOOP_NEUTRAL, /* nothing: a collection of garbage without its stack, or nothing is known */
    LOOP_TURNS,   /* the thread is in the loop itself */
    LOOP_PROGRAM, /* code without JavaScript where stacks tell no more: the loop as a rule */
    LOOP_IDLE,    /* it waits for work */
};

/* A thread with an event loop. */
struct loop_thread {
    uint32_t thread;    /* its latest row of profile->threads */
    size_t first, last; /* of `order`: its moments, the one behind the last */
    bool has_counters;  /* its turns were read: rows of `turns` */
    size_t first_turn, last_turn;
};

struct loop_moments {
    const struct profile *profile;
    struct loop_thread *threads;
    size_t thread_count;
    uint32_t *order;            /* rows of profile->moments, by thread, then by end */
    struct profile_turn *turns; /* of the threads, by thread, then by start */
    uint8_t *stacks;            /* enum loop_moment, by row of the profile's stack table */
    uint32_t *entries;          /* by the same: the row in the table of frames of the outermost
                                   frame of JavaScript; 0 = there is none */
    uint8_t *from_loop;         /* by row of frames: 1 = as an outermost frame it was called by the
                                   loop */
    uint64_t interval;          /* microseconds between two samples of a running thread */
};

/* Makes it; false: there are no moments to go by. `moments` is to be freed in any case. */
bool loop_moments_make(struct loop_moments *moments, const struct call_tree *tree);
void loop_moments_free(struct loop_moments *moments);

/* The moment at a place of `order`, and what it tells. */
static inline const struct profile_moment *loop_moment_at(const struct loop_moments *moments,
                                                          size_t place) {
    return &moments->profile->moments[moments->order[place]];
}
static inline enum loop_moment loop_moment_tells(const struct loop_moments *moments,
                                                 const struct profile_moment *moment) {
    if (moment->idle)
        return LOOP_IDLE;
    enum loop_moment tells = (enum loop_moment)moments->stacks[moment->stack.index];
    /* Isolate logs have no JavaScript in a collection. */
    return moment->state == VM_GC && tells != LOOP_WORKS ? LOOP_NEUTRAL : tells;
}

/* Fills in what a block consists of; its borders, thread and evidence are there. */
void loop_block_fill(struct loop_block *block, const struct loop_moments *moments,
                     const struct loop_thread *thread, const struct call_tree *tree,
                     const struct blocking *blocking);

/* The first place of a thread's part of `order` whose moment ends behind a time. */
size_t loop_moments_behind(const struct loop_moments *moments, const struct loop_thread *thread,
                           uint64_t time);

#endif
