// SPDX-License-Identifier: MIT
#include "profiler/symbol/address_map.h"

#include <stdlib.h>
#include <string.h>

#include "fold/base/hash_index.h"
#include "fold/base/memory.h"

enum { BLOCK_ROOM = 128 };

struct address_block {
    size_t size;
    uint64_t starts[BLOCK_ROOM]; /* ascending */
    uint32_t values[BLOCK_ROOM];
};

/* The number of blocks whose first key is not above `address`. */
static size_t blocks_up_to(const struct address_map *map, uint64_t address) {
    size_t low = 0, high = map->size;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->blocks[middle]->starts[0] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The number of keys of a block that are not above `address`. */
static size_t keys_up_to(const struct address_block *block, uint64_t address) {
    size_t low = 0, high = block->size;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (block->starts[middle] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool address_map_floor(const struct address_map *map, uint64_t address,
                       struct address_entry *entry) {
    size_t count = blocks_up_to(map, address);
    if (count == 0)
        return false;
    const struct address_block *block = map->blocks[count - 1];
    size_t at = keys_up_to(block, address) - 1;
    *entry = (struct address_entry){block->starts[at], block->values[at]};
    return true;
}

uint32_t address_map_find(const struct address_map *map, uint64_t start) {
    struct address_entry entry;
    return address_map_floor(map, start, &entry) && entry.start == start ? entry.value : 0;
}

static struct address_block *insert_block(struct address_map *map, size_t at) {
    MEMORY_RESERVE(map->blocks, map->capacity, map->size + 1);
    memmove(map->blocks + at + 1, map->blocks + at, (map->size - at) * sizeof *map->blocks);
    map->size++;
    map->blocks[at] = memory_allocate(sizeof(struct address_block));
    map->blocks[at]->size = 0;
    return map->blocks[at];
}

bool address_map_insert(struct address_map *map, uint64_t start, uint32_t value) {
    size_t count = blocks_up_to(map, start);
    size_t at = count == 0 ? 0 : count - 1;
    struct address_block *block = map->size == 0 ? insert_block(map, 0) : map->blocks[at];
    size_t place = keys_up_to(block, start);
    if (place > 0 && block->starts[place - 1] == start)
        return false;
    if (block->size == BLOCK_ROOM) {
        struct address_block *upper = insert_block(map, at + 1);
        size_t half = BLOCK_ROOM / 2;
        upper->size = BLOCK_ROOM - half;
        memcpy(upper->starts, block->starts + half, upper->size * sizeof *upper->starts);
        memcpy(upper->values, block->values + half, upper->size * sizeof *upper->values);
        block->size = half;
        if (place > half) {
            block = upper;
            place -= half;
        }
    }
    size_t behind = block->size - place;
    memmove(block->starts + place + 1, block->starts + place, behind * sizeof *block->starts);
    memmove(block->values + place + 1, block->values + place, behind * sizeof *block->values);
    block->starts[place] = start;
    block->values[place] = value;
    block->size++;
    map->count++;
    return true;
}

uint32_t address_map_remove(struct address_map *map, uint64_t start) {
    size_t count = blocks_up_to(map, start);
    if (count == 0)
        return 0;
    struct address_block *block = map->blocks[count - 1];
    size_t place = keys_up_to(block, start);
    if (place == 0 || block->starts[place - 1] != start)
        return 0;
    uint32_t value = block->values[place - 1];
    size_t behind = block->size - place;
    memmove(block->starts + place - 1, block->starts + place, behind * sizeof *block->starts);
    memmove(block->values + place - 1, block->values + place, behind * sizeof *block->values);
    map->count--;
    if (--block->size == 0) {
        free(block);
        memmove(map->blocks + count - 1, map->blocks + count,
                (map->size - count) * sizeof *map->blocks);
        map->size--;
    }
    return value;
}

/* The value of the range that holds `address`; 0 = none. */
static uint32_t value_at(const struct address_map *map, uint64_t address) {
    struct address_entry entry;
    return address_map_floor(map, address, &entry) ? entry.value : 0;
}

bool address_map_cover(struct address_map *map, uint64_t start, uint64_t end, uint32_t value) {
    if (start >= end)
        return false;
    bool overlaps = value_at(map, start) != 0;
    uint32_t behind = value_at(map, end);
    struct address_entry entry;
    while (address_map_floor(map, end - 1, &entry) && entry.start >= start) {
        overlaps |= entry.value != 0;
        address_map_remove(map, entry.start);
    }
    /* A key is needed where the value changes; one at `end` may be there already. */
    if (value_at(map, start) != value)
        address_map_insert(map, start, value);
    if (behind != value)
        address_map_insert(map, end, behind);
    return overlaps;
}

/* The blocks of the copy are full, whatever removing has left of the others: the room that it takes
 * is that of its keys. */
void address_map_copy(struct address_map *copy, const struct address_map *map) {
    *copy = (struct address_map){.count = map->count};
    MEMORY_RESERVE(copy->blocks, copy->capacity, map->size);
    for (size_t i = 0; i < map->size; i++) {
        const struct address_block *block = map->blocks[i];
        for (size_t copied = 0; copied < block->size;) {
            struct address_block *last = copy->size ? copy->blocks[copy->size - 1] : NULL;
            if (!last || last->size == BLOCK_ROOM) {
                last = memory_allocate(sizeof *last);
                last->size = 0;
                copy->blocks[copy->size++] = last;
            }
            size_t room = BLOCK_ROOM - last->size, left = block->size - copied;
            size_t part = left < room ? left : room;
            memcpy(last->starts + last->size, block->starts + copied, part * sizeof *last->starts);
            memcpy(last->values + last->size, block->values + copied, part * sizeof *last->values);
            last->size += part;
            copied += part;
        }
    }
}

void address_map_free(struct address_map *map) {
    for (size_t i = 0; i < map->size; i++)
        free(map->blocks[i]);
    free(map->blocks);
    *map = (struct address_map){0};
}

/* 2^15 answers of 16 bytes stay in the second-level cache of a processor. */
enum { ANSWER_COUNT = 1 << 15, PART_COUNT = 1 << 12, PART_SHIFT = 14 };

struct address_answer {
    uint64_t address;
    uint32_t answer;
    uint32_t age; /* 0 = empty */
};

static size_t answer_place(uint64_t address) {
    return (address * 0x9E3779B97F4A7C15u) >> 49;
}

static size_t part_place(uint64_t part) {
    return (part * 0x9E3779B97F4A7C15u) >> 52;
}

bool address_cache_find(const struct address_cache *cache, uint64_t address, uint32_t *answer) {
    if (!cache->answers)
        return false;
    const struct address_answer *found = &cache->answers[answer_place(address)];
    if (found->address != address || found->age == 0 ||
        found->age <= cache->changes[part_place(address >> PART_SHIFT)])
        return false;
    *answer = found->answer;
    return true;
}

static void forget_all(struct address_cache *cache) {
    memset(cache->answers, 0, ANSWER_COUNT * sizeof *cache->answers);
    memset(cache->changes, 0, PART_COUNT * sizeof *cache->changes);
    cache->age = 0;
}

void address_cache_put(struct address_cache *cache, uint64_t address, uint32_t answer) {
    if (!cache->answers) {
        cache->answers = memory_allocate_zero(ANSWER_COUNT, sizeof *cache->answers);
        cache->changes = memory_allocate_zero(PART_COUNT, sizeof *cache->changes);
    }
    cache->answers[answer_place(address)] =
        (struct address_answer){address, answer, cache->age + 1};
}

void address_cache_forget(struct address_cache *cache, uint64_t start, uint64_t end) {
    if (!cache->answers)
        return;
    uint64_t last = (end > start ? end - 1 : start) >> PART_SHIFT;
    if (cache->age == UINT32_MAX - 1 || last - (start >> PART_SHIFT) >= PART_COUNT) {
        forget_all(cache);
        return;
    }
    cache->age++;
    for (uint64_t part = start >> PART_SHIFT; part <= last; part++)
        cache->changes[part_place(part)] = cache->age;
}

void address_cache_free(struct address_cache *cache) {
    free(cache->answers);
    free(cache->changes);
    *cache = (struct address_cache){0};
}
