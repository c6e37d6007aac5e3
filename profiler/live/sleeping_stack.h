// SPDX-License-Identifier: MIT
/*
 * The stack of a thread that sleeps in a system call, read without stopping it and without rights
 * beyond those over the process: for users to whom the kernel does not tell stacks at context
 * switches.
 *
 * /proc/PID/task/TID/syscall tells the call, the stack pointer and the instruction pointer, but no
 * other register. The frame pointer has to be found in the stack. What is looked for is
 *
 *     the function that called into the file in which the thread sleeps, the C library as a rule:
 *     the first return address of a call that leads there;
 *     the record of its frame, from which frame pointers lead to where the program or the thread
 *     began: its return address is that of a call of this very function. Of several functions that
 *     begin in front of the first return address it is the one that begins next to it.
 *
 * The conditions matter: buffers that were never filled hold records of frames that are long gone,
 * and of these the stack of an event loop is full. Where nothing fulfils them (the function was
 * called through a pointer, or by a jump) there is no stack, rather than a wrong one. Functions of
 * the C library between the two are left out.
 *
 * For x86-64; elsewhere there are none.
 */
#ifndef TICKFLAME_PROFILER_LIVE_SLEEPING_STACK_H
#define TICKFLAME_PROFILER_LIVE_SLEEPING_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fold/base/text.h"

/* Of how much of the stack is read, from the stack pointer up; of how many addresses are given. */
enum { SLEEPING_STACK_BYTES = 64 * 1024, SLEEPING_STACK_MOST = 256 };

struct sleeping_stack {
    uint64_t system_call;                    /* its number on this architecture */
    uint64_t addresses[SLEEPING_STACK_MOST]; /* the instruction pointer, then return addresses */
    size_t count;
};

/* What is known of addresses: the number of the file, or of other memory, that holds the code
 * there; 0 = it is no code. */
typedef uint32_t sleeping_stack_region(void *context, uint64_t address);

/*
 * Reads the stack of a thread that slept all the while. False: it runs, it ended, it waits for
 * something else than a system call, it may not be looked at, or its frames were not found.
 */
bool sleeping_stack_read(pid_t process_id, pid_t thread_id, sleeping_stack_region *region,
                         void *context, struct sleeping_stack *stack);

/* Memory of a process, for the search. */
struct sleeping_memory {
    uint64_t instruction_pointer, stack_pointer;
    struct text stack; /* bytes from the stack pointer up */
    sleeping_stack_region *region;
    /* Copies `size` bytes of any memory; false: they cannot be read. */
    bool (*read)(void *context, uint64_t address, void *bytes, size_t size);
    void *context;
};

/* The search. Writes the addresses, at most `most`, and returns how many; 0: not found. */
size_t sleeping_stack_search(const struct sleeping_memory *memory, uint64_t *addresses,
                             size_t most);

#endif
