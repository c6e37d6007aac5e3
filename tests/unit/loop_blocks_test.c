// SPDX-License-Identifier: MIT
/* Tests of fold/tally/loop_blocks.h: profiles made by hand, with blocks worked out on paper. Times
 * in milliseconds. */
#include "fold/tally/loop_blocks.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A process with a main thread, and stacks that most tests use. */
struct scene {
    struct profile *profile;
    struct stack_id loop;    /* uv_run */
    struct stack_id handler; /* processTimers > handler, below it */
    struct stack_id hash;    /* ... > pbkdf2Sync > [node] */
    struct stack_id poll;    /* uv_run > uv__io_poll > epoll_pwait */
    struct call_tree *tree;
    struct blocking *blocking;
    struct loop_blocks *blocks;
};

static struct stack_id push(struct profile *profile, struct stack_id parent, const char *name,
                            const char *file, enum frame_kind kind) {
    struct frame frame = {.name = profile_intern(profile, text_of(name)),
                          .file = profile_intern(profile, text_of(file)),
                          .line = *file ? 1 : 0,
                          .kind = (uint8_t)kind};
    return profile_push(profile, parent, profile_frame(profile, &frame));
}

static struct scene start(enum profile_unit unit) {
    struct scene scene = {.profile = profile_new()};
    struct profile *profile = scene.profile;
    profile->unit = unit;
    profile->interval_us = 1000;
    profile->has_times = true;
    profile->native_stacks = true;
    profile_add_thread(profile,
                       (struct profile_thread){
                           .id = 7, .process_id = 7, .role = THREAD_MAIN, .runs_javascript = true});
    struct stack_id none = {0};
    scene.loop = push(profile, none, "uv_run", "", FRAME_CPP);
    scene.handler =
        push(profile, scene.loop, "processTimers", "node:internal/timers", FRAME_JAVASCRIPT);
    scene.handler = push(profile, scene.handler, "handler", "/srv/a.js", FRAME_JAVASCRIPT);
    scene.hash =
        push(profile, scene.handler, "pbkdf2Sync", "node:internal/crypto/pbkdf2", FRAME_JAVASCRIPT);
    scene.hash = push(profile, scene.hash, "node::crypto::DeriveBits", "", FRAME_CPP);
    scene.poll = push(profile, scene.loop, "uv__io_poll", "", FRAME_CPP);
    scene.poll = push(profile, scene.poll, "epoll_pwait", "", FRAME_CPP);
    return scene;
}

/* Adds a sample for the time from `from` to `to`. */
static void add(struct scene *scene, struct stack_id stack, double from, double to) {
    struct profile *profile = scene->profile;
    double unit = profile->unit == UNIT_NANOSECONDS ? 1e6 : 1e3;
    profile_add_sample(profile,
                       (struct sample){.stack = stack,
                                       .count = 1,
                                       .weight = weight_of((uint64_t)((to - from) * unit + 0.5)),
                                       .time = (uint64_t)(to * 1000 + 0.5)});
}

static void add_idle(struct scene *scene, double from, double to) {
    struct profile *profile = scene->profile;
    double unit = profile->unit == UNIT_NANOSECONDS ? 1e6 : 1e3;
    struct sample sample = {.stack = profile_waiting_stack(profile, scene->poll, true),
                            .idle = true,
                            .count = 1,
                            .weight = weight_of((uint64_t)((to - from) * unit + 0.5)),
                            .time = (uint64_t)(to * 1000 + 0.5)};
    profile_add_sample(profile, sample);
}

/* Samples of a running thread, `interval` apart, for the time from `from` to `to`. */
static void add_run(struct scene *scene, struct stack_id stack, double from, double to,
                    double interval) {
    for (double time = from; time + interval < to + 0.001; time += interval)
        add(scene, stack, time, time + interval);
}

static void add_wait(struct scene *scene, struct stack_id stack, double from, double to) {
    add(scene, profile_waiting_stack(scene->profile, stack, false), from, to);
}

static void find_in(struct scene *scene, const struct view *view) {
    scene->tree = call_tree_build(scene->profile, view);
    scene->blocking = blocking_find(scene->tree);
    scene->blocks = loop_blocks_find(scene->tree, scene->blocking);
}

static void find(struct scene *scene) {
    find_in(scene, &(struct view){0});
    assert_non_null(scene->blocks);
}

static void end_view(struct scene *scene) {
    loop_blocks_free(scene->blocks);
    blocking_free(scene->blocking);
    call_tree_free(scene->tree);
}

static void end(struct scene *scene) {
    end_view(scene);
    profile_free(scene->profile);
}

static void assert_block(const struct loop_block *block, double from, double to) {
    assert_int_equal(block->start, (uint64_t)(from * 1000 + 0.5));
    assert_int_equal(block->end, (uint64_t)(to * 1000 + 0.5));
}

static void assert_node(const struct scene *scene, uint32_t node, const char *name) {
    assert_int_not_equal(node, 0);
    const struct function *function = &scene->tree->functions[scene->tree->nodes[node].function];
    assert_true(text_equal(profile_text(scene->profile, function->name), text_of(name)));
}

/* With switches both borders are exact, and what the thread waited for below JavaScript belongs to
 * the block. Samples are 10 ms apart. */
static void test_switches(void **state) {
    (void)state;
    struct scene scene = start(UNIT_NANOSECONDS);
    scene.profile->has_waits = true;
    scene.profile->interval_us = 10000;
    struct stack_id child =
        push(scene.profile, scene.handler, "execSync", "node:child_process", FRAME_JAVASCRIPT);
    add_idle(&scene, 0, 100);
    /* 203 ms of hashing: the first sample stands for time before the wait, too. */
    add(&scene, scene.hash, 93, 103);
    add_run(&scene, scene.hash, 103, 303, 10);
    add_idle(&scene, 303.4, 350);
    /* 12 ms in which no sample fell. */
    add_idle(&scene, 362, 400);
    /* A child: the thread has no processor. */
    add_wait(&scene, child, 402, 700);
    add(&scene, child, 395, 705);
    scene.profile->moments[scene.profile->moment_count - 1].start = 695000;
    add_idle(&scene, 706, 800);
    /* Too short to be one. */
    add_idle(&scene, 809, 900);
    find(&scene);
    const struct loop_blocks *blocks = scene.blocks;
    assert_int_equal(blocks->count, 3);
    assert_int_equal(blocks->number, 3);
    assert_int_equal(blocks->total, 306000 + 203400 + 12000);
    assert_int_equal(blocks->long_number, 2);
    assert_int_equal(blocks->long_total, 306000 + 203400);
    assert_block(&blocks->blocks[0], 400, 706);
    assert_int_equal(blocks->blocks[0].label, LOOP_BLOCK_WAITING);
    assert_int_equal(blocks->blocks[0].waiting, 298000);
    assert_int_equal(blocks->blocks[0].cpu, 8000);
    assert_int_equal(blocks->blocks[0].error, 0);
    assert_false(blocks->blocks[0].at_most);
    assert_node(&scene, blocks->blocks[0].outer, "processTimers");
    assert_node(&scene, blocks->blocks[0].inner, "(waiting)");
    assert_string_equal(scene.blocking->calls[blocks->blocks[0].call - 1].name, "execSync");
    assert_block(&blocks->blocks[1], 100, 303.4);
    assert_int_equal(blocks->blocks[1].label, LOOP_BLOCK_CPU);
    assert_int_equal(blocks->blocks[1].evidence, LOOP_BY_SWITCHES);
    assert_int_equal(blocks->blocks[1].cpu, 203400);
    assert_int_equal(blocks->blocks[1].waiting, 0);
    assert_node(&scene, blocks->blocks[1].inner, "node::crypto::DeriveBits");
    assert_string_equal(scene.blocking->calls[blocks->blocks[1].call - 1].name, "pbkdf2Sync");
    const struct function *caller = &scene.tree->functions[blocks->blocks[1].caller];
    assert_true(text_equal(profile_text(scene.profile, caller->name), TEXT("handler")));
    assert_block(&blocks->blocks[2], 350, 362);
    assert_int_equal(blocks->blocks[2].inner, 0);
    for (size_t i = 0; i < scene.blocking->call_count; i++) {
        bool hash = strcmp(scene.blocking->calls[i].name, "pbkdf2Sync") == 0;
        assert_int_equal(blocks->call_longest[i], hash ? 210000 : 303000);
    }
    end(&scene);
}

/* By a clock of CPU time alone: gaps and samples of the loop end a block. */
static void test_cpu_clock(void **state) {
    (void)state;
    struct scene scene = start(UNIT_NANOSECONDS);
    scene.profile->waiting_is_missing = true;
    add_run(&scene, scene.hash, 10, 60, 1);
    /* It stood back for 5 ms: no return. */
    add_run(&scene, scene.hash, 65, 100, 1);
    /* 6 ms: a return. */
    add_run(&scene, scene.handler, 106, 130, 1);
    /* The loop was seen, then node's C++ in it. */
    add(&scene, scene.poll, 130, 131);
    add_run(&scene, scene.handler, 131, 146, 1);
    add(&scene, push(scene.profile, scene.loop, "node::LibuvStreamWrap::OnUvRead", "", FRAME_CPP),
        146, 147);
    add_run(&scene, scene.handler, 147, 159, 1);
    /* V8 on its own is no return: it may collect. */
    add_run(&scene, push(scene.profile, scene.loop, "v8::internal::Heap::Scavenge", "", FRAME_CPP),
            159, 161, 1);
    find(&scene);
    const struct loop_blocks *blocks = scene.blocks;
    assert_int_equal(blocks->count, 4);
    assert_block(&blocks->blocks[0], 10, 100);
    assert_block(&blocks->blocks[1], 106, 130);
    assert_block(&blocks->blocks[2], 131, 146);
    assert_block(&blocks->blocks[3], 147, 161);
    assert_int_equal(blocks->blocks[0].error, 1000);
    assert_true(blocks->blocks[0].at_most);
    assert_int_equal(blocks->blocks[0].cpu, 85000);
    assert_int_equal(blocks->blocks[0].label, LOOP_BLOCK_CPU);
    assert_false(blocks->blocks[0].waiting_known);
    assert_int_equal(blocks->call_longest[0], 90000);
    end(&scene);
}

/* A clock of CPU time does not tell when a wait for work began, nor when it was over. */
static void test_idle_by_cpu_clock(void **state) {
    (void)state;
    struct scene scene = start(UNIT_NANOSECONDS);
    scene.profile->waiting_is_missing = true;
    add_run(&scene, scene.hash, 0, 12, 1);
    add_idle(&scene, 100, 101);
    add_idle(&scene, 150, 151);
    add_run(&scene, scene.hash, 200, 213, 1);
    find(&scene);
    assert_int_equal(scene.blocks->count, 2);
    assert_block(&scene.blocks->blocks[0], 200, 213);
    assert_block(&scene.blocks->blocks[1], 0, 12);
    end(&scene);
}

/* At 999 Hz a block of 200 ms is right within 5 ms, wherever the clock ticks. */
static void test_precision(void **state) {
    (void)state;
    const double interval = 1000.0 / 999;
    for (int phase = 0; phase < 10; phase++) {
        struct scene scene = start(UNIT_NANOSECONDS);
        scene.profile->waiting_is_missing = true;
        scene.profile->interval_us = 1001;
        double first = 50 + interval * phase / 10;
        add_run(&scene, scene.hash, first - interval, 250, interval);
        find(&scene);
        assert_int_equal(scene.blocks->count, 1);
        int64_t length = (int64_t)(scene.blocks->blocks[0].end - scene.blocks->blocks[0].start);
        assert_true(llabs(length - 200000) <= 5000);
        assert_true(llabs(length - 200000) <= (int64_t)scene.blocks->blocks[0].error);
        end(&scene);
    }
}

/* A wall clock, as a CPU profile has it. */
static void test_wall_clock(void **state) {
    (void)state;
    struct scene scene = start(UNIT_MICROSECONDS);
    scene.profile->native_stacks = false;
    struct stack_id none = {0};
    struct stack_id program = push(scene.profile, none, "(program)", "", FRAME_CPP);
    struct stack_id collector = push(scene.profile, none, "(garbage collector)", "", FRAME_GC);
    struct stack_id timers =
        push(scene.profile, none, "processTimers", "node:internal/timers", FRAME_JAVASCRIPT);
    timers = push(scene.profile, timers, "work", "/srv/a.js", FRAME_JAVASCRIPT);
    struct stack_id ticks = push(scene.profile, none, "processTicksAndRejections",
                                 "node:internal/process/task_queues", FRAME_JAVASCRIPT);
    ticks = push(scene.profile, ticks, "more", "/srv/a.js", FRAME_JAVASCRIPT);
    struct stack_id headers =
        push(scene.profile, none, "parserOnHeadersComplete", "node:_http_common", FRAME_JAVASCRIPT);
    headers = push(scene.profile, headers, "serve", "/srv/a.js", FRAME_JAVASCRIPT);
    add_idle(&scene, 0, 10);
    /* A collection and what promises go on with belong to the block. */
    add(&scene, timers, 10, 30);
    add(&scene, collector, 30, 34);
    add(&scene, timers, 34, 40);
    add(&scene, ticks, 40, 55);
    add_idle(&scene, 55, 60);
    add(&scene, timers, 60, 75);
    /* Another callback of the loop. */
    add(&scene, headers, 75, 87);
    add(&scene, program, 87, 88);
    add(&scene, headers, 88, 100);
    /* Code without JavaScript that takes long. */
    add(&scene, program, 100, 130);
    find(&scene);
    const struct loop_blocks *blocks = scene.blocks;
    assert_int_equal(blocks->count, 5);
    assert_block(&blocks->blocks[0], 10, 55);
    assert_block(&blocks->blocks[1], 100, 130);
    assert_block(&blocks->blocks[2], 60, 75);
    assert_block(&blocks->blocks[3], 75, 87);
    assert_block(&blocks->blocks[4], 88, 100);
    assert_int_equal(blocks->blocks[0].evidence, LOOP_BY_WALL_CLOCK);
    assert_int_equal(blocks->blocks[0].label, LOOP_BLOCK_UNKNOWN);
    assert_false(blocks->blocks[0].cpu_known);
    /* 26 of 45 ms are below processTimers: half, but not three quarters. */
    assert_node(&scene, blocks->blocks[0].inner, "work");
    assert_true(blocks->blocks[0].several);
    assert_node(&scene, blocks->blocks[1].inner, "(program)");
    end(&scene);
}

/* What libuv has counted is used for the main thread, and fills what samples cannot see. */
static void test_counters(void **state) {
    (void)state;
    struct scene scene = start(UNIT_NANOSECONDS);
    struct profile *profile = scene.profile;
    profile->waiting_is_missing = true;
    profile->interval_us = 10000;
    profile_counter(profile, TEXT(PROFILE_LOOP_IDLE), UNIT_MICROSECONDS, 7);
    /* Three turns that samples alone would take for one block; one that waits; one of loading. */
    const struct profile_turn turns[] = {
        {.start = 100000, .end = 150000, .error = 1000, .process_id = 7},
        {.start = 150100, .end = 220100, .error = 1000, .process_id = 7},
        {.start = 220200, .end = 240200, .error = 2000, .process_id = 7},
        {.start = 400000, .end = 700000, .process_id = 7},
        {.start = 0, .end = 90000, .process_id = 7, .startup = true},
        {.start = 0, .end = 900000, .process_id = 8},
    };
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++)
        profile_add_turn(profile, turns[i]);
    add_run(&scene, scene.hash, 100, 240, 10);
    find(&scene);
    const struct loop_blocks *blocks = scene.blocks;
    assert_int_equal(blocks->count, 4);
    assert_int_equal(blocks->startup_count, 1);
    assert_block(&blocks->startup[0], 0, 90);
    assert_block(&blocks->blocks[0], 400, 700);
    assert_int_equal(blocks->blocks[0].label, LOOP_BLOCK_WAITING);
    assert_int_equal(blocks->blocks[0].inner, 0);
    assert_block(&blocks->blocks[1], 150.1, 220.1);
    assert_int_equal(blocks->blocks[1].label, LOOP_BLOCK_CPU);
    assert_int_equal(blocks->blocks[1].cpu, 70000);
    assert_int_equal(blocks->blocks[1].error, 1000);
    assert_false(blocks->blocks[1].at_most);
    assert_block(&blocks->blocks[2], 100, 150);
    assert_block(&blocks->blocks[3], 220.2, 240.2);
    /* The call was on the stack for 140 ms, but in three turns. */
    assert_int_equal(blocks->call_longest[0], 70000);
    end(&scene);
}

/* A control group that has used up its time: the counter tells how long it was held. */
static void test_throttled(void **state) {
    (void)state;
    struct scene scene = start(UNIT_NANOSECONDS);
    struct profile *profile = scene.profile;
    profile->has_waits = true;
    struct profile_counter *counter =
        profile_counter(profile, TEXT(PROFILE_THROTTLED_TIME), UNIT_MICROSECONDS, 0);
    profile_counter_add(counter, (struct counter_reading){0, 0});
    profile_counter_add(counter, (struct counter_reading){1000000, 1000});
    profile_counter_add(counter, (struct counter_reading){2000000, 71000});
    profile_counter_add(counter, (struct counter_reading){3000000, 72000});
    add_idle(&scene, 0, 1100);
    add_run(&scene, scene.hash, 1100, 1130, 1);
    add_run(&scene, scene.hash, 1190, 1200, 1);
    add_idle(&scene, 1200, 2100);
    add_run(&scene, scene.hash, 2100, 2150, 1);
    add_idle(&scene, 2150, 3000);
    find(&scene);
    const struct loop_block *block = &scene.blocks->blocks[0];
    assert_int_equal(scene.blocks->count, 2);
    assert_block(block, 1100, 1200);
    assert_int_equal(block->cpu, 40000);
    /* 70 ms in that second, but the block had no processor for 60 only. */
    assert_int_equal(block->throttled, 60000);
    assert_int_equal(block->label, LOOP_BLOCK_THROTTLED);
    assert_block(&scene.blocks->blocks[1], 2100, 2150);
    assert_int_equal(scene.blocks->blocks[1].throttled, 0);
    assert_int_equal(scene.blocks->blocks[1].label, LOOP_BLOCK_CPU);
    end(&scene);
}

/* Loading the program is told apart; a `require` of a handler is a block like others. */
static void test_startup(void **state) {
    (void)state;
    struct scene scene = start(UNIT_NANOSECONDS);
    struct profile *profile = scene.profile;
    profile->has_waits = true;
    struct stack_id none = {0};
    struct stack_id main = push(profile, none, "main", "", FRAME_CPP);
    struct stack_id loader =
        push(profile, main, "Module._load", "node:internal/modules/cjs/loader", FRAME_JAVASCRIPT);
    struct stack_id program = push(profile, loader, "", "/srv/a.js", FRAME_JAVASCRIPT);
    struct stack_id lazy = push(profile, scene.handler, "Module._load",
                                "node:internal/modules/cjs/loader", FRAME_JAVASCRIPT);
    add_run(&scene, main, 0, 20, 1);
    add_run(&scene, program, 20, 90, 1);
    add_idle(&scene, 90, 200);
    add_run(&scene, lazy, 200, 260, 1);
    add_idle(&scene, 260, 300);
    find(&scene);
    assert_int_equal(scene.blocks->startup_count, 1);
    assert_block(&scene.blocks->startup[0], 0, 90);
    assert_true(scene.blocks->startup[0].startup);
    assert_int_equal(scene.blocks->count, 1);
    assert_int_equal(scene.blocks->number, 1);
    assert_block(&scene.blocks->blocks[0], 200, 260);
    assert_string_equal(scene.blocking->calls[scene.blocks->blocks[0].call - 1].name, "require");
    end(&scene);
}

/* Callbacks that follow one another: the stack is that of the largest, and the block says so. */
static void test_several_callbacks(void **state) {
    (void)state;
    struct scene scene = start(UNIT_NANOSECONDS);
    struct profile *profile = scene.profile;
    profile->has_waits = true;
    struct stack_id second = push(profile, scene.loop, "[js unknown]", "", FRAME_JAVASCRIPT);
    struct stack_id third = push(profile, scene.loop, "resumed", "/srv/b.js", FRAME_JAVASCRIPT);
    add_idle(&scene, 0, 10);
    add_run(&scene, scene.hash, 10, 50, 1);
    add_run(&scene, second, 50, 80, 1);
    add_run(&scene, third, 80, 110, 1);
    add_idle(&scene, 110, 200);
    find(&scene);
    const struct loop_block *block = &scene.blocks->blocks[0];
    assert_int_equal(scene.blocks->count, 1);
    assert_true(block->several);
    assert_true(block->at_most);
    assert_node(&scene, block->outer, "processTimers");
    assert_node(&scene, block->inner, "node::crypto::DeriveBits");
    end(&scene);
}

/* Threads are apart, and only those with an event loop count; of merged recordings, too. */
static void test_threads(void **state) {
    (void)state;
    struct scene scene = start(UNIT_NANOSECONDS);
    struct profile *profile = scene.profile;
    profile->has_waits = true;
    const struct profile_thread threads[] = {
        {.id = 8, .process_id = 7, .role = THREAD_WORKER, .runs_javascript = true},
        {.id = 9, .process_id = 7, .role = THREAD_LIBUV},
        {.id = 7, .process_id = 7, .role = THREAD_MAIN, .runs_javascript = true}, /* renamed */
        {.id = 7, .process_id = 7, .role = THREAD_MAIN, .runs_javascript = true, .input = 1},
    };
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
        profile_add_thread(profile, threads[i]);
    profile->merged_count = 1;
    for (uint32_t thread = 0; thread < 5; thread++)
        for (uint64_t time = 0; time < 30; time++)
            profile_add_sample(
                profile, (struct sample){.stack = scene.hash,
                                         .thread = thread,
                                         .count = 1,
                                         .weight = weight_of(1000000),
                                         .time = 1000 * (time + 100 + (thread == 3 ? 30 : 0))});
    find(&scene);
    const struct loop_blocks *blocks = scene.blocks;
    assert_int_equal(blocks->count, 3);
    assert_block(&blocks->blocks[0], 99, 159); /* both names of the main thread */
    assert_int_equal(blocks->blocks[0].thread, 3);
    assert_block(&blocks->blocks[1], 99, 129);
    assert_int_equal(blocks->blocks[1].thread, 1);
    assert_block(&blocks->blocks[2], 99, 129);
    assert_int_equal(blocks->blocks[2].thread, 4);
    end_view(&scene);
    find_in(&scene, &(struct view){.thread = "8"});
    assert_int_equal(scene.blocks->count, 1);
    assert_int_equal(scene.blocks->blocks[0].thread, 1);
    end(&scene);
}

/* Part of the time, and views and profiles that cannot tell. */
static void test_views(void **state) {
    (void)state;
    struct scene scene = start(UNIT_NANOSECONDS);
    scene.profile->has_waits = true;
    add_run(&scene, scene.hash, 0, 100, 1);
    add_idle(&scene, 100, 200);
    add_run(&scene, scene.hash, 200, 250, 1);
    find_in(&scene, &(struct view){.categories = 1u << FRAME_JAVASCRIPT});
    assert_null(scene.blocks);
    end_view(&scene);
    scene.profile->keep_times = true;
    find_in(&scene, &(struct view){.time_from_us = 150000});
    assert_int_equal(scene.blocks->count, 1);
    assert_block(&scene.blocks->blocks[0], 200, 250);
    end_view(&scene);
    scene.profile->unit = UNIT_COUNT;
    scene.profile->interval_us = 0;
    find_in(&scene, &(struct view){0});
    assert_null(scene.blocks);
    end(&scene);

    scene = start(UNIT_NANOSECONDS);
    find_in(&scene, &(struct view){0});
    assert_null(scene.blocks);
    end(&scene);
}

/* Samples that came out of order are put into it. */
static void test_order(void **state) {
    (void)state;
    struct scene scene = start(UNIT_NANOSECONDS);
    scene.profile->has_waits = true;
    add_run(&scene, scene.hash, 50, 80, 1);
    add_idle(&scene, 80, 200);
    add_idle(&scene, 0, 20);
    add_run(&scene, scene.handler, 20, 50, 1);
    find(&scene);
    assert_int_equal(scene.blocks->count, 1);
    assert_block(&scene.blocks->blocks[0], 20, 80);
    end(&scene);
}

/* More than ten: the longest are listed, all are counted; four million moments in a moment. */
static void test_many(void **state) {
    (void)state;
    struct scene scene = start(UNIT_NANOSECONDS);
    scene.profile->has_waits = true;
    enum { ROUNDS = 1000000 };
    for (uint64_t i = 0; i < ROUNDS; i++) {
        double from = 60.0 * (double)i;
        add_idle(&scene, from, from + 20);
        add(&scene, scene.handler, from + 20, from + 40);
        add(&scene, scene.hash, from + 40, from + 50);
        add(&scene, scene.handler, from + 50, from + 55 + (double)(i % 4));
    }
    assert_int_equal(scene.profile->moment_count, PROFILE_MOMENTS_MAX);
    add_idle(&scene, 60.0 * ROUNDS, 60.0 * ROUNDS + 20);
    assert_non_null(warnings_find(&scene.profile->warnings, "moments-left-out"));
    scene.tree = call_tree_build(scene.profile, &(struct view){0});
    scene.blocking = blocking_find(scene.tree);
    struct timespec before, behind;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    scene.blocks = loop_blocks_find(scene.tree, scene.blocking);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &behind);
    double seconds =
        (double)(behind.tv_sec - before.tv_sec) + (double)(behind.tv_nsec - before.tv_nsec) / 1e9;
    printf("%d moments: %.3f s\n", PROFILE_MOMENTS_MAX, seconds);
    assert_int_equal(scene.blocks->count, LOOP_BLOCKS_LISTED);
    assert_int_equal(scene.blocks->number, ROUNDS);
    assert_block(&scene.blocks->blocks[0], 20, 60);
    end(&scene);
}

static void test_names(void **state) {
    (void)state;
    assert_string_equal(loop_evidence_name(LOOP_BY_COUNTERS), "counters");
    assert_string_equal(loop_evidence_name(LOOP_BY_CPU_CLOCK), "cpu-clock");
    assert_null(loop_block_label_name(LOOP_BLOCK_UNKNOWN));
    assert_string_equal(loop_block_label_name(LOOP_BLOCK_THROTTLED), "throttled");
    loop_blocks_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_switches),
        cmocka_unit_test(test_cpu_clock),
        cmocka_unit_test(test_precision),
        cmocka_unit_test(test_idle_by_cpu_clock),
        cmocka_unit_test(test_wall_clock),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_throttled),
        cmocka_unit_test(test_startup),
        cmocka_unit_test(test_several_callbacks),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
