// SPDX-License-Identifier: MIT
/*
 * The call tree: one view of a profile, as folded text, flame graphs and reports show it.
 *
 * Building a tree applies the view's rules to every sample (those of `tickflame fold`): handlers of
 * the bytecode interpreter are dropped (their time is self time of the interpreted function); a
 * sample taken in a garbage collection ends in the frame `(garbage collector)`, which replaces the
 * frame of the pc, and in native stacks everything from the collector's first frame on; tiers are
 * kept or merged; threads become root frames or not; idle samples are left out or kept; filters
 * choose samples.
 *
 * Nodes stand in depth-first order, children of one node in byte order of their labels: so a parent
 * precedes its children, a subtree is a range, and the order depends on names alone.
 */
#ifndef TICKFLAME_FOLD_TALLY_CALL_TREE_H
#define TICKFLAME_FOLD_TALLY_CALL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/pattern.h"
#include "fold/model/call_node.h"
#include "fold/model/profile.h"
#include "fold/tally/classify.h"

/* How a profile is looked at. All zero: everything but idle samples, tiers merged. */
struct view {
    bool keep_tiers;   /* the same function in two tiers is two functions */
    bool keep_threads; /* the thread's name is the root frame */
    bool last_names;   /* with keep_threads: of a thread that changed its name the last one; else
                          each sample has the name of its time, as perf tools have it */
    bool keep_idle;
    bool keep_handlers;     /* bytecode handlers are frames of their own */
    bool keep_inlined;      /* a function where it is inlined is another one, so that labels
                               can tell (folded text with annotations) */
    struct pattern *focus;  /* only samples with a frame that matches; NULL = all */
    struct pattern *ignore; /* no samples with a frame that matches; NULL = all */
    const char *thread;     /* only the threads of this name or number; NULL = all */
    uint32_t categories;    /* bit 1 << enum frame_kind: only these (exclusive category); 0 = all.
                               Bit VIEW_IDLE: idle samples */
    uint64_t time_from_us, time_to_us; /* only samples in this window; both 0 = all */
};

enum { VIEW_IDLE = 31 };

/* Whether the view chooses among samples that are not idle. */
bool view_is_filtered(const struct view *view);

/* A function: frames that the view does not tell apart. Strings are of the profile. A thread that
 * is a root frame is a function of kind FRAME_CPP. */
struct function {
    struct string_id name; /* 0 = anonymous, or not known */
    struct string_id file;
    uint32_t line, column;
    struct string_id module; /* of native code; else 0 */
    bool inlined;            /* only with view.keep_inlined */
    enum frame_tier tier;    /* FRAME_NO_TIER when tiers are merged */
    enum frame_kind kind;
    enum frame_origin origin;
    struct text package;
    struct text label; /* as folded text shows it: `[TIER]NAME FILE:LINE:COLUMN`, `RegExp:SOURCE`,
                          `Builtin:NAME`, `[libc.so.6]` ..., not yet escaped for any output.
                          Lives in the tree's arena */
    struct weight self, total; /* total: each sample counts once, however often the function is in
                                  its stack. `(garbage collector)` adds to nobody's total */
    struct weight tiers[FRAME_TIER_COUNT]; /* of `total`, by tier of the innermost occurrence in the
                                              stack of each sample */
};

/* Ticks by the class of the leaf, as `node --prof-process` counts them: GC on top of the others. */
enum summary_row {
    SUMMARY_JAVASCRIPT, /* javascript, builtin, regexp, wasm, bytecode */
    SUMMARY_CPP,        /* cpp, addon */
    SUMMARY_GC,         /* overlaps the others */
    SUMMARY_LIBRARIES,
    SUMMARY_KERNEL,
    SUMMARY_UNACCOUNTED,
    SUMMARY_WAITING, /* below the code that waits */
    SUMMARY_ROW_COUNT
};

/* Samples, where the profile says how many there are; see struct sample. */
struct sample_counts {
    bool known; /* each row with a weight has a count */
    uint64_t busy, idle;
};

/* Busy weight of threads that run JavaScript, in native stacks, by how JavaScript is named. */
struct naming {
    struct weight javascript;  /* with a frame of JavaScript in the stack */
    struct weight unknown;     /* of that: its innermost one is compiled code without a perf map */
    struct weight interpreted; /* of that: it is a function in the interpreter, without a name */
    double named_share; /* of all frames of JavaScript, each with the weight of its sample: those
                           with a name; -1 without any */
};

struct call_tree {
    const struct profile *profile;
    struct view view;
    struct call_node *nodes;
    size_t node_count;          /* node 0 included: at least 1 */
    uint32_t *stack_nodes;      /* by row of the profile's stack table: the node where samples of
                                   that stack are (one of them, where threads are roots); 0 = there
                                   are none in the tree */
    struct function *functions; /* in byte order of their labels */
    size_t function_count;      /* row 0 included, which is all zero */
    struct weight total;        /* of the samples in the tree */
    struct weight idle;         /* of the idle samples that pass the filters, in the tree or not */
    struct weight busy;         /* of the others: the base of shares */
    struct weight javascript_threads; /* busy weight of threads that run JavaScript */
    struct weight summary[SUMMARY_ROW_COUNT];
    struct weight exclusive[FRAME_KIND_COUNT]; /* sums to `busy`; by VM state, then by the leaf */
    struct weight javascript_exclusive[FRAME_KIND_COUNT]; /* the same; sums to
                                                             `javascript_threads` */
    struct weight v8_exclusive[FRAME_KIND_COUNT];         /* the same of threads of THREAD_V8 */
    struct weight *threads;       /* busy weight, by row of profile->threads */
    uint64_t *thread_samples;     /* busy samples, by the same; 0 where not known */
    struct sample_counts samples; /* that pass the filters */
    struct naming naming;
    struct arena arena;
};

/* Builds the tree. Owned by the caller; the profile must outlive it. */
struct call_tree *call_tree_build(const struct profile *profile, const struct view *view);
void call_tree_free(struct call_tree *tree);

/* The labels of a tree for fold/write: one row per row of `functions`. `labels` has room for
 * tree->function_count rows; the texts live as long as the tree. */
void call_tree_labels(const struct call_tree *tree, struct call_label *labels);

/* The name of a function as people read it: the label without tier and place, so `(anonymous)` for
 * an empty one, `RegExp:SOURCE`, `[libc.so.6]`. Appends; not escaped. */
void function_append_name(struct buffer *buffer, const struct profile *profile,
                          const struct function *function);

/* `FILE:LINE:COLUMN`, or as much of it as is known; nothing without a file. */
void function_append_place(struct buffer *buffer, const struct profile *profile,
                           const struct function *function);

#endif
