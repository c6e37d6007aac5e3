// SPDX-License-Identifier: MIT
/*
 * Parts of making a report that have a file of their own. Internal to profiler/report.
 */
#ifndef TICKFLAME_PROFILER_REPORT_REPORT_PARTS_H
#define TICKFLAME_PROFILER_REPORT_REPORT_PARTS_H

#include "profiler/report/report.h"
#include "profiler/report/table.h"

/* Called by report_make() in this order: fills in `threads`, `off_main`, `counters` and `sampling`.
 */
void report_add_recorded(struct report *report);

/* Fills in `notes`; all else but the verdict is there. */
void report_add_notes(struct report *report);

/* Appends what the counters say of memory, in a line: "Memory: rss 61 MB at the start, 84 MB at the
 * end, highest 90 MB; cgroup memory 120 of 512 MB". Nothing without such counters. */
/* How the samples were taken and how well that went, in one sentence; nothing for inputs that do
 * not say. */
void sampling_append(struct buffer *line, const struct report *report);
void sampling_write(struct table *table, const struct report *report);

void memory_append(struct buffer *line, const struct report *report);

/* Appends, for a call of `blocking`, how long it was on the stack without a break: ", at most 12.3
 * ms at once". Nothing where that is not known. */
void call_append_longest(struct buffer *buffer, const struct report *report,
                         const struct blocking_call *call);

/* What the clock of the shares of blocking calls counts, in a sentence; NULL when it is not known.
 */
const char *report_clock_words(const struct report *report);

#endif
