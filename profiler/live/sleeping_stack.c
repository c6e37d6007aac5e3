// SPDX-License-Identifier: MIT
#include "profiler/live/sleeping_stack.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "fold/base/memory.h"
#include "fold/base/number.h"
#include "profiler/live/proc_file.h"

#if defined __aarch64__
#define THIS_MACHINE TEXT("aarch64")
#else
#define THIS_MACHINE TEXT("x86_64")
#endif

enum {
    SLOTS_MOST = SLEEPING_STACK_BYTES_MOST / 8,
    NEAR_SLOTS = 24,    /* how far above the stack pointer the C library's caller is looked for */
    OWNER_SLOTS = 2560, /* and how far the record of that one */
    FUNCTION_MOST = 16384, /* bytes of a function's code */
    RECORDS_COMPARED = 64,
    READ_PAGE = 4096,
    READ_PAGES_MOST = SLEEPING_STACK_BYTES_MOST / READ_PAGE + 1,
};

/* The slots of the stack, and which of them begin a record. */
struct scan {
    const struct architecture *architecture;
    const struct sleeping_code *code;
    uint64_t stack_pointer;
    struct text memory;
    size_t count;
    bool asked[SLOTS_MOST]; /* `called` is there */
    uint64_t called[SLOTS_MOST];
    uint16_t length[SLOTS_MOST]; /* records in the chain that begins at the slot; 0 = none */
};

static uint64_t number_at(const struct scan *scan, size_t slot) {
    uint64_t number;
    memcpy(&number, scan->memory.data + slot * 8, sizeof number);
    return number;
}

static uint64_t address_at(const struct scan *scan, size_t slot) {
    return architecture_strip(scan->architecture, number_at(scan, slot), false);
}

static bool is_code(const struct scan *scan, uint64_t address) {
    return architecture_is_code(scan->architecture, address) &&
           scan->code->is_code(scan->code->context, address);
}

static uint64_t return_address(const struct scan *scan, size_t slot) {
    return address_at(scan, slot + scan->architecture->return_address / 8);
}

/* The slot that the record's frame pointer points at; the number of slots: outside of them. */
static size_t outer(const struct scan *scan, size_t slot) {
    uint64_t frame = number_at(scan, slot + scan->architecture->saved_frame_pointer / 8);
    uint64_t distance = frame - scan->stack_pointer;
    return frame % scan->architecture->frame_alignment == 0 && distance % 8 == 0 &&
                   distance / 8 < scan->count
               ? (size_t)(distance / 8)
               : scan->count;
}

/* Finds all records, from the outer end so that each is looked at once. */
static void find_records(struct scan *scan) {
    size_t size = scan->architecture->return_address / 8 + 1;
    for (size_t slot = scan->count; slot-- > 0;) {
        uint64_t address = scan->stack_pointer + slot * 8;
        uint64_t frame = 0;
        if (scan->count - slot >= size)
            frame = number_at(scan, slot + scan->architecture->saved_frame_pointer / 8);
        scan->length[slot] = 0;
        /* A frame pointer above the slots may be one: what is beyond was not read. */
        if (address % scan->architecture->frame_alignment != 0 || frame <= address ||
            frame % scan->architecture->frame_alignment != 0 || frame - address > UINT32_MAX ||
            !is_code(scan, return_address(scan, slot)))
            continue;
        size_t next = outer(scan, slot);
        scan->length[slot] = 1;
        if (next < scan->count)
            scan->length[slot] = (uint16_t)(scan->length[next] + 1);
    }
}

static bool begins_chain(const struct scan *scan, size_t slot) {
    return scan->length[slot] >= SLEEPING_STACK_RECORDS_LEAST;
}

/* The function that the record's call calls; 0: not known. Each is asked for once. */
static uint64_t called(struct scan *scan, size_t slot) {
    if (!scan->asked[slot]) {
        scan->asked[slot] = true;
        scan->called[slot] = scan->code->called(scan->code->context, return_address(scan, slot));
    }
    return scan->called[slot];
}

static bool is_inside(uint64_t function, uint64_t address) {
    return address > function && address - function < FUNCTION_MOST;
}

/* How many of the calls of a chain fit to the function that is called, up to the first that does
 * not, as in chains that are dead in part. */
static size_t fitting_calls(struct scan *scan, size_t slot) {
    size_t count = 0;
    for (; count < RECORDS_COMPARED; count++) {
        uint64_t address = return_address(scan, slot);
        slot = outer(scan, slot);
        if (slot == scan->count || scan->length[slot] == 0)
            return RECORDS_COMPARED;
        if (called(scan, slot) != 0 && !is_inside(called(scan, slot), address))
            return count;
    }
    return count;
}

/*
 * The record above `slot` whose call is one of the function with `address`: of those that may be,
 * the ones whose function begins nearest before it, for no function begins inside of another; of
 * these the one whose chain fits furthest, then the innermost.
 */
static size_t find_owner(struct scan *scan, size_t slot, uint64_t address) {
    size_t owner = scan->count, most = 0;
    uint64_t nearest = UINT64_MAX;
    size_t end = scan->count - slot < OWNER_SLOTS ? scan->count : slot + OWNER_SLOTS;
    for (; slot < end; slot++) {
        if (!begins_chain(scan, slot) || !is_inside(called(scan, slot), address))
            continue;
        uint64_t depth = address - called(scan, slot);
        size_t fitting = depth <= nearest ? fitting_calls(scan, slot) : 0;
        if (depth > nearest || (depth == nearest && fitting <= most))
            continue;
        nearest = depth;
        owner = slot;
        most = fitting;
    }
    return owner;
}

static void add_address(struct sleeping_stack *stack, uint64_t address) {
    if (stack->count < SLEEPING_STACK_MOST)
        stack->addresses[stack->count++] = address;
}

static void add_chain(const struct scan *scan, size_t slot, struct sleeping_stack *stack) {
    while (slot < scan->count && scan->length[slot] > 0) {
        add_address(stack, return_address(scan, slot));
        slot = outer(scan, slot);
    }
    /* The outermost record leads nowhere. */
    size_t size = scan->architecture->return_address / 8 + 1;
    if (slot < scan->count && scan->count - slot >= size &&
        is_code(scan, return_address(scan, slot)))
        add_address(stack, return_address(scan, slot));
}

static bool scan_stack(struct scan *scan, struct sleeping_stack *stack) {
    find_records(scan);
    memset(scan->asked, 0, sizeof scan->asked);
    for (size_t slot = 0; slot < scan->count && slot < NEAR_SLOTS; slot++) {
        uint64_t address = address_at(scan, slot);
        if (!is_code(scan, address))
            continue;
        size_t owner = find_owner(scan, slot + 1, address);
        if (owner == scan->count)
            continue;
        add_address(stack, address);
        add_chain(scan, owner, stack);
        return true;
    }
    stack->uncertain = true;
    size_t first = 0;
    while (first < scan->count && !begins_chain(scan, first))
        first++;
    add_chain(scan, first, stack);
    return first < scan->count;
}

bool sleeping_stack_scan(const struct architecture *architecture, const struct sleeping_code *code,
                         uint64_t instruction_pointer, uint64_t stack_pointer, struct text memory,
                         struct sleeping_stack *stack) {
    struct scan *scan = memory_allocate(sizeof *scan);
    scan->architecture = architecture;
    scan->code = code;
    scan->stack_pointer = stack_pointer;
    scan->memory = memory;
    scan->count = memory.size / 8 < SLOTS_MOST ? memory.size / 8 : SLOTS_MOST;
    *stack = (struct sleeping_stack){.system_call = -1};
    add_address(stack, architecture_strip(architecture, instruction_pointer, false));
    bool found = stack_pointer % 8 == 0 && stack_pointer <= UINT64_MAX - memory.size &&
                 scan_stack(scan, stack);
    free(scan);
    return found;
}

/* Cuts the next word off *rest. */
static struct text next_word(struct text *rest) {
    size_t size = 0;
    while (size < rest->size && rest->data[size] != ' ' && rest->data[size] != '\n')
        size++;
    struct text word = {rest->data, size};
    *rest = text_skip(*rest, size + 1);
    return word;
}

bool sleeping_stack_parse(struct text line, int64_t *system_call, uint64_t *stack_pointer,
                          uint64_t *instruction_pointer) {
    struct text word = next_word(&line);
    uint64_t number = 0;
    bool none = text_equal(word, TEXT("-1"));
    if (!none && (!number_parse_decimal(word, &number) || number > INT32_MAX))
        return false;
    *system_call = none ? -1 : (int64_t)number;
    for (int skipped = 0; skipped < 6 && !none; skipped++)
        next_word(&line);
    return number_parse_hexadecimal(next_word(&line), stack_pointer) &&
           number_parse_hexadecimal(next_word(&line), instruction_pointer);
}

/* Reads from the process up to the first page that is not there. Returns how many bytes. */
static size_t read_memory(pid_t process_id, uint64_t address, void *bytes, size_t size) {
    struct iovec local = {bytes, size};
    struct iovec remote[READ_PAGES_MOST];
    size_t count = 0;
    for (size_t done = 0; done < size && count < READ_PAGES_MOST; count++) {
        size_t part = READ_PAGE - (address + done) % READ_PAGE;
        if (part > size - done)
            part = size - done;
        remote[count] = (struct iovec){(void *)(uintptr_t)(address + done), part};
        done += part;
    }
    ssize_t got = process_vm_readv(process_id, &local, 1, remote, count, 0);
    return got > 0 ? (size_t)got : 0;
}

struct asked {
    pid_t process_id;
    bool (*is_code)(void *context, uint64_t address);
    void *context;
};

static bool ask_code(void *context, uint64_t address) {
    struct asked *asked = context;
    return asked->is_code(asked->context, address);
}

static uint64_t ask_called(void *context, uint64_t address) {
    struct asked *asked = context;
#if defined __aarch64__
    /* BL: 26 bits of words from the instruction. */
    uint32_t word;
    if (read_memory(asked->process_id, address - 4, &word, sizeof word) != sizeof word ||
        word >> 26 != 0x25)
        return 0;
    int64_t offset = (int32_t)(word << 6) >> 4;
    return address - 4 + (uint64_t)offset;
#else
    /* CALL: E8 and 32 bits of bytes from the end of the instruction. */
    unsigned char bytes[5];
    int32_t offset;
    if (read_memory(asked->process_id, address - 5, bytes, sizeof bytes) != sizeof bytes ||
        bytes[0] != 0xe8)
        return 0;
    memcpy(&offset, bytes + 1, sizeof offset);
    return address + (uint64_t)(int64_t)offset;
#endif
}

/* How often the thread gave its processor up. */
static bool read_switches(pid_t process_id, pid_t thread_id, uint64_t *switches) {
    struct buffer status = {0};
    struct text value;
    bool found = proc_read(&status, "/proc/%d/task/%d/status", process_id, thread_id) &&
                 proc_status_field(buffer_text(&status), "voluntary_ctxt_switches", &value) &&
                 number_parse_decimal(value, switches);
    buffer_free(&status);
    return found;
}

bool sleeping_stack_read(pid_t process_id, pid_t thread_id,
                         bool (*is_code)(void *context, uint64_t address), void *context,
                         struct sleeping_stack *stack) {
    struct asked asked = {process_id, is_code, context};
    struct sleeping_code code = {&asked, ask_code, ask_called};
    struct buffer before = {0}, after = {0};
    uint64_t stack_pointer, instruction_pointer, switches = 0, switches_after = 0;
    int64_t system_call;
    bool found = false;
    if (read_switches(process_id, thread_id, &switches) &&
        proc_read(&before, "/proc/%d/task/%d/syscall", process_id, thread_id) &&
        sleeping_stack_parse(buffer_text(&before), &system_call, &stack_pointer,
                             &instruction_pointer)) {
        char *memory = memory_allocate(SLEEPING_STACK_BYTES_MOST);
        size_t size = read_memory(process_id, stack_pointer, memory, SLEEPING_STACK_BYTES_MOST);
        /* In this order: if it has run and sleeps again by the second, the third tells. */
        found = proc_read(&after, "/proc/%d/task/%d/syscall", process_id, thread_id) &&
                text_equal(buffer_text(&before), buffer_text(&after)) &&
                read_switches(process_id, thread_id, &switches_after) &&
                switches == switches_after &&
                sleeping_stack_scan(architecture_of_name(THIS_MACHINE), &code, instruction_pointer,
                                    stack_pointer, (struct text){memory, size}, stack);
        stack->system_call = system_call;
        free(memory);
    }
    buffer_free(&before);
    buffer_free(&after);
    return found;
}
