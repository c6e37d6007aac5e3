// SPDX-License-Identifier: MIT
/* Tests of fold/base/json_write.h. The layout is written out by hand; strings are those of RFC
 * 8259, section 7, and were read back with Python's strict parser. */
#include "fold/base/json_write.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct document {
    struct buffer buffer;
    struct json_writer json;
};

static struct json_writer *begin(struct document *document) {
    *document = (struct document){0};
    document->json.output = output_open_buffer(&document->buffer);
    return &document->json;
}

static void assert_document(struct document *document, const char *expected) {
    struct error error = {0};
    assert_int_equal(document->json.depth, 0);
    assert_true(output_close(document->json.output, &error));
    buffer_append_byte(&document->buffer, '\0');
    assert_string_equal(document->buffer.data, expected);
    buffer_free(&document->buffer);
}

static void test_nesting(void **state) {
    (void)state;
    struct document document;
    struct json_writer *json = begin(&document);
    json_begin_object(json);
    json_key(json, "schema");
    json_count(json, 1);
    json_key(json, "none");
    json_null(json);
    json_key(json, "empty");
    json_begin_array(json);
    json_end_array(json);
    json_key(json, "list");
    json_begin_array(json);
    json_boolean(json, true);
    json_begin_object(json);
    json_end_object(json);
    json_begin_object(json);
    json_key(json, "a");
    json_boolean(json, false);
    json_end_object(json);
    json_end_array(json);
    json_key(json, "last");
    json_string(json, "x");
    json_end_object(json);
    json_finish(json);
    assert_document(&document, "{\n"
                               "  \"schema\": 1,\n"
                               "  \"none\": null,\n"
                               "  \"empty\": [],\n"
                               "  \"list\": [\n"
                               "    true,\n"
                               "    {},\n"
                               "    {\n"
                               "      \"a\": false\n"
                               "    }\n"
                               "  ],\n"
                               "  \"last\": \"x\"\n"
                               "}\n");
}

static void test_on_one_line(void **state) {
    (void)state;
    struct document document;
    struct json_writer *json = begin(&document);
    json_begin_array(json);
    json_begin_inline_object(json);
    json_key(json, "a");
    json_count(json, 1);
    json_key(json, "b");
    json_begin_array(json); /* what is inside stays on the line, however it is begun */
    json_count(json, 2);
    json_begin_inline_array(json);
    json_end_array(json);
    json_begin_object(json);
    json_key(json, "c");
    json_null(json);
    json_key(json, "d");
    json_null(json);
    json_end_object(json);
    json_end_array(json);
    json_key(json, "e");
    json_count(json, 3);
    json_end_object(json);
    json_begin_inline_array(json);
    json_count(json, 4);
    json_count(json, 5);
    json_end_array(json);
    json_begin_array(json); /* the next one has lines again */
    json_count(json, 6);
    json_end_array(json);
    json_end_array(json);
    json_finish(json);
    assert_document(&document,
                    "[\n"
                    "  {\"a\": 1, \"b\": [2, [], {\"c\": null, \"d\": null}], \"e\": 3},\n"
                    "  [4, 5],\n"
                    "  [\n"
                    "    6\n"
                    "  ]\n"
                    "]\n");
}

static void test_deepest(void **state) {
    (void)state;
    struct document document;
    struct json_writer *json = begin(&document);
    for (int i = 0; i < JSON_DEPTH_MAX; i++)
        json_begin_inline_array(json);
    json_count(json, 1);
    json_count(json, 2);
    for (int i = 0; i < JSON_DEPTH_MAX; i++)
        json_end_array(json);
    assert_document(&document, "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1, 2"
                               "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
}

static void assert_escaped(struct text text, const char *expected) {
    struct document document;
    struct json_writer *json = begin(&document);
    json_text(json, text);
    assert_document(&document, expected);
}

static void test_strings(void **state) {
    (void)state;
    assert_escaped(TEXT(""), "\"\"");
    assert_escaped((struct text){NULL, 0}, "\"\"");
    assert_escaped(TEXT("plain / é 中 😀"), "\"plain / é 中 😀\"");
    assert_escaped(TEXT("\""), "\"\\\"\"");
    assert_escaped(TEXT("C:\\new"), "\"C:\\\\new\"");
    assert_escaped(TEXT("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\"");
    assert_escaped(TEXT("a\0b"), "\"a\\u0000b\"");
    assert_escaped(TEXT("\x01\x0B\x1B\x1F\x7F"), "\"\\u0001\\u000b\\u001b\\u001f\\u007f\"");
    /* Letters that stand behind the backslash of other characters. */
    assert_escaped(TEXT("nrtbf\\n"), "\"nrtbf\\\\n\"");
    /* Not UTF-8: the visible form, as a string whose backslashes are escaped. */
    assert_escaped(TEXT("a\xFFz"), "\"a\\\\xffz\"");
    assert_escaped(TEXT("\xED\xA0\x80\""), "\"\\\\xed\\\\xa0\\\\x80\\\"\"");
}

/* Every string below U+0080 keeps to the grammar: no bare control character, quote or backslash. */
static void test_every_ascii_character(void **state) {
    (void)state;
    for (unsigned byte = 0; byte < 0x80; byte++) {
        char character = (char)byte;
        struct buffer escaped = {0};
        json_append_escaped(&escaped, (struct text){&character, 1});
        struct text text = buffer_text(&escaped);
        char numbered[8];
        snprintf(numbered, sizeof numbered, "\\u%04x", byte);
        const char *letters = "\"\"\\\\b\bf\fn\nr\rt\t";
        bool named = false;
        for (const char *at = letters; *at; at += 2)
            named = named || ((unsigned char)at[1] == byte && text.size == 2 &&
                              text.data[0] == '\\' && text.data[1] == at[0]);
        bool needed = byte < 0x20 || byte == '"' || byte == '\\';
        bool bare = text.size == 1 && text.data[0] == character;
        if (!(named || text_equal(text, text_of(numbered)) || (bare && !needed)))
            fail_msg("%02x is escaped as %.*s", byte, (int)text.size, text.data);
        buffer_free(&escaped);
    }
}

static void test_keys(void **state) {
    (void)state;
    struct document document;
    struct json_writer *json = begin(&document);
    json_begin_inline_object(json);
    json_key(json, "a \"b\"\n");
    json_string(json, NULL);
    json_key(json, "");
    json_real(json, NAN, 3);
    json_end_object(json);
    assert_document(&document, "{\"a \\\"b\\\"\\n\": null, \"\": null}");
}

static void assert_real(double value, int digits, const char *expected) {
    struct document document;
    struct json_writer *json = begin(&document);
    json_real(json, value, digits);
    assert_document(&document, expected);
}

static void test_numbers(void **state) {
    (void)state;
    assert_real(0, 3, "0");
    assert_real(-0.0, 3, "0");
    assert_real(-0.0, 0, "0");
    assert_real(-0.0004, 3, "0");
    assert_real(-0.0006, 3, "-0.001");
    assert_real(0.5, 6, "0.5");
    assert_real(100, 3, "100");
    assert_real(1000, 0, "1000");
    assert_real(-20.50, 4, "-20.5");
    assert_real(1.0 / 3, 4, "0.3333");
    assert_real(2.0 / 3, 4, "0.6667");
    assert_real(0.99996, 4, "1");
    assert_real(123456789.125, 3, "123456789.125");
    assert_real(1e21, 2, "1000000000000000000000");
    assert_real(NAN, 3, "null");
    assert_real(-NAN, 3, "null");
    assert_real(INFINITY, 3, "null");
    assert_real(-INFINITY, 3, "null");

    struct document document;
    struct json_writer *json = begin(&document);
    json_begin_inline_array(json);
    json_count(json, 0);
    json_count(json, UINT64_MAX);
    json_weight(json, (struct weight){18, WEIGHT_FRACTION_ONE / 2});
    json_weight(json, weight_of(9007199254740993u));
    json_weight(json, WEIGHT_LARGEST);
    json_end_array(json);
    assert_document(&document, "[0, 18446744073709551615, 18.5, 9007199254740993, "
                               "18446744073709551615.999999999999999999]");
}

/* The largest double has 309 digits before the point: 2^1024 - 2^971. */
static void test_largest_number(void **state) {
    (void)state;
    struct document document;
    struct json_writer *json = begin(&document);
    json_real(json, -1.7976931348623157e308, 6);
    assert_int_equal(document.buffer.size, 310);
    assert_memory_equal(document.buffer.data, "-17976931348623157081452742373170435679807056752584",
                        50);
    output_discard(json->output);
    buffer_free(&document.buffer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nesting),
        cmocka_unit_test(test_on_one_line),
        cmocka_unit_test(test_deepest),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_every_ascii_character),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_largest_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
