// SPDX-License-Identifier: MIT
#include "svg/label.h"

#include <string.h>

#include "fold/base/utf8.h"

struct amount_unit amount_unit_of(enum profile_unit unit, const char *count_name) {
    if (count_name != NULL)
        return (struct amount_unit){count_name, 1};
    switch (unit) {
    case UNIT_TICKS:
        return (struct amount_unit){"ticks", 1};
    case UNIT_MICROSECONDS:
        return (struct amount_unit){"ms", 1000};
    case UNIT_NANOSECONDS:
        return (struct amount_unit){"ms", 1000000};
    case UNIT_BYTES:
        return (struct amount_unit){"bytes", 1};
    case UNIT_COUNT:
        return (struct amount_unit){"counts", 1};
    case UNIT_SAMPLES:
        break;
    }
    return (struct amount_unit){"samples", 1};
}

/* A weight in milliseconds: to a hundredth, or exact where that would be nothing. */
static struct weight in_unit(struct weight weight, uint64_t division) {
    uint64_t hundredth = division / 100;
    uint64_t hundredths = hundredth ? weight.whole / hundredth : 0;
    if (hundredths > 0) {
        hundredths += weight.whole % hundredth >= hundredth - hundredth / 2;
        return (struct weight){hundredths / 100, hundredths % 100 * (WEIGHT_FRACTION_ONE / 100)};
    }
    return (struct weight){weight.whole / division,
                           weight.whole % division * (WEIGHT_FRACTION_ONE / division) +
                               weight.fraction / division};
}

void amount_append(struct buffer *buffer, struct amount_unit unit, struct weight weight) {
    weight_append_grouped(buffer, in_unit(weight, unit.division));
    buffer_append_byte(buffer, ' ');
    utf8_append_visible(buffer, text_of(unit.name));
}

void xml_append(struct buffer *buffer, struct text text) {
    for (size_t i = 0; i < text.size; i++) {
        switch (text.data[i]) {
        case '&':
            buffer_append_text(buffer, TEXT("&amp;"));
            break;
        case '<':
            buffer_append_text(buffer, TEXT("&lt;"));
            break;
        case '>':
            buffer_append_text(buffer, TEXT("&gt;"));
            break;
        case '"':
            buffer_append_text(buffer, TEXT("&quot;"));
            break;
        case '\'':
            buffer_append_text(buffer, TEXT("&#39;"));
            break;
        default:
            buffer_append_byte(buffer, text.data[i]);
        }
    }
}

struct text label_tail(struct text text, size_t columns) {
    struct text tail = text;
    size_t excess = utf8_columns(text);
    while (tail.size > 0 && excess > columns) {
        size_t length;
        utf8_decode(tail, &length);
        excess -= utf8_columns((struct text){tail.data, length});
        tail = text_skip(tail, length);
    }
    return tail;
}

void label_append_cut(struct buffer *buffer, struct text text, size_t columns) {
    if (columns == 0 || text.size == 0)
        return;
    if (utf8_columns(text) <= columns) {
        buffer_append_text(buffer, text);
        return;
    }
    size_t end = columns < 12 ? 0 : (columns - 1) / 2;
    buffer_append_text(buffer, utf8_cut_columns(text, columns - 1 - end));
    buffer_append_text(buffer, TEXT("…"));
    buffer_append_text(buffer, label_tail(text, end));
}

/* `FILE:LINE:COLUMN` without the column; other texts unchanged. */
static struct text without_column(struct text place) {
    size_t colons = 0, cut = place.size;
    for (size_t i = place.size; i > 0; i--) {
        char byte = place.data[i - 1];
        if (byte == ':') {
            if (colons == 0)
                cut = i - 1;
            colons++;
            if (colons == 2)
                return (struct text){place.data, cut};
        } else if (byte < '0' || byte > '9') {
            break;
        }
    }
    return place;
}

struct text label_place(struct text place, size_t columns) {
    struct text whole = without_column(place);
    if (utf8_columns(whole) <= columns)
        return whole;
    static const char modules[] = "node_modules/";
    size_t length = sizeof modules - 1;
    for (size_t i = whole.size; i >= length; i--) {
        if (memcmp(whole.data + i - length, modules, length) == 0) {
            struct text package = text_skip(whole, i);
            if (utf8_columns(package) <= columns)
                return package;
            break;
        }
    }
    struct text own = text_basename(whole);
    return utf8_columns(own) <= columns ? own : (struct text){whole.data, 0};
}

struct text label_line(struct text text, size_t columns, struct text *rest) {
    struct text line = utf8_cut_columns(text, columns);
    if (line.size < text.size && text.data[line.size] != ' ') {
        size_t blank = line.size;
        while (blank > 0 && line.data[blank - 1] != ' ')
            blank--;
        if (blank > 0)
            line.size = blank;
    }
    if (line.size == 0 && text.size > 0) {
        /* Narrower than one character: that character stands alone. */
        size_t length;
        utf8_decode(text, &length);
        line.size = length;
    }
    *rest = text_skip(text, line.size);
    while (rest->size > 0 && rest->data[0] == ' ')
        *rest = text_skip(*rest, 1);
    while (line.size > 0 && line.data[line.size - 1] == ' ')
        line.size--;
    return line;
}
