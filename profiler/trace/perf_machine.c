// SPDX-License-Identifier: MIT
#include "profiler/trace/perf_machine.h"

#include <stdlib.h>
#include <string.h>

#include "fold/base/memory.h"
#include "profiler/trace/perf_stacks.h"
#include "profiler/trace/perf_threads.h"
#include "profiler/trace/perf_waits.h"

/* Bits of the `misc` field of a record's header. */
enum {
    MISC_MODE = 7, /* where the processor was */
    MODE_KERNEL = 1,
    MISC_FORK_BY_EXEC = 1 << 13, /* of perf: the process was there already */
};

enum {
    SAMPLE_HAS_ADDRESS = 1 << 0, /* in sample_type */
    STACK_LIMIT_DEFAULT = 127,
    DEFERRED_MOST = 4096, /* samples that wait for their chain at once */
};

/* In place of a location: the root of stacks that have lost their outer part. */
#define LOCATION_TRUNCATED UINT32_MAX

#define NO_PROCESS UINT32_MAX /* the kernel's own mappings */

/* A sample whose user part comes later. */
struct deferred_sample {
    struct machine_sample sample;
    uint32_t thread; /* index in `threads` */
    uint64_t cookie;
    uint64_t *chain; /* the kernel's part, innermost first */
    size_t size;
    uint64_t mode; /* where the processor was */
};

/* Stacks of samples: how many were cut ... */
struct stack_counts {
    uint64_t truncated, cut, repaired;
};

struct perf_machine {
    struct profile *profile;
    struct perf_machine_options options;
    struct stack_walker walker;
    struct user_stack stack; /* of the sample under way */

    struct perf_threads threads;
    struct perf_waits *waits; /* by index in `threads`; NULL = nobody asks for them */
    uint16_t wait_event;      /* the row of profile->events that they belong to */

    struct stack_table locations; /* stacks of locations, innermost last */
    struct stack_id *stacks;      /* by row of `locations` */
    size_t stacks_capacity, resolved;
    struct frame_id truncated_frame;

    uint32_t epoch; /* counts up when locations of all processes may have changed */

    uint64_t *chain; /* of the sample under way, innermost first, with marks */
    size_t chain_size, chain_capacity;
    uint8_t *spaces; /* enum space, of each of the unshared part */
    size_t spaces_capacity;

    struct deferred_sample *deferred;
    size_t deferred_count, deferred_capacity;

    uint64_t lost, throttled, by_pointers;
    struct stack_counts counts;
};

/* What a number of a chain is. */
enum space {
    SPACE_MARK,
    SPACE_USER,
    SPACE_USER_RETURN,
    SPACE_KERNEL,
    SPACE_KERNEL_RETURN,
    SPACE_OTHER
};

/* A wait has ended, or a part of it. */
static void take_wait(void *context, const struct perf_wait *wait) {
    struct perf_machine *machine = context;
    struct thread *thread = &machine->threads.threads[wait->thread];
    struct machine_sample sample = {
        .row = wait->row,
        .thread = perf_threads_row(&machine->threads, machine->profile, thread),
        .event = machine->wait_event,
        .activity = wait->preempted ? MACHINE_PREEMPTED : MACHINE_WAITING,
        .guessed = wait->guessed,
        .period = wait->end - wait->begin,
        .time = wait->end,
    };
    machine->options.take(machine->options.context, &sample);
}

struct perf_machine *perf_machine_open(struct profile *profile,
                                       const struct perf_machine_options *options) {
    struct perf_machine *machine = memory_allocate_zero(1, sizeof *machine);
    machine->profile = profile;
    machine->options = *options;
    if (machine->options.stack_limit == 0)
        machine->options.stack_limit = STACK_LIMIT_DEFAULT;
    machine->walker =
        (struct stack_walker){architecture_of_machine(options->elf_machine), options->unwinder};
    if (options->waits)
        machine->waits = perf_waits_open(take_wait, machine);
    profile->native_stacks = true;
    profile->stack_limit = machine->options.stack_limit;
    return machine;
}

void perf_machine_close(struct perf_machine *machine) {
    if (!machine)
        return;
    for (size_t i = 0; i < machine->deferred_count; i++)
        free(machine->deferred[i].chain);
    free(machine->stacks);
    free(machine->chain);
    free(machine->spaces);
    free(machine->deferred);
    perf_threads_free(&machine->threads);
    perf_waits_close(machine->waits);
    stack_table_free(&machine->locations);
    free(machine);
}

static bool is_mark(uint64_t number) {
    return number >= PERF_CONTEXT_FIRST;
}

/* What the parts of a chain are that stand inwards of the outer `shared` ones. */
static void find_spaces(struct perf_machine *machine, size_t shared, uint64_t mode) {
    enum space space = mode == MODE_KERNEL ? SPACE_KERNEL : SPACE_USER;
    bool first = true;
    MEMORY_RESERVE(machine->spaces, machine->spaces_capacity, machine->chain_size);
    for (size_t i = 0; i + shared < machine->chain_size; i++) {
        uint64_t number = machine->chain[i];
        if (is_mark(number)) {
            space = number == PERF_CONTEXT_KERNEL ? SPACE_KERNEL
                    : number == PERF_CONTEXT_USER ? SPACE_USER
                                                  : SPACE_OTHER;
            machine->spaces[i] = SPACE_MARK;
            first = true;
            continue;
        }
        machine->spaces[i] = (uint8_t)(first || space == SPACE_OTHER ? space : space + 1);
        first = false;
    }
}

/* The last mark in front of the outer `shared` parts of a chain; without one, its mode. */
static uint64_t mark_before(const uint64_t *chain, size_t size, size_t shared, uint64_t mode) {
    for (size_t i = size - shared; i-- > 0;)
        if (is_mark(chain[i]))
            return chain[i];
    return mode;
}

/* How many outer parts the chain has in common with the thread's last one: equal numbers that mean
 * the same. */
static size_t count_shared(const struct perf_machine *machine, const struct thread *thread,
                           uint64_t mode) {
    const uint64_t *chain = machine->chain;
    size_t size = machine->chain_size;
    size_t most = size < thread->size ? size : thread->size;
    if (most == 0)
        return 0;
    const uint64_t *end = chain + size;
    const uint64_t *end_before = thread->chain + thread->size;
    size_t shared = 0;
    while (shared < most && end[-1 - (ptrdiff_t)shared] == end_before[-1 - (ptrdiff_t)shared])
        shared++;
    if (shared == 0 || is_mark(end[-(ptrdiff_t)shared]))
        return shared;
    bool first = shared == size || is_mark(end[-1 - (ptrdiff_t)shared]);
    bool first_before = shared == thread->size || is_mark(end_before[-1 - (ptrdiff_t)shared]);
    if (first == first_before && mark_before(chain, size, shared, mode) ==
                                     mark_before(thread->chain, thread->size, shared, thread->mode))
        return shared;
    /* Behind a mark that both have, all means the same. */
    while (shared > 0 && !is_mark(end[-(ptrdiff_t)shared]))
        shared--;
    return shared;
}

static code_location locate(struct perf_machine *machine, uint32_t process_id, uint64_t address,
                            enum space space) {
    bool kernel = space == SPACE_KERNEL || space == SPACE_KERNEL_RETURN;
    bool is_return = space == SPACE_USER_RETURN || space == SPACE_KERNEL_RETURN;
    if (machine->walker.architecture)
        address = architecture_strip(machine->walker.architecture, address, kernel);
    return native_names_locate(machine->options.names, process_id, address, kernel, is_return);
}

/* Extends the thread's rows inwards from the outer `shared` parts. */
static void add_rows(struct perf_machine *machine, struct thread *thread, size_t shared) {
    uint32_t process_id = machine->threads.processes[thread->process].id;
    struct stack_id base = {0};
    if (thread->truncated)
        base = stack_table_intern(&machine->locations, base, (struct frame_id){LOCATION_TRUNCATED});
    struct stack_id stack = shared ? (struct stack_id){thread->rows[shared - 1]} : base;
    for (size_t i = shared; i < machine->chain_size; i++) {
        size_t at = machine->chain_size - 1 - i;
        enum space space = machine->spaces[at];
        if (space != SPACE_MARK && space != SPACE_OTHER) {
            code_location location = locate(machine, process_id, machine->chain[at], space);
            if (stack.index == base.index && space == SPACE_USER_RETURN &&
                native_names_kind(machine->options.names, location) == LOCATION_NOWHERE) {
                if (thread->cut_at == 0)
                    thread->cut_at = i + 1;
            } else {
                stack = stack_table_intern(&machine->locations, stack, (struct frame_id){location});
            }
        }
        thread->rows[i] = stack.index;
    }
}

/* The row of the chain under way. */
static uint32_t chain_row(struct perf_machine *machine, struct thread *thread, uint64_t mode,
                          enum unwind_ending ending) {
    bool truncated = ending != UNWIND_COMPLETE;
    size_t size = machine->chain_size;
    uint32_t generation = machine->threads.processes[thread->process].generation + machine->epoch;
    if (size == 0)
        return 0;
    size_t shared = 0;
    if (thread->generation == generation && thread->truncated == truncated)
        shared = count_shared(machine, thread, mode);
    if (shared < size || thread->size != size) {
        if (thread->cut_at > shared)
            thread->cut_at = 0;
        thread->truncated = truncated;
        thread->generation = generation;
        thread->mode = mode;
        thread->size = size;
        MEMORY_RESERVE(thread->chain, thread->chain_capacity, size);
        MEMORY_RESERVE(thread->rows, thread->rows_capacity, size);
        memcpy(thread->chain, machine->chain, size * sizeof *thread->chain);
        find_spaces(machine, shared, mode);
        add_rows(machine, thread, shared);
    }
    machine->counts.cut += thread->cut_at != 0 || ending == UNWIND_CUT;
    machine->counts.truncated += ending == UNWIND_TRUNCATED;
    return thread->rows[size - 1];
}

static void push_number(struct perf_machine *machine, uint64_t number) {
    MEMORY_RESERVE(machine->chain, machine->chain_capacity, machine->chain_size + 1);
    machine->chain[machine->chain_size++] = number;
}

/* Adds the numbers of a record's chain. */
static void push_chain(struct perf_machine *machine, const struct perf_record *record) {
    size_t count = (size_t)record->chain_size;
    if (count == 0)
        return;
    MEMORY_RESERVE(machine->chain, machine->chain_capacity, machine->chain_size + count);
    uint64_t *chain = machine->chain + machine->chain_size;
    machine->chain_size += count;
    memcpy(chain, record->chain, count * sizeof *chain);
    for (size_t i = 0; record->swapped && i < count; i++)
        chain[i] = perf_record_number(record, record->chain, i);
}

/* How a chain ends that the kernel recorded: it has as many addresses as fit, or all. */
static enum unwind_ending chain_ending(const struct perf_machine *machine) {
    size_t addresses = machine->chain_size;
    if (addresses < machine->options.stack_limit)
        return UNWIND_COMPLETE;
    for (size_t i = 0; i < machine->chain_size; i++)
        addresses -= is_mark(machine->chain[i]);
    return addresses >= machine->options.stack_limit ? UNWIND_TRUNCATED : UNWIND_COMPLETE;
}

/* The index of the user's part in the chain: of its mark; chain_size where there is none. */
static size_t find_user_part(const struct perf_machine *machine) {
    size_t at = 0;
    while (at < machine->chain_size && machine->chain[at] != PERF_CONTEXT_USER &&
           machine->chain[at] != PERF_CONTEXT_USER_DEFERRED)
        at++;
    return at;
}

/* Whether the user's part is to be walked: there is none, or an unwinder does it better. */
static bool is_walkable(const struct perf_machine *machine, const struct perf_record *record) {
    return user_stack_is_recorded(&machine->walker, record) &&
           (find_user_part(machine) == machine->chain_size ||
            user_stack_is_unwound(&machine->walker, record));
}

/* Puts the user's part from registers and a copy of the stack in place of the one that is there.
 * Returns how it ends. */
static enum unwind_ending push_walk(struct perf_machine *machine, const struct perf_record *record,
                                    const struct perf_attribute *attribute, bool is_limited) {
    struct user_stack *stack = &machine->stack;
    size_t user = find_user_part(machine);
    size_t known = user;
    if (known < machine->chain_size && machine->chain[known++] != PERF_CONTEXT_USER)
        known = machine->chain_size;
    user_stack_walk(&machine->walker, record, attribute,
                    machine->chain ? machine->chain + known : NULL, machine->chain_size - known,
                    is_limited, stack);
    machine->chain_size = user;
    push_number(machine, PERF_CONTEXT_USER);
    for (size_t i = 0; i < stack->count; i++)
        push_number(machine, stack->addresses[i]);
    machine->by_pointers += !user_stack_is_unwound(&machine->walker, record);
    machine->counts.repaired += stack->repaired;
    return stack->ending;
}

static void take_sample(struct perf_machine *machine, size_t thread, struct machine_sample sample,
                        uint64_t mode, enum unwind_ending ending) {
    sample.row = chain_row(machine, &machine->threads.threads[thread], mode, ending);
    if (sample.activity == MACHINE_WAITING) {
        perf_waits_leave(machine->waits, (uint32_t)thread, sample.row);
        return;
    }
    if (machine->waits)
        perf_waits_sample(machine->waits, (uint32_t)thread, sample.row);
    machine->options.take(machine->options.context, &sample);
}

/* Takes the samples whose user part never came. */
static void give_up_deferred(struct perf_machine *machine) {
    for (size_t i = 0; i < machine->deferred_count; i++) {
        struct deferred_sample *deferred = &machine->deferred[i];
        machine->chain_size = 0;
        for (size_t k = 0; k < deferred->size; k++)
            push_number(machine, deferred->chain[k]);
        take_sample(machine, deferred->thread, deferred->sample, deferred->mode, UNWIND_TRUNCATED);
        free(deferred->chain);
    }
    machine->deferred_count = 0;
}

/* Keeps a sample until its user part comes; `size` numbers of the chain are the kernel's. */
static void defer_sample(struct perf_machine *machine, size_t thread,
                         const struct machine_sample *sample, uint64_t mode, size_t size) {
    MEMORY_RESERVE(machine->deferred, machine->deferred_capacity, machine->deferred_count + 1);
    struct deferred_sample *deferred = &machine->deferred[machine->deferred_count++];
    *deferred = (struct deferred_sample){
        .sample = *sample,
        .thread = (uint32_t)thread,
        .cookie = size + 1 < machine->chain_size ? machine->chain[size + 1] : 0,
        .chain = memory_allocate(size * sizeof *deferred->chain),
        .size = size,
        .mode = mode,
    };
    memcpy(deferred->chain, machine->chain, size * sizeof *deferred->chain);
}

/* The user part of samples that wait for it. */
static void record_deferred(struct perf_machine *machine, const struct perf_record *record) {
    size_t kept = 0;
    for (size_t i = 0; i < machine->deferred_count; i++) {
        struct deferred_sample deferred = machine->deferred[i];
        if (machine->threads.threads[deferred.thread].id != record->thread_id ||
            deferred.cookie != record->cookie) {
            machine->deferred[kept++] = deferred;
            continue;
        }
        machine->chain_size = 0;
        for (size_t k = 0; k < deferred.size; k++)
            push_number(machine, deferred.chain[k]);
        push_number(machine, PERF_CONTEXT_USER);
        push_chain(machine, record);
        take_sample(machine, deferred.thread, deferred.sample, deferred.mode,
                    chain_ending(machine));
        free(deferred.chain);
    }
    machine->deferred_count = kept;
}

static void record_sample(struct perf_machine *machine, const struct perf_record *record,
                          const struct perf_attribute *attribute, uint16_t event) {
    uint64_t mode = record->misc & MISC_MODE;
    if (machine->deferred_count == DEFERRED_MOST)
        give_up_deferred(machine);
    struct thread *thread =
        perf_threads_find(&machine->threads, record->process_id, record->thread_id);
    struct machine_sample sample = {
        .thread = perf_threads_row(&machine->threads, machine->profile, thread),
        .event = event,
        .activity = machine->waits && perf_attribute_is_switch(attribute) ? MACHINE_WAITING
                                                                          : MACHINE_RUNNING,
        .period = record->period,
        .time = record->time};
    size_t number = (size_t)(thread - machine->threads.threads);
    struct stack_counts counts = machine->counts;
    machine->chain_size = 0;
    push_chain(machine, record);
    enum unwind_ending ending = chain_ending(machine);
    /* The address counts where there is no chain, or one of marks only. */
    size_t marks = 0;
    while (marks < machine->chain_size && is_mark(machine->chain[marks]) &&
           machine->chain[marks] != PERF_CONTEXT_USER_DEFERRED)
        marks++;
    if (is_walkable(machine, record)) {
        ending = push_walk(machine, record, attribute, ending == UNWIND_TRUNCATED);
    } else if (marks == machine->chain_size && attribute->sample_type & SAMPLE_HAS_ADDRESS) {
        machine->chain_size = 0;
        push_number(machine, record->address);
    }
    for (size_t i = 0; i < machine->chain_size; i++) {
        if (machine->chain[i] != PERF_CONTEXT_USER_DEFERRED)
            continue;
        defer_sample(machine, number, &sample, mode, i);
        return;
    }
    take_sample(machine, number, sample, mode, ending);
    /* Counted are stacks of what runs. */
    if (sample.activity == MACHINE_WAITING)
        machine->counts = counts;
}

static void record_mapping(struct perf_machine *machine, const struct perf_record *record) {
    if (record->process_id == NO_PROCESS)
        return;
    perf_threads_process(&machine->threads, record->process_id)->generation++;
    native_names_map(machine->options.names,
                     &(struct native_mapping){.process_id = record->process_id,
                                              .start = record->start,
                                              .size = record->size,
                                              .offset = record->offset,
                                              .path = record->name,
                                              .build_id = record->build_id,
                                              .build_id_size = record->build_id_size,
                                              .executable = record->executable});
}

static void record_name(struct perf_machine *machine, const struct perf_record *record) {
    struct thread *thread =
        perf_threads_find(&machine->threads, record->process_id, record->thread_id);
    if (record->is_exec) {
        machine->threads.processes[thread->process].generation++;
        native_names_exec(machine->options.names, record->process_id);
    }
    perf_threads_name(&machine->threads, thread,
                      profile_intern(machine->profile, record->name).index);
}

static void record_fork(struct perf_machine *machine, const struct perf_record *record) {
    uint32_t name =
        perf_threads_find(&machine->threads, record->parent_process_id, record->parent_thread_id)
            ->name;
    if (record->process_id != record->parent_process_id && !(record->misc & MISC_FORK_BY_EXEC)) {
        perf_threads_process(&machine->threads, record->process_id)->generation++;
        native_names_fork(machine->options.names, record->parent_process_id, record->process_id);
    }
    struct thread *thread =
        perf_threads_find(&machine->threads, record->process_id, record->thread_id);
    thread->size = 0;
    perf_threads_name(&machine->threads, thread, name);
}

/* A thread went out, came in, or ended. */
static void record_switch(struct perf_machine *machine, const struct perf_record *record,
                          uint16_t event) {
    if (!machine->waits)
        return;
    const struct thread *thread =
        perf_threads_find(&machine->threads, record->process_id, record->thread_id);
    uint32_t number = (uint32_t)(thread - machine->threads.threads);
    machine->wait_event = event;
    if (record->type == PERF_EXIT)
        perf_waits_exit(machine->waits, number, record->time);
    else if (record->switch_out)
        perf_waits_out(machine->waits, number, record->time, record->preempted);
    else
        perf_waits_in(machine->waits, number, record->time);
}

static void record_lost(struct perf_machine *machine, const struct perf_record *record) {
    machine->lost = weight_add(weight_of(machine->lost), weight_of(record->lost)).whole;
    if (machine->waits)
        perf_waits_lost(machine->waits, record->time);
}

bool perf_machine_next_sleeper(struct perf_machine *machine, struct machine_sleeper *sleeper,
                               uint64_t time, uint64_t least) {
    if (!machine->waits)
        return false;
    sleeper->number = perf_waits_next_guess(machine->waits, sleeper->number, time, least);
    if (sleeper->number == NO_THREAD)
        return false;
    const struct thread *thread = &machine->threads.threads[sleeper->number];
    uint32_t process_id = machine->threads.processes[thread->process].id;
    *sleeper = (struct machine_sleeper){process_id, thread->id, sleeper->number, time};
    return true;
}

void perf_machine_sleeper(struct perf_machine *machine, const struct machine_sleeper *sleeper,
                          const uint64_t *addresses, size_t count) {
    struct thread *thread = &machine->threads.threads[sleeper->number];
    machine->chain_size = 0;
    push_number(machine, PERF_CONTEXT_USER);
    for (size_t i = 0; i < count; i++)
        push_number(machine, addresses[i]);
    perf_waits_found(machine->waits, sleeper->number, sleeper->time,
                     chain_row(machine, thread, MODE_KERNEL, UNWIND_COMPLETE));
}

void perf_machine_part_waits(struct perf_machine *machine, uint64_t time, uint64_t least) {
    if (machine->waits)
        perf_waits_pending(machine->waits, time, least);
}

void perf_machine_record(struct perf_machine *machine, const struct perf_record *record,
                         const struct perf_attribute *attribute, uint16_t event) {
    switch (record->type) {
    case PERF_SAMPLE:
        record_sample(machine, record, attribute, event);
        break;
    case PERF_MMAP:
    case PERF_MMAP2:
        record_mapping(machine, record);
        break;
    case PERF_COMM:
        record_name(machine, record);
        break;
    case PERF_FORK:
        record_fork(machine, record);
        break;
    case PERF_LOST:
    case PERF_LOST_SAMPLES:
        record_lost(machine, record);
        break;
    case PERF_SWITCH:
    case PERF_SWITCH_CPU_WIDE:
    case PERF_EXIT: /* records that come late still belong to the thread */
        record_switch(machine, record, event);
        break;
    case PERF_THROTTLE:
        machine->throttled++;
        break;
    case PERF_CALL_CHAIN_DEFERRED:
        record_deferred(machine, record);
        break;
    default:
        break;
    }
}

/* Whether the frame is the one of all code of the kernel (or of a module) that has no name. */
static bool is_unnamed_kernel(const struct profile *profile, struct frame_id frame) {
    struct string_id name = frame_table_get(&profile->frames, frame)->name;
    return text_starts_with(profile_text(profile, name), TEXT("["));
}

static struct stack_id resolve_row(struct perf_machine *machine, size_t row) {
    struct profile *profile = machine->profile;
    struct stack_id parent = machine->stacks[machine->locations.parents[row]];
    code_location location = machine->locations.frames[row];
    if (location == LOCATION_TRUNCATED) {
        struct frame mark = {.name = profile_intern(profile, TEXT("[truncated]"))};
        return profile_push(profile, parent, profile_frame(profile, &mark));
    }
    struct frame_id frame = native_names_frame(machine->options.names, location);
    /* Frames of the kernel without names say nothing by their number. */
    if (parent.index && stack_table_frame(&profile->stacks, parent).index == frame.index &&
        native_names_kind(machine->options.names, location) == LOCATION_KERNEL &&
        is_unnamed_kernel(profile, frame))
        return parent;
    return profile_push(profile, parent, frame);
}

void perf_machine_resolve(struct perf_machine *machine) {
    MEMORY_RESERVE(machine->stacks, machine->stacks_capacity, machine->locations.size + 1);
    if (machine->resolved == 0)
        machine->stacks[machine->resolved++] = (struct stack_id){0};
    for (; machine->resolved < machine->locations.size; machine->resolved++)
        machine->stacks[machine->resolved] = resolve_row(machine, machine->resolved);
    /* Perf maps may be read on now: what an address is, is to be asked again. */
    machine->epoch++;
}

struct stack_id perf_machine_stack(const struct perf_machine *machine, uint32_t row) {
    return machine->stacks[row];
}

void perf_machine_finish(struct perf_machine *machine) {
    struct profile *profile = machine->profile;
    give_up_deferred(machine);
    perf_machine_resolve(machine);
    profile->sampling.lost =
        weight_add(weight_of(profile->sampling.lost), weight_of(machine->lost)).whole;
    profile->sampling.throttled += machine->throttled;
    profile->sampling.truncated += machine->counts.truncated;
    profile->sampling.cut += machine->counts.cut;
    profile->sampling.repaired += machine->counts.repaired;
    warnings_add_count(
        &profile->warnings, machine->by_pointers, "dwarf-stacks", 0,
        "stacks were recorded for DWARF unwinding; they are walked by frame pointers");
}
