// SPDX-License-Identifier: MIT
#include "fold/write/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fold/base/memory.h"
#include "fold/base/piece_file.h"
#include "fold/model/recording_format.h"

enum {
    END_SIZE = 96,    /* bytes of a piece with the end record, at most */
    CHAIN_FRAMES = 64 /* stack rows of one line, at most */
};

/* What a thread's last sample was, as far as lines refer to it. */
struct last_sample {
    struct sample sample;
    uint64_t step; /* microseconds from the sample before it, modulo 2^64 */
};

struct recording {
    const struct profile *profile;
    struct piece_file *file;
    uint64_t size_most; /* 0 = no limit */
    bool full;
    struct error failure; /* the first one: nothing is written after it */

    struct buffer rows;    /* lines under way: what the tables have new */
    struct buffer samples; /* samples and readings since the last flush */
    uint64_t sample_count; /* in pieces that are written */
    uint64_t waiting;      /* samples in `samples` */
    struct last_sample *last_samples;
    size_t last_sample_count, last_sample_capacity;
    uint32_t last_thread;

    /* What is written already. */
    size_t strings, frames, stacks;
    struct profile_thread *threads;
    size_t thread_count, thread_capacity;
    struct profile_event *events;
    size_t event_count, event_capacity;
    struct profile_library *libraries;
    size_t library_count, library_capacity;
    size_t turns;
    struct profile_counter *counters; /* without their readings */
    size_t counter_count, counter_capacity;
    struct buffer values[RECORDING_KEY_COUNT];
    struct weight unaccounted[UNACCOUNTED_REASON_COUNT];
    uint64_t warnings[WARNING_KINDS_MAX]; /* counts */
};

/* Begins a line. */
static void begin(struct buffer *buffer, enum recording_record record) {
    buffer_append_text(buffer, text_of(recording_records.items[record]));
}

static void word(struct buffer *buffer, struct recording_words words, int index) {
    buffer_append_byte(buffer, '\t');
    buffer_append_text(buffer, text_of(words.items[index]));
}

static void number(struct buffer *buffer, uint64_t value) {
    char digits[20];
    size_t start = sizeof digits;
    do {
        digits[--start] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    buffer_append_byte(buffer, '\t');
    buffer_append(buffer, digits + start, sizeof digits - start);
}

/* Ends a line; fields at its end that are empty are left out. */
static void end(struct buffer *buffer) {
    while (buffer->data[buffer->size - 1] == '\t')
        buffer->size--;
    buffer_append_byte(buffer, '\n');
}

/* A field that is left empty when it says nothing. */
static void number_or_empty(struct buffer *buffer, uint64_t value) {
    if (value)
        number(buffer, value);
    else
        buffer_append_byte(buffer, '\t');
}

static void word_or_empty(struct buffer *buffer, struct recording_words words, int index) {
    if (index)
        word(buffer, words, index);
    else
        buffer_append_byte(buffer, '\t');
}

static void write_frame(struct buffer *rows, const struct frame *frame) {
    begin(rows, RECORD_FRAME);
    number_or_empty(rows, frame->name.index);
    word_or_empty(rows, recording_kinds, frame->kind);
    word_or_empty(rows, recording_tiers, frame->tier);
    number_or_empty(rows, frame->file.index);
    number_or_empty(rows, frame->line);
    number_or_empty(rows, frame->column);
    number_or_empty(rows, frame->module.index);
    word_or_empty(rows, recording_answers, frame->inlined);
    end(rows);
}

/* Strings, frames and stacks that are new. */
static void write_new_rows(struct recording *recording) {
    const struct profile *profile = recording->profile;
    struct buffer *rows = &recording->rows;
    size_t i;
    for (i = recording->strings; i < profile->strings.size; i++) {
        begin(rows, RECORD_STRING);
        buffer_append_byte(rows, '\t');
        recording_append_text(rows, profile->strings.texts[i]);
        buffer_append_byte(rows, '\n');
    }
    recording->strings = i;
    for (i = recording->frames; i < profile->frames.size; i++)
        write_frame(rows, &profile->frames.frames[i]);
    recording->frames = i;
    const struct stack_table *stacks = &profile->stacks;
    size_t chain = 0;
    for (i = recording->stacks; i < stacks->size; i++) {
        /* A row whose parent is the row before it continues the line. */
        if (chain == 0 || chain == CHAIN_FRAMES || stacks->parents[i] != i - 1) {
            if (chain)
                buffer_append_byte(rows, '\n');
            begin(rows, RECORD_STACK);
            number(rows, stacks->parents[i]);
            chain = 0;
        }
        number(rows, stacks->frames[i]);
        chain++;
    }
    if (chain)
        buffer_append_byte(rows, '\n');
    recording->stacks = i;
}

static bool same_thread(const struct profile_thread *a, const struct profile_thread *b) {
    return a->name.index == b->name.index && a->id == b->id && a->process_id == b->process_id &&
           a->role == b->role && a->role_by_stacks == b->role_by_stacks &&
           a->runs_javascript == b->runs_javascript;
}

static void write_threads(struct recording *recording) {
    const struct profile *profile = recording->profile;
    struct buffer *rows = &recording->rows;
    MEMORY_RESERVE(recording->threads, recording->thread_capacity, profile->thread_count);
    for (size_t i = 0; i < profile->thread_count; i++) {
        const struct profile_thread *thread = &profile->threads[i];
        if (i < recording->thread_count && same_thread(thread, &recording->threads[i]))
            continue;
        recording->threads[i] = *thread;
        begin(rows, RECORD_THREAD);
        number(rows, i);
        number(rows, thread->id);
        number(rows, thread->process_id);
        word(rows, recording_roles, thread->role);
        number_or_empty(rows, thread->name.index);
        if (thread->runs_javascript)
            word(rows, recording_flags, FLAG_RUNS_JAVASCRIPT);
        if (thread->role_by_stacks)
            word(rows, recording_flags, FLAG_ROLE_BY_STACKS);
        end(rows);
    }
    recording->thread_count = profile->thread_count;
}

static void write_events(struct recording *recording) {
    const struct profile *profile = recording->profile;
    struct buffer *rows = &recording->rows;
    MEMORY_RESERVE(recording->events, recording->event_capacity, profile->event_count);
    for (size_t i = 0; i < profile->event_count; i++) {
        const struct profile_event *event = &profile->events[i];
        const struct profile_event *old = &recording->events[i];
        if (i < recording->event_count && event->name.index == old->name.index &&
            event->unit == old->unit && event->samples == old->samples)
            continue;
        recording->events[i] = *event;
        begin(rows, RECORD_EVENT);
        number(rows, i);
        number(rows, event->name.index);
        word(rows, recording_units, (int)event->unit);
        number(rows, event->samples);
        end(rows);
    }
    recording->event_count = profile->event_count;
}

static void write_libraries(struct recording *recording) {
    const struct profile *profile = recording->profile;
    struct buffer *rows = &recording->rows;
    MEMORY_RESERVE(recording->libraries, recording->library_capacity, profile->library_count);
    for (size_t i = 0; i < profile->library_count; i++) {
        const struct profile_library *library = &profile->libraries[i];
        const struct profile_library *old = &recording->libraries[i];
        if (i < recording->library_count && library->symbol_count == old->symbol_count &&
            library->complaint.index == old->complaint.index)
            continue;
        recording->libraries[i] = *library;
        begin(rows, RECORD_LIBRARY);
        number(rows, i);
        number(rows, library->path.index);
        number_or_empty(rows, library->symbol_count);
        number_or_empty(rows, library->complaint.index);
        end(rows);
    }
    recording->library_count = profile->library_count;
}

static void write_counters(struct recording *recording) {
    const struct profile *profile = recording->profile;
    struct buffer *rows = &recording->rows;
    MEMORY_RESERVE(recording->counters, recording->counter_capacity, profile->counter_count);
    for (size_t i = 0; i < profile->counter_count; i++) {
        const struct profile_counter *counter = &profile->counters[i];
        if (i < recording->counter_count && counter->limit == recording->counters[i].limit)
            continue;
        recording->counters[i] = *counter;
        begin(rows, RECORD_COUNTER);
        number(rows, i);
        number(rows, counter->name.index);
        word(rows, recording_units, (int)counter->unit);
        number_or_empty(rows, counter->process_id);
        number_or_empty(rows, counter->limit);
        end(rows);
    }
    recording->counter_count = profile->counter_count;
}

static void write_turns(struct recording *recording) {
    const struct profile *profile = recording->profile;
    struct buffer *rows = &recording->rows;
    for (; recording->turns < profile->turn_count; recording->turns++) {
        const struct profile_turn *turn = &profile->turns[recording->turns];
        begin(rows, RECORD_TURN);
        number(rows, turn->process_id);
        number(rows, turn->start);
        number(rows, turn->end);
        number_or_empty(rows, turn->error);
        word_or_empty(rows, recording_answers, turn->startup);
        end(rows);
    }
}

/* A fact of the recording, when it is another one than before. */
static void write_value(struct recording *recording, enum recording_key key, struct text value) {
    struct buffer *old = &recording->values[key];
    if (text_equal(buffer_text(old), value))
        return;
    buffer_clear(old);
    buffer_append_text(old, value);
    begin(&recording->rows, RECORD_META);
    word(&recording->rows, recording_keys, (int)key);
    buffer_append_byte(&recording->rows, '\t');
    recording_append_text(&recording->rows, value);
    buffer_append_byte(&recording->rows, '\n');
}

/* What describes the recording. What was never known is not written; what is 0 again is. */
static void write_meta(struct recording *recording) {
    for (int key = 0; key < RECORDING_KEY_COUNT; key++) {
        const void *place = (const char *)recording->profile + recording_facts[key].offset;
        bool known = recording->values[key].size > 0;
        char digits[24];
        struct text value = {0};
        switch (recording_facts[key].form) {
        case FORM_TEXT:
            value = profile_text(recording->profile, *(const struct string_id *)place);
            break;
        case FORM_NUMBER:
            if (*(const uint64_t *)place || known) {
                snprintf(digits, sizeof digits, "%" PRIu64, *(const uint64_t *)place);
                value = text_of(digits);
            }
            break;
        case FORM_ANSWER:
            if (*(const bool *)place || known)
                value = text_of(recording_answers.items[*(const bool *)place]);
            break;
        case FORM_UNIT:
            value = text_of(recording_units.items[*(const enum profile_unit *)place]);
            break;
        case FORM_WORD:
            value = text_of(*(const char *const *)place);
            break;
        }
        write_value(recording, (enum recording_key)key, value);
    }
}

/* What is said of the whole: time without a name, and warnings. */
static void write_remarks(struct recording *recording) {
    const struct profile *profile = recording->profile;
    struct buffer *rows = &recording->rows;
    for (int i = 0; i < UNACCOUNTED_REASON_COUNT; i++) {
        struct weight weight = profile->unaccounted[i];
        if (weight_compare(weight, recording->unaccounted[i]) == 0)
            continue;
        recording->unaccounted[i] = weight;
        begin(rows, RECORD_UNACCOUNTED);
        word(rows, recording_unaccounted, i);
        buffer_append_byte(rows, '\t');
        weight_append(rows, weight);
        end(rows);
    }
    for (size_t i = 0; i < profile->warnings.size; i++) {
        const struct warning *warning = &profile->warnings.items[i];
        if (warning->count == recording->warnings[i])
            continue;
        recording->warnings[i] = warning->count;
        begin(rows, RECORD_WARNING);
        buffer_append_byte(rows, '\t');
        recording_append_text(rows, text_of(warning->kind));
        number(rows, warning->count);
        buffer_append_byte(rows, '\t');
        recording_append_text(rows, text_of(warning->text));
        buffer_append_byte(rows, '\n');
    }
}

/* Appends a piece. False: as recording_flush(). */
static bool append(struct recording *recording, struct text piece, struct error *error) {
    uint64_t most = recording->size_most;
    switch (piece_file_append(recording->file, piece, most > END_SIZE ? most - END_SIZE : most,
                              &recording->failure)) {
    case PIECE_WRITTEN:
        return true;
    case PIECE_TOO_LARGE:
        recording->full = true;
        error_set(&recording->failure, ERROR_OUTPUT,
                  "the recording has reached its limit of %" PRIu64 " bytes", most);
        break;
    case PIECE_FAILED:
        break;
    }
    *error = recording->failure;
    return false;
}

struct recording *recording_create(const char *path, const struct profile *profile,
                                   const struct recording_options *options, struct error *error) {
    struct piece_file *file = piece_file_create(path, options->replace, error);
    if (!file)
        return NULL;
    struct recording *recording = memory_allocate_zero(1, sizeof *recording);
    recording->profile = profile;
    recording->file = file;
    recording->size_most = options->size_most;
    recording->strings = recording->frames = recording->stacks = 1;
    /* At once, so that it is known for what it is from the start. */
    buffer_append_format(&recording->rows, RECORDING_MARK "\t%d\n", RECORDING_VERSION);
    write_meta(recording);
    bool written = append(recording, buffer_text(&recording->rows), error);
    buffer_clear(&recording->rows);
    if (written)
        return recording;
    recording_discard(recording);
    return NULL;
}

/* The state from which the first sample of a thread differs. */
static struct last_sample *last_sample_of(struct recording *recording, uint32_t thread) {
    size_t known = recording->last_sample_count;
    if (thread >= known) {
        MEMORY_RESERVE(recording->last_samples, recording->last_sample_capacity,
                       (size_t)thread + 1);
        for (size_t i = known; i <= thread; i++)
            recording->last_samples[i] = (struct last_sample){
                .sample = {.thread = (uint32_t)i, .count = 1, .weight = weight_of(1)}};
        recording->last_sample_count = (size_t)thread + 1;
    }
    return &recording->last_samples[thread];
}

/* The time from the sample before, with its sign. */
static void append_step(struct buffer *buffer, uint64_t step) {
    if (step <= INT64_MAX) {
        number(buffer, step);
        return;
    }
    buffer_append_format(buffer, "\t-%" PRIu64, (uint64_t)0 - step);
}

void recording_write_sample(struct recording *recording, const struct sample *sample) {
    if (recording->failure.kind != ERROR_NONE)
        return;
    struct buffer *buffer = &recording->samples;
    struct last_sample *last = last_sample_of(recording, sample->thread);
    const struct sample *before = &last->sample;
    uint64_t step = sample->time - before->time;
    begin(buffer, RECORD_SAMPLE);
    if (sample->thread != recording->last_thread)
        number(buffer, sample->thread);
    else
        buffer_append_byte(buffer, '\t');
    if (sample->stack.index != before->stack.index)
        number(buffer, sample->stack.index);
    else
        buffer_append_byte(buffer, '\t');
    if (step != last->step)
        append_step(buffer, step);
    else
        buffer_append_byte(buffer, '\t');
    buffer_append_byte(buffer, '\t');
    if (weight_compare(sample->weight, before->weight) != 0)
        weight_append(buffer, sample->weight);
    if (sample->count != before->count)
        number(buffer, sample->count);
    else
        buffer_append_byte(buffer, '\t');
    if (sample->state != before->state)
        word(buffer, recording_states, sample->state);
    else
        buffer_append_byte(buffer, '\t');
    if (sample->idle != before->idle)
        word(buffer, recording_activities, sample->idle);
    else
        buffer_append_byte(buffer, '\t');
    if (sample->event != before->event)
        number(buffer, sample->event);
    end(buffer);
    *last = (struct last_sample){*sample, step};
    recording->last_thread = sample->thread;
    recording->waiting++;
}

void recording_write_reading(struct recording *recording, size_t counter,
                             struct counter_reading reading) {
    if (recording->failure.kind != ERROR_NONE)
        return;
    begin(&recording->samples, RECORD_READING);
    number(&recording->samples, counter);
    number(&recording->samples, reading.time);
    number(&recording->samples, reading.value);
    end(&recording->samples);
}

bool recording_flush(struct recording *recording, struct error *error) {
    if (recording->failure.kind != ERROR_NONE) {
        *error = recording->failure;
        return false;
    }
    struct buffer *rows = &recording->rows;
    write_meta(recording);
    write_new_rows(recording);
    write_threads(recording);
    write_events(recording);
    write_libraries(recording);
    write_counters(recording);
    write_turns(recording);
    buffer_append_text(rows, buffer_text(&recording->samples));
    write_remarks(recording);
    bool written = rows->size == 0 || append(recording, buffer_text(rows), error);
    if (written)
        recording->sample_count += recording->waiting;
    recording->waiting = 0;
    buffer_clear(rows);
    buffer_clear(&recording->samples);
    return written;
}

bool recording_is_full(const struct recording *recording) {
    return recording->full;
}

uint64_t recording_size(const struct recording *recording) {
    return piece_file_size(recording->file);
}

static void release(struct recording *recording) {
    buffer_free(&recording->rows);
    buffer_free(&recording->samples);
    for (int i = 0; i < RECORDING_KEY_COUNT; i++)
        buffer_free(&recording->values[i]);
    free(recording->last_samples);
    free(recording->threads);
    free(recording->events);
    free(recording->libraries);
    free(recording->counters);
    free(recording);
}

bool recording_close(struct recording *recording, struct error *error) {
    struct error failure = {0};
    enum recording_ending ending = ENDING_COMPLETE;
    if (!recording_flush(recording, &failure))
        ending = recording->full ? ENDING_SIZE_LIMIT : ENDING_WRITE_FAILED;
    struct buffer *rows = &recording->rows;
    begin(rows, RECORD_END);
    number(rows, recording->sample_count);
    word(rows, recording_endings, (int)ending);
    end(rows);
    /* After a failure there may be room for this line, now that the last piece was cut off. */
    struct error last = {0};
    bool ended = piece_file_append(recording->file, buffer_text(rows), 0, &last) == PIECE_WRITTEN;
    ended = piece_file_close(recording->file, &last) && ended;
    release(recording);
    if (ending != ENDING_WRITE_FAILED && ended)
        return true;
    *error = ending == ENDING_WRITE_FAILED ? failure : last;
    return false;
}

void recording_discard(struct recording *recording) {
    if (!recording)
        return;
    piece_file_discard(recording->file);
    release(recording);
}
