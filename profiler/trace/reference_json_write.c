// SPDX-License-Identifier: MIT
/* The printing half of reference_json.h. */
#include <math.h>
#include <string.h>

#include "fold/base/utf8.h"
#include "profiler/trace/reference_json.h"
#include "profiler/trace/v8log_fields.h"

/* Decimal digits of an unsigned number, without the cost of printf: there are millions. */
static void append_unsigned(struct buffer *buffer, uint64_t number) {
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    buffer_append(buffer, digits + at, sizeof digits - at);
}

static void append_number(struct buffer *buffer, double number) {
    if (!isfinite(number))
        buffer_append(buffer, "null", 4);
    else if (number >= 0 && number < 0x1p53 && number == floor(number))
        append_unsigned(buffer, (uint64_t)number);
    else
        v8log_append_number(buffer, number);
}

/* Whether `text` starts with a lone surrogate in WTF-8. */
static bool is_surrogate(struct text text) {
    const unsigned char *bytes = (const unsigned char *)text.data;
    return text.size > 2 && bytes[0] == 0xED && bytes[1] >= 0xA0 && bytes[1] < 0xC0 &&
           (bytes[2] & 0xC0) == 0x80;
}

/* A string as JSON.stringify writes it; `text` is WTF-8. A byte that is not becomes U+FFFD. */
static void append_string(struct buffer *buffer, struct text text) {
    buffer_append_byte(buffer, '"');
    size_t plain = 0;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        bool surrogate = is_surrogate(text_skip(text, i));
        if (byte >= 0x80 && !surrogate) {
            size_t length;
            if (utf8_decode(text_skip(text, i), &length) != UTF8_INVALID) {
                i += length - 1;
                continue;
            }
            /* Only names of the tolerant reader can hold such a byte. */
            buffer_append(buffer, text.data + plain, i - plain);
            buffer_append(buffer, "\xEF\xBF\xBD", 3);
            plain = i + 1;
            continue;
        }
        if (byte >= 0x20 && byte != '"' && byte != '\\' && !surrogate)
            continue;
        buffer_append(buffer, text.data + plain, i - plain);
        const char *named = byte ? strchr("\bb\ff\nn\rr\tt", byte) : NULL;
        if (surrogate) {
            unsigned unit = 0xD000u | ((unsigned char)text.data[i + 1] & 0x3Fu) << 6 |
                            ((unsigned char)text.data[i + 2] & 0x3Fu);
            buffer_append_format(buffer, "\\u%04x", unit);
            i += 2;
        } else if (byte == '"' || byte == '\\') {
            buffer_append_byte(buffer, '\\');
            buffer_append_byte(buffer, (char)byte);
        } else if (named && byte < 0x20) {
            buffer_append_byte(buffer, '\\');
            buffer_append_byte(buffer, named[1]);
        } else {
            buffer_append_format(buffer, "\\u%04x", byte);
        }
        plain = i + 1;
    }
    buffer_append(buffer, text.data + plain, text.size - plain);
    buffer_append_byte(buffer, '"');
}

/* The document under way: a buffer that is emptied into the output now and then. */
struct document {
    const struct reference_json *json;
    struct output *output;
    struct buffer text;
    bool filled; /* the open object or array has a member already */
};

static void drain(struct document *document) {
    if (document->text.size < 64 * 1024)
        return;
    output_text(document->output, buffer_text(&document->text));
    buffer_clear(&document->text);
}

static void append(struct document *document, const char *text) {
    buffer_append(&document->text, text, strlen(text));
}

/* Begins a member of an object: comma, line, `indent` blanks, key. */
static void key(struct document *document, const char *indent, const char *name) {
    append(document, document->filled ? ",\n" : "\n");
    document->filled = true;
    append(document, indent);
    append(document, "\"");
    append(document, name);
    append(document, "\": ");
}

static void string_member(struct document *document, const char *indent, const char *name,
                          struct string_id id) {
    key(document, indent, name);
    append_string(&document->text, string_table_text(&document->json->strings, id));
}

static void number_member(struct document *document, const char *indent, const char *name,
                          double number) {
    key(document, indent, name);
    append_number(&document->text, number);
}

static void write_source(struct document *document, const struct reference_json_source *source) {
    key(document, "    ", "source");
    append(document, "{");
    document->filled = false;
    number_member(document, "      ", "script", source->script);
    number_member(document, "      ", "start", source->from);
    number_member(document, "      ", "end", source->to);
    string_member(document, "      ", "positions", source->positions);
    string_member(document, "      ", "inlined", source->inlined);
    key(document, "      ", "fns");
    append(document, source->function_count ? "[" : "[]");
    for (size_t i = 0; i < source->function_count; i++) {
        append(document, i ? ",\n        " : "\n        ");
        if (source->functions[i] == CODE_ID_NONE)
            append(document, "null");
        else
            append_unsigned(&document->text, source->functions[i]);
    }
    append(document, source->function_count ? "\n      ]\n    }" : "\n    }");
}

static void write_deopt(struct document *document, const struct reference_json_deopt *deopt) {
    key(document, "    ", "deopt");
    append(document, "{");
    document->filled = false;
    number_member(document, "      ", "tm", deopt->time);
    number_member(document, "      ", "inliningId", deopt->inlining_id);
    number_member(document, "      ", "scriptOffset", deopt->script_offset);
    if (deopt->has_position)
        string_member(document, "      ", "posText", deopt->position);
    if (deopt->has_reason)
        string_member(document, "      ", "reason", deopt->reason);
    if (deopt->has_bailout)
        string_member(document, "      ", "bailoutType", deopt->bailout);
    append(document, "\n    }");
}

static const char *json_kind(const struct v8log_rules *rules, char mark) {
    const char *marks = "~^+*";
    const char *found = mark ? strchr(marks, mark) : NULL;
    return found ? rules->json_kinds[found - marks] : "Builtin";
}

static void write_code(struct document *document, const struct reference_json_code *code) {
    const struct reference_json *json = document->json;
    append(document, "  {");
    document->filled = false;
    string_member(document, "    ", "name", code->name);
    if (code->kind == CODE_PLAIN)
        number_member(document, "    ", "timestamp", code->time);
    key(document, "    ", "type");
    append(document, code->kind == CODE_LIBRARY  ? "\"SHARED_LIB\""
                     : code->kind == CODE_SYMBOL ? "\"CPP\""
                     : code->kind == CODE_PLAIN  ? "\"CODE\""
                                                 : "\"JS\"");
    if (code->kind == CODE_PLAIN) {
        string_member(document, "    ", "kind", code->type);
    } else if (code->kind == CODE_FUNCTION_CODE) {
        key(document, "    ", "kind");
        append_string(&document->text, text_of(json_kind(json->space->rules, code->mark)));
        number_member(document, "    ", "func", code->function);
        number_member(document, "    ", "tm", code->time);
    }
    if (code->deopt && code->deopt_first)
        write_deopt(document, &json->deopts[code->deopt]);
    if (code->source) {
        document->filled = true;
        write_source(document, &json->sources[code->source]);
    }
    if (code->deopt && !code->deopt_first) {
        document->filled = true;
        write_deopt(document, &json->deopts[code->deopt]);
    }
    append(document, "\n  }");
}

static void write_function(struct document *document,
                           const struct reference_json_function *function) {
    append(document, "  {");
    document->filled = false;
    string_member(document, "    ", "name", function->name);
    key(document, "    ", "codes");
    append(document, function->first_code ? "[" : "[]");
    for (uint32_t code = function->first_code; code; code = document->json->code[code - 1].next) {
        append(document, code == function->first_code ? "\n      " : ",\n      ");
        append_unsigned(&document->text, code - 1);
    }
    append(document, function->first_code ? "\n    ]\n  }" : "\n  }");
}

static void write_script(struct document *document, const struct reference_json_script *script) {
    append(document, "  {");
    document->filled = false;
    if (document->json->space->rules->plain_scripts) {
        if (script->has_url)
            string_member(document, "    ", "name", script->url);
        if (script->has_source)
            string_member(document, "    ", "source", script->source);
        append(document, script->has_url ? "\n  }" : "}");
        return;
    }
    string_member(document, "    ", "url", script->url);
    if (script->has_source)
        string_member(document, "    ", "source", script->source);
    string_member(document, "    ", "name", reference_json_script_name(document->json, script));
    key(document, "    ", "lineToColumn");
    append(document, "{}");
    key(document, "    ", "_entries");
    append(document, "[]");
    key(document, "    ", "_sourceMapState");
    append(document, "\"unknown\"");
    number_member(document, "    ", "id", script->id);
    key(document, "    ", "sourcePositions");
    append(document, "[]\n  }");
}

static uint64_t unpack(const char **at) {
    uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
        unsigned char byte = (unsigned char)*(*at)++;
        number |= (uint64_t)(byte & 0x7F) << shift;
        if (!(byte & 0x80))
            return number;
    }
}

static void write_ticks(struct document *document) {
    const struct buffer *packed = &document->json->packed;
    if (packed->size == 0)
        return;
    const char *at = packed->data;
    const char *end = at + packed->size;
    struct buffer *text = &document->text;
    while (at < end) {
        double time, state;
        memcpy(&time, at, sizeof time);
        memcpy(&state, at + sizeof time, sizeof state);
        at += sizeof time + sizeof state;
        append(document, "    {\n  \"tm\": ");
        append_number(text, time);
        append(document, ",\n  \"vm\": ");
        append_number(text, state);
        append(document, ",\n  \"s\": [");
        uint64_t frames = unpack(&at);
        for (uint64_t i = 0; i < frames; i++) {
            uint64_t id = unpack(&at);
            uint64_t offset = unpack(&at);
            buffer_append(text, &",\n    "[i == 0], i == 0 ? 5 : 6);
            if (id)
                append_unsigned(text, id - 1);
            else
                buffer_append(text, "-1", 2);
            buffer_append(text, ",\n    ", 6);
            if (id)
                append_unsigned(text, offset);
            else
                append_number(text, offset == ADDRESS_INVALID ? NAN : (double)offset);
        }
        append(document, at < end ? "\n  ]\n},\n" : "\n  ]\n}\n");
        drain(document);
    }
}

/* The frame of an array of `count` elements that write_element() of the caller writes. */
static void begin_array(struct document *document, const char *name, size_t count) {
    append(document, "  \"");
    append(document, name);
    append(document, count ? "\": [\n" : "\": []");
}

void reference_json_write(const struct reference_json *json, struct output *output) {
    struct document document = {.json = json, .output = output};
    append(&document, "{\n");
    begin_array(&document, "code", json->code_count);
    for (size_t i = 0; i < json->code_count; i++) {
        write_code(&document, &json->code[i]);
        append(&document, i + 1 < json->code_count ? ",\n" : "\n]");
        drain(&document);
    }
    append(&document, ",\n");
    begin_array(&document, "functions", json->function_count);
    for (size_t i = 0; i < json->function_count; i++) {
        write_function(&document, &json->functions[i]);
        append(&document, i + 1 < json->function_count ? ",\n" : "\n]");
        drain(&document);
    }
    append(&document, ",\n  \"ticks\": [\n");
    write_ticks(&document);
    append(&document, "  ],\n");
    begin_array(&document, "scripts", json->scripts_by_id_count);
    for (size_t i = 0; i < json->scripts_by_id_count; i++) {
        if (json->scripts_by_id[i])
            write_script(&document, &json->scripts[json->scripts_by_id[i]]);
        else
            append(&document, "  null");
        append(&document, i + 1 < json->scripts_by_id_count ? ",\n" : "\n]");
        drain(&document);
    }
    append(&document, "}\n");
    output_text(output, buffer_text(&document.text));
    buffer_free(&document.text);
}
