// SPDX-License-Identifier: MIT
/*
 * A hash index: finds rows of a table that the caller keeps in an array.
 *
 * The index holds row numbers (from 1; 0 is "none") with 32 bits of their hash, in one
 * open-addressed array. It knows nothing of the rows: the caller compares. So one implementation
 * serves strings, frames, stacks and addresses. Rows are only added, never removed.
 *
 *     struct hash_probe probe = hash_index_start(&index, hash);
 *     uint32_t row;
 *     while ((row = hash_index_next(&index, &probe)) != 0)
 *         if (rows[row] is the wanted one) return row;
 *     hash_index_insert(&index, hash, new_row);
 */
#ifndef TICKFLAME_FOLD_BASE_HASH_INDEX_H
#define TICKFLAME_FOLD_BASE_HASH_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "fold/base/text.h"

struct hash_slot {
    uint32_t row; /* 0 = free */
    uint32_t tag; /* the high half of the hash */
};

/* All zero is an empty index. Owns `slots`. */
struct hash_index {
    struct hash_slot *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t size;     /* rows held */
};

/* A search under way. */
struct hash_probe {
    size_t slot;
    uint32_t tag;
};

/* A well-mixed hash of bytes, of one number, of two. Stable within a run only. */
uint64_t hash_bytes(const void *data, size_t size);
uint64_t hash_number(uint64_t number);
uint64_t hash_pair(uint64_t a, uint64_t b);

struct hash_probe hash_index_start(const struct hash_index *index, uint64_t hash);

/* The next row whose hash may be the wanted one; 0 when there are no more. */
uint32_t hash_index_next(const struct hash_index *index, struct hash_probe *probe);

/* Adds a row (not 0) under its hash. The caller has made sure that it is not there yet. */
void hash_index_insert(struct hash_index *index, uint64_t hash, uint32_t row);

void hash_index_free(struct hash_index *index);

#endif
