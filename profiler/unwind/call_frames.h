// SPDX-License-Identifier: MIT
/*
 * Call frame information of one ELF file: from the registers of a frame to those of its caller, by
 * what the compiler left about each address (.eh_frame, found through its search table
 * PT_GNU_EH_FRAME). The work is libunwind's, with accessors that read the file and the stack that
 * they are given.
 *
 * Everything happens at the file's own addresses: the address of an instruction is where the file
 * expects it, whatever the process mapped it at; only the stack has addresses of the process. So
 * one set of what libunwind learned serves all processes, for ever: the file does not change.
 *
 * Files are strangers' work: what they say is looked over first (call_frames_check.h), and a step
 * may read CALL_FRAMES_READS_MOST words, all those of one stack STACK_READS_MOST.
 *
 * Sources: the DWARF standard's chapter on call frame information, the Linux Standard Base on
 * .eh_frame and .eh_frame_hdr, libunwind's manual pages.
 */
#ifndef TICKFLAME_PROFILER_UNWIND_CALL_FRAMES_H
#define TICKFLAME_PROFILER_UNWIND_CALL_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/symbol/elf_file.h"
#include "profiler/unwind/stack_memory.h"

enum { CALL_FRAMES_READS_MOST = 20000, UNWIND_REGISTERS_MOST = 33 };

/* Registers of a frame, by their bit in the mask of a sample (architecture.h). */
struct unwind_registers {
    uint64_t values[UNWIND_REGISTERS_MOST];
    uint64_t known; /* bits of those that have a value */
};

struct call_frames;

/* The machine (EM_... of elf.h) whose files can be used: that of this build, or EM_NONE when it was
 * built without libunwind. */
uint32_t call_frames_machine(void);

/* NULL: the file has no table, or one of a form that is not read. `elf` stays open. */
struct call_frames *call_frames_open(const struct elf_file *elf);
void call_frames_close(struct call_frames *frames);

enum call_frames_outcome {
    CALL_FRAMES_CALLER, /* *registers are those of the caller */
    CALL_FRAMES_END,    /* the frame has no caller */
    CALL_FRAMES_NONE,   /* nothing is said about this address, or nothing that comes to an end */
    CALL_FRAMES_FAILED, /* the stack cannot be read, or what is said makes no sense */
};

/*
 * The step from a frame to its caller. `address` is that of the frame's instruction in the file; of
 * a return address the byte before it. *registers: the instruction pointer's value is not looked
 * at. Only those that calls preserve have a value afterwards.
 */
enum call_frames_outcome call_frames_step(struct call_frames *frames, uint64_t address,
                                          struct unwind_registers *registers,
                                          struct stack_memory *memory);

#endif
