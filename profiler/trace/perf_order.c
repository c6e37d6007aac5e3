// SPDX-License-Identifier: MIT
#include "profiler/trace/perf_order.h"

#include <stdlib.h>
#include <string.h>

#include "fold/base/memory.h"

/* A record that waits. */
struct waiting_record {
    uint64_t time;
    const char *data;
    uint32_t size;
    uint32_t tag;
};

/* Room for the bytes of records. */
enum { BLOCK_SIZE = 256 * 1024 };

struct order_block {
    struct order_block *next;
    size_t size; /* of `data` */
    size_t used;
    char data[];
};

/*
 * What waits are the records since the last round mark but one. All that stood in front of that
 * mark is not later than the latest time there, and so was delivered at the last mark. Hence two
 * lists of blocks are enough, one for each of the two rounds, and every record is sorted at most
 * twice, whatever its time.
 */
struct perf_order {
    perf_order_deliver *deliver;
    void *context;
    struct waiting_record *records, *spare; /* of the same capacity */
    size_t count, capacity, spare_capacity;
    size_t *runs; /* where ascending runs of the records end */
    size_t runs_capacity;
    uint64_t latest;            /* time of all so far */
    uint64_t limit;             /* `latest` at the last round mark */
    struct order_block *now;    /* blocks of this round */
    struct order_block *before; /* of the round before */
    struct order_block *free;   /* of rounds that are over; of BLOCK_SIZE each */
    uint64_t waiting;           /* bytes */
};

struct perf_order *perf_order_open(perf_order_deliver *deliver, void *context) {
    struct perf_order *order = memory_allocate_zero(1, sizeof *order);
    order->deliver = deliver;
    order->context = context;
    return order;
}

/* Room for `size` bytes, aligned to 8, in the blocks of this round. */
static char *take_room(struct perf_order *order, size_t size) {
    struct order_block *block = order->now;
    if (!block || block->size - block->used < size) {
        block = order->free;
        if (block && size <= block->size) {
            order->free = block->next;
        } else {
            size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
            block = memory_allocate(size_add(sizeof *block, room));
            block->size = room;
        }
        block->used = 0;
        block->next = order->now;
        order->now = block;
    }
    char *room = block->data + block->used;
    /* What does not end on 8 bytes is followed by a gap. */
    size_t aligned = size_add(size, 7) & ~(size_t)7;
    block->used = aligned < block->size - block->used ? block->used + aligned : block->size;
    return room;
}

void perf_order_add(struct perf_order *order, uint64_t time, struct text bytes, uint32_t tag) {
    if (time == 0 || time == UINT64_MAX) {
        order->deliver(order->context, bytes, tag);
        return;
    }
    char *data = take_room(order, bytes.size);
    if (bytes.size)
        memcpy(data, bytes.data, bytes.size);
    MEMORY_RESERVE(order->records, order->capacity, order->count + 1);
    order->records[order->count++] = (struct waiting_record){time, data, (uint32_t)bytes.size, tag};
    if (time > order->latest)
        order->latest = time;
    order->waiting += bytes.size;
}

/* Finds the ascending runs of the records; returns their number. */
static size_t find_runs(struct perf_order *order) {
    size_t runs = 0;
    for (size_t i = 1; i <= order->count; i++) {
        if (i < order->count && order->records[i - 1].time <= order->records[i].time)
            continue;
        MEMORY_RESERVE(order->runs, order->runs_capacity, runs + 1);
        order->runs[runs++] = i;
    }
    return runs;
}

/* Merges records[start..middle) and records[middle..end) into `spare`; of equal times those of the
 * first run come first. */
static void merge_runs(struct perf_order *order, size_t start, size_t middle, size_t end) {
    const struct waiting_record *records = order->records;
    size_t left = start;
    size_t right = middle;
    for (size_t i = start; i < end; i++) {
        bool from_left =
            right == end || (left < middle && records[left].time <= records[right].time);
        order->spare[i] = records[from_left ? left++ : right++];
    }
}

static void sort_records(struct perf_order *order) {
    size_t runs = find_runs(order);
    if (runs > 1)
        MEMORY_RESERVE(order->spare, order->spare_capacity, order->capacity);
    while (runs > 1) {
        size_t merged = 0;
        size_t start = 0;
        for (size_t i = 0; i < runs; i += 2) {
            size_t end = order->runs[i + 1 < runs ? i + 1 : i];
            merge_runs(order, start, order->runs[i], end);
            order->runs[merged++] = end;
            start = end;
        }
        runs = merged;
        struct waiting_record *records = order->spare;
        order->spare = order->records;
        order->records = records;
        size_t capacity = order->spare_capacity;
        order->spare_capacity = order->capacity;
        order->capacity = capacity;
    }
}

static void deliver_until(struct perf_order *order, uint64_t limit) {
    sort_records(order);
    size_t delivered = 0;
    while (delivered < order->count && order->records[delivered].time <= limit) {
        const struct waiting_record *record = &order->records[delivered++];
        order->waiting -= record->size;
        order->deliver(order->context, (struct text){record->data, record->size}, record->tag);
    }
    order->count -= delivered;
    if (order->count && delivered)
        memmove(order->records, order->records + delivered, order->count * sizeof *order->records);
}

/* Puts the blocks of a round that is over among the free ones. */
static void release_blocks(struct perf_order *order, struct order_block *blocks) {
    while (blocks) {
        struct order_block *next = blocks->next;
        if (blocks->size == BLOCK_SIZE) {
            blocks->next = order->free;
            order->free = blocks;
        } else {
            free(blocks);
        }
        blocks = next;
    }
}

void perf_order_round(struct perf_order *order) {
    deliver_until(order, order->limit);
    order->limit = order->latest;
    release_blocks(order, order->before);
    order->before = order->now;
    order->now = NULL;
}

void perf_order_finish(struct perf_order *order) {
    deliver_until(order, UINT64_MAX);
    order->limit = order->latest;
    release_blocks(order, order->before);
    release_blocks(order, order->now);
    order->before = order->now = NULL;
}

uint64_t perf_order_waiting(const struct perf_order *order) {
    return order->waiting;
}

static void free_blocks(struct order_block *blocks) {
    while (blocks) {
        struct order_block *next = blocks->next;
        free(blocks);
        blocks = next;
    }
}

void perf_order_close(struct perf_order *order) {
    if (!order)
        return;
    free_blocks(order->now);
    free_blocks(order->before);
    free_blocks(order->free);
    free(order->records);
    free(order->spare);
    free(order->runs);
    free(order);
}
