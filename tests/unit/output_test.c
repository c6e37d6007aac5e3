// SPDX-License-Identifier: MIT
/* Tests of fold/base/output.h: when a file gets its name, and what is left behind. */
#include "fold/base/output.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Each test has a fresh folder as its working directory. */
static int enter_folder(void **state) {
    (void)state;
    char name[] = "/tmp/tickflame-output-XXXXXX";
    return mkdtemp(name) && chdir(name) == 0 ? 0 : -1;
}

static int leave_folder(void **state) {
    (void)state;
    char name[4096];
    if (!getcwd(name, sizeof name))
        return -1;
    DIR *folder = opendir(".");
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.' || strlen(entry->d_name) > 2)
            unlink(entry->d_name);
    if (folder)
        closedir(folder);
    return chdir("/") == 0 && rmdir(name) == 0 ? 0 : -1;
}

static size_t count_files(void) {
    size_t count = 0;
    DIR *folder = opendir(".");
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count - 2;
}

static void assert_content(const char *path, const char *wanted) {
    char content[64];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    content[fread(content, 1, sizeof content - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(content, wanted);
}

static void write_file(const char *path, const char *content) {
    struct error error = {0};
    struct output *output = output_open(path, 0644, &error);
    assert_non_null(output);
    output_string(output, content);
    assert_true(output_close(output, &error));
}

static void test_name_comes_last(void **state) {
    (void)state;
    struct error error = {0};
    struct output *output = output_open("file", 0644, &error);
    assert_non_null(output);
    output_string(output, "new");
    assert_int_equal(access("file", F_OK), -1);
    assert_true(output_close(output, &error));
    assert_content("file", "new");
    assert_int_equal(count_files(), 1);
}

static void test_old_file_is_replaced(void **state) {
    (void)state;
    write_file("file", "old");
    assert_int_equal(chmod("file", 0600), 0);
    struct error error = {0};
    struct output *output = output_open("file", 0644, &error);
    assert_non_null(output);
    output_string(output, "new");
    assert_content("file", "old");
    assert_true(output_close(output, &error));
    assert_content("file", "new");
    struct stat status;
    assert_int_equal(stat("file", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(count_files(), 1);
}

static void test_discarded_leaves_nothing(void **state) {
    (void)state;
    write_file("file", "old");
    struct error error = {0};
    struct output *output = output_open("file", 0644, &error);
    assert_non_null(output);
    output_string(output, "new");
    output_discard(output);
    assert_content("file", "old");
    assert_int_equal(count_files(), 1);
}

static void test_killed_leaves_nothing(void **state) {
    (void)state;
    int probe = open(".", O_WRONLY | O_TMPFILE, 0600);
    if (probe < 0)
        skip();
    close(probe);
    struct error error = {0};
    struct output *output = output_open("file", 0644, &error);
    assert_non_null(output);
    /* More than the room for bytes waiting, so that some of them are in the file. */
    for (int i = 0; i < 100000; i++)
        output_string(output, "line of text\n");
    assert_int_equal(count_files(), 0);
    output_discard(output);
}

static void test_longest_name(void **state) {
    (void)state;
    char name[256];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    write_file(name, "new");
    assert_content(name, "new");
}

static void test_links_are_followed(void **state) {
    (void)state;
    struct stat status;
    assert_int_equal(symlink("file", "second"), 0);
    assert_int_equal(symlink("second", "first"), 0);
    write_file("first", "new");
    assert_content("file", "new");
    write_file("first", "newer");
    assert_content("file", "newer");
    assert_int_equal(lstat("first", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(lstat("second", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
}

static void test_endless_link(void **state) {
    (void)state;
    assert_int_equal(symlink("loop", "loop"), 0);
    struct error error = {0};
    assert_null(output_open("loop", 0644, &error));
    assert_int_equal(error.kind, ERROR_OUTPUT);
    assert_int_equal(count_files(), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_name_comes_last, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_old_file_is_replaced, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_discarded_leaves_nothing, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_killed_leaves_nothing, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_longest_name, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_links_are_followed, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_endless_link, enter_folder, leave_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
