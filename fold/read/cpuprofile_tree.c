// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fold/read/cpuprofile_data.h"

/* A link between two rows. */
struct edge {
    uint32_t parent, child;
};

/* A tree under construction. */
struct builder {
    struct cpuprofile_tree *tree;
    const struct cpuprofile_data *data;
    struct warnings *warnings;
    struct edge *edges; /* all links, those to a second parent too */
    size_t edge_count;
    bool *left_out; /* by row: has the id of an earlier node */
};

void cpuprofile_data_free(struct cpuprofile_data *data) {
    free(data->nodes);
    free(data->children);
    free(data->samples);
    free(data->deltas);
}

void cpuprofile_tree_free(struct cpuprofile_tree *tree) {
    free(tree->parents);
    free(tree->order);
    hash_index_free(&tree->by_id);
}

uint32_t cpuprofile_tree_find(const struct cpuprofile_tree *tree,
                              const struct cpuprofile_data *data, uint32_t id) {
    struct hash_probe probe = hash_index_start(&tree->by_id, hash_number(id));
    uint32_t row;
    while ((row = hash_index_next(&tree->by_id, &probe)) != 0) {
        if (data->nodes[row - 1].id == id)
            return row - 1;
    }
    return CPUPROFILE_NONE;
}

static void index_ids(struct builder *builder) {
    const struct cpuprofile_data *data = builder->data;
    for (size_t row = 0; row < data->node_count; row++) {
        uint32_t id = data->nodes[row].id;
        if (id == CPUPROFILE_NONE)
            continue;
        if (cpuprofile_tree_find(builder->tree, data, id) != CPUPROFILE_NONE) {
            builder->left_out[row] = true;
            warnings_add(
                builder->warnings, "repeated-node", 0,
                "nodes with the id of an earlier one are left out (the first: id %" PRIu32 ")", id);
            continue;
        }
        hash_index_insert(&builder->tree->by_id, hash_number(id), (uint32_t)row + 1);
    }
}

static void add_edge(struct builder *builder, uint32_t parent, uint32_t child) {
    if (builder->left_out[parent] || builder->left_out[child])
        return;
    builder->edges[builder->edge_count++] = (struct edge){parent, child};
    uint32_t *known = &builder->tree->parents[child];
    if (*known == CPUPROFILE_NONE)
        *known = parent;
    else if (*known != parent)
        warnings_add(builder->warnings, "second-parent", 0,
                     "nodes are the child of several others; the first one counts (the first such "
                     "node: id %" PRIu32 ")",
                     builder->data->nodes[child].id);
}

static void add_edges(struct builder *builder) {
    const struct cpuprofile_data *data = builder->data;
    for (uint32_t row = 0; row < data->node_count; row++) {
        const struct cpuprofile_node *node = &data->nodes[row];
        if (node->outer != CPUPROFILE_NONE)
            add_edge(builder, node->outer, row);
        if (node->parent_id == CPUPROFILE_NONE)
            continue;
        uint32_t parent = cpuprofile_tree_find(builder->tree, data, node->parent_id);
        if (parent != CPUPROFILE_NONE)
            add_edge(builder, parent, row);
        else
            warnings_add(builder->warnings, "unknown-parent", 0,
                         "nodes name a parent that does not exist (the first: id %" PRIu32 ")",
                         node->parent_id);
    }
    for (size_t i = 0; i < data->child_count; i++) {
        uint32_t child = cpuprofile_tree_find(builder->tree, data, data->children[i].id);
        if (child != CPUPROFILE_NONE)
            add_edge(builder, data->children[i].parent, child);
        else
            warnings_add(builder->warnings, "unknown-child", 0,
                         "nodes name children that do not exist (the first: id %" PRIu32 ")",
                         data->children[i].id);
    }
}

/* The first edge of each row, when edges are sorted by parent; one more at the end. */
static size_t *sort_edges(struct builder *builder) {
    size_t rows = builder->data->node_count;
    size_t *starts = memory_allocate_zero(rows + 2, sizeof *starts);
    for (size_t i = 0; i < builder->edge_count; i++)
        starts[builder->edges[i].parent + 2]++;
    for (size_t row = 0; row < rows; row++)
        starts[row + 2] += starts[row + 1];
    struct edge *sorted = memory_allocate(size_multiply(builder->edge_count, sizeof *sorted));
    /* starts[row + 1] is moved from the start of a row's edges to their end. */
    for (size_t i = 0; i < builder->edge_count; i++)
        sorted[starts[builder->edges[i].parent + 1]++] = builder->edges[i];
    free(builder->edges);
    builder->edges = sorted;
    return starts;
}

/* Fails with a node that is its own ancestor. `waiting` has a count for each row that is in a
 * cycle or below one. Walking up along such rows ends in a cycle. */
static bool fail_of_cycle(const struct builder *builder, const uint32_t *waiting,
                          struct error *error) {
    size_t rows = builder->data->node_count;
    uint32_t *above = memory_allocate_zero(rows, sizeof *above);
    uint32_t row = 0;
    for (size_t i = 0; i < builder->edge_count; i++) {
        const struct edge *edge = &builder->edges[i];
        if (waiting[edge->parent] && waiting[edge->child]) {
            above[edge->child] = edge->parent;
            row = edge->child;
        }
    }
    for (size_t i = 0; i < rows; i++)
        row = above[row];
    free(above);
    return error_set(error, ERROR_INPUT,
                     "the nodes are no tree: node %" PRIu32 " is its own ancestor",
                     builder->data->nodes[row].id);
}

/* Fills tree->order: a row follows when all that lead to it are there. */
static bool order_rows(struct builder *builder, struct error *error) {
    struct cpuprofile_tree *tree = builder->tree;
    size_t rows = builder->data->node_count;
    size_t wanted = 0;
    uint32_t *waiting = memory_allocate_zero(rows, sizeof *waiting); /* edges to the row */
    size_t *starts = sort_edges(builder);
    for (size_t i = 0; i < builder->edge_count; i++)
        waiting[builder->edges[i].child]++;
    for (uint32_t row = 0; row < rows; row++) {
        wanted += !builder->left_out[row];
        if (!builder->left_out[row] && waiting[row] == 0)
            tree->order[tree->count++] = row;
    }
    for (size_t done = 0; done < tree->count; done++) {
        uint32_t row = tree->order[done];
        for (size_t i = starts[row]; i < starts[row + 1]; i++) {
            uint32_t child = builder->edges[i].child;
            if (--waiting[child] == 0)
                tree->order[tree->count++] = child;
        }
    }
    bool is_tree = tree->count == wanted || fail_of_cycle(builder, waiting, error);
    free(waiting);
    free(starts);
    return is_tree;
}

bool cpuprofile_tree_build(struct cpuprofile_tree *tree, const struct cpuprofile_data *data,
                           struct warnings *warnings, struct error *error) {
    size_t edges_most = size_add(size_multiply(2, data->node_count), data->child_count);
    struct builder builder = {
        .tree = tree,
        .data = data,
        .warnings = warnings,
        .edges = memory_allocate(size_multiply(edges_most, sizeof(struct edge))),
        .left_out = memory_allocate_zero(data->node_count, sizeof(bool)),
    };
    tree->parents = memory_allocate(size_multiply(data->node_count, sizeof *tree->parents));
    tree->order = memory_allocate(size_multiply(data->node_count, sizeof *tree->order));
    for (size_t row = 0; row < data->node_count; row++)
        tree->parents[row] = CPUPROFILE_NONE;
    index_ids(&builder);
    add_edges(&builder);
    bool is_tree = order_rows(&builder, error);
    free(builder.edges);
    free(builder.left_out);
    return is_tree;
}
