// SPDX-License-Identifier: MIT
#include "tests/unit/tally_support.h"

#include "fold/tally/classify.h"

static void assert_text(struct text text, const char *expected) {
    if (!text_equal(text, text_of(expected)))
        fail_msg("'%.*s' is not '%s'", (int)text.size, text.data, expected);
}

static void packages(void **state) {
    (void)state;
    assert_text(path_package(TEXT("/srv/app/node_modules/bcrypt/bcrypt.js")), "bcrypt");
    assert_text(path_package(TEXT("/srv/node_modules/@node-rs/bcrypt/index.js")),
                "@node-rs/bcrypt");
    assert_text(path_package(TEXT("/a/node_modules/send/node_modules/ms/index.js")), "ms");
    assert_text(path_package(TEXT("/a/node_modules/.pnpm/pkg@1.0.0/node_modules/pkg/lib/x.js")),
                "pkg");
    assert_text(
        path_package(TEXT("/a/.yarn/cache/pkg-npm-1.0.0-0123456789.zip/node_modules/pkg/x.js")),
        "pkg");
    assert_text(path_package(TEXT("C:\\srv\\node_modules\\ms\\index.js")), "ms");
    assert_text(path_package(TEXT("node_modules/ms/index.js")), "ms");
    assert_text(path_package(TEXT("webpack:///./node_modules/ms/index.js")), "ms");
    assert_text(path_package(TEXT("/srv/app/index.js")), "");
    assert_text(path_package(TEXT("/srv/my_node_modules/ms/index.js")), "");
    assert_text(path_package(TEXT("/srv/node_modules/loose.js")), "");
    assert_text(path_package(TEXT("/srv/node_modules/@scope/")), "");
    assert_text(path_package(TEXT("/srv/node_modules/.bin/x.js")), "");
    assert_text(path_package(TEXT("")), "");
}

static void core(void **state) {
    (void)state;
    assert_text(path_core_module(TEXT("node:fs")), "fs");
    assert_text(path_core_module(TEXT("node:internal/fs/utils")), "internal/fs/utils");
    assert_text(path_core_module(TEXT("fs.js")), "fs");
    assert_text(path_core_module(TEXT("internal/modules/cjs/loader.js")),
                "internal/modules/cjs/loader");
    assert_true(path_is_core(TEXT("_http_server.js")));
    assert_false(path_is_core(TEXT("/srv/app/fs.js")));
    assert_false(path_is_core(TEXT("server.js")));
    assert_false(path_is_core(TEXT("/srv/internal/x.js")));
    assert_false(path_is_core(TEXT("")));
}

/* The class of the only frame of a folded stack. */
static struct frame_class class_of(struct profile *profile, const char *name) {
    struct buffer line = {0};
    buffer_append_text(&line, text_of(name));
    buffer_append_text(&line, TEXT(" 1\n"));
    struct error error = {0};
    size_t before = profile->sample_count;
    assert_true(support_feed(profile, buffer_text(&line), 0, &error));
    buffer_free(&line);
    assert_int_equal(profile->sample_count, before + 1);
    struct stack_id stack = profile->samples[before].stack;
    return frame_classify(
        profile, frame_table_get(&profile->frames, stack_table_frame(&profile->stacks, stack)));
}

static void folded_names(void **state) {
    (void)state;
    static const struct {
        const char *name, *kind, *origin, *package;
    } cases[] = {
        {"handle /srv/app/s.js:3", "javascript", "app", ""},
        {"*hot /srv/app/hot.js:4:13", "javascript", "app", ""},
        {"readFileSync node:fs:440:21", "javascript", "core", ""},
        {"emit events.js:1:2", "javascript", "core", ""},
        {"next /srv/node_modules/express/lib/router/index.js:1:2", "javascript", "dependency",
         "express"},
        {"Array.<anonymous> (x.js:1:2)", "javascript", "app", ""},
        {"f (/srv/node_modules/ms/index.js:9)", "javascript", "dependency", "ms"},
        {"(anonymous)", "javascript", "app", ""},
        {"*evaluated", "javascript", "app", ""},
        {"RegExp:^(a+)+$", "regexp", "v8", ""},
        {"Builtin:ArrayMap", "builtin", "v8", ""},
        {"Builtins_JSEntry", "builtin", "v8", ""},
        {"BytecodeHandler:LdaZero", "bytecode", "v8", ""},
        {"wasm-function[3]", "wasm", "app", ""},
        {"f wasm://wasm/0123:1:9", "wasm", "app", ""},
        {"(garbage collector)", "gc", "v8", ""},
        {"[GC]", "gc", "v8", ""},
        {"(program)", "cpp", "native", ""},
        {"[unknown]", "unaccounted", "system", ""},
        {"[libc.so.6]", "library", "system", ""},
        {"[node]", "library", "native", ""},
        {"[bcrypt_lib.node]", "addon", "native", ""},
        {"[kernel.kallsyms]", "kernel", "system", ""},
        {"do_syscall_64_[k]", "kernel", "system", ""},
        {"jitted_[j]", "javascript", "app", ""},
        {"v8::internal::Heap::Scavenge", "cpp", "v8", ""},
        {"node::fs::Read", "cpp", "native", ""},
        {"uv_run", "cpp", "native", ""},
        {"Foo::~Foo", "cpp", "native", ""},
        {"idle", "cpp", "native", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct profile *profile = profile_new();
        struct frame_class class = class_of(profile, cases[i].name);
        assert_string_equal(frame_kind_name(class.kind), cases[i].kind);
        assert_string_equal(frame_origin_name(class.origin), cases[i].origin);
        assert_text(class.package, cases[i].package);
        profile_free(profile);
    }
}

/* Frames of readers that know more than a name. */
static void frames_with_modules(void **state) {
    (void)state;
    static const struct {
        enum frame_kind given;
        const char *name, *module, *kind, *origin, *package;
    } cases[] = {
        {FRAME_CPP, "node::fs::Read", "/usr/bin/node", "cpp", "native", ""},
        {FRAME_CPP, "v8::internal::Heap::Scavenge", "/usr/bin/node", "cpp", "v8", ""},
        {FRAME_CPP, "Builtins_ArrayMap", "/usr/bin/node", "builtin", "v8", ""},
        {FRAME_CPP, "read", "/lib/x86_64-linux-gnu/libc.so.6", "cpp", "system", ""},
        {FRAME_LIBRARY, "", "/lib/x86_64-linux-gnu/libc.so.6", "library", "system", ""},
        {FRAME_LIBRARY, "", "[vsyscall]", "library", "system", ""},
        {FRAME_LIBRARY, "", "/usr/bin/node", "library", "native", ""},
        {FRAME_LIBRARY, "", "/srv/node_modules/bcrypt/lib/bcrypt_lib.node", "addon", "native",
         "bcrypt"},
        {FRAME_UNACCOUNTED, "", "", "unaccounted", "system", ""},
        {FRAME_UNKNOWN_KIND, "", "", "unaccounted", "system", ""},
        {FRAME_UNKNOWN_KIND, "", "/lib/libz.so.1", "library", "system", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct profile *profile = profile_new();
        struct frame frame = {
            .kind = (uint8_t)cases[i].given,
            .name = profile_intern(profile, text_of(cases[i].name)),
            .module = profile_intern(profile, text_of(cases[i].module)),
        };
        struct frame_class class = frame_classify(profile, &frame);
        assert_string_equal(frame_kind_name(class.kind), cases[i].kind);
        assert_string_equal(frame_origin_name(class.origin), cases[i].origin);
        assert_text(class.package, cases[i].package);
        profile_free(profile);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packages),
        cmocka_unit_test(core),
        cmocka_unit_test(folded_names),
        cmocka_unit_test(frames_with_modules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
