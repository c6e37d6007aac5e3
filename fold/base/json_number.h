// SPDX-License-Identifier: MIT
/*
 * Numbers in JSON's notation (RFC 8259): their grammar, exact integers, doubles.
 */
#ifndef TICKFLAME_FOLD_BASE_JSON_NUMBER_H
#define TICKFLAME_FOLD_BASE_JSON_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/base/text.h"

enum { JSON_NUMBER_LARGEST = 1024 }; /* characters of a number that is read */

enum json_number_form {
    JSON_NUMBER_NOT,    /* no number: also `01`, `.5`, `+1`, `1.` */
    JSON_NUMBER_DIGITS, /* digits, with or without a minus sign */
    JSON_NUMBER_OTHER,  /* with a fraction or an exponent */
};

enum json_number_form json_number_form(struct text text);

/* The exact value of a number such as `12`, `-1.50e2`. False: it is no integer or does not fit;
 * *value is then unchanged. */
bool json_number_to_integer(struct text number, int64_t *value);

/* The double nearest to a number of at most JSON_NUMBER_LARGEST characters; infinite when it is too
 * large. */
double json_number_to_real(struct text number);

#endif
