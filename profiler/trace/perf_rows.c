// SPDX-License-Identifier: MIT
#include "profiler/trace/perf_rows.h"

#include <stdlib.h>
#include <string.h>

#include "fold/base/memory.h"

/* In place of a location: the root of stacks that have lost their outer part. */
#define LOCATION_TRUNCATED UINT32_MAX

/* What a number of a chain is. */
enum space {
    SPACE_MARK,
    SPACE_USER,
    SPACE_USER_RETURN,
    SPACE_KERNEL,
    SPACE_KERNEL_RETURN,
    SPACE_OTHER
};

/* What the parts of a chain are that stand inwards of the outer `shared` ones. */
static void find_spaces(struct perf_rows *rows, size_t shared, uint64_t mode) {
    enum space space = mode == PERF_MODE_KERNEL ? SPACE_KERNEL : SPACE_USER;
    bool first = true;
    MEMORY_RESERVE(rows->spaces, rows->spaces_capacity, rows->chain_size);
    for (size_t i = 0; i + shared < rows->chain_size; i++) {
        uint64_t number = rows->chain[i];
        if (perf_rows_is_mark(number)) {
            space = number == PERF_CONTEXT_KERNEL ? SPACE_KERNEL
                    : number == PERF_CONTEXT_USER ? SPACE_USER
                                                  : SPACE_OTHER;
            rows->spaces[i] = SPACE_MARK;
            first = true;
            continue;
        }
        rows->spaces[i] = (uint8_t)(first || space == SPACE_OTHER ? space : space + 1);
        first = false;
    }
}

/* The last mark in front of the outer `shared` parts of a chain; without one, its mode. */
static uint64_t mark_before(const uint64_t *chain, size_t size, size_t shared, uint64_t mode) {
    for (size_t i = size - shared; i-- > 0;)
        if (perf_rows_is_mark(chain[i]))
            return chain[i];
    return mode;
}

/* How many outer parts the chain has in common with the thread's last one: equal numbers that mean
 * the same. */
static size_t count_shared(const struct perf_rows *rows, const struct thread *thread,
                           uint64_t mode) {
    const uint64_t *chain = rows->chain;
    size_t size = rows->chain_size;
    size_t most = size < thread->size ? size : thread->size;
    if (most == 0)
        return 0;
    const uint64_t *end = chain + size;
    const uint64_t *end_before = thread->chain + thread->size;
    size_t shared = 0;
    while (shared < most && end[-1 - (ptrdiff_t)shared] == end_before[-1 - (ptrdiff_t)shared])
        shared++;
    if (shared == 0 || perf_rows_is_mark(end[-(ptrdiff_t)shared]))
        return shared;
    bool first = shared == size || perf_rows_is_mark(end[-1 - (ptrdiff_t)shared]);
    bool first_before =
        shared == thread->size || perf_rows_is_mark(end_before[-1 - (ptrdiff_t)shared]);
    if (first == first_before && mark_before(chain, size, shared, mode) ==
                                     mark_before(thread->chain, thread->size, shared, thread->mode))
        return shared;
    /* Behind a mark that both have, all means the same. */
    while (shared > 0 && !perf_rows_is_mark(end[-(ptrdiff_t)shared]))
        shared--;
    return shared;
}

static code_location locate(struct perf_rows *rows, uint32_t process_id, uint64_t address,
                            enum space space) {
    bool kernel = space == SPACE_KERNEL || space == SPACE_KERNEL_RETURN;
    bool is_return = space == SPACE_USER_RETURN || space == SPACE_KERNEL_RETURN;
    code_location given = (code_location)address;
    if (!kernel && address == perf_rows_given(given) && native_names_is_given(rows->names, given))
        return given;
    if (rows->architecture)
        address = architecture_strip(rows->architecture, address, kernel);
    return native_names_locate(rows->names, process_id, address, kernel, is_return);
}

/* Extends the thread's rows inwards from the outer `shared` parts. */
static void add_rows(struct perf_rows *rows, struct thread *thread, uint32_t process_id,
                     size_t shared) {
    struct stack_id base = {0};
    if (thread->truncated)
        base = stack_table_intern(&rows->locations, base, (struct frame_id){LOCATION_TRUNCATED});
    struct stack_id stack = shared ? (struct stack_id){thread->rows[shared - 1]} : base;
    for (size_t i = shared; i < rows->chain_size; i++) {
        size_t at = rows->chain_size - 1 - i;
        enum space space = rows->spaces[at];
        if (space != SPACE_MARK && space != SPACE_OTHER) {
            code_location location = locate(rows, process_id, rows->chain[at], space);
            if (stack.index == base.index && space == SPACE_USER_RETURN &&
                native_names_kind(rows->names, location) == LOCATION_NOWHERE) {
                if (thread->cut_at == 0)
                    thread->cut_at = i + 1;
            } else {
                stack = stack_table_intern(&rows->locations, stack, (struct frame_id){location});
            }
        }
        thread->rows[i] = stack.index;
    }
}

uint32_t perf_rows_add(struct perf_rows *rows, struct thread *thread, const struct process *process,
                       uint64_t mode, bool truncated) {
    size_t size = rows->chain_size;
    uint32_t generation = process->generation + rows->epoch;
    if (size == 0)
        return 0;
    size_t shared = 0;
    if (thread->generation == generation && thread->truncated == truncated)
        shared = count_shared(rows, thread, mode);
    if (shared < size || thread->size != size) {
        if (thread->cut_at > shared)
            thread->cut_at = 0;
        thread->truncated = truncated;
        thread->generation = generation;
        thread->mode = mode;
        thread->size = size;
        MEMORY_RESERVE(thread->chain, thread->chain_capacity, size);
        MEMORY_RESERVE(thread->rows, thread->rows_capacity, size);
        memcpy(thread->chain, rows->chain, size * sizeof *thread->chain);
        find_spaces(rows, shared, mode);
        add_rows(rows, thread, process->id, shared);
    }
    return thread->rows[size - 1];
}

void perf_rows_push(struct perf_rows *rows, uint64_t number) {
    MEMORY_RESERVE(rows->chain, rows->chain_capacity, rows->chain_size + 1);
    rows->chain[rows->chain_size++] = number;
}

/* Whether the frame is the one of all code of the kernel (or of a module) that has no name. */
static bool is_unnamed_kernel(const struct profile *profile, struct frame_id frame) {
    struct string_id name = frame_table_get(&profile->frames, frame)->name;
    return text_starts_with(profile_text(profile, name), TEXT("["));
}

static struct stack_id resolve_row(struct perf_rows *rows, size_t row) {
    struct profile *profile = rows->profile;
    struct stack_id parent = rows->stacks[rows->locations.parents[row]];
    code_location location = rows->locations.frames[row];
    if (location == LOCATION_TRUNCATED) {
        struct frame mark = {.name = profile_intern(profile, TEXT("[truncated]"))};
        return profile_push(profile, parent, profile_frame(profile, &mark));
    }
    struct frame_id frame = native_names_frame(rows->names, location);
    /* Frames of the kernel without names say nothing by their number. */
    if (parent.index && stack_table_frame(&profile->stacks, parent).index == frame.index &&
        native_names_kind(rows->names, location) == LOCATION_KERNEL &&
        is_unnamed_kernel(profile, frame))
        return parent;
    return profile_push(profile, parent, frame);
}

void perf_rows_resolve(struct perf_rows *rows) {
    MEMORY_RESERVE(rows->stacks, rows->stacks_capacity, rows->locations.size + 1);
    if (rows->resolved == 0)
        rows->stacks[rows->resolved++] = (struct stack_id){0};
    for (; rows->resolved < rows->locations.size; rows->resolved++)
        rows->stacks[rows->resolved] = resolve_row(rows, rows->resolved);
    /* Perf maps may be read on now: what an address is, is to be asked again. */
    rows->epoch++;
}

struct stack_id perf_rows_stack(const struct perf_rows *rows, uint32_t row) {
    return rows->stacks[row];
}

void perf_rows_free(struct perf_rows *rows) {
    free(rows->stacks);
    free(rows->chain);
    free(rows->spaces);
    stack_table_free(&rows->locations);
}
