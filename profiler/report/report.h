// SPDX-License-Identifier: MIT
/*
 * The report: what a profile says, as text or Markdown for people and as JSON for programs.
 *
 * All forms show the same struct report, which holds every figure and sentence that needs a
 * decision, so they cannot disagree.
 */
#ifndef TICKFLAME_PROFILER_REPORT_REPORT_H
#define TICKFLAME_PROFILER_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/output.h"
#include "fold/tally/blocking.h"
#include "fold/tally/call_tree.h"
#include "fold/tally/complete_stacks.h"
#include "fold/tally/loop_blocks.h"

/* One input as it was loaded. */
struct report_input {
    const char *path;      /* as the user gave it */
    const char *format;    /* a constant, such as "v8log" */
    struct weight samples; /* what it added to the profile */
    uint64_t warnings;     /* how many things were wrong with it */
};

/* Time by npm package. */
struct report_package {
    struct text package;
    struct weight self;  /* without the collector */
    struct weight total; /* each sample once; without the collector */
};

/* Time of threads that never run JavaScript, by what they are. */
struct report_off_main {
    const char *what;
    struct weight weight;
};

/* A thread, however often it changed its name. */
struct report_thread {
    struct string_id name;   /* the latest; 0 = not known */
    uint64_t id, process_id; /* as in struct profile_thread */
    enum thread_role role;
    bool runs_javascript;
    struct weight weight; /* busy */
    uint64_t samples;     /* busy ones; 0 = not known */
};

/* A quantity that was read beside the samples, in its own unit. */
struct report_counter {
    const struct profile_counter *counter; /* with at least one reading */
    uint64_t first, last, lowest, highest;
};

/* Something the reader of the report should know about its limits. */
struct report_note {
    const char *kind; /* a constant, such as "few-samples" */
    char text[320];
};

enum { REPORT_NOTES_MAX = 16 };

struct report {
    const struct profile *profile;
    const struct call_tree *tree;
    const struct blocking *blocking;
    struct loop_blocks *blocks; /* NULL: the profile cannot tell */
    const struct report_input *inputs;
    size_t input_count;
    const struct warnings *warnings; /* of all inputs */

    struct weight base;     /* of the summary's shares: busy, or all when idle samples count */
    bool gc_overlaps;       /* the collector's weight is in other rows of the summary too */
    uint64_t sample_weight; /* what one sample weighs: 1, or the period of perf's folded stacks */
    double busy_samples;    /* for sampling errors: how many samples are behind `busy` */
    const char *unit;       /* how weights are written: "ms" or "s" for times, else as in JSON */
    uint64_t unit_division; /* weights are divided by it for that */
    uint32_t *functions;   /* rows of tree->functions: largest self first, then total, then label */
    size_t function_count; /* those with a weight */
    struct report_package *packages; /* largest total first, then name */
    size_t package_count;
    struct report_thread *threads; /* in order of their first rows */
    size_t thread_count;
    struct report_off_main *off_main; /* largest first */
    size_t off_main_count;
    struct report_counter *counters; /* as in the profile */
    size_t counter_count;
    double samples_in_all; /* that the profile holds, filters apart; 0 = not known */
    double delivered_hz;   /* samples per second of CPU time; 0 = not known */
    double named_share;    /* as in struct naming; negative = not known */
    struct complete_stacks complete;
    struct weight origins[ORIGIN_SYSTEM + 1]; /* self time by enum frame_origin, collector apart */
    struct report_note notes[REPORT_NOTES_MAX];
    size_t note_count;
    struct buffer verdict; /* one or two sentences; names in visible form */
};

/*
 * Computes what the report shows. The arguments must outlive the report, which is to be freed with
 * report_free().
 */
struct report *report_make(const struct profile *profile, const struct call_tree *tree,
                           const struct blocking *blocking, const struct report_input *inputs,
                           size_t input_count, const struct warnings *warnings);
void report_free(struct report *report);

/* One standard error of a share of busy time, sqrt(p (1 - p) / n). */
double report_share_error(const struct report *report, double share);

/* Appends a weight in the report's unit (without its name): digits in groups, times rounded. */
void report_append_amount(struct buffer *buffer, const struct report *report, struct weight weight);

/* The clock that weights are of, as in JSON: "cpu" (time that threads ran), "wall" (time spent
 * waiting too); NULL when they are no time, or it is not known. */
const char *report_clock_name(const struct profile *profile);

/* The longest stretch that a call of `blocking` was on the stack without a break, in microseconds;
 * 0 = not known. */
uint64_t report_longest(const struct report *report, const struct blocking_call *call);

/* The summary rows' names, by enum summary_row: "JavaScript", "C++", "GC" ... */
const char *report_summary_name(enum summary_row row);

/* What text and Markdown show. */
struct report_text_options {
    bool color;
    bool summary_only; /* only what answers "where did the time go" */
    size_t top;        /* rows of a table */
};

/* The report in 80 columns, coloured by escape sequences on request. */
void report_write_text(struct output *output, const struct report *report,
                       const struct report_text_options *options);

/* The report as Markdown, for comments and job summaries; colours do not matter. */
void report_write_markdown(struct output *output, const struct report *report,
                           const struct report_text_options *options);

/* The report as one JSON object; at most `top` functions, 0 = all. */
void report_write_json(struct output *output, const struct report *report, size_t top);

#endif
