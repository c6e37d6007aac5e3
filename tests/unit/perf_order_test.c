// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fold/base/memory.h"
#include "profiler/trace/perf_order.h"

/* What was delivered: the tags in order. */
struct delivered {
    uint32_t *tags;
    size_t count, capacity;
    uint64_t bytes;
};

static void deliver(void *context, struct text bytes, uint32_t tag) {
    struct delivered *delivered = context;
    MEMORY_RESERVE(delivered->tags, delivered->capacity, delivered->count + 1);
    delivered->tags[delivered->count++] = tag;
    delivered->bytes += bytes.size;
    /* The bytes are still those that were added. */
    for (size_t i = 0; i < bytes.size; i++)
        assert_int_equal(bytes.data[i], (char)(tag % 127));
}

static void add_sized(struct perf_order *order, uint64_t time, uint32_t tag, size_t size) {
    char *bytes = malloc(size ? size : 1);
    memset(bytes, (int)(tag % 127), size);
    perf_order_add(order, time, (struct text){bytes, size}, tag);
    free(bytes);
}

static void add(struct perf_order *order, uint64_t time, uint32_t tag) {
    add_sized(order, time, tag, 8);
}

static void check_tags(struct delivered *delivered, const uint32_t *tags, size_t count) {
    assert_int_equal(delivered->count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(delivered->tags[i], tags[i]);
    delivered->count = 0;
}
#define CHECK_TAGS(delivered, ...)                                                                 \
    do {                                                                                           \
        const uint32_t wanted[] = {__VA_ARGS__};                                                   \
        check_tags(delivered, wanted, sizeof wanted / sizeof *wanted);                             \
    } while (0)

static void test_rounds(void **state) {
    (void)state;
    struct delivered delivered = {0};
    struct perf_order *order = perf_order_open(deliver, &delivered);
    add(order, 10, 1);
    add(order, 30, 2);
    add(order, 20, 3);
    perf_order_round(order); /* nothing is known to be complete yet */
    assert_int_equal(delivered.count, 0);
    assert_int_equal(perf_order_waiting(order), 24);
    add(order, 50, 4);
    add(order, 25, 5);
    add(order, 30, 6);
    perf_order_round(order); /* all up to 30 */
    CHECK_TAGS(&delivered, 1, 3, 5, 2, 6);
    assert_int_equal(perf_order_waiting(order), 8);
    add(order, 40, 7);
    add(order, 60, 8);
    perf_order_round(order); /* all up to 50 */
    CHECK_TAGS(&delivered, 7, 4);
    perf_order_round(order);
    CHECK_TAGS(&delivered, 8);
    perf_order_finish(order);
    assert_int_equal(delivered.count, 0);
    perf_order_close(order);
    free(delivered.tags);
}

static void test_without_rounds(void **state) {
    (void)state;
    struct delivered delivered = {0};
    struct perf_order *order = perf_order_open(deliver, &delivered);
    add(order, 5, 1);
    add(order, 4, 2);
    add(order, 3, 3);
    add(order, 4, 4);
    add(order, 3, 5);
    perf_order_finish(order);
    CHECK_TAGS(&delivered, 3, 5, 2, 4, 1);
    perf_order_close(order);
    free(delivered.tags);
}

static void test_times_that_are_none(void **state) {
    (void)state;
    struct delivered delivered = {0};
    struct perf_order *order = perf_order_open(deliver, &delivered);
    add(order, 7, 1);
    add(order, 0, 2);
    add(order, UINT64_MAX, 3);
    CHECK_TAGS(&delivered, 2, 3);
    perf_order_finish(order);
    CHECK_TAGS(&delivered, 1);
    perf_order_close(order);
    free(delivered.tags);
}

/* Many records of all sizes in random order of time, with round marks or without: the result is
 * that of a stable sort. */
static void check_random(unsigned seed, size_t per_round) {
    enum { COUNT = 20000 };
    struct delivered delivered = {0};
    struct perf_order *order = perf_order_open(deliver, &delivered);
    uint64_t *times = calloc(COUNT, sizeof *times);
    uint64_t state = seed;
    uint64_t bytes = 0;
    for (size_t i = 0; i < COUNT; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint64_t round = per_round ? i / per_round : 0;
        times[i] = 1 + round * 1000 + (state >> 33) % 1000;
        size_t size = (state >> 50) % 900;
        if (i % 5000 == 77)
            size = 65535;
        add_sized(order, times[i], (uint32_t)i, size);
        bytes += size;
        if (per_round && i % per_round == per_round - 1)
            perf_order_round(order);
    }
    perf_order_finish(order);
    assert_int_equal(delivered.count, COUNT);
    assert_int_equal(delivered.bytes, bytes);
    assert_int_equal(perf_order_waiting(order), 0);
    for (size_t i = 1; i < COUNT; i++) {
        uint32_t one = delivered.tags[i - 1];
        uint32_t next = delivered.tags[i];
        assert_true(times[one] < times[next] || (times[one] == times[next] && one < next));
    }
    perf_order_close(order);
    free(times);
    free(delivered.tags);
}

static void test_random(void **state) {
    (void)state;
    check_random(1, 0);
    check_random(2, 1);
    check_random(3, 3);
    check_random(4, 1000);
    check_random(5, 20000);
}

/* Records of more than a block, and blocks used again. */
static void test_large_records(void **state) {
    (void)state;
    struct delivered delivered = {0};
    struct perf_order *order = perf_order_open(deliver, &delivered);
    for (uint32_t i = 0; i < 40; i++) {
        add_sized(order, 100 - i % 4 + i, i, i % 3 == 0 ? 300001 : 100000);
        if (i % 4 == 3)
            perf_order_round(order);
    }
    perf_order_finish(order);
    assert_int_equal(delivered.count, 40);
    perf_order_close(order);
    free(delivered.tags);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_without_rounds),
        cmocka_unit_test(test_times_that_are_none),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_large_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
