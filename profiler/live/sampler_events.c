// SPDX-License-Identifier: MIT
/* The events and rings of a sampler: which are opened, for which threads and CPUs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fold/base/memory.h"
#include "profiler/live/gates.h"
#include "profiler/live/perf_open.h"
#include "profiler/live/proc_file.h"
#include "profiler/live/sampler_parts.h"
#include "profiler/live/target.h"

/* How an attempt to open everything ended. */
enum opened {
    OPENED,
    OPENED_SMALLER_RINGS, /* to be tried again with these */
    OPENED_BY_THREAD,     /* and so: there are too few file descriptors */
    OPENED_NOT,           /* errno says why */
};

enum { DEFAULT_RING = 1 << 20, RINGS_TOGETHER = 64 << 20, WATERMARK_MOST = 64 * 1024 };

/* With copies of stacks, and with all context switches, a second is much more. */
enum {
    LARGE_RING_MOST = 16 << 20,
    LARGE_RINGS_TOGETHER = 256 << 20,
    SWITCH_BYTES_A_SECOND = 8 << 20, /* of 5,000 */
    SAMPLE_BYTES = 640,              /* of one without a copy */
    STACK_BYTES_LEAST = 2048,
    RING_PARTS_OF_SECOND = 10, /* a ring should hold the samples of a tenth of a second */
};

/* File descriptors that are left for everything else. */
enum { SPARE_DESCRIPTORS = 64 };

static size_t raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 1024;
    if (limit.rlim_cur < limit.rlim_max) {
        struct rlimit raised = {limit.rlim_max, limit.rlim_max};
        if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
            limit = raised;
    }
    return limit.rlim_cur > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)limit.rlim_cur;
}

static size_t list_cpus(int *cpus) {
    struct buffer online = {0};
    size_t count = 0;
    if (proc_read(&online, "/sys/devices/system/cpu/online"))
        count = proc_parse_ranges(buffer_text(&online), cpus, SAMPLER_CPUS_MAX);
    buffer_free(&online);
    if (count == 0) {
        long configured = sysconf(_SC_NPROCESSORS_ONLN);
        for (long cpu = 0; cpu < configured && cpu < SAMPLER_CPUS_MAX; cpu++)
            cpus[count++] = (int)cpu;
    }
    return count;
}

static bool has_event(const struct sampler *sampler, pid_t thread_id) {
    for (size_t i = 0; i < sampler->event_count; i++) {
        if (sampler->events[i].thread == thread_id)
            return true;
    }
    return false;
}

static size_t list_threads(const struct sampler *sampler, pid_t process_id, pid_t **threads) {
    size_t count = target_threads(process_id, threads);
    if (sampler->options.main_thread_only && count > 0) {
        (*threads)[0] = process_id;
        count = 1;
    }
    return count;
}

/* Opens one event: the first one by steps, all others as that one could be had. */
static int open_event(struct sampler *sampler, pid_t thread_id, int cpu, uint64_t ring_bytes) {
    /* Often enough that a slow reader has three quarters of the ring left. */
    uint64_t watermark = ring_bytes / 4 < WATERMARK_MOST ? ring_bytes / 4 : WATERMARK_MOST;
    sampler->attribute.wakeup_watermark = (uint32_t)watermark;
    if (sampler->event_count > 0)
        return perf_open_event(&sampler->attribute, thread_id, cpu);
    return perf_open_first(&sampler->options, &sampler->attribute, &sampler->state, thread_id, cpu);
}

static int compare_ids(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

bool sampler_is_switch(const struct sampler *sampler, uint64_t identifier) {
    return sampler->switch_id_count > 0 &&
           bsearch(&identifier, sampler->switch_ids, sampler->switch_id_count, sizeof identifier,
                   compare_ids) != NULL;
}

/* Opens the event of context switches that goes with another one, into the ring of `output`. */
static void open_switches(struct sampler *sampler, struct sampled_event *event, int cpu,
                          int output) {
    if (!sampler->state.switch_stacks)
        return;
    perf_open_prepare_switches(&sampler->attribute, &sampler->switch_attribute);
    int descriptor = perf_open_event(&sampler->switch_attribute, event->thread, cpu);
    if (descriptor < 0)
        return;
    if (ioctl(descriptor, PERF_EVENT_IOC_SET_OUTPUT, output) != 0 ||
        ioctl(descriptor, PERF_EVENT_IOC_ID, &event->switches_id) != 0) {
        close(descriptor);
        return;
    }
    event->switches = descriptor;
    MEMORY_RESERVE(sampler->switch_ids, sampler->switch_id_capacity, sampler->switch_id_count + 1);
    /* Ids count up, as a rule. */
    size_t at = sampler->switch_id_count++;
    for (; at > 0 && sampler->switch_ids[at - 1] > event->switches_id; at--)
        sampler->switch_ids[at] = sampler->switch_ids[at - 1];
    sampler->switch_ids[at] = event->switches_id;
}

static struct sampled_event *add_event(struct sampler *sampler, int descriptor, pid_t thread_id,
                                       size_t ring) {
    MEMORY_RESERVE(sampler->events, sampler->event_capacity, sampler->event_count + 1);
    struct sampled_event *event = &sampler->events[sampler->event_count++];
    *event = (struct sampled_event){
        .descriptor = descriptor, .thread = thread_id, .ring = ring, .switches = -1};
    return event;
}

/* After the first event was opened: whether context switches can be sampled beside it. They happen
 * in the kernel, whose frames must be allowed. */
static void decide_switches(struct sampler *sampler) {
    struct sampler_state *state = &sampler->state;
    bool wanted = sampler->options.off_cpu && sampler->attribute.context_switch;
    state->switch_stacks = wanted && !sampler->attribute.exclude_kernel;
}

static struct sampled_ring *add_ring(struct sampler *sampler, int cpu) {
    MEMORY_RESERVE(sampler->rings, sampler->ring_capacity, sampler->ring_count + 1);
    struct sampled_ring *ring = &sampler->rings[sampler->ring_count++];
    *ring = (struct sampled_ring){.cpu = cpu, .ended = true};
    return ring;
}

/* One event of the thread on each CPU, all of a CPU writing to one ring. */
static enum opened open_on_cpus(struct sampler *sampler, pid_t thread_id) {
    for (size_t i = 0; i < sampler->ring_count; i++) {
        struct sampled_ring *ring = &sampler->rings[i];
        int descriptor = open_event(sampler, thread_id, ring->cpu, sampler->state.ring_bytes);
        if (descriptor < 0) {
            if (errno == ESRCH) /* the thread has ended */
                return OPENED;
            if (errno == EMFILE || errno == ENFILE)
                return OPENED_BY_THREAD;
            /* A CPU that went offline. With no event at all there is another reason. */
            if (errno == ENODEV || (errno == EINVAL && sampler->event_count > 0))
                continue;
            return OPENED_NOT;
        }
        if (sampler->event_count == 0)
            decide_switches(sampler);
        struct sampled_event *event = add_event(sampler, descriptor, thread_id, i);
        if (!ring->ring.memory) {
            if (!perf_ring_map(&ring->ring, descriptor, sampler->state.ring_bytes))
                return errno == EPERM || errno == ENOMEM ? OPENED_SMALLER_RINGS : OPENED_NOT;
            ring->event = sampler->event_count - 1;
            ring->ended = false;
        } else if (ioctl(descriptor, PERF_EVENT_IOC_SET_OUTPUT,
                         sampler->events[ring->event].descriptor) != 0) {
            return OPENED_NOT;
        }
        open_switches(sampler, event, ring->cpu, sampler->events[ring->event].descriptor);
    }
    return OPENED;
}

/* One event and one ring of the thread. `smaller`: take a smaller ring where there is no room. */
static enum opened open_alone(struct sampler *sampler, pid_t thread_id, bool smaller) {
    uint64_t bytes = sampler->state.ring_bytes;
    for (;;) {
        struct perf_ring ring = {0};
        int descriptor = open_event(sampler, thread_id, -1, bytes);
        if (descriptor < 0)
            return errno == ESRCH ? OPENED : OPENED_NOT;
        if (perf_ring_map(&ring, descriptor, bytes)) {
            struct sampled_ring *added = add_ring(sampler, -1);
            *added = (struct sampled_ring){.ring = ring, .cpu = -1, .event = sampler->event_count};
            if (sampler->event_count == 0)
                decide_switches(sampler);
            struct sampled_event *event =
                add_event(sampler, descriptor, thread_id, sampler->ring_count - 1);
            open_switches(sampler, event, -1, descriptor);
            if (sampler->running) {
                ioctl(descriptor, PERF_EVENT_IOC_ENABLE, 0);
                if (event->switches >= 0)
                    ioctl(event->switches, PERF_EVENT_IOC_ENABLE, 0);
            }
            return OPENED;
        }
        int number = errno;
        close(descriptor);
        errno = number;
        if (number != EPERM && number != ENOMEM)
            return OPENED_NOT;
        if (!smaller || bytes <= SAMPLER_RING_LEAST)
            return OPENED_SMALLER_RINGS;
        bytes /= 2;
    }
}

/* Opens events for all threads that there are, until no new one appears. */
static enum opened open_all(struct sampler *sampler) {
    enum { ROUNDS_MOST = 100 };
    enum opened opened = OPENED;
    bool found = true;
    for (int round = 0; found && opened == OPENED && round < ROUNDS_MOST; round++) {
        found = sampler_add_targets(sampler);
        for (size_t p = 0; p < sampler->process_count && opened == OPENED; p++) {
            pid_t *threads;
            size_t count = list_threads(sampler, sampler->processes[p].process_id, &threads);
            for (size_t t = 0; t < count && opened == OPENED; t++) {
                if (has_event(sampler, threads[t]))
                    continue;
                size_t before = sampler->event_count;
                opened = sampler->state.by_thread ? open_alone(sampler, threads[t], false)
                                                  : open_on_cpus(sampler, threads[t]);
                found |= sampler->event_count > before;
                /* One of the threads known before may have made it, and it has inherited. */
                sampler->has_late |= round > 0 && !sampler->state.by_thread;
            }
            free(threads);
        }
    }
    return opened;
}

/* Whether an event per thread and CPU fits. */
static bool fits_by_cpu(struct sampler *sampler, size_t cpu_count, size_t limit) {
    size_t threads = 0;
    sampler_add_targets(sampler);
    for (size_t i = 0; i < sampler->process_count; i++) {
        pid_t *listed;
        threads += target_threads(sampler->processes[i].process_id, &listed);
        free(listed);
    }
    threads = size_multiply(threads, sampler->options.off_cpu ? 2 : 1);
    return size_add(size_multiply(threads, cpu_count), SPARE_DESCRIPTORS) <= limit;
}

/* What samples with copies of stacks take in a second of one busy thread; 0 = there are none. */
static uint64_t copied_in_second(const struct sampler *sampler) {
    const struct sampler_state *state = &sampler->state;
    uint64_t frequency = sampler->options.frequency < 100000 ? sampler->options.frequency : 100000;
    return state->stack_bytes ? frequency * (state->stack_bytes + SAMPLE_BYTES) : 0;
}

/* `rings`: how many there will be. */
static uint64_t wanted_ring(const struct sampler *sampler, size_t rings) {
    uint64_t bytes = sampler->options.ring_bytes;
    if (bytes == 0) {
        bytes = copied_in_second(sampler);
        bytes += sampler->options.off_cpu ? SWITCH_BYTES_A_SECOND : 0;
        if (bytes > LARGE_RING_MOST)
            bytes = LARGE_RING_MOST;
        while (bytes > DEFAULT_RING && bytes * rings > LARGE_RINGS_TOGETHER)
            bytes /= 2;
        if (bytes < DEFAULT_RING)
            bytes = DEFAULT_RING;
    }
    if (bytes < SAMPLER_RING_LEAST)
        bytes = SAMPLER_RING_LEAST;
    return perf_ring_size(bytes);
}

/* With many threads, their rings together stay within bounds. */
static uint64_t wanted_ring_by_thread(const struct sampler *sampler) {
    size_t threads = 0;
    for (size_t i = 0; i < sampler->process_count; i++) {
        pid_t *listed;
        threads += list_threads(sampler, sampler->processes[i].process_id, &listed);
        free(listed);
    }
    uint64_t bytes = wanted_ring(sampler, threads);
    bool large = copied_in_second(sampler) > 0 || sampler->options.off_cpu;
    while (sampler->options.ring_bytes == 0 && bytes > SAMPLER_RING_LEAST &&
           bytes * threads > (large ? LARGE_RINGS_TOGETHER : RINGS_TOGETHER))
        bytes /= 2;
    return bytes;
}

static void note_small_rings(struct sampler *sampler, uint64_t wanted) {
    enum { SMALL = 128 * 1024 };
    uint64_t bytes = sampler->state.ring_bytes;
    if (bytes < SMALL && bytes < wanted)
        perf_open_note(&sampler->state,
                       "rings of %llu KiB only: more memory may not be locked "
                       "(kernel.perf_event_mlock_kb, ulimit -l). Samples may be lost; run as root, "
                       "or: sysctl kernel.perf_event_mlock_kb=4096",
                       (unsigned long long)(bytes / 1024));
}

static bool refuse(struct sampler *sampler, int number, struct error *error) {
    pid_t process_id = sampler->process_count > 0 ? sampler->processes[0].process_id : 0;
    /* Whose fault it is: with several targets the first that cannot be opened at all. */
    for (size_t i = 0; i < sampler->process_count; i++) {
        int descriptor = perf_open_event(&sampler->attribute, sampler->processes[i].process_id, -1);
        if (descriptor >= 0) {
            close(descriptor);
            continue;
        }
        if (errno == number) {
            process_id = sampler->processes[i].process_id;
            break;
        }
    }
    if (number == EACCES && sampler->options.kernel == SAMPLER_KERNEL_YES) {
        struct perf_event_attr without = sampler->attribute;
        without.exclude_kernel = 1;
        int descriptor = perf_open_event(&without, process_id, -1);
        if (descriptor >= 0) {
            close(descriptor);
            return error_set(
                error, ERROR_SAMPLE,
                "frames of the kernel may not be sampled "
                "(kernel.perf_event_paranoid = %lld). Run as root, give CAP_PERFMON, "
                "or: sysctl kernel.perf_event_paranoid=1; or leave them out: "
                "--kernel auto",
                (long long)proc_read_number("/proc/sys/kernel/perf_event_paranoid", 2));
        }
    }
    gates_explain_refusal(error, number, process_id);
    return false;
}

/* Whether the rings hold samples for long enough with the copies as large as they are; the smallest
 * copies are better than none. */
static bool holds_copies(const struct sampler *sampler) {
    return sampler->state.stack_bytes <= STACK_BYTES_LEAST ||
           copied_in_second(sampler) / RING_PARTS_OF_SECOND <= sampler->state.ring_bytes;
}

bool sampler_open_events(struct sampler *sampler, struct error *error) {
    struct sampler_state *state = &sampler->state;
    int *cpus = memory_allocate(SAMPLER_CPUS_MAX * sizeof *cpus);
    size_t cpu_count = list_cpus(cpus);
    state->by_thread = sampler->options.main_thread_only ||
                       !fits_by_cpu(sampler, cpu_count, raise_descriptor_limit());
    state->stack_bytes = sampler->options.stack_bytes;
    uint64_t wanted =
        state->by_thread ? wanted_ring_by_thread(sampler) : wanted_ring(sampler, cpu_count);
    state->ring_bytes = wanted;
    enum opened opened;
    int number;
    for (;;) {
        state->note_count = 0;
        sampler->has_late = false;
        perf_open_prepare(&sampler->options, &sampler->attribute, state);
        for (size_t i = 0; i < cpu_count && !state->by_thread; i++)
            add_ring(sampler, cpus[i]);
        opened = open_all(sampler);
        number = errno;
        bool short_of_room = opened == OPENED && !holds_copies(sampler);
        if (opened == OPENED && !short_of_room)
            break;
        sampler_close_events(sampler);
        if (short_of_room) {
            state->stack_bytes /= 2;
        } else if (opened == OPENED_SMALLER_RINGS && state->ring_bytes > SAMPLER_RING_LEAST) {
            state->ring_bytes /= 2;
        } else if (opened == OPENED_BY_THREAD && !state->by_thread) {
            state->by_thread = true;
            wanted = wanted_ring_by_thread(sampler);
            state->ring_bytes = wanted;
        } else {
            break;
        }
    }
    free(cpus);
    if (opened == OPENED_SMALLER_RINGS)
        return error_set(
            error, ERROR_SAMPLE,
            "the kernel has no room for the smallest ring of samples: other sampling of "
            "this user fills it (kernel.perf_event_mlock_kb = %lld for each CPU, and "
            "ulimit -l). Run as root, or: sudo sysctl kernel.perf_event_mlock_kb=4096",
            (long long)proc_read_number("/proc/sys/kernel/perf_event_mlock_kb", 516));
    if (opened != OPENED)
        return refuse(sampler, number, error);
    if (sampler->event_count == 0)
        return error_set(error, ERROR_SAMPLE, "process %d has ended",
                         sampler->process_count > 0 ? sampler->targets[0] : 0);
    for (size_t i = 0; i < sampler->event_count && sampler->has_late; i++)
        ioctl(sampler->events[i].descriptor, PERF_EVENT_IOC_ID, &sampler->events[i].id);
    if (state->kernel_hidden && sampler->options.kernel == SAMPLER_KERNEL_AUTO)
        perf_open_note(
            state,
            "frames of the kernel are hidden (kernel.perf_event_paranoid = %lld). Run as "
            "root, give CAP_PERFMON, or: sudo sysctl kernel.perf_event_paranoid=1",
            (long long)proc_read_number("/proc/sys/kernel/perf_event_paranoid", 2));
    note_small_rings(sampler, wanted);
    state->descriptors = sampler->event_count;
    state->rings = sampler->ring_count;
    return true;
}

void sampler_open_threads(struct sampler *sampler, pid_t process_id) {
    pid_t *threads;
    size_t count = list_threads(sampler, process_id, &threads);
    for (size_t i = 0; i < count; i++) {
        if (has_event(sampler, threads[i]) || open_alone(sampler, threads[i], true) == OPENED)
            continue;
        if (!sampler->left_out)
            perf_open_note(&sampler->state,
                           "threads made later are left out: %s (%zu events are open)",
                           strerror(errno), sampler->event_count);
        sampler->left_out = true;
    }
    sampler->state.descriptors = sampler->event_count;
    sampler->state.rings = sampler->ring_count;
    free(threads);
}

void sampler_switch_events(struct sampler *sampler, bool on) {
    for (size_t i = 0; i < sampler->event_count; i++) {
        unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
        ioctl(sampler->events[i].descriptor, request, 0);
        if (sampler->events[i].switches >= 0)
            ioctl(sampler->events[i].switches, request, 0);
    }
}

static void close_event(const struct sampled_event *event) {
    close(event->descriptor);
    if (event->switches >= 0)
        close(event->switches);
}

void sampler_close_ended(struct sampler *sampler) {
    if (!sampler->state.by_thread)
        return;
    for (size_t i = 0; i < sampler->ring_count;) {
        if (!sampler->rings[i].ended) {
            i++;
            continue;
        }
        perf_ring_unmap(&sampler->rings[i].ring);
        close_event(&sampler->events[i]);
        /* The last one takes its place. */
        sampler->rings[i] = sampler->rings[--sampler->ring_count];
        sampler->events[i] = sampler->events[--sampler->event_count];
        sampler->rings[i].event = i;
        sampler->events[i].ring = i;
    }
}

void sampler_close_events(struct sampler *sampler) {
    for (size_t i = 0; i < sampler->ring_count; i++)
        perf_ring_unmap(&sampler->rings[i].ring);
    for (size_t i = 0; i < sampler->event_count; i++)
        close_event(&sampler->events[i]);
    sampler->ring_count = 0;
    sampler->event_count = 0;
    sampler->switch_id_count = 0;
}

void sampler_event_ended(struct sampler *sampler, size_t ring) {
    struct sampled_ring *ended = &sampler->rings[ring];
    sampler->events[ended->event].ended = true;
    for (size_t i = 0; i < sampler->event_count; i++) {
        if (sampler->events[i].ring == ring && !sampler->events[i].ended) {
            ended->event = i;
            return;
        }
    }
    ended->ended = true;
}
