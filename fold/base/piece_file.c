// SPDX-License-Identifier: MIT
#include "fold/base/piece_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "fold/base/memory.h"

enum { GZIP_WRAPPER = 16, FEED_MOST = 1 << 30, ROOM_LEAST = 4096 };

struct piece_file {
    char *path;
    int descriptor;
    uint64_t size;        /* bytes of complete pieces */
    z_stream stream;      /* kept between pieces: setting it up costs more than a small piece */
    struct buffer member; /* the piece under way, compressed */
};

/* Removes what is to be replaced. */
static bool remove_old(const char *path, struct error *error) {
    struct stat status;
    if (lstat(path, &status) != 0)
        return true; /* open() will tell what is wrong, if anything */
    const char *reason = S_ISLNK(status.st_mode)   ? "it is a symbolic link"
                         : S_ISDIR(status.st_mode) ? "it is a directory"
                         : S_ISREG(status.st_mode) ? NULL
                                                   : "it is not a regular file";
    if (!reason && unlink(path) != 0 && errno != ENOENT)
        reason = strerror(errno);
    return !reason || error_set(error, ERROR_OUTPUT, "cannot replace %s: %s", path, reason);
}

static bool open_file(struct piece_file *file, bool replace, struct error *error) {
    if (replace && !remove_old(file->path, error))
        return false;
    file->descriptor =
        open(file->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC,
             S_IRUSR | S_IWUSR);
    if (file->descriptor < 0)
        return error_set(error, ERROR_OUTPUT,
                         errno == EEXIST ? "%s exists already" : "cannot write %s: %s", file->path,
                         strerror(errno));
    /* The umask may have taken the owner's own rights. */
    (void)!fchmod(file->descriptor, S_IRUSR | S_IWUSR);
    if (deflateInit2(&file->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WRAPPER + MAX_WBITS,
                     MAX_MEM_LEVEL - 1, Z_DEFAULT_STRATEGY) == Z_OK)
        return true;
    return error_set(error, ERROR_OUTPUT, "cannot write %s: no memory to compress", file->path);
}

struct piece_file *piece_file_create(const char *path, bool replace, struct error *error) {
    struct piece_file *file = memory_allocate_zero(1, sizeof *file);
    file->path = memory_allocate(strlen(path) + 1);
    memcpy(file->path, path, strlen(path) + 1);
    file->descriptor = -1;
    if (open_file(file, replace, error))
        return file;
    piece_file_discard(file);
    return NULL;
}

/* Compresses `content` to one gzip member. */
static void compress_piece(struct piece_file *file, struct text content) {
    z_stream *stream = &file->stream;
    buffer_clear(&file->member);
    deflateReset(stream);
    int result = Z_OK;
    while (result != Z_STREAM_END) {
        if (stream->avail_in == 0) {
            size_t fed = content.size < FEED_MOST ? content.size : FEED_MOST;
            stream->next_in = (unsigned char *)(uintptr_t)content.data;
            stream->avail_in = (unsigned)fed;
            content = text_skip(content, fed);
        }
        struct buffer *member = &file->member;
        MEMORY_RESERVE(member->data, member->capacity, size_add(member->size, ROOM_LEAST));
        size_t room = member->capacity - member->size;
        unsigned offered = room < FEED_MOST ? (unsigned)room : FEED_MOST;
        stream->next_out = (unsigned char *)member->data + member->size;
        stream->avail_out = offered;
        /* With room for output it cannot fail. */
        result = deflate(stream, content.size ? Z_NO_FLUSH : Z_FINISH);
        member->size += offered - stream->avail_out;
    }
}

/* Writes all of it; 0, or the errno of what went wrong. */
static int write_all(int descriptor, struct text rest) {
    while (rest.size > 0) {
        ssize_t written = write(descriptor, rest.data, rest.size);
        if (written > 0)
            rest = text_skip(rest, (size_t)written);
        else if (written == 0)
            return EIO;
        else if (errno != EINTR)
            return errno;
    }
    return 0;
}

enum piece_result piece_file_append(struct piece_file *file, struct text content,
                                    uint64_t size_most, struct error *error) {
    compress_piece(file, content);
    struct text member = buffer_text(&file->member);
    if (size_most && (file->size > size_most || member.size > size_most - file->size))
        return PIECE_TOO_LARGE;
    int failure = write_all(file->descriptor, member);
    if (failure == 0) {
        file->size += member.size;
        return PIECE_WRITTEN;
    }
    error_set(error, ERROR_OUTPUT, "cannot write %s: %s", file->path, strerror(failure));
    if (ftruncate(file->descriptor, (off_t)file->size) != 0)
        error_set(error, ERROR_OUTPUT,
                  "cannot write %s: %s; the end of it could not be cut off either", file->path,
                  strerror(failure));
    return PIECE_FAILED;
}

uint64_t piece_file_size(const struct piece_file *file) {
    return file->size;
}

static void release(struct piece_file *file) {
    deflateEnd(&file->stream);
    buffer_free(&file->member);
    free(file->path);
    free(file);
}

bool piece_file_close(struct piece_file *file, struct error *error) {
    bool closed =
        close(file->descriptor) == 0 ||
        error_set(error, ERROR_OUTPUT, "cannot write %s: %s", file->path, strerror(errno));
    release(file);
    return closed;
}

void piece_file_discard(struct piece_file *file) {
    if (!file)
        return;
    if (file->descriptor >= 0) {
        struct stat ours;
        struct stat named;
        if (fstat(file->descriptor, &ours) == 0 && lstat(file->path, &named) == 0 &&
            ours.st_dev == named.st_dev && ours.st_ino == named.st_ino)
            unlink(file->path);
        close(file->descriptor);
    }
    release(file);
}
