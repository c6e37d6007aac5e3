// SPDX-License-Identifier: MIT
#include "fold/base/json_number.h"

#include <stdlib.h>
#include <string.h>

/* A number's digits. */
struct number_parts {
    bool negative;
    struct text whole, fraction, exponent; /* digits; the latter two may be empty */
    bool negative_exponent;
};

static bool is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

static struct text take_digits(struct text *rest) {
    struct text digits = {rest->data, 0};
    while (digits.size < rest->size && is_digit(rest->data[digits.size]))
        digits.size++;
    *rest = text_skip(*rest, digits.size);
    return digits;
}

static bool take_byte(struct text *rest, char byte) {
    if (rest->size == 0 || *rest->data != byte)
        return false;
    *rest = text_skip(*rest, 1);
    return true;
}

/* Splits a number. False: it is none by JSON's grammar. */
static bool split_number(struct text rest, struct number_parts *parts) {
    *parts = (struct number_parts){.negative = take_byte(&rest, '-')};
    parts->whole = take_digits(&rest);
    if (parts->whole.size == 0 || (parts->whole.size > 1 && *parts->whole.data == '0'))
        return false;
    if (take_byte(&rest, '.')) {
        parts->fraction = take_digits(&rest);
        if (parts->fraction.size == 0)
            return false;
    }
    if (take_byte(&rest, 'e') || take_byte(&rest, 'E')) {
        parts->negative_exponent = take_byte(&rest, '-');
        if (!parts->negative_exponent)
            (void)take_byte(&rest, '+');
        parts->exponent = take_digits(&rest);
        if (parts->exponent.size == 0)
            return false;
    }
    return rest.size == 0;
}

/* Appends decimal digits to *value; false when that does not fit. */
static bool add_digits(uint64_t *value, struct text digits) {
    for (size_t i = 0; i < digits.size; i++) {
        unsigned digit = (unsigned)(digits.data[i] - '0');
        if (*value > (UINT64_MAX - digit) / 10)
            return false;
        *value = *value * 10 + digit;
    }
    return true;
}

enum json_number_form json_number_form(struct text text) {
    struct number_parts parts;
    if (!split_number(text, &parts))
        return JSON_NUMBER_NOT;
    return parts.fraction.size == 0 && parts.exponent.size == 0 ? JSON_NUMBER_DIGITS
                                                                : JSON_NUMBER_OTHER;
}

bool json_number_to_integer(struct text number, int64_t *value) {
    enum { EXPONENT_MOST = 1 << 20 };
    struct number_parts parts;
    if (!split_number(number, &parts))
        return false;
    uint64_t exponent = 0;
    if (!add_digits(&exponent, parts.exponent) || exponent > EXPONENT_MOST)
        exponent = EXPONENT_MOST;
    /* Zeros at the end of a fraction say nothing. */
    while (parts.fraction.size > 0 && parts.fraction.data[parts.fraction.size - 1] == '0')
        parts.fraction.size--;
    /* And those at the end of the digits before a negative exponent can be more than fit. */
    int64_t shift = parts.negative_exponent ? -(int64_t)exponent : (int64_t)exponent;
    while (parts.fraction.size == 0 && shift < 0 && parts.whole.size > 1 &&
           parts.whole.data[parts.whole.size - 1] == '0') {
        parts.whole.size--;
        shift++;
    }
    shift -= (int64_t)parts.fraction.size;
    uint64_t magnitude = 0;
    if (!add_digits(&magnitude, parts.whole) || !add_digits(&magnitude, parts.fraction))
        return false;
    for (; magnitude > 0 && shift > 0; shift--) {
        if (magnitude > UINT64_MAX / 10)
            return false;
        magnitude *= 10;
    }
    for (; magnitude > 0 && shift < 0; shift++) {
        if (magnitude % 10 != 0)
            return false;
        magnitude /= 10;
    }
    if (magnitude > (uint64_t)INT64_MAX + parts.negative)
        return false;
    *value = parts.negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

double json_number_to_real(struct text number) {
    char copy[JSON_NUMBER_LARGEST + 1];
    size_t size = number.size < sizeof copy ? number.size : sizeof copy - 1;
    memcpy(copy, number.data, size);
    copy[size] = '\0';
    return strtod(copy, NULL);
}
