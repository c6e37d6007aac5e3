// SPDX-License-Identifier: MIT
/*
 * Output: bytes to standard output or to a file that appears only when it is complete.
 *
 * A file is written without a name and gets it from output_close(), in one step; if anything fails,
 * or the program ends before, the name is never taken and nothing is left behind. Where the file
 * system cannot hold files without names, it has a temporary one in the same folder meanwhile.
 * Write errors are sticky: the first one is remembered, later writes do nothing, and output_close()
 * reports it. So writers need not check each call.
 */
#ifndef TICKFLAME_FOLD_BASE_OUTPUT_H
#define TICKFLAME_FOLD_BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/error.h"
#include "fold/base/text.h"

struct output;

/*
 * Opens `path` for writing; NULL or "-" is standard output. An existing device or pipe (such as
 * /dev/null) is written directly. `mode` is the permission of a new file, such as 0666 (the umask
 * applies). Returns NULL and fills *error (ERROR_OUTPUT) when that is not possible.
 */
struct output *output_open(const char *path, unsigned mode, struct error *error);

/* An output that collects its bytes in `buffer`, which the caller owns. Cannot fail. */
struct output *output_open_buffer(struct buffer *buffer);

void output_write(struct output *output, const void *data, size_t size);
void output_text(struct output *output, struct text text);
void output_string(struct output *output, const char *string);
void output_byte(struct output *output, char byte);
void output_format(struct output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* `text` in visible form (utf8.h): for names of strangers in text that people read. */
void output_visible(struct output *output, struct text text);

/* Whether a write has failed already, so that a long computation can stop early. */
bool output_failed(const struct output *output);

/* Whether the bytes go straight to a terminal. */
bool output_is_terminal(const struct output *output);

/* Writes the rest, renames, frees. False: something failed at any time; no file of the name was
 * made or changed. error->closed_pipe is set when the reader of a pipe went away. */
bool output_close(struct output *output, struct error *error);

/* Throws away what was written to a file, and frees; NULL is allowed. */
void output_discard(struct output *output);

#endif
