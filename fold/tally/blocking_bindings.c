// SPDX-License-Identifier: MIT
/* The catalogue's rows for node's own C++ below JavaScript: what a call is when its JavaScript has
 * no name. The same functions run on the libuv pool in the asynchronous forms, there without
 * JavaScript outside of them. */
#include "fold/tally/blocking_catalogue.h"

#define IO  BLOCKING_SYNC_IO
#define CPU BLOCKING_SYNC_CPU

/* These calls have a row in core's JavaScript, whose advice counts. */
#define SAME_IN_CORE(call, class)                                                                  \
    { call, class, NULL, NULL }

#define ZLIB_INSTEAD "Use the form with a callback, or a stream; compress static files ahead."

static const struct blocking_rule rules[] = {
    {NULL, NULL, "node::fs::ReadFileUtf8", SAME_IN_CORE("readFileSync", IO)},
    {NULL, NULL, "node::fs::WriteFileUtf8", SAME_IN_CORE("writeFileSync", IO)},
    {NULL, NULL, "node::fs::ExistsSync", SAME_IN_CORE("existsSync", IO)},
    {NULL, NULL, "node::fs::CpSync", SAME_IN_CORE("cpSync", IO)},
    {NULL, NULL, "node::fs::RmSync", SAME_IN_CORE("rmSync", IO)},
    {NULL, NULL, "node::SyncProcessRunner::", SAME_IN_CORE("spawnSync", IO)},
    {NULL,
     NULL,
     "node::sqlite::StatementSync::",
     {"StatementSync", IO, "Run queries of node:sqlite in a worker thread.",
      "Copying rows between threads costs."}},
    {NULL, NULL, "PBKDF2Traits::DeriveBits", SAME_IN_CORE("pbkdf2Sync", CPU)},
    {NULL, "DoThreadPoolWork", "PBKDF2Traits>", SAME_IN_CORE("pbkdf2Sync", CPU)},
    {NULL, NULL, "ScryptTraits::DeriveBits", SAME_IN_CORE("scryptSync", CPU)},
    {NULL, "DoThreadPoolWork", "ScryptTraits>", SAME_IN_CORE("scryptSync", CPU)},
    {NULL, NULL, "Argon2Traits::DeriveBits", SAME_IN_CORE("argon2Sync", CPU)},
    {NULL, "DoThreadPoolWork", "Argon2Traits>", SAME_IN_CORE("argon2Sync", CPU)},
    {NULL, NULL, "HKDFTraits::DeriveBits", SAME_IN_CORE("hkdfSync", CPU)},
    {NULL, "DoThreadPoolWork", "HKDFTraits>", SAME_IN_CORE("hkdfSync", CPU)},
    {NULL, NULL, "RandomPrimeTraits::DeriveBits", SAME_IN_CORE("generatePrimeSync", CPU)},
    {NULL, "DoThreadPoolWork", "RandomPrimeTraits>", SAME_IN_CORE("generatePrimeSync", CPU)},
    {NULL, NULL, "CheckPrimeTraits::DeriveBits", SAME_IN_CORE("checkPrimeSync", CPU)},
    {NULL, "DoThreadPoolWork", "CheckPrimeTraits>", SAME_IN_CORE("checkPrimeSync", CPU)},
    {NULL, "DoThreadPoolWork", "KeyPairGenTraits", SAME_IN_CORE("generateKeyPairSync", CPU)},
    {NULL, NULL, "SignTraits::DeriveBits", SAME_IN_CORE("signOneShot", CPU)},
    {NULL, "DoThreadPoolWork", "SignTraits>", SAME_IN_CORE("signOneShot", CPU)},
    {NULL, "DoThreadPoolWork", "ZlibContext", {"zlib *Sync", CPU, ZLIB_INSTEAD, NULL}},
    {NULL, "DoThreadPoolWork", "Brotli", {"brotli*Sync", CPU, ZLIB_INSTEAD, NULL}},
    {NULL, "DoThreadPoolWork", "Zstd", {"zstd*Sync", CPU, ZLIB_INSTEAD, NULL}},
};

const struct blocking_table blocking_binding_table = {rules, sizeof rules / sizeof *rules};

const struct blocking_call_kind blocking_file_call = {
    "fs *Sync", IO,
    "Use the functions of fs.promises, or keep what was read. Names of JavaScript would tell which "
    "one it is.",
    NULL};
