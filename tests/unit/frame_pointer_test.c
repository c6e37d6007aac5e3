// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <elf.h>

#include "profiler/unwind/frame_pointer.h"

enum { BASE = 0x8000, LIMIT = 16 };

static struct unwind_end walk(uint32_t machine, uint64_t frame, uint64_t link,
                              const uint64_t *stack, size_t size, uint64_t *addresses) {
    struct unwind_start start = {.instruction_pointer = 0x401000,
                                 .stack_pointer = BASE,
                                 .frame_pointer = frame,
                                 .link_register = link,
                                 .stack = {(const char *)stack, size * sizeof *stack}};
    return frame_pointer_walk(architecture_of_machine(machine), &start, addresses, LIMIT);
}

static void test_frames(void **state) {
    (void)state;
    uint64_t found[LIMIT];
    const uint64_t stack[] = {BASE + 0x20, 0x402000, 1, 2, 0, 0x403000};
    struct unwind_end end = walk(EM_X86_64, BASE, 0, stack, 6, found);
    assert_int_equal(end.count, 3);
    assert_int_equal(found[0], 0x401000);
    assert_int_equal(found[1], 0x402000);
    assert_int_equal(found[2], 0x403000);
    assert_false(end.truncated);
}

static void test_ends(void **state) {
    (void)state;
    uint64_t found[LIMIT];
    const uint64_t outside[] = {BASE + 0x1000, 0x402000};
    assert_true(walk(EM_X86_64, BASE, 0, outside, 2, found).truncated);
    const uint64_t loop[] = {BASE, 0x402000};
    struct unwind_end end = walk(EM_X86_64, BASE, 0, loop, 2, found);
    assert_int_equal(end.count, 2);
    assert_false(end.truncated);
    const uint64_t text[] = {0x2030662030383935, 0x402000};
    assert_false(walk(EM_X86_64, BASE, 0, text, 2, found).truncated);
    const uint64_t nobody[] = {BASE + 0x10, 0, 0, 0x402000};
    assert_int_equal(walk(EM_X86_64, BASE, 0, nobody, 4, found).count, 1);
    /* Frames that are not wholly inside, or crooked. */
    assert_int_equal(walk(EM_X86_64, BASE + 8, 0, loop, 2, found).count, 1);
    assert_int_equal(walk(EM_X86_64, BASE + 4, 0, nobody, 4, found).count, 1);
    assert_int_equal(walk(EM_X86_64, BASE - 8, 0, loop, 2, found).count, 1);
    assert_int_equal(walk(EM_X86_64, UINT64_MAX - 7, 0, loop, 2, found).count, 1);
    assert_int_equal(walk(EM_X86_64, BASE, 0, loop, 1, found).count, 1);
    assert_int_equal(walk(EM_X86_64, BASE, 0, loop, 0, found).count, 1);
}

static void test_limit(void **state) {
    (void)state;
    uint64_t found[LIMIT];
    uint64_t stack[80];
    for (size_t i = 0; i < 80; i += 2) {
        stack[i] = BASE + 8 * (i + 2);
        stack[i + 1] = 0x402000;
    }
    struct unwind_end end = walk(EM_X86_64, BASE, 0, stack, 80, found);
    assert_int_equal(end.count, LIMIT);
    assert_true(end.truncated);
}

static void test_arm64(void **state) {
    (void)state;
    uint64_t found[LIMIT];
    /* Return addresses are signed, and frames aligned to 16. */
    const uint64_t stack[] = {BASE + 0x10, 0x2a00000000402000, 0, 0x11f0000000403000};
    struct unwind_end end = walk(EM_AARCH64, BASE, 0, stack, 4, found);
    assert_int_equal(end.count, 3);
    assert_int_equal(found[1], 0x402000);
    assert_int_equal(found[2], 0x403000);
    assert_int_equal(walk(EM_AARCH64, BASE + 8, 0, stack, 4, found).count, 1);
    /* Without a frame the link register names the caller. */
    end = walk(EM_AARCH64, 0, 0x3b00000000404000, stack, 4, found);
    assert_int_equal(end.count, 2);
    assert_int_equal(found[1], 0x404000);
    assert_int_equal(walk(EM_AARCH64, 0, 0x404002, stack, 4, found).count, 1);
}

static void test_table(void **state) {
    (void)state;
    const struct architecture *x86 = architecture_of_name(TEXT("x86_64"));
    const struct architecture *arm = architecture_of_name(TEXT("aarch64"));
    assert_ptr_equal(x86, architecture_of_machine(EM_X86_64));
    assert_ptr_equal(arm, architecture_of_machine(EM_AARCH64));
    assert_null(architecture_of_name(TEXT("s390x")));
    assert_null(architecture_of_machine(0));
    assert_true(architecture_strip(x86, 0xffffffff81000000, true) == 0xffffffff81000000);
    assert_true(architecture_strip(arm, 0xab12800012345678, true) == 0xffff800012345678);
    assert_false(architecture_is_code(x86, 0xffffffff81000000));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames), cmocka_unit_test(test_ends),  cmocka_unit_test(test_limit),
        cmocka_unit_test(test_arm64),  cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
