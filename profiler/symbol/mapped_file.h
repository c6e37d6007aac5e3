// SPDX-License-Identifier: MIT
/*
 * The file that a process has mapped: finding on this machine the very one that it was.
 *
 * Places, in this order: the binary given with --apply-to, for node; below --target-root; of a
 * living process its own view (/proc/PID/root with the path, /proc/PID/map_files, /proc/PID/exe;
 * the last two also hold files that were deleted or replaced since); the path itself; perf's cache
 * of binaries by build id below ~/.debug.
 *
 * A file is used only when it is the one that was mapped. When the recording has a build id, that
 * must be the file's. Without one, the process's own view is trusted; elsewhere one of the file's
 * executable segments must end where a mapping of it ends, and a file that was deleted is not
 * looked for. Only the files that `perf inject --jit` makes, one for each piece of compiled code,
 * are mapped by no process: their names, jitted-PID-NUMBER.so, are trusted.
 */
#ifndef TICKFLAME_PROFILER_SYMBOL_MAPPED_FILE_H
#define TICKFLAME_PROFILER_SYMBOL_MAPPED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/text.h"
#include "profiler/symbol/elf_file.h"

/* A build id: 20 bytes as a rule. Recordings hold at most that many. */
enum { BUILD_ID_MAX = 20, MAPPED_FILE_ENDS_MAX = 64 };
struct build_id {
    unsigned char bytes[BUILD_ID_MAX];
    size_t size; /* 0 = not known */
};

/* What is known of a mapped file. */
struct mapped_file {
    struct text path; /* as the process sees it, without ` (deleted)`; followed by a NUL byte */
    bool deleted;     /* what stands at the path now is another file or none */
    struct build_id build_id;
    uint64_t ends[MAPPED_FILE_ENDS_MAX]; /* offsets in the file where executable mappings end */
    size_t end_count;
    uint64_t process_id; /* a living process that maps it; 0 = none is known to live */
    uint64_t start, end; /* addresses of that process's mapping */
};

/* Where else than at its path a file may be. Texts are empty when not given. */
struct mapped_file_places {
    struct text target_root; /* without a slash at its end */
    const char *binary;      /* to be used in place of the file; NULL: none */
    struct text home;        /* the folder that holds .debug */
};

/*
 * Opens the file as *elf, and its debug file as *debug (all zero: there is none, or it adds
 * nothing). Both are to be closed. False: `complaint` says why not, in words that fit behind the
 * path, such as "no such file" or "has changed since the recording: its build id is another".
 */
bool mapped_file_open(struct elf_file *elf, struct elf_file *debug, const struct mapped_file *file,
                      const struct mapped_file_places *places, char complaint[160]);

/* Device and inode of the file of a living process, without opening it. False: not known. */
bool mapped_file_identity(const struct mapped_file *file, uint64_t *device, uint64_t *inode);

/* Whether an open file has the build id `id`, as recordings give it. */
bool mapped_file_has_build_id(const struct elf_file *elf, const struct build_id *id);

/* Whether a path is that of a file made by `perf inject --jit`. */
bool mapped_file_is_jitted(struct text path);

/* Notes where a mapping of the file ends: `end` is an offset in the file. */
void mapped_file_add_end(struct mapped_file *file, uint64_t end);

#endif
