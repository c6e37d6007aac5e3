// SPDX-License-Identifier: MIT
/*
 * The processes that `tickflame record` is asked to sample.
 */
#ifndef TICKFLAME_PROFILER_COMMAND_RECORD_TARGET_H
#define TICKFLAME_PROFILER_COMMAND_RECORD_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "fold/base/error.h"
#include "fold/model/profile.h"
#include "profiler/command/record_options.h"

struct record_targets {
    size_t count;
    pid_t items[RECORD_PROCESSES_MAX];
};

/* Lists the Node processes on standard output; returns the exit status. */
int record_targets_list(void);

/* Finds the processes of -p and --port. Without these options there are none. False: ERROR_SAMPLE.
 */
bool record_targets_find(struct record_targets *targets, const struct record_options *options,
                         struct error *error);

/* Says on standard error which of the processes are no node. */
void record_targets_warn(const struct record_targets *targets);

/* Tells the profile which command is recorded. */
void record_targets_describe(const struct record_targets *targets, const struct operands *operands,
                             struct profile *profile);

/* Appends `NODE_OPTIONS=...` with the options that make V8 write a perf map, NUL included. False:
 * the user's NODE_OPTIONS ask for one already. */
bool record_targets_ask_names(struct buffer *environment);

/* Whether a process that is not running yet can be let write its perf map: V8 follows a link that
 * somebody has laid at its name, and ends if it cannot write. False: ERROR_SAMPLE. */
bool record_targets_map_is_free(pid_t process_id, struct error *error);

/* Removes what those options left: perf maps of the processes in the profile, and the isolate logs
 * that V8 puts beside them into the working folder. */
void record_targets_remove_traces(const struct profile *profile);

#endif
