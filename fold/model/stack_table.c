// SPDX-License-Identifier: MIT
#include "fold/model/stack_table.h"

#include <stdlib.h>

#include "fold/base/memory.h"

struct stack_id stack_table_intern(struct stack_table *table, struct stack_id parent,
                                   struct frame_id frame) {
    uint64_t hash = hash_number((uint64_t)parent.index << 32 | frame.index);
    struct hash_probe probe = hash_index_start(&table->index, hash);
    uint32_t row;
    while ((row = hash_index_next(&table->index, &probe)) != 0) {
        if (table->parents[row] == parent.index && table->frames[row] == frame.index)
            return (struct stack_id){row};
    }
    MEMORY_RESERVE(table->parents, table->parents_capacity, table->size + 2);
    MEMORY_RESERVE(table->frames, table->frames_capacity, table->size + 2);
    if (table->size == 0) {
        table->parents[0] = 0;
        table->frames[0] = 0;
        table->size = 1;
    }
    row = (uint32_t)table->size++;
    table->parents[row] = parent.index;
    table->frames[row] = frame.index;
    hash_index_insert(&table->index, hash, row);
    return (struct stack_id){row};
}

struct stack_id stack_table_parent(const struct stack_table *table, struct stack_id stack) {
    return (struct stack_id){table->parents[stack.index]};
}

struct frame_id stack_table_frame(const struct stack_table *table, struct stack_id stack) {
    return (struct frame_id){table->frames[stack.index]};
}

void stack_table_free(struct stack_table *table) {
    free(table->parents);
    free(table->frames);
    hash_index_free(&table->index);
    *table = (struct stack_table){0};
}
