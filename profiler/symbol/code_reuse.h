// SPDX-License-Identifier: MIT
/*
 * How many samples are named by lines of a perf map that took the place of others.
 *
 * A perf map has no times: where code was freed and other code put at its address, the last line
 * names all samples there, those of the older code too. Few lines can be behind many samples, so
 * samples are counted and not lines.
 */
#ifndef TICKFLAME_PROFILER_SYMBOL_CODE_REUSE_H
#define TICKFLAME_PROFILER_SYMBOL_CODE_REUSE_H

#include <stddef.h>
#include <stdint.h>

#include "fold/model/profile.h"

/* What is known of a frame; to be combined. */
enum code_mark {
    CODE_COMPILED = 1, /* it is code that a perf map names */
    CODE_REPLACED = 2, /* and its name may be that of code that came later */
};

/*
 * Adds the warning "perf-map-reused" to `profile` when of the samples with a CODE_COMPILED frame in
 * their stack more than 5 % have a CODE_REPLACED one. `marks` has a byte for each row of the
 * profile's frame table.
 */
void code_reuse_tell(struct profile *profile, const uint8_t *marks);

#endif
