// SPDX-License-Identifier: MIT
/*
 * Names of compiled code as V8 gives them to perf tools: in perf maps, in jitdumps, and so in the
 * text of `perf script`.
 *
 * The form is `KIND:MARK NAME FILE:LINE:COLUMN` without the blank behind the mark, for instance
 * `JS:*handler /srv/app.js:12:3`. Node 10 to 18 write `LazyCompile:`, `Function:`, `Script:` and
 * `Eval:` where later ones write `JS:`, and no column; these kinds are the same here, so that a
 * function is one function. Functions of WebAssembly have the same kinds, no mark and no place, but
 * their number and mostly their compiler (`JS:fib-3-turbofan`). `RegExp:SOURCE` (from Node 24 on
 * `RegExp.> src: 'SOURCE' flags: 'g'`), `Builtin:NAME`, `BytecodeHandler:NAME`, `Stub:NAME` and
 * `Handler:NAME` are told apart; anything else is a name as it stands. The forms are those of
 * perf maps that Node 10 to 26 wrote.
 */
#ifndef TICKFLAME_FOLD_MODEL_PERF_NAME_H
#define TICKFLAME_FOLD_MODEL_PERF_NAME_H

#include <stdbool.h>

#include "fold/model/profile.h"

/* Takes the kind of a script's function (`JS:` and those of older versions) off the front of *name.
 * False: another kind, or none. */
bool perf_name_take_kind(struct text *name);

/*
 * The frame that a name of compiled code stands for, with its strings in the tables of `profile`:
 * kind, tier, name, file, line and column. A name in no known form is the frame's whole name, of
 * FRAME_UNKNOWN_KIND.
 */
struct frame perf_name_frame(struct profile *profile, struct text name);

#endif
