// SPDX-License-Identifier: MIT
/*
 * Stacks: a stack is an integer. Each row adds one frame to an older row (its caller), so stacks
 * that begin alike share their rows, and a parent always precedes its children: totals are one pass
 * over the rows in reverse, without recursion and without a limit of depth.
 */
#ifndef TICKFLAME_FOLD_MODEL_STACK_TABLE_H
#define TICKFLAME_FOLD_MODEL_STACK_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "fold/model/frame_table.h"

/* A stack, named by its innermost frame's row; 0 = the empty stack. */
struct stack_id {
    uint32_t index;
};

/*
 * A row with its key, so that finding it touches one place in memory: there can be millions. Only
 * rows that are not the first child of their parent have a slot: a stack that was seen before is
 * mostly walked along first children, which lie side by side.
 */
struct stack_slot {
    uint32_t row; /* 0 = free */
    uint32_t parent, frame;
};

/* The first row added with a certain parent, and its frame beside it: one place in memory again. */
struct stack_child {
    uint32_t row; /* 0 = none yet */
    uint32_t frame;
};

/* All zero is an empty table. */
struct stack_table {
    uint32_t *parents; /* the caller's row; 0 = this is a root frame */
    uint32_t *frames;  /* the frame's row in the frame table */
    struct stack_child *first_children;
    size_t size; /* rows, row 0 included; 0 before the first one */
    size_t parents_capacity, frames_capacity, first_children_capacity;
    struct stack_slot *slots; /* open addressing by (parent, frame) */
    size_t slot_count;        /* a power of two, or 0 */
    size_t slots_used;
};

/* The stack `parent` with `frame` (not 0) on top of it. */
struct stack_id stack_table_intern(struct stack_table *table, struct stack_id parent,
                                   struct frame_id frame);

/* The stack without its innermost frame; 0 for a stack of one frame. `stack` is not 0. */
struct stack_id stack_table_parent(const struct stack_table *table, struct stack_id stack);

/* The innermost frame of a stack that is not 0. */
struct frame_id stack_table_frame(const struct stack_table *table, struct stack_id stack);

void stack_table_free(struct stack_table *table);

#endif
