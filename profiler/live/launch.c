// SPDX-License-Identifier: MIT
#include "profiler/live/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fold/base/memory.h"

extern char **environ;

static void close_pipe(int *descriptor) {
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

/* `ours` with the strings of `more` in front; a name that `more` sets is left out of the rest. To
 * be freed with free(). */
static char **join_environment(const char *const *more, char *const *ours) {
    size_t more_count = 0, our_count = 0, count = 0;
    while (more && more[more_count])
        more_count++;
    while (ours && ours[our_count])
        our_count++;
    char **joined = memory_allocate((more_count + our_count + 1) * sizeof *joined);
    for (; count < more_count; count++)
        joined[count] = (char *)more[count];
    for (size_t i = 0; i < our_count; i++) {
        size_t name_size = strcspn(ours[i], "=") + 1;
        bool set = false;
        for (size_t k = 0; k < more_count && !set; k++)
            set = strncmp(ours[i], more[k], name_size) == 0;
        if (!set)
            joined[count++] = ours[i];
    }
    joined[count] = NULL;
    return joined;
}

/* In the child: waits to be let go, then becomes the program. Only calls that are safe between fork
 * and exec. */
static _Noreturn void run_child(int gate, int report, char *const *arguments,
                                char *const *environment) {
    /* What this program ignores or blocks is not the program's business. */
    sigset_t none;
    sigemptyset(&none);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    /* Nobody would end the program after us. Whoever has ended already has closed the gate. */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    char byte;
    ssize_t got;
    do
        got = read(gate, &byte, 1);
    while (got < 0 && errno == EINTR);
    if (got == 1) {
        execvpe(arguments[0], arguments, environment);
        int number = errno;
        ssize_t ignored = write(report, &number, sizeof number);
        (void)ignored;
    }
    _exit(127);
}

bool launch_prepare(struct launch *launch, char *const *arguments, const char *const *environment,
                    struct error *error) {
    *launch = (struct launch){.program = arguments[0], .gate = -1, .report = -1};
    int gate[2];
    int report[2];
    if (pipe2(gate, O_CLOEXEC) != 0)
        return error_set(error, ERROR_SAMPLE, "cannot start %s: %s", arguments[0], strerror(errno));
    if (pipe2(report, O_CLOEXEC) != 0) {
        int number = errno;
        close(gate[0]);
        close(gate[1]);
        return error_set(error, ERROR_SAMPLE, "cannot start %s: %s", arguments[0],
                         strerror(number));
    }
    char **joined = join_environment(environment, environ);
    pid_t child = fork();
    int number = errno;
    if (child == 0) {
        /* The parent's ends: with them open, the child would not see the parent end. */
        close(gate[1]);
        close(report[0]);
        run_child(gate[0], report[1], arguments, joined);
    }
    free(joined);
    close(gate[0]);
    close(report[1]);
    launch->gate = gate[1];
    launch->report = report[0];
    if (child < 0) {
        close_pipe(&launch->gate);
        close_pipe(&launch->report);
        return error_set(error, ERROR_SAMPLE, "cannot start %s: %s", arguments[0],
                         strerror(number));
    }
    launch->process_id = child;
    return true;
}

/* Waits for the child; `options` of waitpid(). */
static bool reap(struct launch *launch, int options) {
    if (launch->ended || launch->process_id <= 0)
        return true;
    pid_t got;
    do
        got = waitpid(launch->process_id, &launch->status, options);
    while (got < 0 && errno == EINTR);
    launch->ended = got != 0;
    return launch->ended;
}

bool launch_release(struct launch *launch, struct error *error) {
    int number = 0;
    ssize_t got = -1;
    bool let_go = write(launch->gate, "", 1) == 1;
    close_pipe(&launch->gate);
    /* The end of the report comes when exec closes the other end of the pipe. */
    do
        got = read(launch->report, &number, sizeof number);
    while (got < 0 && errno == EINTR);
    close_pipe(&launch->report);
    if (let_go && got == 0 && !launch->ended)
        return true;
    reap(launch, 0);
    if (got != (ssize_t)sizeof number)
        return error_set(error, ERROR_SAMPLE, "%s was ended before it could start",
                         launch->program);
    return error_set(error, ERROR_SAMPLE, "cannot start %s: %s", launch->program,
                     number == ENOENT ? "no such program" : strerror(number));
}

bool launch_has_ended(struct launch *launch) {
    return reap(launch, WNOHANG);
}

bool launch_ends_within(struct launch *launch, int milliseconds) {
    while (!launch_has_ended(launch) && milliseconds-- > 0)
        usleep(1000);
    return launch->ended;
}

void launch_end(struct launch *launch, int grace_milliseconds) {
    enum { STEP = 10 };
    /* One that still waits to be let go ends when its gate closes. */
    close_pipe(&launch->gate);
    close_pipe(&launch->report);
    if (reap(launch, WNOHANG))
        return;
    kill(launch->process_id, SIGTERM);
    for (int waited = 0; waited < grace_milliseconds; waited += STEP) {
        if (reap(launch, WNOHANG))
            return;
        nanosleep(&(struct timespec){.tv_nsec = STEP * 1000000L}, NULL);
    }
    if (reap(launch, WNOHANG))
        return;
    kill(launch->process_id, SIGKILL);
    reap(launch, 0);
}
