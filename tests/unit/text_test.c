// SPDX-License-Identifier: MIT
/* Tests of fold/base/text.h: views, and buffers that grow. */
#include "fold/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct text nothing = {NULL, 0};

static void test_views(void **state) {
    (void)state;
    assert_int_equal(text_of(NULL).size, 0);
    assert_int_equal(text_of("").size, 0);
    assert_int_equal(text_of("abc").size, 3);
    assert_int_equal(TEXT("a\0b").size, 3);
    assert_true(text_equal(nothing, TEXT("")));
    assert_true(text_equal(TEXT("a\0b"), (struct text){"a\0bc", 3}));
    assert_false(text_equal(TEXT("a\0b"), TEXT("a\0c")));
    assert_false(text_equal(TEXT("ab"), TEXT("abc")));
    assert_false(text_equal(TEXT("ab"), nothing));
    assert_true(text_equal_string(TEXT("ab"), "ab"));
    assert_true(text_equal_string(nothing, ""));
    assert_false(text_equal_string(TEXT("ab"), "abc"));
    assert_false(text_equal_string(TEXT("abc"), "ab"));
    assert_false(text_equal_string(TEXT("ab\0d"), "ab"));
}

static void test_parts(void **state) {
    (void)state;
    assert_true(text_starts_with(TEXT("node:fs"), TEXT("node:")));
    assert_true(text_starts_with(TEXT("node:"), TEXT("node:")));
    assert_false(text_starts_with(TEXT("node"), TEXT("node:")));
    assert_false(text_starts_with(TEXT("xnode:"), TEXT("node:")));
    assert_true(text_starts_with(nothing, nothing));
    assert_true(text_ends_with(TEXT("addon.node"), TEXT(".node")));
    assert_false(text_ends_with(TEXT("node"), TEXT(".node")));
    assert_false(text_ends_with(TEXT(".nodes"), TEXT(".node")));
    assert_true(text_ends_with(TEXT("a"), nothing));
    assert_true(text_contains(TEXT("aab"), TEXT("ab")));
    assert_true(text_contains(TEXT("a\0b"), TEXT("\0b")));
    assert_true(text_contains(nothing, nothing));
    assert_false(text_contains(TEXT("aab"), TEXT("aaa")));
    /* Not beyond the end of the view, though the bytes go on. */
    assert_false(text_contains((struct text){"abc", 2}, TEXT("bc")));
    assert_false(text_contains(nothing, TEXT("a")));
}

/* In ascending order by bytes; each compared with each. */
static void test_order(void **state) {
    (void)state;
    static const struct text sorted[] = {
        {"", 0},  {"\0", 1},   {"\0\0", 2}, {"A", 1}, {"a", 1},  {"aa", 2},   {"ab", 2},
        {"b", 1}, {"\x7f", 1}, {"\x80", 1}, {"é", 2}, {"中", 3}, {"\xff", 1}, {"\xff\xff\xff", 3}};
    enum { COUNT = sizeof sorted / sizeof *sorted };
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < COUNT; k++) {
            int order = text_compare(sorted[i], sorted[k]);
            assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
        }
    assert_int_equal(text_compare(nothing, TEXT("")), 0);
}

static void assert_text(struct text text, const char *expected) {
    assert_int_equal(text.size, strlen(expected));
    assert_memory_equal(text.data, expected, text.size);
}

static void test_skip_and_basename(void **state) {
    (void)state;
    assert_text(text_skip(TEXT("abc"), 0), "abc");
    assert_text(text_skip(TEXT("abc"), 2), "c");
    assert_text(text_skip(TEXT("abc"), 3), "");
    assert_text(text_skip(TEXT("abc"), SIZE_MAX), "");
    assert_null(text_skip(nothing, 0).data); /* which the sanitizer watches */
    assert_null(text_skip(nothing, 3).data);
    assert_int_equal(text_basename(nothing).size, 0);
    assert_text(text_basename(TEXT("/usr/lib/libc.so.6")), "libc.so.6");
    assert_text(text_basename(TEXT("C:\\nodejs\\node.exe")), "node.exe");
    assert_text(text_basename(TEXT("C:\\a/b\\c")), "c");
    assert_text(text_basename(TEXT("node")), "node");
    assert_text(text_basename(TEXT("/usr/lib/")), "");
    assert_text(text_basename(TEXT("/")), "");
    assert_text(text_basename(TEXT("")), "");
}

static void test_buffer_grows(void **state) {
    (void)state;
    struct buffer buffer = {0};
    assert_null(buffer.data);
    buffer_append(&buffer, NULL, 0);
    buffer_append_text(&buffer, nothing);
    assert_null(buffer.data);
    assert_int_equal(buffer_text(&buffer).size, 0);
    for (unsigned i = 0; i < 100000; i++)
        buffer_append_byte(&buffer, (char)(i * 7));
    assert_int_equal(buffer.size, 100000);
    for (unsigned i = 0; i < 100000; i++)
        if (buffer.data[i] != (char)(i * 7))
            fail_msg("byte %u was lost", i);
    assert_true(buffer.capacity >= buffer.size);
    /* By half, not byte by byte and not without bound. */
    assert_true(buffer.capacity < 200000);
    char *data = buffer.data;
    size_t capacity = buffer.capacity;
    buffer_clear(&buffer);
    assert_int_equal(buffer.size, 0);
    buffer_append_text(&buffer, TEXT("again"));
    assert_ptr_equal(buffer.data, data);
    assert_int_equal(buffer.capacity, capacity);
    assert_text(buffer_text(&buffer), "again");
    buffer_free(&buffer);
    assert_null(buffer.data);
    assert_int_equal(buffer.size + buffer.capacity, 0);
    buffer_append_byte(&buffer, 'x');
    assert_text(buffer_text(&buffer), "x");
    buffer_free(&buffer);
}

static void test_buffer_format(void **state) {
    (void)state;
    struct buffer buffer = {0};
    buffer_append_text(&buffer, TEXT("<"));
    buffer_append_format(&buffer, "%d %s", -3, "x");
    buffer_append_format(&buffer, "%s", "");
    buffer_append_text(&buffer, TEXT(">"));
    assert_text(buffer_text(&buffer), "<-3 x>");
    buffer_clear(&buffer);
    /* Longer than any fixed room. */
    buffer_append_format(&buffer, "%0*d", 70000, 42);
    assert_int_equal(buffer.size, 70000);
    assert_memory_equal(buffer.data + 69997, "042", 3);
    buffer_free(&buffer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_views),        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_order),        cmocka_unit_test(test_skip_and_basename),
        cmocka_unit_test(test_buffer_grows), cmocka_unit_test(test_buffer_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
