// SPDX-License-Identifier: MIT
/*
 * Where V8's objects and frames hold what is read of them: numbers, and nothing of them in code.
 *
 * Most of them V8 exports for debuggers, as data symbols v8dbg_... of its binary, which builds keep
 * when they are stripped; v8_constants.h reads these. What a version does not export stands in a
 * table here (v8_versions.c): a row says what changed with the version of V8 that it begins with,
 * the rows before it hold for all the rest.
 *
 * How to add a version of Node
 *
 * 1. Install it among the test versions (tests/lib/nodes/package.json) and run the live tests on
 * it: tests/run --filter 'live/record-heap*' live When the names are right, nothing is to be done
 * but the next row of the README's table: the constants were exported, or are as before. A version
 * newer than V8_NEWEST_MAJOR is used with a warning until then.
 * 2. Else see which constants are not exported any more, or under another name:
 *        nm -D node | grep v8dbg_
 *    against the list in v8_constants.c. A new name goes into that list.
 * 3. What is not exported at all gets a row in v8_versions.c with the first version of V8 that has
 *    it (`node -p process.versions.v8`) and the new values. V8's own sources say them:
 *    src/objects of that version (*.tq files hold the fields in their order; each takes 8 bytes,
 *    the first stands at 8, behind the map), src/execution/frame-constants.h the frames,
 *    src/objects/code-kind.h the kinds of code, counted from 0.
 * 4. Set V8_NEWEST_MAJOR, and run the live tests and tests/bench/names, which compares every name
 *    with the perf map of the same process.
 *
 * Source: the v8dbg_ symbols and the memory of Node 18 to 26; V8's headers named above.
 */
#ifndef TICKFLAME_PROFILER_V8_V8_VERSIONS_H
#define TICKFLAME_PROFILER_V8_V8_VERSIONS_H

#include <stdbool.h>
#include <stdint.h>

/* The newest major version of V8 that was tested. */
enum { V8_OLDEST_MAJOR = 10, V8_NEWEST_MAJOR = 14 };

/* Offsets are bytes from the start of an object (without tag) or from the frame pointer; indexes
 * count slots; types are those of maps. 0: there is no such thing in this version, or it is not
 * known. All members are of one type: the table and the list of exported names go over them. */
struct v8_layout {
    int32_t tagged_size;   /* bytes of a slot that holds an object or a small integer */
    int32_t smi_shift;     /* bits right of a small integer's value */
    int32_t heap_tag;      /* the low bits of a pointer to an object ... */
    int32_t heap_tag_mask; /* ... of these */

    int32_t frame_context;     /* the context of a function, or twice the type of another frame */
    int32_t frame_function;    /* its JSFunction */
    int32_t frame_bytecode;    /* interpreted and baseline: its BytecodeArray */
    int32_t function_register; /* as the processor numbers it: holds the function at a call */

    int32_t map_type;         /* u16: the type of the objects of a map */
    int32_t function_shared;  /* of a JSFunction: its SharedFunctionInfo */
    int32_t shared_name;      /* of a SharedFunctionInfo: ScopeInfo, or name */
    int32_t shared_script;    /* Script, or DebugInfo */
    int32_t shared_data;      /* with a name only: what knows its place (UncompiledData) */
    int32_t uncompiled_start; /* i32: its place in the script, in characters */
    int32_t wrapper_shared;   /* of a SharedFunctionInfoWrapper */
    int32_t debug_script;     /* of a DebugInfo */

    int32_t scope_count;         /* index of the number of context variables in a ScopeInfo */
    int32_t scope_first;         /* index of the first of them */
    int32_t scope_positions;     /* index of start and end, when they stand in front */
    int32_t scope_header;        /* bytes in front of index 0 */
    int32_t scope_flags;         /* u32: its flags */
    int32_t scope_inline_most;   /* with fewer variables their names stand in the ScopeInfo */
    int32_t scope_module;        /* the type of scope that has a count of module variables too */
    int32_t scope_flag_class;    /* bits of its flags: has a slot for a class variable */
    int32_t scope_flag_name;     /* mask of two: has a function name and an index */
    int32_t scope_flag_inferred; /* has an inferred name */
    int32_t scope_type_mask;

    int32_t script_source, script_name;
    int32_t script_line, script_column; /* added to lines, and to columns of the first line */
    int32_t script_id;                  /* no two scripts of a process have the same */

    int32_t string_length;   /* u32 */
    int32_t string_chars;    /* of a sequential string */
    int32_t string_external; /* of an external one: pointer to its characters */
    int32_t cons_first, cons_second, thin_actual, sliced_parent, sliced_offset;
    int32_t string_representation;                                        /* mask in its type ... */
    int32_t string_cons, string_external_tag, string_sliced, string_thin; /* ... and its values */
    int32_t string_one_byte;                                              /* bit in its type */
    int32_t type_first_nonstring;

    int32_t type_function_first, type_function_last; /* JSFunction and what extends it */
    int32_t type_shared, type_scope, type_script, type_debug, type_code, type_bytecode;
    int32_t type_uncompiled_first, type_uncompiled_last, type_wrapper;

    int32_t code_inline; /* the instructions stand in the Code object, from here on ... */
    int32_t code_start;  /* ... or elsewhere: pointer to them */
    int32_t code_size;   /* u32: bytes of instructions */
    int32_t code_flags;  /* u32; its low bits are the kind of code */
    int32_t code_kind_mask;
    int32_t
        code_deoptimization; /* its deoptimization data, or the BytecodeArray of baseline code */
    int32_t code_positions;  /* its source position table */
    int32_t positions_flags; /* bits below a distance in that table; 0: its sign is the flag */
    int32_t kind_builtin, kind_regexp, kind_interpreted, kind_baseline, kind_maglev, kind_turbofan;

    int32_t array_length, array_data; /* of arrays of slots, and of bytes */
    int32_t deopt_inlined_count, deopt_literals, deopt_shared, deopt_inlinings; /* indexes */
};

/* Fills in what the table knows of a version and is 0 in *layout. Returns whether the version is
 * one of those that were tested. */
bool v8_versions_complete(struct v8_layout *layout, uint32_t major, uint32_t minor);

#endif
