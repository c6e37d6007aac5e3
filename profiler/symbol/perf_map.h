// SPDX-License-Identifier: MIT
/*
 * A perf map: the names of code that a process made while it ran.
 *
 * The text has a line `START SIZE NAME` for each piece of code, with both numbers in hexadecimal
 * digits (an `0x` before them is accepted) and a name that goes to the end of the line, blanks
 * included; documented with the perf tool of the kernel (jit-interface.txt). V8 writes it with
 * --perf-basic-prof and never takes a line back when code dies, so a line takes the place of all
 * earlier ones where they overlap. Its `JS:~` lines name bytecode, which is no code: no pc lies
 * there, and they do no harm.
 *
 * The file grows while the process lives: it is read on from where reading ended. The text of a
 * line that is not complete yet waits.
 *
 * Up to Node 18 each worker thread begins the file anew while the main thread writes on at the
 * place where it was: what it wrote before is lost to those who had not read it, and between the
 * two is a hole of NUL bytes that the worker fills as it goes. So reading goes on at the end and at
 * each hole.
 */
#ifndef TICKFLAME_PROFILER_SYMBOL_PERF_MAP_H
#define TICKFLAME_PROFILER_SYMBOL_PERF_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "fold/base/error.h"
#include "fold/base/memory.h"
#include "fold/base/text.h"
#include "profiler/symbol/address_map.h"

/* What is kept of a map at most; what is beyond is counted in `left_out`. */
enum { PERF_MAP_LINE_MAX = 1024 * 1024, PERF_MAP_ENTRIES_MAX = 16 * 1024 * 1024 };
/* More holes than this are not looked at again; how much is kept of what was read last. */
enum { PERF_MAP_HOLES_MAX = 64, PERF_MAP_TAIL = 64 };
#define PERF_MAP_NAMES_MAX ((uint64_t)1 << 30)
/* As much of a compressed map is read. */
#define PERF_MAP_BYTES_MAX ((uint64_t)1 << 32)

/* A line of the map. */
struct perf_map_entry {
    struct text name; /* in the map's `arena` */
    bool replaces;    /* it took the place of others, whole or in part, of another name */
};

/* All zero is an empty map. To be freed with perf_map_free(). */
struct perf_map {
    struct perf_map_entry *entries; /* in the order of the lines */
    size_t count, capacity;
    struct address_map ranges; /* entry numbers from 1 */
    struct arena arena;
    uint64_t name_bytes;
    struct buffer part;                 /* of a line whose end was not read yet */
    bool too_long;                      /* that line is above PERF_MAP_LINE_MAX */
    uint64_t position;                  /* in the file: where reading goes on */
    uint64_t holes[PERF_MAP_HOLES_MAX]; /* where else: the first byte of each hole */
    size_t hole_count;
    char
        tail[PERF_MAP_TAIL]; /* the bytes in front of `position`, by which a rewritten file shows */
    size_t tail_size;
    struct timespec changed; /* when the file was, as of its last reading */

    uint64_t overlaps;       /* lines that took the place of others, whole or in part */
    uint64_t lines;          /* all lines */
    uint64_t unusable;       /* lines that are none of a map */
    uint64_t first_unusable; /* the number of the first such line, from 1 */
    uint64_t left_out;       /* lines beyond what is kept */
    bool damaged;            /* its compressed data is cut or damaged */
};

/* Takes the next piece of the text. */
void perf_map_feed(struct perf_map *map, struct text piece);

/* The text ends here: what stands behind the last newline is a line too. Not for a file that
 * still grows. */
void perf_map_end(struct perf_map *map);

/*
 * The entry that holds `address`, from 1; 0 = none. Entry numbers stay valid, even when other
 * lines have taken the entry's place.
 */
uint32_t perf_map_find(const struct perf_map *map, uint64_t address);

/* Whether older code stood where the entry's does, so that samples taken before are named wrong. */
bool perf_map_replaces(const struct perf_map *map, uint32_t entry);

/* The name of an entry; lives as long as the map. */
struct text perf_map_name(const struct perf_map *map, uint32_t entry);

/* Whose files are trusted. */
struct perf_map_owners {
    bool any;              /* everybody's, and symbolic links are followed */
    bool has_process_user; /* `process_user` is known */
    uint32_t process_user; /* user of the process that the map is of */
};

/*
 * Opens the map at `path` for perf_map_read(). Anybody may put a file or a link with a wanted name
 * into /tmp, so it must be a regular file that belongs to the process's user, to this program's or
 * to root. Returns the descriptor, or -1: there is no such file (error->kind is ERROR_NONE), or it
 * is not to be used, and *error says so ("/tmp/perf-31.map belongs to the user 1000 ...").
 */
int perf_map_open(const char *path, const struct perf_map_owners *owners, struct error *error);

/*
 * Reads on in an open file, at its holes and up to its present end. A file that has become shorter,
 * or that holds other bytes where reading ended, was begun anew and is read from its start; what
 * was read before stays. Returns whether lines were added.
 */
bool perf_map_read(struct perf_map *map, int descriptor);

/* Whether an open map is gzip'd: then it grows no more. */
bool perf_map_is_compressed(int descriptor);

/* Reads all of an open file that grows no more; it may be gzip'd. */
void perf_map_read_all(struct perf_map *map, int descriptor);

void perf_map_free(struct perf_map *map);

#endif
