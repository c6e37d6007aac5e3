// SPDX-License-Identifier: MIT
#include "profiler/command/record_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "profiler/command/record_loops.h"
#include "profiler/command/record_rate.h"
#include "profiler/command/record_scripts.h"
#include "profiler/command/record_waits.h"
#include "profiler/live/counters.h"
#include "profiler/live/proc_file.h"
#include "profiler/live/sleeping_stack.h"
#include "profiler/live/target.h"
#include "profiler/live/throttling.h"
#include "profiler/trace/perf_machine.h"
#include "profiler/unwind/architecture.h"
#include "profiler/unwind/unwinder.h"

enum {
    LOOK_NANOSECONDS = 10000000,
    SLEEPER_NANOSECONDS = 10000000, /* a thread that waits for as long is looked at */
    PART_NANOSECONDS = 1000000000,  /* waits that go on for as long come in parts */
};

struct record_session {
    struct profile *profile;
    struct native_names *names;
    struct unwinder *unwinder; /* NULL: none */
    struct perf_machine *machine;
    struct recording *recording; /* NULL: none */
    struct record_loops *loops;
    struct record_waits *waits;
    struct record_scripts *scripts; /* NULL: none */
    struct record_rate *rate;
    bool sleepers_wanted; /* the kernel does not tell the stacks of waits */
    uint64_t sleepers_read;
    uint64_t guesses; /* waits whose stack is a guess that was taken */
    struct throttling throttling;
    bool throttled_seen;
    uint64_t throttled, throttled_first; /* microseconds: at the last look, at the first one */
    struct machine_sample *pending;
    size_t pending_count, pending_capacity;
    uint64_t file_size;
    uint64_t start; /* nanoseconds: the zero of the recording's times; 0 = not yet known */
    uint64_t samples;
    pid_t *processes;
    size_t process_count;
};

static const char *event_name(enum sampler_event event) {
    static const char *const names[] = {"cpu-clock", "cycles", "page-faults"};
    return names[event];
}

/* The machine number of this processor; 0 = one that is not known. */
static uint32_t elf_machine_here(void) {
    struct utsname names;
    const struct architecture *here =
        uname(&names) == 0 ? architecture_of_name(text_of(names.machine)) : NULL;
    return here ? here->elf_machine : 0;
}

static void take_sample(void *context, const struct machine_sample *sample) {
    struct record_session *session = context;
    MEMORY_RESERVE(session->pending, session->pending_capacity, session->pending_count + 1);
    session->pending[session->pending_count++] = *sample;
}

/* Microseconds since the start. */
static uint64_t time_of(const struct record_session *session, uint64_t nanoseconds) {
    return nanoseconds > session->start ? (nanoseconds - session->start) / 1000 : 0;
}

static void take_turn(void *context, pid_t process_id, const struct loop_turn *turn) {
    struct record_session *session = context;
    profile_add_turn(session->profile, (struct profile_turn){
                                           .start = time_of(session, turn->start),
                                           .end = time_of(session, turn->end),
                                           .error = turn->error / 1000,
                                           .process_id = (uint64_t)process_id,
                                           .startup = turn->startup,
                                       });
}

/* A sample that is complete. */
static void add_sample(void *context, const struct sample *sample) {
    struct record_session *session = context;
    session->samples++;
    if (session->recording)
        recording_write_sample(session->recording, sample);
    profile_add_sample(session->profile, *sample);
}

/* A machine_still_waits: the kernel tells where a thread sleeps. */
static bool still_waits(void *context, const struct perf_record *record, uint64_t stack_pointer) {
    struct buffer line = {0};
    int64_t call;
    uint64_t stack = 0, instruction;
    (void)context;
    bool waits =
        proc_read(&line, "/proc/%u/task/%u/syscall", record->process_id, record->thread_id) &&
        sleeping_stack_parse(buffer_text(&line), &call, &stack, &instruction) &&
        stack == stack_pointer;
    buffer_free(&line);
    return waits;
}

struct record_session *record_session_open(const struct record_session_options *options,
                                           struct error *error) {
    struct record_session *session = memory_allocate_zero(1, sizeof *session);
    struct profile *profile = profile_new();
    session->profile = profile;
    profile->format = "tickflame";
    profile->native_stacks = true;
    profile->has_times = true;
    profile->has_waits = options->off_cpu;
    profile->waiting_is_missing = options->event != SAMPLER_PAGE_FAULTS && !options->off_cpu;
    profile->unit = options->event == SAMPLER_CPU_CLOCK ? UNIT_NANOSECONDS : UNIT_COUNT;
    profile->sampling.route = options->route == SAMPLER_PTRACE ? "ptrace" : "perf_event";
    profile->sampling.asked_hz = options->frequency;
    profile->sampling.names =
        options->names_from_heap && options->stacks != STACKS_BY_FRAME_POINTERS ? "heap"
        : options->names.no_maps                                                ? "none"
                                                                                : "map";
    profile->interval_us = options->event == SAMPLER_CPU_CLOCK ? 1000000 / options->frequency : 0;
    profile_add_event(profile, text_of(event_name(options->event)), profile->unit);
    session->names = native_names_open(profile, &options->names);
    native_names_prepare(session->names);
    static const char *const call_graphs[] = {"fp", "auto", "dwarf"};
    profile->sampling.call_graph = call_graphs[options->stacks];
    if (options->stacks != STACKS_BY_FRAME_POINTERS)
        session->unwinder = unwinder_open(&(struct unwinder_options){
            .names = session->names,
            .mode = options->stacks == STACKS_BY_TABLES ? UNWIND_CALL_FRAMES : UNWIND_AUTO,
            .live = true,
        });
    if (options->names_from_heap && session->unwinder)
        session->scripts = record_scripts_new(profile, session->names, !options->names.no_maps);
    session->machine =
        perf_machine_open(profile, &(struct perf_machine_options){
                                       .names = session->names,
                                       .elf_machine = elf_machine_here(),
                                       .unwinder = session->unwinder,
                                       .waits = options->off_cpu,
                                       .take = take_sample,
                                       .context = session,
                                       .push_stack = session->scripts ? record_scripts_push : NULL,
                                       .push_context = session->scripts,
                                       .still_waits = still_waits,
                                   });
    session->process_count = options->process_count;
    session->processes =
        memory_allocate(size_multiply(options->process_count, sizeof *session->processes));
    memcpy(session->processes, options->processes,
           options->process_count * sizeof *session->processes);
    session->start = counters_clock();
    session->sleepers_wanted = options->off_cpu && !options->switch_stacks;
    if (session->process_count > 0)
        throttling_open(&session->throttling, session->processes[0]);
    session->rate = record_rate_new(session->processes, session->process_count);
    session->loops = record_loops_new(take_turn, session);
    session->waits = record_waits_new(profile, add_sample, session);
    for (size_t i = 0; i < session->process_count; i++)
        record_loops_add(session->loops, session->processes[i]);
    if (options->path) {
        session->recording = recording_create(options->path, profile, &options->recording, error);
        if (!session->recording) {
            record_session_free(session);
            return NULL;
        }
    }
    return session;
}

void record_session_free(struct record_session *session) {
    if (!session)
        return;
    if (session->recording)
        recording_close(session->recording, &(struct error){0});
    throttling_close(&session->throttling);
    record_loops_free(session->loops);
    record_rate_free(session->rate);
    record_waits_free(session->waits);
    perf_machine_close(session->machine);
    record_scripts_free(session->scripts);
    unwinder_close(session->unwinder);
    native_names_close(session->names);
    profile_free(session->profile);
    free(session->pending);
    free(session->processes);
    free(session);
}

struct profile *record_session_profile(struct record_session *session) {
    return session->profile;
}

void record_session_begin(struct record_session *session) {
    record_rate_read(session->rate);
}

void record_session_refresh(struct record_session *session) {
    native_names_refresh(session->names);
}

void record_session_take(void *context, const struct perf_record *record,
                         const struct perf_attribute *attribute) {
    struct record_session *session = context;
    if (session->scripts && record->type == PERF_COMM && record->is_exec)
        record_scripts_forget(session->scripts, record->process_id);
    perf_machine_record(session->machine, record, attribute, 0);
}

/* A guess counts only for a long wait, and where stacks cannot be read: between requests a thread
 * waits for work, whatever it did before. */
static void settle_wait(struct record_session *session, struct sample sample, bool guessed) {
    bool taken = guessed && sample.stack.index && session->sleepers_read == 0 &&
                 sample.weight.whole >= SLEEPER_NANOSECONDS;
    session->guesses += taken;
    record_waits_add(session->waits, sample, guessed && !taken);
}

static void settle_sample(struct record_session *session, const struct machine_sample *taken) {
    struct sample sample = {
        .stack = perf_machine_stack(session->machine, taken->row),
        .thread = taken->thread,
        .event = taken->event,
        .count = 1,
        .weight = weight_of(taken->period),
        .time = time_of(session, taken->time),
    };
    switch ((enum machine_activity)taken->activity) {
    case MACHINE_RUNNING:
        session->profile->events[0].samples++;
        record_rate_sample(session->rate, session->profile->threads[taken->thread].process_id);
        record_waits_running(session->waits, taken->thread);
        add_sample(session, &sample);
        break;
    case MACHINE_WAITING:
        sample.count = 0;
        settle_wait(session, sample, taken->guessed);
        break;
    case MACHINE_PREEMPTED: /* the machine was busy: no time of this program's */
        break;
    }
}

void record_session_settle(struct record_session *session, bool all) {
    if (!all && !native_names_is_ready(session->names))
        return;
    perf_machine_resolve(session->machine);
    for (size_t i = 0; i < session->pending_count; i++)
        settle_sample(session, &session->pending[i]);
    record_waits_flush(session->waits);
    session->pending_count = 0;
}

static void add_reading(struct record_session *session, const char *name, enum profile_unit unit,
                        uint64_t process_id, uint64_t value, uint64_t limit, uint64_t now) {
    struct profile_counter *counter =
        profile_counter(session->profile, text_of(name), unit, process_id);
    struct counter_reading reading = {time_of(session, now), value};
    counter->limit = limit;
    profile_counter_add(counter, reading);
    if (session->recording)
        recording_write_reading(session->recording, (size_t)(counter - session->profile->counters),
                                reading);
}

/* How long the CPU quota has stopped the processes since the recording began, when it has grown. */
static void look_at_throttling(struct record_session *session, uint64_t now) {
    uint64_t periods, microseconds;
    if (session->throttling.count == 0 ||
        !throttling_read(&session->throttling, &periods, &microseconds))
        return;
    if (session->throttled_seen && microseconds == session->throttled)
        return;
    if (!session->throttled_seen)
        session->throttled_first = microseconds;
    session->throttled_seen = true;
    session->throttled = microseconds;
    add_reading(session, PROFILE_THROTTLED_TIME, UNIT_MICROSECONDS, 0,
                microseconds - session->throttled_first, 0, now);
}

/* Whether there is code at an address of a process. */
struct code_question {
    struct native_names *names;
    uint64_t process_id;
};

static bool is_code(void *context, uint64_t address) {
    const struct code_question *question = context;
    code_location location =
        native_names_locate(question->names, question->process_id, address, false, true);
    return native_names_kind(question->names, location) != LOCATION_NOWHERE;
}

/* Reads the stacks of threads that have been waiting for some time, where the kernel does not tell
 * them. */
static void look_at_sleepers(struct record_session *session, uint64_t now) {
    struct machine_sleeper sleeper = NO_SLEEPER;
    struct sleeping_stack stack;
    while (perf_machine_next_sleeper(session->machine, &sleeper, now, SLEEPER_NANOSECONDS)) {
        struct code_question question = {session->names, sleeper.process_id};
        if (sleeping_stack_read((pid_t)sleeper.process_id, (pid_t)sleeper.thread_id, is_code,
                                &question, &stack)) {
            perf_machine_sleeper(session->machine, &sleeper, stack.addresses, stack.count);
            session->sleepers_read++;
        }
    }
}

uint64_t record_session_look(struct record_session *session, uint64_t now) {
    uint64_t next = record_loops_look(session->loops, now);
    look_at_throttling(session, now);
    if (session->sleepers_wanted)
        look_at_sleepers(session, now);
    uint64_t again = now + LOOK_NANOSECONDS;
    bool wanted = session->throttling.count > 0 || session->sleepers_wanted;
    return wanted && again < next ? again : next;
}

void record_session_part_waits(struct record_session *session, uint64_t now) {
    /* What happened before has come out of the rings by now. */
    perf_machine_part_waits(session->machine, now - PART_NANOSECONDS / 2, PART_NANOSECONDS);
    record_session_settle(session, false);
}

void record_session_watch(struct record_session *session, const pid_t *processes, size_t count) {
    for (size_t i = 0; i < count; i++)
        record_loops_add(session->loops, processes[i]);
}

void record_session_count(struct record_session *session, uint64_t now) {
    uint64_t bytes, limit, idle;
    record_rate_read(session->rate);
    for (size_t i = 0; i < session->process_count; i++) {
        if (counters_read_rss(session->processes[i], &bytes))
            add_reading(session, "rss", UNIT_BYTES, (uint64_t)session->processes[i], bytes, 0, now);
    }
    pid_t process_id;
    for (size_t i = 0; record_loops_idle(session->loops, i, &process_id, &idle); i++)
        add_reading(session, PROFILE_LOOP_IDLE, UNIT_MICROSECONDS, (uint64_t)process_id,
                    idle / 1000, 0, now);
    if (session->process_count &&
        counters_read_cgroup_memory(session->processes[0], &bytes, &limit))
        add_reading(session, "cgroup memory", UNIT_BYTES, 0, bytes, limit, now);
}

bool record_session_flush(struct record_session *session, struct error *error) {
    if (!session->recording)
        return true;
    bool written = recording_flush(session->recording, error);
    session->file_size = recording_size(session->recording);
    return written;
}

bool record_session_is_full(const struct record_session *session) {
    return session->recording && recording_is_full(session->recording);
}

/* Tells in the profile what could not be done, and what would help. */
static void describe_limits(struct record_session *session, const struct sampler_state *state) {
    struct profile *profile = session->profile;
    if (session->scripts)
        record_scripts_finish(session->scripts);
    record_rate_tell(session->rate, profile);
    struct native_names_summary names = native_names_finish(session->names);
    profile->sampling.kernel_hidden = state->kernel_hidden;
    if (state->route == SAMPLER_PTRACE)
        profile->sampling.detail = profile_intern(profile, text_of(state->refusal.text));
    for (size_t i = 0; i < state->note_count; i++)
        warnings_add(&profile->warnings, "sampling", 0, "%s", state->notes[i]);
    profile->waits_guessed = session->guesses > 0;
    if (session->sleepers_wanted && session->guesses == 0)
        warnings_add(&profile->warnings, "waits", 0,
                     "the kernel does not tell this user where threads wait: waits of %d ms or "
                     "longer were read from the threads themselves, shorter ones count as idle",
                     SLEEPER_NANOSECONDS / 1000000);
    if (names.kernel_unnamed && names.kernel_reason)
        warnings_add(&profile->warnings, "kernel-names", 0, "kernel functions have no names: %s",
                     names.kernel_reason);
}

bool record_session_finish(struct record_session *session, const struct sampler_state *state,
                           uint64_t now, struct error *error) {
    perf_machine_part_waits(session->machine, now, 0);
    record_session_settle(session, true);
    record_loops_end(session->loops, now);
    perf_machine_finish(session->machine);
    describe_limits(session, state);
    session->profile->duration_us = time_of(session, now);
    if (!session->recording)
        return true;
    struct recording *recording = session->recording;
    session->recording = NULL;
    bool written = recording_flush(recording, error);
    session->file_size = recording_size(recording);
    return recording_close(recording, written ? error : &(struct error){0}) && written;
}

void record_session_discard(struct record_session *session) {
    recording_discard(session->recording);
    session->recording = NULL;
}

uint64_t record_session_samples(const struct record_session *session) {
    return session->samples;
}

uint64_t record_session_file_size(const struct record_session *session) {
    return session->file_size;
}
