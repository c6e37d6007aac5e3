// SPDX-License-Identifier: MIT
/*
 * The sampler: perf events on living processes, their rings, and the records in order.
 *
 *     open (events are made, rings mapped, nothing runs yet)
 *     start (a snapshot of mappings and names is delivered, then sampling begins)
 *     poll again and again (records are delivered in order of time)
 *     stop (sampling ends, what is left is delivered)
 *     close
 *
 * Every thread of a target is sampled, and those it makes later, and with `children` processes too.
 * With few threads per processor one event per thread and processor, inherited by new threads,
 * writes to one ring per processor; where that takes more file descriptors than there are, one
 * event and ring per thread, and new threads are found by their records and by /proc. What the
 * kernel refuses is asked for again with less, step by step, and `notes` tells what was given up.
 * Where it refuses events altogether, a process that runs is sampled by stopping it
 * (ptrace_sampler.h), if that is allowed.
 *
 * The snapshot at the start (the kernel tells only changes): records of type PERF_COMM and
 * PERF_MMAP2 with the time 0, made from /proc after the events are open and before they run.
 */
#ifndef TICKFLAME_PROFILER_LIVE_SAMPLER_H
#define TICKFLAME_PROFILER_LIVE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fold/base/error.h"
#include "profiler/trace/perf_record.h"

enum sampler_event { SAMPLER_CPU_CLOCK, SAMPLER_CYCLES, SAMPLER_PAGE_FAULTS };
/* Page faults are not sampled by time: one of so many is. */
enum { SAMPLER_FAULTS_PER_SAMPLE = 64 };
enum sampler_kernel { SAMPLER_KERNEL_AUTO, SAMPLER_KERNEL_YES, SAMPLER_KERNEL_NO };

struct sampler_options {
    const pid_t *processes; /* the targets: living, or one that launch.h holds back */
    size_t process_count;
    bool enable_on_exec; /* of a process held back: sampling begins when it runs its program */
    uint64_t frequency;  /* samples a second of a running thread, in Hz; not for page faults */
    enum sampler_event event;
    enum sampler_kernel kernel; /* frames in the kernel; YES: refused when not allowed */
    bool children;              /* processes that targets start later, and those there are */
    bool main_thread_only;
    uint32_t stack_bytes;     /* of each thread's stack that a sample copies, from the stack pointer
                                 up, a multiple of 8; 0 = none */
    uint64_t stack_registers; /* with it: the registers that it holds, architecture.h */
    uint32_t machine;         /* with it: EM_... of elf.h, whose registers these are */
    bool off_cpu;             /* tell when threads leave their processor and take one again */
    uint64_t ring_bytes;      /* of each ring; 0 = as much as a second of samples takes, 1 MiB at
                                 least */
};

/*
 * Takes a record, in order of time. Valid during the call. The attribute is that of the record's
 * event: with `off_cpu`, samples of context switches are another event than the one that was asked
 * for (perf_attribute_is_switch()), and stand in front of the PERF_SWITCH record of the same
 * moment.
 */
typedef void sampler_take(void *context, const struct perf_record *record,
                          const struct perf_attribute *attribute);

enum sampler_route { SAMPLER_PERF_EVENT, SAMPLER_PTRACE };

/* What sampling came to. */
struct sampler_state {
    enum sampler_route route;
    struct error refusal; /* with SAMPLER_PTRACE: why there are no perf events, and what helps */
    enum sampler_event event; /* the one that is used */
    bool kernel_hidden;       /* no frames in the kernel */
    uint64_t frequency;       /* the one that is used, in Hz; 0 for page faults */
    bool by_thread;           /* one ring per thread */
    uint32_t stack_bytes;     /* of the stack in each sample */
    bool switch_stacks;       /* with off_cpu: samples tell where threads leave their processor */
    size_t descriptors, rings;
    uint64_t ring_bytes;
    size_t note_count;
    char notes[8][240]; /* what was given up and why, with the command that would help */
};

struct sampler;

/* Opens events and rings. NULL: not possible here (ERROR_SAMPLE, with the setting that stops it and
 * the command that helps). */
struct sampler *sampler_open(const struct sampler_options *options, struct error *error);
const struct sampler_state *sampler_state(const struct sampler *sampler);

/* The processes that are sampled and live, at most `most` of them. Returns how many. */
size_t sampler_list_processes(const struct sampler *sampler, pid_t *processes, size_t most);

/* Delivers the snapshot and begins. */
bool sampler_start(struct sampler *sampler, sampler_take *take, void *context, struct error *error);

/*
 * Waits at most `milliseconds` for records, less when `wake` (a file descriptor, -1 = none) can be
 * read, and delivers those whose order is settled. False: all targets have ended.
 */
bool sampler_poll(struct sampler *sampler, int milliseconds, int wake);

/* Stops sampling and delivers the rest. */
void sampler_stop(struct sampler *sampler);
void sampler_close(struct sampler *sampler);

#endif
