// SPDX-License-Identifier: MIT
#include "profiler/command/chosen_symbols.h"

#include <inttypes.h>

#include "profiler/symbol/elf_file.h"

/* Reads the rows; what is wrong with them is said with their file's name. */
static bool read_rows(struct symbol_rows *rows, const char *path, struct warnings *warnings,
                      struct error *error) {
    struct warnings found = {0};
    struct input *input = input_open(path, 0, error);
    bool read = input && symbol_rows_read(rows, input, &found, error);
    input_close(input);
    for (size_t i = 0; i < found.size; i++) {
        const struct warning *warning = &found.items[i];
        warnings_add_count(warnings, warning->count, warning->kind, 0,
                           "--symbols %s: line %" PRIu64 ": %s", path, warning->line,
                           warning->text);
    }
    return read;
}

/* A binary that is named but cannot be used is not passed over in silence. */
static bool check_binary(const char *path, struct error *error) {
    struct elf_file file;
    struct error cause = {0};
    if (!elf_file_open(&file, path, &cause))
        return error_set(error, ERROR_INPUT, "--apply-to: %s: %s", path, cause.text);
    elf_file_close(&file);
    return true;
}

bool chosen_symbols_open(struct chosen_symbols *chosen, enum symbol_mode mode,
                         const char *symbols_file, const char *target_root, const char *apply_to,
                         struct warnings *warnings, struct error *error) {
    if (mode == SYMBOLS_FROM_ROWS && !read_rows(&chosen->rows, symbols_file, warnings, error))
        return false;
    if (mode == SYMBOLS_FROM_FILES && apply_to && !check_binary(apply_to, error))
        return false;
    chosen->source = symbol_source_open(&(struct symbol_options){
        .mode = mode, .rows = &chosen->rows, .target_root = target_root, .apply_to = apply_to});
    return true;
}

void chosen_symbols_close(struct chosen_symbols *chosen) {
    symbol_source_close(chosen->source);
    symbol_rows_free(&chosen->rows);
    *chosen = (struct chosen_symbols){0};
}
