// SPDX-License-Identifier: MIT
/*
 * What the files of the sampler share: its events and rings, the processes it watches.
 */
#ifndef TICKFLAME_PROFILER_LIVE_SAMPLER_PARTS_H
#define TICKFLAME_PROFILER_LIVE_SAMPLER_PARTS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/live/perf_ring.h"
#include "profiler/live/ptrace_sampler.h"
#include "profiler/live/sampler.h"
#include "profiler/trace/perf_order.h"

enum { SAMPLER_CPUS_MAX = 4096, SAMPLER_RING_LEAST = 32 * 1024 };

/* One event of the kernel. */
struct sampled_event {
    int descriptor;
    pid_t thread;
    uint64_t id;  /* of its samples, and of those of events that inherit from it; 0: not asked */
    size_t ring;  /* the one it writes to */
    bool ended;   /* its thread, and all that inherited it, have ended */
    int switches; /* descriptor of the event that samples its context switches; -1 = none */
    uint64_t switches_id; /* of that one */
};

/* One ring: of a CPU, or of a thread. */
struct sampled_ring {
    struct perf_ring ring; /* not mapped while its CPU has no event */
    int cpu;               /* -1: of a thread */
    size_t event;          /* of those that write to it, the one that is waited for */
    bool ended;            /* all of them have ended */
};

/* A process that is sampled. */
struct sampled_process {
    pid_t process_id;
    bool leader_gone; /* its main thread has ended; with threads left it is still there */
    bool ended;
};

/* A thread whose samples may come twice: of events of its own, and of inherited ones. */
struct sampled_twice {
    pid_t thread;
    pid_t root; /* samples of the events that were opened for this thread are taken */
};

struct sampler {
    struct sampler_options options;
    pid_t *targets; /* what options.processes points at */
    struct sampler_state state;
    struct ptrace_sampler *ptrace; /* in place of all that follows; NULL: perf events */
    struct perf_event_attr attribute;
    struct perf_attribute decoded;           /* the same, as records are decoded by it */
    struct perf_event_attr switch_attribute; /* of samples at context switches */
    struct perf_attribute switch_decoded;
    uint64_t *switch_ids; /* of those events, ascending */
    size_t switch_id_count, switch_id_capacity;

    struct sampled_event *events;
    size_t event_count, event_capacity;
    struct sampled_ring *rings; /* by thread: the one of the event with the same index */
    size_t ring_count, ring_capacity;
    struct sampled_process *processes;
    size_t process_count, process_capacity;

    bool has_late; /* threads appeared while events were opened: samples may come twice */
    struct sampled_twice *twice;
    size_t twice_count, twice_capacity;

    struct perf_order *order;
    sampler_take *take;
    void *context;
    bool running;
    bool left_out;      /* a thread has no event, and the notes say so */
    uint64_t rescanned; /* when threads were last looked for, counters_clock() */
};

/* sampler_events.c */

/* Opens events and rings for all processes, by CPU or by thread as the limits allow. */
bool sampler_open_events(struct sampler *sampler, struct error *error);

/* Opens an event and a ring for each thread of the process that has none yet; by thread only. What
 * cannot be had is left out, with a note. */
void sampler_open_threads(struct sampler *sampler, pid_t process_id);

/* Whether a sample with this IDENTIFIER is one of a context switch. */
bool sampler_is_switch(const struct sampler *sampler, uint64_t identifier);

/* Starts or stops all events. */
void sampler_switch_events(struct sampler *sampler, bool on);

/* Closes the events and rings of threads that have ended (by thread), or all. */
void sampler_close_ended(struct sampler *sampler);
void sampler_close_events(struct sampler *sampler);

/* Waits for another event of the ring than the one that ended; marks the ring when there is none.
 */
void sampler_event_ended(struct sampler *sampler, size_t ring);

/* sampler_processes.c */

/* Adds a process unless it is there. Returns whether it was added. */
bool sampler_add_process(struct sampler *sampler, pid_t process_id);

/* The targets, and with `children` their descendants. Returns whether one was added. */
bool sampler_add_targets(struct sampler *sampler);
bool sampler_has_process(const struct sampler *sampler, pid_t process_id);

/* Notes that the main thread of a process has ended. */
void sampler_leader_ended(struct sampler *sampler, pid_t process_id);

/* Whether a process that is sampled still runs; looks again at those whose main thread ended. */
bool sampler_processes_live(struct sampler *sampler);

/* Whether a sample should be taken: each thread's samples come from events of one root. */
bool sampler_is_first(struct sampler *sampler, const struct perf_record *record);

/* The thread's number may be used again by another thread. */
void sampler_forget_thread(struct sampler *sampler, pid_t thread_id);

#endif
