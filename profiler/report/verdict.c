// SPDX-License-Identifier: MIT
#include "profiler/report/verdict.h"

#include "fold/base/utf8.h"
#include "fold/tally/culprit.h"
#include "profiler/report/table.h"

/* From these shares on a call, or code without names, is worth a sentence. */
static const double blocking_share_least = 0.01;
static const double trifle_share_most = 0.001; /* not even "only" is worth saying */
static const double nameless_share_much = 0.3;
static const double error_samples_most = 2000;

enum { HEAVY_SHOWN = 2 };

void share_append(struct buffer *buffer, double share, double error) {
    buffer_append_format(buffer, "%.1f %%", share * 100);
    if (error > 0)
        buffer_append_format(buffer, " ± %.1f", error * 100);
}

double share_error_shown(const struct report *report, double share) {
    return report->busy_samples < error_samples_most ? report_share_error(report, share) : 0;
}

void function_append_visible_name(struct buffer *buffer, const struct report *report,
                                  const struct function *function) {
    struct buffer name = {0};
    function_append_name(&name, report->profile, function);
    utf8_append_visible(buffer, buffer_text(&name));
    buffer_free(&name);
}

void function_append_visible_line(struct buffer *buffer, const struct report *report,
                                  const struct function *function) {
    struct text file = profile_text(report->profile, function->file);
    if (file.size == 0)
        return;
    utf8_append_visible(buffer, file);
    if (function->line)
        buffer_append_format(buffer, ":%u", function->line);
}

static void replace_backticks(struct buffer *verdict, size_t start) {
    for (size_t i = start; i < verdict->size; i++)
        if (verdict->data[i] == '`')
            verdict->data[i] = '\'';
}

/* A name in a sentence: not longer than about a line. Backticks in it become quotes, so that those
 * around it are the only ones. */
static void append_quoted(struct buffer *verdict, struct text name) {
    buffer_append_byte(verdict, '`');
    size_t start = verdict->size;
    append_cut(verdict, name, 60, false);
    replace_backticks(verdict, start);
    buffer_append_byte(verdict, '`');
}

/* The place of a function, cut at its front, in which there is no backtick either. */
static void append_place(struct buffer *verdict, const struct report *report,
                         const struct function *function) {
    struct buffer place = {0};
    function_append_visible_line(&place, report, function);
    size_t start = verdict->size;
    append_cut(verdict, buffer_text(&place), 120, true);
    replace_backticks(verdict, start);
    buffer_free(&place);
}

static void append_quoted_name(struct buffer *verdict, const struct report *report,
                               const struct function *function) {
    struct buffer name = {0};
    function_append_visible_name(&name, report, function);
    append_quoted(verdict, buffer_text(&name));
    buffer_free(&name);
}

static void append_function(struct buffer *verdict, const struct report *report,
                            const struct function *function) {
    append_quoted_name(verdict, report, function);
    if (function->file.index) {
        buffer_append_format(verdict, " (");
        append_place(verdict, report, function);
        buffer_append_byte(verdict, ')');
    }
}

static void append_nothing(struct buffer *verdict, const struct report *report) {
    const char *unit = profile_unit_name(report->profile->unit);
    if (profile_is_empty(report->profile))
        buffer_append_format(
            verdict,
            "The input holds 0 %s, so there is nothing to report. The process may have been too "
            "short for a first sample, or it is still running and has not written its log yet.",
            unit);
    else if (weight_is_zero(report->tree->total) && weight_is_zero(report->tree->idle))
        buffer_append_format(verdict, "No sample passes the filters.");
    else
        buffer_append_format(verdict, "All samples are idle: the process waited for work.");
}

static void append_caller(struct buffer *verdict, const struct report *report,
                          const struct blocking_call *call) {
    if (call->caller_count == 0 || call->callers[0].function == 0)
        return;
    const struct function *caller = &report->tree->functions[call->callers[0].function];
    buffer_append_format(verdict, " (caller ");
    append_quoted_name(verdict, report, caller);
    if (caller->file.index) {
        buffer_append_format(verdict, ", ");
        append_place(verdict, report, caller);
    }
    if (call->caller_count > 1)
        buffer_append_format(verdict, ", and %zu more", call->caller_count - 1);
    buffer_append_byte(verdict, ')');
}

static void append_shown_share(struct buffer *verdict, const struct report *report, double share) {
    share_append(verdict, share, share_error_shown(report, share));
    buffer_append_format(verdict, " of busy time");
}

/* "`call` VERB 12 % of busy time (caller ...). What to use instead." */
static void append_call(struct buffer *verdict, const struct report *report,
                        const struct blocking_call *call, const char *verb) {
    append_quoted(verdict, text_of(call->name));
    buffer_append_format(verdict, " %s ", verb);
    const struct call_tree *tree = report->tree;
    double share = weight_share(call->total, tree->javascript_threads);
    share_append(verdict, share, share_error_shown(report, share));
    buffer_append_format(verdict, weight_compare(tree->javascript_threads, tree->busy) < 0
                                      ? " of the busy time of JavaScript threads"
                                      : " of busy time");
    append_caller(verdict, report, call);
    buffer_append_byte(verdict, '.');
    if (report->busy_samples < VERDICT_SAMPLES_LEAST)
        buffer_append_format(verdict, " %.0f samples are too few to act on.", report->busy_samples);
    else if (call->kind->instead)
        buffer_append_format(verdict, " %s", call->kind->instead);
}

/* " Long computations besides: `JSON.parse` 22.3 %." These hold the loop as well. Those before row
 * `first` are named already. */
static void append_heavy(struct buffer *verdict, const struct report *report, size_t first) {
    const struct blocking *blocking = report->blocking;
    if (blocking->heavy_count <= first || report->busy_samples < VERDICT_SAMPLES_LEAST)
        return;
    for (size_t i = first; i < blocking->heavy_count && i < first + HEAVY_SHOWN; i++) {
        const struct blocking_call *heavy = &blocking->heavy[i];
        double share = weight_share(heavy->total, report->tree->javascript_threads);
        buffer_append_format(verdict, i > first ? ", " : " Long computations besides: ");
        append_quoted(verdict, text_of(heavy->name));
        buffer_append_byte(verdict, ' ');
        share_append(verdict, share, share_error_shown(report, share));
    }
    buffer_append_byte(verdict, '.');
}

/* Whether a share matters: it is no trifle, and not by chance. */
static bool share_matters(const struct report *report, double share) {
    return share >= blocking_share_least && share >= 3 * report_share_error(report, share);
}

/* The first blocking call, and what all of them hold. */
static void append_blocking(struct buffer *verdict, const struct report *report) {
    const struct blocking *blocking = report->blocking;
    struct weight base = report->tree->javascript_threads;
    append_call(verdict, report, &blocking->calls[0], "holds the event loop for");
    double all = weight_share(blocking->total, base);
    if (blocking->call_count > 1 &&
        all >= weight_share(blocking->calls[0].total, base) + blocking_share_least) {
        buffer_append_format(verdict, " All blocking calls together: ");
        share_append(verdict, all, share_error_shown(report, all));
        buffer_append_byte(verdict, '.');
    }
}

static void append_no_blocking(struct buffer *verdict, const struct report *report) {
    const struct blocking *blocking = report->blocking;
    double all = weight_share(blocking->total, report->tree->javascript_threads);
    if (all < trifle_share_most) {
        buffer_append_format(verdict, "No synchronous call holds the event loop%s.",
                             weight_is_zero(blocking->startup) ? "" : " after start-up");
        return;
    }
    buffer_append_format(verdict, "Synchronous calls hold the event loop for only ");
    append_shown_share(verdict, report, all);
    buffer_append_byte(verdict, '.');
}

/* "The hottest function is `f` (FILE:LINE): 12.3 % of busy time." */
static void append_hottest(struct buffer *verdict, const struct report *report,
                           const struct culprit *culprit) {
    const struct call_tree *tree = report->tree;
    const struct function *hottest = &tree->functions[culprit->function];
    if (hottest->kind == FRAME_GC) {
        buffer_append_format(verdict, "The garbage collector takes the largest part: ");
    } else {
        buffer_append_format(verdict, "The hottest function is ");
        append_function(verdict, report, hottest);
        buffer_append_format(verdict, ": ");
    }
    double share = weight_share(culprit->weight, culprit->base);
    share_append(verdict, share, share_error_shown(report, share));
    buffer_append_format(verdict, weight_compare(culprit->base, tree->busy) < 0
                                      ? " of the busy time of JavaScript threads."
                                      : " of busy time.");
}

static void append_nameless(struct buffer *verdict, const struct report *report) {
    const struct call_tree *tree = report->tree;
    double nameless = weight_share(
        weight_add(tree->exclusive[FRAME_UNACCOUNTED], tree->exclusive[FRAME_LIBRARY]), tree->busy);
    if (nameless < nameless_share_much)
        return;
    buffer_append_byte(verdict, ' ');
    append_shown_share(verdict, report, nameless);
    buffer_append_format(verdict, " is in code without names: see below why.");
}

/* Nothing blocks that is worth naming first or second. */
static void append_not_blocked(struct buffer *verdict, const struct report *report,
                               const struct culprit *culprit) {
    const struct blocking *blocking = report->blocking;
    append_no_blocking(verdict, report);
    if (blocking->heavy_count && culprit->kind != CULPRIT_FUNCTION) {
        buffer_append_format(verdict, " But ");
        append_call(verdict, report, &blocking->heavy[0], "computes for");
        return;
    }
    append_nameless(verdict, report);
    if (culprit->function) {
        buffer_append_byte(verdict, ' ');
        append_hottest(verdict, report, culprit);
    }
    append_heavy(verdict, report, 0);
}

void verdict_append(struct buffer *verdict, const struct report *report) {
    const struct call_tree *tree = report->tree;
    const struct blocking *blocking = report->blocking;
    if (weight_is_zero(tree->busy)) {
        append_nothing(verdict, report);
        return;
    }
    struct culprit culprit = culprit_find(tree, blocking);
    if (!share_matters(report, weight_share(blocking->total, tree->javascript_threads)) ||
        !(culprit.kind == CULPRIT_BLOCKING || culprit.blocking_second)) {
        append_not_blocked(verdict, report, &culprit);
        return;
    }
    if (culprit.kind == CULPRIT_BLOCKING) {
        append_blocking(verdict, report);
        append_heavy(verdict, report, 0);
        return;
    }
    if (culprit.kind == CULPRIT_HEAVY)
        append_call(verdict, report, &blocking->heavy[0], "computes for");
    else
        append_hottest(verdict, report, &culprit);
    buffer_append_format(verdict, " Besides, ");
    append_blocking(verdict, report);
    append_heavy(verdict, report, culprit.kind == CULPRIT_HEAVY);
}
