// SPDX-License-Identifier: MIT
/* Tests of fold/read/perf_script.h: texts in the forms that perf 6.1 prints, with right answers
 * worked out by hand. */
#include "fold/read/perf_script.h"

#include "tests/unit/tally_support.h"

static const struct view threads = {.keep_tiers = true, .keep_threads = true};

/* Feeds a text in pieces of `piece` bytes (0: whole). Returns what finish said. */
static bool feed(struct profile *profile, struct text rest, size_t piece, struct error *error) {
    void *parser = perf_script_reader.open(profile, NULL);
    bool fed = true;
    while (rest.size > 0 && fed) {
        size_t size = piece == 0 || piece > rest.size ? rest.size : piece;
        fed = perf_script_reader.feed(parser, (struct text){rest.data, size}, error);
        rest = text_skip(rest, size);
    }
    bool finished = fed && perf_script_reader.finish(parser, error);
    perf_script_reader.close(parser);
    return finished;
}

/* The profile of a text that must be usable. */
static struct profile *read_text(struct text text) {
    struct profile *profile = profile_new();
    struct error error = {0};
    bool finished = feed(profile, text, 0, &error);
    assert_string_equal(error.text, "");
    assert_true(finished);
    return profile;
}

static void assert_fold(const char *text, const char *expected) {
    struct profile *profile = read_text(text_of(text));
    support_assert_fold(profile, &threads, expected);
    assert_int_equal(warnings_total(&profile->warnings), 0);
    profile_free(profile);
}

/* FC-20 as the field case states it. */
static void headers_and_leftovers(void **state) {
    (void)state;
    struct buffer data = support_data("field-cases/fc20-perf-headers.perf.txt");
    struct profile *profile = read_text(buffer_text(&data));
    support_assert_fold(profile, &threads,
                        "V8 WorkerThread;[libdemo.so];mark 250000\n"
                        "foo [bar] #1: x;top;[unknown] 250000\n"
                        "node;[unknown] 250000\n"
                        "node;caller;java.lang.Thing.hash 250000\n"
                        "node;caller;leaf 500000\n");
    assert_int_equal(profile->total.whole, 1500000);
    assert_int_equal(profile->events[0].samples, 6);
    assert_int_equal(profile->warnings.size, 1);
    assert_int_equal(profile->warnings.items[0].count, 1);
    assert_int_equal(profile->warnings.items[0].line, 21);
    assert_string_equal(profile->warnings.items[0].text, "1 line is not perf output");
    profile_weigh_samples(profile);
    assert_int_equal(profile->total.whole, 6);
    profile_free(profile);
    buffer_free(&data);
}

/* FC-20b. */
static void no_names_of_threads(void **state) {
    (void)state;
    struct buffer data = support_data("field-cases/fc20b-no-comm.perf.txt");
    struct profile *profile = read_text(buffer_text(&data));
    support_assert_fold(profile, &threads, "caller;leaf 250000\nother 250000\n");
    assert_int_equal(profile->thread_count, 1);
    assert_int_equal(profile->threads[0].id, 4242);
    profile_free(profile);
    buffer_free(&data);
}

/* FC-21. */
static void names_of_compiled_code(void **state) {
    (void)state;
    struct buffer data = support_data("field-cases/fc21-perf-jit-names.perf.txt");
    struct profile *profile = read_text(buffer_text(&data));
    struct view view = {0};
    support_assert_fold(profile, &view,
                        "main /srv/app/index.js:1:1;Builtin:InterpreterEntryTrampoline 1\n"
                        "main /srv/app/index.js:1:1;RegExp:(a:b)|\"c\" 1\n"
                        "main /srv/app/index.js:1:1;do work (x) /srv/my app/w (1).js:3:9 1\n"
                        "node::Start;main /srv/app/index.js:1:1;hot /srv/app/hot.js:4:13 2\n");
    struct call_tree *tree = call_tree_build(profile, &view);
    support_assert_weights(tree, "main /srv/app/index.js:1:1", 0, 5);
    support_assert_weights(tree, "hot /srv/app/hot.js:4:13", 2, 2);
    assert_int_equal(support_function(tree, "Builtin:InterpreterEntryTrampoline")->kind,
                     FRAME_BUILTIN);
    assert_int_equal(support_function(tree, "node::Start")->kind, FRAME_CPP);
    assert_int_equal(support_function(tree, "RegExp:(a;b)|\"c\"")->kind, FRAME_REGEXP);
    call_tree_free(tree);
    profile_free(profile);
    buffer_free(&data);
}

/* Every form of event lines gives the same sample. */
static void forms_of_events(void **state) {
    (void)state;
    static const char *const heads[] = {
        "node 7   1.000001:         50 cpu-clock: ",
        "node 7 [000]   1.000001:         50 cpu-clock:u: ",
        "            node 7 [000]   1.000001:         50 cpu-clock: ",
        "node       7/7   1.000001:         50 cpu-clock: ",
        "node 7         50 cpu-clock: ",
        "node 7 [000] 1.000000001: 50 task-clock:",
        "node 7 1.000001: 50 sched:sched_switch: prev_comm=a prev_pid=1 ==> next_comm=b",
        "node 7 1.000001: 50 page-faults:           7ffd10",
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        struct buffer text = {0};
        buffer_append_format(&text, "%s\n\t  10 b+0x1 (/n)\n\t  20 a+0x1 (/n)\n\n", heads[i]);
        buffer_append_byte(&text, '\0');
        assert_fold(text.data, "node;a;b 50\n");
        buffer_free(&text);
    }
}

/* Without a period, each sample weighs one. */
static void no_period(void **state) {
    (void)state;
    static const char *const heads[] = {"node 7/7   1.000001: cpu-clock: ", "node 7 cycles:u:",
                                        "node 7 1.000001:", "node 7", "node"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        struct buffer text = {0};
        for (int sample = 0; sample < 2; sample++)
            buffer_append_format(&text, "%s\n\t  10 b+0x1 (/n)\n\t  20 a+0x1 (/n)\n\n", heads[i]);
        buffer_append_byte(&text, '\0');
        assert_fold(text.data, "node;a;b 2\n");
        struct profile *profile = read_text(text_of(text.data));
        assert_int_equal(profile->unit, UNIT_SAMPLES);
        profile_free(profile);
        buffer_free(&text);
    }
}

/* Without any fields event lines are empty. */
static void no_event_lines(void **state) {
    (void)state;
    assert_fold("\n\t  10 b\n\t  20 a+0x1\n\n\n\t  10 b+0x2\n\t  20 a+0x1\n\n", "a;b 2\n");
    /* But a text that begins in the middle of a sample is only damaged. */
    struct profile *profile = read_text(TEXT("\t 10 b (/n)\n\t 20 a (/n)\n\n"
                                             "node 7 1.000001: 5 cpu-clock:\n\t 10 c (/n)\n"));
    support_assert_fold(profile, &threads, "node;c 5\n");
    assert_int_equal(profile->warnings.size, 1);
    assert_string_equal(profile->warnings.items[0].text, "2 lines are not perf output");
    assert_int_equal(profile->warnings.items[0].line, 1);
    profile_free(profile);
}

/* Names that stackcollapse-perf.pl cuts, changes or leaves out. */
static void names_that_others_lose(void **state) {
    (void)state;
    assert_fold("n 1 1.000001: 1 cpu-clock:\n"
                "\t 10 RegExp:(a+)+b+0x4 (/tmp/perf-1.map)\n"
                "\t 20 JS:*it's \"x\" (y) /a b.js:1:2+0x4 (/tmp/perf-1.map)\n"
                "\t 30 (anonymous namespace)::work+0x4 (/n)\n"
                "\t 40 JS:~ /top.js:1:1+0x4 (/tmp/perf-1.map)\n"
                "\t 50 A::{lambda('T')#1}::run+0x4 (/srv/my lib/x.so)\n\n",
                "n;A::{lambda('T')#1}::run;~(anonymous) /top.js:1:1;(anonymous namespace)::work;"
                "*it's \"x\" (y) /a b.js:1:2;RegExp:(a+)+b 1\n");
}

/* Recorded without -g: the only frame stands on the event line, and no empty lines follow. */
static void one_line_samples(void **state) {
    (void)state;
    assert_fold("            node 7 1.000001:   50 cpu-clock:  7f66dfe0a14b b+0xb (/n)\n"
                "            cafe 8 1.000002:   50 cpu-clock:  ffffffff81000130 k+0x7 "
                "([kernel.kallsyms])\n"
                "            node 7 1.000003:   50 cpu-clock:  7f66dfe0a14c b+0xc (/n)\n",
                "cafe;k 50\nnode;b 100\n");
}

static void modules(void **state) {
    (void)state;
    static const char text[] =
        "n 1 1.000001: 1 cpu-clock:\n"
        "\t ffffffff81000001 [unknown] ([kernel.kallsyms])\n"
        "\t ffffffff81000002 [unknown] ([nf_tables])\n"
        "\t ffffffff81000003 nft_do_chain+0x2 ([nf_tables])\n"
        "\t ffffffff81000003 bpf_prog_6deef7357e7b4530_x+0x2 (bpf_prog_6deef7357e7b4530_x)\n"
        "\t ffffffff81000003 ext4_read+0x2 (/lib/modules/6.1/kernel/fs/ext4.ko.xz)\n"
        "\t ffffffff81000003 vfs_read+0x2 (/usr/lib/debug/boot/vmlinux-6.1)\n"
        "\t 7ff000000001 __vdso_gettimeofday+0x1 ([vdso])\n"
        "\t 7ff000000001 [unknown] ([vdso])\n"
        "\t 1 [unknown] (/srv/my lib/x.node (deleted))\n"
        "\t 1 hash+0x2 (/srv/my lib/x.node (deleted))\n"
        "\t 2 [unknown] (/tmp/perf-12.map)\n"
        "\t 2 [unknown] (//anon)\n"
        "\t 2 JS:^x /a.js:1:2+0x4 (/srv/jitted-12-3.so)\n"
        "\t 2 JS:wasm-function[3]-3-turbofan+0x4 ([anon:v8])\n"
        "\t 2 py::f:/x.py (/memfd:doublemapper)\n"
        "\t 2 Builtins_LoadIC+0x4 (/n)\n"
        "\t 2 Builtins_LdaZeroHandler+0x4 (/n)\n"
        "\t 2 expanded (inlined)\n"
        "\t 2 outer (/tmp/perf-x.map)\n\n";
    assert_fold(text, "n;outer;expanded;Builtin:LoadIC;py::f:/x.py;*wasm-function[3];^x /a.js:1:2;"
                      "[js unknown];[js unknown];hash;[x.node];[vdso];__vdso_gettimeofday;"
                      "vfs_read;ext4_read;bpf_prog_6deef7357e7b4530_x;nft_do_chain;[kernel] 1\n");
    struct profile *profile = read_text(TEXT(text));
    struct view view = {.keep_inlined = true};
    struct buffer folded = support_fold(profile, &view, &(struct folded_options){true});
    assert_string_equal(folded.data,
                        "outer;expanded_[i];Builtin:LoadIC;py::f:/x.py;wasm-function[3]_[j];"
                        "x /a.js:1:2_[j];[js unknown]_[j];[js unknown]_[j];hash;[x.node];[vdso];"
                        "__vdso_gettimeofday;vfs_read_[k];ext4_read_[k];"
                        "bpf_prog_6deef7357e7b4530_x_[k];nft_do_chain_[k];[kernel]_[k] 1\n");
    struct call_tree *tree = call_tree_build(profile, &view);
    assert_int_equal(support_function(tree, "hash")->kind, FRAME_ADDON);
    assert_int_equal(support_function(tree, "[x.node]")->kind, FRAME_ADDON);
    assert_int_equal(support_function(tree, "[vdso]")->kind, FRAME_LIBRARY);
    call_tree_free(tree);
    buffer_free(&folded);
    profile_free(profile);
}

static void names(void **state) {
    (void)state;
    static const char *const known[][2] = {
        {"node::Start(int, char**)+0x50 (/n)", "node::Start"},
        {"void v8::f<int>(int)+0x5 (/n)", "v8::f<int>"},
        {"a::(anonymous namespace)::g(int) const+0x5 (/n)", "a::(anonymous namespace)::g"},
        {"a::operator()(int)+0x5 (/n)", "a::operator()"},
        {"a::b(int)::{lambda()#1}::operator()() const+0x5 (/n)",
         "a::b(int)::{lambda()#1}::operator()"},
        {"a::f<(a::E)1>+0x5 (/n)", "a::f<(a::E)1>"},
        {"main.(*T).run+0x5 (/n)", "main.(*T).run"},
        {"pthread_cond_signal@@GLIBC_2.3.2+0x5 (/lib/libc.so.6)", "pthread_cond_signal"},
        {"memcpy@GLIBC_2.2.5+0x5 (/lib/libc.so.6)", "memcpy"},
        {"read@plt+0x5 (/n)", "read@plt"},
        {"__GI___libc_read+0x5 (/lib/libc.so.6)", "read"},
        {"__GI___writev+0x5 (/lib/libc.so.6)", "writev"},
        {"__GI_fseek+0x5 (/lib/libc.so.6)", "fseek"},
        {"__GI___lll_lock_wake+0x5 (/lib/libc.so.6)", "__lll_lock_wake"},
        {"__GI___open64_nocancel+0x5 (/lib/libc.so.6)", "__open64_nocancel"},
        {"cfree@GLIBC_2.2.5+0x5 (/lib/libc.so.6)", "free"},
        {"__brk+0x5 (/lib/libc.so.6)", "brk"},
        {"__memmove_avx_unaligned+0x5 (/lib/libc.so.6)", "__memcpy_avx_unaligned"},
        {"__pi_memset+0x5 ([kernel.kallsyms])", "memset"},
        {"__GI_fseek.cold+0x5 (/lib/libc.so.6)", "__GI_fseek.cold"},
        {"__libc_start_call_main+0x5 (/lib/libc.so.6)", "__libc_start_call_main"},
        {"JS:*x /a.js:1:2+0x5", "*x /a.js:1:2"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct buffer text = {0};
        struct buffer expected = {0};
        buffer_append_format(&text, "n 1 1.000001: 1 cpu-clock:\n\t 10 %s\n", known[i][0]);
        buffer_append_byte(&text, '\0');
        struct profile *profile = read_text(text_of(text.data));
        struct buffer folded = support_fold(profile, &threads, NULL);
        buffer_append_format(&expected, "n;%s 1\n", known[i][1]);
        buffer_append_byte(&expected, '\0');
        assert_string_equal(folded.data, expected.data);
        profile_free(profile);
        buffer_free(&text);
        buffer_free(&expected);
        buffer_free(&folded);
    }
}

/* The name of the innermost frame of the last sample. */
static struct text last_name(const struct profile *profile) {
    struct stack_id stack = profile->samples[profile->sample_count - 1].stack;
    struct frame_id leaf = stack_table_frame(&profile->stacks, stack);
    return profile_text(profile, frame_table_get(&profile->frames, leaf)->name);
}

/* A line that looks much like the one that is expected at its place is read for what it is. */
static void frames_seen_again(void **state) {
    (void)state;
    static const char *const lines[][2] = {
        {"a+0x1 (/n)", "a"},
        {"a+0x22 (/n)", "a"},
        {"a (/n)", "a"},
        {"a+0x1+0x2 (/n)", "a+0x1"},
        {"a+0x1+0x (/n)", "a+0x1+0x"},
        {"a+0xg (/n)", "a+0xg"},
        {"a  (/n)", "a"},
        {"a (/n+0x3)", "a"},
        {"ab (/n)", "ab"},
        {"a b (/n)", "a b"},
        {"a (x) (/n)", "a (x)"},
        {"(/n)", ""},
        {"b+0x1 (/tmp/perf-1.map)", "b"},
        {"a (/n+0x3+0x4)", "a"},
    };
    enum { COUNT = sizeof lines / sizeof *lines };
    for (size_t i = 0; i < (size_t)COUNT * COUNT; i++) {
        struct buffer text = {0};
        const char *const *first = lines[i / COUNT];
        const char *const *second = lines[i % COUNT];
        struct error error = {0};
        buffer_append_format(&text,
                             "n 1 1.000001: 1 cycles:\n\t 1 %s\n\n"
                             "n 1 1.000001: 1 cycles:\n\t 1 %s\n\n",
                             first[0], second[0]);
        struct profile *profile = profile_new();
        profile->keep_times = true;
        assert_true(feed(profile, buffer_text(&text), 0, &error));
        struct text name = last_name(profile);
        if (!text_equal(name, text_of(second[1])))
            fail_msg("behind '%s', '%s' is '%.*s'", first[0], second[0], (int)name.size, name.data);
        profile_free(profile);
        buffer_free(&text);
    }
}

/* Unknown addresses at the outer end are dropped and counted; others stay. */
static void unknown_frames(void **state) {
    (void)state;
    struct profile *profile = read_text(TEXT("n 1 1.000001: 1 cpu-clock:\n"
                                             "\t 1 a (/n)\n"
                                             "\t 2 [unknown] ([unknown])\n"
                                             "\t 3 b (/n)\n"
                                             "\t 2030662030383935 [unknown] ([unknown])\n"
                                             "\t ffffffffffffffff [unknown] ([unknown])\n\n"
                                             "n 1 1.000001: 1 cpu-clock:\n"
                                             "\t 4 [unknown] ([unknown])\n"
                                             "\t 5 [unknown] ([heap])\n\n"
                                             "n 1 1.000001: 1 cpu-clock:\n"
                                             "\t 4 [unknown] ([unknown])\n"
                                             "\t 5 b (/n)\n\n"
                                             "n 1 1.000001: 1 cpu-clock:\n"
                                             "\t ffffffff81000130 [unknown] ([unknown])\n"
                                             "\t ffffffff81000140 [unknown] ([unknown])\n"
                                             "\t 5 b (/n)\n\n"));
    support_assert_fold(profile, &threads,
                        "n;[unknown] 1\nn;b;[kernel] 1\nn;b;[unknown] 1\nn;b;[unknown];a 1\n");
    assert_int_equal(profile->sampling.cut, 2);
    assert_int_equal(profile->sampling.truncated, 0);
    profile_free(profile);
}

static void truncated_stacks(void **state) {
    (void)state;
    for (int addresses = 126; addresses <= 127; addresses++) {
        struct buffer text = {0};
        buffer_append_text(&text, TEXT("n 1 1.000001: 1 cpu-clock:\n\t 1 leaf (/n)\n"));
        buffer_append_text(&text, TEXT("\t 2 expanded (inlined)\n"));
        for (int i = 1; i < addresses; i++)
            buffer_append_format(&text, "\t 2 r (/n)\n");
        struct profile *profile = read_text(buffer_text(&text));
        struct call_tree *tree = call_tree_build(profile, &(struct view){0});
        assert_int_equal(profile->stack_limit, 127);
        assert_int_equal(profile->sampling.truncated, addresses == 127);
        if (addresses == 127)
            support_assert_weights(tree, "[truncated]", 0, 1);
        else
            assert_int_equal(tree->function_count, 4);
        call_tree_free(tree);
        profile_free(profile);
        buffer_free(&text);
    }
}

static void several_events(void **state) {
    (void)state;
    struct profile *profile = read_text(TEXT("n 1 1.000000: 100000 cpu-clock:\n\t 1 a (/n)\n\n"
                                             "n 1 1.000000: 7 page-faults:\n\t 2 b (/n)\n\n"
                                             "n 1 2.000000: 5 page-faults:\n\n"));
    support_assert_fold(profile, &threads, "n;[unknown] 5\nn;b 7\n");
    assert_int_equal(profile->unit, UNIT_COUNT);
    assert_int_equal(profile->event_count, 2);
    assert_true(text_equal(profile_text(profile, profile->events[0].name), TEXT("page-faults")));
    assert_int_equal(profile->events[0].samples, 2);
    assert_int_equal(profile->warnings.size, 1);
    assert_string_equal(profile->warnings.items[0].kind, "other-events");
    assert_false(profile->waiting_is_missing);
    assert_int_equal(profile->interval_us, 0);
    assert_int_equal(profile->duration_us, 1000000);
    profile_free(profile);
}

static void times_and_threads(void **state) {
    (void)state;
    struct text text = TEXT("n 3/4 5.000001: 1001001 cpu-clock:u:\n\t 1 a (/n)\n\n"
                            "m 3/5 5.000002: 1001001 cpu-clock:u:\n\t 1 a (/n)\n\n"
                            "n 3/4 5.000007: 1001001 cpu-clock:u:\n\t 1 a (/n)\n\n");
    struct profile *profile = profile_new();
    struct error error = {0};
    profile->keep_times = true;
    assert_true(feed(profile, text, 0, &error));
    assert_true(profile->has_times);
    assert_int_equal(profile->sample_count, 3);
    assert_int_equal(profile->samples[0].time, 0);
    assert_int_equal(profile->samples[1].time, 1);
    assert_int_equal(profile->samples[2].time, 6);
    assert_int_equal(profile->samples[2].count, 1);
    assert_int_equal(profile->duration_us, 6);
    assert_int_equal(profile->interval_us, 1001);
    assert_int_equal(profile->unit, UNIT_NANOSECONDS);
    assert_true(profile->waiting_is_missing);
    assert_true(profile->native_stacks);
    assert_string_equal(profile->format, "perf-script");
    assert_int_equal(profile->thread_count, 2);
    assert_int_equal(profile->threads[1].id, 5);
    assert_int_equal(profile->threads[1].process_id, 3);
    assert_true(profile->threads[1].role_by_stacks);
    profile_free(profile);
    /* One sample without a time is enough. */
    profile = read_text(TEXT("n 3/4 5.000001: 1 cpu-clock:\n\t 1 a (/n)\n\n"
                             "n 3/4 1 cpu-clock:\n\t 1 a (/n)\n\n"));
    assert_false(profile->has_times);
    assert_int_equal(profile->sample_count, 1);
    profile_free(profile);
}

static void other_lines(void **state) {
    (void)state;
    struct profile *profile = read_text(TEXT("# comment\r\n"
                                             "n 0 [000] 1.000000: PERF_RECORD_COMM: n:1/1\r\n"
                                             "n 1 1.000000: 5 cpu-clock:\r\n"
                                             "\t 1 a+0x3 (/n)\r\n"
                                             "  a.c:12\r\n"
                                             "\t 2 b+0x3 (/n)\r\n"
                                             "  ??:0\r\n"
                                             "\r\n"
                                             "n 0 [000] 1.000000: PERF_RECORD_LOST lost 12\r\n"));
    support_assert_fold(profile, &threads, "n;b;a 5\n");
    assert_int_equal(profile->sampling.lost, 12);
    assert_int_equal(warnings_total(&profile->warnings), 0);
    profile_free(profile);
    /* A message of perf's in the middle of a sample, and one between samples. */
    profile = read_text(TEXT("n 1 1.000000: 5 cpu-clock:\n"
                             "\t 1 a+0x3 (/n)\n"
                             "Failed to open /x\n"
                             "\t no frame\n"
                             "\t 2 b+0x3 (/n)\n\n"
                             "Failed again\n\n"
                             "n 1 1.000000: 5 cpu-clock:\n"
                             "\t 1 a+0x3 (/n)"));
    support_assert_fold(profile, &threads, "n;a 5\nn;b;a 5\n");
    assert_int_equal(profile->warnings.items[0].count, 3);
    assert_int_equal(profile->warnings.items[0].line, 3);
    profile_free(profile);
}

/* A text that ends in the middle of an event line: at each byte of it. */
static void cut_event_line(void **state) {
    (void)state;
    static const char first[] = "n 7/7 1.000001: 5 cpu-clock:u:\n\t 1 a (/n)\n\n";
    const size_t start = sizeof first - 1;
    struct buffer both = {0};
    buffer_append_format(&both, "%sn 7/7 1.000002: 5 cpu-clock:u:", first);
    struct text text = buffer_text(&both);
    for (size_t size = start + 1; size < text.size; size++) {
        struct profile *profile = read_text((struct text){text.data, size});
        bool named = text_ends_with((struct text){text.data, size}, TEXT("clock:"));
        support_assert_fold(profile, &threads, "n;a 5\n");
        assert_int_equal(profile->total.whole, 5);
        assert_int_equal(profile->event_count, named ? 2 : 1);
        if (!named)
            assert_non_null(warnings_find(&profile->warnings, "not-perf-output"));
        profile_free(profile);
    }
    buffer_free(&both);
}

static void nothing_usable(void **state) {
    (void)state;
    struct profile *profile = profile_new();
    struct error error = {0};
    assert_false(feed(profile, TEXT("hello world\nhow are you\n"), 0, &error));
    assert_int_equal(error.kind, ERROR_INPUT);
    assert_string_equal(error.text, "no sample of perf script: line 1 is 'hello world'");
    assert_false(feed(profile, TEXT("# captured on: today\n"), 0, &error));
    assert_string_equal(error.text, "no sample of perf script");
    assert_false(feed(profile, TEXT(""), 0, &error));
    profile_free(profile);
}

static void pieces(void **state) {
    (void)state;
    static const char *const files[] = {"fc20-perf-headers", "fc20b-no-comm",
                                        "fc21-perf-jit-names"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[128];
        snprintf(name, sizeof name, "field-cases/%s.perf.txt", files[i]);
        struct buffer data = support_data(name);
        struct profile *whole = read_text(buffer_text(&data));
        struct buffer expected = support_fold(whole, &threads, NULL);
        for (size_t piece = 1; piece <= 31; piece++) {
            struct profile *profile = profile_new();
            struct error error = {0};
            assert_true(feed(profile, buffer_text(&data), piece, &error));
            support_assert_fold(profile, &threads, expected.data);
            assert_int_equal(warnings_total(&profile->warnings), warnings_total(&whole->warnings));
            assert_int_equal(profile->duration_us, whole->duration_us);
            profile_free(profile);
        }
        buffer_free(&expected);
        profile_free(whole);
        buffer_free(&data);
    }
}

static void long_line(void **state) {
    (void)state;
    struct buffer text = {0};
    buffer_append_text(&text, TEXT("n 1 1.000000: 5 cpu-clock:\n\t 1 "));
    for (int i = 0; i < 1024 * 1024; i++)
        buffer_append_byte(&text, 'x');
    buffer_append_text(&text, TEXT(" (/n)\n\t 2 a (/n)\n"));
    for (size_t piece = 0; piece < 100000; piece += 99999) {
        struct profile *profile = profile_new();
        struct error error = {0};
        assert_true(feed(profile, buffer_text(&text), piece, &error));
        support_assert_fold(profile, &threads, "n;a 5\n");
        const struct warning *warning = warnings_find(&profile->warnings, "line-too-long");
        assert_non_null(warning);
        assert_int_equal(warning->line, 2);
        profile_free(profile);
    }
    buffer_free(&text);
}

static void probe(void **state) {
    (void)state;
    static const char *const known[] = {
        "node 7 1.000001: 50 cpu-clock:\n\t 10 b (/n)\n",
        "node 7 1.000001: 50 cpu-clock:\n",
        "# ========\n# captured on: today\n#\nnode 7/7 1.000001: cpu-clock:u: \n",
        "some message\nnode 7 50 cpu-clock:\n\t 10 b (/n)\n",
        "node\n\t 10 b (/n)\n",
        "        node 7 [000] 1.000001: 1 cycles:  7f66dfe0a14b b+0xb (/n)\n",
    };
    static const char *const others[] = {
        "",
        "a;b 5\n",
        "# captured on: today\n",
        "hello world\n",
        "\t 10 b (/n)\n",
        "v8-version,11,3,244,8,-node.30,0\nshared-library,\"/n\",0x1,0x2,0\n",
        "node 7\n\nother 8\n",
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_int_equal(perf_script_reader.probe(text_of(known[i])), PROBE_CERTAIN);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(perf_script_reader.probe(text_of(others[i])), PROBE_NO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_and_leftovers),
        cmocka_unit_test(no_names_of_threads),
        cmocka_unit_test(names_of_compiled_code),
        cmocka_unit_test(forms_of_events),
        cmocka_unit_test(no_period),
        cmocka_unit_test(no_event_lines),
        cmocka_unit_test(names_that_others_lose),
        cmocka_unit_test(one_line_samples),
        cmocka_unit_test(modules),
        cmocka_unit_test(names),
        cmocka_unit_test(frames_seen_again),
        cmocka_unit_test(unknown_frames),
        cmocka_unit_test(truncated_stacks),
        cmocka_unit_test(several_events),
        cmocka_unit_test(times_and_threads),
        cmocka_unit_test(other_lines),
        cmocka_unit_test(cut_event_line),
        cmocka_unit_test(nothing_usable),
        cmocka_unit_test(pieces),
        cmocka_unit_test(long_line),
        cmocka_unit_test(probe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
