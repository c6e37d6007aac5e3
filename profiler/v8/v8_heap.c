// SPDX-License-Identifier: MIT
#include "profiler/v8/v8_heap.h"

#include "fold/base/hash_index.h"

/* Maps live as long as the code that uses them, as a rule. */
#define MAP_FRESH_NANOSECONDS UINT64_C(1000000000)

enum { WEAK_MARK = 2, ARRAY_SIZE_MOST = 1 << 28 };

bool v8_is_object(const struct v8_heap *heap, uint64_t word) {
    uint64_t tag = (uint64_t)heap->layout.heap_tag;
    return (word & (uint64_t)heap->layout.heap_tag_mask & ~(uint64_t)WEAK_MARK) == tag &&
           word > V8_MEMORY_CHUNK;
}

uint64_t v8_field(const struct v8_heap *heap, uint64_t tagged, int32_t offset) {
    return (tagged & ~(uint64_t)heap->layout.heap_tag_mask) + (uint64_t)(int64_t)offset;
}

bool v8_small_integer(const struct v8_heap *heap, uint64_t word, int64_t *value) {
    uint64_t below = ((uint64_t)1 << heap->layout.smi_shift) - 1;
    if (word & below)
        return false;
    *value = (int64_t)word >> heap->layout.smi_shift;
    return true;
}

bool v8_map_type(struct v8_heap *heap, uint64_t map, uint32_t *type) {
    struct v8_map_type *kept = &heap->maps[hash_number(map) % V8_MAPS_KEPT];
    uint16_t number;
    if (kept->map != map || heap->now - kept->seen > MAP_FRESH_NANOSECONDS) {
        if (!v8_is_object(heap, map) ||
            !v8_memory_read(&heap->memory, v8_field(heap, map, heap->layout.map_type), &number,
                            sizeof number))
            return false;
        *kept = (struct v8_map_type){map, heap->now, number};
    }
    *type = kept->type;
    return true;
}

bool v8_object_type(struct v8_heap *heap, uint64_t *tagged, uint32_t *type) {
    enum { MOVES_MOST = 2 };
    for (int moves = 0; moves <= MOVES_MOST; moves++) {
        uint64_t map;
        *tagged &= ~(uint64_t)WEAK_MARK;
        if (!v8_is_object(heap, *tagged) || !v8_read_slot(heap, *tagged, 0, &map))
            return false;
        if (map & (uint64_t)heap->layout.heap_tag_mask)
            return v8_map_type(heap, map, type);
        *tagged = map | (uint64_t)heap->layout.heap_tag;
    }
    return false;
}

bool v8_object_is(struct v8_heap *heap, uint64_t *tagged, int32_t type) {
    uint32_t own;
    return v8_object_type(heap, tagged, &own) && own == (uint32_t)type;
}

bool v8_read_slot(struct v8_heap *heap, uint64_t tagged, int32_t offset, uint64_t *word) {
    return v8_memory_read_number(&heap->memory, v8_field(heap, tagged, offset), word);
}

bool v8_array_size(struct v8_heap *heap, uint64_t tagged, uint64_t *size) {
    uint64_t word;
    int64_t value;
    if (!v8_is_object(heap, tagged) ||
        !v8_read_slot(heap, tagged, heap->layout.array_length, &word) ||
        !v8_small_integer(heap, word, &value) || value < 0 || value > ARRAY_SIZE_MOST)
        return false;
    *size = (uint64_t)value;
    return true;
}

bool v8_array_slot(struct v8_heap *heap, uint64_t tagged, uint64_t index, uint64_t *word) {
    return index < ARRAY_SIZE_MOST &&
           v8_memory_read_number(&heap->memory,
                                 v8_field(heap, tagged, heap->layout.array_data) +
                                     index * (uint64_t)heap->layout.tagged_size,
                                 word);
}
