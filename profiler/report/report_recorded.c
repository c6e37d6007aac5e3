// SPDX-License-Identifier: MIT
/* What a recording holds besides its stacks: threads, counters, and how the samples were taken. */
#include <stdlib.h>
#include <string.h>

#include "fold/base/memory.h"
#include "fold/base/utf8.h"
#include "fold/tally/thread_roles.h"
#include "profiler/report/report_parts.h"

enum { COUNTERS_SHOWN = 6 };

/* With less CPU time than this the samples of a second cannot be told. */
enum { CPU_LEAST_US = 100000 };

static void add_threads(struct report *report) {
    const struct profile *profile = report->profile;
    uint32_t *groups = memory_allocate_zero(profile->thread_count, sizeof *groups);
    report->thread_count = thread_rows_group(profile, groups);
    report->threads = memory_allocate_zero(report->thread_count, sizeof *report->threads);
    for (size_t row = 0; row < profile->thread_count; row++) {
        const struct profile_thread *from = &profile->threads[row];
        struct report_thread *thread = &report->threads[groups[row]];
        /* The latest row has the latest name. */
        if (from->name.index)
            thread->name = from->name;
        thread->id = from->id;
        thread->process_id = from->process_id;
        thread->role = from->role;
        thread->runs_javascript = from->runs_javascript;
        thread->weight = weight_add(thread->weight, report->tree->threads[row]);
        thread->samples += report->tree->thread_samples[row];
    }
    free(groups);
}

static int compare_off_main(const void *left, const void *right) {
    const struct report_off_main *a = left, *b = right;
    int order = weight_compare(b->weight, a->weight);
    return order ? order : strcmp(a->what, b->what);
}

static void add_off_main_row(struct report *report, const char *what, struct weight weight) {
    if (weight_is_zero(weight))
        return;
    size_t row = 0;
    while (row < report->off_main_count && strcmp(report->off_main[row].what, what) != 0)
        row++;
    if (row == report->off_main_count)
        report->off_main[report->off_main_count++].what = what;
    report->off_main[row].weight = weight_add(report->off_main[row].weight, weight);
}

static void add_off_main(struct report *report) {
    const struct call_tree *tree = report->tree;
    report->off_main = memory_allocate_zero(5, sizeof *report->off_main);
    struct weight v8 = {0};
    for (size_t i = 0; i < report->thread_count; i++) {
        const struct report_thread *thread = &report->threads[i];
        if (thread->runs_javascript)
            continue;
        if (thread->role == THREAD_V8)
            v8 = weight_add(v8, thread->weight);
        else
            add_off_main_row(report, thread->role == THREAD_LIBUV ? "libuv pool" : "other threads",
                             thread->weight);
    }
    struct weight collecting = tree->v8_exclusive[FRAME_GC];
    struct weight compiling = tree->v8_exclusive[FRAME_COMPILER];
    add_off_main_row(report, "V8 helper threads: garbage collection", collecting);
    add_off_main_row(report, "V8 helper threads: compilers", compiling);
    add_off_main_row(report, "V8 helper threads",
                     weight_subtract(v8, weight_add(collecting, compiling)));
    qsort(report->off_main, report->off_main_count, sizeof *report->off_main, compare_off_main);
}

static void add_counters(struct report *report) {
    const struct profile *profile = report->profile;
    report->counters = memory_allocate_zero(profile->counter_count, sizeof *report->counters);
    for (size_t i = 0; i < profile->counter_count; i++) {
        const struct profile_counter *from = &profile->counters[i];
        if (from->count == 0)
            continue;
        struct report_counter counter = {.counter = from,
                                         .first = from->readings[0].value,
                                         .last = from->readings[from->count - 1].value,
                                         .lowest = UINT64_MAX};
        for (size_t reading = 0; reading < from->count; reading++) {
            uint64_t value = from->readings[reading].value;
            counter.lowest = value < counter.lowest ? value : counter.lowest;
            counter.highest = value > counter.highest ? value : counter.highest;
        }
        report->counters[report->counter_count++] = counter;
    }
}

/* Samples that the profile holds, where it knows how many each row stands for; else 0. */
static double count_samples(const struct profile *profile) {
    double sum = 0;
    for (size_t i = 0; i < profile->sample_count; i++) {
        if (profile->samples[i].count == 0)
            return 0;
        sum += (double)profile->samples[i].count;
    }
    return sum;
}

static void add_sampling(struct report *report) {
    const struct profile *profile = report->profile;
    report->samples_in_all = count_samples(profile);
    report->named_share = report->tree->naming.named_share;
    report->complete = complete_stacks_find(profile);
    if (profile->sampling.cpu_us >= CPU_LEAST_US) {
        report->delivered_hz =
            (double)profile->sampling.cpu_samples * 1e6 / (double)profile->sampling.cpu_us;
        return;
    }
    double per_second = profile->unit == UNIT_NANOSECONDS    ? 1e9
                        : profile->unit == UNIT_MICROSECONDS ? 1e6
                                                             : 0;
    const struct report_thread *busiest = NULL;
    for (size_t i = 0; i < report->thread_count; i++)
        if (!busiest || weight_compare(report->threads[i].weight, busiest->weight) > 0)
            busiest = &report->threads[i];
    if (profile->has_waits) {
        /* Waiting is no time in which samples could be taken. */
        struct weight ran =
            weight_subtract(report->tree->busy, report->tree->exclusive[FRAME_WAITING]);
        if (report->tree->samples.known && !weight_is_zero(ran))
            report->delivered_hz =
                (double)report->tree->samples.busy * per_second / weight_to_double(ran);
    } else if (busiest && busiest->samples && !weight_is_zero(busiest->weight))
        report->delivered_hz =
            (double)busiest->samples * per_second / weight_to_double(busiest->weight);
}

void report_add_recorded(struct report *report) {
    add_threads(report);
    add_off_main(report);
    add_counters(report);
    add_sampling(report);
}

/* Memory is in bytes; 1 MB is 1,048,576 of them. */
static double megabytes(uint64_t bytes) {
    return (double)bytes / (1 << 20);
}

static void append_memory_of(struct buffer *line, const struct report *report,
                             const struct report_counter *counter) {
    const struct profile_counter *from = counter->counter;
    utf8_append_visible(line, profile_text(report->profile, from->name));
    if (from->limit)
        buffer_append_format(line, " %.0f of %.0f MB", megabytes(counter->highest),
                             megabytes(from->limit));
    else
        buffer_append_format(line, " %.0f MB at the start, %.0f MB at the end, highest %.0f MB",
                             megabytes(counter->first), megabytes(counter->last),
                             megabytes(counter->highest));
}

void memory_append(struct buffer *line, const struct report *report) {
    uint64_t process = 0;
    size_t shown = 0;
    for (size_t i = 0; i < report->counter_count && shown < COUNTERS_SHOWN; i++) {
        const struct report_counter *counter = &report->counters[i];
        if (counter->counter->unit != UNIT_BYTES)
            continue;
        uint64_t other = counter->counter->process_id;
        buffer_append_format(line, "%s", shown++ ? "; " : "Memory: ");
        append_memory_of(line, report, counter);
        /* Several processes are told apart. */
        if (process != 0 && other != 0 && other != process)
            buffer_append_format(line, " (process %llu)", (unsigned long long)other);
        process = process ? process : other;
    }
}

/* A share as a percentage that never rounds up to all. */
static void append_percentage(struct buffer *line, double share) {
    double shown = 100 * share;
    buffer_append_format(line, "%.1f %%", share < 1 && shown > 99.9 ? 99.9 : shown);
}

static void append_names(struct buffer *line, const struct report *report) {
    const struct profile *profile = report->profile;
    const char *from = profile->sampling.names;
    if (from ? strcmp(from, "none") == 0 : report->named_share < 0)
        return;
    buffer_append_format(line, "; ");
    if (report->named_share >= 0) {
        append_percentage(line, report->named_share);
        buffer_append_format(line, " of the JavaScript named");
    } else {
        buffer_append_format(line, "JavaScript named");
    }
    if (from)
        buffer_append_format(line, " from %s",
                             strcmp(from, "heap") == 0 ? "V8's heap" : "the perf map");
    if (profile->sampling.names_compared)
        buffer_append_format(line, " (%llu of %llu frames have another name in the perf map)",
                             (unsigned long long)profile->sampling.names_different,
                             (unsigned long long)profile->sampling.names_compared);
}

void sampling_append(struct buffer *line, const struct report *report) {
    const struct profile *profile = report->profile;
    const struct profile_sampling *sampling = &profile->sampling;
    if (!sampling->route)
        return;
    buffer_append_format(line, "How it was sampled: %s", sampling->route);
    if (profile->node.index) {
        buffer_append_format(line, ", Node ");
        utf8_append_visible(line, profile_text(profile, profile->node));
    }
    if (profile->v8.index) {
        buffer_append_format(line, " (V8 ");
        utf8_append_visible(line, profile_text(profile, profile->v8));
        buffer_append_byte(line, ')');
    }
    if (sampling->asked_hz && report->delivered_hz > 0)
        buffer_append_format(line, "; %llu samples a second of CPU time asked for, %.0f delivered",
                             (unsigned long long)sampling->asked_hz, report->delivered_hz);
    if (profile->native_stacks)
        buffer_append_format(line, ", %llu lost", (unsigned long long)sampling->lost);
    if (sampling->names || report->named_share >= 0)
        append_names(line, report);
    if (report->complete.share >= 0) {
        buffer_append_format(line, "; ");
        append_percentage(line, report->complete.share);
        buffer_append_format(line, " of the stacks complete");
    }
    buffer_append_byte(line, '.');
}

void sampling_write(struct table *table, const struct report *report) {
    struct buffer line = {0};
    sampling_append(&line, report);
    if (line.size) {
        output_byte(table->output, '\n');
        table_wrapped(table, FAINT, buffer_text(&line), 0, 0);
    }
    buffer_free(&line);
}
