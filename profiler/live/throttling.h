// SPDX-License-Identifier: MIT
/*
 * How often and how long the CPU quota of a process's cgroup stopped it: what a container's CPU
 * limit does to a program that needs more than it allows.
 *
 * A group may use so much CPU time in each period (100 ms as a rule); when that is used up, all of
 * its threads stand still until the next one begins. The kernel counts it in the group's
 * `cpu.stat`. The files are found once and kept open, so that reading is cheap enough to be done
 * with each batch of samples.
 *
 * Sources: the kernel's documents admin-guide/cgroup-v2 (cpu.max, cpu.stat) and scheduler/sched-bwc
 * (version 1), proc(5) on /proc/PID/mountinfo, cgroups(7) on /proc/PID/cgroup.
 */
#ifndef TICKFLAME_PROFILER_LIVE_THROTTLING_H
#define TICKFLAME_PROFILER_LIVE_THROTTLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fold/base/text.h"

enum { THROTTLING_GROUPS_MOST = 16 };

/* The open files of the groups with a quota that a process is in, the innermost first. All zero is
 * none. */
struct throttling {
    int files[THROTTLING_GROUPS_MOST];
    size_t count;
};

/* Finds the groups of a process. False: none of them has a quota, or their files are not mounted
 * here; there is nothing to close. */
bool throttling_open(struct throttling *throttling, pid_t process_id);

/*
 * In how many periods the group that was stopped longest was stopped, and for how many microseconds
 * in all, since it was made. The kernel adds up the time of each of its processors, and that of a
 * stop when the stop is over. False: no group can be read any more.
 */
bool throttling_read(const struct throttling *throttling, uint64_t *periods,
                     uint64_t *microseconds);

void throttling_close(struct throttling *throttling);

/* What cpu.stat says, of version 2 or 1. False: it does not tell of throttling. */
bool throttling_parse(struct text stat, uint64_t *periods, uint64_t *microseconds);

/* Where the groups of a process that can have a quota are. */
struct throttling_place {
    struct text mount; /* the folder where they are mounted */
    struct text group; /* the process's group below it: empty, or it begins with a slash */
    bool second;       /* version 2 of cgroups */
};

/*
 * The places in which to look, at most two (one of each version), told from the texts of
 * /proc/PID/cgroup and of this program's /proc/self/mountinfo, of which they are views. Returns how
 * many.
 */
size_t throttling_places(struct text cgroups, struct text mounts,
                         struct throttling_place places[2]);

#endif
