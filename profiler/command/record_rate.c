// SPDX-License-Identifier: MIT
#include "profiler/command/record_rate.h"

#include <stdlib.h>

#include "fold/base/memory.h"
#include "profiler/live/counters.h"

struct process_rate {
    pid_t id;
    uint64_t samples;                     /* so far */
    uint64_t first_cpu_us, last_cpu_us;   /* at the first and the last reading */
    uint64_t first_samples, last_samples; /* at the same times */
    uint64_t readings;
};

struct record_rate {
    struct process_rate *processes;
    size_t count;
};

struct record_rate *record_rate_new(const pid_t *processes, size_t count) {
    struct record_rate *rate = memory_allocate_zero(1, sizeof *rate);
    rate->processes = memory_allocate_zero(count, sizeof *rate->processes);
    rate->count = count;
    for (size_t i = 0; i < count; i++)
        rate->processes[i].id = processes[i];
    return rate;
}

void record_rate_free(struct record_rate *rate) {
    if (!rate)
        return;
    free(rate->processes);
    free(rate);
}

void record_rate_sample(struct record_rate *rate, uint64_t process_id) {
    for (size_t i = 0; i < rate->count; i++) {
        if ((uint64_t)rate->processes[i].id == process_id)
            rate->processes[i].samples++;
    }
}

void record_rate_read(struct record_rate *rate) {
    for (size_t i = 0; i < rate->count; i++) {
        struct process_rate *process = &rate->processes[i];
        if (!counters_read_cpu(process->id, &process->last_cpu_us))
            continue;
        process->last_samples = process->samples;
        if (process->readings++ > 0)
            continue;
        process->first_cpu_us = process->last_cpu_us;
        process->first_samples = process->samples;
    }
}

void record_rate_tell(const struct record_rate *rate, struct profile *profile) {
    for (size_t i = 0; i < rate->count; i++) {
        const struct process_rate *process = &rate->processes[i];
        profile->sampling.cpu_us += process->last_cpu_us - process->first_cpu_us;
        profile->sampling.cpu_samples += process->last_samples - process->first_samples;
    }
}
