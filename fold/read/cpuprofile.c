// SPDX-License-Identifier: MIT
#include "fold/read/cpuprofile.h"

#include <math.h>
#include <stdlib.h>

#include "fold/base/json_number.h"
#include "fold/base/json_read.h"
#include "fold/model/v8_name.h"
#include "fold/read/cpuprofile_data.h"

enum { NAME_LARGEST = 1024 * 1024 };

/* Keys that mean something, on all levels. */
enum key {
    KEY_OTHER,
    KEY_NODES,
    KEY_HEAD,
    KEY_SAMPLES,
    KEY_TIME_DELTAS,
    KEY_START_TIME,
    KEY_END_TIME,
    KEY_ID,
    KEY_CALL_FRAME,
    KEY_HIT_COUNT,
    KEY_CHILDREN,
    KEY_PARENT,
    KEY_FUNCTION_NAME,
    KEY_URL,
    KEY_LINE_NUMBER,
    KEY_COLUMN_NUMBER,
};

static enum key key_of(struct text text) {
    static const char *const names[] = {
        [KEY_NODES] = "nodes",
        [KEY_HEAD] = "head",
        [KEY_SAMPLES] = "samples",
        [KEY_TIME_DELTAS] = "timeDeltas",
        [KEY_START_TIME] = "startTime",
        [KEY_END_TIME] = "endTime",
        [KEY_ID] = "id",
        [KEY_CALL_FRAME] = "callFrame",
        [KEY_HIT_COUNT] = "hitCount",
        [KEY_CHILDREN] = "children",
        [KEY_PARENT] = "parent",
        [KEY_FUNCTION_NAME] = "functionName",
        [KEY_URL] = "url",
        [KEY_LINE_NUMBER] = "lineNumber",
        [KEY_COLUMN_NUMBER] = "columnNumber",
    };
    for (enum key key = KEY_NODES; key <= KEY_COLUMN_NUMBER; key++) {
        if (text_equal(text, text_of(names[key])))
            return key;
    }
    return KEY_OTHER;
}

/* A node whose object has begun and not yet ended. */
struct open_node {
    uint32_t row;
    unsigned depth;     /* of its object: its keys are one deeper */
    enum key key;       /* the last one of the node itself */
    enum key frame_key; /* the last one of its callFrame */
    bool has_call_frame;
    struct string_id name, url;
    int64_t line, column; /* as in the file */
};

struct parser {
    struct profile *profile;
    uint32_t thread;
    struct json_reader *json;
    struct cpuprofile_data data;
    enum key section;       /* the last key of the outermost object */
    struct open_node *open; /* nodes of the older form stand inside each other */
    size_t open_count, open_capacity;
    uint64_t bad_elements; /* of `samples` and `timeDeltas`: no numbers */
    bool no_object;        /* the JSON is something else */
    bool broken;           /* the JSON has an error: */
    struct error json_error;
};

static struct open_node *innermost(struct parser *parser) {
    return parser->open_count ? &parser->open[parser->open_count - 1] : NULL;
}

/* Whether an event is right inside the callFrame of a node. */
static bool is_in_call_frame(const struct open_node *node, unsigned depth) {
    return node->key == KEY_CALL_FRAME && depth == node->depth + 2;
}

static bool is_id(int64_t value) {
    return value >= 0 && value < CPUPROFILE_NONE;
}

/* Nodes. */

static void open_node(struct parser *parser, unsigned depth, uint32_t outer) {
    struct cpuprofile_data *data = &parser->data;
    MEMORY_RESERVE(data->nodes, data->node_capacity, data->node_count + 1);
    MEMORY_RESERVE(parser->open, parser->open_capacity, parser->open_count + 1);
    uint32_t row = (uint32_t)data->node_count++;
    data->nodes[row] = (struct cpuprofile_node){
        .id = CPUPROFILE_NONE, .parent_id = CPUPROFILE_NONE, .outer = outer};
    parser->open[parser->open_count++] = (struct open_node){.row = row, .depth = depth};
}

/* The kind and the frame of functions that have no place: V8's own, and callbacks in C++. */
static struct frame placeless_frame(struct parser *parser, struct text name,
                                    enum cpuprofile_kind *kind) {
    struct frame frame = {0};
    struct text expression = TEXT("RegExp:");
    if (text_equal(name, TEXT("(garbage collector)"))) {
        *kind = CPUPROFILE_COLLECTOR;
        frame.kind = FRAME_GC;
    } else if (text_equal(name, TEXT("(idle)"))) {
        *kind = CPUPROFILE_IDLE;
        frame.kind = FRAME_CPP;
    } else if (text_equal(name, TEXT("(program)"))) {
        frame.kind = FRAME_CPP;
    } else if (text_equal(name, TEXT("(unresolved function)"))) {
        frame.kind = FRAME_UNACCOUNTED;
    } else if (text_starts_with(name, expression)) {
        frame.kind = FRAME_REGEXP;
        name = text_skip(name, expression.size);
        if (text_starts_with(name, TEXT(" ")))
            name = text_skip(name, 1);
    } else if (name.size == 0) {
        frame.kind = FRAME_CPP;
        name = TEXT("(anonymous)");
    }
    frame.name = profile_intern(parser->profile, name);
    return frame;
}

/* Other tools put V8's pseudo functions at the start of a script without a name. */
static bool is_pseudo_function(struct text name, const struct frame *frame) {
    return frame->line <= 1 && frame->column <= 1 &&
           (text_equal(name, TEXT("(root)")) || text_equal(name, TEXT("(idle)")) ||
            text_equal(name, TEXT("(program)")) || text_equal(name, TEXT("(garbage collector)")));
}

/* A line or column as the model counts it. */
static uint32_t position(int64_t number, bool from_zero) {
    if (number < 0 || number >= UINT32_MAX)
        return 0;
    return (uint32_t)number + from_zero;
}

static void close_node(struct parser *parser) {
    const struct open_node *open = innermost(parser);
    struct profile *profile = parser->profile;
    struct cpuprofile_node *node = &parser->data.nodes[open->row];
    struct text name = profile_text(profile, open->name);
    struct frame frame = {
        .file = open->url,
        .line = position(open->line, open->has_call_frame),
        .column = position(open->column, open->has_call_frame),
    };
    parser->open_count--;
    if (frame.file.index == 0 && (frame.line == 0 || is_pseudo_function(name, &frame))) {
        if (text_equal(name, TEXT("(root)"))) {
            node->kind = CPUPROFILE_ROOT;
            return;
        }
        frame = placeless_frame(parser, name, &node->kind);
    } else if (!text_equal(name, TEXT("(anonymous)")) &&
               !text_equal(name, TEXT("(anonymous function)"))) {
        /* Older versions wrote these for functions without a name. */
        frame.name = open->name;
    }
    node->frame = profile_frame(profile, &frame);
}

static void set_text(struct parser *parser, struct open_node *open, enum key key,
                     struct text text) {
    if (key == KEY_FUNCTION_NAME)
        open->name = profile_intern(parser->profile, text);
    else if (key == KEY_URL)
        open->url = profile_intern(parser->profile, v8_file_strip(text));
}

static void set_place(struct open_node *open, enum key key, int64_t value) {
    if (key == KEY_LINE_NUMBER)
        open->line = value;
    else if (key == KEY_COLUMN_NUMBER)
        open->column = value;
}

static void add_child(struct parser *parser, uint32_t parent, int64_t id) {
    struct cpuprofile_data *data = &parser->data;
    if (!is_id(id)) {
        warnings_add(&parser->profile->warnings, "bad-id", 0,
                     "ids of nodes that are no ids are left out");
        return;
    }
    MEMORY_RESERVE(data->children, data->child_capacity, data->child_count + 1);
    data->children[data->child_count++] = (struct cpuprofile_child){parent, (uint32_t)id};
}

/* A number right inside a node, or an id of a child. */
static void add_to_node(struct parser *parser, struct open_node *open, unsigned depth,
                        int64_t value) {
    struct cpuprofile_node *node = &parser->data.nodes[open->row];
    if (is_in_call_frame(open, depth)) {
        set_place(open, open->frame_key, value);
        return;
    }
    if (depth == open->depth + 2 && open->key == KEY_CHILDREN)
        add_child(parser, open->row, value);
    if (depth != open->depth + 1)
        return;
    switch (open->key) {
    case KEY_ID:
        node->id = is_id(value) ? (uint32_t)value : CPUPROFILE_NONE;
        return;
    case KEY_PARENT:
        node->parent_id = is_id(value) ? (uint32_t)value : CPUPROFILE_NONE;
        return;
    case KEY_HIT_COUNT:
        node->hits = value > 0 ? (uint64_t)value : 0;
        return;
    default:
        if (!open->has_call_frame)
            set_place(open, open->key, value);
    }
}

/* Samples and times. */

static void add_sample(struct parser *parser, int64_t id) {
    struct cpuprofile_data *data = &parser->data;
    MEMORY_RESERVE(data->samples, data->sample_capacity, data->sample_count + 1);
    data->samples[data->sample_count++] = is_id(id) ? (uint32_t)id : CPUPROFILE_NONE;
}

static void add_delta(struct parser *parser, int64_t nanoseconds) {
    struct cpuprofile_data *data = &parser->data;
    MEMORY_RESERVE(data->deltas, data->delta_capacity, data->delta_count + 1);
    data->deltas[data->delta_count++] = nanoseconds;
}

/* Microseconds as nanoseconds; the nearest that fits. */
static int64_t nanoseconds(int64_t microseconds) {
    int64_t result;
    if (__builtin_mul_overflow(microseconds, 1000, &result))
        return microseconds < 0 ? INT64_MIN : INT64_MAX;
    return result;
}

static int64_t nanoseconds_of_real(double microseconds) {
    double result = microseconds * 1000;
    if (!(result > -9e18 && result < 9e18))
        return result < 0 ? INT64_MIN : INT64_MAX;
    return llround(result);
}

/* Whether events of this depth are elements of `samples` or `timeDeltas`. */
static bool is_element(const struct parser *parser, unsigned depth) {
    return depth == 2 && parser->open_count == 0 &&
           (parser->section == KEY_SAMPLES || parser->section == KEY_TIME_DELTAS);
}

/* Something that is no number stands where one should; the places of the others do not change. */
static void add_bad_element(struct parser *parser, unsigned depth) {
    if (!is_element(parser, depth))
        return;
    parser->bad_elements++;
    if (parser->section == KEY_SAMPLES)
        add_sample(parser, -1);
    else
        add_delta(parser, 0);
}

/* A time of the recording, in nanoseconds if it is given in microseconds. */
static void set_time(struct parser *parser, int64_t time) {
    struct cpuprofile_data *data = &parser->data;
    if (parser->section == KEY_START_TIME) {
        data->start = time;
        data->has_start = true;
    } else if (parser->section == KEY_END_TIME) {
        data->end = time;
        data->has_end = true;
    }
}

/* Events. */

static bool on_begin_object(void *context, unsigned depth) {
    struct parser *parser = context;
    if (parser->open_count > 0) {
        struct open_node *open = innermost(parser);
        if (depth == open->depth + 1 && open->key == KEY_CALL_FRAME) {
            open->has_call_frame = true;
            open->frame_key = KEY_OTHER;
            open->line = open->column = -1;
        } else if (depth == open->depth + 2 && open->key == KEY_CHILDREN) {
            open_node(parser, depth, open->row);
        }
    } else if (depth == 2 && parser->section == KEY_NODES) {
        open_node(parser, depth, CPUPROFILE_NONE);
    } else if (depth == 1 && parser->section == KEY_HEAD) {
        open_node(parser, depth, CPUPROFILE_NONE);
        parser->data.is_old = true;
    } else {
        add_bad_element(parser, depth);
    }
    return true;
}

static bool on_end_object(void *context, unsigned depth) {
    struct parser *parser = context;
    const struct open_node *open = innermost(parser);
    if (open && open->depth == depth)
        close_node(parser);
    return true;
}

static bool on_begin_array(void *context, unsigned depth) {
    struct parser *parser = context;
    parser->no_object = parser->no_object || depth == 0;
    add_bad_element(parser, depth);
    return !parser->no_object;
}

static bool on_key(void *context, unsigned depth, struct text text) {
    struct parser *parser = context;
    struct open_node *open = innermost(parser);
    if (!open) {
        if (depth == 1)
            parser->section = key_of(text);
    } else if (depth == open->depth + 1) {
        open->key = key_of(text);
    } else if (is_in_call_frame(open, depth)) {
        open->frame_key = key_of(text);
    }
    return true;
}

static bool on_string(void *context, unsigned depth, struct text text) {
    struct parser *parser = context;
    struct open_node *open = innermost(parser);
    if (!open)
        add_bad_element(parser, depth);
    else if (is_in_call_frame(open, depth))
        set_text(parser, open, open->frame_key, text);
    else if (depth == open->depth + 1 && !open->has_call_frame)
        set_text(parser, open, open->key, text);
    parser->no_object = parser->no_object || depth == 0;
    return !parser->no_object;
}

static bool on_integer(void *context, unsigned depth, int64_t value) {
    struct parser *parser = context;
    struct open_node *open = innermost(parser);
    if (open) {
        add_to_node(parser, open, depth, value);
    } else if (depth == 2) {
        if (parser->section == KEY_SAMPLES)
            add_sample(parser, value);
        else if (parser->section == KEY_TIME_DELTAS)
            add_delta(parser, nanoseconds(value));
    } else if (depth == 1) {
        set_time(parser, nanoseconds(value));
    } else {
        parser->no_object = parser->no_object || depth == 0;
    }
    return !parser->no_object;
}

static bool on_number(void *context, unsigned depth, struct text number) {
    struct parser *parser = context;
    int64_t value;
    if (json_number_to_integer(number, &value))
        return on_integer(context, depth, value);
    double real = json_number_to_real(number);
    if (is_element(parser, depth) && parser->section == KEY_TIME_DELTAS)
        add_delta(parser, nanoseconds_of_real(real));
    else if (depth == 1 && parser->open_count == 0)
        set_time(parser, nanoseconds_of_real(real));
    else
        add_bad_element(parser, depth);
    parser->no_object = parser->no_object || depth == 0;
    return !parser->no_object;
}

static bool on_literal(void *context, unsigned depth, enum json_literal literal) {
    (void)literal;
    struct parser *parser = context;
    add_bad_element(parser, depth);
    parser->no_object = parser->no_object || depth == 0;
    return !parser->no_object;
}

static const struct json_events events = {
    .begin_object = on_begin_object,
    .end_object = on_end_object,
    .begin_array = on_begin_array,
    .key = on_key,
    .string = on_string,
    .integer = on_integer,
    .number = on_number,
    .literal = on_literal,
};

/* The reader. */

static void *cpuprofile_open(struct profile *profile, const void *options) {
    (void)options;
    struct parser *parser = memory_allocate_zero(1, sizeof *parser);
    parser->profile = profile;
    parser->json = json_reader_open(&events, parser, NAME_LARGEST);
    profile->format = cpuprofile_reader.format;
    profile->unit = UNIT_MICROSECONDS;
    profile->isolate_only = true;
    parser->thread = profile_add_thread(
        profile, (struct profile_thread){.id = 1, .role = THREAD_MAIN, .runs_javascript = true});
    return parser;
}

static bool fail_no_profile(struct error *error) {
    return error_set(error, ERROR_INPUT,
                     "not a CPU profile of V8: expected a JSON object with 'nodes' or 'head'");
}

/* What came before an error of the JSON is used, so that is told at the end. */
static bool cpuprofile_feed(void *state, struct text piece, struct error *error) {
    struct parser *parser = state;
    if (!parser->broken && !json_reader_feed(parser->json, piece, &parser->json_error))
        parser->broken = true;
    return !parser->no_object || fail_no_profile(error);
}

/* Nodes that a file which ends early has not completed. */
static void close_nodes(struct parser *parser) {
    while (parser->open_count > 0)
        close_node(parser);
}

/* The older form's times are in seconds: they were taken for microseconds. */
static void scale_old_times(struct cpuprofile_data *data) {
    const int64_t factor = 1000000;
    if (data->is_old && (__builtin_mul_overflow(data->start, factor, &data->start) ||
                         __builtin_mul_overflow(data->end, factor, &data->end)))
        data->has_start = false;
}

static void describe_damage(struct parser *parser) {
    struct warnings *warnings = &parser->profile->warnings;
    warnings_add_count(warnings, parser->bad_elements, "bad-element", 0,
                       "elements of 'samples' or 'timeDeltas' are no numbers");
    warnings_add_count(warnings, json_reader_cut_strings(parser->json), "name-too-long", 0,
                       "names longer than %d KiB were cut", NAME_LARGEST / 1024);
    if (parser->broken)
        warnings_add(warnings, "json-cut", 0, "%s; what stands before it is used",
                     parser->json_error.text);
}

static bool cpuprofile_finish(void *state, struct error *error) {
    struct parser *parser = state;
    struct cpuprofile_data *data = &parser->data;
    if (!parser->broken && !json_reader_finish(parser->json, &parser->json_error))
        parser->broken = true;
    close_nodes(parser);
    scale_old_times(data);
    if (data->node_count == 0) {
        if (!parser->broken || parser->no_object)
            return fail_no_profile(error);
        *error = parser->json_error;
        return false;
    }
    if (!cpuprofile_add_samples(parser->profile, parser->thread, data, error))
        return false;
    if (parser->broken && profile_is_empty(parser->profile)) {
        *error = parser->json_error;
        return false;
    }
    describe_damage(parser);
    return true;
}

static void cpuprofile_close(void *state) {
    struct parser *parser = state;
    json_reader_close(parser->json);
    cpuprofile_data_free(&parser->data);
    free(parser->open);
    free(parser);
}

/* Whether this is JSON that no other format has: what is looked for stands near the start. */
struct probe {
    enum key section;
    bool found;
};

static bool probe_key(void *context, unsigned depth, struct text text) {
    struct probe *probe = context;
    enum key key = key_of(text);
    if (depth == 1)
        probe->section = key;
    /* Heap profiles have `head` too, with a callFrame in it; heap snapshots have `nodes` that are
     * numbers. */
    probe->found = (depth == 1 && key == KEY_TIME_DELTAS) ||
                   (depth == 3 && probe->section == KEY_NODES &&
                    (key == KEY_CALL_FRAME || key == KEY_HIT_COUNT)) ||
                   (depth == 2 && probe->section == KEY_HEAD &&
                    (key == KEY_FUNCTION_NAME || key == KEY_HIT_COUNT));
    return !probe->found;
}

static bool probe_integer(void *context, unsigned depth, int64_t value) {
    (void)value;
    struct probe *probe = context;
    probe->found = depth == 2 && probe->section == KEY_SAMPLES;
    return !probe->found;
}

static enum probe_result cpuprofile_probe(struct text start) {
    static const struct json_events probe_events = {.key = probe_key, .integer = probe_integer};
    struct probe probe = {0};
    struct error ignored = {0};
    struct json_reader *json = json_reader_open(&probe_events, &probe, 0);
    (void)json_reader_feed(json, start, &ignored);
    json_reader_close(json);
    return probe.found ? PROBE_CERTAIN : PROBE_NO;
}

const struct reader cpuprofile_reader = {
    .format = "cpuprofile",
    .probe = cpuprofile_probe,
    .open = cpuprofile_open,
    .feed = cpuprofile_feed,
    .finish = cpuprofile_finish,
    .close = cpuprofile_close,
};
