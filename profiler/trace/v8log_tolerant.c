// SPDX-License-Identifier: MIT
/* Lines of an isolate log with what log writers of all versions got wrong put right. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "fold/base/number.h"
#include "fold/model/v8_name.h"
#include "profiler/trace/v8log_fields.h"
#include "profiler/trace/v8log_process.h"

/* A function's name that holds newlines spreads its record over as many lines; more are not joined.
 */
enum { JOINED_LINES_MAX = 32, JOINED_SIZE_MAX = 64 * 1024 };

enum record {
    RECORD_UNKNOWN,
    RECORD_IGNORED,
    RECORD_TICK,
    RECORD_CODE_CREATION,
    RECORD_CODE_MOVE,
    RECORD_CODE_DELETE,
    RECORD_FUNCTION_MOVE,
    RECORD_SOURCE_INFO,
    RECORD_SCRIPT,
    RECORD_DEOPT,
    RECORD_LIBRARY,
    RECORD_HEADER,
    RECORD_PROFILER,
    RECORD_TIMER_EVENT,
    RECORD_RUNTIME_TIMER,
};

static enum record record_of(struct text name) {
    static const struct {
        const char *name;
        enum record record;
    } known[] = {
        {"tick", RECORD_TICK},
        {"code-creation", RECORD_CODE_CREATION},
        {"code-source-info", RECORD_SOURCE_INFO},
        {"script-source", RECORD_SCRIPT},
        {"code-move", RECORD_CODE_MOVE},
        {"sfi-move", RECORD_FUNCTION_MOVE},
        {"code-delete", RECORD_CODE_DELETE},
        {"code-deopt", RECORD_DEOPT},
        {"shared-library", RECORD_LIBRARY},
        {"v8-version", RECORD_HEADER},
        {"profiler", RECORD_PROFILER},
        {"timer-event-start", RECORD_TIMER_EVENT},
        {"timer-event-end", RECORD_TIMER_EVENT},
        {"active-runtime-timer", RECORD_RUNTIME_TIMER},
    };
    static const char *const ignored[] = {"new",
                                          "delete",
                                          "v8-platform",
                                          "shared-library-end",
                                          "current-time",
                                          "heap-capacity",
                                          "heap-available",
                                          "heap-sample-begin",
                                          "heap-sample-item",
                                          "heap-sample-end",
                                          "scavenge",
                                          "markcompact",
                                          "feedback-vector",
                                          "function",
                                          "script",
                                          "script-details",
                                          "compilation-cache",
                                          "code-disassemble",
                                          "code-disable-optimization",
                                          "map",
                                          "map-create",
                                          "map-details",
                                          "LoadIC",
                                          "StoreIC",
                                          "KeyedLoadIC",
                                          "KeyedStoreIC",
                                          "LoadGlobalIC",
                                          "StoreGlobalIC",
                                          "StoreInArrayLiteralIC",
                                          "DefineKeyedOwnIC",
                                          "DefineNamedOwnIC",
                                          "CloneObjectIC",
                                          "api",
                                          "suspect-read",
                                          "timer-event",
                                          "runtime-call-stats",
                                          "begin-code-region",
                                          "end-code-region",
                                          "code-allocate",
                                          "function-creation",
                                          "function-move",
                                          "function-delete",
                                          "snapshot-pos",
                                          "external",
                                          "entry",
                                          "exit",
                                          "regexp-compile"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (text_equal(name, text_of(known[i].name)))
            return known[i].record;
    }
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
        if (text_equal(name, text_of(ignored[i])))
            return RECORD_IGNORED;
    }
    return RECORD_UNKNOWN;
}

static void drop(struct v8log_process *process, const char *what) {
    /* A record that was held back is of an earlier line. */
    uint64_t line = process->joined_lines > 0 ? process->joined_line : process->lines.number;
    warnings_add(process->warnings, "incomplete-record", line,
                 "an incomplete %s record was skipped", what);
}

static struct text unescaped(struct v8log_process *process, struct text field, size_t scratch) {
    if (field.size == 0 || !memchr(field.data, '\\', field.size))
        return field;
    /* V8 6 wrote Windows paths as they are: there a backslash is no escape. */
    bool old = process->v8_major > 0 && process->v8_major <= 6;
    bool raw = old && text_contains(field, TEXT(":\\")) && !text_contains(field, TEXT(":\\\\"));
    struct buffer *buffer = &process->scratch[scratch];
    buffer_clear(buffer);
    v8log_unescape(buffer, field, raw);
    return buffer_text(buffer);
}

static void take_frames(struct v8log_process *process, struct v8log_tick *tick, struct text rest) {
    size_t count = 0;
    uint64_t before = tick->in_callback ? tick->top_of_stack : tick->pc;
    bool hexadecimal = process->v8_major > 0 && process->v8_major <= 10;
    while (rest.size > 0) {
        uint64_t frame;
        if (!v8log_take_address(&rest, &frame)) {
            struct text field = v8log_take_field(&rest);
            if (text_equal(field, TEXT("overflow"))) {
                process->overflows++;
                continue;
            }
            char sign = field.size ? *field.data : '\0';
            struct text digits = sign == '+' || sign == '-' ? text_skip(field, 1) : field;
            bool parsed = text_starts_with(digits, TEXT("0x")) || hexadecimal
                              ? number_parse_hexadecimal(digits, &frame)
                              : number_parse_decimal(digits, &frame);
            if (!parsed) {
                process->bad_frames++;
                continue;
            }
            if (sign == '+')
                frame = before + frame;
            else if (sign == '-')
                frame = before - frame;
        }
        before = frame;
        v8log_add_frame(process, count++, frame);
    }
    tick->frames = process->frames;
    tick->frame_count = count;
}

static void take_tick(struct v8log_process *process, struct text rest) {
    struct v8log_tick tick;
    uint64_t time, callback, state;
    if (!v8log_take_address(&rest, &tick.pc) || !v8log_take_decimal(&rest, &time) ||
        !v8log_take_decimal(&rest, &callback) || !v8log_take_address(&rest, &tick.top_of_stack) ||
        !v8log_take_decimal(&rest, &state)) {
        drop(process, "tick");
        return;
    }
    tick.time = (double)time;
    tick.in_callback = callback != 0 && tick.top_of_stack != 0;
    tick.state = (double)state;
    take_frames(process, &tick, rest);
    process->ticks++;
    if (process->sink.tick)
        process->sink.tick(process->sink.context, &tick);
}

/* Whether a field can be a code mark, known or not: one sign, perhaps with `o` or `'` around it. */
static bool is_mark(struct text field) {
    if (field.size > 1 && field.data[0] == 'o')
        field = text_skip(field, 1);
    if (field.size > 1 && field.data[field.size - 1] == '\'')
        field.size--;
    return field.size == 0 ||
           (field.size == 1 && *field.data != ',' && strchr("~^+*?!#$%&-=.:|<>@", *field.data));
}

/* The name, function and mark at the end of a record of code. */
struct code_owner {
    struct text name;
    bool has_function;
    uint64_t function;
    struct text mark;
};

/* Finds `,0x...,MARK` from the right: the name before it may hold commas of its own. */
static struct code_owner find_owner(struct text rest) {
    struct code_owner owner = {.name = rest};
    struct text left = rest;
    for (unsigned extra = 0; extra < 16; extra++) {
        const char *comma = left.size ? memrchr(left.data, ',', left.size) : NULL;
        if (!comma)
            return owner;
        struct text mark = text_skip(left, (size_t)(comma - left.data) + 1);
        left.size = (size_t)(comma - left.data);
        const char *before = left.size ? memrchr(left.data, ',', left.size) : NULL;
        size_t start = before ? (size_t)(before - left.data) + 1 : 0;
        if (before && is_mark(mark) &&
            v8log_parse_address(text_skip(left, start), &owner.function)) {
            owner.has_function = true;
            owner.mark = mark;
            owner.name = (struct text){left.data, start - 1};
            return owner;
        }
    }
    return owner;
}

/* The same where fields are quoted (V8 6.1 and older). */
static struct code_owner find_quoted_owner(struct v8log_process *process, struct text rest) {
    struct v8log_fields fields;
    v8log_fields_split_quoted(&fields, rest);
    buffer_clear(&process->scratch[2]);
    struct code_owner owner = {.name = v8log_unquote(fields.items[0], &process->scratch[2])};
    owner.has_function = fields.count > 2 && v8log_parse_address(fields.items[1], &owner.function);
    owner.mark = fields.items[2];
    return owner;
}

static bool is_function_type(struct text type) {
    return text_equal(type, TEXT("JS")) || text_equal(type, TEXT("LazyCompile")) ||
           text_equal(type, TEXT("Function")) || text_equal(type, TEXT("Script")) ||
           text_equal(type, TEXT("Eval"));
}

static char plain_mark(struct text mark) {
    static const char marks[FRAME_TIER_COUNT] = {'\0', '~', '^', '+', '*', '?'};
    return marks[v8_tier_parse(mark)];
}

/* Takes a record of code. False: its name may go on in the next line, and `may_go_on` allows it. */
static bool take_code_creation(struct v8log_process *process, struct text rest, bool may_go_on) {
    struct text type = v8log_take_field(&rest);
    v8log_take_field(&rest); /* a number whose meaning changes with each version */
    uint64_t time = 0, start, size;
    if (!text_starts_with(rest, TEXT("0x"))) /* V8 6.1 and older have no time */
        (void)v8log_take_decimal(&rest, &time);
    struct text size_field;
    if (!v8log_take_address(&rest, &start) || rest.size == 0 ||
        ((size_field = v8log_take_field(&rest)).size == 0) ||
        (!number_parse_decimal(size_field, &size) && !v8log_parse_address(size_field, &size))) {
        drop(process, "code-creation");
        return true;
    }
    bool is_regexp = text_equal(type, TEXT("RegExp"));
    struct code_owner owner = {.name = rest};
    if (process->v8_major <= 6 && text_starts_with(rest, TEXT("\"")))
        owner = find_quoted_owner(process, rest);
    else if (!is_regexp)
        owner = find_owner(rest);
    if (!owner.has_function && may_go_on && is_function_type(type))
        return false;
    if (!owner.has_function && is_function_type(type)) {
        drop(process, "code-creation");
        return true;
    }
    struct text name = unescaped(process, owner.name, 0);
    if (!owner.has_function) {
        uint32_t row = v8log_code_add_plain(&process->code, type, name, start, size);
        if (process->sink.plain_code)
            process->sink.plain_code(process->sink.context, row, (double)time);
        return true;
    }
    struct code_made made = v8log_code_add_function_code(&process->code, type, name, start, size,
                                                         owner.function, plain_mark(owner.mark));
    if (process->sink.function_code)
        process->sink.function_code(process->sink.context, made, (double)time);
    return true;
}

static void take_library(struct v8log_process *process, struct text rest) {
    struct text path = {0};
    uint64_t start = 0, end = 0;
    bool found = false;
    if (process->v8_major <= 6 && text_starts_with(rest, TEXT("\""))) {
        struct v8log_fields fields;
        v8log_fields_split_quoted(&fields, rest);
        buffer_clear(&process->scratch[2]);
        path = v8log_unquote(fields.items[0], &process->scratch[2]);
        found = v8log_parse_address(fields.items[1], &start) &&
                v8log_parse_address(fields.items[2], &end);
    }
    /* The path may hold commas: it ends before the first two addresses in a row. */
    for (size_t i = 0; !found && i + 2 < rest.size; i++) {
        struct text behind = text_skip(rest, i + 1);
        if (rest.data[i] != ',' || behind.data[0] != '0')
            continue;
        found = v8log_take_address(&behind, &start) && v8log_take_address(&behind, &end);
        path = (struct text){rest.data, i};
    }
    if (!found || end < start) {
        drop(process, "shared-library");
        return;
    }
    uint32_t row = v8log_code_add_library(&process->code, unescaped(process, path, 0), start, end);
    if (process->sink.library)
        process->sink.library(process->sink.library_context, row, start, end, 0);
}

static void take_source_info(struct v8log_process *process, struct text rest) {
    struct v8log_source_info info;
    if (!process->sink.source_info)
        return;
    if (!v8log_take_address(&rest, &info.start)) {
        drop(process, "code-source-info");
        return;
    }
    info.script = v8log_parse_int(v8log_take_field(&rest));
    info.from = v8log_parse_int(v8log_take_field(&rest));
    info.to = v8log_parse_int(v8log_take_field(&rest));
    info.positions = v8log_take_field(&rest);
    info.inlined = v8log_take_field(&rest);
    info.functions = v8log_take_field(&rest);
    process->sink.source_info(process->sink.context, &info);
}

static void take_header(struct v8log_process *process, struct text rest, struct text line) {
    if (process->v8_major != 0 || process->ticks != 0) {
        v8log_code_forget(&process->code);
        if (process->sink.isolate)
            process->sink.isolate(process->sink.context);
    }
    process->v8_major = v8log_header_major(line);
    buffer_clear(&process->v8_version);
    for (unsigned part = 0; part < 4 && rest.size; part++) {
        if (part)
            buffer_append_byte(&process->v8_version, '.');
        buffer_append_text(&process->v8_version, v8log_take_field(&rest));
    }
}

static void take_moves(struct v8log_process *process, enum record record, struct text rest) {
    uint64_t from, to = 0;
    if (!v8log_take_address(&rest, &from) ||
        (record != RECORD_CODE_DELETE && !v8log_take_address(&rest, &to))) {
        drop(process, "code-move");
        return;
    }
    /* What is not known does not matter: V8 moves and deletes code that it never announced. */
    if (record == RECORD_CODE_MOVE)
        (void)v8log_code_move(&process->code, from, to);
    else if (record == RECORD_FUNCTION_MOVE)
        (void)v8log_code_move_function(&process->code, from, to);
    else
        (void)v8log_code_delete(&process->code, from);
}

static void take_deopt(struct v8log_process *process, struct text line) {
    struct v8log_fields fields;
    v8log_fields_split(&fields, line);
    struct v8log_deopt deopt = {.time = v8log_parse_int(fields.items[1]),
                                .inlining_id = v8log_parse_int(fields.items[4]),
                                .script_offset = v8log_parse_int(fields.items[5]),
                                .bailout = unescaped(process, fields.items[6], 0),
                                .position = unescaped(process, fields.items[7], 1),
                                .reason = unescaped(process, fields.items[8], 2)};
    if (v8log_parse_address(fields.items[3], &deopt.code) && process->sink.deopt)
        process->sink.deopt(process->sink.context, &deopt);
}

static void count_unknown(struct v8log_process *process, struct text name) {
    bool is_name = name.size > 0 && name.size <= 40;
    for (size_t i = 0; i < name.size && is_name; i++) {
        unsigned char byte = (unsigned char)name.data[i];
        is_name = (byte | 0x20) >= 'a' ? (byte | 0x20) <= 'z'
                                       : byte == '-' || byte == '_' || (byte >= '0' && byte <= '9');
    }
    if (!is_name) {
        warnings_add(process->warnings, "torn-record", process->lines.number,
                     "a line is no record; several isolates may have written to one file: record "
                     "workers and clusters without --no-logfile-per-isolate");
        return;
    }
    struct string_id id = string_table_intern(&process->code.strings, &process->code.arena, name);
    for (size_t i = 0; i < process->unknown_count; i++) {
        if (process->unknown[i].name.index == id.index) {
            process->unknown[i].count++;
            return;
        }
    }
    if (process->unknown_count < V8LOG_UNKNOWN_RECORDS_MAX)
        process->unknown[process->unknown_count++] = (struct v8log_unknown_record){id, 1};
}

static void take_event(struct v8log_process *process, enum v8log_event event, struct text rest) {
    if (process->sink.event)
        process->sink.event(process->sink.context, event,
                            unescaped(process, v8log_take_field(&rest), 0));
}

static void take_script(struct v8log_process *process, struct text rest) {
    if (!process->sink.script)
        return;
    double id = v8log_parse_int(v8log_take_field(&rest));
    struct text url = v8log_take_field(&rest);
    process->sink.script(process->sink.context, id, unescaped(process, url, 0),
                         unescaped(process, rest, 1));
}

/* A line that is a record by itself. */
static void take_record(struct v8log_process *process, struct text line) {
    struct text rest = line;
    struct text name = v8log_take_field(&rest);
    enum record record = record_of(name);
    switch (record) {
    case RECORD_TICK:
        take_tick(process, rest);
        break;
    case RECORD_CODE_CREATION:
        if (!take_code_creation(process, rest, true)) {
            buffer_append_text(&process->joined, line);
            process->joined_lines = 1;
            process->joined_line = process->lines.number;
        }
        break;
    case RECORD_SOURCE_INFO:
        take_source_info(process, rest);
        break;
    case RECORD_CODE_MOVE:
    case RECORD_FUNCTION_MOVE:
    case RECORD_CODE_DELETE:
        take_moves(process, record, rest);
        break;
    case RECORD_LIBRARY:
        take_library(process, rest);
        break;
    case RECORD_HEADER:
        take_header(process, rest, line);
        break;
    case RECORD_PROFILER:
        if (text_equal(v8log_take_field(&rest), TEXT("begin")))
            (void)v8log_take_decimal(&rest, &process->interval_us);
        break;
    case RECORD_SCRIPT:
        take_script(process, rest);
        break;
    case RECORD_DEOPT:
        take_deopt(process, line);
        break;
    case RECORD_TIMER_EVENT:
        take_event(process, V8LOG_TIMER_EVENT, rest);
        break;
    case RECORD_RUNTIME_TIMER:
        take_event(process, V8LOG_RUNTIME_TIMER, rest);
        break;
    case RECORD_UNKNOWN:
        count_unknown(process, name);
        break;
    case RECORD_IGNORED:
        break;
    }
}

void v8log_tolerant_flush(struct v8log_process *process) {
    if (process->joined_lines == 0)
        return;
    struct text rest = buffer_text(&process->joined);
    v8log_take_field(&rest);
    (void)take_code_creation(process, rest, false);
    process->joined_lines = 0;
    buffer_clear(&process->joined);
}

/* Adds a line to the record that is held back. False: it is a record of its own. */
static bool join(struct v8log_process *process, struct text line) {
    struct text rest = line;
    if (record_of(v8log_take_field(&rest)) != RECORD_UNKNOWN ||
        process->joined_lines >= JOINED_LINES_MAX ||
        process->joined.size + line.size > JOINED_SIZE_MAX) {
        v8log_tolerant_flush(process);
        return false;
    }
    buffer_append_byte(&process->joined, '\n');
    buffer_append_text(&process->joined, line);
    process->joined_lines++;
    if (find_owner(buffer_text(&process->joined)).has_function)
        v8log_tolerant_flush(process);
    return true;
}

void v8log_tolerant_line(struct v8log_process *process, struct text line) {
    if (line.size && line.data[line.size - 1] == '\r')
        line.size--;
    if (process->joined_lines > 0 && join(process, line))
        return;
    if (text_starts_with(line, TEXT("tick,")))
        take_tick(process, text_skip(line, 5));
    else if (line.size > 0)
        take_record(process, line);
}
