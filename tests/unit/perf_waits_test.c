// SPDX-License-Identifier: MIT
/* Waits of threads: from moments of going out and coming in, whole, in parts, and with gaps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profiler/trace/perf_waits.h"

/* What was handed out. */
struct taken {
    struct perf_wait waits[16];
    size_t count, checked;
};

static void take(void *context, const struct perf_wait *wait) {
    struct taken *taken = context;
    assert_in_range(taken->count, 0, 15);
    assert_true(wait->begin < wait->end);
    taken->waits[taken->count++] = *wait;
}

enum { PREEMPTED = 1, GUESSED = 2 };

/* The next one is this. */
static void expect(struct taken *taken, uint32_t thread, uint32_t row, uint64_t begin, uint64_t end,
                   int marks) {
    assert_true(taken->checked < taken->count);
    const struct perf_wait *found = &taken->waits[taken->checked++];
    assert_int_equal(found->thread, thread);
    assert_int_equal(found->row, row);
    assert_int_equal(found->begin, begin);
    assert_int_equal(found->end, end);
    assert_int_equal(found->preempted, (marks & PREEMPTED) != 0);
    assert_int_equal(found->guessed, (marks & GUESSED) != 0);
}

static void expect_no_more(const struct taken *taken) {
    assert_int_equal(taken->checked, taken->count);
}

static void with_stacks(void **state) {
    (void)state;
    struct taken taken = {0};
    struct perf_waits *waits = perf_waits_open(take, &taken);
    perf_waits_sample(waits, 3, 7);
    perf_waits_leave(waits, 3, 8);
    perf_waits_out(waits, 3, 1000, false);
    perf_waits_leave(waits, 0, 9);
    perf_waits_out(waits, 0, 1100, true);
    perf_waits_in(waits, 0, 1200);
    expect(&taken, 0, 9, 1100, 1200, PREEMPTED);
    perf_waits_in(waits, 3, 5000);
    expect(&taken, 3, 8, 1000, 5000, 0);
    /* The stack is used once: without one of its own the next wait's is not known. */
    perf_waits_out(waits, 3, 5100, false);
    perf_waits_in(waits, 3, 5200);
    expect(&taken, 3, 0, 5100, 5200, GUESSED);
    expect_no_more(&taken);
    perf_waits_close(waits);
}

/* Stacks that are read from sleeping threads. */
static void read_from_sleepers(void **state) {
    (void)state;
    struct taken taken = {0};
    struct perf_waits *waits = perf_waits_open(take, &taken);
    perf_waits_sample(waits, 1, 6);
    perf_waits_out(waits, 1, 100, false);
    perf_waits_leave(waits, 2, 7);
    perf_waits_out(waits, 2, 100, false); /* its stack is known */
    perf_waits_out(waits, 3, 100, true);  /* this one does not sleep */
    perf_waits_out(waits, 4, 195, false);
    assert_int_equal(perf_waits_next_guess(waits, NO_THREAD, 50, 0), NO_THREAD);
    assert_int_equal(perf_waits_next_guess(waits, NO_THREAD, 199, 100), NO_THREAD);
    assert_int_equal(perf_waits_next_guess(waits, NO_THREAD, 200, 100), 1);
    assert_int_equal(perf_waits_next_guess(waits, 1, 200, 100), NO_THREAD);
    /* Once for each wait. */
    assert_int_equal(perf_waits_next_guess(waits, NO_THREAD, 210, 0), 4);
    assert_int_equal(perf_waits_next_guess(waits, 4, 210, 0), NO_THREAD);
    perf_waits_found(waits, 1, 205, 11);
    perf_waits_in(waits, 1, 300);
    expect(&taken, 1, 11, 100, 300, 0);
    perf_waits_found(waits, 1, 310, 12); /* too late */
    perf_waits_out(waits, 1, 400, false);
    perf_waits_in(waits, 1, 500);
    expect(&taken, 1, 0, 400, 500, GUESSED);
    /* What was seen after the end of the wait was of another one. */
    perf_waits_out(waits, 1, 510, false);
    perf_waits_found(waits, 1, 560, 13);
    perf_waits_in(waits, 1, 550);
    expect(&taken, 1, 0, 510, 550, GUESSED);
    /* It goes for all parts. */
    for (uint32_t other = 2; other <= 4; other++)
        perf_waits_sample(waits, other, 0);
    perf_waits_out(waits, 1, 560, false);
    perf_waits_found(waits, 1, 570, 14);
    perf_waits_pending(waits, 580, 20);
    expect(&taken, 1, 14, 560, 580, 0);
    perf_waits_in(waits, 1, 590);
    expect(&taken, 1, 14, 580, 590, 0);
    perf_waits_out(waits, 1, 600, false);
    assert_int_equal(perf_waits_next_guess(waits, NO_THREAD, 700, 100), 1);
    expect_no_more(&taken);
    perf_waits_close(waits);
}

static void guessed(void **state) {
    (void)state;
    struct taken taken = {0};
    struct perf_waits *waits = perf_waits_open(take, &taken);
    perf_waits_sample(waits, 1, 5);
    perf_waits_sample(waits, 1, 6);
    perf_waits_out(waits, 1, 100, true); /* it goes on afterwards where it was */
    perf_waits_in(waits, 1, 110);
    expect(&taken, 1, 6, 100, 110, PREEMPTED | GUESSED);
    perf_waits_out(waits, 1, 120, false);
    perf_waits_in(waits, 1, 150);
    expect(&taken, 1, 6, 120, 150, GUESSED);
    /* What it does after a wait nobody knows, until it is seen again. */
    perf_waits_out(waits, 1, 160, false);
    perf_waits_in(waits, 1, 170);
    expect(&taken, 1, 0, 160, 170, GUESSED);
    perf_waits_sample(waits, 1, 4);
    perf_waits_out(waits, 1, 180, false);
    perf_waits_in(waits, 1, 190);
    expect(&taken, 1, 4, 180, 190, GUESSED);
    expect_no_more(&taken);
    perf_waits_close(waits);
}

static void in_parts(void **state) {
    (void)state;
    struct taken taken = {0};
    struct perf_waits *waits = perf_waits_open(take, &taken);
    perf_waits_leave(waits, 2, 5);
    perf_waits_out(waits, 2, 1000, false);
    perf_waits_pending(waits, 1099, 100);
    perf_waits_pending(waits, 900, 0); /* of before it began */
    expect_no_more(&taken);
    perf_waits_pending(waits, 1100, 100);
    expect(&taken, 2, 5, 1000, 1100, 0);
    perf_waits_pending(waits, 1150, 100);
    perf_waits_in(waits, 2, 1300);
    expect(&taken, 2, 5, 1100, 1300, 0);
    perf_waits_pending(waits, 9000, 100);
    expect_no_more(&taken);
    /* It came back before a time until which its wait was handed out: nothing is left. */
    perf_waits_out(waits, 2, 10000, false);
    perf_waits_pending(waits, 10200, 100);
    expect(&taken, 2, 0, 10000, 10200, GUESSED);
    perf_waits_in(waits, 2, 10199);
    expect_no_more(&taken);
    /* The end. */
    perf_waits_out(waits, 2, 20000, true);
    perf_waits_pending(waits, 20001, 0);
    expect(&taken, 2, 0, 20000, 20001, PREEMPTED | GUESSED);
    expect_no_more(&taken);
    perf_waits_close(waits);
}

static void gaps(void **state) {
    (void)state;
    struct taken taken = {0};
    struct perf_waits *waits = perf_waits_open(take, &taken);
    perf_waits_in(waits, 0, 100); /* it had gone out before the first record */
    perf_waits_out(waits, 0, 200, false);
    perf_waits_out(waits, 0, 300, false); /* it was back in between */
    perf_waits_in(waits, 0, 310);
    expect(&taken, 0, 0, 300, 310, GUESSED);
    perf_waits_in(waits, 0, 320);
    perf_waits_out(waits, 0, 400, false);
    perf_waits_sample(waits, 0, 3); /* the same */
    perf_waits_in(waits, 0, 500);
    perf_waits_out(waits, 0, 600, false);
    perf_waits_leave(waits, 0, 4); /* the same */
    perf_waits_out(waits, 0, 700, false);
    perf_waits_in(waits, 0, 710);
    expect(&taken, 0, 4, 700, 710, 0);
    expect_no_more(&taken);
    perf_waits_close(waits);
}

static void lost(void **state) {
    (void)state;
    struct taken taken = {0};
    struct perf_waits *waits = perf_waits_open(take, &taken);
    perf_waits_leave(waits, 0, 4);
    perf_waits_out(waits, 0, 100, false);
    perf_waits_sample(waits, 1, 5);
    perf_waits_leave(waits, 1, 6);
    perf_waits_lost(waits, 500);
    /* It may have been back; from the loss on it was out. */
    perf_waits_in(waits, 0, 800);
    expect(&taken, 0, 4, 500, 800, GUESSED);
    /* Whether it went out with that stack is not known. */
    perf_waits_out(waits, 1, 900, false);
    perf_waits_in(waits, 1, 1000);
    expect(&taken, 1, 0, 900, 1000, GUESSED);
    /* Afterwards all is as before. */
    perf_waits_leave(waits, 0, 7);
    perf_waits_out(waits, 0, 1100, false);
    perf_waits_in(waits, 0, 1200);
    expect(&taken, 0, 7, 1100, 1200, 0);
    expect_no_more(&taken);
    perf_waits_close(waits);
}

static void exits(void **state) {
    (void)state;
    struct taken taken = {0};
    struct perf_waits *waits = perf_waits_open(take, &taken);
    perf_waits_leave(waits, 0, 4);
    perf_waits_out(waits, 0, 100, false);
    perf_waits_exit(waits, 0, 150);
    expect(&taken, 0, 4, 100, 150, 0);
    /* Another thread under its number. */
    perf_waits_in(waits, 0, 200);
    perf_waits_sample(waits, 0, 9);
    perf_waits_exit(waits, 0, 300);
    perf_waits_out(waits, 0, 400, false);
    perf_waits_in(waits, 0, 500);
    expect(&taken, 0, 0, 400, 500, GUESSED);
    perf_waits_exit(waits, 90, 600); /* one that nothing was known of */
    expect_no_more(&taken);
    perf_waits_close(waits);
    perf_waits_close(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_stacks), cmocka_unit_test(read_from_sleepers),
        cmocka_unit_test(guessed),     cmocka_unit_test(in_parts),
        cmocka_unit_test(gaps),        cmocka_unit_test(lost),
        cmocka_unit_test(exits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
