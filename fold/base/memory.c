// SPDX-License-Identifier: MIT
#include "fold/base/memory.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct arena_block {
    struct arena_block *next;
    size_t size;
    alignas(max_align_t) char data[];
};

enum { ARENA_BLOCK_SMALLEST = 64 * 1024, ARENA_BLOCK_LARGEST = 4 * 1024 * 1024 };

static _Noreturn void memory_exhausted(void) {
    /* Nothing here may allocate, so no stdio. */
    static const char message[] = "tickflame: error: out of memory\n";
    ssize_t ignored = write(STDERR_FILENO, message, sizeof message - 1);
    (void)ignored;
    _exit(3);
}

size_t size_add(size_t a, size_t b) {
    size_t sum;
    return __builtin_add_overflow(a, b, &sum) ? SIZE_MAX : sum;
}

size_t size_multiply(size_t a, size_t b) {
    size_t product;
    return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

void *memory_allocate(size_t size) {
    /* No object is larger; saturated sizes are. */
    void *block = size <= PTRDIFF_MAX ? malloc(size ? size : 1) : NULL;
    if (!block)
        memory_exhausted();
    return block;
}

void *memory_allocate_zero(size_t count, size_t size) {
    void *block = calloc(count ? count : 1, size ? size : 1);
    if (!block)
        memory_exhausted();
    return block;
}

void *memory_grow(void *items, size_t *capacity, size_t needed, size_t size) {
    size_t room = size_add(*capacity, *capacity / 2);
    if (room < needed)
        room = needed;
    if (room < 16)
        room = 16;
    void *grown = realloc(items, size_multiply(room, size));
    if (!grown)
        memory_exhausted();
    *capacity = room;
    return grown;
}

static void *arena_take(struct arena *arena, size_t size, size_t alignment) {
    size_t start = size_add(arena->used, alignment - 1) & ~(alignment - 1);
    if (!arena->blocks || start > arena->blocks->size || arena->blocks->size - start < size) {
        /* Blocks grow with the arena, so that a small profile stays small. */
        size_t room = arena->total / 4;
        if (room < ARENA_BLOCK_SMALLEST)
            room = ARENA_BLOCK_SMALLEST;
        if (room > ARENA_BLOCK_LARGEST)
            room = ARENA_BLOCK_LARGEST;
        if (room < size)
            room = size;
        struct arena_block *block = memory_allocate(size_add(sizeof *block, room));
        block->next = arena->blocks;
        block->size = room;
        arena->blocks = block;
        arena->total = size_add(arena->total, room);
        start = 0;
    }
    arena->used = start + size;
    return arena->blocks->data + start;
}

void *arena_allocate(struct arena *arena, size_t size) {
    return arena_take(arena, size, alignof(max_align_t));
}

char *arena_copy_text(struct arena *arena, const char *data, size_t size) {
    char *copy = arena_take(arena, size_add(size, 1), 1);
    if (size)
        memcpy(copy, data, size);
    copy[size] = '\0';
    return copy;
}

void arena_free(struct arena *arena) {
    struct arena_block *block = arena->blocks;
    while (block) {
        struct arena_block *next = block->next;
        free(block);
        block = next;
    }
    *arena = (struct arena){0};
}
