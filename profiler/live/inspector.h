// SPDX-License-Identifier: MIT
/*
 * The inspector of a running Node, for one thing: a CPU profile by V8's own profiler.
 *
 * SIGUSR1 makes Node listen for debuggers on the loopback interface (port 9229, or that of
 * --inspect-port), which it tells on its standard error. To any other program the signal is the
 * end, so it is only sent to a Node that has a handler for it. Whoever listens there may be another
 * process: it is asked for its number. What was opened is closed again.
 *
 * The protocol is that of Chrome's DevTools, over a WebSocket (libwebsockets). Sources: Node's
 * documentation of the inspector and of `node --inspect`; the protocol's domains Runtime and
 * Profiler.
 */
#ifndef TICKFLAME_PROFILER_LIVE_INSPECTOR_H
#define TICKFLAME_PROFILER_LIVE_INSPECTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "fold/base/error.h"
#include "fold/base/text.h"

struct inspector;

/* Whether this build has an inspector's client. */
bool inspector_is_built_in(void);

/* Connects to a process, after opening its inspector if need be. NULL: ERROR_SAMPLE. To be closed.
 */
struct inspector *inspector_open(pid_t process_id, struct error *error);

/* Starts V8's profiler with `interval_us` microseconds between two samples. */
bool inspector_start(struct inspector *inspector, uint64_t interval_us, struct error *error);

/* Stops it; *profile is emptied and gets the text of a .cpuprofile. */
bool inspector_stop(struct inspector *inspector, struct buffer *profile, struct error *error);

/* Has the process close the inspector that was opened for this, and disconnects. NULL is allowed.
 */
void inspector_close(struct inspector *inspector);

#endif
