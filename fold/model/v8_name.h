// SPDX-License-Identifier: MIT
/*
 * The grammar of V8's names: `FUNCTION FILE:LINE:COLUMN`, as it stands in isolate logs, perf maps
 * and folded stacks made from them.
 *
 * An anonymous function has an empty name, so the text begins with a blank. The file may hold
 * blanks, parentheses and colons, and so may the function. Code of eval() has a place without a
 * file (`evaluated :1:21`).
 */
#ifndef TICKFLAME_FOLD_MODEL_V8_NAME_H
#define TICKFLAME_FOLD_MODEL_V8_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/base/text.h"
#include "fold/model/frame_table.h"

/* The parts of a name: views into the parsed text. */
struct v8_name {
    struct text function; /* empty: anonymous */
    struct text file;     /* without `file://`; empty: none */
    uint32_t line;        /* from 1; 0 = not given */
    uint32_t column;      /* from 1; 0 = not given */
};

/*
 * Splits `text`. Returns true when it ends in a place (`:LINE:COLUMN`, or `FILE:LINE`); otherwise
 * all of it is the function, and the file is empty.
 */
bool v8_name_parse(struct text text, struct v8_name *name);

/*
 * The tier that a mark of V8 names: "~", "^", "+", "*", and those with the prefix `o` (entered
 * while running) or the suffix `'` (made for one context). Empty: FRAME_NO_TIER; anything else:
 * FRAME_OTHER_TIER.
 */
enum frame_tier v8_tier_parse(struct text mark);

/*
 * Takes the mark of a tier off the front of *name, if one stands there, and returns its tier. Of
 * the marks with the prefix `o` only those that V8 writes, `o*` and `o+`, count.
 */
enum frame_tier v8_tier_take(struct text *name);

/* Removes `file://` from the front of a script's URL. */
struct text v8_file_strip(struct text file);

#endif
