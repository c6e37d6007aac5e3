// SPDX-License-Identifier: MIT
/*
 * A file that grows piece by piece and is a valid gzip file after each of them.
 *
 * Each piece becomes one complete gzip member, handed to the system in one write. What cannot be
 * written whole (a full disk, a limit of size) is cut off again, so that whatever ends the program,
 * all pieces before stand. The bytes depend on the pieces alone: no date, no name.
 *
 * The file holds secrets of who is recorded: only its owner may read it, whatever the umask.
 */
#ifndef TICKFLAME_FOLD_BASE_PIECE_FILE_H
#define TICKFLAME_FOLD_BASE_PIECE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/base/error.h"
#include "fold/base/text.h"

struct piece_file;

/*
 * Makes the file `path` with the permission 0600. With `replace` an existing regular file is
 * removed before; a symbolic link, a directory or a device never is. NULL and *error
 * (ERROR_OUTPUT): it exists, or cannot be made.
 */
struct piece_file *piece_file_create(const char *path, bool replace, struct error *error);

enum piece_result {
    PIECE_WRITTEN,
    PIECE_TOO_LARGE, /* the file would be larger than allowed; nothing was written */
    PIECE_FAILED,    /* *error (ERROR_OUTPUT) says why; the file is as before */
};

/* Appends `content` as one piece. `size_most`: bytes that the file may have afterwards; 0 = no
 * limit. */
enum piece_result piece_file_append(struct piece_file *file, struct text content,
                                    uint64_t size_most, struct error *error);

/* Bytes of the file. */
uint64_t piece_file_size(const struct piece_file *file);

/* Closes and frees. False: what was written before may not have reached the disk. */
bool piece_file_close(struct piece_file *file, struct error *error);

/* Closes, frees, and removes the file, unless another one has its name meanwhile. NULL is
 * allowed. */
void piece_file_discard(struct piece_file *file);

#endif
