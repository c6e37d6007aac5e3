// SPDX-License-Identifier: MIT
/*
 * A call tree under construction. Internal to fold/tally.
 *
 * call_tree.c maps the rows of the stack table, each once, to nodes in the order in which they are
 * met; call_order.c then puts nodes into their final order and computes totals.
 */
#ifndef TICKFLAME_FOLD_TALLY_CALL_BUILDER_H
#define TICKFLAME_FOLD_TALLY_CALL_BUILDER_H

#include "fold/tally/call_functions.h"
#include "fold/tally/native_stack.h"

/* A sample of the tree and its node. Few nodes have samples of their own. */
struct placed_sample {
    uint32_t node;
    uint32_t sample; /* row of profile->samples */
};

struct call_builder {
    const struct profile *profile;
    struct call_tree *tree;
    struct call_functions functions;

    /* Nodes by order of discovery, parents first: a table of stacks whose frames are functions. Row
     * 0 is the invisible root. */
    struct stack_table nodes;

    /* By row of the stack table. */
    struct native_row *native; /* NULL when stacks are not native */
    uint32_t *row_nodes;       /* the node, valid where row_epochs is the current epoch */
    uint32_t *row_epochs;      /* NULL until a sample was met */
    uint8_t *row_matches;      /* ROW_KNOWN and what was found in the row or above it; NULL without
                                  patterns */
    uint8_t *function_matches; /* the same, by function */
    size_t function_matches_capacity;
    uint32_t epoch; /* counts threads when they are root frames */

    /* Frames of JavaScript, each with the weight of its sample, and those with a name. */
    double javascript_frames, javascript_named;

    /* Rows on the way from a stack to one that is known. */
    uint32_t *path;
    size_t path_capacity;

    struct placed_sample *placed;
    size_t placed_count, placed_capacity;
};

/* Puts functions and nodes into their final order, into builder->tree, and fills in all totals. */
void call_builder_finish(struct call_builder *builder);

/* Splits the total of each function of the finished tree by the tier of its innermost
 * occurrence. */
void call_builder_count_tiers(struct call_builder *builder);

#endif
