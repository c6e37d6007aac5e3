// SPDX-License-Identifier: MIT
/*
 * Almost all of the text are lines of frames that were seen before, so a line costs one search for
 * its end, one for its module, one hash and one comparison. Stacks that begin like the one before
 * share its rows.
 */
#include "fold/read/perf_script.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fold/base/hash_index.h"
#include "fold/read/perf_script_frame.h"
#include "fold/read/perf_script_line.h"

enum {
    LINE_LARGEST = 1024 * 1024,
    FRAMES_LARGEST = 1024 * 1024, /* of a sample */
    EVENTS_LARGEST = 4096,
    STACK_LIMIT = 127, /* addresses that the kernel records (sysctl kernel.perf_event_max_stack) */
    SHOWN_LARGEST = 80,
    NO_EVENT = UINT16_MAX,
};

/* A symbol and a module that were seen, and what they mean. */
struct known_frame {
    struct frame_line line; /* without address */
    struct script_frame meaning;
    uint32_t caller; /* row of the frame that followed when it was last seen, from 1; 0 = none */
};

/* What is known of an event beyond its row in the profile. */
struct known_event {
    uint64_t truncated, cut; /* samples */
    uint64_t first_period;
    uint64_t without_time;
    bool is_clock;
};

/* Where in the text the reader is. */
enum place {
    BETWEEN_SAMPLES,
    IN_DOUBT,  /* behind a line that is an event line only if a frame follows */
    IN_SAMPLE, /* behind an event line */
};

struct parser {
    struct profile *profile;
    struct arena arena;
    uint64_t line;      /* number of the line under way, from 1 */
    struct buffer rest; /* the start of a line whose end is in a later piece */
    bool too_long;      /* the line under way is being skipped */
    uint64_t bad_lines, first_bad_line;
    struct buffer first_bad; /* its start, for the message */
    uint64_t samples;

    struct known_frame *known; /* row 0 stands for what is in front of the innermost frame */
    size_t known_count, known_capacity;
    struct hash_index known_index;
    struct frame_id truncated;

    struct string_table thread_texts;
    uint32_t *threads; /* row of the profile's threads by row of thread_texts, from 1; 0 = none */
    size_t thread_capacity;
    uint16_t *event_rows; /* by row of the profile's strings, from 1; 0 = none */
    size_t event_row_capacity;
    struct known_event *events; /* by row of the profile's events */
    size_t event_capacity;
    uint64_t first_time, last_time; /* nanoseconds */
    bool any_time;

    enum place place;
    bool after_empty; /* the line before was empty */
    bool events_have_names;
    bool without_events;   /* the text has no event lines */
    struct buffer doubted; /* the line that `place` IN_DOUBT is behind */
    uint64_t doubted_line;

    /* The sample under way; frames innermost first. */
    struct sample sample;
    struct frame_id *frames;
    size_t frame_count, frame_capacity;
    uint32_t last_frame;  /* row of `known` of the outermost frame so far; 0 = none yet */
    size_t addresses;     /* frames that are not inlined */
    size_t nowhere_count; /* of the outermost frames so far, those that are nowhere */
    bool only_kernel;     /* all frames so far are the kernel's */
    bool after_nameless;  /* the outermost frame so far is the kernel without a name */

    /* The stack of the sample before, from the root. */
    struct frame_id *path_frames;
    struct stack_id *path_stacks;
    size_t path_count, path_frame_capacity, path_stack_capacity;
    bool path_truncated;
};

/* ---- frames ---- */

/* The row of a line's frame in `known`. */
static uint32_t find_frame(struct parser *parser, const struct frame_line *line) {
    uint64_t hash = hash_pair(hash_bytes(line->symbol.data, line->symbol.size),
                              hash_bytes(line->module.data, line->module.size));
    struct hash_probe probe = hash_index_start(&parser->known_index, hash);
    uint32_t row;
    while ((row = hash_index_next(&parser->known_index, &probe)) != 0) {
        const struct frame_line *known = &parser->known[row].line;
        if (text_equal(known->symbol, line->symbol) && text_equal(known->module, line->module))
            return row;
    }
    MEMORY_RESERVE(parser->known, parser->known_capacity, parser->known_count + 2);
    if (parser->known_count == 0)
        parser->known[parser->known_count++] = (struct known_frame){0};
    row = (uint32_t)parser->known_count++;
    struct frame_line copy = {
        .symbol = {arena_copy_text(&parser->arena, line->symbol.data, line->symbol.size),
                   line->symbol.size},
        .module = {arena_copy_text(&parser->arena, line->module.data, line->module.size),
                   line->module.size}};
    parser->known[row] = (struct known_frame){
        .line = copy, .meaning = script_frame_of(parser->profile, line->symbol, line->module)};
    hash_index_insert(&parser->known_index, hash, row);
    return row;
}

/* Whether an address without a symbol is one of the kernel: in the upper half, and nothing of a
 * program comes before it. */
static bool is_kernel_address(const struct parser *parser, struct text address) {
    return parser->only_kernel && address.size == 16 && text_starts_with(address, TEXT("ffff"));
}

/* Adds the frame of a row of `known` to the sample under way. */
static void add_frame(struct parser *parser, uint32_t row, struct text address) {
    struct script_frame meaning = parser->known[row].meaning;
    if (meaning.role == SCRIPT_FRAME_NOWHERE && is_kernel_address(parser, address))
        meaning = script_frame_kernel(parser->profile);
    parser->known[parser->last_frame].caller = row;
    parser->last_frame = row;
    bool is_nameless = meaning.role == SCRIPT_FRAME_KERNEL_NAMELESS;
    bool again = is_nameless && parser->after_nameless;
    parser->after_nameless = is_nameless;
    if (meaning.role != SCRIPT_FRAME_INLINED)
        parser->addresses++;
    if (!is_nameless && meaning.role != SCRIPT_FRAME_KERNEL)
        parser->only_kernel = false;
    parser->nowhere_count = meaning.role == SCRIPT_FRAME_NOWHERE ? parser->nowhere_count + 1 : 0;
    if (again || parser->frame_count == FRAMES_LARGEST)
        return;
    MEMORY_RESERVE(parser->frames, parser->frame_capacity, parser->frame_count + 1);
    parser->frames[parser->frame_count++] = meaning.frame;
}

/* ---- samples ---- */

static struct stack_id truncated_root(struct parser *parser) {
    if (parser->truncated.index == 0) {
        struct frame frame = {.name = profile_intern(parser->profile, TEXT("[truncated]")),
                              .kind = FRAME_UNACCOUNTED};
        parser->truncated = profile_frame(parser->profile, &frame);
    }
    return profile_push(parser->profile, (struct stack_id){0}, parser->truncated);
}

/* The stack of the sample under way. */
static struct stack_id stack_of(struct parser *parser, bool truncated) {
    size_t count = parser->frame_count;
    if (parser->path_truncated != truncated)
        parser->path_count = 0;
    parser->path_truncated = truncated;
    size_t depth = 0;
    while (depth < count && depth < parser->path_count &&
           parser->frames[count - 1 - depth].index == parser->path_frames[depth].index)
        depth++;
    MEMORY_RESERVE(parser->path_frames, parser->path_frame_capacity, count);
    MEMORY_RESERVE(parser->path_stacks, parser->path_stack_capacity, count);
    struct stack_id stack = {0};
    if (depth > 0)
        stack = parser->path_stacks[depth - 1];
    else if (truncated)
        stack = truncated_root(parser);
    for (; depth < count; depth++) {
        struct frame_id frame = parser->frames[count - 1 - depth];
        stack = profile_push(parser->profile, stack, frame);
        parser->path_frames[depth] = frame;
        parser->path_stacks[depth] = stack;
    }
    parser->path_count = count;
    return stack;
}

static void end_sample(struct parser *parser) {
    struct known_event *event = &parser->events[parser->sample.event];
    /* What a broken frame pointer left at the outer end is no caller. */
    size_t dropped = parser->nowhere_count;
    if (dropped == parser->frame_count && dropped > 0)
        dropped--;
    parser->frame_count -= dropped;
    bool truncated = parser->addresses >= STACK_LIMIT;
    event->cut += dropped > 0;
    event->truncated += truncated;
    parser->sample.stack = stack_of(parser, truncated);
    profile_add_sample(parser->profile, parser->sample);
    parser->place = BETWEEN_SAMPLES;
}

/* The row of a thread, which is told by the start of its event lines. */
static uint32_t thread_of(struct parser *parser, const struct event_line *line) {
    /* The empty text has no row in a string table. */
    struct string_id id = string_table_intern(&parser->thread_texts, &parser->arena,
                                              line->thread.size > 0 ? line->thread : TEXT(" "));
    size_t known = parser->thread_capacity;
    if (id.index >= known) {
        MEMORY_RESERVE(parser->threads, parser->thread_capacity, (size_t)id.index + 1);
        memset(parser->threads + known, 0,
               (parser->thread_capacity - known) * sizeof *parser->threads);
    }
    if (parser->threads[id.index] == 0) {
        struct profile_thread thread = {.name = profile_intern(parser->profile, line->comm),
                                        .id = line->thread_id,
                                        .process_id = line->process_id,
                                        .role = THREAD_OTHER,
                                        .role_by_stacks = true,
                                        .runs_javascript = true};
        parser->threads[id.index] = profile_add_thread(parser->profile, thread) + 1;
    }
    return parser->threads[id.index] - 1;
}

/* Whether an event, modifiers apart, counts nanoseconds of CPU time. */
static bool is_clock(struct text event) {
    const char *colon = event.size ? memchr(event.data, ':', event.size) : NULL;
    if (colon)
        event.size = (size_t)(colon - event.data);
    return text_equal(event, TEXT("cpu-clock")) || text_equal(event, TEXT("task-clock"));
}

/* The row of an event, whose unit is told by the first of its samples. */
static uint16_t event_of(struct parser *parser, const struct event_line *line) {
    struct profile *profile = parser->profile;
    struct string_id id = profile_intern(profile, line->event);
    size_t known = parser->event_row_capacity;
    if (id.index >= known) {
        MEMORY_RESERVE(parser->event_rows, parser->event_row_capacity, (size_t)id.index + 1);
        memset(parser->event_rows + known, 0,
               (parser->event_row_capacity - known) * sizeof *parser->event_rows);
    }
    if (parser->event_rows[id.index] != 0)
        return parser->event_rows[id.index] - 1;
    if (profile->event_count == EVENTS_LARGEST)
        return NO_EVENT;
    bool clock = is_clock(line->event);
    enum profile_unit unit = !line->has_period ? UNIT_SAMPLES
                             : clock           ? UNIT_NANOSECONDS
                                               : UNIT_COUNT;
    uint16_t row = profile_add_event(profile, line->event, unit);
    MEMORY_RESERVE(parser->events, parser->event_capacity, (size_t)row + 1);
    parser->events[row] = (struct known_event){.is_clock = clock, .first_period = line->period};
    parser->event_rows[id.index] = row + 1;
    parser->events_have_names |= line->event.size > 0;
    return row;
}

/* The time of a sample in microseconds since the first one. */
static uint64_t time_of(struct parser *parser, const struct event_line *line) {
    if (!parser->any_time) {
        parser->any_time = true;
        parser->first_time = parser->last_time = line->time;
    }
    if (line->time > parser->last_time)
        parser->last_time = line->time;
    return line->time > parser->first_time ? (line->time - parser->first_time) / 1000 : 0;
}

/* Begins the sample of an event line. */
static void begin_sample(struct parser *parser, const struct event_line *line) {
    uint16_t event = event_of(parser, line);
    if (event == NO_EVENT) {
        warnings_add(&parser->profile->warnings, "too-many-events", parser->line,
                     "there are more than %d events; samples of further ones are left out",
                     EVENTS_LARGEST);
        parser->place = BETWEEN_SAMPLES;
        return;
    }
    struct profile_event *row = &parser->profile->events[event];
    bool by_period = row->unit != UNIT_SAMPLES && line->has_period;
    parser->sample = (struct sample){.thread = thread_of(parser, line),
                                     .event = event,
                                     .count = 1,
                                     .weight = weight_of(by_period ? line->period : 1)};
    if (line->has_time)
        parser->sample.time = time_of(parser, line);
    else
        parser->events[event].without_time++;
    row->samples++;
    parser->samples++;
    parser->frame_count = parser->addresses = parser->nowhere_count = 0;
    parser->last_frame = 0;
    parser->after_nameless = false;
    parser->only_kernel = true;
    parser->place = IN_SAMPLE;
}

/* Whether a line tells of one of perf's own records, as with --show-lost-events and its like. */
static bool take_record(struct parser *parser, const struct event_line *line) {
    struct text lost = TEXT("PERF_RECORD_LOST lost ");
    struct text record = TEXT("PERF_RECORD_");
    uint64_t count;
    if (text_starts_with(line->rest, lost) &&
        number_parse_decimal(text_skip(line->rest, lost.size), &count))
        parser->profile->sampling.lost += count;
    return text_starts_with(line->event, record) || text_starts_with(line->rest, record);
}

/* ---- lines ---- */

static void skip_line(struct parser *parser, struct text line, uint64_t number) {
    if (parser->bad_lines++ > 0)
        return;
    parser->first_bad_line = number;
    if (line.size > SHOWN_LARGEST)
        line.size = SHOWN_LARGEST;
    buffer_append_text(&parser->first_bad, line);
}

/* The line in doubt was no event line. */
static void skip_doubted(struct parser *parser) {
    if (parser->place != IN_DOUBT)
        return;
    skip_line(parser, buffer_text(&parser->doubted), parser->doubted_line);
    parser->place = BETWEEN_SAMPLES;
}

/* The line in doubt was an event line. */
static void believe_doubted(struct parser *parser) {
    struct event_line event = event_line_parse(buffer_text(&parser->doubted));
    begin_sample(parser, &event);
}

static void read_event_line(struct parser *parser, struct text line) {
    struct event_line event = event_line_parse(line);
    struct frame_line frame;
    /* All event lines have the same parts: one without the event is cut. */
    bool is_cut = event.event.size == 0 && parser->events_have_names &&
                  !text_starts_with(event.rest, TEXT("PERF_RECORD_"));
    if (event.form == EVENT_LINE_MAYBE || is_cut) {
        if (parser->place == IN_SAMPLE) {
            skip_line(parser, line, parser->line);
            return;
        }
        skip_doubted(parser);
        parser->place = IN_DOUBT;
        parser->doubted_line = parser->line;
        buffer_clear(&parser->doubted);
        buffer_append_text(&parser->doubted, line);
        return;
    }
    if (parser->place == IN_SAMPLE)
        end_sample(parser);
    skip_doubted(parser);
    if (take_record(parser, &event))
        return;
    begin_sample(parser, &event);
    if (parser->place == IN_SAMPLE && only_frame_parse(event.rest, &frame)) {
        add_frame(parser, find_frame(parser, &frame), frame.address);
        end_sample(parser);
    }
}

/* `  FILE:LINE`, which -F srcline puts behind each frame. */
static bool is_source_line(struct text line) {
    size_t size = line.size;
    while (size > 0 && line.data[size - 1] >= '0' && line.data[size - 1] <= '9')
        size--;
    return *line.data == ' ' && size < line.size && size > 1 && line.data[size - 1] == ':';
}

static void read_frame_line(struct parser *parser, const struct frame_line *frame,
                            struct text line) {
    if (parser->place == IN_DOUBT) {
        believe_doubted(parser);
    } else if (parser->place == BETWEEN_SAMPLES) {
        /* Without any fields, event lines are empty. */
        if (parser->after_empty && parser->samples == 0)
            parser->without_events = true;
        if (parser->without_events && parser->after_empty)
            begin_sample(parser, &(struct event_line){0});
    }
    if (parser->place == IN_SAMPLE)
        add_frame(parser, find_frame(parser, frame), frame->address);
    else
        skip_line(parser, line, parser->line);
}

/* Whether a line in a sample is the frame that followed the last one when that was last seen: most
 * are. It is then added. */
static bool read_expected_frame(struct parser *parser, struct text line) {
    uint32_t row = parser->known_count ? parser->known[parser->last_frame].caller : 0;
    struct text address;
    if (row == 0 || !frame_line_holds(line, &parser->known[row].line, &address))
        return false;
    add_frame(parser, row, address);
    return true;
}

/* The end of a sample, and of doubt: an empty line or the end of the text. */
static void end_block(struct parser *parser) {
    if (parser->place == IN_SAMPLE)
        end_sample(parser);
    skip_doubted(parser);
}

static bool is_comment(struct text line) {
    return *line.data == '#' && (line.size == 1 || line.data[1] == ' ');
}

static void read_line(struct parser *parser, struct text line) {
    while (line.size > 0 && memchr(" \t\r", line.data[line.size - 1], 3))
        line.size--;
    if (line.size == 0) {
        end_block(parser);
        parser->after_empty = true;
        return;
    }
    if (*line.data == '\t' && parser->place == IN_SAMPLE && read_expected_frame(parser, line)) {
        parser->after_empty = false;
        return;
    }
    struct frame_line frame;
    /* What is indented with a blank may be a name that is padded at its front. */
    bool may_be_frame =
        *line.data == '\t' || (*line.data == ' ' && parser->place != BETWEEN_SAMPLES);
    if (may_be_frame && frame_line_parse(line, &frame))
        read_frame_line(parser, &frame, line);
    else if (*line.data == '\t')
        skip_line(parser, line, parser->line);
    else if (!is_comment(line) && !(parser->place == IN_SAMPLE && is_source_line(line)))
        read_event_line(parser, line);
    parser->after_empty = false;
}

/* ---- the reader ---- */

static void *perf_script_open(struct profile *profile, const void *options) {
    (void)options;
    struct parser *parser = memory_allocate_zero(1, sizeof *parser);
    parser->profile = profile;
    parser->line = 1;
    if (!profile->format)
        profile->format = perf_script_reader.format;
    profile->native_stacks = true;
    profile->stack_limit = STACK_LIMIT;
    return parser;
}

/* Keeps the start of a line, unless it has grown too long. */
static void keep(struct parser *parser, struct text start) {
    if (parser->too_long)
        return;
    if (parser->rest.size + start.size > LINE_LARGEST) {
        parser->too_long = true;
        buffer_free(&parser->rest);
        return;
    }
    buffer_append_text(&parser->rest, start);
}

/* The line under way is complete; `end` is what of it was not kept. */
static void end_line(struct parser *parser, struct text end) {
    if (!parser->too_long && parser->rest.size == 0 && end.size <= LINE_LARGEST) {
        read_line(parser, end);
    } else {
        keep(parser, end);
        if (parser->too_long)
            warnings_add(&parser->profile->warnings, "line-too-long", parser->line,
                         "a line is longer than %d MiB; such lines are skipped",
                         LINE_LARGEST / 1024 / 1024);
        else
            read_line(parser, buffer_text(&parser->rest));
        buffer_clear(&parser->rest);
        parser->too_long = false;
    }
    parser->line++;
}

static bool perf_script_feed(void *state, struct text piece, struct error *error) {
    (void)error;
    struct parser *parser = state;
    while (piece.size > 0) {
        const char *end = memchr(piece.data, '\n', piece.size);
        if (!end) {
            keep(parser, piece);
            break;
        }
        struct text line = {piece.data, (size_t)(end - piece.data)};
        end_line(parser, line);
        piece = text_skip(piece, line.size + 1);
    }
    return true;
}

/* Tells the profile what is known once all samples are. */
static void describe(struct parser *parser) {
    struct profile *profile = parser->profile;
    profile_keep_main_event(profile);
    /* The main event has changed its row, so it is found by its name. */
    const struct known_event *event =
        &parser->events[parser->event_rows[profile->events[0].name.index] - 1];
    profile->sampling.truncated += event->truncated;
    profile->sampling.cut += event->cut;
    profile->has_times = parser->any_time && event->without_time == 0;
    profile->duration_us = (parser->last_time - parser->first_time) / 1000;
    profile->waiting_is_missing = event->is_clock;
    if (event->is_clock)
        profile->interval_us = (event->first_period + 500) / 1000;
}

static bool perf_script_finish(void *state, struct error *error) {
    struct parser *parser = state;
    if (parser->too_long || parser->rest.size > 0)
        end_line(parser, TEXT(""));
    end_block(parser);
    if (parser->samples == 0) {
        if (parser->bad_lines > 0)
            return error_set(
                error, ERROR_INPUT, "no sample of perf script: line %" PRIu64 " is '%.*s'",
                parser->first_bad_line, (int)parser->first_bad.size, parser->first_bad.data);
        return error_set(error, ERROR_INPUT, "no sample of perf script");
    }
    describe(parser);
    warnings_add_count(&parser->profile->warnings, parser->bad_lines, "not-perf-output",
                       parser->first_bad_line, "%" PRIu64 " %s not perf output", parser->bad_lines,
                       parser->bad_lines == 1 ? "line is" : "lines are");
    return true;
}

static void perf_script_close(void *state) {
    struct parser *parser = state;
    arena_free(&parser->arena);
    buffer_free(&parser->rest);
    buffer_free(&parser->first_bad);
    buffer_free(&parser->doubted);
    free(parser->known);
    hash_index_free(&parser->known_index);
    string_table_free(&parser->thread_texts);
    free(parser->threads);
    free(parser->event_rows);
    free(parser->events);
    free(parser->frames);
    free(parser->path_frames);
    free(parser->path_stacks);
    free(parser);
}

static enum probe_result perf_script_probe(struct text start) {
    bool after_event = false; /* the line before may be an event line */
    while (start.size > 0) {
        const char *end = memchr(start.data, '\n', start.size);
        struct text line = {start.data, end ? (size_t)(end - start.data) : start.size};
        start = text_skip(start, line.size + 1);
        while (line.size > 0 && memchr(" \t\r", line.data[line.size - 1], 3))
            line.size--;
        struct frame_line frame;
        if (line.size == 0) {
            after_event = false;
        } else if (*line.data == '\t' || (*line.data == ' ' && after_event)) {
            if (after_event && frame_line_parse(line, &frame) && frame.module.size > 0)
                return PROBE_CERTAIN;
        } else if (!is_comment(line)) {
            struct event_line event = event_line_parse(line);
            if (event.form == EVENT_LINE_CERTAIN)
                return PROBE_CERTAIN;
            after_event = true;
        }
    }
    return PROBE_NO;
}

const struct reader perf_script_reader = {
    .format = "perf-script",
    .probe = perf_script_probe,
    .open = perf_script_open,
    .feed = perf_script_feed,
    .finish = perf_script_finish,
    .close = perf_script_close,
};
