// SPDX-License-Identifier: MIT
#include "profiler/live/ptrace_thread.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "profiler/live/counters.h"

enum {
    SPIN_NANOSECONDS = 100000, /* of waiting before this program sleeps in between */
    SLEEP_NANOSECONDS = 50000,
    RELEASE_MICROSECONDS = 50000,
};

bool ptrace_thread_seize(struct ptrace_thread *thread, pid_t process_id, pid_t thread_id) {
    *thread = (struct ptrace_thread){.process_id = process_id, .thread_id = thread_id};
    return ptrace(PTRACE_SEIZE, thread_id, NULL, PTRACE_O_TRACEEXEC) == 0;
}

/* Lets a stopped thread go on. */
static void go_on(struct ptrace_thread *thread, enum __ptrace_request how, int signal) {
    if (ptrace(how, thread->thread_id, NULL, (void *)(intptr_t)signal) != 0 && errno == ESRCH)
        thread->ended |= kill(thread->thread_id, 0) != 0;
}

enum stop {
    STOP_NONE,
    STOP_ASKED, /* it is stopped, as it was asked */
    STOP_OTHER, /* it was stopped, and goes on */
};

/* Looks at what the thread has come to, once. */
static enum stop look(struct ptrace_thread *thread) {
    int status;
    pid_t waited = waitpid(thread->thread_id, &status, __WALL | WNOHANG);
    if (waited == 0)
        return STOP_NONE;
    if (waited < 0 || !WIFSTOPPED(status)) {
        thread->ended = true;
        return STOP_NONE;
    }
    int event = status >> 16, signal = WSTOPSIG(status);
    if (event == PTRACE_EVENT_STOP && signal == SIGTRAP) {
        if (thread->interrupted) {
            thread->interrupted = false;
            return STOP_ASKED;
        }
        go_on(thread, PTRACE_CONT, 0);
    } else if (event == PTRACE_EVENT_STOP) {
        /* All of its process is stopped: it stays so until SIGCONT. */
        thread->interrupted = false;
        go_on(thread, PTRACE_LISTEN, 0);
    } else if (event != 0) {
        thread->has_executed |= event == PTRACE_EVENT_EXEC;
        go_on(thread, PTRACE_CONT, 0);
    } else {
        go_on(thread, PTRACE_CONT, signal);
    }
    return STOP_OTHER;
}

void ptrace_thread_serve(struct ptrace_thread *thread) {
    enum stop stop;
    while (!thread->ended && (stop = look(thread)) != STOP_NONE) {
        /* It was asked long ago. */
        if (stop == STOP_ASKED)
            go_on(thread, PTRACE_CONT, 0);
    }
}

bool ptrace_thread_stop(struct ptrace_thread *thread, uint64_t microseconds) {
    ptrace_thread_serve(thread);
    if (thread->ended)
        return false;
    /* Asking twice is asking once; what was asked before may have come to nothing, as when the
     * process ran another program. */
    if (ptrace(PTRACE_INTERRUPT, thread->thread_id, NULL, NULL) != 0)
        return false;
    thread->interrupted = true;
    uint64_t start = counters_clock(), waited = 0;
    while (waited <= microseconds * 1000) {
        enum stop stop = look(thread);
        if (stop == STOP_ASKED)
            return true;
        if (thread->ended || (stop == STOP_OTHER && !thread->interrupted))
            return false;
        if (waited > SPIN_NANOSECONDS)
            nanosleep(&(struct timespec){.tv_nsec = SLEEP_NANOSECONDS}, NULL);
        waited = counters_clock() - start;
    }
    return false;
}

void ptrace_thread_continue(struct ptrace_thread *thread) {
    go_on(thread, PTRACE_CONT, 0);
}

/* Whether the result of a call of the kernel says that a stop ended it early: EINTR, or one of the
 * numbers by which the kernel notes to itself to begin it again. */
static bool is_interrupted_call(int64_t call, int64_t result) {
    enum { RESTART_FIRST = 512, RESTART_LAST = 516 };
    return call >= 0 && (result == -EINTR || (result <= -RESTART_FIRST && result >= -RESTART_LAST));
}

bool ptrace_thread_registers(const struct ptrace_thread *thread,
                             uint64_t registers[PTRACE_REGISTERS_MOST], bool *waits) {
    *waits = false;
#if defined(__x86_64__)
    struct user_regs_struct set;
    struct iovec place = {&set, sizeof set};
    if (ptrace(PTRACE_GETREGSET, thread->thread_id, (void *)(intptr_t)NT_PRSTATUS, &place) != 0 ||
        place.iov_len != sizeof set)
        return false;
    const unsigned long long in_order[] = {
        set.rax, set.rbx,    set.rcx, set.rdx, set.rsi, set.rdi, set.rbp, set.rsp,
        set.rip, set.eflags, set.cs,  set.ss,  set.ds,  set.es,  set.fs,  set.gs,
        set.r8,  set.r9,     set.r10, set.r11, set.r12, set.r13, set.r14, set.r15,
    };
    *waits = is_interrupted_call((int64_t)set.orig_rax, (int64_t)set.rax);
#elif defined(__aarch64__)
    struct user_regs_struct set;
    struct iovec place = {&set, sizeof set};
    if (ptrace(PTRACE_GETREGSET, thread->thread_id, (void *)(intptr_t)NT_PRSTATUS, &place) != 0 ||
        place.iov_len != sizeof set)
        return false;
    unsigned long long in_order[33];
    for (int i = 0; i < 31; i++)
        in_order[i] = set.regs[i];
    in_order[31] = set.sp;
    in_order[32] = set.pc;
    *waits = is_interrupted_call(0, (int64_t)set.regs[0]);
#else
    const unsigned long long in_order[] = {0};
    (void)thread;
    return false;
#endif
    for (size_t i = 0; i < sizeof in_order / sizeof *in_order; i++)
        registers[i] = in_order[i];
    return true;
}

void ptrace_thread_release(struct ptrace_thread *thread) {
    if (!thread->ended && ptrace_thread_stop(thread, RELEASE_MICROSECONDS))
        go_on(thread, PTRACE_DETACH, 0);
    thread->ended = true;
}
