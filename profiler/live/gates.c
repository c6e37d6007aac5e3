// SPDX-License-Identifier: MIT
#include "profiler/live/gates_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fold/base/memory.h"
#include "profiler/live/perf_open.h"
#include "profiler/live/perf_ring.h"
#include "profiler/live/permissions.h"
#include "profiler/live/proc_file.h"
#include "profiler/live/target.h"

struct gate *gates_add(struct gates *gates, const char *name, bool open, const char *format, ...) {
    struct gate *gate = &gates->items[gates->count++];
    va_list arguments;
    va_start(arguments, format);
    *gate = (struct gate){.name = name, .open = open};
    vsnprintf(gate->value, sizeof gate->value, format, arguments);
    va_end(arguments);
    return gate;
}

void gates_set_fix(struct gate *gate, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (!gate->open)
        vsnprintf(gate->fix, sizeof gate->fix, format, arguments);
    va_end(arguments);
}

/* The event that `record` would open. */
static struct perf_event_attr make_event(bool kernel, enum sampler_event event) {
    struct perf_event_attr attribute;
    struct sampler_state state = {.by_thread = true};
    struct sampler_options options = {
        .frequency = 99,
        .event = event,
        .kernel = kernel ? SAMPLER_KERNEL_YES : SAMPLER_KERNEL_NO,
    };
    perf_open_prepare(&options, &attribute, &state);
    return attribute;
}

/* Opens and closes such an event. Returns 0, or the errno. */
int gates_try_event(pid_t process_id, bool kernel, enum sampler_event event) {
    struct perf_event_attr attribute = make_event(kernel, event);
    int descriptor = perf_open_event(&attribute, process_id, -1);
    if (descriptor < 0)
        return errno;
    close(descriptor);
    return 0;
}

static const char *right_of(const struct permissions *permissions) {
    return permissions->is_administrator ? "CAP_SYS_ADMIN"
           : permissions->may_perf       ? "CAP_PERFMON"
                                         : "no CAP_PERFMON";
}

void gates_set_refusal(struct gate *gate, int number, pid_t process_id) {
    struct error error = {0};
    gates_explain_refusal(&error, number, process_id);
    gates_set_fix(gate, "%s", error.text);
}

static void try_symbols(struct gates *gates) {
    /* Addresses are zeros for those who may not see them. */
    char piece[4096];
    int descriptor = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
    ssize_t size = descriptor < 0 ? -1 : read(descriptor, piece, sizeof piece);
    if (descriptor >= 0)
        close(descriptor);
    bool open = false;
    for (ssize_t i = 0; i < size && piece[i] != ' '; i++)
        open |= piece[i] != '0';
    /* The first symbols of some kernels do stand at zero: those of a CPU's own memory. */
    for (ssize_t i = 0; i + 1 < size && !open; i++)
        open = piece[i] == '\n' && piece[i + 1] != '0';
    int64_t restricted = proc_read_number("/proc/sys/kernel/kptr_restrict", 0);
    gates_set_fix(gates_add(gates, "kernel-symbols", open, "kernel.kptr_restrict = %lld%s",
                            (long long)restricted,
                            size < 0 ? "; /proc/kallsyms cannot be read"
                            : open   ? ""
                                     : "; addresses are hidden"),
                  "run as root, or: sudo sysctl kernel.perf_event_paranoid=1%s",
                  restricted > 0 ? " kernel.kptr_restrict=0" : "");
}

/* Maps rings of `size` for this program on all of `cpus`. */
static bool try_rings(const int *cpus, size_t count, uint64_t size) {
    struct perf_ring *rings = memory_allocate_zero(count, sizeof *rings);
    int *descriptors = memory_allocate_zero(count, sizeof *descriptors);
    bool mapped = true;
    size_t opened = 0;
    struct perf_event_attr attribute = make_event(false, SAMPLER_CPU_CLOCK);
    for (; mapped && opened < count; opened++) {
        descriptors[opened] = perf_open_event(&attribute, 0, cpus[opened]);
        mapped =
            descriptors[opened] < 0 || perf_ring_map(&rings[opened], descriptors[opened], size);
    }
    for (size_t i = 0; i < opened; i++) {
        perf_ring_unmap(&rings[i]);
        if (descriptors[i] >= 0)
            close(descriptors[i]);
    }
    free(rings);
    free(descriptors);
    return mapped;
}

static size_t list_cpus(int *cpus, size_t most) {
    struct buffer online = {0};
    size_t count = 0;
    if (proc_read(&online, "/sys/devices/system/cpu/online"))
        count = proc_parse_ranges(buffer_text(&online), cpus, most);
    buffer_free(&online);
    return count;
}

static void try_limits(struct gates *gates, pid_t process_id) {
    enum { CPUS_MOST = 256, WANTED = 1 << 20, LEAST = 32 << 10, USUAL_THREADS = 16, SPARE = 64 };
    int cpus[CPUS_MOST];
    size_t cpu_count = list_cpus(cpus, CPUS_MOST);
    uint64_t size = WANTED;
    while (size > LEAST && !try_rings(cpus, cpu_count, size))
        size /= 2;
    gates_set_fix(gates_add(gates, "ring-memory", size == WANTED,
                            "%zu x %llu KiB (kernel.perf_event_mlock_kb = %lld)", cpu_count,
                            (unsigned long long)(size / 1024),
                            (long long)proc_read_number("/proc/sys/kernel/perf_event_mlock_kb", 0)),
                  "smaller rings are used; to have whole ones run as root, or: sudo sysctl "
                  "kernel.perf_event_mlock_kb=1028");

    struct rlimit files = {0};
    getrlimit(RLIMIT_NOFILE, &files);
    pid_t *threads = NULL;
    size_t thread_count = process_id ? target_threads(process_id, &threads) : USUAL_THREADS;
    free(threads);
    size_t needed = thread_count * cpu_count + SPARE;
    gates_set_fix(gates_add(gates, "open-files", files.rlim_max >= needed,
                            "%zu threads on %zu CPUs take %zu; ulimit -Hn = %llu", thread_count,
                            cpu_count, needed, (unsigned long long)files.rlim_max),
                  "one ring per thread is used; better: ulimit -n %zu (LimitNOFILE= of a service)",
                  needed);

    int64_t rate = proc_read_number("/proc/sys/kernel/perf_event_max_sample_rate", 100000);
    gates_set_fix(gates_add(gates, "sample-rate", rate >= 999,
                            "kernel.perf_event_max_sample_rate = %lld", (long long)rate),
                  "sudo sysctl kernel.perf_event_max_sample_rate=100000");
}

static void try_namespace(struct gates *gates) {
    /* The number of the machine's own pid namespace (PROC_PID_INIT_INO of the kernel). */
    static const uint64_t machine = 0xEFFFFFFC;
    struct stat status;
    bool own = stat("/proc/self/ns/pid", &status) == 0 && status.st_ino != machine;
    gates_add(gates, "namespace", true, "%s",
              own ? "inside a container: only its own processes can be seen"
                  : "the machine's: containers can be seen too");
}

void gates_try(struct gates *gates, pid_t process_id) {
    struct permissions permissions;
    permissions_read(&permissions);
    *gates = (struct gates){0};

    int own = gates_try_event(0, false, SAMPLER_CPU_CLOCK);
    gates_set_refusal(gates_add(gates, "perf_event_open", own == 0,
                                "kernel.perf_event_paranoid = %lld, %s%s",
                                (long long)permissions.paranoid, right_of(&permissions),
                                permissions.filtered ? ", Seccomp: 2" : ""),
                      own, 0);

    int kernel = gates_try_event(0, true, SAMPLER_CPU_CLOCK);
    gates_set_fix(gates_add(gates, "kernel-frames", kernel == 0,
                            "kernel.perf_event_paranoid = %lld, %s",
                            (long long)permissions.paranoid, right_of(&permissions)),
                  "run as root, or: sudo sysctl kernel.perf_event_paranoid=1");
    try_symbols(gates);

    int cycles = gates_try_event(0, kernel == 0, SAMPLER_CYCLES);
    bool no_counter = cycles == ENOENT || cycles == EOPNOTSUPP || cycles == ENODEV;
    gates_set_fix(gates_add(gates, "hardware-cycles", cycles == 0, "%s",
                            cycles == 0  ? "can be counted"
                            : no_counter ? "no counters here: a virtual machine without them"
                                         : strerror(cycles)),
                  "not needed: cpu-clock, the default, works without");
    try_limits(gates, process_id);
    try_namespace(gates);
    gates->route = process_id > 0 ? gates_try_target(gates, &permissions, process_id)
                   : own == 0     ? "perf_event"
                                  : "cpu-prof";
}
