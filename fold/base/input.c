// SPDX-License-Identifier: MIT
#include "fold/base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "fold/base/memory.h"

enum { PIECE_SIZE = 256 * 1024, PEEK_SIZE = 64 * 1024 };

struct input {
    char *path;
    int descriptor;
    struct stat status;
    size_t piece_size;
    uint64_t offset;

    char *raw; /* bytes as read from the descriptor */
    size_t raw_start, raw_end;
    bool raw_finished;

    char *pieces; /* decompressed bytes; unused for plain input */
    bool compressed;
    bool member_open; /* inside a gzip member */
    z_stream stream;

    char *peeked; /* the first bytes, not handed out yet */
    size_t peeked_start, peeked_end;
    bool failed; /* `failure` is to be reported when all before it has been handed out */
    struct error failure;
};

/* Fills the raw buffer when it is empty. */
static bool fill_raw(struct input *input, struct error *error) {
    if (input->raw_start < input->raw_end || input->raw_finished)
        return true;
    ssize_t got;
    do {
        got = read(input->descriptor, input->raw, PIECE_SIZE);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return error_set(error, ERROR_INPUT, "cannot read %s: %s", input->path, strerror(errno));
    input->raw_start = 0;
    input->raw_end = (size_t)got;
    input->raw_finished = got == 0;
    return true;
}

/* Decompresses up to `room` bytes to `out`. *size == 0 means the end of input. */
static bool inflate_piece(struct input *input, char *out, size_t room, size_t *size,
                          struct error *error) {
    *size = 0;
    while (*size == 0) {
        if (!fill_raw(input, error))
            return false;
        bool more = input->raw_start < input->raw_end;
        if (!more && !input->member_open)
            return true;
        if (!input->member_open) {
            /* Bytes behind a member: another member, or padding that gzip ignores too. */
            if (input->raw[input->raw_start] != '\x1f') {
                input->raw_start++;
                continue;
            }
            inflateReset(&input->stream);
            input->member_open = true;
        }
        input->stream.next_in = (unsigned char *)input->raw + input->raw_start;
        input->stream.avail_in = (unsigned)(input->raw_end - input->raw_start);
        input->stream.next_out = (unsigned char *)out;
        input->stream.avail_out = (unsigned)room;
        int result = inflate(&input->stream, Z_NO_FLUSH);
        input->raw_start = input->raw_end - input->stream.avail_in;
        *size = room - input->stream.avail_out;
        if (result == Z_STREAM_END) {
            input->member_open = false;
        } else if (result == Z_MEM_ERROR) {
            return error_set(error, ERROR_INPUT, "%s: no memory to decompress", input->path);
        } else if (result != Z_OK && result != Z_BUF_ERROR) {
            input->failed = true;
            error_set(&input->failure, ERROR_INPUT, "%s: the gzip data is damaged (%s)",
                      input->path, input->stream.msg ? input->stream.msg : "bad data");
        } else if (!more && *size == 0) {
            input->failed = true;
            error_set(&input->failure, ERROR_INPUT, "%s: the gzip data ends early", input->path);
        }
        if (input->failed)
            break;
    }
    return true;
}

/* The next piece from the source itself, past whatever was peeked. */
static bool next_piece(struct input *input, size_t room, struct text *piece, struct error *error) {
    *piece = (struct text){0};
    if (input->failed) {
        *error = input->failure;
        return false;
    }
    if (input->compressed) {
        size_t size;
        if (!inflate_piece(input, input->pieces, room, &size, error))
            return false;
        if (size == 0 && input->failed) {
            *error = input->failure;
            return false;
        }
        *piece = (struct text){input->pieces, size};
        return true;
    }
    if (!fill_raw(input, error))
        return false;
    size_t size = input->raw_end - input->raw_start;
    if (size > room)
        size = room;
    *piece = (struct text){input->raw + input->raw_start, size};
    input->raw_start += size;
    return true;
}

bool input_read(struct input *input, struct text *piece, struct error *error) {
    if (input->peeked_start < input->peeked_end) {
        size_t size = input->peeked_end - input->peeked_start;
        if (size > input->piece_size)
            size = input->piece_size;
        *piece = (struct text){input->peeked + input->peeked_start, size};
        input->peeked_start += size;
    } else if (!next_piece(input, input->piece_size, piece, error)) {
        return false;
    }
    input->offset += piece->size;
    return true;
}

struct text input_peek(struct input *input, size_t size) {
    if (size > PEEK_SIZE)
        size = PEEK_SIZE;
    while (input->peeked_end - input->peeked_start < size && !input->failed) {
        size_t room = PEEK_SIZE - input->peeked_end;
        struct text piece;
        if (room == 0 || !next_piece(input, room, &piece, &input->failure)) {
            input->failed = input->failed || room > 0;
            break;
        }
        if (piece.size == 0)
            break;
        memcpy(input->peeked + input->peeked_end, piece.data, piece.size);
        input->peeked_end += piece.size;
    }
    size_t available = input->peeked_end - input->peeked_start;
    return (struct text){input->peeked + input->peeked_start, available < size ? available : size};
}

/* What kind of file these first bytes plainly are, when it is one that no reader takes. */
static const char *foreign_format(struct text start) {
    static const struct {
        struct text magic;
        const char *name;
    } formats[] = {
        {{"\xFF\xFE\0\0", 4}, "UTF-32 text; convert it to UTF-8"},
        {{"\xFF\xFE", 2}, "UTF-16 text; convert it to UTF-8"},
        {{"\xFE\xFF", 2}, "UTF-16 text; convert it to UTF-8"},
        {{"PK\x03\x04", 4}, "a zip archive; unpack it first"},
        {{"PK\x05\x06", 4}, "an empty zip archive"},
        {{"BZh", 3}, "bzip2 data; decompress it first"},
        {{"\xFD"
          "7zXZ",
          5},
         "xz data; decompress it first"},
        {{"\x28\xB5\x2F\xFD", 4}, "zstd data; decompress it first"},
        {{"\x7F"
          "ELF",
          4},
         "a program, not a profile"},
        {{"\x89PNG", 4}, "a PNG picture"},
        {{"%PDF-", 5}, "a PDF document"},
        {{"\x1F\x8B", 2}, "gzip data inside gzip data; decompress it once"},
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (text_starts_with(start, formats[i].magic))
            return formats[i].name;
    }
    if (start.size >= 4 && !start.data[0] != !start.data[1] && !start.data[0] == !start.data[2] &&
        !start.data[1] == !start.data[3])
        return "UTF-16 text; convert it to UTF-8";
    while (start.size && strchr(" \t\r\n", *start.data))
        start = text_skip(start, 1);
    static const char *const html[] = {"<!doctype html", "<html", "<head", "<body"};
    for (size_t i = 0; i < sizeof html / sizeof *html; i++) {
        size_t length = strlen(html[i]);
        if (start.size >= length && strncasecmp(start.data, html[i], length) == 0)
            return "HTML; was a web page saved instead of the file?";
    }
    if (text_starts_with(start, TEXT("<svg")) || text_starts_with(start, TEXT("<?xml")))
        return "XML or SVG, not a profile";
    return NULL;
}

static bool open_descriptor(struct input *input, struct error *error) {
    if (strcmp(input->path, "-") == 0) {
        input->descriptor = STDIN_FILENO;
    } else {
        /* Not blocking: opening a pipe without a writer must not hang. */
        input->descriptor = open(input->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        if (input->descriptor < 0)
            return error_set(error, ERROR_INPUT, "cannot open %s: %s", input->path,
                             strerror(errno));
    }
    if (fstat(input->descriptor, &input->status) != 0)
        return error_set(error, ERROR_INPUT, "cannot read %s: %s", input->path, strerror(errno));
    if (S_ISDIR(input->status.st_mode))
        return error_set(error, ERROR_INPUT, "%s is a directory, not a profile", input->path);
    if (S_ISBLK(input->status.st_mode) ||
        (S_ISCHR(input->status.st_mode) && input->descriptor != STDIN_FILENO))
        return error_set(error, ERROR_INPUT, "%s is a device, not a profile", input->path);
    if (input->descriptor != STDIN_FILENO) {
        int flags = fcntl(input->descriptor, F_GETFL);
        if (flags >= 0)
            (void)fcntl(input->descriptor, F_SETFL, flags & ~O_NONBLOCK);
    }
    return true;
}

static bool start(struct input *input, struct error *error) {
    if (!open_descriptor(input, error) || !fill_raw(input, error))
        return false;
    const char *name = input->descriptor == STDIN_FILENO ? "standard input" : input->path;
    if (input->raw_end == 0)
        return error_set(error, ERROR_INPUT, "%s: empty file", name);
    while (input->raw_end < 2 && !input->raw_finished) {
        /* A pipe may deliver a single byte first. */
        ssize_t got = read(input->descriptor, input->raw + input->raw_end, PIECE_SIZE - 2);
        if (got <= 0)
            break;
        input->raw_end += (size_t)got;
    }
    if (input->raw_end >= 2 && memcmp(input->raw, "\x1f\x8b", 2) == 0) {
        input->compressed = true;
        input->member_open = true;
        input->pieces = memory_allocate(PIECE_SIZE);
        if (inflateInit2(&input->stream, 16 + MAX_WBITS) != Z_OK)
            return error_set(error, ERROR_INPUT, "%s: cannot start to decompress", input->path);
    }
    struct text first = input_peek(input, 512);
    if (first.size == 0 && input->failed) {
        *error = input->failure;
        return false;
    }
    if (first.size == 0)
        return error_set(error, ERROR_INPUT, "%s: empty file (compressed)", name);
    if (text_starts_with(first, TEXT("\xEF\xBB\xBF"))) {
        input->peeked_start += 3;
        first = text_skip(first, 3);
    }
    const char *foreign = foreign_format(first);
    if (foreign)
        return error_set(error, ERROR_INPUT, "%s looks like %s", name, foreign);
    return true;
}

struct input *input_open(const char *path, size_t piece_size, struct error *error) {
    struct input *input = memory_allocate_zero(1, sizeof *input);
    input->descriptor = -1;
    input->path = memory_allocate(strlen(path) + 1);
    memcpy(input->path, path, strlen(path) + 1);
    input->piece_size = piece_size == 0 || piece_size > PIECE_SIZE ? PIECE_SIZE : piece_size;
    input->raw = memory_allocate(PIECE_SIZE);
    input->peeked = memory_allocate(PEEK_SIZE);
    if (!start(input, error)) {
        input_close(input);
        return NULL;
    }
    return input;
}

uint64_t input_offset(const struct input *input) {
    return input->offset;
}

uint64_t input_file_size(const struct input *input) {
    return S_ISREG(input->status.st_mode) ? (uint64_t)input->status.st_size : 0;
}

const char *input_path(const struct input *input) {
    return input->path;
}

bool input_is_compressed(const struct input *input) {
    return input->compressed;
}

bool input_is_same_file(const struct input *input, const char *path) {
    struct stat other;
    return stat(path, &other) == 0 && other.st_dev == input->status.st_dev &&
           other.st_ino == input->status.st_ino;
}

void input_close(struct input *input) {
    if (!input)
        return;
    if (input->compressed)
        inflateEnd(&input->stream);
    if (input->descriptor > STDIN_FILENO)
        close(input->descriptor);
    free(input->path);
    free(input->raw);
    free(input->pieces);
    free(input->peeked);
    free(input);
}
