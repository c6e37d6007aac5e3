// SPDX-License-Identifier: MIT
/* Tests of fold/read/recording: what was written is read, for any size of pieces; recordings that
 * are cut anywhere; damage and later versions. */
#include "tests/unit/recording_support.h"

#include "profiler/command/input.h"

static const char path[] = "r.tickflame.gz";
static const char cut_path[] = "cut.tickflame.gz";
static const char *const files[] = {path, cut_path, NULL};

/* A sequence that is the same in each run. */
static uint32_t next(uint32_t *seed, uint32_t below) {
    *seed = *seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)*seed * below >> 32);
}

/* Names with all that needs care. */
static struct string_id random_name(struct profile *profile, uint32_t *seed) {
    static const char *const parts[] = {
        "a",    "handle",       "\t",           "\n", "\r", "\\",   "\\x41",    "\x01",
        "\xff", "\xe2\x80\xae", "\xe6\x97\xa5", " ",  ";",  "\x7f", "\xc2\x85", "\xf0\x9f\x94"};
    struct buffer name = {0};
    for (uint32_t i = next(seed, 5); i > 0; i--)
        buffer_append_text(&name, text_of(parts[next(seed, sizeof parts / sizeof *parts)]));
    if (next(seed, 20) == 0)
        buffer_append_byte(&name, '\0');
    buffer_append_format(&name, "%u", next(seed, 100));
    struct string_id id = profile_intern(profile, buffer_text(&name));
    buffer_free(&name);
    return id;
}

static struct stack_id random_stack(struct profile *profile, uint32_t *seed) {
    struct stack_id stack = {profile->stacks.size ? next(seed, (uint32_t)profile->stacks.size) : 0};
    for (uint32_t i = next(seed, 6); i > 0; i--) {
        struct frame frame = {.name = random_name(profile, seed),
                              .kind = (uint8_t)next(seed, FRAME_KIND_COUNT),
                              .tier = (uint8_t)next(seed, FRAME_TIER_COUNT),
                              .inlined = next(seed, 2)};
        if (next(seed, 2))
            frame.file = random_name(profile, seed);
        if (next(seed, 2))
            frame.module = random_name(profile, seed);
        frame.line = next(seed, 3) ? next(seed, UINT32_MAX) : 0;
        frame.column = next(seed, 50);
        stack = profile_push(profile, stack, profile_frame(profile, &frame));
    }
    return stack;
}

/* Changes of what describes the recording and of its smaller tables. */
static void random_rows(struct profile *profile, uint32_t *seed) {
    static const char *const routes[] = {"perf_event", "cpu-prof", NULL};
    static const char *const kinds[] = {"lost-samples", "no-names"};
    static const char *const call_graphs[] = {"fp", "dwarf", "auto", NULL};
    profile->sampling.route = routes[next(seed, 3)];
    profile->sampling.detail = random_name(profile, seed);
    profile->sampling.lost = next(seed, 2) * next(seed, 100);
    profile->sampling.cut = next(seed, 100);
    profile->sampling.call_graph = call_graphs[next(seed, 4)];
    profile->sampling.repaired = next(seed, 100);
    static const char *const names[] = {"heap", "map", "none", NULL};
    profile->sampling.names = names[next(seed, 4)];
    profile->sampling.names_compared = next(seed, 1000);
    profile->sampling.names_different = next(seed, 1000);
    profile->sampling.cpu_us = next(seed, 1000);
    profile->sampling.cpu_samples = next(seed, 1000);
    profile->has_waits = next(seed, 2);
    profile->waits_guessed = next(seed, 2);
    profile->sampling.truncated = next(seed, 100);
    profile->sampling.throttled = next(seed, 3);
    profile->sampling.kernel_hidden = next(seed, 2);
    profile->native_stacks = next(seed, 2);
    profile->isolate_only = next(seed, 2);
    profile->waiting_is_missing = next(seed, 2);
    profile->stack_limit = next(seed, 2) * 127;
    profile->interval_us = next(seed, 2) * 1001;
    profile->duration_us = 1 + next(seed, 1000000);
    profile->command = random_name(profile, seed);
    profile->unaccounted[next(seed, UNACCOUNTED_REASON_COUNT)] =
        (struct weight){next(seed, 1000), next(seed, 2) * (WEIGHT_FRACTION_ONE / 8)};
    struct profile_thread thread = {.name = random_name(profile, seed),
                                    .id = next(seed, 100000),
                                    .process_id = next(seed, 2) * 77,
                                    .role = (enum thread_role)next(seed, THREAD_OTHER + 1),
                                    .role_by_stacks = next(seed, 2),
                                    .runs_javascript = next(seed, 2)};
    if (profile->thread_count < 4 && next(seed, 2))
        profile_add_thread(profile, thread);
    else
        profile->threads[next(seed, (uint32_t)profile->thread_count)] = thread;
    profile->events[0].samples += next(seed, 100);
    char library[32];
    snprintf(library, sizeof library, "/lib/%u.so", next(seed, 5));
    uint32_t row = profile_add_library(profile, text_of(library));
    profile->libraries[row].symbol_count = next(seed, 3);
    profile->libraries[row].complaint =
        next(seed, 2) ? random_name(profile, seed) : (struct string_id){0};
    profile_counter(profile, next(seed, 2) ? TEXT("rss") : TEXT("cgroup memory"), UNIT_BYTES,
                    next(seed, 3))
        ->limit = next(seed, 2) * 4096;
    warnings_add(&profile->warnings, kinds[next(seed, 2)], 0, "a sentence of %u words", 5u);
    uint64_t start = next(seed, 1000000);
    if (next(seed, 2))
        profile_add_turn(profile, (struct profile_turn){.start = start,
                                                        .end = start + next(seed, 1000000),
                                                        .error = next(seed, 3) * 1000,
                                                        .process_id = 77,
                                                        .startup = next(seed, 2)});
}

/*
 * Writes a random recording in `pieces` pieces; *profile, which keeps times or not, is what was
 * recorded. `samples`, when not NULL, gets the samples that were written with each flush.
 */
static struct profile *write_random(uint32_t seed, int pieces, bool keep_times, uint64_t *samples) {
    struct profile *profile = profile_new();
    struct error error = {0};
    profile->keep_times = keep_times;
    profile->unit = UNIT_NANOSECONDS;
    profile->has_times = true;
    profile->node = random_name(profile, &seed);
    profile_add_event(profile, TEXT("cpu-clock"), UNIT_NANOSECONDS);
    profile_add_event(profile, TEXT("page-faults"), UNIT_COUNT);
    profile_add_thread(profile, (struct profile_thread){.id = 1});
    struct recording *recording =
        recording_create(path, profile, &(struct recording_options){.replace = true}, &error);
    assert_non_null(recording);
    uint64_t time = 0;
    uint64_t written = 0;
    for (int piece = 0; piece < pieces; piece++) {
        random_rows(profile, &seed);
        for (uint32_t i = next(&seed, 20); i > 0; i--) {
            time += next(&seed, 3) * 1001;
            struct sample sample = {
                .stack = random_stack(profile, &seed),
                .thread = next(&seed, (uint32_t)profile->thread_count),
                .state = (uint8_t)next(&seed, VM_LOGGING + 1),
                .idle = next(&seed, 4) == 0,
                .count = next(&seed, 3),
                .weight = {next(&seed, 2) * 1001001, next(&seed, 9) ? 0 : 1},
                .time = next(&seed, 5) ? time : time / 2,
            };
            profile_add_sample(profile, sample);
            recording_write_sample(recording, &sample);
            written++;
            if (profile->counter_count && next(&seed, 5) == 0) {
                size_t row = next(&seed, (uint32_t)profile->counter_count);
                struct counter_reading reading = {time, next(&seed, UINT32_MAX)};
                profile_counter_add(&profile->counters[row], reading);
                recording_write_reading(recording, row, reading);
            }
        }
        assert_true(recording_flush(recording, &error));
        if (samples)
            samples[piece] = written;
    }
    assert_true(recording_close(recording, &error));
    return profile;
}

static void what_was_written(void **state) {
    (void)state;
    char folder[256];
    support_enter(folder, sizeof folder);
    for (uint32_t seed = 1; seed <= 60; seed++) {
        struct profile *profile = write_random(seed, (int)seed % 7, seed % 2, NULL);
        struct buffer text = support_unzipped(path);
        struct profile *read = support_profile_of(buffer_text(&text), 0, seed % 2);
        support_same(profile, read);
        assert_string_equal(read->format, "tickflame");
        profile_free(read);
        profile_free(profile);
        buffer_free(&text);
    }
    support_leave(folder, files);
}

static void pieces_of_any_size(void **state) {
    (void)state;
    char folder[256];
    support_enter(folder, sizeof folder);
    struct profile *profile = write_random(7, 5, true, NULL);
    struct buffer text = support_unzipped(path);
    for (size_t piece = 0; piece <= 31; piece++) {
        struct profile *read = support_profile_of(buffer_text(&text), piece, true);
        support_same(profile, read);
        profile_free(read);
    }
    profile_free(profile);
    buffer_free(&text);
    support_leave(folder, files);
}

/* Cut in the text: what stands before is as it was, and one warning says that it was cut. */
static void text_cut_anywhere(void **state) {
    (void)state;
    char folder[256];
    support_enter(folder, sizeof folder);
    struct profile *profile = write_random(3, 4, true, NULL);
    struct buffer text = support_unzipped(path);
    size_t samples = 0;
    for (size_t size = 0; size < text.size; size++) {
        struct profile *read = profile_new();
        struct error error = {0};
        read->keep_times = true;
        if (support_read(read, (struct text){text.data, size}, 0, &error)) {
            assert_int_equal(warnings_find(&read->warnings, "cut-short")->count, 1);
            assert_null(warnings_find(&read->warnings, "damaged-record"));
            assert_true(read->sample_count >= samples);
            samples = read->sample_count;
            for (size_t i = 0; i < samples; i++)
                assert_true(read->samples[i].stack.index == profile->samples[i].stack.index &&
                            read->samples[i].time == profile->samples[i].time);
        } else {
            assert_true(size <= strlen("tickflame-recording\t1"));
            assert_int_equal(error.kind, ERROR_INPUT);
        }
        profile_free(read);
    }
    assert_int_equal(samples, profile->sample_count);
    profile_free(profile);
    buffer_free(&text);
    support_leave(folder, files);
}

/* Cut in the compressed file: all complete pieces are there, with one warning in total. */
static void file_cut_anywhere(void **state) {
    (void)state;
    char folder[256];
    uint64_t samples[4];
    support_enter(folder, sizeof folder);
    struct profile *profile = write_random(11, 4, true, samples);
    struct buffer bytes = support_bytes(path);
    /* Where members end. */
    size_t ends[16] = {0};
    size_t count = 0;
    for (size_t i = 1; i + 3 < bytes.size && count < 16; i++)
        if (memcmp(bytes.data + i, "\x1f\x8b\x08", 3) == 0)
            ends[count++] = i;
    assert_int_equal(count, 5); /* the head, four pieces, the end record */
    for (size_t size = 1; size < bytes.size; size++) {
        FILE *file = fopen(cut_path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(bytes.data, 1, size, file), size);
        fclose(file);
        struct profile *read = profile_new();
        struct error error = {0};
        struct input_options options = {.quiet = true, .keep_times = true};
        if (input_load(read, cut_path, &options, &error)) {
            size_t whole = 0;
            while (whole < count && ends[whole] <= size)
                whole++;
            assert_true(read->sample_count >= (whole >= 2 ? samples[whole - 2] : 0));
            size_t own = 0;
            for (size_t i = 0; i < read->warnings.size; i++)
                own += !read->warnings.items[i].recorded;
            assert_int_equal(own, 1);
        } else {
            assert_true(size < ends[0]);
        }
        profile_free(read);
    }
    buffer_free(&bytes);
    profile_free(profile);
    support_leave(folder, files);
}

#define HEAD "tickflame-recording\t1\n"
#define ROWS                                                                                       \
    HEAD "string\ta\nstring\tb\nframe\t1\tcpp\nframe\t2\nstack\t0\t1\t2\nthread\t0\t5\t5\tmain\n"

/* A line that cannot be used is one warning; the samples around it count. */
static void damaged_lines(void **state) {
    (void)state;
    static const char *const lines[] = {
        "frame\t3",
        "frame\tx",
        "frame\t1\tcpp\tnone\t9",
        "frame\t1\tcpp\tnone\t1\t4294967296",
        "frame\t1\tcpp\tnone\t1\t1\t1\t-1",
        "stack\t3\t1",
        "stack\t0\t3",
        "stack\t0\t0",
        "stack\t0",
        "stack\t0\t",
        "stack\t99999999999999999999\t1",
        "thread\t2\t5",
        "thread\tx",
        "thread\t1\t5\t5\tmain\t9",
        "thread\t4294967296",
        "event\t1\t1",
        "event\t0\t9",
        "library\t0\t1\tx",
        "library\t0\t9",
        "library\t3\t1",
        "counter\t0\t9",
        "counter\t1\t1",
        "reading\t0\t1\t1",
        "reading\t0",
        "string\tbad\\escape",
        "string\tends in \\",
        "string\t\\x4",
        "string\t\\xzz",
        "sample\t1\t1",
        "sample\t99999999999999999999",
        "sample\t0\t3\t1",
        "sample\t0\t1\t-1",
        "sample\t0\t1\t--1",
        "sample\t0\t1\t18446744073709551616",
        "sample\t0\t1\t1\t1e9",
        "sample\t0\t1\t1\t1\t-5",
        "sample\t0\t1\t1\t1\t1\t\t\t1",
        "meta\tlost\tmany",
        "meta\tlost\t",
        "meta\tunit\tbananas",
        "meta\tnode\t\\",
        "unaccounted\toutside\t-1",
        "warning\t\t1\ttext",
        "warning\tA b\t1\ttext",
        "warning\ta-kind-that-is-far-too-long-for-its-field\t1\ttext",
        "warning\tkind\tx\ttext",
        "end\tx",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct buffer text = {0};
        bool is_sample = strncmp(lines[i], "sample", 6) == 0;
        buffer_append_format(&text,
                             ROWS "sample\t0\t1\n%s\nsample\t0\t2\t5\t3\t1\tgc\tidle\nend\t%d\n",
                             lines[i], is_sample ? 3 : 2);
        for (size_t piece = 0; piece < 3; piece++) {
            struct profile *profile = support_profile_of(buffer_text(&text), piece, true);
            if (profile->sample_count != 2 || profile->warnings.size != 1)
                fail_msg("%s: %zu samples, %zu warnings", lines[i], profile->sample_count,
                         profile->warnings.size);
            assert_string_equal(profile->warnings.items[0].kind, "damaged-record");
            assert_int_equal(profile->warnings.items[0].line, 9);
            assert_int_equal(profile->samples[1].stack.index, 2);
            assert_int_equal(profile->samples[1].state, VM_GC);
            assert_true(profile->samples[1].idle);
            profile_free(profile);
        }
        buffer_free(&text);
    }
}

/* A row that is damaged keeps its number, and what refers to it is not used. */
static void damaged_rows_keep_their_numbers(void **state) {
    (void)state;
    struct profile *profile = support_profile_of(
        TEXT(HEAD "string\tx\\\nstring\tb\nframe\t1\nframe\t2\nstack\t0\t1\nstack\t0\t2\n"
                  "thread\t0\nsample\t0\t1\t7\nsample\t\t2\t1\nend\t2\n"),
        0, true);
    assert_int_equal(profile->sample_count, 1);
    assert_int_equal(profile->samples[0].time, 8);
    const struct frame *frame = frame_table_get(
        &profile->frames, stack_table_frame(&profile->stacks, profile->samples[0].stack));
    assert_true(text_equal(profile_text(profile, frame->name), TEXT("b")));
    assert_int_equal(profile->warnings.size, 1);
    assert_int_equal(profile->warnings.items[0].count, 4);
    profile_free(profile);
}

static void later_versions(void **state) {
    (void)state;
    struct profile *profile = support_profile_of(
        TEXT(ROWS "spline\t1\t2\nmeta\tcolour\tblue\nframe\t1\tquantum\nstack\t0\t3\n"
                  "sample\t0\t3\t1\t1\t1\tsleepy\tbusy\t0\tmore\tfields\nend\t1\n"),
        0, true);
    assert_int_equal(profile->sample_count, 1);
    assert_int_equal(profile->warnings.size, 1);
    assert_string_equal(profile->warnings.items[0].kind, "unknown-record");
    assert_int_equal(profile->warnings.items[0].count, 4);
    profile_free(profile);

    profile = profile_new();
    struct error error = {0};
    assert_false(support_read(profile, TEXT("tickflame-recording\t2\n"), 0, &error));
    assert_non_null(strstr(error.text, "version 2"));
    assert_false(support_read(profile, TEXT("tickflame-recordings\t1\n"), 0, &error));
    assert_non_null(strstr(error.text, "not a recording"));
    assert_false(support_read(profile, TEXT("a;b 1\n"), 0, &error));
    assert_false(support_read(profile, TEXT("tickflame-recording\tx\n"), 0, &error));
    assert_false(support_read(profile, TEXT("tickflame-recording\t1"), 0, &error));
    assert_false(support_read(profile, TEXT(""), 0, &error));
    assert_int_equal(recording_reader.probe(TEXT(HEAD)), PROBE_CERTAIN);
    assert_int_equal(recording_reader.probe(TEXT("tickflame-recordings")), PROBE_NO);
    assert_int_equal(recording_reader.probe(TEXT("")), PROBE_NO);
    profile_free(profile);
}

static void other_oddities(void **state) {
    (void)state;
    /* Windows line ends, empty lines, no samples. */
    struct profile *profile = support_profile_of(
        TEXT("tickflame-recording\t1\r\n\r\nmeta\tnode\tv20\r\nend\t0\r\n"), 0, true);
    assert_int_equal(profile->warnings.size, 0);
    assert_true(text_equal(profile_text(profile, profile->node), TEXT("v20")));
    profile_free(profile);
    /* Lines behind the end, and a number of samples that is wrong. */
    profile = support_profile_of(TEXT(ROWS "sample\t0\t1\nend\t2\n" ROWS), 0, true);
    assert_int_equal(profile->sample_count, 1);
    assert_non_null(warnings_find(&profile->warnings, "samples-missing"));
    assert_non_null(warnings_find(&profile->warnings, "after-end"));
    assert_int_equal(profile->warnings.size, 2);
    profile_free(profile);
    /* Readings go forwards. */
    profile = support_profile_of(
        TEXT(HEAD "string\trss\ncounter\t0\t1\tbytes\nreading\t0\t5\t1\nreading\t0\t4\t1\nend\n"),
        0, true);
    assert_int_equal(profile->counters[0].count, 1);
    assert_int_equal(profile->warnings.size, 1);
    profile_free(profile);
    /* Samples of two events cannot be added. */
    profile = support_profile_of(
        TEXT(ROWS "event\t0\t1\tnanoseconds\t1\nevent\t1\t2\tcount\t2\n"
                  "sample\t0\t1\nsample\t0\t2\t1\t1\t1\t\t\t1\nsample\nend\t3\n"),
        0, true);
    assert_int_equal(profile->sample_count, 2);
    assert_int_equal(profile->unit, UNIT_COUNT);
    assert_non_null(warnings_find(&profile->warnings, "other-events"));
    profile_free(profile);
}

/* More kinds of warnings than a recorder has: the reader's own still have room. */
static void endless_warnings(void **state) {
    (void)state;
    struct buffer text = {0};
    buffer_append_format(&text, HEAD);
    for (int i = 0; i < 200; i++)
        buffer_append_format(&text, "warning\tkind-%d\t5\ttext\n", i);
    struct profile *profile = support_profile_of(buffer_text(&text), 0, true);
    assert_true(profile->warnings.size < WARNING_KINDS_MAX / 2);
    assert_non_null(warnings_find(&profile->warnings, "cut-short"));
    profile_free(profile);
    buffer_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written),  cmocka_unit_test(pieces_of_any_size),
        cmocka_unit_test(text_cut_anywhere), cmocka_unit_test(file_cut_anywhere),
        cmocka_unit_test(damaged_lines),     cmocka_unit_test(damaged_rows_keep_their_numbers),
        cmocka_unit_test(later_versions),    cmocka_unit_test(other_oddities),
        cmocka_unit_test(endless_warnings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
