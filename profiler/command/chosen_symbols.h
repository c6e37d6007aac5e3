// SPDX-License-Identifier: MIT
/*
 * The symbols that the command line chooses: --symbols, --no-symbols, --target-root, --apply-to.
 */
#ifndef TICKFLAME_PROFILER_COMMAND_CHOSEN_SYMBOLS_H
#define TICKFLAME_PROFILER_COMMAND_CHOSEN_SYMBOLS_H

#include "profiler/symbol/symbol_source.h"

/* All zero is nothing. */
struct chosen_symbols {
    struct symbol_rows rows; /* of --symbols */
    struct symbol_source *source;
};

/*
 * Opens the source of symbols; `symbols_file` is read with SYMBOLS_FROM_ROWS. Strings may be NULL.
 * False: the rows cannot be read, or `apply_to` is no program. To be closed in any case.
 */
bool chosen_symbols_open(struct chosen_symbols *chosen, enum symbol_mode mode,
                         const char *symbols_file, const char *target_root, const char *apply_to,
                         struct warnings *warnings, struct error *error);
void chosen_symbols_close(struct chosen_symbols *chosen);

#endif
