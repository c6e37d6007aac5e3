// SPDX-License-Identifier: MIT
#include "profiler/trace/perf_sums.h"

#include <stdlib.h>

#include "fold/base/hash_index.h"
#include "fold/base/memory.h"

/* The slot of a sum like this one, or the free one where it belongs. A sum that is full is left
 * behind: the next one begins. */
static struct perf_sum *find_slot(const struct perf_sums *sums, const struct perf_sum *like) {
    uint64_t key = (uint64_t)like->row << 32 | (like->thread ^ (uint32_t)like->event << 16);
    size_t at = hash_number(key) & (sums->slot_count - 1);
    for (;; at = (at + 1) & (sums->slot_count - 1)) {
        struct perf_sum *slot = &sums->slots[at];
        if (slot->count == 0 || (slot->row == like->row && slot->thread == like->thread &&
                                 slot->event == like->event && slot->count < UINT32_MAX))
            return slot;
    }
}

/* Doubles the slots; at most half of them are used. */
static void grow(struct perf_sums *sums) {
    struct perf_sums old = *sums;
    sums->slot_count = old.slot_count ? size_multiply(old.slot_count, 2) : 256;
    sums->slots = memory_allocate_zero(sums->slot_count, sizeof *sums->slots);
    for (size_t i = 0; i < old.slot_count; i++)
        if (old.slots[i].count)
            *find_slot(sums, &old.slots[i]) = old.slots[i];
    free(old.slots);
}

void perf_sums_add(struct perf_sums *sums, const struct machine_sample *sample) {
    if (sums->used >= sums->slot_count / 2)
        grow(sums);
    struct perf_sum like = {.row = sample->row, .thread = sample->thread, .event = sample->event};
    struct perf_sum *slot = find_slot(sums, &like);
    if (slot->count == 0) {
        *slot = like;
        sums->used++;
    }
    slot->count++;
    if (__builtin_add_overflow(slot->period, sample->period, &slot->period))
        slot->period = UINT64_MAX;
}

void perf_sums_take(const struct perf_sums *sums, const struct perf_machine *machine,
                    struct profile *profile) {
    for (size_t i = 0; i < sums->slot_count; i++) {
        const struct perf_sum *sum = &sums->slots[i];
        if (sum->count)
            profile_add_sample(profile,
                               (struct sample){.stack = perf_machine_stack(machine, sum->row),
                                               .thread = sum->thread,
                                               .event = sum->event,
                                               .count = sum->count,
                                               .weight = weight_of(sum->period)});
    }
}

void perf_sums_free(struct perf_sums *sums) {
    free(sums->slots);
    *sums = (struct perf_sums){0};
}
