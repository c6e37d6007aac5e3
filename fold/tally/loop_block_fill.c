// SPDX-License-Identifier: MIT
/* What a block consists of: time with and without a processor, and the stack that most of it was
 * spent below. */
#include <stdlib.h>

#include "fold/tally/loop_moments.h"

/* A part of a block: its microseconds at a node of the tree. */
struct part {
    uint32_t node;
    uint32_t outer; /* the outermost frame of JavaScript on the way to it; 0 = there is none */
    uint64_t time;
    uint64_t before; /* of the parts in front of it */
};

struct parts {
    struct part *items; /* by node */
    size_t count, capacity;
};

static uint32_t outermost_javascript(const struct call_tree *tree, uint32_t node) {
    uint32_t outer = 0;
    for (; node != 0; node = tree->nodes[node].parent) {
        enum frame_kind kind = tree->functions[tree->nodes[node].function].kind;
        if (kind == FRAME_JAVASCRIPT || kind == FRAME_WASM)
            outer = node;
    }
    return outer;
}

static int compare_parts(const void *left, const void *right) {
    const struct part *a = left, *b = right;
    return (a->node > b->node) - (a->node < b->node);
}

/* Sorts the parts by node and puts those of one node together. */
static void merge_parts(struct parts *parts, const struct call_tree *tree) {
    size_t count = 0;
    uint64_t before = 0;
    if (parts->count > 1)
        qsort(parts->items, parts->count, sizeof *parts->items, compare_parts);
    for (size_t i = 0; i < parts->count; i++) {
        if (count > 0 && parts->items[count - 1].node == parts->items[i].node)
            parts->items[count - 1].time += parts->items[i].time;
        else
            parts->items[count++] = parts->items[i];
    }
    parts->count = count;
    for (size_t i = 0; i < count; i++) {
        parts->items[i].outer = outermost_javascript(tree, parts->items[i].node);
        parts->items[i].before = before;
        before += parts->items[i].time;
    }
}

/* The first part at or behind a node. */
static size_t part_from(const struct parts *parts, uint32_t node) {
    size_t low = 0, high = parts->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (parts->items[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The time of all parts in front of one. */
static uint64_t time_before(const struct parts *parts, size_t place) {
    if (place < parts->count)
        return parts->items[place].before;
    if (parts->count == 0)
        return 0;
    const struct part *last = &parts->items[parts->count - 1];
    return last->before + last->time;
}

/* The time below a node, itself included: nodes stand in depth-first order. */
static uint64_t time_below(const struct parts *parts, const struct call_tree *tree, uint32_t node) {
    return time_before(parts, part_from(parts, tree->nodes[node].subtree_end)) -
           time_before(parts, part_from(parts, node));
}

/* The deepest node that holds at least half of the parts from `first` to `last`. It holds the part
 * in which half of the time is reached. */
static uint32_t deepest_half(const struct parts *parts, const struct call_tree *tree, size_t first,
                             size_t last) {
    uint64_t start = time_before(parts, first);
    uint64_t all = time_before(parts, last) - start;
    uint64_t half = all / 2 + all % 2;
    size_t middle = first;
    while (middle + 1 < last && time_before(parts, middle + 1) - start < half)
        middle++;
    uint32_t node = parts->items[middle].node;
    while (node != 0 && time_below(parts, tree, node) < half)
        node = tree->nodes[node].parent;
    return node;
}

/* Where the stack of code without JavaScript begins to tell something: inside of libuv's loop. */
static uint32_t outermost_native(const struct call_tree *tree, uint32_t inner) {
    uint32_t outer = inner;
    for (uint32_t node = inner; node != 0; node = tree->nodes[node].parent) {
        const struct function *function = &tree->functions[tree->nodes[node].function];
        if (text_equal(profile_text(tree->profile, function->name), TEXT("uv_run")))
            return outer;
        /* The thread's name is no frame. */
        if (tree->nodes[node].parent != 0 || !tree->view.keep_threads)
            outer = node;
    }
    return outer;
}

/* Finds the stack. */
static void find_stack(struct loop_block *block, const struct parts *parts,
                       const struct call_tree *tree) {
    if (parts->count == 0)
        return;
    /* Parts below one outermost frame of JavaScript stand side by side. */
    size_t first = 0, last = 0;
    uint64_t largest = 0, javascript = 0;
    for (size_t from = 0, to; from < parts->count; from = to) {
        for (to = from + 1; to < parts->count; to++)
            if (parts->items[to].outer != parts->items[from].outer)
                break;
        if (parts->items[from].outer == 0)
            continue;
        uint64_t time = time_before(parts, to) - time_before(parts, from);
        javascript += time;
        if (time > largest) {
            largest = time;
            first = from;
            last = to;
        }
    }
    uint64_t all = time_before(parts, parts->count);
    block->inner = deepest_half(parts, tree, 0, parts->count);
    block->outer = outermost_javascript(tree, block->inner);
    block->several = largest < javascript - javascript / 4 && javascript >= all / 2;
    if (block->outer == 0 && javascript >= all - all / 2 && largest > 0) {
        block->inner = deepest_half(parts, tree, first, last);
        block->outer = outermost_javascript(tree, block->inner);
    } else if (block->outer == 0) {
        block->outer = outermost_native(tree, block->inner);
    }
}

/* By how much a counter grew between the last reading before a block and the first one behind. */
static uint64_t growth(const struct profile_counter *counter, const struct loop_block *block) {
    uint64_t before = 0, behind = 0;
    for (size_t i = 0; i < counter->count; i++) {
        behind = counter->readings[i].value;
        if (counter->readings[i].time <= block->start)
            before = behind;
        if (counter->readings[i].time >= block->end)
            break;
    }
    return behind > before ? behind - before : 0;
}

/* How long the control group of the processes was throttled, of time without a processor. */
static uint64_t find_throttled(const struct loop_block *block, const struct profile *profile) {
    struct string_id name = string_table_find(&profile->strings, TEXT(PROFILE_THROTTLED_TIME));
    uint64_t off = block->end - block->start - block->cpu;
    off = off > block->waiting ? off - block->waiting : 0;
    uint64_t most = 0;
    /* Merged recordings have counters of times that are not those of the block. */
    for (size_t i = 0; i < profile->counter_count && name.index && profile->merged_count < 2; i++) {
        if (profile->counters[i].name.index != name.index)
            continue;
        uint64_t grown = growth(&profile->counters[i], block);
        most = grown > most ? grown : most;
    }
    return most < off ? most : off;
}

static void find_label(struct loop_block *block, uint64_t interval) {
    uint64_t length = block->end - block->start;
    uint64_t off = length - block->cpu - block->throttled;
    if (!block->cpu_known)
        block->label = LOOP_BLOCK_UNKNOWN;
    else if (block->throttled >= length - length / 2)
        block->label = LOOP_BLOCK_THROTTLED;
    else if (block->waiting_known)
        block->label = block->waiting > block->cpu ? LOOP_BLOCK_WAITING : LOOP_BLOCK_CPU;
    else
        block->label =
            off >= length - length / 2 && off > interval ? LOOP_BLOCK_WAITING : LOOP_BLOCK_CPU;
}

void loop_block_fill(struct loop_block *block, const struct loop_moments *moments,
                     const struct loop_thread *thread, const struct call_tree *tree,
                     const struct blocking *blocking) {
    const struct profile *profile = moments->profile;
    uint64_t length = block->end - block->start;
    uint64_t last = block->start;
    struct parts parts = {0};
    block->waiting_known = profile->has_waits;
    block->cpu_known = profile->has_waits || profile->waiting_is_missing;
    for (size_t place = loop_moments_behind(moments, thread, block->start); place < thread->last;
         place++) {
        const struct profile_moment *moment = loop_moment_at(moments, place);
        uint64_t start = moment->start > block->start ? moment->start : block->start;
        uint64_t end = moment->end < block->end ? moment->end : block->end;
        if (start >= block->end)
            break;
        if (moment->idle || end <= start)
            continue;
        last = end;
        if (loop_moment_tells(moments, moment) == LOOP_WAITS)
            block->waiting += end - start;
        else
            block->cpu += end - start;
        MEMORY_RESERVE(parts.items, parts.capacity, parts.count + 1);
        parts.items[parts.count++] =
            (struct part){.node = tree->stack_nodes[moment->stack.index], .time = end - start};
    }
    /* What ran since the last sample. */
    if (block->end - last <= moments->interval && parts.count > 0)
        block->cpu += block->end - last;
    block->waiting = block->waiting < length ? block->waiting : length;
    block->cpu = block->cpu < length - block->waiting ? block->cpu : length - block->waiting;
    if (!block->cpu_known)
        block->cpu = 0;
    else
        block->throttled = find_throttled(block, profile);
    find_label(block, moments->interval);
    merge_parts(&parts, tree);
    find_stack(block, &parts, tree);
    free(parts.items);
    /* What ran before or after a wait that was not recorded is not what waited, unless it was the
     * same JavaScript. */
    if (block->label == LOOP_BLOCK_WAITING && !block->waiting_known &&
        outermost_javascript(tree, block->inner) == 0)
        block->outer = block->inner = 0;
    block->call = blocking->places[block->inner].call;
    block->caller = block->call ? blocking->places[block->inner].caller : 0;
    block->at_most = block->at_most || (block->several && block->evidence != LOOP_BY_COUNTERS);
}
