// SPDX-License-Identifier: MIT
/*
 * What a CPU profile holds, as it stands in the file; and the way from there into a profile.
 * Internal to the reader of CPU profiles (cpuprofile.h).
 */
#ifndef TICKFLAME_FOLD_READ_CPUPROFILE_DATA_H
#define TICKFLAME_FOLD_READ_CPUPROFILE_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/model/profile.h"

/* No id, and no row. Ids of files are smaller. */
#define CPUPROFILE_NONE UINT32_MAX

/* What a node stands for. */
enum cpuprofile_kind {
    CPUPROFILE_FUNCTION,
    CPUPROFILE_ROOT, /* no frame */
    CPUPROFILE_IDLE,
    CPUPROFILE_COLLECTOR,
};

struct cpuprofile_node {
    uint32_t id;        /* CPUPROFILE_NONE: it has none that can be used */
    uint32_t parent_id; /* as the file names it; CPUPROFILE_NONE: it does not */
    uint32_t outer;     /* row of the node that it stands inside; CPUPROFILE_NONE: in none */
    struct frame_id frame;
    uint64_t hits;
    enum cpuprofile_kind kind;
};

/* A node names a child. */
struct cpuprofile_child {
    uint32_t parent; /* row */
    uint32_t id;     /* of the child */
};

/* Times are in nanoseconds. */
struct cpuprofile_data {
    struct cpuprofile_node *nodes;
    size_t node_count, node_capacity;
    struct cpuprofile_child *children;
    size_t child_count, child_capacity;
    uint32_t *samples; /* ids of nodes; CPUPROFILE_NONE: not usable */
    size_t sample_count, sample_capacity;
    int64_t *deltas;
    size_t delta_count, delta_capacity;
    int64_t start, end;
    bool has_start, has_end;
    bool is_old; /* the tree stands below `head` */
};

void cpuprofile_data_free(struct cpuprofile_data *data);

/* The tree that the nodes of a file are. */
struct cpuprofile_tree {
    uint32_t *parents;       /* row, by row; CPUPROFILE_NONE: it has none */
    uint32_t *order;         /* rows, parents before their children */
    size_t count;            /* of `order`: nodes that are used */
    struct hash_index by_id; /* rows, from 1 */
};

/*
 * Makes the tree, in time and memory that are linear in the size of `data`. Links that lead nowhere
 * or to a second parent, and nodes with the id of an earlier one, are left out and counted in
 * `warnings`. False: a node is its own ancestor; *error names it. `tree` is all zero before, and to
 * be freed with cpuprofile_tree_free() in any case.
 */
bool cpuprofile_tree_build(struct cpuprofile_tree *tree, const struct cpuprofile_data *data,
                           struct warnings *warnings, struct error *error);
void cpuprofile_tree_free(struct cpuprofile_tree *tree);

/* The row of the node with this id, or CPUPROFILE_NONE. */
uint32_t cpuprofile_tree_find(const struct cpuprofile_tree *tree,
                              const struct cpuprofile_data *data, uint32_t id);

/* Adds the samples of `data` to `profile`, on `thread`, and sets unit, times and duration.
 * `data->deltas` may be changed. False as for cpuprofile_tree_build(). */
bool cpuprofile_add_samples(struct profile *profile, uint32_t thread, struct cpuprofile_data *data,
                            struct error *error);

#endif
