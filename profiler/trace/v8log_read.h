// SPDX-License-Identifier: MIT
/*
 * The reader of isolate logs (`node --prof`): fills a profile.
 *
 * Each isolate of the log is a thread of the profile. A tick's stack is made of its JavaScript
 * frames, with the functions that were inlined into them; in a native callback also of the
 * callback; and of what holds the program counter. Unknown deeper frames are dropped, an unknown
 * program counter is a frame of kind FRAME_UNACCOUNTED. Handlers of the bytecode interpreter are
 * frames here; views drop them.
 */
#ifndef TICKFLAME_PROFILER_TRACE_V8LOG_READ_H
#define TICKFLAME_PROFILER_TRACE_V8LOG_READ_H

#include "fold/model/reader.h"
#include "profiler/symbol/symbol_source.h"

/* Options of the reader; NULL instead of a pointer to them: no symbols, no list. */
struct v8log_options {
    struct symbol_source *symbols; /* for C++ names; NULL = none. Must outlive the parser */
    bool list_unknown_records;     /* a warning names the kinds of records that are not known */
};

extern const struct reader v8log_reader;

#endif
