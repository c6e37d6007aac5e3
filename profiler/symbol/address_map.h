// SPDX-License-Identifier: MIT
/*
 * An ordered map from start addresses to small numbers, for "which code holds this address".
 *
 * Keys are unique. Values are the caller's row numbers (not 0). The keys lie in sorted blocks of
 * bounded size, so insertion moves little and a search touches few cache lines. On top of that a
 * cache remembers what single addresses resolved to: return addresses repeat by the million, while
 * code comes and goes. A change of the map makes only the cached answers of its own part of the
 * address space stale.
 *
 * A map can also hold ranges that do not overlap: a key at each start, and a key with the value 0
 * where a range ends and no other begins (address_map_cover).
 */
#ifndef TICKFLAME_PROFILER_SYMBOL_ADDRESS_MAP_H
#define TICKFLAME_PROFILER_SYMBOL_ADDRESS_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct address_block;

/* One key and its value. */
struct address_entry {
    uint64_t start;
    uint32_t value;
};

/* All zero is an empty map. To be freed with address_map_free(). */
struct address_map {
    struct address_block **blocks; /* in order of their keys */
    size_t size, capacity;
    uint64_t count; /* keys */
};

/* The value at exactly this key; 0 = none. */
uint32_t address_map_find(const struct address_map *map, uint64_t start);

/* The entry with the greatest key that is not above `address`. False: there is none. */
bool address_map_floor(const struct address_map *map, uint64_t address,
                       struct address_entry *entry);

/* Adds a key. False: it is there already, and keeps its old value. */
bool address_map_insert(struct address_map *map, uint64_t start, uint32_t value);

/* Removes a key; its value, or 0 when it was not there. */
uint32_t address_map_remove(struct address_map *map, uint64_t start);

/*
 * Gives the range [start, end) the value `value`; 0 empties it. It takes the place of what it
 * overlaps; of a range that it overlaps in part the rest stays. An empty range changes nothing.
 * Returns whether any part of it had a value before. For maps that are filled by nothing else.
 */
bool address_map_cover(struct address_map *map, uint64_t start, uint64_t end, uint32_t value);

/* Makes `copy`, an empty map, one with the same keys. */
void address_map_copy(struct address_map *copy, const struct address_map *map);

void address_map_free(struct address_map *map);

/* The cache: answers by address, with the age of the answer. */
struct address_cache {
    struct address_answer *answers; /* NULL until the first answer */
    uint32_t *changes;              /* by part of the address space: the age of its last change */
    uint32_t age;                   /* counts changes */
};

/* An answer is whatever the caller stores: 0 for "nothing is there". False: not known. */
bool address_cache_find(const struct address_cache *cache, uint64_t address, uint32_t *answer);
void address_cache_put(struct address_cache *cache, uint64_t address, uint32_t answer);

/* Makes all answers for addresses in [start, end) stale. */
void address_cache_forget(struct address_cache *cache, uint64_t start, uint64_t end);

void address_cache_free(struct address_cache *cache);

#endif
