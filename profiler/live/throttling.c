// SPDX-License-Identifier: MIT
#include "profiler/live/throttling.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fold/base/number.h"
#include "profiler/live/proc_file.h"

enum { STAT_SIZE_MOST = 4096 };

/* Cuts the next word off *rest; words end at `end`. */
static struct text next_word(struct text *rest, char end) {
    const char *found = rest->size > 0 ? memchr(rest->data, end, rest->size) : NULL;
    struct text word = {rest->data, found ? (size_t)(found - rest->data) : rest->size};
    *rest = text_skip(*rest, word.size + 1);
    return word;
}

/* Whether a list with commas has the item. */
static bool has_item(struct text list, struct text item) {
    while (list.size > 0) {
        if (text_equal(next_word(&list, ','), item))
            return true;
    }
    return false;
}

bool throttling_parse(struct text stat, uint64_t *periods, uint64_t *microseconds) {
    struct text line;
    bool has_periods = false, has_time = false;
    while (proc_next_line(&stat, &line)) {
        struct text name = next_word(&line, ' ');
        uint64_t number;
        if (!number_parse_decimal(line, &number))
            continue;
        if (text_equal(name, TEXT("nr_throttled"))) {
            *periods = number;
            has_periods = true;
        } else if (text_equal(name, TEXT("throttled_usec"))) {
            *microseconds = number;
            has_time = true;
        } else if (text_equal(name, TEXT("throttled_time"))) {
            *microseconds = number / 1000;
            has_time = true;
        }
    }
    return has_periods && has_time;
}

/* A line of mountinfo: "36 35 98:0 ROOT MOUNT OPTIONS [MORE ...] - TYPE SOURCE SUPER". Whether it
 * is the mount of the hierarchy that the CPU quota of this version belongs to. */
static bool parse_mount(struct text line, bool second, struct text *root, struct text *mount) {
    for (int skipped = 0; skipped < 3; skipped++)
        next_word(&line, ' ');
    *root = next_word(&line, ' ');
    *mount = next_word(&line, ' ');
    struct text word;
    do
        word = next_word(&line, ' ');
    while (line.size > 0 && !text_equal(word, TEXT("-")));
    struct text type = next_word(&line, ' ');
    if (second)
        return text_equal(type, TEXT("cgroup2"));
    next_word(&line, ' ');
    return text_equal(type, TEXT("cgroup")) && has_item(line, TEXT("cpu"));
}

/* Finds the group with this path, as /proc/PID/cgroup says it, in the mounts of its version. A
 * mount may show a part of the hierarchy only, as that of a container does. */
static bool find_place(struct text path, struct text mounts, bool second,
                       struct throttling_place *place) {
    struct text line, root, mount;
    while (proc_next_line(&mounts, &line)) {
        if (!parse_mount(line, second, &root, &mount))
            continue;
        if (text_equal(root, TEXT("/")))
            root.size = 0;
        struct text group = text_skip(path, root.size);
        if (!text_starts_with(path, root) || (group.size > 0 && group.data[0] != '/') ||
            text_contains(group, TEXT("/..")))
            continue;
        while (group.size > 0 && group.data[group.size - 1] == '/')
            group.size--;
        *place = (struct throttling_place){mount, group, second};
        return true;
    }
    return false;
}

size_t throttling_places(struct text cgroups, struct text mounts,
                         struct throttling_place places[2]) {
    struct text line;
    size_t count = 0;
    while (count < 2 && proc_next_line(&cgroups, &line)) {
        struct text number = next_word(&line, ':');
        struct text controllers = next_word(&line, ':');
        bool second = text_equal(number, TEXT("0")) && controllers.size == 0;
        if ((second || has_item(controllers, TEXT("cpu"))) &&
            find_place(line, mounts, second, &places[count]))
            count++;
    }
    return count;
}

/* Whether the group in the folder has a quota. */
static bool has_quota(const char *folder, bool second) {
    struct buffer buffer = {0};
    struct text line;
    uint64_t number;
    bool has = false;
    if (proc_read(&buffer, "%s/%s", folder, second ? "cpu.max" : "cpu.cfs_quota_us")) {
        struct text rest = buffer_text(&buffer);
        /* Without one: "max 100000" of version 2, "-1" of version 1. */
        has = proc_next_line(&rest, &line) && number_parse_decimal(next_word(&line, ' '), &number);
    }
    buffer_free(&buffer);
    return has;
}

/* Adds the group of the place, and those above it that are mounted. */
static void add_groups(struct throttling *throttling, struct throttling_place place) {
    char folder[PATH_MAX], path[PATH_MAX];
    for (;;) {
        int size = snprintf(folder, sizeof folder, "%.*s%.*s", (int)place.mount.size,
                            place.mount.data, (int)place.group.size, place.group.data);
        if (size < 0 || (size_t)size + sizeof "/cpu.stat" > sizeof folder)
            return;
        if (throttling->count < THROTTLING_GROUPS_MOST && has_quota(folder, place.second)) {
            snprintf(path, sizeof path, "%.*s/cpu.stat", size, folder);
            int file = open(path, O_RDONLY | O_CLOEXEC);
            if (file >= 0)
                throttling->files[throttling->count++] = file;
        }
        const char *slash =
            place.group.size > 0 ? memrchr(place.group.data, '/', place.group.size) : NULL;
        if (!slash)
            return;
        place.group.size = (size_t)(slash - place.group.data);
    }
}

bool throttling_open(struct throttling *throttling, pid_t process_id) {
    struct throttling_place places[2];
    struct buffer cgroups = {0}, mounts = {0};
    *throttling = (struct throttling){0};
    if (proc_read(&cgroups, "/proc/%d/cgroup", process_id) &&
        proc_read(&mounts, "/proc/self/mountinfo")) {
        size_t count = throttling_places(buffer_text(&cgroups), buffer_text(&mounts), places);
        for (size_t i = 0; i < count; i++)
            add_groups(throttling, places[i]);
    }
    buffer_free(&cgroups);
    buffer_free(&mounts);
    return throttling->count > 0;
}

bool throttling_read(const struct throttling *throttling, uint64_t *periods,
                     uint64_t *microseconds) {
    bool found = false;
    for (size_t i = 0; i < throttling->count; i++) {
        char stat[STAT_SIZE_MOST];
        uint64_t own_periods, own_microseconds;
        ssize_t size = pread(throttling->files[i], stat, sizeof stat, 0);
        if (size <= 0 ||
            !throttling_parse((struct text){stat, (size_t)size}, &own_periods, &own_microseconds) ||
            (found && own_microseconds <= *microseconds))
            continue;
        *periods = own_periods;
        *microseconds = own_microseconds;
        found = true;
    }
    return found;
}

void throttling_close(struct throttling *throttling) {
    for (size_t i = 0; i < throttling->count; i++)
        close(throttling->files[i]);
    *throttling = (struct throttling){0};
}
