// SPDX-License-Identifier: MIT
/*
 * One thread under ptrace(2): taken without stopping it, stopped for a moment now and then for its
 * registers, and left running whatever happens.
 *
 * PTRACE_SEIZE takes a thread without a stop. If this program dies, in any way, the kernel lets all
 * threads go and run on. A traced thread stops by itself when a signal comes for it, and stays so
 * until it is told to go on: ptrace_thread_serve() does that, passing the signal on, and has to be
 * called soon after each SIGCHLD. A group stop (SIGSTOP, Ctrl-Z) is left in force. Nothing waits
 * without a bound: a thread that does not stop in time, because the kernel holds it, is let go when
 * it does stop.
 *
 * All calls must come from one thread of this program. Source: ptrace(2).
 */
#ifndef TICKFLAME_PROFILER_LIVE_PTRACE_THREAD_H
#define TICKFLAME_PROFILER_LIVE_PTRACE_THREAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "profiler/unwind/architecture.h"

enum { PTRACE_REGISTERS_MOST = 40 };

struct ptrace_thread {
    pid_t process_id, thread_id;
    bool interrupted; /* it was asked to stop, and has not done so yet */
    bool ended;
    bool has_executed; /* it runs another program; to be reset by who looks at it */
};

/* Takes the thread. False: errno says why. */
bool ptrace_thread_seize(struct ptrace_thread *thread, pid_t process_id, pid_t thread_id);

/* Lets it go on from stops that it came to by itself. */
void ptrace_thread_serve(struct ptrace_thread *thread);

/* Stops it, for `microseconds` of waiting at most. False: it did not stop, or has ended. After true
 * ptrace_thread_continue() has to follow soon. */
bool ptrace_thread_stop(struct ptrace_thread *thread, uint64_t microseconds);
void ptrace_thread_continue(struct ptrace_thread *thread);

/*
 * The registers of a stopped thread, by their bits in the mask of a sample (architecture.h).
 * *waits: it was in a call of the kernel that waited for something, and not running.
 */
bool ptrace_thread_registers(const struct ptrace_thread *thread,
                             uint64_t registers[PTRACE_REGISTERS_MOST], bool *waits);

/* Lets it go, running. */
void ptrace_thread_release(struct ptrace_thread *thread);

#endif
