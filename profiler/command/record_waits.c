// SPDX-License-Identifier: MIT
#include "profiler/command/record_waits.h"

#include <stdlib.h>

#include "fold/base/memory.h"
#include "fold/tally/classify.h"

struct record_waits {
    struct profile *profile;
    record_waits_take *take;
    void *context;
    struct frame_id waiting, idle; /* innermost frames; 0 = not made yet */
    /* By row of the profile's stacks and frames: whether there is JavaScript. */
    bool *stacks, *frames;
    size_t stack_count, stack_capacity, frame_count, frame_capacity;
    struct sample *held; /* by thread: idle waits so far; no stack = none */
    size_t held_count, held_capacity;
};

struct record_waits *record_waits_new(struct profile *profile, record_waits_take *take,
                                      void *context) {
    struct record_waits *waits = memory_allocate_zero(1, sizeof *waits);
    waits->profile = profile;
    waits->take = take;
    waits->context = context;
    return waits;
}

void record_waits_free(struct record_waits *waits) {
    if (!waits)
        return;
    free(waits->stacks);
    free(waits->frames);
    free(waits->held);
    free(waits);
}

static bool is_javascript(const struct profile *profile, const struct frame *frame) {
    switch (frame_classify(profile, frame).kind) {
    case FRAME_JAVASCRIPT:
    case FRAME_BUILTIN:
    case FRAME_REGEXP:
    case FRAME_BYTECODE:
    case FRAME_WASM:
        return true;
    default:
        return false;
    }
}

/* Whether there is JavaScript in a stack. */
static bool has_javascript(struct record_waits *waits, struct stack_id stack) {
    const struct profile *profile = waits->profile;
    MEMORY_RESERVE(waits->frames, waits->frame_capacity, profile->frames.size + 1);
    for (; waits->frame_count < profile->frames.size; waits->frame_count++)
        waits->frames[waits->frame_count] =
            waits->frame_count > 0 &&
            is_javascript(profile, &profile->frames.frames[waits->frame_count]);
    MEMORY_RESERVE(waits->stacks, waits->stack_capacity, profile->stacks.size + 1);
    /* A parent precedes its children. */
    for (; waits->stack_count < profile->stacks.size; waits->stack_count++) {
        size_t row = waits->stack_count;
        waits->stacks[row] = row > 0 && (waits->stacks[profile->stacks.parents[row]] ||
                                         waits->frames[profile->stacks.frames[row]]);
    }
    return waits->stacks[stack.index];
}

static struct frame_id mark(struct record_waits *waits, struct frame_id *known, const char *name,
                            enum frame_kind kind) {
    if (known->index == 0) {
        struct frame frame = {.name = profile_intern(waits->profile, text_of(name)), .kind = kind};
        *known = profile_frame(waits->profile, &frame);
    }
    return *known;
}

static void hand_out(struct record_waits *waits, uint32_t thread) {
    struct sample *held = &waits->held[thread];
    if (held->stack.index == 0)
        return;
    struct sample sample = *held;
    held->stack.index = 0;
    waits->take(waits->context, &sample);
}

void record_waits_running(struct record_waits *waits, uint32_t thread) {
    if (thread < waits->held_count)
        hand_out(waits, thread);
}

static void hold(struct record_waits *waits, const struct sample *sample) {
    MEMORY_RESERVE(waits->held, waits->held_capacity, (size_t)sample->thread + 1);
    for (; waits->held_count <= sample->thread; waits->held_count++)
        waits->held[waits->held_count] = (struct sample){0};
    struct sample *held = &waits->held[sample->thread];
    if (held->stack.index == 0) {
        *held = *sample;
        return;
    }
    held->weight = weight_add(held->weight, sample->weight);
    held->time = sample->time;
}

void record_waits_add(struct record_waits *waits, struct sample sample, bool guessed) {
    struct profile *profile = waits->profile;
    if (!guessed && has_javascript(waits, sample.stack)) {
        record_waits_running(waits, sample.thread);
        sample.stack = profile_push(profile, sample.stack,
                                    mark(waits, &waits->waiting, "(waiting)", FRAME_WAITING));
        waits->take(waits->context, &sample);
        return;
    }
    sample.idle = true;
    sample.stack = profile_push(profile, sample.stack,
                                mark(waits, &waits->idle, "(idle)", FRAME_UNKNOWN_KIND));
    hold(waits, &sample);
}

void record_waits_flush(struct record_waits *waits) {
    for (size_t i = 0; i < waits->held_count; i++)
        hand_out(waits, (uint32_t)i);
}
