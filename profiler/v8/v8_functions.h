// SPDX-License-Identifier: MIT
/*
 * Functions of a process: from a closure (JSFunction) to what its closures share
 * (SharedFunctionInfo), and from there to name and place.
 *
 * What was read is kept by address. Addresses are used again, by objects that may look alike: what
 * is older than V8_FRESH_NANOSECONDS is compared with the words that it came from, the number of
 * its script and its place among them, before it is used.
 */
#ifndef TICKFLAME_PROFILER_V8_V8_FUNCTIONS_H
#define TICKFLAME_PROFILER_V8_V8_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/v8/v8_names.h"
#include "profiler/v8/v8_script.h"

enum {
    V8_CLOSURES_KEPT = 8192,
    V8_SHARED_KEPT = 16384,
    V8_BYTECODES_KEPT = 8192,
    V8_FUNCTIONS_MOST = 1 << 20, /* distinct ones; more have no name */
};

/* A SharedFunctionInfo as it was read. */
struct v8_shared {
    uint64_t tagged; /* 0 = empty */
    uint64_t seen;
    uint64_t name, script, script_id; /* words of it, and of its script */
    uint64_t place_address, place;    /* where its start was read, and what stood there */
    const struct v8_function *function;
};

/* The SharedFunctionInfo of a frame's closure, by the bytecode of the frame, which does not move as
 * closures do. */
struct v8_bytecode {
    uint64_t tagged; /* 0 = empty */
    uint64_t seen;
    uint64_t shared;
};

struct v8_closure {
    uint64_t tagged; /* 0 = empty */
    uint64_t seen;
    uint64_t shared;
};

struct v8_functions {
    struct v8_heap *heap;
    struct v8_scripts scripts;
    struct arena arena;
    struct string_table strings;
    struct v8_function **functions; /* by number - 1 */
    size_t count, capacity;
    struct hash_index index; /* by all that they say */
    struct v8_shared *shared;
    struct v8_closure *closures;
    struct v8_bytecode *bytecodes;
    struct buffer text;
    uint64_t no_function, no_shared, no_name; /* what was asked for in vain */
};

void v8_functions_open(struct v8_functions *functions, struct v8_heap *heap);
void v8_functions_close(struct v8_functions *functions);

/* The SharedFunctionInfo of a closure; 0: the word is no JSFunction. */
uint64_t v8_function_shared(struct v8_functions *functions, uint64_t closure);

/* Notes that a frame with this bytecode is of a closure with this SharedFunctionInfo. */
void v8_function_note_bytecode(struct v8_functions *functions, uint64_t bytecode, uint64_t shared);

/* The SharedFunctionInfo that was noted for a bytecode lately; 0 = none. */
uint64_t v8_function_shared_of_bytecode(struct v8_functions *functions, uint64_t bytecode);

/* The function that a SharedFunctionInfo is of; NULL: it is none, or cannot be read. */
const struct v8_function *v8_function_of_shared(struct v8_functions *functions, uint64_t shared);

#endif
