// SPDX-License-Identifier: MIT
/* The report as JSON: every key of the contract is there, what is not known is null. */
#include "fold/base/json_write.h"
#include "profiler/report/report_blocks.h"

enum { SHARE_DIGITS = 6 };

static void write_share(struct json_writer *json, const char *key, double share) {
    json_key(json, key);
    json_real(json, share, SHARE_DIGITS);
}

static void write_weight(struct json_writer *json, const char *key, struct weight weight) {
    json_key(json, key);
    json_weight(json, weight);
}

/* Empty text is null. */
static void write_text(struct json_writer *json, const char *key, struct text text) {
    json_key(json, key);
    if (text.size)
        json_text(json, text);
    else
        json_null(json);
}

static void write_known(struct json_writer *json, const char *key, uint64_t number) {
    json_key(json, key);
    if (number)
        json_count(json, number);
    else
        json_null(json);
}

static void write_inputs(struct json_writer *json, const struct report *report) {
    json_key(json, "inputs");
    json_begin_array(json);
    for (size_t i = 0; i < report->input_count; i++) {
        const struct report_input *input = &report->inputs[i];
        json_begin_inline_object(json);
        write_text(json, "path", text_of(input->path));
        json_key(json, "format");
        json_string(json, input->format);
        write_weight(json, "samples", input->samples);
        json_key(json, "warnings");
        json_count(json, input->warnings);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_totals(struct json_writer *json, const struct report *report) {
    const struct profile *profile = report->profile;
    const struct call_tree *tree = report->tree;
    struct weight all = weight_add(tree->busy, tree->idle);
    bool counts_samples = profile->unit == UNIT_SAMPLES || profile->unit == UNIT_TICKS;
    json_key(json, "totals");
    json_begin_object(json);
    json_key(json, "samples");
    if (tree->samples.known)
        json_count(json, tree->samples.busy + tree->samples.idle);
    else if (counts_samples)
        json_weight(json, all);
    else
        json_null(json);
    write_weight(json, "weight", all);
    json_key(json, "unit");
    json_string(json, profile_unit_name(profile->unit));
    write_weight(json, "idle", tree->idle);
    write_weight(json, "busy", tree->busy);
    write_weight(json, "waiting", tree->exclusive[FRAME_WAITING]);
    json_key(json, "duration_seconds");
    if (profile->duration_us)
        json_real(json, (double)profile->duration_us / 1e6, SHARE_DIGITS);
    else
        json_null(json);
    write_known(json, "interval_us", profile->interval_us);
    json_end_object(json);
}

static void write_summary(struct json_writer *json, const struct report *report) {
    const struct call_tree *tree = report->tree;
    struct weight outside = weight_subtract(report->base, tree->summary[SUMMARY_LIBRARIES]);
    json_key(json, "summary");
    json_begin_array(json);
    for (int row = 0; row < SUMMARY_ROW_COUNT; row++) {
        if (row == SUMMARY_WAITING && weight_is_zero(tree->summary[row]))
            continue;
        json_begin_inline_object(json);
        json_key(json, "name");
        json_string(json, report_summary_name(row));
        write_weight(json, "ticks", tree->summary[row]);
        write_share(json, "share", weight_share(tree->summary[row], report->base));
        json_key(json, "nonlib_share");
        if (row <= SUMMARY_GC)
            json_real(json, weight_share(tree->summary[row], outside), SHARE_DIGITS);
        else
            json_null(json);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_exclusive(struct json_writer *json, const struct report *report) {
    const struct call_tree *tree = report->tree;
    json_key(json, "exclusive");
    json_begin_array(json);
    for (int kind = FRAME_UNKNOWN_KIND + 1; kind < FRAME_KIND_COUNT; kind++) {
        if (kind == FRAME_WAITING && weight_is_zero(tree->exclusive[kind]))
            continue;
        json_begin_inline_object(json);
        json_key(json, "category");
        json_string(json, frame_kind_name(kind));
        write_weight(json, "weight", tree->exclusive[kind]);
        write_share(json, "share", weight_share(tree->exclusive[kind], tree->busy));
        json_end_object(json);
    }
    json_end_array(json);
}

/* name, file, line, column. */
static void write_place(struct json_writer *json, const struct report *report,
                        const struct function *function) {
    struct buffer name = {0};
    function_append_name(&name, report->profile, function);
    json_key(json, "name");
    json_text(json, buffer_text(&name));
    buffer_free(&name);
    write_text(json, "file", profile_text(report->profile, function->file));
    write_known(json, "line", function->line);
    write_known(json, "column", function->column);
}

static void write_function(struct json_writer *json, const struct report *report,
                           const struct function *function) {
    static const char *const marks[FRAME_TIER_COUNT] = {[FRAME_INTERPRETED] = "~",
                                                        [FRAME_BASELINE] = "^",
                                                        [FRAME_MAGLEV] = "+",
                                                        [FRAME_OPTIMISED] = "*",
                                                        [FRAME_OTHER_TIER] = "?"};
    double total_share = weight_share(function->total, report->tree->busy);
    json_begin_inline_object(json);
    write_place(json, report, function);
    json_key(json, "kind");
    json_string(json, frame_kind_name(function->kind));
    json_key(json, "origin");
    json_string(json, frame_origin_name(function->origin));
    write_text(json, "package", function->package);
    write_weight(json, "self", function->self);
    write_weight(json, "total", function->total);
    write_share(json, "self_share", weight_share(function->self, report->tree->busy));
    write_share(json, "total_share", total_share);
    write_share(json, "error", report_share_error(report, total_share));
    json_key(json, "tiers");
    json_begin_inline_object(json);
    for (int tier = FRAME_INTERPRETED; tier < FRAME_TIER_COUNT; tier++)
        write_weight(json, marks[tier], function->tiers[tier]);
    json_end_object(json);
    json_end_object(json);
}

static void write_functions(struct json_writer *json, const struct report *report, size_t top) {
    size_t count = report->function_count;
    if (top && top < count)
        count = top;
    json_key(json, "functions");
    json_begin_array(json);
    for (size_t i = 0; i < count; i++)
        write_function(json, report, &report->tree->functions[report->functions[i]]);
    json_end_array(json);
}

static void write_callers(struct json_writer *json, const struct report *report,
                          const struct blocking_call *call) {
    json_key(json, "callers");
    json_begin_array(json);
    for (size_t i = 0; i < call->caller_count; i++) {
        const struct blocking_caller *caller = &call->callers[i];
        json_begin_inline_object(json);
        if (caller->function) {
            write_place(json, report, &report->tree->functions[caller->function]);
        } else {
            static const char *const keys[] = {"name", "file", "line", "column"};
            for (size_t key = 0; key < 4; key++) {
                json_key(json, keys[key]);
                json_null(json);
            }
        }
        write_weight(json, "total", caller->total);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_call(struct json_writer *json, const struct report *report,
                       const struct blocking_call *call, bool heavy) {
    struct weight base = report->tree->javascript_threads;
    json_begin_object(json);
    json_key(json, "call");
    json_string(json, call->name);
    if (!heavy) {
        json_key(json, "class");
        json_string(json, blocking_class_name(call->kind->class));
    }
    write_weight(json, "total", call->total);
    write_share(json, "share", weight_share(call->total, base));
    if (!heavy) {
        write_weight(json, "startup", call->startup);
        json_key(json, "longest_ms");
        uint64_t longest = report_longest(report, call);
        if (longest)
            json_real(json, (double)longest / 1000, 3);
        else
            json_null(json);
        write_weight(json, "waiting", call->waiting);
    }
    json_key(json, "instead");
    json_string(json, call->kind->instead);
    write_callers(json, report, call);
    json_end_object(json);
}

static void write_blocking(struct json_writer *json, const struct report *report) {
    const struct blocking *blocking = report->blocking;
    json_key(json, "blocking");
    json_begin_object(json);
    write_weight(json, "total", blocking->total);
    write_share(json, "share", weight_share(blocking->total, report->tree->javascript_threads));
    write_weight(json, "startup", blocking->startup);
    json_key(json, "clock");
    json_string(json, report_clock_name(report->profile));
    json_key(json, "calls");
    json_begin_array(json);
    for (size_t i = 0; i < blocking->call_count; i++)
        write_call(json, report, &blocking->calls[i], false);
    json_end_array(json);
    json_end_object(json);

    json_key(json, "heavy");
    json_begin_array(json);
    for (size_t i = 0; i < blocking->heavy_count; i++)
        write_call(json, report, &blocking->heavy[i], true);
    json_end_array(json);
}

static void write_off_main(struct json_writer *json, const struct report *report) {
    json_key(json, "off_main");
    json_begin_array(json);
    for (size_t i = 0; i < report->off_main_count; i++) {
        json_begin_inline_object(json);
        json_key(json, "what");
        json_string(json, report->off_main[i].what);
        write_weight(json, "weight", report->off_main[i].weight);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_packages(struct json_writer *json, const struct report *report) {
    json_key(json, "packages");
    json_begin_array(json);
    for (size_t i = 0; i < report->package_count; i++) {
        const struct report_package *package = &report->packages[i];
        json_begin_inline_object(json);
        write_text(json, "package", package->package);
        write_weight(json, "self", package->self);
        write_weight(json, "total", package->total);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_threads(struct json_writer *json, const struct report *report) {
    json_key(json, "threads");
    json_begin_array(json);
    for (size_t i = 0; i < report->thread_count; i++) {
        const struct report_thread *thread = &report->threads[i];
        json_begin_inline_object(json);
        write_text(json, "name", profile_text(report->profile, thread->name));
        write_known(json, "id", thread->id);
        json_key(json, "role");
        json_string(json, thread_role_name(thread->role));
        write_weight(json, "weight", thread->weight);
        write_known(json, "process_id", thread->process_id);
        json_end_object(json);
    }
    json_end_array(json);
}

/* Negative is not known. */
static void write_known_share(struct json_writer *json, const char *key, double share) {
    json_key(json, key);
    if (share < 0)
        json_null(json);
    else
        json_real(json, share, SHARE_DIGITS);
}

static void write_sampling(struct json_writer *json, const struct report *report) {
    const struct profile *profile = report->profile;
    const struct profile_sampling *sampling = &profile->sampling;
    json_key(json, "sampling");
    if (!sampling->route && !profile->native_stacks) {
        json_null(json);
        return;
    }
    json_begin_object(json);
    write_text(json, "route", text_of(sampling->route ? sampling->route : ""));
    write_text(json, "node", profile_text(profile, profile->node));
    write_text(json, "v8", profile_text(profile, profile->v8));
    write_known(json, "asked_hz", sampling->asked_hz);
    json_key(json, "delivered_hz");
    if (report->delivered_hz > 0)
        json_real(json, report->delivered_hz, 1);
    else
        json_null(json);
    json_key(json, "lost");
    json_count(json, sampling->lost);
    write_known_share(json, "named_share", report->named_share);
    json_key(json, "names");
    if (sampling->names)
        json_string(json, sampling->names);
    else
        json_null(json);
    json_key(json, "names_compared");
    json_count(json, sampling->names_compared);
    json_key(json, "names_different");
    json_count(json, sampling->names_different);
    json_key(json, "call_graph");
    json_string(json, sampling->call_graph);
    json_key(json, "cut");
    json_count(json, sampling->cut);
    json_key(json, "repaired");
    json_count(json, sampling->repaired);
    write_known_share(json, "complete_share", report->complete.share);
    json_end_object(json);
}

/* Not in the contract: readings beside the samples, each in its own unit. */
static void write_counters(struct json_writer *json, const struct report *report) {
    json_key(json, "counters");
    json_begin_array(json);
    for (size_t i = 0; i < report->counter_count; i++) {
        const struct report_counter *counter = &report->counters[i];
        const struct profile_counter *from = counter->counter;
        const struct {
            const char *key;
            uint64_t value;
        } figures[] = {{"first", counter->first},
                       {"last", counter->last},
                       {"lowest", counter->lowest},
                       {"highest", counter->highest}};
        json_begin_inline_object(json);
        write_text(json, "name", profile_text(report->profile, from->name));
        write_known(json, "process_id", from->process_id);
        json_key(json, "unit");
        json_string(json, profile_unit_name(from->unit));
        for (size_t figure = 0; figure < sizeof figures / sizeof *figures; figure++) {
            json_key(json, figures[figure].key);
            json_count(json, figures[figure].value);
        }
        write_known(json, "limit", from->limit);
        json_key(json, "readings");
        json_count(json, from->count);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_warnings(struct json_writer *json, const struct report *report) {
    json_key(json, "warnings");
    json_begin_array(json);
    for (size_t i = 0; i < report->warnings->size; i++) {
        const struct warning *warning = &report->warnings->items[i];
        json_begin_inline_object(json);
        json_key(json, "kind");
        json_string(json, warning->kind);
        json_key(json, "count");
        json_count(json, warning->count);
        write_known(json, "line", warning->line);
        write_known(json, "offset", warning->line ? 0 : warning->offset);
        json_key(json, "text");
        json_string(json, warning->text);
        json_end_object(json);
    }
    json_end_array(json);
}

/* Not in the contract: the limits of what the input can say, and the answer in words. */
static void write_words(struct json_writer *json, const struct report *report) {
    json_key(json, "notes");
    json_begin_array(json);
    for (size_t i = 0; i < report->note_count; i++) {
        json_begin_inline_object(json);
        json_key(json, "kind");
        json_string(json, report->notes[i].kind);
        json_key(json, "text");
        json_string(json, report->notes[i].text);
        json_end_object(json);
    }
    json_end_array(json);
    write_text(json, "verdict", buffer_text(&report->verdict));
}

void report_write_json(struct output *output, const struct report *report, size_t top) {
    struct json_writer writer = {.output = output};
    struct json_writer *json = &writer;
    json_begin_object(json);
    json_key(json, "schema");
    json_count(json, 1);
    write_inputs(json, report);
    write_totals(json, report);
    write_summary(json, report);
    write_exclusive(json, report);
    write_functions(json, report, top);
    write_blocking(json, report);
    write_off_main(json, report);
    write_packages(json, report);
    write_threads(json, report);
    blocks_write_json(json, report);
    static const char *const missing[] = {"memory", "load"};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        json_key(json, missing[i]);
        json_null(json);
    }
    write_sampling(json, report);
    write_warnings(json, report);
    write_counters(json, report);
    write_words(json, report);
    json_end_object(json);
    json_finish(json);
}
