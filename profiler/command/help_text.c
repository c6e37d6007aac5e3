// SPDX-License-Identifier: MIT
#include "profiler/command/help_text.h"

#include <stdbool.h>
#include <string.h>

#include "fold/base/utf8.h"

enum { HELP_WIDTH = 80 };

static void blanks(struct output *output, size_t count) {
    while (count-- > 0)
        output_byte(output, ' ');
}

void help_write_wrapped(struct output *output, const char *text, size_t column, size_t indent) {
    bool first = true;
    while (*text) {
        if (strncmp(text, "\n\n", 2) == 0) {
            output_string(output, "\n\n");
            blanks(output, indent);
            column = indent;
            first = true;
            text += 2;
            continue;
        }
        if (*text == ' ') {
            text++;
            continue;
        }
        size_t size = strcspn(text, " \n");
        struct text word = {text, size};
        size_t columns = utf8_columns(word);
        if (!first && column + 1 + columns > HELP_WIDTH) {
            output_byte(output, '\n');
            blanks(output, indent);
            column = indent;
            first = true;
        }
        if (!first) {
            output_byte(output, ' ');
            column++;
        }
        output_text(output, word);
        column += columns;
        first = false;
        text += size;
    }
    output_byte(output, '\n');
}

void help_write_row(struct output *output, struct text left, size_t at, const char *right) {
    output_string(output, "  ");
    output_text(output, left);
    size_t column = 2 + utf8_columns(left);
    if (column + 2 > at) {
        output_byte(output, '\n');
        column = 0;
    }
    blanks(output, at - column);
    help_write_wrapped(output, right, at, at);
}

void help_write_man_text(struct output *output, struct text text) {
    bool line_start = true;
    for (size_t i = 0; i < text.size; i++) {
        char byte = text.data[i];
        if (byte == '\n') {
            if (i + 1 < text.size && text.data[i + 1] == '\n') {
                output_string(output, "\n.PP\n");
                i++;
            } else {
                output_byte(output, '\n');
            }
            line_start = true;
            continue;
        }
        if (line_start && (byte == '.' || byte == '\''))
            output_string(output, "\\&");
        if (byte == '\\')
            output_string(output, "\\e");
        else if (byte == '-')
            output_string(output, "\\-");
        else
            output_byte(output, byte);
        line_start = false;
    }
}

void help_write_man_row(struct output *output, struct text left, const char *right) {
    output_string(output, ".TP\n.B ");
    help_write_man_text(output, left);
    output_byte(output, '\n');
    help_write_man_text(output, text_of(right));
    output_byte(output, '\n');
}
