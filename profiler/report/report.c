// SPDX-License-Identifier: MIT
#include "profiler/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fold/base/hash_index.h"
#include "fold/base/memory.h"
#include "profiler/report/report_parts.h"
#include "profiler/report/verdict.h"

/* Weights that are all multiples of one period, as perf's folded stacks are, count samples of that
 * period. Smaller common divisors happen by chance. */
enum { PERIOD_LEAST = 1000 };

/* From so many seconds on times are shown in seconds. */
enum { SECONDS_FROM = 100 };

static uint64_t find_sample_weight(const struct profile *profile) {
    uint64_t divisor = 0;
    if (profile->unit == UNIT_MICROSECONDS || profile->unit == UNIT_NANOSECONDS)
        return 1;
    for (size_t i = 0; i < profile->sample_count && divisor != 1; i++) {
        uint64_t other = profile->samples[i].weight.whole;
        if (profile->samples[i].weight.fraction)
            return 1;
        while (other) {
            uint64_t rest = divisor % other;
            divisor = other;
            other = rest;
        }
    }
    return divisor >= PERIOD_LEAST ? divisor : 1;
}

/* How many samples are behind `busy`: by the input's own count where it has one. */
static double count_busy_samples(const struct report *report) {
    const struct call_tree *tree = report->tree;
    enum profile_unit unit = report->profile->unit;
    if (tree->samples.known)
        return (double)tree->samples.busy;
    if (unit == UNIT_MICROSECONDS || unit == UNIT_NANOSECONDS)
        return (double)report->profile->sample_count;
    return weight_to_double(tree->busy) / (double)report->sample_weight;
}

/* Weights as people read them. */
static void choose_unit(struct report *report) {
    const struct profile *profile = report->profile;
    uint64_t second = profile->unit == UNIT_NANOSECONDS    ? 1000000000
                      : profile->unit == UNIT_MICROSECONDS ? 1000000
                                                           : 0;
    bool large = second && report->base.whole / second >= SECONDS_FROM;
    report->unit = second == 0 ? profile_unit_name(profile->unit) : large ? "s" : "ms";
    report->unit_division = second == 0 ? 1 : large ? second : second / 1000;
}

void report_append_amount(struct buffer *buffer, const struct report *report,
                          struct weight weight) {
    /* Times to a tenth; the division is a power of ten. */
    uint64_t tenth = report->unit_division / 10;
    if (tenth == 0) {
        weight_append_grouped(buffer, weight);
        return;
    }
    uint64_t tenths = weight.whole / tenth + (weight.whole % tenth >= tenth - tenth / 2);
    weight_append_grouped(buffer, weight_of(tenths / 10));
    buffer_append_format(buffer, ".%d", (int)(tenths % 10));
}

double report_share_error(const struct report *report, double share) {
    if (report->busy_samples <= 0 || share <= 0 || share >= 1)
        return 0;
    return sqrt(share * (1 - share) / report->busy_samples);
}

const char *report_clock_name(const struct profile *profile) {
    if (profile->waiting_is_missing)
        return "cpu";
    bool is_time = profile->unit == UNIT_NANOSECONDS || profile->unit == UNIT_MICROSECONDS;
    return profile->has_waits || (is_time && profile->has_times) ? "wall" : NULL;
}

uint64_t report_longest(const struct report *report, const struct blocking_call *call) {
    const struct blocking *blocking = report->blocking;
    /* Rows of `heavy` have none. */
    bool is_blocking = blocking->call_count && call >= blocking->calls &&
                       call < blocking->calls + blocking->call_count;
    return report->blocks && is_blocking ? report->blocks->call_longest[call - blocking->calls] : 0;
}

const char *report_summary_name(enum summary_row row) {
    static const char *const names[] = {"JavaScript", "C++",         "GC",     "Shared libraries",
                                        "Kernel",     "Unaccounted", "Waiting"};
    return names[row];
}

static int compare_functions(const void *left, const void *right, void *context) {
    const struct call_tree *tree = context;
    uint32_t left_row = *(const uint32_t *)left, right_row = *(const uint32_t *)right;
    const struct function *a = &tree->functions[left_row], *b = &tree->functions[right_row];
    int order = weight_compare(b->self, a->self);
    if (order == 0)
        order = weight_compare(b->total, a->total);
    if (order == 0)
        order = text_compare(a->label, b->label);
    return order ? order : (left_row > right_row) - (left_row < right_row);
}

static void rank_functions(struct report *report) {
    const struct call_tree *tree = report->tree;
    report->functions = memory_allocate_zero(tree->function_count + 1, sizeof(uint32_t));
    for (uint32_t row = 1; row < tree->function_count; row++) {
        const struct function *function = &tree->functions[row];
        if (weight_is_zero(function->self) && weight_is_zero(function->total))
            continue;
        report->functions[report->function_count++] = row;
        if (function->kind != FRAME_GC)
            report->origins[function->origin] =
                weight_add(report->origins[function->origin], function->self);
    }
    qsort_r(report->functions, report->function_count, sizeof(uint32_t), compare_functions,
            (void *)tree);
}

/* Weight of each node's subtree without the collector; to be freed. */
static struct weight *totals_without_gc(const struct call_tree *tree) {
    struct weight *totals = memory_allocate_zero(tree->node_count, sizeof *totals);
    for (size_t i = tree->node_count; i-- > 1;) {
        const struct call_node *node = &tree->nodes[i];
        if (tree->functions[node->function].kind != FRAME_GC)
            totals[i] = weight_add(totals[i], node->self);
        totals[node->parent] = weight_add(totals[node->parent], totals[i]);
    }
    return totals;
}

static struct report_package *find_package(struct report *report, const struct hash_index *index,
                                           struct text name) {
    struct hash_probe probe = hash_index_start(index, hash_bytes(name.data, name.size));
    uint32_t number;
    while ((number = hash_index_next(index, &probe)) != 0)
        if (text_equal(report->packages[number - 1].package, name))
            return &report->packages[number - 1];
    return NULL;
}

static int compare_packages(const void *left, const void *right) {
    const struct report_package *a = left, *b = right;
    int order = weight_compare(b->total, a->total);
    return order ? order : text_compare(a->package, b->package);
}

/* The row of each function's package, from 1; 0 = in no package. To be freed. */
static uint32_t *number_packages(struct report *report) {
    const struct call_tree *tree = report->tree;
    uint32_t *numbers = memory_allocate_zero(tree->function_count + 1, sizeof *numbers);
    struct hash_index index = {0};
    size_t capacity = 0;
    for (size_t i = 1; i < tree->function_count; i++) {
        struct text name = tree->functions[i].package;
        if (name.size == 0)
            continue;
        struct report_package *package = find_package(report, &index, name);
        if (!package) {
            MEMORY_RESERVE(report->packages, capacity, report->package_count + 1);
            package = &report->packages[report->package_count++];
            *package = (struct report_package){.package = name};
            hash_index_insert(&index, hash_bytes(name.data, name.size),
                              (uint32_t)report->package_count);
        }
        numbers[i] = (uint32_t)(package - report->packages) + 1;
    }
    hash_index_free(&index);
    return numbers;
}

/* Nodes stand in depth-first order: a node lies below another of the same package exactly when the
 * subtree of the last counted one has not ended. */
static void add_packages(struct report *report) {
    const struct call_tree *tree = report->tree;
    uint32_t *numbers = number_packages(report);
    struct weight *totals = totals_without_gc(tree);
    uint32_t *counted_until = memory_allocate_zero(report->package_count + 1, sizeof(uint32_t));
    for (uint32_t i = 1; i < tree->node_count; i++) {
        const struct call_node *node = &tree->nodes[i];
        uint32_t number = numbers[node->function];
        if (number == 0)
            continue;
        struct report_package *package = &report->packages[number - 1];
        package->self = weight_add(package->self, node->self);
        if (i >= counted_until[number]) {
            package->total = weight_add(package->total, totals[i]);
            counted_until[number] = node->subtree_end;
        }
    }
    if (report->package_count)
        qsort(report->packages, report->package_count, sizeof *report->packages, compare_packages);
    free(counted_until);
    free(totals);
    free(numbers);
}

static bool find_gc_overlap(const struct report *report) {
    struct weight sum = {0};
    for (int row = 0; row < SUMMARY_ROW_COUNT; row++)
        sum = weight_add(sum, report->tree->summary[row]);
    return weight_compare(sum, report->base) > 0;
}

struct report *report_make(const struct profile *profile, const struct call_tree *tree,
                           const struct blocking *blocking, const struct report_input *inputs,
                           size_t input_count, const struct warnings *warnings) {
    struct report *report = memory_allocate_zero(1, sizeof *report);
    report->profile = profile;
    report->tree = tree;
    report->blocking = blocking;
    report->inputs = inputs;
    report->input_count = input_count;
    report->warnings = warnings;
    report->base = tree->view.keep_idle ? tree->total : tree->busy;
    report->gc_overlaps = find_gc_overlap(report);
    report->sample_weight = find_sample_weight(profile);
    report->busy_samples = count_busy_samples(report);
    choose_unit(report);
    rank_functions(report);
    add_packages(report);
    report_add_recorded(report);
    report->blocks = loop_blocks_find(tree, blocking);
    report_add_notes(report);
    verdict_append(&report->verdict, report);
    return report;
}

void report_free(struct report *report) {
    if (!report)
        return;
    free(report->functions);
    free(report->packages);
    free(report->threads);
    free(report->off_main);
    free(report->counters);
    loop_blocks_free(report->blocks);
    buffer_free(&report->verdict);
    free(report);
}
