// SPDX-License-Identifier: MIT
/* The report as Markdown, for comments and job summaries: names stand in code spans, where nothing
 * in them means anything. */
#include <string.h>

#include "fold/base/utf8.h"
#include "profiler/report/report_blocks.h"
#include "profiler/report/report_parts.h"
#include "profiler/report/table.h"
#include "profiler/report/verdict.h"

enum { CODE_COLUMNS = 240 };

/* A code span in a table cell: fenced by more backticks than the text has in a row. A bar would end
 * the cell, so it is escaped; the backslash of an even number of them would not do that. Comments
 * have a limit, so the text does: it is cut at its end, or at its front. */
static void write_code(struct output *output, struct text text, bool keep_end) {
    struct buffer whole = {0}, visible = {0};
    size_t longest = 0, run = 0, backslashes = 0;
    utf8_append_visible(&whole, text);
    append_cut(&visible, buffer_text(&whole), CODE_COLUMNS, keep_end);
    buffer_free(&whole);
    for (size_t i = 0; i < visible.size; i++) {
        run = visible.data[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    for (size_t i = 0; i <= longest; i++)
        output_byte(output, '`');
    if (longest)
        output_byte(output, ' ');
    for (size_t i = 0; i < visible.size; i++) {
        if (visible.data[i] == '|')
            output_string(output, backslashes % 2 ? "\\\\" : "\\");
        backslashes = visible.data[i] == '\\' ? backslashes + 1 : 0;
        output_byte(output, visible.data[i]);
    }
    if (longest)
        output_byte(output, ' ');
    for (size_t i = 0; i <= longest; i++)
        output_byte(output, '`');
    buffer_free(&visible);
}

/* A sentence with code spans in it: outside of these, what could be markup is escaped. */
static void write_sentence(struct output *output, struct text text) {
    bool in_code = false;
    for (size_t i = 0; i < text.size; i++) {
        char byte = text.data[i];
        if (byte == '`')
            in_code = !in_code;
        else if (!in_code && strchr("\\*_[]<>#|~&!@", byte))
            output_byte(output, '\\');
        output_byte(output, byte);
    }
    output_byte(output, '\n');
}

static void write_share(struct output *output, const struct report *report, double share) {
    struct buffer buffer = {0};
    share_append(&buffer, share, share_error_shown(report, share));
    output_format(output, " %.*s |", (int)buffer.size, buffer.data);
    buffer_free(&buffer);
}

/* `NAME` `FILE:LINE`. */
static void write_function_name(struct output *output, const struct report *report,
                                const struct function *function) {
    struct buffer name = {0}, place = {0};
    function_append_name(&name, report->profile, function);
    write_code(output, buffer_text(&name), false);
    buffer_append_text(&place, profile_text(report->profile, function->file));
    if (place.size) {
        if (function->line)
            buffer_append_format(&place, ":%u", function->line);
        output_byte(output, ' ');
        write_code(output, buffer_text(&place), true);
    }
    buffer_free(&name);
    buffer_free(&place);
}

static void write_summary(struct output *output, const struct report *report) {
    const struct call_tree *tree = report->tree;
    output_format(output, "\n| | %s | share |\n| --- | ---: | ---: |\n", report->unit);
    for (int row = 0; row < SUMMARY_ROW_COUNT; row++) {
        struct buffer count = {0};
        if (row > SUMMARY_GC && weight_is_zero(tree->summary[row]))
            continue;
        report_append_amount(&count, report, tree->summary[row]);
        output_format(output, "| %s%s | %.*s |", report_summary_name(row),
                      row == SUMMARY_GC && report->gc_overlaps ? " (on top of the others)" : "",
                      (int)count.size, count.data);
        write_share(output, report, weight_share(tree->summary[row], report->base));
        output_byte(output, '\n');
        buffer_free(&count);
    }
}

static void write_memory(struct output *output, const struct report *report) {
    struct buffer line = {0};
    memory_append(&line, report);
    if (line.size) {
        output_byte(output, '\n');
        write_sentence(output, buffer_text(&line));
    }
    buffer_free(&line);
}

static void write_sampling(struct output *output, const struct report *report) {
    struct buffer line = {0};
    sampling_append(&line, report);
    if (line.size) {
        output_byte(output, '\n');
        write_sentence(output, buffer_text(&line));
    }
    buffer_free(&line);
}

static void write_calls(struct output *output, const struct report *report, const char *title,
                        const struct blocking_call *calls, size_t count) {
    struct weight base = report->tree->javascript_threads;
    const char *clock = report_clock_words(report);
    size_t shown = 0;
    for (size_t i = 0; i < count; i++) {
        const struct blocking_call *call = &calls[i];
        if (weight_is_zero(call->total))
            continue;
        if (shown++ == 0)
            output_format(output,
                          "\n**%s**\n\n| call | share | caller | instead |\n"
                          "| --- | ---: | --- | --- |\n",
                          title);
        output_string(output, "| ");
        write_code(output, text_of(call->name), false);
        output_string(output, " |");
        write_share(output, report, weight_share(call->total, base));
        output_byte(output, ' ');
        if (call->caller_count && call->callers[0].function)
            write_function_name(output, report,
                                &report->tree->functions[call->callers[0].function]);
        output_format(output, " | %s |\n", call->kind->instead ? call->kind->instead : "");
    }
    if (shown && clock && calls == report->blocking->calls)
        output_format(output, "\nShares of the %s.\n", clock);
}

static void write_blocks(struct output *output, const struct report *report) {
    const struct loop_blocks *blocks = report->blocks;
    if (!blocks)
        return;
    struct buffer line = {0};
    if (blocks->count)
        output_string(output,
                      "\n**Longest event-loop blocks**\n\n| length | start | time went to | "
                      "what |\n| ---: | ---: | --- | --- |\n");
    for (size_t i = 0; i < blocks->count; i++) {
        const struct loop_block *block = &blocks->blocks[i];
        const char *label = loop_block_label_name(block->label);
        buffer_clear(&line);
        block_append_length(&line, block);
        output_format(output, "| %.*s | %.2f s | %s | ", (int)line.size, line.data,
                      (double)block->start / 1e6, label ? label : "wall time");
        buffer_clear(&line);
        block_append_what(&line, report, block);
        write_code(output, buffer_text(&line), false);
        output_string(output, " |\n");
    }
    buffer_clear(&line);
    blocks_append_count(&line, report);
    buffer_append_byte(&line, ' ');
    blocks_append_evidence(&line, report);
    output_format(output, "\n%s", blocks->count ? "" : "Event-loop blocks: ");
    write_sentence(output, buffer_text(&line));
    buffer_free(&line);
}

static void write_functions(struct output *output, const struct report *report, size_t top) {
    output_string(output, "\n**Hot functions**\n\n| self | total | function |\n"
                          "| ---: | ---: | --- |\n");
    for (size_t i = 0; i < report->function_count && i < top; i++) {
        const struct function *function = &report->tree->functions[report->functions[i]];
        output_byte(output, '|');
        write_share(output, report, weight_share(function->self, report->tree->busy));
        output_format(output, " %.1f %% | ",
                      100 * weight_share(function->total, report->tree->busy));
        write_function_name(output, report, function);
        output_string(output, " |\n");
    }
}

static void write_notes(struct output *output, const struct report *report) {
    if (report->note_count + report->warnings->size)
        output_byte(output, '\n');
    for (size_t i = 0; i < report->note_count; i++) {
        output_string(output, "- ");
        write_sentence(output, text_of(report->notes[i].text));
    }
    for (size_t i = 0; i < report->warnings->size; i++) {
        struct buffer visible = {0};
        utf8_append_visible(&visible, text_of(report->warnings->items[i].text));
        output_string(output, "- ");
        write_sentence(output, buffer_text(&visible));
        buffer_free(&visible);
    }
}

void report_write_markdown(struct output *output, const struct report *report,
                           const struct report_text_options *options) {
    const struct blocking *blocking = report->blocking;
    write_sentence(output, buffer_text(&report->verdict));
    if (!weight_is_zero(report->base)) {
        write_summary(output, report);
        write_memory(output, report);
        write_calls(output, report, "Calls that block the event loop", blocking->calls,
                    blocking->call_count);
        if (!options->summary_only) {
            write_calls(output, report, "Long computations without Sync in their name",
                        blocking->heavy, blocking->heavy_count);
            write_blocks(output, report);
            write_functions(output, report, options->top);
        }
    }
    write_notes(output, report);
    write_sampling(output, report);
}
