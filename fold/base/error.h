// SPDX-License-Identifier: MIT
/*
 * Errors and warnings: the one vocabulary for everything that can go wrong.
 *
 * A function that can fail returns bool (false: it failed) and fills the caller's `struct error`.
 * Only profiler/command turns an error into a message and an exit status.
 *
 * A warning is for input that is partly damaged: the rest is still used. Warnings are counted by
 * kind, so a million bad lines are one line of output.
 */
#ifndef TICKFLAME_FOLD_BASE_ERROR_H
#define TICKFLAME_FOLD_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum error_kind {
    ERROR_NONE,
    ERROR_USAGE,  /* the command line is wrong: exit status 2 */
    ERROR_INPUT,  /* input could not be read, recognised or used: exit status 3 */
    ERROR_SAMPLE, /* sampling is not possible here: exit status 4 */
    ERROR_OUTPUT, /* output could not be written: exit status 5 */
};

/* One error. All zero is "no error". Owns nothing: the text is inside. */
struct error {
    enum error_kind kind;
    bool closed_pipe; /* with ERROR_OUTPUT: the reader of a pipe went away; not worth a message */
    char text[480];   /* one sentence without a final full stop, UTF-8, no newline */
};

/*
 * Fills *error. The text is cut at the size of the field, on a character boundary; control
 * characters in it are replaced, so names from input may be formatted into it.
 * Returns false, so that a caller can write `return error_set(...)`.
 */
bool error_set(struct error *error, enum error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

enum { WARNING_KINDS_MAX = 64, WARNING_KIND_SIZE = 32 };

/* One kind of warning with the place where it was first seen. */
struct warning {
    char kind[WARNING_KIND_SIZE]; /* such as "incomplete-record" */
    bool recorded;                /* of what was recorded: no damage of the input */
    uint64_t count;               /* how often it was seen */
    uint64_t line;                /* first place: line from 1; 0 = not known */
    uint64_t offset;              /* first place: byte offset from 0; only with `line` == 0 */
    char text[320];               /* one sentence about the first one */
};

/* All warnings of one run, in the order in which each kind was first seen. All zero is empty. */
struct warnings {
    size_t size;
    struct warning items[WARNING_KINDS_MAX];
};

/*
 * Counts one more warning of `kind` (compared by text). The text is kept for the first of a kind
 * only. `line` from 1, or 0 when there is none. Kinds beyond WARNING_KINDS_MAX are dropped: the
 * program has fewer.
 */
void warnings_add(struct warnings *warnings, const char *kind, uint64_t line, const char *format,
                  ...) __attribute__((format(printf, 4, 5)));

/* As `warnings_add`, for `count` occurrences at once (0: nothing happens). */
void warnings_add_count(struct warnings *warnings, uint64_t count, const char *kind, uint64_t line,
                        const char *format, ...) __attribute__((format(printf, 5, 6)));

/*
 * A warning that the input itself holds, such as a recording of a sampler that lost samples: its
 * count is set, not added to. `kind` is cut at the size of its field. Of such kinds at most a
 * quarter of WARNING_KINDS_MAX is kept, because they come from input.
 */
void warnings_set_recorded(struct warnings *warnings, const char *kind, uint64_t count,
                           const char *text);

/* The sum of the counts of all kinds. */
uint64_t warnings_total(const struct warnings *warnings);

/* The warning of this kind, or NULL. */
const struct warning *warnings_find(const struct warnings *warnings, const char *kind);

#endif
