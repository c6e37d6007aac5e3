// SPDX-License-Identifier: MIT
/*
 * Starting the program that is to be sampled: it is held back until the sampler is ready, so that
 * its first instruction is seen.
 */
#ifndef TICKFLAME_PROFILER_LIVE_LAUNCH_H
#define TICKFLAME_PROFILER_LIVE_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "fold/base/error.h"

/* A started program. All zero is none. */
struct launch {
    pid_t process_id;
    const char *program; /* its name, the caller's */
    int gate;            /* pipe that holds it back; -1 when it was let go */
    int report;          /* pipe that tells why exec failed; -1 when closed */
    bool ended;
    int status; /* of waitpid, once it has ended */
};

/*
 * Forks; the child waits. It keeps our standard streams, our environment and `environment` (strings
 * of the form NAME=VALUE in front of ours, NULL-terminated; NULL = none), and runs in our process
 * group, so that Ctrl-C on the terminal reaches it too. `arguments` ends with NULL; the program is
 * looked for in PATH. Both are used until launch_release(). What this program blocks or ignores
 * (SIGPIPE and SIGXFSZ, which it should ignore when it uses this) is at its default there. If this
 * program is killed, the kernel sends SIGTERM to the child.
 */
bool launch_prepare(struct launch *launch, char *const *arguments, const char *const *environment,
                    struct error *error);

/* Lets the child run its program. False: it could not (ERROR_SAMPLE: no such program ...), and has
 * ended. */
bool launch_release(struct launch *launch, struct error *error);

/* Looks whether it has ended, without waiting; or waiting for at most so many milliseconds: its
 * threads are gone from the kernel's lists some time before it can be seen to have ended. */
bool launch_has_ended(struct launch *launch);
bool launch_ends_within(struct launch *launch, int milliseconds);

/* Ends it, if it has not ended: SIGTERM, after `grace_milliseconds` SIGKILL; waits. */
void launch_end(struct launch *launch, int grace_milliseconds);

#endif
