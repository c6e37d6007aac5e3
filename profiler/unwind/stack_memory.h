// SPDX-License-Identifier: MIT
/*
 * The stack of a sample as memory: the copy that was made with the sample, and beyond its end what
 * the process holds there now.
 *
 * The outer end of a stack belongs to calls that last: while the event loop runs, it does not
 * change. So what a copy was too short for is read from the living process, a page at a time and
 * each page once for a sample. Below the copy lies no frame; what a leaf keeps right there, in the
 * red zone of x86-64, was not copied. A step can be tried with one number in its place.
 */
#ifndef TICKFLAME_PROFILER_UNWIND_STACK_MEMORY_H
#define TICKFLAME_PROFILER_UNWIND_STACK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/text.h"

enum { STACK_PAGE = 4096, STACK_PAGES_MOST = 32, STACK_RED_ZONE = 128 };

/* How far above its pointer a stack is looked for; they have 8 MiB by default. */
#define STACK_REACH ((uint64_t)64 * 1024 * 1024)

struct stack_page {
    uint64_t address;
    bool is_there;
    unsigned char bytes[STACK_PAGE];
};

struct stack_memory {
    uint64_t start;    /* address of the copy's first byte: the stack pointer */
    struct text copy;  /* in this machine's byte order */
    uint64_t process;  /* where to read what lies beyond; 0 = nowhere */
    bool missed;       /* something beyond the copy was asked for in vain */
    bool missed_below; /* something in the red zone was */
    uint64_t below;    /* what to say that stands there; 0 = nothing */
    size_t page_count;
    struct stack_page pages[STACK_PAGES_MOST];
};

/* Makes it the memory of another sample. */
void stack_memory_begin(struct stack_memory *memory, uint64_t start, struct text copy,
                        uint64_t process);

/* Whether the 8 bytes at `address` lie in the copy. */
bool stack_memory_is_copied(const struct stack_memory *memory, uint64_t address);

/* Stores the number at `address`. False: it is in no stack that can be read. */
bool stack_memory_read(struct stack_memory *memory, uint64_t address, uint64_t *number);

/* Reads `size` bytes of a living process into `bytes`. False: not all of them can be read. */
bool stack_memory_read_process(uint64_t process, uint64_t address, void *bytes, size_t size);

#endif
