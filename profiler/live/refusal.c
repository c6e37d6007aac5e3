// SPDX-License-Identifier: MIT
/* Why perf_event_open was refused, in a sentence. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "profiler/live/gates.h"
#include "profiler/live/permissions.h"
#include "profiler/live/target.h"

#define OTHER_WAY "record --inspector and node --cpu-prof need no permission"

static void explain_denied(struct error *error, const struct permissions *permissions,
                           pid_t process_id) {
    struct target target;
    struct error ignored = {0};
    bool known = process_id > 0 && target_read(&target, process_id, &ignored);
    if (known && target.owner != permissions->user && !permissions->may_sample_others) {
        error_set(error, ERROR_SAMPLE,
                  "process %d belongs to %s; perf_event_open: Permission denied. Run as that user "
                  "or as root, or: sudo setcap cap_perfmon,cap_sys_ptrace+ep $(command -v "
                  "tickflame). " OTHER_WAY,
                  process_id, target.owner_name);
    } else if (permissions->paranoid >= 3 && !permissions->is_administrator) {
        error_set(error, ERROR_SAMPLE,
                  "perf_event_open is for administrators only (kernel.perf_event_paranoid = %lld). "
                  "Run as root, or: sudo sysctl kernel.perf_event_paranoid=2. " OTHER_WAY,
                  (long long)permissions->paranoid);
    } else if (known && target.owner == permissions->user) {
        error_set(error, ERROR_SAMPLE,
                  "process %d may not be looked at; perf_event_open: Permission denied. Programs "
                  "that change their user or hold capabilities are closed to their own user: run "
                  "as root",
                  process_id);
    } else {
        error_set(error, ERROR_SAMPLE,
                  "perf_event_open: Permission denied (kernel.perf_event_paranoid = %lld). Run as "
                  "root. " OTHER_WAY,
                  (long long)permissions->paranoid);
    }
}

void gates_explain_refusal(struct error *error, int number, pid_t process_id) {
    struct permissions permissions;
    permissions_read(&permissions);
    switch (number) {
    case EACCES:
        explain_denied(error, &permissions, process_id);
        break;
    case EPERM:
        error_set(error, ERROR_SAMPLE,
                  "perf_event_open is blocked, usually by a container's seccomp profile%s. docker "
                  "run --cap-add PERFMON (SYS_ADMIN on kernels before 5.8), or --security-opt "
                  "seccomp=unconfined. " OTHER_WAY,
                  permissions.filtered ? " (Seccomp: 2)" : "");
        break;
    case ENOSYS:
        error_set(error, ERROR_SAMPLE, "this kernel or sandbox has no perf_event_open. " OTHER_WAY);
        break;
    case ESRCH:
        error_set(error, ERROR_SAMPLE, "process %d has ended", process_id);
        break;
    case EMFILE:
    case ENFILE:
        error_set(error, ERROR_SAMPLE,
                  "too few open files are allowed for an event per thread. Raise the limit: ulimit "
                  "-n 65536 (LimitNOFILE= of a service)");
        break;
    case ENOMEM:
        error_set(error, ERROR_SAMPLE, "the kernel has no memory for the rings of samples");
        break;
    default:
        error_set(error, ERROR_SAMPLE, "perf_event_open: %s (kernel.perf_event_paranoid = %lld)",
                  strerror(number), (long long)permissions.paranoid);
    }
}
