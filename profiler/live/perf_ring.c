// SPDX-License-Identifier: MIT
#include "profiler/live/perf_ring.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fold/base/memory.h"
#include "profiler/trace/perf_record.h"

uint64_t perf_ring_size(uint64_t bytes) {
    uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);
    while (size < bytes && size < (UINT64_C(1) << 31))
        size *= 2;
    return size;
}

bool perf_ring_map(struct perf_ring *ring, int descriptor, uint64_t size) {
    size_t memory_size = (size_t)size + (size_t)sysconf(_SC_PAGESIZE);
    /* Writable, or the kernel would not wait for the tail and write over what was not read. */
    void *memory = mmap(NULL, memory_size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED)
        return false;
    perf_ring_use(ring, memory, size);
    ring->memory_size = memory_size;
    return true;
}

void perf_ring_use(struct perf_ring *ring, void *memory, uint64_t size) {
    const struct perf_event_mmap_page *page = memory;
    /* Kernels before 4.1 do not say where the data stands: behind the first page. */
    uint64_t offset = page->data_offset ? page->data_offset : (uint64_t)sysconf(_SC_PAGESIZE);
    *ring =
        (struct perf_ring){.memory = memory, .data = (const char *)memory + offset, .size = size};
}

/* The record at `tail`, in one piece; false: what stands there is none. */
static bool read_record(struct perf_ring *ring, uint64_t tail, uint64_t head, struct text *record) {
    struct perf_event_header header;
    uint64_t at = tail & (ring->size - 1);
    memcpy(&header, ring->data + at, sizeof header);
    if (header.size < sizeof header || header.size > head - tail)
        return false;
    *record = (struct text){ring->data + at, header.size};
    if (header.size > ring->size - at) {
        if (!ring->joined)
            ring->joined = memory_allocate(PERF_RECORD_SIZE_MOST + 1);
        size_t first = (size_t)(ring->size - at);
        memcpy(ring->joined, ring->data + at, first);
        memcpy(ring->joined + first, ring->data, header.size - first);
        record->data = ring->joined;
    }
    return true;
}

uint64_t perf_ring_drain(struct perf_ring *ring, perf_ring_take *take, void *context) {
    struct perf_event_mmap_page *page = ring->memory;
    /* Acquire: what the kernel wrote before it moved the head is seen. */
    uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = page->data_tail;
    uint64_t count = 0;
    struct text record;
    while (head - tail >= sizeof(struct perf_event_header) && head - tail <= ring->size &&
           read_record(ring, tail, head, &record)) {
        take(context, record);
        tail += record.size;
        count++;
    }
    /* Release: our reads are done before the kernel may write there again. */
    __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
    return count;
}

void perf_ring_unmap(struct perf_ring *ring) {
    if (ring->memory_size > 0)
        munmap(ring->memory, ring->memory_size);
    free(ring->joined);
    *ring = (struct perf_ring){0};
}
