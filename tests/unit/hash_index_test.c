// SPDX-License-Identifier: MIT
/* Tests of fold/base/hash_index.h: nothing is lost, whatever collides and however it grows. */
#include "fold/base/hash_index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* How often `row` is among the candidates for `hash`; *candidates counts all of them. */
static unsigned find(const struct hash_index *index, uint64_t hash, uint32_t row,
                     unsigned *candidates) {
    struct hash_probe probe = hash_index_start(index, hash);
    unsigned found = 0;
    uint32_t candidate;
    *candidates = 0;
    while ((candidate = hash_index_next(index, &probe)) != 0) {
        found += candidate == row;
        ++*candidates;
    }
    return found;
}

static void test_empty(void **state) {
    (void)state;
    struct hash_index index = {0};
    unsigned candidates;
    assert_int_equal(find(&index, 0, 1, &candidates), 0);
    assert_int_equal(find(&index, UINT64_MAX, 1, &candidates), 0);
    hash_index_free(&index);
    hash_index_insert(&index, 0, 1); /* a hash of 0 is as good as any */
    assert_int_equal(find(&index, 0, 1, &candidates), 1);
    assert_int_equal(candidates, 1);
    hash_index_free(&index);
    assert_null(index.slots);
    assert_int_equal(index.size + index.capacity, 0);
}

/* Rows of one tag: the low half of the hash does not tell them apart, the caller must. */
static void test_equal_tags(void **state) {
    (void)state;
    struct hash_index index = {0};
    enum { ROWS = 1000 };
    const uint64_t hash = 0xABCDEF0100000000u;
    unsigned candidates;
    for (uint32_t row = 1; row <= ROWS; row++)
        hash_index_insert(&index, hash | row, row);
    assert_int_equal(index.size, ROWS);
    for (uint32_t row = 1; row <= ROWS; row++) {
        assert_int_equal(find(&index, hash, row, &candidates), 1);
        assert_int_equal(candidates, ROWS);
    }
    /* Other tags, whose places lie in the run of these or beyond it. */
    for (uint64_t tag = 0; tag < 5000; tag++) {
        find(&index, tag << 32, 1, &candidates);
        assert_int_equal(candidates, 0);
    }
    hash_index_free(&index);
}

/* Few tags with many rows each, among many tags with one row. */
static void test_growth(void **state) {
    (void)state;
    struct hash_index index = {0};
    enum { ROWS = 20000, CROWDED = 7 };
    unsigned candidates;
    for (uint32_t row = 1; row <= ROWS; row++) {
        size_t before = index.capacity;
        uint64_t hash = row % 10 == 0 ? (uint64_t)(row / 10 % CROWDED) << 32 : hash_number(row);
        hash_index_insert(&index, hash, row);
        assert_int_equal(index.size, row);
        /* A power of two with free slots, without which a search would not end. */
        assert_true(index.capacity > index.size);
        assert_int_equal(index.capacity & (index.capacity - 1), 0);
        if (index.capacity == before && row % 1000 != 0)
            continue;
        for (uint32_t old = 1; old <= row; old += row / 50 + 1) {
            hash = old % 10 == 0 ? (uint64_t)(old / 10 % CROWDED) << 32 : hash_number(old);
            assert_int_equal(find(&index, hash, old, &candidates), 1);
        }
    }
    unsigned crowded = 0;
    for (uint64_t tag = 0; tag < CROWDED; tag++) {
        find(&index, tag << 32, 0, &candidates);
        crowded += candidates;
    }
    assert_int_equal(crowded, ROWS / 10);
    hash_index_free(&index);
}

/* Equal bytes give equal hashes wherever they lie; one changed bit gives another. */
static void test_hash_of_bytes(void **state) {
    (void)state;
    static const unsigned char bytes[] = "0123456789abcdefghijklmnopqrstuvwxyz.,-";
    unsigned char room[64];
    for (size_t size = 0; size < sizeof bytes; size++) {
        uint64_t hash = hash_bytes(bytes, size);
        for (size_t shift = 0; shift < 9; shift++) {
            memset(room, (int)shift, sizeof room);
            memcpy(room + shift, bytes, size);
            assert_true(hash_bytes(room + shift, size) == hash);
        }
        memcpy(room, bytes, size);
        for (size_t bit = 0; bit < size * 8; bit++) {
            room[bit / 8] ^= (unsigned char)(1 << bit % 8);
            assert_true(hash_bytes(room, size) != hash);
            room[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
    }
    /* A zero byte at the end is a byte. */
    assert_true(hash_bytes("a", 1) != hash_bytes("a\0", 2));
    assert_true(hash_bytes("", 0) != hash_bytes("\0", 1));
    /* In memory of its own size, so that the sanitizer sees a look beyond it. */
    char *exact = malloc(13);
    assert_non_null(exact);
    memcpy(exact, "0123456789abc", 13);
    assert_true(hash_bytes(exact, 13) == hash_bytes(bytes, 13));
    free(exact);
}

/* The high halves, which the index uses, of 2^16 numbers in a row and of as many pairs: about
 * 2^32 / 2^33 of them collide by chance. */
static int compare_numbers(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static unsigned count_collisions(uint32_t *tags, size_t count) {
    qsort(tags, count, sizeof *tags, compare_numbers);
    unsigned collisions = 0;
    for (size_t i = 1; i < count; i++)
        collisions += tags[i] == tags[i - 1];
    return collisions;
}

static void test_hash_is_mixed(void **state) {
    (void)state;
    enum { COUNT = 1 << 16 };
    static uint32_t tags[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        tags[i] = (uint32_t)(hash_number(i) >> 32);
    assert_true(count_collisions(tags, COUNT) < 10);
    for (uint32_t i = 0; i < COUNT; i++)
        tags[i] = (uint32_t)(hash_number((uint64_t)i << 44) >> 32);
    assert_true(count_collisions(tags, COUNT) < 10);
    for (uint32_t i = 0; i < COUNT; i++)
        tags[i] = (uint32_t)(hash_pair(i >> 8, i & 0xFF) >> 32);
    assert_true(count_collisions(tags, COUNT) < 10);
    for (uint32_t i = 0; i < COUNT; i++)
        tags[i] = (uint32_t)(hash_bytes(&(uint32_t){i}, 4) >> 32);
    assert_true(count_collisions(tags, COUNT) < 10);
    assert_true(hash_pair(1, 2) != hash_pair(2, 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),         cmocka_unit_test(test_equal_tags),
        cmocka_unit_test(test_growth),        cmocka_unit_test(test_hash_of_bytes),
        cmocka_unit_test(test_hash_is_mixed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
