// SPDX-License-Identifier: MIT
/*
 * Where the perf map of a process lies.
 *
 * Places, in this order: the file that the user named for the process; the folder of maps that the
 * user named; for a living process the folder that node was given with --perf-basic-prof-path, or
 * /tmp, both as the process sees them; /tmp; the folder tmp below --target-root. The name is
 * perf-PID.map. A process in a container knows itself by another PID than the one that it has
 * outside: the last of the field NStgid of /proc/PID/status (man proc_pid_status).
 */
#ifndef TICKFLAME_PROFILER_SYMBOL_PERF_MAP_SEARCH_H
#define TICKFLAME_PROFILER_SYMBOL_PERF_MAP_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/text.h"

/* `--map PID=FILE`. */
struct given_map {
    uint64_t process_id;
    const char *path;
};

struct perf_map_places {
    const struct given_map *maps; /* perf maps named by the user, looked at first */
    size_t map_count;
    const char *map_folder;  /* --map-dir: holds perf-PID.map files; NULL = none */
    const char *target_root; /* its tmp/ may hold perf maps; NULL = none */
    bool live;               /* processes are those of this machine, now */
    bool any_owner;          /* use also maps in /tmp that belong to other users */
};

enum perf_map_found {
    PERF_MAP_FOUND,
    PERF_MAP_NONE,    /* there is no file; one may come into being while the process lives */
    PERF_MAP_REFUSED, /* there is one that is not to be used */
    PERF_MAP_GONE,    /* there is none, and the process does not live any more */
};

/*
 * Looks for the map of a process. With PERF_MAP_FOUND *descriptor is open for perf_map_read() and
 * to be closed. `path` is the file that was found or refused. With PERF_MAP_REFUSED `path` holds a
 * sentence instead that says why and what would help.
 */
enum perf_map_found perf_map_search(const struct perf_map_places *places, uint64_t process_id,
                                    int *descriptor, struct buffer *path);

#endif
