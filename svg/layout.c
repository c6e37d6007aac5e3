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
    struct weight threshold; /* frames that weigh less get no box */
    struct pending *pending; /* a stack: no recursion, so no depth is too deep */
    size_t size, capacity;
    uint32_t *children;
    size_t children_capacity;
};

static int by_total_descending(const void *left, const void *right) {
    return weight_compare(*(const struct weight *)right, *(const struct weight *)left);
}

/* The least weight that gets a box. A child never weighs more than its parent, so with one
 * threshold for all frames no box is without its parent's. */
static struct weight find_threshold(const struct call_tree *tree,
                                    const struct layout_limits *limits, double *min_width) {
    struct weight *totals = memory_allocate(size_multiply(tree->node_count, sizeof *totals));
    size_t count = 0;
    for (size_t i = 1; i < tree->node_count; i++)
        if (weight_share(tree->nodes[i].total, tree->total) * limits->width >= limits->min_width)
            totals[count++] = tree->nodes[i].total;
    qsort(totals, count, sizeof *totals, by_total_descending);
    *min_width = limits->min_width;
    if (limits->max_boxes > 0 && count > limits->max_boxes) {
        /* Frames of one weight share one fate, so that the choice is not by chance. */
        struct weight first_out = totals[limits->max_boxes];
        count = limits->max_boxes;
        while (count > 0 && weight_compare(totals[count - 1], first_out) == 0)
            count--;
        if (count > 0)
            *min_width = weight_share(totals[count - 1], tree->total) * limits->width;
    }
    struct weight threshold = count > 0 ? totals[count - 1] : WEIGHT_LARGEST;
    free(totals);
    return threshold;
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
    while (drawn < count && !too_deep &&
           weight_compare(tree->nodes[work->children[drawn]].total, work->threshold) >= 0) {
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
    work.threshold = find_threshold(tree, limits, &layout->min_width);
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
