// SPDX-License-Identifier: MIT
/*
 * Looks call frame information of strangers' files over before libunwind gets it.
 *
 * libunwind trusts more than it should: a column of the return address that is none, a frame whose
 * address is never defined, the quotient of two numbers that the processor refuses would end this
 * program. What compilers and assemblers write is a small part of what the format allows; only that
 * part passes. Jumps in expressions do not, so that all of it ends after as many steps as it has
 * bytes.
 *
 * Sources: the DWARF standard, chapters on call frame information and on expressions; the Linux
 * Standard Base on .eh_frame, its pointers and its search table.
 */
#ifndef TICKFLAME_PROFILER_UNWIND_CALL_FRAMES_CHECK_H
#define TICKFLAME_PROFILER_UNWIND_CALL_FRAMES_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/symbol/elf_file.h"

/* Bytes of a description at most. Those of compilers have some hundred. */
enum { CALL_FRAMES_SIZE_MOST = 16 * 1024 };

/* What differs between machines: the column of the return address, and how many registers the
 * address of a frame can be counted from. */
struct call_frames_machine {
    uint64_t return_column;
    uint64_t register_count;
};

/*
 * Whether the description at `address` (a frame description entry) and the common one it refers to
 * are whole and of the part that passes. Addresses are the file's own.
 */
bool call_frames_are_sound(const struct elf_file *elf, uint64_t address,
                           const struct call_frames_machine *machine);

#endif
