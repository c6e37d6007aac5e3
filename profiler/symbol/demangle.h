// SPDX-License-Identifier: MIT
/*
 * Demangling: names of C++ and Rust functions as people write them, by libiberty.
 *
 * Two forms are used. The full form is what `nm -C` of GNU binutils prints:
 * `node::fs::Read(v8::FunctionCallbackInfo<v8::Value> const&)`. The short form has neither
 * parameters nor return type nor the marks of clones: `node::fs::Read`.
 *
 * A mangled name may stand for a text that is exponentially longer, so results are limited to
 * DEMANGLED_SIZE_MAX bytes; names above libiberty's own limits (1024 bytes; depth) and names whose
 * result is longer count as not mangled, as in `nm -C`. Nothing is cached: a caller that asks for
 * the same name often keeps the answer. Text of names that are demangled already:
 * fold/model/cpp_name.h.
 */
#ifndef TICKFLAME_PROFILER_SYMBOL_DEMANGLE_H
#define TICKFLAME_PROFILER_SYMBOL_DEMANGLE_H

#include <stdbool.h>

#include "fold/base/text.h"

enum { DEMANGLED_SIZE_MAX = 64 * 1024 };

/*
 * Appends the full form of the symbol name `mangled` (without version) to `out`; the name itself
 * when it is not a mangled one. Returns whether it was mangled.
 */
bool demangle_full(struct text mangled, struct buffer *out);

/* As demangle_full() for the short form. */
bool demangle_short(struct text mangled, struct buffer *out);

#endif
