// SPDX-License-Identifier: MIT
// Fuzz target: an ELF file of a stranger, its functions looked up at every place where one starts
// or ends, with the names of those found.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "profiler/symbol/elf_file.h"
#include "profiler/symbol/elf_linkage.h"
#include "profiler/symbol/symbol_table.h"

enum { ADDRESSES_MAX = 200 };

static void ask(const struct symbol_table *table, uint64_t address, struct buffer *names) {
    struct symbol_match match;
    if (!symbol_table_find(table, address, &match))
        return;
    if (address < match.start || address - match.start >= match.size || match.count == 0 ||
        match.first + match.count > table->size)
        abort();
    uint32_t best = symbol_table_best(table, &match);
    if (best < match.first || best - match.first >= match.count)
        abort();
    buffer_clear(names);
    symbol_table_append_raw(table, best, names);
    symbol_table_append_full(table, best, names);
    symbol_table_append_short(table, best, names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct elf_file file;
    struct error error = {0};
    if (!elf_file_open_bytes(&file, (struct text){(const char *)data, size}, &error))
        return 0;
    struct symbol_table table = {0};
    struct buffer names = {0};
    elf_file_add_symbols(&file, &table, 0);
    elf_linkage_add_symbols(&file, &table, 0);
    symbol_table_finish(&table);
    for (size_t i = 0; i < table.size && i < ADDRESSES_MAX; i++) {
        ask(&table, table.records[i].start, &names);
        ask(&table, table.records[i].start + table.records[i].size, &names);
    }
    for (size_t i = 0; i < file.segment_count; i++) {
        uint64_t address;
        uint64_t end = file.segments[i].offset + file.segments[i].size;
        if (file.segments[i].size > 0 && !elf_file_address(&file, end - 1, &address))
            abort();
        (void)elf_file_segment_ends(&file, end);
    }
    buffer_free(&names);
    symbol_table_free(&table);
    elf_file_close(&file);
    return 0;
}
