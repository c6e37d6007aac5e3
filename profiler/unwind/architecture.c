// SPDX-License-Identifier: MIT
#include "profiler/unwind/architecture.h"

#include <elf.h>
#include <stddef.h>

static const struct architecture architectures[] = {
    {
        .name = "x86_64",
        .elf_machine = EM_X86_64,
        .instruction_pointer = 8,
        .stack_pointer = 7,
        .frame_pointer = 6,
        .link_register = NO_REGISTER,
        .general_registers = 0xff01ff, /* ax bx cx dx si di bp sp ip, r8 to r15 */
        .saved_frame_pointer = 0,
        .return_address = 8,
        .frame_alignment = 8,
        /* With five levels of page tables; most machines have four. */
        .user_highest = 0x00ffffffffffffff,
        .user_bits = UINT64_MAX,
        .code_alignment = 1,
    },
    {
        .name = "aarch64",
        .elf_machine = EM_AARCH64,
        .instruction_pointer = 32,
        .stack_pointer = 31,
        .frame_pointer = 29,
        .link_register = 30,
        .general_registers = 0x1ffffffff, /* x0 to x30, sp, pc */
        .saved_frame_pointer = 0,
        .return_address = 8,
        .frame_alignment = 16,
        /* Larger addresses are given only to programs that ask for them, which V8 does not. Above
         * stand the signature and the tag, with bit 55 between telling whose address it is. */
        .user_highest = 0x0000ffffffffffff,
        .user_bits = 0x0000ffffffffffff,
        .code_alignment = 4,
    },
};

enum { ARCHITECTURE_COUNT = sizeof architectures / sizeof *architectures };

const struct architecture *architecture_of_machine(uint32_t elf_machine) {
    for (size_t i = 0; i < ARCHITECTURE_COUNT; i++)
        if (architectures[i].elf_machine == elf_machine)
            return &architectures[i];
    return NULL;
}

const struct architecture *architecture_of_name(struct text name) {
    for (size_t i = 0; i < ARCHITECTURE_COUNT; i++)
        if (text_equal(name, text_of(architectures[i].name)))
            return &architectures[i];
    return NULL;
}

uint64_t architecture_strip(const struct architecture *architecture, uint64_t address,
                            bool kernel) {
    return kernel ? address | ~architecture->user_bits : address & architecture->user_bits;
}

bool architecture_is_code(const struct architecture *architecture, uint64_t address) {
    return address != 0 && address <= architecture->user_highest &&
           address % architecture->code_alignment == 0;
}
