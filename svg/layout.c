// SPDX-License-Identifier: MIT
#include "svg/layout.h"

#include <math.h>
#include <stdlib.h>

/* Narrower rest boxes are not worth their bytes: a gap is left. Pixels. */
#define REST_MIN_WIDTH 2.0

/* A box whose turn has not come yet. */
struct pending {
    uint32_t node, row;
    uint64_t rest;
    struct weight start, total;
};

struct work {
    const struct call_tree *tree;
    const struct layout_limits *limits;
    struct weight threshold;    /* frames that weigh less get no box */
    uint32_t last_of_threshold; /* the last node of just this weight that gets one */
    struct pending *pending;    /* a stack: no recursion, so no depth is too deep */
    size_t size, capacity;
    uint32_t *children;
    size_t children_capacity;
};

static int by_total_descending(const void *left, const void *right) {
    return weight_compare(*(const struct weight *)right, *(const struct weight *)left);
}

/* Which frames get a box. A child never weighs more than its parent and stands behind it, so no box
 * is without its parent's. */
static void choose_frames(struct work *work) {
    const struct call_tree *tree = work->tree;
    const struct layout_limits *limits = work->limits;
    struct weight *totals = memory_allocate(size_multiply(tree->node_count, sizeof *totals));
    size_t count = 0, of_threshold = 0;
    for (size_t i = 1; i < tree->node_count; i++)
        if (weight_share(tree->nodes[i].total, tree->total) * limits->width >= limits->min_width)
            totals[count++] = tree->nodes[i].total;
    qsort(totals, count, sizeof *totals, by_total_descending);
    if (limits->max_boxes > 0 && count > limits->max_boxes)
        count = limits->max_boxes;
    work->threshold = count > 0 ? totals[count - 1] : WEIGHT_LARGEST;
    while (of_threshold < count &&
           weight_compare(totals[count - 1 - of_threshold], work->threshold) == 0)
        of_threshold++;
    free(totals);
    for (uint32_t i = 1; i < tree->node_count && of_threshold > 0; i++) {
        if (weight_compare(tree->nodes[i].total, work->threshold) != 0)
            continue;
        work->last_of_threshold = i;
        of_threshold--;
    }
}

static bool gets_box(const struct work *work, uint32_t node) {
    int order = weight_compare(work->tree->nodes[node].total, work->threshold);
    return order > 0 || (order == 0 && node <= work->last_of_threshold);
}

static void push(struct work *work, struct pending pending) {
    MEMORY_RESERVE(work->pending, work->capacity, work->size + 1);
    work->pending[work->size++] = pending;
}

static int by_node_weight(const void *left, const void *right, void *context) {
    const struct call_tree *tree = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int order = weight_compare(tree->nodes[b].total, tree->nodes[a].total);
    return order != 0 ? order : (a > b) - (a < b);
}

/* Sorts the children of a node, and puts those that get a box, and the rest as one, on the stack,
 * the leftmost on top. */
static void push_children(struct work *work, struct layout *layout, const struct pending *parent) {
    const struct call_tree *tree = work->tree;
    size_t count = 0;
    uint32_t end = tree->nodes[parent->node].subtree_end;
    for (uint32_t child = parent->node + 1; child < end; child = tree->nodes[child].subtree_end) {
        MEMORY_RESERVE(work->children, work->children_capacity, count + 1);
        work->children[count++] = child;
    }
    if (count == 0)
        return;
    qsort_r(work->children, count, sizeof *work->children, by_node_weight, (void *)tree);

    bool too_deep = parent->row + 2 >= work->limits->max_rows;
    size_t drawn = 0;
    struct weight start = parent->start;
    size_t base = work->size;
    while (drawn < count && !too_deep && gets_box(work, work->children[drawn])) {
        uint32_t child = work->children[drawn++];
        push(work, (struct pending){child, parent->row + 1, 0, start, tree->nodes[child].total});
        start = weight_add(start, tree->nodes[child].total);
    }
    struct pending rest = {parent->node, parent->row + 1, 0, start, {0, 0}};
    for (size_t i = drawn; i < count; i++) {
        const struct call_node *child = &tree->nodes[work->children[i]];
        rest.total = weight_add(rest.total, child->total);
        rest.rest += child->subtree_end - work->children[i];
    }
    if (rest.rest > 0) {
        double widest = weight_share(tree->nodes[work->children[drawn]].total, tree->total) *
                        work->limits->width;
        if (too_deep)
            layout->cut_deep = true;
        else if (widest > layout->widest_left_out)
            layout->widest_left_out = widest;
        layout->left_out += rest.rest;
        layout->hidden = weight_add(layout->hidden, rest.total);
        if (weight_share(rest.total, tree->total) * work->limits->width >= REST_MIN_WIDTH)
            push(work, rest);
    }
    for (size_t low = base, high = work->size; low + 1 < high; low++, high--) {
        struct pending swapped = work->pending[low];
        work->pending[low] = work->pending[high - 1];
        work->pending[high - 1] = swapped;
    }
}

static uint64_t hundredths(const struct work *work, struct weight weight) {
    return (uint64_t)llround(weight_share(weight, work->tree->total) * work->limits->width * 100);
}

void layout_make(struct layout *layout, const struct call_tree *tree,
                 const struct layout_limits *limits) {
    *layout = (struct layout){0};
    struct work work = {.tree = tree, .limits = limits};
    choose_frames(&work);
    push(&work, (struct pending){.total = tree->total});
    while (work.size > 0) {
        struct pending next = work.pending[--work.size];
        MEMORY_RESERVE(layout->boxes, layout->capacity, layout->size + 1);
        layout->boxes[layout->size++] = (struct layout_box){
            .node = next.node,
            .row = next.row,
            .rest = next.rest,
            .start = next.start,
            .total = next.total,
            .left = hundredths(&work, next.start),
            .right = hundredths(&work, weight_add(next.start, next.total)),
        };
        if (next.row + 1 > layout->rows)
            layout->rows = next.row + 1;
        if (next.rest == 0)
            push_children(&work, layout, &next);
    }
    free(work.pending);
    free(work.children);
}

void layout_free(struct layout *layout) {
    free(layout->boxes);
    *layout = (struct layout){0};
}
