// SPDX-License-Identifier: MIT
#include "profiler/report/report_blocks.h"

#include <stdlib.h>

#include "fold/base/memory.h"
#include "fold/base/utf8.h"
#include "profiler/report/report_parts.h"
#include "profiler/report/short_name.h"
#include "profiler/report/verdict.h"

enum {
    TIME_DIGITS = 6, /* of seconds */
    FRAMES_SHOWN = 6,
    OUTER_FRAMES_SHOWN = 2, /* of these, at the outer end */
    NAME_COLUMNS = 40,
    LENGTH_WIDTH = 12,
    START_WIDTH = 11,
    LABEL_WIDTH = 10,
    LEFT_WIDTH = 2 + LENGTH_WIDTH + START_WIDTH + 2 + LABEL_WIDTH,
    STACK_INDENT = 6,
};

/* When blocks take so much of the time of the recording, most are not single callbacks. */
static const double crowded_share = 0.6;
static const uint64_t crowd_least = 5;

static double milliseconds(uint64_t microseconds) {
    return (double)microseconds / 1000;
}

void block_append_length(struct buffer *buffer, const struct loop_block *block) {
    if (block->at_most)
        buffer_append_text(buffer, TEXT("at most "));
    buffer_append_format(buffer, "%.1f ms", milliseconds(block->end - block->start));
}

/* "NAME FILE:LINE", the file without its folders. */
static void append_frame(struct buffer *buffer, const struct report *report,
                         const struct function *function) {
    struct buffer name = {0};
    function_append_visible_name(&name, report, function);
    struct short_names names = {0};
    short_names_append(&names, buffer, buffer_text(&name), NAME_COLUMNS);
    short_names_free(&names);
    buffer_free(&name);
    struct text file = text_basename(profile_text(report->profile, function->file));
    if (file.size == 0)
        return;
    buffer_append_byte(buffer, ' ');
    utf8_append_visible(buffer, file);
    if (function->line)
        buffer_append_format(buffer, ":%u", function->line);
}

static const struct function *function_at(const struct report *report, uint32_t node) {
    return &report->tree->functions[report->tree->nodes[node].function];
}

/* The innermost function of a block's stack that is the program's own, or its packages'; without
 * one the innermost function of all. */
static const struct function *find_own(const struct report *report,
                                       const struct loop_block *block) {
    for (uint32_t node = block->inner; node != 0; node = report->tree->nodes[node].parent) {
        const struct function *function = function_at(report, node);
        if (function->kind == FRAME_JAVASCRIPT && function->origin != ORIGIN_CORE)
            return function;
        if (node == block->outer)
            break;
    }
    return function_at(report, block->inner);
}

void block_append_what(struct buffer *buffer, const struct report *report,
                       const struct loop_block *block) {
    if (block->several)
        buffer_append_text(buffer, TEXT("several callbacks, most of it: "));
    if (block->inner == 0 && !block->waiting_known) {
        buffer_append_text(buffer, TEXT("not seen: record with --off-cpu"));
    } else if (block->inner == 0) {
        buffer_append_text(buffer, TEXT("no sample fell into it"));
    } else if (block->call) {
        utf8_append_visible(buffer, text_of(report->blocking->calls[block->call - 1].name));
        if (block->caller) {
            buffer_append_text(buffer, TEXT(" from "));
            function_append_visible_name(buffer, report, &report->tree->functions[block->caller]);
        }
    } else {
        append_frame(buffer, report, find_own(report, block));
    }
}

/* The nodes of a block's stack, outermost first; to be freed. */
static uint32_t *list_nodes(const struct report *report, const struct loop_block *block,
                            size_t *count) {
    uint32_t *nodes = NULL;
    size_t capacity = 0;
    *count = 0;
    for (uint32_t node = block->inner; node != 0; node = report->tree->nodes[node].parent) {
        MEMORY_RESERVE(nodes, capacity, *count + 1);
        nodes[(*count)++] = node;
        if (node == block->outer)
            break;
    }
    for (size_t i = 0; i < *count / 2; i++) {
        uint32_t other = nodes[i];
        nodes[i] = nodes[*count - 1 - i];
        nodes[*count - 1 - i] = other;
    }
    return nodes;
}

/* Leaves those nodes whose frame tells a reader something: functions of scripts, once each, and the
 * innermost frame. Returns how many. */
static size_t keep_telling(const struct report *report, uint32_t *nodes, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const struct function *function = function_at(report, nodes[i]);
        bool script = function->kind == FRAME_JAVASCRIPT || function->kind == FRAME_WASM;
        bool again = kept && report->tree->nodes[nodes[kept - 1]].function ==
                                 report->tree->nodes[nodes[i]].function;
        if ((script || i + 1 == count) && !again)
            nodes[kept++] = nodes[i];
    }
    return kept;
}

/* "in handle app.js:3 > ... > login auth.js:12 > pbkdf2Sync pbkdf2:62". */
static void append_stack(struct buffer *buffer, const struct report *report,
                         const struct loop_block *block) {
    size_t count;
    uint32_t *nodes = list_nodes(report, block, &count);
    count = keep_telling(report, nodes, count);
    size_t left_out = count > FRAMES_SHOWN ? count - FRAMES_SHOWN : 0;
    for (size_t i = 0; i < count; i++) {
        buffer_append_text(buffer, i ? TEXT(" > ") : TEXT("in "));
        if (i == OUTER_FRAMES_SHOWN && left_out) {
            buffer_append_format(buffer, "%zu more > ", left_out);
            i += left_out;
        }
        append_frame(buffer, report, function_at(report, nodes[i]));
    }
    free(nodes);
}

static void write_block(struct table *table, const struct report *report,
                        const struct loop_block *block, bool with_stack) {
    struct buffer cell = {0}, shown = {0};
    struct output *output = table->output;
    output_string(output, "  ");
    buffer_append_format(&cell, "%s%.1f", block->at_most ? "<= " : "",
                         milliseconds(block->end - block->start));
    table_right(table, BOLD, buffer_text(&cell), LENGTH_WIDTH);
    buffer_clear(&cell);
    buffer_append_format(&cell, "%.2f s", (double)block->start / 1e6);
    table_right(table, PLAIN, buffer_text(&cell), START_WIDTH);
    output_string(output, "  ");
    const char *label = loop_block_label_name(block->label);
    table_left(table, block->label > LOOP_BLOCK_CPU ? BOLD : PLAIN,
               text_of(label ? label : "wall time"), LABEL_WIDTH);
    buffer_clear(&cell);
    block_append_what(&cell, report, block);
    append_cut(&shown, buffer_text(&cell), REPORT_WIDTH - LEFT_WIDTH, false);
    output_text(output, buffer_text(&shown));
    output_byte(output, '\n');
    buffer_clear(&cell);
    if (with_stack)
        append_stack(&cell, report, block);
    if (cell.size) {
        output_format(output, "%*s", STACK_INDENT, "");
        table_wrapped(table, FAINT, buffer_text(&cell), STACK_INDENT + 3, STACK_INDENT);
    }
    buffer_free(&cell);
    buffer_free(&shown);
}

void blocks_append_count(struct buffer *buffer, const struct report *report) {
    const struct loop_blocks *blocks = report->blocks;
    if (blocks->number == 0) {
        buffer_append_format(buffer, "No block of %d ms or longer%s.", LOOP_BLOCK_LEAST_US / 1000,
                             blocks->startup_count ? " after start-up" : "");
    } else {
        buffer_append_format(buffer,
                             "%llu of %d ms or longer, %.2f s in all; %llu of %d ms or longer, "
                             "%.2f s in all.",
                             (unsigned long long)blocks->number, LOOP_BLOCK_LEAST_US / 1000,
                             (double)blocks->total / 1e6, (unsigned long long)blocks->long_number,
                             LOOP_BLOCK_LONG_US / 1000, (double)blocks->long_total / 1e6);
    }
    for (size_t i = 0; i < blocks->startup_count; i++) {
        buffer_append_text(buffer, i ? TEXT(", ") : TEXT(" Start-up, not among them: "));
        block_append_length(buffer, &blocks->startup[i]);
    }
    if (blocks->startup_count)
        buffer_append_byte(buffer, '.');
}

void blocks_append_evidence(struct buffer *buffer, const struct report *report) {
    const struct loop_blocks *blocks = report->blocks;
    bool seen[LOOP_BY_CPU_CLOCK + 1] = {false};
    uint64_t error = 0;
    for (size_t i = 0; i < blocks->count; i++) {
        seen[blocks->blocks[i].evidence] = true;
        if (blocks->blocks[i].error > error)
            error = blocks->blocks[i].error;
    }
    static const char *const words[] = {
        [LOOP_BY_COUNTERS] = "Measured at the event loop itself",
        [LOOP_BY_SWITCHES] = "Measured between the switches of threads",
        [LOOP_BY_WALL_CLOCK] =
            "From samples by the wall clock, so waiting counts; callbacks that follow one another "
            "at once count as one block",
        [LOOP_BY_CPU_CLOCK] =
            "From samples of CPU time, in which waits are not seen; callbacks that follow one "
            "another closely count as one block",
    };
    for (int evidence = LOOP_BY_COUNTERS; evidence <= LOOP_BY_CPU_CLOCK; evidence++)
        if (seen[evidence])
            buffer_append_format(buffer, "%s. ", words[evidence]);
    bool crowded = (double)blocks->total >= crowded_share * (double)report->profile->duration_us;
    if (crowded && blocks->number >= crowd_least && !seen[LOOP_BY_COUNTERS])
        buffer_append_text(buffer, TEXT("The loop was seldom seen idle, so most of these are "
                                        "probably many short callbacks: only `tickflame record` "
                                        "of the living process tells them apart. "));
    if (blocks->count)
        buffer_append_format(buffer, "Lengths may be off by about %.1f ms.", milliseconds(error));
}

/* Whether the stack of a block stands in a row above it. */
static bool is_shown(const struct report *report, size_t row) {
    const struct loop_block *blocks = report->blocks->blocks;
    struct buffer stack = {0}, other = {0};
    bool shown = false;
    append_stack(&stack, report, &blocks[row]);
    for (size_t i = 0; i < row && !shown; i++) {
        buffer_clear(&other);
        append_stack(&other, report, &blocks[i]);
        shown = text_equal(buffer_text(&stack), buffer_text(&other));
    }
    buffer_free(&stack);
    buffer_free(&other);
    return shown;
}

void blocks_write_text(struct table *table, const struct report *report) {
    const struct loop_blocks *blocks = report->blocks;
    if (!blocks)
        return;
    struct buffer line = {0};
    table_heading(table, "Longest event-loop blocks");
    if (blocks->count) {
        output_string(table->output, "  ");
        table_right(table, FAINT, TEXT("ms"), LENGTH_WIDTH);
        table_right(table, FAINT, TEXT("start"), START_WIDTH);
        table_text(table, FAINT, TEXT("  time went to"));
        output_byte(table->output, '\n');
    }
    for (size_t i = 0; i < blocks->count; i++)
        write_block(table, report, &blocks->blocks[i], !is_shown(report, i));
    blocks_append_count(&line, report);
    output_string(table->output, "  ");
    table_wrapped(table, PLAIN, buffer_text(&line), 2, 2);
    buffer_clear(&line);
    blocks_append_evidence(&line, report);
    if (line.size) {
        output_string(table->output, "  ");
        table_wrapped(table, FAINT, buffer_text(&line), 2, 2);
    }
    buffer_free(&line);
}

static void write_milliseconds(struct json_writer *json, const char *key, bool known,
                               uint64_t microseconds) {
    json_key(json, key);
    if (known)
        json_real(json, milliseconds(microseconds), 3);
    else
        json_null(json);
}

/* name, file, line; null without a function. */
static void write_caller(struct json_writer *json, const struct report *report, uint32_t row) {
    const struct function *function = &report->tree->functions[row];
    json_key(json, "caller");
    if (row == 0) {
        json_null(json);
        return;
    }
    struct buffer name = {0};
    function_append_name(&name, report->profile, function);
    json_begin_inline_object(json);
    json_key(json, "name");
    json_text(json, buffer_text(&name));
    json_key(json, "file");
    if (function->file.index)
        json_text(json, profile_text(report->profile, function->file));
    else
        json_null(json);
    json_key(json, "line");
    if (function->line)
        json_count(json, function->line);
    else
        json_null(json);
    json_end_object(json);
    buffer_free(&name);
}

static void write_block_json(struct json_writer *json, const struct report *report,
                             const struct loop_block *block) {
    const struct profile_thread *thread = &report->profile->threads[block->thread];
    json_begin_object(json);
    json_key(json, "start_s");
    json_real(json, (double)block->start / 1e6, TIME_DIGITS);
    write_milliseconds(json, "ms", true, block->end - block->start);
    write_milliseconds(json, "error_ms", true, block->error);
    json_key(json, "at_most");
    json_boolean(json, block->at_most);
    json_key(json, "several");
    json_boolean(json, block->several);
    json_key(json, "startup");
    json_boolean(json, block->startup);
    json_key(json, "label");
    json_string(json, loop_block_label_name(block->label));
    write_milliseconds(json, "cpu_ms", block->cpu_known, block->cpu);
    write_milliseconds(json, "waiting_ms", block->waiting_known, block->waiting);
    write_milliseconds(json, "throttled_ms", block->cpu_known, block->throttled);
    json_key(json, "evidence");
    json_string(json, loop_evidence_name(block->evidence));
    json_key(json, "thread");
    json_begin_inline_object(json);
    json_key(json, "name");
    if (thread->name.index)
        json_text(json, profile_text(report->profile, thread->name));
    else
        json_null(json);
    json_key(json, "id");
    if (thread->id)
        json_count(json, thread->id);
    else
        json_null(json);
    json_key(json, "role");
    json_string(json, thread_role_name(thread->role));
    json_end_object(json);
    json_key(json, "call");
    json_string(json, block->call ? report->blocking->calls[block->call - 1].name : NULL);
    write_caller(json, report, block->caller);
    json_key(json, "stack");
    json_begin_array(json);
    size_t count;
    uint32_t *nodes = list_nodes(report, block, &count);
    for (size_t i = 0; i < count; i++)
        json_text(json, function_at(report, nodes[i])->label);
    free(nodes);
    json_end_array(json);
    json_end_object(json);
}

void blocks_write_json(struct json_writer *json, const struct report *report) {
    const struct loop_blocks *blocks = report->blocks;
    json_key(json, "blocks");
    json_begin_array(json);
    for (size_t i = 0; blocks && i < blocks->count; i++)
        write_block_json(json, report, &blocks->blocks[i]);
    for (size_t i = 0; blocks && i < blocks->startup_count; i++)
        write_block_json(json, report, &blocks->startup[i]);
    json_end_array(json);
    json_key(json, "event_loop");
    if (!blocks) {
        json_null(json);
        return;
    }
    json_begin_inline_object(json);
    json_key(json, "blocks");
    json_count(json, blocks->number);
    write_milliseconds(json, "blocked_ms", true, blocks->total);
    json_key(json, "long_blocks");
    json_count(json, blocks->long_number);
    write_milliseconds(json, "long_blocked_ms", true, blocks->long_total);
    json_end_object(json);
}

void call_append_longest(struct buffer *buffer, const struct report *report,
                         const struct blocking_call *call) {
    uint64_t longest = report_longest(report, call);
    if (longest)
        buffer_append_format(buffer, ", at most %.1f ms at once", milliseconds(longest));
}

const char *report_clock_words(const struct report *report) {
    const struct profile *profile = report->profile;
    if (profile->waiting_is_missing)
        return profile->native_stacks
                   ? "on-CPU time: time spent waiting (disk, child process) is not in it; record "
                     "with --off-cpu"
                   : "on-CPU time: time spent waiting (disk, child process) is not in it";
    if (profile->has_waits)
        return "wall clock: CPU time and time spent waiting";
    const char *clock = report_clock_name(profile);
    return clock ? "wall clock: time spent waiting (disk, child process) counts" : NULL;
}
