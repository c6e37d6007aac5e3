// SPDX-License-Identifier: MIT
#include "profiler/command/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fold/base/utf8.h"

enum { STEP_NANOSECONDS = 100 * 1000 * 1000, NAME_COLUMNS = 50 };

static struct timespec now(void) {
    struct timespec time = {0};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time;
}

struct progress progress_start(enum progress_choice choice, bool quiet) {
    const char *terminal = getenv("TERM");
    bool can_rewrite = isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
    struct progress progress = {.next = now()};
    progress.wanted =
        choice == PROGRESS_ALWAYS || (choice == PROGRESS_AUTO && can_rewrite && !quiet);
    if (choice == PROGRESS_AUTO)
        progress.next.tv_sec++;
    return progress;
}

void progress_update(struct progress *progress, const struct input *input) {
    if (!progress->wanted)
        return;
    struct timespec time = now();
    if (time.tv_sec < progress->next.tv_sec ||
        (time.tv_sec == progress->next.tv_sec && time.tv_nsec < progress->next.tv_nsec))
        return;
    progress->next = time;
    progress->next.tv_nsec += STEP_NANOSECONDS;
    if (progress->next.tv_nsec >= 1000000000) {
        progress->next.tv_nsec -= 1000000000;
        progress->next.tv_sec++;
    }
    const char *path = input_path(input);
    struct buffer name = {0};
    utf8_append_visible(&name, text_of(strcmp(path, "-") == 0 ? "standard input" : path));
    struct text shown = utf8_cut_columns(buffer_text(&name), NAME_COLUMNS);
    uint64_t size = input_file_size(input), offset = input_offset(input);
    /* Of a compressed input one does not know how much is still to come. */
    if (size > 0 && !input_is_compressed(input))
        fprintf(stderr, "\r\033[Kreading %.*s: %.0f %%", (int)shown.size, shown.data,
                (double)offset * 100 / (double)(offset > size ? offset : size));
    else
        fprintf(stderr, "\r\033[Kreading %.*s: %.0f MB", (int)shown.size, shown.data,
                (double)offset / 1e6);
    fflush(stderr);
    buffer_free(&name);
    progress->shown = true;
}

void progress_end(struct progress *progress) {
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}
