// SPDX-License-Identifier: MIT
/*
 * Stacks by frame pointers: from registers and a copy of the stack to the addresses of the calls.
 *
 * Code that keeps a frame pointer links its frames: the pointer's place holds the caller's pointer,
 * and the return address stands beside it. V8 and code compiled by it keep frame pointers, so the
 * walk goes through JavaScript; where other code uses the register for something else, it ends.
 * Nothing is believed: a frame pointer must be aligned, lie inside the copy and be higher than the
 * one before.
 */
#ifndef TICKFLAME_PROFILER_UNWIND_FRAME_POINTER_H
#define TICKFLAME_PROFILER_UNWIND_FRAME_POINTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/text.h"
#include "profiler/unwind/architecture.h"

struct unwind_start {
    uint64_t instruction_pointer, stack_pointer, frame_pointer;
    uint64_t link_register; /* 0 where there is none */
    struct text stack;      /* the bytes from the stack pointer up */
    bool swapped;           /* they are of the other byte order */
};

struct unwind_end {
    size_t count;   /* addresses written */
    bool truncated; /* the stack goes on above the copy, or beyond `limit` */
};

/*
 * Writes the addresses of the stack, innermost first, at most `limit` (1 or more): the instruction
 * pointer, then return addresses, all without pointer authentication.
 */
struct unwind_end frame_pointer_walk(const struct architecture *architecture,
                                     const struct unwind_start *start, uint64_t *addresses,
                                     size_t limit);

#endif
