// SPDX-License-Identifier: MIT
#include "fold/tally/call_tree.h"

#include <stdlib.h>
#include <string.h>

#include "fold/tally/call_builder.h"
#include "fold/tally/thread_roles.h"

enum { ROW_KNOWN = 1, ROW_FOCUS = 2, ROW_IGNORE = 4 };

/* What V8 was doing at a sample. Where the input does not say so, its native stack does. */
static enum vm_state state_of(const struct call_builder *builder, const struct sample *sample) {
    if (sample->state != VM_NOT_KNOWN || !builder->native)
        return sample->state;
    switch ((enum native_state)builder->native[sample->stack.index].state) {
    case NATIVE_COLLECTING:
        return VM_GC;
    case NATIVE_COMPILING:
        return VM_COMPILER;
    default:
        return VM_NOT_KNOWN;
    }
}

static enum frame_kind category_of(enum vm_state state, enum frame_kind leaf) {
    switch (state) {
    case VM_GC:
        return FRAME_GC;
    case VM_PARSER:
    case VM_BYTECODE_COMPILER:
    case VM_COMPILER:
        return FRAME_COMPILER;
    default:
        return leaf;
    }
}

void call_tree_labels(const struct call_tree *tree, struct call_label *labels) {
    for (size_t i = 0; i < tree->function_count; i++) {
        const struct function *function = &tree->functions[i];
        labels[i] = (struct call_label){function->label, function->kind, function->inlined};
    }
}

static uint32_t function_of_row(struct call_builder *builder, uint32_t row) {
    return call_functions_of_frame(&builder->functions, builder->profile->stacks.frames[row]);
}

/* Whether frames of this function are left out of stacks. */
static bool is_dropped(const struct call_builder *builder, uint32_t function) {
    return builder->functions.functions[function].kind == FRAME_BYTECODE &&
           !builder->tree->view.keep_handlers;
}

/* The child of `parent` that is `function`; made when it is new. */
static uint32_t child_of(struct call_builder *builder, uint32_t parent, uint32_t function) {
    struct stack_id node =
        stack_table_intern(&builder->nodes, (struct stack_id){parent}, (struct frame_id){function});
    return node.index;
}

/* Remembers a row on the way outwards, for the way back. */
static void push_row(struct call_builder *builder, size_t *depth, uint32_t row) {
    MEMORY_RESERVE(builder->path, builder->path_capacity, *depth + 1);
    builder->path[(*depth)++] = row;
}

/* The node of a row of the stack table, below `root` (the thread's node, or 0). */
static uint32_t node_of_row(struct call_builder *builder, uint32_t row, uint32_t root) {
    const struct stack_table *stacks = &builder->profile->stacks;
    size_t depth = 0;
    for (; row != 0 && builder->row_epochs[row] != builder->epoch; row = stacks->parents[row])
        push_row(builder, &depth, row);
    uint32_t node = row == 0 ? root : builder->row_nodes[row];
    while (depth > 0) {
        row = builder->path[--depth];
        uint32_t function = function_of_row(builder, row);
        if (!is_dropped(builder, function))
            node = child_of(builder, node, function);
        builder->row_nodes[row] = node;
        builder->row_epochs[row] = builder->epoch;
    }
    return node;
}

/* Searches the view's patterns in a function. */
static uint8_t search_function(const struct call_builder *builder, uint32_t id) {
    const struct view *view = &builder->tree->view;
    const struct function *function = &builder->functions.functions[id];
    struct buffer name = {0};
    struct buffer place = {0};
    function_append_name(&name, builder->profile, function);
    /* Patterns see FILE:LINE; the column would break a `$` in them. */
    struct function shown = *function;
    shown.column = 0;
    function_append_place(&place, builder->profile, &shown);
    uint8_t found = ROW_KNOWN;
    if (view->focus && (pattern_found(view->focus, buffer_text(&name)) ||
                        (place.size > 0 && pattern_found(view->focus, buffer_text(&place)))))
        found |= ROW_FOCUS;
    if (view->ignore && (pattern_found(view->ignore, buffer_text(&name)) ||
                         (place.size > 0 && pattern_found(view->ignore, buffer_text(&place)))))
        found |= ROW_IGNORE;
    buffer_free(&name);
    buffer_free(&place);
    return found;
}

/* Which of the view's patterns are found in a function; each is searched once. */
static uint8_t matches_of_function(struct call_builder *builder, uint32_t id) {
    size_t known = builder->function_matches_capacity;
    if (id >= known) {
        MEMORY_RESERVE(builder->function_matches, builder->function_matches_capacity,
                       (size_t)id + 1);
        memset(builder->function_matches + known, 0, builder->function_matches_capacity - known);
    }
    if (builder->function_matches[id] == 0)
        builder->function_matches[id] = search_function(builder, id);
    return builder->function_matches[id];
}

/* Which of the view's patterns are found in a row of the stack table or in one above it. */
static uint8_t matches_of_row(struct call_builder *builder, uint32_t row) {
    const struct stack_table *stacks = &builder->profile->stacks;
    size_t depth = 0;
    for (; row != 0 && builder->row_matches[row] == 0; row = stacks->parents[row])
        push_row(builder, &depth, row);
    uint8_t found = row == 0 ? 0 : builder->row_matches[row];
    while (depth > 0) {
        row = builder->path[--depth];
        uint32_t function = function_of_row(builder, row);
        if (!is_dropped(builder, function))
            found |= matches_of_function(builder, function);
        found |= ROW_KNOWN;
        builder->row_matches[row] = found;
    }
    return found;
}

bool view_is_filtered(const struct view *view) {
    return view->thread || view->focus || view->ignore || view->categories || view->time_from_us ||
           view->time_to_us;
}

static bool thread_is_meant(const struct profile *profile, const char *wanted, uint32_t row) {
    const struct profile_thread *thread = &profile->threads[row];
    uint64_t id;
    if (text_equal(profile_text(profile, thread->name), text_of(wanted)))
        return true;
    return number_parse_decimal(text_of(wanted), &id) && thread->id == id;
}

/* Whether the view lets a sample through, its patterns apart. */
static bool passes(const struct profile *profile, const struct view *view,
                   const struct sample *sample, enum frame_kind category) {
    if (view->thread && !thread_is_meant(profile, view->thread, sample->thread))
        return false;
    if (sample->time < view->time_from_us ||
        (view->time_to_us != 0 && sample->time >= view->time_to_us))
        return false;
    uint32_t bit = sample->idle ? 1u << VIEW_IDLE : 1u << category;
    return view->categories == 0 || (view->categories & bit) != 0;
}

/* The row of a sample's stack above which the collector's frame stands in for the pc's, or for all
 * frames of the collector. */
static uint32_t collector_parent(const struct call_builder *builder, const struct sample *sample) {
    uint32_t row = sample->stack.index;
    if (row != 0 && builder->native && builder->native[row].state == NATIVE_COLLECTING)
        row = builder->native[row].collector;
    return row == 0 ? 0 : builder->profile->stacks.parents[row];
}

static bool passes_patterns(struct call_builder *builder, const struct sample *sample,
                            uint32_t thread_function, bool collector) {
    const struct view *view = &builder->tree->view;
    if (!builder->row_matches)
        return true;
    uint32_t row = sample->stack.index;
    uint8_t found = 0;
    if (collector) {
        row = collector_parent(builder, sample);
        found = matches_of_function(builder, call_functions_collector(&builder->functions));
    } else if (row == 0) {
        found = matches_of_function(builder, call_functions_unknown(&builder->functions));
    }
    found |= matches_of_row(builder, row);
    if (thread_function != 0)
        found |= matches_of_function(builder, thread_function);
    return (!view->focus || (found & ROW_FOCUS)) && !(found & ROW_IGNORE);
}

/* Adds a sample that has passed to the sums that need no tree. */
static void add_to_sums(struct call_tree *tree, const struct sample *sample, enum frame_kind leaf,
                        enum frame_kind category) {
    static const uint8_t rows[FRAME_KIND_COUNT] = {
        [FRAME_UNKNOWN_KIND] = SUMMARY_UNACCOUNTED,
        [FRAME_JAVASCRIPT] = SUMMARY_JAVASCRIPT,
        [FRAME_BUILTIN] = SUMMARY_JAVASCRIPT,
        [FRAME_REGEXP] = SUMMARY_JAVASCRIPT,
        [FRAME_WASM] = SUMMARY_JAVASCRIPT,
        [FRAME_BYTECODE] = SUMMARY_JAVASCRIPT,
        [FRAME_CPP] = SUMMARY_CPP,
        [FRAME_ADDON] = SUMMARY_CPP,
        [FRAME_LIBRARY] = SUMMARY_LIBRARIES,
        [FRAME_KERNEL] = SUMMARY_KERNEL,
        [FRAME_GC] = SUMMARY_GC,
        [FRAME_COMPILER] = SUMMARY_CPP,
        [FRAME_WAITING] = SUMMARY_WAITING,
        [FRAME_UNACCOUNTED] = SUMMARY_UNACCOUNTED,
    };
    struct weight weight = sample->weight;
    if (!sample->idle || tree->view.keep_idle) {
        tree->summary[rows[leaf]] = weight_add(tree->summary[rows[leaf]], weight);
        if (category == FRAME_GC && leaf != FRAME_GC)
            tree->summary[SUMMARY_GC] = weight_add(tree->summary[SUMMARY_GC], weight);
    }
    tree->samples.known = tree->samples.known && sample->count > 0;
    if (sample->idle) {
        tree->samples.idle += sample->count;
        tree->idle = weight_add(tree->idle, weight);
        return;
    }
    tree->samples.busy += sample->count;
    tree->busy = weight_add(tree->busy, weight);
    tree->exclusive[category] = weight_add(tree->exclusive[category], weight);
    const struct profile_thread *thread = &tree->profile->threads[sample->thread];
    tree->threads[sample->thread] = weight_add(tree->threads[sample->thread], weight);
    tree->thread_samples[sample->thread] += sample->count;
    if (thread->role == THREAD_V8)
        tree->v8_exclusive[category] = weight_add(tree->v8_exclusive[category], weight);
    if (!thread->runs_javascript)
        return;
    tree->javascript_threads = weight_add(tree->javascript_threads, weight);
    tree->javascript_exclusive[category] = weight_add(tree->javascript_exclusive[category], weight);
}

/* Adds a busy sample that has passed to what is known of the names of JavaScript. */
static void add_to_naming(struct call_builder *builder, const struct sample *sample) {
    const struct native_row *row = &builder->native[sample->stack.index];
    struct naming *naming = &builder->tree->naming;
    if (row->functions == 0 || !builder->profile->threads[sample->thread].runs_javascript)
        return;
    double weight = weight_to_double(sample->weight);
    builder->javascript_frames += weight * row->functions;
    builder->javascript_named += weight * row->named;
    naming->javascript = weight_add(naming->javascript, sample->weight);
    if (row->naming == NAMING_UNKNOWN)
        naming->unknown = weight_add(naming->unknown, sample->weight);
    else if (row->naming == NAMING_INTERPRETED)
        naming->interpreted = weight_add(naming->interpreted, sample->weight);
}

/* Adds a sample to the node where it belongs. */
static void add_to_tree(struct call_builder *builder, const struct sample *sample,
                        uint32_t thread_function, bool collector) {
    struct call_tree *tree = builder->tree;
    uint32_t root = thread_function ? child_of(builder, 0, thread_function) : 0;
    uint32_t node;
    if (collector) {
        node = node_of_row(builder, collector_parent(builder, sample), root);
        node = child_of(builder, node, call_functions_collector(&builder->functions));
    } else {
        node = node_of_row(builder, sample->stack.index, root);
        /* Nothing is known of it, or all that was known is dropped. */
        if (node == root)
            node = child_of(builder, root, call_functions_unknown(&builder->functions));
    }
    MEMORY_RESERVE(builder->placed, builder->placed_capacity, builder->placed_count + 1);
    builder->placed[builder->placed_count++] =
        (struct placed_sample){node, (uint32_t)(sample - builder->profile->samples)};
    tree->total = weight_add(tree->total, sample->weight);
}

static void add_sample(struct call_builder *builder, const struct sample *sample,
                       uint32_t thread_function) {
    const struct call_tree *tree = builder->tree;
    const struct view *view = &tree->view;
    if (weight_is_zero(sample->weight))
        return;
    uint32_t row = sample->stack.index;
    enum frame_kind leaf = FRAME_UNACCOUNTED;
    if (row != 0) {
        uint32_t function = function_of_row(builder, row);
        leaf = builder->functions.functions[function].kind;
    }
    enum frame_kind category = category_of(state_of(builder, sample), leaf);
    /* A stack that ends in the collector needs nothing put in its place. */
    bool collector = category == FRAME_GC;
    if (!passes(builder->profile, view, sample, category) ||
        !passes_patterns(builder, sample, thread_function, collector))
        return;
    add_to_sums(builder->tree, sample, leaf, category);
    if (builder->native && !sample->idle)
        add_to_naming(builder, sample);
    bool idle_wanted = view->keep_idle || (view->categories & 1u << VIEW_IDLE);
    if (!sample->idle || idle_wanted)
        add_to_tree(builder, sample, thread_function, collector);
}

/* The samples in the order of their threads, as indexes, so that the rows that threads share are
 * mapped once for each thread. To be freed with free(). */
static size_t *samples_by_thread(const struct profile *profile) {
    size_t *ends = memory_allocate_zero(profile->thread_count + 1, sizeof *ends);
    for (size_t i = 0; i < profile->sample_count; i++)
        ends[profile->samples[i].thread + 1]++;
    for (size_t i = 0; i < profile->thread_count; i++)
        ends[i + 1] += ends[i];
    size_t *order = memory_allocate(size_multiply(profile->sample_count, sizeof *order));
    for (size_t i = 0; i < profile->sample_count; i++)
        order[ends[profile->samples[i].thread]++] = i;
    free(ends);
    return order;
}

/* For each row of profile->threads the last row of the same thread. To be freed with free(). */
static uint32_t *last_thread_rows(const struct profile *profile) {
    size_t count = profile->thread_count;
    uint32_t *groups = memory_allocate(size_multiply(count, sizeof *groups));
    uint32_t *last = memory_allocate_zero(count, sizeof *last);
    thread_rows_group(profile, groups);
    for (uint32_t row = 0; row < count; row++)
        last[groups[row]] = row;
    for (uint32_t row = 0; row < count; row++)
        groups[row] = last[groups[row]];
    free(last);
    return groups;
}

/* The root frame of a thread, 0 = none: a sampler that was told not to record names leaves threads
 * apart by number only, and that is no frame. */
static uint32_t root_of_thread(struct call_builder *builder, uint32_t row) {
    const struct profile *profile = builder->profile;
    const struct profile_thread *thread = &profile->threads[row];
    if (profile->native_stacks && thread->name.index == 0)
        return 0;
    return call_functions_of_thread(&builder->functions, thread);
}

static void add_samples(struct call_builder *builder) {
    const struct profile *profile = builder->profile;
    const struct view *view = &builder->tree->view;
    uint32_t *last = view->keep_threads && view->last_names ? last_thread_rows(profile) : NULL;
    size_t *order = view->keep_threads ? samples_by_thread(profile) : NULL;
    uint32_t thread = UINT32_MAX;
    uint32_t thread_function = 0;
    builder->epoch = 1;
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct sample *sample = &profile->samples[order ? order[i] : i];
        if (view->keep_threads && sample->thread != thread) {
            thread = sample->thread;
            builder->epoch++;
            thread_function = root_of_thread(builder, last ? last[thread] : thread);
        }
        add_sample(builder, sample, thread_function);
    }
    free(order);
    free(last);
}

struct call_tree *call_tree_build(const struct profile *profile, const struct view *view) {
    struct call_tree *tree = memory_allocate_zero(1, sizeof *tree);
    tree->profile = profile;
    tree->view = *view;
    tree->threads = memory_allocate_zero(profile->thread_count, sizeof *tree->threads);
    tree->thread_samples = memory_allocate_zero(profile->thread_count, sizeof(uint64_t));
    tree->samples.known = true;

    size_t rows = profile->stacks.size ? profile->stacks.size : 1;
    struct call_builder builder = {
        .profile = profile,
        .tree = tree,
        .functions = {.profile = profile, .view = &tree->view, .arena = &tree->arena},
        .row_nodes = memory_allocate_zero(rows, sizeof(uint32_t)),
        .row_epochs = memory_allocate_zero(rows, sizeof(uint32_t)),
        .native = native_rows_find(profile),
    };
    if (view->focus || view->ignore)
        builder.row_matches = memory_allocate_zero(rows, 1);
    add_samples(&builder);
    tree->naming.named_share =
        builder.javascript_frames > 0 ? builder.javascript_named / builder.javascript_frames : -1;
    free(builder.native);
    free(builder.row_nodes);
    free(builder.row_epochs);
    free(builder.row_matches);
    free(builder.function_matches);
    free(builder.path);
    call_builder_finish(&builder);
    call_builder_count_tiers(&builder);
    free(builder.placed);
    call_functions_free(&builder.functions);
    return tree;
}

void call_tree_free(struct call_tree *tree) {
    if (!tree)
        return;
    free(tree->nodes);
    free(tree->stack_nodes);
    free(tree->functions);
    free(tree->threads);
    free(tree->thread_samples);
    arena_free(&tree->arena);
    free(tree);
}
