// SPDX-License-Identifier: MIT
/* Tests of fold/base/error.h: texts that are cut and made harmless, warnings that are counted. */
#include "fold/base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fold/base/utf8.h"

static void test_error_is_filled(void **state) {
    (void)state;
    struct error error = {.closed_pipe = true};
    assert_false(error_set(&error, ERROR_INPUT, "cannot open %s: %d", "a.log", 7));
    assert_int_equal(error.kind, ERROR_INPUT);
    assert_string_equal(error.text, "cannot open a.log: 7");
    assert_false(error.closed_pipe);
    assert_false(error_set(&error, ERROR_USAGE, "%s", ""));
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_string_equal(error.text, "");
}

/* A name may hold its error's own text. */
static void test_harmless(void **state) {
    (void)state;
    struct error error = {0};
    error_set(&error, ERROR_INPUT, "a\nb\tc\x1B[2J\x7F|é中😀|%s", "\xFF\xC3(\xED\xA0\x80");
    assert_string_equal(error.text, "a?b?c?[2J?|é中😀|?"
                                    "?(???");
}

/* Whatever stands at the end of the field, the text ends with a whole character of it. */
static void test_cut_between_characters(void **state) {
    (void)state;
    static const char *const characters[] = {"x", "é", "中", "😀"};
    static char long_text[4096];
    for (size_t c = 0; c < 4; c++) {
        size_t width = strlen(characters[c]);
        for (size_t lead = 0; lead < 5; lead++) {
            memset(long_text, 'a', lead);
            for (size_t at = lead; at + width < sizeof long_text; at += width)
                memcpy(long_text + at, characters[c], width + 1);
            struct error error = {0};
            error_set(&error, ERROR_INPUT, "%s", long_text);
            size_t size = strlen(error.text);
            assert_true(size < sizeof error.text);
            assert_true(size + 2 * width >= sizeof error.text);
            assert_memory_equal(error.text, long_text, size);
            assert_int_equal((size - lead) % width, 0);
            assert_true(utf8_valid(text_of(error.text)));
        }
    }
    /* The longest text that fits is whole. */
    struct error error = {0};
    memset(long_text, 'x', sizeof error.text - 1);
    long_text[sizeof error.text - 1] = '\0';
    error_set(&error, ERROR_INPUT, "%s", long_text);
    assert_string_equal(error.text, long_text);
}

/* A long name of stray bytes does not take the words before it along. */
static void test_cut_in_stray_bytes(void **state) {
    (void)state;
    char name[1000];
    memset(name, 0x80, sizeof name - 1);
    name[sizeof name - 1] = '\0';
    struct error error = {0};
    error_set(&error, ERROR_INPUT, "cannot open %s", name);
    assert_memory_equal(error.text, "cannot open ????", 16);
    assert_true(strlen(error.text) > sizeof error.text - 8);
}

static void test_warnings_by_kind(void **state) {
    (void)state;
    struct warnings warnings = {0};
    assert_int_equal(warnings_total(&warnings), 0);
    assert_null(warnings_find(&warnings, "cut"));
    char kind[] = "cut"; /* the same kind at another address */
    warnings_add(&warnings, "cut", 7, "the record '%s' is cut", "tick,\n");
    warnings_add(&warnings, "odd", 0, "odd");
    warnings_add(&warnings, kind, 9, "not kept");
    warnings_add_count(&warnings, 40, "cut", 10, "not kept");
    warnings_add_count(&warnings, 0, "none", 11, "not counted");
    warnings_add_count(&warnings, 5, "many", 12, "%d at once", 5);
    assert_int_equal(warnings.size, 3);
    assert_int_equal(warnings_total(&warnings), 48);
    const struct warning *cut = warnings_find(&warnings, kind);
    assert_ptr_equal(cut, &warnings.items[0]);
    assert_int_equal(cut->count, 42);
    assert_int_equal(cut->line, 7);
    assert_string_equal(cut->text, "the record 'tick,?' is cut");
    assert_int_equal(warnings_find(&warnings, "odd")->count, 1);
    const struct warning *many = warnings_find(&warnings, "many");
    assert_int_equal(many->count, 5);
    assert_int_equal(many->line, 12);
    assert_string_equal(many->text, "5 at once");
    assert_null(warnings_find(&warnings, "none"));
}

static void test_warnings_are_limited(void **state) {
    (void)state;
    struct warnings warnings = {0};
    static char kinds[WARNING_KINDS_MAX + 3][16];
    for (int i = 0; i < WARNING_KINDS_MAX + 3; i++) {
        snprintf(kinds[i], sizeof *kinds, "kind-%d", i);
        warnings_add(&warnings, kinds[i], 1, "number %d", i);
    }
    assert_int_equal(warnings.size, WARNING_KINDS_MAX);
    assert_int_equal(warnings_total(&warnings), WARNING_KINDS_MAX);
    assert_null(warnings_find(&warnings, kinds[WARNING_KINDS_MAX]));
    warnings_add(&warnings, kinds[WARNING_KINDS_MAX - 1], 1, "again");
    assert_int_equal(warnings.items[WARNING_KINDS_MAX - 1].count, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_is_filled),        cmocka_unit_test(test_harmless),
        cmocka_unit_test(test_cut_between_characters), cmocka_unit_test(test_cut_in_stray_bytes),
        cmocka_unit_test(test_warnings_by_kind),       cmocka_unit_test(test_warnings_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
