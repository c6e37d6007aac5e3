// SPDX-License-Identifier: MIT
#include "fold/base/hash_index.h"

#include <stdlib.h>
#include <string.h>

#include "fold/base/memory.h"

/* Multiply and fold: the 128-bit product mixes every input bit into every output bit. */
static uint64_t mix(uint64_t a, uint64_t b) {
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#define MIX_1 0x9E3779B97F4A7C15u
#define MIX_2 0xD6E8FEB86659FD93u

uint64_t hash_number(uint64_t number) {
    return mix(number ^ MIX_1, MIX_2);
}

uint64_t hash_pair(uint64_t a, uint64_t b) {
    return mix(hash_number(a) ^ b, MIX_1);
}

uint64_t hash_bytes(const void *data, size_t size) {
    const unsigned char *at = data;
    uint64_t hash = size ^ MIX_1;
    uint64_t word;
    for (; size >= 8; size -= 8, at += 8) {
        memcpy(&word, at, 8);
        hash = mix(hash ^ word, MIX_2);
    }
    if (size) {
        word = 0;
        memcpy(&word, at, size);
        hash = mix(hash ^ word, MIX_1);
    }
    return mix(hash, MIX_2);
}

/* Place and tag both come from the high half, the only half that a slot remembers: so the index can
 * grow without asking the caller for hashes again. */
static size_t place(uint32_t tag, size_t capacity) {
    return hash_number(tag) & (capacity - 1);
}

struct hash_probe hash_index_start(const struct hash_index *index, uint64_t hash) {
    uint32_t tag = (uint32_t)(hash >> 32);
    return (struct hash_probe){index->capacity ? place(tag, index->capacity) : 0, tag};
}

uint32_t hash_index_next(const struct hash_index *index, struct hash_probe *probe) {
    if (index->capacity == 0)
        return 0;
    for (;;) {
        const struct hash_slot *slot = &index->slots[probe->slot];
        if (slot->row == 0)
            return 0;
        probe->slot = (probe->slot + 1) & (index->capacity - 1);
        if (slot->tag == probe->tag)
            return slot->row;
    }
}

static void put(struct hash_slot *slots, size_t capacity, struct hash_slot entry) {
    size_t at = place(entry.tag, capacity);
    while (slots[at].row != 0)
        at = (at + 1) & (capacity - 1);
    slots[at] = entry;
}

void hash_index_insert(struct hash_index *index, uint64_t hash, uint32_t row) {
    if (index->size >= index->capacity / 2) {
        size_t capacity = index->capacity ? size_multiply(index->capacity, 2) : 64;
        struct hash_slot *slots = memory_allocate_zero(capacity, sizeof *slots);
        for (size_t i = 0; i < index->capacity; i++) {
            if (index->slots[i].row != 0)
                put(slots, capacity, index->slots[i]);
        }
        free(index->slots);
        index->slots = slots;
        index->capacity = capacity;
    }
    put(index->slots, index->capacity, (struct hash_slot){row, (uint32_t)(hash >> 32)});
    index->size++;
}

void hash_index_free(struct hash_index *index) {
    free(index->slots);
    *index = (struct hash_index){0};
}
