// SPDX-License-Identifier: MIT
/*
 * What native stacks tell beyond their functions: whether V8 was collecting garbage or compiling,
 * and how well JavaScript is named.
 *
 * A profile with `native_stacks` says nothing of V8's state, but its stacks go from main() to the
 * kernel, so the state is in them. The nearest frame of three kinds decides: a function of the
 * collector, one of the parsers and compilers, or code of JavaScript. So a callback that the
 * collector runs in C++ is still garbage collection, and a JavaScript function that the compiler
 * enters (a hook of module loading) is not compilation. V8's own threads have no JavaScript in
 * their stacks; their jobs are the same functions. Which functions these are was read in recordings
 * of Node 16 to 26 and in the symbols of those binaries.
 *
 * JavaScript without a name: compiled code is `[js unknown]` without a perf map, and a function in
 * V8's interpreter is a frame of Builtins_InterpreterEntryTrampoline, because its code is shared,
 * unless node runs with --interpreted-frames-native-stack.
 */
#ifndef TICKFLAME_FOLD_TALLY_NATIVE_STACK_H
#define TICKFLAME_FOLD_TALLY_NATIVE_STACK_H

#include "fold/model/profile.h"

/* What a frame, or a stack up to a frame, means for V8's state. */
enum native_state {
    NATIVE_PLAIN, /* nothing: what is outside decides */
    NATIVE_JAVASCRIPT,
    NATIVE_COLLECTING,
    NATIVE_COMPILING,
};

/* How a frame of JavaScript is named. */
enum native_naming {
    NAMING_NO_JAVASCRIPT,
    NAMING_NAMED,       /* or anonymous with a place */
    NAMING_UNKNOWN,     /* compiled code without a perf map */
    NAMING_INTERPRETED, /* a function in the interpreter, without a name */
};

/* A stack, by its row of the stack table. */
struct native_row {
    uint32_t collector; /* where state is NATIVE_COLLECTING: the row of the collector's outermost
                           frame of those that the state goes back to */
    uint8_t state;      /* enum native_state */
    uint8_t naming;     /* enum native_naming: of the innermost frame of JavaScript */
    uint32_t functions; /* frames of JavaScript */
    uint32_t named;     /* those of them that have a name */
};

/* What a native function's name (demangled) means: NATIVE_PLAIN, NATIVE_COLLECTING or
 * NATIVE_COMPILING. */
enum native_state native_state_of_name(struct text name);

/* The rows of a profile's stack table, one look at each; to be freed with free(). NULL when its
 * stacks are not native. */
struct native_row *native_rows_find(const struct profile *profile);

#endif
