// SPDX-License-Identifier: MIT
/* Before perf_record.h, which has macros for what is an enumeration here. */
#include <linux/perf_event.h>

#include "profiler/live/sampler.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "fold/base/memory.h"
#include "profiler/live/counters.h"
#include "profiler/live/perf_open.h"
#include "profiler/live/sampler_parts.h"
#include "profiler/live/snapshot.h"

/* How often new threads are looked for where the kernel does not follow them, and how often a
 * process is looked at whose main thread has ended; in milliseconds. */
enum { RESCAN = 100, RESCAN_ENDING = 20 };

enum { NANOSECONDS_PER_MILLISECOND = 1000000 };

/* A record in order: decoded, and handed on if it is of a process that is sampled. */
static void deliver(void *context, struct text bytes, uint32_t tag) {
    struct sampler *sampler = context;
    struct perf_record record;
    (void)tag;
    const struct perf_attribute *attribute = &sampler->decoded;
    struct perf_event_header header;
    memcpy(&header, bytes.data, sizeof header);
    if (header.type == PERF_SAMPLE && sampler->state.switch_stacks &&
        sampler_is_switch(sampler, perf_record_identifier(bytes)))
        attribute = &sampler->switch_decoded;
    if (!perf_record_decode(attribute, bytes, false, &record))
        return;
    switch (record.type) {
    case PERF_SAMPLE:
    case PERF_SWITCH:
        if (!sampler_is_first(sampler, &record))
            return;
        break;
    case PERF_FORK:
    case PERF_EXIT:
        sampler_forget_thread(sampler, (pid_t)record.thread_id);
        break;
    case PERF_COMM:
    case PERF_MMAP:
    case PERF_MMAP2:
        break;
    default: /* not of one process */
        sampler->take(sampler->context, &record, attribute);
        return;
    }
    if (sampler->options.children || sampler_has_process(sampler, (pid_t)record.process_id))
        sampler->take(sampler->context, &record, attribute);
}

static void take_snapshot(void *context, uint64_t time, struct text record) {
    struct sampler *sampler = context;
    perf_order_add(sampler->order, time, record, 0);
}

/* A process or thread was made. The fields: process, parent process, thread, parent thread. */
static void see_fork(struct sampler *sampler, const uint32_t fields[4]) {
    pid_t process_id = (pid_t)fields[0];
    bool new_process = fields[0] != fields[1];
    if (new_process && (!sampler->options.children || process_id <= 0 ||
                        !sampler_add_process(sampler, process_id)))
        return;
    /* Else the kernel has made events for it already. */
    if (!sampler->state.by_thread || (!new_process && sampler->options.main_thread_only))
        return;
    sampler_open_threads(sampler, process_id);
    /* What happened before its events were there. */
    if (new_process)
        snapshot_process(process_id, &sampler->decoded, counters_clock(), take_snapshot, sampler);
}

/* A record as it comes out of a ring: put in order; the sampler sees at once who comes and goes. */
static void take_record(void *context, struct text record) {
    struct sampler *sampler = context;
    struct perf_event_header header;
    uint32_t fields[4];
    memcpy(&header, record.data, sizeof header);
    perf_order_add(sampler->order, perf_record_time(&sampler->decoded, record, false), record, 0);
    if ((header.type != PERF_FORK && header.type != PERF_EXIT) ||
        record.size < sizeof header + sizeof fields)
        return;
    memcpy(fields, record.data + sizeof header, sizeof fields);
    if (header.type == PERF_FORK)
        see_fork(sampler, fields);
    else if (fields[0] == fields[2])
        sampler_leader_ended(sampler, (pid_t)fields[0]);
}

static void drain_all(struct sampler *sampler) {
    /* Rings of threads that show up now come behind the others, and are drained too. */
    for (size_t i = 0; i < sampler->ring_count; i++) {
        if (!sampler->rings[i].ring.memory)
            continue;
        /* Draining may move the array: a new thread gets a ring. */
        struct perf_ring ring = sampler->rings[i].ring;
        perf_ring_drain(&ring, take_record, sampler);
        sampler->rings[i].ring = ring;
    }
    perf_order_round(sampler->order);
}

/* Samples by stops instead, after events were refused: *error says why, and goes into the notes. */
static bool open_without_events(struct sampler *sampler, struct error *error) {
    const struct sampler_options *options = &sampler->options;
    struct error ignored = {0};
    if (options->enable_on_exec || options->off_cpu || options->event != SAMPLER_CPU_CLOCK ||
        options->kernel == SAMPLER_KERNEL_YES || options->stack_bytes == 0)
        return false;
    sampler->ptrace = ptrace_sampler_open(options, &sampler->state, &ignored);
    if (!sampler->ptrace)
        return false;
    perf_open_note(&sampler->state,
                   "perf events are refused: each running thread is stopped %llu times a second "
                   "instead (ptrace), which costs more and sees no kernel",
                   (unsigned long long)sampler->state.frequency);
    sampler->state.refusal = *error;
    *error = (struct error){0};
    return true;
}

struct sampler *sampler_open(const struct sampler_options *options, struct error *error) {
    struct sampler *sampler = memory_allocate_zero(1, sizeof *sampler);
    size_t size = size_multiply(options->process_count, sizeof *sampler->targets);
    sampler->options = *options;
    sampler->targets = memory_allocate(size);
    if (size > 0)
        memcpy(sampler->targets, options->processes, size);
    sampler->options.processes = sampler->targets;
    if (!sampler_open_events(sampler, error)) {
        if (open_without_events(sampler, error))
            return sampler;
        sampler_close(sampler);
        return NULL;
    }
    struct text attribute = {(const char *)&sampler->attribute, sizeof sampler->attribute};
    struct text switch_attribute = {(const char *)&sampler->switch_attribute,
                                    sizeof sampler->switch_attribute};
    perf_attribute_read(attribute, false, &sampler->decoded);
    if (sampler->state.switch_stacks)
        perf_attribute_read(switch_attribute, false, &sampler->switch_decoded);
    sampler->order = perf_order_open(deliver, sampler);
    return sampler;
}

const struct sampler_state *sampler_state(const struct sampler *sampler) {
    return &sampler->state;
}

static bool is_live(struct sampler *sampler) {
    bool rings_live = false;
    for (size_t i = 0; i < sampler->ring_count && !rings_live; i++)
        rings_live = !sampler->rings[i].ended;
    return sampler_processes_live(sampler) && rings_live;
}

bool sampler_start(struct sampler *sampler, sampler_take *take, void *context,
                   struct error *error) {
    sampler->take = take;
    sampler->context = context;
    sampler->running = true;
    sampler->rescanned = counters_clock();
    if (sampler->ptrace) {
        ptrace_sampler_start(sampler->ptrace, take, context);
        return true;
    }
    /* The kernel starts events that wait for exec, and tells everything from there on. */
    if (sampler->options.enable_on_exec)
        return true;
    /* First the events, then the snapshot: what changes between the two is in both. */
    sampler_switch_events(sampler, true);
    for (size_t i = 0; i < sampler->process_count; i++)
        snapshot_process(sampler->processes[i].process_id, &sampler->decoded, 0, take_snapshot,
                         sampler);
    if (is_live(sampler))
        return true;
    return error_set(error, ERROR_SAMPLE, "process %d has ended", sampler->targets[0]);
}

static void look_for_threads(struct sampler *sampler) {
    uint64_t now = counters_clock();
    if (!sampler->state.by_thread || sampler->options.main_thread_only ||
        now - sampler->rescanned < (uint64_t)RESCAN * NANOSECONDS_PER_MILLISECOND)
        return;
    sampler->rescanned = now;
    for (size_t i = 0; i < sampler->process_count; i++) {
        if (!sampler->processes[i].ended)
            sampler_open_threads(sampler, sampler->processes[i].process_id);
    }
}

/* Waits once. Returns whether something came: a ring is filled, a thread ended, `wake`. */
static bool wait_once(struct sampler *sampler, int milliseconds, int wake) {
    size_t count = 0;
    struct pollfd *waits = memory_allocate((sampler->ring_count + 1) * sizeof *waits);
    size_t *rings = memory_allocate((sampler->ring_count + 1) * sizeof *rings);
    for (size_t i = 0; i < sampler->ring_count; i++) {
        if (sampler->rings[i].ended)
            continue;
        int descriptor = sampler->events[sampler->rings[i].event].descriptor;
        rings[count] = i;
        waits[count++] = (struct pollfd){.fd = descriptor, .events = POLLIN};
    }
    size_t ring_waits = count;
    if (wake >= 0)
        waits[count++] = (struct pollfd){.fd = wake, .events = POLLIN};
    /* Interrupted by a signal is the same as woken. */
    int ready = poll(waits, count, milliseconds);
    for (size_t i = 0; i < ring_waits && ready > 0; i++) {
        if (waits[i].revents & (POLLHUP | POLLERR | POLLNVAL))
            sampler_event_ended(sampler, rings[i]);
    }
    free(waits);
    free(rings);
    return ready != 0;
}

/* How long to wait at most before something has to be looked at. */
static int longest_wait(const struct sampler *sampler) {
    for (size_t i = 0; i < sampler->process_count; i++) {
        if (sampler->processes[i].leader_gone && !sampler->processes[i].ended)
            return RESCAN_ENDING;
    }
    return sampler->state.by_thread ? RESCAN : INT32_MAX;
}

bool sampler_poll(struct sampler *sampler, int milliseconds, int wake) {
    if (sampler->ptrace)
        return ptrace_sampler_poll(sampler->ptrace, milliseconds, wake);
    uint64_t end = counters_clock() + (uint64_t)milliseconds * NANOSECONDS_PER_MILLISECOND;
    bool live = is_live(sampler);
    bool came = false;
    while (live) {
        uint64_t now = counters_clock();
        int left =
            now < end
                ? (int)((end - now + NANOSECONDS_PER_MILLISECOND - 1) / NANOSECONDS_PER_MILLISECOND)
                : 0;
        int longest = longest_wait(sampler);
        came = wait_once(sampler, left < longest ? left : longest, wake);
        drain_all(sampler);
        sampler_close_ended(sampler);
        look_for_threads(sampler);
        live = is_live(sampler);
        if (came || counters_clock() >= end)
            break;
    }
    return live;
}

void sampler_stop(struct sampler *sampler) {
    if (!sampler->running)
        return;
    sampler->running = false;
    if (sampler->ptrace) {
        ptrace_sampler_stop(sampler->ptrace);
        return;
    }
    sampler_switch_events(sampler, false);
    drain_all(sampler);
    perf_order_finish(sampler->order);
}

void sampler_close(struct sampler *sampler) {
    ptrace_sampler_close(sampler->ptrace);
    sampler_close_events(sampler);
    if (sampler->order)
        perf_order_close(sampler->order);
    free(sampler->events);
    free(sampler->switch_ids);
    free(sampler->rings);
    free(sampler->processes);
    free(sampler->twice);
    free(sampler->targets);
    free(sampler);
}
