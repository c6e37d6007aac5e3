// SPDX-License-Identifier: MIT
#include "fold/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fold/base/utf8.h"

/* Formats into a fixed field; what does not fit is cut before a character, never inside one. */
__attribute__((format(printf, 3, 0))) static void
format_text(char *text, size_t size, const char *format, va_list arguments) {
    int length = vsnprintf(text, size, format, arguments);
    if (length < 0)
        text[0] = '\0';
    if (length >= 0 && (size_t)length >= size) {
        /* A character has at most three bytes behind its first one; more of them belong to none. */
        size_t end = size - 1;
        size_t start = end;
        while (start > 0 && end - start < 3 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
            start--;
        if (start > 0 && (unsigned char)text[start - 1] >= 0xC0)
            end = start - 1;
        text[end] = '\0';
    }
    for (char *at = text; *at; at++) {
        if ((unsigned char)*at < 0x20 || *at == 0x7F)
            *at = '?';
    }
    utf8_repair(text, strlen(text));
}

bool error_set(struct error *error, enum error_kind kind, const char *format, ...) {
    error->kind = kind;
    error->closed_pipe = false;
    va_list arguments;
    va_start(arguments, format);
    format_text(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return false;
}

__attribute__((format(printf, 5, 0))) static void add(struct warnings *warnings, uint64_t count,
                                                      const char *kind, uint64_t line,
                                                      const char *format, va_list arguments) {
    for (size_t i = 0; i < warnings->size; i++) {
        if (strcmp(warnings->items[i].kind, kind) == 0) {
            warnings->items[i].count += count;
            return;
        }
    }
    if (warnings->size == WARNING_KINDS_MAX)
        return;
    struct warning *warning = &warnings->items[warnings->size++];
    snprintf(warning->kind, sizeof warning->kind, "%s", kind);
    warning->recorded = false;
    warning->count = count;
    warning->line = line;
    warning->offset = 0;
    format_text(warning->text, sizeof warning->text, format, arguments);
}

void warnings_add(struct warnings *warnings, const char *kind, uint64_t line, const char *format,
                  ...) {
    va_list arguments;
    va_start(arguments, format);
    add(warnings, 1, kind, line, format, arguments);
    va_end(arguments);
}

void warnings_add_count(struct warnings *warnings, uint64_t count, const char *kind, uint64_t line,
                        const char *format, ...) {
    if (count == 0)
        return;
    va_list arguments;
    va_start(arguments, format);
    add(warnings, count, kind, line, format, arguments);
    va_end(arguments);
}

void warnings_set_recorded(struct warnings *warnings, const char *kind, uint64_t count,
                           const char *text) {
    size_t recorded = 0;
    for (size_t i = 0; i < warnings->size; i++) {
        struct warning *warning = &warnings->items[i];
        recorded += warning->recorded;
        if (strncmp(warning->kind, kind, sizeof warning->kind - 1) != 0)
            continue;
        warning->count = warning->recorded ? count : warning->count + count;
        return;
    }
    if (recorded == WARNING_KINDS_MAX / 4 || warnings->size == WARNING_KINDS_MAX || count == 0)
        return;
    warnings_add_count(warnings, count, kind, 0, "%s", text);
    warnings->items[warnings->size - 1].recorded = true;
}

uint64_t warnings_total(const struct warnings *warnings) {
    uint64_t total = 0;
    for (size_t i = 0; i < warnings->size; i++)
        total += warnings->items[i].count;
    return total;
}

const struct warning *warnings_find(const struct warnings *warnings, const char *kind) {
    for (size_t i = 0; i < warnings->size; i++) {
        if (strcmp(warnings->items[i].kind, kind) == 0)
            return &warnings->items[i];
    }
    return NULL;
}
