// SPDX-License-Identifier: MIT
/*
 * C++ symbols as a reference version of `node --prof-process` takes them over from `nm`: which rows
 * count, how addresses are shifted, which symbols overlap others and are dropped.
 *
 * The rows are given (symbol_rows.h) instead of running `nm`; `objdump` is taken to print nothing,
 * so nothing is adjusted.
 */
#ifndef TICKFLAME_PROFILER_TRACE_REFERENCE_SYMBOLS_H
#define TICKFLAME_PROFILER_TRACE_REFERENCE_SYMBOLS_H

#include "profiler/symbol/symbol_rows.h"
#include "profiler/trace/v8log_code.h"

/* Called for each symbol that was added, with its row. */
typedef void reference_symbol_added(void *context, uint32_t row);

/*
 * Adds the symbols of a library mapped at [start, end), whose record gave `slide`, to the exact
 * rules' symbols of `code`.
 */
void reference_symbols_add(struct v8log_code *code, const struct symbol_rows *rows,
                           struct text path, uint64_t start, uint64_t end, uint64_t slide,
                           reference_symbol_added *added, void *context);

#endif
