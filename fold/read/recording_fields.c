// SPDX-License-Identifier: MIT
#include "fold/read/recording_fields.h"

#include <string.h>

void recording_fields_start(struct recording_fields *fields, struct text line) {
    fields->rest = line;
    fields->more = line.size > 0;
    fields->fault = NULL;
    fields->newer = false;
}

void recording_fault(struct recording_fields *fields, const char *fault) {
    if (!fields->fault)
        fields->fault = fault;
}

struct text recording_take_field(struct recording_fields *fields) {
    struct text rest = fields->rest;
    const char *end = rest.size ? memchr(rest.data, '\t', rest.size) : NULL;
    struct text field = {rest.data, end ? (size_t)(end - rest.data) : rest.size};
    fields->more = end != NULL;
    fields->rest = text_skip(rest, field.size + 1);
    return field;
}

uint64_t recording_take_number(struct recording_fields *fields, uint64_t otherwise) {
    struct text field = recording_take_field(fields);
    uint64_t value = otherwise;
    if (field.size && !number_parse_decimal(field, &value))
        recording_fault(fields, "a field is not a number");
    return value;
}

uint32_t recording_take_small_number(struct recording_fields *fields) {
    uint64_t value = recording_take_number(fields, 0);
    if (value <= UINT32_MAX)
        return (uint32_t)value;
    recording_fault(fields, "a number is too large");
    return 0;
}

void recording_take_weight(struct recording_fields *fields, struct weight *weight) {
    struct text field = recording_take_field(fields);
    if (field.size && weight_parse(field, weight) == WEIGHT_NOT)
        recording_fault(fields, "a weight is not a number");
}

int recording_take_word(struct recording_fields *fields, struct recording_words words,
                        int otherwise) {
    struct text field = recording_take_field(fields);
    if (field.size == 0)
        return otherwise;
    int index = recording_word_find(words, field);
    if (index >= 0)
        return index;
    fields->newer = true;
    return otherwise;
}

struct text recording_take_text(struct recording_fields *fields) {
    buffer_clear(&fields->text);
    if (!recording_parse_text(&fields->text, recording_take_field(fields)))
        recording_fault(fields, "a text is not escaped as it should be");
    return buffer_text(&fields->text);
}
