// SPDX-License-Identifier: MIT
/* What this program may do, as far as the kernel's rules for perf events ask for it. */
#ifndef TICKFLAME_PROFILER_LIVE_PERMISSIONS_H
#define TICKFLAME_PROFILER_LIVE_PERMISSIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct permissions {
    uid_t user;             /* the effective one */
    int64_t paranoid;       /* kernel.perf_event_paranoid; 2 when it cannot be read */
    bool is_administrator;  /* CAP_SYS_ADMIN */
    bool may_perf;          /* CAP_PERFMON, or CAP_SYS_ADMIN */
    bool may_sample_others; /* the same, or CAP_SYS_PTRACE */
    bool may_trace;         /* CAP_SYS_PTRACE */
    bool filtered;          /* a seccomp filter is on this program */
};

/* Reads /proc. What is not known is false. */
void permissions_read(struct permissions *permissions);

#endif
