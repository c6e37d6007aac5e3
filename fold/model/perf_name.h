// SPDX-License-Identifier: MIT
/*
 * Names of compiled code as V8 gives them to perf tools: in perf maps, in jitdumps, and so in the
 * text of `perf script`.
 *
 * The form is `KIND:MARK NAME FILE:LINE:COLUMN` without the blank behind the mark, for instance
 * `JS:*handler /srv/app.js:12:3`. Node 12 to 18 write `LazyCompile:`, `Function:`, `Script:` and
 * `Eval:` where later ones write `JS:`, and no column; these kinds are the same here, so that a
 * function is one function. `RegExp:SOURCE` (from Node 24 on `RegExp.> src: 'SOURCE' flags: 'g'`),
 * `Builtin:NAME`, `BytecodeHandler:NAME`, `Stub:`, `Handler:` and wasm names are told apart;
 * anything else is a name as it stands. Names were read in recordings of Node 12 to 26.
 */
#ifndef TICKFLAME_FOLD_MODEL_PERF_NAME_H
#define TICKFLAME_FOLD_MODEL_PERF_NAME_H

#include "fold/model/profile.h"

/*
 * The frame that a name of compiled code stands for, with its strings in the tables of `profile`:
 * kind, tier, name, file, line and column. A name in no known form is the frame's whole name, of
 * FRAME_UNKNOWN_KIND.
 */
struct frame perf_name_frame(struct profile *profile, struct text name);

#endif
