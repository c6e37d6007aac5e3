// SPDX-License-Identifier: MIT
/*
 * The processes and threads that perf records tell of, for perf_machine.c: found by their ids, with
 * their names as they are at the moment.
 *
 * A thread of a profile is a thread under one name: who changes its name goes on in another row.
 */
#ifndef TICKFLAME_PROFILER_TRACE_PERF_THREADS_H
#define TICKFLAME_PROFILER_TRACE_PERF_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/model/profile.h"

struct process {
    uint32_t id;
    uint32_t generation; /* counts up when its locations may have changed */
    uint32_t main_name;  /* string of the name of its first thread; 0 = not known */
};

/*
 * A thread and its last chain, innermost first as the kernel gives it, with the rows of its parts,
 * outermost first. The next chain mostly shares its outer part, or all of it.
 */
struct thread {
    uint32_t id;
    uint32_t process; /* index in `processes` */
    uint32_t name;    /* string; 0 = not known */
    int64_t row;      /* of profile->threads; NO_ROW = no sample since it has this name */
    uint64_t *chain;
    uint32_t *rows;
    size_t size, chain_capacity, rows_capacity;
    uint32_t generation;
    uint64_t mode; /* where the processor was: the space of what no mark precedes */
    size_t cut_at; /* parts up to the outermost address that was dropped; 0 = none was */
    bool truncated;
};

/* All zero is empty. */
struct perf_threads {
    struct process *processes;
    size_t process_count, process_capacity;
    struct hash_index process_index; /* by id, from 1 */
    struct thread *threads;
    size_t thread_count, thread_capacity;
    struct hash_index thread_index; /* by id, from 1 */
    struct hash_index row_index;    /* of profile->threads, from 1 */
    size_t last;                    /* index of the thread that was found last */
};

/* The process with this id; added when it is new. Valid until the next one is added. */
struct process *perf_threads_process(struct perf_threads *threads, uint32_t id);

/* The thread with this id, of this process; added when it is new. When it was one of another
 * process, the id is used again. Valid until the next one is added. */
struct thread *perf_threads_find(struct perf_threads *threads, uint32_t process_id, uint32_t id);

/* The thread is called so (a string of the profile) from here on. */
void perf_threads_name(struct perf_threads *threads, struct thread *thread, uint32_t name);

/* The row of profile->threads for a thread under its present name; added when it is new. */
uint32_t perf_threads_row(struct perf_threads *threads, struct profile *profile,
                          struct thread *thread);

void perf_threads_free(struct perf_threads *threads);

#endif
