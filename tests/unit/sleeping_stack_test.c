// SPDX-License-Identifier: MIT
/* The search for the frames of a thread that sleeps, in memory made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/live/sleeping_stack.h"

/* A program at 0x1000 with room for 0x1000 bytes, a library at 0x8000, a stack at 0x100000. */
enum { PROGRAM = 0x1000, LIBRARY = 0x8000, SIZE = 0x1000, STACK = 0x100000, WORDS = 64 };
enum { SLOT = 0x1f00, STUB = 0x1e00, LIBRARY_FUNCTION = 0x8100 };

struct fake {
    unsigned char program[SIZE], library[SIZE];
    uint64_t stack[WORDS];
    size_t reads;
};

static uint32_t region(void *context, uint64_t address) {
    (void)context;
    return address >= PROGRAM && address < PROGRAM + SIZE   ? 7
           : address >= LIBRARY && address < LIBRARY + SIZE ? 8
                                                            : 0;
}

static bool read_bytes(void *context, uint64_t address, void *bytes, size_t size) {
    struct fake *fake = context;
    uint32_t found = region(NULL, address);
    uint64_t offset = address - (found == 7 ? PROGRAM : LIBRARY);
    fake->reads++;
    if (found == 0 || offset > SIZE - size)
        return false;
    memcpy(bytes, (found == 7 ? fake->program : fake->library) + offset, size);
    return true;
}

static void put(struct fake *fake, uint64_t address, const void *bytes, size_t size) {
    memcpy(fake->program + (address - PROGRAM), bytes, size);
}

/* A call of `target` that returns to `address`. */
static void put_call(struct fake *fake, uint64_t address, uint64_t target) {
    unsigned char code[5] = {0xe8};
    int32_t distance = (int32_t)(target - address);
    memcpy(code + 1, &distance, sizeof distance);
    put(fake, address - sizeof code, code, sizeof code);
}

/* Functions at 0x1100 (which sleeps in the library), 0x1200 and 0x1300 (which call each other), all
 * called directly. The library's function stands behind a stub. */
static void set_up(struct fake *fake) {
    *fake = (struct fake){0};
    uint64_t function = LIBRARY_FUNCTION;
    unsigned char stub[] = {0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0, 0, 0, 0};
    int32_t distance = SLOT - (STUB + (int)sizeof stub);
    memcpy(stub + 7, &distance, sizeof distance);
    put(fake, STUB, stub, sizeof stub);
    put(fake, SLOT, &function, sizeof function);
    put_call(fake, 0x1150, STUB);
    put_call(fake, 0x1250, 0x1100);
    put_call(fake, 0x1350, 0x1200);
    put_call(fake, 0x1450, 0x1300);
}

/* A record of a frame at a word of the stack. */
static void put_frame(struct fake *fake, size_t at, size_t next, uint64_t return_address) {
    fake->stack[at] = next ? STACK + 8 * next : 0;
    fake->stack[at + 1] = return_address;
}

/* The addresses that are found, without the first. */
static size_t search(struct fake *fake, uint64_t *addresses, size_t most) {
    struct sleeping_memory memory = {
        .instruction_pointer = LIBRARY_FUNCTION + 20,
        .stack_pointer = STACK,
        .stack = {(const char *)fake->stack, sizeof fake->stack},
        .region = region,
        .read = read_bytes,
        .context = fake,
    };
    uint64_t found[SLEEPING_STACK_MOST];
    size_t count = sleeping_stack_search(&memory, found, most + 1);
    if (count == 0)
        return 0;
    assert_true(found[0] == LIBRARY_FUNCTION + 20);
    memcpy(addresses, found + 1, (count - 1) * sizeof *found);
    return count - 1;
}

static void check(struct fake *fake) {
    uint64_t addresses[8];
    assert_int_equal(search(fake, addresses, 8), 4);
    assert_true(addresses[0] == 0x1150);
    assert_true(addresses[1] == 0x1250);
    assert_true(addresses[2] == 0x1350);
    assert_true(addresses[3] == LIBRARY + 0x500);
}

static void put_stack(struct fake *fake) {
    fake->stack[3] = 0x1150;
    put_frame(fake, 30, 40, 0x1250);
    put_frame(fake, 40, 50, 0x1350);
    put_frame(fake, 50, 0, LIBRARY + 0x500);
}

static void plain(void **state) {
    (void)state;
    struct fake fake;
    set_up(&fake);
    put_stack(&fake);
    check(&fake);
    /* The library's function kept the frame pointer below its return address. */
    fake.stack[2] = STACK + 8 * 30;
    check(&fake);
    /* The address of the library's function without a stub. */
    unsigned char call[] = {0xff, 0x15, 0, 0, 0, 0};
    int32_t distance = SLOT - 0x1150;
    memcpy(call + 2, &distance, sizeof distance);
    put(&fake, 0x1150 - sizeof call, call, sizeof call);
    check(&fake);
    /* As many as asked for. */
    uint64_t addresses[3];
    assert_int_equal(search(&fake, addresses, 3), 3);
    assert_int_equal(search(&fake, addresses, 1), 0);
}

/* What was left by calls that are over. */
static void left_over(void **state) {
    (void)state;
    struct fake fake;
    set_up(&fake);
    put_stack(&fake);
    /* A return address of no call into the library, in the library's frame. */
    fake.stack[1] = 0x1250;
    check(&fake);
    /* Records that lead on, of another function, to the end or not; and such as lead nowhere. */
    put_frame(&fake, 10, 40, 0x1350);
    put_frame(&fake, 12, 14, 0x1450);
    put_frame(&fake, 14, 16, 0x1450);
    put_frame(&fake, 16, 5, 0x1450);
    put_frame(&fake, 18, 18, 0x1250);
    put_frame(&fake, 20, WORDS - 1, 0x1250);
    check(&fake);
    /* One of a function that begins before the one that sleeps. */
    put_call(&fake, 0x1480, 0x1080);
    put_frame(&fake, 22, 40, 0x1480);
    check(&fake);
    /* One of the same function: the register that was saved decides. */
    put_frame(&fake, 24, 50, 0x1250);
    fake.stack[2] = STACK + 8 * 30;
    check(&fake);
}

static void not_found(void **state) {
    (void)state;
    struct fake fake;
    uint64_t addresses[8];
    set_up(&fake);
    assert_int_equal(search(&fake, addresses, 8), 0);
    /* The function that sleeps was called through a register. */
    put_stack(&fake);
    put(&fake, 0x1250 - 5, "\x90\x90\x90\xff\xd0", 5);
    assert_int_equal(search(&fake, addresses, 8), 0);
    /* Its frames end in the program itself, where none begins. */
    set_up(&fake);
    put_stack(&fake);
    put_frame(&fake, 50, 0, 0x1450);
    assert_int_equal(search(&fake, addresses, 8), 0);
    /* The library was not called from there. */
    set_up(&fake);
    put_stack(&fake);
    memset(fake.program + (STUB - PROGRAM), 0x90, 16);
    assert_int_equal(search(&fake, addresses, 8), 0);
    set_up(&fake);
    put_stack(&fake);
    memset(fake.program + (SLOT - PROGRAM), 0, 8);
    assert_int_equal(search(&fake, addresses, 8), 0);
}

/* Whatever stands in memory, it ends. */
static void anything(void **state) {
    (void)state;
    struct fake fake;
    uint64_t addresses[8];
    uint64_t seed = 1;
    for (int round = 0; round < 2000; round++) {
        set_up(&fake);
        put_stack(&fake);
        for (size_t i = 0; i < WORDS; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            if (seed >> 62 == 0)
                fake.stack[i] = STACK + (seed >> 33) % (8 * WORDS + 16);
            else if (seed >> 62 == 1)
                fake.stack[i] = PROGRAM + (seed >> 33) % SIZE;
        }
        fake.reads = 0;
        assert_in_range(search(&fake, addresses, 8), 0, 8);
        assert_in_range(fake.reads, 0, 10 * WORDS);
    }
}

/* A thread that runs, and none at all. */
static void awake(void **state) {
    (void)state;
    struct sleeping_stack stack;
    assert_false(sleeping_stack_read(getpid(), getpid(), region, NULL, &stack));
    assert_int_equal(stack.count, 0);
    assert_false(sleeping_stack_read(getpid(), 0, region, NULL, &stack));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),    cmocka_unit_test(left_over), cmocka_unit_test(not_found),
        cmocka_unit_test(anything), cmocka_unit_test(awake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
