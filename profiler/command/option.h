// SPDX-License-Identifier: MIT
/*
 * Options: tables that serve the parser, `help COMMAND`, `COMMAND --help` and the man page alike.
 *
 * An option is a row: its spellings, the form of its value, the member of the command's options
 * struct that it sets, and its sentence of help. Tables are grouped under titles; a command lists
 * the groups it takes (command.h).
 *
 * Accepted on the command line: `--name=value`, `--name value`, `-o FILE`, `-oFILE`, `--no-name`
 * where the row says so, options and operands in any order, and `--`, behind which everything is an
 * operand. `-` alone is an operand. Of an option given twice the last one counts.
 */
#ifndef TICKFLAME_PROFILER_COMMAND_OPTION_H
#define TICKFLAME_PROFILER_COMMAND_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "fold/base/error.h"

enum option_type {
    OPTION_FLAG,     /* bool: set to true; to false by `--no-NAME` where `negatable` */
    OPTION_SWITCH,   /* int: set to 1; to -1 by `--no-NAME`; so 0 is "not given" */
    OPTION_TEXT,     /* const char *: the value */
    OPTION_OPTIONAL, /* const char *: the value behind `=`; `missing` when there is none */
    OPTION_COUNT,    /* uint64_t: decimal digits */
    OPTION_CHOICE,   /* int: which of the words of `value` ("auto|always|never") it is, from 0 */
    OPTION_PARSED,   /* whatever `parse` makes of the value */
};

/* One option: constants of the program. */
struct option {
    const char *spellings; /* all of them with their dashes, one blank between: "-o --output" */
    const char *value;     /* the value's form in help, such as "FILE"; NULL for a flag */
    enum option_type type;
    bool negatable; /* `--no-NAME` exists too, for each spelling that begins with `--` */
    size_t offset;  /* of the member in the command's options struct */
    bool (*parse)(void *member, const char *value, struct error *error); /* OPTION_PARSED only */
    const char *help;    /* one or two sentences; NULL: accepted, but not shown in help */
    const char *missing; /* OPTION_OPTIONAL: what counts as its value without one; NULL = "" */
};

/* Options under one title of the help. */
struct option_group {
    const char *title;
    const struct option *options;
    size_t count;
};

/* What is not an option: views into argv. `items` is to be freed with free(). */
struct operands {
    const char **items;
    size_t count, capacity;
    bool dashes;          /* `--` was given */
    size_t before_dashes; /* then the operands in front of it */
};

enum options_parsed {
    OPTIONS_PARSED,
    OPTIONS_HELP,  /* `--help` or `-h` was given: nothing else counts */
    OPTIONS_WRONG, /* *error says why (ERROR_USAGE) */
};

/*
 * Parses `count` arguments into the options struct at `target`, which holds the defaults, and
 * *operands, which is empty. `groups` ends with NULL; `command` is named in messages.
 */
enum options_parsed options_parse(const struct option_group *const *groups, const char *command,
                                  char **arguments, size_t count, void *target,
                                  struct operands *operands, struct error *error);

/* Visits the words of a list: stores in *word and *size the next one of `list`, whose words have
 * `separator` between them; returns where to go on, or NULL when there was none. */
const char *option_next_word(const char *list, char separator, const char **word, size_t *size);

/* The candidate closest to `word` by edit distance, when it is close enough to be a slip of the
 * fingers; `best`, with its distance in *distance, holds the closest so far. */
const char *option_closer(const char *word, const char *candidate, const char *best,
                          unsigned *distance);

#endif
