// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fold/model/profile_merge.h"

static struct frame_id frame(struct profile *profile, const char *name) {
    return profile_frame(profile, &(struct frame){.name = profile_intern(profile, text_of(name))});
}

/* main;work 3, main 1, and one sample of which nothing is known. */
static struct profile *small_profile(enum profile_unit unit) {
    struct profile *profile = profile_new();
    profile->unit = unit;
    profile->format = "folded";
    profile->node = profile_intern(profile, TEXT("v20"));
    profile->interval_us = 1000;
    profile_add_thread(profile, (struct profile_thread){.id = 7, .runs_javascript = true});
    /* A name that the other profile has under another number. */
    profile_intern(profile, TEXT("unused"));
    struct stack_id root = profile_push(profile, (struct stack_id){0}, frame(profile, "main"));
    struct stack_id leaf = profile_push(profile, root, frame(profile, "work"));
    profile_add_sample(profile, (struct sample){.stack = leaf, .weight = weight_of(3)});
    profile_add_sample(profile, (struct sample){.stack = root, .weight = weight_of(1)});
    profile_add_sample(profile, (struct sample){.weight = weight_of(1)});
    profile->unaccounted[UNACCOUNTED_OUTSIDE] = weight_of(1);
    return profile;
}

static void assert_stack(const struct profile *profile, struct stack_id stack,
                         const char *const *names) {
    for (; *names; names++) {
        assert_int_not_equal(stack.index, 0);
        const struct frame *top =
            frame_table_get(&profile->frames, stack_table_frame(&profile->stacks, stack));
        struct text name = profile_text(profile, top->name);
        assert_string_equal(name.data, *names);
        stack = stack_table_parent(&profile->stacks, stack);
    }
    assert_int_equal(stack.index, 0);
}

static void two_of_a_kind(void **state) {
    (void)state;
    struct profile *into = profile_new(), *from = small_profile(UNIT_TICKS);
    profile_merge(into, from, (struct frame_id){0});
    profile_merge(into, from, (struct frame_id){0});
    profile_free(from);
    assert_int_equal(into->total.whole, 10);
    assert_int_equal(into->unit, UNIT_TICKS);
    assert_int_equal(into->thread_count, 2);
    assert_int_equal(into->interval_us, 1000);
    assert_string_equal(profile_text(into, into->node).data, "v20");
    assert_int_equal(into->stacks.size, 3);
    assert_int_equal(into->unaccounted[UNACCOUNTED_OUTSIDE].whole, 2);
    assert_int_equal(into->warnings.size, 0);
    assert_int_equal(into->samples[3].thread, 1);
    assert_stack(into, into->samples[3].stack, (const char *[]){"work", "main", NULL});
    profile_free(into);
}

static void roots_keep_inputs_apart(void **state) {
    (void)state;
    struct profile *into = profile_new(), *from = small_profile(UNIT_TICKS);
    profile_merge(into, from, frame(into, "one"));
    profile_merge(into, from, frame(into, "two"));
    profile_free(from);
    assert_int_equal(into->sample_count, 6);
    assert_stack(into, into->samples[0].stack, (const char *[]){"work", "main", "one", NULL});
    assert_stack(into, into->samples[2].stack, (const char *[]){"one", NULL});
    assert_stack(into, into->samples[4].stack, (const char *[]){"main", "two", NULL});
    profile_free(into);
}

static void different_recordings(void **state) {
    (void)state;
    struct profile *into = profile_new(), *from = small_profile(UNIT_TICKS);
    profile_merge(into, from, (struct frame_id){0});
    from->unit = UNIT_SAMPLES;
    from->format = "v8log";
    from->interval_us = 2000;
    from->node = profile_intern(from, TEXT("v22"));
    profile_merge(into, from, (struct frame_id){0});
    profile_free(from);
    assert_null(into->format);
    assert_int_equal(into->node.index, 0);
    assert_int_equal(into->interval_us, 0);
    assert_non_null(warnings_find(&into->warnings, "mixed-units"));
    profile_free(into);
}

static void libraries_by_path(void **state) {
    (void)state;
    struct profile *into = profile_new(), *from = profile_new();
    uint32_t row = profile_add_library(from, TEXT("/usr/lib/libc.so.6"));
    from->libraries[row].complaint = profile_intern(from, TEXT("no such file"));
    profile_merge(into, from, (struct frame_id){0});
    from->libraries[row].symbol_count = 12;
    profile_merge(into, from, (struct frame_id){0});
    profile_free(from);
    assert_int_equal(into->library_count, 1);
    assert_int_equal(into->libraries[0].symbol_count, 12);
    assert_string_equal(profile_text(into, into->libraries[0].complaint).data, "no such file");
    profile_free(into);
}

/* Readings of one counter in two recordings are in order of time. */
static void counters_in_order(void **state) {
    (void)state;
    struct profile *into = profile_new(), *from = profile_new();
    struct profile_counter *counter = profile_counter(from, TEXT("rss"), UNIT_BYTES, 7);
    static const uint64_t times[] = {10, 20, 30};
    for (size_t i = 0; i < 3; i++)
        profile_counter_add(counter, (struct counter_reading){times[i], 100 + i});
    profile_merge(into, from, (struct frame_id){0});
    counter->readings[1].time = 15;
    profile_merge(into, from, (struct frame_id){0});
    profile_free(from);
    static const uint64_t merged[] = {10, 10, 15, 20, 30, 30};
    assert_int_equal(into->counter_count, 1);
    assert_int_equal(into->counters[0].count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(into->counters[0].readings[i].time, merged[i]);
    profile_free(into);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_of_a_kind),        cmocka_unit_test(roots_keep_inputs_apart),
        cmocka_unit_test(different_recordings), cmocka_unit_test(libraries_by_path),
        cmocka_unit_test(counters_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
