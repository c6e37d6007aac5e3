// SPDX-License-Identifier: MIT
#include "profiler/v8/v8_memory.h"

#include <sys/uio.h>

static bool take_budget(struct v8_memory *memory, size_t size) {
    uint64_t cost = 1 + size / V8_MEMORY_CHUNK;
    if (memory->budget < cost) {
        memory->budget = 0;
        return false;
    }
    memory->budget -= cost;
    return true;
}

static bool read_here(struct v8_memory *memory, const struct v8_part *parts, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!memory->read(memory->context, parts[i].address, parts[i].bytes, parts[i].size))
            return false;
    }
    return true;
}

bool v8_memory_read_parts(struct v8_memory *memory, const struct v8_part *parts, size_t count) {
    struct iovec here[V8_MEMORY_PARTS_MOST], there[V8_MEMORY_PARTS_MOST];
    size_t size = 0;
    if (count > V8_MEMORY_PARTS_MOST)
        return false;
    for (size_t i = 0; i < count; i++) {
        here[i] = (struct iovec){parts[i].bytes, parts[i].size};
        there[i] = (struct iovec){(void *)(uintptr_t)parts[i].address, parts[i].size};
        size += parts[i].size;
    }
    if (!take_budget(memory, size))
        return false;
    if (memory->read)
        return read_here(memory, parts, count);
    return memory->process_id <= INT32_MAX &&
           process_vm_readv((pid_t)memory->process_id, here, count, there, count, 0) ==
               (ssize_t)size;
}

bool v8_memory_read(struct v8_memory *memory, uint64_t address, void *bytes, size_t size) {
    return v8_memory_read_parts(memory, &(struct v8_part){address, bytes, size}, 1);
}

bool v8_memory_read_number(struct v8_memory *memory, uint64_t address, uint64_t *number) {
    return v8_memory_read(memory, address, number, sizeof *number);
}

bool v8_memory_read_half(struct v8_memory *memory, uint64_t address, uint32_t *number) {
    return v8_memory_read(memory, address, number, sizeof *number);
}
