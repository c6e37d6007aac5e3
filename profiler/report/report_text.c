// SPDX-License-Identifier: MIT
/* The report for people: the first screen answers the question, details follow. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fold/base/memory.h"
#include "fold/base/utf8.h"
#include "profiler/report/nameless.h"
#include "profiler/report/report_blocks.h"
#include "profiler/report/report_parts.h"
#include "profiler/report/short_name.h"
#include "profiler/report/table.h"
#include "profiler/report/verdict.h"

enum {
    COUNT_WIDTH = 14,
    SHARE_WIDTH = 9,
    ERROR_WIDTH = 14,
    TIERS_WIDTH = 12,
    CALLERS_SHOWN = 3,
    OWN_SHOWN = 8,
    LIST_SHOWN = 8,
    THREADS_SHOWN = 12
};

/* Shares that round to less are not worth a line of their own. */
static const double share_least = 0.001;

/* From this total on a function of the application is listed. */
static const double own_share_least = 0.01;

struct text_report {
    struct table table;
    const struct report *report;
    const struct report_text_options *options;
    size_t share_width;       /* of a share, with its error where that is shown */
    struct short_names names; /* of the table under way */
};

static void write_count(struct text_report *text, struct weight weight) {
    struct buffer buffer = {0};
    report_append_amount(&buffer, text->report, weight);
    table_right(&text->table, PLAIN, buffer_text(&buffer), COUNT_WIDTH);
    buffer_free(&buffer);
}

static void write_share(struct text_report *text, enum emphasis emphasis, double share) {
    struct buffer buffer = {0};
    share_append(&buffer, share, share_error_shown(text->report, share));
    table_right(&text->table, emphasis, buffer_text(&buffer), text->share_width);
    buffer_free(&buffer);
}

static void write_wrapped_format(struct text_report *text, enum emphasis emphasis, size_t indent,
                                 const char *format, ...) __attribute__((format(printf, 4, 5)));

static void write_wrapped_format(struct text_report *text, enum emphasis emphasis, size_t indent,
                                 const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < indent; i++)
        output_byte(text->table.output, ' ');
    table_wrapped(&text->table, emphasis, text_of(line), indent, indent);
}

static const char *format_words(const char *format) {
    if (format && strcmp(format, "v8log") == 0)
        return "isolate log";
    if (format && strcmp(format, "tickflame") == 0)
        return "recording";
    if (format && strcmp(format, "cpuprofile") == 0)
        return "CPU profile";
    if (format && strcmp(format, "perf-data") == 0)
        return "perf.data";
    if (format && strcmp(format, "perf-script") == 0)
        return "perf script";
    if (format && strcmp(format, "folded") == 0)
        return "folded stacks";
    return "several formats";
}

/* "1,234 busy ticks", "1,234 busy samples, 1,240.5 ms". */
static void append_busy(struct buffer *line, const struct report *report) {
    const struct call_tree *tree = report->tree;
    bool is_time = report->unit_division > 1;
    bool is_count = report->profile->unit == UNIT_COUNT;
    if ((is_time || is_count) && tree->samples.known) {
        weight_append_grouped(line, weight_of(tree->samples.busy));
        buffer_append_format(line, " busy samples, ");
    }
    if (report->sample_weight > 1)
        weight_append_grouped(line, weight_of((uint64_t)(report->busy_samples + 0.5)));
    else
        report_append_amount(line, report, tree->busy);
    if (is_count)
        buffer_append_format(line, " events counted");
    else
        buffer_append_format(line, is_time ? " %s" : " busy %s", report->unit);
    if (is_time && !tree->samples.known)
        buffer_append_format(line, " busy");
    if (report->sample_weight > 1) {
        buffer_append_format(line, " that count ");
        weight_append_grouped(line, weight_of(report->sample_weight));
        buffer_append_format(line, " each");
    }
}

/* What was read: how much, from where, how often sampled. */
static void write_origin(struct text_report *text) {
    const struct report *report = text->report;
    const struct profile *profile = report->profile;
    const struct call_tree *tree = report->tree;
    struct buffer line = {0};
    append_busy(&line, report);
    if (view_is_filtered(&tree->view))
        buffer_append_format(&line, " pass the filters");
    if (!weight_is_zero(tree->idle)) {
        buffer_append_format(&line, ", ");
        report_append_amount(&line, report, tree->idle);
        buffer_append_format(&line, report->unit_division > 1 ? " %s idle" : " idle", report->unit);
    }
    if (profile->duration_us >= 1000000)
        buffer_append_format(&line, ", over %.1f s", (double)profile->duration_us / 1e6);
    else if (profile->duration_us)
        buffer_append_format(&line, ", over %.3g ms", (double)profile->duration_us / 1e3);
    if (profile->interval_us)
        buffer_append_format(&line, ", one each %.2f ms", (double)profile->interval_us / 1e3);
    buffer_append_format(&line, "; %s", format_words(profile->format));
    if (profile->node.index) {
        buffer_append_format(&line, " of Node ");
        utf8_append_visible(&line, profile_text(profile, profile->node));
    }
    if (report->input_count == 1) {
        buffer_append_format(&line, ", ");
        utf8_append_visible(&line, text_of(report->inputs[0].path));
    } else {
        buffer_append_format(&line, ", %zu inputs", report->input_count);
    }
    table_wrapped(&text->table, FAINT, buffer_text(&line), 0, 0);
    buffer_free(&line);
}

static void write_summary(struct text_report *text) {
    const struct report *report = text->report;
    const struct call_tree *tree = report->tree;
    struct output *output = text->table.output;
    struct weight outside = weight_subtract(report->base, tree->summary[SUMMARY_LIBRARIES]);
    table_heading(&text->table, "Where the time went");
    table_left(&text->table, PLAIN, TEXT(""), 20);
    table_right(&text->table, FAINT, text_of(report->sample_weight > 1 ? "weight" : report->unit),
                COUNT_WIDTH);
    table_right(&text->table, FAINT, TEXT("share"), text->share_width);
    table_right(&text->table, FAINT, TEXT("no libraries"), 15);
    output_byte(output, '\n');
    for (int row = 0; row < SUMMARY_ROW_COUNT; row++) {
        if (row > SUMMARY_GC && weight_is_zero(tree->summary[row]))
            continue;
        output_string(output, "  ");
        table_left(&text->table, PLAIN, text_of(report_summary_name(row)), 18);
        write_count(text, tree->summary[row]);
        write_share(text, PLAIN, weight_share(tree->summary[row], report->base));
        if (row <= SUMMARY_GC) {
            output_format(output, "%13.1f %%", 100 * weight_share(tree->summary[row], outside));
            if (row == SUMMARY_GC && report->gc_overlaps)
                table_text(&text->table, FAINT, TEXT("  counted above"));
        }
        output_byte(output, '\n');
    }
}

/* "INTRODUCTION javascript 60.0 %, gc 40.0 %": a partition of `all`, largest part first. */
static void write_partition(struct text_report *text, const char *introduction,
                            const struct weight *parts, struct weight all) {
    struct buffer line = {0};
    int kinds[FRAME_KIND_COUNT], count = 0;
    for (int kind = FRAME_UNKNOWN_KIND + 1; kind < FRAME_KIND_COUNT; kind++) {
        int at = count;
        if (weight_share(parts[kind], all) < share_least / 2)
            continue;
        for (; at > 0 && weight_compare(parts[kinds[at - 1]], parts[kind]) < 0; at--)
            kinds[at] = kinds[at - 1];
        kinds[at] = kind;
        count++;
    }
    buffer_append_format(&line, "%s", introduction);
    for (int i = 0; i < count; i++)
        buffer_append_format(&line, "%s%s %.1f %%", i ? ", " : "", frame_kind_name(kinds[i]),
                             100 * weight_share(parts[kinds[i]], all));
    output_string(text->table.output, "  ");
    table_wrapped(&text->table, PLAIN, buffer_text(&line), 2, 2);
    buffer_free(&line);
}

/* The partition in which the collector's time is its own; sums to 100 %. */
static void write_exclusive(struct text_report *text) {
    const struct call_tree *tree = text->report->tree;
    write_partition(text, "Each once, GC apart: ", tree->exclusive, tree->busy);
    /* What the event loops themselves did, where other threads are counted too. */
    if (weight_compare(tree->javascript_threads, tree->busy) < 0 &&
        !weight_is_zero(tree->javascript_threads)) {
        char introduction[120];
        snprintf(introduction, sizeof introduction,
                 "On threads that run JavaScript (%.1f %% of it): ",
                 100 * weight_share(tree->javascript_threads, tree->busy));
        write_partition(text, introduction, tree->javascript_exclusive, tree->javascript_threads);
    }
}

/* `NAME  FILE:LINE` in `width` columns: the place is cut at its front first, then the name. */
static void write_function(struct text_report *text, const struct function *function,
                           size_t width) {
    struct buffer name = {0}, place = {0}, shown = {0};
    function_append_visible_name(&name, text->report, function);
    function_append_visible_line(&place, text->report, function);
    size_t place_columns = utf8_columns(buffer_text(&place));
    size_t name_room = width;
    if (place.size) {
        size_t place_room = place_columns < width / 2 ? place_columns : width / 2;
        name_room = width - place_room - 2;
    }
    if (function->kind == FRAME_CPP || function->kind == FRAME_ADDON)
        short_names_append(&text->names, &shown, buffer_text(&name), name_room);
    else
        append_cut(&shown, buffer_text(&name), name_room, false);
    table_text(&text->table, PLAIN, buffer_text(&shown));
    if (place.size) {
        size_t used = utf8_columns(buffer_text(&shown)) + 2;
        buffer_clear(&shown);
        append_cut(&shown, buffer_text(&place), width - used, true);
        output_string(text->table.output, "  ");
        table_text(&text->table, FAINT, buffer_text(&shown));
    }
    output_byte(text->table.output, '\n');
    buffer_free(&name);
    buffer_free(&place);
    buffer_free(&shown);
}

static void write_callers(struct text_report *text, const struct blocking_call *call) {
    const struct report *report = text->report;
    struct output *output = text->table.output;
    for (size_t i = 0; i < call->caller_count && i < CALLERS_SHOWN; i++) {
        const struct blocking_caller *caller = &call->callers[i];
        double share = weight_share(caller->total, report->tree->javascript_threads);
        output_format(output, "%10.1f %%  from ", 100 * share);
        if (caller->function)
            write_function(text, &report->tree->functions[caller->function], REPORT_WIDTH - 19);
        else
            output_format(output, "no JavaScript%s outside Node core\n",
                          report->profile->native_stacks ? " with a name" : "");
    }
    if (call->caller_count > CALLERS_SHOWN)
        output_format(output, "              and from %zu more\n",
                      call->caller_count - CALLERS_SHOWN);
}

static void write_call(struct text_report *text, const struct blocking_call *call) {
    const struct report *report = text->report;
    struct output *output = text->table.output;
    double share = weight_share(call->total, report->tree->javascript_threads);
    output_string(output, "  ");
    write_share(text, share >= 0.01 && call->kind->class != BLOCKING_HEAVY ? ALARM : PLAIN, share);
    output_string(output, "  ");
    struct buffer name = {0};
    utf8_append_visible(&name, text_of(call->name));
    table_text(&text->table, BOLD, buffer_text(&name));
    buffer_free(&name);
    output_format(output, "  (%s)", blocking_class_name(call->kind->class));
    struct buffer longest = {0};
    call_append_longest(&longest, report, call);
    output_text(output, buffer_text(&longest));
    buffer_free(&longest);
    output_byte(output, '\n');
    write_callers(text, call);
    if (call->kind->instead && !weight_is_zero(call->total))
        write_wrapped_format(text, PLAIN, 14, "%s", call->kind->instead);
    if (call->kind->catch_ && !weight_is_zero(call->total))
        write_wrapped_format(text, FAINT, 14, "%s", call->kind->catch_);
}

static void write_blocking(struct text_report *text) {
    const struct report *report = text->report;
    const struct blocking *blocking = report->blocking;
    struct weight base = report->tree->javascript_threads;
    struct output *output = text->table.output;
    if (!weight_is_zero(blocking->total)) {
        table_heading(&text->table, "Calls that block the event loop");
        output_string(output, "  ");
        write_share(text, BOLD, weight_share(blocking->total, base));
        output_string(output, "  in all, of busy time of threads that run JavaScript\n");
        if (report_clock_words(report)) {
            output_string(output, "             ");
            table_wrapped(&text->table, FAINT, text_of(report_clock_words(report)), 13, 13);
        }
        size_t trifles = 0;
        for (size_t i = 0; i < blocking->call_count; i++) {
            if (i == 0 || weight_share(blocking->calls[i].total, base) >= share_least)
                write_call(text, &blocking->calls[i]);
            else if (!weight_is_zero(blocking->calls[i].total))
                trifles++;
        }
        if (trifles)
            output_format(output, "  and %zu more below %.1f %% each\n", trifles,
                          100 * share_least);
    }
    if (!weight_is_zero(blocking->startup)) {
        if (weight_is_zero(blocking->total))
            table_heading(&text->table, "Calls that block the event loop");
        output_string(output, "  ");
        write_share(text, PLAIN, weight_share(blocking->startup, base));
        output_string(output, "  at start-up, while modules load (not counted above):");
        struct buffer names = {0};
        size_t shown = 0;
        for (size_t i = 0; i < blocking->call_count; i++) {
            if (weight_is_zero(blocking->calls[i].startup) || shown++ >= LIST_SHOWN)
                continue;
            buffer_append_format(&names, "%s", shown > 1 ? ", " : "");
            utf8_append_visible(&names, text_of(blocking->calls[i].name));
        }
        output_string(output, "\n              ");
        table_wrapped(&text->table, PLAIN, buffer_text(&names), 14, 14);
        buffer_free(&names);
    }
}

static void write_heavy(struct text_report *text) {
    const struct blocking *blocking = text->report->blocking;
    if (blocking->heavy_count == 0)
        return;
    table_heading(&text->table, "Long computations without Sync in their name");
    for (size_t i = 0; i < blocking->heavy_count; i++)
        write_call(text, &blocking->heavy[i]);
}

/* The tiers of a function, largest first: "*92 ~8" in percent of its total. */
static void append_tiers(struct buffer *buffer, const struct function *function) {
    bool used[FRAME_TIER_COUNT] = {0};
    for (int shown = 0; shown < 3; shown++) {
        int largest = 0;
        for (int tier = FRAME_INTERPRETED; tier < FRAME_TIER_COUNT; tier++) {
            bool larger =
                largest == 0 || weight_compare(function->tiers[tier], function->tiers[largest]) > 0;
            if (!used[tier] && !weight_is_zero(function->tiers[tier]) && larger)
                largest = tier;
        }
        double percent = 100 * weight_share(function->tiers[largest], function->total);
        if (largest == 0 || percent < 0.5)
            return;
        used[largest] = true;
        buffer_append_format(buffer, "%s%s%.0f", shown ? " " : "", frame_tier_mark(largest),
                             percent);
    }
}

static bool has_tiers(const struct call_tree *tree) {
    for (size_t i = 1; i < tree->function_count; i++)
        for (int tier = FRAME_INTERPRETED; tier < FRAME_TIER_COUNT; tier++)
            if (!weight_is_zero(tree->functions[i].tiers[tier]))
                return true;
    return false;
}

static void write_function_row(struct text_report *text, const struct function *function,
                               bool with_tiers) {
    const struct weight busy = text->report->tree->busy;
    size_t left = 2 + text->share_width + SHARE_WIDTH + 2;
    output_string(text->table.output, "  ");
    write_share(text, PLAIN, weight_share(function->self, busy));
    output_format(text->table.output, "%*.1f %%  ", SHARE_WIDTH - 2,
                  100 * weight_share(function->total, busy));
    if (with_tiers) {
        struct buffer tiers = {0};
        append_tiers(&tiers, function);
        table_left(&text->table, FAINT, buffer_text(&tiers), TIERS_WIDTH);
        output_string(text->table.output, "  ");
        buffer_free(&tiers);
        left += TIERS_WIDTH + 2;
    }
    write_function(text, function, REPORT_WIDTH - left);
}

static void write_function_header(struct text_report *text, const char *heading, bool with_tiers) {
    text->names.count = 0;
    table_heading(&text->table, heading);
    output_string(text->table.output, "  ");
    table_right(&text->table, FAINT, TEXT("self"), text->share_width);
    table_right(&text->table, FAINT, TEXT("total"), SHARE_WIDTH);
    if (with_tiers)
        table_left(&text->table, FAINT, TEXT("  tiers %"), TIERS_WIDTH + 2);
    table_text(&text->table, FAINT, TEXT("  function"));
    output_byte(text->table.output, '\n');
}

static void write_functions(struct text_report *text) {
    const struct report *report = text->report;
    bool with_tiers = has_tiers(report->tree);
    write_function_header(text, "Hot functions", with_tiers);
    for (size_t i = 0; i < report->function_count && i < text->options->top; i++) {
        const struct function *function = &report->tree->functions[report->functions[i]];
        if (i > 0 && weight_share(function->self, report->tree->busy) < share_least)
            break;
        write_function_row(text, function, with_tiers);
    }
    if (with_tiers) {
        output_string(text->table.output, "  ");
        table_text(&text->table, FAINT,
                   TEXT("tiers: ~ interpreted, ^ baseline, + Maglev, * optimised, ? another"));
        output_byte(text->table.output, '\n');
    }
}

/* What the reader can change: functions of the application with what they call. Hot functions alone
 * may all be native code. */
static void write_own_functions(struct text_report *text) {
    const struct report *report = text->report;
    const struct function *largest[OWN_SHOWN];
    size_t count = 0;
    for (size_t i = 0; i < report->function_count; i++) {
        const struct function *function = &report->tree->functions[report->functions[i]];
        if (function->origin != ORIGIN_APP || function->kind != FRAME_JAVASCRIPT ||
            weight_share(function->total, report->tree->busy) < own_share_least)
            continue;
        size_t at = count < OWN_SHOWN ? count++ : OWN_SHOWN;
        for (; at > 0 && weight_compare(largest[at - 1]->total, function->total) < 0; at--)
            if (at < OWN_SHOWN)
                largest[at] = largest[at - 1];
        if (at < OWN_SHOWN)
            largest[at] = function;
    }
    if (count == 0)
        return;
    bool with_tiers = has_tiers(report->tree);
    write_function_header(text, "Functions of the application, by total", with_tiers);
    for (size_t i = 0; i < count && i < text->options->top; i++)
        write_function_row(text, largest[i], with_tiers);
}

static void write_origins(struct text_report *text) {
    static const char *const names[] = {
        [ORIGIN_APP] = "the application",           [ORIGIN_DEPENDENCY] = "packages",
        [ORIGIN_CORE] = "Node's JavaScript",        [ORIGIN_V8] = "V8",
        [ORIGIN_NATIVE] = "Node's C++ and add-ons", [ORIGIN_SYSTEM] = "system"};
    const struct report *report = text->report;
    struct buffer line = {0};
    for (int origin = ORIGIN_APP; origin <= ORIGIN_SYSTEM; origin++) {
        double share = weight_share(report->origins[origin], report->tree->busy);
        if (share >= share_least)
            buffer_append_format(&line, "%s%s %.1f %%", line.size ? ", " : "Own time of ",
                                 names[origin], 100 * share);
    }
    table_heading(&text->table, "Whose code");
    output_string(text->table.output, "  ");
    table_wrapped(&text->table, PLAIN, buffer_text(&line), 2, 2);
    buffer_free(&line);
    if (report->package_count == 0)
        return;
    struct output *output = text->table.output;
    output_string(output, "  ");
    table_right(&text->table, FAINT, TEXT("self"), SHARE_WIDTH);
    table_right(&text->table, FAINT, TEXT("total"), SHARE_WIDTH);
    table_text(&text->table, FAINT, TEXT("  package"));
    output_byte(output, '\n');
    for (size_t i = 0; i < report->package_count && i < LIST_SHOWN; i++) {
        const struct report_package *package = &report->packages[i];
        output_format(output, "%*.1f %%%*.1f %%  ", SHARE_WIDTH,
                      100 * weight_share(package->self, report->tree->busy), SHARE_WIDTH - 2,
                      100 * weight_share(package->total, report->tree->busy));
        output_visible(output, package->package);
        output_byte(output, '\n');
    }
    if (report->package_count > LIST_SHOWN)
        output_format(output, "  and %zu more\n", report->package_count - LIST_SHOWN);
}

static int compare_threads(const void *left, const void *right) {
    const struct report_thread *const *a = left, *const *b = right;
    int order = weight_compare((*b)->weight, (*a)->weight);
    return order ? order : (*a > *b) - (*a < *b);
}

static void write_thread(struct text_report *text, const struct report_thread *thread) {
    const struct report *report = text->report;
    struct output *output = text->table.output;
    output_format(output, "%*.1f %%  ", SHARE_WIDTH,
                  100 * weight_share(thread->weight, report->tree->busy));
    if (thread->name.index) {
        struct buffer name = {0}, shown = {0};
        utf8_append_visible(&name, profile_text(report->profile, thread->name));
        append_cut(&shown, buffer_text(&name), REPORT_WIDTH - SHARE_WIDTH - 16, true);
        output_text(output, buffer_text(&shown));
        output_string(output, "  ");
        buffer_free(&name);
        buffer_free(&shown);
    }
    output_format(output, "%s", thread_role_name(thread->role));
    if (thread->id)
        output_format(output, " %llu", (unsigned long long)thread->id);
    output_string(output, thread->runs_javascript ? "\n" : ", does not run JavaScript\n");
}

/* Writes a line, if there is anything in it, and frees it. */
static void write_indented(struct text_report *text, struct buffer *line) {
    if (line->size) {
        output_string(text->table.output, "  ");
        table_wrapped(&text->table, PLAIN, buffer_text(line), 2, 2);
    }
    buffer_free(line);
}

static void write_threads(struct text_report *text) {
    const struct report *report = text->report;
    if (report->thread_count < 2)
        return;
    const struct report_thread **threads =
        memory_allocate(size_multiply(report->thread_count, sizeof *threads));
    for (size_t i = 0; i < report->thread_count; i++)
        threads[i] = &report->threads[i];
    qsort(threads, report->thread_count, sizeof *threads, compare_threads);
    table_heading(&text->table, "Threads");
    for (size_t i = 0; i < report->thread_count && i < THREADS_SHOWN; i++)
        write_thread(text, threads[i]);
    if (report->thread_count > THREADS_SHOWN)
        output_format(text->table.output, "  and %zu more\n", report->thread_count - THREADS_SHOWN);
    free(threads);
    struct buffer line = {0};
    for (size_t i = 0; i < report->off_main_count; i++) {
        const struct report_off_main *row = &report->off_main[i];
        buffer_append_format(&line, "%s%s %.1f %%", i ? ", " : "Beside the event loop: ", row->what,
                             100 * weight_share(row->weight, report->tree->busy));
    }
    write_indented(text, &line);
}

static void write_memory(struct text_report *text) {
    struct buffer line = {0};
    memory_append(&line, text->report);
    write_indented(text, &line);
}

static void write_notes(struct text_report *text) {
    const struct report *report = text->report;
    struct output *output = text->table.output;
    if (report->note_count + report->warnings->size == 0)
        return;
    table_heading(&text->table, "What to keep in mind");
    for (size_t i = 0; i < report->note_count; i++) {
        output_string(output, "  - ");
        table_wrapped(&text->table, PLAIN, text_of(report->notes[i].text), 4, 4);
    }
    for (size_t i = 0; i < report->warnings->size; i++) {
        const struct warning *warning = &report->warnings->items[i];
        struct buffer line = {0};
        utf8_append_visible(&line, text_of(warning->text));
        if (warning->count > 1)
            buffer_append_format(&line, " (%llu like this)", (unsigned long long)warning->count);
        output_string(output, "  - ");
        table_wrapped(&text->table, PLAIN, buffer_text(&line), 4, 4);
        buffer_free(&line);
    }
}

void report_write_text(struct output *output, const struct report *report,
                       const struct report_text_options *options) {
    struct text_report text = {
        .table = {output, options->color},
        .report = report,
        .options = options,
        .share_width = share_error_shown(report, 0.5) > 0 ? ERROR_WIDTH : SHARE_WIDTH,
    };
    table_wrapped(&text.table, BOLD, buffer_text(&report->verdict), 0, 0);
    if (!weight_is_zero(report->base)) {
        output_byte(output, '\n');
        write_origin(&text);
        write_summary(&text);
        write_exclusive(&text);
        write_memory(&text);
        write_blocking(&text);
        if (!options->summary_only) {
            write_heavy(&text);
            blocks_write_text(&text.table, report);
            write_functions(&text);
            write_own_functions(&text);
            write_origins(&text);
            write_threads(&text);
            nameless_write(&text.table, report);
        }
    }
    write_notes(&text);
    if (!options->summary_only)
        sampling_write(&text.table, report);
    short_names_free(&text.names);
}
