// SPDX-License-Identifier: MIT
/*
 * The culprit: what a verdict names first. Reports, flame graphs and the line on the terminal while
 * it is recorded all take it from here.
 *
 * The rule: what eats most of the busy time of the threads that run JavaScript leads. Three kinds
 * are compared:
 *
 *   1. all blocking calls together, those of start-up apart;
 *   2. the long computation of the catalogue that takes most, such as `JSON.parse`;
 *   3. the function with the largest self time outside both and below JavaScript, or the garbage
 *      collector. Native code whose stack does not lead to JavaScript may be part of a call: hand-
 *      written assembler often loses its callers.
 *
 * Of equal ones the first leads. Where blocking calls do not lead but hold 5 % or more, they are
 * named second. Where they hold less, there is nothing to weigh a function against, and the
 * function is the hottest of all threads. Code whose function is not known (a library without
 * symbols, `(program)`, `[kernel]`) is no culprit: there is nothing to name.
 */
#ifndef TICKFLAME_FOLD_TALLY_CULPRIT_H
#define TICKFLAME_FOLD_TALLY_CULPRIT_H

#include "fold/tally/blocking.h"

enum culprit_kind {
    CULPRIT_NONE,     /* nothing is busy, or nothing busy has a name */
    CULPRIT_BLOCKING, /* blocking->calls[0] and the others */
    CULPRIT_HEAVY,    /* blocking->heavy[0] */
    CULPRIT_FUNCTION,
};

struct culprit {
    enum culprit_kind kind;
    bool blocking_second; /* blocking calls do not lead, and are worth naming */
    uint32_t function;    /* row of tree->functions: the one of 3., whatever leads; 0 = none */
    struct weight weight; /* of `function` */
    struct weight base;   /* what that is a share of: the tree's `javascript_threads` or `busy` */
};

/* Finds the culprit. `blocking` is blocking_find(tree). */
struct culprit culprit_find(const struct call_tree *tree, const struct blocking *blocking);

#endif
