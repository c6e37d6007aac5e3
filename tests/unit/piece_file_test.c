// SPDX-License-Identifier: MIT
/* Tests of fold/base/piece_file: what may be replaced, permissions, and whose file is removed. */
#include "tests/unit/recording_support.h"

#include "fold/base/piece_file.h"

static const char path[] = "pieces.gz";

static struct piece_file *create(bool replace) {
    struct error error = {0};
    struct piece_file *file = piece_file_create(path, replace, &error);
    assert_string_equal(error.text, "");
    assert_non_null(file);
    return file;
}

static void assert_refused(bool replace, const char *reason) {
    struct error error = {0};
    assert_null(piece_file_create(path, replace, &error));
    assert_int_equal(error.kind, ERROR_OUTPUT);
    if (!strstr(error.text, reason))
        fail_msg("'%s' does not say '%s'", error.text, reason);
}

static void append(struct piece_file *file, struct text text) {
    struct error error = {0};
    assert_int_equal(piece_file_append(file, text, 0, &error), PIECE_WRITTEN);
}

static void close_well(struct piece_file *file) {
    struct error error = {0};
    assert_true(piece_file_close(file, &error));
}

/* Pieces of all sizes; the file is the same whenever it is written. */
static void pieces(void **state) {
    (void)state;
    char folder[256];
    support_enter(folder, sizeof folder);
    struct buffer expected = {0};
    struct buffer first = {0};
    for (int run = 0; run < 2; run++) {
        struct piece_file *file = create(run > 0);
        buffer_clear(&expected);
        uint32_t seed = 5;
        for (size_t size = 1; size < 3000000; size = size * 3 + 1) {
            size_t start = expected.size;
            for (size_t i = 0; i < size; i++) {
                seed = seed * 1664525 + 1013904223;
                buffer_append_byte(&expected, (char)(seed >> 24));
            }
            append(file, (struct text){expected.data + start, size});
        }
        append(file, TEXT(""));
        uint64_t size = piece_file_size(file);
        close_well(file);
        struct buffer bytes = support_bytes(path);
        assert_int_equal(bytes.size, size);
        if (run == 0)
            buffer_append_text(&first, buffer_text(&bytes));
        assert_true(text_equal(buffer_text(&first), buffer_text(&bytes)));
        buffer_free(&bytes);
        struct buffer text = support_unzipped(path);
        assert_true(text_equal(buffer_text(&text), buffer_text(&expected)));
        buffer_free(&text);
    }
    buffer_free(&expected);
    buffer_free(&first);
    support_leave(folder, (const char *const[]){path, NULL});
}

static void permissions(void **state) {
    (void)state;
    char folder[256];
    support_enter(folder, sizeof folder);
    static const mode_t masks[] = {0, 022, 0277, 0777};
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        mode_t before = umask(masks[i]);
        struct piece_file *file = create(i > 0);
        umask(before);
        struct stat status;
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_mode & 07777, 0600);
        close_well(file);
        /* What is replaced may have been open to all. */
        assert_int_equal(chmod(path, 0666), 0);
    }
    support_leave(folder, (const char *const[]){path, NULL});
}

static void what_is_not_replaced(void **state) {
    (void)state;
    char folder[256];
    support_enter(folder, sizeof folder);
    FILE *other = fopen("other", "w");
    assert_non_null(other);
    fputs("mine", other);
    fclose(other);

    assert_int_equal(symlink("other", path), 0);
    assert_refused(false, "exists already");
    assert_refused(true, "symbolic link");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("nowhere", path), 0);
    assert_refused(false, "exists already");
    assert_refused(true, "symbolic link");
    assert_int_not_equal(access("nowhere", F_OK), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_refused(false, "exists already");
    assert_refused(true, "directory");
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused(false, "exists already");
    assert_refused(true, "regular file");
    assert_int_equal(unlink(path), 0);

    /* A regular file is replaced, and another name of it stays what it is. */
    assert_int_equal(link("other", path), 0);
    assert_refused(false, "exists already");
    struct piece_file *file = create(true);
    append(file, TEXT("new"));
    close_well(file);
    struct buffer bytes = support_bytes("other");
    assert_true(text_equal(buffer_text(&bytes), TEXT("mine")));
    buffer_free(&bytes);

    struct error error = {0};
    assert_null(piece_file_create("no/such/folder", false, &error));
    assert_null(piece_file_create("", true, &error));
    assert_null(piece_file_create("/dev/null", true, &error));
    support_leave(folder, (const char *const[]){path, "other", NULL});
}

static void whose_file_is_removed(void **state) {
    (void)state;
    char folder[256];
    support_enter(folder, sizeof folder);
    struct piece_file *file = create(false);
    piece_file_discard(file);
    assert_int_not_equal(access(path, F_OK), 0);
    /* Moved away, and another file has the name. */
    file = create(false);
    assert_int_equal(rename(path, "moved"), 0);
    close_well(create(false));
    piece_file_discard(file);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(access("moved", F_OK), 0);
    /* Removed already. */
    assert_int_equal(unlink(path), 0);
    file = create(false);
    assert_int_equal(unlink(path), 0);
    piece_file_discard(file);
    piece_file_discard(NULL);
    support_leave(folder, (const char *const[]){"moved", NULL});
}

static void too_large(void **state) {
    (void)state;
    char folder[256];
    support_enter(folder, sizeof folder);
    struct piece_file *file = create(false);
    struct error error = {0};
    append(file, TEXT("one"));
    uint64_t size = piece_file_size(file);
    assert_int_equal(piece_file_append(file, TEXT("one"), size * 2 - 1, &error), PIECE_TOO_LARGE);
    assert_int_equal(piece_file_append(file, TEXT("one"), size - 1, &error), PIECE_TOO_LARGE);
    assert_int_equal(piece_file_size(file), size);
    assert_int_equal(piece_file_append(file, TEXT("one"), size * 2, &error), PIECE_WRITTEN);
    close_well(file);
    struct buffer text = support_unzipped(path);
    assert_string_equal(text.data, "oneone");
    buffer_free(&text);
    support_leave(folder, (const char *const[]){path, NULL});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces),
        cmocka_unit_test(permissions),
        cmocka_unit_test(what_is_not_replaced),
        cmocka_unit_test(whose_file_is_removed),
        cmocka_unit_test(too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
