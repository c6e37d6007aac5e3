// SPDX-License-Identifier: MIT
/*
 * The places in code that native_names.h gives numbers to, each distinct one once; and a cache from
 * the addresses of processes to these numbers.
 */
#ifndef TICKFLAME_PROFILER_SYMBOL_LOCATION_TABLE_H
#define TICKFLAME_PROFILER_SYMBOL_LOCATION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/hash_index.h"
#include "fold/model/frame_table.h"

/* A place in code. */
struct location {
    uint64_t value;        /* offset in a file; entry of a perf map; address of the kernel */
    uint32_t owner;        /* number of the file, of the map, or of a process without entry */
    uint32_t mapping;      /* in a file: the mapping of the first address that was located here */
    uint8_t kind;          /* enum location_kind */
    bool has_entry;        /* compiled code with an entry of a perf map */
    struct frame_id frame; /* 0 = not asked for yet */
};

/* All zero is an empty table. */
struct location_table {
    struct location *locations; /* by number - 1 */
    size_t count, capacity;
    struct hash_index index;
};

/* The number, from 1, of the place that `wanted` describes with all but `mapping` and `frame`. */
uint32_t location_table_intern(struct location_table *table, const struct location *wanted);

void location_table_free(struct location_table *table);

/* Answers by address and generation: whose answers become wrong gets another generation. There are
 * 2^LOCATION_CACHE_BITS, 16 bytes each, which the second-level cache of a processor holds. An
 * answer has two places side by side; the older one of two makes room. */
enum { LOCATION_CACHE_BITS = 16 };
struct cached_location {
    uint64_t address;
    uint32_t generation; /* 0 = empty */
    uint32_t location;
};

static inline struct cached_location *location_cache_places(struct cached_location *cache,
                                                            uint64_t address, uint32_t generation) {
    uint64_t mixed = (address + ((uint64_t)generation << 32)) * 0x9E3779B97F4A7C15u;
    return &cache[mixed >> (64 - LOCATION_CACHE_BITS) & ~(uint64_t)1];
}

/* The answer; 0 = not known. */
static inline uint32_t location_cache_find(struct cached_location *cache, uint64_t address,
                                           uint32_t generation) {
    const struct cached_location *places = location_cache_places(cache, address, generation);
    if (places[0].address == address && places[0].generation == generation)
        return places[0].location;
    if (places[1].address == address && places[1].generation == generation)
        return places[1].location;
    return 0;
}

static inline void location_cache_put(struct cached_location *cache, uint64_t address,
                                      uint32_t generation, uint32_t location) {
    struct cached_location *places = location_cache_places(cache, address, generation);
    places[1] = places[0];
    places[0] = (struct cached_location){address, generation, location};
}

#endif
