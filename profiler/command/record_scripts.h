// SPDX-License-Identifier: MIT
/*
 * Names of JavaScript in a recording: for each process that has a V8, what its heap says
 * (profiler/v8/v8_names.h), as locations of the stacks.
 *
 * Where the heap cannot be read, or a frame has no function there, its address stands for it, which
 * has the name that a perf map gives it. When a process writes a perf map too, each name from the
 * heap is compared with it.
 */
#ifndef TICKFLAME_PROFILER_COMMAND_RECORD_SCRIPTS_H
#define TICKFLAME_PROFILER_COMMAND_RECORD_SCRIPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/model/profile.h"
#include "profiler/symbol/native_names.h"
#include "profiler/trace/perf_machine.h"

/* Processes whose heap is read at once; of more, the perf map counts. */
enum { RECORD_SCRIPTS_MOST = 256 };

struct record_scripts;

/* For frames of `profile` with the locations of `names`; both outlive it. `compare`: with perf
 * maps. */
struct record_scripts *record_scripts_new(struct profile *profile, struct native_names *names,
                                          bool compare);
void record_scripts_free(struct record_scripts *scripts);

/* A machine_push_stack, with the scripts as context. */
void record_scripts_push(void *scripts, const struct perf_record *record,
                         const struct user_stack *stack, struct perf_rows *rows);

/* The process runs another program from here on. */
void record_scripts_forget(struct record_scripts *scripts, uint64_t process_id);

/* Tells in the profile what the heaps came to: versions, comparisons, and in warnings why names are
 * missing. To be called once, while the processes' files are open. */
void record_scripts_finish(struct record_scripts *scripts);

#endif
