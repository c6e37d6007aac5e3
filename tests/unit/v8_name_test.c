// SPDX-License-Identifier: MIT
/* Tests of fold/model/v8_name.h. The names are those of logs that Node 20 and 24 wrote for
 * functions made to be awkward, and of the field cases FC-02 to FC-04 and FC-21. */
#include "fold/model/v8_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_part(const char *whole, const char *what, struct text part,
                        const char *expected) {
    if (!text_equal(part, text_of(expected)))
        fail_msg("the %s of '%s' is '%.*s'", what, whole, (int)part.size, part.data);
}

static void assert_name(const char *text, const char *function, const char *file, uint32_t line,
                        uint32_t column) {
    /* In memory of its own size, so that the sanitizer sees a look beyond it. */
    size_t size = strlen(text);
    char *copy = malloc(size + (size == 0));
    assert_non_null(copy);
    memcpy(copy, text, size);
    struct v8_name name = {.line = 99, .column = 99};
    assert_int_equal(v8_name_parse((struct text){copy, size}, &name), line != 0);
    assert_part(text, "function", name.function, function);
    assert_part(text, "file", name.file, file);
    assert_int_equal(name.line, line);
    assert_int_equal(name.column, column);
    free(copy);
}

static void test_field_cases(void **state) {
    (void)state;
    assert_name("parse C:\\srv\\app\\new\\util.js:7:12", "parse", "C:\\srv\\app\\new\\util.js", 7,
                12);
    assert_name("get [a, b] /srv/app/odd,name.js:3:9", "get [a, b]", "/srv/app/odd,name.js", 3, 9);
    assert_name("café /srv/app/menu.js:2:5", "café", "/srv/app/menu.js", 2, 5);
    assert_name("😀run /srv/app/emoji.js:1:1", "😀run", "/srv/app/emoji.js", 1, 1);
    assert_name("compile C:\\Users\\dev\\src\\xtra\\Stats.js:10:3", "compile",
                "C:\\Users\\dev\\src\\xtra\\Stats.js", 10, 3);
    assert_name("load C:\\work\\node_modules\\lib.js:4:1", "load", "C:\\work\\node_modules\\lib.js",
                4, 1);
    assert_name("sum, all /srv/app/sum.js:2:9", "sum, all", "/srv/app/sum.js", 2, 9);
    assert_name("say \"hi\" /srv/app/say.js:1:10", "say \"hi\"", "/srv/app/say.js", 1, 10);
    assert_name("main /srv/app/index.js:1:1", "main", "/srv/app/index.js", 1, 1);
    assert_name("do work (x) /srv/my app/w (1).js:3:9", "do work (x)", "/srv/my app/w (1).js", 3,
                9);
}

static void test_functions(void **state) {
    (void)state;
    assert_name(" /srv/app/a.js:1:1", "", "/srv/app/a.js", 1, 1);
    assert_name("/srv/app/a.js:1:1", "", "/srv/app/a.js", 1, 1);
    assert_name("#p /a.js:2:57", "#p", "/a.js", 2, 57);
    assert_name("get size /a.js:2:3", "get size", "/a.js", 2, 3);
    assert_name("Module._extensions..js node:internal/modules/cjs/loader:1:2",
                "Module._extensions..js", "node:internal/modules/cjs/loader", 1, 2);
    assert_name("<static_initializer> /a.js:2:10", "<static_initializer>", "/a.js", 2, 10);
    assert_name("x file.js:1:2 /a.js:1:237", "x file.js:1:2", "/a.js", 1, 237);
    assert_name("C:\\x /a.js:1:2", "C:\\x", "/a.js", 1, 2);
    assert_name("a:b /a.js:1:2", "a:b", "/a.js", 1, 2);
}

static void test_files(void **state) {
    (void)state;
    assert_name("f file:///srv/app/m.mjs:4:5", "f", "/srv/app/m.mjs", 4, 5);
    assert_name(" file:///C:/srv/m.mjs:4:5", "", "C:/srv/m.mjs", 4, 5);
    assert_name("f file:///srv/my%20app/m.mjs?v=1:4:5", "f", "/srv/my%20app/m.mjs?v=1", 4, 5);
    assert_name("f node:fs:440:21", "f", "node:fs", 440, 21);
    assert_name("f internal/util.js:3:4", "f", "internal/util.js", 3, 4);
    assert_name("f fs.js:3:4", "f", "fs.js", 3, 4);
    assert_name(" bootstrap_node.js:10:2", "", "bootstrap_node.js", 10, 2);
    assert_name("f C:\\my app\\a.js:1:2", "f", "C:\\my app\\a.js", 1, 2);
    assert_name("f D:/srv/my app/a.js:1:2", "f", "D:/srv/my app/a.js", 1, 2);
    assert_name("f \\\\server\\my share\\a.js:1:2", "f", "\\\\server\\my share\\a.js", 1, 2);
    assert_name("f http://localhost:8080/my app.js:1:2", "f", "http://localhost:8080/my app.js", 1,
                2);
    assert_name("f https://example.com/a b.js:1:2", "f", "https://example.com/a b.js", 1, 2);
    assert_name("f webpack:///./src/a b.js:1:2", "f", "webpack:///./src/a b.js", 1, 2);
    assert_name("f ./a b.js:1:2", "f", "./a b.js", 1, 2);
    assert_name("f ../a b.js:1:2", "f", "../a b.js", 1, 2);
    assert_name("f /srv/a:1:2/b.js:3:4", "f", "/srv/a:1:2/b.js", 3, 4);
    assert_name("f wasm://wasm/0f1e:1:2", "f", "wasm://wasm/0f1e", 1, 2);
    assert_name("wasm://wasm/0f1e:1:2", "", "wasm://wasm/0f1e", 1, 2);
}

/* Code without a file of its own. */
static void test_eval(void **state) {
    (void)state;
    assert_name("ev :1:12", "ev", "", 1, 12);
    assert_name(" :1:1", "", "", 1, 1);
    assert_name("two words :1:21", "two words", "", 1, 21);
    assert_name("vmf evalmachine.<anonymous>:1:14", "vmf", "evalmachine.<anonymous>", 1, 14);
    assert_name(" evalmachine.<anonymous>:1:1", "", "evalmachine.<anonymous>", 1, 1);
    assert_name(" [eval]:1:1", "", "[eval]", 1, 1);
    assert_name("[eval]:1:1", "", "[eval]", 1, 1);
    assert_name("f [eval]-wrapper:6:22", "f", "[eval]-wrapper", 6, 22);
    /* The name that vm.Script was given. */
    assert_name("vmf relative.js:1:14", "vmf", "relative.js", 1, 14);
    assert_name(" relative name.js:1:1", "", "relative name.js", 1, 1);
}

/* Old versions give some names a line only. */
static void test_without_column(void **state) {
    (void)state;
    assert_name("readFileSync fs.js:12", "readFileSync", "fs.js", 12, 0);
    assert_name(" fs.js:12", "", "fs.js", 12, 0);
    assert_name("f /srv/my app/a.js:12", "f", "/srv/my app/a.js", 12, 0);
    assert_name("f C:\\srv\\a.js:12", "f", "C:\\srv\\a.js", 12, 0);
    assert_name("/srv/a.js:12", "", "/srv/a.js", 12, 0);
}

/* What ends in no place is a function, all of it. */
static void test_no_place(void **state) {
    (void)state;
    static const char *const names[] = {"",
                                        "main",
                                        "do work (x)",
                                        ":",
                                        ":1",
                                        ":1:2",
                                        "a:1",
                                        "a:1:2",
                                        "a :1",
                                        "f /a.js",
                                        "f /a.js:",
                                        "f /a.js:1:",
                                        "f /a.js:x",
                                        "f /a.js:1:2 ",
                                        "a::b",
                                        "node::Start",
                                        "std::map<int, char>::at",
                                        "f /a.js:1:-2",
                                        "f :99999999999"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_name(names[i], names[i], "", 0, 0);
}

static void test_largest_numbers(void **state) {
    (void)state;
    assert_name("f /a.js:4294967295:4294967295", "f", "/a.js", UINT32_MAX, UINT32_MAX);
    assert_name("f /a.js:4294967296", "f /a.js:4294967296", "", 0, 0);
    assert_name("f /a.js:1:18446744073709551616", "f /a.js:1:18446744073709551616", "", 0, 0);
    assert_name("f /a.js:007:010", "f", "/a.js", 7, 10);
}

static void test_strip(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"file:///srv/a.mjs", "/srv/a.mjs"},
                                           {"file:///C:/srv/a.mjs", "C:/srv/a.mjs"},
                                           {"file:///c:", "/c:"},
                                           {"file://", ""},
                                           {"file:/srv", "file:/srv"},
                                           {"xfile:///srv", "xfile:///srv"},
                                           {"node:fs", "node:fs"},
                                           {"/srv/file:///x", "/srv/file:///x"},
                                           {"", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_part(cases[i][0], "path", v8_file_strip(text_of(cases[i][0])), cases[i][1]);
}

static void test_tiers(void **state) {
    (void)state;
    static const struct {
        const char *mark;
        enum frame_tier tier;
    } cases[] = {
        {"", FRAME_NO_TIER},       {"~", FRAME_INTERPRETED}, {"^", FRAME_BASELINE},
        {"+", FRAME_MAGLEV},       {"*", FRAME_OPTIMISED},   {"o+", FRAME_MAGLEV},
        {"o*", FRAME_OPTIMISED},   {"+'", FRAME_MAGLEV},     {"*'", FRAME_OPTIMISED},
        {"o+'", FRAME_MAGLEV},     {"o*'", FRAME_OPTIMISED}, {"^'", FRAME_BASELINE},
        {"~'", FRAME_INTERPRETED}, {"?", FRAME_OTHER_TIER},  {"-", FRAME_OTHER_TIER},
        {"o", FRAME_OTHER_TIER},   {"'", FRAME_OTHER_TIER},  {"o'", FRAME_OTHER_TIER},
        {"**", FRAME_OTHER_TIER},  {"*o", FRAME_OTHER_TIER}, {"oo*", FRAME_OTHER_TIER},
        {"*''", FRAME_OTHER_TIER}, {" ", FRAME_OTHER_TIER},  {"é", FRAME_OTHER_TIER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (v8_tier_parse(text_of(cases[i].mark)) != cases[i].tier)
            fail_msg("'%s' is tier %d", cases[i].mark, v8_tier_parse(text_of(cases[i].mark)));
    /* Each mark that is printed is read as the same tier. */
    for (int tier = 0; tier < FRAME_TIER_COUNT; tier++)
        assert_int_equal(v8_tier_parse(text_of(frame_tier_mark((enum frame_tier)tier))), tier);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_field_cases),     cmocka_unit_test(test_functions),
        cmocka_unit_test(test_files),           cmocka_unit_test(test_eval),
        cmocka_unit_test(test_without_column),  cmocka_unit_test(test_no_place),
        cmocka_unit_test(test_largest_numbers), cmocka_unit_test(test_strip),
        cmocka_unit_test(test_tiers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
