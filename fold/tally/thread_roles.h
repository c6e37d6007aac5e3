// SPDX-License-Identifier: MIT
/*
 * Roles of threads, from their names and stacks.
 *
 * Node names its threads differently in each version (up to 20 all are `node`), and a program may
 * rename them; but the outermost functions of a thread's stacks always tell: libuv's worker loop,
 * V8's platform workers, a worker_thread's start, main(). Stacks may be cut, so the weight of those
 * that tell decides; only then the name does. A thread whose number is that of its process is the
 * main one.
 */
#ifndef TICKFLAME_FOLD_TALLY_THREAD_ROLES_H
#define TICKFLAME_FOLD_TALLY_THREAD_ROLES_H

#include "fold/model/profile.h"

/*
 * Puts rows of profile->threads that are the same thread into groups: a thread that changes its
 * name (`node` becomes `MainThread`) has a row for each. `groups` has room for a number per row,
 * counted from 0 in order of first rows; returns how many there are. Threads without a number are
 * groups by themselves, and so are those without a process where numbers are not the system's.
 */
size_t thread_rows_group(const struct profile *profile, uint32_t *groups);

/*
 * Decides `role` and `runs_javascript` of every thread that has `role_by_stacks` set, and clears
 * that. A thread runs JavaScript when it was seen there; when none was seen anywhere, the main
 * threads are taken to.
 */
void thread_roles_decide(struct profile *profile);

#endif
