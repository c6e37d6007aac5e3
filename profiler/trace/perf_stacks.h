// SPDX-License-Identifier: MIT
/*
 * The user's part of a sample's stack from the registers and the copy of the stack that were
 * recorded with it: by an unwinder (profiler/unwind/unwinder.h) where there is one for the machine,
 * else by frame pointers alone (profiler/unwind/frame_pointer.h).
 */
#ifndef TICKFLAME_PROFILER_TRACE_PERF_STACKS_H
#define TICKFLAME_PROFILER_TRACE_PERF_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/trace/perf_record.h"
#include "profiler/unwind/architecture.h"
#include "profiler/unwind/unwinder.h"

enum { USER_STACK_MOST = 512 };

struct user_stack {
    uint64_t addresses[USER_STACK_MOST]; /* innermost first */
    uint64_t frames[USER_STACK_MOST];    /* what the frame pointer was there; UNWIND_NO_FRAME where
                                            that is not known */
    size_t count;
    size_t copied; /* the first of them: see unwinder.h */
    enum unwind_ending ending;
    bool repaired;                     /* see unwinder.h */
    struct unwind_registers registers; /* of the innermost; none known without an unwinder */
};

/* What stacks are walked with. */
struct stack_walker {
    const struct architecture *architecture; /* NULL: none that is known */
    struct unwinder *unwinder;               /* NULL: none */
};

/* Whether the sample has what a walk needs. */
bool user_stack_is_recorded(const struct stack_walker *walker, const struct perf_record *record);

/* Whether its stack is for the unwinder; else it is walked by frame pointers alone. */
bool user_stack_is_unwound(const struct stack_walker *walker, const struct perf_record *record);

/* Walks the stack of a sample that has what is needed. `known`: the chain of user addresses that
 * the kernel recorded with it, innermost first, of which there are `known_count`; it is
 * `known_is_limited` when it is as long as the kernel allows. */
void user_stack_walk(const struct stack_walker *walker, const struct perf_record *record,
                     const struct perf_attribute *attribute, const uint64_t *known,
                     size_t known_count, bool known_is_limited, struct user_stack *stack);

#endif
