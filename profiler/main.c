// SPDX-License-Identifier: MIT
//
// tickflame: the front door, and the map of the source.
//
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "profiler/command/command.h"

static const struct command *const commands[] = {
    &report_command, &fold_command, &flame_command, &help_command, NULL,
};

/*
 * Fills the places of standard descriptors that were closed, so that no file opened later lands on
 * one of them. The wrong direction makes their use an error, as it should be.
 */
static void guard_standard_descriptors(void) {
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        if (fcntl(descriptor, F_GETFD) >= 0)
            continue;
        int flags = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (open("/dev/null", flags) != descriptor)
            _exit(STATUS_OUTPUT);
    }
}

int main(int count, char **arguments) {
    guard_standard_descriptors();
    /* A closed pipe is then an error of write(), which ends the program silently. */
    signal(SIGPIPE, SIG_IGN);
    return command_line_run(commands, count, arguments);
}
