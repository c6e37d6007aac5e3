// SPDX-License-Identifier: MIT
/* `tickflame record`: samples living processes, or one that it starts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "fold/base/memory.h"
#include "fold/tally/thread_roles.h"
#include "profiler/command/chosen_symbols.h"
#include "profiler/command/command.h"
#include "profiler/command/live_verdict.h"
#include "profiler/command/record_fallback.h"
#include "profiler/command/record_options.h"
#include "profiler/command/record_result.h"
#include "profiler/command/record_session.h"
#include "profiler/command/record_signals.h"
#include "profiler/command/record_target.h"
#include "profiler/live/counters.h"
#include "profiler/unwind/architecture.h"
#include "profiler/unwind/unwinder.h"

#define MILLISECOND 1000000u
#define SECOND      1000000000u

enum {
    PRIORITY = -10, /* see setpriority(2) */
    POLL_MILLISECONDS = 200,
    GRACE_MILLISECONDS = 5000, /* for the end of a program that was started here */
    ENDING_MILLISECONDS = 500, /* from the end of its threads to its own */
    LOADING_MILLISECONDS = 50, /* between two looks whether it runs its program */
    /* Copied of stacks: what native code takes above JavaScript, as a rule. What is missing is read
     * from the process. */
    STACK_BYTES = 16 * 1024,
    STACK_BYTES_DWARF = 32 * 1024,
};

/* One run of the command. All zero, but for the descriptor in `signals`, is nothing. */
struct run {
    const struct record_options *options;
    const struct operands *operands;
    char **arguments; /* of the program to start; ends with NULL */
    struct record_targets targets;
    struct launch launch;
    struct record_signals signals;
    bool targets_ended;   /* all that was sampled */
    bool ended_by_itself; /* the program that was started */
    enum result_kind kind;
    char path[4096]; /* of the result */
    struct chosen_symbols symbols;
    struct sampler *sampler;
    struct record_session *session;
};

/* Chooses the result's name and looks whether it can be made, before any time is spent. */
static bool choose_path(struct run *run, struct error *error) {
    const char *given = run->options->shared.output;
    pid_t process = run->launch.process_id ? run->launch.process_id : run->targets.items[0];
    int size = given ? snprintf(run->path, sizeof run->path, "%s", given)
                     : snprintf(run->path, sizeof run->path, "tickflame-%d.tickflame.gz", process);
    if (size >= (int)sizeof run->path)
        return error_set(error, ERROR_USAGE, "-o: the name is too long");
    return result_kind_of(run->path, &run->kind, error) &&
           result_path_is_free(run->path, run->options->force, error);
}

/* The architecture of this machine; NULL: one that is not known. */
static const struct architecture *architecture_here(void) {
    struct utsname names;
    return uname(&names) == 0 ? architecture_of_name(text_of(names.machine)) : NULL;
}

/* Bytes of the stack that each sample copies. */
static uint32_t stack_bytes(const struct record_options *options) {
    const struct architecture *here = architecture_here();
    if (options->call_graph == RECORD_CALL_GRAPH_FP || !here || !unwinder_is_for(here->elf_machine))
        return 0;
    return options->call_graph == RECORD_CALL_GRAPH_DWARF ? STACK_BYTES_DWARF : STACK_BYTES;
}

static bool open_sampler(struct run *run, struct error *error) {
    const struct record_options *options = run->options;
    pid_t launched = run->launch.process_id;
    struct sampler_options sampler = {
        .processes = launched ? &launched : run->targets.items,
        .process_count = launched ? 1 : run->targets.count,
        .enable_on_exec = launched != 0,
        .frequency = options->frequency,
        .event = (enum sampler_event)options->event,
        .kernel = (enum sampler_kernel)options->kernel,
        .children = options->children || launched,
        .main_thread_only = options->main_thread_only,
        .stack_bytes = stack_bytes(options),
        .stack_registers = stack_bytes(options) ? architecture_here()->general_registers : 0,
        .machine = architecture_here() ? architecture_here()->elf_machine : 0,
        .off_cpu = options->off_cpu,
        .ring_bytes = options->ring_kilobytes << 10,
    };
    run->sampler = sampler_open(&sampler, error);
    return run->sampler != NULL;
}

static bool open_session(struct run *run, struct error *error) {
    const struct record_options *options = run->options;
    const struct shared_options *shared = &options->shared;
    const struct sampler_state *state = sampler_state(run->sampler);
    struct warnings warnings = {0};
    enum symbol_mode mode = shared->no_symbols ? SYMBOLS_NONE
                            : shared->symbols  ? SYMBOLS_FROM_ROWS
                                               : SYMBOLS_FROM_FILES;
    if (!chosen_symbols_open(&run->symbols, mode, shared->symbols, shared->target_root,
                             shared->apply_to, &warnings, error))
        return false;
    if (!shared->quiet)
        command_warn_all(NULL, &warnings);
    struct record_session_options session = {
        .names = {.source = run->symbols.source,
                  .maps = shared->maps.items,
                  .map_count = shared->maps.count,
                  .map_folder = shared->map_folder,
                  .target_root = shared->target_root,
                  .live = true,
                  .any_owner = shared->trust_maps,
                  .no_maps =
                      options->names == RECORD_NAMES_NONE || options->names == RECORD_NAMES_HEAP,
                  .no_symbols = shared->no_symbols},
        .path = run->kind == RESULT_RECORDING ? run->path : NULL,
        .recording = {.replace = options->force, .size_most = options->size_most_megabytes << 20},
        .route = state->route,
        .event = state->event,
        .frequency = state->frequency,
        .stacks = state->stack_bytes == 0                          ? STACKS_BY_FRAME_POINTERS
                  : options->call_graph == RECORD_CALL_GRAPH_DWARF ? STACKS_BY_TABLES
                                                                   : STACKS_REPAIRED,
        .names_from_heap =
            options->names == RECORD_NAMES_AUTO || options->names == RECORD_NAMES_HEAP,
        .off_cpu = options->off_cpu,
        .switch_stacks = state->switch_stacks,
        .processes = run->launch.process_id ? &run->launch.process_id : run->targets.items,
        .process_count = run->launch.process_id ? 1 : run->targets.count,
    };
    run->session = record_session_open(&session, error);
    if (!run->session)
        return false;
    record_targets_describe(&run->targets, run->operands, record_session_profile(run->session));
    return true;
}

/* What happens beside the samples, and when next. */
struct schedule {
    uint64_t start, end; /* end 0: not by time */
    uint64_t count, flush, look;
};

/* Milliseconds until the next thing is due. */
static int time_to_wait(const struct schedule *schedule, uint64_t now) {
    uint64_t next = schedule->flush < schedule->count ? schedule->flush : schedule->count;
    if (schedule->end && schedule->end < next)
        next = schedule->end;
    if (schedule->look < next)
        next = schedule->look;
    uint64_t wait = next > now ? (next - now) / MILLISECOND + 1 : 0;
    return wait < POLL_MILLISECONDS ? (int)wait : POLL_MILLISECONDS;
}

static void count_processes(struct run *run, uint64_t now) {
    pid_t processes[RECORD_PROCESSES_MAX];
    size_t count = sampler_list_processes(run->sampler, processes, RECORD_PROCESSES_MAX);
    record_session_watch(run->session, processes, count);
    record_session_count(run->session, now);
}

/* Reads memory and writes the file's next piece, as far as it is time. False: writing failed. */
static bool keep_schedule(struct run *run, struct schedule *schedule, struct error *error) {
    uint64_t now = counters_clock();
    schedule->look = record_session_look(run->session, now);
    if (now >= schedule->count) {
        /* A command has no samples, and is a copy of us, until it runs its program. */
        bool loaded = !run->launch.process_id || record_session_samples(run->session) > 0;
        if (loaded)
            count_processes(run, now);
        schedule->count =
            now + (loaded ? run->options->memory_interval_ms : LOADING_MILLISECONDS) * MILLISECOND;
    }
    if (now < schedule->flush)
        return true;
    schedule->flush = now + SECOND;
    record_session_part_waits(run->session, now);
    return record_session_flush(run->session, error);
}

/* Samples until the end. False: the file could not be written; what was sampled is there. */
static bool sample(struct run *run, struct error *error) {
    uint64_t now = counters_clock();
    struct schedule schedule = {.start = now, .count = now, .flush = now + SECOND};
    if (run->options->duration_ms)
        schedule.end = now + run->options->duration_ms * MILLISECOND;
    struct live_verdict verdict = live_verdict_start(now, run->options->shared.quiet);
    bool written = true;
    bool alive = true;
    while (alive && written && !(schedule.end && now >= schedule.end) &&
           !record_signals_came(&run->signals)) {
        record_session_refresh(run->session);
        alive = sampler_poll(run->sampler, time_to_wait(&schedule, now), run->signals.wake);
        record_session_settle(run->session, false);
        written = keep_schedule(run, &schedule, error);
        now = counters_clock();
        live_verdict_update(&verdict, record_session_profile(run->session), now - schedule.start,
                            now);
    }
    record_session_refresh(run->session);
    sampler_stop(run->sampler);
    record_session_settle(run->session, true);
    record_session_count(run->session, counters_clock());
    run->targets_ended = !alive;
    live_verdict_end(&verdict);
    return written;
}

/* The end of the command itself, as a shell would say it. */
static int launched_status(const struct launch *launch) {
    return WIFSIGNALED(launch->status) ? 128 + WTERMSIG(launch->status)
                                       : WEXITSTATUS(launch->status);
}

/* Why there is nothing. */
static int fail_without_samples(struct run *run, const struct profile *profile) {
    struct error error = {0};
    double seconds = (double)profile->duration_us / 1e6;
    if (run->ended_by_itself)
        error_set(&error, ERROR_SAMPLE, "no samples: '%s' ended after %.2f s (status %d)",
                  run->operands->items[0], seconds, launched_status(&run->launch));
    else
        error_set(&error, ERROR_SAMPLE,
                  "no samples in %.1f s: the process used no CPU time (it waited or has ended); "
                  "put it under load while it is recorded",
                  seconds);
    return command_fail(&error);
}

static void say_written(const struct run *run, uint64_t samples) {
    if (run->options->shared.quiet)
        return;
    fprintf(stderr, "tickflame: wrote %s (%llu samples)\n", run->path, (unsigned long long)samples);
    if (run->kind == RESULT_RECORDING)
        fprintf(stderr, "tickflame: its flame graph: tickflame flame %s -o flame.svg\n", run->path);
}

/* The result and the report of a complete profile; returns the exit status. */
static int show(struct run *run, struct profile *profile, uint64_t samples) {
    struct error error = {0};
    int status = STATUS_DONE;
    if (!run->options->shared.quiet)
        command_warn_all(NULL, &profile->warnings);
    thread_roles_decide(profile);
    status = result_print_report(profile, run->path, &run->options->shared);
    if (run->kind != RESULT_RECORDING || !run->session) {
        if (!result_write(profile, run->path, run->kind, run->options->force, &error))
            return command_fail(&error);
    }
    say_written(run, samples);
    return status;
}

/* Samples and shows what came of it; the sampler and the session are open. */
static int record(struct run *run) {
    struct error error = {0};
    struct profile *profile = record_session_profile(run->session);
    /* What is read late has changed: on a busy machine this program comes first, where it may. */
    setpriority(PRIO_PROCESS, 0, PRIORITY);
    if (!sampler_start(run->sampler, record_session_take, run->session, &error) ||
        (run->launch.process_id && !launch_release(&run->launch, &error))) {
        record_session_discard(run->session);
        return command_fail(&error);
    }
    record_session_begin(run->session);
    bool written = sample(run, &error);
    uint64_t end = counters_clock();
    if (run->launch.process_id) {
        run->ended_by_itself =
            launch_ends_within(&run->launch, run->targets_ended ? ENDING_MILLISECONDS : 0);
        launch_end(&run->launch, GRACE_MILLISECONDS);
    }
    const struct sampler_state *state = sampler_state(run->sampler);
    bool full = record_session_is_full(run->session);
    if (record_session_samples(run->session) == 0 && written) {
        record_session_discard(run->session);
        record_session_finish(run->session, state, end, &error);
        return fail_without_samples(run, profile);
    }
    struct error finish_error = {0};
    if (!record_session_finish(run->session, state, end, &finish_error) && written) {
        written = false;
        error = finish_error;
    }
    if (full) {
        written = true;
        warnings_add(&profile->warnings, "size-reached", 0,
                     "the recording ended early, at the size that --max-size allows");
    }
    int status = show(run, profile, record_session_samples(run->session));
    return written ? status : command_fail(&error);
}

/* V8's own profiler instead. `refusal` says why. */
static int record_without_kernel(struct run *run, const struct error *refusal) {
    struct error error = {0};
    launch_end(&run->launch, 0);
    run->launch = (struct launch){0};
    command_warn("%s", refusal->text);
    command_warn(
        "recording with V8's own profiler instead: JavaScript functions of the threads that "
        "end with the program or before, no native functions and no kernel");
    struct record_fallback_options options = {
        .arguments = run->arguments,
        .frequency = run->options->frequency,
        .duration_ms = run->options->duration_ms,
        .signals = run->signals.wake,
    };
    struct profile *profile = record_fallback_run(&options, &run->launch, &error);
    if (!profile)
        return command_fail(&error);
    profile->sampling.detail = profile_intern(profile, text_of(refusal->text));
    uint64_t samples = 0;
    for (size_t i = 0; i < profile->sample_count; i++)
        samples += profile->samples[i].count;
    int status = show(run, profile, samples);
    profile_free(profile);
    return status;
}

static int run_prepared(struct run *run) {
    struct error error = {0};
    if (!choose_path(run, &error))
        return command_fail(&error);
    record_signals_take(&run->signals, &run->launch);
    if (!open_sampler(run, &error))
        return run->launch.process_id ? record_without_kernel(run, &error) : command_fail(&error);
    if (!open_session(run, &error))
        return command_fail(&error);
    if (!run->options->shared.quiet) {
        record_targets_warn(&run->targets);
        if (run->options->event == SAMPLER_PAGE_FAULTS &&
            run->options->frequency != record_defaults.frequency)
            command_warn("-F has no effect with --event page-faults: a sample is one of 64 faults");
    }
    return record(run);
}

static void clean_up(struct run *run, bool names_asked) {
    if (run->launch.process_id && !run->launch.ended)
        launch_end(&run->launch, 0);
    if (names_asked && run->session)
        record_targets_remove_traces(record_session_profile(run->session));
    record_session_free(run->session);
    if (run->sampler)
        sampler_close(run->sampler);
    chosen_symbols_close(&run->symbols);
    record_signals_release(&run->signals);
    free(run->arguments);
}

static int run(const void *options_given, const struct operands *operands) {
    const struct record_options *options = options_given;
    struct run run = {.options = options, .operands = operands, .signals.wake = -1};
    struct error error = {0};
    if (!record_options_check(options, operands, &error))
        return command_fail(&error);
    if (operands->count == 0 && options->processes.count == 0 && !options->port)
        return record_targets_list();
    if (!record_targets_find(&run.targets, options, &error))
        return command_fail(&error);
    bool names_asked = false;
    if (operands->count > 0) {
        run.arguments = memory_allocate_zero(operands->count + 1, sizeof *run.arguments);
        for (size_t i = 0; i < operands->count; i++)
            run.arguments[i] = (char *)(uintptr_t)operands->items[i];
        struct buffer environment = {0};
        bool wanted = options->names == RECORD_NAMES_MAP ||
                      (options->names == RECORD_NAMES_AUTO && stack_bytes(options) == 0);
        names_asked = wanted && record_targets_ask_names(&environment);
        const char *const strings[] = {names_asked ? environment.data : NULL, NULL};
        bool prepared = launch_prepare(&run.launch, run.arguments, strings, &error);
        buffer_free(&environment);
        if (!prepared) {
            free(run.arguments);
            return command_fail(&error);
        }
    }
    bool usable = !names_asked || record_targets_map_is_free(run.launch.process_id, &error);
    int status = usable ? run_prepared(&run) : command_fail(&error);
    clean_up(&run, names_asked);
    return status == STATUS_DONE && options->exit_status ? launched_status(&run.launch) : status;
}

static const struct option_group *const groups[] = {
    &record_target_options, &record_sampling_options, &record_file_options, &symbol_options, NULL,
};

const struct command record_command = {
    .name = "record",
    .summary = "sample a running process, or one that it starts",
    .synopsis = "(-p PID | --port N | -- COMMAND ...) [options]",
    .description =
        "Samples the stacks of a process, all its threads and the kernel below them, while it "
        "runs; the process is not stopped, changed or restarted. Prints the report at the end and "
        "leaves a recording, readable by every command, even after a kill up to its last second. "
        "Ends after -d, when the target ends, or at Ctrl-C. Without a target it lists the Node "
        "processes that run here.\n\n"
        "JavaScript functions have names with any node from 18 to 26, started in any way: they are "
        "read from the memory of V8. Node needs no option, and opens no port.\n\n"
        "tickflame doctor says what sampling needs here, should it be refused.",
    .groups = groups,
    .options_size = sizeof record_defaults,
    .defaults = &record_defaults,
    .run = run,
};
