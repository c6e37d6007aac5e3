// SPDX-License-Identifier: MIT
#include "profiler/symbol/code_reuse.h"

#include <stdlib.h>

#include "fold/base/memory.h"

/* The share of the samples, in percent, above which the reader must know. */
enum { SHARE_TOLD = 5 };

void code_reuse_tell(struct profile *profile, const uint8_t *marks) {
    const struct stack_table *stacks = &profile->stacks;
    uint64_t compiled = 0, replaced = 0;
    /* A caller's row comes before the rows of what it calls. */
    uint8_t *seen = memory_allocate_zero(stacks->size + 1, 1);
    for (size_t row = 1; row < stacks->size; row++)
        seen[row] = seen[stacks->parents[row]] | marks[stacks->frames[row]];
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct sample *sample = &profile->samples[i];
        uint8_t mark = seen[sample->stack.index];
        compiled += mark & CODE_COMPILED ? sample->count : 0;
        replaced += mark & CODE_REPLACED ? sample->count : 0;
    }
    free(seen);
    if (replaced == 0 || (double)replaced <= (double)compiled * SHARE_TOLD / 100)
        return;
    warnings_add(&profile->warnings, "perf-map-reused", 0,
                 "%.0f %% of the samples in compiled code have a function that took the place of "
                 "another one while the process ran: a perf map has no times, so they may have the "
                 "wrong name; tickflame record reads the map while it is valid",
                 100 * (double)replaced / (double)compiled);
}
