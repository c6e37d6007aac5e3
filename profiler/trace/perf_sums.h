// SPDX-License-Identifier: MIT
/*
 * Sums of samples that are alike, for perf_data.c: with the same stack, thread and event. One place
 * in memory for each, because there are hundreds of thousands, and a sample finds one every time.
 */
#ifndef TICKFLAME_PROFILER_TRACE_PERF_SUMS_H
#define TICKFLAME_PROFILER_TRACE_PERF_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "profiler/trace/perf_machine.h"

struct perf_sum {
    uint64_t period; /* of all of them; saturates */
    uint32_t count;  /* 0 = this slot is free */
    uint32_t row;    /* of the machine's stacks */
    uint32_t thread;
    uint16_t event;
};

/* All zero is empty. */
struct perf_sums {
    struct perf_sum *slots; /* open addressing */
    size_t slot_count;      /* a power of two, or 0 */
    size_t used;
};

void perf_sums_add(struct perf_sums *sums, const struct machine_sample *sample);

/* Adds all of them to the profile; the machine has made their stacks. */
void perf_sums_take(const struct perf_sums *sums, const struct perf_machine *machine,
                    struct profile *profile);
void perf_sums_free(struct perf_sums *sums);

#endif
