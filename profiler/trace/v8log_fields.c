// SPDX-License-Identifier: MIT
#include "profiler/trace/v8log_fields.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fold/base/number.h"
#include "fold/base/utf8.h"

static void add_field(struct v8log_fields *fields, struct text field, struct text rest) {
    if (fields->count < V8LOG_FIELDS_MAX) {
        fields->items[fields->count] = field;
        fields->rest = rest;
    }
    fields->count++;
}

static void clear_from(struct v8log_fields *fields) {
    for (size_t i = fields->count; i < V8LOG_FIELDS_MAX; i++)
        fields->items[i] = (struct text){"", 0};
}

void v8log_fields_split(struct v8log_fields *fields, struct text line) {
    fields->count = 0;
    fields->rest = (struct text){"", 0};
    for (;;) {
        const char *comma = line.size ? memchr(line.data, ',', line.size) : NULL;
        if (!comma) {
            add_field(fields, line, text_skip(line, line.size));
            break;
        }
        struct text field = {line.data, (size_t)(comma - line.data)};
        line = text_skip(line, field.size + 1);
        add_field(fields, field, line);
    }
    clear_from(fields);
}

void v8log_fields_split_quoted(struct v8log_fields *fields, struct text line) {
    fields->count = 0;
    fields->rest = (struct text){"", 0};
    for (;;) {
        size_t end = 0;
        if (line.size && line.data[0] == '"') {
            end = 1;
            while (end < line.size &&
                   (line.data[end] != '"' || (end + 1 < line.size && line.data[end + 1] == '"')))
                end += line.data[end] == '"' ? 2 : 1;
        }
        while (end < line.size && line.data[end] != ',')
            end++;
        if (end > line.size)
            end = line.size;
        struct text field = {line.data, end};
        bool last = end >= line.size;
        line = text_skip(line, end + 1);
        add_field(fields, field, line);
        if (last)
            break;
    }
    clear_from(fields);
}

struct text v8log_unquote(struct text field, struct buffer *buffer) {
    if (field.size < 2 || field.data[0] != '"' || field.data[field.size - 1] != '"')
        return field;
    struct text inner = {field.data + 1, field.size - 2};
    if (inner.size == 0 || !memchr(inner.data, '"', inner.size))
        return inner;
    size_t start = buffer->size;
    for (size_t i = 0; i < inner.size; i++) {
        buffer_append_byte(buffer, inner.data[i]);
        if (inner.data[i] == '"' && i + 1 < inner.size && inner.data[i + 1] == '"')
            i++;
    }
    return text_skip(buffer_text(buffer), start);
}

/* Appends one UTF-16 unit; a low surrogate behind a high one joins it to one character. */
static void append_unit(struct buffer *buffer, uint32_t unit) {
    if (unit >= 0xDC00 && unit <= 0xDFFF && buffer->size >= 3) {
        const unsigned char *before = (const unsigned char *)buffer->data + buffer->size - 3;
        if (before[0] == 0xED && before[1] >= 0xA0 && before[1] < 0xB0) {
            uint32_t high = 0xD000u | (before[1] & 0x3Fu) << 6 | (before[2] & 0x3Fu);
            buffer->size -= 3;
            utf8_append(buffer, 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00));
            return;
        }
    }
    utf8_append(buffer, unit);
}

/* Text that is read by UTF-16 units. */
struct unit_reader {
    struct text rest;
    uint32_t low; /* the second unit of the character read last, not yet read; 0 = none */
};

/* The next unit; it must not be at the end. */
static uint32_t next_unit(struct unit_reader *reader) {
    uint32_t point = reader->low;
    if (point) {
        reader->low = 0;
        return point;
    }
    size_t length;
    point = utf8_decode(reader->rest, &length);
    reader->rest = text_skip(reader->rest, length);
    if (point == UTF8_INVALID || point <= 0xFFFF)
        return point;
    reader->low = 0xDC00 + ((point - 0x10000) & 0x3FF);
    return 0xD800 + ((point - 0x10000) >> 10);
}

static bool has_unit(const struct unit_reader *reader) {
    return reader->low || reader->rest.size;
}

void v8log_unescape_exactly(struct buffer *buffer, struct text field) {
    const char *slash;
    while (field.size && (slash = memchr(field.data, '\\', field.size)) != NULL) {
        size_t before = (size_t)(slash - field.data);
        buffer_append(buffer, field.data, before);
        struct unit_reader reader = {text_skip(field, before + 1), 0};
        uint32_t kind = has_unit(&reader) ? next_unit(&reader) : 0;
        if (kind == 'n' || kind == '\\') {
            buffer_append_byte(buffer, kind == 'n' ? '\n' : '\\');
            field = reader.rest;
            continue;
        }
        char digits[4];
        size_t count = 0;
        while (count < (kind == 'x' ? 2 : 4) && has_unit(&reader)) {
            uint32_t digit = next_unit(&reader);
            digits[count++] = digit < 0x80 ? (char)digit : '?'; /* no digit of a number */
        }
        field = reader.rest;
        struct text text = {digits, count};
        if (text_equal(text, TEXT("2C"))) {
            buffer_append_byte(buffer, ',');
        } else {
            double unit = v8log_parse_int_16(text);
            append_unit(buffer, isnan(unit) ? 0 : (uint32_t)((int64_t)unit & 0xFFFF));
        }
        if (reader.low)
            append_unit(buffer, reader.low);
    }
    buffer_append_text(buffer, field);
}

/* The value of exactly `count` hexadecimal digits at the front of `text`, or -1. */
static int32_t take_digits(struct text text, size_t count) {
    if (text.size < count)
        return -1;
    int32_t value = 0;
    for (size_t i = 0; i < count; i++) {
        int digit = number_hexadecimal_digit(text.data[i]);
        if (digit < 0)
            return -1;
        value = value << 4 | digit;
    }
    return value;
}

void v8log_unescape(struct buffer *buffer, struct text field, bool raw_backslashes) {
    const char *slash;
    while (field.size && (slash = memchr(field.data, '\\', field.size)) != NULL) {
        size_t before = (size_t)(slash - field.data);
        buffer_append(buffer, field.data, before);
        field = text_skip(field, before);
        char kind = field.size > 1 ? field.data[1] : '\0';
        int32_t unit = -1;
        size_t size = 2;
        if (kind == 'x' && (unit = take_digits(text_skip(field, 2), 2)) >= 0)
            size = 4;
        else if (kind == 'u' && (unit = take_digits(text_skip(field, 2), 4)) >= 0)
            size = 6;
        else if (kind == 'n' || kind == '\\')
            unit = kind == 'n' ? '\n' : '\\';
        if (unit < 0 || (raw_backslashes && unit != ',')) {
            buffer_append_byte(buffer, '\\');
            field = text_skip(field, 1);
            continue;
        }
        field = text_skip(field, size);
        if (unit >= 0xD800 && unit <= 0xDFFF) {
            int32_t low = -1;
            if (unit < 0xDC00 && text_starts_with(field, TEXT("\\u")))
                low = take_digits(text_skip(field, 2), 4);
            if (low >= 0xDC00 && low <= 0xDFFF) {
                field = text_skip(field, 6);
                unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
            } else {
                unit = 0xFFFD;
            }
        }
        utf8_append(buffer, (uint32_t)unit);
    }
    buffer_append_text(buffer, field);
}

/* The bytes at the front of `text` that one U+FFFD replaces: the longest start of a well-formed
 * character, at least 1 (Unicode, "substitution of maximal subparts"). */
static size_t ill_formed_size(struct text text) {
    const unsigned char *at = (const unsigned char *)text.data;
    size_t need = at[0] >= 0xF0 && at[0] <= 0xF4   ? 4
                  : at[0] >= 0xE0 && at[0] <= 0xEF ? 3
                  : at[0] >= 0xC2 && at[0] <= 0xDF ? 2
                                                   : 1;
    unsigned char low = at[0] == 0xE0 ? 0xA0 : at[0] == 0xF0 ? 0x90 : 0x80;
    unsigned char high = at[0] == 0xED ? 0x9F : at[0] == 0xF4 ? 0x8F : 0xBF;
    size_t size = 1;
    while (size < need && size < text.size && at[size] >= low && at[size] <= high) {
        low = 0x80;
        high = 0xBF;
        size++;
    }
    return size;
}

void v8log_decode(struct buffer *buffer, struct text text) {
    size_t good = 0;
    while (good < text.size) {
        size_t length;
        if (utf8_decode(text_skip(text, good), &length) != UTF8_INVALID) {
            good += length;
            continue;
        }
        buffer_append(buffer, text.data, good);
        buffer_append(buffer, "\xEF\xBF\xBD", 3);
        text = text_skip(text, good);
        text = text_skip(text, ill_formed_size(text));
        good = 0;
    }
    buffer_append(buffer, text.data, good);
}

static double parse_int(struct text text, int radix) {
    while (text.size && strchr(" \t\r\n\v\f", text.data[0]) && text.data[0])
        text = text_skip(text, 1);
    double sign = 1;
    if (text.size && (text.data[0] == '-' || text.data[0] == '+')) {
        sign = text.data[0] == '-' ? -1 : 1;
        text = text_skip(text, 1);
    }
    if ((radix == 0 || radix == 16) && text.size >= 2 && text.data[0] == '0' &&
        (text.data[1] | 0x20) == 'x') {
        text = text_skip(text, 2);
        radix = 16;
    }
    if (radix == 0)
        radix = 10;
    size_t size = 0;
    uint64_t value = 0;
    bool fits = true;
    for (; size < text.size; size++) {
        int digit = number_hexadecimal_digit(text.data[size]);
        if (digit < 0 || digit >= radix)
            break;
        fits = fits && !__builtin_mul_overflow(value, (uint64_t)radix, &value) &&
               !__builtin_add_overflow(value, (uint64_t)digit, &value);
    }
    if (size == 0)
        return NAN;
    if (fits)
        return sign * (double)value;
    /* More than 64 bits: let the C library round. */
    char digits[512] = "0x";
    size_t start = radix == 16 ? 2 : 0;
    if (size > sizeof digits - 8)
        return sign * INFINITY;
    memcpy(digits + start, text.data, size);
    digits[start + size] = '\0';
    return sign * strtod(digits, NULL);
}

double v8log_parse_int(struct text text) {
    return parse_int(text, 0);
}

double v8log_parse_int_16(struct text text) {
    return parse_int(text, 16);
}

static uint64_t to_address(double number) {
    if (number >= 0x1p64)
        return ADDRESS_BEYOND;
    return number >= 0 ? (uint64_t)number : ADDRESS_INVALID;
}

uint64_t v8log_parse_address_exactly(struct text text) {
    return to_address(v8log_parse_int(text));
}

uint64_t v8log_round_address(uint64_t address) {
    return address <= (UINT64_C(1) << 53) ? address : to_address((double)address);
}

bool v8log_parse_address(struct text text, uint64_t *address) {
    return text_starts_with(text, TEXT("0x")) && number_parse_hexadecimal(text, address);
}

void v8log_append_number(struct buffer *buffer, double number) {
    if (isnan(number) || isinf(number)) {
        buffer_append_format(buffer, "%s",
                             isnan(number) ? "NaN"
                             : number < 0  ? "-Infinity"
                                           : "Infinity");
        return;
    }
    if (number == 0) {
        buffer_append_byte(buffer, '0');
        return;
    }
    if (fabs(number) < 0x1p53 && number == floor(number)) {
        buffer_append_format(buffer, "%" PRId64, (int64_t)number);
        return;
    }
    char text[64];
    int digits = 1;
    do {
        snprintf(text, sizeof text, "%.*e", digits - 1, number);
    } while (strtod(text, NULL) != number && ++digits <= 17);
    /* text is [-]D.DDDe[+-]XX; the rules of Number::toString place the point. */
    char mantissa[32] = {0};
    size_t size = 0;
    const char *at = text + (text[0] == '-');
    for (; *at != 'e'; at++) {
        if (*at != '.')
            mantissa[size++] = *at;
    }
    int point = (int)strtol(at + 1, NULL, 10) + 1; /* digits before the point */
    if (number < 0)
        buffer_append_byte(buffer, '-');
    if (point > 21 || point < -5) {
        buffer_append_byte(buffer, mantissa[0]);
        if (size > 1) {
            buffer_append_byte(buffer, '.');
            buffer_append(buffer, mantissa + 1, size - 1);
        }
        buffer_append_format(buffer, "e%+d", point - 1);
        return;
    }
    if (point <= 0)
        buffer_append(buffer, "0.", 2);
    for (int i = point; i < 0; i++)
        buffer_append_byte(buffer, '0');
    for (int i = 0; i < (int)size || i < point; i++) {
        if (i == point && point > 0)
            buffer_append_byte(buffer, '.');
        buffer_append_byte(buffer, i < (int)size ? mantissa[i] : '0');
    }
}
