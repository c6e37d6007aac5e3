// SPDX-License-Identifier: MIT
/*
 * Figures of /proc that are read beside the samples: memory of processes and of their cgroup.
 */
#ifndef TICKFLAME_PROFILER_LIVE_COUNTERS_H
#define TICKFLAME_PROFILER_LIVE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Resident memory of a process in bytes. False: it has ended. */
bool counters_read_rss(pid_t process_id, uint64_t *bytes);

/* CPU time that a process has used, all its threads together, in microseconds. False: it has ended.
 */
bool counters_read_cpu(pid_t process_id, uint64_t *microseconds);

/* Memory that the process's cgroup (version 2 or 1) uses, and its limit; *limit 0 = none. False: it
 * is in none, or only in the root one. */
bool counters_read_cgroup_memory(pid_t process_id, uint64_t *bytes, uint64_t *limit);

/* CPU time of this program so far, in microseconds: what sampling costs. */
uint64_t counters_own_cpu_us(void);

/* The clock that samples carry (CLOCK_MONOTONIC), in nanoseconds. */
uint64_t counters_clock(void);

#endif
