// SPDX-License-Identifier: MIT
/* Which process listens on a port: sockets of /proc/PID/net, held as open files in /proc/PID/fd. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fold/base/memory.h"
#include "fold/base/number.h"
#include "profiler/live/proc_file.h"
#include "profiler/live/target.h"

struct listeners {
    uint64_t *inodes; /* of the sockets that listen on the port */
    size_t count, capacity;
    uint64_t owner; /* uid of the last one */

    char (*spaces)[64]; /* network namespaces that were looked at, as /proc names them */
    size_t space_count, space_capacity;

    struct target *holders; /* processes that have one open */
    size_t holder_count, holder_capacity;
    bool hidden; /* somebody's open files may not be read */
};

static void add_sockets(struct listeners *found, struct text table, uint16_t port) {
    struct text line;
    while (proc_next_line(&table, &line)) {
        struct proc_socket socket;
        if (!proc_parse_socket(line, &socket) || !socket.listening || socket.port != port)
            continue;
        MEMORY_RESERVE(found->inodes, found->capacity, found->count + 1);
        found->inodes[found->count++] = socket.inode;
        found->owner = socket.owner;
    }
}

/* The sockets of the process's network namespace, unless that was looked at before. */
static void look_at_namespace(struct listeners *found, pid_t process_id, uint16_t port) {
    char path[64];
    char name[64] = "";
    snprintf(path, sizeof path, "/proc/%d/ns/net", process_id);
    /* Where the name may not be read, the tables may not either; our own comes first. */
    if (readlink(path, name, sizeof name - 1) <= 0)
        return;
    for (size_t i = 0; i < found->space_count; i++) {
        if (strcmp(found->spaces[i], name) == 0)
            return;
    }
    MEMORY_RESERVE(found->spaces, found->space_capacity, found->space_count + 1);
    memcpy(found->spaces[found->space_count++], name, sizeof name);
    struct buffer table = {0};
    if (proc_read(&table, "/proc/%d/net/tcp", process_id))
        add_sockets(found, buffer_text(&table), port);
    if (proc_read(&table, "/proc/%d/net/tcp6", process_id))
        add_sockets(found, buffer_text(&table), port);
    buffer_free(&table);
}

static bool is_listener(const struct listeners *found, uint64_t inode) {
    for (size_t i = 0; i < found->count; i++) {
        if (found->inodes[i] == inode)
            return true;
    }
    return false;
}

/* Whether one of the process's open files is such a socket ("socket:[INODE]"). */
static bool holds_socket(struct listeners *found, pid_t process_id) {
    pid_t *descriptors;
    errno = 0;
    size_t count = proc_list_numbers(&descriptors, "/proc/%d/fd", process_id);
    found->hidden |= !descriptors && errno == EACCES;
    bool holds = false;
    for (size_t i = 0; descriptors && i < count && !holds; i++) {
        char path[64];
        char name[64];
        uint64_t inode;
        snprintf(path, sizeof path, "/proc/%d/fd/%d", process_id, descriptors[i]);
        ssize_t size = readlink(path, name, sizeof name);
        struct text link = {name, size > 0 ? (size_t)size : 0};
        if (!text_starts_with(link, TEXT("socket:[")) || !text_ends_with(link, TEXT("]")))
            continue;
        link = text_skip(link, 8);
        link.size--;
        holds = number_parse_decimal(link, &inode) && is_listener(found, inode);
    }
    free(descriptors);
    return holds;
}

/* Whether `ancestor` is above `target`, among the holders. */
static bool is_above(const struct listeners *found, const struct target *ancestor,
                     const struct target *target) {
    pid_t parent = target->parent;
    for (size_t step = 0; step < found->holder_count && parent > 0; step++) {
        if (parent == ancestor->process_id)
            return true;
        pid_t next = 0;
        for (size_t i = 0; i < found->holder_count; i++) {
            if (found->holders[i].process_id == parent)
                next = found->holders[i].parent;
        }
        parent = next;
    }
    return false;
}

/* Node before others (a proxy of the container's port, say), then the ancestor, then the lower
 * number. */
static bool is_better(const struct listeners *found, const struct target *a,
                      const struct target *b) {
    if (a->is_node != b->is_node)
        return a->is_node;
    if (is_above(found, a, b) != is_above(found, b, a))
        return is_above(found, a, b);
    return a->process_id < b->process_id;
}

static bool choose(const struct listeners *found, uint16_t port, pid_t *process_id,
                   struct error *error) {
    if (found->count == 0)
        return error_set(error, ERROR_SAMPLE, "nothing listens on TCP port %u here", port);
    if (found->holder_count == 0)
        return error_set(error, ERROR_SAMPLE,
                         "a process of user %llu listens on port %u, but %s. Run as root or as "
                         "that user, or name the process: -p PID",
                         (unsigned long long)found->owner, port,
                         found->hidden ? "whose socket that is may not be read (/proc/PID/fd)"
                                       : "it cannot be seen from here");
    const struct target *best = &found->holders[0];
    for (size_t i = 1; i < found->holder_count; i++) {
        if (is_better(found, &found->holders[i], best))
            best = &found->holders[i];
    }
    *process_id = best->process_id;
    return true;
}

bool target_find_port(uint16_t port, pid_t *process_id, struct error *error) {
    struct listeners found = {0};
    pid_t *all;
    size_t all_count = proc_list_numbers(&all, "/proc");
    look_at_namespace(&found, getpid(), port);
    for (size_t i = 0; i < all_count; i++)
        look_at_namespace(&found, all[i], port);
    for (size_t i = 0; i < all_count && found.count > 0; i++) {
        struct error ignored = {0};
        struct target target;
        if (!holds_socket(&found, all[i]) || !target_read(&target, all[i], &ignored))
            continue;
        MEMORY_RESERVE(found.holders, found.holder_capacity, found.holder_count + 1);
        found.holders[found.holder_count++] = target;
    }
    bool chosen = choose(&found, port, process_id, error);
    free(all);
    free(found.inodes);
    free(found.spaces);
    free(found.holders);
    return chosen;
}
