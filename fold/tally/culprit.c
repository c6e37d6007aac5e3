// SPDX-License-Identifier: MIT
#include "fold/tally/culprit.h"

#include <stdlib.h>

#include "fold/tally/blocking_catalogue.h"

/* From this share on blocking calls are named, even when something else leads. */
static const double second_share_least = 0.05;

/* Whether a function has a name that tells somebody something. */
static bool is_nameable(const struct call_tree *tree, const struct function *function) {
    if (function->kind == FRAME_LIBRARY || function->kind == FRAME_UNACCOUNTED ||
        function->kind == FRAME_WAITING || function->kind == FRAME_UNKNOWN_KIND)
        return false;
    struct text name = profile_text(tree->profile, function->name);
    bool script = function->kind == FRAME_JAVASCRIPT;
    return !text_equal(name, script ? TEXT("[js unknown]") : TEXT("(program)")) &&
           (script || !text_starts_with(name, TEXT("[")));
}

/* Whether a function is a long computation of the catalogue itself: it is weighed as such. */
static bool is_heavy(const struct call_tree *tree, const struct function *function) {
    const struct blocking_rule *rule = blocking_catalogue_find(tree->profile, function);
    return rule && rule->kind.class == BLOCKING_HEAVY;
}

static bool is_script(enum frame_kind kind) {
    return kind == FRAME_JAVASCRIPT || kind == FRAME_BUILTIN || kind == FRAME_REGEXP ||
           kind == FRAME_WASM || kind == FRAME_BYTECODE;
}

/* What each function weighs against blocking calls, by row. To be freed with free(). */
static struct weight *weights_outside(const struct call_tree *tree,
                                      const struct blocking *blocking) {
    struct weight *weights = memory_allocate_zero(tree->function_count, sizeof *weights);
    /* Nodes stand in depth-first order: the ends of the subtrees that we are in. */
    uint32_t script_end = 0, call_end = 0;
    for (uint32_t i = 1; i < tree->node_count; i++) {
        const struct call_node *node = &tree->nodes[i];
        const struct function *function = &tree->functions[node->function];
        if (i >= script_end && is_script(function->kind))
            script_end = node->subtree_end;
        if (i >= call_end && blocking->nodes[i])
            call_end = node->subtree_end;
        if (function->kind == FRAME_GC)
            weights[node->function] = tree->javascript_exclusive[FRAME_GC];
        else if (i < script_end && i >= call_end)
            weights[node->function] = weight_add(weights[node->function], node->self);
    }
    return weights;
}

/* The function with the largest of `weights`, long computations apart, or with NULL with the
 * largest self weight. Functions stand in the order of their labels, so that of equal ones the
 * first is meant, or the one with the larger total. */
static uint32_t find_hottest(const struct call_tree *tree, const struct weight *weights,
                             struct weight *largest) {
    uint32_t hottest = 0;
    *largest = weight_of(0);
    for (uint32_t i = 1; i < tree->function_count; i++) {
        const struct function *function = &tree->functions[i];
        struct weight weight = weights ? weights[i] : function->self;
        int order = weight_compare(weight, *largest);
        if (order == 0 && hottest)
            order = weight_compare(function->total, tree->functions[hottest].total);
        if (order <= 0 || weight_is_zero(weight) || !is_nameable(tree, function) ||
            (weights && is_heavy(tree, function)))
            continue;
        hottest = i;
        *largest = weight;
    }
    return hottest;
}

struct culprit culprit_find(const struct call_tree *tree, const struct blocking *blocking) {
    struct culprit culprit = {.base = tree->javascript_threads};
    struct weight *weights = weights_outside(tree, blocking);
    culprit.function = find_hottest(tree, weights, &culprit.weight);
    free(weights);

    struct weight heavy = blocking->heavy_count ? blocking->heavy[0].total : weight_of(0);
    struct weight largest = blocking->total;
    if (!weight_is_zero(largest))
        culprit.kind = CULPRIT_BLOCKING;
    if (weight_compare(heavy, largest) > 0) {
        culprit.kind = CULPRIT_HEAVY;
        largest = heavy;
    }
    if (weight_compare(culprit.weight, largest) > 0)
        culprit.kind = CULPRIT_FUNCTION;

    if (weight_share(blocking->total, tree->javascript_threads) >= second_share_least) {
        culprit.blocking_second = culprit.kind != CULPRIT_BLOCKING;
        return culprit;
    }
    culprit.function = find_hottest(tree, NULL, &culprit.weight);
    culprit.base = tree->busy;
    if (culprit.kind == CULPRIT_NONE && culprit.function)
        culprit.kind = CULPRIT_FUNCTION;
    return culprit;
}
