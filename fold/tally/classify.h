// SPDX-License-Identifier: MIT
/*
 * What a frame is: kind, origin and package, decided here for all inputs alike.
 *
 * Readers give raw names (fold/model/frame_table.h). This is the one place that knows that
 * `node:fs` is Node core, that `/node_modules/@scope/pkg/` is a dependency (the last one wins; pnpm
 * and Yarn paths too), that `Builtins_ArrayMap` is a builtin and in native stacks
 * `Builtins_LdaZeroHandler` a bytecode handler, that `[js unknown]` is JavaScript, that
 * `[kernel.kallsyms]` and `_[k]` mark the kernel, and that `[libc.so.6]` is a library without
 * symbols. What V8 was doing in a native stack as a whole is told in native_stack.h.
 */
#ifndef TICKFLAME_FOLD_TALLY_CLASSIFY_H
#define TICKFLAME_FOLD_TALLY_CLASSIFY_H

#include "fold/base/text.h"
#include "fold/model/profile.h"

/* Where code comes from. */
enum frame_origin {
    ORIGIN_APP,        /* the application's own JavaScript */
    ORIGIN_DEPENDENCY, /* below node_modules */
    ORIGIN_CORE,       /* Node's own JavaScript */
    ORIGIN_V8,         /* builtins, handlers, collector, compilers */
    ORIGIN_NATIVE,     /* Node's own C++, and add-ons */
    ORIGIN_SYSTEM,     /* libc and other libraries, kernel, unknown addresses */
};

struct frame_class {
    enum frame_kind kind; /* never FRAME_UNKNOWN_KIND */
    enum frame_origin origin;
    struct text
        package; /* name of the npm package, a view into the frame's file or module; else empty */
};

/* Decides. The result is valid as long as the profile. */
struct frame_class frame_classify(const struct profile *profile, const struct frame *frame);

/* The npm package that a path lies in, as a view into it; empty when it lies in none. */
struct text path_package(struct text path);

/* Whether a file is one of Node's own scripts: `node:...`, `internal/...`, and the bare names of
 * Node 14 and older such as `fs.js`. */
bool path_is_core(struct text path);

/* The module that one of Node's own scripts holds, as a view into its path: "fs" for both `node:fs`
 * and `fs.js`, "internal/fs/utils" for `node:internal/fs/utils`. Empty when path_is_core() says no.
 */
struct text path_core_module(struct text path);

/* The origin's name in JSON: "app", "dependency", "core", "v8", "native", "system". */
const char *frame_origin_name(enum frame_origin origin);

#endif
