// SPDX-License-Identifier: MIT
/* Percentages as JavaScript's toFixed(1) prints them: the values are those of Node 20. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/trace/reference_summary.h"

static void percentages(void **state) {
    (void)state;
    static const struct {
        double part, whole;
        const char *text;
    } cases[] = {
        {1, 400, "0.3"},
        {3, 400, "0.8"},
        {1, 3, "33.3"},
        {2, 3, "66.7"},
        {1, 8, "12.5"},
        {1, 16, "6.3"},
        {1, 1, "100.0"},
        {0, 5, "0.0"},
        {0, 0, "NaN"},
        {5, 0, "Infinity"},
        {202, 100, "202.0"},
        {1, 2000, "0.1"},
        {1, 80, "1.3"},
        {3, 80, "3.8"},
        {7, 80, "8.8"},
        {1, 160, "0.6"},
        {999, 1000, "99.9"},
        {9995, 10000, "100.0"},
        {1999, 2000, "100.0"},
        {123456789, 7, "1763668414.3"},
        {5, 1000000, "0.0"},
        {13, 40, "32.5"},
        {1e15, 3, "33333333333333332.0"},
    };
    struct buffer buffer = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        buffer_clear(&buffer);
        reference_append_percent(&buffer, cases[i].part * 100 / cases[i].whole);
        buffer_append_byte(&buffer, '\0');
        assert_string_equal(buffer.data, cases[i].text);
    }
    buffer_free(&buffer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
