// SPDX-License-Identifier: MIT
#include "profiler/live/counters.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "fold/base/memory.h"
#include "fold/base/number.h"
#include "fold/base/text.h"
#include "profiler/live/proc_file.h"

bool counters_read_rss(pid_t process_id, uint64_t *bytes) {
    /* Of /proc/PID/statm: size, resident, ... in pages. A zombie has none. */
    struct buffer buffer = {0};
    uint64_t pages = 0;
    if (proc_read(&buffer, "/proc/%d/statm", process_id)) {
        struct text rest = buffer_text(&buffer);
        const char *blank = rest.size > 0 ? memchr(rest.data, ' ', rest.size) : NULL;
        if (!blank ||
            !proc_number_of_list(text_skip(rest, (size_t)(blank - rest.data)), false, &pages))
            pages = 0;
    }
    buffer_free(&buffer);
    *bytes = size_multiply(pages, (size_t)sysconf(_SC_PAGESIZE));
    return pages > 0;
}

/* The number in FOLDER/FILE; "max" is `UINT64_MAX`. */
static bool read_count(const char *folder, const char *file, uint64_t *count) {
    struct buffer buffer = {0};
    bool found = false;
    if (proc_read(&buffer, "%s/%s", folder, file)) {
        struct text line;
        struct text rest = buffer_text(&buffer);
        if (proc_next_line(&rest, &line)) {
            *count = UINT64_MAX;
            found = text_equal(line, TEXT("max")) || number_parse_decimal(line, count);
        }
    }
    buffer_free(&buffer);
    return found;
}

/*
 * Reads use and limit of the group at `path` below `mount`. The limit is the least of the group and
 * of those above it.
 */
static bool read_group(const char *mount, struct text path, bool second, uint64_t *bytes,
                       uint64_t *limit) {
    char folder[PATH_MAX];
    bool found = false;
    *limit = UINT64_MAX;
    for (;;) {
        while (path.size > 0 && path.data[path.size - 1] == '/')
            path.size--;
        int size = snprintf(folder, sizeof folder, "%s%.*s", mount, (int)path.size, path.data);
        if (size < 0 || (size_t)size >= sizeof folder)
            return false;
        uint64_t own;
        if (!found &&
            !read_count(folder, second ? "memory.current" : "memory.usage_in_bytes", bytes))
            return false;
        found = true;
        if (read_count(folder, second ? "memory.max" : "memory.limit_in_bytes", &own) &&
            own < *limit)
            *limit = own;
        const char *slash = path.size > 0 ? memrchr(path.data, '/', path.size) : NULL;
        if (!slash)
            break;
        path.size = (size_t)(slash - path.data);
    }
    /* Version 1 says "no limit" with the largest number of whole pages. */
    if (*limit >= (uint64_t)INT64_MAX - (1 << 20))
        *limit = 0;
    return true;
}

bool counters_read_cgroup_memory(pid_t process_id, uint64_t *bytes, uint64_t *limit) {
    /* Lines of /proc/PID/cgroup: "0::/PATH" in version 2, "7:memory:/PATH" in version 1. */
    struct buffer buffer = {0};
    bool found = false;
    if (proc_read(&buffer, "/proc/%d/cgroup", process_id)) {
        struct text rest = buffer_text(&buffer);
        struct text line;
        while (!found && proc_next_line(&rest, &line)) {
            bool second = text_starts_with(line, TEXT("0::/"));
            const char *path = memchr(line.data, '/', line.size);
            if (!path ||
                (!second && !text_contains(line, TEXT(":memory:/")) &&
                 !text_contains(line, TEXT(",memory:/")) && !text_contains(line, TEXT(":memory,"))))
                continue;
            struct text group = text_skip(line, (size_t)(path - line.data));
            /* A group outside of what this namespace can see. */
            if (text_contains(group, TEXT("/..")))
                continue;
            if (second) {
                found = read_group("/sys/fs/cgroup", group, true, bytes, limit);
            } else if (group.size > 1) {
                /* In a container without a namespace of its own, the mount shows just its group. */
                found = read_group("/sys/fs/cgroup/memory", group, false, bytes, limit) ||
                        read_group("/sys/fs/cgroup/memory", TEXT(""), false, bytes, limit);
            }
        }
    }
    buffer_free(&buffer);
    return found;
}

uint64_t counters_own_cpu_us(void) {
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return 0;
    return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
           (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

uint64_t counters_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

bool counters_read_cpu(pid_t process_id, uint64_t *microseconds) {
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(process_id, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return false;
    *microseconds = (uint64_t)used.tv_sec * 1000000 + (uint64_t)used.tv_nsec / 1000;
    return true;
}
