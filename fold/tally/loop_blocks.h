// SPDX-License-Identifier: MIT
/*
 * The longest blocks of the event loops: stretches of time in which a thread that runs JavaScript
 * did not come back to its event loop, so that nothing else could be served.
 *
 * What tells a return to the loop, the best evidence first:
 *
 * - libuv's own counters, read while a living process was recorded (struct profile_turn): the main
 *   thread's blocks are its turns; their borders are off by what the turn says.
 * - Switches of threads (profile->has_waits): a wait for work ends a block, and the next one begins
 *   where it ends. Both borders are exact. A wait below JavaScript belongs to the block.
 * - Samples of a wall clock (.cpuprofile): `(idle)` ends a block, and so does `(program)`, code
 *   without JavaScript; likewise in isolate logs. A border is off by half an interval at most.
 * - Samples of any clock: one in libuv's loop or in node's C++ inside of it, without JavaScript,
 *   ends a block. So does one whose outermost JavaScript is another function that libuv's callbacks
 *   call (processTimers(), onStreamRead() ...) than that of the sample before.
 * - Samples of CPU time: such a clock only ticks while the thread runs. So a block also ends before
 *   a stretch without samples of more than one and a half intervals and 4 ms; that long a thread
 * may have to stand back for others on a busy machine. Shorter waits are not seen, and longer stays
 *   without a processor are taken for waits, so here a block can be longer or shorter than it was.
 *
 * Except in the first case, callbacks that follow one another without a return that was seen count
 * as one block: its length is at most what it says (`at_most`).
 *
 * Loading the program, before the first return, is a block of its own kind (`startup`).
 *
 * A view that leaves samples out by their stack has no blocks, for the rest would be torn apart.
 */
#ifndef TICKFLAME_FOLD_TALLY_LOOP_BLOCKS_H
#define TICKFLAME_FOLD_TALLY_LOOP_BLOCKS_H

#include "fold/tally/blocking.h"

enum {
    LOOP_BLOCKS_LISTED = 10,
    LOOP_BLOCK_LEAST_US = 10000, /* shorter ones are none */
    LOOP_BLOCK_LONG_US = 50000,
};

/* What told the borders of a block. */
enum loop_evidence {
    LOOP_BY_COUNTERS, /* libuv's own */
    LOOP_BY_SWITCHES,
    LOOP_BY_WALL_CLOCK,
    LOOP_BY_CPU_CLOCK,
};

/* What most of a block's time went into. */
enum loop_block_label {
    LOOP_BLOCK_UNKNOWN, /* a wall clock does not tell computing from waiting */
    LOOP_BLOCK_CPU,
    LOOP_BLOCK_WAITING,   /* the thread had no processor for half of the time */
    LOOP_BLOCK_THROTTLED, /* at least half of it: its control group had used up its CPU time */
};

/* A block. Times in microseconds, those of its borders since the recording began. */
struct loop_block {
    uint64_t start, end;
    uint64_t error;  /* how far off the length can be */
    uint32_t thread; /* row of profile->threads */
    enum loop_evidence evidence;
    enum loop_block_label label;
    bool startup;
    bool at_most;       /* callbacks may have run that no return was seen between */
    bool several;       /* and its samples look like it: they are not below one callback */
    bool cpu_known;     /* `cpu` was measured */
    bool waiting_known; /* `waiting` was measured */
    uint64_t cpu;       /* the thread ran */
    uint64_t waiting;   /* the thread waited, below JavaScript or other code */
    uint64_t throttled;
    uint32_t outer, inner; /* nodes of the tree: from the outermost frame of JavaScript to the
                              deepest frame with at least half of the block's time (of its largest
                              callback, with `several`); 0, 0: no sample fell into it */
    uint32_t call;         /* row of blocking->calls, from 1: `inner` is below it; 0 = none */
    uint32_t caller;       /* of that call: row of tree->functions; 0 = no such frame */
};

struct loop_blocks {
    struct loop_block *blocks; /* longest first, then earliest; at most LOOP_BLOCKS_LISTED */
    size_t count;
    struct loop_block *startup; /* the same of start-up */
    size_t startup_count;
    uint64_t number, total;           /* of all blocks without start-up: how many, their length */
    uint64_t long_number, long_total; /* of LOOP_BLOCK_LONG_US or longer */
    uint64_t *call_longest;           /* by row of blocking->calls, start-up apart: the longest
                                         stretch with the call on the stack; 0 = not known */
};

/*
 * Finds the blocks. NULL: the profile does not tell when its samples were, or its view leaves some
 * out by their stack. `blocking` is that of the tree. Owned by the caller.
 */
struct loop_blocks *loop_blocks_find(const struct call_tree *tree, const struct blocking *blocking);
void loop_blocks_free(struct loop_blocks *blocks);

/* In JSON: "counters", "switches", "wall-clock", "cpu-clock". */
const char *loop_evidence_name(enum loop_evidence evidence);

/* In JSON: "cpu", "waiting", "throttled"; NULL for LOOP_BLOCK_UNKNOWN. */
const char *loop_block_label_name(enum loop_block_label label);

#endif
