// SPDX-License-Identifier: MIT
/* The reader of isolate logs: what ends up in a profile, whatever the pieces. Expected stacks are
 * worked out by hand from the logs. */
#include "tests/unit/tally_support.h"

#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "fold/base/input.h"
#include "profiler/trace/reference_process.h"
#include "profiler/trace/v8log_read.h"
#include "tests/unit/sanitized.h"

#define HEADER        "v8-version,11,3,244,8,-node.38,0\n"
#define TICK(address) "tick," address ",1000,0,0x0,0\n"

static struct profile *read_pieces(struct text log, size_t piece) {
    struct profile *profile = profile_new();
    struct error error = {0};
    void *parser = v8log_reader.open(profile, NULL);
    while (log.size > 0) {
        size_t size = piece == 0 || piece > log.size ? log.size : piece;
        /* A copy of its own, so that nothing can look beyond the piece. */
        char *copy = malloc(size);
        assert_non_null(copy);
        memcpy(copy, log.data, size);
        assert_true(v8log_reader.feed(parser, (struct text){copy, size}, &error));
        free(copy);
        log = text_skip(log, size);
    }
    assert_true(v8log_reader.finish(parser, &error));
    v8log_reader.close(parser);
    return profile;
}

static const struct view with_tiers = {.keep_tiers = true};

/* Reads a log whole and in small pieces; each gives `expected`. The profile of the former. */
static struct profile *assert_stacks(const char *log, const char *expected) {
    for (size_t piece = 1; piece < 32; piece++) {
        struct profile *profile = read_pieces(text_of(log), piece);
        support_assert_fold(profile, &with_tiers, expected);
        profile_free(profile);
    }
    struct profile *profile = read_pieces(text_of(log), 0);
    support_assert_fold(profile, &with_tiers, expected);
    return profile;
}

static void assert_warning(const struct profile *profile, const char *kind, uint64_t count,
                           uint64_t line) {
    const struct warning *warning = warnings_find(&profile->warnings, kind);
    if (count == 0) {
        assert_null(warning);
        return;
    }
    assert_non_null(warning);
    assert_int_equal(warning->count, count);
    assert_int_equal(warning->line, line);
}

static const char *const field_cases[] = {"field-cases/fc01-truncated-tick.v8.log",
                                          "field-cases/fc02-escapes.v8.log",
                                          "field-cases/fc03-windows-raw-backslash.v8.log",
                                          "field-cases/fc04-quoted-names-v8-6.v8.log",
                                          "field-cases/fc05-unknown-records.v8.log",
                                          "field-cases/fc06-blank-line.v8.log",
                                          "field-cases/fc07-address-reuse.v8.log",
                                          "field-cases/fc08-wide-addresses.v8.log",
                                          "field-cases/fc09-gc-overlap.v8.log",
                                          "field-cases/fc10a-no-ticks.v8.log"};

static const char *const field_stacks[] = {
    "~main /srv/app/index.js:1:1;*hot /srv/app/hot.js:4:13 6\n",
    "*caf\xc3\xa9 /srv/app/menu.js:2:5 2\n"
    "*get [a, b] /srv/app/odd,name.js:3:9 3\n"
    "*parse C:\\srv\\app\\new\\util.js:7:12 4\n"
    "*\xf0\x9f\x98\x80run /srv/app/emoji.js:1:1 5\n"
    "RegExp:^\\s+\\u{1F600},?$ 1\n",
    "*compile C:\\Users\\dev\\src\\xtra\\Stats.js:10:3 3\n"
    "*load C:\\work\\node_modules\\lib.js:4:1 2\n"
    "[node.exe] 1\n",
    "*sum, all /srv/app/sum.js:2:9 4\n"
    "Builtin:CEntryStub 2\n"
    "~say \"hi\" /srv/app/say.js:1:10 3\n",
    "?fresh /srv/app/fresh.js:9:2 4\n"
    "~main /srv/app/index.js:1:1 5\n",
    "~main /srv/app/index.js:1:1;*hot /srv/app/hot.js:4:13 9\n",
    "*first /srv/app/a.js:1:1 5\n"
    "*second /srv/app/b.js:1:1 4\n"
    "*third /srv/app/c.js:1:1 1\n"
    "[unknown] 3\n",
    "*mid /srv/app/m.js:1:1;*leaf /srv/app/l.js:1:1 1\n"
    "~root /srv/app/r.js:1:1;*mid /srv/app/m.js:1:1;*leaf /srv/app/l.js:1:1 3\n"
    "~root /srv/app/r.js:1:1;*mid /srv/app/m.js:1:1;[vsyscall] 2\n",
    "[unknown] 5\n"
    "~main /srv/app/index.js:1:1;(garbage collector) 2\n"
    "~main /srv/app/index.js:1:1;*hot /srv/app/hot.js:4:13 10\n"
    "~main /srv/app/index.js:1:1;*hot /srv/app/hot.js:4:13;(garbage collector) 6\n"
    "~main /srv/app/index.js:1:1;Builtin:ArrayMap 3\n"
    "~main /srv/app/index.js:1:1;[libdemo.so] 4\n",
    ""};

static void field_cases_in_pieces(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof field_cases / sizeof *field_cases; i++) {
        struct buffer log = support_data(field_cases[i]);
        buffer_append_byte(&log, '\0');
        profile_free(assert_stacks(log.data, field_stacks[i]));
        buffer_free(&log);
    }
}

/* Reads a file through the input layer and processes it as `prof-process` does. */
static struct buffer process_file(const char *path, size_t piece, const struct v8log_rules *rules) {
    struct buffer printed = {0};
    struct error error = {0};
    struct warnings warnings = {0};
    struct reference_options options = reference_options_default();
    struct output *output = output_open_buffer(&printed);
    struct reference_process *process = reference_process_new(
        rules, &options, false, (struct reference_symbol_sources){0}, output, &warnings);
    struct input *input = input_open(path, piece, &error);
    assert_non_null(input);
    struct text text;
    do {
        assert_true(input_read(input, &text, &error));
        reference_process_feed(process, text);
    } while (text.size > 0);
    input_close(input);
    reference_process_finish(process);
    reference_process_write(process);
    reference_process_free(process);
    assert_true(output_close(output, &error));
    buffer_append_byte(&printed, '\0');
    return printed;
}

static void plain_and_gzip_files_in_pieces(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof field_cases / sizeof *field_cases; i++) {
        struct buffer log = support_data(field_cases[i]);
        FILE *file = fopen("plain.log", "wb");
        assert_non_null(file);
        fwrite(log.data, 1, log.size, file);
        fclose(file);
        gzFile compressed = gzopen("packed.log", "wb");
        gzwrite(compressed, log.data, (unsigned)log.size);
        gzclose(compressed);
        buffer_free(&log);
        const struct v8log_rules *rules[] = {&v8log_tolerant_rules, v8log_rules_of_node(20)};
        for (size_t k = 0; k < 2; k++) {
            struct buffer whole = process_file("plain.log", 0, rules[k]);
            for (size_t piece = 1; piece < 32; piece++) {
                struct buffer plain = process_file("plain.log", piece, rules[k]);
                struct buffer packed = process_file("packed.log", piece, rules[k]);
                assert_string_equal(plain.data, whole.data);
                assert_string_equal(packed.data, whole.data);
                buffer_free(&plain);
                buffer_free(&packed);
            }
            buffer_free(&whole);
        }
    }
    unlink("plain.log");
    unlink("packed.log");
}

/* Two logs one after the other: two threads, and addresses of the one mean nothing in the other. */
static void several_isolates(void **state) {
    (void)state;
    struct profile *profile =
        assert_stacks(HEADER "code-creation,JS,0,1,0x1000,64,f /a.js:1:1,0x9000,*\n"
                             "code-creation,JS,0,1,0x2000,64,g /a.js:2:1,0x9100,*\n" //
                      TICK("0x1000") TICK("0x2000")                                  //
                      HEADER "code-creation,JS,0,1,0x1000,64,h /b.js:1:1,0x9000,*\n" //
                      TICK("0x1000") TICK("0x2000"),
                      "*f /a.js:1:1 1\n*g /a.js:2:1 1\n*h /b.js:1:1 1\n[unknown] 1\n");
    assert_int_equal(profile->thread_count, 2);
    assert_int_equal(profile->threads[0].id, 1);
    assert_int_equal(profile->threads[1].id, 2);
    uint64_t ticks[2] = {0, 0};
    for (size_t i = 0; i < profile->sample_count; i++)
        ticks[profile->samples[i].thread] += profile->samples[i].weight.whole;
    assert_int_equal(ticks[0], 2);
    assert_int_equal(ticks[1], 2);
    profile_free(profile);
}

/* Workers that wrote over each other (--no-logfile-per-isolate): what is whole counts. */
static void torn_lines(void **state) {
    (void)state;
    struct profile *profile =
        assert_stacks(HEADER "code-creation,JS,0,1,0x1000,64,f /a.js:1:1,0x9000,*\n"
                             "nIndex === -1) {\\n  return\n" TICK("0x1000") //
                      "tick,0x10\n"                                         //
                      "code-creation,Builtin,2,1,0x20\n"
                      "00,64,g /a.js:2:1,0x9100,*\n" TICK(
                          "0x2000") "tick,0x1000,2000,0,0x0,0,0xfffffffffffffffff,zz,0x1000\n",
                      "*f /a.js:1:1 1\n*f /a.js:1:1;*f /a.js:1:1 1\n[unknown] 1\n");
    assert_warning(profile, "torn-record", 1, 3);
    assert_warning(profile, "incomplete-record", 2, 5);
    assert_warning(profile, "bad-frame", 2, 0);
    profile_free(profile);
}

static void names_with_commas_and_newlines(void **state) {
    (void)state;
    struct profile *profile = assert_stacks(
        HEADER "code-creation,JS,0,1,0x1000,64,na,me with \"q\" /app/x.js:2:27,0x9000,~\n"     //
               "code-creation,JS,0,1,0x2000,64,new\nline,and\n\nmore /app/y.js:3:1,0x9100,*\n" //
               "code-creation,JS,0,1,0x3000,64,never ends\n"                                   //
        TICK("0x1000") TICK("0x2000") TICK("0x3000")                                           //
        "code-creation,JS,0,1,0x4000,64,back\\slash /app/z.js:1:1,0x9200,o*'\n"                //
        "code-creation,JS,0,1,0x5000,64, /app/odd\\x2Cpath.js:9:1,0x9300,+'\n"                 //
        TICK("0x4000") TICK("0x5000"),
        "*back\\slash /app/z.js:1:1 1\n"
        "*new\\nline,and\\n\\nmore /app/y.js:3:1 1\n"
        "+(anonymous) /app/odd,path.js:9:1 1\n"
        "[unknown] 1\n"
        "~na,me with \"q\" /app/x.js:2:27 1\n");
    assert_warning(profile, "incomplete-record", 1, 7);
    profile_free(profile);
}

static void unknown_tiers(void **state) {
    (void)state;
    profile_free(assert_stacks(HEADER "code-creation,JS,0,1,0x1000,64,a /a.js:1:1,0x9000,?\n"
                                      "code-creation,JS,0,1,0x2000,64,b /a.js:2:1,0x9100,o#'\n"
                                      "code-creation,JS,0,1,0x3000,64,c /a.js:3:1,0x9200,\n"
                                      "code-creation,JS,0,1,0x4000,64,d /a.js:4:1,0x9300,^\n" //
                               TICK("0x1000") TICK("0x2000") TICK("0x3000") TICK("0x4000"),
                               "?a /a.js:1:1 1\n?b /a.js:2:1 1\n^d /a.js:4:1 1\n"
                               "c /a.js:3:1 1\n"));
}

/* V8 compiles a pattern once for Latin-1 subjects and once for others: it is one pattern. */
static void a_pattern_compiled_twice(void **state) {
    (void)state;
    profile_free(assert_stacks(HEADER "code-creation,RegExp,3,1,0x1000,64,a+\n"
                                      "code-creation,RegExp,3,1,0x2000,64,a+\n" //
                               TICK("0x1000") TICK("0x2000"),
                               "RegExp:a+ 2\n"));
}

static void line_ends_and_blank_lines(void **state) {
    (void)state;
    profile_free(
        assert_stacks("\r\nv8-version,11,3,244,8,-node.38,0\r\n\r\n"
                      "code-creation,JS,0,1,0x1000,64,f /a.js:1:1,0x9000,*\r\n\r\n\n"
                      "tick,0x1000,1,0,0x0,0\r\n\ntick,0x1000,1,0,0x0,0,0x1010\r\nprofiler,end\r\n",
                      "*f /a.js:1:1 1\n*f /a.js:1:1;*f /a.js:1:1 1\n"));
}

static void the_end_without_newline(void **state) {
    (void)state;
    struct profile *profile = assert_stacks(HEADER TICK("0x1000") "profiler,end", "[unknown] 1\n");
    assert_int_equal(profile->warnings.size, 0);
    profile_free(profile);
    profile = assert_stacks(HEADER TICK("0x1000") "tick,0x1000,2000,0,0x0,0", "[unknown] 1\n");
    assert_warning(profile, "incomplete-record", 1, 3);
    profile_free(profile);
}

static void nothing_recorded(void **state) {
    (void)state;
    struct profile *profile =
        assert_stacks(HEADER "code-creation,JS,0,1,0x1000,64,f /a.js:1:1,0x9000,*\n", "");
    assert_true(profile_is_empty(profile));
    assert_int_equal(profile->warnings.size, 0);
    profile_free(profile);
}

/* In a callback: JavaScript, the callback, the raw pc; once when they are the same. */
static void callbacks(void **state) {
    (void)state;
    profile_free(assert_stacks(
        HEADER "shared-library,/lib/libc.so,0x7f0000000000,0x7f0000100000,0\n"
               "shared-library,/bin/node,0x400000,0x500000,0\n"
               "code-creation,JS,0,1,0x1000,64,f /a.js:1:1,0x9000,*\n"
               "tick,0x7f0000000100,1,1,0x400100,6,0x1010\n"
               "tick,0x400200,2,1,0x400100,6,0x1010\n"
               "tick,0x7f0000000100,3,1,0x0,6,0x1010\n"
               "tick,0x7f0000000100,4,1,0x77,6,0x1010\n"
               "tick,0x7f0000000100,5,0,0x400100,6,0x1010\n",
        "*f /a.js:1:1;[libc.so] 3\n*f /a.js:1:1;[node] 1\n*f /a.js:1:1;[node];[libc.so] 1\n"));
}

/* Functions that were inlined stand in the stack, also at return addresses: those point behind the
 * call, so the last byte before counts. */
static void inlined_functions(void **state) {
    (void)state;
    struct profile *profile =
        assert_stacks(HEADER "code-creation,JS,0,1,0x1000,256,outer /a.js:1:1,0x9000,*\n"
                             "code-creation,JS,0,1,0x2000,64,inner /a.js:2:1,0x9100,~\n"
                             "code-creation,Builtin,2,1,0x3000,64,Call\n"
                             "code-source-info,0x1000,1,0,99,C0O1C16O2I0C32O3,F0O5,S0x9100\n"
                             "tick,0x1008,1,0,0x0,0\n"
                             "tick,0x1010,2,0,0x0,0\n"
                             "tick,0x3000,3,0,0x0,0,0x1010\n"
                             "tick,0x3000,4,0,0x0,0,0x1020\n",
                      "*outer /a.js:1:1 1\n"
                      "*outer /a.js:1:1;*inner /a.js:2:1 1\n"
                      "*outer /a.js:1:1;*inner /a.js:2:1;Builtin:Call 1\n"
                      "*outer /a.js:1:1;Builtin:Call 1\n");
    profile_free(profile);
}

static void stacks_at_the_limit(void **state) {
    (void)state;
    struct buffer log = {0};
    buffer_append_format(&log, HEADER "code-creation,JS,0,1,0x1000,64,f /a.js:1:1,0x9000,*\n");
    for (int frames = 254; frames <= 255; frames++) {
        buffer_append_format(&log, "tick,0x1000,1,0,0x0,0");
        for (int i = 0; i < frames; i++)
            buffer_append_format(&log, ",0x1008");
        buffer_append_byte(&log, '\n');
    }
    struct profile *profile = read_pieces(buffer_text(&log), 0);
    struct buffer folded = support_fold(profile, &with_tiers, NULL);
    assert_true(strncmp(folded.data, "*f /a.js:1:1;", 13) == 0);
    assert_non_null(strstr(folded.data, "\n[truncated];*f /a.js:1:1;"));
    buffer_free(&folded);
    profile_free(profile);
    buffer_free(&log);
}

/* The peak of this process's memory in KiB. */
static long peak_memory(void) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long peak = 0;
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "VmHWM:", 6) == 0)
            peak = strtol(line + 6, NULL, 10);
    }
    if (file)
        fclose(file);
    return peak;
}

/* Lines of 100 MB are skipped, or cut where their end does not matter, in little memory. */
static void endless_lines(void **state) {
    (void)state;
    static const char *const starts[] = {"tick,0x1000,1,0,0x0,0", "code-creation,JS,0,1,0x1000,64,",
                                         "script-source,1,/a.js,", "x"};
    static char piece[1024 * 1024];
    memset(piece, 'a', sizeof piece);
    struct profile *profile = profile_new();
    struct error error = {0};
    void *parser = v8log_reader.open(profile, NULL);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        assert_true(v8log_reader.feed(parser, text_of(starts[i]), &error));
        for (int k = 0; k < 100; k++)
            assert_true(v8log_reader.feed(parser, (struct text){piece, sizeof piece}, &error));
        assert_true(v8log_reader.feed(parser, TEXT("\n" TICK("0x1000")), &error));
    }
    assert_true(v8log_reader.finish(parser, &error));
    v8log_reader.close(parser);
    support_assert_fold(profile, &with_tiers, "[unknown] 4\n");
    assert_warning(profile, "long-line", 3, 1);
    profile_free(profile);
    if (!IS_SANITIZED)
        assert_in_range(peak_memory(), 1, 64 * 1024);
}

static void headers_and_interval(void **state) {
    (void)state;
    struct profile *profile =
        assert_stacks(HEADER "profiler,begin,100\ntick,0x1,1000,0,0x0,8\ntick,0x1,4000,0,0x0,0\n",
                      "[unknown] 1\n");
    assert_int_equal(profile->interval_us, 100);
    assert_int_equal(profile->duration_us, 3000);
    assert_true(text_equal(profile_text(profile, profile->v8), TEXT("11.3.244.8")));
    assert_true(text_equal(profile_text(profile, profile->node), TEXT("v20")));
    assert_int_equal(profile->total.whole, 2);
    profile_free(profile);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endless_lines), /* first: it looks at the peak of memory */
        cmocka_unit_test(field_cases_in_pieces),
        cmocka_unit_test(plain_and_gzip_files_in_pieces),
        cmocka_unit_test(several_isolates),
        cmocka_unit_test(torn_lines),
        cmocka_unit_test(names_with_commas_and_newlines),
        cmocka_unit_test(unknown_tiers),
        cmocka_unit_test(a_pattern_compiled_twice),
        cmocka_unit_test(line_ends_and_blank_lines),
        cmocka_unit_test(the_end_without_newline),
        cmocka_unit_test(nothing_recorded),
        cmocka_unit_test(callbacks),
        cmocka_unit_test(inlined_functions),
        cmocka_unit_test(stacks_at_the_limit),
        cmocka_unit_test(headers_and_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
