// SPDX-License-Identifier: MIT
#include "profiler/report/table.h"

#include <string.h>

#include "fold/base/utf8.h"

static const char *const starts[] = {
    [PLAIN] = "", [BOLD] = "\x1b[1m", [ALARM] = "\x1b[1;31m", [FAINT] = "\x1b[2m"};

static void blanks(struct table *table, size_t count) {
    while (count-- > 0)
        output_byte(table->output, ' ');
}

void table_text(struct table *table, enum emphasis emphasis, struct text text) {
    bool colored = table->color && emphasis != PLAIN && text.size > 0;
    if (colored)
        output_string(table->output, starts[emphasis]);
    output_text(table->output, text);
    if (colored)
        output_string(table->output, "\x1b[0m");
}

void table_heading(struct table *table, const char *heading) {
    output_byte(table->output, '\n');
    table_text(table, BOLD, text_of(heading));
    output_byte(table->output, '\n');
}

void table_left(struct table *table, enum emphasis emphasis, struct text text, size_t width) {
    size_t columns = utf8_columns(text);
    table_text(table, emphasis, text);
    blanks(table, columns < width ? width - columns : 0);
}

void table_right(struct table *table, enum emphasis emphasis, struct text text, size_t width) {
    size_t columns = utf8_columns(text);
    blanks(table, columns < width ? width - columns : 0);
    table_text(table, emphasis, text);
}

/* Up to the next blank at which a line may end: not before a percent or a plus-minus sign. */
static size_t word_size(struct text text) {
    size_t size = 0;
    while (size < text.size) {
        struct text rest = text_skip(text, size);
        if (rest.data[0] == ' ' && !text_starts_with(rest, TEXT(" %")) &&
            !text_starts_with(rest, TEXT(" ±")) &&
            !(size >= 2 && text_starts_with(text_skip(text, size - 2), TEXT("± "))))
            break;
        size++;
    }
    return size;
}

void table_wrapped(struct table *table, enum emphasis emphasis, struct text text, size_t indent,
                   size_t column) {
    struct buffer line = {0};
    while (text.size > 0) {
        struct text word = {text.data, word_size(text)};
        size_t columns = utf8_columns(word);
        if (line.size > 0 && column + 1 + columns > REPORT_WIDTH) {
            table_text(table, emphasis, buffer_text(&line));
            output_byte(table->output, '\n');
            blanks(table, indent);
            buffer_clear(&line);
            column = indent;
        }
        if (line.size > 0) {
            buffer_append_byte(&line, ' ');
            column++;
        }
        buffer_append_text(&line, word);
        column += columns;
        text = text_skip(text, word.size + 1);
    }
    table_text(table, emphasis, buffer_text(&line));
    output_byte(table->output, '\n');
    buffer_free(&line);
}

void append_cut(struct buffer *buffer, struct text text, size_t width, bool keep_end) {
    size_t columns = utf8_columns(text);
    if (columns <= width) {
        buffer_append_text(buffer, text);
        return;
    }
    size_t room = width > 3 ? width - 3 : 0;
    if (!keep_end) {
        buffer_append_text(buffer, utf8_cut_columns(text, room));
        buffer_append_format(buffer, "...");
        return;
    }
    /* The shortest front whose removal leaves what fits. */
    struct text front;
    size_t cut = columns - room;
    do {
        front = utf8_cut_columns(text, cut++);
    } while (utf8_columns(text_skip(text, front.size)) > room && front.size < text.size);
    buffer_append_format(buffer, "...");
    buffer_append_text(buffer, text_skip(text, front.size));
}
