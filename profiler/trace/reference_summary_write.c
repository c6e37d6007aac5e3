// SPDX-License-Identifier: MIT
/* The printing half of reference_summary.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "fold/base/utf8.h"
#include "profiler/trace/reference_summary.h"

/* A printed row: a label and its ticks. */
struct row {
    struct text label;
    uint32_t id; /* label, or caller in the heavy view */
    uint64_t ticks;
};

struct rows {
    struct row *items;
    size_t size, capacity;
};

static void add_row(struct rows *rows, struct row row) {
    MEMORY_RESERVE(rows->items, rows->capacity, rows->size + 1);
    rows->items[rows->size++] = row;
}

/* Most ticks first, then names backwards by UTF-16 units, as the reference sorts. */
static int compare_rows(const void *left, const void *right) {
    const struct row *a = left, *b = right;
    if (a->ticks != b->ticks)
        return a->ticks < b->ticks ? 1 : -1;
    return utf8_compare_utf16(b->label, a->label);
}

static void sort_rows(struct rows *rows) {
    if (rows->size > 1)
        qsort(rows->items, rows->size, sizeof *rows->items, compare_rows);
}

static struct text label_text(const struct reference_summary *summary, uint32_t label) {
    struct text text = string_table_text(&summary->labels, (struct string_id){label});
    return text.size == 1 && *text.data == '\0' ? TEXT("") : text;
}

void reference_append_percent(struct buffer *buffer, double percent) {
    if (!isfinite(percent)) {
        buffer_append_format(buffer, "%s", isnan(percent) ? "NaN" : "Infinity");
        return;
    }
    /* Ten times the value is exact in a long double, and so is the sum with one half. */
    uint64_t tenths = (uint64_t)floorl((long double)percent * 10 + 0.5L);
    buffer_append_format(buffer, "%" PRIu64 ".%u", tenths / 10, (unsigned)(tenths % 10));
}

static void write_percent(struct output *output, double percent) {
    struct buffer text = {0};
    reference_append_percent(&text, percent);
    output_format(output, "%5.*s%%  ", (int)text.size, text.data);
    buffer_free(&text);
}

/* A label: in exact mode as it is, but for lone surrogates, which no UTF-8 can hold. */
static void write_label(const struct reference_summary *summary, struct output *output,
                        struct text label) {
    if (!summary->code->rules->exact) {
        output_visible(output, label);
    } else {
        size_t plain = 0;
        while (plain < label.size) {
            struct text rest = text_skip(label, plain);
            size_t length;
            if (utf8_decode(rest, &length) != UTF8_INVALID) {
                plain += length;
                continue;
            }
            output_write(output, label.data, plain);
            output_string(output, "\xEF\xBF\xBD");
            label = text_skip(rest, rest.size < 3 ? rest.size : 3);
            plain = 0;
        }
        output_write(output, label.data, plain);
    }
    output_byte(output, '\n');
}

static double share(uint64_t ticks, uint64_t total) {
    return (double)ticks * 100 / (double)total;
}

/* One line: ticks, their share of `total`, and of `other` where `has_other`. */
static void write_line(const struct reference_summary *summary, struct output *output,
                       struct text label, uint64_t ticks, uint64_t total, bool has_other,
                       uint64_t other) {
    output_format(output, "  %5" PRIu64 "  ", ticks);
    write_percent(output, share(ticks, total));
    if (has_other)
        write_percent(output, share(ticks, other));
    else
        output_string(output, "        ");
    write_label(summary, output, label);
}

enum section { SECTION_LIBRARIES, SECTION_JAVASCRIPT, SECTION_SYMBOLS, SECTION_COUNT };

static enum section section_of(const struct reference_summary *summary, uint32_t label) {
    const struct reference_label *data = &summary->label_data[label];
    return data->is_library  ? SECTION_LIBRARIES
           : data->is_symbol ? SECTION_SYMBOLS
                             : SECTION_JAVASCRIPT;
}

static void write_heading(struct output *output, const char *title) {
    output_format(output, "\n [%s]:\n   ticks  total  nonlib   name\n", title);
}

static void write_entry_points(const struct reference_summary *summary, struct output *output,
                               uint64_t total) {
    struct rows rows = {0};
    uint64_t sum = 0;
    for (size_t label = 1; label < summary->entry_point_count; label++) {
        uint64_t ticks = summary->entry_points[label];
        sum += ticks;
        if (ticks)
            add_row(&rows, (struct row){label_text(summary, (uint32_t)label), 0, ticks});
    }
    output_string(output, "\n [C++ entry points]:\n   ticks    cpp   total   name\n");
    size_t first = 0;
    if (summary->code->rules->exact) {
        /* The reference sorts the sum among the rows and then leaves the first row out. */
        add_row(&rows, (struct row){TEXT("TOTAL"), 0, sum});
        first = 1;
    }
    sort_rows(&rows);
    uint64_t base = first ? rows.items[0].ticks : sum;
    for (size_t i = first; i < rows.size; i++)
        write_line(summary, output, rows.items[i].label, rows.items[i].ticks, base, true, total);
    free(rows.items);
}

/* Callers by parent, so that the children of one can be found: an array of rows sorted by parent,
 * and for each caller where its children begin. */
struct children {
    uint32_t *rows;
    uint32_t *starts; /* by caller; one more than there are callers */
};

static struct children group_children(const struct reference_summary *summary) {
    size_t count = summary->callers.size;
    struct children children = {memory_allocate(count * sizeof(uint32_t)),
                                memory_allocate_zero(count + 1, sizeof(uint32_t))};
    for (size_t i = 1; i < count; i++)
        children.starts[summary->callers.parents[i] + 1]++;
    for (size_t i = 0; i < count; i++)
        children.starts[i + 1] += children.starts[i];
    uint32_t *next = memory_allocate(count * sizeof(uint32_t));
    for (size_t i = 0; i < count; i++)
        next[i] = children.starts[i];
    for (size_t i = 1; i < count; i++)
        children.rows[next[summary->callers.parents[i]]++] = (uint32_t)i;
    free(next);
    return children;
}

/* The heavy view below `caller`. The depth is limited by the tree's own. */
static void write_callers(const struct reference_summary *summary, struct output *output,
                          const struct children *children, uint32_t caller, uint64_t base,
                          size_t indent) {
    struct rows rows = {0};
    for (uint32_t i = children->starts[caller]; i < children->starts[caller + 1]; i++) {
        uint32_t child = children->rows[i];
        uint64_t ticks = summary->caller_ticks[child];
        double percent = (double)ticks / (double)base * 100;
        if (!(percent < 1.0))
            add_row(&rows, (struct row){label_text(summary, summary->callers.frames[child]), child,
                                        ticks});
    }
    sort_rows(&rows);
    for (size_t i = 0; i < rows.size; i++) {
        output_format(output, "  %5" PRIu64 "  ", rows.items[i].ticks);
        write_percent(output, (double)rows.items[i].ticks / (double)base * 100);
        output_format(output, "%*s", (int)indent, "");
        write_label(summary, output, rows.items[i].label);
        if ((double)indent < 2 * summary->options->call_graph_size)
            write_callers(summary, output, children, rows.items[i].id, rows.items[i].ticks,
                          indent + 2);
        if (indent == 0)
            output_byte(output, '\n');
    }
    free(rows.items);
}

static void write_heavy(const struct reference_summary *summary, struct output *output,
                        uint64_t total) {
    output_string(output, "\n [Bottom up (heavy) profile]:\n"
                          "  Note: percentage shows a share of a particular caller in the total\n"
                          "  amount of its parent calls.\n"
                          "  Callers occupying less than 1.0% are not shown.\n\n"
                          "   ticks parent  name\n");
    if (summary->callers.size == 0)
        return;
    struct children children = group_children(summary);
    write_callers(summary, output, &children, 0, total, 0);
    free(children.rows);
    free(children.starts);
}

void reference_summary_write(const struct reference_summary *summary, struct output *output) {
    const struct reference_options *options = summary->options;
    const struct reference_ticks *ticks = &summary->ticks;
    output_format(output,
                  "Statistical profiling result from %s, (%" PRIu64 " ticks, %" PRIu64
                  " unaccounted, %" PRIu64 " excluded).\n",
                  options->log_name, ticks->total, summary->unaccounted, ticks->excluded);
    if (ticks->total == 0)
        return;
    uint64_t total = ticks->total - (options->ignore_unknown ? summary->unaccounted : 0);
    struct rows sections[SECTION_COUNT] = {0};
    uint64_t sums[SECTION_COUNT] = {0};
    for (size_t label = 1; label < summary->label_count; label++) {
        uint64_t flat = summary->label_data[label].flat;
        if (flat == 0 || label == summary->unknown_label)
            continue;
        enum section section = section_of(summary, (uint32_t)label);
        sums[section] += flat;
        add_row(&sections[section],
                (struct row){label_text(summary, (uint32_t)label), (uint32_t)label, flat});
    }
    uint64_t others = total - sums[SECTION_LIBRARIES];
    static const char *const titles[SECTION_COUNT] = {"Shared libraries", "JavaScript", "C++"};
    for (size_t section = 0; section < SECTION_COUNT; section++) {
        sort_rows(&sections[section]);
        if (!options->only_summary)
            write_heading(output, titles[section]);
        for (size_t i = 0; i < sections[section].size && !options->only_summary; i++)
            write_line(summary, output, sections[section].items[i].label,
                       sections[section].items[i].ticks, total, section != SECTION_LIBRARIES,
                       others);
        free(sections[section].items);
    }
    write_heading(output, "Summary");
    write_line(summary, output, TEXT("JavaScript"), sums[SECTION_JAVASCRIPT], total, true, others);
    write_line(summary, output, TEXT("C++"), sums[SECTION_SYMBOLS], total, true, others);
    write_line(summary, output, TEXT("GC"), ticks->gc, total, true, others);
    write_line(summary, output, TEXT("Shared libraries"), sums[SECTION_LIBRARIES], total, false, 0);
    if (!options->ignore_unknown && summary->unaccounted > 0)
        write_line(summary, output, TEXT("Unaccounted"), summary->unaccounted, ticks->total, false,
                   0);
    if (options->only_summary)
        return;
    write_entry_points(summary, output, total);
    write_heavy(summary, output, total);
}
