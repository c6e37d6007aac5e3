// SPDX-License-Identifier: MIT
#include "profiler/symbol/perf_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fold/base/input.h"
#include "fold/base/number.h"

/* ---- lines ---- */

/* Takes the number at the front of *line and the blank behind it. */
static bool take_number(struct text *line, uint64_t *number) {
    const char *blank = memchr(line->data, ' ', line->size);
    if (!blank)
        return false;
    struct text digits = {line->data, (size_t)(blank - line->data)};
    *line = text_skip(*line, digits.size + 1);
    return number_parse_hexadecimal(digits, number);
}

static void add_entry(struct perf_map *map, uint64_t start, uint64_t size, struct text name) {
    if (map->count >= PERF_MAP_ENTRIES_MAX || map->name_bytes > PERF_MAP_NAMES_MAX - name.size) {
        map->left_out++;
        return;
    }
    map->name_bytes += name.size;
    uint32_t older = perf_map_find(map, start);
    bool renewed = older && text_equal(perf_map_name(map, older), name);
    MEMORY_RESERVE(map->entries, map->capacity, map->count + 1);
    struct perf_map_entry *entry = &map->entries[map->count++];
    entry->name = (struct text){arena_copy_text(&map->arena, name.data, name.size), name.size};
    bool overlaps = address_map_cover(&map->ranges, start, start + size, (uint32_t)map->count);
    entry->replaces = overlaps && !renewed;
    map->overlaps += overlaps;
}

static void take_line(struct perf_map *map, struct text line) {
    uint64_t start, size;
    map->lines++;
    if (text_ends_with(line, TEXT("\r")))
        line.size--;
    if (line.size == 0 && !map->too_long)
        return;
    bool usable = !map->too_long && take_number(&line, &start) && take_number(&line, &size) &&
                  line.size > 0 && start <= UINT64_MAX - size;
    map->too_long = false;
    if (!usable) {
        if (map->unusable++ == 0)
            map->first_unusable = map->lines;
    } else if (size > 0) {
        add_entry(map, start, size, line);
    }
}

void perf_map_feed(struct perf_map *map, struct text piece) {
    while (piece.size > 0) {
        const char *newline = memchr(piece.data, '\n', piece.size);
        struct text line = {piece.data, newline ? (size_t)(newline - piece.data) : piece.size};
        piece = text_skip(piece, line.size + (newline ? 1 : 0));
        if (map->part.size + line.size > PERF_MAP_LINE_MAX) {
            map->too_long = true;
            buffer_clear(&map->part);
        }
        bool whole = newline && map->part.size == 0;
        if (!whole && !map->too_long)
            buffer_append_text(&map->part, line);
        if (newline) {
            take_line(map, whole ? line : buffer_text(&map->part));
            buffer_clear(&map->part);
        }
    }
}

void perf_map_end(struct perf_map *map) {
    if (map->part.size > 0 || map->too_long)
        take_line(map, buffer_text(&map->part));
    buffer_clear(&map->part);
}

uint32_t perf_map_find(const struct perf_map *map, uint64_t address) {
    struct address_entry entry;
    return address_map_floor(&map->ranges, address, &entry) ? entry.value : 0;
}

bool perf_map_replaces(const struct perf_map *map, uint32_t entry) {
    return map->entries[entry - 1].replaces;
}

struct text perf_map_name(const struct perf_map *map, uint32_t entry) {
    return map->entries[entry - 1].name;
}

/* ---- files ---- */

int perf_map_open(const char *path, const struct perf_map_owners *owners, struct error *error) {
    *error = (struct error){0};
    /* A pipe must not hold us up. */
    int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (owners->any ? 0 : O_NOFOLLOW);
    int descriptor = open(path, flags);
    if (descriptor < 0) {
        if (errno == ELOOP)
            error_set(error, ERROR_INPUT, "%s is a symbolic link", path);
        else if (errno != ENOENT && errno != ENOTDIR)
            error_set(error, ERROR_INPUT, "%s: %s", path, strerror(errno));
        return -1;
    }
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
        error_set(error, ERROR_INPUT, "%s is not a regular file", path);
    else if (!owners->any && status.st_uid != 0 && status.st_uid != geteuid() &&
             !(owners->has_process_user && status.st_uid == owners->process_user))
        error_set(error, ERROR_INPUT, "%s belongs to another user (%u)", path,
                  (unsigned)status.st_uid);
    if (error->kind == ERROR_NONE)
        return descriptor;
    close(descriptor);
    return -1;
}

enum { PIECE = 256 * 1024 };

/* Keeps the end of what was read last. */
static void keep_tail(struct perf_map *map, const char *text, size_t size) {
    map->tail_size = size < PERF_MAP_TAIL ? size : PERF_MAP_TAIL;
    memcpy(map->tail, text + size - map->tail_size, map->tail_size);
}

/* Whether the file still holds, where reading ended, what was read there. The first bytes tell
 * nothing: all isolates begin with the same builtins. */
static bool has_tail(const struct perf_map *map, int descriptor) {
    char text[PERF_MAP_TAIL];
    ssize_t size = pread(descriptor, text, map->tail_size, (off_t)(map->position - map->tail_size));
    return size == (ssize_t)map->tail_size && memcmp(text, map->tail, map->tail_size) == 0;
}

/* Takes the whole lines that were written into a hole since. */
static void read_hole(struct perf_map *map, int descriptor, uint64_t *hole, char *piece) {
    while (*hole < map->position) {
        ssize_t size = pread(descriptor, piece, PIECE, (off_t)*hole);
        const char *nul = size > 0 ? memchr(piece, '\0', (size_t)size) : NULL;
        size_t written = nul ? (size_t)(nul - piece) : size > 0 ? (size_t)size : 0;
        const char *newline = written ? memrchr(piece, '\n', written) : NULL;
        if (!newline)
            break;
        /* What is begun here must not be joined with what waits at the end. */
        struct buffer part = map->part;
        bool too_long = map->too_long;
        map->part = (struct buffer){0};
        map->too_long = false;
        perf_map_feed(map, (struct text){piece, (size_t)(newline - piece) + 1});
        buffer_free(&map->part);
        map->part = part;
        map->too_long = too_long;
        *hole += (uint64_t)(newline - piece) + 1;
        if (nul)
            break;
    }
}

/* A hole begins at the file's present position: notes it and goes to its end. */
static void skip_hole(struct perf_map *map, int descriptor, uint64_t end, char *piece) {
    /* A line that was begun in front of it goes on in it. */
    if (map->hole_count < PERF_MAP_HOLES_MAX)
        map->holes[map->hole_count++] = map->position - map->part.size;
    buffer_clear(&map->part);
    map->too_long = false;
    map->tail_size = 0;
    while (map->position < end) {
        /* Holes may be huge, and take no room on the disk. */
        off_t data = lseek(descriptor, (off_t)map->position, SEEK_DATA);
        if (data < 0 && errno == ENXIO)
            data = (off_t)end;
        if (data > (off_t)map->position)
            map->position = (uint64_t)data < end ? (uint64_t)data : end;
        ssize_t size = pread(descriptor, piece, PIECE, (off_t)map->position);
        ssize_t nuls = 0;
        while (nuls < size && piece[nuls] == '\0')
            nuls++;
        map->position += (uint64_t)nuls;
        if (nuls < size || size <= 0)
            return;
    }
}

bool perf_map_read(struct perf_map *map, int descriptor) {
    struct stat status;
    if (fstat(descriptor, &status) != 0 || status.st_size < 0 ||
        ((uint64_t)status.st_size == map->position &&
         status.st_mtim.tv_sec == map->changed.tv_sec &&
         status.st_mtim.tv_nsec == map->changed.tv_nsec))
        return false;
    map->changed = status.st_mtim;
    uint64_t end = (uint64_t)status.st_size;
    if (end < map->position || !has_tail(map, descriptor)) {
        map->position = 0;
        map->tail_size = 0;
        map->hole_count = 0;
        map->too_long = false;
        buffer_clear(&map->part);
    }
    size_t before = map->count;
    char *piece = memory_allocate(PIECE);
    for (size_t i = 0; i < map->hole_count; i++)
        read_hole(map, descriptor, &map->holes[i], piece);
    /* Not further than it was long: its writer may be faster than we are. */
    while (map->position < end) {
        ssize_t size = pread(descriptor, piece, PIECE, (off_t)map->position);
        if (size <= 0)
            break;
        const char *nul = memchr(piece, '\0', (size_t)size);
        size_t written = nul ? (size_t)(nul - piece) : (size_t)size;
        perf_map_feed(map, (struct text){piece, written});
        map->position += written;
        keep_tail(map, piece, written);
        if (nul)
            skip_hole(map, descriptor, end, piece);
    }
    free(piece);
    return map->count > before;
}

/* As perf_map_feed(), for text that may have holes: a line that a hole cuts is dropped. */
static void feed_between_holes(struct perf_map *map, struct text piece) {
    while (piece.size > 0) {
        const char *nul = memchr(piece.data, '\0', piece.size);
        struct text written = {piece.data, nul ? (size_t)(nul - piece.data) : piece.size};
        perf_map_feed(map, written);
        piece = text_skip(piece, written.size);
        while (piece.size > 0 && *piece.data == '\0')
            piece = text_skip(piece, 1);
        if (nul) {
            buffer_clear(&map->part);
            map->too_long = false;
        }
    }
}

static void read_compressed(struct perf_map *map, int descriptor) {
    /* The open file and no other: its owner was looked at. */
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    struct error error = {0};
    struct input *input = input_open(path, 0, &error);
    struct text piece = {0};
    bool readable = input != NULL;
    while (readable && (readable = input_read(input, &piece, &error)) && piece.size > 0 &&
           input_offset(input) <= PERF_MAP_BYTES_MAX)
        feed_between_holes(map, piece);
    map->damaged = !readable;
    map->left_out += readable && piece.size > 0;
    input_close(input);
}

bool perf_map_is_compressed(int descriptor) {
    unsigned char start[2];
    return pread(descriptor, start, 2, 0) == 2 && start[0] == 0x1f && start[1] == 0x8b;
}

void perf_map_read_all(struct perf_map *map, int descriptor) {
    if (perf_map_is_compressed(descriptor))
        read_compressed(map, descriptor);
    else
        perf_map_read(map, descriptor);
    perf_map_end(map);
}

void perf_map_free(struct perf_map *map) {
    address_map_free(&map->ranges);
    arena_free(&map->arena);
    buffer_free(&map->part);
    free(map->entries);
    *map = (struct perf_map){0};
}
