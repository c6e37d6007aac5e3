// SPDX-License-Identifier: MIT
/*
 * What the kernel would have told of a process, had events been there from its start: the names of
 * its threads and its executable mappings, as records in the kernel's form, made from /proc.
 */
#ifndef TICKFLAME_PROFILER_LIVE_SNAPSHOT_H
#define TICKFLAME_PROFILER_LIVE_SNAPSHOT_H

#include <stdint.h>
#include <sys/types.h>

#include "fold/base/text.h"
#include "profiler/trace/perf_record.h"

/* Takes a record, header included. Valid during the call. */
typedef void snapshot_take(void *context, uint64_t time, struct text record);

/*
 * Makes a PERF_COMM record for each thread, the main thread first, and a PERF_MMAP2 record for each
 * executable mapping. `attribute` says which fields stand at the end of each. `time`: of all; 0 =
 * before everything. A process that has ended gives none.
 */
void snapshot_process(pid_t process_id, const struct perf_attribute *attribute, uint64_t time,
                      snapshot_take *take, void *context);

/* The record of one mapping, a line of /proc/PID/maps, appended to *record. False: it is not
 * executable, or no such line. */
bool snapshot_append_mapping(struct buffer *record, const struct perf_attribute *attribute,
                             pid_t process_id, uint64_t time, struct text line);

#endif
