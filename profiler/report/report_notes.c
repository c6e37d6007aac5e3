// SPDX-License-Identifier: MIT
/* What the reader of a report should know about its limits, each with what would help. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fold/base/utf8.h"
#include "profiler/report/report_parts.h"
#include "profiler/report/verdict.h"

/* Shares below these are not worth a sentence. */
static const double unnamed_share_least = 0.01;
static const double cut_share_least = 0.01;
static const double complete_share_usual = 0.95;
static const double lost_share_much = 0.01;

__attribute__((format(printf, 3, 4))) static void add_note(struct report *report, const char *kind,
                                                           const char *format, ...) {
    if (report->note_count == REPORT_NOTES_MAX)
        return;
    struct report_note *note = &report->notes[report->note_count++];
    note->kind = kind;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(note->text, sizeof note->text, format, arguments);
    va_end(arguments);
}

/* Names the options that chose samples: whoever is shown the report did not type them. */
static void add_filter_note(struct report *report) {
    const struct view *view = &report->tree->view;
    const struct {
        const char *option;
        bool given;
    } filters[] = {
        {"--thread", view->thread},       {"--time", view->time_from_us || view->time_to_us},
        {"--category", view->categories}, {"--focus", view->focus},
        {"--ignore", view->ignore},
    };
    struct buffer names = {0};
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
        if (filters[i].given)
            buffer_append_format(&names, "%s%s", names.size ? ", " : "", filters[i].option);
    if (names.size)
        add_note(report, "filtered",
                 "Only part of the recording is counted (%.*s): shares are of that part.",
                 (int)names.size, names.data);
    buffer_free(&names);
}

static bool is_route(const struct profile *profile, const char *route) {
    return profile->sampling.route && strcmp(profile->sampling.route, route) == 0;
}

/* What the sampler missed. */
static void add_sampling_notes(struct report *report) {
    const struct profile *profile = report->profile;
    const struct profile_sampling *sampling = &profile->sampling;
    if (sampling->detail.index) {
        struct buffer detail = {0};
        utf8_append_visible(&detail, profile_text(profile, sampling->detail));
        add_note(report, "sampler", "%.*s", (int)detail.size, detail.data);
        buffer_free(&detail);
    }
    if (sampling->lost) {
        double taken = (double)sampling->lost + report->samples_in_all;
        double share = (double)sampling->lost / taken;
        add_note(report, "lost-samples",
                 "%llu of %.0f samples (%.1f %%) were lost, because the kernel's buffer was "
                 "full.%s",
                 (unsigned long long)sampling->lost, taken, 100 * share,
                 share > lost_share_much
                     ? " Record with a bigger --ring-size, or fewer samples a second (-F)."
                     : "");
    }
    if (sampling->throttled)
        add_note(report, "throttled",
                 "The kernel lowered the sampling rate %llu times, because sampling took too much "
                 "time: record with fewer samples a second (-F).",
                 (unsigned long long)sampling->throttled);
    if (sampling->kernel_hidden)
        add_note(report, "kernel-hidden",
                 "Frames in the kernel could not be recorded: time there counts for the functions "
                 "that called it. Record as root or with CAP_PERFMON, or first: sysctl "
                 "kernel.perf_event_paranoid=1");
}

/* Stacks that lack their outer part. */
static void add_stack_notes(struct report *report) {
    const struct profile *profile = report->profile;
    const struct complete_stacks *complete = &report->complete;
    if (complete->share >= 0 && complete->share < complete_share_usual) {
        const char *call_graph = profile->sampling.call_graph;
        bool by_frames = call_graph && strcmp(call_graph, "fp") == 0;
        struct buffer library = {0};
        utf8_append_visible(&library, complete->worst);
        add_note(report, "cut-stacks",
                 "%.0f %% of the stacks are cut: who called is not known, so totals of callers are "
                 "too small. %.0f %% of them end in %.*s, which %s.",
                 100 * (1 - complete->share), 100 * complete->worst_share,
                 library.size ? (int)library.size : 19,
                 library.size ? library.data : "compiled JavaScript",
                 by_frames ? "keeps no frame pointers; --call-graph auto of record needs none"
                           : "keeps no frame pointers and has no unwind data");
        buffer_free(&library);
    }
    double all = report->samples_in_all;
    if (all <= 0)
        return;
    double truncated = (double)profile->sampling.truncated / all;
    if (truncated >= cut_share_least)
        add_note(report, "truncated-stacks",
                 "%.0f %% of the stacks reached the limit of %llu frames and lack their outer "
                 "part; sysctl kernel.perf_event_max_stack raises it for a new recording.",
                 100 * truncated, (unsigned long long)profile->stack_limit);
}

/* Functions of JavaScript whose names a sampler from outside cannot see. */
static void add_naming_notes(struct report *report) {
    const struct naming *naming = &report->tree->naming;
    double unknown = weight_share(naming->unknown, naming->javascript);
    double interpreted = weight_share(naming->interpreted, naming->javascript);
    if (unknown >= unnamed_share_least)
        add_note(report, "js-unknown",
                 "%.0f %% of the time below JavaScript is below a function without a name ([js "
                 "unknown]): V8 wrote no perf map for it. Start node with --perf-basic-prof; "
                 "NODE_OPTIONS accepts it too.",
                 100 * unknown);
    if (interpreted >= unnamed_share_least)
        add_note(report, "js-interpreted",
                 "%.0f %% of the time below JavaScript is below an interpreted function without a "
                 "name (InterpreterEntryTrampoline); node's --interpreted-frames-native-stack "
                 "names them.",
                 100 * interpreted);
}

void report_add_notes(struct report *report) {
    const struct profile *profile = report->profile;
    if (weight_is_zero(report->tree->busy))
        return;
    add_filter_note(report);
    if (report->busy_samples < VERDICT_SAMPLES_LEAST)
        add_note(report, "few-samples",
                 "%.0f busy samples are few: shares are rough. Record for longer, or under load.",
                 report->busy_samples);
    add_naming_notes(report);
    add_sampling_notes(report);
    add_stack_notes(report);
    if (profile->isolate_only && (is_route(profile, "cpu-prof") || is_route(profile, "inspector")))
        add_note(report, "isolate-only",
                 "V8's own profiler saw only threads that run JavaScript: work on others (the "
                 "libuv pool: file reads, DNS, crypto and zlib without Sync; V8's helpers) is not "
                 "in this profile.");
    else if (profile->isolate_only)
        add_note(report, "isolate-only",
                 "Work on other threads (the libuv pool: file reads, DNS, crypto and zlib without "
                 "Sync; V8's helpers) is not in %s.",
                 profile->format && strcmp(profile->format, "cpuprofile") == 0 ? "a CPU profile"
                                                                               : "an isolate log");
    if (profile->waiting_is_missing)
        add_note(report, "waiting-missing",
                 "Time spent waiting is not in this profile: how long execSync, spawnSync, "
                 "Atomics.wait, fsync or a read from a slow disk hold the event loop cannot be "
                 "seen%s.",
                 profile->native_stacks ? " without record's --off-cpu" : "");
    if (profile->waits_guessed)
        add_note(report, "waits-guessed",
                 "Stacks of waits are those of the last sample before them, because recording "
                 "where a thread waits needs rights in the kernel: record as root or with "
                 "CAP_PERFMON, or first: sysctl kernel.perf_event_paranoid=1");
}
