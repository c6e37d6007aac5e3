// SPDX-License-Identifier: MIT
/*
 * The functions of the running kernel, as /proc/kallsyms lists them.
 *
 * A line of kallsyms is `ADDRESS TYPE NAME`, for functions of modules followed by a tab and
 * `[MODULE]`; functions are the types t T w W. There are no sizes: a function ends where the next
 * one starts, the last one of a module at the latest on the page behind it. To readers without the
 * right to see addresses all of them are shown as 0.
 */
#ifndef TICKFLAME_PROFILER_SYMBOL_KERNEL_SYMBOLS_H
#define TICKFLAME_PROFILER_SYMBOL_KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/hash_index.h"
#include "fold/base/text.h"

/* A function: 16 bytes. */
struct kernel_symbol {
    uint64_t start;
    uint32_t name;   /* offset in `names`, where it ends with a NUL byte */
    uint16_t module; /* number of the module, from 1; 0 = the kernel itself */
    char type;       /* as in kallsyms */
};

/* All zero is an empty table. To be freed with kernel_symbols_free(). */
struct kernel_symbols {
    struct kernel_symbol *symbols; /* in order of their addresses once read */
    size_t size, capacity;
    struct buffer names;
    uint32_t *modules; /* their names, with brackets: offsets in `names` */
    size_t module_count, module_capacity;
    bool hidden;         /* every address was shown as 0 */
    uint64_t text_start; /* of `_text`, or else of `_stext`; 0 = not in the list */
};

/* Fills the empty table from the text of a kallsyms file. Lines of another form are left out. */
void kernel_symbols_parse(struct kernel_symbols *symbols, struct text text);

/*
 * Fills the empty table from /proc/kallsyms. Returns NULL, or why there are no names, in words that
 * fit behind "kernel functions have no names: "; a constant.
 */
const char *kernel_symbols_read(struct kernel_symbols *symbols);

/*
 * The best name of the function that holds `address`, and the name of its module in brackets, empty
 * for the kernel itself. Of several names at one address: global before weak before local, then
 * fewest leading underscores, then shortest, then bytes. False: no function does.
 */
bool kernel_symbols_find(const struct kernel_symbols *symbols, uint64_t address, struct text *name,
                         struct text *module);

/*
 * As kernel_symbols_find() for the byte in front of a return address. The padding in front of a
 * function X, which the list calls `__pfx_X`, holds no call: the address was that of an interrupted
 * instruction, and the function that begins behind the byte is meant.
 */
bool kernel_symbols_find_called(const struct kernel_symbols *symbols, uint64_t address,
                                struct text *name, struct text *module);

void kernel_symbols_free(struct kernel_symbols *symbols);

#endif
