// SPDX-License-Identifier: MIT
/*
 * How long the control groups of a process kept it from running: a group with a limit of CPU time
 * (a container's `--cpus`, a service's CPUQuota=) that has used up its share of a period is stopped
 * until the next one begins. To the program it looks as if it was blocked.
 *
 * The figures are those of cpu.stat, of the process's group and of all above it, added up: whoever
 * stops a group stops all that are in it. The kernel counts the time for each CPU on which the
 * group had something to run, so that it may be more than has passed.
 *
 * Version 1 and 2 of control groups; where they are mounted is read from /proc/self/mountinfo.
 * Sources: cgroups(7), proc(5), the kernel's admin-guide/cgroup-v2.rst and
 * scheduler/sched-bwc.rst.
 */
#ifndef TICKFLAME_PROFILER_LIVE_THROTTLING_H
#define TICKFLAME_PROFILER_LIVE_THROTTLING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct throttling;

/*
 * Finds the groups of the process as they are now, and keeps their files open: reading costs one
 * system call for each. NULL: it is in no group whose CPU time can be limited, or they cannot be
 * seen from here. `root`: what stands before /proc and the folders that groups are mounted on, ""
 * but for tests.
 */
struct throttling *throttling_open(pid_t process_id, const char *root);
void throttling_close(struct throttling *throttling);

/* Reads in how many periods it was stopped so far, and for how many microseconds. Both count from
 * the making of the groups. False: the groups are gone. */
bool throttling_read(const struct throttling *throttling, uint64_t *periods,
                     uint64_t *microseconds);

#endif
