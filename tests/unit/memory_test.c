// SPDX-License-Identifier: MIT
/* Tests of fold/base/memory.h: sizes that cannot wrap, growth, arenas, and the end of memory. */
#include "fold/base/memory.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/sanitized.h"

static void test_sizes(void **state) {
    (void)state;
    assert_int_equal(size_add(3, 4), 7);
    assert_true(size_add(SIZE_MAX, 0) == SIZE_MAX);
    assert_true(size_add(SIZE_MAX - 1, 2) == SIZE_MAX);
    assert_true(size_add(SIZE_MAX, SIZE_MAX) == SIZE_MAX);
    assert_int_equal(size_multiply(6, 7), 42);
    assert_int_equal(size_multiply(SIZE_MAX, 0), 0);
    assert_true(size_multiply(SIZE_MAX / 2, 2) == SIZE_MAX - 1);
    assert_true(size_multiply(SIZE_MAX / 2 + 1, 2) == SIZE_MAX);
    assert_true(size_multiply((size_t)1 << 32, (size_t)1 << 32) == SIZE_MAX);
}

static void test_blocks(void **state) {
    (void)state;
    void *none = memory_allocate(0);
    void *no_items = memory_allocate_zero(0, 8);
    assert_non_null(none);
    assert_non_null(no_items);
    unsigned char *zero = memory_allocate_zero(1000, 3);
    for (size_t i = 0; i < 3000; i++)
        assert_int_equal(zero[i], 0);
    free(none);
    free(no_items);
    free(zero);
}

static void test_growth(void **state) {
    (void)state;
    uint32_t *items = NULL;
    size_t capacity = 0;
    unsigned moves = 0;
    for (uint32_t i = 0; i < 1000000; i++) {
        size_t before = capacity;
        MEMORY_RESERVE(items, capacity, (size_t)i + 1);
        assert_true(capacity > i);
        if (capacity != before) {
            moves++;
            assert_true(capacity >= before + before / 2);
        }
        items[i] = i * 3;
    }
    /* log(1,000,000 / 16) / log(1.5) = 27.2 */
    assert_in_range(moves, 20, 29);
    for (uint32_t i = 0; i < 1000000; i++)
        if (items[i] != i * 3)
            fail_msg("item %u was lost", i);
    items = memory_grow(items, &capacity, 5000000, sizeof *items);
    assert_true(capacity >= 5000000);
    assert_int_equal(items[999999], 2999997);
    free(items);
}

/* Blocks of many sizes: aligned, apart from each other, and unchanged till the end. */
static void test_arena(void **state) {
    (void)state;
    struct arena arena = {0};
    enum { COUNT = 3000 };
    static unsigned char *blocks[COUNT];
    size_t asked = 0;
    for (size_t i = 0; i < COUNT; i++) {
        size_t size = i % 100 == 99 ? 100000 : i % 131;
        if (i % 3 == 0) {
            static char text[100001];
            memset(text, (int)(i & 0x7F), size);
            blocks[i] = (unsigned char *)arena_copy_text(&arena, text, size);
            assert_int_equal(blocks[i][size], 0);
        } else {
            blocks[i] = arena_allocate(&arena, size);
            assert_int_equal((uintptr_t)blocks[i] % alignof(max_align_t), 0);
            memset(blocks[i], (int)(i & 0x7F), size);
        }
        asked += size;
        assert_true(arena.total >= asked);
    }
    assert_true(arena.total < 2 * asked);
    for (size_t i = 0; i < COUNT; i++) {
        size_t size = i % 100 == 99 ? 100000 : i % 131;
        for (size_t k = 0; k < size; k++)
            if (blocks[i][k] != (i & 0x7F))
                fail_msg("byte %zu of block %zu was overwritten", k, i);
    }
    arena_free(&arena);
    assert_null(arena.blocks);
    assert_int_equal(arena.used + arena.total, 0);
    arena_free(&arena);
    assert_string_equal(arena_copy_text(&arena, "again", 5), "again");
    assert_string_equal(arena_copy_text(&arena, NULL, 0), "");
    arena_free(&arena);
}

/* Blocks are filled to their last byte and not beyond. */
static void test_arena_is_filled(void **state) {
    (void)state;
    struct arena arena = {0};
    size_t held = 0;
    for (size_t i = 0; i < 300000; i++) {
        (void)arena_copy_text(&arena, "", 0);
        if (arena.total > held) {
            assert_int_equal(held, i); /* one byte each, so far */
            held = arena.total;
        }
        assert_true(arena.used <= held);
    }
    arena_free(&arena);
}

/* Larger than the largest ordinary block, which may not swallow the room of the others. */
static void test_arena_large(void **state) {
    (void)state;
    struct arena arena = {0};
    enum { LARGE = 10 * 1024 * 1024 };
    unsigned char *large = arena_allocate(&arena, LARGE);
    memset(large, 1, LARGE);
    unsigned char *small = arena_allocate(&arena, 100);
    memset(small, 2, 100);
    assert_int_equal(large[LARGE - 1], 1);
    assert_true(arena.total < LARGE + 5 * 1024 * 1024);
    /* However much there is, little of it stands idle. */
    size_t asked = LARGE;
    for (int i = 0; i < 64; i++) {
        (void)arena_allocate(&arena, 1024 * 1024);
        asked += 1024 * 1024;
        assert_true(arena.total - asked < 7 * 1024 * 1024);
    }
    arena_free(&arena);
}

/* The program ends with status 3 and one sentence, and returns nothing that is NULL. */
static void assert_exhausted(void (*allocate)(void)) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        struct rlimit limit = {512 * 1024 * 1024, 512 * 1024 * 1024};
        setrlimit(RLIMIT_AS, &limit);
        allocate();
        _exit(0);
    }
    close(ends[1]);
    char message[200] = "";
    size_t size = 0;
    ssize_t got;
    while ((got = read(ends[0], message + size, sizeof message - 1 - size)) > 0)
        size += (size_t)got;
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 3);
    assert_string_equal(message, "tickflame: error: out of memory\n");
}

/* Hidden from the compiler, which would object to the size. */
static volatile size_t too_much = SIZE_MAX / 2;

static void allocate_too_much(void) {
    free(memory_allocate(too_much));
}

static void allocate_too_many(void) {
    free(memory_allocate_zero(too_much, too_much));
}

static void grow_too_much(void) {
    size_t capacity = 0;
    free(memory_grow(NULL, &capacity, too_much, 16));
}

static void fill_arena(void) {
    struct arena arena = {0};
    for (int i = 0; i < 100; i++)
        (void)arena_allocate(&arena, 16 * 1024 * 1024);
    arena_free(&arena);
}

static void overflow_arena(void) {
    struct arena arena = {0};
    (void)arena_allocate(&arena, 1);
    (void)arena_allocate(&arena, too_much * 2 + 1);
    arena_free(&arena);
}

static void test_exhausted(void **state) {
    (void)state;
    if (IS_SANITIZED)
        skip(); /* the sanitizer ends the program in its own way */
    assert_exhausted(allocate_too_much);
    assert_exhausted(allocate_too_many);
    assert_exhausted(grow_too_much);
    assert_exhausted(fill_arena);
    assert_exhausted(overflow_arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),           cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_growth),          cmocka_unit_test(test_arena),
        cmocka_unit_test(test_arena_is_filled), cmocka_unit_test(test_arena_large),
        cmocka_unit_test(test_exhausted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
