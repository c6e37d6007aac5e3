// SPDX-License-Identifier: MIT
#include "fold/model/v8_name.h"

#include <string.h>

#include "fold/base/number.h"

/* Takes `:DIGITS` off the end of *text. */
static bool take_number(struct text *text, uint32_t *number) {
    size_t start = text->size;
    while (start > 0 && text->data[start - 1] >= '0' && text->data[start - 1] <= '9')
        start--;
    uint64_t value;
    if (start == 0 || text->data[start - 1] != ':' ||
        !number_parse_decimal(text_skip(*text, start), &value) || value > UINT32_MAX)
        return false;
    *number = (uint32_t)value;
    text->size = start - 1;
    return true;
}

/* Whether a path or URL begins here, as far as one can see from its first characters. */
static bool starts_path(struct text text) {
    static const char *const starts[] = {
        "/",       "file://",      "node:", "wasm://", "internal/", "http://", "https://",
        "webpack", "evalmachine.", "<",     "\\\\",    "./",        "../",     "[eval"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (text_starts_with(text, text_of(starts[i])))
            return true;
    }
    /* A Windows drive. */
    return text.size > 2 && text.data[1] == ':' && (text.data[2] == '\\' || text.data[2] == '/');
}

struct text v8_file_strip(struct text file) {
    struct text scheme = TEXT("file://");
    if (!text_starts_with(file, scheme))
        return file;
    file = text_skip(file, scheme.size);
    /* file:///C:/x is C:/x. */
    if (file.size > 3 && file.data[0] == '/' && file.data[2] == ':' && file.data[3] == '/')
        file = text_skip(file, 1);
    return file;
}

bool v8_name_parse(struct text text, struct v8_name *name) {
    *name = (struct v8_name){.function = text};
    struct text rest = text;
    uint32_t last;
    if (!take_number(&rest, &last))
        return false;
    uint32_t first;
    bool has_column = take_number(&rest, &first);

    /* The file begins behind the first blank that a path follows; failing that, behind the blank
     * that an anonymous function begins with, or else behind the last. */
    const char *blank = NULL;
    for (size_t i = 0; i < rest.size && !blank; i++) {
        if (rest.data[i] == ' ' && starts_path(text_skip(rest, i + 1)))
            blank = rest.data + i;
    }
    if (!blank && rest.size)
        blank = *rest.data == ' ' ? rest.data : memrchr(rest.data, ' ', rest.size);
    if (!blank && !starts_path(rest))
        return false;
    struct text file = blank ? text_skip(rest, (size_t)(blank - rest.data) + 1) : rest;
    if (!has_column && file.size == 0)
        return false;
    name->function = (struct text){text.data, blank ? (size_t)(blank - rest.data) : 0};
    name->file = v8_file_strip(file);
    name->line = has_column ? first : last;
    name->column = has_column ? last : 0;
    return true;
}

enum frame_tier v8_tier_parse(struct text mark) {
    if (mark.size == 0)
        return FRAME_NO_TIER;
    if (mark.size > 1 && mark.data[0] == 'o')
        mark = text_skip(mark, 1);
    if (mark.size > 1 && mark.data[mark.size - 1] == '\'')
        mark.size--;
    if (mark.size != 1)
        return FRAME_OTHER_TIER;
    switch (mark.data[0]) {
    case '~':
        return FRAME_INTERPRETED;
    case '^':
        return FRAME_BASELINE;
    case '+':
        return FRAME_MAGLEV;
    case '*':
        return FRAME_OPTIMISED;
    default:
        return FRAME_OTHER_TIER;
    }
}

enum frame_tier v8_tier_take(struct text *name) {
    struct text text = *name;
    struct text mark = {text.data, 0};
    if (text.size > 1 && text.data[0] == 'o' && (text.data[1] == '*' || text.data[1] == '+'))
        mark.size++;
    if (mark.size == text.size || !memchr("~^+*?", text.data[mark.size], 5))
        return FRAME_NO_TIER;
    mark.size++;
    if (mark.size < text.size && text.data[mark.size] == '\'')
        mark.size++;
    *name = text_skip(text, mark.size);
    return v8_tier_parse(mark);
}
