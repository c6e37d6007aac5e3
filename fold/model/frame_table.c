// SPDX-License-Identifier: MIT
#include "fold/model/frame_table.h"

#include <stdlib.h>

static bool frame_equal(const struct frame *a, const struct frame *b) {
    return a->name.index == b->name.index && a->file.index == b->file.index && a->line == b->line &&
           a->column == b->column && a->module.index == b->module.index && a->kind == b->kind &&
           a->tier == b->tier && a->inlined == b->inlined;
}

static uint64_t frame_hash(const struct frame *frame) {
    uint64_t place = (uint64_t)frame->line << 32 | frame->column;
    uint64_t names = (uint64_t)frame->name.index << 32 | frame->file.index;
    uint64_t rest = (uint64_t)frame->module.index << 32 | (uint64_t)frame->kind << 16 |
                    (uint64_t)frame->tier << 8 | frame->inlined;
    return hash_pair(hash_pair(names, place), rest);
}

struct frame_id frame_table_intern(struct frame_table *table, const struct frame *frame) {
    uint64_t hash = frame_hash(frame);
    struct hash_probe probe = hash_index_start(&table->index, hash);
    uint32_t row;
    while ((row = hash_index_next(&table->index, &probe)) != 0) {
        if (frame_equal(&table->frames[row], frame))
            return (struct frame_id){row};
    }
    MEMORY_RESERVE(table->frames, table->capacity, table->size + 2);
    if (table->size == 0)
        table->frames[table->size++] = (struct frame){0};
    row = (uint32_t)table->size++;
    table->frames[row] = *frame;
    hash_index_insert(&table->index, hash, row);
    return (struct frame_id){row};
}

const struct frame *frame_table_get(const struct frame_table *table, struct frame_id id) {
    return &table->frames[id.index];
}

void frame_table_free(struct frame_table *table) {
    free(table->frames);
    hash_index_free(&table->index);
    *table = (struct frame_table){0};
}

const char *frame_kind_name(enum frame_kind kind) {
    static const char *const names[FRAME_KIND_COUNT] = {
        [FRAME_UNKNOWN_KIND] = "unaccounted",
        [FRAME_JAVASCRIPT] = "javascript",
        [FRAME_BUILTIN] = "builtin",
        [FRAME_REGEXP] = "regexp",
        [FRAME_WASM] = "wasm",
        [FRAME_BYTECODE] = "bytecode",
        [FRAME_CPP] = "cpp",
        [FRAME_ADDON] = "addon",
        [FRAME_LIBRARY] = "library",
        [FRAME_KERNEL] = "kernel",
        [FRAME_GC] = "gc",
        [FRAME_COMPILER] = "compiler",
        [FRAME_WAITING] = "waiting",
        [FRAME_UNACCOUNTED] = "unaccounted",
    };
    return names[kind];
}

const char *frame_tier_mark(enum frame_tier tier) {
    static const char *const marks[FRAME_TIER_COUNT] = {"", "~", "^", "+", "*", "?"};
    return marks[tier];
}
