// SPDX-License-Identifier: MIT
/* Tests of fold/base/pattern.h: what is found, what is refused, and what would take for ever. */
#include "fold/base/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static struct pattern *compile(const char *source) {
    struct error error = {0};
    struct pattern *pattern = pattern_compile(source, &error);
    if (!pattern)
        fail_msg("%s", error.text);
    return pattern;
}

static void test_found(void **state) {
    (void)state;
    static const struct {
        const char *source;
        struct text text;
        bool found;
    } cases[] = {
        {"read", {"fs.readFileSync", 15}, true},
        {"^read", {"fs.readFileSync", 15}, false},
        {"Sync$", {"fs.readFileSync", 15}, true},
        {"readfile", {"readFile", 8}, false},
        {"(?i)readfile", {"readFile", 8}, true},
        {"^h.ndl", {"händler", 8}, true}, /* a character, not a byte */
        {"^.$", {"😀", 4}, true},
        {"\\x{1F600}", {"😀run", 7}, true},
        {"node_modules/(express|koa)/", {"/a/node_modules/koa/index.js:1", 30}, true},
        {"", {"anything", 8}, true},
        {"^$", {NULL, 0}, true},
        {"a", {NULL, 0}, false},
        {"a\\x00b", {"a\0b", 3}, true},
        {"c", {"abc", 2}, false},           /* not beyond the view */
        {"^\\d+$", {"\xD9\xA1", 2}, false}, /* \d is 0 to 9 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pattern *pattern = compile(cases[i].source);
        struct error error = {0};
        if (pattern_found(pattern, cases[i].text) != cases[i].found)
            fail_msg("%s in row %zu", cases[i].source, i);
        assert_true(pattern_held(pattern, &error));
        pattern_free(pattern);
    }
    pattern_free(NULL);
}

/* The bytes around an invalid one are searched; it matches nothing and stops no pattern. */
static void test_invalid_text(void **state) {
    (void)state;
    struct error error = {0};
    struct pattern *pattern = compile("work");
    assert_true(pattern_found(pattern, TEXT("\xFFwork")));
    assert_true(pattern_found(pattern, TEXT("a\xC3work\xED\xA0\x80")));
    assert_true(pattern_found(pattern, TEXT("\xE4\xB8work")));
    assert_false(pattern_found(pattern, TEXT("wo\xFFrk")));
    assert_false(pattern_found(pattern, TEXT("\xFF\xFE\x80")));
    assert_true(pattern_found(pattern, TEXT("work\xF0\x9F\x98")));
    assert_true(pattern_held(pattern, &error));
    pattern_free(pattern);
    pattern = compile("a.b");
    assert_false(pattern_found(pattern, TEXT("a\xFF"
                                             "b")));
    assert_true(pattern_found(pattern, TEXT("\x80"
                                            "aéb")));
    assert_true(pattern_held(pattern, &error));
    pattern_free(pattern);
}

static void test_bad_patterns(void **state) {
    (void)state;
    /* With the place as PCRE2 counts it: bytes from the beginning of the pattern. */
    static const struct {
        const char *source, *place;
    } cases[] = {{"(", "at 1"},    {"ab(cd", "at 5"},  {"x)", "at 1"}, {"*a", "at 0"},
                 {"[a-", "at 3"},  {"[z-a]", "at 3"},  {"\\", "at 1"}, {"(?<n", "at 4"},
                 {"\xFF", "at 0"}, {"ab\xC3(", "at 2"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error = {0};
        struct pattern *pattern = pattern_compile(cases[i].source, &error);
        if (pattern)
            fail_msg("row %zu is accepted", i);
        assert_int_equal(error.kind, ERROR_USAGE);
        size_t size = strlen(error.text), end = strlen(cases[i].place);
        if (size < end || strcmp(error.text + size - end, cases[i].place) != 0)
            fail_msg("'%s' does not end with '%s'", error.text, cases[i].place);
    }
    struct error error = {0};
    assert_null(pattern_compile("ab(cd", &error));
    assert_non_null(strstr(error.text, "'ab(cd'"));
}

/* 2^60 ways to try: given up at once, said so, and never tried again. */
static void test_endless(void **state) {
    (void)state;
    static const char text[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaX";
    static const char *const sources[] = {"^(a+)+$", "(a+)+$", "^(a|aa)+$"};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        struct pattern *pattern = compile(sources[i]);
        struct error error = {0};
        assert_true(pattern_found(pattern, TEXT("a")));
        assert_true(pattern_held(pattern, &error));
        clock_t start = clock();
        for (int k = 0; k < 1000; k++)
            assert_false(pattern_found(pattern, text_of(text)));
        assert_true(clock() - start < CLOCKS_PER_SEC);
        assert_false(pattern_held(pattern, &error));
        assert_int_equal(error.kind, ERROR_USAGE);
        assert_true(strlen(error.text) > 0);
        /* Given up is given up, for every text. */
        assert_false(pattern_found(pattern, TEXT("a")));
        pattern_free(pattern);
    }
    struct error error = {0};
    assert_true(pattern_held(NULL, &error));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found),
        cmocka_unit_test(test_invalid_text),
        cmocka_unit_test(test_bad_patterns),
        cmocka_unit_test(test_endless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
