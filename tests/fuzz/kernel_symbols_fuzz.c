// SPDX-License-Identifier: MIT
// Fuzz target: text in the place of /proc/kallsyms; each function of it is found at its start.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "profiler/symbol/kernel_symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct kernel_symbols symbols = {0};
    kernel_symbols_parse(&symbols, (struct text){(const char *)data, size});
    struct text name, module;
    for (size_t i = 0; i < symbols.size; i++) {
        uint64_t start = symbols.symbols[i].start;
        if ((i > 0 && symbols.symbols[i - 1].start > start) ||
            !kernel_symbols_find(&symbols, start, &name, &module) || name.size == 0)
            abort();
        if (start > 0)
            (void)kernel_symbols_find(&symbols, start - 1, &name, &module);
    }
    (void)kernel_symbols_find(&symbols, UINT64_MAX, &name, &module);
    kernel_symbols_free(&symbols);
    return 0;
}
