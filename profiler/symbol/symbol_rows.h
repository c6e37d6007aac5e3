// SPDX-License-Identifier: MIT
/*
 * Symbols given as rows of text instead of ELF files (`--symbols FILE`).
 *
 * Each line is `library TAB table TAB address TAB size TAB type TAB name`: the path of a library as
 * the recording names it; which of its tables the row is from (`nm`: the symbol table, `dyn`: the
 * dynamic one, `debug`: that of its separate debug file); then what `nm -C -S` prints: a
 * virtual address and a size in hexadecimal digits (the size may be empty: none), the type letter,
 * the demangled name. A first line that names these columns is skipped.
 */
#ifndef TICKFLAME_PROFILER_SYMBOL_SYMBOL_ROWS_H
#define TICKFLAME_PROFILER_SYMBOL_SYMBOL_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/error.h"
#include "fold/base/hash_index.h"
#include "fold/base/input.h"
#include "fold/base/memory.h"
#include "fold/base/text.h"

enum symbol_row_table { SYMBOL_ROWS_NM, SYMBOL_ROWS_DYN, SYMBOL_ROWS_DEBUG, SYMBOL_ROW_TABLES };

struct symbol_row {
    uint64_t address; /* as nm prints it: a virtual address of the file */
    uint64_t size;    /* in bytes; meaningless without has_size */
    bool has_size;
    char type;        /* nm's letter */
    struct text name; /* as it stands in the file; never empty */
};

/* Rows in the order of the file. */
struct symbol_row_list {
    struct symbol_row *rows;
    size_t size;
    size_t capacity;
};

struct symbol_row_library {
    struct text path;
    struct symbol_row_list tables[SYMBOL_ROW_TABLES];
};

/* All zero is empty. Owns everything in it. */
struct symbol_rows {
    struct arena arena;                   /* paths and names */
    struct symbol_row_library *libraries; /* in the order of their first row */
    size_t size;
    size_t capacity;
    struct hash_index index; /* of libraries by path, from 1 */
};

/*
 * Adds all rows of `input`. Lines that are no such rows are counted in `warnings` (kind
 * "symbol-row"); lines above 1 MiB too. False: reading failed, or no line was a row.
 */
bool symbol_rows_read(struct symbol_rows *rows, struct input *input, struct warnings *warnings,
                      struct error *error);

/* The rows of one table of the library at `path`; an empty list when there are none. Valid until
 * more is read. */
const struct symbol_row_list *symbol_rows_of(const struct symbol_rows *rows, struct text path,
                                             enum symbol_row_table table);

void symbol_rows_free(struct symbol_rows *rows);

#endif
