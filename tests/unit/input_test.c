// SPDX-License-Identifier: MIT
/* Tests of fold/base/input.h. Compressed files are put together byte by byte as RFC 1951 and 1952
 * say, of blocks that are stored as they are: so it is known which bytes a cut one can still give.
 */
#include "fold/base/input.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

/* Each test has a fresh folder as its working directory; all files in it are called "file". */
static int enter_folder(void **state) {
    (void)state;
    alarm(100); /* nothing here may wait for ever */
    char name[] = "/tmp/tickflame-input-XXXXXX";
    return mkdtemp(name) && chdir(name) == 0 ? 0 : -1;
}

static int leave_folder(void **state) {
    (void)state;
    char name[4096];
    unlink("file");
    unlink("other");
    return getcwd(name, sizeof name) && chdir("/") == 0 ? rmdir(name) : -1;
}

static void write_file(const char *path, struct text content) {
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    assert_true(descriptor >= 0);
    for (size_t done = 0; done < content.size;) {
        ssize_t written = write(descriptor, content.data + done, content.size - done);
        assert_true(written > 0);
        done += (size_t)written;
    }
    assert_int_equal(close(descriptor), 0);
}

/* Bytes without a pattern that compression or a mistaken offset could hide. */
static struct buffer noise(size_t size) {
    struct buffer buffer = {0};
    uint64_t number = 1;
    for (size_t i = 0; i < size; i++) {
        number = number * 6364136223846793005u + 1442695040888963407u;
        buffer_append_byte(&buffer, (char)(' ' + (number >> 33) % 90));
    }
    return buffer;
}

static void append_little_endian(struct buffer *buffer, uint64_t number, int bytes) {
    for (int i = 0; i < bytes; i++)
        buffer_append_byte(buffer, (char)(number >> (8 * i)));
}

enum { HEADER_SIZE = 10, BLOCK_HEADER_SIZE = 5, TRAILER_SIZE = 8, BLOCK_SIZE = 65535 };

/* A gzip member with `content` in stored blocks of at most 65,535 bytes. */
static void append_member(struct buffer *file, struct text content) {
    buffer_append(file, "\x1F\x8B\x08\0\0\0\0\0\0\xFF", HEADER_SIZE);
    struct text rest = content;
    do {
        size_t size = rest.size > BLOCK_SIZE ? BLOCK_SIZE : rest.size;
        buffer_append_byte(file, rest.size == size ? 1 : 0); /* the last block? */
        append_little_endian(file, size, 2);
        append_little_endian(file, ~size, 2);
        buffer_append(file, rest.data, size);
        rest = text_skip(rest, size);
    } while (rest.size);
    append_little_endian(file,
                         crc32(0, (const unsigned char *)content.data, (unsigned)content.size), 4);
    append_little_endian(file, content.size, 4);
}

/* Reads to the end or the failure; true at the end. Pieces are at most `piece` bytes. */
static bool read_all(struct input *input, size_t piece, struct buffer *got, struct error *error) {
    for (;;) {
        struct text text;
        if (!input_read(input, &text, error))
            return false;
        if (text.size == 0)
            return true;
        assert_true(text.size <= piece);
        buffer_append_text(got, text);
        assert_int_equal(input_offset(input), got->size);
    }
}

/* That a file gives `content` in pieces of several sizes, and then ends (complaint NULL) or fails
 * with a message that holds `complaint`. */
static void assert_gives(struct text file, struct text content, const char *complaint) {
    static const size_t pieces[] = {0, 1, 7, 31, 4096, 65536};
    write_file("file", file);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct error error = {0};
        struct input *input = input_open("file", pieces[i], &error);
        if (!input)
            fail_msg("%s", error.text);
        struct buffer got = {0};
        bool ended = read_all(input, pieces[i] ? pieces[i] : SIZE_MAX, &got, &error);
        assert_int_equal(got.size, content.size);
        if (content.size)
            assert_memory_equal(got.data, content.data, content.size);
        assert_int_equal(ended, complaint == NULL);
        if (complaint) {
            assert_int_equal(error.kind, ERROR_INPUT);
            assert_non_null(strstr(error.text, complaint));
            assert_non_null(strstr(error.text, "file"));
            /* It stays failed. */
            struct text text;
            assert_false(input_read(input, &text, &error));
        } else {
            struct text text = TEXT("x");
            assert_true(input_read(input, &text, &error));
            assert_int_equal(text.size, 0);
        }
        buffer_free(&got);
        input_close(input);
    }
}

static void assert_refused(struct text file, const char *complaint) {
    write_file("file", file);
    struct error error = {0};
    struct input *input = input_open("file", 0, &error);
    if (input)
        fail_msg("it is not refused as %s", complaint);
    assert_int_equal(error.kind, ERROR_INPUT);
    if (!strstr(error.text, complaint))
        fail_msg("'%s' says nothing of %s", error.text, complaint);
}

static void test_plain(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 511, 512, 513, 65535, 65536, 65537, 262143, 262145};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct buffer content = noise(sizes[i]);
        assert_gives(buffer_text(&content), buffer_text(&content), NULL);
        buffer_free(&content);
    }
}

static void test_gzip(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 2, 600, 65535, 65536, 300000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct buffer content = noise(sizes[i]), file = {0};
        append_member(&file, buffer_text(&content));
        assert_gives(buffer_text(&file), buffer_text(&content), NULL);
        buffer_free(&content);
        buffer_free(&file);
    }
    /* "main;work 3\n", by `gzip -9` with a file name in its header. */
    assert_gives(TEXT("\x1f\x8b\x08\x08\0\0\0\0\x02\x03"
                      "f\0\xcb\x4d\xcc\xcc\xb3\x2e\xcf\x2f\xca\x56\x30\xe6\x02\0\x9f\x82\x2d\xae"
                      "\x0c\0\0\0"),
                 TEXT("main;work 3\n"), NULL);
}

/* Members in a row are one text (RFC 1952, 2.2), empty ones too; padding behind them is nothing. */
static void test_gzip_members(void **state) {
    (void)state;
    struct buffer content = noise(70000), file = {0};
    struct text all = buffer_text(&content);
    append_member(&file, (struct text){all.data, 10});
    append_member(&file, TEXT(""));
    append_member(&file, (struct text){all.data + 10, 69980});
    append_member(&file, (struct text){all.data + 69990, 10});
    assert_gives(buffer_text(&file), all, NULL);
    for (int i = 0; i < 1000; i++)
        buffer_append_byte(&file, '\0');
    assert_gives(buffer_text(&file), all, NULL);
    buffer_free(&content);
    buffer_free(&file);
}

/* Cut anywhere: the bytes before the cut come first, then the complaint. */
static void test_cut_gzip(void **state) {
    (void)state;
    struct buffer content = noise(66000), file = {0};
    append_member(&file, buffer_text(&content));
    const size_t first = HEADER_SIZE + BLOCK_HEADER_SIZE;
    const size_t second = first + BLOCK_SIZE + BLOCK_HEADER_SIZE;
    const size_t cuts[] = {first + 1,  first + 600,  first + BLOCK_SIZE, second - 1,
                           second + 1, second + 400, file.size - 8,      file.size - 1};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        size_t left = cuts[i] > second               ? cuts[i] - first - BLOCK_HEADER_SIZE
                      : cuts[i] > first + BLOCK_SIZE ? BLOCK_SIZE
                                                     : cuts[i] - first;
        if (left > content.size)
            left = content.size;
        assert_gives((struct text){file.data, cuts[i]}, (struct text){content.data, left},
                     "ends early");
    }
    for (size_t cut = 2; cut <= first; cut++)
        assert_refused((struct text){file.data, cut}, "ends early");
    buffer_free(&content);
    buffer_free(&file);
}

static void test_damaged_gzip(void **state) {
    (void)state;
    struct buffer content = noise(66000), file = {0};
    struct text all = buffer_text(&content);
    append_member(&file, all);
    const size_t second = HEADER_SIZE + BLOCK_HEADER_SIZE + BLOCK_SIZE;

    file.data[second] = 7; /* a kind of block that does not exist */
    assert_gives(buffer_text(&file), (struct text){all.data, BLOCK_SIZE}, "damaged");
    file.data[second] = 1;
    file.data[second + 1] ^= 1; /* a length that does not agree with its complement */
    assert_gives(buffer_text(&file), (struct text){all.data, BLOCK_SIZE}, "damaged");
    file.data[second + 1] ^= 1;
    file.data[file.size - TRAILER_SIZE] ^= 1; /* the sum, which stands behind all the bytes */
    assert_gives(buffer_text(&file), all, "damaged");
    file.data[file.size - TRAILER_SIZE] ^= 1;
    file.data[file.size - 1] ^= 1; /* the size */
    assert_gives(buffer_text(&file), all, "damaged");
    file.data[file.size - 1] ^= 1;
    assert_gives(buffer_text(&file), all, NULL);
    file.data[2] = 9; /* a method that does not exist: nothing can be read */
    assert_refused(buffer_text(&file), "damaged");
    buffer_free(&content);
    buffer_free(&file);
}

static void test_byte_order_mark(void **state) {
    (void)state;
    assert_gives(TEXT("\xEF\xBB\xBFmain 1\n"), TEXT("main 1\n"), NULL);
    assert_gives(TEXT("\xEF\xBB\xBF\xEF\xBB\xBFx"), TEXT("\xEF\xBB\xBFx"), NULL);
    assert_gives(TEXT("\xEF\xBBmain 1\n"), TEXT("\xEF\xBBmain 1\n"), NULL);
    assert_gives(TEXT("a\xEF\xBB\xBF"), TEXT("a\xEF\xBB\xBF"), NULL);
    struct buffer file = {0};
    append_member(&file, TEXT("\xEF\xBB\xBFmain 1\n"));
    assert_gives(buffer_text(&file), TEXT("main 1\n"), NULL);
    buffer_free(&file);
}

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        struct text start;
        const char *name;
    } files[] = {
        {{"\xFF\xFEm\0a\0", 6}, "UTF-16"},
        {{"\xFE\xFF\0m\0a", 6}, "UTF-16"},
        {{"m\0a\0i\0", 6}, "UTF-16"},
        {{"\0m\0a\0i", 6}, "UTF-16"},
        {{"\xFF\xFE\0\0m\0\0\0", 8}, "UTF-32"},
        {{"<!DOCTYPE html><html>", 21}, "HTML"},
        {{" \r\n\t<HTML lang=en>", 18}, "HTML"},
        {{"\xEF\xBB\xBF<html>", 9}, "HTML"},
        {{"<svg xmlns='http://www.w3.org/2000/svg'>", 40}, "SVG"},
        {{"<?xml version='1.0'?>", 21}, "XML"},
        {{"PK\x03\x04\x14\0\0\0", 8}, "zip"},
        {{"PK\x05\x06\0\0\0\0", 8}, "zip"},
        {{"BZh91AY&SY", 10}, "bzip2"},
        {{"\xFD\x37zXZ\0", 6}, "xz"},
        {{"\x28\xB5\x2F\xFD\x24", 5}, "zstd"},
        {{"\x7F\x45LF\x02\x01\x01", 7}, "program"},
        {{"\x89PNG\r\n\x1A\n", 8}, "PNG"},
        {{"%PDF-1.7\n", 9}, "PDF"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        assert_refused(files[i].start, files[i].name);
        struct buffer file = {0};
        append_member(&file, files[i].start);
        assert_refused(buffer_text(&file), files[i].name);
        buffer_free(&file);
    }
    assert_refused(TEXT(""), "empty");
    struct buffer file = {0};
    append_member(&file, TEXT(""));
    assert_refused(buffer_text(&file), "empty");
    buffer_free(&file);
    /* What only looks a little like them. */
    assert_gives(TEXT("<anonymous>;x 1\n"), TEXT("<anonymous>;x 1\n"), NULL);
    assert_gives(TEXT("PKx 1\n"), TEXT("PKx 1\n"), NULL);
    assert_gives(TEXT("a\0b 1\n"), TEXT("a\0b 1\n"), NULL);
}

static void assert_not_opened(const char *path, const char *complaint) {
    struct error error = {0};
    assert_null(input_open(path, 0, &error));
    assert_int_equal(error.kind, ERROR_INPUT);
    if (!strstr(error.text, complaint) || !strstr(error.text, path))
        fail_msg("'%s' says nothing of %s or %s", error.text, complaint, path);
}

static void test_no_files(void **state) {
    (void)state;
    assert_not_opened("none", "No such file");
    assert_not_opened(".", "is a directory");
    assert_not_opened("/dev/null", "is a device");
    assert_not_opened("/dev/zero", "is a device");
    /* A pipe that nobody writes to is not waited for. */
    assert_int_equal(mkfifo("file", 0600), 0);
    assert_not_opened("file", "empty");
    /* A file that can be opened but not read: address 0 of this process. */
    assert_not_opened("/proc/self/mem", "cannot read");
}

/* Peeking at first, or between the pieces, changes nothing of what is read. */
static void test_peek(void **state) {
    (void)state;
    struct buffer content = noise(70000);
    struct text all = buffer_text(&content);
    for (int compressed = 0; compressed < 2; compressed++) {
        struct buffer file = {0};
        if (compressed)
            append_member(&file, all);
        else
            buffer_append_text(&file, all);
        write_file("file", buffer_text(&file));
        for (size_t piece = 1; piece < 32; piece++) {
            struct error error = {0};
            struct input *input = input_open("file", piece, &error);
            assert_non_null(input);
            static const size_t sizes[] = {0, 1, 512, 5, 700, 65536, 16};
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
                struct text peeked = input_peek(input, sizes[i]);
                assert_int_equal(peeked.size, sizes[i]);
                if (peeked.size)
                    assert_memory_equal(peeked.data, all.data, peeked.size);
            }
            /* Not more than 64 KiB. */
            assert_int_equal(input_peek(input, 70000).size, 65536);
            assert_int_equal(input_offset(input), 0);
            struct buffer got = {0};
            assert_true(read_all(input, piece, &got, &error));
            assert_int_equal(got.size, all.size);
            assert_memory_equal(got.data, all.data, all.size);
            buffer_free(&got);
            input_close(input);
        }
        buffer_free(&file);
    }
    buffer_free(&content);
}

static void test_peek_at_the_end(void **state) {
    (void)state;
    write_file("file", TEXT("\xEF\xBB\xBFmain 1\n"));
    struct error error = {0};
    struct input *input = input_open("file", 3, &error);
    assert_non_null(input);
    struct text peeked = input_peek(input, 1000);
    assert_int_equal(peeked.size, 7);
    assert_memory_equal(peeked.data, "main 1\n", 7);
    struct text piece;
    assert_true(input_read(input, &piece, &error));
    assert_int_equal(piece.size, 3);
    peeked = input_peek(input, 1000);
    assert_int_equal(peeked.size, 4);
    assert_memory_equal(peeked.data, "n 1\n", 4);
    input_close(input);
}

/* Damage that peeking runs into is reported behind the bytes before it. */
static void test_peek_into_damage(void **state) {
    (void)state;
    struct buffer content = noise(1000), file = {0};
    append_member(&file, buffer_text(&content));
    write_file("file", (struct text){file.data, HEADER_SIZE + BLOCK_HEADER_SIZE + 800});
    struct error error = {0};
    struct input *input = input_open("file", 0, &error);
    assert_non_null(input);
    assert_int_equal(input_peek(input, 65536).size, 800);
    assert_int_equal(input_peek(input, 65536).size, 800);
    struct buffer got = {0};
    assert_false(read_all(input, SIZE_MAX, &got, &error));
    assert_int_equal(got.size, 800);
    assert_memory_equal(got.data, content.data, 800);
    assert_non_null(strstr(error.text, "ends early"));
    buffer_free(&got);
    buffer_free(&content);
    buffer_free(&file);
    input_close(input);
}

static void test_facts(void **state) {
    (void)state;
    struct buffer file = {0};
    append_member(&file, TEXT("main 1\n"));
    write_file("file", buffer_text(&file));
    write_file("other", buffer_text(&file));
    struct error error = {0};
    struct input *input = input_open("file", 0, &error);
    assert_non_null(input);
    assert_true(input_is_compressed(input));
    assert_int_equal(input_file_size(input), HEADER_SIZE + BLOCK_HEADER_SIZE + 7 + TRAILER_SIZE);
    assert_string_equal(input_path(input), "file");
    assert_true(input_is_same_file(input, "./file"));
    assert_false(input_is_same_file(input, "other"));
    assert_false(input_is_same_file(input, "none"));
    assert_int_equal(unlink("other"), 0);
    assert_int_equal(link("file", "other"), 0);
    assert_true(input_is_same_file(input, "other"));
    input_close(input);
    input_close(NULL);
    write_file("file", TEXT("main 1\n"));
    input = input_open("file", 0, &error);
    assert_non_null(input);
    assert_false(input_is_compressed(input));
    assert_int_equal(input_file_size(input), 7);
    input_close(input);
    buffer_free(&file);
}

/* Writes with pauses, the first bytes one by one, as a slow pipe does. */
static void write_slowly(int descriptor, struct text content) {
    for (size_t size = 1; content.size; size = size < 4 ? size : size * 5) {
        size_t part = size < content.size ? size : content.size;
        if (write(descriptor, content.data, part) != (ssize_t)part)
            _exit(1);
        content = text_skip(content, part);
        usleep(2000);
        if (size < 4)
            size++;
    }
}

static void assert_piped(struct input *input, struct text content, bool compressed, pid_t child) {
    struct error error = {0};
    assert_non_null(input);
    assert_int_equal(input_is_compressed(input), compressed);
    assert_int_equal(input_file_size(input), 0);
    struct buffer got = {0};
    assert_true(read_all(input, SIZE_MAX, &got, &error));
    assert_int_equal(got.size, content.size);
    assert_memory_equal(got.data, content.data, content.size);
    buffer_free(&got);
    input_close(input);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void test_pipes(void **state) {
    (void)state;
    struct buffer content = noise(5000), file = {0};
    append_member(&file, buffer_text(&content));
    for (int compressed = 0; compressed < 2; compressed++) {
        struct text bytes = buffer_text(compressed ? &file : &content);
        struct error error = {0};
        assert_int_equal(mkfifo("file", 0600), 0);
        /* Held open by this process until the other one has opened it, too. */
        int holder = open("file", O_RDWR);
        assert_true(holder >= 0);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            int descriptor = open("file", O_WRONLY);
            close(holder);
            write_slowly(descriptor, bytes);
            _exit(0);
        }
        struct input *input = input_open("file", 0, &error);
        close(holder);
        assert_piped(input, buffer_text(&content), compressed, child);
        unlink("file");

        int ends[2];
        assert_int_equal(pipe(ends), 0);
        child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            close(ends[0]);
            write_slowly(ends[1], bytes);
            _exit(0);
        }
        close(ends[1]);
        assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
        close(ends[0]);
        input = input_open("-", 0, &error);
        assert_non_null(input);
        assert_string_equal(input_path(input), "-");
        assert_piped(input, buffer_text(&content), compressed, child);
    }
    buffer_free(&content);
    buffer_free(&file);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_plain),
        IN_FOLDER(test_gzip),
        IN_FOLDER(test_gzip_members),
        IN_FOLDER(test_cut_gzip),
        IN_FOLDER(test_damaged_gzip),
        IN_FOLDER(test_byte_order_mark),
        IN_FOLDER(test_refusals),
        IN_FOLDER(test_no_files),
        IN_FOLDER(test_peek),
        IN_FOLDER(test_peek_at_the_end),
        IN_FOLDER(test_peek_into_damage),
        IN_FOLDER(test_facts),
        IN_FOLDER(test_pipes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
