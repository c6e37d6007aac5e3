// SPDX-License-Identifier: MIT
/* Takes the place of call_frames.c in builds without libunwind: no file has a table. */
#include "profiler/unwind/call_frames.h"

#include <elf.h>
#include <stddef.h>

uint32_t call_frames_machine(void) {
    return EM_NONE;
}

struct call_frames *call_frames_open(const struct elf_file *elf) {
    (void)elf;
    return NULL;
}

void call_frames_close(struct call_frames *frames) {
    (void)frames;
}

enum call_frames_outcome call_frames_step(struct call_frames *frames, uint64_t address,
                                          struct unwind_registers *registers,
                                          struct stack_memory *memory) {
    (void)frames;
    (void)address;
    (void)registers;
    (void)memory;
    return CALL_FRAMES_NONE;
}
