// SPDX-License-Identifier: MIT
#include "fold/base/number.h"

#include <inttypes.h>
#include <stdio.h>

bool number_parse_decimal(struct text text, uint64_t *value) {
    if (text.size == 0)
        return false;
    uint64_t result = 0;
    for (size_t i = 0; i < text.size; i++) {
        unsigned digit = (unsigned)text.data[i] - '0';
        if (digit > 9 || __builtin_mul_overflow(result, 10, &result) ||
            __builtin_add_overflow(result, digit, &result))
            return false;
    }
    *value = result;
    return true;
}

int number_hexadecimal_digit(char byte) {
    /* Each value with 1 added, so that 0 means none: logs hold millions of digits. */
    static const unsigned char values[256] = {
        ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
        ['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
        ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
        ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16};
    return values[(unsigned char)byte] - 1;
}

bool number_parse_hexadecimal(struct text text, uint64_t *value) {
    if (text.size > 2 && text.data[0] == '0' && (text.data[1] | 0x20) == 'x')
        text = text_skip(text, 2);
    if (text.size == 0)
        return false;
    uint64_t result = 0;
    for (size_t i = 0; i < text.size; i++) {
        int digit = number_hexadecimal_digit(text.data[i]);
        if (digit < 0 || result >> 60)
            return false;
        result = result << 4 | (uint64_t)digit;
    }
    *value = result;
    return true;
}

struct weight weight_of(uint64_t whole) {
    return (struct weight){whole, 0};
}

struct weight weight_add(struct weight a, struct weight b) {
    struct weight sum = {0, a.fraction + b.fraction};
    uint64_t carry = sum.fraction >= WEIGHT_FRACTION_ONE;
    if (carry)
        sum.fraction -= WEIGHT_FRACTION_ONE;
    if (__builtin_add_overflow(a.whole, b.whole, &sum.whole) ||
        __builtin_add_overflow(sum.whole, carry, &sum.whole))
        return WEIGHT_LARGEST;
    return sum;
}

struct weight weight_subtract(struct weight a, struct weight b) {
    if (weight_compare(a, b) <= 0)
        return weight_of(0);
    struct weight rest = {a.whole - b.whole, a.fraction - b.fraction};
    if (a.fraction < b.fraction) {
        rest.whole--;
        rest.fraction += WEIGHT_FRACTION_ONE;
    }
    return rest;
}

int weight_compare(struct weight a, struct weight b) {
    if (a.whole != b.whole)
        return a.whole < b.whole ? -1 : 1;
    return (a.fraction > b.fraction) - (a.fraction < b.fraction);
}

bool weight_is_zero(struct weight weight) {
    return weight.whole == 0 && weight.fraction == 0;
}

bool weight_is_largest(struct weight weight) {
    return weight_compare(weight, WEIGHT_LARGEST) == 0;
}

double weight_to_double(struct weight weight) {
    return (double)weight.whole + (double)weight.fraction / (double)WEIGHT_FRACTION_ONE;
}

double weight_share(struct weight a, struct weight b) {
    return weight_is_zero(b) ? 0 : weight_to_double(a) / weight_to_double(b);
}

enum weight_parsed weight_parse(struct text text, struct weight *weight) {
    enum weight_parsed parsed = WEIGHT_PARSED;
    struct weight result = {0, 0};
    size_t i = 0;
    for (; i < text.size && text.data[i] >= '0' && text.data[i] <= '9'; i++) {
        if (__builtin_mul_overflow(result.whole, 10, &result.whole) ||
            __builtin_add_overflow(result.whole, (unsigned)(text.data[i] - '0'), &result.whole))
            parsed = WEIGHT_SATURATED;
    }
    if (i == 0)
        return WEIGHT_NOT;
    if (i < text.size && text.data[i] == '.') {
        size_t start = ++i;
        uint64_t unit = WEIGHT_FRACTION_ONE / 10;
        for (; i < text.size && text.data[i] >= '0' && text.data[i] <= '9'; i++, unit /= 10) {
            unsigned digit = (unsigned)(text.data[i] - '0');
            if (unit == 0 && digit != 0 && parsed == WEIGHT_PARSED)
                parsed = WEIGHT_ROUNDED;
            result.fraction += digit * unit;
        }
        if (i == start)
            return WEIGHT_NOT;
    }
    if (i != text.size)
        return WEIGHT_NOT;
    *weight = parsed == WEIGHT_SATURATED ? WEIGHT_LARGEST : result;
    return parsed;
}

static void append_fraction(struct buffer *buffer, uint64_t fraction) {
    if (fraction == 0)
        return;
    char digits[24];
    int length = snprintf(digits, sizeof digits, ".%018" PRIu64, fraction);
    while (digits[length - 1] == '0')
        length--;
    buffer_append(buffer, digits, (size_t)length);
}

void weight_append(struct buffer *buffer, struct weight weight) {
    buffer_append_format(buffer, "%" PRIu64, weight.whole);
    append_fraction(buffer, weight.fraction);
}

void weight_append_grouped(struct buffer *buffer, struct weight weight) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, weight.whole);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            buffer_append_byte(buffer, ',');
        buffer_append_byte(buffer, digits[i]);
    }
    append_fraction(buffer, weight.fraction);
}
