// SPDX-License-Identifier: MIT
/* Lines of an isolate log as a reference version understands them, faults included. */
#include <math.h>
#include <string.h>

#include "fold/base/utf8.h"
#include "profiler/trace/v8log_fields.h"
#include "profiler/trace/v8log_process.h"

/* Field `index` unescaped; at most 8 fields of a line can be asked for at a time. */
static struct text unescaped(struct v8log_process *process, const struct v8log_fields *fields,
                             size_t index, size_t scratch) {
    struct text field = fields->items[index];
    if (field.size == 0 || !memchr(field.data, '\\', field.size))
        return field;
    struct buffer *buffer = &process->scratch[scratch];
    buffer_clear(buffer);
    v8log_unescape_exactly(buffer, field);
    return buffer_text(buffer);
}

static double number(const struct v8log_fields *fields, size_t index) {
    return v8log_parse_int(fields->items[index]);
}

static uint64_t address(const struct v8log_fields *fields, size_t index) {
    return v8log_parse_address_exactly(fields->items[index]);
}

/* A frame's number: parseInt(text, 16) up to 18, parseInt(text) later. As a wrapping address. */
static bool parse_frame(const struct v8log_process *process, struct text frame, uint64_t *value) {
    double parsed = process->code.rules->frames_in_hexadecimal ? v8log_parse_int_16(frame)
                                                               : v8log_parse_int(frame);
    if (isnan(parsed) || fabs(parsed) >= 0x1p64)
        return false;
    *value = parsed < 0 ? (uint64_t)0 - (uint64_t)-parsed : (uint64_t)parsed;
    return true;
}

static void take_tick(struct v8log_process *process, struct text rest) {
    struct v8log_tick tick = {.state = NAN, .time = NAN};
    uint64_t time, callback, state;
    struct text start = rest;
    bool plain = v8log_take_address(&rest, &tick.pc) && v8log_take_decimal(&rest, &time) &&
                 v8log_take_decimal(&rest, &callback) &&
                 v8log_take_address(&rest, &tick.top_of_stack) && v8log_take_decimal(&rest, &state);
    if (plain) {
        tick.pc = v8log_round_address(tick.pc);
        tick.top_of_stack = v8log_round_address(tick.top_of_stack);
        tick.time = (double)time;
        tick.in_callback = callback != 0;
        tick.state = (double)state;
    } else {
        rest = start;
        struct v8log_fields fields;
        v8log_fields_split(&fields, rest);
        tick.pc = address(&fields, 0);
        tick.time = number(&fields, 1);
        double in_callback = number(&fields, 2);
        tick.in_callback = !isnan(in_callback) && in_callback != 0;
        tick.top_of_stack = address(&fields, 3);
        tick.state = number(&fields, 4);
        for (size_t i = 0; i < 5; i++)
            v8log_take_field(&rest);
        plain = fields.count > 5;
    }
    /* A comma at the end begins one more frame, which is no number. */
    bool comma_last = plain && text_ends_with(start, TEXT(","));
    if (tick.top_of_stack == ADDRESS_INVALID)
        tick.top_of_stack = 0;
    size_t count = 0;
    uint64_t base = tick.in_callback ? tick.top_of_stack : tick.pc;
    while (rest.size > 0) {
        uint64_t frame;
        if (!v8log_take_address(&rest, &frame)) {
            struct text field = v8log_take_field(&rest);
            if (field.size && *field.data == 'o')
                continue;
            if (!parse_frame(process, field, &frame)) {
                v8log_add_frame(process, count++, ADDRESS_INVALID);
                continue;
            }
            if (*field.data == '+' || *field.data == '-')
                frame = base += frame;
        }
        v8log_add_frame(process, count++, v8log_round_address(frame));
    }
    if (comma_last)
        v8log_add_frame(process, count++, ADDRESS_INVALID);
    tick.frames = process->frames;
    tick.frame_count = count;
    process->ticks++;
    if (process->sink.tick)
        process->sink.tick(process->sink.context, &tick);
}

static void take_code_creation(struct v8log_process *process, const struct v8log_fields *fields) {
    const struct v8log_rules *rules = process->code.rules;
    struct text type = unescaped(process, fields, 1, 0);
    struct text name = unescaped(process, fields, 6, 1);
    uint64_t start = address(fields, 4);
    double size = number(fields, 5);
    bool is_regexp = text_equal(type, TEXT("RegExp"));
    bool of_function = fields->count > 7 && (rules->regexp_may_be_function || !is_regexp);
    struct text mark = unescaped(process, fields, 8, 2);
    /* What a missing address does to the reference is not defined (it poisons its map). */
    if (start == ADDRESS_INVALID || isnan(size) || size < 0 || fields->count < 7)
        return;
    uint64_t bytes = size < 0x1p64 ? (uint64_t)size : UINT64_MAX;
    if (!of_function) {
        uint32_t row = v8log_code_add_plain(&process->code, type, name, start, bytes);
        if (process->sink.plain_code)
            process->sink.plain_code(process->sink.context, row, number(fields, 3));
        return;
    }
    uint64_t function = address(fields, 7);
    if (fields->count < 9 || !v8log_rules_accept_mark(rules, mark) || function == ADDRESS_INVALID)
        return;
    if (mark.size && *mark.data == 'o')
        mark = text_skip(mark, 1);
    struct code_made made = v8log_code_add_function_code(&process->code, type, name, start, bytes,
                                                         function, mark.size ? *mark.data : '\0');
    if (process->sink.function_code)
        process->sink.function_code(process->sink.context, made, number(fields, 3));
}

static void take_deopt(struct v8log_process *process, const struct v8log_fields *fields) {
    struct text none = {0};
    struct v8log_deopt deopt = {
        .time = number(fields, 1),
        .code = address(fields, 3),
        .inlining_id = number(fields, 4),
        .script_offset = number(fields, 5),
        .bailout = fields->count > 6 ? unescaped(process, fields, 6, 0) : none,
        .position = fields->count > 7 ? unescaped(process, fields, 7, 1) : none,
        .reason = fields->count > 8 ? unescaped(process, fields, 8, 2) : none};
    if (process->sink.deopt)
        process->sink.deopt(process->sink.context, &deopt);
}

static void take_source_info(struct v8log_process *process, const struct v8log_fields *fields) {
    struct v8log_source_info info = {.start = address(fields, 1),
                                     .script = number(fields, 2),
                                     .from = number(fields, 3),
                                     .to = number(fields, 4),
                                     .positions = unescaped(process, fields, 5, 0),
                                     .inlined = unescaped(process, fields, 6, 1),
                                     .functions = unescaped(process, fields, 7, 2)};
    /* Without a list of functions the reference gives up. */
    if (process->sink.source_info && fields->count > 7)
        process->sink.source_info(process->sink.context, &info);
}

static void take_library(struct v8log_process *process, const struct v8log_fields *fields) {
    uint64_t start = address(fields, 2);
    uint64_t end = address(fields, 3);
    uint64_t slide = address(fields, 4);
    if (start == ADDRESS_INVALID || end == ADDRESS_INVALID)
        return;
    uint32_t row =
        v8log_code_add_library(&process->code, unescaped(process, fields, 1, 0), start, end);
    if (process->sink.library)
        process->sink.library(process->sink.library_context, row, start, end,
                              slide == ADDRESS_INVALID ? 0 : slide);
}

static void take_record(struct v8log_process *process, struct text kind,
                        const struct v8log_fields *fields) {
    const struct v8log_sink *sink = &process->sink;
    if (text_equal(kind, TEXT("code-creation"))) {
        take_code_creation(process, fields);
    } else if (text_equal(kind, TEXT("code-source-info"))) {
        take_source_info(process, fields);
    } else if (text_equal(kind, TEXT("code-move")) && address(fields, 2) != ADDRESS_INVALID) {
        (void)v8log_code_move(&process->code, address(fields, 1), address(fields, 2));
    } else if (text_equal(kind, TEXT("sfi-move")) && address(fields, 2) != ADDRESS_INVALID) {
        (void)v8log_code_move_function(&process->code, address(fields, 1), address(fields, 2));
    } else if (text_equal(kind, TEXT("code-delete")) && process->code.rules->deletes_code) {
        (void)v8log_code_delete(&process->code, address(fields, 1));
    } else if (text_equal(kind, TEXT("shared-library"))) {
        take_library(process, fields);
    } else if (text_equal(kind, TEXT("script-source"))) {
        /* Missing fields stay missing, but from 16 on a script without a URL is refused. */
        struct text none = {0};
        if (sink->script && (fields->count > 2 || process->code.rules->plain_scripts))
            sink->script(sink->context, number(fields, 1),
                         fields->count > 2 ? unescaped(process, fields, 2, 0) : none,
                         fields->count > 3 ? unescaped(process, fields, 3, 1) : none);
    } else if (text_equal(kind, TEXT("code-deopt"))) {
        take_deopt(process, fields);
    } else if (text_equal(kind, TEXT("timer-event-start")) ||
               text_equal(kind, TEXT("timer-event-end"))) {
        if (sink->event)
            sink->event(sink->context, V8LOG_TIMER_EVENT, TEXT(""));
    } else if (text_equal(kind, TEXT("active-runtime-timer"))) {
        if (sink->event)
            sink->event(sink->context, V8LOG_RUNTIME_TIMER, unescaped(process, fields, 1, 0));
    } else if (process->code.rules->heap_samples && (text_equal(kind, TEXT("heap-sample-begin")) ||
                                                     text_equal(kind, TEXT("heap-sample-end")))) {
        bool begins = text_equal(kind, TEXT("heap-sample-begin"));
        if (sink->event)
            sink->event(sink->context, begins ? V8LOG_HEAP_SAMPLE_BEGIN : V8LOG_HEAP_SAMPLE_END,
                        unescaped(process, fields, 1, 0));
    }
}

void v8log_exact_line(struct v8log_process *process, struct text line) {
    if (text_starts_with(line, TEXT("tick,")) && !memchr(line.data, '\\', line.size)) {
        take_tick(process, text_skip(line, 5));
        return;
    }
    if (!utf8_valid(line)) {
        buffer_clear(&process->decoded);
        v8log_decode(&process->decoded, line);
        line = buffer_text(&process->decoded);
    }
    struct v8log_fields fields;
    v8log_fields_split(&fields, line);
    struct text kind = unescaped(process, &fields, 0, 3);
    if (text_equal(kind, TEXT("tick")))
        take_tick(process, fields.count > 1 ? text_skip(line, fields.items[0].size + 1) : TEXT(""));
    else
        take_record(process, kind, &fields);
}
