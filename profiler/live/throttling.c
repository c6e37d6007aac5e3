// SPDX-License-Identifier: MIT
#include "profiler/live/throttling.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fold/base/memory.h"
#include "fold/base/number.h"
#include "fold/base/text.h"
#include "profiler/live/proc_file.h"

enum { GROUPS_MOST = 16, STAT_SIZE = 2048 };

struct throttling {
    int descriptors[GROUPS_MOST]; /* of cpu.stat: of the group, then of those above it */
    size_t count;
};

/* The next word of a line, blanks between; empty at its end. */
static struct text next_word(struct text *rest) {
    while (rest->size > 0 && rest->data[0] == ' ')
        *rest = text_skip(*rest, 1);
    const char *end = rest->size > 0 ? memchr(rest->data, ' ', rest->size) : NULL;
    struct text word = {rest->data, end ? (size_t)(end - rest->data) : rest->size};
    *rest = text_skip(*rest, word.size);
    return word;
}

/* Whether a list with commas between has the word "cpu". */
static bool has_cpu(struct text list) {
    while (list.size > 0) {
        const char *comma = memchr(list.data, ',', list.size);
        struct text item = {list.data, comma ? (size_t)(comma - list.data) : list.size};
        if (text_equal(item, TEXT("cpu")))
            return true;
        list = text_skip(list, item.size + (comma ? 1 : 0));
    }
    return false;
}

/*
 * The process's group in the hierarchy that limits CPU time: of lines such as "4:cpu,cpuacct:/PATH"
 * (version 1) the one with the controller, else "0::/PATH" (version 2). Returns its version; 0:
 * there is none.
 */
static int find_group(struct text groups, struct text *path) {
    struct text line;
    int version = 0;
    while (version != 1 && proc_next_line(&groups, &line)) {
        const char *first = memchr(line.data, ':', line.size);
        struct text rest = first ? text_skip(line, (size_t)(first - line.data) + 1) : TEXT("");
        const char *second = rest.size > 0 ? memchr(rest.data, ':', rest.size) : NULL;
        if (!second)
            continue;
        struct text controllers = {rest.data, (size_t)(second - rest.data)};
        if (!has_cpu(controllers) && !text_starts_with(line, TEXT("0::")))
            continue;
        version = has_cpu(controllers) ? 1 : 2;
        *path = text_skip(rest, controllers.size + 1);
    }
    return version;
}

/*
 * Where the hierarchy is mounted, and which group is at that place. A line of mountinfo: number,
 * parent, device, root, mount point, options, optional fields, "-", type, source, options of the
 * file system.
 */
static bool find_mount(struct text mounts, int version, struct text *root, struct text *point) {
    struct text line;
    while (proc_next_line(&mounts, &line)) {
        struct text rest = line;
        struct text word = {0};
        for (int i = 0; i < 4; i++)
            word = next_word(&rest);
        *root = word;
        *point = next_word(&rest);
        while (rest.size > 0 && !text_equal(next_word(&rest), TEXT("-")))
            ;
        struct text type = next_word(&rest);
        next_word(&rest);
        if (version == 2 ? text_equal(type, TEXT("cgroup2"))
                         : text_equal(type, TEXT("cgroup")) && has_cpu(next_word(&rest)))
            return true;
    }
    return false;
}

/* The path of the group below the mount point; false: it cannot be seen there. */
static bool below_mount(struct text root, struct text *path) {
    if (text_contains(*path, TEXT("/..")))
        return false;
    if (root.size <= 1)
        return true;
    /* In a container without a namespace of its own the mount shows just its group. */
    if (text_starts_with(*path, root) && (path->size == root.size || path->data[root.size] == '/'))
        *path = text_skip(*path, root.size);
    return true;
}

/* The number behind NAME and a blank at the start of a line. */
static bool find_number(struct text stat, struct text name, uint64_t *number) {
    struct text line;
    while (proc_next_line(&stat, &line)) {
        if (text_starts_with(line, name) && line.size > name.size && line.data[name.size] == ' ')
            return number_parse_decimal(text_skip(line, name.size + 1), number);
    }
    return false;
}

static bool read_stat(int descriptor, uint64_t *periods, uint64_t *microseconds) {
    char bytes[STAT_SIZE];
    ssize_t size = pread(descriptor, bytes, sizeof bytes, 0);
    struct text stat = {bytes, size > 0 ? (size_t)size : 0};
    uint64_t nanoseconds;
    if (!find_number(stat, TEXT("nr_throttled"), periods))
        return false;
    if (find_number(stat, TEXT("throttled_usec"), microseconds)) /* version 2 */
        return true;
    if (!find_number(stat, TEXT("throttled_time"), &nanoseconds)) /* version 1 */
        return false;
    *microseconds = nanoseconds / 1000;
    return true;
}

/* Opens the files of the group at `path` and of those above it. */
static void open_groups(struct throttling *throttling, const char *prefix, struct text point,
                        struct text path) {
    char name[PATH_MAX];
    uint64_t ignored;
    while (throttling->count < GROUPS_MOST) {
        while (path.size > 0 && path.data[path.size - 1] == '/')
            path.size--;
        int size = snprintf(name, sizeof name, "%s%.*s%.*s/cpu.stat", prefix, (int)point.size,
                            point.data, (int)path.size, path.data);
        int descriptor =
            size > 0 && (size_t)size < sizeof name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
        /* That of the root of version 2 tells only what was used. */
        if (descriptor >= 0 && read_stat(descriptor, &ignored, &ignored))
            throttling->descriptors[throttling->count++] = descriptor;
        else if (descriptor >= 0)
            close(descriptor);
        const char *slash = path.size > 0 ? memrchr(path.data, '/', path.size) : NULL;
        if (!slash)
            break;
        path.size = (size_t)(slash - path.data);
    }
}

struct throttling *throttling_open(pid_t process_id, const char *root) {
    struct throttling *throttling = memory_allocate_zero(1, sizeof *throttling);
    struct buffer groups = {0};
    struct buffer mounts = {0};
    struct text path = {0};
    struct text mount_root;
    struct text point;
    if (proc_read(&groups, "%s/proc/%d/cgroup", root, process_id) &&
        proc_read(&mounts, "%s/proc/self/mountinfo", root)) {
        int version = find_group(buffer_text(&groups), &path);
        if (version > 0 && find_mount(buffer_text(&mounts), version, &mount_root, &point) &&
            below_mount(mount_root, &path))
            open_groups(throttling, root, point, path);
    }
    buffer_free(&groups);
    buffer_free(&mounts);
    if (throttling->count > 0)
        return throttling;
    throttling_close(throttling);
    return NULL;
}

void throttling_close(struct throttling *throttling) {
    for (size_t i = 0; throttling && i < throttling->count; i++)
        close(throttling->descriptors[i]);
    free(throttling);
}

bool throttling_read(const struct throttling *throttling, uint64_t *periods,
                     uint64_t *microseconds) {
    *periods = *microseconds = 0;
    for (size_t i = 0; i < throttling->count; i++) {
        uint64_t group_periods;
        uint64_t group_microseconds;
        if (!read_stat(throttling->descriptors[i], &group_periods, &group_microseconds))
            return false;
        *periods += group_periods;
        *microseconds += group_microseconds;
    }
    return true;
}
