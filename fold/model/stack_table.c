// SPDX-License-Identifier: MIT
#include "fold/model/stack_table.h"

#include <stdlib.h>

#include "fold/base/hash_index.h"
#include "fold/base/memory.h"

static size_t slot_of(const struct stack_table *table, uint32_t parent, uint32_t frame) {
    return hash_number((uint64_t)parent << 32 | frame) & (table->slot_count - 1);
}

/* Doubles the slots; at most three quarters of them are used. */
static void grow_slots(struct stack_table *table) {
    struct stack_slot *old = table->slots;
    size_t old_count = table->slot_count;
    table->slot_count = old_count ? size_multiply(old_count, 2) : 256;
    table->slots = memory_allocate_zero(table->slot_count, sizeof *table->slots);
    for (size_t i = 0; i < old_count; i++) {
        if (old[i].row == 0)
            continue;
        size_t at = slot_of(table, old[i].parent, old[i].frame);
        while (table->slots[at].row != 0)
            at = (at + 1) & (table->slot_count - 1);
        table->slots[at] = old[i];
    }
    free(old);
}

static uint32_t add_row(struct stack_table *table, uint32_t parent, uint32_t frame) {
    MEMORY_RESERVE(table->parents, table->parents_capacity, table->size + 1);
    MEMORY_RESERVE(table->frames, table->frames_capacity, table->size + 1);
    MEMORY_RESERVE(table->first_children, table->first_children_capacity, table->size + 1);
    uint32_t row = (uint32_t)table->size++;
    table->parents[row] = parent;
    table->frames[row] = frame;
    table->first_children[row] = (struct stack_child){0};
    return row;
}

struct stack_id stack_table_intern(struct stack_table *table, struct stack_id parent,
                                   struct frame_id frame) {
    if (table->size == 0)
        (void)add_row(table, 0, 0);
    struct stack_child first = table->first_children[parent.index];
    if (first.row == 0) {
        uint32_t row = add_row(table, parent.index, frame.index);
        table->first_children[parent.index] = (struct stack_child){row, frame.index};
        return (struct stack_id){row};
    }
    if (first.frame == frame.index)
        return (struct stack_id){first.row};
    if (table->slots_used >= table->slot_count / 4 * 3)
        grow_slots(table);
    size_t at = slot_of(table, parent.index, frame.index);
    while (table->slots[at].row != 0) {
        if (table->slots[at].parent == parent.index && table->slots[at].frame == frame.index)
            return (struct stack_id){table->slots[at].row};
        at = (at + 1) & (table->slot_count - 1);
    }
    uint32_t row = add_row(table, parent.index, frame.index);
    table->slots[at] = (struct stack_slot){row, parent.index, frame.index};
    table->slots_used++;
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
    free(table->first_children);
    free(table->slots);
    *table = (struct stack_table){0};
}
