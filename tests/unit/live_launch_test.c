// SPDX-License-Identifier: MIT
/* Programs that are started and held back; this process as /proc shows it. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/live/counters.h"
#include "profiler/live/gates.h"
#include "profiler/live/launch.h"
#include "profiler/live/target.h"

static void wait_for(struct launch *launch) {
    for (int i = 0; i < 1000 && !launch_has_ended(launch); i++)
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    assert_true(launch->ended);
}

static int run(char *const *arguments, const char *const *environment) {
    struct launch launch;
    struct error error = {0};
    assert_true(launch_prepare(&launch, arguments, environment, &error));
    assert_false(launch_has_ended(&launch));
    assert_true(launch_release(&launch, &error));
    wait_for(&launch);
    launch_end(&launch, 0);
    return launch.status;
}

static void programs_run(void **state) {
    (void)state;
    assert_int_equal(run((char *[]){"true", NULL}, NULL), 0);
    assert_int_equal(WEXITSTATUS(run((char *[]){"false", NULL}, NULL)), 1);
    char *ask[] = {"sh", "-c", "test \"$FIRST $SECOND\" = 'one '\"$(echo two)\" && exit 7", NULL};
    setenv("SECOND", "old", 1);
    const char *environment[] = {"FIRST=one", "SECOND=two", NULL};
    assert_int_equal(WEXITSTATUS(run(ask, environment)), 7);
    /* What is ignored here is not ignored there. */
    char *pipe[] = {"sh", "-c", "kill -PIPE $$; exit 0", NULL};
    assert_true(WIFSIGNALED(run(pipe, NULL)));
}

static void no_such_program(void **state) {
    (void)state;
    struct launch launch;
    struct error error = {0};
    char *arguments[] = {"no-such-program-anywhere", NULL};
    setenv("PATH", "/usr/bin:/bin", 1);
    assert_true(launch_prepare(&launch, arguments, NULL, &error));
    assert_false(launch_release(&launch, &error));
    assert_int_equal(error.kind, ERROR_SAMPLE);
    assert_string_equal(error.text, "cannot start no-such-program-anywhere: no such program");
    assert_true(launch.ended);
    launch_end(&launch, 1000);
    char *folder[] = {"/", NULL};
    assert_true(launch_prepare(&launch, folder, NULL, &error));
    assert_false(launch_release(&launch, &error));
    assert_string_equal(error.text, "cannot start /: Permission denied");
}

static void programs_are_ended(void **state) {
    (void)state;
    struct launch launch;
    struct error error = {0};
    char *sleeping[] = {"sleep", "100", NULL};
    /* One that was never let go. */
    assert_true(launch_prepare(&launch, sleeping, NULL, &error));
    launch_end(&launch, 5000);
    assert_true(launch.ended);
    assert_true(launch_prepare(&launch, sleeping, NULL, &error));
    assert_true(launch_release(&launch, &error));
    launch_end(&launch, 5000);
    assert_true(WIFSIGNALED(launch.status) && WTERMSIG(launch.status) == SIGTERM);
    /* One that does not want to. */
    char *stubborn[] = {"sh", "-c", "trap '' TERM; while :; do :; done", NULL};
    assert_true(launch_prepare(&launch, stubborn, NULL, &error));
    assert_true(launch_release(&launch, &error));
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    launch_end(&launch, 50);
    assert_true(WIFSIGNALED(launch.status) && WTERMSIG(launch.status) == SIGKILL);
    /* One that was killed before it was let go. */
    assert_true(launch_prepare(&launch, sleeping, NULL, &error));
    kill(launch.process_id, SIGKILL);
    wait_for(&launch);
    assert_false(launch_release(&launch, &error));
    assert_string_equal(error.text, "sleep was ended before it could start");
}

static void this_process(void **state) {
    (void)state;
    struct target target;
    struct error error = {0};
    assert_true(target_read(&target, getpid(), &error));
    assert_int_equal(target.process_id, getpid());
    assert_int_equal(target.parent, getppid());
    assert_int_equal(target.owner, getuid());
    assert_false(target.is_node || target.deleted || target.has_perf_map);
    assert_non_null(strstr(target.executable, "live_launch_test"));
    assert_non_null(strstr(target.command_line, "live_launch_test"));
    pid_t *threads;
    assert_int_equal(target_threads(getpid(), &threads), 1);
    free(threads);

    uint64_t bytes = 0;
    assert_true(counters_read_rss(getpid(), &bytes) && bytes > 100000);
    uint64_t before = counters_clock();
    assert_true(counters_clock() >= before && before > 0);
    assert_true(counters_own_cpu_us() < 60000000);
}

static void other_processes(void **state) {
    (void)state;
    struct target target;
    struct error error = {0};
    char text[64];
    assert_false(target_read(&target, 0, &error));
    assert_string_equal(error.text, "there is no process 0");
    assert_int_equal(error.kind, ERROR_SAMPLE);
    /* A child: held back, listed, then a zombie. */
    struct launch launch;
    char *arguments[] = {"true", NULL};
    assert_true(launch_prepare(&launch, arguments, NULL, &error));
    pid_t *children;
    size_t count = target_children(getpid(), &children);
    bool found = false;
    for (size_t i = 0; i < count; i++)
        found |= children[i] == launch.process_id;
    free(children);
    assert_true(found);
    assert_true(launch_release(&launch, &error));
    siginfo_t information;
    assert_int_equal(waitid(P_PID, (id_t)launch.process_id, &information, WEXITED | WNOWAIT), 0);
    uint64_t bytes;
    assert_false(counters_read_rss(launch.process_id, &bytes));
    assert_false(target_read(&target, launch.process_id, &error));
    snprintf(text, sizeof text, "process %d has ended", launch.process_id);
    assert_string_equal(error.text, text);
    assert_true(launch_has_ended(&launch));
}

static void refusals_are_explained(void **state) {
    (void)state;
    struct error error = {0};
    static const int numbers[] = {1, 2, 3, 12, 13, 22, 23, 24, 38, 95};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        error = (struct error){0};
        gates_explain_refusal(&error, numbers[i], getpid());
        assert_int_equal(error.kind, ERROR_SAMPLE);
        /* Whole: not cut at the end of the room. */
        assert_true(strlen(error.text) > 20 && strlen(error.text) < sizeof error.text - 8);
    }
    gates_explain_refusal(&error, 1, 0);
    assert_non_null(strstr(error.text, "seccomp"));
    assert_non_null(strstr(error.text, "--cap-add PERFMON"));
}

static void gates_have_fixes(void **state) {
    (void)state;
    struct gates gates;
    gates_try(&gates, getpid());
    assert_true(gates.count >= 8 && gates.count <= GATES_MAX);
    for (size_t i = 0; i < gates.count; i++) {
        assert_true(gates.items[i].value[0] != '\0');
        assert_true(gates.items[i].open == (gates.items[i].fix[0] == '\0'));
        /* What the kernel says of a machine without counters is no file. */
        if (strcmp(gates.items[i].name, "hardware-cycles") == 0)
            assert_null(strstr(gates.items[i].value, "file"));
    }
    assert_true(strcmp(gates.route, "perf_event") == 0 || strcmp(gates.route, "none") == 0);
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_run),       cmocka_unit_test(no_such_program),
        cmocka_unit_test(programs_are_ended), cmocka_unit_test(this_process),
        cmocka_unit_test(other_processes),    cmocka_unit_test(refusals_are_explained),
        cmocka_unit_test(gates_have_fixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
