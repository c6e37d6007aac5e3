// SPDX-License-Identifier: MIT
/*
 * The lines of `perf script`, taken apart: text in, views into it out.
 *
 * What an event line holds depends on what was recorded and on `perf script -F`:
 *
 *     COMM PID/TID [CPU] TIME: PERIOD EVENT: REST
 *
 * in this order, each part only if it was asked for. TIME has six decimals or, with --ns, nine. A
 * name (COMM) may hold blanks, digits and brackets, so the place of its end is found by what
 * follows it. REST is the text of a tracepoint, or the only frame where no call chains were
 * recorded. Checked with the output of perf 6.1 and with the function process_event() of
 * tools/perf/builtin-script.c of Linux 6.1.
 */
#ifndef TICKFLAME_FOLD_READ_PERF_SCRIPT_LINE_H
#define TICKFLAME_FOLD_READ_PERF_SCRIPT_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/base/text.h"

/* How sure it is that a line is an event line. */
enum event_line_form {
    EVENT_LINE_MAYBE,  /* nothing in it speaks against; frames must follow */
    EVENT_LINE_LIKELY, /* ends with the name of an event, or has a time but no event */
    EVENT_LINE_CERTAIN /* has a time and an event */
};

struct event_line {
    enum event_line_form form;
    struct text thread; /* from the start to the end of the ids: the same for each of a thread's */
    struct text comm;   /* without the blanks around it; empty: not given */
    uint64_t process_id, thread_id; /* 0 = not given */
    bool has_time, has_period;
    uint64_t time; /* nanoseconds */
    uint64_t period;
    struct text event; /* without the last colon; empty: not given */
    struct text rest;  /* what follows, without the blanks around it */
};

/* Takes a line apart that is no frame. `line` has no blanks at its end and is not empty. */
struct event_line event_line_parse(struct text line);

/* A line `ADDRESS SYMBOL+0xOFFSET (MODULE)`. */
struct frame_line {
    struct text address; /* 1 to 16 hexadecimal digits */
    struct text symbol;  /* without offset; empty: not given */
    struct text module;  /* without parentheses; empty: not given; `inlined` is no module, but
                            means that the function was expanded into the one of the next line */
};

/* Takes a line apart. False: it is no frame. `line` has no blanks at its end. */
bool frame_line_parse(struct text line, struct frame_line *frame);

/*
 * The same for a line that is likely to hold the symbol and module of *frame, which
 * frame_line_parse() has found before: whether it does, and then its address. A quick look, which
 * may say no to a line that holds them.
 */
bool frame_line_holds(struct text line, const struct frame_line *frame, struct text *address);

/* The same for the only frame of an event line, where the address that an event is about may stand
 * in front of it. A frame without a name and module is none here. */
bool only_frame_parse(struct text rest, struct frame_line *frame);

#endif
