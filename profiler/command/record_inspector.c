// SPDX-License-Identifier: MIT
#include "profiler/command/record_inspector.h"

#include <poll.h>
#include <signal.h>

#include "fold/read/cpuprofile.h"
#include "profiler/live/counters.h"
#include "profiler/live/inspector.h"

enum { LOOK_MILLISECONDS = 100, NANOSECONDS_PER_MILLISECOND = 1000000 };

/* Waits for the duration, a signal or the end of the process. */
static void wait_for_end(const struct record_inspector_options *options) {
    uint64_t start = counters_clock();
    struct pollfd signals = {.fd = options->signals, .events = POLLIN};
    for (;;) {
        uint64_t elapsed = (counters_clock() - start) / NANOSECONDS_PER_MILLISECOND;
        uint64_t left = options->duration_ms > elapsed ? options->duration_ms - elapsed : 0;
        if ((options->duration_ms && left == 0) || kill(options->process_id, 0) != 0)
            return;
        int wait = options->duration_ms && left < LOOK_MILLISECONDS ? (int)left : LOOK_MILLISECONDS;
        if (poll(&signals, 1, wait) > 0)
            return;
    }
}

static struct profile *read_profile(struct text text, struct error *error) {
    struct profile *profile = profile_new();
    profile->keep_times = true;
    void *parser = cpuprofile_reader.open(profile, NULL);
    bool read =
        cpuprofile_reader.feed(parser, text, error) && cpuprofile_reader.finish(parser, error);
    cpuprofile_reader.close(parser);
    if (read)
        return profile;
    profile_free(profile);
    return NULL;
}

struct profile *record_inspector_run(const struct record_inspector_options *options,
                                     struct error *error) {
    struct inspector *inspector = inspector_open(options->process_id, error);
    struct buffer text = {0};
    struct profile *profile = NULL;
    if (inspector && inspector_start(inspector, 1000000 / options->frequency, error)) {
        wait_for_end(options);
        if (inspector_stop(inspector, &text, error))
            profile = read_profile(buffer_text(&text), error);
    }
    inspector_close(inspector);
    buffer_free(&text);
    if (profile) {
        profile->format = "tickflame";
        profile->sampling =
            (struct profile_sampling){.route = "inspector", .asked_hz = options->frequency};
        profile->sampling.detail = profile_intern(
            profile, TEXT("V8's own profiler took the samples, asked through Node's inspector, "
                          "which was closed again: of the main thread only, without native "
                          "functions and kernel."));
    }
    return profile;
}
