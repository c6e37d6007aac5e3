// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "fold/read/cpuprofile_data.h"

/* V8 writes 257 nodes of a stack at most (255 frames below the pc, which is one, and the root), or
 * more where functions are inlined. The root is no frame. */
enum { FRAMES_LIMIT = 256 };

/* Deeper stacks than twice this many frames no V8 writes. Of those the inner end is kept, this many
 * frames or up to twice as many: so nodes of an endless chain share their stacks, and what is
 * written of them does not grow with the square of its length. */
enum { FRAMES_KEPT = 512 };

/* Longer than any recording, in nanoseconds (29 years): a larger sum of deltas is damage. */
static const int64_t time_largest = INT64_C(1) << 60;

/* Which form of a node's stack is wanted. */
enum { WANT_WHOLE = 1, WANT_TRUNCATED = 2 };

/* What a node's samples add up to. */
struct sum {
    uint64_t weight; /* nanoseconds, or ticks */
    uint64_t count;
};

/* The samples that have a time, in its order. */
struct timeline {
    const int64_t *times; /* nanoseconds since startTime, by index of the sample */
    uint32_t *order;      /* indexes; NULL: as in the file */
    size_t count;
    int64_t end; /* of the last sample */
};

struct adder {
    struct profile *profile;
    uint32_t thread;
    struct cpuprofile_data *data;
    struct cpuprofile_tree tree;
    uint32_t *depths; /* frames of a row's stack */
    uint8_t *wanted;
    struct stack_id *stacks, *truncated_stacks; /* by row */
    struct stack_id *newest_stacks; /* by row: the frames since the last multiple of FRAMES_KEPT */
    uint64_t unit;                  /* what a weight of 1 is: 1000 ns, or 1 tick */
};

static uint64_t add_saturating(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void measure_depths(struct adder *adder) {
    for (size_t i = 0; i < adder->tree.count; i++) {
        uint32_t row = adder->tree.order[i];
        uint32_t parent = adder->tree.parents[row];
        adder->depths[row] = (parent == CPUPROFILE_NONE ? 0 : adder->depths[parent]) +
                             (adder->data->nodes[row].frame.index != 0);
    }
}

static bool is_truncated(const struct adder *adder, uint32_t row) {
    return adder->depths[row] >= FRAMES_LIMIT;
}

/* Makes the stack of a row below `[truncated]`, and its newest frames. */
static void make_truncated(struct adder *adder, uint32_t row, struct stack_id truncation) {
    struct profile *profile = adder->profile;
    uint32_t parent = adder->tree.parents[row];
    struct frame_id frame = adder->data->nodes[row].frame;
    struct stack_id stack = truncation, newest = truncation;
    if (parent != CPUPROFILE_NONE) {
        stack = adder->truncated_stacks[parent];
        newest = adder->newest_stacks[parent];
        uint32_t depth = adder->depths[parent];
        if (frame.index && depth > 0 && depth % FRAMES_KEPT == 0) {
            stack = newest;
            newest = truncation;
        }
    }
    adder->truncated_stacks[row] = frame.index ? profile_push(profile, stack, frame) : stack;
    adder->newest_stacks[row] = frame.index ? profile_push(profile, newest, frame) : newest;
}

/* Makes the stacks of the wanted rows, and of all that they stand on. */
static void make_stacks(struct adder *adder) {
    const struct cpuprofile_tree *tree = &adder->tree;
    struct profile *profile = adder->profile;
    struct stack_id truncation = {0};
    for (size_t i = tree->count; i-- > 0;) {
        uint32_t row = tree->order[i];
        if (tree->parents[row] != CPUPROFILE_NONE)
            adder->wanted[tree->parents[row]] |= adder->wanted[row];
    }
    for (size_t i = 0; i < tree->count; i++) {
        uint32_t row = tree->order[i];
        uint32_t parent = tree->parents[row];
        struct frame_id frame = adder->data->nodes[row].frame;
        if (adder->wanted[row] & WANT_WHOLE) {
            struct stack_id stack = {0};
            if (parent != CPUPROFILE_NONE)
                stack = adder->stacks[parent];
            adder->stacks[row] = frame.index ? profile_push(profile, stack, frame) : stack;
        }
        if (adder->wanted[row] & WANT_TRUNCATED) {
            if (truncation.index == 0) {
                struct frame mark = {.name = profile_intern(profile, TEXT("[truncated]"))};
                truncation = profile_push(profile, truncation, profile_frame(profile, &mark));
            }
            make_truncated(adder, row, truncation);
        }
    }
}

static struct weight weight_in_units(const struct adder *adder, uint64_t weight) {
    return (struct weight){weight / adder->unit,
                           weight % adder->unit * (WEIGHT_FRACTION_ONE / adder->unit)};
}

/* What was measured at a node, or at one that does not exist. */
static struct sample sample_of(const struct adder *adder, uint32_t row, struct sum sum,
                               int64_t time) {
    struct sample sample = {.thread = adder->thread,
                            .count = sum.count,
                            .weight = weight_in_units(adder, sum.weight),
                            .time = time > 0 ? (uint64_t)time / 1000 : 0};
    if (row != CPUPROFILE_NONE) {
        const struct cpuprofile_node *node = &adder->data->nodes[row];
        sample.stack = is_truncated(adder, row) ? adder->truncated_stacks[row] : adder->stacks[row];
        sample.idle = node->kind == CPUPROFILE_IDLE;
        if (node->kind == CPUPROFILE_IDLE)
            sample.state = VM_IDLE;
        if (node->kind == CPUPROFILE_COLLECTOR)
            sample.state = VM_GC;
    }
    return sample;
}

static void add_sample(struct adder *adder, uint32_t row, struct sum sum, int64_t time) {
    if (sum.count == 0)
        return;
    if (row != CPUPROFILE_NONE && is_truncated(adder, row))
        adder->profile->sampling.truncated += sum.count;
    profile_add_sample_alone(adder->profile, sample_of(adder, row, sum, time));
}

/* Wants the stacks of all nodes that have a sum. */
static void want_all(struct adder *adder, const struct sum *sums) {
    for (uint32_t row = 0; row < adder->data->node_count; row++) {
        if (sums[row].count > 0)
            adder->wanted[row] |= is_truncated(adder, row) ? WANT_TRUNCATED : WANT_WHOLE;
    }
}

/* Adds one sample for each node that has a sum; the last sum is that of no node. */
static void add_sums(struct adder *adder, const struct sum *sums) {
    size_t rows = adder->data->node_count;
    want_all(adder, sums);
    make_stacks(adder);
    for (uint32_t row = 0; row < rows; row++)
        add_sample(adder, row, sums[row], 0);
    add_sample(adder, CPUPROFILE_NONE, sums[rows], 0);
}

/* The row of the node of a sample. */
static uint32_t sampled_row(struct adder *adder, size_t index) {
    uint32_t id = adder->data->samples[index];
    uint32_t row = CPUPROFILE_NONE;
    if (id != CPUPROFILE_NONE)
        row = cpuprofile_tree_find(&adder->tree, adder->data, id);
    if (row == CPUPROFILE_NONE)
        warnings_add(&adder->profile->warnings, "unknown-node", 0,
                     "samples are of nodes that do not exist; they count as unaccounted");
    return row;
}

static size_t timeline_index(const struct timeline *timeline, size_t position) {
    return timeline->order ? timeline->order[position] : position;
}

/* When the sample at a place of the order was taken; behind the last one, when that ended. */
static int64_t timeline_time(const struct timeline *timeline, size_t position) {
    if (position == timeline->count)
        return timeline->end;
    return timeline->times[timeline_index(timeline, position)];
}

static int compare_times(const void *left, const void *right, void *context) {
    const int64_t *times = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (times[a] != times[b])
        return times[a] < times[b] ? -1 : 1;
    return (a > b) - (a < b);
}

/* Makes times of deltas, in place. Returns whether they are in order. */
static bool add_up(int64_t *times, size_t count, struct warnings *warnings) {
    bool sorted = true;
    int64_t time = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t next;
        if (__builtin_add_overflow(time, times[i], &next) || next > time_largest ||
            next < -time_largest) {
            warnings_add(warnings, "bad-time", 0,
                         "a time is too far from the start; the sample gets the one before it");
            next = time;
        }
        if (i > 0 && next < time) {
            sorted = false;
            warnings_add(warnings, "unordered-sample", 0,
                         "samples were not in the order of time; they have been put into it");
        }
        times[i] = time = next;
    }
    return sorted;
}

/* When the last sample ended: at endTime, unless that is of no use. */
static int64_t find_end(const struct cpuprofile_data *data, const struct timeline *timeline) {
    int64_t last = timeline_time(timeline, timeline->count - 1);
    int64_t end;
    /* In a file that ends early samples are missing before endTime. */
    if (data->has_start && data->has_end && data->delta_count >= data->sample_count &&
        !__builtin_sub_overflow(data->end, data->start, &end) && end > last && end <= time_largest)
        return end;
    if (timeline->count == 1)
        return last;
    return last + (last - timeline_time(timeline, 0)) / (int64_t)(timeline->count - 1);
}

/* The timeline of the samples; data->deltas are times afterwards. Its order is to be freed. */
static struct timeline make_timeline(struct cpuprofile_data *data, struct warnings *warnings) {
    size_t samples = data->sample_count, deltas = data->delta_count;
    struct timeline timeline = {.times = data->deltas,
                                .count = samples < deltas ? samples : deltas};
    warnings_add_count(warnings, samples - timeline.count, "sample-without-time", 0,
                       "there are more samples than times; the rest is left out");
    warnings_add_count(warnings, deltas - timeline.count, "time-without-sample", 0,
                       "there are more times than samples; the rest is left out");
    if (timeline.count == 0)
        return timeline;
    if (!add_up(data->deltas, timeline.count, warnings)) {
        timeline.order = memory_allocate(size_multiply(timeline.count, sizeof *timeline.order));
        for (size_t i = 0; i < timeline.count; i++)
            timeline.order[i] = (uint32_t)i;
        qsort_r(timeline.order, timeline.count, sizeof *timeline.order, compare_times,
                data->deltas);
    }
    timeline.end = find_end(data, &timeline);
    return timeline;
}

/* The samples' time by node; the last sum is that of no node. To be freed. */
static struct sum *sum_times(struct adder *adder, const struct timeline *timeline) {
    size_t rows = adder->data->node_count;
    struct sum *sums = memory_allocate_zero(rows + 1, sizeof *sums);
    for (size_t i = 0; i < timeline->count; i++) {
        uint32_t row = sampled_row(adder, timeline_index(timeline, i));
        struct sum *sum = &sums[row == CPUPROFILE_NONE ? rows : row];
        sum->weight += (uint64_t)(timeline_time(timeline, i + 1) - timeline_time(timeline, i));
        sum->count++;
    }
    return sums;
}

/* Adds each sample with its time. */
static void add_each(struct adder *adder, const struct timeline *timeline, const struct sum *sums) {
    want_all(adder, sums);
    make_stacks(adder);
    for (size_t i = 0; i < timeline->count; i++) {
        int64_t time = timeline_time(timeline, i);
        uint32_t id = adder->data->samples[timeline_index(timeline, i)];
        struct sum one = {(uint64_t)(timeline_time(timeline, i + 1) - time), 1};
        add_sample(adder, cpuprofile_tree_find(&adder->tree, adder->data, id), one, time);
    }
}

/* Adds the moments of all samples, whose stacks are made: a sample stands for the time up to the
 * next one. */
static void add_moments(struct adder *adder, const struct timeline *timeline) {
    for (size_t i = 0; i < timeline->count; i++) {
        int64_t end = timeline_time(timeline, i + 1);
        uint32_t id = adder->data->samples[timeline_index(timeline, i)];
        struct sum one = {(uint64_t)(end - timeline_time(timeline, i)), 1};
        struct sample sample =
            sample_of(adder, cpuprofile_tree_find(&adder->tree, adder->data, id), one, end);
        profile_add_moment(adder->profile, &sample);
    }
}

/* Adds samples by the time each lasted. False, and nothing is added: they last no time. */
static bool add_by_time(struct adder *adder) {
    struct profile *profile = adder->profile;
    struct timeline timeline = make_timeline(adder->data, &profile->warnings);
    if (timeline.count == 0 || timeline.end <= timeline_time(&timeline, 0)) {
        free(timeline.order);
        return false;
    }
    uint64_t duration = (uint64_t)(timeline.end - timeline_time(&timeline, 0));
    adder->unit = 1000;
    profile->unit = UNIT_MICROSECONDS;
    profile->has_times = true;
    profile->duration_us = duration / 1000;
    profile->interval_us = (duration / timeline.count + 500) / 1000;
    struct sum *sums = sum_times(adder, &timeline);
    if (profile->keep_times)
        add_each(adder, &timeline, sums);
    else
        add_sums(adder, sums);
    add_moments(adder, &timeline);
    free(sums);
    free(timeline.order);
    return true;
}

/* Adds hit counts; where there are none, each sample as one. */
static void add_by_count(struct adder *adder) {
    const struct cpuprofile_data *data = adder->data;
    struct sum *sums = memory_allocate_zero(data->node_count + 1, sizeof *sums);
    bool any = false;
    for (size_t i = 0; i < adder->tree.count; i++) {
        uint32_t row = adder->tree.order[i];
        sums[row] = (struct sum){data->nodes[row].hits, data->nodes[row].hits};
        any = any || data->nodes[row].hits > 0;
    }
    for (size_t i = 0; !any && i < data->sample_count; i++) {
        uint32_t row = sampled_row(adder, i);
        struct sum *sum = &sums[row == CPUPROFILE_NONE ? data->node_count : row];
        sum->weight = sum->count = add_saturating(sum->count, 1);
    }
    adder->unit = 1;
    adder->profile->unit = UNIT_TICKS;
    int64_t duration;
    if (data->has_start && data->has_end &&
        !__builtin_sub_overflow(data->end, data->start, &duration) && duration > 0)
        adder->profile->duration_us = (uint64_t)duration / 1000;
    add_sums(adder, sums);
    free(sums);
}

bool cpuprofile_add_samples(struct profile *profile, uint32_t thread, struct cpuprofile_data *data,
                            struct error *error) {
    struct adder adder = {.profile = profile, .thread = thread, .data = data};
    bool is_tree = cpuprofile_tree_build(&adder.tree, data, &profile->warnings, error);
    if (is_tree) {
        adder.depths = memory_allocate_zero(data->node_count, sizeof *adder.depths);
        adder.wanted = memory_allocate_zero(data->node_count, sizeof *adder.wanted);
        adder.stacks = memory_allocate_zero(data->node_count, sizeof *adder.stacks);
        adder.truncated_stacks =
            memory_allocate_zero(data->node_count, sizeof *adder.truncated_stacks);
        adder.newest_stacks = memory_allocate_zero(data->node_count, sizeof *adder.newest_stacks);
        measure_depths(&adder);
        if (data->is_old || data->delta_count == 0 || !add_by_time(&adder))
            add_by_count(&adder);
    }
    cpuprofile_tree_free(&adder.tree);
    free(adder.depths);
    free(adder.wanted);
    free(adder.stacks);
    free(adder.truncated_stacks);
    free(adder.newest_stacks);
    return is_tree;
}
