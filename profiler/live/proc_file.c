// SPDX-License-Identifier: MIT
#include "profiler/live/proc_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fold/base/memory.h"
#include "fold/base/number.h"

static bool read_path(struct buffer *buffer, const char *path) {
    buffer_clear(buffer);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return false;
    char piece[16384];
    ssize_t got;
    do {
        got = read(descriptor, piece, sizeof piece);
        if (got > 0)
            buffer_append(buffer, piece, (size_t)got);
    } while ((got > 0 && buffer->size < PROC_FILE_MOST) || (got < 0 && errno == EINTR));
    int number = errno;
    close(descriptor);
    errno = number;
    return got >= 0;
}

bool proc_read(struct buffer *buffer, const char *format, ...) {
    char path[PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size >= sizeof path) {
        errno = ENAMETOOLONG;
        return false;
    }
    return read_path(buffer, path);
}

int64_t proc_read_number(const char *path, int64_t otherwise) {
    struct buffer buffer = {0};
    int64_t number = otherwise;
    if (read_path(&buffer, path) && buffer.size > 0) {
        buffer_append_byte(&buffer, '\0');
        char *end;
        errno = 0;
        long long parsed = strtoll(buffer.data, &end, 10);
        if (end != buffer.data && errno == 0)
            number = parsed;
    }
    buffer_free(&buffer);
    return number;
}

static int compare_numbers(const void *a, const void *b) {
    pid_t first = *(const pid_t *)a, second = *(const pid_t *)b;
    return (first > second) - (first < second);
}

size_t proc_list_numbers(pid_t **numbers, const char *format, ...) {
    char path[PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    *numbers = NULL;
    DIR *folder = size > 0 && (size_t)size < sizeof path ? opendir(path) : NULL;
    if (!folder)
        return 0;
    size_t count = 0;
    size_t capacity = 0;
    struct dirent *entry;
    while ((entry = readdir(folder))) {
        uint64_t number;
        if (!number_parse_decimal(text_of(entry->d_name), &number) || number > INT_MAX)
            continue;
        MEMORY_RESERVE(*numbers, capacity, count + 1);
        (*numbers)[count++] = (pid_t)number;
    }
    closedir(folder);
    if (count > 0)
        qsort(*numbers, count, sizeof **numbers, compare_numbers);
    return count;
}

bool proc_next_line(struct text *rest, struct text *line) {
    if (rest->size == 0)
        return false;
    const char *end = memchr(rest->data, '\n', rest->size);
    *line = (struct text){rest->data, end ? (size_t)(end - rest->data) : rest->size};
    *rest = text_skip(*rest, line->size + 1);
    return true;
}

static bool is_blank(char byte) {
    return byte == ' ' || byte == '\t';
}

/* Cuts the next word off *rest: up to a blank or one of `stops`, which is cut off too. */
static struct text next_word(struct text *rest, const char *stops) {
    while (rest->size > 0 && is_blank(*rest->data))
        *rest = text_skip(*rest, 1);
    size_t size = 0;
    while (size < rest->size && !is_blank(rest->data[size]) &&
           !(rest->data[size] && strchr(stops, rest->data[size])))
        size++;
    struct text word = {rest->data, size};
    *rest = text_skip(*rest, size + 1);
    return word;
}

bool proc_status_field(struct text status, const char *name, struct text *value) {
    struct text line;
    struct text wanted = text_of(name);
    while (proc_next_line(&status, &line)) {
        if (!text_starts_with(line, wanted) || line.size == wanted.size ||
            line.data[wanted.size] != ':')
            continue;
        *value = text_skip(line, wanted.size + 1);
        while (value->size > 0 && is_blank(*value->data))
            *value = text_skip(*value, 1);
        while (value->size > 0 && is_blank(value->data[value->size - 1]))
            value->size--;
        return true;
    }
    return false;
}

bool proc_number_of_list(struct text list, bool last, uint64_t *number) {
    bool found = false;
    while (list.size > 0 && (last || !found)) {
        struct text word = next_word(&list, "");
        if (word.size > 0 && !number_parse_decimal(word, number))
            return false;
        found |= word.size > 0;
    }
    return found;
}

bool proc_parse_stat(struct text stat, char *state, pid_t *parent) {
    const char *end = memrchr(stat.data, ')', stat.size);
    if (!end)
        return false;
    struct text rest = text_skip(stat, (size_t)(end - stat.data) + 1);
    struct text letter = next_word(&rest, "");
    uint64_t number;
    if (letter.size != 1 || !number_parse_decimal(next_word(&rest, ""), &number) ||
        number > INT_MAX)
        return false;
    *state = *letter.data;
    *parent = (pid_t)number;
    return true;
}

bool proc_parse_mapping(struct text line, struct proc_mapping *mapping) {
    uint64_t major;
    uint64_t minor;
    if (!number_parse_hexadecimal(next_word(&line, "-"), &mapping->start) ||
        !number_parse_hexadecimal(next_word(&line, ""), &mapping->end) ||
        mapping->end < mapping->start)
        return false;
    struct text rights = next_word(&line, "");
    if (rights.size != 4 || !number_parse_hexadecimal(next_word(&line, ""), &mapping->offset) ||
        !number_parse_hexadecimal(next_word(&line, ":"), &major) ||
        !number_parse_hexadecimal(next_word(&line, ""), &minor) ||
        !number_parse_decimal(next_word(&line, ""), &mapping->inode))
        return false;
    mapping->device_major = (uint32_t)major;
    mapping->device_minor = (uint32_t)minor;
    mapping->readable = rights.data[0] == 'r';
    mapping->writable = rights.data[1] == 'w';
    mapping->executable = rights.data[2] == 'x';
    mapping->shared = rights.data[3] == 's';
    /* Blanks pad the columns before the path; it may hold blanks of its own. */
    while (line.size > 0 && is_blank(*line.data))
        line = text_skip(line, 1);
    mapping->path = line;
    return true;
}

/* The port behind the address of "ADDRESS:PORT", all in hexadecimal digits. */
static bool parse_port(struct text end, uint16_t *port) {
    const char *colon = memrchr(end.data, ':', end.size);
    uint64_t number;
    if (!colon ||
        !number_parse_hexadecimal(text_skip(end, (size_t)(colon - end.data) + 1), &number) ||
        number > UINT16_MAX)
        return false;
    *port = (uint16_t)number;
    return true;
}

bool proc_parse_socket(struct text line, struct proc_socket *socket) {
    enum { STATE_LISTEN = 10 };
    uint64_t state;
    struct text number = next_word(&line, "");
    if (number.size < 2 || number.data[number.size - 1] != ':' ||
        !parse_port(next_word(&line, ""), &socket->port))
        return false;
    next_word(&line, ""); /* the other end */
    if (!number_parse_hexadecimal(next_word(&line, ""), &state))
        return false;
    for (int skipped = 0; skipped < 3; skipped++)
        next_word(&line, ""); /* queues, timer, retransmits */
    if (!number_parse_decimal(next_word(&line, ""), &socket->owner))
        return false;
    next_word(&line, ""); /* timeout */
    socket->listening = state == STATE_LISTEN;
    return number_parse_decimal(next_word(&line, ""), &socket->inode);
}

size_t proc_parse_ranges(struct text list, int *numbers, size_t most) {
    while (list.size > 0 && list.data[list.size - 1] == '\n')
        list.size--;
    size_t count = 0;
    while (list.size > 0) {
        struct text range = next_word(&list, ",");
        struct text first_part = next_word(&range, "-");
        uint64_t first;
        uint64_t last;
        if (!number_parse_decimal(first_part, &first))
            return 0;
        last = first;
        if ((range.size > 0 && !number_parse_decimal(range, &last)) || last > INT_MAX ||
            last < first)
            return 0;
        for (uint64_t number = first; number <= last && count < most; number++)
            numbers[count++] = (int)number;
    }
    return count;
}
