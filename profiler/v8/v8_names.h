// SPDX-License-Identifier: MIT
/*
 * Names of the JavaScript that a living process runs, read from the heap of its V8: no flag, no
 * restart, no port. Of the process only memory is read.
 *
 * How it goes. A frame of JavaScript holds the function that it runs at a fixed distance from the
 * frame pointer. The function leads to what all closures of one piece of source share
 * (SharedFunctionInfo), and this to its name, its place and its script. The Code object of
 * optimised code also tells which other functions were expanded into it, and where.
 *
 *     v8_versions    layouts of V8's objects that no binary exports, a row per version
 *     v8_constants   one binary: what it exports (v8dbg_*), completed by its version's row
 *     v8_memory      the process's memory: bounded, batched reads
 *     v8_heap        one object: its type, its fields
 *     v8_string, v8_script, v8_functions, v8_code    what the objects say, kept and looked over
 *     v8_stack       one stack: from addresses and frame pointers to functions
 *
 * Nothing is believed. All that is read may be garbage, and may have changed since it was read:
 * each object's type is asked before its fields, every size has a limit, nothing recurses without
 * a bound, and each stack has a budget of reads. What was kept is read again before it is used,
 * when it was last seen more than V8_FRESH_NANOSECONDS ago.
 *
 * A version that is not known, or whose layout changed, would give wrong names: the first frames
 * are a test (v8_names_state()).
 *
 * To add a version of Node: v8_versions.h.
 */
#ifndef TICKFLAME_PROFILER_V8_V8_NAMES_H
#define TICKFLAME_PROFILER_V8_V8_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/text.h"
#include "fold/model/frame_table.h"
#include "profiler/symbol/native_names.h"
#include "profiler/unwind/call_frames.h"

/* A function of the process, or what V8 made of one. Lives as long as the names. */
struct v8_function {
    uint32_t number;  /* from 1, in the order in which functions were first seen */
    struct text name; /* as V8's own profiler prints it; empty: anonymous */
    struct text file; /* path or URL of its script, without `file://`; empty: code of eval(), or of
                         no script */
    uint32_t line, column; /* of its definition, from 1; 0 = not known */
    bool has_script;       /* false: V8's own, such as Array.from */
};

/* What a frame is. */
enum v8_frame_kind {
    V8_FRAME_ADDRESS,  /* its address says all: native code, builtins */
    V8_FRAME_FUNCTION, /* `function`, in this tier */
    V8_FRAME_REGEXP,   /* machine code of a regular expression */
    V8_FRAME_WASM,     /* machine code of WebAssembly */
    V8_FRAME_STUB,     /* other machine code that V8 made */
    V8_FRAME_UNNAMED,  /* JavaScript that could not be named */
};

struct v8_frame {
    enum v8_frame_kind kind;
    uint64_t address;                   /* V8_FRAME_ADDRESS, and of the machine code otherwise */
    const struct v8_function *function; /* V8_FRAME_FUNCTION */
    enum frame_tier tier;               /* V8_FRAME_FUNCTION; FRAME_NO_TIER: not known */
    bool inlined; /* V8_FRAME_FUNCTION: expanded into the machine code of the next frame that is
                     not inlined */
};

/* Takes the frames of a stack, innermost first. */
typedef void v8_take_frame(void *context, const struct v8_frame *frame);

/* A stack that was sampled, in this machine's byte order. */
struct v8_stack {
    const uint64_t *addresses; /* innermost first; all but the first are return addresses */
    const uint64_t *frames;    /* the frame pointer at each; UNWIND_NO_FRAME (unwinder.h): none */
    size_t count;
    struct unwind_registers registers; /* of the innermost */
    struct text copy;                  /* the bytes from the stack pointer up */
    uint64_t taken;                    /* nanoseconds of CLOCK_MONOTONIC; 0 = now */
};

struct v8_names;

/*
 * For the process `process_id`, whose mappings `names` knows; it outlives these. NULL: the process
 * has no V8 whose heap can be read: *error (ERROR_SAMPLE) says why, in words that fit behind "the
 * names of JavaScript functions cannot be read: ". Takes some milliseconds: it looks through the
 * binary for what it exports.
 */
struct v8_names *v8_names_open(struct native_names *names, uint64_t process_id,
                               struct error *error);
void v8_names_close(struct v8_names *v8);

/* Hands the frames of a stack to `take`: at least one for each address, in the order of these. */
void v8_names_walk(struct v8_names *v8, const struct v8_stack *stack, v8_take_frame *take,
                   void *context);

/* Whether the names are right: a version that is not in the table, or memory that is not as
 * expected, fails the test of the first frames; from then on all frames are V8_FRAME_ADDRESS. */
enum v8_names_state {
    V8_NAMES_TESTED, /* the test went well */
    V8_NAMES_NEW,    /* not enough frames were seen yet */
    V8_NAMES_FAILED,
};

/* What was seen. */
struct v8_names_facts {
    enum v8_names_state state;
    struct text node, v8;  /* versions, such as "24.22.3" and "13.6.233.17"; empty: not known */
    bool version_is_known; /* the table has a row for it */
    uint64_t javascript, named; /* frames */
    /* Why frames have no name. */
    uint64_t not_read, no_function, no_shared, no_name;
    uint64_t functions; /* distinct ones */
};
struct v8_names_facts v8_names_facts(struct v8_names *v8);

#endif
