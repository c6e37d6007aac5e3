// SPDX-License-Identifier: MIT
#include "profiler/symbol/location_table.h"

#include <stdlib.h>

#include "fold/base/memory.h"

uint32_t location_table_intern(struct location_table *table, const struct location *wanted) {
    uint64_t whose = (uint64_t)wanted->owner << 8 | (uint64_t)wanted->kind << 1 | wanted->has_entry;
    uint64_t hash = hash_pair(wanted->value, whose);
    struct hash_probe probe = hash_index_start(&table->index, hash);
    uint32_t number;
    while ((number = hash_index_next(&table->index, &probe)) != 0) {
        const struct location *known = &table->locations[number - 1];
        if (known->value == wanted->value && known->owner == wanted->owner &&
            known->kind == wanted->kind && known->has_entry == wanted->has_entry)
            return number;
    }
    MEMORY_RESERVE(table->locations, table->capacity, table->count + 1);
    table->locations[table->count++] = *wanted;
    hash_index_insert(&table->index, hash, (uint32_t)table->count);
    return (uint32_t)table->count;
}

void location_table_free(struct location_table *table) {
    free(table->locations);
    hash_index_free(&table->index);
    *table = (struct location_table){0};
}
