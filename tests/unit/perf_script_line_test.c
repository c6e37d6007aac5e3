// SPDX-License-Identifier: MIT
/* Tests of fold/read/perf_script_line.h. The forms are those that perf 6.1 printed for -g, -a,
 * --per-thread, several events, -F variants and --ns; the awkward names are made up. */
#include "fold/read/perf_script_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NONE UINT64_MAX

struct expected_event {
    const char *line;
    enum event_line_form form;
    const char *comm;
    uint64_t process_id, thread_id;
    uint64_t time, period; /* NONE: not given */
    const char *event;
    const char *rest;
};

static void assert_text(const char *line, const char *what, struct text text,
                        const char *expected) {
    if (!text_equal(text, text_of(expected)))
        fail_msg("the %s of '%s' is '%.*s'", what, line, (int)text.size, text.data);
}

static void assert_number(const char *line, const char *what, uint64_t number, uint64_t expected) {
    if (number != expected)
        fail_msg("the %s of '%s' is %llu", what, line, (unsigned long long)number);
}

/* A copy in memory of its own size, so that the sanitizer sees a look beyond it. */
static struct text copy_of(const char *string) {
    size_t size = strlen(string);
    char *copy = malloc(size + (size == 0));
    assert_non_null(copy);
    memcpy(copy, string, size);
    return (struct text){copy, size};
}

static void assert_event(const struct expected_event *expected) {
    struct text line = copy_of(expected->line);
    struct event_line event = event_line_parse(line);
    assert_number(expected->line, "form", event.form, expected->form);
    assert_text(expected->line, "name", event.comm, expected->comm);
    assert_number(expected->line, "process", event.process_id, expected->process_id);
    assert_number(expected->line, "thread", event.thread_id, expected->thread_id);
    assert_number(expected->line, "time", event.has_time ? event.time : NONE, expected->time);
    assert_number(expected->line, "period", event.has_period ? event.period : NONE,
                  expected->period);
    assert_text(expected->line, "event", event.event, expected->event);
    assert_text(expected->line, "rest", event.rest, expected->rest);
    free((char *)line.data);
}

static void event_lines(void **state) {
    (void)state;
    static const struct expected_event cases[] = {
        {"node 14164   559.989230:    1001001 cpu-clock:", EVENT_LINE_CERTAIN, "node", 0, 14164,
         559989230000, 1001001, "cpu-clock", ""},
        {"npm i 0x speeds 13659 [000]   582.214538:    1001001 cpu-clock:", EVENT_LINE_CERTAIN,
         "npm i 0x speeds", 0, 13659, 582214538000, 1001001, "cpu-clock", ""},
        {"node 14878    1001001 cpu-clock:", EVENT_LINE_LIKELY, "node", 0, 14878, NONE, 1001001,
         "cpu-clock", ""},
        {"node 14720   576.310363:          1      page-faults:", EVENT_LINE_CERTAIN, "node", 0,
         14720, 576310363000, 1, "page-faults", ""},
        {"      MainThread 14470   571.657607:    1001001 cpu-clock:      7f66dfe0a14b f+0xb (/n)",
         EVENT_LINE_CERTAIN, "MainThread", 0, 14470, 571657607000, 1001001, "cpu-clock",
         "7f66dfe0a14b f+0xb (/n)"},
        {"foo [bar] #1: x  4242/4251 [000] 100.000003:     250000 cpu-clock:u:", EVENT_LINE_CERTAIN,
         "foo [bar] #1: x", 4242, 4251, 100000003000, 250000, "cpu-clock:u", ""},
        {"4242/4242  100.000001:     250000 cpu-clock:u:", EVENT_LINE_CERTAIN, "", 4242, 4242,
         100000001000, 250000, "cpu-clock:u", ""},
        {"node 99/101   [003] 5.000000001: cycles:", EVENT_LINE_CERTAIN, "node", 99, 101,
         5000000001, NONE, "cycles", ""},
        {"node 99 cycles:ppp:", EVENT_LINE_LIKELY, "node", 0, 99, NONE, NONE, "cycles:ppp", ""},
        {"MainThread 26790/26790  1886.464025: cpu-clock:", EVENT_LINE_CERTAIN, "MainThread", 26790,
         26790, 1886464025000, NONE, "cpu-clock", ""},
        {"node 12 [001] 1.000001: 1 sched:sched_switch: prev_comm=a prev_pid=1 ==> next_comm=b 7",
         EVENT_LINE_CERTAIN, "node", 0, 12, 1000001000, 1, "sched:sched_switch",
         "prev_comm=a prev_pid=1 ==> next_comm=b 7"},
        {"node    99 4.000001:", EVENT_LINE_LIKELY, "node", 0, 99, 4000001000, NONE, "", ""},
        {"node    99 4.000001:     250000", EVENT_LINE_LIKELY, "node", 0, 99, 4000001000, 250000,
         "", ""},
        {"node 99 [000] U   4.000001: 7 cycles:", EVENT_LINE_CERTAIN, "node", 0, 99, 4000001000, 7,
         "cycles", ""},
        {"swapper     0 [000] 4.000001: 7 cycles:", EVENT_LINE_CERTAIN, "swapper", 0, 0, 4000001000,
         7, "cycles", ""},
        {":-1    -1 4.000001: 7 cycles:", EVENT_LINE_CERTAIN, ":-1", 0, 0, 4000001000, 7, "cycles",
         ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_event(&cases[i]);
}

static void awkward_names(void **state) {
    (void)state;
    static const struct expected_event cases[] = {
        {"9 1.000001: x: 77 [001] 2.000001: 5 cycles:", EVENT_LINE_CERTAIN, "9 1.000001: x:", 0, 77,
         2000001000, 5, "cycles", ""},
        {"1 2 3 4 5.000001: 6 cycles:", EVENT_LINE_CERTAIN, "1 2 3", 0, 4, 5000001000, 6, "cycles",
         ""},
        {"[000] 4 5.000001: 6 cycles:", EVENT_LINE_CERTAIN, "[000]", 0, 4, 5000001000, 6, "cycles",
         ""},
        {"node: 4 6 cycles:", EVENT_LINE_LIKELY, "node:", 0, 4, NONE, 6, "cycles", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_event(&cases[i]);
}

static void in_doubt(void **state) {
    (void)state;
    static const struct expected_event cases[] = {
        {"node 123", EVENT_LINE_MAYBE, "node", 0, 123, NONE, NONE, "", ""},
        {"node", EVENT_LINE_MAYBE, "node", 0, 0, NONE, NONE, "", ""},
        {" instruction trace error type 1 time 100.000005 cpu 0 pid 4242 tid 4242 ip 0 code 8: "
         "Lost trace data",
         EVENT_LINE_MAYBE,
         "instruction trace error type 1 time 100.000005 cpu 0 pid 4242 tid 4242 ip 0 code 8: "
         "Lost trace data",
         0, 0, NONE, NONE, "", ""},
        {"there are 5 things: x", EVENT_LINE_MAYBE, "there are 5 things: x", 0, 0, NONE, NONE, "",
         ""},
        {"worker 12 1.5: started", EVENT_LINE_MAYBE, "worker 12 1.5: started", 0, 0, NONE, NONE, "",
         ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_event(&cases[i]);
}

/* Numbers that do not fit are the largest. */
static void large_numbers(void **state) {
    (void)state;
    struct event_line event =
        event_line_parse(TEXT("a 99999999999999999999 99999999999999999999.000001: "
                              "99999999999999999999 cycles:"));
    assert_int_equal(event.form, EVENT_LINE_CERTAIN);
    assert_true(event.thread_id == UINT64_MAX);
    assert_true(event.time == UINT64_MAX);
    assert_true(event.period == UINT64_MAX);
}

struct expected_frame {
    const char *line;
    const char *address, *symbol, *module; /* address NULL: no frame */
};

static void frame_lines(void **state) {
    (void)state;
    static const struct expected_frame cases[] = {
        {"\t          410010 leaf+0x10 (/opt/app/node)", "410010", "leaf", "/opt/app/node"},
        {"\t    7f0000000100 [unknown] (/usr/lib/libdemo.so)", "7f0000000100", "[unknown]",
         "/usr/lib/libdemo.so"},
        {"\t          450050 top (/opt/app/node (deleted))", "450050", "top",
         "/opt/app/node (deleted)"},
        {"\t          450050 top+0x1 (/opt/my app (x86)/node (deleted))", "450050", "top",
         "/opt/my app (x86)/node (deleted)"},
        {"\t    7f1000000010 java.lang.Thing.hash ([JIT app cache])", "7f1000000010",
         "java.lang.Thing.hash", "[JIT app cache]"},
        {"\t     400100 node::Start(int, char**)+0x50 (/opt/app/node)", "400100",
         "node::Start(int, char**)", "/opt/app/node"},
        {"\t    2200010 RegExp:(a;b)|\"c\" (/tmp/perf-900.map)", "2200010", "RegExp:(a;b)|\"c\"",
         "/tmp/perf-900.map"},
        {"\t    2200010 RegExp:\\)+0x4 (/tmp/perf-900.map)", "2200010", "RegExp:\\)",
         "/tmp/perf-900.map"},
        {"\t    2200010 RegExp:a (b (/tmp/perf-900.map)", "2200010", "RegExp:a (b",
         "/tmp/perf-900.map"},
        {"\t    2400010 JS:*do work (x) /srv/my app/w (1).js:3:9+0x1f (/tmp/perf-900.map)",
         "2400010", "JS:*do work (x) /srv/my app/w (1).js:3:9", "/tmp/perf-900.map"},
        {"\t    410010 twice (inlined)", "410010", "twice", "inlined"},
        {"\t    410010 f+0x1 (/lib/x.so+0x410010)", "410010", "f", "/lib/x.so"},
        {"\t    410010 f+0x10", "410010", "f", ""},
        {"\t    410010 f(int)", "410010", "f(int)", ""},
        {"\t    410010 (/opt/app/node)", "410010", "", "/opt/app/node"},
        {"\t    410010", "410010", "", ""},
        {"\t    410010 f (/a)b/c)", "410010", "f", "/a)b/c"},
        {"\tffffffff81b6ab30 _copy_to_iter+0x80 ([kernel.kallsyms])", "ffffffff81b6ab30",
         "_copy_to_iter", "[kernel.kallsyms]"},
        {"0 x+0xz (m)", "0", "x+0xz", "m"},
        {"a ()", "a", "", ""},
        {"a )", "a", ")", ""},
        {"a f )", "a", "f )", ""},
        {"\tffffffff81b6ab301 f (/n)", NULL, NULL, NULL},
        {"\t41001g f (/n)", NULL, NULL, NULL},
        {"  file.c:12", NULL, NULL, NULL},
        {"", NULL, NULL, NULL},
        {"\t", NULL, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text line = copy_of(cases[i].line);
        struct frame_line frame;
        bool found = frame_line_parse(line, &frame);
        if (found != (cases[i].address != NULL))
            fail_msg("'%s' is %s frame", cases[i].line, found ? "a" : "no");
        if (found) {
            assert_text(cases[i].line, "address", frame.address, cases[i].address);
            assert_text(cases[i].line, "symbol", frame.symbol, cases[i].symbol);
            assert_text(cases[i].line, "module", frame.module, cases[i].module);
        }
        free((char *)line.data);
    }
}

static void only_frames(void **state) {
    (void)state;
    struct frame_line frame;
    assert_true(only_frame_parse(TEXT("7f66dfe0a14b f+0xb (/n)"), &frame));
    assert_text("", "symbol", frame.symbol, "f");
    /* The address that a page fault is about. */
    assert_true(only_frame_parse(TEXT("7ffd1000 7f66dfe0a14b f+0xb (/n)"), &frame));
    assert_text("", "address", frame.address, "7f66dfe0a14b");
    assert_text("", "symbol", frame.symbol, "f");
    assert_false(only_frame_parse(TEXT("7ffd1000"), &frame));
    assert_false(only_frame_parse(TEXT("prev_comm=node prev_pid=0"), &frame));
    assert_false(only_frame_parse(TEXT(""), &frame));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(event_lines), cmocka_unit_test(awkward_names),
        cmocka_unit_test(in_doubt),    cmocka_unit_test(large_numbers),
        cmocka_unit_test(frame_lines), cmocka_unit_test(only_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
