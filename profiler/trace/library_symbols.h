// SPDX-License-Identifier: MIT
/*
 * The bridge from the libraries of an isolate log to the source of symbols.
 */
#ifndef TICKFLAME_PROFILER_TRACE_LIBRARY_SYMBOLS_H
#define TICKFLAME_PROFILER_TRACE_LIBRARY_SYMBOLS_H

#include "profiler/symbol/symbol_source.h"
#include "profiler/trace/v8log_code.h"

/* Which form of a C++ name is used. */
enum library_symbols_form {
    LIBRARY_SYMBOLS_FULL, /* with parameters, as `nm -C` prints it */
    LIBRARY_SYMBOLS_SHORT /* without */
};

/* All zero is unused. Owns nothing. */
struct library_symbols {
    struct symbol_source *source;
    enum library_symbols_form form;
};

/* Makes `code` (tolerant rules) find its symbols in `source`. Both must outlive the use of `code`.
 */
void library_symbols_use(struct library_symbols *symbols, struct symbol_source *source,
                         enum library_symbols_form form, struct v8log_code *code);

/* The library of the source that is mapped at [start, end) under this path; NULL: too many. */
const struct symbol_library *library_symbols_library(struct symbol_source *source, struct text path,
                                                     uint64_t start, uint64_t end);

#endif
