// SPDX-License-Identifier: MIT
/*
 * Roles of threads, from their names and stacks.
 *
 * Node names its threads differently in each version (up to 20 all are `node`), and a program may
 * rename them; but the outermost functions of a thread's stacks always tell: libuv's worker loop,
 * V8's platform workers, a worker_thread's start, main().
 */
#ifndef TICKFLAME_FOLD_TALLY_THREAD_ROLES_H
#define TICKFLAME_FOLD_TALLY_THREAD_ROLES_H

#include "fold/model/profile.h"

/* Decides `role` and `runs_javascript` of every thread that has `role_by_stacks` set, and clears
 * that. */
void thread_roles_decide(struct profile *profile);

#endif
