// SPDX-License-Identifier: MIT
/* Calls known by node's C++ alone, in native stacks whose JavaScript has no names. */
#include "tests/unit/tally_support.h"

#include <string.h>

#define ENTRY                                                                                      \
    "main;node::Start;uv_run;Builtins_JSEntry;[js unknown];Builtins_CallApiCallbackGeneric;"
#define POOL   "start_thread;worker;"
#define PBKDF2 "node::crypto::DeriveBitsJob<node::crypto::PBKDF2Traits>::DoThreadPoolWork"

/* Weights of the call of a name in folded stacks; 0 where it is not listed. */
static void assert_call(struct text folded, const char *name, uint64_t total, uint64_t startup) {
    struct profile *profile = support_profile(folded);
    profile->native_stacks = true;
    struct view view = {0};
    struct call_tree *tree = call_tree_build(profile, &view);
    struct blocking *blocking = blocking_find(tree);
    uint64_t found = 0, found_startup = 0;
    for (size_t i = 0; i < blocking->call_count; i++) {
        const struct blocking_call *call = &blocking->calls[i];
        if (strcmp(call->name, name) != 0)
            continue;
        /* Each call is listed once. */
        assert_int_equal(found + found_startup, 0);
        found = call->total.whole;
        found_startup = call->startup.whole;
        assert_non_null(call->kind->instead);
    }
    assert_int_equal(found, total);
    assert_int_equal(found_startup, startup);
    blocking_free(blocking);
    call_tree_free(tree);
    profile_free(profile);
}

static void computations(void **state) {
    (void)state;
    struct text folded = TEXT(
        ENTRY "node::crypto::CryptoJob<node::crypto::PBKDF2Traits>::Run;" PBKDF2 ";sha512 5\n"
              "main;node::Start;Builtins_JSEntry;pbkdf2Sync node:internal/crypto/pbkdf2:1:2;"
              "non-virtual thunk to " PBKDF2 ";sha512 7\n" POOL PBKDF2 ";sha512 100\n" ENTRY
              "node::crypto::CryptoJob<node::crypto::PBKDF2Traits>::Run;uv__work_submit 11\n" ENTRY
              "node::SyncProcessRunner::Spawn;uv_run 3\n" ENTRY
              "node::(anonymous namespace)::CompressionStream<node::(anonymous namespace)::"
              "ZlibContext>::DoThreadPoolWork;deflate 13\n");
    assert_call(folded, "pbkdf2Sync", 12, 0);
    assert_call(folded, "spawnSync", 3, 0);
    assert_call(folded, "zlib *Sync", 13, 0);
}

/* libuv serves a file request at once, or hands it to a thread. */
static void files(void **state) {
    (void)state;
    struct text folded =
        TEXT(ENTRY "node::fs::Read;uv_fs_read;read;vfs_read 5\n" ENTRY
                   "node::fs::Open;uv_fs_open;uv__fs_work;open64 6\n" ENTRY
                   "node::fs::Read;uv_fs_read;uv__work_submit;futex 7\n" ENTRY
                   "node::fs::Read;uv_fs_read;__GI___lll_lock_wake 8\n" ENTRY
                   "node::fs::Open;uv_fs_open;malloc 13\n" ENTRY
                   "node::fs::Open;uv_fs_open;__memcpy_avx_unaligned_erms 14\n" ENTRY
                   "node::fs::Open;uv_fs_open;asm_exc_page_fault;exc_page_fault 15\n" ENTRY
                   "node::fs::Read;uv_fs_fstat;__GI___fstat64;[kernel] 20\n" ENTRY
                   "node::fs::Close;uv_fs_close;__close_nocancel 40\n" ENTRY
                   "node::fs::Read;node::fs::GetReqWrap 9\n" ENTRY
                   "readFileSync node:fs:1:2;uv_fs_read;read 10\n" POOL "uv_fs_read;read 11\n" ENTRY
                   "node::fs::ReadFileUtf8;uv_fs_open;open64 12\n");
    assert_call(folded, "fs *Sync", 71, 0);
    assert_call(folded, "readFileSync", 22, 0);
}

/* Below the loading of the program it is start-up. */
static void startup(void **state) {
    (void)state;
    struct text folded =
        TEXT("main;node::Start;node::LoadEnvironment;Builtins_JSEntry;"
             "Builtins_InterpreterEntryTrampoline;node::fs::Read;uv_fs_read;read 5\n");
    assert_call(folded, "fs *Sync", 0, 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computations),
        cmocka_unit_test(files),
        cmocka_unit_test(startup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
