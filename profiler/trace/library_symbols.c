// SPDX-License-Identifier: MIT
#include "profiler/trace/library_symbols.h"

const struct symbol_library *library_symbols_library(struct symbol_source *source, struct text path,
                                                     uint64_t start, uint64_t end) {
    /* The log does not say which file is the program; it names it first, and it is called node. */
    struct text name = text_basename(path);
    bool executable = text_equal(name, TEXT("node")) || text_equal(name, TEXT("nodejs")) ||
                      text_equal(name, TEXT("node.exe"));
    return symbol_source_library(source, path, start, end, executable);
}

static bool find(void *context, struct text path, uint64_t start, uint64_t end, uint64_t address,
                 struct code_symbol *found) {
    struct library_symbols *symbols = context;
    const struct symbol_library *library =
        library_symbols_library(symbols->source, path, start, end);
    const struct symbol *symbol =
        library ? symbol_source_find(symbols->source, library, address) : NULL;
    if (!symbol)
        return false;
    *found = (struct code_symbol){.start = symbol->start,
                                  .size = symbol->end - symbol->start,
                                  .name = symbols->form == LIBRARY_SYMBOLS_FULL ? symbol->full
                                                                                : symbol->name};
    return true;
}

void library_symbols_use(struct library_symbols *symbols, struct symbol_source *source,
                         enum library_symbols_form form, struct v8log_code *code) {
    *symbols = (struct library_symbols){source, form};
    code->find_symbol = find;
    code->find_symbol_context = symbols;
}
