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
 * the same name often keeps the answer.
 */
#ifndef TICKFLAME_PROFILER_SYMBOL_DEMANGLE_H
#define TICKFLAME_PROFILER_SYMBOL_DEMANGLE_H

#include <stdbool.h>

#include "fold/base/text.h"

enum { DEMANGLED_SIZE_MAX = 64 * 1024 };

/*
 * `name` without a symbol version: what stands from the first `@` on, when only characters of a
 * version follow it (`read@@GLIBC_2.2.5`, `memcpy@GLIBC_2.2.5`). A name that starts with `@` stays.
 */
struct text demangle_without_version(struct text name);

/*
 * Appends the full form of the symbol name `mangled` (without version) to `out`; the name itself
 * when it is not a mangled one. Returns whether it was mangled.
 */
bool demangle_full(struct text mangled, struct buffer *out);

/* As demangle_full() for the short form. */
bool demangle_short(struct text mangled, struct buffer *out);

/*
 * Appends the short form of a name that is demangled already (the full form, without version), as
 * far as its text allows: cut are a return type, the parameters, and all that follows them. A name
 * without parameters is appended unchanged.
 */
void demangle_shorten(struct text full, struct buffer *out);

#endif
