// SPDX-License-Identifier: MIT
#include "fold/model/string_table.h"

#include <stdlib.h>

struct string_id string_table_find(const struct string_table *table, struct text text) {
    struct hash_probe probe = hash_index_start(&table->index, hash_bytes(text.data, text.size));
    uint32_t row;
    while ((row = hash_index_next(&table->index, &probe)) != 0) {
        if (text_equal(table->texts[row], text))
            return (struct string_id){row};
    }
    return (struct string_id){0};
}

struct string_id string_table_intern(struct string_table *table, struct arena *arena,
                                     struct text text) {
    if (text.size == 0)
        return (struct string_id){0};
    uint64_t hash = hash_bytes(text.data, text.size);
    struct hash_probe probe = hash_index_start(&table->index, hash);
    uint32_t row;
    while ((row = hash_index_next(&table->index, &probe)) != 0) {
        if (text_equal(table->texts[row], text))
            return (struct string_id){row};
    }
    MEMORY_RESERVE(table->texts, table->capacity, table->size + 2);
    if (table->size == 0)
        table->texts[table->size++] = TEXT("");
    row = (uint32_t)table->size++;
    table->texts[row] = (struct text){arena_copy_text(arena, text.data, text.size), text.size};
    hash_index_insert(&table->index, hash, row);
    return (struct string_id){row};
}

struct text string_table_text(const struct string_table *table, struct string_id id) {
    return id.index == 0 ? TEXT("") : table->texts[id.index];
}

void string_table_free(struct string_table *table) {
    free(table->texts);
    hash_index_free(&table->index);
    *table = (struct string_table){0};
}
