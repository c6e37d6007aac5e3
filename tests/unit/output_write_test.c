// SPDX-License-Identifier: MIT
/* Tests of fold/base/output.h: what is written, wherever it goes, and what happens when it cannot
 * be. When a file gets its name is the matter of output_test.c. */
#include "fold/base/output.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Each test has a fresh folder as its working directory; all files in it are called "file". */
static int enter_folder(void **state) {
    (void)state;
    char name[] = "/tmp/tickflame-output-XXXXXX";
    return mkdtemp(name) && chdir(name) == 0 ? 0 : -1;
}

static int leave_folder(void **state) {
    (void)state;
    char name[4096];
    unlink("file");
    return getcwd(name, sizeof name) && chdir("/") == 0 ? rmdir(name) : -1;
}

static void write_everything(struct output *output) {
    output_write(output, "a\0b", 3);
    output_write(output, NULL, 0);
    output_text(output, TEXT("text"));
    output_text(output, (struct text){NULL, 0});
    output_string(output, "string");
    output_string(output, "");
    output_byte(output, '\0');
    output_format(output, "%d-%s", 12, "x");
    /* As long as the room that is tried first, a byte less, and more. */
    output_format(output, "%0511d", 1);
    output_format(output, "%0512d", 2);
    output_format(output, "%0600d", 3);
    output_visible(output, TEXT("\xFF|\xE2\x80\xAE|\n|é"));
}

static void assert_everything(struct text got) {
    struct buffer wanted = {0};
    buffer_append(&wanted, "a\0btextstring\0", 14);
    buffer_append(&wanted, "12-x", 4);
    for (int i = 0; i < 3; i++) {
        static const int zeros[] = {510, 511, 599};
        for (int k = 0; k < zeros[i]; k++)
            buffer_append_byte(&wanted, '0');
        buffer_append_byte(&wanted, (char)('1' + i));
    }
    buffer_append_text(&wanted, TEXT("\\xff|\\u{202e}|\\n|é"));
    assert_int_equal(got.size, wanted.size);
    assert_memory_equal(got.data, wanted.data, wanted.size);
    buffer_free(&wanted);
}

static struct buffer read_file(const char *path) {
    struct buffer content = {0};
    char piece[4096];
    int descriptor = open(path, O_RDONLY);
    assert_true(descriptor >= 0);
    ssize_t got;
    while ((got = read(descriptor, piece, sizeof piece)) > 0)
        buffer_append(&content, piece, (size_t)got);
    close(descriptor);
    return content;
}

static void test_buffer(void **state) {
    (void)state;
    struct buffer buffer = {0};
    struct error error = {0};
    struct output *output = output_open_buffer(&buffer);
    assert_false(output_is_terminal(output));
    write_everything(output);
    assert_false(output_failed(output));
    assert_true(output_close(output, &error));
    assert_int_equal(error.kind, ERROR_NONE);
    assert_everything(buffer_text(&buffer));
    /* Behind what the buffer holds already; what was written stays when it is thrown away. */
    output = output_open_buffer(&buffer);
    size_t size = buffer.size;
    output_byte(output, '!');
    output_discard(output);
    assert_int_equal(buffer.size, size + 1);
    assert_int_equal(buffer.data[size], '!');
    output_discard(NULL);
    buffer_free(&buffer);
}

static void test_file(void **state) {
    (void)state;
    struct error error = {0};
    struct output *output = output_open("file", 0644, &error);
    assert_non_null(output);
    assert_false(output_is_terminal(output));
    write_everything(output);
    assert_false(output_failed(output));
    assert_true(output_close(output, &error));
    struct buffer content = read_file("file");
    assert_everything(buffer_text(&content));
    buffer_free(&content);
}

/* Pieces smaller, larger and just as large as the room for waiting bytes (128 KiB). */
static void test_large_pieces(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 131071, 131072, 3, 131073, 131072, 400000, 0, 5, 131066, 2};
    struct buffer wanted = {0};
    struct error error = {0};
    struct output *output = output_open("file", 0644, &error);
    assert_non_null(output);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t start = wanted.size;
        for (size_t k = 0; k < sizes[i]; k++)
            buffer_append_byte(&wanted, (char)(k * 31 + k / 251 + i));
        output_write(output, wanted.data + start, sizes[i]);
    }
    assert_true(output_close(output, &error));
    struct buffer content = read_file("file");
    assert_int_equal(content.size, wanted.size);
    assert_memory_equal(content.data, wanted.data, wanted.size);
    buffer_free(&content);
    buffer_free(&wanted);
}

/* A new file has the permissions asked for, less the umask; an old one keeps its own. */
static void test_permissions(void **state) {
    (void)state;
    static const struct {
        mode_t mask, old, asked, wanted;
    } cases[] = {{022, 0, 0666, 0644},    {077, 0, 0666, 0600},    {0, 0, 0600, 0600},
                 {022, 0600, 0666, 0600}, {077, 0664, 0666, 0664}, {022, 0755, 0600, 0755}};
    mode_t before = umask(0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        umask(cases[i].mask);
        unlink("file");
        if (cases[i].old) {
            close(open("file", O_WRONLY | O_CREAT, 0600));
            assert_int_equal(chmod("file", cases[i].old), 0);
        }
        struct error error = {0};
        struct output *output = output_open("file", cases[i].asked, &error);
        assert_non_null(output);
        output_string(output, "x");
        assert_true(output_close(output, &error));
        struct stat status;
        assert_int_equal(stat("file", &status), 0);
        assert_int_equal(status.st_mode & 07777, cases[i].wanted);
    }
    umask(before);
}

static void assert_not_opened(const char *path, const char *complaint) {
    struct error error = {0};
    assert_null(output_open(path, 0644, &error));
    assert_int_equal(error.kind, ERROR_OUTPUT);
    assert_false(error.closed_pipe);
    if (!strstr(error.text, path) || !strstr(error.text, complaint))
        fail_msg("'%s' says nothing of %s or %s", error.text, complaint, path);
}

static void test_not_opened(void **state) {
    (void)state;
    assert_not_opened(".", "is a directory");
    assert_not_opened("none/file", "No such file");
    assert_not_opened("/dev/null/file", "Not a directory");
    assert_not_opened("", "No such file");
}

/* Written directly and never replaced. */
static void test_device(void **state) {
    (void)state;
    struct error error = {0};
    struct output *output = output_open("/dev/null", 0644, &error);
    assert_non_null(output);
    write_everything(output);
    assert_true(output_close(output, &error));
    struct stat status;
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
}

/* A full disk: the first failure is remembered, though later writes would do. */
static void test_full_disk(void **state) {
    (void)state;
    struct error error = {0};
    struct output *output = output_open("/dev/full", 0644, &error);
    assert_non_null(output);
    output_string(output, "waits");
    assert_false(output_failed(output));
    assert_false(output_close(output, &error));
    assert_int_equal(error.kind, ERROR_OUTPUT);
    assert_false(error.closed_pipe);
    assert_non_null(strstr(error.text, "No space left on device"));

    output = output_open("/dev/full", 0644, &error);
    assert_non_null(output);
    char *large = calloc(1, 200000);
    assert_non_null(large);
    output_write(output, large, 200000);
    free(large);
    assert_true(output_failed(output));
    output_string(output, "more");
    assert_true(output_failed(output));
    assert_false(output_close(output, &error));
}

/* The name was taken by a folder in the meantime: nothing else is left in the folder. */
static void test_name_is_taken(void **state) {
    (void)state;
    struct error error = {0};
    struct output *output = output_open("file", 0644, &error);
    assert_non_null(output);
    output_string(output, "x");
    assert_int_equal(mkdir("file", 0755), 0);
    assert_false(output_close(output, &error));
    assert_int_equal(error.kind, ERROR_OUTPUT);
    assert_non_null(strstr(error.text, "file: Is a directory"));
    assert_int_equal(rmdir("file"), 0); /* and leave_folder() finds no other file */
}

/* Runs `check` in a process of its own, whose standard output is `descriptor`; it returns 0 when
 * all is well, or the line of what is not. */
static void assert_with_stdout(int descriptor, int (*check)(void)) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(descriptor, STDOUT_FILENO);
        int line = check();
        char message[64];
        int size = snprintf(message, sizeof message, "failed at line %d\n", line);
        if (line != 0 && write(STDERR_FILENO, message, (size_t)size) < 0)
            _exit(2);
        _exit(line != 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return __LINE__;                                                                       \
    } while (0)

static int write_to_closed_pipe(void) {
    signal(SIGPIPE, SIG_IGN);
    struct error error = {0};
    struct output *output = output_open(NULL, 0644, &error);
    CHECK(output);
    for (int i = 0; i < 200000; i++)
        output_byte(output, 'x');
    CHECK(output_failed(output));
    CHECK(!output_close(output, &error));
    CHECK(error.kind == ERROR_OUTPUT);
    CHECK(error.closed_pipe);
    return 0;
}

static void test_closed_pipe(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    assert_with_stdout(ends[1], write_to_closed_pipe);
    close(ends[1]);
}

/* No room for all of it: the old file stays as it is, and nothing else is left in the folder. */
static int write_beyond_limit(void) {
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {100000, 100000};
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    struct error error = {0};
    struct output *output = output_open("file", 0644, &error);
    CHECK(output);
    for (int i = 0; i < 300000; i++)
        output_byte(output, 'x');
    CHECK(output_failed(output));
    CHECK(!output_close(output, &error));
    CHECK(error.kind == ERROR_OUTPUT);
    CHECK(!error.closed_pipe);
    CHECK(strstr(error.text, "file: File too large"));
    return 0;
}

static void test_no_room(void **state) {
    (void)state;
    int descriptor = open("file", O_WRONLY | O_CREAT, 0644);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, "old", 3), 3);
    assert_with_stdout(descriptor, write_beyond_limit);
    close(descriptor);
    struct buffer content = read_file("file");
    assert_int_equal(content.size, 3);
    assert_memory_equal(content.data, "old", 3);
    buffer_free(&content);
}

static int write_to_stdout(void) {
    struct error error = {0};
    struct output *output = output_open("-", 0644, &error);
    CHECK(output);
    CHECK(!output_is_terminal(output));
    write_everything(output);
    CHECK(output_close(output, &error));
    /* It is not ours: it stays open. */
    CHECK(fcntl(STDOUT_FILENO, F_GETFD) >= 0);
    return 0;
}

static void test_stdout(void **state) {
    (void)state;
    int descriptor = open("file", O_WRONLY | O_CREAT, 0644);
    assert_true(descriptor >= 0);
    assert_with_stdout(descriptor, write_to_stdout);
    close(descriptor);
    struct buffer content = read_file("file");
    assert_everything(buffer_text(&content));
    buffer_free(&content);
}

static void test_terminal(void **state) {
    (void)state;
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    char *name = terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0
                     ? ptsname(terminal)
                     : NULL;
    if (!name)
        skip();
    struct error error = {0};
    struct output *output = output_open(name, 0644, &error);
    assert_non_null(output);
    assert_true(output_is_terminal(output));
    output_string(output, "seen");
    assert_true(output_close(output, &error));
    char seen[8] = "";
    assert_int_equal(read(terminal, seen, 4), 4);
    assert_string_equal(seen, "seen");
    close(terminal);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buffer),    IN_FOLDER(test_file),
        IN_FOLDER(test_large_pieces),     IN_FOLDER(test_permissions),
        IN_FOLDER(test_not_opened),       cmocka_unit_test(test_device),
        cmocka_unit_test(test_full_disk), cmocka_unit_test(test_closed_pipe),
        IN_FOLDER(test_name_is_taken),    IN_FOLDER(test_no_room),
        IN_FOLDER(test_stdout),           cmocka_unit_test(test_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
