// SPDX-License-Identifier: MIT
/*
 * What the symbol and the module of a line of `perf script` mean as a frame.
 *
 * - `[unknown]` in a file is that file without a name, `[unknown] ([unknown])` is nothing known;
 *   in the kernel it is the kernel without a name.
 * - Modules in brackets (`[kernel.kallsyms]`, `[nf_tables]`), vmlinux, kernel modules and BPF
 *   programs are the kernel; `[vdso]` and `[vsyscall]` are libraries.
 * - Names in a perf map, in what `perf inject --jit` makes of a jitdump, and in memory without a
 *   file are those of compiled code (fold/model/perf_name.h).
 * - C++ names lose parameters and return types, which newer versions of perf print, and symbols
 *   their version. Of several names of one function perf often prints an internal one; where that
 *   tells the one that symbol tables would give here, it is that: `__GI___libc_read` is `read`.
 */
#ifndef TICKFLAME_FOLD_READ_PERF_SCRIPT_FRAME_H
#define TICKFLAME_FOLD_READ_PERF_SCRIPT_FRAME_H

#include "fold/model/profile.h"

/* What a reader of stacks has to know of a frame. */
enum script_frame_role {
    SCRIPT_FRAME_PLAIN,
    SCRIPT_FRAME_INLINED, /* no address of its own */
    SCRIPT_FRAME_NOWHERE, /* an address in no known code: `[unknown] ([unknown])` */
    SCRIPT_FRAME_KERNEL,  /* in the kernel, with a name */
    SCRIPT_FRAME_KERNEL_NAMELESS,
};

struct script_frame {
    struct frame_id frame;
    enum script_frame_role role;
};

/* The frame of a line's symbol (without offset) and module, both as frame_line_parse() gives
 * them. */
struct script_frame script_frame_of(struct profile *profile, struct text symbol,
                                    struct text module);

/* The frame of SCRIPT_FRAME_KERNEL_NAMELESS. */
struct script_frame script_frame_kernel(struct profile *profile);

#endif
