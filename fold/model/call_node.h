// SPDX-License-Identifier: MIT
/*
 * The bare form of a call tree: what writers and pictures need of it.
 *
 * fold/tally/call_tree.h builds such trees; fold/write shows them without knowing how they came
 * about. Nodes stand in depth-first order, so a subtree is a range of the array, and the first
 * child of node n, if it has any, is n + 1.
 */
#ifndef TICKFLAME_FOLD_MODEL_CALL_NODE_H
#define TICKFLAME_FOLD_MODEL_CALL_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/base/number.h"
#include "fold/base/text.h"
#include "fold/model/frame_table.h"

struct call_node {
    uint32_t parent;           /* node; 0 for roots, and for node 0, which is the invisible root */
    uint32_t function;         /* row of a table of functions, or of labels; 0 for node 0 */
    uint32_t depth;            /* 0 for node 0, 1 for roots */
    uint32_t subtree_end;      /* the node behind the last descendant */
    struct weight self, total; /* of this place in the tree, the collector included */
};

/* How a function is written into a format that has nothing but names. */
struct call_label {
    struct text text; /* not yet escaped for any output; owned by whoever made the table */
    enum frame_kind kind;
    bool inlined;
};

#endif
