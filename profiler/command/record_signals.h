// SPDX-License-Identifier: MIT
/*
 * The signals that end a recording: SIGINT (Ctrl-C), SIGTERM, SIGHUP.
 *
 * The first one asks for the end: what was sampled is written and shown. npm, docker and terminals
 * hand the same Ctrl-C on a second time, so that what comes within half a second of the first
 * counts as the same. Any later one quits at once, whatever is being done: the started program is
 * killed, then this program ends by the signal; the recording's file stays readable up to its last
 * second.
 *
 * A thread of its own waits for them, since the end may be in the midst of long work.
 */
#ifndef TICKFLAME_PROFILER_COMMAND_RECORD_SIGNALS_H
#define TICKFLAME_PROFILER_COMMAND_RECORD_SIGNALS_H

#include <pthread.h>
#include <stdbool.h>

#include "profiler/live/launch.h"

struct record_signals {
    int wake; /* a descriptor that can be read once a signal has come; -1 = none */
    bool running;
    pthread_t thread;
    const struct launch *launch;
};

/* From here on the signals end the recording. `launch` is the program that is started, then or
 * later; it must outlive record_signals_release(). Without a thread (no memory) the signals keep
 * their default action. The struct must not move meanwhile. */
void record_signals_take(struct record_signals *signals, const struct launch *launch);

/* Whether a signal has come. */
bool record_signals_came(const struct record_signals *signals);

/* Ends the waiting; the signals stay blocked. Does nothing after failure of the above. */
void record_signals_release(struct record_signals *signals);

#endif
