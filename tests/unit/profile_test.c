// SPDX-License-Identifier: MIT
/* Tests of fold/model/profile.h: which samples are one row, and what their sums are. */
#include "fold/model/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct stack_id stack_of(struct profile *profile, struct stack_id parent, const char *name) {
    struct frame frame = {.name = profile_intern(profile, text_of(name))};
    return profile_push(profile, parent, profile_frame(profile, &frame));
}

static void test_empty(void **state) {
    (void)state;
    struct profile *profile = profile_new();
    assert_true(profile_is_empty(profile));
    assert_true(weight_is_zero(profile->total));
    profile_add_sample(profile, (struct sample){.weight = weight_of(0)});
    assert_true(profile_is_empty(profile));
    profile_add_sample(profile, (struct sample){.weight = {0, 1}});
    assert_false(profile_is_empty(profile));
    profile_free(profile);
    profile_free(NULL);
}

/* Alike in stack, thread, state and idleness: one row. Different in one of them: two. */
static void test_like_samples(void **state) {
    (void)state;
    struct profile *profile = profile_new();
    struct stack_id root = stack_of(profile, (struct stack_id){0}, "main");
    struct stack_id leaf = stack_of(profile, root, "work");
    const struct sample samples[] = {
        {.stack = leaf, .thread = 0, .state = VM_JAVASCRIPT},
        {.stack = root, .thread = 0, .state = VM_JAVASCRIPT},
        {.stack = {0}, .thread = 0, .state = VM_JAVASCRIPT},
        {.stack = leaf, .thread = 1, .state = VM_JAVASCRIPT},
        {.stack = leaf, .thread = 65536, .state = VM_JAVASCRIPT},
        {.stack = leaf, .thread = 0, .state = VM_GC},
        {.stack = leaf, .thread = 0, .state = VM_NOT_KNOWN},
        {.stack = leaf, .thread = 0, .state = VM_JAVASCRIPT, .idle = true},
    };
    enum { COUNT = sizeof samples / sizeof *samples };
    for (unsigned round = 1; round <= 3; round++)
        for (size_t i = 0; i < COUNT; i++) {
            struct sample sample = samples[i];
            sample.weight = weight_of(round * (i + 1));
            sample.time = 1000 * round + i;
            profile_add_sample(profile, sample);
        }
    assert_int_equal(profile->sample_count, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        const struct sample *sample = &profile->samples[i];
        assert_int_equal(sample->stack.index, samples[i].stack.index);
        assert_int_equal(sample->thread, samples[i].thread);
        assert_int_equal(sample->state, samples[i].state);
        assert_int_equal(sample->idle, samples[i].idle);
        assert_int_equal(sample->weight.whole, 6 * (i + 1));
        assert_int_equal(sample->time, 0);
    }
    assert_int_equal(profile->total.whole, 6 * COUNT * (COUNT + 1) / 2);
    profile_free(profile);
}

static void test_times_are_kept(void **state) {
    (void)state;
    struct profile *profile = profile_new();
    profile->keep_times = true;
    struct stack_id root = stack_of(profile, (struct stack_id){0}, "main");
    for (uint64_t i = 0; i < 100; i++)
        profile_add_sample(profile,
                           (struct sample){.stack = root, .weight = {1, 5}, .time = i / 2 * 1000});
    assert_int_equal(profile->sample_count, 100);
    for (uint64_t i = 0; i < 100; i++) {
        assert_int_equal(profile->samples[i].time, i / 2 * 1000);
        assert_int_equal(profile->samples[i].weight.whole, 1);
    }
    assert_int_equal(profile->total.whole, 100);
    assert_int_equal(profile->total.fraction, 500);
    profile_free(profile);
}

/* Thousands of stacks in any order: rows, weights and total as in a plain array. */
static void test_many_samples(void **state) {
    (void)state;
    enum { STACKS = 3000, SAMPLES = 200000 };
    static uint64_t weights[STACKS][2];
    memset(weights, 0, sizeof weights);
    struct profile *profile = profile_new();
    static struct stack_id stacks[STACKS];
    for (int i = 0; i < STACKS; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%d", i % 57);
        stacks[i] = stack_of(profile, i ? stacks[i / 5] : (struct stack_id){0}, name);
    }
    uint64_t numbers = 3, total = 0;
    for (int i = 0; i < SAMPLES; i++) {
        numbers = numbers * 6364136223846793005u + 1442695040888963407u;
        uint32_t row = stacks[(numbers >> 33) % STACKS].index;
        bool idle = numbers >> 63;
        uint64_t weight = numbers >> 50 & 7;
        assert_true(row < STACKS + 1);
        weights[row - 1][idle] += weight;
        total += weight;
        profile_add_sample(
            profile, (struct sample){.stack = {row}, .idle = idle, .weight = weight_of(weight)});
    }
    assert_int_equal(profile->total.whole, total);
    assert_true(profile->sample_count <= 2 * (profile->stacks.size - 1));
    uint64_t sum = 0;
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct sample *sample = &profile->samples[i];
        assert_int_equal(sample->weight.whole, weights[sample->stack.index - 1][sample->idle]);
        weights[sample->stack.index - 1][sample->idle] = 0; /* no second row of the kind */
        sum += sample->weight.whole;
    }
    assert_int_equal(sum, total);
    profile_free(profile);
}

/* So many that some have the same 32 bits of hash (10 pairs of each kind, by chance): they are told
 * apart by stack and by thread. */
static void test_alike_hashes(void **state) {
    (void)state;
    enum { COUNT = 300000 };
    struct profile *profile = profile_new();
    for (uint32_t i = 1; i <= COUNT; i++) {
        profile_add_sample(profile, (struct sample){.stack = {i}, .weight = weight_of(1)});
        profile_add_sample(profile,
                           (struct sample){.thread = i * 2654435761u, .weight = weight_of(1)});
        if (profile->sample_count != 2 * i)
            fail_msg("sample %u is added to another's row", i);
    }
    profile_free(profile);
}

/* Sums that do not fit are the largest number, and one warning says so. */
static void test_saturation(void **state) {
    (void)state;
    struct profile *profile = profile_new();
    struct sample sample = {.weight = weight_of(UINT64_MAX)};
    profile_add_sample(profile, sample);
    assert_int_equal(profile->warnings.size, 0);
    assert_false(weight_is_largest(profile->total));
    profile_add_sample(profile, sample);
    assert_true(weight_is_largest(profile->total));
    assert_true(weight_is_largest(profile->samples[0].weight));
    assert_int_equal(warnings_find(&profile->warnings, "saturated")->count, 1);
    sample.thread = 1;
    for (int i = 0; i < 10; i++)
        profile_add_sample(profile, sample);
    assert_true(weight_is_largest(profile->total));
    assert_int_equal(profile->warnings.size, 1);
    assert_int_equal(warnings_find(&profile->warnings, "saturated")->count, 1);
    assert_int_equal(profile->sample_count, 2);
    profile_free(profile);
}

static void test_threads_and_libraries(void **state) {
    (void)state;
    struct profile *profile = profile_new();
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(profile_add_thread(profile, (struct profile_thread){.id = i * 10}), i);
    assert_int_equal(profile->thread_count, 100);
    assert_int_equal(profile->threads[57].id, 570);
    struct string_id unknown = profile_intern(profile, TEXT("/lib/none.so"));
    assert_null(profile_find_library(profile, unknown));
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 1000; i++) {
            char path[32];
            snprintf(path, sizeof path, "/lib/%u.so", i);
            assert_int_equal(profile_add_library(profile, text_of(path)), i);
            struct string_id id = profile_intern(profile, text_of(path));
            const struct profile_library *library = profile_find_library(profile, id);
            assert_ptr_equal(library, &profile->libraries[i]);
            assert_string_equal(profile_text(profile, library->path).data, path);
        }
    assert_int_equal(profile->library_count, 1000);
    assert_null(profile_find_library(profile, unknown));
    profile_free(profile);
}

/* The names are part of the contract of the JSON report. */
static void add_at(struct profile *profile, uint32_t thread, struct stack_id stack,
                   uint64_t milliseconds, uint64_t end_us) {
    profile_add_sample(profile, (struct sample){.stack = stack,
                                                .thread = thread,
                                                .idle = stack.index == 0,
                                                .count = 1,
                                                .weight = weight_of(milliseconds * 1000000),
                                                .time = end_us});
}

static void assert_moment(const struct profile *profile, size_t row, uint32_t thread,
                          struct stack_id stack, uint64_t start, uint64_t end) {
    const struct profile_moment *moment = &profile->moments[row];
    assert_int_equal(moment->thread, thread);
    assert_int_equal(moment->stack.index, stack.index);
    assert_int_equal(moment->start, start);
    assert_int_equal(moment->end, end);
    assert_int_equal(moment->idle, stack.index == 0);
}

/* Samples with a time become stretches of time; those that touch are one. */
static void test_moments(void **state) {
    (void)state;
    struct profile *profile = profile_new();
    struct stack_id work = stack_of(profile, (struct stack_id){0}, "work");
    struct stack_id other = stack_of(profile, work, "other");
    struct stack_id idle = {0};
    profile->unit = UNIT_NANOSECONDS;
    add_at(profile, 0, work, 10, 5000);    /* began before the recording */
    add_at(profile, 0, work, 10, 0);       /* no time */
    add_at(profile, 3, work, 10, 20000);   /* another thread */
    add_at(profile, 0, work, 10, 15600);   /* 0.6 ms later than it should be: one */
    add_at(profile, 0, work, 10, 26300);   /* 0.7 ms: another one */
    add_at(profile, 0, other, 10, 36300);  /* another stack */
    add_at(profile, 0, idle, 100, 136300); /* waits for work */
    add_at(profile, 0, idle, 100, 237300); /* 1 ms behind it: one */
    add_at(profile, 0, idle, 100, 338400); /* 1.1 ms behind it: another one */
    add_at(profile, 0, other, 10, 338000); /* out of order */
    assert_int_equal(profile->moment_count, 7);
    assert_moment(profile, 0, 0, work, 0, 15600);
    assert_moment(profile, 1, 3, work, 10000, 20000);
    assert_moment(profile, 2, 0, work, 16300, 26300);
    assert_moment(profile, 3, 0, other, 26300, 36300);
    assert_moment(profile, 4, 0, idle, 36300, 237300);
    assert_moment(profile, 5, 0, idle, 238400, 338400);
    assert_moment(profile, 6, 0, other, 328000, 338000);
    profile_free(profile);
}

/* Weights that are no time: a sample stands for the interval. */
static void test_moments_of_ticks(void **state) {
    (void)state;
    struct profile *profile = profile_new();
    struct stack_id work = stack_of(profile, (struct stack_id){0}, "work");
    profile->unit = UNIT_COUNT;
    profile->interval_us = 1000;
    add_at(profile, 0, work, 1, 5000);
    add_at(profile, 0, work, 9, 6000);
    profile->unit = UNIT_MICROSECONDS;
    profile_add_sample(
        profile,
        (struct sample){.stack = work, .weight = {2500, WEIGHT_FRACTION_ONE / 2}, .time = 9000});
    assert_int_equal(profile->moment_count, 2);
    assert_moment(profile, 0, 0, work, 4000, 6000);
    assert_moment(profile, 1, 0, work, 6500, 9000);
    profile_free(profile);
}

/* Moments of the events that are left out go with them. */
static void test_moments_of_events(void **state) {
    (void)state;
    struct profile *profile = profile_new();
    struct stack_id work = stack_of(profile, (struct stack_id){0}, "work");
    profile_add_event(profile, TEXT("page-faults"), UNIT_COUNT);
    profile_add_event(profile, TEXT("cpu-clock"), UNIT_NANOSECONDS);
    profile->interval_us = 1000;
    for (uint16_t i = 0; i < 4; i++) {
        uint16_t event = i > 0;
        profile->events[event].samples++;
        profile_add_sample(profile, (struct sample){.stack = work,
                                                    .event = event,
                                                    .count = 1,
                                                    .weight = weight_of(2000000),
                                                    .time = 10000 + 3000 * (uint64_t)i});
    }
    assert_int_equal(profile->moment_count, 4);
    profile_keep_main_event(profile);
    assert_int_equal(profile->moment_count, 3);
    assert_moment(profile, 0, 0, work, 11000, 13000);
    assert_moment(profile, 2, 0, work, 17000, 19000);
    assert_int_equal(profile->moments[2].event, 0);
    assert_int_equal(profile->sample_count, 1);
    /* Further ones find no row that has moved. */
    profile_add_sample(
        profile,
        (struct sample){.stack = work, .count = 1, .weight = weight_of(2000000), .time = 21000});
    assert_int_equal(profile->moment_count, 4);
    profile_free(profile);
}

static void test_waiting_stack(void **state) {
    (void)state;
    struct profile *profile = profile_new();
    struct stack_id work = stack_of(profile, (struct stack_id){0}, "work");
    struct stack_id waiting = profile_waiting_stack(profile, work, false);
    struct stack_id idle = profile_waiting_stack(profile, work, true);
    assert_int_equal(profile_waiting_stack(profile, work, false).index, waiting.index);
    assert_int_not_equal(waiting.index, idle.index);
    assert_int_equal(profile->stacks.parents[waiting.index], work.index);
    const struct frame *leaf = &profile->frames.frames[profile->stacks.frames[waiting.index]];
    assert_int_equal(leaf->kind, FRAME_WAITING);
    assert_true(text_equal(profile_text(profile, leaf->name), TEXT("(waiting)")));
    leaf = &profile->frames.frames[profile->stacks.frames[idle.index]];
    assert_int_equal(leaf->kind, FRAME_CPP);
    assert_true(text_equal(profile_text(profile, leaf->name), TEXT("(idle)")));
    profile_free(profile);
}

static void test_names(void **state) {
    (void)state;
    assert_string_equal(profile_unit_name(UNIT_SAMPLES), "samples");
    assert_string_equal(profile_unit_name(UNIT_TICKS), "ticks");
    assert_string_equal(profile_unit_name(UNIT_MICROSECONDS), "microseconds");
    assert_string_equal(profile_unit_name(UNIT_NANOSECONDS), "nanoseconds");
    assert_string_equal(profile_unit_name(UNIT_BYTES), "bytes");
    assert_string_equal(profile_unit_name(UNIT_COUNT), "count");
    assert_string_equal(thread_role_name(THREAD_MAIN), "main");
    assert_string_equal(thread_role_name(THREAD_WORKER), "worker");
    assert_string_equal(thread_role_name(THREAD_V8), "v8");
    assert_string_equal(thread_role_name(THREAD_LIBUV), "libuv");
    assert_string_equal(thread_role_name(THREAD_OTHER), "other");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_moments_of_ticks),
        cmocka_unit_test(test_moments_of_events),
        cmocka_unit_test(test_waiting_stack),
        cmocka_unit_test(test_like_samples),
        cmocka_unit_test(test_times_are_kept),
        cmocka_unit_test(test_many_samples),
        cmocka_unit_test(test_alike_hashes),
        cmocka_unit_test(test_saturation),
        cmocka_unit_test(test_threads_and_libraries),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
