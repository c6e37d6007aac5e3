// SPDX-License-Identifier: MIT
/*
 * The ring through which the kernel hands over the records of perf events.
 *
 * One page of control, then a power of two of bytes. The kernel moves the head, we move the tail;
 * both only grow, and the place in the ring is their remainder. Records stand on 8 bytes, so that
 * their header is never split, but their body may wrap around the end: it is then copied together.
 * Source: perf_event_open(2), "MMAP layout", and linux/perf_event.h.
 */
#ifndef TICKFLAME_PROFILER_LIVE_PERF_RING_H
#define TICKFLAME_PROFILER_LIVE_PERF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/text.h"

/* A mapped ring; all zero is none. */
struct perf_ring {
    void *memory;       /* the control page and the data behind it */
    size_t memory_size; /* 0: not a mapping of ours */
    const char *data;
    uint64_t size; /* of the data, a power of two */
    char *joined;  /* room for a record that wraps around; NULL until one did */
};

/* Takes a record of the ring, header included. Valid during the call. */
typedef void perf_ring_take(void *context, struct text record);

/* The size for a ring of about `bytes`: a power of two of at least one page. */
uint64_t perf_ring_size(uint64_t bytes);

/* Maps the ring of an event; `size` as above. False: errno says why (EPERM: more memory than may be
 * locked). */
bool perf_ring_map(struct perf_ring *ring, int descriptor, uint64_t size);

/* A ring over memory of the caller: a control page, then `size` bytes. */
void perf_ring_use(struct perf_ring *ring, void *memory, uint64_t size);

/*
 * Takes all records that stand in the ring at the call, and gives their room back to the kernel at
 * once when all are taken. What cannot be a record ends the drain, and the rest is thrown away.
 * Returns the number of records.
 */
uint64_t perf_ring_drain(struct perf_ring *ring, perf_ring_take *take, void *context);

void perf_ring_unmap(struct perf_ring *ring);

#endif
