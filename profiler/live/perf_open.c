// SPDX-License-Identifier: MIT
#include "profiler/live/perf_open.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "profiler/live/proc_file.h"

/* What the frames of the C library take in which a thread waits. */
enum { SWITCH_STACK_BYTES = 2048 };

int perf_open_event(const struct perf_event_attr *attribute, pid_t thread_id, int cpu) {
    /* The kernel writes its own size of the structure into it when it is too large. */
    struct perf_event_attr copy = *attribute;
    return (int)syscall(SYS_perf_event_open, &copy, thread_id, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

void perf_open_note(struct sampler_state *state, const char *format, ...) {
    if (state->note_count == sizeof state->notes / sizeof *state->notes)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(state->notes[state->note_count++], sizeof *state->notes, format, arguments);
    va_end(arguments);
}

static void set_event(struct perf_event_attr *attribute, enum sampler_event event) {
    attribute->type = event == SAMPLER_CYCLES ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
    attribute->config = event == SAMPLER_CYCLES        ? PERF_COUNT_HW_CPU_CYCLES
                        : event == SAMPLER_PAGE_FAULTS ? PERF_COUNT_SW_PAGE_FAULTS
                                                       : PERF_COUNT_SW_CPU_CLOCK;
}

void perf_open_prepare(const struct sampler_options *options, struct perf_event_attr *attribute,
                       struct sampler_state *state) {
    int64_t most = proc_read_number("/proc/sys/kernel/perf_event_max_sample_rate", INT32_MAX);
    state->event = options->event;
    state->kernel_hidden = options->kernel == SAMPLER_KERNEL_NO;
    state->frequency = options->frequency;
    if (most > 0 && state->frequency > (uint64_t)most) {
        perf_open_note(state,
                       "%llu samples a second are more than this kernel allows: %lld are taken. To "
                       "raise it: sysctl kernel.perf_event_max_sample_rate=%llu",
                       (unsigned long long)state->frequency, (long long)most,
                       (unsigned long long)state->frequency);
        state->frequency = (uint64_t)most;
    }
    *attribute = (struct perf_event_attr){
        .size = sizeof *attribute,
        .sample_freq = state->frequency,
        .freq = 1,
        /* The id tells samples of an inherited event from those of a thread's own. */
        .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN |
                       PERF_SAMPLE_PERIOD | PERF_SAMPLE_ID,
        .sample_id_all = 1,
        .mmap = 1,
        .mmap2 = 1,
        .comm = 1,
        .comm_exec = 1,
        .task = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        .exclude_hv = 1,
        .exclude_guest = 1,
        .exclude_kernel = state->kernel_hidden,
        .disabled = 1,
        .enable_on_exec = options->enable_on_exec,
        .watermark = 1,
        .inherit = !state->by_thread,
        .inherit_thread = !state->by_thread && !options->children,
    };
    set_event(attribute, options->event);
    if (state->stack_bytes > 0) {
        attribute->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        attribute->sample_regs_user = options->stack_registers;
        attribute->sample_stack_user = state->stack_bytes;
    }
    if (options->off_cpu) {
        attribute->context_switch = 1;
        attribute->sample_type &= ~(uint64_t)PERF_SAMPLE_ID;
        attribute->sample_type |= PERF_SAMPLE_IDENTIFIER;
    }
    if (options->event == SAMPLER_PAGE_FAULTS) {
        /* They come in bursts, after which the kernel's own guess of a period that gives the
         * frequency is wrong by orders of magnitude, and with it what a sample counts. */
        attribute->freq = 0;
        attribute->sample_period = SAMPLER_FAULTS_PER_SAMPLE;
        /* With this the kernel makes a sample of each, whatever the period. */
        attribute->sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
        state->frequency = 0;
    }
}

void perf_open_prepare_switches(const struct perf_event_attr *attribute,
                                struct perf_event_attr *switches) {
    *switches = (struct perf_event_attr){
        .size = sizeof *switches,
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
        .sample_period = 1,
        .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                       PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN,
        .sample_id_all = 1,
        /* The kernel's own part is the same for all waits of a kind, and costs 3 us a switch. */
        .exclude_callchain_kernel = 1,
        .use_clockid = attribute->use_clockid,
        .clockid = attribute->clockid,
        .exclude_hv = 1,
        .exclude_guest = 1,
        .disabled = 1,
        .enable_on_exec = attribute->enable_on_exec,
        .watermark = 1,
        .wakeup_watermark = attribute->wakeup_watermark,
        .inherit = attribute->inherit,
        .inherit_thread = attribute->inherit_thread,
    };
    /* Threads wait in functions of the C library, some of which keep no frame pointer. With a copy
     * of the stack the kernel need not follow these: that costs more than all the rest. What lies
     * above the copy is still there while the thread waits. */
    if (attribute->sample_stack_user > 0) {
        switches->sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
        switches->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        switches->sample_regs_user = attribute->sample_regs_user;
        switches->sample_stack_user = SWITCH_STACK_BYTES;
    }
}

/* Leaves out what the oldest kernel that does not know it refused, the newest first. */
static bool leave_out_newest(struct perf_event_attr *attribute, struct sampler_state *state) {
    if (attribute->inherit_thread) { /* 5.13; records of child processes are dropped later */
        attribute->inherit_thread = 0;
    } else if (attribute->use_clockid) { /* 4.1 */
        attribute->use_clockid = 0;
        attribute->clockid = 0;
        perf_open_note(state, "this kernel does not know the clock of samples: times are its own");
    } else if (attribute->comm_exec) { /* 3.16 */
        attribute->comm_exec = 0;
    } else if (attribute->context_switch) { /* 4.3 */
        attribute->context_switch = 1;
        perf_open_note(state, "this kernel does not tell when threads wait: --off-cpu has no "
                              "effect");
    } else if (attribute->sample_stack_user) {
        attribute->sample_stack_user = 0;
        attribute->sample_regs_user = 0;
        attribute->sample_type &= ~(uint64_t)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
        state->stack_bytes = 0;
        perf_open_note(state, "this kernel does not copy stacks: they are walked by frame "
                              "pointers only");
    } else {
        return false;
    }
    return true;
}

int perf_open_first(const struct sampler_options *options, struct perf_event_attr *attribute,
                    struct sampler_state *state, pid_t thread_id, int cpu) {
    for (;;) {
        struct perf_event_attr asked = *attribute;
        size_t notes = state->note_count;
        int descriptor = perf_open_event(attribute, thread_id, cpu);
        if (descriptor >= 0)
            return descriptor;
        int number = errno;
        bool hardware = attribute->type == PERF_TYPE_HARDWARE;
        if ((number == EACCES || number == EPERM) && !attribute->exclude_kernel &&
            options->kernel != SAMPLER_KERNEL_YES) {
            attribute->exclude_kernel = 1;
            state->kernel_hidden = true;
            continue;
        }
        if ((number == EINVAL || number == E2BIG) && leave_out_newest(attribute, state))
            continue;
        if (hardware &&
            (number == ENOENT || number == EOPNOTSUPP || number == ENODEV || number == EINVAL)) {
            /* What was left out on the way may not have been the reason. */
            struct sampler_state ignored = {.by_thread = state->by_thread,
                                            .stack_bytes = state->stack_bytes};
            perf_open_prepare(options, attribute, &ignored);
            attribute->exclude_kernel = asked.exclude_kernel;
            attribute->wakeup_watermark = asked.wakeup_watermark;
            set_event(attribute, SAMPLER_CPU_CLOCK);
            state->event = SAMPLER_CPU_CLOCK;
            state->note_count = notes;
            perf_open_note(state,
                           "hardware cycles cannot be counted here (%s; usual in virtual "
                           "machines): cpu-clock is used",
                           strerror(number));
            continue;
        }
        errno = number;
        return -1;
    }
}
