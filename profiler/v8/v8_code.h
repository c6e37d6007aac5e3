// SPDX-License-Identifier: MIT
/*
 * Code objects of V8: which piece of machine code holds an address, of which kind it is, whose it
 * is, and what was expanded into it.
 *
 * Machine code is not searched through an object that leads to it (that way changed in many
 * versions), but from its address: the words in front of it are looked through backwards until one
 * is a pointer to a Code object whose instructions hold the address. That word stands in the header
 * of the instructions, or (before V8 11) is the map of the Code object itself.
 *
 * Optimised code has deoptimization data: its own function, and the functions that were expanded
 * into it; and a table that says for each of its addresses which of these it belongs to. Of an
 * address that is no return address, the entry before it counts.
 *
 * Kept pieces of code are compared with the words that they came from when they were last seen more
 * than V8_FRESH_NANOSECONDS ago, because code is freed, and its memory used again.
 *
 * Sources: V8's code.h, code-kind.h, source-position-table.cc, deoptimization-data.h.
 */
#ifndef TICKFLAME_PROFILER_V8_V8_CODE_H
#define TICKFLAME_PROFILER_V8_V8_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/symbol/address_map.h"
#include "profiler/v8/v8_heap.h"

enum {
    V8_CODES_MOST = 1 << 15,    /* pieces of code kept at once */
    V8_INLINED_DEPTH_MOST = 32, /* functions expanded at one address */
};

enum v8_code_kind {
    V8_CODE_OTHER, /* stubs, wrappers */
    V8_CODE_REGEXP,
    V8_CODE_INTERPRETER, /* a copy of the interpreter's entry, made for one function */
    V8_CODE_BASELINE,
    V8_CODE_MAGLEV,
    V8_CODE_TURBOFAN,
};

/* What was expanded into code at a place. */
struct v8_inlining {
    uint64_t shared; /* SharedFunctionInfo; 0 = not known */
    uint32_t parent; /* number of the expansion that it stands in; 0 = the code's own function */
};

struct v8_position {
    uint32_t offset;   /* bytes from the start of the code */
    uint32_t inlining; /* number of an expansion; 0 = none */
};

struct v8_code {
    uint64_t start, size; /* of the instructions */
    enum v8_code_kind kind;
    uint64_t shared; /* of optimised code: the SharedFunctionInfo of its function; else 0 */

    /* for v8_code.c alone */
    uint64_t object, header;        /* the Code object; where the pointer to it was found */
    uint64_t pointer;               /* the word there */
    uint64_t deoptimization, table; /* words of the Code object */
    uint64_t owner;                 /* address of the slot that leads to `shared` */
    uint64_t owner_word;
    uint64_t seen;
    bool is_read; /* the rest */
    struct v8_position *positions;
    size_t position_count;
    struct v8_inlining *inlinings; /* by number - 1 */
    size_t inlining_count;
};

struct v8_codes {
    struct v8_heap *heap;
    struct v8_code *codes; /* by number - 1 */
    size_t count, capacity;
    struct address_map starts;
    uint64_t header_map;        /* word in front of the pointer in a header, once one was seen; 0 */
    struct v8_no_code *missing; /* addresses that no code was found for */
};

void v8_codes_open(struct v8_codes *codes, struct v8_heap *heap);
void v8_codes_close(struct v8_codes *codes);

/* The code that holds an address of compiled code; NULL: none is found. Valid until the next call.
 */
const struct v8_code *v8_code_find(struct v8_codes *codes, uint64_t address);

/*
 * The functions expanded into optimised code at `address` (of a call: the byte before the return
 * address): their SharedFunctionInfos, innermost first, at most V8_INLINED_DEPTH_MOST; 0 where one
 * is not known. Returns how many.
 */
size_t v8_code_inlined(struct v8_codes *codes, const struct v8_code *code, uint64_t address,
                       uint64_t *shared);

#endif
