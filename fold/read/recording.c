// SPDX-License-Identifier: MIT
#include "fold/read/recording.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fold/read/recording_fields.h"

enum {
    LINE_LARGEST = 64 * 1024 * 1024, /* the longest string of other readers, each byte escaped */
    ROWS_MOST = 1 << 25,             /* of strings, frames and stacks */
    THREADS_MOST = 1 << 20,
    EVENTS_MOST = 1 << 12,
    LIBRARIES_MOST = 1 << 20,
    COUNTERS_MOST = 1 << 12,
};

/* A row that is there but cannot be used. */
#define ROW_BAD UINT32_MAX

/* What the numbers of the recording are in the profile. */
struct row_map {
    uint32_t *rows;
    size_t count, capacity;
};

/* What left-out fields of a thread's next sample stand for. */
struct last_sample {
    uint64_t stack; /* as the recording numbers it */
    uint64_t step;
    bool backwards; /* of `step` */
    struct sample sample;
};

struct parser {
    struct profile *profile;
    uint64_t line;      /* number of the line under way, from 1 */
    struct buffer rest; /* the start of a line whose end is in a later piece */
    bool stopped;       /* a line was too long: what follows is not used */
    bool begun;         /* the first line was what it has to be */
    bool ended;         /* the end record was read */
    enum recording_ending ending;
    uint64_t samples_told; /* by the end record */
    uint64_t samples;      /* sample records, those that could not be used too */
    bool several_events;   /* samples of other events than row 0 */
    uint64_t first_time, last_time;

    struct recording_fields fields;         /* of the line under way */
    struct row_map strings, frames, stacks; /* from 1 */
    struct row_map libraries, counters;     /* from 0 */
    struct last_sample *threads;
    size_t thread_count, thread_capacity;
    uint32_t first_thread; /* row of the profile of the recording's thread 0 */
    uint64_t last_thread;
    size_t first_event, event_count;
};

static void row_add(struct row_map *map, uint32_t row) {
    MEMORY_RESERVE(map->rows, map->capacity, map->count + 1);
    map->rows[map->count++] = row;
}

/* What number `number` is in the profile. */
static uint32_t row_find(struct parser *parser, const struct row_map *map, uint64_t number) {
    if (number < map->count && map->rows[number] != ROW_BAD)
        return map->rows[number];
    recording_fault(&parser->fields, "it refers to a row that is not there");
    return ROW_BAD;
}

static struct string_id take_string(struct parser *parser) {
    return (struct string_id){
        row_find(parser, &parser->strings, recording_take_number(&parser->fields, 0))};
}

/* Whether a table takes another row. */
static bool has_room(struct parser *parser, size_t count, size_t most) {
    if (count < most)
        return true;
    recording_fault(&parser->fields, "there are too many of them");
    return false;
}

static void read_string(struct parser *parser) {
    if (!has_room(parser, parser->strings.count, ROWS_MOST))
        return;
    struct text text = recording_take_text(&parser->fields);
    row_add(&parser->strings,
            parser->fields.fault ? ROW_BAD : profile_intern(parser->profile, text).index);
}

static void read_frame(struct parser *parser) {
    if (!has_room(parser, parser->frames.count, ROWS_MOST))
        return;
    struct frame frame = {.name = take_string(parser)};
    frame.kind = (uint8_t)recording_take_word(&parser->fields, recording_kinds, FRAME_UNKNOWN_KIND);
    frame.tier = (uint8_t)recording_take_word(&parser->fields, recording_tiers, FRAME_NO_TIER);
    frame.file = take_string(parser);
    frame.line = recording_take_small_number(&parser->fields);
    frame.column = recording_take_small_number(&parser->fields);
    frame.module = take_string(parser);
    frame.inlined = recording_take_word(&parser->fields, recording_answers, false);
    row_add(&parser->frames,
            parser->fields.fault ? ROW_BAD : profile_frame(parser->profile, &frame).index);
}

/* A parent and frames, each on top of the one before: a row for each frame. */
static void read_stack(struct parser *parser) {
    uint32_t row = row_find(parser, &parser->stacks, recording_take_number(&parser->fields, 0));
    if (!parser->fields.more)
        recording_fault(&parser->fields, "a field is missing");
    while (parser->fields.more) {
        if (!has_room(parser, parser->stacks.count, ROWS_MOST))
            return;
        uint32_t frame =
            row_find(parser, &parser->frames, recording_take_number(&parser->fields, 0));
        if (frame == 0)
            recording_fault(&parser->fields, "it refers to a row that is not there");
        row = parser->fields.fault
                  ? ROW_BAD
                  : profile_push(parser->profile, (struct stack_id){row}, (struct frame_id){frame})
                        .index;
        row_add(&parser->stacks, row);
    }
}

/* The number of a row that stands in its line: the next one, or one that is there and changes. */
static bool take_row(struct parser *parser, size_t count, size_t most, size_t *row) {
    uint64_t number = recording_take_number(&parser->fields, 0);
    if (number > count)
        recording_fault(&parser->fields, "its number is not the next one");
    if (number >= most)
        recording_fault(&parser->fields, "there are too many of them");
    *row = (size_t)number;
    return !parser->fields.fault;
}

static void read_thread(struct parser *parser) {
    struct profile *profile = parser->profile;
    size_t row;
    if (!take_row(parser, parser->thread_count, THREADS_MOST, &row))
        return;
    struct profile_thread thread = {.id = recording_take_number(&parser->fields, 0)};
    thread.process_id = recording_take_number(&parser->fields, 0);
    thread.role =
        (enum thread_role)recording_take_word(&parser->fields, recording_roles, THREAD_OTHER);
    thread.name = take_string(parser);
    while (parser->fields.more) {
        int flag = recording_take_word(&parser->fields, recording_flags, -1);
        if (flag == FLAG_RUNS_JAVASCRIPT)
            thread.runs_javascript = true;
        else if (flag == FLAG_ROLE_BY_STACKS)
            thread.role_by_stacks = true;
    }
    if (parser->fields.fault)
        return;
    if (row < parser->thread_count) {
        profile->threads[parser->first_thread + row] = thread;
        return;
    }
    profile_add_thread(profile, thread);
    MEMORY_RESERVE(parser->threads, parser->thread_capacity, parser->thread_count + 1);
    parser->threads[parser->thread_count++] =
        (struct last_sample){.sample = {.weight = weight_of(1), .count = 1}};
}

static void read_event(struct parser *parser) {
    struct profile *profile = parser->profile;
    size_t row;
    if (!take_row(parser, parser->event_count, EVENTS_MOST, &row))
        return;
    struct profile_event event = {.name = take_string(parser)};
    event.unit =
        (enum profile_unit)recording_take_word(&parser->fields, recording_units, UNIT_COUNT);
    event.samples = recording_take_number(&parser->fields, 0);
    if (parser->fields.fault)
        return;
    if (row == parser->event_count) {
        profile_add_event(profile, profile_text(profile, event.name), event.unit);
        parser->event_count++;
    }
    profile->events[parser->first_event + row] = event;
}

static void read_library(struct parser *parser) {
    struct profile *profile = parser->profile;
    size_t row;
    if (!take_row(parser, parser->libraries.count, LIBRARIES_MOST, &row))
        return;
    struct string_id path = take_string(parser);
    uint64_t symbols = recording_take_number(&parser->fields, 0);
    struct string_id complaint = take_string(parser);
    if (parser->fields.fault)
        return;
    if (row == parser->libraries.count)
        row_add(&parser->libraries, profile_add_library(profile, profile_text(profile, path)));
    struct profile_library *library = &profile->libraries[parser->libraries.rows[row]];
    library->symbol_count = symbols;
    library->complaint = complaint;
}

static void read_counter(struct parser *parser) {
    struct profile *profile = parser->profile;
    size_t row;
    if (!take_row(parser, parser->counters.count, COUNTERS_MOST, &row))
        return;
    struct string_id name = take_string(parser);
    enum profile_unit unit =
        (enum profile_unit)recording_take_word(&parser->fields, recording_units, UNIT_COUNT);
    uint64_t process_id = recording_take_number(&parser->fields, 0);
    uint64_t limit = recording_take_number(&parser->fields, 0);
    if (parser->fields.fault)
        return;
    if (row == parser->counters.count) {
        const struct profile_counter *counter =
            profile_counter(profile, profile_text(profile, name), unit, process_id);
        row_add(&parser->counters, (uint32_t)(counter - profile->counters));
    }
    profile->counters[parser->counters.rows[row]].limit = limit;
}

static void read_reading(struct parser *parser) {
    uint32_t row = row_find(parser, &parser->counters, recording_take_number(&parser->fields, 0));
    struct counter_reading reading = {.time = recording_take_number(&parser->fields, 0)};
    reading.value = recording_take_number(&parser->fields, 0);
    if (parser->fields.fault)
        return;
    struct profile_counter *counter = &parser->profile->counters[row];
    if (counter->count && counter->readings[counter->count - 1].time > reading.time)
        recording_fault(&parser->fields, "it is older than the one before");
    else
        profile_counter_add(counter, reading);
}

static void read_turn(struct parser *parser) {
    struct profile_turn turn = {.process_id = recording_take_number(&parser->fields, 0)};
    turn.start = recording_take_number(&parser->fields, 0);
    turn.end = recording_take_number(&parser->fields, 0);
    turn.error = recording_take_number(&parser->fields, 0);
    turn.startup = recording_take_word(&parser->fields, recording_answers, false);
    if (turn.end < turn.start)
        recording_fault(&parser->fields, "it ends before it begins");
    if (!parser->fields.fault)
        profile_add_turn(parser->profile, turn);
}

/* The time of a thread's next sample. */
static void take_time(struct parser *parser, struct last_sample *last) {
    struct text field = recording_take_field(&parser->fields);
    if (field.size) {
        last->backwards = *field.data == '-';
        if (!number_parse_decimal(text_skip(field, last->backwards), &last->step))
            recording_fault(&parser->fields, "a time is not a number");
    }
    uint64_t time = last->sample.time;
    if (last->backwards ? last->step > time : last->step > UINT64_MAX - time)
        recording_fault(&parser->fields, "a time is out of range");
    else
        last->sample.time = last->backwards ? time - last->step : time + last->step;
}

static void read_sample(struct parser *parser) {
    uint64_t thread = recording_take_number(&parser->fields, parser->last_thread);
    parser->samples++;
    if (parser->fields.fault || thread >= parser->thread_count) {
        recording_fault(&parser->fields, "it refers to a row that is not there");
        return;
    }
    parser->last_thread = thread;
    struct last_sample *last = &parser->threads[thread];
    struct sample *sample = &last->sample;
    last->stack = recording_take_number(&parser->fields, last->stack);
    take_time(parser, last);
    recording_take_weight(&parser->fields, &sample->weight);
    sample->count = recording_take_number(&parser->fields, sample->count);
    sample->state = (uint8_t)recording_take_word(&parser->fields, recording_states, sample->state);
    sample->idle = recording_take_word(&parser->fields, recording_activities, sample->idle);
    uint64_t event = recording_take_number(&parser->fields, sample->event);
    if (event && event >= parser->event_count)
        recording_fault(&parser->fields, "it refers to a row that is not there");
    else
        sample->event = (uint16_t)event;
    struct sample added = *sample;
    added.stack.index = row_find(parser, &parser->stacks, last->stack);
    if (parser->fields.fault)
        return;
    added.thread = parser->first_thread + (uint32_t)thread;
    added.event = (uint16_t)(parser->first_event + event);
    parser->several_events = parser->several_events || added.event > 0;
    if (added.time < parser->first_time)
        parser->first_time = added.time;
    if (added.time > parser->last_time)
        parser->last_time = added.time;
    profile_add_sample(parser->profile, added);
}

static void read_meta(struct parser *parser) {
    struct profile *profile = parser->profile;
    int key = recording_take_word(&parser->fields, recording_keys, -1);
    struct text value = recording_take_text(&parser->fields);
    if (key < 0 || parser->fields.fault)
        return;
    void *place = (char *)profile + recording_facts[key].offset;
    int index;
    switch (recording_facts[key].form) {
    case FORM_TEXT:
        *(struct string_id *)place = profile_intern(profile, value);
        break;
    case FORM_NUMBER:
        if (!number_parse_decimal(value, place))
            recording_fault(&parser->fields, "a field is not a number");
        break;
    case FORM_ANSWER:
        *(bool *)place = text_equal(value, text_of(recording_answers.items[true]));
        break;
    case FORM_UNIT:
        index = recording_word_find(recording_units, value);
        if (index < 0)
            recording_fault(&parser->fields, "its unit is not known");
        else
            *(enum profile_unit *)place = (enum profile_unit)index;
        break;
    case FORM_WORD:
        index = recording_word_find(*recording_facts[key].words, value);
        *(const char **)place = index < 0 ? NULL : recording_facts[key].words->items[index];
        break;
    }
}

static void read_unaccounted(struct parser *parser) {
    int reason = recording_take_word(&parser->fields, recording_unaccounted, -1);
    struct weight weight = {0};
    recording_take_weight(&parser->fields, &weight);
    if (reason >= 0 && !parser->fields.fault)
        parser->profile->unaccounted[reason] = weight;
}

static void read_warning(struct parser *parser) {
    char kind[WARNING_KIND_SIZE] = "";
    struct text field = recording_take_field(&parser->fields);
    bool proper = field.size > 0 && field.size < sizeof kind;
    for (size_t i = 0; i < field.size && proper; i++) {
        char byte = field.data[i];
        proper = (byte >= 'a' && byte <= 'z') || byte == '-' || (byte >= '0' && byte <= '9');
        kind[i] = byte;
    }
    if (!proper)
        recording_fault(&parser->fields, "its kind is not one");
    uint64_t count = recording_take_number(&parser->fields, 0);
    recording_take_text(&parser->fields);
    if (parser->fields.fault)
        return;
    buffer_append_byte(&parser->fields.text, '\0');
    warnings_set_recorded(&parser->profile->warnings, kind, count, parser->fields.text.data);
}

static void read_end(struct parser *parser) {
    parser->samples_told = recording_take_number(&parser->fields, 0);
    parser->ending = (enum recording_ending)recording_take_word(&parser->fields, recording_endings,
                                                                ENDING_COMPLETE);
    parser->ended = !parser->fields.fault;
}

static void (*const record_readers[])(struct parser *parser) = {
    [RECORD_META] = read_meta,       [RECORD_STRING] = read_string,
    [RECORD_FRAME] = read_frame,     [RECORD_STACK] = read_stack,
    [RECORD_THREAD] = read_thread,   [RECORD_EVENT] = read_event,
    [RECORD_LIBRARY] = read_library, [RECORD_COUNTER] = read_counter,
    [RECORD_READING] = read_reading, [RECORD_TURN] = read_turn,
    [RECORD_SAMPLE] = read_sample,   [RECORD_UNACCOUNTED] = read_unaccounted,
    [RECORD_WARNING] = read_warning, [RECORD_END] = read_end,
};

/* The first line: the mark and the version. False: this is no recording that can be read. */
static bool read_mark(struct parser *parser, struct error *error) {
    struct text mark = recording_take_field(&parser->fields);
    uint64_t version = recording_take_number(&parser->fields, 0);
    if (!text_equal(mark, TEXT(RECORDING_MARK)) || version == 0)
        return error_set(error, ERROR_INPUT,
                         "not a recording: the first line is not '" RECORDING_MARK
                         "', a tab and a version");
    if (version > RECORDING_VERSION)
        return error_set(error, ERROR_INPUT,
                         "a recording of version %" PRIu64
                         "; this program reads version %d: use the one that recorded it, or a "
                         "later one",
                         version, RECORDING_VERSION);
    parser->begun = true;
    return true;
}

static bool read_line(struct parser *parser, struct text line, struct error *error) {
    struct warnings *warnings = &parser->profile->warnings;
    if (line.size && line.data[line.size - 1] == '\r')
        line.size--;
    recording_fields_start(&parser->fields, line);
    if (!parser->begun)
        return read_mark(parser, error);
    if (line.size == 0)
        return true;
    if (parser->ended) {
        warnings_add(warnings, "after-end", parser->line,
                     "there are lines behind the end of the recording; they are not used");
        return true;
    }
    struct text word = recording_take_field(&parser->fields);
    /* Most lines are samples. */
    int record = text_equal(word, TEXT("sample")) ? RECORD_SAMPLE
                                                  : recording_word_find(recording_records, word);
    if (record < 0)
        parser->fields.newer = true;
    else
        record_readers[record](parser);
    if (parser->fields.newer)
        warnings_add(warnings, "unknown-record", parser->line,
                     "records or words that this version does not know are left out");
    if (parser->fields.fault)
        warnings_add(warnings, "damaged-record", parser->line, "a record (%s) is not used: %s",
                     recording_records.items[record], parser->fields.fault);
    return true;
}

static enum probe_result recording_probe(struct text start) {
    return text_starts_with(start, TEXT(RECORDING_MARK "\t")) ? PROBE_CERTAIN : PROBE_NO;
}

static void *recording_open(struct profile *profile, const void *options) {
    (void)options;
    struct parser *parser = memory_allocate_zero(1, sizeof *parser);
    parser->profile = profile;
    parser->line = 1;
    parser->first_time = UINT64_MAX;
    parser->first_thread = (uint32_t)profile->thread_count;
    parser->first_event = profile->event_count;
    if (!profile->format)
        profile->format = recording_reader.format;
    /* Number 0 is no string, no frame, the empty stack. */
    row_add(&parser->strings, 0);
    row_add(&parser->frames, 0);
    row_add(&parser->stacks, 0);
    return parser;
}

/* Keeps the start of a line, unless it has grown too long: it may be a row, and without its number
 * those behind it mean nothing. */
static void keep(struct parser *parser, struct text start) {
    if (start.size <= LINE_LARGEST - parser->rest.size) {
        buffer_append_text(&parser->rest, start);
        return;
    }
    parser->stopped = true;
    warnings_add(&parser->profile->warnings, "line-too-long", parser->line,
                 "a line is longer than %d MiB; what follows is not used",
                 LINE_LARGEST / 1024 / 1024);
}

/* The line under way is complete; `end` is what of it was not kept. */
static bool end_line(struct parser *parser, struct text end, struct error *error) {
    if (parser->rest.size || end.size > LINE_LARGEST) {
        keep(parser, end);
        end = buffer_text(&parser->rest);
    }
    bool usable = parser->stopped || read_line(parser, end, error);
    buffer_clear(&parser->rest);
    parser->line++;
    return usable;
}

static bool recording_feed(void *state, struct text piece, struct error *error) {
    struct parser *parser = state;
    while (piece.size > 0 && !parser->stopped) {
        const char *end = memchr(piece.data, '\n', piece.size);
        if (!end) {
            keep(parser, piece);
            break;
        }
        struct text line = {piece.data, (size_t)(end - piece.data)};
        if (!end_line(parser, line, error))
            return false;
        piece = text_skip(piece, line.size + 1);
    }
    return true;
}

/* What the end says, or that there is none. */
static void check_end(struct parser *parser) {
    struct warnings *warnings = &parser->profile->warnings;
    if (!parser->ended) {
        /* That the compressed data was cut says the same. */
        if (!parser->stopped && !warnings_find(warnings, "input-cut"))
            warnings_add(warnings, "cut-short", 0,
                         "the recording was cut short: it has no end record; what is there is "
                         "used");
        return;
    }
    if (parser->samples != parser->samples_told)
        warnings_add(warnings, "samples-missing", 0,
                     "the recording should hold %" PRIu64 " samples, but %" PRIu64 " are there",
                     parser->samples_told, parser->samples);
    if (parser->ending == ENDING_SIZE_LIMIT)
        warnings_set_recorded(warnings, "recording-full", 1,
                              "the recording ended early: it had reached its limit of size");
    if (parser->ending == ENDING_WRITE_FAILED)
        warnings_set_recorded(warnings, "recording-failed", 1,
                              "the recording ended early: it could not be written any more");
}

static bool recording_finish(void *state, struct error *error) {
    struct parser *parser = state;
    struct profile *profile = parser->profile;
    /* The last line of a recording ends like all others: one that does not is cut. */
    if (!parser->begun) {
        bool usable = end_line(parser, TEXT(""), error);
        return usable && error_set(error, ERROR_INPUT, "the recording is cut in its first line");
    }
    check_end(parser);
    if (profile->duration_us == 0 && profile->has_times && parser->first_time < parser->last_time)
        profile->duration_us = parser->last_time - parser->first_time;
    if (parser->several_events)
        profile_keep_main_event(profile);
    return true;
}

static void recording_parser_close(void *state) {
    struct parser *parser = state;
    buffer_free(&parser->rest);
    buffer_free(&parser->fields.text);
    free(parser->strings.rows);
    free(parser->frames.rows);
    free(parser->stacks.rows);
    free(parser->libraries.rows);
    free(parser->counters.rows);
    free(parser->threads);
    free(parser);
}

const struct reader recording_reader = {
    .format = "tickflame",
    .probe = recording_probe,
    .open = recording_open,
    .feed = recording_feed,
    .finish = recording_finish,
    .close = recording_parser_close,
};
