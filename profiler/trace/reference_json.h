// SPDX-License-Identifier: MIT
/*
 * The JSON of `node --prof-process --preprocess`: code, functions, ticks and scripts.
 *
 * Ticks stand between code and scripts in the output, so they are kept until the end, packed to a
 * few bytes a frame.
 */
#ifndef TICKFLAME_PROFILER_TRACE_REFERENCE_JSON_H
#define TICKFLAME_PROFILER_TRACE_REFERENCE_JSON_H

#include "fold/base/output.h"
#include "fold/model/string_table.h"
#include "profiler/trace/reference_ticks.h"

/* An element of "code". */
struct reference_json_code {
    uint8_t kind; /* enum code_kind; CODE_NONE: an empty element */
    char mark;    /* of function code */
    struct string_id name, type;
    uint32_t function;      /* of function code */
    uint32_t next;          /* the function's next code, + 1; 0 = none */
    uint32_t source, deopt; /* rows; 0 = none */
    bool deopt_first;       /* `deopt` came before `source` */
    double time;
};

/* An element of "functions". */
struct reference_json_function {
    struct string_id name;
    uint32_t first_code, last_code; /* + 1; 0 = none */
};

struct reference_json_source {
    double script, from, to;
    struct string_id positions, inlined;
    uint32_t *functions; /* function ids, or CODE_ID_NONE for null; in the arena */
    size_t function_count;
};

struct reference_json_deopt {
    double time, inlining_id, script_offset;
    bool has_bailout, has_position, has_reason;
    struct string_id bailout, position, reason;
};

struct reference_json_script {
    bool has_url, has_source;
    uint32_t id;
    struct string_id url, source;
    struct string_id name; /* last path component of the URL */
    bool is_alike;         /* an earlier script has the same one */
};

/* What has been collected. Texts are of `strings`; 0 is the empty one. */
struct reference_json {
    const struct reference_options *options;
    struct v8log_code *space;
    struct output *output;
    struct reference_ticks ticks;

    struct arena arena;
    struct string_table strings;
    struct reference_json_code *code;
    size_t code_count, code_capacity;
    struct reference_json_function *functions;
    size_t function_count, function_capacity;
    struct reference_json_source *sources; /* row 0 is not used */
    size_t source_count, source_capacity;
    struct reference_json_deopt *deopts; /* row 0 is not used */
    size_t deopt_count, deopt_capacity;
    struct reference_json_script *scripts; /* in order of arrival; row 0 is not used */
    size_t script_count, script_capacity;
    uint32_t *scripts_by_id; /* rows */
    size_t scripts_by_id_count, scripts_by_id_capacity;
    uint32_t *scripts_by_name; /* by string of the last path component: the newest row */
    size_t scripts_by_name_count, scripts_by_name_capacity;

    struct buffer packed; /* the ticks */
};

/* Starts; sets `space->for_json`. All pointers must outlive it. */
void reference_json_start(struct reference_json *json, const struct reference_options *options,
                          struct v8log_code *space, struct output *output);

/* For the sink: `context` is the struct. */
void reference_json_library(struct reference_json *json, uint32_t row);
void reference_json_symbol(void *context, uint32_t row);
void reference_json_plain_code(void *context, uint32_t row, double time);
void reference_json_function_code(void *context, struct code_made made, double time);
void reference_json_source_info(void *context, const struct v8log_source_info *info);
void reference_json_script(void *context, double id, struct text url, struct text source);
void reference_json_deopt(void *context, const struct v8log_deopt *deopt);
void reference_json_tick(void *context, const struct v8log_tick *tick);
void reference_json_event(void *context, enum v8log_event event, struct text name);

/* The name of a script as JSON shows it. */
struct string_id reference_json_script_name(const struct reference_json *json,
                                            const struct reference_json_script *script);

/* Prints. */
void reference_json_write(const struct reference_json *json, struct output *output);

void reference_json_free(struct reference_json *json);

#endif
