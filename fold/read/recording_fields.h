// SPDX-License-Identifier: MIT
/*
 * The fields of one line of a recording: taken one after the other, each as what it should be.
 *
 * What is wrong with a line is remembered and told at its end, so that a line is read on one way.
 */
#ifndef TICKFLAME_FOLD_READ_RECORDING_FIELDS_H
#define TICKFLAME_FOLD_READ_RECORDING_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/base/number.h"
#include "fold/base/text.h"
#include "fold/model/recording_format.h"

/* A line under way. All zero is an empty one; `text` is to be freed with buffer_free(). */
struct recording_fields {
    struct text rest;   /* what is not taken yet */
    bool more;          /* there is another field, maybe an empty one */
    const char *fault;  /* the first thing that is wrong with the line; NULL = nothing */
    bool newer;         /* a word is of a later version of the format */
    struct buffer text; /* the field taken by recording_take_text() */
};

/* Begins another line, without its newline. Its bytes must stay until the next one. */
void recording_fields_start(struct recording_fields *fields, struct text line);

/* Remembers what is wrong, unless something was before. */
void recording_fault(struct recording_fields *fields, const char *fault);

/* The next field as it stands; empty when there is none. */
struct text recording_take_field(struct recording_fields *fields);

/* The next field as a number; `otherwise` when it is empty. The second: of 32 bits, or 0. */
uint64_t recording_take_number(struct recording_fields *fields, uint64_t otherwise);
uint32_t recording_take_small_number(struct recording_fields *fields);

/* The next field as a weight; unchanged when it is empty. */
void recording_take_weight(struct recording_fields *fields, struct weight *weight);

/* The index of the next field in the words; `otherwise` when it is empty or not among them. */
int recording_take_word(struct recording_fields *fields, struct recording_words words,
                        int otherwise);

/* The next field without escapes. Valid until the next one. */
struct text recording_take_text(struct recording_fields *fields);

#endif
