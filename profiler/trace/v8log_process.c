// SPDX-License-Identifier: MIT
#include "profiler/trace/v8log_process.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fold/base/number.h"
#include "profiler/trace/v8log_fields.h"

/* The longest lines are sources of scripts. More than this is kept of none of them. */
enum { LINE_LIMIT = 64 * 1024 * 1024, LINE_LIMIT_TOLERANT = 4 * 1024 * 1024 };

void v8log_process_start(struct v8log_process *process, const struct v8log_rules *rules,
                         struct v8log_sink sink, struct warnings *warnings) {
    *process = (struct v8log_process){.sink = sink, .warnings = warnings};
    v8log_code_start(&process->code, rules);
    process->lines.size_limit = rules->exact ? LINE_LIMIT : LINE_LIMIT_TOLERANT;
}

static void take_line(struct v8log_process *process, struct text line) {
    if (process->code.rules->exact)
        v8log_exact_line(process, line);
    else
        v8log_tolerant_line(process, line);
}

/* Hands the held lines on, as if they came now. */
static void release_held(struct v8log_process *process) {
    struct buffer held = process->held;
    process->held = (struct buffer){0};
    struct text rest = buffer_text(&held);
    while (rest.size) {
        const char *end = memchr(rest.data, '\n', rest.size);
        struct text line = {rest.data, (size_t)(end - rest.data)};
        rest = text_skip(rest, line.size + 1);
        take_line(process, line);
    }
    buffer_free(&held);
}

static void take_timed_line(struct v8log_process *process, struct text line) {
    if (text_starts_with(line, TEXT("current-time"))) {
        if (process->marker_seen)
            release_held(process);
        process->marker_seen =
            !process->marker_seen || process->timed_range != V8LOG_PAIRWISE_TIMED_RANGE;
    } else if (process->marker_seen) {
        buffer_append_text(&process->held, line);
        buffer_append_byte(&process->held, '\n');
    } else if (!text_starts_with(line, TEXT("tick"))) {
        take_line(process, line);
    }
}

void v8log_process_feed(struct v8log_process *process, struct text piece) {
    if (process->stopped)
        return;
    v8log_lines_feed(&process->lines, piece);
    struct text line;
    while (v8log_lines_next(&process->lines, &line)) {
        if (line.size == 0 && process->code.rules->exact) {
            process->stopped = true;
            return;
        }
        if (process->lines.longest_cut && !text_starts_with(line, TEXT("script-source,"))) {
            warnings_add(process->warnings, "long-line", process->lines.number,
                         "a line of %" PRIu64 " bytes was skipped", process->lines.longest_cut);
            continue;
        }
        if (process->timed_range == V8LOG_ALL_LINES)
            take_line(process, line);
        else
            take_timed_line(process, line);
    }
}

void v8log_process_finish(struct v8log_process *process) {
    v8log_tolerant_flush(process);
    struct text line;
    bool rest = !process->stopped && v8log_lines_rest(&process->lines, &line);
    process->stopped = false;
    if (rest && line.size && !text_equal(line, TEXT("profiler,end")))
        warnings_add(process->warnings, "incomplete-record", process->lines.number,
                     "1 incomplete record at the end was dropped");
}

void v8log_process_free(struct v8log_process *process) {
    v8log_code_free(&process->code);
    v8log_lines_free(&process->lines);
    buffer_free(&process->held);
    buffer_free(&process->joined);
    for (size_t i = 0; i < sizeof process->scratch / sizeof *process->scratch; i++)
        buffer_free(&process->scratch[i]);
    buffer_free(&process->decoded);
    buffer_free(&process->v8_version);
    free(process->frames);
}

bool v8log_is_header(struct text line) {
    return text_starts_with(line, TEXT("v8-version,"));
}

uint64_t v8log_header_major(struct text line) {
    uint64_t major = 0;
    struct text rest = text_skip(line, 11);
    if (v8log_is_header(line))
        (void)number_parse_decimal(v8log_take_field(&rest), &major);
    return major;
}

bool v8log_take_address(struct text *rest, uint64_t *address) {
    const char *at = rest->data;
    size_t size = rest->size;
    if (size < 3 || at[0] != '0' || at[1] != 'x')
        return false;
    uint64_t value = 0;
    size_t i = 2;
    int digit;
    while (i < size && (digit = number_hexadecimal_digit(at[i])) >= 0) {
        value = value << 4 | (uint64_t)digit;
        i++;
    }
    if (i == 2 || i > 18 || (i < size && at[i] != ','))
        return false;
    *address = value;
    *rest = text_skip(*rest, i + 1);
    return true;
}

bool v8log_take_decimal(struct text *rest, uint64_t *number) {
    uint64_t value = 0;
    size_t i = 0;
    for (; i < rest->size && rest->data[i] >= '0' && rest->data[i] <= '9'; i++)
        value = value * 10 + (uint64_t)(rest->data[i] - '0');
    if (i == 0 || i > 15 || (i < rest->size && rest->data[i] != ','))
        return false;
    *number = value;
    *rest = text_skip(*rest, i + 1);
    return true;
}

struct text v8log_take_field(struct text *rest) {
    const char *comma = rest->size ? memchr(rest->data, ',', rest->size) : NULL;
    struct text field = {rest->data, comma ? (size_t)(comma - rest->data) : rest->size};
    *rest = text_skip(*rest, field.size + 1);
    return field;
}

void v8log_add_frame(struct v8log_process *process, size_t count, uint64_t frame) {
    MEMORY_RESERVE(process->frames, process->frame_capacity, count + 1);
    process->frames[count] = frame;
}
