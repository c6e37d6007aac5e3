// SPDX-License-Identifier: MIT
/*
 * Text of the help: wrapped to a terminal of 80 columns, and as the source of a man page.
 */
#ifndef TICKFLAME_PROFILER_COMMAND_HELP_TEXT_H
#define TICKFLAME_PROFILER_COMMAND_HELP_TEXT_H

#include <stddef.h>

#include "fold/base/output.h"
#include "fold/base/text.h"

/* Words of `text` from column `column` on, continued at `indent`; "\n\n" begins a paragraph. Ends
 * with a newline. */
void help_write_wrapped(struct output *output, const char *text, size_t column, size_t indent);

/* `left` behind two blanks, and from column `at` on `right`, wrapped. */
void help_write_row(struct output *output, struct text left, size_t at, const char *right);

/* Text for troff: backslashes and hyphens as themselves, no line that begins with a command. */
void help_write_man_text(struct output *output, struct text text);

/* A tagged paragraph: `left` in bold, and `right` indented. */
void help_write_man_row(struct output *output, struct text left, const char *right);

#endif
