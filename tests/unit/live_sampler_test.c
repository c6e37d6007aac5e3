// SPDX-License-Identifier: MIT
/* The sampler on real processes: children of the test. Skipped where perf events are refused. */
#include <linux/perf_event.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/live/counters.h"
#include "profiler/live/launch.h"
#include "profiler/live/sampler.h"

enum { THREADS_MAX = 64 };

/* What the sampler told. */
struct seen {
    uint64_t records, samples, lost, names, mappings, last_time;
    bool disordered;
    bool strangers; /* records of processes that were not asked for */
    pid_t allowed[2];
    uint32_t threads[THREADS_MAX];
    uint64_t thread_samples[THREADS_MAX];
    size_t thread_count;
};

static void see(void *context, const struct perf_record *record,
                const struct perf_attribute *attribute) {
    struct seen *seen = context;
    assert_true(attribute->sample_id_all);
    seen->records++;
    if (record->time > 0) {
        seen->disordered |= record->time < seen->last_time;
        seen->last_time = record->time;
    }
    seen->lost += record->lost;
    if (record->type == PERF_LOST)
        return;
    if (seen->allowed[0])
        seen->strangers |= (pid_t)record->process_id != seen->allowed[0] &&
                           (pid_t)record->process_id != seen->allowed[1];
    seen->names += record->type == PERF_COMM;
    seen->mappings += record->type == PERF_MMAP2;
    if (record->type != PERF_SAMPLE)
        return;
    seen->samples++;
    assert_true(record->chain_size > 0 && record->period > 0);
    size_t i = 0;
    while (i < seen->thread_count && seen->threads[i] != record->thread_id)
        i++;
    if (i == seen->thread_count && seen->thread_count < THREADS_MAX)
        seen->threads[seen->thread_count++] = record->thread_id;
    if (i < THREADS_MAX)
        seen->thread_samples[i]++;
}

static uint64_t samples_of(const struct seen *seen, pid_t thread_id) {
    for (size_t i = 0; i < seen->thread_count; i++) {
        if (seen->threads[i] == (uint32_t)thread_id)
            return seen->thread_samples[i];
    }
    return 0;
}

/* CPU time in milliseconds. */
static uint64_t cpu_time(clockid_t clock) {
    struct timespec now;
    assert_int_equal(clock_gettime(clock, &now), 0);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Takes some milliseconds of CPU time; with 0 as much as there is, for a minute. */
static void *burn(void *milliseconds) {
    uint64_t length = milliseconds ? (uint64_t)(uintptr_t)milliseconds : 60000;
    uint64_t end = cpu_time(CLOCK_THREAD_CPUTIME_ID) + length;
    volatile uint64_t rounds = 0;
    while (cpu_time(CLOCK_THREAD_CPUTIME_ID) < end)
        rounds = rounds + 1;
    return NULL;
}

/* Starts a child that runs `body`; it says when it has begun. */
static pid_t start_child(void (*body)(void)) {
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        /* Whatever happens to the test. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        ssize_t written = write(ready[1], "", 1);
        (void)written;
        body();
        _exit(0);
    }
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return child;
}

static void end_child(pid_t child) {
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static struct sampler *open_or_skip(const struct sampler_options *options) {
    struct error error = {0};
    struct sampler *sampler = sampler_open(options, &error);
    if (sampler)
        return sampler;
    assert_int_equal(error.kind, ERROR_SAMPLE);
    print_message("%s\n", error.text);
    for (size_t i = 0; i < options->process_count; i++)
        end_child(options->processes[i]);
    skip();
    return NULL;
}

/* Samples for some milliseconds; returns whether the targets still ran. */
static bool sample_for(struct sampler *sampler, int milliseconds) {
    uint64_t end = counters_clock() + (uint64_t)milliseconds * 1000000;
    bool live = true;
    while (live && counters_clock() < end)
        live = sampler_poll(sampler, 50, -1);
    return live;
}

static void burn_for_ever(void) {
    burn(NULL);
}

/* First alone, then with a thread. */
static void thread_later(void) {
    pthread_t thread;
    burn((void *)100);
    pthread_create(&thread, NULL, burn, NULL);
    burn(NULL);
}

static void check_later_thread(const struct sampler_options *given, bool by_thread) {
    pid_t child = start_child(thread_later);
    struct seen seen = {.allowed = {child}};
    struct sampler_options options = *given;
    struct error error = {0};
    options.processes = &child;
    options.process_count = 1;
    struct sampler *sampler = open_or_skip(&options);
    assert_int_equal(sampler_state(sampler)->by_thread, by_thread);
    assert_true(sampler_start(sampler, see, &seen, &error));
    /* The snapshot comes first. */
    assert_true(seen.names == 1 && seen.mappings > 1);
    /* On a busy machine it takes longer. */
    size_t threads = options.main_thread_only ? 1 : 2;
    for (int tries = 0; tries < 100; tries++) {
        assert_true(sample_for(sampler, 300));
        if (seen.thread_count == threads &&
            seen.samples - samples_of(&seen, child) > 20 * (threads - 1) &&
            samples_of(&seen, child) > 200)
            break;
    }
    sampler_stop(sampler);
    assert_false(seen.disordered || seen.strangers);
    assert_true(seen.lost == 0);
    assert_int_equal(seen.thread_count, threads);
    assert_true(samples_of(&seen, child) > 20);
    assert_true(threads == 1 || seen.samples - samples_of(&seen, child) > 20);
    sampler_close(sampler);
    end_child(child);
}

static void threads_made_later_are_sampled(void **state) {
    (void)state;
    check_later_thread(&(struct sampler_options){.frequency = 499}, false);
}

static void the_main_thread_alone(void **state) {
    (void)state;
    check_later_thread(&(struct sampler_options){.frequency = 499, .main_thread_only = true}, true);
}

/* The last test: this process does not get its limit back. */
static void few_descriptors(void **state) {
    (void)state;
    struct rlimit limit = {40, 40};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    check_later_thread(&(struct sampler_options){.frequency = 499}, true);
}

static void the_end_is_seen(void **state) {
    (void)state;
    pid_t child = start_child(burn_for_ever);
    struct seen seen = {.allowed = {child}};
    struct sampler_options options = {.processes = &child, .process_count = 1, .frequency = 499};
    struct error error = {0};
    struct sampler *sampler = open_or_skip(&options);
    assert_true(sampler_start(sampler, see, &seen, &error));
    for (int tries = 0; tries < 100 && seen.samples <= 20; tries++)
        assert_true(sample_for(sampler, 100));
    end_child(child);
    uint64_t begun = counters_clock();
    assert_false(sample_for(sampler, 20000));
    assert_true(counters_clock() - begun < 10000000000);
    /* And again: without waiting. */
    assert_false(sampler_poll(sampler, 1000, -1));
    sampler_stop(sampler);
    sampler_stop(sampler);
    assert_true(seen.samples > 20);
    sampler_close(sampler);
    /* Now there is nothing to be sampled. */
    assert_null(sampler_open(&options, &error));
    char text[64];
    snprintf(text, sizeof text, "process %d has ended", child);
    assert_string_equal(error.text, text);
}

static void waiting_is_interrupted(void **state) {
    (void)state;
    int wake[2];
    assert_int_equal(pipe(wake), 0);
    assert_int_equal(write(wake[1], "x", 1), 1);
    pid_t child = start_child((void (*)(void))pause);
    struct seen seen = {.allowed = {child}};
    struct sampler_options options = {.processes = &child, .process_count = 1, .frequency = 99};
    struct error error = {0};
    struct sampler *sampler = open_or_skip(&options);
    assert_true(sampler_start(sampler, see, &seen, &error));
    uint64_t begun = counters_clock();
    assert_true(sampler_poll(sampler, 10000, wake[0]));
    assert_true(counters_clock() - begun < 9000000000);
    sampler_close(sampler);
    close(wake[0]);
    close(wake[1]);
    end_child(child);
}

/* Forks a child that computes, and computes. */
static void fork_later(void) {
    burn((void *)200);
    pid_t child = fork();
    burn((void *)600);
    if (child > 0)
        waitpid(child, NULL, 0);
}

static void check_children(bool children, bool main_thread_only) {
    pid_t child = start_child(fork_later);
    struct seen seen = {.allowed = {children ? 0 : child}};
    struct sampler_options options = {.processes = &child,
                                      .process_count = 1,
                                      .frequency = 499,
                                      .children = children,
                                      .main_thread_only = main_thread_only};
    struct error error = {0};
    struct sampler *sampler = open_or_skip(&options);
    assert_true(sampler_start(sampler, see, &seen, &error));
    assert_false(sample_for(sampler, 60000));
    sampler_stop(sampler);
    assert_false(seen.disordered || seen.strangers);
    assert_int_equal(seen.thread_count, children ? 2 : 1);
    assert_true(samples_of(&seen, child) > 20);
    if (children)
        assert_true(seen.samples - samples_of(&seen, child) > 20);
    sampler_close(sampler);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void children_are_followed_when_asked(void **state) {
    (void)state;
    check_children(false, false);
    check_children(true, false);
    check_children(true, true);
}

static void programs_are_seen_from_their_start(void **state) {
    (void)state;
    struct launch launch;
    struct error error = {0};
    char *arguments[] = {"sh", "-c", "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done", NULL};
    assert_true(launch_prepare(&launch, arguments, NULL, &error));
    struct seen seen = {.allowed = {launch.process_id}};
    struct sampler_options options = {.processes = &launch.process_id,
                                      .process_count = 1,
                                      .enable_on_exec = true,
                                      .frequency = 999};
    struct sampler *sampler = open_or_skip(&options);
    assert_true(sampler_start(sampler, see, &seen, &error));
    assert_true(sampler_poll(sampler, 1, -1));
    assert_true(seen.records == 0);
    assert_true(launch_release(&launch, &error));
    assert_false(sample_for(sampler, 20000));
    sampler_stop(sampler);
    assert_false(seen.disordered || seen.strangers);
    assert_true(seen.names >= 1 && seen.mappings > 1 && seen.samples > 5);
    sampler_close(sampler);
    launch_end(&launch, 0);
    assert_int_equal(launch.status, 0);
}

static void what_is_lost_is_counted(void **state) {
    (void)state;
    pid_t child = start_child(burn_for_ever);
    struct seen seen = {.allowed = {child}};
    struct sampler_options options = {
        .processes = &child, .process_count = 1, .frequency = 20000, .ring_bytes = 1};
    struct error error = {0};
    struct sampler *sampler = open_or_skip(&options);
    assert_true(sampler_state(sampler)->ring_bytes == 32 * 1024);
    assert_true(sampler_start(sampler, see, &seen, &error));
    /* Nobody reads meanwhile. */
    clockid_t clock;
    assert_int_equal(clock_getcpuclockid(child, &clock), 0);
    for (uint64_t start = cpu_time(clock); cpu_time(clock) - start < 300;)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    for (int tries = 0; tries < 100 && seen.lost <= 100; tries++)
        assert_true(sample_for(sampler, 100));
    sampler_stop(sampler);
    assert_true(seen.samples > 100 && seen.lost > 100);
    assert_false(seen.disordered || seen.strangers);
    sampler_close(sampler);
    end_child(child);
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_made_later_are_sampled),
        cmocka_unit_test(the_main_thread_alone),
        cmocka_unit_test(the_end_is_seen),
        cmocka_unit_test(waiting_is_interrupted),
        cmocka_unit_test(children_are_followed_when_asked),
        cmocka_unit_test(programs_are_seen_from_their_start),
        cmocka_unit_test(what_is_lost_is_counted),
        cmocka_unit_test(few_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
