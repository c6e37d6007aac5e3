// SPDX-License-Identifier: MIT
#include "profiler/command/record_fallback.h"

#include <poll.h>
#include <stdio.h>

#include "fold/model/profile_merge.h"
#include "profiler/command/input.h"
#include "profiler/live/counters.h"
#include "profiler/live/v8_profiler.h"

enum {
    LOOK_MILLISECONDS = 50, /* between two looks whether the program has ended */
    GRACE_MILLISECONDS = 10000,
    NANOSECONDS_PER_MILLISECOND = 1000000,
};

/* Waits for the end of the program, the duration or a signal. */
static void wait_for_end(const struct record_fallback_options *options, struct launch *launch) {
    uint64_t start = counters_clock();
    struct pollfd signals = {.fd = options->signals, .events = POLLIN};
    while (!launch_has_ended(launch)) {
        uint64_t elapsed = (counters_clock() - start) / NANOSECONDS_PER_MILLISECOND;
        if (options->duration_ms && elapsed >= options->duration_ms)
            return;
        if (poll(&signals, 1, LOOK_MILLISECONDS) > 0)
            return;
    }
}

/* The profiles of all threads as one. */
static struct profile *read_profiles(const struct v8_profiler *profiler, struct error *error) {
    struct profile *all = profile_new();
    all->keep_times = true;
    for (size_t i = 0; i < profiler->profile_count; i++) {
        struct profile *one = profile_new();
        struct input_options options = {.symbols = SYMBOLS_NONE, .keep_times = true, .quiet = true};
        if (input_load(one, profiler->profiles[i], &options, error))
            profile_merge(all, one, (struct frame_id){0});
        profile_free(one);
    }
    if (!profile_is_empty(all))
        return all;
    profile_free(all);
    if (error->kind == ERROR_NONE)
        error_set(error, ERROR_SAMPLE,
                  "V8's own profiler left no profile: the program is no node, ended by a signal, "
                  "or did not end in time");
    error->kind = ERROR_SAMPLE;
    return NULL;
}

struct profile *record_fallback_run(const struct record_fallback_options *options,
                                    struct launch *launch, struct error *error) {
    struct v8_profiler profiler = {0};
    struct profile *profile = NULL;
    if (v8_profiler_prepare(&profiler, 1000000 / options->frequency, error) &&
        launch_prepare(launch, options->arguments, (const char *const *)profiler.environment,
                       error) &&
        launch_release(launch, error)) {
        wait_for_end(options, launch);
        launch_end(launch, GRACE_MILLISECONDS);
        v8_profiler_collect(&profiler);
        profile = read_profiles(&profiler, error);
    }
    if (profile) {
        profile->format = "tickflame";
        profile->sampling =
            (struct profile_sampling){.route = "cpu-prof", .asked_hz = options->frequency};
    }
    v8_profiler_remove(&profiler);
    return profile;
}
