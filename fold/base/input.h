// SPDX-License-Identifier: MIT
/*
 * Input: bytes from a file or standard input, gunzipped on the way when they are gzip'd.
 *
 * Everything is read in large pieces, once, forwards. The first bytes can be looked at before
 * (input_peek), so that the command can find out what the input holds. A UTF-8 byte-order mark at
 * the start is skipped.
 */
#ifndef TICKFLAME_FOLD_BASE_INPUT_H
#define TICKFLAME_FOLD_BASE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/error.h"
#include "fold/base/text.h"

struct input;

/*
 * Opens `path` ("-": standard input). `piece_size` is the largest piece in bytes that
 * input_read() hands out; 0 means the default (256 KiB); small values are for tests.
 * Returns NULL and fills *error (ERROR_INPUT) when it cannot be opened, is a directory or another
 * thing without data, is empty, or is plainly something that no reader takes: UTF-16 or UTF-32
 * text, HTML, a zip or another archive.
 */
struct input *input_open(const char *path, size_t piece_size, struct error *error);

/*
 * Up to `size` of the first bytes (decompressed, without byte-order mark), at most 64 KiB; fewer at
 * the end of input. They stay unread: input_read() hands them out again. Valid until the next call.
 */
struct text input_peek(struct input *input, size_t size);

/*
 * The next piece; empty at the end. Valid until the next call.
 * False: reading failed, or the compressed data is damaged. For a damaged or cut gzip file all that
 * could be decompressed has been handed out before.
 */
bool input_read(struct input *input, struct text *piece, struct error *error);

/* The bytes handed out so far. */
uint64_t input_offset(const struct input *input);

/* The size of the file in bytes as it lies on disk, or 0 when it is not a regular file. */
uint64_t input_file_size(const struct input *input);

/* The path as given, and whether it was compressed. */
const char *input_path(const struct input *input);
bool input_is_compressed(const struct input *input);

/* Whether the open file of `input` and the file at `path` are the same one. */
bool input_is_same_file(const struct input *input, const char *path);

/* Closes and frees; NULL is allowed. */
void input_close(struct input *input);

#endif
