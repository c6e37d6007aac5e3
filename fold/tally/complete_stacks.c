// SPDX-License-Identifier: MIT
#include "fold/tally/complete_stacks.h"

#include <stdlib.h>

#include "fold/tally/classify.h"

/* Of a stack, from its outermost frame on. */
struct stack_root {
    uint32_t frame;   /* the outermost one that is not of the kernel */
    bool has_callers; /* there are frames of the process at all */
};

/* Whether a program or a thread starts with this function. */
static bool is_start(const struct profile *profile, const struct frame *frame) {
    static const char *const starts[] = {"__libc_start_", "_dl_start",    "start_thread", "clone",
                                         "__clone",       "__GI___clone", "thread_start"};
    static const char *const names[] = {"_start", "_start_c", "main", "start", "start_c"};
    struct text name = profile_text(profile, frame->name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_equal(name, text_of(names[i])))
            return true;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (text_starts_with(name, text_of(starts[i])))
            return true;
    if (name.size > 0 && name.data[0] != '[')
        return false;
    /* Of a libc without symbols no name is known. */
    struct text library = text_basename(name.size ? name : profile_text(profile, frame->module));
    return text_starts_with(library, TEXT("libc.")) || text_starts_with(library, TEXT("[libc.")) ||
           text_starts_with(library, TEXT("libc-2")) || text_starts_with(library, TEXT("ld-musl"));
}

/* The library of the outermost frame of a stack that is not complete. */
static struct string_id library_of(const struct profile *profile, const struct frame *frame) {
    struct text name = profile_text(profile, frame->name);
    if (frame->module.index || name.size < 2 || name.data[0] != '[')
        return frame->module;
    return frame->name;
}

struct complete_stacks complete_stacks_find(const struct profile *profile) {
    struct complete_stacks result = {.share = -1};
    const struct stack_table *stacks = &profile->stacks;
    if (!profile->native_stacks || stacks->size < 2)
        return result;
    struct stack_root *roots = memory_allocate_zero(stacks->size, sizeof *roots);
    for (size_t i = 1; i < stacks->size; i++) {
        roots[i] = roots[stacks->parents[i]];
        const struct frame *frame = &profile->frames.frames[stacks->frames[i]];
        enum frame_kind kind = frame_classify(profile, frame).kind;
        if (!roots[i].has_callers && kind != FRAME_KERNEL && kind != FRAME_WAITING) {
            roots[i].has_callers = true;
            roots[i].frame = stacks->frames[i];
        }
    }
    /* Weights by library, of stacks that are not complete. */
    double *libraries = memory_allocate_zero(profile->strings.size + 1, sizeof *libraries);
    double complete = 0, all = 0;
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct sample *sample = &profile->samples[i];
        const struct stack_root *root = &roots[sample->stack.index];
        const struct frame *frame = &profile->frames.frames[root->frame];
        double weight = sample->count ? (double)sample->count : weight_to_double(sample->weight);
        if (sample->idle || sample->stack.index == 0)
            continue;
        all += weight;
        if (!root->has_callers || is_start(profile, frame))
            complete += weight;
        else
            libraries[library_of(profile, frame).index] += weight;
    }
    size_t worst = 0;
    for (size_t i = 1; i < profile->strings.size; i++)
        if (libraries[i] > libraries[worst] || (worst == 0 && libraries[i] > 0))
            worst = i;
    if (all > 0)
        result.share = complete / all;
    if (worst) {
        result.worst = text_basename(profile_text(profile, (struct string_id){(uint32_t)worst}));
        result.worst_share = libraries[worst] / (all - complete);
    }
    free(libraries);
    free(roots);
    return result;
}
