// SPDX-License-Identifier: MIT
/*
 * One stack of a process: from addresses and frame pointers to functions.
 *
 * Where the address of a frame lies says what to look for:
 *
 * - machine code that V8 made: the frame's second word is the type of a frame without function
 *   (regular expressions, WebAssembly, stubs), or its third one is the function. Optimised code
 *   knows its own function, which is right also where the frame is not built yet or left already,
 *   and what was expanded into it.
 * - one of V8's builtins, code of the binary: the interpreter's entry and its handlers stand for
 * the function that they interpret, and Baseline's helpers for that which called them. Other
 * builtins are frames of their own; some run without a frame, in that of their caller, which is
 * then found in its place.
 * - other code of the binary and of libraries: the address says all.
 */
#ifndef TICKFLAME_PROFILER_V8_V8_STACK_H
#define TICKFLAME_PROFILER_V8_V8_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/unwind/architecture.h"
#include "profiler/unwind/stack_memory.h"
#include "profiler/v8/v8_code.h"
#include "profiler/v8/v8_constants.h"
#include "profiler/v8/v8_functions.h"

enum { V8_BUILTINS_KEPT = 4096 };

/* What a place in the binary is. */
enum v8_place {
    V8_PLACE_NATIVE,
    V8_PLACE_BUILTIN,
    V8_PLACE_INTERPRETER, /* entry, handlers */
    V8_PLACE_BASELINE,    /* helpers of Baseline code */
    V8_PLACE_COMPILED,    /* in no file */
    V8_PLACE_UNKNOWN,     /* in the file of V8, whose builtins have no symbols */
    V8_PLACE_NOWHERE,
};

/* A place that was told by its symbol. */
struct v8_known_place {
    uint64_t address; /* 0 = empty */
    uint32_t generation;
    uint8_t place;
};

/* All that a walk needs. */
struct v8_walker {
    struct native_names *names;
    uint64_t process_id;
    uint32_t file; /* the one that holds V8 */
    bool has_builtin_symbols;
    const struct architecture *architecture;
    const struct v8_constants *constants;
    struct v8_heap heap;
    struct v8_functions functions;
    struct v8_codes codes;
    struct stack_memory memory; /* of the stack under way */
    struct v8_known_place places[V8_BUILTINS_KEPT];
    uint64_t javascript, named; /* frames so far */
    uint64_t not_read;          /* of these: words of the frame could not be read */
};

/* The kind of a place, by the symbol of a builtin. */
enum v8_place v8_place_of_symbol(struct text symbol);

/* Walks a stack; heap.now and heap.memory.budget are set. */
void v8_stack_walk(struct v8_walker *walker, const struct v8_stack *stack, v8_take_frame *take,
                   void *context);

#endif
