// SPDX-License-Identifier: MIT
/* The processes and threads of a sampler: which are sampled, which have ended, which came twice. */
#include <stdlib.h>

#include "fold/base/memory.h"
#include "profiler/live/proc_file.h"
#include "profiler/live/sampler_parts.h"
#include "profiler/live/target.h"

static struct sampled_process *find_process(const struct sampler *sampler, pid_t process_id) {
    for (size_t i = 0; i < sampler->process_count; i++) {
        if (sampler->processes[i].process_id == process_id)
            return &sampler->processes[i];
    }
    return NULL;
}

bool sampler_has_process(const struct sampler *sampler, pid_t process_id) {
    return find_process(sampler, process_id) != NULL;
}

bool sampler_add_process(struct sampler *sampler, pid_t process_id) {
    struct sampled_process *known = find_process(sampler, process_id);
    if (known && !known->ended)
        return false;
    if (!known) {
        MEMORY_RESERVE(sampler->processes, sampler->process_capacity, sampler->process_count + 1);
        known = &sampler->processes[sampler->process_count++];
    }
    *known = (struct sampled_process){.process_id = process_id};
    return true;
}

size_t sampler_list_processes(const struct sampler *sampler, pid_t *processes, size_t most) {
    size_t count = 0;
    if (sampler->ptrace)
        return ptrace_sampler_list_processes(sampler->ptrace, processes, most);
    for (size_t i = 0; i < sampler->process_count && count < most; i++)
        if (!sampler->processes[i].ended)
            processes[count++] = sampler->processes[i].process_id;
    return count;
}

bool sampler_add_targets(struct sampler *sampler) {
    bool added = false;
    for (size_t i = 0; i < sampler->options.process_count; i++) {
        added |= !find_process(sampler, sampler->targets[i]) &&
                 sampler_add_process(sampler, sampler->targets[i]);
        if (!sampler->options.children)
            continue;
        pid_t *children;
        size_t count = target_children(sampler->targets[i], &children);
        for (size_t k = 0; k < count; k++)
            added |= sampler_add_process(sampler, children[k]);
        free(children);
    }
    return added;
}

void sampler_leader_ended(struct sampler *sampler, pid_t process_id) {
    struct sampled_process *process = find_process(sampler, process_id);
    if (process)
        process->leader_gone = true;
}

/* Whether none of its threads runs any more. */
static bool has_ended(pid_t process_id) {
    struct buffer stat = {0};
    char state = 'X';
    pid_t parent;
    if (!proc_read(&stat, "/proc/%d/stat", process_id) ||
        !proc_parse_stat(buffer_text(&stat), &state, &parent))
        state = 'X';
    buffer_free(&stat);
    if (state != 'Z')
        return state == 'X';
    pid_t *threads;
    size_t count = target_threads(process_id, &threads);
    free(threads);
    return count <= 1;
}

bool sampler_processes_live(struct sampler *sampler) {
    bool live = false;
    size_t kept = 0;
    for (size_t i = 0; i < sampler->process_count; i++) {
        struct sampled_process *process = &sampler->processes[i];
        if (process->leader_gone && !process->ended)
            process->ended = has_ended(process->process_id);
        live |= !process->ended;
        /* Records of targets are told from others by this list; children come and go. */
        if (!process->ended || !sampler->options.children)
            sampler->processes[kept++] = *process;
    }
    sampler->process_count = kept;
    return live;
}

/* The thread for which the event with this id was opened; 0: none. */
static pid_t find_root(const struct sampler *sampler, uint64_t id) {
    for (size_t i = 0; i < sampler->event_count; i++) {
        const struct sampled_event *event = &sampler->events[i];
        if (event->id == id || (event->switches >= 0 && event->switches_id == id))
            return event->thread;
    }
    return 0;
}

bool sampler_is_first(struct sampler *sampler, const struct perf_record *record) {
    if (!sampler->has_late)
        return true;
    pid_t root = find_root(sampler, record->event_id);
    for (size_t i = 0; i < sampler->twice_count; i++) {
        if (sampler->twice[i].thread == (pid_t)record->thread_id)
            return sampler->twice[i].root == root;
    }
    MEMORY_RESERVE(sampler->twice, sampler->twice_capacity, sampler->twice_count + 1);
    sampler->twice[sampler->twice_count++] =
        (struct sampled_twice){.thread = (pid_t)record->thread_id, .root = root};
    return true;
}

void sampler_forget_thread(struct sampler *sampler, pid_t thread_id) {
    for (size_t i = 0; i < sampler->twice_count; i++) {
        if (sampler->twice[i].thread == thread_id)
            sampler->twice[i] = sampler->twice[--sampler->twice_count];
    }
}
