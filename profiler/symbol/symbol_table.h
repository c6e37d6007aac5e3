// SPDX-License-Identifier: MIT
/*
 * A symbol table: from an address to the function whose code holds it.
 *
 * Filled by elf_file.h from an ELF file or by symbol_source.h from rows of a symbol file, then
 * finished once, then asked. Addresses are virtual addresses of the file, as `nm` prints them.
 * Names stay where they are, in string tables that the table only refers to; nothing is demangled
 * before somebody asks for a name, so a node binary of 100 MB is loaded in a few hundredths of a
 * second.
 */
#ifndef TICKFLAME_PROFILER_SYMBOL_SYMBOL_TABLE_H
#define TICKFLAME_PROFILER_SYMBOL_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/text.h"

/* How a name is bound: the best one first. */
enum symbol_binding { SYMBOL_GLOBAL, SYMBOL_WEAK, SYMBOL_LOCAL };

/* Where the names of symbols stand: one string table for each source of symbols. */
enum { SYMBOL_STRINGS_MAX = 4 };

/* One symbol: 24 bytes, because a node binary has a quarter of a million of them. */
struct symbol_record {
    uint64_t start;
    uint32_t size; /* bytes; larger ones are cut to 32 bits */
    uint32_t name; /* offset in its string table */
    /* Of the first record at a start, after finishing: the first record at the nearest earlier
     * start whose code reaches this start, or SYMBOL_NO_RECORD. */
    uint32_t enclosing;
    uint8_t strings; /* index of its string table */
    uint8_t binding; /* enum symbol_binding */
    bool unsized;    /* the file gives no size: `size` is the room up to the end of its section */
    bool linkage;    /* an entry of the linkage table: `name` is that of the function it leads to */
};

#define SYMBOL_NO_RECORD UINT32_MAX

/* All zero is an empty table. Owns `records`; the bytes of `strings` belong to the filler. */
struct symbol_table {
    struct symbol_record *records;
    size_t size;
    size_t capacity;
    struct text strings[SYMBOL_STRINGS_MAX]; /* each empty or ending with a NUL byte */
    bool demangled;                          /* the names are demangled already */
};

/*
 * Adds a function. `size` in bytes; with `unsized` the room up to the end of its section, which
 * symbol_table_finish() cuts at the next symbol. A name offset behind the string table, a size of
 * 0, and what is beyond SYMBOL_NO_RECORD records or the 64-bit address space is left out.
 */
void symbol_table_add(struct symbol_table *table, uint64_t start, uint64_t size, bool unsized,
                      enum symbol_binding binding, uint8_t strings, uint64_t name);

/* Adds an entry of the procedure linkage table, `size` bytes long, that leads to the function
 * `name`; its own name is that one and `@plt`. Else as symbol_table_add(). */
void symbol_table_add_linkage(struct symbol_table *table, uint64_t start, uint64_t size,
                              uint8_t strings, uint64_t name);

/*
 * Sorts the table; must be called after the last symbol_table_add() and before symbol_table_find().
 * A symbol without size ends where the next one starts; inside of a sized one it is a label and is
 * left out; at the start of a sized one it is another name of that.
 */
void symbol_table_finish(struct symbol_table *table);

/* The function found for an address. */
struct symbol_match {
    uint64_t start;
    uint64_t size;
    uint32_t first; /* records `first` .. `first + count - 1` are its names */
    uint32_t count;
};

/*
 * The innermost function whose code holds `address`: of those, the one that starts last, and of
 * several sizes at one start the smallest. False: none does.
 */
bool symbol_table_find(const struct symbol_table *table, uint64_t address,
                       struct symbol_match *match);

/* The name of a record as it stands in the file, symbol version included; of an entry of the
 * linkage table that of the function. */
struct text symbol_table_name(const struct symbol_table *table, uint32_t record);

/*
 * The record of the best name of `match`, by this rule: global before weak before
 * local, then one with a size before a label, then fewest leading underscores, then shortest, then
 * bytes, all in the short demangled form without version; then the bytes of the name in the file.
 * At most 256 names are compared.
 */
uint32_t symbol_table_best(const struct symbol_table *table, const struct symbol_match *match);

/* Appends a record's name to `out`, without version: as in the file, in the short form, or in the
 * full form (demangle.h); of an entry of the linkage table followed by `@plt`. */
void symbol_table_append_raw(const struct symbol_table *table, uint32_t record, struct buffer *out);
void symbol_table_append_short(const struct symbol_table *table, uint32_t record,
                               struct buffer *out);
void symbol_table_append_full(const struct symbol_table *table, uint32_t record,
                              struct buffer *out);

void symbol_table_free(struct symbol_table *table);

#endif
