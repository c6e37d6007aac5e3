// SPDX-License-Identifier: MIT
/*
 * Files of /proc: reading them whole, and the lines in them. Formats: proc(5).
 *
 * The parsers take views and give views; they touch no file, so that they can be tested on text.
 */
#ifndef TICKFLAME_PROFILER_LIVE_PROC_FILE_H
#define TICKFLAME_PROFILER_LIVE_PROC_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fold/base/text.h"

/* The most that is read of one file, in bytes. */
enum { PROC_FILE_MOST = 64 << 20 };

/*
 * Reads the file whose path the format gives into *buffer, which is emptied first. False: it cannot
 * be opened or read; errno says why.
 */
bool proc_read(struct buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The number in a file that holds one, such as those of /proc/sys; `otherwise` when it cannot be
 * read. */
int64_t proc_read_number(const char *path, int64_t otherwise);

/* The names in a folder that are numbers, ascending; to be freed with free(). Returns how many; 0
 * with *numbers NULL: there is no such folder, or it may not be read. */
size_t proc_list_numbers(pid_t **numbers, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Cuts the next line off *rest. False: there is none. */
bool proc_next_line(struct text *rest, struct text *line);

/* The value of a field of /proc/PID/status ("NSpid"), blanks around it removed. */
bool proc_status_field(struct text status, const char *name, struct text *value);

/* The first (or with `last` the last) number of a list with blanks between. False: none. */
bool proc_number_of_list(struct text list, bool last, uint64_t *number);

/* The state letter and the parent in /proc/PID/stat; the command name in it may hold anything. */
bool proc_parse_stat(struct text stat, char *state, pid_t *parent);

/* A line of /proc/PID/maps. */
struct proc_mapping {
    uint64_t start, end, offset; /* of memory; in the file */
    uint32_t device_major, device_minor;
    uint64_t inode;
    bool readable, writable, executable, shared;
    struct text path; /* as it stands there; empty: no file */
};

bool proc_parse_mapping(struct text line, struct proc_mapping *mapping);

/* A line of /proc/net/tcp or tcp6. */
struct proc_socket {
    uint16_t port; /* of this end */
    bool listening;
    uint64_t inode;
    uint64_t owner; /* uid */
};

/* False: a headline, or no such line. */
bool proc_parse_socket(struct text line, struct proc_socket *socket);

/*
 * The numbers of a list such as "0-3,8" of /sys/devices/system/cpu/online, ascending, at most
 * `most` of them. Returns how many; 0: it is no such list.
 */
size_t proc_parse_ranges(struct text list, int *numbers, size_t most);

#endif
