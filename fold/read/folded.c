// SPDX-License-Identifier: MIT
#include "fold/read/folded.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fold/model/perf_name.h"
#include "fold/model/v8_name.h"

enum { LINE_LARGEST = 16 * 1024 * 1024, PROBE_LINES = 64 };

struct parser {
    struct profile *profile;
    uint32_t thread;
    uint64_t line;      /* number of the line under way, from 1 */
    struct buffer rest; /* the start of a line whose end is in a later piece */
    bool too_long;      /* the line under way is being skipped */
    uint64_t usable;    /* lines read */
    uint64_t skipped;   /* lines that are not of the form */
    uint64_t first_skipped;
    struct buffer sample; /* the start of the first skipped line, for the message */
    /* Distinct frames of the text, so that each is looked into once. */
    struct arena arena;
    struct string_table texts;
    uint32_t *frames; /* row of the profile's frame table, by row of `texts`; 0 = not yet */
    size_t frame_capacity;
};

static bool is_blank(char byte) {
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static struct text trim_end(struct text text) {
    while (text.size > 0 && is_blank(text.data[text.size - 1]))
        text.size--;
    return text;
}

static struct text trim_start(struct text text) {
    while (text.size > 0 && is_blank(*text.data))
        text = text_skip(text, 1);
    return text;
}

/* `# ...` is a comment; `#name` is a private method. */
static bool is_comment(struct text line) {
    return line.size > 0 && *line.data == '#' && (line.size == 1 || is_blank(line.data[1]));
}

enum line_form { LINE_EMPTY, LINE_BAD, LINE_STACK };

/* Splits a line (without its newline) into stack and count. */
static enum line_form split_line(struct text line, struct text *stack, struct text *count) {
    line = trim_end(line);
    if (line.size == 0)
        return LINE_EMPTY;
    size_t start = line.size;
    while (start > 0 && !is_blank(line.data[start - 1]))
        start--;
    *count = text_skip(line, start);
    *stack = trim_end((struct text){line.data, start});
    if (stack->size > 0 && stack->data[stack->size - 1] == ';')
        stack->size--;
    struct weight ignored;
    if (stack->size == 0 || is_comment(line) || weight_parse(*count, &ignored) == WEIGHT_NOT)
        return LINE_BAD;
    return LINE_STACK;
}

/* Code of V8 that is no function of a script: its name may end in anything. */
static bool is_other_code(struct text name) {
    static const char *const starts[] = {"RegExp:",          "Builtin:", "Builtins_",
                                         "BytecodeHandler:", "Stub:",    "[GC]"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (text_starts_with(name, text_of(starts[i])))
            return true;
    }
    return false;
}

/* Takes flamegraph.pl's annotation off the end of *text. Returns its letter, or 0. */
static char take_annotation(struct text *text) {
    if (text->size <= 4 || text->data[text->size - 1] != ']' ||
        memcmp(text->data + text->size - 4, "_[", 2) != 0)
        return 0;
    char letter = text->data[text->size - 2];
    if (letter != 'k' && letter != 'j' && letter != 'i')
        return 0;
    *text = trim_end((struct text){text->data, text->size - 4});
    return letter;
}

/* The frame that a text between two semicolons means. */
static struct frame parse_frame(struct parser *parser, struct text text) {
    struct frame frame = {0};
    text = trim_end(text);
    char annotation = take_annotation(&text);
    while (take_annotation(&text))
        continue; /* only the last one counts */
    frame.inlined = annotation == 'i';

    /* A regular expression may end in what looks like a place. */
    struct v8_name name = {.function = text};
    if (!is_other_code(text) && v8_name_parse(text, &name)) {
        /* What is written has no kind in front, so all that look like one go: then reading it again
         * is the same. */
        while (perf_name_take_kind(&name.function))
            continue;
        frame.tier = (uint8_t)v8_tier_take(&name.function);
        if (text_equal(name.function, TEXT("(anonymous)")))
            name.function = TEXT("");
        frame.file = profile_intern(parser->profile, name.file);
        frame.line = name.line;
        frame.column = name.column;
    } else {
        name.function = trim_start(text);
        if (name.function.size == 0)
            name.function = TEXT("[empty]");
        else if (annotation == 'k' && !is_other_code(name.function))
            frame.kind = FRAME_KERNEL;
        else if (annotation == 'j' && !is_other_code(name.function) && *name.function.data != '[' &&
                 !text_starts_with(name.function, TEXT("wasm-")))
            frame.kind = FRAME_JAVASCRIPT;
    }
    frame.name = profile_intern(parser->profile, name.function);
    return frame;
}

static struct frame_id frame_of(struct parser *parser, struct text text) {
    /* The empty text has no row in a string table. */
    struct string_id id =
        string_table_intern(&parser->texts, &parser->arena, text.size ? text : TEXT(" "));
    size_t known = parser->frame_capacity;
    if (id.index >= known) {
        MEMORY_RESERVE(parser->frames, parser->frame_capacity, (size_t)id.index + 1);
        memset(parser->frames + known, 0,
               (parser->frame_capacity - known) * sizeof *parser->frames);
    }
    if (parser->frames[id.index] == 0) {
        struct frame frame = parse_frame(parser, text);
        parser->frames[id.index] = profile_frame(parser->profile, &frame).index;
    }
    return (struct frame_id){parser->frames[id.index]};
}

/* Adds a sample of a stack in folded form. */
static void add_stack(struct parser *parser, struct text stack, struct weight weight) {
    struct sample sample = {.thread = parser->thread, .weight = weight};
    struct frame_id leaf = {0};
    for (bool more = true; more;) {
        const char *end = stack.size ? memchr(stack.data, ';', stack.size) : NULL;
        struct text text = {stack.data, end ? (size_t)(end - stack.data) : stack.size};
        leaf = frame_of(parser, text);
        sample.stack = profile_push(parser->profile, sample.stack, leaf);
        more = end != NULL;
        stack = text_skip(stack, text.size + 1);
    }
    const struct frame *frame = frame_table_get(&parser->profile->frames, leaf);
    sample.idle = frame->file.index == 0 &&
                  text_equal(profile_text(parser->profile, frame->name), TEXT("(idle)"));
    profile_add_sample(parser->profile, sample);
}

static void skip_line(struct parser *parser, struct text line) {
    if (parser->skipped++ > 0)
        return;
    parser->first_skipped = parser->line;
    struct text start = trim_end(line);
    if (start.size > 80)
        start.size = 80;
    buffer_append_text(&parser->sample, start);
}

static void read_line(struct parser *parser, struct text line) {
    struct text stack;
    struct text count;
    struct weight weight;
    switch (split_line(line, &stack, &count)) {
    case LINE_EMPTY:
        return;
    case LINE_BAD:
        skip_line(parser, line);
        return;
    case LINE_STACK:
        break;
    }
    parser->usable++;
    switch (weight_parse(count, &weight)) {
    case WEIGHT_SATURATED:
        warnings_add(&parser->profile->warnings, "saturated", parser->line,
                     "a count does not fit into 64 bits; it is taken as the largest number that "
                     "does");
        break;
    case WEIGHT_ROUNDED:
        warnings_add(&parser->profile->warnings, "rounded", parser->line,
                     "a count has more than 18 decimals; the rest was cut off");
        break;
    default:
        break;
    }
    if (!weight_is_zero(weight))
        add_stack(parser, stack, weight);
}

static enum probe_result folded_probe(struct text start) {
    struct text rest = start;
    for (int lines = 0; rest.size > 0 && lines < PROBE_LINES; lines++) {
        const char *end = memchr(rest.data, '\n', rest.size);
        struct text line = {rest.data, end ? (size_t)(end - rest.data) : rest.size};
        struct text stack;
        struct text count;
        if (split_line(line, &stack, &count) == LINE_STACK)
            return PROBE_MAYBE;
        rest = text_skip(rest, line.size + 1);
    }
    return PROBE_NO;
}

static void *folded_open(struct profile *profile, const void *options) {
    (void)options;
    struct parser *parser = memory_allocate_zero(1, sizeof *parser);
    parser->profile = profile;
    parser->line = 1;
    if (profile->sample_count == 0)
        profile->unit = UNIT_SAMPLES;
    if (!profile->format)
        profile->format = folded_reader.format;
    parser->thread = profile_add_thread(
        profile, (struct profile_thread){.role = THREAD_OTHER, .runs_javascript = true});
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

static bool folded_feed(void *state, struct text piece, struct error *error) {
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

static bool folded_finish(void *state, struct error *error) {
    struct parser *parser = state;
    if (parser->too_long || parser->rest.size > 0)
        end_line(parser, TEXT(""));
    if (parser->usable > 0) {
        warnings_add_count(&parser->profile->warnings, parser->skipped, "skipped-line",
                           parser->first_skipped,
                           "lines that are not of the form 'frame;frame COUNT' were skipped");
        return true;
    }
    if (parser->skipped > 0)
        return error_set(error, ERROR_INPUT,
                         "no line of the form 'frame;frame;frame COUNT': line %" PRIu64
                         " is '%.*s'",
                         parser->first_skipped, (int)parser->sample.size, parser->sample.data);
    return error_set(error, ERROR_INPUT, "no line of the form 'frame;frame;frame COUNT'");
}

static void folded_close(void *state) {
    struct parser *parser = state;
    buffer_free(&parser->rest);
    buffer_free(&parser->sample);
    string_table_free(&parser->texts);
    arena_free(&parser->arena);
    free(parser->frames);
    free(parser);
}

const struct reader folded_reader = {
    .format = "folded",
    .probe = folded_probe,
    .open = folded_open,
    .feed = folded_feed,
    .finish = folded_finish,
    .close = folded_close,
};
