// SPDX-License-Identifier: MIT
#include "fold/base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fold/base/memory.h"
#include "fold/base/utf8.h"

enum { OUTPUT_ROOM = 128 * 1024, LINKS_MAX = 40 };

struct output {
    int descriptor;
    int failure;            /* errno of the first failed write; 0 = none */
    char *path;             /* final name; NULL = not a file of ours */
    char *temporary;        /* name while it is written; NULL = it has none yet */
    struct buffer *target;  /* collects the bytes instead of a descriptor */
    size_t size;            /* bytes waiting in `data` */
    char data[OUTPUT_ROOM]; /* not written yet */
};

/* The folder of `path` with its slash, as a new string with `room` bytes more. */
static char *folder_of(const char *path, size_t room) {
    const char *slash = strrchr(path, '/');
    size_t size = slash ? (size_t)(slash - path) + 1 : 0;
    char *folder = memory_allocate(size_add(size, room));
    memcpy(folder, path, size);
    folder[size] = '\0';
    return folder;
}

/* A symbolic link is followed, so that the file it names is replaced and not the link; one that
 * names nothing yet, too. */
static char *resolve_target(const char *path) {
    char *resolved = realpath(path, NULL);
    if (resolved)
        return resolved;
    char *target = memory_allocate(strlen(path) + 1);
    memcpy(target, path, strlen(path) + 1);
    char link[PATH_MAX];
    ssize_t size;
    for (int hops = 0; hops < LINKS_MAX && (size = readlink(target, link, sizeof link - 1)) > 0;
         hops++) {
        link[size] = '\0';
        char *next = folder_of(link[0] == '/' ? "" : target, (size_t)size + 1);
        memcpy(next + strlen(next), link, (size_t)size + 1);
        free(target);
        target = next;
    }
    return target;
}

/* The name under which an open file of ours can be linked, though it has none itself. */
static void name_of_descriptor(int descriptor, char *name, size_t room) {
    snprintf(name, room, "/proc/self/fd/%d", descriptor);
}

/* Gives the file a temporary name beside its final one: by making it (`descriptor` < 0 so far), or
 * by linking the file that has no name yet. */
static bool take_temporary_name(struct output *output, unsigned mode) {
    enum { NAME_ROOM = 64 };
    char *name = folder_of(output->path, NAME_ROOM);
    char *end = name + strlen(name);
    char nameless[NAME_ROOM];
    name_of_descriptor(output->descriptor, nameless, sizeof nameless);
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        snprintf(end, NAME_ROOM, ".tickflame-%d-%u.part", (int)getpid(), attempt);
        bool taken;
        if (output->descriptor < 0) {
            output->descriptor =
                open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
            taken = output->descriptor >= 0;
        } else {
            taken = linkat(AT_FDCWD, nameless, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
        }
        if (taken) {
            output->temporary = name;
            return true;
        }
        if (errno != EEXIST)
            break;
    }
    free(name);
    return false;
}

/* Opens a file without a name: whatever ends the program, nothing of it is left. Not all file
 * systems can do that, and a name can be given later only where /proc is. */
static void open_nameless(struct output *output, unsigned mode) {
    char *folder = folder_of(output->path, 2);
    memcpy(folder + strlen(folder), ".", 2);
    int descriptor = open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
    free(folder);
    if (descriptor < 0)
        return;
    char name[64];
    name_of_descriptor(descriptor, name, sizeof name);
    if (access(name, F_OK) == 0)
        output->descriptor = descriptor;
    else
        close(descriptor);
}

static bool open_temporary(struct output *output, const char *path, unsigned mode,
                           struct error *error) {
    output->path = resolve_target(path);
    output->descriptor = -1;
    open_nameless(output, mode);
    if (output->descriptor >= 0 || take_temporary_name(output, mode))
        return true;
    return error_set(error, ERROR_OUTPUT, "cannot write %s: %s", path, strerror(errno));
}

struct output *output_open(const char *path, unsigned mode, struct error *error) {
    struct output *output = memory_allocate_zero(1, sizeof *output);
    output->descriptor = STDOUT_FILENO;
    if (!path || strcmp(path, "-") == 0)
        return output;
    struct stat status;
    bool exists = stat(path, &status) == 0;
    bool opened;
    if (!exists && (errno == ELOOP || !*path)) {
        opened = error_set(error, ERROR_OUTPUT, "cannot write %s: %s", path, strerror(errno));
    } else if (exists && S_ISDIR(status.st_mode)) {
        opened = error_set(error, ERROR_OUTPUT, "cannot write %s: it is a directory", path);
    } else if (exists && !S_ISREG(status.st_mode)) {
        output->descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        opened = output->descriptor >= 0 ||
                 error_set(error, ERROR_OUTPUT, "cannot write %s: %s", path, strerror(errno));
    } else {
        opened = open_temporary(output, path, mode, error);
        if (opened && exists)
            (void)!fchmod(output->descriptor, status.st_mode & 07777);
    }
    if (opened)
        return output;
    output->descriptor = -1;
    output_discard(output);
    return NULL;
}

struct output *output_open_buffer(struct buffer *buffer) {
    struct output *output = memory_allocate_zero(1, sizeof *output);
    output->descriptor = -1;
    output->target = buffer;
    return output;
}

static void write_all(struct output *output, const char *data, size_t size) {
    while (size > 0 && output->failure == 0) {
        ssize_t written = write(output->descriptor, data, size);
        if (written >= 0) {
            data += written;
            size -= (size_t)written;
        } else if (errno != EINTR) {
            output->failure = errno;
        }
    }
}

static void flush(struct output *output) {
    write_all(output, output->data, output->size);
    output->size = 0;
}

void output_write(struct output *output, const void *data, size_t size) {
    if (output->target) {
        buffer_append(output->target, data, size);
        return;
    }
    if (size > OUTPUT_ROOM - output->size)
        flush(output);
    if (size > OUTPUT_ROOM) {
        write_all(output, data, size);
        return;
    }
    if (size)
        memcpy(output->data + output->size, data, size);
    output->size += size;
}

void output_text(struct output *output, struct text text) {
    output_write(output, text.data, text.size);
}

void output_string(struct output *output, const char *string) {
    output_write(output, string, strlen(string));
}

void output_byte(struct output *output, char byte) {
    output_write(output, &byte, 1);
}

void output_format(struct output *output, const char *format, ...) {
    char small[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    if ((size_t)length < sizeof small) {
        output_write(output, small, (size_t)length);
        return;
    }
    char *large = memory_allocate((size_t)length + 1);
    va_start(arguments, format);
    vsnprintf(large, (size_t)length + 1, format, arguments);
    va_end(arguments);
    output_write(output, large, (size_t)length);
    free(large);
}

void output_visible(struct output *output, struct text text) {
    struct buffer visible = {0};
    utf8_append_visible(&visible, text);
    output_text(output, buffer_text(&visible));
    buffer_free(&visible);
}

bool output_failed(const struct output *output) {
    return output->failure != 0;
}

bool output_is_terminal(const struct output *output) {
    return !output->target && isatty(output->descriptor);
}

static void release(struct output *output) {
    free(output->path);
    free(output->temporary);
    free(output);
}

bool output_close(struct output *output, struct error *error) {
    if (output->target) {
        release(output);
        return true;
    }
    flush(output);
    if (output->failure == 0 && output->path && !output->temporary &&
        !take_temporary_name(output, 0))
        output->failure = errno;
    if (output->descriptor != STDOUT_FILENO && close(output->descriptor) != 0 &&
        output->failure == 0)
        output->failure = errno;
    if (output->failure == 0 && output->temporary && rename(output->temporary, output->path) != 0)
        output->failure = errno;
    bool done = output->failure == 0;
    if (!done) {
        error_set(error, ERROR_OUTPUT, "cannot write %s: %s",
                  output->path ? output->path : "the output", strerror(output->failure));
        error->closed_pipe = output->failure == EPIPE;
        if (output->temporary)
            unlink(output->temporary);
    }
    release(output);
    return done;
}

void output_discard(struct output *output) {
    if (!output)
        return;
    if (output->descriptor > STDERR_FILENO)
        close(output->descriptor);
    if (output->temporary)
        unlink(output->temporary);
    release(output);
}
