// SPDX-License-Identifier: MIT
/* Tests of fold/base/number.h. The sums, differences and groupings are those of Python's integers,
 * in units of 10^-18 and cut at 2^64 - 10^-18. */
#include "fold/base/number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LARGEST "18446744073709551615.999999999999999999"

static struct weight weight(const char *digits) {
    struct weight weight = {1, 2};
    if (weight_parse(text_of(digits), &weight) != WEIGHT_PARSED)
        fail_msg("%s is no weight", digits);
    return weight;
}

static void assert_weight(struct weight weight, const char *expected) {
    struct buffer buffer = {0};
    weight_append(&buffer, weight);
    buffer_append_byte(&buffer, '\0');
    assert_string_equal(buffer.data, expected);
    buffer_free(&buffer);
}

static void test_decimal(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {{"0", 0},
                {"007", 7},
                {"9007199254740993", 9007199254740993u},
                {"9999999999999999999", 9999999999999999999u},
                {"18446744073709551615", UINT64_MAX},
                {"00000000000000000000000018446744073709551615", UINT64_MAX}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint64_t value = 1;
        assert_true(number_parse_decimal(text_of(good[i].text), &value));
        assert_true(value == good[i].value);
    }
    static const char *const bad[] = {"",
                                      "-1",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "1.",
                                      "0x1",
                                      "1e3",
                                      "/",
                                      ":",
                                      "1/2",
                                      "18446744073709551616",
                                      "18446744073709551620",
                                      "28446744073709551615",
                                      "99999999999999999999",
                                      "\xC2\xB2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t value = 12345;
        if (number_parse_decimal(text_of(bad[i]), &value))
            fail_msg("'%s' is taken for a number", bad[i]);
        assert_int_equal(value, 12345);
    }
    /* The bytes behind the view do not count. */
    uint64_t value;
    assert_true(number_parse_decimal((struct text){"1234", 2}, &value));
    assert_int_equal(value, 12);
}

static void test_hexadecimal(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {{"0", 0},
                {"0x0", 0},
                {"ff", 255},
                {"0XfF", 255},
                {"deadBEEF", 0xDEADBEEF},
                {"09afAF", 0x9AFAF},
                {"0x7ffe12345678", 0x7FFE12345678},
                {"ffffffffffffffff", UINT64_MAX},
                {"0x000000ffffffffffffffff", UINT64_MAX}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint64_t value = 1;
        assert_true(number_parse_hexadecimal(text_of(good[i].text), &value));
        assert_true(value == good[i].value);
    }
    static const char *const bad[] = {"",
                                      "0x",
                                      "x1",
                                      "g",
                                      "G",
                                      "@",
                                      "`",
                                      "-1",
                                      " 1",
                                      "1 ",
                                      "/",
                                      "0x0x1",
                                      "1x1",
                                      "10000000000000000",
                                      "0x1ffffffffffffffff"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t value = 12345;
        if (number_parse_hexadecimal(text_of(bad[i]), &value))
            fail_msg("'%s' is taken for a number", bad[i]);
        assert_int_equal(value, 12345);
    }
}

static void test_sums_and_differences(void **state) {
    (void)state;
    static const struct {
        const char *a, *b, *sum, *difference;
        int order;
    } cases[] = {
        {"18.5", "18.5", "37", "0", 0},
        {"9007199254740993", "0.000000000000000001", "9007199254740993.000000000000000001",
         "9007199254740992.999999999999999999", 1},
        {LARGEST, "0.000000000000000001", LARGEST, "18446744073709551615.999999999999999998", 1},
        {LARGEST, "0", LARGEST, LARGEST, 1},
        {"18446744073709551615", "0.999999999999999999", LARGEST,
         "18446744073709551614.000000000000000001", 1},
        {"18446744073709551615", "1", LARGEST, "18446744073709551614", 1},
        {"0.999999999999999999", "0.000000000000000001", "1", "0.999999999999999998", 1},
        {"0", "0.000000000000000001", "0.000000000000000001", "0", -1},
        {"1", "0.000000000000000001", "1.000000000000000001", "0.999999999999999999", 1},
        {"0.671908830000302584", "1", "1.671908830000302584", "0", -1},
        {"1.5", "1243862422.5", "1243862424", "0", -1},
        {"1.000000000000000001", "1", "2.000000000000000001", "0.000000000000000001", 1},
        {"18446744073709551614.084394857445768504", "6309815957650144511.089490319406543312",
         LARGEST, "12136928116059407102.994904538039225192", 1},
        {"0.999999999999999999", "3530140069.409822216544430482", "3530140070.409822216544430481",
         "0", -1},
        {"0.517877811417381658", "0.237", "0.754877811417381658", "0.280877811417381658", 1},
        {"1.616341415231755247", "18446744073709551613.000000000000000001",
         "18446744073709551614.616341415231755248", "0", -1},
        {"0.5", LARGEST, LARGEST, "0", -1},
        {"16128585671278343069.999999999999999999", "2266039225740819858",
         "18394624897019162927.999999999999999999", "13862546445537523211.999999999999999999", 1},
        {"18446744073709551615.031177867312592195", "1.5", LARGEST,
         "18446744073709551613.531177867312592195", 1},
        {"4182605341464643325", "18446744073709551613.457", LARGEST, "0", -1},
        {"1.5", "3676793966273574034", "3676793966273574035.5", "0", -1},
        {"1.000000000000000001", "18446744073709551615", LARGEST, "0", -1},
        {"0.245318396906323722", "0.000000000000000001", "0.245318396906323723",
         "0.245318396906323721", 1},
        {"18446744073709551615.5", "18446744073709551614", LARGEST, "1.5", 1},
        {"18446744073709551615", "1903737354.000000000000000001", LARGEST,
         "18446744071805814260.999999999999999999", 1},
        {"2529683873241052605.074", "1033535609.5", "2529683874274588214.574",
         "2529683872207516995.574", 1},
        {"15355893835791538675.999999999999999999", "1809368694.000000000000000001",
         "15355893837600907370", "15355893833982169981.999999999999999998", 1},
        {"0.5", "1110717268.058", "1110717268.558", "0", -1},
        {"0.30039587875556763", "18446744073709551614.5", "18446744073709551614.80039587875556763",
         "0", -1},
        {"1.999999999999999999", "884211552.018", "884211554.017999999999999999", "0", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weight a = weight(cases[i].a), b = weight(cases[i].b);
        assert_weight(a, cases[i].a);
        assert_weight(b, cases[i].b);
        assert_weight(weight_add(a, b), cases[i].sum);
        assert_weight(weight_add(b, a), cases[i].sum);
        assert_weight(weight_subtract(a, b), cases[i].difference);
        int order = weight_compare(a, b), reverse = weight_compare(b, a);
        assert_int_equal((order > 0) - (order < 0), cases[i].order);
        assert_int_equal((reverse > 0) - (reverse < 0), -cases[i].order);
        assert_int_equal(weight_compare(a, a), 0);
    }
}

static void test_weight_parse(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum weight_parsed parsed;
        const char *printed;
    } cases[] = {
        {"0", WEIGHT_PARSED, "0"},
        {"18.5", WEIGHT_PARSED, "18.5"},
        {"18.50", WEIGHT_PARSED, "18.5"},
        {"18.0", WEIGHT_PARSED, "18"},
        {"0018.05", WEIGHT_PARSED, "18.05"},
        {"9007199254740993", WEIGHT_PARSED, "9007199254740993"},
        {"0.1", WEIGHT_PARSED, "0.1"},
        {"0.123456789012345678", WEIGHT_PARSED, "0.123456789012345678"},
        {"0.1234567890123456780", WEIGHT_PARSED, "0.123456789012345678"},
        {"0.1234567890123456789", WEIGHT_ROUNDED, "0.123456789012345678"},
        {"0.9999999999999999999", WEIGHT_ROUNDED, "0.999999999999999999"},
        {"1.0000000000000000001", WEIGHT_ROUNDED, "1"},
        {"1.00000000000000000000000000000000009", WEIGHT_ROUNDED, "1"},
        {"18446744073709551615", WEIGHT_PARSED, "18446744073709551615"},
        {LARGEST, WEIGHT_PARSED, LARGEST},
        {"18446744073709551615.9999999999999999999", WEIGHT_ROUNDED, LARGEST},
        {"18446744073709551616", WEIGHT_SATURATED, LARGEST},
        {"18446744073709551616.0000000000000000001", WEIGHT_SATURATED, LARGEST},
        {"99999999999999999999999999999999999999.5", WEIGHT_SATURATED, LARGEST},
        {"", WEIGHT_NOT, NULL},
        {".5", WEIGHT_NOT, NULL},
        {"5.", WEIGHT_NOT, NULL},
        {".", WEIGHT_NOT, NULL},
        {"1.5.2", WEIGHT_NOT, NULL},
        {"1,5", WEIGHT_NOT, NULL},
        {"-1", WEIGHT_NOT, NULL},
        {"+1", WEIGHT_NOT, NULL},
        {"1e3", WEIGHT_NOT, NULL},
        {" 1", WEIGHT_NOT, NULL},
        {"1 ", WEIGHT_NOT, NULL},
        {"0x10", WEIGHT_NOT, NULL},
        {"nan", WEIGHT_NOT, NULL},
        {"99999999999999999999x", WEIGHT_NOT, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weight weight = {77, 88};
        enum weight_parsed parsed = weight_parse(text_of(cases[i].text), &weight);
        if (parsed != cases[i].parsed)
            fail_msg("'%s' gives %d", cases[i].text, parsed);
        if (cases[i].printed)
            assert_weight(weight, cases[i].printed);
        else
            assert_true(weight.whole == 77 && weight.fraction == 88);
    }
}

static void test_grouped(void **state) {
    (void)state;
    static const struct {
        const char *weight, *printed;
    } cases[] = {{"0", "0"},
                 {"12", "12"},
                 {"123", "123"},
                 {"1234", "1,234"},
                 {"12345", "12,345"},
                 {"123456", "123,456"},
                 {"1234567", "1,234,567"},
                 {"1234.5678", "1,234.5678"},
                 {"18446744073709551615", "18,446,744,073,709,551,615"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buffer buffer = {0};
        weight_append_grouped(&buffer, weight(cases[i].weight));
        buffer_append_byte(&buffer, '\0');
        assert_string_equal(buffer.data, cases[i].printed);
        buffer_free(&buffer);
    }
}

static void test_as_doubles(void **state) {
    (void)state;
    assert_true(weight_to_double(weight("18.5")) == 18.5);
    assert_true(weight_to_double(weight("0.25")) == 0.25);
    assert_true(weight_to_double(weight("9007199254740993")) == 9007199254740992.0);
    assert_true(weight_to_double(weight("18446744073709551615")) == 18446744073709551616.0);
    assert_true(weight_share(weight("1"), weight("4")) == 0.25);
    assert_true(weight_share(weight("0.5"), weight("0.25")) == 2);
    assert_true(weight_share(weight("1"), weight("3")) == 1.0 / 3);
    assert_true(weight_share(weight("1"), weight("0")) == 0);
    assert_true(weight_share(weight("0"), weight("5")) == 0);
    assert_true(weight_share(WEIGHT_LARGEST, WEIGHT_LARGEST) == 1);
}

static void test_extremes(void **state) {
    (void)state;
    assert_weight(WEIGHT_LARGEST, LARGEST);
    assert_weight(weight_of(0), "0");
    assert_weight(weight_of(UINT64_MAX), "18446744073709551615");
    assert_true(weight_is_zero(weight("0.0")));
    assert_false(weight_is_zero(weight("0.000000000000000001")));
    assert_false(weight_is_zero(weight("1")));
    assert_true(weight_is_largest(weight(LARGEST)));
    assert_false(weight_is_largest(weight("18446744073709551615.999999999999999998")));
    assert_false(weight_is_largest(weight_of(UINT64_MAX)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decimal),
        cmocka_unit_test(test_hexadecimal),
        cmocka_unit_test(test_sums_and_differences),
        cmocka_unit_test(test_weight_parse),
        cmocka_unit_test(test_grouped),
        cmocka_unit_test(test_as_doubles),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
