// SPDX-License-Identifier: MIT
/*
 * Commands: what `tickflame COMMAND` finds, and how commands speak to the user.
 *
 * A command is a row: name, text for its help, the groups of options it takes, the defaults of
 * these, and the function that does it. The table of all rows stands in main.c. Results go to
 * standard output or to `-o FILE`; all else goes to standard error as `tickflame: warning: ...` or
 * `tickflame: error: ...`. Only this folder prints messages and decides the exit status.
 */
#ifndef TICKFLAME_PROFILER_COMMAND_COMMAND_H
#define TICKFLAME_PROFILER_COMMAND_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "fold/base/error.h"
#include "profiler/command/option.h"

/* Exit statuses. */
enum {
    STATUS_DONE = 0,
    STATUS_NO = 1,     /* the answer is no */
    STATUS_USAGE = 2,  /* wrong usage */
    STATUS_INPUT = 3,  /* input that could not be used */
    STATUS_SAMPLE = 4, /* sampling is not possible */
    STATUS_OUTPUT = 5, /* output could not be written */
};

struct command {
    const char *name;
    const char *summary;                      /* one line, for the list of commands */
    const char *synopsis;                     /* what follows the name: "[options] INPUT..." */
    const char *description;                  /* paragraphs with an empty line between them */
    const struct option_group *const *groups; /* ends with NULL */
    size_t options_size;                      /* of the command's options struct, in bytes */
    const void *defaults;                     /* an options struct that holds the defaults */

    /* Does it; returns the exit status. `options` is the filled struct, `operands` the rest. NULL
     * for `help`, which needs the table of commands. */
    int (*run)(const void *options, const struct operands *operands);
};

/* Does what the command line says; `commands` ends with NULL. Returns the exit status. */
int command_line_run(const struct command *const *commands, int count, char **arguments);

/*
 * Prints an error as one line on standard error and returns the exit status that belongs to it.
 * When the reader of a pipe went away, nothing is printed and the status is STATUS_DONE: it has
 * all that it wanted.
 */
int command_fail(const struct error *error);

/* Prints `tickflame: warning: TEXT` on standard error; names in it are made visible. */
void command_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Prints one line for each kind of warning: `tickflame: warning: PATH: TEXT (n like this)`,
 * with the line number where there is one. `path` may be NULL.
 */
void command_warn_all(const char *path, const struct warnings *warnings);

/* The commands. */
extern const struct command record_command;
extern const struct command report_command;
extern const struct command prof_process_command;
extern const struct command fold_command;
extern const struct command flame_command;
extern const struct command doctor_command;
extern const struct command help_command;

#endif
