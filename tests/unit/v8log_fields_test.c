// SPDX-License-Identifier: MIT
/* Fields of isolate logs. Expected numbers and texts are what Node 20 says: parseInt(text),
 * parseInt(text, 16), String(number), new TextDecoder().decode(bytes). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/trace/v8log_fields.h"

static void assert_text(struct text text, const char *expected, size_t size) {
    if (text.size != size || memcmp(text.data, expected, size) != 0)
        fail_msg("'%.*s' instead of '%.*s'", (int)text.size, text.data, (int)size, expected);
}

static void assert_number(double number, double expected, const char *text) {
    if (isnan(expected) ? !isnan(number) : number != expected)
        fail_msg("'%s' is %.17g instead of %.17g", text, number, expected);
}

static void numbers_as_javascript_reads_them(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double decimal, hexadecimal;
    } cases[] = {
        {"", NAN, NAN},
        {"0", 0, 0},
        {"12", 12, 18},
        {"-12", -12, -18},
        {"+12", 12, 18},
        {"  12", 12, 18},
        {"\t\n12x", 12, 18},
        {"0x1f", 31, 31},
        {"0X1F", 31, 31},
        {"-0x10", -16, -16},
        {"0x", NAN, NAN},
        {"0xg", NAN, NAN},
        {"1e3", 1, 483},
        {"12.9", 12, 18},
        {"9007199254740993", 9007199254740992.0, 10378291982571407000.0},
        {"0x20000000000001", 9007199254740992.0, 9007199254740992.0},
        {"0x7fffffffffffffff", 9223372036854776000.0, 9223372036854776000.0},
        {"18446744073709551616", 18446744073709552000.0, 1.1459861526630101e+23},
        {"0xffffffffffffffffff", 4.722366482869645e+21, 4.722366482869645e+21},
        {"123456789012345678901234567890", 1.2345678901234568e+29, 9.452287968736547e+34},
        {"abc", NAN, 2748},
        {"08", 8, 8},
        {"- 5", NAN, NAN},
        {"++5", NAN, NAN},
        {"0x1p3", 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text text = text_of(cases[i].text);
        assert_number(v8log_parse_int(text), cases[i].decimal, cases[i].text);
        assert_number(v8log_parse_int_16(text), cases[i].hexadecimal, cases[i].text);
    }
}

static void numbers_as_javascript_prints_them(void **state) {
    (void)state;
    static const struct {
        double number;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-0.0, "0"},
        {1, "1"},
        {-1, "-1"},
        {123, "123"},
        {0.1, "0.1"},
        {0.25, "0.25"},
        {1.0 / 3, "0.3333333333333333"},
        {-2.5, "-2.5"},
        {1e21, "1e+21"},
        {1e20, "100000000000000000000"},
        {123456789012345680000.0, "123456789012345680000"},
        {1e-6, "0.000001"},
        {1e-7, "1e-7"},
        {1.5e-7, "1.5e-7"},
        {5e-324, "5e-324"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {9007199254740992.0, "9007199254740992"},
        {9007199254740994.0, "9007199254740994"},
        {18446744073709552000.0, "18446744073709552000"},
        {4294967296.5, "4294967296.5"},
        {1e22, "1e+22"},
        {0.000001234, "0.000001234"},
        {12345.678, "12345.678"},
        {NAN, "NaN"},
        {INFINITY, "Infinity"},
        {-INFINITY, "-Infinity"},
    };
    struct buffer buffer = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        buffer_clear(&buffer);
        v8log_append_number(&buffer, cases[i].number);
        assert_text(buffer_text(&buffer), cases[i].text, strlen(cases[i].text));
    }
    buffer_free(&buffer);
}

static void ill_formed_text_as_javascript_decodes_it(void **state) {
    (void)state;
#define INVALID "\xef\xbf\xbd"
    static const char *const cases[][2] = {
        {"plain", "plain"},
        {"\xff", INVALID},
        {"\xc0\xaf", INVALID INVALID},
        {"\xe2\x82", INVALID},
        {"\xe2\x82\x41", INVALID "A"},
        {"\xf0\x9f\x98", INVALID},
        {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
        {"\xf0\x80\x80\x80", INVALID INVALID INVALID INVALID},
        {"\xed\xa0\x80", INVALID INVALID INVALID},
        {"\xf4\x90\x80\x80", INVALID INVALID INVALID INVALID},
        {"\xf5\x80", INVALID INVALID},
        {"\x80\x41\x80", INVALID "A" INVALID},
        {"\xe0\x80\x80", INVALID INVALID INVALID},
        {"\xe0\xa0\x41", INVALID "A"},
        {"\xc2", INVALID},
        {"\xc2\x41", INVALID "A"},
        {"\xf1\x80\x80\xe2\x82\xac", INVALID "\xe2\x82\xac"},
        {"\xef\xbf\xbe", "\xef\xbf\xbe"},
    };
    struct buffer buffer = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        buffer_clear(&buffer);
        v8log_decode(&buffer, text_of(cases[i][0]));
        assert_text(buffer_text(&buffer), cases[i][1], strlen(cases[i][1]));
    }
    buffer_free(&buffer);
}

static void escapes_as_the_reference_takes_them(void **state) {
    (void)state;
#define CASE(in, out)                                                                              \
    { in, out, sizeof(out) - 1 }
    static const struct {
        const char *field, *expected;
        size_t size;
    } cases[] = {
        CASE("plain", "plain"),
        CASE("a\\\\nb", "a\\nb"),
        CASE("a\\nb", "a\nb"),
        CASE("a\\x2Cb", "a,b"),
        CASE("a\\x2cb", "a,b"),
        CASE("caf\\xe9", "caf\xc3\xa9"),
        CASE("\\u4e2d", "\xe4\xb8\xad"),
        CASE("\\ud83d\\ude00", "\xf0\x9f\x98\x80"),
        CASE("\\ud83d", "\xed\xa0\xbd"),
        CASE("\\ude00\\ud83d", "\xed\xb8\x80\xed\xa0\xbd"),
        CASE("\\ua1zz", "\xc2\xa1"),
        CASE("\\uzzzzx", "\0x"),
        CASE("C:\\srv\\app.js", "C:\0pp.js"), /* no number in the four characters behind `s` */
        CASE("end\\", "end\0"),
        CASE("end\\x2", "end\x02"),
        CASE("\\x\xf0\x9f\x98\x80z", "\0z"), /* two units of UTF-16 */
        CASE("\\x1\xf0\x9f\x98\x80", "\x01\xed\xb8\x80"),
        CASE("\\\xf0\x9f\x98\x80"
             "abcd",
             "\0d"),
    };
    struct buffer buffer = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        buffer_clear(&buffer);
        v8log_unescape_exactly(&buffer, text_of(cases[i].field));
        assert_text(buffer_text(&buffer), cases[i].expected, cases[i].size);
    }
    buffer_free(&buffer);
}

static void only_valid_escapes_are_resolved(void **state) {
    (void)state;
    static const struct {
        const char *field, *expected, *raw;
    } cases[] = {
        {"a\\\\nb", "a\\nb", "a\\\\nb"},
        {"a\\nb", "a\nb", "a\\nb"},
        {"a\\x2Cb\\x2c", "a,b,", "a,b,"},
        {"caf\\xe9", "caf\xc3\xa9", "caf\\xe9"},
        {"\\ud83d\\ude00", "\xf0\x9f\x98\x80", "\\ud83d\\ude00"},
        {"\\ud83d", INVALID, "\\ud83d"},
        {"\\ude00x", INVALID "x", "\\ude00x"},
        {"\\ud83d\\ud83d\\ude00", INVALID "\xf0\x9f\x98\x80", "\\ud83d\\ud83d\\ude00"},
        {"\\u12", "\\u12", "\\u12"},
        {"\\xg1", "\\xg1", "\\xg1"},
        {"C:\\Users\\dev\\src\\xtra", "C:\\Users\\dev\\src\\xtra", "C:\\Users\\dev\\src\\xtra"},
        {"end\\", "end\\", "end\\"},
    };
    struct buffer buffer = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        buffer_clear(&buffer);
        v8log_unescape(&buffer, text_of(cases[i].field), false);
        assert_text(buffer_text(&buffer), cases[i].expected, strlen(cases[i].expected));
        buffer_clear(&buffer);
        v8log_unescape(&buffer, text_of(cases[i].field), true);
        assert_text(buffer_text(&buffer), cases[i].raw, strlen(cases[i].raw));
    }
    buffer_free(&buffer);
}

static void fields_and_what_is_missing(void **state) {
    (void)state;
    struct v8log_fields fields;
    v8log_fields_split(&fields, TEXT(""));
    assert_int_equal(fields.count, 1);
    assert_int_equal(fields.items[0].size, 0);
    v8log_fields_split(&fields, TEXT("a,,c,"));
    assert_int_equal(fields.count, 4);
    assert_text(fields.items[0], "a", 1);
    assert_int_equal(fields.items[1].size, 0);
    assert_text(fields.items[2], "c", 1);
    assert_int_equal(fields.items[3].size, 0);
    assert_int_equal(fields.items[V8LOG_FIELDS_MAX - 1].size, 0);
    v8log_fields_split(&fields, TEXT("0,1,2,3,4,5,6,7,8,9,10,11,12,13"));
    assert_int_equal(fields.count, 14);
    assert_text(fields.items[11], "11", 2);
    assert_text(fields.rest, "12,13", 5);
}

static void quoted_fields(void **state) {
    (void)state;
    struct v8log_fields fields;
    struct buffer buffer = {0};
    v8log_fields_split_quoted(&fields, TEXT("\"sum, all /a.js:2:9\",0x10,*"));
    assert_int_equal(fields.count, 3);
    struct text name = v8log_unquote(fields.items[0], &buffer);
    assert_text(name, "sum, all /a.js:2:9", 18);
    assert_text(fields.items[2], "*", 1);
    v8log_fields_split_quoted(&fields, TEXT("\"say \"\"hi\"\", you\",x"));
    assert_int_equal(fields.count, 2);
    name = v8log_unquote(fields.items[0], &buffer);
    assert_text(name, "say \"hi\", you", 13);
    buffer_clear(&buffer);
    v8log_fields_split_quoted(&fields, TEXT("plain,\"not closed, at all"));
    assert_int_equal(fields.count, 2);
    assert_text(fields.items[0], "plain", 5);
    v8log_fields_split_quoted(&fields, TEXT("\""));
    assert_int_equal(fields.count, 1);
    (void)v8log_unquote(fields.items[0], &buffer);
    buffer_free(&buffer);
}

static void addresses(void **state) {
    (void)state;
    uint64_t address = 0;
    assert_true(v8log_parse_address(TEXT("0xffffffffffffffff"), &address));
    assert_true(address == UINT64_MAX);
    assert_true(v8log_parse_address(TEXT("0x0"), &address));
    assert_true(address == 0);
    assert_false(v8log_parse_address(TEXT("0x1ffffffffffffffff"), &address));
    assert_false(v8log_parse_address(TEXT("0x"), &address));
    assert_false(v8log_parse_address(TEXT("12"), &address));
    assert_false(v8log_parse_address(TEXT("0x12 "), &address));
    assert_true(v8log_parse_address_exactly(TEXT("x")) == ADDRESS_INVALID);
    assert_true(v8log_parse_address_exactly(TEXT("-1")) == ADDRESS_INVALID);
    assert_true(v8log_parse_address_exactly(TEXT("0xffffffffffffffff")) == ADDRESS_BEYOND);
    assert_true(v8log_parse_address_exactly(TEXT("0x20000000000001")) == 0x20000000000000u);
    assert_true(v8log_round_address(0x20000000000003u) == 0x20000000000004u);
    assert_true(v8log_round_address(0x1FFFFFFFFFFFFFu) == 0x1FFFFFFFFFFFFFu);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_as_javascript_reads_them),
        cmocka_unit_test(numbers_as_javascript_prints_them),
        cmocka_unit_test(ill_formed_text_as_javascript_decodes_it),
        cmocka_unit_test(escapes_as_the_reference_takes_them),
        cmocka_unit_test(only_valid_escapes_are_resolved),
        cmocka_unit_test(fields_and_what_is_missing),
        cmocka_unit_test(quoted_fields),
        cmocka_unit_test(addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
