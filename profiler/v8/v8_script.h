// SPDX-License-Identifier: MIT
/*
 * Scripts of a process: their names, and from a place in characters to line and column.
 *
 * V8 gives each script of a process a number of its own (Script.id), so one that takes the memory
 * of another is told from it.
 */
#ifndef TICKFLAME_PROFILER_V8_V8_SCRIPT_H
#define TICKFLAME_PROFILER_V8_V8_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/hash_index.h"
#include "fold/base/memory.h"
#include "fold/base/text.h"
#include "fold/model/string_table.h"
#include "profiler/v8/v8_heap.h"

enum {
    V8_SCRIPTS_MOST = 1 << 16, /* kept at once */
    V8_LINES_MOST = 1 << 24,   /* of all scripts that are kept */
    V8_SOURCE_MOST = 32 << 20, /* characters of a script that are looked through for lines */
};

struct v8_script {
    uint64_t tagged;
    uint64_t id;           /* the word of Script.id */
    uint64_t name;         /* the word of Script.name */
    uint64_t seen;         /* nanoseconds, as v8_heap.now */
    struct string_id file; /* without file:// */
    int64_t line_offset, column_offset;
    uint32_t *starts; /* of lines behind the first, in characters */
    size_t line_count, line_capacity;
    bool has_lines; /* they were looked for */
};

/* All zero is empty. */
struct v8_scripts {
    struct v8_script *scripts; /* by number - 1 */
    size_t count, capacity;
    size_t line_count;       /* of all */
    struct hash_index index; /* by `tagged` */
};

/*
 * The number, from 1, of the script that `tagged` is now; its name is added to `strings` in
 * `arena`. 0: it is none, or V8_SCRIPTS_MOST are kept: then all are to be forgotten.
 */
uint32_t v8_script_find(struct v8_scripts *scripts, struct v8_heap *heap, uint64_t tagged,
                        struct string_table *strings, struct arena *arena);

/* Line and column, from 1, of a place in characters of a script. False: its source cannot be read.
 */
bool v8_script_place(struct v8_scripts *scripts, struct v8_heap *heap, uint32_t number,
                     uint64_t position, uint32_t *line, uint32_t *column);

/* Whether there are so many that all should be forgotten, with v8_scripts_free(). */
bool v8_scripts_are_many(const struct v8_scripts *scripts);
void v8_scripts_free(struct v8_scripts *scripts);

#endif
