// SPDX-License-Identifier: MIT
#include "fold/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fold/base/memory.h"

struct text text_of(const char *string) {
    return (struct text){string ? string : "", string ? strlen(string) : 0};
}

bool text_equal(struct text a, struct text b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

bool text_equal_string(struct text a, const char *string) {
    for (size_t i = 0; i < a.size; i++)
        if (string[i] == '\0' || string[i] != a.data[i])
            return false;
    return string[a.size] == '\0';
}

bool text_starts_with(struct text text, struct text start) {
    return text.size >= start.size &&
           (start.size == 0 || memcmp(text.data, start.data, start.size) == 0);
}

bool text_ends_with(struct text text, struct text end) {
    return text.size >= end.size &&
           (end.size == 0 || memcmp(text.data + text.size - end.size, end.data, end.size) == 0);
}

bool text_contains(struct text text, struct text part) {
    return part.size == 0 ||
           (text.size >= part.size && memmem(text.data, text.size, part.data, part.size) != NULL);
}

int text_compare(struct text a, struct text b) {
    size_t common = a.size < b.size ? a.size : b.size;
    int order = common ? memcmp(a.data, b.data, common) : 0;
    if (order != 0)
        return order;
    return (a.size > b.size) - (a.size < b.size);
}

struct text text_skip(struct text text, size_t count) {
    if (count > text.size)
        count = text.size;
    /* Nothing may be added to NULL, not even 0. */
    return (struct text){count ? text.data + count : text.data, text.size - count};
}

struct text text_basename(struct text path) {
    size_t start = path.size;
    while (start > 0 && path.data[start - 1] != '/' && path.data[start - 1] != '\\')
        start--;
    return text_skip(path, start);
}

void buffer_append(struct buffer *buffer, const void *data, size_t size) {
    if (size == 0)
        return;
    MEMORY_RESERVE(buffer->data, buffer->capacity, size_add(buffer->size, size));
    memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
}

void buffer_append_text(struct buffer *buffer, struct text text) {
    buffer_append(buffer, text.data, text.size);
}

void buffer_append_byte(struct buffer *buffer, char byte) {
    MEMORY_RESERVE(buffer->data, buffer->capacity, size_add(buffer->size, 1));
    buffer->data[buffer->size++] = byte;
}

void buffer_append_format(struct buffer *buffer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *formatted = NULL;
    int length = vasprintf(&formatted, format, arguments);
    va_end(arguments);
    if (length > 0)
        buffer_append(buffer, formatted, (size_t)length);
    if (length >= 0)
        free(formatted);
}

void buffer_clear(struct buffer *buffer) {
    buffer->size = 0;
}

void buffer_free(struct buffer *buffer) {
    free(buffer->data);
    *buffer = (struct buffer){0};
}

struct text buffer_text(const struct buffer *buffer) {
    return (struct text){buffer->data, buffer->size};
}
