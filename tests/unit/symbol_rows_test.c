// SPDX-License-Identifier: MIT
// Rows of symbols in text (--symbols FILE).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

#include "profiler/symbol/symbol_rows.h"

static const char file_name[] = "rows.tsv";

/* Reads `content` as a file of rows, in pieces of `piece_size` bytes. */
static bool read_rows(struct symbol_rows *rows, struct text content, size_t piece_size,
                      struct warnings *warnings, struct error *error) {
    *rows = (struct symbol_rows){0};
    *warnings = (struct warnings){0};
    *error = (struct error){0};
    FILE *file = fopen(file_name, "wb");
    assert_non_null(file);
    fwrite(content.data, 1, content.size, file);
    fclose(file);
    struct input *input = input_open(file_name, piece_size, error);
    bool read = input && symbol_rows_read(rows, input, warnings, error);
    input_close(input);
    unlink(file_name);
    return read;
}

static void check_row(const struct symbol_row_list *list, size_t number, uint64_t address,
                      int64_t size, char type, const char *name) {
    assert_true(number < list->size);
    const struct symbol_row *row = &list->rows[number];
    assert_true(row->address == address);
    assert_int_equal(row->has_size, size >= 0);
    if (size >= 0)
        assert_true(row->size == (uint64_t)size);
    assert_int_equal(row->type, type);
    assert_int_equal(row->name.size, strlen(name));
    assert_memory_equal(row->name.data, name, row->name.size);
}

static const struct text two_libraries =
    TEXT("library\ttable\taddress\tsize\ttype\tname\n"
         "/bin/node\tnm\t0000000000b6f000\t\tt\t_init\n"
         "/lib/libc.so.6\tdyn\t0000000000000010\t0000000000000020\tW\tread@@GLIBC_2.2.5\n"
         "/bin/node\tnm\t0000000000b72000\t0000000000000322\tT\ta::f<int, b>(char const*)\r\n"
         "\n"
         "/bin/node\tdyn\tffffffffffffffff\t0000000000000000\tw\tg\n"
         "/lib/libc.so.6\tdebug\t10\t0x20\tT\t__GI_read\n"
         "/bin/node\tnm\t0000000000b6f000\t\tt\t_init");

static void grouped_by_library_and_table(void **state) {
    (void)state;
    for (size_t piece = 0; piece < 32; piece++) {
        struct symbol_rows rows;
        struct warnings warnings;
        struct error error;
        assert_true(read_rows(&rows, two_libraries, piece, &warnings, &error));
        assert_int_equal(warnings_total(&warnings), 0);
        const struct symbol_row_list *list =
            symbol_rows_of(&rows, TEXT("/bin/node"), SYMBOL_ROWS_NM);
        assert_int_equal(list->size, 3);
        check_row(list, 0, 0xb6f000, -1, 't', "_init");
        check_row(list, 1, 0xb72000, 0x322, 'T', "a::f<int, b>(char const*)");
        check_row(list, 2, 0xb6f000, -1, 't', "_init");
        list = symbol_rows_of(&rows, TEXT("/bin/node"), SYMBOL_ROWS_DYN);
        assert_int_equal(list->size, 1);
        check_row(list, 0, UINT64_MAX, 0, 'w', "g");
        list = symbol_rows_of(&rows, TEXT("/lib/libc.so.6"), SYMBOL_ROWS_DYN);
        assert_int_equal(list->size, 1);
        check_row(list, 0, 0x10, 0x20, 'W', "read@@GLIBC_2.2.5");
        list = symbol_rows_of(&rows, TEXT("/lib/libc.so.6"), SYMBOL_ROWS_DEBUG);
        assert_int_equal(list->size, 1);
        check_row(list, 0, 0x10, 0x20, 'T', "__GI_read");
        assert_int_equal(symbol_rows_of(&rows, TEXT("/bin/node"), SYMBOL_ROWS_DEBUG)->size, 0);
        assert_int_equal(symbol_rows_of(&rows, TEXT("/bin/nod"), SYMBOL_ROWS_NM)->size, 0);
        symbol_rows_free(&rows);
    }
}

static void compressed(void **state) {
    (void)state;
    struct symbol_rows rows = {0};
    struct warnings warnings = {0};
    struct error error = {0};
    gzFile file = gzopen(file_name, "wb");
    assert_int_equal(gzwrite(file, two_libraries.data, (unsigned)two_libraries.size),
                     (int)two_libraries.size);
    gzclose(file);
    struct input *input = input_open(file_name, 0, &error);
    assert_non_null(input);
    assert_true(symbol_rows_read(&rows, input, &warnings, &error));
    input_close(input);
    unlink(file_name);
    assert_int_equal(symbol_rows_of(&rows, TEXT("/bin/node"), SYMBOL_ROWS_NM)->size, 3);
    symbol_rows_free(&rows);
}

static void other_lines_are_counted(void **state) {
    (void)state;
    static const struct text content = TEXT("/a\tnm\t10\t\tT\tgood\n"
                                            "/a\tnm\t10\t\tT\n"      /* no name */
                                            "/a\tnm\t10\t\tT\t\n"    /* an empty one */
                                            "/a\tnn\t10\t\tT\tf\n"   /* no such table */
                                            "\tnm\t10\t\tT\tf\n"     /* no library */
                                            "/a\tnm\t\t\tT\tf\n"     /* no address */
                                            "/a\tnm\t1x\t\tT\tf\n"   /* no number */
                                            "/a\tnm\t10\t-1\tT\tf\n" /* no size */
                                            "/a\tnm\t10\t\tTT\tf\n"  /* no letter */
                                            "library\ttable\taddress\tsize\ttype\tname\n"
                                            "/a\tnm\t123456789abcdef01\t\tT\tf\n"
                                            "hello\n"
                                            "/a\tnm\t20\t\tT\tgood too\n");
    struct symbol_rows rows;
    struct warnings warnings;
    struct error error;
    assert_true(read_rows(&rows, content, 0, &warnings, &error));
    const struct warning *warning = warnings_find(&warnings, "symbol-row");
    assert_non_null(warning);
    assert_int_equal(warning->count, 11);
    assert_int_equal(warning->line, 2);
    const struct symbol_row_list *list = symbol_rows_of(&rows, TEXT("/a"), SYMBOL_ROWS_NM);
    assert_int_equal(list->size, 2);
    check_row(list, 1, 0x20, -1, 'T', "good too");
    symbol_rows_free(&rows);
}

static void no_row_at_all(void **state) {
    (void)state;
    struct symbol_rows rows;
    struct warnings warnings;
    struct error error;
    assert_false(read_rows(&rows, TEXT("main;f 3\nmain 4\n"), 0, &warnings, &error));
    assert_int_equal(error.kind, ERROR_INPUT);
    assert_int_equal(warnings_total(&warnings), 2);
    symbol_rows_free(&rows);
}

static void long_line_is_skipped(void **state) {
    (void)state;
    for (size_t piece = 0; piece < 200000; piece += 65537) {
        struct buffer content = {0};
        struct symbol_rows rows;
        struct warnings warnings;
        struct error error;
        buffer_append_text(&content, TEXT("/a\tnm\t10\t\tT\tf\n/a\tnm\t10\t\tT\t"));
        for (size_t i = 0; i < 1200000; i++)
            buffer_append_byte(&content, 'x');
        buffer_append_text(&content, TEXT("\n/a\tnm\t20\t\tT\tg\n"));
        assert_true(read_rows(&rows, buffer_text(&content), piece, &warnings, &error));
        assert_int_equal(warnings_total(&warnings), 1);
        const struct symbol_row_list *list = symbol_rows_of(&rows, TEXT("/a"), SYMBOL_ROWS_NM);
        assert_int_equal(list->size, 2);
        check_row(list, 1, 0x20, -1, 'T', "g");
        symbol_rows_free(&rows);
        buffer_free(&content);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grouped_by_library_and_table), cmocka_unit_test(compressed),
        cmocka_unit_test(other_lines_are_counted),      cmocka_unit_test(no_row_at_all),
        cmocka_unit_test(long_line_is_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
