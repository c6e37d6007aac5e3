// SPDX-License-Identifier: MIT
/*
 * The user stack of a thread that sleeps now, read without stopping it, by whoever may read its
 * memory: where the kernel's own records of it are not allowed.
 *
 * /proc/PID/task/TID/syscall tells the stack pointer and the instruction of a sleeping thread, and
 * the memory above is its stack. The frame pointer is not told, so frame records (the caller's
 * frame pointer beside the return address) are searched from the stack pointer up. Old records lie
 * there too, in room that calls reserved and did not use, and look alike. Two rules find the right
 * ones:
 *
 * - The thread sleeps in a function of the C library, called by a function F. If a return address
 *   near the stack pointer and a record fit together, because the call that the record returns to
 *   is a call of the function with that address, the record is F's and all of the stack is known.
 * - Else the first record begins the stack: calls inside of it are missing, and it may be an old
 *   one, so that calls are there that are over. The outer end is right in any case.
 *
 * Formats: proc(5), process_vm_readv(2).
 */
#ifndef TICKFLAME_PROFILER_LIVE_SLEEPING_STACK_H
#define TICKFLAME_PROFILER_LIVE_SLEEPING_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fold/base/text.h"
#include "profiler/unwind/architecture.h"

enum {
    SLEEPING_STACK_MOST = 256,         /* addresses */
    SLEEPING_STACK_BYTES_MOST = 65536, /* that are read, from the stack pointer up */
    SLEEPING_STACK_RECORDS_LEAST = 3,  /* a shorter chain may be one by chance */
};

struct sleeping_stack {
    uint64_t addresses[SLEEPING_STACK_MOST]; /* the instruction, then return addresses, innermost
                                                first, without pointer authentication */
    size_t count;
    bool uncertain;      /* the innermost calls may be missing, or over */
    int64_t system_call; /* the kernel's number of it; -1: it sleeps in none (a page fault) */
};

/* What is asked about addresses of the process. */
struct sleeping_code {
    void *context;
    /* Whether there is code at the address. */
    bool (*is_code)(void *context, uint64_t address);
    /* The function that the instruction before the address calls; 0: no such call, or it goes
     * through a register or memory. */
    uint64_t (*called)(void *context, uint64_t address);
};

/*
 * The scan alone. `memory`: the bytes from the stack pointer up, of which SLEEPING_STACK_BYTES_MOST
 * at most are looked at; addresses of an architecture of 64 bits and this machine's byte order.
 * Fills in addresses, count and uncertain. False: there is no chain of
 * SLEEPING_STACK_RECORDS_LEAST records.
 */
bool sleeping_stack_scan(const struct architecture *architecture, const struct sleeping_code *code,
                         uint64_t instruction_pointer, uint64_t stack_pointer, struct text memory,
                         struct sleeping_stack *stack);

/*
 * Reads the stack of a thread. `is_code` as above, for addresses of this process. False: the thread
 * runs, or has run meanwhile; it has ended; this user may not read it (as for ptrace(2): with
 * kernel.yama.ptrace_scope 1 or more only root and parents may); or the scan finds nothing. One
 * call reads five files of /proc and 64 KiB of memory: some 50 microseconds.
 */
bool sleeping_stack_read(pid_t process_id, pid_t thread_id,
                         bool (*is_code)(void *context, uint64_t address), void *context,
                         struct sleeping_stack *stack);

/* A line of /proc/PID/task/TID/syscall. False: the thread runs, or it is no such line. */
bool sleeping_stack_parse(struct text line, int64_t *system_call, uint64_t *stack_pointer,
                          uint64_t *instruction_pointer);

#endif
