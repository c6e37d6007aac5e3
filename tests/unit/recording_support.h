// SPDX-License-Identifier: MIT
/* For the tests of recordings: files in a folder of their own, what is in them, and profiles that
 * are the same. */
#ifndef TICKFLAME_TESTS_UNIT_RECORDING_SUPPORT_H
#define TICKFLAME_TESTS_UNIT_RECORDING_SUPPORT_H

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fold/base/input.h"
#include "fold/base/memory.h"
#include "fold/read/recording.h"
#include "fold/write/recording.h"

/* A fresh folder, left with support_leave(). The working folder is inside. */
static inline void support_enter(char *folder, size_t size) {
    const char *parent = getenv("TMPDIR");
    snprintf(folder, size, "%s/tickflame-test-XXXXXX", parent ? parent : "/tmp");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
}

/* Removes the folder, which must hold no more than the named files. */
static inline void support_leave(const char *folder, const char *const *names) {
    for (; names && *names; names++)
        unlink(*names);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* All bytes of a file; to be given back with buffer_free(). */
static inline struct buffer support_bytes(const char *path) {
    struct buffer bytes = {0};
    char piece[4096];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size;
    while ((size = fread(piece, 1, sizeof piece, file)) > 0)
        buffer_append(&bytes, piece, size);
    fclose(file);
    return bytes;
}

/* All of a gzip'd file as text ended by a NUL; it must be whole. */
static inline struct buffer support_unzipped(const char *path) {
    struct buffer text = {0};
    struct error error = {0};
    struct text piece = {0};
    struct input *input = input_open(path, 0, &error);
    assert_string_equal(error.text, "");
    do {
        assert_true(input_read(input, &piece, &error));
        buffer_append_text(&text, piece);
    } while (piece.size > 0);
    input_close(input);
    buffer_append_byte(&text, '\0');
    text.size--;
    return text;
}

/* Feeds the text of a recording in pieces (0: whole). Returns whether it was usable. */
static inline bool support_read(struct profile *profile, struct text text, size_t piece,
                                struct error *error) {
    void *parser = recording_reader.open(profile, NULL);
    bool usable = true;
    while (text.size > 0 && usable) {
        size_t size = piece == 0 || piece > text.size ? text.size : piece;
        usable = recording_reader.feed(parser, (struct text){text.data, size}, error);
        text = text_skip(text, size);
    }
    usable = usable && recording_reader.finish(parser, error);
    recording_reader.close(parser);
    return usable;
}

/* The profile of a text that must be usable. */
static inline struct profile *support_profile_of(struct text text, size_t piece, bool keep_times) {
    struct profile *profile = profile_new();
    struct error error = {0};
    profile->keep_times = keep_times;
    bool usable = support_read(profile, text, piece, &error);
    assert_string_equal(error.text, "");
    assert_true(usable);
    return profile;
}

static inline void support_same_text(const struct profile *a, struct string_id in_a,
                                     const struct profile *b, struct string_id in_b) {
    assert_true(text_equal(profile_text(a, in_a), profile_text(b, in_b)));
}

static inline void support_same_weight(struct weight a, struct weight b) {
    assert_true(weight_compare(a, b) == 0);
}

/* What describes the recording. */
static inline void support_same_meta(const struct profile *a, const struct profile *b) {
    assert_int_equal(a->unit, b->unit);
    support_same_text(a, a->node, b, b->node);
    support_same_text(a, a->v8, b, b->v8);
    support_same_text(a, a->command, b, b->command);
    support_same_text(a, a->sampling.detail, b, b->sampling.detail);
    assert_true(a->sampling.route == b->sampling.route ||
                strcmp(a->sampling.route, b->sampling.route) == 0);
    assert_true(a->sampling.asked_hz == b->sampling.asked_hz);
    assert_true(a->sampling.lost == b->sampling.lost);
    assert_true(a->sampling.throttled == b->sampling.throttled);
    assert_true(a->sampling.truncated == b->sampling.truncated);
    assert_true(a->sampling.cut == b->sampling.cut);
    assert_true(a->sampling.repaired == b->sampling.repaired);
    assert_true(a->sampling.call_graph == b->sampling.call_graph ||
                strcmp(a->sampling.call_graph, b->sampling.call_graph) == 0);
    assert_int_equal(a->has_waits, b->has_waits);
    assert_int_equal(a->waits_guessed, b->waits_guessed);
    assert_int_equal(a->sampling.kernel_hidden, b->sampling.kernel_hidden);
    assert_true(a->interval_us == b->interval_us);
    assert_true(a->duration_us == b->duration_us);
    assert_true(a->stack_limit == b->stack_limit);
    assert_int_equal(a->has_times, b->has_times);
    assert_int_equal(a->isolate_only, b->isolate_only);
    assert_int_equal(a->waiting_is_missing, b->waiting_is_missing);
    assert_int_equal(a->native_stacks, b->native_stacks);
    support_same_weight(a->total, b->total);
    for (int i = 0; i < UNACCOUNTED_REASON_COUNT; i++)
        support_same_weight(a->unaccounted[i], b->unaccounted[i]);
}

/* Frames and stacks have the same numbers; strings may have others. */
static inline void support_same_tables(const struct profile *a, const struct profile *b) {
    assert_int_equal(a->strings.size, b->strings.size);
    assert_int_equal(a->frames.size, b->frames.size);
    for (size_t i = 1; i < a->frames.size; i++) {
        const struct frame *one = &a->frames.frames[i];
        const struct frame *other = &b->frames.frames[i];
        support_same_text(a, one->name, b, other->name);
        support_same_text(a, one->file, b, other->file);
        support_same_text(a, one->module, b, other->module);
        assert_true(one->line == other->line && one->column == other->column);
        assert_int_equal(one->kind, other->kind);
        assert_int_equal(one->tier, other->tier);
        assert_int_equal(one->inlined, other->inlined);
    }
    assert_int_equal(a->stacks.size, b->stacks.size);
    for (size_t i = 1; i < a->stacks.size; i++) {
        assert_int_equal(a->stacks.parents[i], b->stacks.parents[i]);
        assert_int_equal(a->stacks.frames[i], b->stacks.frames[i]);
    }
}

static inline void support_same_rows(const struct profile *a, const struct profile *b) {
    assert_int_equal(a->thread_count, b->thread_count);
    for (size_t i = 0; i < a->thread_count; i++) {
        const struct profile_thread *one = &a->threads[i];
        const struct profile_thread *other = &b->threads[i];
        support_same_text(a, one->name, b, other->name);
        assert_true(one->id == other->id && one->process_id == other->process_id);
        assert_int_equal(one->role, other->role);
        assert_int_equal(one->role_by_stacks, other->role_by_stacks);
        assert_int_equal(one->runs_javascript, other->runs_javascript);
    }
    assert_int_equal(a->event_count, b->event_count);
    for (size_t i = 0; i < a->event_count; i++) {
        support_same_text(a, a->events[i].name, b, b->events[i].name);
        assert_int_equal(a->events[i].unit, b->events[i].unit);
        assert_true(a->events[i].samples == b->events[i].samples);
    }
    assert_int_equal(a->library_count, b->library_count);
    for (size_t i = 0; i < a->library_count; i++) {
        support_same_text(a, a->libraries[i].path, b, b->libraries[i].path);
        assert_true(a->libraries[i].symbol_count == b->libraries[i].symbol_count);
        support_same_text(a, a->libraries[i].complaint, b, b->libraries[i].complaint);
    }
    assert_int_equal(a->turn_count, b->turn_count);
    for (size_t i = 0; i < a->turn_count; i++) {
        const struct profile_turn *one = &a->turns[i];
        const struct profile_turn *other = &b->turns[i];
        assert_true(one->start == other->start && one->end == other->end &&
                    one->error == other->error && one->process_id == other->process_id &&
                    one->startup == other->startup);
    }
    assert_int_equal(a->counter_count, b->counter_count);
    for (size_t i = 0; i < a->counter_count; i++) {
        const struct profile_counter *one = &a->counters[i];
        const struct profile_counter *other = &b->counters[i];
        support_same_text(a, one->name, b, other->name);
        assert_int_equal(one->unit, other->unit);
        assert_true(one->process_id == other->process_id && one->limit == other->limit);
        assert_int_equal(one->count, other->count);
        for (size_t reading = 0; reading < one->count; reading++)
            assert_true(one->readings[reading].time == other->readings[reading].time &&
                        one->readings[reading].value == other->readings[reading].value);
    }
}

static inline void support_same_samples(const struct profile *a, const struct profile *b) {
    assert_int_equal(a->sample_count, b->sample_count);
    for (size_t i = 0; i < a->sample_count; i++) {
        const struct sample *one = &a->samples[i];
        const struct sample *other = &b->samples[i];
        assert_int_equal(one->stack.index, other->stack.index);
        assert_int_equal(one->thread, other->thread);
        assert_int_equal(one->state, other->state);
        assert_int_equal(one->idle, other->idle);
        assert_int_equal(one->event, other->event);
        assert_true(one->count == other->count && one->time == other->time);
        support_same_weight(one->weight, other->weight);
    }
}

static inline void support_same_moments(const struct profile *a, const struct profile *b) {
    assert_int_equal(a->moment_count, b->moment_count);
    for (size_t i = 0; i < a->moment_count; i++) {
        const struct profile_moment *one = &a->moments[i];
        const struct profile_moment *other = &b->moments[i];
        assert_int_equal(one->start, other->start);
        assert_int_equal(one->end, other->end);
        assert_int_equal(one->thread, other->thread);
        assert_int_equal(one->stack.index, other->stack.index);
        assert_int_equal(one->event, other->event);
        assert_int_equal(one->idle, other->idle);
    }
}

/* That two profiles say the same, warnings by their counts. */
static inline void support_same(const struct profile *a, const struct profile *b) {
    support_same_meta(a, b);
    support_same_tables(a, b);
    support_same_rows(a, b);
    support_same_samples(a, b);
    support_same_moments(a, b);
    assert_int_equal(a->warnings.size, b->warnings.size);
    for (size_t i = 0; i < a->warnings.size; i++) {
        assert_string_equal(a->warnings.items[i].kind, b->warnings.items[i].kind);
        assert_string_equal(a->warnings.items[i].text, b->warnings.items[i].text);
        assert_true(a->warnings.items[i].count == b->warnings.items[i].count);
    }
}

#endif
