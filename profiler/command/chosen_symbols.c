// SPDX-License-Identifier: MIT
#include "profiler/command/chosen_symbols.h"

bool chosen_symbols_open(struct chosen_symbols *chosen, enum symbol_mode mode,
                         const char *symbols_file, const char *target_root, const char *apply_to,
                         struct warnings *warnings, struct error *error) {
    if (mode == SYMBOLS_FROM_ROWS) {
        struct input *input = input_open(symbols_file, 0, error);
        bool read = input && symbol_rows_read(&chosen->rows, input, warnings, error);
        input_close(input);
        if (!read)
            return false;
    }
    chosen->source = symbol_source_open(&(struct symbol_options){
        .mode = mode, .rows = &chosen->rows, .target_root = target_root, .apply_to = apply_to});
    return true;
}

void chosen_symbols_close(struct chosen_symbols *chosen) {
    symbol_source_close(chosen->source);
    symbol_rows_free(&chosen->rows);
    *chosen = (struct chosen_symbols){0};
}
