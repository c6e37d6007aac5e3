// SPDX-License-Identifier: MIT
/*
 * The recording format described for everyone: `tickflame help format` and tickflame-format(5).
 */
#ifndef TICKFLAME_PROFILER_COMMAND_HELP_FORMAT_H
#define TICKFLAME_PROFILER_COMMAND_HELP_FORMAT_H

#include "fold/base/output.h"

/* The page for the terminal, and as the source of the man page. */
void help_write_format(struct output *output);
void help_write_format_man(struct output *output);

/* The recording that the page shows, as text; ends with NULL. */
extern const char *const help_format_example[];

#endif
