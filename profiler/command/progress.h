// SPDX-License-Identifier: MIT
/*
 * Progress of reading: one line on standard error that is rewritten while a large input is read and
 * erased at the end. By default only on a terminal, and only when reading takes longer than a
 * second.
 */
#ifndef TICKFLAME_PROFILER_COMMAND_PROGRESS_H
#define TICKFLAME_PROFILER_COMMAND_PROGRESS_H

#include <stdbool.h>
#include <time.h>

#include "fold/base/input.h"

enum progress_choice { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

struct progress {
    bool wanted;
    bool shown;
    struct timespec next; /* the line is written at this time or later */
};

/* Starts. `choice` is --progress; `quiet` turns the default off. */
struct progress progress_start(enum progress_choice choice, bool quiet);

/* A piece of `input` was read: writes the line when it is time. */
void progress_update(struct progress *progress, const struct input *input);

/* Erases the line. */
void progress_end(struct progress *progress);

#endif
