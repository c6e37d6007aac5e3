// SPDX-License-Identifier: MIT
/*
 * Processes of this machine, as /proc shows them: which are Node, who owns them, what they listen
 * on, their threads and children.
 *
 * Nothing here touches a process; whatever another user may not read is simply not known.
 */
#ifndef TICKFLAME_PROFILER_LIVE_TARGET_H
#define TICKFLAME_PROFILER_LIVE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fold/base/error.h"

/* One process. All strings end with NUL. */
struct target {
    pid_t process_id;
    pid_t inner_process_id; /* in its innermost pid namespace; the same outside of containers */
    pid_t parent;
    uid_t owner;
    char owner_name[64];    /* or the number */
    char command_line[512]; /* arguments with blanks between, cut; control characters replaced */
    char executable[1024];  /* path of the program; empty: may not be read */
    bool is_node;           /* runs a binary of Node: by its name, or by V8's symbols in it */
    bool has_perf_map; /* the arguments or NODE_OPTIONS ask for --perf-basic-prof, or the map is
                          there */
    bool deleted;      /* the program's file was deleted or replaced */
};

/* Fills in *target. False: there is no such process (ERROR_SAMPLE), or it has ended. */
bool target_read(struct target *target, pid_t process_id, struct error *error);

/* All processes that run Node, by process id; to be freed with free(). */
size_t target_list_node(struct target **targets);

/*
 * The process that listens on the TCP port, in any network namespace that can be seen: of several
 * (a cluster's workers share the socket) the one that is an ancestor of the others. False: none
 * does, or nobody's sockets may be read (ERROR_SAMPLE, with what would help).
 */
bool target_find_port(uint16_t port, pid_t *process_id, struct error *error);

/* The children of a process, and theirs; to be freed with free(). */
size_t target_children(pid_t process_id, pid_t **children);

/* The threads of a process, in order of their ids; to be freed with free(). 0: it has ended. */
size_t target_threads(pid_t process_id, pid_t **threads);

#endif
