// SPDX-License-Identifier: MIT
#include "tests/unit/tally_support.h"

#include <string.h>

#include "fold/tally/thread_roles.h"

enum { PROCESS = 100 };

static uint32_t add_thread(struct profile *profile, uint64_t id, const char *name) {
    return profile_add_thread(
        profile, (struct profile_thread){.name = profile_intern(profile, text_of(name)),
                                         .id = id,
                                         .process_id = PROCESS,
                                         .role_by_stacks = true});
}

/* A sample of native functions, `;` between them; names with `/` are JavaScript. */
static void add(struct profile *profile, uint32_t thread, const char *stack, uint64_t weight) {
    struct sample sample = {.thread = thread, .weight = weight_of(weight), .count = 1};
    while (*stack) {
        size_t size = strcspn(stack, ";");
        struct text name = {stack, size};
        struct frame frame = {
            .kind = text_contains(name, TEXT("/")) ? FRAME_JAVASCRIPT
                    : name.data[0] == '['          ? FRAME_LIBRARY
                                                   : FRAME_CPP,
            .name = name.data[0] == '[' ? (struct string_id){0} : profile_intern(profile, name),
            .module = name.data[0] == '[' ? profile_intern(profile, TEXT("/lib/libc.so.6"))
                                          : (struct string_id){0},
        };
        sample.stack = profile_push(profile, sample.stack, profile_frame(profile, &frame));
        stack += size + (stack[size] == ';');
    }
    profile_add_sample(profile, sample);
}

static void assert_role(const struct profile *profile, uint32_t row, const char *role,
                        bool runs_javascript) {
    const struct profile_thread *thread = &profile->threads[row];
    assert_string_equal(thread_role_name(thread->role), role);
    assert_int_equal(thread->runs_javascript, runs_javascript);
    assert_false(thread->role_by_stacks);
}

#define PLATFORM "start_thread;node::(anonymous namespace)::PlatformWorkerThread;"

/* Node 16 to 20: every thread is called `node`. */
static void by_stacks(void **state) {
    (void)state;
    struct profile *profile = profile_new();
    uint32_t main = add_thread(profile, PROCESS, "node");
    uint32_t platform = add_thread(profile, 101, "node");
    uint32_t pool = add_thread(profile, 102, "node");
    uint32_t stripped_pool = add_thread(profile, 103, "node");
    uint32_t worker = add_thread(profile, 104, "node");
    uint32_t inspector = add_thread(profile, 105, "node");
    uint32_t scheduler = add_thread(profile, 106, "node");
    uint32_t unknown = add_thread(profile, 107, "node");
    uint32_t cut_worker = add_thread(profile, 108, "node");
    add(profile, main, "main;node::Start;node::NodeMainInstance::Run;/a.js", 5);
    add(profile, platform, PLATFORM "v8::internal::Sweeper::SweeperJob::Run", 5);
    add(profile, pool, "clone3;start_thread;worker;node::ThreadPoolWork::ScheduleWork", 5);
    add(profile, pool, "__libc_start_main;odd", 4);
    add(profile, stripped_pool, "[libc];[libc];worker;uv__fs_work", 5);
    add(profile, worker,
        "start_thread;node::worker::Worker::StartThread;node::worker::Worker::Run;/w.js", 5);
    add(profile, inspector,
        "start_thread;node::inspector::(anonymous namespace)::StartIoThreadMain;uv_run", 5);
    add(profile, scheduler,
        "start_thread;node::WorkerThreadsTaskRunner::DelayedTaskScheduler::Start;uv_run", 5);
    add(profile, unknown, "__brk", 5);
    add(profile, cut_worker, "/w.js;node::fs::Read", 5);
    thread_roles_decide(profile);
    assert_role(profile, main, "main", true);
    assert_role(profile, platform, "v8", false);
    assert_role(profile, pool, "libuv", false);
    assert_role(profile, stripped_pool, "libuv", false);
    assert_role(profile, worker, "worker", true);
    assert_role(profile, inspector, "other", false);
    assert_role(profile, scheduler, "v8", false);
    assert_role(profile, unknown, "other", false);
    assert_role(profile, cut_worker, "worker", true);
    profile_free(profile);
}

static void by_name(void **state) {
    (void)state;
    static const struct {
        const char *name, *role;
        bool runs_javascript;
    } cases[] = {
        {"V8Worker", "v8", false},           {"node-V8Worker", "v8", false},
        {"DelayedTaskSche", "v8", false},    {"libuv-worker", "libuv", false},
        {"SignalInspector", "other", false}, {"iou-wrk-1234", "other", false},
        {"iou-sqp-1234", "other", false},    {"MainThread", "main", true},
        {"node-MainThread", "main", true},   {"bash", "other", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct profile *profile = profile_new();
        uint32_t row = add_thread(profile, 7, cases[i].name);
        add(profile, row, "memcpy", 1);
        thread_roles_decide(profile);
        assert_role(profile, row, cases[i].role, cases[i].runs_javascript);
        profile_free(profile);
    }
}

/* The heavier evidence counts, and the stack before the name. */
static void majority(void **state) {
    (void)state;
    struct profile *profile = profile_new();
    uint32_t row = add_thread(profile, 7, "libuv-worker");
    add(profile, row, "start_thread;worker;read", 2);
    add(profile, row, PLATFORM "read", 3);
    thread_roles_decide(profile);
    assert_role(profile, row, "v8", false);
    profile_free(profile);
}

/* A thread that changed its name is one thread, whose rows have one role. */
static void renamed(void **state) {
    (void)state;
    struct profile *profile = profile_new();
    uint32_t first = add_thread(profile, 101, "node");
    uint32_t second = add_thread(profile, 101, "V8Worker");
    uint32_t main = add_thread(profile, PROCESS, "MainThread");
    uint32_t nameless =
        profile_add_thread(profile, (struct profile_thread){.role_by_stacks = true});
    add(profile, first, "_dl_start", 1);
    add(profile, main, "[libc];[node]", 1);
    thread_roles_decide(profile);
    assert_role(profile, first, "v8", false);
    assert_role(profile, second, "v8", false);
    /* No name of JavaScript anywhere: the main thread is taken to run it. */
    assert_role(profile, main, "main", true);
    uint32_t groups[4];
    assert_int_equal(thread_rows_group(profile, groups), 3);
    assert_int_equal(groups[first], groups[second]);
    assert_int_not_equal(groups[first], groups[main]);
    assert_int_equal(groups[nameless], 2);
    profile_free(profile);

    /* Isolate logs count isolates; the numbers of perf script are the system's. */
    profile = profile_new();
    for (int i = 0; i < 2; i++)
        profile_add_thread(profile, (struct profile_thread){.id = 7});
    assert_int_equal(thread_rows_group(profile, groups), 2);
    profile->native_stacks = true;
    assert_int_equal(thread_rows_group(profile, groups), 1);
    profile_free(profile);
}

/* Readers that know roles keep them. */
static void known_roles(void **state) {
    (void)state;
    struct profile *profile = profile_new();
    profile_add_thread(profile, (struct profile_thread){.id = 1, .role = THREAD_WORKER});
    add(profile, 0, "main;/a.js", 1);
    thread_roles_decide(profile);
    assert_int_equal(profile->threads[0].role, THREAD_WORKER);
    assert_false(profile->threads[0].runs_javascript);
    profile_free(profile);
}

/* Of several processes the one that runs JavaScript does. */
static void other_processes(void **state) {
    (void)state;
    struct profile *profile = profile_new();
    uint32_t node = add_thread(profile, PROCESS, "node");
    uint32_t shell = profile_add_thread(
        profile, (struct profile_thread){.id = 9, .process_id = 9, .role_by_stacks = true});
    add(profile, node, "main;node::Start;/a.js", 1);
    add(profile, shell, "_start;main;execute_command", 1);
    thread_roles_decide(profile);
    assert_role(profile, node, "main", true);
    assert_role(profile, shell, "main", false);
    profile_free(profile);
}

/* Cost grows with rows, not with rows by rows. */
static void many_threads(void **state) {
    (void)state;
    struct profile *profile = profile_new();
    enum { THREADS = 100000 };
    for (uint32_t i = 0; i < THREADS; i++) {
        add_thread(profile, PROCESS + i, i % 2 ? "V8Worker" : "node");
        add(profile, i, i % 2 ? "memcpy" : "start_thread;worker;read", 1);
    }
    thread_roles_decide(profile);
    assert_role(profile, 0, "main", true);
    assert_role(profile, THREADS - 1, "v8", false);
    assert_role(profile, THREADS - 2, "libuv", false);
    struct view view = {.keep_threads = true};
    struct call_tree *tree = call_tree_build(profile, &view);
    assert_int_equal(tree->total.whole, THREADS);
    call_tree_free(tree);
    profile_free(profile);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_stacks),    cmocka_unit_test(by_name),
        cmocka_unit_test(majority),     cmocka_unit_test(renamed),
        cmocka_unit_test(known_roles),  cmocka_unit_test(other_processes),
        cmocka_unit_test(many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
