// SPDX-License-Identifier: MIT
/* Functions without frame pointers, for unwinder_test.c: built so whatever the other flags are. */
#include "tests/unit/unwinder_chain.h"

#if defined __x86_64__

/* Where the innermost function stops, for its registers to be looked at. */
static __attribute__((noinline)) void stop(struct chain *chain) {
    chain->returns[chain->count++] = (uint64_t)(uintptr_t)__builtin_return_address(0);
    __asm__ volatile("int3");
}

__attribute__((noinline)) void chain_inner(struct chain *chain) {
    chain->returns[chain->count++] = (uint64_t)(uintptr_t)__builtin_return_address(0);
    chain->stop(chain);
    __asm__ volatile("");
}

/* Uses the frame pointer's register for a number. */
__attribute__((noinline)) void chain_middle(struct chain *chain) {
    chain->returns[chain->count++] = (uint64_t)(uintptr_t)__builtin_return_address(0);
    __asm__ volatile("mov $0x12345, %%rbp" ::: "rbp");
    chain_inner(chain);
    __asm__ volatile("");
}

void chain_outer(struct chain *chain) {
    if (!chain->stop)
        chain->stop = stop;
    if (!chain->enter)
        chain->enter = chain_middle;
    chain->enter(chain);
    __asm__ volatile("");
}

/*
 * As OpenSSL's SHA-512: the stack pointer of the caller stands below the function's own, and once
 * more above.
 */
__asm__(".text\n"
        ".type chain_red_zone, @function\n"
        ".globl chain_red_zone\n"
        "chain_red_zone:\n"
        ".cfi_startproc\n"
        "mov %rsp, %rax\n"
        ".cfi_def_cfa_register %rax\n"
        "push %rbp\n"
        ".cfi_offset %rbp, -16\n"
        "sub $0x400, %rsp\n"
        "and $-64, %rsp\n"
        "mov %rax, 0x98(%rsp)\n"
        "mov %rax, -8(%rsp)\n"
        /* The address of the frame is 8 more than what stands at -8 from register 7. */
        ".cfi_escape 0x0f, 5, 0x77, 0x78, 0x06, 0x23, 8\n"
        "mov $0x777, %ebp\n"
        "int3\n"
        "mov -8(%rsp), %rsi\n"
        ".cfi_def_cfa %rsi, 8\n"
        "mov -8(%rsi), %rbp\n"
        ".cfi_restore %rbp\n"
        "mov %rsi, %rsp\n"
        ".cfi_def_cfa %rsp, 8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size chain_red_zone, . - chain_red_zone\n");

#endif
