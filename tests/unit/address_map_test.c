// SPDX-License-Identifier: MIT
/* The ordered map of addresses against a plain sorted array, and the cache against no cache. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/symbol/address_map.h"

/* The same in the plainest form: entries in the order of their keys. */
struct plain_map {
    struct address_entry entries[4096];
    size_t count;
};

static size_t plain_place(const struct plain_map *map, uint64_t start) {
    size_t at = 0;
    while (at < map->count && map->entries[at].start < start)
        at++;
    return at;
}

static bool plain_has(const struct plain_map *map, size_t at, uint64_t start) {
    return at < map->count && map->entries[at].start == start;
}

static bool plain_insert(struct plain_map *map, uint64_t start, uint32_t value) {
    size_t at = plain_place(map, start);
    if (plain_has(map, at, start))
        return false;
    memmove(map->entries + at + 1, map->entries + at, (map->count - at) * sizeof *map->entries);
    map->entries[at] = (struct address_entry){start, value};
    map->count++;
    return true;
}

static uint32_t plain_remove(struct plain_map *map, uint64_t start) {
    size_t at = plain_place(map, start);
    if (!plain_has(map, at, start))
        return 0;
    uint32_t value = map->entries[at].value;
    map->count--;
    memmove(map->entries + at, map->entries + at + 1, (map->count - at) * sizeof *map->entries);
    return value;
}

static void assert_same(const struct address_map *map, const struct plain_map *plain,
                        uint64_t address) {
    struct address_entry entry = {0, 0};
    size_t at = plain_place(plain, address);
    if (!plain_has(plain, at, address))
        at--; /* wraps round when there is none: then no key is below */
    bool found = address_map_floor(map, address, &entry);
    assert_int_equal(found, at < plain->count);
    if (found) {
        assert_true(entry.start == plain->entries[at].start);
        assert_int_equal(entry.value, plain->entries[at].value);
    }
    assert_int_equal(address_map_find(map, address),
                     found && entry.start == address ? entry.value : 0);
}

/* A step of a 64-bit linear congruential sequence (Knuth's MMIX constants). */
static uint64_t next_number(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 24;
}

/* Thousands of keys in a narrow and in a wide range, growing, then shrinking to nothing. */
static void random_changes(void **state) {
    (void)state;
    static struct plain_map plain;
    for (unsigned round = 0; round < 4; round++) {
        struct address_map map = {0};
        uint64_t numbers = round;
        uint64_t range = round % 2 ? 3000 : UINT64_MAX;
        plain.count = 0;
        for (uint32_t i = 1; i <= 20000; i++) {
            uint64_t key = round % 2 ? next_number(&numbers) % range
                                     : (next_number(&numbers) << 24) ^ next_number(&numbers);
            bool shrinking = i > 10000;
            if (round % 2 == 0 && plain.count && next_number(&numbers) % 2)
                key = plain.entries[next_number(&numbers) % plain.count].start;
            if (plain.count < 4000 && next_number(&numbers) % 10 < (shrinking ? 3 : 7))
                assert_int_equal(address_map_insert(&map, key, i), plain_insert(&plain, key, i));
            else
                assert_int_equal(address_map_remove(&map, key), plain_remove(&plain, key));
            assert_int_equal(map.count, plain.count);
            uint64_t asked = round % 2 ? next_number(&numbers) % range : key + (i % 3) - 1;
            assert_same(&map, &plain, asked);
            assert_same(&map, &plain, key);
        }
        while (plain.count) {
            uint64_t key = plain.entries[plain.count / 2].start;
            assert_int_equal(address_map_remove(&map, key), plain_remove(&plain, key));
        }
        assert_int_equal(map.count, 0);
        assert_same(&map, &plain, 5);
        address_map_free(&map);
    }
}

static void ends_of_the_address_space(void **state) {
    (void)state;
    struct address_map map = {0};
    struct address_entry entry;
    assert_false(address_map_floor(&map, UINT64_MAX, &entry));
    assert_true(address_map_insert(&map, 0, 1));
    assert_true(address_map_insert(&map, UINT64_MAX, 2));
    assert_false(address_map_insert(&map, 0, 3));
    assert_true(address_map_floor(&map, UINT64_MAX - 1, &entry));
    assert_int_equal(entry.value, 1);
    assert_true(address_map_floor(&map, UINT64_MAX, &entry));
    assert_int_equal(entry.value, 2);
    assert_int_equal(address_map_remove(&map, 0), 1);
    assert_false(address_map_floor(&map, 0, &entry));
    address_map_free(&map);
}

static void assert_answer(const struct address_cache *cache, uint64_t address, bool known,
                          uint32_t expected) {
    uint32_t answer = 12345;
    assert_int_equal(address_cache_find(cache, address, &answer), known);
    if (known)
        assert_int_equal(answer, expected);
}

static void answers_become_stale(void **state) {
    (void)state;
    struct address_cache cache = {0};
    address_cache_forget(&cache, 0, UINT64_MAX);
    assert_answer(&cache, 0x1000, false, 0);
    address_cache_put(&cache, 0x1000, 7);
    address_cache_put(&cache, 0, 0);
    address_cache_put(&cache, UINT64_MAX, 9);
    assert_answer(&cache, 0x1000, true, 7);
    assert_answer(&cache, 0, true, 0);
    assert_answer(&cache, UINT64_MAX, true, 9);
    address_cache_forget(&cache, 0x1000, 0x1001);
    assert_answer(&cache, 0x1000, false, 0);
    assert_answer(&cache, UINT64_MAX, true, 9);
    address_cache_put(&cache, 0x1000, 8);
    assert_answer(&cache, 0x1000, true, 8);
    address_cache_forget(&cache, 0x1000, 0x1000); /* an empty range is the place itself */
    assert_answer(&cache, 0x1000, false, 0);
    address_cache_put(&cache, 0x1000, 8);
    address_cache_forget(&cache, 0, UINT64_MAX);
    assert_answer(&cache, 0x1000, false, 0);
    address_cache_free(&cache);
}

/* No change may be missed: a forgotten address is never answered from before. */
static void nothing_stale_is_answered(void **state) {
    (void)state;
    static uint32_t truth[4096];
    struct address_cache cache = {0};
    uint64_t numbers = 1;
    memset(truth, 0, sizeof truth);
    for (uint32_t i = 1; i < 200000; i++) {
        size_t slot = next_number(&numbers) % 4096;
        uint64_t address = slot * 0x1234;
        uint32_t answer;
        if (next_number(&numbers) % 16 == 0) {
            size_t count = next_number(&numbers) % 64 + 1;
            for (size_t k = slot; k < slot + count && k < 4096; k++)
                truth[k] = i;
            address_cache_forget(&cache, address, address + (count - 1) * 0x1234 + 1);
        } else if (address_cache_find(&cache, address, &answer)) {
            assert_int_equal(answer, truth[slot]);
        } else {
            address_cache_put(&cache, address, truth[slot]);
        }
    }
    address_cache_free(&cache);
}

/* Random ranges against an array with a value for each address. */
static void ranges_that_overlap(void **state) {
    (void)state;
    enum { ADDRESSES = 600 };
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct address_map map = {0};
        uint32_t truth[ADDRESSES] = {0};
        uint64_t numbers = seed;
        for (uint32_t i = 1; i <= 300; i++) {
            size_t start = next_number(&numbers) % ADDRESSES;
            size_t end = start + next_number(&numbers) % 40;
            if (end > ADDRESSES)
                end = ADDRESSES;
            uint32_t value = next_number(&numbers) % 4 == 0 ? 0 : i;
            bool overlaps = false;
            for (size_t k = start; k < end; k++) {
                overlaps |= truth[k] != 0;
                truth[k] = value;
            }
            assert_int_equal(address_map_cover(&map, start, end, value), overlaps);
        }
        struct address_map copy = {0};
        address_map_copy(&copy, &map);
        assert_true(copy.count == map.count);
        address_map_free(&map);
        for (size_t k = 0; k < ADDRESSES; k++) {
            struct address_entry entry = {0};
            bool found = address_map_floor(&copy, k, &entry);
            assert_int_equal(found ? entry.value : 0, truth[k]);
        }
        address_map_free(&copy);
    }
    struct address_map map = {0};
    assert_false(address_map_cover(&map, 0, UINT64_MAX, 1));
    assert_true(address_map_cover(&map, 0x10, 0x20, 0));
    assert_false(address_map_cover(&map, 0x10, 0x20, 2));
    assert_true(address_map_cover(&map, UINT64_MAX - 1, UINT64_MAX, 3));
    assert_false(address_map_cover(&map, 5, 5, 4));
    assert_int_equal(address_map_find(&map, 0x10), 2);
    assert_int_equal(address_map_find(&map, 0x20), 1);
    assert_int_equal(address_map_find(&map, 5), 0);
    address_map_free(&map);
}

/* A copy takes the room of its keys, however many blocks removing has left almost empty: else
 * processes that fork could be made to copy a hundred times what a file says of them. */
static void copies_are_dense(void **state) {
    (void)state;
    enum { KEYS = 100000, KEPT = 100 };
    struct address_map map = {0};
    for (uint64_t i = 0; i < KEYS; i++)
        assert_true(address_map_insert(&map, i, 1));
    for (uint64_t i = 0; i < KEYS; i++) {
        if (i % KEPT != 0)
            assert_int_equal(address_map_remove(&map, i), 1);
    }
    assert_true(map.size > 500);
    struct address_map copy = {0};
    address_map_copy(&copy, &map);
    assert_int_equal(copy.count, KEYS / KEPT);
    assert_int_equal(copy.size, (KEYS / KEPT + 127) / 128);
    for (uint64_t i = 0; i < KEYS; i++)
        assert_int_equal(address_map_find(&copy, i), i % KEPT == 0);
    address_map_free(&copy);
    address_map_free(&map);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_that_overlap),       cmocka_unit_test(random_changes),
        cmocka_unit_test(ends_of_the_address_space), cmocka_unit_test(answers_become_stale),
        cmocka_unit_test(nothing_stale_is_answered), cmocka_unit_test(copies_are_dense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
