// SPDX-License-Identifier: MIT
/* Stacks of sleeping threads: searched in memory made by hand, and read from a living process. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <elf.h>

#include "profiler/live/sleeping_stack.h"

enum { BASE = 0x10000, CODE = 0x400000, SLOTS = 64 };

/* Code lies in one place; call[i] is the function that the instruction before CODE + i calls. */
struct process {
    uint64_t called[256];
    size_t questions;
};

static bool is_code(void *context, uint64_t address) {
    (void)context;
    return address >= CODE && address < CODE + 0x1000000;
}

static uint64_t called(void *context, uint64_t address) {
    struct process *process = context;
    process->questions++;
    return address - CODE < 256 ? process->called[address - CODE] : 0;
}

static bool scan(struct process *process, const void *memory, size_t size,
                 struct sleeping_stack *stack) {
    struct sleeping_code code = {process, is_code, called};
    return sleeping_stack_scan(architecture_of_machine(EM_X86_64), &code, CODE + 1, BASE,
                               (struct text){memory, size}, stack);
}

static void put_record(uint64_t *memory, size_t slot, size_t next, uint64_t address) {
    memory[slot] = next ? BASE + next * 8 : 0;
    memory[slot + 1] = address;
}

static void expect(const struct sleeping_stack *stack, size_t count, const uint64_t *addresses) {
    assert_int_equal(stack->count, count + 1);
    assert_int_equal(stack->addresses[0], CODE + 1);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(stack->addresses[i + 1], addresses[i]);
}

/* The C library's function returns into one at CODE + 0x1000, which another calls; dead records lie
 * in its locals. */
static void call_and_record_fit(void **state) {
    (void)state;
    struct process process = {.called = {[0x22] = CODE + 0x1000, [0x33] = CODE + 0x5000}};
    struct sleeping_stack stack;
    uint64_t memory[SLOTS] = {[2] = CODE + 0x1010};
    put_record(memory, 8, 12, CODE + 0x44);  /* dead */
    put_record(memory, 12, 40, CODE + 0x33); /* dead: a call of something else */
    put_record(memory, 20, 30, CODE + 0x22); /* the record */
    put_record(memory, 30, 40, CODE + 0x55);
    put_record(memory, 40, 50, CODE + 0x66);
    put_record(memory, 50, 0, CODE + 0x77); /* the outermost */
    assert_true(scan(&process, memory, sizeof memory, &stack));
    assert_false(stack.uncertain);
    expect(&stack, 5,
           (uint64_t[]){CODE + 0x1010, CODE + 0x22, CODE + 0x55, CODE + 0x66, CODE + 0x77});
    /* A value between is code, but nobody calls it. */
    memory[1] = CODE + 0x90000;
    assert_true(scan(&process, memory, sizeof memory, &stack));
    assert_int_equal(stack.addresses[1], CODE + 0x1010);
    /* The function that is called lies behind the address, or too far before it. */
    memory[1] = 0;
    process.called[0x22] = CODE + 0x1011;
    assert_true(scan(&process, memory, sizeof memory, &stack));
    assert_true(stack.uncertain);
    memory[2] = CODE + 0x200000;
    assert_true(scan(&process, memory, sizeof memory, &stack));
    assert_true(stack.uncertain);
}

/* Of two that fit, the function that begins nearer is the one with the address; of two calls of the
 * same function, the one whose chain fits further. */
static void best_fit(void **state) {
    (void)state;
    struct process process = {.called = {[0x22] = CODE + 0x1000, [0x33] = CODE + 0x800}};
    struct sleeping_stack stack;
    uint64_t memory[SLOTS] = {[2] = CODE + 0x1010};
    put_record(memory, 8, 30, CODE + 0x33); /* dead: a call of the function before it */
    put_record(memory, 20, 30, CODE + 0x22);
    put_record(memory, 30, 40, CODE + 0x55);
    put_record(memory, 40, 50, CODE + 0x66);
    put_record(memory, 50, 0, CODE + 0x77);
    assert_true(scan(&process, memory, sizeof memory, &stack));
    assert_false(stack.uncertain);
    const uint64_t right[] = {CODE + 0x1010, CODE + 0x22, CODE + 0x55, CODE + 0x66, CODE + 0x77};
    expect(&stack, 5, right);
    /* The same call in a dead part: it leads through a record that was written again since. */
    put_record(memory, 5, 8, CODE + 0x22);
    assert_true(scan(&process, memory, sizeof memory, &stack));
    expect(&stack, 5, right);
    /* The same in a call within a call: the innermost. */
    process.called[0x33] = 0;
    assert_true(scan(&process, memory, sizeof memory, &stack));
    expect(&stack, 6,
           (uint64_t[]){CODE + 0x1010, CODE + 0x22, CODE + 0x33, CODE + 0x55, CODE + 0x66,
                        CODE + 0x77});
}

/* Nothing fits together: the first chain. */
static void first_chain(void **state) {
    (void)state;
    struct process process = {0};
    struct sleeping_stack stack;
    uint64_t memory[SLOTS] = {[2] = CODE + 0x1010};
    put_record(memory, 4, 10, CODE + 0x9); /* too short */
    put_record(memory, 10, 12, CODE + 0x9);
    put_record(memory, 15, 30, CODE + 0x10);
    put_record(memory, 30, 40, CODE + 0x20);
    put_record(memory, 40, 50, CODE + 0x30);
    put_record(memory, 50, 60, CODE + 0x40);
    put_record(memory, 20, 40, CODE + 0x50);
    assert_true(scan(&process, memory, sizeof memory, &stack));
    assert_true(stack.uncertain);
    expect(&stack, 4, (uint64_t[]){CODE + 0x10, CODE + 0x20, CODE + 0x30, CODE + 0x40});
}

static void hostile_memory(void **state) {
    (void)state;
    struct process process = {0};
    struct sleeping_stack stack;
    uint64_t memory[SLOTS] = {0};
    assert_false(scan(&process, memory, 0, &stack));
    assert_false(scan(&process, memory, 7, &stack));
    assert_false(scan(&process, memory, sizeof memory, &stack));
    /* Cycles, records that point at themselves and down. */
    put_record(memory, 4, 4, CODE + 1);
    put_record(memory, 10, 6, CODE + 1);
    put_record(memory, 6, 10, CODE + 1);
    assert_false(scan(&process, memory, sizeof memory, &stack));
    /* Two records are not enough; three are; one of them crooked. */
    put_record(memory, 20, 30, CODE + 2);
    put_record(memory, 30, 40, CODE + 3);
    assert_false(scan(&process, memory, sizeof memory, &stack));
    put_record(memory, 40, 50, CODE + 4);
    assert_true(scan(&process, memory, sizeof memory, &stack));
    memory[30] += 4;
    assert_false(scan(&process, memory, sizeof memory, &stack));
    /* No code. */
    memory[30] -= 4;
    memory[31] = 77;
    assert_false(scan(&process, memory, sizeof memory, &stack));
    /* Beyond the end of what was read is an end, as far as a stack can go. */
    put_record(memory, 30, 40, CODE + 3);
    memory[40] = BASE + 0x100000;
    assert_true(scan(&process, memory, sizeof memory, &stack));
    memory[40] = UINT64_MAX - 7;
    assert_false(scan(&process, memory, sizeof memory, &stack));
    /* Cut anywhere. */
    put_record(memory, 40, 50, CODE + 4);
    for (size_t size = 0; size <= sizeof memory; size++)
        assert_int_equal(scan(&process, memory, size, &stack), size >= 42 * 8);
    /* Every number alike; and one long chain, whose every slot is a record. */
    for (size_t i = 0; i < SLOTS; i++)
        memory[i] = CODE + 8;
    assert_false(scan(&process, memory, sizeof memory, &stack));
    uint64_t *large = malloc(SLEEPING_STACK_BYTES_MOST + 64);
    assert_non_null(large);
    size_t count = SLEEPING_STACK_BYTES_MOST / 8 + 8;
    for (size_t i = 0; i + 1 < count; i += 2)
        put_record(large, i, i + 2, CODE + 0x80);
    process.questions = 0;
    assert_true(scan(&process, large, count * 8, &stack));
    assert_int_equal(stack.count, SLEEPING_STACK_MOST);
    assert_true(process.questions <= 4096);
    free(large);
}

static void lines(void **state) {
    (void)state;
    int64_t call;
    uint64_t stack, instruction;
    assert_true(sleeping_stack_parse(TEXT("232 0xb 0x7ffc1 0x400 0x0 0x0 0x8 0x7ffc10 0x7f12ab\n"),
                                     &call, &stack, &instruction));
    assert_true(call == 232 && stack == 0x7ffc10 && instruction == 0x7f12ab);
    assert_true(sleeping_stack_parse(TEXT("-1 0x7ffc10 0x7f12ab\n"), &call, &stack, &instruction));
    assert_true(call == -1 && stack == 0x7ffc10 && instruction == 0x7f12ab);
    static const char *const wrong[] = {
        "",
        "running\n",
        "-1\n",
        "-1 0x5\n",
        "-2 0x1 0x2\n",
        "1 0x1\n",
        "1 2 3 4 5 6 7 8\n",
        "99999999999 0 0 0 0 0 0 1 1\n",
        "7 0 0 0 0 0 0 x y\n",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(sleeping_stack_parse(text_of(wrong[i]), &call, &stack, &instruction));
}

static bool any_code(void *context, uint64_t address) {
    (void)context;
    return address > 0xffff;
}

/* Threads that run, that do not exist; one that sleeps may have a chain or not. */
static void threads(void **state) {
    (void)state;
    struct sleeping_stack stack;
    assert_false(sleeping_stack_read(getpid(), 0, any_code, NULL, &stack));
    volatile bool spins = true;
    pid_t child = fork();
    assert_true(child >= 0);
    while (child == 0 && spins) {
    }
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    assert_false(sleeping_stack_read(child, child, any_code, NULL, &stack));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        pause();
        _exit(0);
    }
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    sleeping_stack_read(child, child, any_code, NULL, &stack);
    assert_true(stack.count <= SLEEPING_STACK_MOST);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_false(sleeping_stack_read(child, child, any_code, NULL, &stack));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(call_and_record_fit),
        cmocka_unit_test(best_fit),
        cmocka_unit_test(first_chain),
        cmocka_unit_test(hostile_memory),
        cmocka_unit_test(lines),
        cmocka_unit_test(threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
