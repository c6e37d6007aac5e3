// SPDX-License-Identifier: MIT
#include "fold/base/utf8.h"

#include <string.h>

uint32_t utf8_decode(struct text text, size_t *length) {
    const unsigned char *at = (const unsigned char *)text.data;
    *length = 1;
    if (at[0] < 0x80)
        return at[0];
    size_t size = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : 2;
    if (at[0] < 0xC2 || at[0] > 0xF4 || text.size < size)
        return UTF8_INVALID;
    uint32_t point = at[0] & (0x7F >> size);
    for (size_t i = 1; i < size; i++) {
        if ((at[i] & 0xC0) != 0x80)
            return UTF8_INVALID;
        point = point << 6 | (at[i] & 0x3F);
    }
    bool overlong = (size == 3 && point < 0x800) || (size == 4 && point < 0x10000);
    if (overlong || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF))
        return UTF8_INVALID;
    *length = size;
    return point;
}

void utf8_append(struct buffer *buffer, uint32_t point) {
    if (point < 0x80) {
        buffer_append_byte(buffer, (char)point);
    } else if (point < 0x800) {
        buffer_append_byte(buffer, (char)(0xC0 | point >> 6));
        buffer_append_byte(buffer, (char)(0x80 | (point & 0x3F)));
    } else if (point < 0x10000) {
        buffer_append_byte(buffer, (char)(0xE0 | point >> 12));
        buffer_append_byte(buffer, (char)(0x80 | (point >> 6 & 0x3F)));
        buffer_append_byte(buffer, (char)(0x80 | (point & 0x3F)));
    } else {
        buffer_append_byte(buffer, (char)(0xF0 | point >> 18));
        buffer_append_byte(buffer, (char)(0x80 | (point >> 12 & 0x3F)));
        buffer_append_byte(buffer, (char)(0x80 | (point >> 6 & 0x3F)));
        buffer_append_byte(buffer, (char)(0x80 | (point & 0x3F)));
    }
}

void utf8_repair(char *data, size_t size) {
    for (size_t i = 0, length; i < size; i += length) {
        if (utf8_decode((struct text){data + i, size - i}, &length) == UTF8_INVALID)
            data[i] = '?';
    }
}

bool utf8_valid(struct text text) {
    size_t length;
    for (; text.size; text = text_skip(text, length)) {
        if (utf8_decode(text, &length) == UTF8_INVALID)
            return false;
    }
    return true;
}

/* Marks that change the order of the text around them, line separators, and non-characters. */
static bool is_disruptive(uint32_t point) {
    return point == 0x61C || (point >= 0x200E && point <= 0x200F) ||
           (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069) ||
           point == 0xFEFF || (point >= 0xFDD0 && point <= 0xFDEF) || (point & 0xFFFE) == 0xFFFE;
}

void utf8_append_visible(struct buffer *buffer, struct text text) {
    size_t plain = 0; /* bytes from text.data on that can be copied as they are */
    while (plain < text.size) {
        size_t length;
        unsigned char byte = (unsigned char)text.data[plain];
        if (byte >= 0x20 && byte < 0x7F) {
            plain++;
            continue;
        }
        uint32_t point = utf8_decode(text_skip(text, plain), &length);
        bool control = point < 0x20 || (point >= 0x7F && point < 0xA0);
        if (point != UTF8_INVALID && !control && !is_disruptive(point)) {
            plain += length;
            continue;
        }
        buffer_append(buffer, text.data, plain);
        if (point == '\n')
            buffer_append(buffer, "\\n", 2);
        else if (point == UTF8_INVALID || control)
            buffer_append_format(buffer, "\\x%02x", point == UTF8_INVALID ? byte : point);
        else
            buffer_append_format(buffer, "\\u{%x}", point);
        text = text_skip(text, plain + length);
        plain = 0;
    }
    buffer_append(buffer, text.data, plain);
}

/* First and last code points that take no column, or two. Coarse ranges of the Unicode data. */
struct range {
    uint32_t first, last;
};

static const struct range zero_width[] = {
    {0x300, 0x36F},    {0x483, 0x489},   {0x591, 0x5BD},   {0x610, 0x61A},   {0x64B, 0x65F},
    {0x6D6, 0x6DC},    {0x93A, 0x93C},   {0x941, 0x948},   {0xE31, 0xE31},   {0xE34, 0xE3A},
    {0xE47, 0xE4E},    {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200D}, {0x20D0, 0x20FF},
    {0x302A, 0x302D},  {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0x1F3FB, 0x1F3FF},
    {0xE0020, 0xE007F}};
static const struct range double_width[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},  {0x2E80, 0x303E}, {0x3041, 0x33FF},
    {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},  {0xA960, 0xA97F}, {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},  {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F},
    {0x1F680, 0x1F6FF}, {0x1F900, 0x1FAFF}, {0x20000, 0x3FFFD}};

static bool in_ranges(uint32_t point, const struct range *ranges, size_t count) {
    for (size_t i = 0; i < count && ranges[i].first <= point; i++) {
        if (point <= ranges[i].last)
            return true;
    }
    return false;
}

static size_t columns_of(uint32_t point) {
    if (point < 0x300)
        return 1;
    if (in_ranges(point, zero_width, sizeof zero_width / sizeof *zero_width))
        return 0;
    return in_ranges(point, double_width, sizeof double_width / sizeof *double_width) ? 2 : 1;
}

/* The columns of the next character of a text; *marks counts the marks in a row. */
static size_t next_columns(uint32_t point, size_t *marks) {
    enum { MARKS_MAX = 8 };
    size_t columns = columns_of(point);
    *marks = columns ? 0 : *marks + 1;
    return *marks > MARKS_MAX ? 1 : columns;
}

size_t utf8_columns(struct text text) {
    size_t columns = 0;
    size_t marks = 0;
    size_t length;
    for (; text.size; text = text_skip(text, length))
        columns += next_columns(utf8_decode(text, &length), &marks);
    return columns;
}

struct text utf8_cut_columns(struct text text, size_t columns) {
    size_t used = 0;
    size_t marks = 0;
    size_t end = 0;
    while (end < text.size) {
        size_t length;
        size_t width = next_columns(utf8_decode(text_skip(text, end), &length), &marks);
        if (used + width > columns)
            break;
        used += width;
        end += length;
    }
    return (struct text){text.data, end};
}

/* Decodes one character of WTF-8: as utf8_decode(), with surrogates allowed. */
static uint32_t decode_wtf8(struct text text, size_t *length) {
    const unsigned char *at = (const unsigned char *)text.data;
    if (text.size >= 3 && at[0] == 0xED && at[1] >= 0xA0 && at[1] < 0xC0 &&
        (at[2] & 0xC0) == 0x80) {
        *length = 3;
        return 0xD000u | (at[1] & 0x3Fu) << 6 | (at[2] & 0x3Fu);
    }
    uint32_t point = utf8_decode(text, length);
    return point == UTF8_INVALID ? 0xFFFD : point;
}

/* The UTF-16 code units of a text, one by one. */
struct unit_reader {
    struct text rest;
    uint32_t low; /* the second unit of a pair whose first one was taken; 0 = none */
};

static bool has_unit(const struct unit_reader *reader) {
    return reader->low || reader->rest.size;
}

static uint32_t next_unit(struct unit_reader *reader) {
    uint32_t unit = reader->low;
    reader->low = 0;
    if (unit)
        return unit;
    size_t length;
    unit = decode_wtf8(reader->rest, &length);
    reader->rest = text_skip(reader->rest, length);
    if (unit <= 0xFFFF)
        return unit;
    reader->low = 0xDC00 + (unit & 0x3FF);
    return 0xD800 + ((unit - 0x10000) >> 10);
}

int utf8_compare_utf16(struct text a, struct text b) {
    struct unit_reader units_a = {a, 0};
    struct unit_reader units_b = {b, 0};
    while (has_unit(&units_a) && has_unit(&units_b)) {
        uint32_t unit_a = next_unit(&units_a);
        uint32_t unit_b = next_unit(&units_b);
        if (unit_a != unit_b)
            return unit_a < unit_b ? -1 : 1;
    }
    return has_unit(&units_a) - has_unit(&units_b);
}
