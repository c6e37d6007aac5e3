// SPDX-License-Identifier: MIT
/*
 * Numbers: parsing without surprises, counts that saturate, and exact weights.
 */
#ifndef TICKFLAME_FOLD_BASE_NUMBER_H
#define TICKFLAME_FOLD_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/base/text.h"

/* The value of a hexadecimal digit of either case; -1 for any other character. */
int number_hexadecimal_digit(char byte);

/* Parses all of `text` as decimal digits into *value. False: empty, another character, or more
 * than 64 bits; *value is then unchanged. */
bool number_parse_decimal(struct text text, uint64_t *value);

/* As number_parse_decimal() for hexadecimal digits of either case; an `0x` or `0X` before them is
 * allowed. */
bool number_parse_hexadecimal(struct text text, uint64_t *value);

/*
 * A weight: how much a sample or a stack counts, in the unit of the profile (ticks, samples,
 * nanoseconds, bytes ...). An unsigned 64-bit integer with an exact decimal fraction of up to 18
 * digits, because folded text may hold counts such as 18.5 or 9007199254740993, which a double
 * would round. All zero is 0. Sums saturate at the largest weight.
 */
struct weight {
    uint64_t whole;
    uint64_t fraction; /* in units of 10^-18: below WEIGHT_FRACTION_ONE */
};

#define WEIGHT_FRACTION_ONE 1000000000000000000u
#define WEIGHT_LARGEST      ((struct weight){UINT64_MAX, WEIGHT_FRACTION_ONE - 1})

struct weight weight_of(uint64_t whole);

/* a + b; the largest weight when that does not fit. */
struct weight weight_add(struct weight a, struct weight b);

/* a - b; 0 when b is larger. */
struct weight weight_subtract(struct weight a, struct weight b);

/* < 0, 0, > 0 as a is smaller than, equal to, or larger than b. */
int weight_compare(struct weight a, struct weight b);
bool weight_is_zero(struct weight weight);
bool weight_is_largest(struct weight weight);

/* The nearest double, for shares and drawing. */
double weight_to_double(struct weight weight);

/* a / b as a double from 0; 0 when b is 0. */
double weight_share(struct weight a, struct weight b);

/* What weight_parse() found. */
enum weight_parsed {
    WEIGHT_PARSED,    /* *weight holds exactly what was written */
    WEIGHT_SATURATED, /* too large: *weight is the largest */
    WEIGHT_ROUNDED,   /* more than 18 digits of fraction: the rest was cut off */
    WEIGHT_NOT,       /* not a weight: *weight is unchanged */
};

/* Parses all of `text`: digits, then optionally a point and digits. */
enum weight_parsed weight_parse(struct text text, struct weight *weight);

/* Appends the decimal form, without a fraction when that is 0: "12", "18.5". */
void weight_append(struct buffer *buffer, struct weight weight);

/* Appends the decimal form with `,` between groups of three digits: "1,234", "1,234.5". */
void weight_append_grouped(struct buffer *buffer, struct weight weight);

#endif
