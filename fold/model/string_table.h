// SPDX-License-Identifier: MIT
/*
 * Interned strings: each distinct text once, named by a small number.
 */
#ifndef TICKFLAME_FOLD_MODEL_STRING_TABLE_H
#define TICKFLAME_FOLD_MODEL_STRING_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "fold/base/hash_index.h"
#include "fold/base/memory.h"
#include "fold/base/text.h"

/* A row of a string table; 0 = no string (shown as empty text). */
struct string_id {
    uint32_t index;
};

/* All zero is an empty table. The texts live in the arena that the owner passes. */
struct string_table {
    struct text *texts; /* by index; row 0 is the empty text */
    size_t size;        /* rows, row 0 included; 0 before the first one */
    size_t capacity;
    struct hash_index index;
};

/* The id of `text`; it is copied into `arena` when it is new. An empty text gives id 0. */
struct string_id string_table_intern(struct string_table *table, struct arena *arena,
                                     struct text text);

/* The id of a text that is in the table already; 0 when it is not. */
struct string_id string_table_find(const struct string_table *table, struct text text);

/* The text of an id, followed by a NUL byte that is not counted. */
struct text string_table_text(const struct string_table *table, struct string_id id);

void string_table_free(struct string_table *table);

#endif
