// SPDX-License-Identifier: MIT
/* Inlined functions by code offset. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/trace/v8log_inline.h"

struct fixture {
    struct v8log_code code;
    struct v8log_inline table;
    uint32_t middle, inner; /* rows of functions */
};

static void start(struct fixture *fixture) {
    *fixture = (struct fixture){0};
    v8log_code_start(&fixture->code, &v8log_tolerant_rules);
    fixture->middle = v8log_code_add_function_code(&fixture->code, TEXT("JS"),
                                                   TEXT("middle /a:2:1"), 0x2000, 16, 0x9100, '~')
                          .function;
    fixture->inner = v8log_code_add_function_code(&fixture->code, TEXT("JS"), TEXT("inner /a:3:1"),
                                                  0x3000, 16, 0x9200, '~')
                         .function;
}

static void end(struct fixture *fixture) {
    v8log_inline_free(&fixture->table);
    v8log_code_free(&fixture->code);
}

static uint32_t add(struct fixture *fixture, const char *positions, const char *inlined,
                    const char *functions) {
    struct v8log_source_info info = {.positions = text_of(positions),
                                     .inlined = text_of(inlined),
                                     .functions = text_of(functions)};
    return v8log_inline_add(&fixture->table, &fixture->code, &info);
}

static void by_offset(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    /* 0..15 the function itself, 16..31 middle, 32..63 inner within middle, from 64 on itself. */
    uint32_t row =
        add(&fixture, "C0O1C16O20I0C32O30I1C64O40", "F0O5F1O6I0", "S0x9100S0x9200S0x9999");
    assert_true(row != 0);
    uint32_t found[V8LOG_INLINE_DEPTH_MAX];
    assert_int_equal(v8log_inline_find(&fixture.table, row, 0, found), 0);
    assert_int_equal(v8log_inline_find(&fixture.table, row, 15, found), 0);
    assert_int_equal(v8log_inline_find(&fixture.table, row, 16, found), 1);
    assert_int_equal(found[0], fixture.middle);
    assert_int_equal(v8log_inline_find(&fixture.table, row, 63, found), 2);
    assert_int_equal(found[0], fixture.inner);
    assert_int_equal(found[1], fixture.middle);
    assert_int_equal(v8log_inline_find(&fixture.table, row, 64, found), 0);
    assert_int_equal(v8log_inline_find(&fixture.table, row, UINT64_MAX, found), 0);
    assert_int_equal(v8log_inline_find(&fixture.table, 0, 16, found), 0);
    end(&fixture);
}

/* Functions are those of the moment: their addresses change later. */
static void functions_that_move_or_are_not_known(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    uint32_t row = add(&fixture, "C0O1I0C8O1I1", "F0O5F1O5", "S0x9100S0x9999");
    v8log_code_move_function(&fixture.code, 0x9100, 0xA000);
    uint32_t found[V8LOG_INLINE_DEPTH_MAX];
    assert_int_equal(v8log_inline_find(&fixture.table, row, 4, found), 1);
    assert_int_equal(found[0], fixture.middle);
    assert_int_equal(v8log_inline_find(&fixture.table, row, 8, found), 1);
    assert_int_equal(found[0], 0);
    end(&fixture);
}

static void nonsense_is_refused(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    static const char *const cases[][3] = {
        {"", "", ""},
        {"C0O1", "", "S0x9100"},
        {"C0O1", "F0O1", ""},
        {"", "F0O1", "S0x9100"},
        {"C0O1I0", "F1O1", "S0x9100"},                /* no such function */
        {"C0O1I1", "F0O1", "S0x9100"},                /* no such inlining */
        {"C0O1I0", "F0O1I0", "S0x9100"},              /* inlined into itself */
        {"C0O1I0", "F0O1I1F0O1I0", "S0x9100"},        /* in a circle */
        {"C8O1I0C4O1", "F0O1", "S0x9100"},            /* offsets go back */
        {"C0O1I0X", "F0O1", "S0x9100"},               /* another letter */
        {"C0OI0", "F0O1", "S0x9100"},                 /* no digits */
        {"C0O1I0", "F0", "S0x9100"},                  /* an end too early */
        {"C99999999999999999999O1", "F0O1", "S0x91"}, /* too large */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(add(&fixture, cases[i][0], cases[i][1], cases[i][2]), 0);
    end(&fixture);
}

static void depth_is_limited(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    struct buffer inlined = {0};
    buffer_append_format(&inlined, "F0O1");
    for (int i = 0; i < 200; i++)
        buffer_append_format(&inlined, "F0O1I%d", i);
    buffer_append_byte(&inlined, '\0');
    uint32_t row = add(&fixture, "C0O1I200", inlined.data, "S0x9100");
    uint32_t found[V8LOG_INLINE_DEPTH_MAX];
    assert_int_equal(v8log_inline_find(&fixture.table, row, 0, found), V8LOG_INLINE_DEPTH_MAX);
    buffer_free(&inlined);
    end(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_offset),
        cmocka_unit_test(functions_that_move_or_are_not_known),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(depth_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
