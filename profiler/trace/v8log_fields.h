// SPDX-License-Identifier: MIT
/*
 * Fields of an isolate log's lines: splitting, escapes and numbers, in two manners.
 *
 * The exact manner is that of V8's own tick processor (the "reference"): split at every comma, then
 * unescape each field, numbers as JavaScript's parseInt reads them. The tolerant manner puts right
 * what the log writers of different versions got wrong: quoted fields (V8 6.1 and older), raw
 * backslashes of Windows paths (V8 6), bare commas in function names (V8 9 and later).
 */
#ifndef TICKFLAME_PROFILER_TRACE_V8LOG_FIELDS_H
#define TICKFLAME_PROFILER_TRACE_V8LOG_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/text.h"

/* An address that is not one: JavaScript's NaN, or a negative number. */
#define ADDRESS_INVALID UINT64_MAX

/* What an address of 2^64 or more counts as, also one that a double rounds to that. */
#define ADDRESS_BEYOND (UINT64_MAX - 1)

enum { V8LOG_FIELDS_MAX = 12 };

/* The first fields of a line; views into it. Missing ones are empty. */
struct v8log_fields {
    struct text items[V8LOG_FIELDS_MAX];
    size_t count;     /* fields of the line, also those beyond V8LOG_FIELDS_MAX */
    struct text rest; /* what stands behind the last field that fitted in */
};

/* Splits at every comma. */
void v8log_fields_split(struct v8log_fields *fields, struct text line);

/* Splits; a field that begins with a quotation mark ends at the closing one, and two of them inside
 * stand for one (to be resolved with v8log_unquote). */
void v8log_fields_split_quoted(struct v8log_fields *fields, struct text line);

/* `field` without quotation marks around it, doubled ones inside made one. Appends to `buffer`
 * only when something changes; the result is a view into the one or the other. */
struct text v8log_unquote(struct text field, struct buffer *buffer);

/*
 * Appends `field` unescaped as the reference does it: `\n`, `\\`; `\x` takes the next two
 * characters, anything else the next four, as a hexadecimal number with JavaScript's rules for bad
 * digits. The result is WTF-8: lone surrogates stay.
 */
void v8log_unescape_exactly(struct buffer *buffer, struct text field);

/*
 * Appends `field` with valid escapes resolved (`\n`, `\\`, `\xHH`, `\uHHHH`, surrogate pairs
 * joined) and everything else as it is. With `raw_backslashes` only `\x2C` is resolved. The result
 * holds no lone surrogates.
 */
void v8log_unescape(struct buffer *buffer, struct text field, bool raw_backslashes);

/* Appends `text` with each ill-formed piece replaced by U+FFFD, as a JavaScript decoder does. */
void v8log_decode(struct buffer *buffer, struct text text);

/* JavaScript's parseInt(text) (radix 10, or 16 behind `0x`) and parseInt(text, 16). NaN: no digit.
 */
double v8log_parse_int(struct text text);
double v8log_parse_int_16(struct text text);

/* The same as an address: an integer that a double can hold. ADDRESS_INVALID for NaN. */
uint64_t v8log_parse_address_exactly(struct text text);

/* `address` rounded to what a double can hold. */
uint64_t v8log_round_address(uint64_t address);

/* A whole field `0x...` as 64-bit address. False: anything else. */
bool v8log_parse_address(struct text text, uint64_t *address);

/* Appends a number as JavaScript prints it: shortest digits that give the same double. */
void v8log_append_number(struct buffer *buffer, double number);

#endif
