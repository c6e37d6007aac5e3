// SPDX-License-Identifier: MIT
/*
 * Memory: allocation that cannot fail halfway, arenas, and overflow-safe growth.
 *
 * When the system has no memory left, one sentence is printed and the process ends with status 3
 * at once: no half-written output can remain, because output files get their name only when they
 * are complete (output.h). So no function of this header returns NULL.
 *
 * Sizes that come from input must be limited by the reader before they come here.
 */
#ifndef TICKFLAME_FOLD_BASE_MEMORY_H
#define TICKFLAME_FOLD_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* a + b and a * b, or SIZE_MAX when that does not fit. */
size_t size_add(size_t a, size_t b);
size_t size_multiply(size_t a, size_t b);

/* `size` bytes, not initialised (`memory_allocate`) or zero (`memory_allocate_zero`). To be freed
 * with free(). A size of 0 is allowed and gives a pointer that can be freed. */
void *memory_allocate(size_t size);
void *memory_allocate_zero(size_t count, size_t size);

/*
 * Makes room in a growable array. `items` is the old block or NULL, `*capacity` its room in items,
 * `needed` the room asked for, `size` bytes an item. Returns the block, moved or not; the room
 * grows by half at least, so appending costs constant time on average.
 */
void *memory_grow(void *items, size_t *capacity, size_t needed, size_t size);

/* memory_grow() for an array `items` with the members `capacity` (size_t). */
#define MEMORY_RESERVE(items, capacity, needed)                                                    \
    do {                                                                                           \
        if ((needed) > (capacity))                                                                 \
            (items) = memory_grow((items), &(capacity), (needed), sizeof *(items));                \
    } while (0)

/* A block of an arena. */
struct arena_block;

/* Memory that is given back all at once. All zero is an empty arena. */
struct arena {
    struct arena_block *blocks; /* the newest first */
    size_t used;                /* bytes used in the newest block */
    size_t total;               /* bytes held by all blocks */
};

/* `size` bytes that live until arena_free(), aligned for any type, not initialised. */
void *arena_allocate(struct arena *arena, size_t size);

/* A copy of `size` bytes followed by a NUL, not aligned. */
char *arena_copy_text(struct arena *arena, const char *data, size_t size);

/* Gives everything back; the arena is empty and usable afterwards. */
void arena_free(struct arena *arena);

#endif
