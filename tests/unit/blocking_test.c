// SPDX-License-Identifier: MIT
#include "tests/unit/tally_support.h"

#include <string.h>

#define HANDLER "handle /srv/app/s.js:3:4"
#define FS      "node:fs:440:21"

struct found {
    struct profile *profile;
    struct call_tree *tree;
    struct blocking *blocking;
};

static struct found find(const char *folded) {
    struct view view = {0};
    struct found found = {.profile = support_profile(text_of(folded))};
    found.tree = call_tree_build(found.profile, &view);
    found.blocking = blocking_find(found.tree);
    return found;
}

static void give_back(struct found *found) {
    blocking_free(found->blocking);
    call_tree_free(found->tree);
    profile_free(found->profile);
}

static void assert_sums(const struct found *found, uint64_t total, uint64_t startup) {
    assert_int_equal(found->blocking->total.whole, total);
    assert_int_equal(found->blocking->startup.whole, startup);
}

/* Call `index`, with its only or first caller; NULL: no caller is listed. */
static void assert_call(const struct found *found, const struct blocking_call *calls, size_t index,
                        const char *name, const char *class, uint64_t total, uint64_t startup,
                        const char *caller) {
    const struct blocking_call *call = &calls[index];
    assert_string_equal(call->name, name);
    assert_string_equal(blocking_class_name(call->kind->class), class);
    assert_int_equal(call->total.whole, total);
    assert_int_equal(call->startup.whole, startup);
    assert_true(strlen(call->kind->instead) > 0);
    if (!caller) {
        assert_int_equal(call->caller_count, 0);
        return;
    }
    assert_true(call->caller_count > 0);
    struct text label = found->tree->functions[call->callers[0].function].label;
    if (!text_equal(label, text_of(caller)))
        fail_msg("the caller is %.*s", (int)label.size, label.data);
}

/* FC-27: 65 in all, 5 at start; one call a stack. */
static void field_case(void **state) {
    (void)state;
    struct buffer data = support_data("field-cases/fc27-sync.folded");
    buffer_append_byte(&data, '\0');
    struct found found = find(data.data);
    assert_sums(&found, 65, 5);
    const struct blocking *blocking = found.blocking;
    assert_int_equal(blocking->call_count, 3);
    const char *handler = "handle /srv/app/s.js:3";
    assert_call(&found, blocking->calls, 0, "readFileSync", "sync-io", 30, 5, handler);
    assert_call(&found, blocking->calls, 1, "compareSync", "sync-cpu", 25, 0, handler);
    assert_call(&found, blocking->calls, 2, "pbkdf2Sync", "sync-cpu", 10, 0, handler);
    assert_int_equal(blocking->heavy_count, 0);
    uint64_t marked = 0;
    uint64_t marked_startup = 0;
    for (size_t i = 0; i < found.tree->node_count; i++) {
        if (blocking->nodes[i])
            *(blocking->startup_nodes[i] ? &marked_startup : &marked) +=
                found.tree->nodes[i].total.whole;
    }
    assert_int_equal(marked, 65);
    assert_int_equal(marked_startup, 5);
    give_back(&found);
    buffer_free(&data);
}

/* A user's own functions are not core, whatever their names; nor is a name without a file. */
static void other_functions(void **state) {
    (void)state;
    struct found found = find(HANDLER ";flushSync /srv/app/log.js:1:2 10\n" HANDLER
                                      ";readFileSync /srv/app/fs.js:1:2 10\n" HANDLER
                                      ";compareSync /srv/bcrypt/bcrypt.js:1:2 10\n"
                                      "main;readFileSync 10\n" HANDLER ";readFile " FS " 10\n");
    assert_sums(&found, 0, 0);
    assert_int_equal(found.blocking->call_count, 0);
    give_back(&found);
}

static void core_calls(void **state) {
    (void)state;
    static const struct {
        const char *frame, *call, *class;
    } cases[] = {
        {"readFileSync fs.js:1:2", "readFileSync", "sync-io"},
        {"fs.readFileSync fs.js:1:2", "readFileSync", "sync-io"},
        {"existsSync node:fs:1:2", "existsSync", "sync-io"},
        {"unlinkSync node:fs:1:2", "unlinkSync", "sync-io"},
        {"fsyncSync node:fs:1:2", "fsyncSync", "sync-io"},
        {"cpSyncFn node:internal/fs/cp/cp-sync:1:2", NULL, NULL},
        {"execSync node:child_process:1:2", "execSync", "sync-io"},
        {"spawnSync node:internal/child_process:1:2", "spawnSync", "sync-io"},
        {"scryptSync node:internal/crypto/scrypt:1:2", "scryptSync", "sync-cpu"},
        {"hkdfSync node:internal/crypto/hkdf:1:2", "hkdfSync", "sync-cpu"},
        {"generateKeyPairSync node:internal/crypto/keygen:1:2", "generateKeyPairSync", "sync-cpu"},
        {"signOneShot node:internal/crypto/sig:1:2", "signOneShot", "sync-cpu"},
        {"zlibBufferSync node:zlib:1:2", "zlibBufferSync", "sync-cpu"},
        {"memoryUsage node:internal/process/per_thread:1:2", "memoryUsage", "sync-io"},
        {"update node:internal/crypto/hash:1:2", NULL, NULL},
        {"emitSync node:events:1:2", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[256];
        snprintf(line, sizeof line, HANDLER ";%s 7\n", cases[i].frame);
        struct found found = find(line);
        if (cases[i].call) {
            assert_int_equal(found.blocking->call_count, 1);
            assert_call(&found, found.blocking->calls, 0, cases[i].call, cases[i].class, 7, 0,
                        HANDLER);
        } else {
            assert_sums(&found, 0, 0);
        }
        give_back(&found);
    }
}

static void package_calls(void **state) {
    (void)state;
    static const struct {
        const char *frame, *call;
    } cases[] = {
        {"compareSync /a/node_modules/bcrypt/bcrypt.js:1:2", "compareSync"},
        {"bcrypt.compareSync /a/node_modules/bcryptjs/dist/bcrypt.js:1:2", "compareSync"},
        {"hashSync /a/node_modules/.pnpm/bcrypt@5.1.1/node_modules/bcrypt/bcrypt.js:1:2",
         "hashSync"},
        {"compareSync C:\\a\\node_modules\\bcrypt\\bcrypt.js:1:2", "compareSync"},
        {"hashSync /a/node_modules/@node-rs/argon2/index.js:1:2", "hashSync"},
        {"copySync /a/node_modules/fs-extra/lib/copy/copy-sync.js:1:2", "copySync"},
        {"(anonymous) /a/node_modules/jsonwebtoken/verify.js:1:2", "verify"},
        {"execaSync /a/node_modules/execa/lib/methods/main-sync.js:1:2", "execaSync"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[256];
        snprintf(line, sizeof line, HANDLER ";%s;inner /a/x.js:9:9 7\n", cases[i].frame);
        struct found found = find(line);
        assert_int_equal(found.blocking->call_count, 1);
        assert_string_equal(found.blocking->calls[0].name, cases[i].call);
        assert_sums(&found, 7, 0);
        give_back(&found);
    }
}

/* The outermost call counts, and its caller is outside its own package. */
static void outermost(void **state) {
    (void)state;
    struct found found =
        find(HANDLER ";compareSync /a/node_modules/bcryptjs/index.js:1:2;"
                     "hashSync /a/node_modules/bcryptjs/index.js:5:2;"
                     "randomFillSync node:internal/crypto/random:1:2 5\n" HANDLER
                     ";wrapper /a/node_modules/bcryptjs/index.js:9:9;"
                     "compareSync /a/node_modules/bcryptjs/index.js:1:2 3\n" HANDLER
                     ";tryStat /a/node_modules/express/lib/view.js:1:2;statSync " FS
                     ";existsSync " FS " 2\n");
    assert_sums(&found, 10, 0);
    assert_call(&found, found.blocking->calls, 0, "compareSync", "sync-cpu", 8, 0, HANDLER);
    assert_int_equal(found.blocking->calls[0].caller_count, 1);
    assert_call(&found, found.blocking->calls, 1, "statSync", "sync-io", 2, 0,
                "tryStat /a/node_modules/express/lib/view.js:1:2");
    assert_int_equal(found.blocking->call_count, 2);
    give_back(&found);
}

/* Loading at start is apart; a `require` below the application's code is a call of its own. */
static void module_loading(void **state) {
    (void)state;
    static const char start[] =
        "main;Module._load node:internal/modules/cjs/loader:1:2;"
        "(anonymous) /srv/app/index.js:1:1;require node:internal/modules/helpers:1:2;"
        "readFileSync " FS " 3\n"
        "main;Module._load node:internal/modules/cjs/loader:1:2;"
        "(anonymous) /srv/app/index.js:1:1;execSync node:child_process:1:2 4\n"
        "node::loader::ModuleWrap::Evaluate;(anonymous) /srv/app/main.mjs:1:1;readFileSync " FS
        " 5\n"
        "Module._load module.js:1:2;Module.require module.js:3:4;readFileSync fs.js:1:2 6\n";
    struct found found = find(start);
    assert_sums(&found, 0, 18);
    assert_call(&found, found.blocking->calls, 0, "readFileSync", "sync-io", 0, 14, NULL);
    assert_call(&found, found.blocking->calls, 1, "execSync", "sync-io", 0, 4, NULL);
    give_back(&found);

    found = find(HANDLER ";require node:internal/modules/helpers:1:2;"
                         "Module._load node:internal/modules/cjs/loader:1:2;readFileSync " FS
                         " 3\n" HANDLER ";require node:internal/modules/helpers:1:2;"
                         "wrapSafe node:internal/modules/cjs/loader:9:9 2\n");
    assert_sums(&found, 5, 0);
    assert_int_equal(found.blocking->call_count, 1);
    assert_call(&found, found.blocking->calls, 0, "require", "sync-io", 5, 0, HANDLER);
    give_back(&found);
}

/* `*Sync` of packages that are not in the catalogue, unless a call of the catalogue is inside. */
static void by_name(void **state) {
    (void)state;
    struct found found =
        find(HANDLER ";parseSync /a/node_modules/thing/x.js:1:2 4\n" HANDLER
                     ";parseSync /a/node_modules/thing/x.js:1:2;readFileSync " FS " 6\n");
    assert_sums(&found, 10, 0);
    assert_call(&found, found.blocking->calls, 0, "readFileSync", "sync-io", 6, 0,
                "parseSync /a/node_modules/thing/x.js:1:2");
    assert_call(&found, found.blocking->calls, 1, "parseSync", "sync-cpu", 4, 0, HANDLER);
    assert_non_null(strstr(found.blocking->calls[1].kind->instead, "not in the catalogue"));
    give_back(&found);
}

/* Heavy calls stand beside the total, from 5 % of busy time on. */
static void heavy(void **state) {
    (void)state;
    struct found found =
        find(HANDLER ";RegExp:^(a+)+$ 20\n" HANDLER ";RegExp:x 5\n" HANDLER
                     ";v8::internal::JsonParser<unsigned char>::ParseJsonValue 10\n"
                     "processImmediate node:internal/timers:1:2;"
                     "next /a/node_modules/bcryptjs/dist/bcrypt.js:1:2;"
                     "_encipher /a/node_modules/bcryptjs/dist/bcrypt.js:3:4 30\n" HANDLER
                     ";Builtin:ArrayTimSort 1\n" HANDLER " 34\n");
    assert_sums(&found, 0, 0);
    assert_int_equal(found.blocking->call_count, 0);
    assert_int_equal(found.blocking->heavy_count, 3);
    const struct blocking_call *calls = found.blocking->heavy;
    assert_int_equal(calls[0].total.whole, 30);
    assert_true(text_contains(text_of(calls[0].name), TEXT("bcryptjs")));
    assert_call(&found, calls, 1, "RegExp", "heavy", 25, 0, HANDLER);
    assert_call(&found, calls, 2, "JSON.parse", "heavy", 10, 0, HANDLER);
    give_back(&found);
}

/* The collector's time belongs to no call. */
static void collector(void **state) {
    (void)state;
    struct found found = find(HANDLER ";readFileSync " FS ";(garbage collector) 3\n" HANDLER
                                      ";readFileSync " FS " 2\n");
    assert_sums(&found, 2, 0);
    give_back(&found);
}

static void callers(void **state) {
    (void)state;
    struct found found = find("b /srv/b.js:1:1;readFileSync " FS " 2\n"
                              "a /srv/a.js:1:1;readFileSync " FS " 2\n"
                              "c /srv/c.js:1:1;open node:internal/x:1:1;readFileSync " FS " 5\n"
                              "main;readFileSync " FS " 1\n");
    assert_int_equal(found.blocking->call_count, 1);
    const struct blocking_call *call = &found.blocking->calls[0];
    static const char *const expected[] = {"c /srv/c.js:1:1", "a /srv/a.js:1:1", "b /srv/b.js:1:1",
                                           ""};
    assert_int_equal(call->caller_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_true(text_equal(found.tree->functions[call->callers[i].function].label,
                               text_of(expected[i])));
    assert_int_equal(call->callers[3].function, 0);
    give_back(&found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(field_case), cmocka_unit_test(other_functions),
        cmocka_unit_test(core_calls), cmocka_unit_test(package_calls),
        cmocka_unit_test(outermost),  cmocka_unit_test(module_loading),
        cmocka_unit_test(by_name),    cmocka_unit_test(heavy),
        cmocka_unit_test(collector),  cmocka_unit_test(callers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
