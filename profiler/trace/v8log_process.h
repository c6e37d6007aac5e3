// SPDX-License-Identifier: MIT
/*
 * Isolate logs, line by line: keeps the address space up to date and hands ticks to a sink.
 *
 * A push parser: pieces of any size in, calls of the sink out. With the rules of a reference
 * version (v8log_rules.h) lines are understood exactly as that version of `node --prof-process`
 * does; with the tolerant rules what log writers got wrong is put right, and damage is counted as
 * warnings.
 */
#ifndef TICKFLAME_PROFILER_TRACE_V8LOG_PROCESS_H
#define TICKFLAME_PROFILER_TRACE_V8LOG_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/error.h"
#include "fold/base/text.h"
#include "profiler/trace/v8log_code.h"
#include "profiler/trace/v8log_lines.h"
#include "profiler/trace/v8log_rules.h"

/* A `tick` record. Numbers that the exact rules allow to be missing are NaN or ADDRESS_INVALID. */
struct v8log_tick {
    uint64_t pc;
    double time;            /* microseconds since the isolate's logger started */
    bool in_callback;       /* the thread was in a native callback, whose entry is `top_of_stack` */
    uint64_t top_of_stack;  /* or the word there */
    double state;           /* VM state, 0 JavaScript, 1 GC ... */
    const uint64_t *frames; /* return addresses, innermost first; deltas resolved */
    size_t frame_count;
};

/* A `code-source-info` record. */
struct v8log_source_info {
    uint64_t start; /* of the code */
    double script, from, to;
    struct text positions, inlined, functions; /* as they stand in the log */
};

/* A `code-deopt` record. `data` of a text is NULL where the field is missing. */
struct v8log_deopt {
    double time, inlining_id, script_offset;
    uint64_t code;
    struct text bailout, position, reason;
};

/* Records that only some options of the reference look at. */
enum v8log_event {
    V8LOG_TIMER_EVENT,       /* a timer began or ended */
    V8LOG_RUNTIME_TIMER,     /* the runtime timer `name` is active from now on */
    V8LOG_HEAP_SAMPLE_BEGIN, /* of the space `name` */
    V8LOG_HEAP_SAMPLE_END
};

/* Who wants to know. Members may be NULL. */
struct v8log_sink {
    void *context;
    void (*tick)(void *context, const struct v8log_tick *tick);
    void *library_context; /* for `library` alone */
    void (*library)(void *context, uint32_t row, uint64_t start, uint64_t end, uint64_t slide);
    void (*plain_code)(void *context, uint32_t row, double time);
    void (*function_code)(void *context, struct code_made made, double time);
    void (*source_info)(void *context, const struct v8log_source_info *info);
    /* `data` of a text is NULL where the field is missing. */
    void (*script)(void *context, double id, struct text url, struct text source);
    void (*deopt)(void *context, const struct v8log_deopt *deopt);
    void (*event)(void *context, enum v8log_event event, struct text name);
    void (*isolate)(void *context); /* tolerant: a header begins the log of another isolate */
};

/* How `--timed-range` and `--pairwise-timed-range` of the reference hold lines back. */
enum v8log_timed_range { V8LOG_ALL_LINES, V8LOG_TIMED_RANGE, V8LOG_PAIRWISE_TIMED_RANGE };

/* A kind of record that is not known. */
struct v8log_unknown_record {
    struct string_id name; /* in the strings of `code` */
    uint64_t count;
};

enum { V8LOG_UNKNOWN_RECORDS_MAX = 64 };

struct v8log_process {
    struct v8log_code code;
    struct v8log_sink sink;
    struct warnings *warnings; /* the caller's */
    enum v8log_timed_range timed_range;

    struct v8log_lines lines;
    bool stopped;         /* exact: an empty line ended the log */
    bool marker_seen;     /* timed range: a `current-time` line was seen */
    struct buffer held;   /* timed range: lines since the last marker, each with its newline */
    struct buffer joined; /* tolerant: a record whose name may go on in the next line */
    unsigned joined_lines;
    uint64_t joined_line;
    struct buffer scratch[8]; /* unescaped fields of the current line */
    struct buffer decoded;    /* exact: the line as valid UTF-8 */
    uint64_t *frames;
    size_t frame_capacity;

    uint64_t v8_major;        /* of the header; 0 = none seen */
    struct buffer v8_version; /* "11.3.244.8" */
    uint64_t interval_us;     /* of `profiler,begin`; 0 = not said */
    uint64_t ticks, bad_frames, overflows;
    struct v8log_unknown_record unknown[V8LOG_UNKNOWN_RECORDS_MAX];
    size_t unknown_count;
};

/* Makes a process with these rules. Warnings go to `warnings`, which must outlive it. */
void v8log_process_start(struct v8log_process *process, const struct v8log_rules *rules,
                         struct v8log_sink sink, struct warnings *warnings);

/* Takes the next piece. */
void v8log_process_feed(struct v8log_process *process, struct text piece);

/* The log has ended. */
void v8log_process_finish(struct v8log_process *process);

void v8log_process_free(struct v8log_process *process);

/* Whether a line begins as the first line of an isolate log does: `v8-version,`. */
bool v8log_is_header(struct text line);

/* V8's major version from a header line; 0 when it is none. */
uint64_t v8log_header_major(struct text line);

/* One line, by the exact or the tolerant rules (v8log_exact.c, v8log_tolerant.c). */
void v8log_exact_line(struct v8log_process *process, struct text line);
void v8log_tolerant_line(struct v8log_process *process, struct text line);

/* The tolerant rules hold a record back whose name may go on in the next line: takes it now. */
void v8log_tolerant_flush(struct v8log_process *process);

/* For both: takes `0x...` up to the next comma or the end off *rest. False: it is another form. */
bool v8log_take_address(struct text *rest, uint64_t *address);

/* For both: takes decimal digits up to the next comma or the end off *rest (at most 15). */
bool v8log_take_decimal(struct text *rest, uint64_t *number);

/* For both: what stands before the next comma, taken off *rest with the comma. */
struct text v8log_take_field(struct text *rest);

/* For both: appends a frame to process->frames, whose first `count` are in use. */
void v8log_add_frame(struct v8log_process *process, size_t count, uint64_t frame);

#endif
