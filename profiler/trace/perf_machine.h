// SPDX-License-Identifier: MIT
/*
 * The machine that perf records tell of: processes, their mappings, threads and names; and from
 * samples to stacks of a profile.
 *
 * Records are fed in order of time. Each sample's chain becomes a row of a stack table of code
 * locations (profiler/symbol/native_names.h); perf_machine_resolve() turns the rows that are new
 * into stacks of the profile. A file is resolved once at its end, when build ids are known; a
 * living process after each batch of records, while its files can still be read.
 *
 * Rules for chains. Innermost first; the marks between addresses say whose they are. All but the
 * first address of a space, and the first user address behind kernel ones, are return addresses.
 * Pointer authentication is removed (profiler/unwind/architecture.h). Addresses at the outer end
 * that lie in no code are what a broken frame pointer left: they are dropped, the sample counts as
 * cut. A chain of as many addresses as the limit allows has lost its outer part: its stack gets the
 * root `[truncated]`. With registers and a copy of the stack, the user's part comes from these
 * (perf_stacks.h): by an unwinder if there is one, else, when there is no user chain, by frame
 * pointers. An unwinder knows where it had to give up: such stacks count as cut, and have the root
 * `[truncated]` too.
 */
#ifndef TICKFLAME_PROFILER_TRACE_PERF_MACHINE_H
#define TICKFLAME_PROFILER_TRACE_PERF_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/model/profile.h"
#include "profiler/symbol/native_names.h"
#include "profiler/trace/perf_record.h"
#include "profiler/trace/perf_rows.h"
#include "profiler/trace/perf_stacks.h"
#include "profiler/unwind/unwinder.h"

/* What a thread did at a sample. */
enum machine_activity {
    MACHINE_RUNNING,
    MACHINE_WAITING,   /* for something: it had given its processor up */
    MACHINE_PREEMPTED, /* for a processor: it could have run */
};

/* A sample, not yet resolved. */
struct machine_sample {
    uint32_t row;     /* of the machine's stacks; 0 = a sample without a chain */
    uint32_t thread;  /* row of profile->threads */
    uint16_t event;   /* row of profile->events */
    uint8_t activity; /* enum machine_activity */
    bool guessed;     /* a wait whose stack is that of the last sample before it */
    uint64_t period;  /* in the unit of the event; of a wait its length in nanoseconds */
    uint64_t time;    /* nanoseconds of the recording's clock; 0 = not known; of a wait its end */
};
typedef void machine_take_sample(void *context, const struct machine_sample *sample);

/*
 * Names frames by more than their addresses: called for each stack of registers that was walked,
 * with the bytes that were copied of it. Pushes onto rows->chain what stands for each frame,
 * innermost first: its address, or numbers of perf_rows_given() (perf_rows.h).
 */
typedef void machine_push_stack(void *context, const struct perf_record *record,
                                const struct user_stack *stack, struct perf_rows *rows);

/* Whether a thread that began to wait with this stack pointer still waits so: what of its stack was
 * read only now, not copied, is of that wait then. */
typedef bool machine_still_waits(void *context, const struct perf_record *record,
                                 uint64_t stack_pointer);

struct perf_machine_options {
    struct native_names *names;
    uint32_t elf_machine;      /* EM_X86_64 or EM_AARCH64 of elf.h: whose registers and addresses;
                                  another: stacks of registers cannot be walked */
    struct unwinder *unwinder; /* for stacks of registers; outlives the machine; NULL: none */
    uint64_t stack_limit;      /* addresses in a chain at most; 0 = 127, the kernel's default */
    bool waits;                /* samples at context switches and PERF_SWITCH records tell of waits:
                                  they come out as samples of those; else as all others do */
    machine_take_sample *take;
    void *context;
    machine_push_stack *push_stack; /* NULL: addresses say all */
    void *push_context;
    machine_still_waits *still_waits; /* asked for with waits below JavaScript; NULL: they do */
    void *waits_context;
};

struct perf_machine;

/* A machine without processes, for a profile that outlives it. */
struct perf_machine *perf_machine_open(struct profile *profile,
                                       const struct perf_machine_options *options);
void perf_machine_close(struct perf_machine *machine);

/* Takes a record. `event` is the row of profile->events that a sample belongs to, `attribute` is
 * that event's. */
void perf_machine_record(struct perf_machine *machine, const struct perf_record *record,
                         const struct perf_attribute *attribute, uint16_t event);

/*
 * With `waits`: a thread that has been waiting for `least` nanoseconds or more at `time`, whose
 * stack is only guessed; each wait is told once. False: there is none (any more). Before the first
 * call, all of *sleeper is NO_SLEEPER. Whoever can read the stack of the thread gives it with
 * perf_machine_sleeper(): addresses of the user's code, innermost first.
 */
struct machine_sleeper {
    uint32_t process_id, thread_id;
    uint32_t number;
    uint64_t time; /* at which it was asked for: its stack is of then or later */
};
#define NO_SLEEPER ((struct machine_sleeper){0, 0, UINT32_MAX, 0})
bool perf_machine_next_sleeper(struct perf_machine *machine, struct machine_sleeper *sleeper,
                               uint64_t time, uint64_t least);
void perf_machine_sleeper(struct perf_machine *machine, const struct machine_sleeper *sleeper,
                          const uint64_t *addresses, size_t count);

/*
 * With `waits`: hands out, as samples, the part until `time` of the waits that go on and have taken
 * `least` nanoseconds or more; their rest begins there. All records of before `time` (nanoseconds
 * of the recording's clock) have been taken.
 */
void perf_machine_part_waits(struct perf_machine *machine, uint64_t time, uint64_t least);

/* Makes stacks of all rows that have none yet. What addresses are is asked anew after it. */
void perf_machine_resolve(struct perf_machine *machine);

/* The profile's stack for a row that is resolved. */
struct stack_id perf_machine_stack(const struct perf_machine *machine, uint32_t row);

/* Takes the samples that still wait for the rest of their chain, makes all stacks, and writes into
 * the profile what the machine counted: lost, truncated, cut and repaired samples. To be called
 * once. */
void perf_machine_finish(struct perf_machine *machine);

#endif
