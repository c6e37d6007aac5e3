// SPDX-License-Identifier: MIT
/*
 * Stacks of processes whose code keeps frame pointers only in part: from registers and a copy of
 * the stack to the addresses of the calls, through code that the compiler described and code that
 * V8 made.
 *
 * Compiled code of V8 has no call frame information but frame pointers; libraries have the first
 * and often not the second. So each frame is left by the way that fits its place:
 * - memory without a file, and places in files that nothing is said about: by the frame pointer;
 * - elsewhere by call frame information (call_frames.h). With UNWIND_AUTO the first time only: when
 *   it gives the same as the frame pointer would, the frame pointer is right at this address from
 *   then on, which costs nanoseconds instead of a microsecond.
 * Where no information is and no frame pointer can be right, the stack is cut. A frame pointer can
 * be right when it is aligned, lies in the stack and not below the stack pointer, and leads to a
 * return address in code. What a leaf of V8 that has not built its frame yet returns to is read
 * from the stack, told by its instructions. Assembly that keeps the stack pointer it was called
 * with below the present one, as OpenSSL's SHA-512 does, has more copies of it above: the first
 * word that points to the return address of a call counts as one.
 *
 * A stack that goes on above its copy is read on in the living process. What the kernel found by
 * frame pointers when it took the sample helps there: where both know an address, the kernel's
 * rest, which is of that moment, is preferred to what the process has changed since.
 *
 * Nothing is believed: numbers of samples and of files may be anything. Each frame lies above the
 * one before, and there are at most as many as asked for.
 */
#ifndef TICKFLAME_PROFILER_UNWIND_UNWINDER_H
#define TICKFLAME_PROFILER_UNWIND_UNWINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/text.h"
#include "profiler/symbol/native_names.h"
#include "profiler/unwind/call_frames.h"

enum unwind_mode {
    UNWIND_AUTO,
    UNWIND_CALL_FRAMES, /* call frame information wherever there is some, each time */
};

struct unwinder_options {
    struct native_names *names; /* what the processes map; outlives the unwinder */
    enum unwind_mode mode;
    bool live; /* the processes are those of this machine, now */
};

struct unwinder;

/* Whether this build can unwind stacks of a machine (EM_... of elf.h). */
bool unwinder_is_for(uint32_t elf_machine);

/* For stacks of the machine of this build; NULL: it was built without libunwind. */
struct unwinder *unwinder_open(const struct unwinder_options *options);
void unwinder_close(struct unwinder *unwinder);

/* A stack that was sampled. Numbers are in this machine's byte order. */
struct unwind_sample {
    uint64_t process_id;
    struct unwind_registers registers;
    struct text stack;     /* the bytes from the stack pointer up */
    const uint64_t *known; /* the chain of user addresses that the kernel recorded too,
                              innermost first; NULL = none */
    size_t known_count;
    bool known_is_limited; /* it is as long as the kernel allows: more may follow */
};

enum unwind_ending {
    UNWIND_COMPLETE,  /* the outermost frame was reached */
    UNWIND_CUT,       /* its caller cannot be told */
    UNWIND_TRUNCATED, /* it has more frames than the limit */
};

struct unwound {
    size_t count;  /* addresses written */
    size_t copied; /* the first of them: those that come from registers and copy alone */
    enum unwind_ending ending;
    bool repaired; /* by frame pointers alone callers inside of it were missing */
};

/* No frame pointer is known, or the function has not made its frame yet. */
#define UNWIND_NO_FRAME 0

/*
 * Writes the addresses of a stack, innermost first, at most `limit` (1 or more): the instruction
 * pointer, then return addresses, all without pointer authentication. Into `frames`, as many, goes
 * what the frame pointer was at each of them, or UNWIND_NO_FRAME; NULL: not wanted.
 */
struct unwound unwinder_walk(struct unwinder *unwinder, const struct unwind_sample *sample,
                             uint64_t *addresses, uint64_t *frames, size_t limit);

#endif
