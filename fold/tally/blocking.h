// SPDX-License-Identifier: MIT
/*
 * Blocking calls: which synchronous calls hold the event loop, how much, and who calls them.
 *
 * A call counts once per stack, for the outermost call of the catalogue in it, and only on threads
 * that run JavaScript. Calls below module loading are start-up and counted apart. A name alone
 * proves nothing: core calls are matched with their script (`node:fs`), calls of packages with the
 * package's path. Calls without "Sync" that compute long (JSON, regular expressions) are `heavy`:
 * reported, but not part of the total.
 */
#ifndef TICKFLAME_FOLD_TALLY_BLOCKING_H
#define TICKFLAME_FOLD_TALLY_BLOCKING_H

#include "fold/tally/call_tree.h"

enum blocking_class { BLOCKING_SYNC_IO, BLOCKING_SYNC_CPU, BLOCKING_HEAVY };

/* One row of the catalogue: constants of the program. */
struct blocking_call_kind {
    const char *call; /* the function's bare name, such as "readFileSync"; "synchronous call" for
                         rows that many functions share, whose names are in struct blocking_call */
    enum blocking_class class;
    const char *instead; /* what to use, in a short sentence */
    const char *catch_;  /* the price of that; NULL = none worth saying */
};

/* The nearest frame outside Node core above a call. */
struct blocking_caller {
    uint32_t function; /* row of tree->functions; 0 = no such frame */
    struct weight total;
};

struct blocking_call {
    const struct blocking_call_kind *kind;
    const char *name;    /* the function's bare name: kind->call, where that is one function's */
    struct weight total; /* without start-up */
    struct weight startup;
    struct weight waiting;           /* of `total`: the thread had given its processor up */
    struct blocking_caller *callers; /* of `total`; largest first, then by label */
    size_t caller_count;
};

/* What a node of the tree stands below, itself included. */
struct blocking_place {
    uint32_t call;   /* row of `calls`, from 1, of the outermost call; 0 = none */
    uint32_t caller; /* who called it: row of tree->functions; 0 = no such frame */
    bool startup;    /* module loading that is no lazy `require` */
};

struct blocking {
    struct weight total;   /* of sync-io and sync-cpu calls, without start-up */
    struct weight startup; /* of the same, below module loading */
    struct blocking_call
        *calls; /* sync-io and sync-cpu; largest total first, then startup, then name */
    size_t call_count;
    struct blocking_call *heavy; /* those with at least 5 % of busy time, ordered alike */
    size_t heavy_count;
    const struct blocking_call_kind *
        *nodes; /* by node of the tree: the call this node is, where it is the outermost one of its
                   stack and not heavy; else NULL */
    bool *startup_nodes;           /* by node: that call is below module loading */
    struct blocking_place *places; /* by node */
    struct arena arena;
};

/* Finds the blocking calls of a tree. Owned by the caller; the tree must outlive it. */
struct blocking *blocking_find(const struct call_tree *tree);
void blocking_free(struct blocking *blocking);

/* "sync-io", "sync-cpu", "heavy". */
const char *blocking_class_name(enum blocking_class class);

#endif
