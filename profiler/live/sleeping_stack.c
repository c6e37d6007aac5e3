// SPDX-License-Identifier: MIT
#include "profiler/live/sleeping_stack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "fold/base/memory.h"
#include "fold/base/number.h"
#include "profiler/live/proc_file.h"

enum {
    WORD = 8,
    LEAF_BYTES = 4096,           /* the frames of the C library take no more */
    FUNCTION_BYTES = 128 * 1024, /* a function is no longer */
    CALL_BYTES = 8,              /* a call takes no more */
    PAGE = 4096,
};

/* Instructions of x86-64. */
enum {
    CALL_DIRECT = 0xe8, /* followed by a distance, 4 bytes */
    INDIRECT = 0xff,    /* followed by an operand whose bits 3 to 5 say what to do */
    TO_CALL = 2,
    TO_JUMP = 4,
    OPERAND_NEAR = 5, /* its other bits: the address stands at a distance, 4 bytes */
};

/* The word at an address of the stack; false: it is not in the copy. */
static bool read_word(const struct sleeping_memory *memory, uint64_t address, uint64_t *word) {
    uint64_t offset = address - memory->stack_pointer;
    if (address % WORD != 0 || memory->stack.size < WORD || offset > memory->stack.size - WORD)
        return false;
    memcpy(word, memory->stack.data + offset, sizeof *word);
    return true;
}

static uint32_t region(const struct sleeping_memory *memory, uint64_t address) {
    return memory->region(memory->context, address);
}

/* The address at a distance that stands right before it in the code. */
static uint64_t at_distance(const unsigned char *end, uint64_t address) {
    int32_t distance;
    memcpy(&distance, end - sizeof distance, sizeof distance);
    return address + (uint64_t)(int64_t)distance;
}

/* A call, as its return address tells it. */
struct call {
    bool direct;
    uint64_t target; /* direct: the function; else where its address stands, 0 = not known */
};

/* The call in front of a return address; false: there is none. */
static bool read_call(const struct sleeping_memory *memory, uint64_t address, struct call *call) {
    unsigned char code[CALL_BYTES];
    const unsigned char *end = code + CALL_BYTES;
    if (!memory->read(memory->context, address - CALL_BYTES, code, sizeof code))
        return false;
    *call = (struct call){.direct = end[-5] == CALL_DIRECT, .target = at_distance(end, address)};
    if (call->direct && region(memory, call->target) != 0)
        return true;
    call->direct = false;
    if (end[-6] == INDIRECT && end[-5] == (TO_CALL << 3 | OPERAND_NEAR))
        return true;
    call->target = 0;
    for (int size = 2; size < CALL_BYTES; size++) {
        if (end[-size] == INDIRECT && (end[1 - size] >> 3 & 7) == TO_CALL)
            return true;
    }
    return false;
}

/* Whether the call leads to a function of another file, which is that of `wanted`: through a stub
 * that jumps to where its address stands, or there at once. */
static bool leads_to(const struct sleeping_memory *memory, const struct call *call,
                     uint32_t wanted) {
    unsigned char code[12];
    uint64_t slot = call->target;
    uint64_t function;
    if (call->direct) {
        /* The stub may begin with a mark for indirect jumps and a prefix. */
        static const unsigned char mark[] = {0xf3, 0x0f, 0x1e, 0xfa};
        if (!memory->read(memory->context, slot, code, sizeof code))
            return false;
        size_t at = memcmp(code, mark, sizeof mark) == 0 ? sizeof mark : 0;
        at += code[at] == 0xf2;
        if (code[at] != INDIRECT || code[at + 1] != (TO_JUMP << 3 | OPERAND_NEAR))
            return false;
        slot = at_distance(code + at + 6, slot + at + 6);
    }
    return slot != 0 && memory->read(memory->context, slot, &function, sizeof function) &&
           region(memory, function) == wanted;
}

/* The first return address of a call into the file of the instruction pointer, and where it stands;
 * false: there is none. */
static bool find_leaf(const struct sleeping_memory *memory, uint64_t *at, uint64_t *caller) {
    uint32_t own = region(memory, memory->instruction_pointer);
    struct call call;
    *at = memory->stack_pointer;
    for (; own != 0 && *at - memory->stack_pointer < LEAF_BYTES && read_word(memory, *at, caller);
         *at += WORD) {
        uint32_t other = region(memory, *caller);
        if (other != 0 && other != own && read_call(memory, *caller, &call) &&
            leads_to(memory, &call, own))
            return true;
    }
    return false;
}

/*
 * Follows frame pointers from the record at an address of the stack. Writes the return addresses;
 * returns how many, 0: they do not lead to where a program or a thread begins, which is in another
 * file than `caller`, or beyond the copy.
 */
static size_t follow(const struct sleeping_memory *memory, uint64_t record, uint64_t caller,
                     uint64_t *addresses, size_t most) {
    size_t count = 0;
    uint64_t next;
    uint64_t address;
    while (count < most && read_word(memory, record, &next) &&
           read_word(memory, record + WORD, &address) && region(memory, address) != 0) {
        addresses[count++] = address;
        if (next <= record)
            break;
        record = next;
    }
    bool beyond = memory->stack.size == SLEEPING_STACK_BYTES &&
                  record - memory->stack_pointer >= SLEEPING_STACK_BYTES - 2 * WORD;
    if (count == most ||
        (count > 0 && (beyond || region(memory, addresses[count - 1]) != region(memory, caller))))
        return count;
    return 0;
}

/* How far behind the beginning of the function that was called there the address `caller` lies;
 * FUNCTION_BYTES: it is another function, or it is not known. */
static uint64_t distance_in_function(const struct sleeping_memory *memory, uint64_t return_address,
                                     uint64_t caller) {
    struct call call;
    if (!read_call(memory, return_address, &call) || !call.direct || call.target > caller ||
        caller - call.target >= FUNCTION_BYTES)
        return FUNCTION_BYTES;
    return caller - call.target;
}

size_t sleeping_stack_search(const struct sleeping_memory *memory, uint64_t *addresses,
                             size_t most) {
    uint64_t leaf;
    uint64_t caller;
    if (most < 3 || !find_leaf(memory, &leaf, &caller))
        return 0;
    uint64_t best = 0;
    uint64_t best_distance = FUNCTION_BYTES;
    uint64_t saved = 0;
    uint64_t next;
    uint64_t return_address;
    if (leaf > memory->stack_pointer)
        (void)read_word(memory, leaf - WORD, &saved);
    for (uint64_t record = leaf + WORD; read_word(memory, record + WORD, &return_address);
         record += WORD) {
        if (!read_word(memory, record, &next) || (next != 0 && next <= record) ||
            region(memory, return_address) == 0)
            continue;
        /* Last what reads the process's memory. */
        if (follow(memory, record, caller, addresses + 2, most - 2) == 0)
            continue;
        uint64_t distance = distance_in_function(memory, return_address, caller);
        if (distance < best_distance || (distance == best_distance && best && record == saved)) {
            best = record;
            best_distance = distance;
        }
    }
    if (best == 0)
        return 0;
    addresses[0] = memory->instruction_pointer;
    addresses[1] = caller;
    return 2 + follow(memory, best, caller, addresses + 2, most - 2);
}

#ifdef __x86_64__

/* Where a thread sleeps. */
struct sleep_state {
    struct buffer line; /* of /proc/PID/task/TID/syscall */
    uint64_t system_call, stack_pointer, instruction_pointer;
    uint64_t switches; /* how often it went to sleep so far */
};

/* The numbers of "NUMBER ARGUMENTS... STACK INSTRUCTION", of which only the first is decimal. */
static bool parse_call(struct text line, struct sleep_state *state) {
    uint64_t numbers[9];
    size_t count = 0;
    while (line.size > 0 && count < sizeof numbers / sizeof *numbers) {
        const char *end = memchr(line.data, ' ', line.size);
        struct text word = {line.data, end ? (size_t)(end - line.data) : line.size};
        /* Not so: "running", and -1 outside of a system call. */
        if (!(count == 0 ? number_parse_decimal(word, &numbers[count])
                         : number_parse_hexadecimal(word, &numbers[count])))
            return false;
        count++;
        line = text_skip(line, word.size + (end ? 1 : 0));
    }
    if (count != sizeof numbers / sizeof *numbers)
        return false;
    state->system_call = numbers[0];
    state->stack_pointer = numbers[7];
    state->instruction_pointer = numbers[8];
    return true;
}

static bool read_state(pid_t process_id, pid_t thread_id, struct sleep_state *state) {
    struct buffer status = {0};
    struct text rest;
    struct text line;
    struct text field;
    bool read = proc_read(&state->line, "/proc/%d/task/%d/syscall", process_id, thread_id) &&
                proc_read(&status, "/proc/%d/task/%d/status", process_id, thread_id) &&
                proc_status_field(buffer_text(&status), "voluntary_ctxt_switches", &field) &&
                number_parse_decimal(field, &state->switches);
    buffer_free(&status);
    rest = buffer_text(&state->line);
    return read && proc_next_line(&rest, &line) && parse_call(line, state);
}

/* Reads memory of the process, as much of it as is there. */
static size_t read_memory(pid_t process_id, uint64_t address, void *bytes, size_t size) {
    /* A page each: of one that cannot be read nothing comes. */
    struct iovec local = {bytes, size};
    struct iovec pages[SLEEPING_STACK_BYTES / PAGE + 1];
    size_t count = 0;
    while (size > 0) {
        size_t part = PAGE - address % PAGE;
        part = part < size ? part : size;
        pages[count++] = (struct iovec){(void *)(uintptr_t)address, part};
        address += part;
        size -= part;
    }
    ssize_t read = process_vm_readv(process_id, &local, 1, pages, count, 0);
    return read > 0 ? (size_t)read : 0;
}

/* The caller's knowledge, and the process whose code is read. */
struct search_context {
    pid_t process_id;
    sleeping_stack_region *region;
    void *context;
};

static uint32_t find_region(void *context, uint64_t address) {
    const struct search_context *search = context;
    return search->region(search->context, address);
}

static bool read_bytes(void *context, uint64_t address, void *bytes, size_t size) {
    const struct search_context *search = context;
    return read_memory(search->process_id, address, bytes, size) == size;
}

bool sleeping_stack_read(pid_t process_id, pid_t thread_id, sleeping_stack_region *region,
                         void *context, struct sleeping_stack *stack) {
    struct sleep_state before = {0};
    struct sleep_state after = {0};
    struct search_context search = {process_id, region, context};
    stack->count = 0;
    if (read_state(process_id, thread_id, &before)) {
        char *bytes = memory_allocate(SLEEPING_STACK_BYTES);
        struct sleeping_memory memory = {
            .instruction_pointer = before.instruction_pointer,
            .stack_pointer = before.stack_pointer,
            .stack = {bytes,
                      read_memory(process_id, before.stack_pointer, bytes, SLEEPING_STACK_BYTES)},
            .region = find_region,
            .read = read_bytes,
            .context = &search,
        };
        stack->system_call = before.system_call;
        stack->count = sleeping_stack_search(&memory, stack->addresses, SLEEPING_STACK_MOST);
        free(bytes);
    }
    /* The same sleep still, or what was read may be of several moments. */
    if (stack->count > 0 &&
        !(read_state(process_id, thread_id, &after) && after.switches == before.switches &&
          text_equal(buffer_text(&before.line), buffer_text(&after.line))))
        stack->count = 0;
    buffer_free(&before.line);
    buffer_free(&after.line);
    return stack->count > 0;
}

#else

bool sleeping_stack_read(pid_t process_id, pid_t thread_id, sleeping_stack_region *region,
                         void *context, struct sleeping_stack *stack) {
    (void)process_id;
    (void)thread_id;
    (void)region;
    (void)context;
    stack->count = 0;
    return false;
}

#endif
