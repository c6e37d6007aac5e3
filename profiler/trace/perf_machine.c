// SPDX-License-Identifier: MIT
#include "profiler/trace/perf_machine.h"

#include <stdlib.h>
#include <string.h>

#include "fold/base/memory.h"
#include "profiler/trace/perf_threads.h"
#include "profiler/trace/perf_waits.h"

/* Bits of the `misc` field of a record's header. */
enum {
    MISC_FORK_BY_EXEC = 1 << 13, /* of perf: the process was there already */
};

enum {
    SAMPLE_HAS_ADDRESS = 1 << 0, /* in sample_type */
    STACK_LIMIT_DEFAULT = 127,
    DEFERRED_MOST = 4096, /* samples that wait for their chain at once */
};

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

    struct perf_rows rows;

    struct deferred_sample *deferred;
    size_t deferred_count, deferred_capacity;

    uint64_t lost, throttled, by_pointers;
    struct stack_counts counts;
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
    machine->rows = (struct perf_rows){
        .profile = profile,
        .names = options->names,
        .architecture = machine->walker.architecture,
    };
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
    free(machine->deferred);
    perf_threads_free(&machine->threads);
    perf_waits_close(machine->waits);
    perf_rows_free(&machine->rows);
    free(machine);
}

/* Adds the numbers of a record's chain. */
static void push_chain(struct perf_machine *machine, const struct perf_record *record) {
    size_t count = (size_t)record->chain_size;
    if (count == 0)
        return;
    MEMORY_RESERVE(machine->rows.chain, machine->rows.chain_capacity,
                   machine->rows.chain_size + count);
    uint64_t *chain = machine->rows.chain + machine->rows.chain_size;
    machine->rows.chain_size += count;
    memcpy(chain, record->chain, count * sizeof *chain);
    for (size_t i = 0; record->swapped && i < count; i++)
        chain[i] = perf_record_number(record, record->chain, i);
}

/* How a chain ends that the kernel recorded: it has as many addresses as fit, or all. */
static enum unwind_ending chain_ending(const struct perf_machine *machine) {
    size_t addresses = machine->rows.chain_size;
    if (addresses < machine->options.stack_limit)
        return UNWIND_COMPLETE;
    for (size_t i = 0; i < machine->rows.chain_size; i++)
        addresses -= perf_rows_is_mark(machine->rows.chain[i]);
    return addresses >= machine->options.stack_limit ? UNWIND_TRUNCATED : UNWIND_COMPLETE;
}

/* The index of the user's part in the chain: of its mark; chain_size where there is none. */
static size_t find_user_part(const struct perf_machine *machine) {
    size_t at = 0;
    while (at < machine->rows.chain_size && machine->rows.chain[at] != PERF_CONTEXT_USER &&
           machine->rows.chain[at] != PERF_CONTEXT_USER_DEFERRED)
        at++;
    return at;
}

/* Whether the user's part is to be walked: there is none, or an unwinder does it better. */
static bool is_walkable(const struct perf_machine *machine, const struct perf_record *record) {
    return user_stack_is_recorded(&machine->walker, record) &&
           (find_user_part(machine) == machine->rows.chain_size ||
            user_stack_is_unwound(&machine->walker, record));
}

/* Whether a frame is in compiled code beyond what was copied of the stack. */
static bool is_compiled_beyond_copy(const struct perf_machine *machine,
                                    const struct perf_record *record,
                                    const struct user_stack *stack) {
    for (size_t i = stack->copied; i < stack->count; i++) {
        if (native_names_code(machine->options.names, record->process_id, stack->addresses[i] - 1)
                .kind == LOCATION_COMPILED)
            return true;
    }
    return false;
}

/* Drops what was read of a wait's stack after the wait: other calls may stand there by now. */
static void drop_changed(struct perf_machine *machine, const struct perf_record *record,
                         const struct perf_attribute *attribute, struct user_stack *stack) {
    int bit = machine->walker.architecture->stack_pointer;
    if (!machine->options.still_waits || !perf_attribute_is_switch(attribute) ||
        stack->copied == stack->count || !is_compiled_beyond_copy(machine, record, stack) ||
        machine->options.still_waits(machine->options.waits_context, record,
                                     stack->registers.values[bit]))
        return;
    stack->count = stack->copied;
    stack->ending = UNWIND_TRUNCATED;
}

/* Puts the user's part from registers and a copy of the stack in place of the one that is there.
 * Returns how it ends. */
static enum unwind_ending push_walk(struct perf_machine *machine, const struct perf_record *record,
                                    const struct perf_attribute *attribute, bool is_limited) {
    struct user_stack *stack = &machine->stack;
    size_t user = find_user_part(machine);
    size_t known = user;
    if (known < machine->rows.chain_size && machine->rows.chain[known++] != PERF_CONTEXT_USER)
        known = machine->rows.chain_size;
    user_stack_walk(&machine->walker, record, attribute,
                    machine->rows.chain ? machine->rows.chain + known : NULL,
                    machine->rows.chain_size - known, is_limited, stack);
    drop_changed(machine, record, attribute, stack);
    machine->rows.chain_size = user;
    perf_rows_push(&machine->rows, PERF_CONTEXT_USER);
    if (machine->options.push_stack)
        machine->options.push_stack(machine->options.push_context, record, stack, &machine->rows);
    for (size_t i = 0; i < stack->count && !machine->options.push_stack; i++)
        perf_rows_push(&machine->rows, stack->addresses[i]);
    machine->by_pointers += !user_stack_is_unwound(&machine->walker, record);
    machine->counts.repaired += stack->repaired;
    return stack->ending;
}

/* The row of the chain under way, which is counted. */
static uint32_t chain_row(struct perf_machine *machine, struct thread *thread, uint64_t mode,
                          enum unwind_ending ending) {
    uint32_t row =
        perf_rows_add(&machine->rows, thread, &machine->threads.processes[thread->process], mode,
                      ending != UNWIND_COMPLETE);
    if (machine->rows.chain_size == 0)
        return 0;
    machine->counts.cut += thread->cut_at != 0 || ending == UNWIND_CUT;
    machine->counts.truncated += ending == UNWIND_TRUNCATED;
    return row;
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
        machine->rows.chain_size = 0;
        for (size_t k = 0; k < deferred->size; k++)
            perf_rows_push(&machine->rows, deferred->chain[k]);
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
        .cookie = size + 1 < machine->rows.chain_size ? machine->rows.chain[size + 1] : 0,
        .chain = memory_allocate(size * sizeof *deferred->chain),
        .size = size,
        .mode = mode,
    };
    memcpy(deferred->chain, machine->rows.chain, size * sizeof *deferred->chain);
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
        machine->rows.chain_size = 0;
        for (size_t k = 0; k < deferred.size; k++)
            perf_rows_push(&machine->rows, deferred.chain[k]);
        perf_rows_push(&machine->rows, PERF_CONTEXT_USER);
        push_chain(machine, record);
        take_sample(machine, deferred.thread, deferred.sample, deferred.mode,
                    chain_ending(machine));
        free(deferred.chain);
    }
    machine->deferred_count = kept;
}

static void record_sample(struct perf_machine *machine, const struct perf_record *record,
                          const struct perf_attribute *attribute, uint16_t event) {
    uint64_t mode = record->misc & PERF_MISC_MODE;
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
    machine->rows.chain_size = 0;
    push_chain(machine, record);
    enum unwind_ending ending = chain_ending(machine);
    /* The address counts where there is no chain, or one of marks only. */
    size_t marks = 0;
    while (marks < machine->rows.chain_size && perf_rows_is_mark(machine->rows.chain[marks]) &&
           machine->rows.chain[marks] != PERF_CONTEXT_USER_DEFERRED)
        marks++;
    if (is_walkable(machine, record)) {
        ending = push_walk(machine, record, attribute, ending == UNWIND_TRUNCATED);
    } else if (marks == machine->rows.chain_size && attribute->sample_type & SAMPLE_HAS_ADDRESS) {
        machine->rows.chain_size = 0;
        perf_rows_push(&machine->rows, record->address);
    }
    for (size_t i = 0; i < machine->rows.chain_size; i++) {
        if (machine->rows.chain[i] != PERF_CONTEXT_USER_DEFERRED)
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
    machine->rows.chain_size = 0;
    perf_rows_push(&machine->rows, PERF_CONTEXT_USER);
    for (size_t i = 0; i < count; i++)
        perf_rows_push(&machine->rows, addresses[i]);
    perf_waits_found(machine->waits, sleeper->number, sleeper->time,
                     chain_row(machine, thread, PERF_MODE_KERNEL, UNWIND_COMPLETE));
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

void perf_machine_resolve(struct perf_machine *machine) {
    perf_rows_resolve(&machine->rows);
}

struct stack_id perf_machine_stack(const struct perf_machine *machine, uint32_t row) {
    return perf_rows_stack(&machine->rows, row);
}

void perf_machine_finish(struct perf_machine *machine) {
    struct profile *profile = machine->profile;
    give_up_deferred(machine);
    perf_rows_resolve(&machine->rows);
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
