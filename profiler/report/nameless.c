// SPDX-License-Identifier: MIT
#include "profiler/report/nameless.h"

#include <stdlib.h>

#include "fold/base/memory.h"
#include "fold/base/utf8.h"
#include "profiler/report/verdict.h"

/* Below this share of busy time a place without names is not explained. */
static const double nameless_share_least = 0.005;

enum { CALLERS_SHOWN = 2 };

/* A function without a name (a library as a whole, or an unknown address) below a JavaScript
 * function. */
struct nameless_call {
    uint32_t function; /* row of tree->functions: the one without a name */
    uint32_t caller;   /* row: the nearest JavaScript function; 0 = none */
    struct weight weight;
};

static bool is_nameless(const struct function *function) {
    return function->kind == FRAME_LIBRARY || function->kind == FRAME_UNACCOUNTED;
}

static int compare_rows(const void *left, const void *right) {
    const struct nameless_call *a = left, *b = right;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    return (a->caller > b->caller) - (a->caller < b->caller);
}

static int compare_weights(const void *left, const void *right) {
    const struct nameless_call *a = left, *b = right;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    int order = weight_compare(b->weight, a->weight);
    return order ? order : (a->caller > b->caller) - (a->caller < b->caller);
}

/* All pairs of a nameless function and its JavaScript caller, each once; by function, then the
 * heaviest first. To be freed. */
static struct nameless_call *find_calls(const struct call_tree *tree, size_t *count) {
    struct nameless_call *calls = NULL;
    size_t capacity = 0, size = 0;
    uint32_t *callers = memory_allocate_zero(tree->node_count, sizeof *callers);
    for (size_t i = 1; i < tree->node_count; i++) {
        const struct call_node *node = &tree->nodes[i];
        const struct function *function = &tree->functions[node->function];
        bool javascript = function->kind == FRAME_JAVASCRIPT;
        callers[i] = javascript ? node->function : callers[node->parent];
        if (!is_nameless(function) || weight_is_zero(node->self))
            continue;
        MEMORY_RESERVE(calls, capacity, size + 1);
        calls[size++] = (struct nameless_call){node->function, callers[i], node->self};
    }
    free(callers);
    if (size)
        qsort(calls, size, sizeof *calls, compare_rows);
    *count = 0;
    for (size_t i = 0; i < size; i++) {
        if (*count && compare_rows(&calls[*count - 1], &calls[i]) == 0)
            calls[*count - 1].weight = weight_add(calls[*count - 1].weight, calls[i].weight);
        else
            calls[(*count)++] = calls[i];
    }
    if (*count)
        qsort(calls, *count, sizeof *calls, compare_weights);
    return calls;
}

/* What would give a library its names. */
static const char *library_cure(struct text path) {
    struct text name = text_basename(path);
    if (text_ends_with(name, TEXT(".node")))
        return "an add-on is stripped as a rule; build it with debug symbols, or go by its "
               "callers";
    if (text_starts_with(name, TEXT("node")))
        return "name the binary that was recorded with --apply-to, or its root with --target-root";
    if (text_starts_with(name, TEXT("libc.so")) || text_starts_with(name, TEXT("libm.so")) ||
        text_starts_with(name, TEXT("libpthread")) || text_starts_with(name, TEXT("ld-linux")))
        return "its debug symbols are in the package libc6-dbg on Debian";
    if (text_starts_with(name, TEXT("[")))
        return NULL;
    return "install its debug symbols, or look below another root with --target-root";
}

static void append_library(struct buffer *line, const struct report *report,
                           const struct function *function) {
    const struct profile *profile = report->profile;
    struct text path = profile_text(profile, function->module);
    const struct profile_library *library =
        function->module.index ? profile_find_library(profile, function->module) : NULL;
    utf8_append_visible(line, path.size ? path : function->label);
    if (!library)
        return;
    if (library->symbol_count)
        buffer_append_format(line, ": %llu symbols, but none at these addresses",
                             (unsigned long long)library->symbol_count);
    else
        buffer_append_format(line, ": no symbols");
    if (library->complaint.index) {
        buffer_append_format(line, " (");
        utf8_append_visible(line, profile_text(profile, library->complaint));
        buffer_append_byte(line, ')');
    }
    const char *cure = library_cure(path);
    if (cure)
        buffer_append_format(line, "; %s", cure);
}

/* Why addresses are in no known code. */
static void append_reasons(struct buffer *line, const struct report *report) {
    static const char *const reasons[] = {
        [UNACCOUNTED_OUTSIDE] =
            ("in no library that the log lists and in no code it announced (an add-on or library "
             "opened after the start, or code that V8 did not log)"),
        [UNACCOUNTED_CODE_GONE] = "in memory whose code was deleted, moved or replaced before",
        [UNACCOUNTED_NO_ADDRESS] = "without an address",
    };
    const struct profile *profile = report->profile;
    buffer_append_format(line, "unknown addresses");
    const char *separator = ": ";
    for (int reason = 0; reason < UNACCOUNTED_REASON_COUNT; reason++) {
        if (weight_is_zero(profile->unaccounted[reason]))
            continue;
        buffer_append_format(line, "%s", separator);
        weight_append_grouped(line, profile->unaccounted[reason]);
        buffer_append_format(line, " %s", reasons[reason]);
        separator = "; ";
    }
}

/* One function without a name, and who calls it. `calls` are its `count` callers. */
static void write_nameless(struct table *table, const struct report *report,
                           const struct nameless_call *calls, size_t count) {
    const struct function *function = &report->tree->functions[calls[0].function];
    double share = weight_share(function->self, report->tree->busy);
    if (share < nameless_share_least)
        return;
    struct buffer line = {0};
    output_format(table->output, "%9.1f %%  ", 100 * share);
    if (function->kind == FRAME_UNACCOUNTED)
        append_reasons(&line, report);
    else
        append_library(&line, report, function);
    table_wrapped(table, PLAIN, buffer_text(&line), 13, 13);
    buffer_clear(&line);
    for (size_t i = 0, shown = 0; i < count && shown < CALLERS_SHOWN; i++) {
        double part = weight_share(calls[i].weight, function->self);
        if (part < 0.05)
            break;
        buffer_append_format(&line, "%s%.0f %% ", shown++ ? ", " : "called from: ", 100 * part);
        if (calls[i].caller == 0) {
            buffer_append_format(&line, "no JavaScript");
            continue;
        }
        const struct function *caller = &report->tree->functions[calls[i].caller];
        function_append_visible_name(&line, report, caller);
        buffer_append_byte(&line, ' ');
        function_append_visible_line(&line, report, caller);
    }
    if (line.size) {
        output_format(table->output, "%13s", "");
        table_wrapped(table, FAINT, buffer_text(&line), 13, 13);
    }
    buffer_free(&line);
}

void nameless_write(struct table *table, const struct report *report) {
    const struct call_tree *tree = report->tree;
    size_t count;
    struct nameless_call *calls = find_calls(tree, &count);
    struct weight sum = {0};
    for (size_t i = 0; i < count; i++)
        sum = weight_add(sum, calls[i].weight);
    if (weight_share(sum, tree->busy) >= nameless_share_least) {
        table_heading(table, "Time without a function's name");
        /* Heaviest functions first, which is the report's order. */
        for (size_t rank = 0; rank < report->function_count; rank++) {
            uint32_t row = report->functions[rank];
            if (!is_nameless(&tree->functions[row]))
                continue;
            size_t first = 0, end;
            while (first < count && calls[first].function != row)
                first++;
            for (end = first; end < count && calls[end].function == row; end++)
                continue;
            if (end > first)
                write_nameless(table, report, &calls[first], end - first);
        }
    }
    free(calls);
}
