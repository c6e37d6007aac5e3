// SPDX-License-Identifier: MIT
#include "profiler/trace/perf_stacks.h"

#include <string.h>

#include "profiler/unwind/frame_pointer.h"

/* The value of the register at `bit` of the mask; 0 when it was not recorded. */
static uint64_t register_value(const struct perf_record *record, uint64_t mask, int bit) {
    if (bit == NO_REGISTER || !(mask >> bit & 1))
        return 0;
    uint64_t below = mask & (((uint64_t)1 << bit) - 1);
    return perf_record_number(record, record->registers, (uint64_t)__builtin_popcountll(below));
}

bool user_stack_is_recorded(const struct stack_walker *walker, const struct perf_record *record) {
    enum { REGISTERS_64_BIT = 2 };
    return record->registers && record->registers_abi == REGISTERS_64_BIT && walker->architecture &&
           record->stack.size > 0;
}

bool user_stack_is_unwound(const struct stack_walker *walker, const struct perf_record *record) {
    return walker->unwinder && !record->swapped &&
           unwinder_is_for(walker->architecture->elf_machine);
}

static void walk_pointers(const struct architecture *architecture, const struct perf_record *record,
                          uint64_t mask, struct user_stack *stack) {
    struct unwind_start start = {
        .instruction_pointer = register_value(record, mask, architecture->instruction_pointer),
        .stack_pointer = register_value(record, mask, architecture->stack_pointer),
        .frame_pointer = register_value(record, mask, architecture->frame_pointer),
        .link_register = register_value(record, mask, architecture->link_register),
        .stack = record->stack,
        .swapped = record->swapped,
    };
    struct unwind_end end =
        frame_pointer_walk(architecture, &start, stack->addresses, USER_STACK_MOST);
    memset(stack->frames, 0, sizeof stack->frames);
    stack->count = stack->copied = end.count;
    stack->ending = end.truncated ? UNWIND_TRUNCATED : UNWIND_COMPLETE;
    stack->repaired = false;
    stack->registers.known = 0;
}

void user_stack_walk(const struct stack_walker *walker, const struct perf_record *record,
                     const struct perf_attribute *attribute, const uint64_t *known,
                     size_t known_count, bool known_is_limited, struct user_stack *stack) {
    uint64_t mask = attribute->sample_registers_user;
    if (!user_stack_is_unwound(walker, record)) {
        walk_pointers(walker->architecture, record, mask, stack);
        return;
    }
    struct unwind_sample sample = {
        .process_id = record->process_id,
        .stack = record->stack,
        .known = known,
        .known_count = known_count,
        .known_is_limited = known_is_limited,
    };
    for (int bit = 0; bit < UNWIND_REGISTERS_MOST; bit++) {
        if (!(mask >> bit & 1))
            continue;
        sample.registers.values[bit] = register_value(record, mask, bit);
        sample.registers.known |= (uint64_t)1 << bit;
    }
    struct unwound unwound =
        unwinder_walk(walker->unwinder, &sample, stack->addresses, stack->frames, USER_STACK_MOST);
    stack->registers = sample.registers;
    stack->count = unwound.count;
    stack->copied = unwound.copied;
    stack->ending = unwound.ending;
    stack->repaired = unwound.repaired;
}
