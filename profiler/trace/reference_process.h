// SPDX-License-Identifier: MIT
/*
 * `node --prof-process` as a push parser: isolate logs in, its report or its JSON out.
 *
 * With the rules of a Node version the output is that version's, byte for byte; with the tolerant
 * rules the layout is the same and the faults are put right.
 */
#ifndef TICKFLAME_PROFILER_TRACE_REFERENCE_PROCESS_H
#define TICKFLAME_PROFILER_TRACE_REFERENCE_PROCESS_H

#include "fold/base/error.h"
#include "fold/base/output.h"
#include "profiler/symbol/symbol_source.h"
#include "profiler/trace/reference_ticks.h"

/* Where C++ symbols come from; both NULL: there are none. */
struct reference_symbol_sources {
    const struct symbol_rows *rows; /* exact rules: what `nm` would print */
    struct symbol_source *source;   /* tolerant rules */
};

struct reference_process;

/*
 * A new process. `preprocess`: JSON instead of the report. What the reference prints while it reads
 * goes to `output` at once; the rest by reference_process_write(). All pointers must outlive it.
 */
struct reference_process *reference_process_new(const struct v8log_rules *rules,
                                                const struct reference_options *options,
                                                bool preprocess,
                                                struct reference_symbol_sources symbols,
                                                struct output *output, struct warnings *warnings);

/* Holds lines back as `--timed-range` and `--pairwise-timed-range` do. Before the first piece. */
void reference_process_hold_lines(struct reference_process *process, enum v8log_timed_range range);

void reference_process_feed(struct reference_process *process, struct text piece);

/* A log has ended; another one may follow. */
void reference_process_finish(struct reference_process *process);

/* Prints the report or the JSON to its output. */
void reference_process_write(struct reference_process *process);

/* Prints the C++ symbols of the log's libraries as one JSON array of [name, start, end], as
 * `--serialize-vm-symbols` does; with the tolerant rules only. */
void reference_process_write_symbols(struct reference_process *process);

void reference_process_free(struct reference_process *process);

#endif
