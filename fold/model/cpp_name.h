// SPDX-License-Identifier: MIT
/*
 * The text of names of native functions, C++ ones above all, as symbol tables and other tools give
 * them. Demangling itself is profiler/symbol/demangle.h.
 */
#ifndef TICKFLAME_FOLD_MODEL_CPP_NAME_H
#define TICKFLAME_FOLD_MODEL_CPP_NAME_H

#include "fold/base/text.h"

/*
 * `name` without a symbol version: what stands from the first `@` on, when only characters of a
 * version follow it (`read@@GLIBC_2.2.5`, `memcpy@GLIBC_2.2.5`). A name that starts with `@` stays.
 */
struct text cpp_name_without_version(struct text name);

/*
 * Appends the short form of a name that is demangled already (the full form, without version), as
 * far as its text allows: cut are a return type, the parameters, and all that follows them. A name
 * without parameters is appended unchanged.
 */
void cpp_name_shorten(struct text full, struct buffer *out);

#endif
