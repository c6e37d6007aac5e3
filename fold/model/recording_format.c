// SPDX-License-Identifier: MIT
#include "fold/model/recording_format.h"

#include <string.h>

#include "fold/base/number.h"
#include "fold/base/utf8.h"

#define WORDS(array)                                                                               \
    { array, sizeof(array) / sizeof *(array) }

static const char *const record_words[] = {
    [RECORD_META] = "meta",       [RECORD_STRING] = "string",
    [RECORD_FRAME] = "frame",     [RECORD_STACK] = "stack",
    [RECORD_THREAD] = "thread",   [RECORD_EVENT] = "event",
    [RECORD_LIBRARY] = "library", [RECORD_COUNTER] = "counter",
    [RECORD_READING] = "reading", [RECORD_TURN] = "turn",
    [RECORD_SAMPLE] = "sample",   [RECORD_UNACCOUNTED] = "unaccounted",
    [RECORD_WARNING] = "warning", [RECORD_END] = "end",
};
static const char *const key_words[] = {
    [KEY_UNIT] = "unit",
    [KEY_NODE] = "node",
    [KEY_V8] = "v8",
    [KEY_COMMAND] = "command",
    [KEY_ROUTE] = "route",
    [KEY_DETAIL] = "detail",
    [KEY_ASKED_HZ] = "asked-hz",
    [KEY_INTERVAL_US] = "interval-us",
    [KEY_DURATION_US] = "duration-us",
    [KEY_TIMES] = "times",
    [KEY_STACK_LIMIT] = "stack-limit",
    [KEY_NATIVE_STACKS] = "native-stacks",
    [KEY_ISOLATE_ONLY] = "isolate-only",
    [KEY_WAITING_IS_MISSING] = "waiting-is-missing",
    [KEY_KERNEL_HIDDEN] = "kernel-hidden",
    [KEY_LOST] = "lost",
    [KEY_THROTTLED] = "throttled",
    [KEY_TRUNCATED] = "truncated",
    [KEY_CUT] = "cut",
    [KEY_CALL_GRAPH] = "call-graph",
    [KEY_REPAIRED] = "repaired",
    [KEY_WAITS] = "waits",
    [KEY_WAITS_GUESSED] = "waits-guessed",
    [KEY_NAMES] = "names",
    [KEY_NAMES_COMPARED] = "names-compared",
    [KEY_NAMES_DIFFERENT] = "names-different",
    [KEY_CPU_US] = "cpu-us",
    [KEY_CPU_SAMPLES] = "cpu-samples",
};
static const char *const answer_words[] = {"no", "yes"};
static const char *const unit_words[] = {
    [UNIT_SAMPLES] = "samples",
    [UNIT_TICKS] = "ticks",
    [UNIT_MICROSECONDS] = "microseconds",
    [UNIT_NANOSECONDS] = "nanoseconds",
    [UNIT_BYTES] = "bytes",
    [UNIT_COUNT] = "count",
};
static const char *const kind_words[] = {
    [FRAME_UNKNOWN_KIND] = "unknown",
    [FRAME_JAVASCRIPT] = "javascript",
    [FRAME_BUILTIN] = "builtin",
    [FRAME_REGEXP] = "regexp",
    [FRAME_WASM] = "wasm",
    [FRAME_BYTECODE] = "bytecode",
    [FRAME_CPP] = "cpp",
    [FRAME_ADDON] = "addon",
    [FRAME_LIBRARY] = "library",
    [FRAME_KERNEL] = "kernel",
    [FRAME_GC] = "gc",
    [FRAME_COMPILER] = "compiler",
    [FRAME_WAITING] = "waiting",
    [FRAME_UNACCOUNTED] = "unaccounted",
};
static const char *const tier_words[] = {
    [FRAME_NO_TIER] = "none",  [FRAME_INTERPRETED] = "interpreted", [FRAME_BASELINE] = "baseline",
    [FRAME_MAGLEV] = "maglev", [FRAME_OPTIMISED] = "optimised",     [FRAME_OTHER_TIER] = "other",
};
static const char *const role_words[] = {
    [THREAD_MAIN] = "main",   [THREAD_WORKER] = "worker", [THREAD_V8] = "v8",
    [THREAD_LIBUV] = "libuv", [THREAD_OTHER] = "other",
};
static const char *const state_words[] = {
    [VM_NOT_KNOWN] = "unknown",
    [VM_JAVASCRIPT] = "javascript",
    [VM_GC] = "gc",
    [VM_PARSER] = "parser",
    [VM_BYTECODE_COMPILER] = "bytecode-compiler",
    [VM_COMPILER] = "compiler",
    [VM_OTHER] = "other",
    [VM_EXTERNAL] = "external",
    [VM_ATOMICS_WAIT] = "atomics-wait",
    [VM_IDLE] = "idle",
    [VM_LOGGING] = "logging",
};
static const char *const activity_words[] = {"busy", "idle"};
static const char *const unaccounted_words[] = {
    [UNACCOUNTED_OUTSIDE] = "outside",
    [UNACCOUNTED_CODE_GONE] = "code-gone",
    [UNACCOUNTED_NO_ADDRESS] = "no-address",
};
static const char *const route_words[] = {"perf_event", "cpu-prof", "ptrace", "inspector"};
static const char *const call_graph_words[] = {"fp", "dwarf", "auto"};
static const char *const names_words[] = {"heap", "map", "none"};
static const char *const flag_words[] = {
    [FLAG_RUNS_JAVASCRIPT] = "runs-javascript",
    [FLAG_ROLE_BY_STACKS] = "role-by-stacks",
};
static const char *const ending_words[] = {
    [ENDING_COMPLETE] = "complete",
    [ENDING_SIZE_LIMIT] = "size-limit",
    [ENDING_WRITE_FAILED] = "write-failed",
};

const struct recording_words recording_records = WORDS(record_words);
const struct recording_words recording_keys = WORDS(key_words);
const struct recording_words recording_answers = WORDS(answer_words);
const struct recording_words recording_units = WORDS(unit_words);
const struct recording_words recording_kinds = WORDS(kind_words);
const struct recording_words recording_tiers = WORDS(tier_words);
const struct recording_words recording_roles = WORDS(role_words);
const struct recording_words recording_states = WORDS(state_words);
const struct recording_words recording_activities = WORDS(activity_words);
const struct recording_words recording_unaccounted = WORDS(unaccounted_words);
const struct recording_words recording_routes = WORDS(route_words);
const struct recording_words recording_call_graphs = WORDS(call_graph_words);
const struct recording_words recording_names = WORDS(names_words);
const struct recording_words recording_flags = WORDS(flag_words);
const struct recording_words recording_endings = WORDS(ending_words);

_Static_assert(sizeof kind_words / sizeof *kind_words == FRAME_KIND_COUNT, "a word for each kind");
_Static_assert(sizeof tier_words / sizeof *tier_words == FRAME_TIER_COUNT, "a word for each tier");
_Static_assert(sizeof key_words / sizeof *key_words == RECORDING_KEY_COUNT, "a word for each key");
_Static_assert(sizeof unaccounted_words / sizeof *unaccounted_words == UNACCOUNTED_REASON_COUNT,
               "a word for each reason");

#define FACT(form, member)                                                                         \
    { form, offsetof(struct profile, member), NULL }
#define WORD_FACT(words, member)                                                                   \
    { FORM_WORD, offsetof(struct profile, member), &(words) }

const struct recording_fact recording_facts[RECORDING_KEY_COUNT] = {
    [KEY_UNIT] = FACT(FORM_UNIT, unit),
    [KEY_NODE] = FACT(FORM_TEXT, node),
    [KEY_V8] = FACT(FORM_TEXT, v8),
    [KEY_COMMAND] = FACT(FORM_TEXT, command),
    [KEY_ROUTE] = WORD_FACT(recording_routes, sampling.route),
    [KEY_DETAIL] = FACT(FORM_TEXT, sampling.detail),
    [KEY_ASKED_HZ] = FACT(FORM_NUMBER, sampling.asked_hz),
    [KEY_INTERVAL_US] = FACT(FORM_NUMBER, interval_us),
    [KEY_DURATION_US] = FACT(FORM_NUMBER, duration_us),
    [KEY_TIMES] = FACT(FORM_ANSWER, has_times),
    [KEY_STACK_LIMIT] = FACT(FORM_NUMBER, stack_limit),
    [KEY_NATIVE_STACKS] = FACT(FORM_ANSWER, native_stacks),
    [KEY_ISOLATE_ONLY] = FACT(FORM_ANSWER, isolate_only),
    [KEY_WAITING_IS_MISSING] = FACT(FORM_ANSWER, waiting_is_missing),
    [KEY_KERNEL_HIDDEN] = FACT(FORM_ANSWER, sampling.kernel_hidden),
    [KEY_LOST] = FACT(FORM_NUMBER, sampling.lost),
    [KEY_THROTTLED] = FACT(FORM_NUMBER, sampling.throttled),
    [KEY_TRUNCATED] = FACT(FORM_NUMBER, sampling.truncated),
    [KEY_CUT] = FACT(FORM_NUMBER, sampling.cut),
    [KEY_CALL_GRAPH] = WORD_FACT(recording_call_graphs, sampling.call_graph),
    [KEY_REPAIRED] = FACT(FORM_NUMBER, sampling.repaired),
    [KEY_WAITS] = FACT(FORM_ANSWER, has_waits),
    [KEY_WAITS_GUESSED] = FACT(FORM_ANSWER, waits_guessed),
    [KEY_NAMES] = WORD_FACT(recording_names, sampling.names),
    [KEY_NAMES_COMPARED] = FACT(FORM_NUMBER, sampling.names_compared),
    [KEY_NAMES_DIFFERENT] = FACT(FORM_NUMBER, sampling.names_different),
    [KEY_CPU_US] = FACT(FORM_NUMBER, sampling.cpu_us),
    [KEY_CPU_SAMPLES] = FACT(FORM_NUMBER, sampling.cpu_samples),
};

int recording_word_find(struct recording_words words, struct text word) {
    for (int i = 0; i < words.count; i++) {
        if (text_equal(text_of(words.items[i]), word))
            return i;
    }
    return -1;
}

/* Whether the character at the start of `text` can stand as it is. */
static bool is_plain(struct text text, size_t length) {
    struct buffer visible = {0};
    utf8_append_visible(&visible, (struct text){text.data, length});
    bool plain = text_equal(buffer_text(&visible), (struct text){text.data, length});
    buffer_free(&visible);
    return plain;
}

void recording_append_text(struct buffer *buffer, struct text text) {
    while (text.size > 0) {
        size_t plain = 0;
        while (plain < text.size && text.data[plain] >= ' ' && text.data[plain] < 0x7F &&
               text.data[plain] != '\\')
            plain++;
        buffer_append(buffer, text.data, plain);
        text = text_skip(text, plain);
        if (text.size == 0)
            break;
        size_t length = 1;
        static const char special[] = "\t\n\r\\";
        static const char letters[] = "tnr\\";
        const char *found = memchr(special, *text.data, sizeof special - 1);
        if (found) {
            buffer_append_byte(buffer, '\\');
            buffer_append_byte(buffer, letters[found - special]);
        } else if (utf8_decode(text, &length) != UTF8_INVALID && is_plain(text, length)) {
            buffer_append(buffer, text.data, length);
        } else {
            for (size_t i = 0; i < length; i++)
                buffer_append_format(buffer, "\\x%02x", (unsigned char)text.data[i]);
        }
        text = text_skip(text, length);
    }
}

bool recording_parse_text(struct buffer *buffer, struct text field) {
    while (field.size > 0) {
        const char *escape = memchr(field.data, '\\', field.size);
        size_t plain = escape ? (size_t)(escape - field.data) : field.size;
        buffer_append(buffer, field.data, plain);
        field = text_skip(field, plain);
        if (field.size == 0)
            break;
        if (field.size < 2)
            return false;
        size_t length = 2;
        switch (field.data[1]) {
        case 't':
            buffer_append_byte(buffer, '\t');
            break;
        case 'n':
            buffer_append_byte(buffer, '\n');
            break;
        case 'r':
            buffer_append_byte(buffer, '\r');
            break;
        case '\\':
            buffer_append_byte(buffer, '\\');
            break;
        case 'x': {
            uint64_t byte;
            length = 4;
            if (field.size < length ||
                !number_parse_hexadecimal((struct text){field.data + 2, 2}, &byte))
                return false;
            buffer_append_byte(buffer, (char)byte);
            break;
        }
        default:
            return false;
        }
        field = text_skip(field, length);
    }
    return true;
}
