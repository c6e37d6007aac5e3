// SPDX-License-Identifier: MIT
/*
 * Strings of V8's heap: sequential, external, sliced, thin, and cons strings, with characters of
 * one byte (Latin-1) or two (UTF-16).
 */
#ifndef TICKFLAME_PROFILER_V8_V8_STRING_H
#define TICKFLAME_PROFILER_V8_V8_STRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/text.h"
#include "profiler/v8/v8_heap.h"

/* Characters of a name at most: of longer ones the beginning is read. */
enum { V8_NAME_MOST = 2048 };

/* Whether a word is a string. */
bool v8_string_is(struct v8_heap *heap, uint64_t tagged);

/*
 * Writes the first `most` characters of a string into *text, which is emptied first, as UTF-8; half
 * a pair of UTF-16 becomes U+FFFD. False: it is no string, or cannot be read.
 */
bool v8_string_read(struct v8_heap *heap, uint64_t tagged, size_t most, struct buffer *text);

/* A string's characters as they are, in pieces of one kind. */
typedef bool v8_take_characters(void *context, const unsigned char *characters, size_t count,
                                size_t width);

/*
 * Hands the first `most` characters to `take` in pieces (`width` bytes each, 1 or 2), until it
 * returns false. False: it is no string, or not all of them can be read.
 */
bool v8_string_visit(struct v8_heap *heap, uint64_t tagged, size_t most, v8_take_characters *take,
                     void *context);

#endif
