// SPDX-License-Identifier: MIT
/*
 * JSON out: a writer that puts commas, indentation and escapes where they belong.
 *
 *     json_begin_object(&json);
 *     json_key(&json, "name"), json_text(&json, name);
 *     json_end_object(&json);
 *
 * Indented by two blanks a level. Objects and arrays begun with json_begin_inline_object() or
 * json_begin_inline_array() stand on one line with all that is in them. Text that is not UTF-8 is
 * written in its visible form (utf8.h), so the result is always valid JSON.
 */
#ifndef TICKFLAME_FOLD_BASE_JSON_WRITE_H
#define TICKFLAME_FOLD_BASE_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/base/number.h"
#include "fold/base/output.h"
#include "fold/base/text.h"

enum { JSON_DEPTH_MAX = 32 };

/* A writer: put the output in, leave the rest zero. */
struct json_writer {
    struct output *output;
    unsigned depth;              /* open objects and arrays; at most JSON_DEPTH_MAX */
    unsigned inline_depth;       /* the depth from which on all stands on one line; 0 = none */
    bool filled[JSON_DEPTH_MAX]; /* the open thing has a member already */
    bool after_key;              /* the next value belongs to the key just written */
};

void json_begin_object(struct json_writer *json);
void json_end_object(struct json_writer *json);
void json_begin_array(struct json_writer *json);
void json_end_array(struct json_writer *json);

/* As above; what stands in it is not broken into lines. Ended by the same end functions. */
void json_begin_inline_object(struct json_writer *json);
void json_begin_inline_array(struct json_writer *json);

/* The key of the next value, inside an object. */
void json_key(struct json_writer *json, const char *key);

void json_text(struct json_writer *json, struct text text);
void json_string(struct json_writer *json, const char *string); /* NULL gives null */
void json_count(struct json_writer *json, uint64_t count);
void json_weight(struct json_writer *json, struct weight weight);
void json_boolean(struct json_writer *json, bool value);
void json_null(struct json_writer *json);

/* A fraction or another real number, with at most `digits` decimals, without trailing zeros; NaN
 * and infinities give null. */
void json_real(struct json_writer *json, double value, int digits);

/* Writes the final newline. All that was begun must have been ended. */
void json_finish(struct json_writer *json);

/* Appends `text` as the inside of a JSON string (without quotes). */
void json_append_escaped(struct buffer *buffer, struct text text);

#endif
