// SPDX-License-Identifier: MIT
/* What the files of native_names.h share; for no other file. */
#ifndef TICKFLAME_PROFILER_SYMBOL_NATIVE_NAMES_PARTS_H
#define TICKFLAME_PROFILER_SYMBOL_NATIVE_NAMES_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "fold/base/hash_index.h"
#include "profiler/symbol/kernel_symbols.h"
#include "profiler/symbol/location_table.h"
#include "profiler/symbol/native_names.h"
#include "profiler/symbol/perf_map.h"
#include "profiler/symbol/process_image.h"
#include "profiler/symbol/vdso.h"

/* What a mapping's path stands for. */
enum file_kind {
    FILE_NONE,    /* memory without a file: compiled code */
    FILE_ON_DISK, /* a file with symbols, as a rule */
    FILE_VDSO,    /* `[vdso]` */
    FILE_SPECIAL, /* another name in brackets, such as `[vsyscall]` */
};

/* A file of mappings. */
struct native_file {
    struct string_id path; /* without ` (deleted)` */
    enum file_kind kind;
    bool deleted;
    struct build_id build_id;             /* as its mappings have it */
    uint64_t device, inode;               /* of a living process's file; 0 = not known */
    const struct symbol_library *library; /* NULL: none is to be asked */
    bool asked;                           /* an address of it was to be named */
};

/* A perf map with its file. */
struct process_map {
    struct perf_map map;
    char *path;
    int descriptor; /* open while it may grow; else -1 */
};

struct process {
    uint64_t id;
    uint32_t number;     /* from 1 */
    uint32_t generation; /* what the cache knows of other generations is out of date */
    struct process_image *image;
    uint32_t map;       /* number of its perf map, from 1; 0 = none */
    bool has_compiled;  /* maps executable memory without a file */
    bool asked_for_map; /* an address in such memory was seen */
    bool map_is_final;  /* no other perf map will be found */
};

/* The generation of the kernel in the cache. */
enum { KERNEL_GENERATION = 1 };

struct native_names {
    struct profile *profile;
    struct native_names_options options;
    struct process_images images;
    struct arena arena;
    struct process **processes; /* by number - 1 */
    size_t process_count, process_capacity;
    struct hash_index process_index;
    struct process *last;      /* asked for last; NULL before */
    struct native_file *files; /* by number - 1 */
    size_t file_count, file_capacity;
    struct hash_index file_index; /* by path */
    struct process_map **maps;    /* by number - 1 */
    size_t map_count, map_capacity;
    struct location_table locations;
    struct cached_location *cache;
    uint32_t generations; /* given out so far */

    bool same_kernel;
    uint64_t text_start;
    bool kernel_is_read;
    bool kernel_is_under_way; /* in `kernel_thread` */
    atomic_bool kernel_is_done;
    pthread_t kernel_thread;
    struct kernel_symbols kernel;
    const char *kernel_reason; /* why there are none */
    bool kernel_unnamed;
    struct vdso vdso;
    struct buffer scratch;
};

/* The process with this id; made when it is new. */
struct process *native_names_process(struct native_names *names, uint64_t id);

/* The entry of the process's perf map for an address, 0 = none. */
uint32_t native_names_entry(struct native_names *names, struct process *process, uint64_t address);

#endif
