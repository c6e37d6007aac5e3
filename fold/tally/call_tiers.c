// SPDX-License-Identifier: MIT
/*
 * How much of each function ran in which of V8's tiers.
 *
 * A sample counts for the tier of the function's innermost occurrence in its stack. The tree has
 * merged the tiers, so the stacks are walked once more, outwards from their leaves. Formats that
 * know tiers spell out the stack of each sample, so these walks are not longer than the input.
 */
#include <stdlib.h>

#include "fold/tally/call_builder.h"

/* The tiers in which each function was seen, as bits. To be freed with free(). */
static uint8_t *tiers_seen(const struct call_builder *builder, bool *several) {
    uint8_t *seen = memory_allocate_zero(builder->tree->function_count, sizeof *seen);
    *several = false;
    for (size_t i = 1; builder->functions.by_frame && i < builder->profile->frames.size; i++) {
        uint32_t function = builder->functions.by_frame[i];
        seen[function] |= (uint8_t)(1u << builder->profile->frames.frames[i].tier);
        *several |= function != 0 && (seen[function] & (seen[function] - 1)) != 0;
    }
    return seen;
}

/* Adds a sample to the functions that were seen in several tiers. `stamps` holds, by function, the
 * number of the last sample that met it. */
static void add_sample(struct call_builder *builder, const struct sample *sample,
                       const uint8_t *seen, uint32_t *stamps, uint32_t stamp) {
    const struct profile *profile = builder->profile;
    for (uint32_t row = sample->stack.index; row != 0; row = profile->stacks.parents[row]) {
        uint32_t frame = profile->stacks.frames[row];
        uint32_t function = builder->functions.by_frame[frame];
        if ((seen[function] & (seen[function] - 1)) == 0 || stamps[function] == stamp)
            continue;
        stamps[function] = stamp;
        struct weight *tier =
            &builder->tree->functions[function].tiers[profile->frames.frames[frame].tier];
        *tier = weight_add(*tier, sample->weight);
    }
}

void call_builder_count_tiers(struct call_builder *builder) {
    struct call_tree *tree = builder->tree;
    bool several;
    uint8_t *seen = tiers_seen(builder, &several);
    for (size_t i = 1; i < tree->function_count; i++) {
        /* A function of one tier needs no look at the samples. */
        if ((seen[i] & (seen[i] - 1)) == 0 && seen[i] != 0)
            tree->functions[i].tiers[__builtin_ctz(seen[i])] = tree->functions[i].total;
    }
    uint32_t *stamps = memory_allocate_zero(tree->function_count, sizeof *stamps);
    for (size_t i = 0; several && i < builder->placed_count; i++) {
        const struct placed_sample *placed = &builder->placed[i];
        if (tree->functions[tree->nodes[placed->node].function].kind != FRAME_GC)
            add_sample(builder, &builder->profile->samples[placed->sample], seen, stamps,
                       (uint32_t)(i + 1));
    }
    free(stamps);
    free(seen);
}
