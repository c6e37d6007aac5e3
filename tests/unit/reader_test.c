// SPDX-License-Identifier: MIT
/* Tests that the readers keep the contract of fold/model/reader.h: probes that know their own
 * format and no other, whatever is cut off, and parsers that can be ended at any time. */
#include "tests/unit/tally_support.h"

#include <string.h>

#include "fold/read/cpuprofile.h"
#include "fold/read/recording.h"
#include "profiler/trace/v8log_read.h"

static const struct reader *const readers[] = {&folded_reader, &v8log_reader, &cpuprofile_reader,
                                               &recording_reader};
enum { READERS = sizeof readers / sizeof *readers };

/* The answer for text in memory of its own size, so that the sanitizer sees a look beyond it. */
static enum probe_result probe(const struct reader *reader, struct text start) {
    char *copy = malloc(start.size + (start.size == 0));
    assert_non_null(copy);
    if (start.size)
        memcpy(copy, start.data, start.size);
    enum probe_result result = reader->probe((struct text){copy, start.size});
    free(copy);
    return result;
}

static const char *const logs[] = {"fc01-truncated-tick.v8.log",
                                   "fc02-escapes.v8.log",
                                   "fc03-windows-raw-backslash.v8.log",
                                   "fc04-quoted-names-v8-6.v8.log",
                                   "fc05-unknown-records.v8.log",
                                   "fc06-blank-line.v8.log",
                                   "fc07-address-reuse.v8.log",
                                   "fc08-wide-addresses.v8.log",
                                   "fc09-gc-overlap.v8.log",
                                   "fc10a-no-ticks.v8.log"};
static const char *const folded[] = {"fc15-hostile-names.folded", "fc16a-line-oddities.folded",
                                     "fc16b-huge-counts.folded",  "fc17c-few-samples.folded",
                                     "fc19-recursion.folded",     "fc27-sync.folded"};

static const char *const profiles[] = {
    "fc11-negative-delta.cpuprofile", "fc12a-hitcount-only.cpuprofile",
    "fc12b-parent-links.cpuprofile",  "fc12c-old-head-tree.cpuprofile",
    "fc13a-cycle.cpuprofile",         "fc13b-dangling.cpuprofile",
    "fc14-pseudo-frames.cpuprofile"};

static struct buffer field_case(const char *name) {
    char path[128];
    snprintf(path, sizeof path, "field-cases/%s", name);
    return support_data(path);
}

static void test_own_format(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        struct buffer log = field_case(logs[i]);
        assert_int_equal(probe(&v8log_reader, buffer_text(&log)), PROBE_CERTAIN);
        assert_int_not_equal(probe(&folded_reader, buffer_text(&log)), PROBE_CERTAIN);
        buffer_free(&log);
    }
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
        struct buffer profile = field_case(profiles[i]);
        for (size_t k = 0; k < READERS; k++)
            assert_int_equal(probe(readers[k], buffer_text(&profile)),
                             readers[k] == &cpuprofile_reader ? PROBE_CERTAIN : PROBE_NO);
        buffer_free(&profile);
    }
    for (size_t i = 0; i < sizeof folded / sizeof *folded; i++) {
        struct buffer text = field_case(folded[i]);
        assert_int_equal(probe(&cpuprofile_reader, buffer_text(&text)), PROBE_NO);
        assert_int_equal(probe(&folded_reader, buffer_text(&text)), PROBE_MAYBE);
        assert_int_equal(probe(&v8log_reader, buffer_text(&text)), PROBE_NO);
        buffer_free(&text);
    }
}

/* The first bytes end anywhere. Once a log is recognised, more of it changes nothing. */
static void test_every_start(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        struct buffer log = field_case(logs[i]);
        bool known = false;
        for (size_t size = 0; size <= log.size; size++) {
            struct text start = {log.data, size};
            enum probe_result result = probe(&v8log_reader, start);
            assert_true(result == PROBE_CERTAIN || !known);
            known = result == PROBE_CERTAIN;
            /* The shortest mark has 7 bytes; none needs more than the first record. */
            assert_true(known || size < 32);
            assert_false(known && size < 7);
            assert_int_not_equal(probe(&folded_reader, start), PROBE_CERTAIN);
        }
        buffer_free(&log);
    }
    for (size_t i = 0; i < sizeof folded / sizeof *folded; i++) {
        struct buffer text = field_case(folded[i]);
        for (size_t size = 0; size <= text.size && size < 3000; size++) {
            struct text start = {text.data, size};
            assert_int_not_equal(probe(&folded_reader, start), PROBE_CERTAIN);
            assert_int_equal(probe(&v8log_reader, start), PROBE_NO);
        }
        buffer_free(&text);
    }
}

static void test_other_formats(void **state) {
    (void)state;
    static const struct text others[] = {
        {"", 0},
        {"\n", 1},
        {"\n\n\r\n", 4},
        {"\0\0\0\0", 4},
        {"\x7F\x45LF\x02\x01\x01\0", 8},
        {"{\"nodes\": [{\"id\": 1}]}", 22},
        {"[{\"pid\": 12}]", 13},
        {"<!DOCTYPE html><html></html>", 28},
        {"PERFILE2", 8},
        {"hello", 5},
        {"main;work\n", 10},
        {"v8-version\n", 11},
        {"tick,\n", 6},
        {"xv8-version,1,2,3\n", 18},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        for (size_t k = 0; k < READERS; k++)
            if (probe(readers[k], others[i]) != PROBE_NO)
                fail_msg("row %zu is taken for %s", i, readers[k]->format);
    assert_int_equal(probe(&folded_reader, TEXT("main;work 1\n")), PROBE_MAYBE);
    assert_int_equal(probe(&folded_reader, TEXT("main 1")), PROBE_MAYBE);
    assert_int_equal(probe(&v8log_reader, TEXT("\r\n\nv8-version,1,2,3")), PROBE_CERTAIN);
    assert_int_equal(probe(&recording_reader, TEXT("tickflame-recording\t1\n")), PROBE_CERTAIN);
    assert_int_equal(probe(&recording_reader, TEXT("tickflame-recordings\t1\n")), PROBE_NO);
}

/* A parser may be closed at once, in the middle, or at the end; nothing is lost or leaks. */
static void test_ended_at_any_time(void **state) {
    (void)state;
    const char *const names[READERS] = {folded[0], logs[8], "fc14-pseudo-frames.cpuprofile",
                                        "../../fuzz/corpus/recording/example.tickflame"};
    for (size_t k = 0; k < READERS; k++) {
        struct buffer input = field_case(names[k]);
        for (size_t size = 0; size <= input.size; size += 1 + size / 16) {
            struct profile *profile = profile_new();
            struct error error = {0};
            void *parser = readers[k]->open(profile, NULL);
            struct text start = {input.data, size};
            assert_true(readers[k]->feed(parser, start, &error));
            if (size % 2)
                (void)readers[k]->finish(parser, &error);
            readers[k]->close(parser);
            /* What was added stays in the profile. */
            for (size_t i = 0; i < profile->sample_count; i++)
                assert_true(profile->samples[i].stack.index < profile->stacks.size + 1);
            profile_free(profile);
        }
        buffer_free(&input);
    }
}

/* Nothing usable: an error of the input with a sentence, and an empty profile. */
static void test_nothing_usable(void **state) {
    (void)state;
    static const struct text inputs[] = {{"", 0}, {"\n\n", 2}, {"only words\n", 11}, {"\0\xFF", 2}};
    for (size_t k = 0; k < READERS; k++)
        for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
            struct profile *profile = profile_new();
            struct error error = {0};
            void *parser = readers[k]->open(profile, NULL);
            bool fed = readers[k]->feed(parser, inputs[i], &error);
            assert_false(fed && readers[k]->finish(parser, &error));
            readers[k]->close(parser);
            assert_int_equal(error.kind, ERROR_INPUT);
            assert_true(strlen(error.text) > 0);
            assert_true(profile_is_empty(profile));
            profile_free(profile);
        }
}

/* Inputs of several formats add to one profile: 10 samples, 2 ticks, 4 hits and 8
 * of a recording. */
static void test_one_profile(void **state) {
    (void)state;
    struct profile *profile = profile_new();
    static const char recording[] =
        "tickflame-recording\t1\nstring\tf\nframe\t1\nstack\t0\t1\nthread\t0\n"
        "sample\t0\t1\t5\t8\nend\t1\n";
    static const char *const inputs[READERS] = {
        "main;work 10\n",
        "v8-version,11,3,244,8,-node.16,0\n"
        "code-creation,JS,0,1,0x1000,64,f /a.js:1:1,0x9000,*\n"
        "tick,0x1000,1000,0,0x0,0\ntick,0x1000,2000,0,0x0,0\n",
        "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"f\"},\"hitCount\":4}]}",
        recording};
    for (size_t k = 0; k < READERS; k++) {
        struct error error = {0};
        void *parser = readers[k]->open(profile, NULL);
        assert_true(readers[k]->feed(parser, text_of(inputs[k]), &error));
        assert_true(readers[k]->finish(parser, &error));
        readers[k]->close(parser);
    }
    assert_int_equal(profile->total.whole, 24);
    assert_int_equal(profile->thread_count, 4);
    assert_int_equal(profile->sample_count, 4);
    assert_int_not_equal(profile->samples[0].thread, profile->samples[1].thread);
    profile_free(profile);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_format),     cmocka_unit_test(test_every_start),
        cmocka_unit_test(test_other_formats),  cmocka_unit_test(test_ended_at_any_time),
        cmocka_unit_test(test_nothing_usable), cmocka_unit_test(test_one_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
