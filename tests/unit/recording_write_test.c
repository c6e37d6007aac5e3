// SPDX-License-Identifier: MIT
/* Tests of fold/write/recording: the text of a small recording, byte for byte, which is also the
 * example of `tickflame help format`; limits of size; writing that fails. */
#include "tests/unit/recording_support.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "fold/model/recording_format.h"
#include "profiler/command/help_format.h"

static const char path[] = "r.tickflame.gz";
static const char *const files[] = {path, NULL};

static struct recording *create(const struct profile *profile, struct recording_options options) {
    struct error error = {0};
    struct recording *recording = recording_create(path, profile, &options, &error);
    assert_string_equal(error.text, "");
    assert_non_null(recording);
    return recording;
}

static void flush(struct recording *recording) {
    struct error error = {0};
    bool flushed = recording_flush(recording, &error);
    assert_string_equal(error.text, "");
    assert_true(flushed);
}

static void close_well(struct recording *recording) {
    struct error error = {0};
    bool closed = recording_close(recording, &error);
    assert_string_equal(error.text, "");
    assert_true(closed);
}

static struct string_id intern(struct profile *profile, const char *text) {
    return profile_intern(profile, text_of(text));
}

/* A stack of a profile with one more frame. */
static struct stack_id push(struct profile *profile, struct stack_id parent, const char *name,
                            struct frame frame) {
    frame.name = intern(profile, name);
    return profile_push(profile, parent, profile_frame(profile, &frame));
}

/* Two seconds of a server that reads a file for each request. */
static void write_example(struct profile *profile) {
    profile->unit = UNIT_NANOSECONDS;
    profile->has_times = true;
    profile->native_stacks = true;
    profile->waiting_is_missing = true;
    profile->interval_us = 10101;
    profile->node = intern(profile, "v24.11.1");
    profile->command = intern(profile, "node server.js");
    profile->sampling.route = "perf_event";
    profile->sampling.asked_hz = 99;
    struct recording *recording = create(profile, (struct recording_options){0});

    profile_add_event(profile, TEXT("cpu-clock"), UNIT_NANOSECONDS);
    struct profile_thread thread = {.name = intern(profile, "node"),
                                    .id = 4711,
                                    .process_id = 4711,
                                    .role = THREAD_MAIN,
                                    .runs_javascript = true};
    profile_add_thread(profile, thread);
    profile_counter(profile, TEXT("rss"), UNIT_BYTES, 4711);
    struct string_id script = intern(profile, "/srv/server.js");
    struct stack_id handle = push(profile, (struct stack_id){0}, "handle",
                                  (struct frame){.kind = FRAME_JAVASCRIPT,
                                                 .tier = FRAME_INTERPRETED,
                                                 .file = script,
                                                 .line = 12,
                                                 .column = 21});
    struct stack_id parse = push(profile, handle, "parse",
                                 (struct frame){.kind = FRAME_JAVASCRIPT,
                                                .tier = FRAME_OPTIMISED,
                                                .file = script,
                                                .line = 4,
                                                .column = 15,
                                                .inlined = true});
    struct string_id binary = intern(profile, "/usr/bin/node");
    profile_add_library(profile, TEXT("/usr/bin/node"));
    profile->libraries[0].symbol_count = 80212;
    struct sample sample = {
        .stack = handle, .weight = weight_of(10101010), .count = 1, .time = 10230};
    recording_write_sample(recording, &sample);
    recording_write_reading(recording, 0, (struct counter_reading){11000, 52428800});
    sample.stack = parse;
    sample.time += 10101;
    recording_write_sample(recording, &sample);
    sample.time += 10101;
    recording_write_sample(recording, &sample);
    profile->events[0].samples = 3;
    flush(recording);

    struct stack_id read =
        push(profile, handle, "uv_fs_read", (struct frame){.kind = FRAME_CPP, .module = binary});
    read = push(profile, read, "vfs_read", (struct frame){.kind = FRAME_KERNEL});
    thread.name = intern(profile, "libuv-worker");
    thread.id = 4712;
    thread.role = THREAD_LIBUV;
    thread.runs_javascript = false;
    profile_add_thread(profile, thread);
    sample.stack = read;
    sample.time += 10230;
    recording_write_sample(recording, &sample);
    sample.thread = 1;
    sample.time += 200;
    recording_write_sample(recording, &sample);
    sample.state = VM_GC;
    sample.time += 10101;
    sample.weight.whole = 20202020;
    sample.count = 2;
    recording_write_sample(recording, &sample);
    recording_write_reading(recording, 0, (struct counter_reading){1011000, 54525952});
    profile->events[0].samples = 7;
    profile->sampling.lost = 1;
    warnings_add(&profile->warnings, "lost-samples", 0, "the kernel had no room for 1 sample");
    close_well(recording);
}

/* What is written is the example of the page, and the page's example is what is written. */
static void the_example(void **state) {
    (void)state;
    char folder[256];
    support_enter(folder, sizeof folder);
    struct profile *profile = profile_new();
    write_example(profile);
    struct buffer written = support_unzipped(path);
    struct buffer shown = {0};
    for (const char *const *line = help_format_example; *line; line++)
        buffer_append_format(&shown, "%s\n", *line);
    buffer_append_byte(&shown, '\0');
    assert_string_equal(written.data, shown.data);
    struct profile *read = support_profile_of(buffer_text(&written), 0, true);
    assert_int_equal(read->sample_count, 6);
    assert_int_equal(read->samples[5].time, 50963);
    assert_int_equal(warnings_total(&read->warnings), 1);
    profile_free(read);
    buffer_free(&written);
    buffer_free(&shown);
    profile_free(profile);
    support_leave(folder, files);
}

static bool contains_word(struct text page, const char *word) {
    struct text text = text_of(word);
    for (size_t i = 0; i + text.size <= page.size; i++) {
        if (memcmp(page.data + i, text.data, text.size) != 0)
            continue;
        static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
        bool starts = i == 0 || !strchr(letters, page.data[i - 1]);
        bool ends = i + text.size == page.size || !strchr(letters, page.data[i + text.size]);
        if (starts && ends)
            return true;
    }
    return false;
}

/* Each word of the format is explained on the page. */
static void every_word_is_documented(void **state) {
    (void)state;
    struct buffer page = {0};
    struct error error = {0};
    struct output *output = output_open_buffer(&page);
    help_write_format(output);
    assert_true(output_close(output, &error));
    const struct recording_words words[] = {
        recording_records,    recording_keys,   recording_answers,     recording_units,
        recording_kinds,      recording_tiers,  recording_roles,       recording_states,
        recording_activities, recording_routes, recording_unaccounted, recording_flags,
        recording_endings,
    };
    for (size_t set = 0; set < sizeof words / sizeof *words; set++)
        for (int i = 0; i < words[set].count; i++)
            if (!contains_word(buffer_text(&page), words[set].items[i]))
                fail_msg("the page does not mention '%s'", words[set].items[i]);
    buffer_free(&page);
}

/* Samples of ever new stacks, so that pieces have a size. Returns whether it was flushed. */
static bool write_piece(struct profile *profile, struct recording *recording, unsigned *seed,
                        struct error *error) {
    for (int i = 0; i < 200; i++) {
        char name[32];
        *seed = *seed * 1103515245 + 12345;
        snprintf(name, sizeof name, "function%u", *seed);
        struct sample sample = {
            .stack = push(profile, (struct stack_id){*seed / 65536 % (i + 1)}, name,
                          (struct frame){.kind = FRAME_CPP}),
            .weight = weight_of(1),
            .count = 1,
        };
        recording_write_sample(recording, &sample);
    }
    return recording_flush(recording, error);
}

/* The file is whole and holds this many samples. */
static void assert_samples(uint64_t samples, const char *warning) {
    struct buffer text = support_unzipped(path);
    struct profile *profile = support_profile_of(buffer_text(&text), 0, true);
    assert_int_equal(profile->sample_count, samples);
    assert_int_equal(profile->warnings.size, warning != NULL);
    if (warning)
        assert_string_equal(profile->warnings.items[0].kind, warning);
    profile_free(profile);
    buffer_free(&text);
}

static void the_size_limit(void **state) {
    (void)state;
    char folder[256];
    support_enter(folder, sizeof folder);
    for (uint64_t most = 5000; most < 9000; most += 371) {
        struct profile *profile = profile_new();
        struct recording *recording =
            create(profile, (struct recording_options){.replace = true, .size_most = most});
        profile_add_thread(profile, (struct profile_thread){.id = 1});
        struct error error = {0};
        unsigned seed = 1;
        uint64_t pieces = 0;
        while (write_piece(profile, recording, &seed, &error)) {
            pieces++;
            assert_false(recording_is_full(recording));
        }
        assert_true(pieces > 0);
        assert_true(recording_is_full(recording));
        assert_int_equal(error.kind, ERROR_OUTPUT);
        assert_false(recording_flush(recording, &error));
        assert_true(recording_size(recording) <= most);
        close_well(recording);
        struct buffer bytes = support_bytes(path);
        assert_true(bytes.size <= most);
        buffer_free(&bytes);
        assert_samples(pieces * 200, "recording-full");
        profile_free(profile);
    }
    support_leave(folder, files);
}

/* A write that fails in the middle: the file ends with the piece before. */
static void writing_fails(void **state) {
    (void)state;
    char folder[256];
    struct rlimit before;
    support_enter(folder, sizeof folder);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (rlim_t most = 5000; most < 9000; most += 371) {
        struct profile *profile = profile_new();
        struct recording *recording = create(profile, (struct recording_options){.replace = true});
        profile_add_thread(profile, (struct profile_thread){.id = 1});
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){most, before.rlim_max}), 0);
        struct error error = {0};
        unsigned seed = 1;
        uint64_t pieces = 0;
        while (write_piece(profile, recording, &seed, &error))
            pieces++;
        assert_int_equal(error.kind, ERROR_OUTPUT);
        assert_non_null(strstr(error.text, strerror(EFBIG)));
        assert_false(recording_is_full(recording));
        assert_false(recording_flush(recording, &error));
        uint64_t size = recording_size(recording);
        struct buffer bytes = support_bytes(path);
        assert_int_equal(bytes.size, size);
        buffer_free(&bytes);
        /* The end record has no room, or has it after all. */
        error = (struct error){0};
        assert_false(recording_close(recording, &error));
        assert_int_equal(error.kind, ERROR_OUTPUT);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        bytes = support_bytes(path);
        assert_samples(pieces * 200, bytes.size > size ? "recording-failed" : "cut-short");
        buffer_free(&bytes);
        profile_free(profile);
    }
    support_leave(folder, files);
}

/* Not even the first line can be written: nothing is left. */
static void nothing_can_be_written(void **state) {
    (void)state;
    char folder[256];
    struct rlimit before;
    support_enter(folder, sizeof folder);
    signal(SIGXFSZ, SIG_IGN);
    struct profile *profile = profile_new();
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){10, before.rlim_max}), 0);
    struct error error = {0};
    assert_null(recording_create(path, profile, &(struct recording_options){0}, &error));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(error.kind, ERROR_OUTPUT);
    assert_int_not_equal(access(path, F_OK), 0);
    profile_free(profile);
    support_leave(folder, NULL);
}

static void nothing_new(void **state) {
    (void)state;
    char folder[256];
    support_enter(folder, sizeof folder);
    struct profile *profile = profile_new();
    struct recording *recording = create(profile, (struct recording_options){0});
    uint64_t size = recording_size(recording);
    assert_true(size > 0);
    flush(recording);
    assert_int_equal(recording_size(recording), size);
    recording_discard(recording);
    assert_int_not_equal(access(path, F_OK), 0);
    recording_discard(NULL);
    profile_free(profile);
    support_leave(folder, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example),
        cmocka_unit_test(every_word_is_documented),
        cmocka_unit_test(the_size_limit),
        cmocka_unit_test(writing_fails),
        cmocka_unit_test(nothing_can_be_written),
        cmocka_unit_test(nothing_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
