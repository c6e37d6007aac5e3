// SPDX-License-Identifier: MIT
/* The catalogue's rows for Node core and for native code. */
#include "fold/tally/blocking_catalogue.h"

#define IO    BLOCKING_SYNC_IO
#define CPU   BLOCKING_SYNC_CPU
#define HEAVY BLOCKING_HEAVY

/* Sentences that several rows share. */
#define POOL_IS_SHARED                                                                             \
    "The work moves to the 4 threads of the libuv pool and queues there with file and DNS work; "  \
    "CPU per request does not fall."
#define SMALL_FILES_COST "Other requests wait less, but each call costs somewhat more CPU."
#define TREE_TASKS       "A big tree is still many tasks for the pool; limit how many run at once."
#define CHILD_INSTEAD    "Use execFile or spawn, and keep results that do not change."
#define CHILD_PRICE      "Limit how many children run at once: each costs memory and a core."
#define KDF_INSTEAD      "Use the form with a callback or promise, with a limit on how many run."
#define KEYS_INSTEAD     "Use the form with a callback, make keys ahead, or prefer EC and Ed25519 keys."
#define ZLIB_INSTEAD                                                                               \
    "It is what zlib.gzipSync and its like call: use the form with a callback, or a stream; "      \
    "compress static files ahead."
#define ZLIB_PRICE       "Each stream holds 32 KB to some MB of native memory."
#define SIGN_INSTEAD     "Pass a callback to crypto.sign and crypto.verify, or keep checked tokens."
#define SIGN_PRICE       "The way through the thread pool costs about 50 us: not worth it for HMAC."
#define WRITE_INSTEAD    "Use fs.promises, or one WriteStream per file, and write in batches."
#define WRITE_PRICE      "Order and safety in a crash change: lines not yet written are lost."
#define SNAPSHOT_INSTEAD "Do it only on a process that serves nobody at that time."

static const struct blocking_rule core_rules[] = {
    {NULL,
     "fs",
     "readFileSync",
     {"readFileSync", IO,
      "Read once at start and keep the result, or use fs.promises.readFile; stream big files.",
      SMALL_FILES_COST}},
    {NULL, "fs", "writeFileSync", {"writeFileSync", IO, WRITE_INSTEAD, WRITE_PRICE}},
    {NULL, "fs", "appendFileSync", {"appendFileSync", IO, WRITE_INSTEAD, WRITE_PRICE}},
    {NULL, "fs", "writeSync", {"writeSync", IO, WRITE_INSTEAD, WRITE_PRICE}},
    {NULL, "fs", "writevSync", {"writevSync", IO, WRITE_INSTEAD, WRITE_PRICE}},
    {NULL, "fs", "fsyncSync", {"fsyncSync", IO, WRITE_INSTEAD, WRITE_PRICE}},
    {NULL, "fs", "fdatasyncSync", {"fdatasyncSync", IO, WRITE_INSTEAD, WRITE_PRICE}},
    {NULL,
     "fs",
     "existsSync",
     {"existsSync", IO, "Open the file and handle ENOENT, or keep the answer.", SMALL_FILES_COST}},
    {NULL,
     "fs",
     "accessSync",
     {"accessSync", IO, "Open the file and handle the error, or keep the answer.",
      SMALL_FILES_COST}},
    {NULL,
     "fs",
     "statSync",
     {"statSync", IO, "Use fs.promises.stat, or keep the answer.", SMALL_FILES_COST}},
    {NULL,
     "fs",
     "lstatSync",
     {"lstatSync", IO, "Use fs.promises.lstat, or keep the answer.", SMALL_FILES_COST}},
    {NULL,
     "fs",
     "realpathSync",
     {"realpathSync", IO, "Use fs.promises.realpath, or keep the answer.", SMALL_FILES_COST}},
    {NULL,
     "fs",
     "readdirSync",
     {"readdirSync", IO, "Use fs.promises.readdir or opendir, or keep the answer.",
      SMALL_FILES_COST}},
    {NULL, "fs", "cpSync", {"cpSync", IO, "Use fs.promises.cp.", TREE_TASKS}},
    {NULL, "fs", "rmSync", {"rmSync", IO, "Use fs.promises.rm.", TREE_TASKS}},
    {NULL, "fs", "mkdirSync", {"mkdirSync", IO, "Use fs.promises.mkdir.", SMALL_FILES_COST}},
    {NULL,
     "fs",
     "copyFileSync",
     {"copyFileSync", IO, "Use fs.promises.copyFile.", SMALL_FILES_COST}},
    {NULL, "fs", "globSync", {"globSync", IO, "Use fs.promises.glob, once at start.", TREE_TASKS}},
    {NULL,
     "fs",
     "*Sync",
     {BLOCKING_OWN_NAME, IO, "Use the function of the same name in fs.promises.",
      SMALL_FILES_COST}},
    {NULL,
     "internal/fs/",
     "*Sync",
     {BLOCKING_OWN_NAME, IO, "Use the function of the same name in fs.promises.",
      SMALL_FILES_COST}},

    {NULL, "child_process", "execSync", {"execSync", IO, CHILD_INSTEAD, CHILD_PRICE}},
    {NULL, "child_process", "execFileSync", {"execFileSync", IO, CHILD_INSTEAD, CHILD_PRICE}},
    {NULL, "child_process", "spawnSync", {"spawnSync", IO, CHILD_INSTEAD, CHILD_PRICE}},
    {NULL, "internal/child_process", "spawnSync", {"spawnSync", IO, CHILD_INSTEAD, CHILD_PRICE}},

    {NULL,
     "internal/crypto/pbkdf2",
     "pbkdf2Sync",
     {"pbkdf2Sync", CPU, KDF_INSTEAD, POOL_IS_SHARED}},
    {NULL,
     "internal/crypto/scrypt",
     "scryptSync",
     {"scryptSync", CPU, KDF_INSTEAD, POOL_IS_SHARED}},
    {NULL,
     "internal/crypto/argon2",
     "argon2Sync",
     {"argon2Sync", CPU, KDF_INSTEAD, POOL_IS_SHARED}},
    {NULL, "internal/crypto/hkdf", "hkdfSync", {"hkdfSync", CPU, KDF_INSTEAD, POOL_IS_SHARED}},
    {NULL,
     "internal/crypto/keygen",
     "generateKeyPairSync",
     {"generateKeyPairSync", CPU, KEYS_INSTEAD, POOL_IS_SHARED}},
    {NULL,
     "internal/crypto/keygen",
     "generateKeySync",
     {"generateKeySync", CPU, KEYS_INSTEAD, POOL_IS_SHARED}},
    {NULL,
     "internal/crypto/random",
     "generatePrimeSync",
     {"generatePrimeSync", CPU, KEYS_INSTEAD, POOL_IS_SHARED}},
    {NULL,
     "internal/crypto/random",
     "checkPrimeSync",
     {"checkPrimeSync", CPU, KEYS_INSTEAD, POOL_IS_SHARED}},
    {NULL,
     "internal/crypto/random",
     "randomFillSync",
     {"randomFillSync", CPU,
      "Pass a callback for more than 64 KiB; take ids from a buffer made ahead.",
      "For small sizes the synchronous form is the faster one."}},
    {NULL, "internal/crypto/sig", "signOneShot", {"signOneShot", CPU, SIGN_INSTEAD, SIGN_PRICE}},
    {NULL,
     "internal/crypto/sig",
     "verifyOneShot",
     {"verifyOneShot", CPU, SIGN_INSTEAD, SIGN_PRICE}},
    {NULL, "internal/crypto/sig", "sign", {"sign", CPU, SIGN_INSTEAD, SIGN_PRICE}},
    {NULL, "internal/crypto/sig", "verify", {"verify", CPU, SIGN_INSTEAD, SIGN_PRICE}},
    {NULL,
     "crypto",
     "*Sync",
     {BLOCKING_OWN_NAME, CPU, "Use the form with a callback.", POOL_IS_SHARED}},
    {NULL,
     "internal/crypto/",
     "*Sync",
     {BLOCKING_OWN_NAME, CPU, "Use the form with a callback.", POOL_IS_SHARED}},

    {NULL, "zlib", "*Sync", {BLOCKING_OWN_NAME, CPU, ZLIB_INSTEAD, ZLIB_PRICE}},

    {NULL,
     "vm",
     "Script",
     {"vm.Script", CPU, "Compile once and keep the Script, or store its cachedData.", NULL}},
    {NULL,
     "v8",
     "writeHeapSnapshot",
     {"writeHeapSnapshot", IO, SNAPSHOT_INSTEAD,
      "It stops the thread for seconds and needs as much memory again."}},
    {NULL,
     "v8",
     "getHeapSnapshot",
     {"getHeapSnapshot", IO, SNAPSHOT_INSTEAD,
      "It stops the thread for seconds and needs as much memory again."}},
    {NULL, "internal/process/report", "writeReport", {"writeReport", IO, SNAPSHOT_INSTEAD, NULL}},
    {NULL,
     "internal/process/per_thread",
     "memoryUsage",
     {"memoryUsage", IO, "Use process.memoryUsage.rss(), or read it on a timer.", NULL}},
    {NULL,
     "internal/process/per_thread",
     "resourceUsage",
     {"resourceUsage", IO, "Read it on a timer, not for each request.", NULL}},
    {NULL, "os", "cpus", {"cpus", IO, "Read it on a timer, not for each request.", NULL}},
    {NULL,
     "os",
     "networkInterfaces",
     {"networkInterfaces", IO, "Read it once, or on a timer.", NULL}},

    {NULL,
     "internal/crypto/hash",
     "update",
     {"hash.update", HEAVY, "Hash big data in pieces as it arrives, or in a worker.",
      "A worker copies the data, or takes it over."}},
    {NULL,
     "internal/util/inspect",
     "formatWithOptions",
     {"util.format", HEAVY, "Log less, and no whole objects.", NULL}},
    {NULL,
     "internal/util/inspect",
     "inspect",
     {"util.inspect", HEAVY, "Log less, and no whole objects.", NULL}},
    {NULL,
     "internal/errors",
     "prepareStackTraceCallback",
     {"Error.stack", HEAVY,
      "Do not read the stack of expected errors; lower Error.stackTraceLimit.",
      "Less is known when such an error was unexpected after all."}},
    {NULL,
     "internal/worker/js_transferable",
     "structuredClone",
     {"structuredClone", HEAVY, "Clone only what changes, or transfer ArrayBuffers.", NULL}},
    {NULL,
     "internal/tls/secure-context",
     "createSecureContext",
     {"createSecureContext", HEAVY, "Make one context or agent and use it for all connections.",
      NULL}},
    {NULL,
     "_tls_common",
     "createSecureContext",
     {"createSecureContext", HEAVY, "Make one context or agent and use it for all connections.",
      NULL}},
    {NULL,
     "internal/tls/common",
     "createSecureContext",
     {"createSecureContext", HEAVY, "Make one context or agent and use it for all connections.",
      NULL}},
    {NULL,
     "buffer",
     "concat",
     {"Buffer.concat", HEAVY, "Collect the pieces and join them once, or stream them.", NULL}},
};

#define JSON_PARSE_INSTEAD "Ask for less: smaller bodies, pages, a limit on the body's size."
#define JSON_PARSE_PRICE   "Streaming parsers take 2 to 10 times the CPU; a worker pays for the copy."
#define JSON_STRINGIFY_INSTEAD                                                                     \
    "Keep the text, stream the rows, or use a serialiser made from a schema."
#define JSON_STRINGIFY_PRICE "A schema drops fields that it does not know."
#define SORT_INSTEAD         "Sort in the database, compute keys ahead, or use one Intl.Collator."
#define INTL_INSTEAD         "Keep one formatter for each locale and set of options."

/* Native code is matched by a part of its name. */
static const struct blocking_rule native_rules[] = {
    {NULL,
     NULL,
     "AtomicsWait",
     {"Atomics.wait", IO, "Make the caller asynchronous, or wait in a worker.", NULL}},
    {NULL, NULL, "JsonParse", {"JSON.parse", HEAVY, JSON_PARSE_INSTEAD, JSON_PARSE_PRICE}},
    {NULL,
     NULL,
     "JsonStringif",
     {"JSON.stringify", HEAVY, JSON_STRINGIFY_INSTEAD, JSON_STRINGIFY_PRICE}},
    {NULL, NULL, "ArrayTimSort", {"Array.prototype.sort", HEAVY, SORT_INSTEAD, NULL}},
    {NULL, NULL, "ArrayPrototypeSort", {"Array.prototype.sort", HEAVY, SORT_INSTEAD, NULL}},
    {NULL, NULL, "ToLocaleString", {"toLocaleString", HEAVY, INTL_INSTEAD, NULL}},
    {NULL, NULL, "ToLocaleDateString", {"toLocaleDateString", HEAVY, INTL_INSTEAD, NULL}},
    {NULL, NULL, "ToLocaleTimeString", {"toLocaleTimeString", HEAVY, INTL_INSTEAD, NULL}},
    {NULL, NULL, "DateTimeFormatConstructor", {"Intl.DateTimeFormat", HEAVY, INTL_INSTEAD, NULL}},
    {NULL, NULL, "NumberFormatConstructor", {"Intl.NumberFormat", HEAVY, INTL_INSTEAD, NULL}},
    {NULL, NULL, "CollatorConstructor", {"Intl.Collator", HEAVY, INTL_INSTEAD, NULL}},
};

const struct blocking_table blocking_core_table = {core_rules,
                                                   sizeof core_rules / sizeof *core_rules};
const struct blocking_table blocking_native_table = {native_rules,
                                                     sizeof native_rules / sizeof *native_rules};
