// SPDX-License-Identifier: MIT
#include "tests/unit/tally_support.h"

#include <string.h>

#include "profiler/trace/perf_data.h"
#include "profiler/trace/perf_record.h"

/* What a file came to. */
struct result {
    struct profile *profile;
    bool usable;
    struct error error;
};

/* Reads the bytes in pieces of `piece`; each piece in memory of its own size. */
static struct result read_pieces(struct text bytes, size_t piece, bool keep_times) {
    struct result result = {.profile = profile_new(), .usable = true};
    result.profile->keep_times = keep_times;
    void *parser = perf_data_reader.open(result.profile, NULL);
    while (result.usable && bytes.size > 0) {
        size_t size = piece < bytes.size ? piece : bytes.size;
        char *copy = malloc(size + 1);
        memcpy(copy, bytes.data, size);
        result.usable = perf_data_reader.feed(parser, (struct text){copy, size}, &result.error);
        free(copy);
        bytes = text_skip(bytes, size);
    }
    result.usable = result.usable && perf_data_reader.finish(parser, &result.error);
    perf_data_reader.close(parser);
    return result;
}

static struct result read_whole(const struct buffer *file) {
    return read_pieces(buffer_text(file), file->size, false);
}

/* All that a profile says of its samples, as text. */
static struct buffer describe(const struct profile *profile) {
    struct buffer text = {0};
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct sample *sample = &profile->samples[i];
        buffer_append_format(&text, "%u %u %ju %ju %ju:", sample->thread, sample->event,
                             (uintmax_t)sample->count, (uintmax_t)sample->weight.whole,
                             (uintmax_t)sample->time);
        for (struct stack_id at = sample->stack; at.index != 0;
             at = stack_table_parent(&profile->stacks, at)) {
            const struct frame *frame =
                frame_table_get(&profile->frames, stack_table_frame(&profile->stacks, at));
            buffer_append_byte(&text, ';');
            buffer_append_text(&text, profile_text(profile, frame->name));
            buffer_append_text(&text, profile_text(profile, frame->module));
        }
        buffer_append_byte(&text, '\n');
    }
    for (size_t i = 0; i < profile->warnings.size; i++)
        buffer_append_format(&text, "%s %ju %s\n", profile->warnings.items[i].kind,
                             (uintmax_t)profile->warnings.items[i].count,
                             profile->warnings.items[i].text);
    return text;
}

static void check_same(const struct profile *one, const struct profile *other) {
    struct buffer text = describe(one);
    struct buffer other_text = describe(other);
    assert_true(text_equal(buffer_text(&text), buffer_text(&other_text)));
    buffer_free(&text);
    buffer_free(&other_text);
}

static struct buffer recording(void) {
    return support_data("perf-data/busy.perf.data");
}

/* Numbers in the recording's header and records. */
static uint64_t number_at(const struct buffer *file, size_t offset) {
    uint64_t number;
    assert_non_null(file->data);
    memcpy(&number, file->data + offset, sizeof number);
    return number;
}

static void set_number(struct buffer *file, size_t offset, uint64_t number) {
    memcpy(file->data + offset, &number, sizeof number);
}

static uint16_t record_size(const struct buffer *file, size_t offset) {
    uint16_t size;
    memcpy(&size, file->data + offset + 6, sizeof size);
    return size;
}

enum {
    ATTRIBUTE_SIZE = 16,
    ATTRIBUTES = 24,
    ATTRIBUTES_SIZE = 32,
    DATA = 40,
    DATA_SIZE = 48,
    FEATURES = 72,
};

static void test_recording(void **state) {
    (void)state;
    struct buffer file = recording();
    struct result read = read_whole(&file);
    const struct profile *profile = read.profile;
    assert_true(read.usable);
    assert_string_equal(profile->format, "perf-data");
    assert_int_equal(profile->unit, UNIT_NANOSECONDS);
    assert_int_equal(profile->total.whole, 34 * 4016064);
    assert_int_equal(profile->event_count, 1);
    assert_true(text_equal(profile_text(profile, profile->events[0].name), TEXT("cpu-clock")));
    assert_int_equal(profile->events[0].samples, 34);
    assert_int_equal(profile->sampling.asked_hz, 249);
    assert_int_equal(profile->interval_us, 4016);
    assert_int_equal(profile->duration_us, 422293);
    assert_true(profile->has_times && profile->native_stacks && profile->waiting_is_missing);
    assert_false(profile->sampling.kernel_hidden);
    assert_true(text_equal(profile_text(profile, profile->command),
                           TEXT("/usr/bin/perf record -q -F 249 -e cpu-clock -g -o busy.perf.data "
                                "-- node --perf-basic-prof busy.js")));
    assert_int_equal(profile->warnings.size, 0);
    for (size_t i = 0; i < profile->thread_count; i++) {
        assert_int_equal(profile->threads[i].process_id, 14297);
        assert_true(text_equal(profile_text(profile, profile->threads[i].name), TEXT("node")));
    }
    profile_free(read.profile);
    buffer_free(&file);
}

static void test_pieces(void **state) {
    (void)state;
    static const char *const names[] = {"perf-data/busy.perf.data",
                                        "perf-data/busy-big-endian.perf.data"};
    struct buffer file = recording();
    for (int keep_times = 0; keep_times < 2; keep_times++) {
        struct result whole = read_pieces(buffer_text(&file), file.size, keep_times);
        for (size_t i = 0; i < 2; i++) {
            struct buffer other = support_data(names[i]);
            for (size_t piece = 1; piece < 32; piece++) {
                struct result read = read_pieces(buffer_text(&other), piece, keep_times);
                assert_true(read.usable);
                check_same(whole.profile, read.profile);
                profile_free(read.profile);
            }
            buffer_free(&other);
        }
        profile_free(whole.profile);
    }
    buffer_free(&file);
}

/* A file that is cut anywhere: an error inside its header, otherwise what is there, with one
 * warning. */
static void test_cut(void **state) {
    (void)state;
    struct buffer file = recording();
    size_t data = (size_t)number_at(&file, DATA);
    size_t end = data + (size_t)number_at(&file, DATA_SIZE);
    uint64_t before = 0;
    for (size_t size = 0; size < file.size; size += size < data || size > end ? 13 : 501) {
        struct result read = read_pieces((struct text){file.data, size}, 4096, false);
        assert_int_equal(read.usable, size >= data);
        if (read.usable && size < end) {
            assert_non_null(warnings_find(&read.profile->warnings, "cut-file"));
            assert_true(read.profile->total.whole >= before);
            before = read.profile->total.whole;
        }
        profile_free(read.profile);
    }
    assert_true(before > 0);
    buffer_free(&file);
}

static void test_killed(void **state) {
    (void)state;
    struct buffer file = recording();
    size_t end = (size_t)(number_at(&file, DATA) + number_at(&file, DATA_SIZE));
    set_number(&file, DATA_SIZE, 0);
    file.size = end;
    struct result read = read_whole(&file);
    assert_true(read.usable);
    assert_int_equal(read.profile->total.whole, 34 * 4016064);
    assert_non_null(warnings_find(&read.profile->warnings, "unfinished-file"));
    assert_int_equal(read.profile->warnings.size, 1);
    profile_free(read.profile);
    buffer_free(&file);
}

static void test_headers_that_lie(void **state) {
    (void)state;
    static const uint64_t numbers[] = {
        0, 1, 7, 103, 1 << 20, UINT32_MAX, INT64_MAX, UINT64_MAX - 7, UINT64_MAX};
    for (size_t offset = 8; offset < 264; offset += 8) {
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            struct buffer file = recording();
            set_number(&file, offset, numbers[i]);
            struct result read = read_whole(&file);
            assert_true(read.usable || read.error.kind == ERROR_INPUT);
            profile_free(read.profile);
            buffer_free(&file);
        }
    }
}

/* Sizes and counts of records, each made as large and as small as it can be. */
static void test_records_that_lie(void **state) {
    (void)state;
    static const uint16_t sizes[] = {0, 1, 7, 8, 9, 16, 40, UINT16_MAX};
    struct buffer original = recording();
    size_t end = (size_t)(number_at(&original, DATA) + number_at(&original, DATA_SIZE));
    for (size_t at = (size_t)number_at(&original, DATA); at < end;
         at += record_size(&original, at)) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            struct buffer file = recording();
            memcpy(file.data + at + 6, &sizes[i], sizeof sizes[i]);
            struct result read = read_whole(&file);
            assert_true(read.usable || read.error.kind == ERROR_INPUT);
            if (sizes[i] < 8)
                assert_non_null(warnings_find(&read.profile->warnings, "broken-records"));
            profile_free(read.profile);
            buffer_free(&file);
        }
        struct buffer file = recording();
        if (file.data[at] == PERF_SAMPLE) { /* the count of addresses in its chain */
            set_number(&file, at + 8 + 8 + 8 + 8 + 8, UINT64_MAX / 8 + 2);
            struct result read = read_whole(&file);
            assert_true(read.usable);
            assert_int_equal(warnings_find(&read.profile->warnings, "damaged-record")->count, 1);
            assert_int_equal(read.profile->total.whole, 33 * 4016064);
            profile_free(read.profile);
        }
        buffer_free(&file);
    }
    buffer_free(&original);
}

static void test_features_that_lie(void **state) {
    (void)state;
    struct buffer original = recording();
    size_t table = (size_t)(number_at(&original, DATA) + number_at(&original, DATA_SIZE));
    for (size_t at = table; at < original.size - 8; at += 4) {
        struct buffer file = recording();
        set_number(&file, at, at % 8 ? UINT64_MAX : 1 << 20);
        struct result read = read_whole(&file);
        assert_true(read.usable);
        assert_int_equal(read.profile->total.whole, 34 * 4016064);
        profile_free(read.profile);
        buffer_free(&file);
    }
    buffer_free(&original);
}

static void check_refused(struct buffer *file, const char *part) {
    struct result read = read_whole(file);
    assert_false(read.usable);
    assert_non_null(strstr(read.error.text, part));
    profile_free(read.profile);
    buffer_free(file);
}

/* Other kinds of recordings are refused by name. */
static void test_refused(void **state) {
    (void)state;
    struct buffer file = recording();
    set_number(&file, FEATURES, number_at(&file, FEATURES) | 1 << 27);
    check_refused(&file, "recorded with -z (compressed)");
    file = recording();
    set_number(&file, FEATURES, number_at(&file, FEATURES) | 1 << 24);
    check_refused(&file, "--threads");
    file = recording();
    set_number(&file, FEATURES, number_at(&file, FEATURES) | 1 << 19);
    check_refused(&file, "perf stat");
    file = recording();
    memcpy(file.data, "PERFFILE", 8);
    check_refused(&file, "before 2010");
    static const struct {
        unsigned char type;
        const char *part;
    } records[] = {{81, "-z"}, {83, "-z"}, {70, "trace of the processor"}, {71, "trace"}};
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        file = recording();
        file.data[number_at(&file, DATA)] = (char)records[i].type;
        check_refused(&file, records[i].part);
    }
    file = recording();
    set_number(&file, ATTRIBUTES, file.size);
    check_refused(&file, "behind its records");
    file = recording();
    set_number(&file, ATTRIBUTES_SIZE, 0);
    check_refused(&file, "size of an event");
}

/* The same recording as perf writes it to a pipe: the event is a record, and so is a fact. */
static void test_pipe(void **state) {
    (void)state;
    struct buffer file = recording();
    size_t data = (size_t)number_at(&file, DATA);
    struct buffer piped = {0};
    uint64_t header[2] = {0, 16};
    memcpy(header, "PERFILE2", 8);
    buffer_append(&piped, header, sizeof header);
    size_t attribute_size = (size_t)number_at(&file, ATTRIBUTE_SIZE) - 16;
    uint16_t attribute[4] = {64, 0, 0, (uint16_t)(8 + attribute_size + 8)};
    buffer_append(&piped, attribute, sizeof attribute);
    buffer_append(&piped, file.data + number_at(&file, ATTRIBUTES), attribute_size);
    uint64_t id = 11511;
    buffer_append(&piped, &id, sizeof id);
    uint16_t command[4] = {80, 0, 0, 8 + 8 + 4 + 4 + 8};
    buffer_append(&piped, command, sizeof command);
    uint64_t feature = 11;
    buffer_append(&piped, &feature, sizeof feature);
    uint32_t counts[2] = {1, 8};
    buffer_append(&piped, counts, sizeof counts);
    buffer_append(&piped, "recorded", 8);
    buffer_append(&piped, file.data + data, (size_t)number_at(&file, DATA_SIZE));
    struct result whole = read_whole(&file);
    for (size_t piece = 1; piece < 32; piece++) {
        struct result read = read_pieces(buffer_text(&piped), piece, false);
        assert_true(read.usable);
        check_same(whole.profile, read.profile);
        assert_true(
            text_equal(profile_text(read.profile, read.profile->command), TEXT("recorded")));
        profile_free(read.profile);
    }
    profile_free(whole.profile);
    buffer_free(&piped);
    buffer_free(&file);
}

/* Without round marks everything waits for the end, and nothing else changes. */
static void test_without_rounds(void **state) {
    (void)state;
    struct buffer file = recording();
    struct result whole = read_whole(&file);
    size_t end = (size_t)(number_at(&file, DATA) + number_at(&file, DATA_SIZE));
    for (size_t at = (size_t)number_at(&file, DATA); at < end; at += record_size(&file, at))
        if (file.data[at] == 68)
            file.data[at] = 82;
    struct result read = read_whole(&file);
    assert_true(read.usable);
    check_same(whole.profile, read.profile);
    profile_free(whole.profile);
    profile_free(read.profile);
    buffer_free(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recording),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_killed),
        cmocka_unit_test(test_headers_that_lie),
        cmocka_unit_test(test_records_that_lie),
        cmocka_unit_test(test_features_that_lie),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_without_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
