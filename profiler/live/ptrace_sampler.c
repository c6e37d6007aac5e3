// SPDX-License-Identifier: MIT
/* Before perf_record.h, which has macros for what is an enumeration here. */
#include <linux/perf_event.h>

#include "profiler/live/ptrace_sampler.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fold/base/hash_index.h"
#include "fold/base/memory.h"
#include "profiler/live/counters.h"
#include "profiler/live/proc_file.h"
#include "profiler/live/ptrace_thread.h"
#include "profiler/live/snapshot.h"
#include "profiler/live/target.h"

#define SECOND      UINT64_C(1000000000)
#define MILLISECOND UINT64_C(1000000)

enum {
    RESCAN_MILLISECONDS = 100, /* between two looks for new threads and mappings */
    STOP_MICROSECONDS = 20000, /* that a stop may take */
    STOPPED_PART = 20,         /* of the time at most one such part is spent stopped */
    PERIODS_MOST = 4,          /* that one sample may stand for: it cannot know of more */
    STACK_MOST = 65536,
    PAGE = 4096,
};

struct ptrace_process {
    pid_t id;
    uint64_t maps_hash; /* of what /proc/PID/maps said last */
    bool ended;
};

struct ptrace_sampler {
    struct sampler_options options;
    struct ptrace_process *processes;
    size_t process_count;
    struct ptrace_thread *threads;
    size_t thread_count, thread_capacity;
    struct perf_attribute attribute;
    sampler_take *take;
    void *context;
    uint64_t interval; /* nanoseconds between two ticks */
    uint64_t last_tick, next_tick, rescanned;
    int children; /* descriptor that tells of SIGCHLD */
    sigset_t blocked_before;
    unsigned char *stack;
};

/* ---- threads ---- */

static struct ptrace_thread *find_thread(struct ptrace_sampler *sampler, pid_t thread_id) {
    for (size_t i = 0; i < sampler->thread_count; i++) {
        if (sampler->threads[i].thread_id == thread_id)
            return &sampler->threads[i];
    }
    return NULL;
}

/* Takes the threads of a process that are not yet taken. Returns 0, or the errno of the first that
 * is refused. */
static int seize_threads(struct ptrace_sampler *sampler, struct ptrace_process *process) {
    pid_t *ids;
    int refused = 0;
    size_t count = target_threads(process->id, &ids);
    if (count == 0)
        process->ended = true;
    for (size_t i = 0; i < count; i++) {
        if (find_thread(sampler, ids[i]) ||
            (sampler->options.main_thread_only && ids[i] != process->id))
            continue;
        struct ptrace_thread thread;
        if (ptrace_thread_seize(&thread, process->id, ids[i])) {
            MEMORY_RESERVE(sampler->threads, sampler->thread_capacity, sampler->thread_count + 1);
            sampler->threads[sampler->thread_count++] = thread;
        } else if (refused == 0 && errno != ESRCH) {
            refused = errno;
        }
    }
    free(ids);
    return refused;
}

static void drop_ended(struct ptrace_sampler *sampler) {
    size_t kept = 0;
    for (size_t i = 0; i < sampler->thread_count; i++) {
        if (!sampler->threads[i].ended)
            sampler->threads[kept++] = sampler->threads[i];
    }
    sampler->thread_count = kept;
}

/* ---- names and mappings ---- */

static void take_record(void *context, uint64_t time, struct text bytes) {
    struct ptrace_sampler *sampler = context;
    struct perf_record record;
    if (!perf_record_decode(&sampler->attribute, bytes, false, &record))
        return;
    record.time = time;
    sampler->take(sampler->context, &record, &sampler->attribute);
}

/* Tells names and mappings of a process, if the mappings have changed. */
static void tell_mappings(struct ptrace_sampler *sampler, struct ptrace_process *process) {
    struct buffer maps = {0};
    if (!process->ended && proc_read(&maps, "/proc/%d/maps", process->id) && maps.size > 0) {
        uint64_t hash = hash_bytes(maps.data, maps.size);
        if (hash != process->maps_hash)
            snapshot_process(process->id, &sampler->attribute,
                             process->maps_hash ? counters_clock() : 0, take_record, sampler);
        process->maps_hash = hash;
    }
    buffer_free(&maps);
}

/* The process runs another program. */
static void tell_exec(struct ptrace_sampler *sampler, struct ptrace_thread *thread) {
    thread->has_executed = false;
    struct perf_record record = {.type = PERF_COMM,
                                 .process_id = (uint32_t)thread->process_id,
                                 .thread_id = (uint32_t)thread->process_id,
                                 .time = counters_clock(),
                                 .is_exec = true};
    sampler->take(sampler->context, &record, &sampler->attribute);
    for (size_t i = 0; i < sampler->process_count; i++) {
        if (sampler->processes[i].id == thread->process_id) {
            sampler->processes[i].maps_hash = 1;
            tell_mappings(sampler, &sampler->processes[i]);
        }
    }
}

/* ---- samples ---- */

/* The state letter of a thread; 'X': it has ended. */
static char state_of(const struct ptrace_thread *thread) {
    struct buffer stat = {0};
    char state = 'X';
    pid_t parent;
    if (!proc_read(&stat, "/proc/%d/task/%d/stat", thread->process_id, thread->thread_id) ||
        !proc_parse_stat(buffer_text(&stat), &state, &parent))
        state = 'X';
    buffer_free(&stat);
    return state;
}

/* Copies the stack from `start` up, as far as it goes. Returns the bytes. */
static size_t copy_stack(struct ptrace_sampler *sampler, pid_t process_id, uint64_t start) {
    struct iovec here = {sampler->stack, sampler->options.stack_bytes};
    struct iovec there[STACK_MOST / PAGE + 1];
    size_t count = 0;
    /* A part of a read that cannot be had ends it; what stands before it is read. */
    for (size_t at = 0; at < here.iov_len; count++) {
        size_t size = PAGE - (start + at) % PAGE;
        size = size < here.iov_len - at ? size : here.iov_len - at;
        there[count] = (struct iovec){(void *)(uintptr_t)(start + at), size};
        at += size;
    }
    ssize_t size = process_vm_readv(process_id, &here, 1, there, count, 0);
    return size > 0 ? (size_t)size & ~(size_t)7 : 0;
}

/* What is read of a thread while it is stopped. */
struct stopped_thread {
    uint64_t registers[PTRACE_REGISTERS_MOST];
    size_t stack_size; /* bytes in sampler->stack */
};

/* Stops the thread, reads it, and lets it go on. Adds the nanoseconds that it took. */
static bool read_thread(struct ptrace_sampler *sampler, struct ptrace_thread *thread,
                        struct stopped_thread *stopped, uint64_t *nanoseconds) {
    const struct architecture *here = architecture_of_machine(sampler->options.machine);
    uint64_t start = counters_clock();
    bool is_read = false, waits = false;
    if (here && ptrace_thread_stop(thread, STOP_MICROSECONDS)) {
        is_read = ptrace_thread_registers(thread, stopped->registers, &waits);
        if (is_read && !waits)
            stopped->stack_size =
                copy_stack(sampler, thread->process_id, stopped->registers[here->stack_pointer]);
        ptrace_thread_continue(thread);
    }
    *nanoseconds += counters_clock() - start;
    return is_read && !waits;
}

static void take_sample(struct ptrace_sampler *sampler, const struct ptrace_thread *thread,
                        const struct stopped_thread *stopped, uint64_t period) {
    const struct architecture *here = architecture_of_machine(sampler->options.machine);
    const uint64_t *all = stopped->registers;
    uint64_t wanted[PTRACE_REGISTERS_MOST];
    size_t count = 0;
    for (int bit = 0; bit < PTRACE_REGISTERS_MOST; bit++) {
        if (sampler->options.stack_registers >> bit & 1)
            wanted[count++] = all[bit];
    }
    struct perf_record record = {
        .type = PERF_SAMPLE,
        .misc = PERF_RECORD_MISC_USER,
        .process_id = (uint32_t)thread->process_id,
        .thread_id = (uint32_t)thread->thread_id,
        .time = counters_clock(),
        .address = all[here->instruction_pointer],
        .period = period,
        .registers = (const unsigned char *)wanted,
        .registers_abi = PERF_SAMPLE_REGS_ABI_64,
        .stack = {(const char *)sampler->stack, stopped->stack_size},
    };
    sampler->take(sampler->context, &record, &sampler->attribute);
}

/* One tick: each thread that runs is looked at. Returns the nanoseconds that threads were stopped.
 */
static uint64_t tick(struct ptrace_sampler *sampler, uint64_t period) {
    uint64_t stopped = 0;
    for (size_t i = 0; i < sampler->thread_count; i++) {
        struct ptrace_thread *thread = &sampler->threads[i];
        ptrace_thread_serve(thread);
        if (thread->has_executed)
            tell_exec(sampler, thread);
        char state = thread->ended ? 'X' : state_of(thread);
        thread->ended |= state == 'X';
        struct stopped_thread read;
        if (state == 'R' && read_thread(sampler, thread, &read, &stopped))
            take_sample(sampler, thread, &read, period);
    }
    drop_ended(sampler);
    return stopped;
}

/* ---- the sampler ---- */

static void prepare(struct ptrace_sampler *sampler, struct sampler_state *state) {
    if (sampler->options.frequency > PTRACE_FREQUENCY_MOST)
        sampler->options.frequency = PTRACE_FREQUENCY_MOST;
    sampler->options.stack_bytes =
        sampler->options.stack_bytes < STACK_MOST ? sampler->options.stack_bytes : STACK_MOST;
    sampler->interval = SECOND / sampler->options.frequency;
    sampler->attribute = (struct perf_attribute){
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
                       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
        .sample_registers_user = sampler->options.stack_registers,
        .sample_stack_user = sampler->options.stack_bytes,
        .exclude_kernel = true,
    };
    *state = (struct sampler_state){
        .event = SAMPLER_CPU_CLOCK,
        .route = SAMPLER_PTRACE,
        .kernel_hidden = true,
        .frequency = sampler->options.frequency,
        .stack_bytes = sampler->options.stack_bytes,
    };
}

struct ptrace_sampler *ptrace_sampler_open(const struct sampler_options *options,
                                           struct sampler_state *state, struct error *error) {
    struct ptrace_sampler *sampler = memory_allocate_zero(1, sizeof *sampler);
    sigset_t child;
    sampler->options = *options;
    prepare(sampler, state);
    sampler->stack = memory_allocate(STACK_MOST);
    sampler->processes = memory_allocate_zero(options->process_count, sizeof *sampler->processes);
    sampler->process_count = options->process_count;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &sampler->blocked_before);
    sampler->children = signalfd(-1, &child, SFD_NONBLOCK | SFD_CLOEXEC);
    int refused = sampler->children < 0 ? errno : 0;
    for (size_t i = 0; i < options->process_count && refused == 0; i++) {
        sampler->processes[i].id = options->processes[i];
        refused = seize_threads(sampler, &sampler->processes[i]);
    }
    if (refused == 0 && sampler->thread_count > 0)
        return sampler;
    error_set(error, ERROR_SAMPLE, "ptrace: %s", refused ? strerror(refused) : "no such process");
    ptrace_sampler_close(sampler);
    return NULL;
}

void ptrace_sampler_start(struct ptrace_sampler *sampler, sampler_take *take, void *context) {
    sampler->take = take;
    sampler->context = context;
    for (size_t i = 0; i < sampler->process_count; i++)
        tell_mappings(sampler, &sampler->processes[i]);
    uint64_t now = counters_clock();
    sampler->last_tick = sampler->rescanned = now;
    sampler->next_tick = now + sampler->interval;
}

/* Waits for the time of the next tick, or for `end`. Returns whether `wake` can be read. */
static bool wait_for_tick(struct ptrace_sampler *sampler, uint64_t end, int wake) {
    struct pollfd waits[] = {{.fd = sampler->children, .events = POLLIN},
                             {.fd = wake, .events = POLLIN}};
    for (uint64_t now; (now = counters_clock()) < sampler->next_tick && now < end;) {
        uint64_t until = sampler->next_tick < end ? sampler->next_tick : end;
        uint64_t left = until - now;
        struct timespec time = {.tv_sec = (time_t)(left / SECOND),
                                .tv_nsec = (long)(left % SECOND)};
        if (ppoll(waits, wake >= 0 ? 2 : 1, &time, NULL) <= 0)
            continue;
        struct signalfd_siginfo information;
        while (read(sampler->children, &information, sizeof information) > 0)
            continue;
        for (size_t i = 0; i < sampler->thread_count; i++)
            ptrace_thread_serve(&sampler->threads[i]);
        if (waits[1].revents)
            return true;
    }
    return false;
}

/* Looks for new threads and mappings when it is time. */
static void rescan(struct ptrace_sampler *sampler, uint64_t now) {
    if (now - sampler->rescanned < RESCAN_MILLISECONDS * MILLISECOND)
        return;
    sampler->rescanned = now;
    for (size_t i = 0; i < sampler->process_count; i++) {
        seize_threads(sampler, &sampler->processes[i]);
        tell_mappings(sampler, &sampler->processes[i]);
    }
}

bool ptrace_sampler_poll(struct ptrace_sampler *sampler, int milliseconds, int wake) {
    uint64_t end = counters_clock() + (uint64_t)milliseconds * MILLISECOND;
    bool woken = false;
    do {
        woken = wait_for_tick(sampler, end, wake);
        uint64_t now = counters_clock();
        if (now < sampler->next_tick)
            continue;
        uint64_t period = now - sampler->last_tick;
        uint64_t most = sampler->interval * PERIODS_MOST;
        uint64_t stopped = tick(sampler, period < most ? period : most);
        sampler->last_tick = now;
        uint64_t rest = stopped * STOPPED_PART;
        sampler->next_tick = now + (rest > sampler->interval ? rest : sampler->interval);
        rescan(sampler, now);
    } while (!woken && sampler->thread_count > 0 && counters_clock() < end);
    return sampler->thread_count > 0;
}

void ptrace_sampler_stop(struct ptrace_sampler *sampler) {
    for (size_t i = 0; i < sampler->thread_count; i++)
        ptrace_thread_release(&sampler->threads[i]);
    sampler->thread_count = 0;
}

size_t ptrace_sampler_list_processes(const struct ptrace_sampler *sampler, pid_t *processes,
                                     size_t most) {
    size_t count = 0;
    for (size_t i = 0; i < sampler->process_count && count < most; i++) {
        if (!sampler->processes[i].ended)
            processes[count++] = sampler->processes[i].id;
    }
    return count;
}

void ptrace_sampler_close(struct ptrace_sampler *sampler) {
    if (!sampler)
        return;
    ptrace_sampler_stop(sampler);
    if (sampler->children >= 0)
        close(sampler->children);
    sigprocmask(SIG_SETMASK, &sampler->blocked_before, NULL);
    free(sampler->processes);
    free(sampler->threads);
    free(sampler->stack);
    free(sampler);
}
