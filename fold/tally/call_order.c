// SPDX-License-Identifier: MIT
/* The second half of building a call tree: the final order of nodes, and totals. */
#include <stdlib.h>

#include "fold/tally/call_builder.h"

/*
 * Sorts the nodes by `keys` (each below `key_count`), keeping the order of equal ones. Node 0 is
 * left out. `input` is the order to start from, or NULL for that of the numbers. `starts`, if not
 * NULL, receives for each key where its nodes start in the result (key_count + 1 numbers).
 */
static uint32_t *sort_nodes(const uint32_t *input, const uint32_t *keys, size_t count,
                            size_t key_count, uint32_t *starts) {
    uint32_t *ends = memory_allocate_zero(key_count + 1, sizeof *ends);
    uint32_t *sorted = memory_allocate(size_multiply(count, sizeof *sorted));
    for (size_t i = 1; i < count; i++)
        ends[keys[i] + 1]++;
    for (size_t i = 0; i < key_count; i++)
        ends[i + 1] += ends[i];
    for (size_t i = 0; starts && i <= key_count; i++)
        starts[i] = ends[i];
    for (size_t i = 1; i < count; i++) {
        uint32_t node = input ? input[i - 1] : (uint32_t)i;
        sorted[ends[keys[node]]++] = node;
    }
    free(ends);
    return sorted;
}

/* The nodes, the invisible root included: an empty table has no row for it. */
static size_t node_count(const struct call_builder *builder) {
    return builder->nodes.size ? builder->nodes.size : 1;
}

/* The place of each node in depth-first order, children of a node in the order of their functions,
 * which is that of their labels. `sizes` holds the nodes of each subtree. */
static uint32_t *depth_first_places(const struct call_builder *builder, const uint32_t *sizes) {
    size_t count = node_count(builder);
    uint32_t *by_function =
        sort_nodes(NULL, builder->nodes.frames, count, builder->functions.size, NULL);
    uint32_t *starts = memory_allocate_zero(count + 1, sizeof *starts);
    uint32_t *children = sort_nodes(by_function, builder->nodes.parents, count, count, starts);
    free(by_function);

    /* Parents come first, so their place is known when their children are placed. */
    uint32_t *places = memory_allocate_zero(count, sizeof *places);
    for (size_t parent = 0; parent < count; parent++) {
        uint32_t place = places[parent] + 1;
        for (uint32_t i = starts[parent]; i < starts[parent + 1]; i++) {
            places[children[i]] = place;
            place += sizes[children[i]];
        }
    }
    free(starts);
    free(children);
    return places;
}

static void order_nodes(struct call_builder *builder) {
    struct call_tree *tree = builder->tree;
    size_t count = node_count(builder);
    uint32_t *sizes = memory_allocate(size_multiply(count, sizeof *sizes));
    for (size_t i = 0; i < count; i++)
        sizes[i] = 1;
    for (size_t i = count - 1; i > 0; i--)
        sizes[builder->nodes.parents[i]] += sizes[i];
    uint32_t *places = depth_first_places(builder, sizes);

    tree->node_count = count;
    tree->nodes = memory_allocate_zero(count, sizeof *tree->nodes);
    tree->nodes[0].subtree_end = (uint32_t)count;
    for (size_t i = 1; i < count; i++) {
        struct call_node *node = &tree->nodes[places[i]];
        node->parent = places[builder->nodes.parents[i]];
        node->function = builder->nodes.frames[i];
        node->depth = tree->nodes[node->parent].depth + 1;
        node->subtree_end = places[i] + sizes[i];
    }
    tree->stack_nodes =
        memory_allocate_zero(builder->profile->stacks.size + 1, sizeof *tree->stack_nodes);
    for (size_t i = 0; i < builder->placed_count; i++) {
        struct placed_sample *placed = &builder->placed[i];
        placed->node = places[placed->node];
        struct call_node *node = &tree->nodes[placed->node];
        tree->stack_nodes[builder->profile->samples[placed->sample].stack.index] = placed->node;
        node->self = weight_add(node->self, builder->profile->samples[placed->sample].weight);
    }
    free(sizes);
    free(places);
    stack_table_free(&builder->nodes);
    for (size_t i = count - 1; i > 0; i--) {
        struct call_node *node = &tree->nodes[i];
        struct call_node *parent = &tree->nodes[node->parent];
        node->total = weight_add(node->total, node->self);
        parent->total = weight_add(parent->total, node->total);
    }
}

/* A node on the way from the root to the current one. */
struct open_node {
    uint32_t node;
    bool outermost;      /* its function is not among its callers */
    struct weight total; /* of the part of the subtree that was seen, the collector apart */
};

struct open_nodes {
    struct open_node *items;
    size_t size, capacity;
};

/* Leaves the innermost open node: its total goes to its function and to its caller. */
static void close_node(struct call_tree *tree, struct open_nodes *open, uint32_t *occurrences) {
    struct open_node closed = open->items[--open->size];
    uint32_t id = tree->nodes[closed.node].function;
    struct function *function = &tree->functions[id];
    if (closed.outermost)
        function->total = weight_add(function->total, closed.total);
    occurrences[id]--;
    if (open->size > 0 && function->kind != FRAME_GC) {
        struct open_node *caller = &open->items[open->size - 1];
        caller->total = weight_add(caller->total, closed.total);
    }
}

/* Self and total of the functions: one walk that knows which functions are open. */
static void count_functions(struct call_tree *tree) {
    uint32_t *occurrences = memory_allocate_zero(tree->function_count, sizeof *occurrences);
    struct open_nodes open = {0};
    for (uint32_t i = 1; i < tree->node_count; i++) {
        while (open.size > 0 && tree->nodes[open.items[open.size - 1].node].subtree_end <= i)
            close_node(tree, &open, occurrences);
        const struct call_node *node = &tree->nodes[i];
        struct function *function = &tree->functions[node->function];
        function->self = weight_add(function->self, node->self);
        MEMORY_RESERVE(open.items, open.capacity, open.size + 1);
        open.items[open.size++] =
            (struct open_node){i, occurrences[node->function]++ == 0, node->self};
    }
    while (open.size > 0)
        close_node(tree, &open, occurrences);
    free(open.items);
    free(occurrences);
}

void call_builder_finish(struct call_builder *builder) {
    struct call_tree *tree = builder->tree;
    struct call_functions *functions = &builder->functions;
    uint32_t *new_rows = call_functions_sort(functions);
    for (size_t i = 1; i < builder->nodes.size; i++)
        builder->nodes.frames[i] = new_rows[builder->nodes.frames[i]];
    for (size_t i = 1; functions->by_frame && i < builder->profile->frames.size; i++)
        functions->by_frame[i] = new_rows[functions->by_frame[i]];
    free(new_rows);
    order_nodes(builder);
    tree->functions = functions->functions;
    tree->function_count = functions->size;
    count_functions(tree);
}
