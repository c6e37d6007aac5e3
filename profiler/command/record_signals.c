// SPDX-License-Identifier: MIT
#include "profiler/command/record_signals.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiler/live/counters.h"

#define SAME_NANOSECONDS 500000000u /* a signal this soon after the first is the same Ctrl-C */

static sigset_t ending_signals(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    return set;
}

static _Noreturn void quit(const struct launch *launch, int number) {
    pid_t program = __atomic_load_n(&launch->process_id, __ATOMIC_RELAXED);
    siginfo_t information = {0};
    /* Still a child of ours: its number belongs to nobody else. */
    if (program > 0 &&
        waitid(P_PID, (id_t)program, &information, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        information.si_pid == 0)
        kill(program, SIGKILL);
    sigset_t set = ending_signals();
    signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
    _exit(128 + number);
}

static void *wait_for_signals(void *context) {
    const struct record_signals *signals = context;
    sigset_t set = ending_signals();
    uint64_t first = 0;
    for (;;) {
        int number = sigwaitinfo(&set, NULL);
        if (number < 0)
            continue;
        uint64_t now = counters_clock();
        if (first == 0) {
            first = now;
            eventfd_write(signals->wake, 1);
        } else if (now - first >= SAME_NANOSECONDS) {
            quit(signals->launch, number);
        }
    }
}

void record_signals_take(struct record_signals *signals, const struct launch *launch) {
    *signals = (struct record_signals){.wake = eventfd(0, EFD_CLOEXEC), .launch = launch};
    if (signals->wake < 0)
        return;
    sigset_t set = ending_signals();
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signals->running = pthread_create(&signals->thread, NULL, wait_for_signals, signals) == 0;
    if (!signals->running)
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

bool record_signals_came(const struct record_signals *signals) {
    struct pollfd wake = {.fd = signals->wake, .events = POLLIN};
    return poll(&wake, 1, 0) > 0;
}

void record_signals_release(struct record_signals *signals) {
    if (signals->running) {
        pthread_cancel(signals->thread);
        pthread_join(signals->thread, NULL);
        signals->running = false;
    }
    if (signals->wake >= 0)
        close(signals->wake);
    signals->wake = -1;
}
