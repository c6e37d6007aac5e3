// SPDX-License-Identifier: MIT
/*
 * Help: what the command and option tables say, for the terminal (80 columns) and as a man page.
 */
#ifndef TICKFLAME_PROFILER_COMMAND_HELP_H
#define TICKFLAME_PROFILER_COMMAND_HELP_H

#include <stdbool.h>

#include "fold/base/output.h"
#include "profiler/command/command.h"

struct help_options {
    bool man;
    const char *output; /* NULL: standard output */
};

/* What the program is, and one line for each command. `commands` ends with NULL. */
void help_write_overview(struct output *output, const struct command *const *commands);

/* Everything about one command. */
void help_write_command(struct output *output, const struct command *command);

/* All of it as the source of the man page tickflame(1). */
void help_write_man(struct output *output, const struct command *const *commands);

#endif
