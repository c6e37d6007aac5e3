// SPDX-License-Identifier: MIT
/*
 * What differs between processor architectures, in one table: registers as perf numbers them,
 * where a frame holds its caller, and which bits of an address are none.
 *
 * Sources: the kernel's headers asm/perf_regs.h of each architecture; the System V ABI for x86-64
 * and the procedure call standard for the Arm 64-bit architecture (AAPCS64), both on frame
 * pointers; the kernel's documents on memory layout and pointer authentication for arm64.
 */
#ifndef TICKFLAME_PROFILER_UNWIND_ARCHITECTURE_H
#define TICKFLAME_PROFILER_UNWIND_ARCHITECTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/base/text.h"

enum { NO_REGISTER = -1 };

struct architecture {
    const char *name;     /* as `uname -m` and perf.data files say it */
    uint32_t elf_machine; /* EM_... of elf.h */

    /* Bits in a sample's mask of registers. */
    int instruction_pointer, stack_pointer, frame_pointer;
    int link_register; /* holds the return address of a function without a frame; NO_REGISTER where
                          calls push it */

    uint64_t general_registers; /* those that unwinding can need, as a mask */

    /* A frame: bytes from where the frame pointer points. */
    uint64_t saved_frame_pointer;
    uint64_t return_address;
    uint64_t frame_alignment; /* a frame pointer is a multiple of it */

    uint64_t user_highest; /* the highest address that a program can have */
    uint64_t user_bits;    /* the bits of a program's address that are address and not signature or
                              tag */
    uint64_t code_alignment; /* an address of code is a multiple of it */
};

/* The architecture with this machine number of ELF, or of this name; NULL: not known here. */
const struct architecture *architecture_of_machine(uint32_t elf_machine);
const struct architecture *architecture_of_name(struct text name);

/* An address of code without pointer authentication and tags. `kernel`: whose address it is. */
uint64_t architecture_strip(const struct architecture *architecture, uint64_t address, bool kernel);

/* Whether an address without authentication can be a program's code at all. */
bool architecture_is_code(const struct architecture *architecture, uint64_t address);

#endif
