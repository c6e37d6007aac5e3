// SPDX-License-Identifier: MIT
/* The gates of one process: whose it is, what may be read of it, what its names need. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "profiler/live/gates_parts.h"
#include "profiler/live/proc_file.h"
#include "profiler/live/target.h"
#include "profiler/symbol/elf_file.h"
#include "profiler/v8/v8_constants.h"

static bool can_open(const char *format, pid_t process_id) {
    char path[64];
    snprintf(path, sizeof path, format, process_id);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0)
        close(descriptor);
    return descriptor >= 0;
}

/* Whether two processes have the same namespace of a kind; true when that is not to be told. */
static bool same_namespace(const char *kind, pid_t process_id) {
    char own[64], other[64];
    struct stat own_status, other_status;
    snprintf(own, sizeof own, "/proc/self/ns/%s", kind);
    snprintf(other, sizeof other, "/proc/%d/ns/%s", process_id, kind);
    return stat(own, &own_status) != 0 || stat(other, &other_status) != 0 ||
           own_status.st_ino == other_status.st_ino;
}

/* ---- sandboxes ---- */

/* gVisor's own kernel says the same on all machines; it has neither perf events nor other
 * processes' memory. */
static bool is_gvisor(void) {
    struct buffer version = {0};
    bool is_there = proc_read(&version, "/proc/version") &&
                    (text_contains(buffer_text(&version), TEXT("gVisor")) ||
                     text_contains(buffer_text(&version), TEXT("Sun Jan 10 15:06:54 PST 2016")));
    buffer_free(&version);
    return is_there;
}

static bool is_in_container(const struct permissions *permissions) {
    /* The number of the machine's own pid namespace (PROC_PID_INIT_INO of the kernel). */
    static const uint64_t machine = 0xEFFFFFFC;
    struct stat status;
    return permissions->filtered ||
           (stat("/proc/self/ns/pid", &status) == 0 && status.st_ino != machine);
}

static void try_sandbox(struct gates *gates) {
    bool gvisor = is_gvisor();
    gates_set_fix(gates_add(gates, "sandbox", !gvisor, "%s", gvisor ? "gVisor" : "none"),
                  "not possible: gVisor has no perf events and shows no other process's memory; "
                  "node --cpu-prof works there");
}

static void try_container(struct gates *gates, const struct permissions *permissions,
                          pid_t process_id, bool needs_rights) {
    bool inside = is_in_container(permissions);
    bool other = !same_namespace("pid", process_id) || !same_namespace("mnt", process_id);
    struct gate *gate =
        gates_add(gates, "container", !(inside && needs_rights), "%s",
                  inside  ? "this program runs in a container"
                  : other ? "the process runs in a container, and can be looked into"
                          : "none");
    gates_set_fix(gate,
                  "docker run --cap-add PERFMON --cap-add SYS_PTRACE --pid=container:NAME IMAGE "
                  "tickflame record -p PID; or: kubectl debug -it POD --image=IMAGE "
                  "--target=CONTAINER --profile=sysadmin -- tickflame record -p PID");
}

/* ---- memory ---- */

/* The address of the program's first mapping; 0: it may not be seen. */
static uint64_t first_mapping(pid_t process_id) {
    struct buffer maps = {0};
    struct text rest, line;
    struct proc_mapping mapping;
    uint64_t address = 0;
    if (proc_read(&maps, "/proc/%d/maps", process_id)) {
        rest = buffer_text(&maps);
        if (proc_next_line(&rest, &line) && proc_parse_mapping(line, &mapping))
            address = mapping.start;
    }
    buffer_free(&maps);
    return address;
}

/* Reads 8 bytes of the process. Returns 0, or the errno. */
static int try_read(pid_t process_id) {
    uint64_t bytes, address = first_mapping(process_id);
    struct iovec here = {&bytes, sizeof bytes};
    struct iovec there = {(void *)(uintptr_t)address, sizeof bytes};
    if (address == 0)
        return EACCES;
    return process_vm_readv(process_id, &here, 1, &there, 1, 0) == (ssize_t)sizeof bytes ? 0
                                                                                         : errno;
}

static bool try_owner(struct gates *gates, const struct permissions *permissions,
                      const struct target *target) {
    bool own = target->owner == permissions->user || permissions->user == 0 ||
               permissions->may_sample_others;
    gates_set_fix(gates_add(gates, "target-owner", own, "user %s", target->owner_name),
                  "run as %s or as root, or: sudo setcap cap_perfmon,cap_sys_ptrace+ep $(command "
                  "-v tickflame)",
                  target->owner_name);
    return own;
}

/* A process that changed its user or holds capabilities is closed to its own user: then its files
 * in /proc belong to root. */
static void try_dumpable(struct gates *gates, const struct permissions *permissions,
                         const struct target *target) {
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/mem", target->process_id);
    bool closed = stat(path, &status) == 0 && status.st_uid != target->owner;
    gates_set_fix(gates_add(gates, "target-dumpable",
                            !closed || permissions->user == 0 || permissions->may_sample_others,
                            "%s",
                            closed ? "it changed its user, or holds capabilities"
                                   : "nothing closes it to its user"),
                  "run as root");
}

static void try_yama(struct gates *gates, const struct permissions *permissions) {
    int64_t scope = proc_read_number("/proc/sys/kernel/yama/ptrace_scope", -1);
    bool open = scope <= 0 || (scope < 3 && permissions->may_trace);
    if (scope < 0)
        gates_add(gates, "yama", true, "this kernel has none");
    else
        gates_set_fix(
            gates_add(gates, "yama", open, "kernel.yama.ptrace_scope = %lld", (long long)scope),
            scope < 3 ? "run as root, or: sudo sysctl kernel.yama.ptrace_scope=0"
                      : "not possible until the machine is started with another setting");
}

static bool try_memory(struct gates *gates, pid_t process_id) {
    int number = try_read(process_id);
    gates_set_fix(gates_add(gates, "target-memory", number == 0, "%s",
                            number == 0 ? "process_vm_readv is allowed" : strerror(number)),
                  "without it JavaScript has no names, unless node runs with --perf-basic-prof: "
                  "see target-owner, target-dumpable, yama; in a container: --cap-add SYS_PTRACE");
    return number == 0;
}

/* Whether ptrace would be allowed, without doing it: the kernel asks for the same rights when the
 * process's memory is opened as a file, and a filter refuses the call whatever it is for. */
static bool try_stops(struct gates *gates, pid_t process_id) {
    struct buffer status = {0};
    struct text value;
    uint64_t tracer = 0;
    errno = 0;
    bool filtered = ptrace(PTRACE_SEIZE, -1, NULL, NULL) != 0 && errno != ESRCH;
    if (proc_read(&status, "/proc/%d/status", process_id) &&
        proc_status_field(buffer_text(&status), "TracerPid", &value) &&
        !proc_number_of_list(value, false, &tracer))
        tracer = 0;
    buffer_free(&status);
    bool open = !filtered && tracer == 0 && can_open("/proc/%d/mem", process_id);
    struct gate *gate = tracer ? gates_add(gates, "ptrace", open, "process %llu traces it already",
                                           (unsigned long long)tracer)
                               : gates_add(gates, "ptrace", open, "%s",
                                           open       ? "it may be stopped"
                                           : filtered ? "a filter refuses ptrace"
                                                      : "it may not be stopped");
    gates_set_fix(gate, tracer ? "only needed where perf events are refused: end that program"
                               : "only needed where perf events are refused: run as root; in a "
                                 "container: --cap-add SYS_PTRACE");
    return open;
}

/* ---- names ---- */

static bool has_v8(const char *path) {
    struct elf_file elf;
    struct error error = {0};
    if (!elf_file_open(&elf, path, &error))
        return false;
    bool is_there = v8_constants_are_in(&elf);
    elf_file_close(&elf);
    return is_there;
}

/* Whether the program, or a library of it called libnode, says how its V8 lays out memory. */
static bool has_readable_v8(pid_t process_id) {
    char path[4352];
    struct buffer maps = {0};
    snprintf(path, sizeof path, "/proc/%d/exe", process_id);
    bool found = has_v8(path);
    if (!found && proc_read(&maps, "/proc/%d/maps", process_id)) {
        struct text rest = buffer_text(&maps), line;
        struct proc_mapping mapping;
        while (!found && proc_next_line(&rest, &line)) {
            if (!proc_parse_mapping(line, &mapping) || !mapping.executable ||
                !text_starts_with(text_basename(mapping.path), TEXT("libnode")))
                continue;
            snprintf(path, sizeof path, "/proc/%d/root%.*s", process_id, (int)mapping.path.size,
                     mapping.path.data);
            found = has_v8(path);
        }
    }
    buffer_free(&maps);
    return found;
}

static void try_names(struct gates *gates, const struct target *target, bool memory) {
    bool readable = memory && has_readable_v8(target->process_id);
    gates_set_fix(gates_add(gates, "script-names", readable || target->has_perf_map, "%s",
                            readable               ? "JavaScript is named from V8's heap"
                            : target->has_perf_map ? "JavaScript is named from the perf map"
                            : memory ? "this V8 does not say how its memory is laid out"
                                     : "V8's heap may not be read"),
                  "start it with: NODE_OPTIONS=--perf-basic-prof");
}

const char *gates_try_target(struct gates *gates, const struct permissions *permissions,
                             pid_t process_id) {
    struct target target;
    struct error error = {0};
    if (!target_read(&target, process_id, &error)) {
        gates_set_fix(gates_add(gates, "target", false, "%s", error.text),
                      "tickflame record without a target lists the Node processes");
        return "none";
    }
    gates_add(gates, "target", true, "process %d, %s%.60s", process_id,
              target.is_node ? "" : "not Node: ",
              target.executable[0] ? target.executable : target.command_line);
    try_owner(gates, permissions, &target);
    try_dumpable(gates, permissions, &target);
    try_yama(gates, permissions);
    try_sandbox(gates);
    int number = gates_try_event(process_id, false, SAMPLER_CPU_CLOCK);
    gates_set_refusal(gates_add(gates, "target-event", number == 0, "%s",
                                number == 0 ? "perf_event_open is allowed" : strerror(number)),
                      number, process_id);
    bool files = can_open("/proc/%d/exe", process_id) && can_open("/proc/%d/root/", process_id);
    gates_set_fix(gates_add(gates, "target-files", files, "/proc/%d/exe and /proc/%d/root %s",
                            process_id, process_id, files ? "can be read" : "cannot be read"),
                  "its libraries stay without names: run as %s%s",
                  target.owner == 0 ? "" : target.owner_name,
                  target.owner == 0 ? "root" : " or as root");
    bool memory = try_memory(gates, process_id);
    bool stops = try_stops(gates, process_id);
    try_container(gates, permissions, process_id, number != 0 || !memory);
    if (target.is_node)
        try_names(gates, &target, memory);
    return number == 0 ? "perf_event" : stops && memory ? "ptrace" : "none";
}
