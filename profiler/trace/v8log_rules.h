// SPDX-License-Identifier: MIT
/*
 * The rules by which an isolate log is read: those of `node --prof-process` of one Node version,
 * faults included ("exact"), or this program's own ("tolerant").
 *
 * The differences between versions were measured by running them side by side on the same logs.
 */
#ifndef TICKFLAME_PROFILER_TRACE_V8LOG_RULES_H
#define TICKFLAME_PROFILER_TRACE_V8LOG_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/base/text.h"

/* What a reference does when the address of a function record holds something else. */
enum misplaced_function {
    MISPLACED_IS_USED,    /* the other thing serves as function; its label nests (12, 14) */
    MISPLACED_IS_LOST,    /* it is renamed, then the record is refused (16 to 20) */
    MISPLACED_IS_REPLACED /* a new function is made, which the map does not take in (22 and later)
                           */
};

struct v8log_rules {
    bool exact;
    unsigned node;      /* major version of Node that is imitated; 0 for the tolerant rules */
    uint64_t page_mask; /* bits of an address that tell pages of libraries apart */
    bool frames_in_hexadecimal; /* frame text without `0x` is base 16 */
    bool reused_code_is_ignored;
    bool regexp_may_be_function;
    bool deletes_code;
    bool counts_prototype_names; /* names such as "constructor" get "{NaN}" at their first use */
    bool debug_files;            /* symbols of separate debug files are read */
    bool text_adjustment;        /* the symbol rules of 14 and later */
    bool start_without_slide;    /* 24: a symbol is compared with the start, not start - slide */
    enum misplaced_function misplaced;
    bool plain_scripts;         /* 12, 14: scripts in JSON are {name, source} */
    bool heap_samples;          /* 12, 14: the end of a heap sample prints a heading */
    const char *json_kinds[4];  /* kinds of ~ ^ + * code in JSON */
    const char *accepted_marks; /* marks, each followed by a blank; "" always counts */
};

/* This program's own rules. */
extern const struct v8log_rules v8log_tolerant_rules;

/* The rules of a Node major: 12, 14, 16 ... 26 (an odd one takes the next lower). NULL: unknown. */
const struct v8log_rules *v8log_rules_of_node(unsigned major);

/* The Node major whose V8 has this major version: 7 gives 12, ... 14 gives 26. 0: none known. */
unsigned v8log_node_of_v8(uint64_t v8_major);

/* Whether the reference accepts this code mark; else it refuses the whole record. */
bool v8log_rules_accept_mark(const struct v8log_rules *rules, struct text mark);

#endif
