// SPDX-License-Identifier: MIT
#include "tests/unit/tally_support.h"

#include <elf.h>
#include <string.h>

#include "profiler/symbol/native_names.h"
#include "profiler/trace/perf_machine.h"

/* A machine, and what it gave out. */
struct machine_under_test {
    struct profile *profile;
    struct symbol_source *source;
    struct native_names *names;
    struct perf_machine *machine;
    struct perf_attribute attribute;
    struct machine_sample samples[64];
    size_t count;
};

static void take(void *context, const struct machine_sample *sample) {
    struct machine_under_test *test = context;
    assert_true(test->count < 64);
    test->samples[test->count++] = *sample;
}

static void set_up_waits(struct machine_under_test *test, uint64_t stack_limit, bool waits) {
    *test = (struct machine_under_test){.profile = profile_new()};
    test->source = symbol_source_open(&(struct symbol_options){.mode = SYMBOLS_NONE});
    struct native_names_options names = {.source = test->source, .no_symbols = true};
    test->names = native_names_open(test->profile, &names);
    struct perf_machine_options options = {.names = test->names,
                                           .elf_machine = EM_X86_64,
                                           .stack_limit = stack_limit,
                                           .waits = waits,
                                           .take = take,
                                           .context = test};
    test->machine = perf_machine_open(test->profile, &options);
    test->attribute.sample_type = 1 | 32; /* address, chain */
}

static void set_up(struct machine_under_test *test, uint64_t stack_limit) {
    set_up_waits(test, stack_limit, false);
}

static void tear_down(struct machine_under_test *test) {
    perf_machine_close(test->machine);
    native_names_close(test->names);
    symbol_source_close(test->source);
    profile_free(test->profile);
}

static void feed(struct machine_under_test *test, struct perf_record record) {
    perf_machine_record(test->machine, &record, &test->attribute, 0);
}

static void map(struct machine_under_test *test, uint32_t process, uint64_t start,
                const char *path) {
    feed(test, (struct perf_record){.type = PERF_MMAP2,
                                    .process_id = process,
                                    .start = start,
                                    .size = 0x1000,
                                    .name = text_of(path),
                                    .executable = true});
}

static void sample_chain(struct machine_under_test *test, uint32_t process, uint32_t thread,
                         const uint64_t *chain, size_t size) {
    feed(test, (struct perf_record){.type = PERF_SAMPLE,
                                    .misc = 2,
                                    .process_id = process,
                                    .thread_id = thread,
                                    .address = 0x1234,
                                    .period = 10,
                                    .chain = (const unsigned char *)chain,
                                    .chain_size = size});
}
#define SAMPLE(test, process, thread, ...)                                                         \
    do {                                                                                           \
        const uint64_t numbers[] = {__VA_ARGS__};                                                  \
        sample_chain(test, process, thread, numbers, sizeof numbers / sizeof *numbers);            \
    } while (0)

#define KERNEL PERF_CONTEXT_KERNEL
#define USER   PERF_CONTEXT_USER
#define K(n)   (0xffffffff81000000 + (n))

/* The stack of a sample, outermost first, as text. */
static void check_stack(const struct machine_under_test *test, size_t sample, const char *wanted) {
    struct stack_id stack = perf_machine_stack(test->machine, test->samples[sample].row);
    struct buffer text = {0};
    struct text frames[256];
    size_t count = 0;
    const struct profile *profile = test->profile;
    for (; stack.index; stack = stack_table_parent(&profile->stacks, stack)) {
        const struct frame *frame =
            frame_table_get(&profile->frames, stack_table_frame(&profile->stacks, stack));
        frames[count++] = profile_text(profile, frame->name.index ? frame->name : frame->module);
    }
    while (count-- > 0) {
        buffer_append_text(&text, frames[count]);
        buffer_append_byte(&text, ' ');
    }
    buffer_append_byte(&text, '\0');
    assert_string_equal(text.data, wanted);
    buffer_free(&text);
}

static void test_chains(void **state) {
    (void)state;
    struct machine_under_test test;
    set_up(&test, 0);
    map(&test, 1, 0x1000, "/a");
    map(&test, 1, 0x2000, "/b");
    SAMPLE(&test, 1, 1, USER, 0x1010, 0x2010, 0x1020);
    SAMPLE(&test, 1, 1, USER, 0x1010, 0x2010, 0x1020); /* the same */
    SAMPLE(&test, 1, 1, KERNEL, K(1), K(2), K(3), USER, 0x1010, 0x2010, 0x1020);
    SAMPLE(&test, 1, 1, KERNEL, K(1), K(2));           /* in the kernel only */
    SAMPLE(&test, 1, 1, USER, 0x2010, 0x1020);         /* no return here */
    SAMPLE(&test, 1, 1, USER, 0x1010, 0x2000, 0x1020); /* returns behind the end of /a */
    SAMPLE(&test, 1, 1, USER);                         /* the address stands in */
    sample_chain(&test, 1, 1, NULL, 0);
    perf_machine_finish(test.machine);
    check_stack(&test, 0, "/a /b /a ");
    assert_int_equal(test.samples[1].row, test.samples[0].row);
    check_stack(&test, 2, "/a /b /a [kernel] ");
    check_stack(&test, 3, "[kernel] ");
    check_stack(&test, 4, "/a /b ");
    check_stack(&test, 5, "/a /a /a ");
    check_stack(&test, 6, "/a ");
    check_stack(&test, 7, "/a ");
    assert_int_equal(test.profile->sampling.cut, 0);
    tear_down(&test);
}

/* Outer ends that are no code are dropped, inner ones stay. */
static void test_cut(void **state) {
    (void)state;
    struct machine_under_test test;
    set_up(&test, 0);
    map(&test, 1, 0x1000, "/a");
    SAMPLE(&test, 1, 1, USER, 0x1010, 0x2030662030383935, 0x77);
    SAMPLE(&test, 1, 1, USER, 0x1010, 0x77, 0x1020);
    SAMPLE(&test, 1, 1, USER, 0x99); /* where it ran: no debris */
    SAMPLE(&test, 1, 1, USER, 0x1010, 0x77);
    SAMPLE(&test, 1, 1, USER, 0x1018, 0x77);
    SAMPLE(&test, 1, 1, USER, 0x1018, 0x1010);
    perf_machine_finish(test.machine);
    check_stack(&test, 0, "/a ");
    check_stack(&test, 1, "/a [unknown] /a ");
    check_stack(&test, 2, "[unknown] ");
    check_stack(&test, 3, "/a ");
    check_stack(&test, 4, "/a ");
    check_stack(&test, 5, "/a /a ");
    assert_int_equal(test.profile->sampling.cut, 3);
    tear_down(&test);
}

static void test_truncated(void **state) {
    (void)state;
    struct machine_under_test test;
    set_up(&test, 3);
    map(&test, 1, 0x1000, "/a");
    SAMPLE(&test, 1, 1, USER, 0x1010, 0x1020);
    SAMPLE(&test, 1, 1, USER, 0x1010, 0x1020, 0x1030);
    SAMPLE(&test, 1, 1, KERNEL, K(1), USER, 0x1010, 0x1020);
    perf_machine_finish(test.machine);
    check_stack(&test, 0, "/a /a ");
    check_stack(&test, 1, "[truncated] /a /a /a ");
    check_stack(&test, 2, "[truncated] /a /a [kernel] ");
    assert_int_equal(test.profile->sampling.truncated, 2);
    assert_int_equal(test.profile->stack_limit, 3);
    tear_down(&test);
}

static void name(struct machine_under_test *test, uint32_t process, uint32_t thread,
                 const char *text, bool is_exec) {
    feed(test, (struct perf_record){.type = PERF_COMM,
                                    .process_id = process,
                                    .thread_id = thread,
                                    .name = text_of(text),
                                    .is_exec = is_exec});
}

static void begin_task(struct machine_under_test *test, uint32_t process, uint32_t thread,
                       uint32_t parent, uint32_t parent_thread) {
    feed(test, (struct perf_record){.type = PERF_FORK,
                                    .process_id = process,
                                    .thread_id = thread,
                                    .parent_process_id = parent,
                                    .parent_thread_id = parent_thread});
}

static void check_thread(const struct machine_under_test *test, size_t sample, uint32_t process,
                         uint32_t thread, const char *wanted) {
    const struct profile_thread *row = &test->profile->threads[test->samples[sample].thread];
    assert_int_equal(row->process_id, process);
    assert_int_equal(row->id, thread);
    assert_string_equal(profile_text(test->profile, row->name).data, wanted);
    assert_true(row->role_by_stacks && row->runs_javascript);
}

static void test_threads_and_processes(void **state) {
    (void)state;
    struct machine_under_test test;
    set_up(&test, 0);
    name(&test, 1, 1, "bash", false);
    map(&test, 1, 0x1000, "/bash");
    begin_task(&test, 2, 2, 1, 1); /* a process, a copy of bash */
    SAMPLE(&test, 2, 2, USER, 0x1010);
    name(&test, 2, 2, "node", true);
    SAMPLE(&test, 2, 2, USER, 0x1010); /* nothing is mapped any more */
    map(&test, 2, 0x1000, "/node");
    SAMPLE(&test, 2, 2, USER, 0x1010);
    begin_task(&test, 2, 3, 2, 2); /* a thread */
    SAMPLE(&test, 2, 3, USER, 0x1010);
    name(&test, 2, 3, "V8Worker", false);
    SAMPLE(&test, 2, 3, USER, 0x1010);
    SAMPLE(&test, 1, 1, USER, 0x1010);
    feed(&test, (struct perf_record){.type = PERF_EXIT, .process_id = 2, .thread_id = 3});
    SAMPLE(&test, 2, 3, USER, 0x1010); /* late */
    SAMPLE(&test, 1, 3, USER, 0x1010); /* the id again, in another process */
    SAMPLE(&test, 9, 9, USER, 0x1010); /* never heard of */
    perf_machine_finish(test.machine);
    check_thread(&test, 0, 2, 2, "bash");
    check_stack(&test, 0, "/bash ");
    check_thread(&test, 1, 2, 2, "node");
    check_stack(&test, 1, "[unknown] ");
    check_stack(&test, 2, "/node ");
    check_thread(&test, 3, 2, 3, "node");
    check_thread(&test, 4, 2, 3, "V8Worker");
    check_thread(&test, 5, 1, 1, "bash");
    check_stack(&test, 5, "/bash ");
    assert_int_equal(test.samples[6].thread, test.samples[4].thread);
    check_thread(&test, 7, 1, 3, "bash");
    check_stack(&test, 7, "/bash ");
    check_thread(&test, 8, 9, 9, "");
    tear_down(&test);
}

/* A mapping changes what the addresses of the chain before were. */
static void test_mappings_over_time(void **state) {
    (void)state;
    struct machine_under_test test;
    set_up(&test, 0);
    map(&test, 1, 0x1000, "/a");
    SAMPLE(&test, 1, 1, USER, 0x1010, 0x1020);
    map(&test, 1, 0x1000, "/b");
    SAMPLE(&test, 1, 1, USER, 0x1010, 0x1020);
    perf_machine_resolve(test.machine);
    check_stack(&test, 0, "/a /a ");
    check_stack(&test, 1, "/b /b ");
    perf_machine_finish(test.machine);
    tear_down(&test);
}

static void test_deferred(void **state) {
    (void)state;
    struct machine_under_test test;
    set_up(&test, 0);
    map(&test, 1, 0x1000, "/a");
    SAMPLE(&test, 1, 1, KERNEL, K(1), PERF_CONTEXT_USER_DEFERRED, 5);
    SAMPLE(&test, 1, 2, KERNEL, K(1), PERF_CONTEXT_USER_DEFERRED, 5);
    SAMPLE(&test, 1, 1, PERF_CONTEXT_USER_DEFERRED, 5);
    assert_int_equal(test.count, 0);
    const uint64_t user[] = {0x1010, 0x1020};
    feed(&test, (struct perf_record){.type = PERF_CALL_CHAIN_DEFERRED,
                                     .process_id = 1,
                                     .thread_id = 1,
                                     .cookie = 5,
                                     .chain = (const unsigned char *)user,
                                     .chain_size = 2});
    assert_int_equal(test.count, 2);
    perf_machine_finish(test.machine);
    assert_int_equal(test.count, 3);
    check_stack(&test, 0, "/a /a [kernel] ");
    check_stack(&test, 1, "/a /a ");
    check_stack(&test, 2, "[truncated] [kernel] ");
    tear_down(&test);
}

static void test_registers(void **state) {
    (void)state;
    struct machine_under_test test;
    set_up(&test, 0);
    map(&test, 1, 0x1000, "/a");
    test.attribute.sample_registers_user = 0x1c0; /* frame pointer, stack pointer, address */
    const uint64_t registers[] = {0x8010, 0x8000, 0x1010};
    const uint64_t stack[] = {7, 7, 0x8030, 0x1020, 7, 7, 0x8100, 0x1030};
    const uint64_t chain[] = {KERNEL, K(1)};
    feed(&test, (struct perf_record){.type = PERF_SAMPLE,
                                     .misc = 1,
                                     .process_id = 1,
                                     .thread_id = 1,
                                     .chain = (const unsigned char *)chain,
                                     .chain_size = 2,
                                     .registers = (const unsigned char *)registers,
                                     .registers_abi = 2,
                                     .stack = {(const char *)stack, sizeof stack}});
    perf_machine_finish(test.machine);
    check_stack(&test, 0, "[truncated] /a /a /a [kernel] ");
    assert_int_equal(warnings_find(&test.profile->warnings, "dwarf-stacks")->count, 1);
    tear_down(&test);
}

static void test_counts(void **state) {
    (void)state;
    struct machine_under_test test;
    set_up(&test, 0);
    feed(&test, (struct perf_record){.type = PERF_LOST, .lost = 5});
    feed(&test, (struct perf_record){.type = PERF_LOST_SAMPLES, .lost = 2});
    feed(&test, (struct perf_record){.type = PERF_LOST, .lost = UINT64_MAX});
    feed(&test, (struct perf_record){.type = PERF_THROTTLE});
    feed(&test, (struct perf_record){.type = PERF_UNTHROTTLE});
    perf_machine_finish(test.machine);
    assert_true(test.profile->sampling.lost == UINT64_MAX);
    assert_int_equal(test.profile->sampling.throttled, 1);
    tear_down(&test);
}

/* A record of the thread 1 that tells where it is. */
static void feed_at(struct machine_under_test *test, uint32_t type, uint64_t time, bool out,
                    bool preempted) {
    feed(test, (struct perf_record){.type = type,
                                    .process_id = 1,
                                    .thread_id = 1,
                                    .time = time,
                                    .switch_out = out,
                                    .preempted = preempted});
}

/* A sample of the event of context switches. */
static void sample_switch(struct machine_under_test *test, uint64_t first, uint64_t second) {
    const uint64_t chain[] = {USER, first, second};
    const struct perf_attribute attribute = {.type = 1, .config = 3, .sample_type = 1 | 32};
    struct perf_record record = {.type = PERF_SAMPLE,
                                 .misc = 2,
                                 .process_id = 1,
                                 .thread_id = 1,
                                 .period = 1,
                                 .chain = (const unsigned char *)chain,
                                 .chain_size = 3};
    perf_machine_record(test->machine, &record, &attribute, 0);
}

static void check_wait(const struct machine_under_test *test, size_t sample, int activity,
                       uint64_t time, uint64_t period, bool is_guessed) {
    assert_true(sample < test->count);
    assert_int_equal(test->samples[sample].activity, activity);
    assert_int_equal(test->samples[sample].time, time);
    assert_int_equal(test->samples[sample].period, period);
    assert_int_equal(test->samples[sample].guessed, is_guessed);
}

static void test_waits(void **state) {
    (void)state;
    struct machine_under_test test;
    set_up_waits(&test, 0, true);
    map(&test, 1, 0x1000, "/a");
    map(&test, 1, 0x2000, "/b");
    SAMPLE(&test, 1, 1, USER, 0x1010, 0x2010);
    check_wait(&test, 0, MACHINE_RUNNING, 0, 10, false);
    sample_switch(&test, 0x2010, 0x1010);
    feed_at(&test, PERF_SWITCH, 1000, true, false);
    assert_int_equal(test.count, 1);
    feed_at(&test, PERF_SWITCH, 1500, false, false);
    check_wait(&test, 1, MACHINE_WAITING, 1500, 500, false);
    SAMPLE(&test, 1, 1, USER, 0x1010, 0x2010);
    feed_at(&test, PERF_SWITCH, 1600, true, true);
    feed_at(&test, PERF_SWITCH, 1700, false, false);
    check_wait(&test, 3, MACHINE_PREEMPTED, 1700, 100, true);
    sample_switch(&test, 0x2010, 0x2010);
    feed_at(&test, PERF_SWITCH, 2000, true, false);
    perf_machine_part_waits(test.machine, 2100, 200);
    assert_int_equal(test.count, 4);
    perf_machine_part_waits(test.machine, 2200, 200);
    check_wait(&test, 4, MACHINE_WAITING, 2200, 200, false);
    feed(&test, (struct perf_record){.type = PERF_LOST, .lost = 5, .time = 2300});
    feed_at(&test, PERF_EXIT, 2350, false, false);
    check_wait(&test, 5, MACHINE_WAITING, 2350, 50, true);
    perf_machine_part_waits(test.machine, 9000, 0);
    assert_int_equal(test.count, 6);
    perf_machine_finish(test.machine);
    check_stack(&test, 1, "/a /b ");
    check_stack(&test, 3, "/b /a ");
    check_stack(&test, 5, "/b /b ");
    assert_int_equal(test.samples[5].thread, test.samples[0].thread);
    tear_down(&test);
}

/* Where nobody asks for waits, context switches are an event like others. */
static void test_switches_as_event(void **state) {
    (void)state;
    struct machine_under_test test;
    set_up(&test, 0);
    map(&test, 1, 0x1000, "/a");
    sample_switch(&test, 0x1010, 0x1020);
    feed_at(&test, PERF_SWITCH, 1000, true, false);
    feed_at(&test, PERF_SWITCH, 2000, false, false);
    feed_at(&test, PERF_EXIT, 2100, false, false);
    perf_machine_part_waits(test.machine, 9000, 0);
    assert_int_equal(test.count, 1);
    check_wait(&test, 0, MACHINE_RUNNING, 0, 1, false);
    tear_down(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_threads_and_processes),
        cmocka_unit_test(test_mappings_over_time),
        cmocka_unit_test(test_deferred),
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_switches_as_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
