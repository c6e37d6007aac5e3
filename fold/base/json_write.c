// SPDX-License-Identifier: MIT
#include "fold/base/json_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fold/base/utf8.h"

static void start_line(struct json_writer *json, unsigned depth) {
    output_byte(json->output, '\n');
    for (unsigned i = 0; i < depth; i++)
        output_write(json->output, "  ", 2);
}

/* Everything that stands before a value: comma, line, indentation. */
static void start_value(struct json_writer *json) {
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (json->depth == 0)
        return;
    bool *filled = &json->filled[json->depth - 1];
    bool inside_line = json->inline_depth && json->depth >= json->inline_depth;
    if (*filled)
        output_write(json->output, ", ", inside_line ? 2 : 1);
    *filled = true;
    if (!inside_line)
        start_line(json, json->depth);
}

static void begin(struct json_writer *json, char bracket, bool inside_line) {
    start_value(json);
    output_byte(json->output, bracket);
    json->filled[json->depth++] = false;
    if (inside_line && json->inline_depth == 0)
        json->inline_depth = json->depth;
}

static void end(struct json_writer *json, char bracket) {
    bool filled = json->filled[--json->depth];
    if (json->inline_depth == json->depth + 1)
        json->inline_depth = 0;
    else if (filled && json->inline_depth == 0)
        start_line(json, json->depth);
    output_byte(json->output, bracket);
}

void json_begin_object(struct json_writer *json) {
    begin(json, '{', false);
}

void json_end_object(struct json_writer *json) {
    end(json, '}');
}

void json_begin_array(struct json_writer *json) {
    begin(json, '[', false);
}

void json_end_array(struct json_writer *json) {
    end(json, ']');
}

void json_begin_inline_object(struct json_writer *json) {
    begin(json, '{', true);
}

void json_begin_inline_array(struct json_writer *json) {
    begin(json, '[', true);
}

void json_append_escaped(struct buffer *buffer, struct text text) {
    struct buffer repaired = {0};
    if (!utf8_valid(text)) {
        utf8_append_visible(&repaired, text);
        text = buffer_text(&repaired);
    }
    size_t plain = 0;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if (byte >= 0x20 && byte != '"' && byte != '\\' && byte != 0x7F)
            continue;
        buffer_append(buffer, text.data + plain, i - plain);
        plain = i + 1;
        const char *named = byte == '\0' ? NULL : strchr("\"\"\\\\\nn\tt\rr\bb\ff", byte);
        if (byte == '"' || byte == '\\' || (named && byte < 0x20)) {
            buffer_append_byte(buffer, '\\');
            buffer_append_byte(buffer, byte == '"' || byte == '\\' ? (char)byte : named[1]);
        } else {
            buffer_append_format(buffer, "\\u%04x", byte);
        }
    }
    buffer_append_text(buffer, text_skip(text, plain));
    buffer_free(&repaired);
}

static void write_quoted(struct json_writer *json, struct text text) {
    struct buffer escaped = {0};
    json_append_escaped(&escaped, text);
    output_byte(json->output, '"');
    output_text(json->output, buffer_text(&escaped));
    output_byte(json->output, '"');
    buffer_free(&escaped);
}

void json_key(struct json_writer *json, const char *key) {
    start_value(json);
    write_quoted(json, text_of(key));
    output_write(json->output, ": ", 2);
    json->after_key = true;
}

void json_text(struct json_writer *json, struct text text) {
    start_value(json);
    write_quoted(json, text);
}

void json_string(struct json_writer *json, const char *string) {
    if (string)
        json_text(json, text_of(string));
    else
        json_null(json);
}

void json_count(struct json_writer *json, uint64_t count) {
    start_value(json);
    output_format(json->output, "%" PRIu64, count);
}

void json_weight(struct json_writer *json, struct weight weight) {
    struct buffer digits = {0};
    weight_append(&digits, weight);
    start_value(json);
    output_text(json->output, buffer_text(&digits));
    buffer_free(&digits);
}

void json_boolean(struct json_writer *json, bool value) {
    start_value(json);
    output_string(json->output, value ? "true" : "false");
}

void json_null(struct json_writer *json) {
    start_value(json);
    output_string(json->output, "null");
}

void json_real(struct json_writer *json, double value, int digits) {
    if (!isfinite(value)) {
        json_null(json);
        return;
    }
    char text[400];
    snprintf(text, sizeof text, "%.*f", digits, value);
    if (strchr(text, '.')) {
        size_t length = strlen(text);
        while (text[length - 1] == '0')
            length--;
        if (text[length - 1] == '.')
            length--;
        text[length] = '\0';
    }
    start_value(json);
    output_string(json->output, strcmp(text, "-0") == 0 ? "0" : text);
}

void json_finish(struct json_writer *json) {
    output_byte(json->output, '\n');
}
