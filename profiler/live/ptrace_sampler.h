// SPDX-License-Identifier: MIT
/*
 * Sampling without perf events: threads that run are stopped for a moment, so many times a second,
 * and their registers and the upper part of their stack are read.
 *
 * For where the kernel refuses perf_event_open to this user, but not ptrace. It costs the target
 * more: each stop takes as long as this program needs to be scheduled. So the rate is limited to
 * PTRACE_FREQUENCY_MOST, and ticks are left out while stops take more than a twentieth of the time.
 * There are no frames of the kernel, and no waits.
 *
 * It delivers the records that perf events would (perf_record.h): names and mappings of the
 * processes from /proc, at the start and whenever they have changed; samples whose period is the
 * time since the tick before.
 */
#ifndef TICKFLAME_PROFILER_LIVE_PTRACE_SAMPLER_H
#define TICKFLAME_PROFILER_LIVE_PTRACE_SAMPLER_H

#include "profiler/live/sampler.h"

enum { PTRACE_FREQUENCY_MOST = 199 };

struct ptrace_sampler;

/* Takes the threads of the targets. `options` as for sampler_open(), of which targets, frequency,
 * main_thread_only, stack_bytes and stack_registers count. NULL: not possible (ERROR_SAMPLE).
 * *state is filled in. */
struct ptrace_sampler *ptrace_sampler_open(const struct sampler_options *options,
                                           struct sampler_state *state, struct error *error);

/* As the functions of sampler.h with these names. */
void ptrace_sampler_start(struct ptrace_sampler *sampler, sampler_take *take, void *context);
bool ptrace_sampler_poll(struct ptrace_sampler *sampler, int milliseconds, int wake);
void ptrace_sampler_stop(struct ptrace_sampler *sampler);
size_t ptrace_sampler_list_processes(const struct ptrace_sampler *sampler, pid_t *processes,
                                     size_t most);
void ptrace_sampler_close(struct ptrace_sampler *sampler);

#endif
