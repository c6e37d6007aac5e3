// SPDX-License-Identifier: MIT
/*
 * Inlined functions: which functions stand at a place of optimised code.
 *
 * A tick in optimised code is one address, whatever was inlined there. The log's `code-source-info`
 * records tell the rest: positions `C<code offset>O<script offset>[I<inlining id>]...`, inlined
 * calls `F<number in the list of functions>O<offset>[I<inlining id of the caller>]...`, and the
 * functions `S0x<address>...`. Format: V8, deps/v8/src/logging/log.cc, CodeLinePosInfo.
 */
#ifndef TICKFLAME_PROFILER_TRACE_V8LOG_INLINE_H
#define TICKFLAME_PROFILER_TRACE_V8LOG_INLINE_H

#include "fold/base/memory.h"
#include "profiler/trace/v8log_process.h"

enum { V8LOG_INLINE_DEPTH_MAX = 64 };

struct v8log_inline_info;

/* The tables of all code that has inlined functions. All zero is empty. */
struct v8log_inline {
    struct arena arena;
    struct v8log_inline_info *infos; /* row 0 is not used */
    size_t size, capacity;
};

/*
 * Takes a record. Functions are looked up in `code` now, since their addresses change. Returns the
 * row for code_entry.source_info; 0 when nothing is inlined or the record makes no sense.
 */
uint32_t v8log_inline_add(struct v8log_inline *table, const struct v8log_code *code,
                          const struct v8log_source_info *info);

/*
 * The inlined functions at `offset` (bytes) of the code of a row, innermost first, without the
 * function that the code belongs to. Stores rows of code entries (0: a function that the log never
 * named) in `functions`, which has room for V8LOG_INLINE_DEPTH_MAX. Returns how many.
 */
size_t v8log_inline_find(const struct v8log_inline *table, uint32_t row, uint64_t offset,
                         uint32_t *functions);

void v8log_inline_free(struct v8log_inline *table);

#endif
