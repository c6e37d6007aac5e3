// SPDX-License-Identifier: MIT
/*
 * How much of each function ran in which of V8's tiers.
 *
 * A sample counts for the tier of the function's innermost occurrence in its stack. So what lies
 * below an occurrence counts for its tier, less what lies below the next occurrences of the same
 * function inside. That is one walk over the rows of the stack table, which still know the tiers
 * that the tree has merged.
 */
#include <stdlib.h>

#include "fold/tally/call_builder.h"

struct tier_walk {
    const struct profile *profile;
    struct call_tree *tree;
    const uint32_t *by_frame;
    struct weight *totals;  /* by row: of the samples below it */
    uint32_t *first_child;  /* by row; 0 = none */
    uint32_t *next_sibling; /* by row; 0 = none */
    uint32_t *outer; /* by row: the next occurrence of the same function outwards; 0 = none */
    uint32_t *open;  /* by function: its innermost open row; 0 = none */
    struct weight (*inner)[FRAME_TIER_COUNT]; /* by function: what belongs to tiers further in */
};

static uint32_t function_of(const struct tier_walk *walk, uint32_t row) {
    return walk->by_frame[walk->profile->stacks.frames[row]];
}

static enum frame_tier tier_of(const struct tier_walk *walk, uint32_t row) {
    return walk->profile->frames.frames[walk->profile->stacks.frames[row]].tier;
}

static void enter(struct tier_walk *walk, uint32_t row) {
    uint32_t id = function_of(walk, row);
    struct weight *tiers = walk->tree->functions[id].tiers;
    enum frame_tier tier = tier_of(walk, row);
    tiers[tier] = weight_add(tiers[tier], walk->totals[row]);
    uint32_t outer = walk->open[id];
    walk->outer[row] = outer;
    if (outer != 0) {
        struct weight *inner = &walk->inner[id][tier_of(walk, outer)];
        *inner = weight_add(*inner, walk->totals[row]);
    }
    walk->open[id] = row;
}

static void walk_rows(struct tier_walk *walk) {
    const uint32_t *parents = walk->profile->stacks.parents;
    uint32_t row = walk->first_child[0];
    while (row != 0) {
        enter(walk, row);
        uint32_t next = walk->first_child[row];
        while (next == 0 && row != 0) {
            walk->open[function_of(walk, row)] = walk->outer[row];
            next = walk->next_sibling[row];
            row = parents[row];
        }
        row = next;
    }
}

/* Links the rows that samples of the tree lie below, in the order of their numbers. */
static void link_rows(struct tier_walk *walk, size_t rows) {
    const uint32_t *parents = walk->profile->stacks.parents;
    for (size_t row = rows - 1; row > 0; row--) {
        if (weight_is_zero(walk->totals[row]))
            continue;
        walk->totals[parents[row]] = weight_add(walk->totals[parents[row]], walk->totals[row]);
        walk->next_sibling[row] = walk->first_child[parents[row]];
        walk->first_child[parents[row]] = (uint32_t)row;
    }
}

void call_builder_count_tiers(struct call_builder *builder) {
    struct call_tree *tree = builder->tree;
    size_t rows = builder->profile->stacks.size;
    if (tree->view.keep_tiers) {
        for (size_t i = 1; i < tree->function_count; i++)
            tree->functions[i].tiers[tree->functions[i].tier] = tree->functions[i].total;
        return;
    }
    if (rows == 0 || !builder->functions.by_frame)
        return;
    struct tier_walk walk = {
        .profile = builder->profile,
        .tree = tree,
        .by_frame = builder->functions.by_frame,
        .totals = builder->row_selfs,
        .first_child = memory_allocate_zero(rows, sizeof(uint32_t)),
        .next_sibling = memory_allocate_zero(rows, sizeof(uint32_t)),
        .outer = memory_allocate_zero(rows, sizeof(uint32_t)),
        .open = memory_allocate_zero(tree->function_count, sizeof(uint32_t)),
        .inner = memory_allocate_zero(tree->function_count, sizeof *walk.inner),
    };
    link_rows(&walk, rows);
    walk_rows(&walk);
    for (size_t i = 1; i < tree->function_count; i++) {
        struct weight *tiers = tree->functions[i].tiers;
        for (int tier = 0; tier < FRAME_TIER_COUNT; tier++)
            tiers[tier] = weight_subtract(tiers[tier], walk.inner[i][tier]);
    }
    free(walk.first_child);
    free(walk.next_sibling);
    free(walk.outer);
    free(walk.open);
    free(walk.inner);
}
