// SPDX-License-Identifier: MIT
/*
 * Objects of V8's heap: pointers with their tag, small integers, the type that an object's map
 * says, fields.
 *
 * A pointer to an object (`tagged`) is its address plus a tag in the low bits. The first slot of an
 * object is its map; while the garbage collector moves an object, the new address of it stands
 * there instead, without tag, and is followed. Types of maps are kept for a moment: maps are many
 * objects' and change rarely.
 */
#ifndef TICKFLAME_PROFILER_V8_V8_HEAP_H
#define TICKFLAME_PROFILER_V8_V8_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/v8/v8_memory.h"
#include "profiler/v8/v8_versions.h"

/* What was read longer ago is read again before it is used. */
#define V8_FRESH_NANOSECONDS UINT64_C(20000000)

enum { V8_MAPS_KEPT = 1024 };

struct v8_map_type {
    uint64_t map; /* 0 = empty */
    uint64_t seen;
    uint32_t type;
};

struct v8_heap {
    struct v8_memory memory;
    struct v8_layout layout;
    uint64_t now; /* nanoseconds; set for each stack */
    struct v8_map_type maps[V8_MAPS_KEPT];
};

/* Whether a word is a pointer to an object, weak or not. */
bool v8_is_object(const struct v8_heap *heap, uint64_t word);

/* The address of a field of an object. */
uint64_t v8_field(const struct v8_heap *heap, uint64_t tagged, int32_t offset);

/* The value of a small integer; false: the word is none. */
bool v8_small_integer(const struct v8_heap *heap, uint64_t word, int64_t *value);

/* The type that a map says; false: it cannot be read. */
bool v8_map_type(struct v8_heap *heap, uint64_t map, uint32_t *type);

/* The type of the object *tagged, which is set to where the object is now, without the mark of a
 * weak pointer. False: there is no object. */
bool v8_object_type(struct v8_heap *heap, uint64_t *tagged, uint32_t *type);

/* Whether *tagged is an object of the type, and as v8_object_type(). */
bool v8_object_is(struct v8_heap *heap, uint64_t *tagged, int32_t type);

/* The slot at `offset` of an object. */
bool v8_read_slot(struct v8_heap *heap, uint64_t tagged, int32_t offset, uint64_t *word);

/* The number of elements of an array, and one of its slots. */
bool v8_array_size(struct v8_heap *heap, uint64_t tagged, uint64_t *size);
bool v8_array_slot(struct v8_heap *heap, uint64_t tagged, uint64_t index, uint64_t *word);

#endif
