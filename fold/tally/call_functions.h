// SPDX-License-Identifier: MIT
/*
 * The functions of a call tree under construction: which frames are the same function in a view,
 * and how it is labelled. Internal to fold/tally.
 */
#ifndef TICKFLAME_FOLD_TALLY_CALL_FUNCTIONS_H
#define TICKFLAME_FOLD_TALLY_CALL_FUNCTIONS_H

#include "fold/tally/call_tree.h"

/* All zero, with `profile`, `view` and `arena` filled in, is an empty table. */
struct call_functions {
    const struct profile *profile;
    const struct view *view;
    struct arena *arena;        /* holds the labels */
    struct function *functions; /* row 0 is all zero */
    size_t size, capacity;
    struct hash_index index;
    uint32_t *by_frame; /* function, by row of the profile's frame table; 0 = not asked for yet */
};

/* The function that a frame belongs to. */
uint32_t call_functions_of_frame(struct call_functions *table, uint32_t frame);

/* The pseudo functions `(garbage collector)` and `[unknown]`. */
uint32_t call_functions_collector(struct call_functions *table);
uint32_t call_functions_unknown(struct call_functions *table);

/* The root frame of a thread: its name, or `thread ID`. Threads of one name are one function. */
uint32_t call_functions_of_thread(struct call_functions *table,
                                  const struct profile_thread *thread);

/* Puts the functions into byte order of their labels. Returns the new row of each old row, to be
 * freed with free(). */
uint32_t *call_functions_sort(struct call_functions *table);

/* Frees all but `functions`, which becomes the tree's. */
void call_functions_free(struct call_functions *table);

#endif
