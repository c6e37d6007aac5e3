// SPDX-License-Identifier: MIT
/*
 * Stacks of code locations, for perf_machine.c: from chains of numbers, as the kernel records them,
 * to rows of a stack table, and from rows to stacks of a profile.
 *
 * A chain has its innermost number first. Marks between addresses say whose they are. All but the
 * first address of a space, and the first user address behind kernel ones, are return addresses.
 * Addresses at the outer end that lie in no code are what a broken frame pointer left: they are
 * dropped. Whoever knows more of a frame than its address tells puts perf_rows_given() of its
 * location into the chain.
 *
 * The next chain of a thread mostly shares its outer part with the last one: what that means is not
 * asked again.
 */
#ifndef TICKFLAME_PROFILER_TRACE_PERF_ROWS_H
#define TICKFLAME_PROFILER_TRACE_PERF_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/model/profile.h"
#include "profiler/symbol/native_names.h"
#include "profiler/trace/perf_record.h"
#include "profiler/trace/perf_threads.h"
#include "profiler/unwind/architecture.h"

/* Bits of the `misc` field of a sample: where the processor was. */
enum { PERF_MISC_MODE = 7, PERF_MODE_KERNEL = 1 };

/* To be filled with names, profile and architecture (NULL: not known), all of which outlive it;
 * the rest all zero. */
struct perf_rows {
    struct profile *profile;
    struct native_names *names;
    const struct architecture *architecture;

    uint64_t *chain; /* the one under way, innermost first, with marks */
    size_t chain_size, chain_capacity;

    /* for perf_rows.c alone */
    struct stack_table locations; /* stacks of locations, innermost last */
    struct stack_id *stacks;      /* by row of `locations` */
    size_t stacks_capacity, resolved;
    uint32_t epoch;  /* counts up when locations of all processes may have changed */
    uint8_t *spaces; /* enum space, of each of the unshared part */
    size_t spaces_capacity;
};

void perf_rows_free(struct perf_rows *rows);

/* Whether a number of a chain is a mark. */
static inline bool perf_rows_is_mark(uint64_t number) {
    return number >= PERF_CONTEXT_FIRST;
}

/* In a user's part: the number of a location that native_names_give() gave. No address of user
 * space is that large and no mark that small. */
static inline uint64_t perf_rows_given(code_location location) {
    return (uint64_t)1 << 60 | location;
}

/* Adds a number to the chain under way; perf_rows->chain_size = 0 begins another. */
void perf_rows_push(struct perf_rows *rows, uint64_t number);

/*
 * The row of the chain under way, a thread's, of the process with `process_id` whose locations have
 * this generation. `mode`: PERF_MODE_KERNEL if what no mark precedes is the kernel's. `truncated`:
 * its outer part is missing. Where outer addresses were dropped, thread->cut_at is not 0 then.
 */
uint32_t perf_rows_add(struct perf_rows *rows, struct thread *thread, const struct process *process,
                       uint64_t mode, bool truncated);

/* Makes stacks of all rows that have none yet. What addresses are is asked anew after it. */
void perf_rows_resolve(struct perf_rows *rows);

/* The profile's stack for a row that is resolved. */
struct stack_id perf_rows_stack(const struct perf_rows *rows, uint32_t row);

#endif
