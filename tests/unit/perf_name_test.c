// SPDX-License-Identifier: MIT
/* Tests of fold/model/perf_name.h. The names are those that Node 10 to 26 wrote for functions made
 * to be awkward, and of the field case FC-21. */
#include "fold/model/perf_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct expected {
    const char *text;
    const char *name;
    const char *file;
    uint32_t line, column;
    enum frame_kind kind;
    enum frame_tier tier;
};

static void assert_text(const char *whole, const char *what, struct text text,
                        const char *expected) {
    if (!text_equal(text, text_of(expected)))
        fail_msg("the %s of '%s' is '%.*s'", what, whole, (int)text.size, text.data);
}

static void assert_frame(const struct expected *expected) {
    /* In memory of its own size, so that the sanitizer sees a look beyond it. */
    size_t size = strlen(expected->text);
    char *copy = malloc(size + (size == 0));
    assert_non_null(copy);
    memcpy(copy, expected->text, size);
    struct profile *profile = profile_new();
    struct frame frame = perf_name_frame(profile, (struct text){copy, size});
    assert_text(expected->text, "name", profile_text(profile, frame.name), expected->name);
    assert_text(expected->text, "file", profile_text(profile, frame.file), expected->file);
    if (frame.line != expected->line || frame.column != expected->column ||
        frame.kind != expected->kind || frame.tier != expected->tier)
        fail_msg("'%s': line %u, column %u, kind %s, tier %s", expected->text, frame.line,
                 frame.column, frame_kind_name((enum frame_kind)frame.kind),
                 frame_tier_mark((enum frame_tier)frame.tier));
    assert_int_equal(frame.module.index, 0);
    assert_false(frame.inlined);
    profile_free(profile);
    free(copy);
}

static void assert_frames(const struct expected *expected, size_t count) {
    for (size_t i = 0; i < count; i++)
        assert_frame(&expected[i]);
}
#define ASSERT_FRAMES(expected) assert_frames(expected, sizeof(expected) / sizeof *(expected))

static void functions(void **state) {
    (void)state;
    static const struct expected cases[] = {
        {"JS:*hot /srv/app/hot.js:4:13", "hot", "/srv/app/hot.js", 4, 13, FRAME_JAVASCRIPT,
         FRAME_OPTIMISED},
        {"LazyCompile:*hot /srv/app/hot.js:4:13", "hot", "/srv/app/hot.js", 4, 13, FRAME_JAVASCRIPT,
         FRAME_OPTIMISED},
        {"LazyCompile:~get size /srv/a.js:3", "get size", "/srv/a.js", 3, 0, FRAME_JAVASCRIPT,
         FRAME_INTERPRETED},
        {"JS:^main /srv/app/index.js:1:1", "main", "/srv/app/index.js", 1, 1, FRAME_JAVASCRIPT,
         FRAME_BASELINE},
        {"Function:~main /srv/app/index.js:1:1", "main", "/srv/app/index.js", 1, 1,
         FRAME_JAVASCRIPT, FRAME_INTERPRETED},
        {"JS:+main /srv/app/index.js:1:1", "main", "/srv/app/index.js", 1, 1, FRAME_JAVASCRIPT,
         FRAME_MAGLEV},
        {"JS:*do work (x) /srv/my app/w (1).js:3:9", "do work (x)", "/srv/my app/w (1).js", 3, 9,
         FRAME_JAVASCRIPT, FRAME_OPTIMISED},
        {"JS:+'set x /srv/w.js:3:38", "set x", "/srv/w.js", 3, 38, FRAME_JAVASCRIPT, FRAME_MAGLEV},
        {"JS:*'gen /srv/w.js:3:186", "gen", "/srv/w.js", 3, 186, FRAME_JAVASCRIPT, FRAME_OPTIMISED},
        {"JS:o* /srv/w.js:1:1", "", "/srv/w.js", 1, 1, FRAME_JAVASCRIPT, FRAME_OPTIMISED},
        {"JS:o+ /srv/w.js:1:1", "", "/srv/w.js", 1, 1, FRAME_JAVASCRIPT, FRAME_MAGLEV},
        {"JS:^get x, y /srv/a,b.js:2:7", "get x, y", "/srv/a,b.js", 2, 7, FRAME_JAVASCRIPT,
         FRAME_BASELINE},
        {"JS:+\u8a08\u7b97 file:///srv/m.mjs:17:12", "\u8a08\u7b97", "/srv/m.mjs", 17, 12,
         FRAME_JAVASCRIPT, FRAME_MAGLEV},
        {"JS:~<instance_members_initializer> node:v8:405:1", "<instance_members_initializer>",
         "node:v8", 405, 1, FRAME_JAVASCRIPT, FRAME_INTERPRETED},
        {"JS:~#secret /srv/a.js:2:57", "#secret", "/srv/a.js", 2, 57, FRAME_JAVASCRIPT,
         FRAME_INTERPRETED},
    };
    ASSERT_FRAMES(cases);
}

static void top_level_and_evaluated(void **state) {
    (void)state;
    static const struct expected cases[] = {
        {"Script:~ vm.js:1", "", "vm.js", 1, 0, FRAME_JAVASCRIPT, FRAME_INTERPRETED},
        {"JS:~ node:internal/main/run_main_module:1:1", "", "node:internal/main/run_main_module", 1,
         1, FRAME_JAVASCRIPT, FRAME_INTERPRETED},
        {"Eval:~ /srv/my app/w.js:1:1", "", "/srv/my app/w.js", 1, 1, FRAME_JAVASCRIPT,
         FRAME_INTERPRETED},
        {"JS:* :1:20", "", "", 1, 20, FRAME_JAVASCRIPT, FRAME_OPTIMISED},
        {"JS:^evaluated :1:18", "evaluated", "", 1, 18, FRAME_JAVASCRIPT, FRAME_BASELINE},
        {"Eval:~ :1", "", "", 1, 0, FRAME_JAVASCRIPT, FRAME_INTERPRETED},
        {"Function:~evaluated :1", "evaluated", "", 1, 0, FRAME_JAVASCRIPT, FRAME_INTERPRETED},
        {"LazyCompile: :1", "", "", 1, 0, FRAME_JAVASCRIPT, FRAME_NO_TIER},
        {"JS:~", "", "", 0, 0, FRAME_JAVASCRIPT, FRAME_INTERPRETED},
        {"JS:", "", "", 0, 0, FRAME_JAVASCRIPT, FRAME_NO_TIER},
        {"JS:*alone", "alone", "", 0, 0, FRAME_JAVASCRIPT, FRAME_OPTIMISED},
        {"JS:*cut in the mid", "cut in the mid", "", 0, 0, FRAME_JAVASCRIPT, FRAME_OPTIMISED},
        {"Eval:~x :", "x :", "", 0, 0, FRAME_JAVASCRIPT, FRAME_INTERPRETED},
        {"Eval:~x :99999999999", "x :99999999999", "", 0, 0, FRAME_JAVASCRIPT, FRAME_INTERPRETED},
    };
    ASSERT_FRAMES(cases);
}

static void regular_expressions(void **state) {
    (void)state;
    static const struct expected cases[] = {
        {"RegExp:(a;b)|\"c\"", "(a;b)|\"c\"", "", 0, 0, FRAME_REGEXP, FRAME_NO_TIER},
        {"RegExp:^x :1:2", "^x :1:2", "", 0, 0, FRAME_REGEXP, FRAME_NO_TIER},
        {"RegExp:", "", "", 0, 0, FRAME_REGEXP, FRAME_NO_TIER},
        {"RegExp.> src: '(a;b)|\"c\"(?=x)'' flags: 'gi'", "(a;b)|\"c\"(?=x)'", "", 0, 0,
         FRAME_REGEXP, FRAME_NO_TIER},
        {"RegExp.< src: 'b' flags: 'y'", "b", "", 0, 0, FRAME_REGEXP, FRAME_NO_TIER},
        {"RegExp.> src: 'x' flags: 'y' flags: 'g'", "x' flags: 'y", "", 0, 0, FRAME_REGEXP,
         FRAME_NO_TIER},
        {"RegExp.> src: '' flags: ''", "", "", 0, 0, FRAME_REGEXP, FRAME_NO_TIER},
        {"RegExp.> src: 'cut", "cut", "", 0, 0, FRAME_REGEXP, FRAME_NO_TIER},
        {"RegExp.> src", "RegExp.> src", "", 0, 0, FRAME_UNKNOWN_KIND, FRAME_NO_TIER},
        {"RegExp.", "RegExp.", "", 0, 0, FRAME_UNKNOWN_KIND, FRAME_NO_TIER},
        {"RegExpX", "RegExpX", "", 0, 0, FRAME_UNKNOWN_KIND, FRAME_NO_TIER},
    };
    ASSERT_FRAMES(cases);
}

static void code_of_v8(void **state) {
    (void)state;
    static const struct expected cases[] = {
        {"Builtin:InterpreterEntryTrampoline", "InterpreterEntryTrampoline", "", 0, 0,
         FRAME_BUILTIN, FRAME_NO_TIER},
        {"BytecodeHandler:Jump.Wide", "Jump.Wide", "", 0, 0, FRAME_BYTECODE, FRAME_NO_TIER},
        {"Stub:js-to-wasm:i:i", "Stub:js-to-wasm:i:i", "", 0, 0, FRAME_BUILTIN, FRAME_NO_TIER},
        {"Handler:LoadIC", "LoadIC", "", 0, 0, FRAME_BUILTIN, FRAME_NO_TIER},
    };
    ASSERT_FRAMES(cases);
}

static void web_assembly(void **state) {
    (void)state;
    static const struct expected cases[] = {
        {"JS:wasm_spin-0-turbofan", "wasm_spin", "", 0, 0, FRAME_WASM, FRAME_OPTIMISED},
        {"JS:wasm-function[0]-0-liftoff", "wasm-function[0]", "", 0, 0, FRAME_WASM, FRAME_NO_TIER},
        {"Function:wasm-function[12]-12", "wasm-function[12]", "", 0, 0, FRAME_WASM, FRAME_NO_TIER},
        {"Function:wasm-function[3]", "wasm-function[3]", "", 0, 0, FRAME_WASM, FRAME_NO_TIER},
        {"JS:a-b-1-7-liftoff", "a-b-1", "", 0, 0, FRAME_WASM, FRAME_NO_TIER},
        {"JS:*f wasm://wasm/8a2b:1:30", "f", "wasm://wasm/8a2b", 1, 30, FRAME_WASM,
         FRAME_OPTIMISED},
        {"JS:plain-turbofan", "plain-turbofan", "", 0, 0, FRAME_JAVASCRIPT, FRAME_NO_TIER},
        {"JS:-1", "-1", "", 0, 0, FRAME_JAVASCRIPT, FRAME_NO_TIER},
        {"JS:*x-1", "x-1", "", 0, 0, FRAME_JAVASCRIPT, FRAME_OPTIMISED},
    };
    ASSERT_FRAMES(cases);
}

static void other_names(void **state) {
    (void)state;
    static const struct expected cases[] = {
        {"", "", "", 0, 0, FRAME_UNKNOWN_KIND, FRAME_NO_TIER},
        {"java.lang.Thing.hash", "java.lang.Thing.hash", "", 0, 0, FRAME_UNKNOWN_KIND,
         FRAME_NO_TIER},
        {"py::main:/srv/x.py", "py::main:/srv/x.py", "", 0, 0, FRAME_UNKNOWN_KIND, FRAME_NO_TIER},
        {"js:*x /a.js:1:1", "js:*x /a.js:1:1", "", 0, 0, FRAME_UNKNOWN_KIND, FRAME_NO_TIER},
    };
    ASSERT_FRAMES(cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions),           cmocka_unit_test(top_level_and_evaluated),
        cmocka_unit_test(regular_expressions), cmocka_unit_test(code_of_v8),
        cmocka_unit_test(web_assembly),        cmocka_unit_test(other_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
