// SPDX-License-Identifier: MIT
#include "profiler/unwind/stack_memory.h"

#include <string.h>
#include <sys/uio.h>

void stack_memory_begin(struct stack_memory *memory, uint64_t start, struct text copy,
                        uint64_t process) {
    memory->start = start;
    memory->copy = copy;
    memory->process = process;
    memory->missed = memory->missed_below = false;
    memory->below = 0;
    memory->page_count = 0;
}

bool stack_memory_is_copied(const struct stack_memory *memory, uint64_t address) {
    return address >= memory->start && memory->copy.size >= sizeof(uint64_t) &&
           address - memory->start <= memory->copy.size - sizeof(uint64_t);
}

bool stack_memory_read_process(uint64_t process, uint64_t address, void *bytes, size_t size) {
    struct iovec here = {bytes, size};
    struct iovec there = {(void *)(uintptr_t)address, size};
    return process <= INT32_MAX &&
           process_vm_readv((pid_t)process, &here, 1, &there, 1, 0) == (ssize_t)size;
}

static const struct stack_page *get_page(struct stack_memory *memory, uint64_t address) {
    for (size_t i = 0; i < memory->page_count; i++) {
        if (memory->pages[i].address == address)
            return &memory->pages[i];
    }
    if (memory->page_count == STACK_PAGES_MOST)
        return NULL;
    struct stack_page *page = &memory->pages[memory->page_count++];
    page->address = address;
    page->is_there = stack_memory_read_process(memory->process, address, page->bytes, STACK_PAGE);
    return page;
}

bool stack_memory_read(struct stack_memory *memory, uint64_t address, uint64_t *number) {
    if (stack_memory_is_copied(memory, address)) {
        memcpy(number, memory->copy.data + (address - memory->start), sizeof *number);
        return true;
    }
    if (address < memory->start && memory->start - address <= STACK_RED_ZONE) {
        memory->missed_below = true;
        *number = memory->below;
        return memory->below != 0;
    }
    if (address < memory->start || address - memory->start >= STACK_REACH)
        return false;
    uint64_t inside = address % STACK_PAGE;
    const struct stack_page *page = memory->process && inside <= STACK_PAGE - sizeof *number
                                        ? get_page(memory, address - inside)
                                        : NULL;
    if (!page || !page->is_there) {
        memory->missed = true;
        return false;
    }
    memcpy(number, page->bytes + inside, sizeof *number);
    return true;
}
