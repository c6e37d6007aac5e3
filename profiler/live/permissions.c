// SPDX-License-Identifier: MIT
#include "profiler/live/permissions.h"

#include <unistd.h>

#include "fold/base/number.h"
#include "profiler/live/proc_file.h"

void permissions_read(struct permissions *permissions) {
    enum { PTRACE = 19, ADMINISTRATOR = 21, PERFMON = 38 }; /* linux/capability.h */
    *permissions = (struct permissions){
        .user = geteuid(),
        .paranoid = proc_read_number("/proc/sys/kernel/perf_event_paranoid", 2),
    };
    struct buffer status = {0};
    struct text value;
    uint64_t capabilities = 0;
    if (proc_read(&status, "/proc/self/status")) {
        if (!proc_status_field(buffer_text(&status), "CapEff", &value) ||
            !number_parse_hexadecimal(value, &capabilities))
            capabilities = 0;
        permissions->filtered = proc_status_field(buffer_text(&status), "Seccomp", &value) &&
                                text_equal(value, TEXT("2"));
    }
    buffer_free(&status);
    permissions->is_administrator = capabilities >> ADMINISTRATOR & 1;
    permissions->may_perf = permissions->is_administrator || (capabilities >> PERFMON & 1);
    permissions->may_trace = capabilities >> PTRACE & 1;
    permissions->may_sample_others = permissions->may_perf || permissions->may_trace;
}
