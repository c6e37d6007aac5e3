// SPDX-License-Identifier: MIT
#include "profiler/trace/perf_threads.h"

#include <stdlib.h>

#include "fold/base/memory.h"

enum { NO_ROW = -1 };

struct process *perf_threads_process(struct perf_threads *threads, uint32_t id) {
    struct hash_probe probe = hash_index_start(&threads->process_index, hash_number(id));
    uint32_t row;
    while ((row = hash_index_next(&threads->process_index, &probe)) != 0)
        if (threads->processes[row - 1].id == id)
            return &threads->processes[row - 1];
    MEMORY_RESERVE(threads->processes, threads->process_capacity, threads->process_count + 1);
    struct process *process = &threads->processes[threads->process_count++];
    *process = (struct process){.id = id};
    hash_index_insert(&threads->process_index, hash_number(id), (uint32_t)threads->process_count);
    return process;
}

/* Makes the thread one of the process; its name is the process's until it is told. */
static void set_process(struct perf_threads *threads, struct thread *thread, uint32_t process_id) {
    const struct process *process = perf_threads_process(threads, process_id);
    thread->process = (uint32_t)(process - threads->processes);
    thread->name = process->main_name;
    thread->row = NO_ROW;
    thread->size = 0;
}

struct thread *perf_threads_find(struct perf_threads *threads, uint32_t process_id, uint32_t id) {
    struct thread *thread = NULL;
    if (threads->thread_count && threads->threads[threads->last].id == id)
        thread = &threads->threads[threads->last];
    struct hash_probe probe = hash_index_start(&threads->thread_index, hash_number(id));
    uint32_t row;
    while (!thread && (row = hash_index_next(&threads->thread_index, &probe)) != 0)
        if (threads->threads[row - 1].id == id)
            thread = &threads->threads[row - 1];
    if (!thread) {
        MEMORY_RESERVE(threads->threads, threads->thread_capacity, threads->thread_count + 1);
        thread = &threads->threads[threads->thread_count++];
        *thread = (struct thread){.id = id};
        hash_index_insert(&threads->thread_index, hash_number(id), (uint32_t)threads->thread_count);
        set_process(threads, thread, process_id);
    } else if (threads->processes[thread->process].id != process_id) {
        set_process(threads, thread, process_id);
    }
    threads->last = (size_t)(thread - threads->threads);
    return thread;
}

void perf_threads_name(struct perf_threads *threads, struct thread *thread, uint32_t name) {
    thread->name = name;
    thread->row = NO_ROW;
    struct process *process = &threads->processes[thread->process];
    if (thread->id == process->id)
        process->main_name = name;
}

uint32_t perf_threads_row(struct perf_threads *threads, struct profile *profile,
                          struct thread *thread) {
    if (thread->row != NO_ROW)
        return (uint32_t)thread->row;
    uint32_t process_id = threads->processes[thread->process].id;
    uint64_t hash = hash_pair((uint64_t)process_id << 32 | thread->id, thread->name);
    struct hash_probe probe = hash_index_start(&threads->row_index, hash);
    uint32_t row;
    while ((row = hash_index_next(&threads->row_index, &probe)) != 0) {
        const struct profile_thread *known = &profile->threads[row - 1];
        if (known->process_id == process_id && known->id == thread->id &&
            known->name.index == thread->name)
            break;
    }
    if (row == 0) {
        row = 1 + profile_add_thread(profile, (struct profile_thread){.name = {thread->name},
                                                                      .id = thread->id,
                                                                      .process_id = process_id,
                                                                      .role = THREAD_OTHER,
                                                                      .role_by_stacks = true,
                                                                      .runs_javascript = true});
        hash_index_insert(&threads->row_index, hash, row);
    }
    thread->row = row - 1;
    return row - 1;
}

void perf_threads_free(struct perf_threads *threads) {
    for (size_t i = 0; i < threads->thread_count; i++) {
        free(threads->threads[i].chain);
        free(threads->threads[i].rows);
    }
    free(threads->processes);
    free(threads->threads);
    hash_index_free(&threads->process_index);
    hash_index_free(&threads->thread_index);
    hash_index_free(&threads->row_index);
    *threads = (struct perf_threads){0};
}
