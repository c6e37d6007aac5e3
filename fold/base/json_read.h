// SPDX-License-Identifier: MIT
/*
 * JSON in: a streaming push reader (RFC 8259).
 *
 * It is fed pieces of any size and calls the functions of a table as values begin and end; results
 * do not depend on where pieces end. Nothing is kept but the text under way, so memory does not
 * grow with the input, and nothing is allocated for a value that lies within one piece.
 *
 * Every event is told its depth: how many objects and arrays are open around it. In
 *
 *     {"nodes": [1, 2], "name": "x"}
 *
 * the object begins at depth 0, both keys and the text are at depth 1, the array begins at depth 1,
 * its numbers are at depth 2, it ends at depth 1 and the object at depth 0. A caller that wants to
 * know where it is keeps what the last key of a depth was.
 *
 * - Strings are unescaped. Half of a surrogate pair becomes U+FFFD. Bytes that are not UTF-8 are
 *   handed over as they are. A string longer than the limit is cut before a character and counted.
 * - Numbers of plain digits, with or without a minus sign, that fit an int64_t are handed over
 *   decoded; all others as text (json_number.h), of at most JSON_NUMBER_LARGEST characters.
 */
#ifndef TICKFLAME_FOLD_BASE_JSON_READ_H
#define TICKFLAME_FOLD_BASE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/error.h"
#include "fold/base/text.h"

enum {
    JSON_READ_DEPTH_MAX = 4096,                  /* objects and arrays open at once */
    JSON_READ_STRING_LARGEST = 16 * 1024 * 1024, /* bytes of a string that are kept by default */
};

enum json_literal { JSON_NULL, JSON_FALSE, JSON_TRUE };

/*
 * What is called when. NULL: of no interest. Each function returns whether to go on; after a false
 * the reader does nothing more. Texts are valid during the call only.
 */
struct json_events {
    bool (*begin_object)(void *context, unsigned depth);
    bool (*end_object)(void *context, unsigned depth);
    bool (*begin_array)(void *context, unsigned depth);
    bool (*end_array)(void *context, unsigned depth);
    bool (*key)(void *context, unsigned depth, struct text key);
    bool (*string)(void *context, unsigned depth, struct text string);
    bool (*integer)(void *context, unsigned depth, int64_t value);
    bool (*number)(void *context, unsigned depth, struct text number); /* those that are no
                                                                          `integer` */
    bool (*literal)(void *context, unsigned depth, enum json_literal literal);
};

struct json_reader;

/*
 * A reader of one JSON value. `events` must outlive it; `context` is passed to its functions.
 * `string_largest` is the limit of strings and keys in bytes; 0 = JSON_READ_STRING_LARGEST. To be
 * ended with json_reader_close().
 */
struct json_reader *json_reader_open(const struct json_events *events, void *context,
                                     size_t string_largest);

/*
 * Takes the next piece. False: it is not JSON, and *error (ERROR_INPUT) says at which byte and what
 * was expected there; or a function of the table returned false, and *error is as it was. What
 * follows is ignored.
 */
bool json_reader_feed(struct json_reader *reader, struct text piece, struct error *error);

/* The input has ended. False as for json_reader_feed(); the error for a value that is not complete
 * gives the number of bytes read. */
bool json_reader_finish(struct json_reader *reader, struct error *error);

/* How many strings and keys were cut at the limit. */
uint64_t json_reader_cut_strings(const struct json_reader *reader);

/* Frees; NULL is allowed. */
void json_reader_close(struct json_reader *reader);

#endif
