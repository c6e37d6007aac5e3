// SPDX-License-Identifier: MIT
/*
 * The memory of a process, read without stopping it: process_vm_readv(2), or what a test gives.
 *
 * A budget bounds what one stack may cost: each read takes one, and one more for each
 * V8_MEMORY_CHUNK bytes. With an empty budget all reads fail.
 */
#ifndef TICKFLAME_PROFILER_V8_V8_MEMORY_H
#define TICKFLAME_PROFILER_V8_V8_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { V8_MEMORY_CHUNK = 4096, V8_MEMORY_PARTS_MOST = 8 };

/* Reads `size` bytes at `address`; false: not all of them can be read. */
typedef bool v8_read_memory(void *context, uint64_t address, void *bytes, size_t size);

struct v8_memory {
    uint64_t process_id;
    v8_read_memory *read; /* in place of the process; NULL: the process */
    void *context;
    uint64_t budget;
};

/* A part of a read. */
struct v8_part {
    uint64_t address;
    void *bytes;
    size_t size;
};

bool v8_memory_read(struct v8_memory *memory, uint64_t address, void *bytes, size_t size);

/* Reads all parts, V8_MEMORY_PARTS_MOST at most, with one system call. False: not all of them can
 * be read. */
bool v8_memory_read_parts(struct v8_memory *memory, const struct v8_part *parts, size_t count);

/* The number of 8 or 4 bytes at `address`. */
bool v8_memory_read_number(struct v8_memory *memory, uint64_t address, uint64_t *number);
bool v8_memory_read_half(struct v8_memory *memory, uint64_t address, uint32_t *number);

#endif
