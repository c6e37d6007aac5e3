// SPDX-License-Identifier: MIT
/*
 * Text: a view of bytes that somebody else owns, and a growable buffer of bytes.
 */
#ifndef TICKFLAME_FOLD_BASE_TEXT_H
#define TICKFLAME_FOLD_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A view: `size` bytes at `data`, not ended by a NUL. Valid as long as its owner says. */
struct text {
    const char *data;
    size_t size;
};

/* The view of a string literal. */
#define TEXT(literal) ((struct text){literal, sizeof(literal) - 1})

/* The view of a string that ends with a NUL; NULL gives an empty view. */
struct text text_of(const char *string);

bool text_equal(struct text a, struct text b);

/* As text_equal(a, text_of(string)), which is not NULL, without its length: for tables of strings
 * of which hardly any is equal. */
bool text_equal_string(struct text a, const char *string);

bool text_starts_with(struct text text, struct text start);
bool text_ends_with(struct text text, struct text end);

/* Whether `part` stands anywhere in `text`. An empty part always does. */
bool text_contains(struct text text, struct text part);

/* Orders by bytes as memcmp, a shorter text before its extensions: < 0, 0, > 0. */
int text_compare(struct text a, struct text b);

/* `text` without its first `count` bytes (all of it when it is shorter). */
struct text text_skip(struct text text, size_t count);

/* The part behind the last '/' or '\\'; the whole text without one. */
struct text text_basename(struct text path);

/* A growable run of bytes. All zero is empty. `data` is NULL while nothing was ever appended. */
struct buffer {
    char *data;
    size_t size;
    size_t capacity;
};

void buffer_append(struct buffer *buffer, const void *data, size_t size);
void buffer_append_text(struct buffer *buffer, struct text text);
void buffer_append_byte(struct buffer *buffer, char byte);
void buffer_append_format(struct buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Empties the buffer and keeps its room. */
void buffer_clear(struct buffer *buffer);

/* Gives the room back; the buffer is empty and usable afterwards. */
void buffer_free(struct buffer *buffer);

/* What the buffer holds; valid until the next append. */
struct text buffer_text(const struct buffer *buffer);

#endif
