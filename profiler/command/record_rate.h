// SPDX-License-Identifier: MIT
/*
 * How many samples a second were really delivered: samples of the processes that are recorded,
 * beside the CPU time that they used meanwhile as the kernel counts it. A machine that is shared
 * out, or a throttled event, delivers fewer than were asked for.
 */
#ifndef TICKFLAME_PROFILER_COMMAND_RECORD_RATE_H
#define TICKFLAME_PROFILER_COMMAND_RECORD_RATE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fold/model/profile.h"

struct record_rate;

struct record_rate *record_rate_new(const pid_t *processes, size_t count);
void record_rate_free(struct record_rate *rate);

/* A sample of a thread of the process was taken. */
void record_rate_sample(struct record_rate *rate, uint64_t process_id);

/* Reads the CPU time of all processes that live. To be called now and then, and at the end, when
 * all samples were taken: what a process does after its last reading does not count. */
void record_rate_read(struct record_rate *rate);

/* Writes CPU time and samples into profile->sampling. */
void record_rate_tell(const struct record_rate *rate, struct profile *profile);

#endif
