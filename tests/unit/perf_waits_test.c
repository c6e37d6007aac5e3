// SPDX-License-Identifier: MIT
/* From switch records to waits: in the order in which the kernel tells them, and with losses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profiler/trace/perf_waits.h"

static void check(const struct perf_wait *wait, uint64_t start, uint64_t end, uint32_t stack,
                  bool preempted, bool guessed) {
    assert_int_equal(wait->start, start);
    assert_int_equal(wait->end, end);
    assert_int_equal(wait->stack, stack);
    assert_int_equal(wait->preempted, preempted);
    assert_int_equal(wait->guessed, guessed);
}

static void stacks(void **state) {
    (void)state;
    struct perf_waits waits = {0};
    struct perf_wait wait;
    /* Sampled at the switch. Another thread does the same meanwhile. */
    perf_waits_sampled(&waits, 3, 11);
    perf_waits_leaving(&waits, 3, 12);
    perf_waits_out(&waits, 3, 1000, false);
    perf_waits_leaving(&waits, 70, 99);
    perf_waits_out(&waits, 70, 1500, true);
    assert_true(perf_waits_in(&waits, 3, 3000, &wait));
    check(&wait, 1000, 3000, 12, false, false);
    assert_true(perf_waits_in(&waits, 70, 1600, &wait));
    check(&wait, 1500, 1600, 99, true, false);
    /* Not sampled there: the last sample before, which is older than the last wait now. */
    perf_waits_out(&waits, 3, 4000, false);
    assert_true(perf_waits_in(&waits, 3, 5000, &wait));
    check(&wait, 4000, 5000, 11, false, true);
    assert_true(wait.stale);
    perf_waits_sampled(&waits, 3, 13);
    perf_waits_out(&waits, 3, 6000, false);
    assert_true(perf_waits_in(&waits, 3, 7000, &wait));
    check(&wait, 6000, 7000, 13, false, true);
    assert_false(wait.stale);
    perf_waits_free(&waits);
}

static void losses(void **state) {
    (void)state;
    struct perf_waits waits = {0};
    struct perf_wait wait;
    /* It was out when recording began. */
    assert_false(perf_waits_in(&waits, 0, 1000, &wait));
    /* Two outs: it came in between, and the first wait is as long as nobody knows. */
    perf_waits_out(&waits, 0, 2000, false);
    perf_waits_leaving(&waits, 0, 5);
    perf_waits_out(&waits, 0, 3000, false);
    assert_true(perf_waits_in(&waits, 0, 3500, &wait));
    check(&wait, 3000, 3500, 5, false, false);
    /* Two ins. */
    assert_false(perf_waits_in(&waits, 0, 3600, &wait));
    /* Sampled while it should be out. */
    perf_waits_leaving(&waits, 0, 6);
    perf_waits_out(&waits, 0, 4000, false);
    perf_waits_sampled(&waits, 0, 7);
    assert_false(perf_waits_in(&waits, 0, 5000, &wait));
    /* A clock that goes back. */
    perf_waits_out(&waits, 0, 6000, false);
    assert_false(perf_waits_in(&waits, 0, 5999, &wait));
    /* The thread has ended; its number is another thread's. */
    perf_waits_out(&waits, 0, 7000, false);
    perf_waits_forget(&waits, 0);
    perf_waits_forget(&waits, 1000);
    assert_false(perf_waits_in(&waits, 0, 8000, &wait));
    perf_waits_out(&waits, 0, 8500, false);
    assert_true(perf_waits_in(&waits, 0, 9000, &wait));
    check(&wait, 8500, 9000, 0, false, true);
    perf_waits_free(&waits);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks),
        cmocka_unit_test(losses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
