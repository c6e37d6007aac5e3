// SPDX-License-Identifier: MIT
/*
 * The verdict: the answer of a report in one or two sentences.
 */
#ifndef TICKFLAME_PROFILER_REPORT_VERDICT_H
#define TICKFLAME_PROFILER_REPORT_VERDICT_H

#include "profiler/report/report.h"

/* With fewer busy samples no advice is given. */
enum { VERDICT_SAMPLES_LEAST = 100 };

/*
 * Appends what takes most of the time, as fold/tally/culprit.h has it: a blocking call, by how
 * much, who calls it and what to use instead; a long computation; or a function. Blocking calls
 * that do not lead come second. Without samples, why there may be none. Names in visible form, no
 * newline. `report` is complete but for its verdict.
 */
void verdict_append(struct buffer *verdict, const struct report *report);

/* Appends "12.3 %", and with `error` > 0 "12.3 % ± 1.2"; both are fractions. */
void share_append(struct buffer *buffer, double share, double error);

/* The share's error where it is worth showing (fewer than 2,000 busy samples), else 0. */
double share_error_shown(const struct report *report, double share);

/* Appends the name of a function, and `FILE:LINE` of its definition; in visible form. */
void function_append_visible_name(struct buffer *buffer, const struct report *report,
                                  const struct function *function);
void function_append_visible_line(struct buffer *buffer, const struct report *report,
                                  const struct function *function);

#endif
