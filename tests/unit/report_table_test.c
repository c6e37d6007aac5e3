// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/report/table.h"

static void assert_cut(const char *text, size_t width, bool keep_end, const char *expected) {
    struct buffer buffer = {0};
    append_cut(&buffer, text_of(text), width, keep_end);
    buffer_append_byte(&buffer, '\0');
    assert_string_equal(buffer.data, expected);
    buffer_free(&buffer);
}

static void cuts_fit_their_width(void **state) {
    (void)state;
    assert_cut("handler", 7, false, "handler");
    assert_cut("handleRequest", 7, false, "hand...");
    assert_cut("/srv/app/server.js:9", 12, true, "...rver.js:9");
    /* Wide characters take two columns, and none is cut in half. */
    assert_cut("名前名前名前", 8, false, "名前...");
    assert_cut("名前名前名前", 8, true, "...名前");
    assert_cut("abc", 0, false, "...");
}

/* What a function writes, as a string to be freed. */
static char *wrapped(const char *text, size_t indent, size_t column, bool color) {
    struct buffer buffer = {0};
    struct table table = {output_open_buffer(&buffer), color};
    struct error error = {0};
    table_wrapped(&table, BOLD, text_of(text), indent, column);
    assert_true(output_close(table.output, &error));
    buffer_append_byte(&buffer, '\0');
    return buffer.data;
}

static void lines_have_eighty_columns(void **state) {
    (void)state;
    char text[400] = "";
    for (int i = 0; i < 20; i++)
        memcpy(text + (size_t)i * 10, "word12345 ", 11);
    char *lines = wrapped(text, 4, 2, false);
    for (char *line = lines; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= REPORT_WIDTH);
    assert_int_equal(strncmp(strchr(lines, '\n') + 1, "    word", 8), 0);
    free(lines);
}

static void a_share_is_not_broken(void **state) {
    (void)state;
    char text[200];
    memset(text, 'x', 74);
    memcpy(text + 74, " 12.3 % \302\261 1.2 of", 18);
    char *lines = wrapped(text, 0, 0, false);
    assert_non_null(strstr(lines, "\n12.3 % \302\261 1.2 of"));
    free(lines);
}

static void emphasis_only_where_wanted(void **state) {
    (void)state;
    char *plain = wrapped("text", 0, 0, false), *bold = wrapped("text", 0, 0, true);
    assert_string_equal(plain, "text\n");
    assert_string_equal(bold, "\x1b[1mtext\x1b[0m\n");
    free(plain);
    free(bold);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_fit_their_width),
        cmocka_unit_test(lines_have_eighty_columns),
        cmocka_unit_test(a_share_is_not_broken),
        cmocka_unit_test(emphasis_only_where_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
