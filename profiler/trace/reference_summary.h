// SPDX-License-Identifier: MIT
/*
 * The tick summary in the layout of `node --prof-process`: flat lists of libraries, JavaScript and
 * C++, the summary, the C++ entry points, and the bottom-up (heavy) view.
 *
 * With exact rules the bytes are those of the reference version. With the tolerant rules the layout
 * is the same; what the reference gets wrong in it is right, and names are shown in visible form.
 *
 * Memory grows with code and with distinct call paths down to the printed depth, not with ticks.
 */
#ifndef TICKFLAME_PROFILER_TRACE_REFERENCE_SUMMARY_H
#define TICKFLAME_PROFILER_TRACE_REFERENCE_SUMMARY_H

#include "fold/base/output.h"
#include "fold/model/stack_table.h"
#include "fold/model/string_table.h"
#include "profiler/trace/reference_ticks.h"

/* A label: the text that names code in the report. */
struct reference_label {
    bool is_library, is_symbol, is_hidden;
    uint64_t flat; /* ticks whose first shown label this is */
};

struct reference_summary {
    const struct reference_options *options;
    struct v8log_code *code;
    struct output *output; /* for what the reference prints while it reads */
    struct reference_ticks ticks;
    uint64_t unaccounted;

    struct arena arena;
    struct string_table labels;
    struct reference_label *label_data; /* by label */
    size_t label_capacity, label_count;
    uint32_t unknown_label;
    uint64_t *entry_points; /* by label: ticks */
    size_t entry_point_capacity, entry_point_count;

    struct stack_table callers; /* of the heavy view: stacks from the leaf on, whose frames are
                                   labels; row 0 is the root */
    uint64_t *caller_ticks;     /* by row */
    size_t caller_capacity;
    size_t depth_limit;
};

/* Starts a summary of what happens in `code`. All pointers must outlive it. */
void reference_summary_start(struct reference_summary *summary,
                             const struct reference_options *options, struct v8log_code *code,
                             struct output *output);

/* Tells of a library or a C++ symbol when the log announces it: a name that is both is what it was
 * announced as last. `context` is the summary. */
void reference_summary_announce(void *context, uint32_t row);

/* For the sink: `context` is the summary. */
void reference_summary_tick(void *context, const struct v8log_tick *tick);
void reference_summary_event(void *context, enum v8log_event event, struct text name);

/* Prints. */
void reference_summary_write(const struct reference_summary *summary, struct output *output);

void reference_summary_free(struct reference_summary *summary);

/* Appends a number with one decimal as JavaScript's toFixed(1): the exact binary value is rounded,
 * ties upwards; NaN and infinities by name. */
void reference_append_percent(struct buffer *buffer, double percent);

#endif
