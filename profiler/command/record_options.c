// SPDX-License-Identifier: MIT
#include "profiler/command/record_options.h"

#include <limits.h>

#include "fold/base/number.h"
#include "profiler/live/sampler.h"

enum {
    FREQUENCY_DEFAULT = 99,
    FREQUENCY_MAX = 100000,
    MEMORY_INTERVAL_DEFAULT = 1000,
    MEMORY_INTERVAL_LEAST = 10,
    RING_KILOBYTES_MAX = 1024 * 1024,
};

const struct record_options record_defaults = {
    .frequency = FREQUENCY_DEFAULT,
    .memory_interval_ms = MEMORY_INTERVAL_DEFAULT,
};

static bool parse_process(void *member, const char *value, struct error *error) {
    struct process_list *list = member;
    uint64_t number;
    if (!number_parse_decimal(text_of(value), &number) || number == 0 || number > INT_MAX)
        return error_set(error, ERROR_USAGE, "-p takes the id of a process, not '%s'", value);
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == (pid_t)number)
            return true;
    if (list->count == RECORD_PROCESSES_MAX)
        return error_set(error, ERROR_USAGE, "-p can be given at most %d times",
                         RECORD_PROCESSES_MAX);
    list->items[list->count++] = (pid_t)number;
    return true;
}

static bool parse_duration(void *member, const char *value, struct error *error) {
    struct text number = text_of(value);
    uint64_t microseconds;
    if (text_ends_with(number, TEXT("s")))
        number.size--;
    if (!seconds_parse(number, &microseconds) || microseconds == 0)
        return error_set(error, ERROR_USAGE, "-d takes seconds (10, 2.5), not '%s'", value);
    *(uint64_t *)member = microseconds < 1000 ? 1 : microseconds / 1000;
    return true;
}

static bool parse_port(void *member, const char *value, struct error *error) {
    uint64_t *port = member;
    if (number_parse_decimal(text_of(value), port) && *port > 0 && *port <= UINT16_MAX)
        return true;
    return error_set(error, ERROR_USAGE, "--port takes a TCP port (1 to 65535), not '%s'", value);
}

#define MEMBER(name) .offset = offsetof(struct record_options, name)

static const struct option target_rows[] = {
    {.spellings = "-p --pid",
     .value = "PID",
     .type = OPTION_PARSED,
     MEMBER(processes),
     .parse = parse_process,
     .help = "Sample this process; may be given several times."},
    {.spellings = "--port",
     .value = "N",
     .type = OPTION_PARSED,
     MEMBER(port),
     .parse = parse_port,
     .help = "Sample the process that listens on this TCP port: of a cluster the primary, so give "
             "--children too."},
    {.spellings = "--children",
     .type = OPTION_FLAG,
     MEMBER(children),
     .help = "Sample the processes that a target has started and starts later too, such as the "
             "workers of a cluster. For a command that is started here they always are."},
    {.spellings = "--main-thread",
     .type = OPTION_FLAG,
     MEMBER(main_thread_only),
     .help = "Sample only the main thread of each process."},
    {.spellings = "--all-threads",
     .type = OPTION_FLAG,
     MEMBER(all_threads),
     .help = "Sample all threads (the default)."},
};

static const struct option sampling_rows[] = {
    {.spellings = "-F --frequency",
     .value = "HZ",
     .type = OPTION_COUNT,
     MEMBER(frequency),
     .help = "Samples a second of a running thread; 99 otherwise."},
    {.spellings = "-d --duration",
     .value = "SECONDS",
     .type = OPTION_PARSED,
     MEMBER(duration_ms),
     .parse = parse_duration,
     .help = "End after this time; otherwise when the target ends, or at Ctrl-C."},
    {.spellings = "--event",
     .value = "cpu-clock|cycles|page-faults",
     .type = OPTION_CHOICE,
     MEMBER(event),
     .help = "What is sampled: CPU time (the default), cycles of the processor where it can count "
             "them, or page faults (one of 64, whatever -F says)."},
    {.spellings = "--call-graph",
     .value = "auto|fp|dwarf",
     .type = OPTION_CHOICE,
     MEMBER(call_graph),
     .help = "How the callers of a function are found: by frame pointers (fp), which the kernel "
             "follows at the least cost and which end in code built without them; by the "
             "unwinding tables of the binaries wherever there are some (dwarf); or by frame "
             "pointers with the tables where they are needed (auto, the default)."},
    {.spellings = "--off-cpu",
     .type = OPTION_FLAG,
     MEMBER(off_cpu),
     .help = "Record too how long threads wait and where: for a disk, a child process, a lock. "
             "Without it a call that waits, such as execSync, is not seen. With --event cpu-clock "
             "only."},
    {.spellings = "--inspector",
     .type = OPTION_FLAG,
     MEMBER(inspector),
     .help =
         "Record the main thread with V8's own profiler, through Node's inspector, which SIGUSR1 "
         "opens on the loopback interface and which is closed again: for processes whose memory "
         "may not be read. Needs no rights but those of the process's user; node says so on its "
         "standard error."},
    {.spellings = "--names",
     .value = "auto|heap|map|none",
     .type = OPTION_CHOICE,
     MEMBER(names),
     .help = "Where names of JavaScript functions come from: V8's heap, which is read while the "
             "process runs, or the perf map that a node started with --perf-basic-prof writes (a "
             "command that is started here gets that option with map). auto: the heap, compared "
             "with a perf map where there is one; the map where the heap cannot be read."},
    {.spellings = "--kernel",
     .value = "auto|yes|no",
     .type = OPTION_CHOICE,
     MEMBER(kernel),
     .help = "Frames in the kernel: where they are allowed (the default), as a must, or never."},
    {.spellings = "--memory-interval",
     .value = "MS",
     .type = OPTION_COUNT,
     MEMBER(memory_interval_ms),
     .help = "Read the resident memory once in so many milliseconds; 1000 otherwise."},
    {.spellings = "--ring-size",
     .value = "KB",
     .type = OPTION_COUNT,
     MEMBER(ring_kilobytes),
     .help = "Size of each buffer that the kernel writes samples to; 1024 otherwise. Larger ones "
             "lose nothing at higher rates."},
};

static const struct option file_rows[] = {
    {.spellings = "-o --output",
     .value = "FILE",
     .type = OPTION_TEXT,
     MEMBER(shared.output),
     .help = "Write to FILE: a recording (.tickflame.gz), folded stacks (.folded) or a flame "
             "graph (.svg); tickflame-PID.tickflame.gz otherwise."},
    {.spellings = "--force",
     .type = OPTION_FLAG,
     MEMBER(force),
     .help = "Replace FILE if it exists."},
    {.spellings = "--max-size",
     .value = "MB",
     .type = OPTION_COUNT,
     MEMBER(size_most_megabytes),
     .help = "End when the recording is as large as this."},
    {.spellings = "--exit-status",
     .type = OPTION_FLAG,
     MEMBER(exit_status),
     .help = "End with the exit status of the command that was started here."},
    {.spellings = "--quiet",
     .type = OPTION_FLAG,
     MEMBER(shared.quiet),
     .help = "Print no warnings and no verdict while recording."},
    {.spellings = "--color",
     .value = "auto|always|never",
     .type = OPTION_CHOICE,
     MEMBER(shared.color),
     .help = "Colours in the report: on a terminal only (the default), always, or never."},
};

#define GROUP(title, rows)                                                                         \
    { title, rows, sizeof(rows) / sizeof *(rows) }

const struct option_group record_target_options = GROUP("What is sampled", target_rows);
const struct option_group record_sampling_options = GROUP("How", sampling_rows);
const struct option_group record_file_options = GROUP("Output", file_rows);

bool record_options_check(const struct record_options *options, const struct operands *operands,
                          struct error *error) {
    bool attach = options->processes.count > 0 || options->port;
    if (operands->count > 0 && (!operands->dashes || operands->before_dashes > 0))
        return error_set(error, ERROR_USAGE,
                         "'%s': a command to start goes behind --, as in: tickflame record -- "
                         "node app.js",
                         operands->items[0]);
    if (operands->dashes && operands->count == 0)
        return error_set(error, ERROR_USAGE, "no command behind --");
    if (operands->count > 0 && attach)
        return error_set(error, ERROR_USAGE,
                         "give either a process (-p, --port) or a command to start, not both");
    if (options->main_thread_only && options->all_threads)
        return error_set(error, ERROR_USAGE, "give either --main-thread or --all-threads");
    if (options->frequency == 0 || options->frequency > FREQUENCY_MAX)
        return error_set(error, ERROR_USAGE, "-F takes 1 to %d samples a second, not %llu",
                         FREQUENCY_MAX, (unsigned long long)options->frequency);
    if (options->memory_interval_ms < MEMORY_INTERVAL_LEAST)
        return error_set(error, ERROR_USAGE, "--memory-interval takes at least %d milliseconds",
                         MEMORY_INTERVAL_LEAST);
    if (options->ring_kilobytes > RING_KILOBYTES_MAX)
        return error_set(error, ERROR_USAGE, "--ring-size takes at most %d KB", RING_KILOBYTES_MAX);
    if (options->off_cpu && options->event != SAMPLER_CPU_CLOCK)
        return error_set(error, ERROR_USAGE,
                         "--off-cpu measures time, which goes with --event cpu-clock only");
    if (options->inspector && (operands->count > 0 || options->processes.count > 1))
        return error_set(error, ERROR_USAGE, "--inspector takes one process (-p or --port)");
    if (options->exit_status && operands->count == 0)
        return error_set(error, ERROR_USAGE, "--exit-status needs a command behind --");
    if (options->size_most_megabytes > UINT64_MAX >> 20)
        return error_set(error, ERROR_USAGE, "--max-size is too large");
    return true;
}
