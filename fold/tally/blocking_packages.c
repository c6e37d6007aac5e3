// SPDX-License-Identifier: MIT
/* The catalogue's rows for npm packages. */
#include "fold/tally/blocking_catalogue.h"

#define IO    BLOCKING_SYNC_IO
#define CPU   BLOCKING_SYNC_CPU
#define HEAVY BLOCKING_HEAVY

/* Sentences that several rows share. */
#define BCRYPT_PRICE                                                                               \
    "Hashing moves to the 4 threads of the libuv pool; more logins at once queue there with file " \
    "and DNS work."
#define BCRYPTJS_INSTEAD                                                                           \
    "Use compare or hash of the native bcrypt or @node-rs/bcrypt package, or a worker."
#define BCRYPTJS_PRICE                                                                             \
    "The package's own asynchronous form computes on this same thread, in slices."
#define ARGON_PRICE    "Memory is the memory cost times the number of hashes at once."
#define ASYNC_ONCE     "Use the asynchronous form, or do it once at start."
#define FILES_PRICE    "A big tree is still many tasks for the thread pool."
#define CHILD_INSTEAD  "Use the asynchronous form, and keep results that do not change."
#define BUILD_INSTEAD  "Do this when building, not while serving; or use the asynchronous form."
#define WORKER_INSTEAD "Move it to a worker, or use a streaming reader."
#define WORKER_PRICE   "A worker pays for copying the data."
#define SQL_INSTEAD    "Give the database to a worker; add indexes and LIMIT."
#define SQL_PRICE      "Rows are copied between threads; tiny indexed reads may stay."
#define STORE_INSTEAD  "Write later and less often, through an asynchronous adapter."
#define STORE_PRICE    "What was not written is lost in a crash."
#define JWT_INSTEAD                                                                                \
    "Use jose (which computes in the thread pool), ES256 or EdDSA; keep checked tokens."
#define JWT_PRICE      "The callback form computes on this thread too; the pool costs 50 us a call."
#define RENDER_INSTEAD "Keep rendered pages or parts of them, or render in a worker."
#define CLONE_INSTEAD  "Copy only the part that changes."
#define VALIDATE_PRICE "Compile schemas once, not for each request."

static const struct blocking_rule package_rules[] = {
    {"bcrypt", NULL, "compareSync", {"compareSync", CPU, "Use compare.", BCRYPT_PRICE}},
    {"bcrypt", NULL, "hashSync", {"hashSync", CPU, "Use hash.", BCRYPT_PRICE}},
    {"bcrypt", NULL, "genSaltSync", {"genSaltSync", CPU, "Use genSalt.", BCRYPT_PRICE}},
    {"@node-rs/bcrypt",
     NULL,
     "*Sync",
     {BLOCKING_OWN_NAME, CPU, "Use compare or hash.", BCRYPT_PRICE}},
    {"bcryptjs", NULL, "*Sync", {BLOCKING_OWN_NAME, CPU, BCRYPTJS_INSTEAD, BCRYPTJS_PRICE}},
    {"bcryptjs",
     NULL,
     NULL,
     {"bcryptjs (asynchronous form)", HEAVY, BCRYPTJS_INSTEAD, BCRYPTJS_PRICE}},
    {"@node-rs/argon2",
     NULL,
     "*Sync",
     {BLOCKING_OWN_NAME, CPU, "Use hash or verify.", ARGON_PRICE}},
    {"argon2", NULL, "*Sync", {BLOCKING_OWN_NAME, CPU, "Use hash or verify.", ARGON_PRICE}},
    {"jsonwebtoken", "verify.js", NULL, {"verify", CPU, JWT_INSTEAD, JWT_PRICE}},
    {"jsonwebtoken", "sign.js", NULL, {"sign", CPU, JWT_INSTEAD, JWT_PRICE}},
    {"better-sqlite3", NULL, "exec", {"exec", IO, SQL_INSTEAD, SQL_PRICE}},
    {"better-sqlite3", NULL, "pragma", {"pragma", IO, SQL_INSTEAD, SQL_PRICE}},
    {"better-sqlite3", NULL, "prepare", {"prepare", IO, SQL_INSTEAD, SQL_PRICE}},
    {"better-sqlite3", NULL, "sqliteTransaction", {"transaction", IO, SQL_INSTEAD, SQL_PRICE}},
    {"libsql", NULL, "exec", {"exec", IO, SQL_INSTEAD, SQL_PRICE}},
    {"lmdb", NULL, "*Sync", {BLOCKING_OWN_NAME, IO, SQL_INSTEAD, SQL_PRICE}},
    {"write-file-atomic", NULL, "*Sync", {BLOCKING_OWN_NAME, IO, STORE_INSTEAD, STORE_PRICE}},
    {"write-file-atomic", NULL, "sync", {"sync", IO, STORE_INSTEAD, STORE_PRICE}},
    {"lowdb", NULL, "*Sync", {BLOCKING_OWN_NAME, IO, STORE_INSTEAD, STORE_PRICE}},
    {"fs-extra", NULL, "*Sync", {BLOCKING_OWN_NAME, IO, ASYNC_ONCE, FILES_PRICE}},
    {"glob", NULL, "sync", {"glob.sync", IO, ASYNC_ONCE, FILES_PRICE}},
    {"glob", NULL, "globSync", {"globSync", IO, ASYNC_ONCE, FILES_PRICE}},
    {"fast-glob", NULL, "sync", {"fast-glob.sync", IO, ASYNC_ONCE, FILES_PRICE}},
    {"fast-glob", NULL, "globSync", {"globSync", IO, ASYNC_ONCE, FILES_PRICE}},
    {"globby", NULL, "sync", {"globby.sync", IO, ASYNC_ONCE, FILES_PRICE}},
    {"globby", NULL, "globbySync", {"globbySync", IO, ASYNC_ONCE, FILES_PRICE}},
    {"rimraf", NULL, "*Sync", {BLOCKING_OWN_NAME, IO, ASYNC_ONCE, FILES_PRICE}},
    {"rimraf", NULL, "sync", {"rimraf.sync", IO, ASYNC_ONCE, FILES_PRICE}},
    {"mkdirp", NULL, "*Sync", {BLOCKING_OWN_NAME, IO, ASYNC_ONCE, NULL}},
    {"mkdirp", NULL, "sync", {"mkdirp.sync", IO, ASYNC_ONCE, NULL}},
    {"find-up", NULL, "*Sync", {BLOCKING_OWN_NAME, IO, ASYNC_ONCE, NULL}},
    {"find-up", NULL, "sync", {"find-up.sync", IO, ASYNC_ONCE, NULL}},
    {"resolve", NULL, "resolveSync", {"resolveSync", IO, ASYNC_ONCE, NULL}},
    {"cosmiconfig", NULL, "*Sync", {BLOCKING_OWN_NAME, IO, ASYNC_ONCE, NULL}},
    {"dotenv", NULL, "config", {"config", IO, "Read the settings once at start.", NULL}},
    {"dotenv",
     NULL,
     "configDotenv",
     {"configDotenv", IO, "Read the settings once at start.", NULL}},
    {"execa", NULL, "*Sync", {BLOCKING_OWN_NAME, IO, CHILD_INSTEAD, NULL}},
    {"execa", NULL, "sync", {"execa.sync", IO, CHILD_INSTEAD, NULL}},
    {"cross-spawn", NULL, "spawnSync", {"spawnSync", IO, CHILD_INSTEAD, NULL}},
    {"which", NULL, "whichSync", {"whichSync", IO, CHILD_INSTEAD, NULL}},
    {"which", NULL, "sync", {"which.sync", IO, CHILD_INSTEAD, NULL}},
    {"node-machine-id", NULL, "machineIdSync", {"machineIdSync", IO, CHILD_INSTEAD, NULL}},
    {"sass", NULL, "compile", {"compile", CPU, BUILD_INSTEAD, NULL}},
    {"sass", NULL, "renderSync", {"renderSync", CPU, BUILD_INSTEAD, NULL}},
    {"esbuild", NULL, "*Sync", {BLOCKING_OWN_NAME, CPU, BUILD_INSTEAD, NULL}},
    {"@swc/core", NULL, "*Sync", {BLOCKING_OWN_NAME, CPU, BUILD_INSTEAD, NULL}},
    {"@babel/core",
     NULL,
     "*Sync",
     {BLOCKING_OWN_NAME, CPU, "Do this when building, not while serving.",
      "The asynchronous form computes on this thread too."}},
    {"typescript",
     NULL,
     "transpileModule",
     {"transpileModule", CPU, "Do this when building, not while serving.", NULL}},
    {"postcss", NULL, "sync", {"postcss.sync", CPU, BUILD_INSTEAD, NULL}},
    {"adm-zip", NULL, NULL, {"adm-zip", CPU, "Use yauzl or archiver, which stream.", NULL}},
    {"jszip", NULL, "generateAsync", {"generateAsync", CPU, WORKER_INSTEAD, WORKER_PRICE}},
    {"pako", NULL, NULL, {"pako", CPU, "Use zlib of Node, with a callback or as a stream.", NULL}},
    {"fflate",
     NULL,
     "*Sync",
     {BLOCKING_OWN_NAME, CPU, "Use the asynchronous form.", "It starts workers for each call."}},
    {"csv-parse", "sync.js", NULL, {"csv-parse/sync", CPU, "Use the streaming form.", NULL}},
    {"csv-parse", "sync.cjs", NULL, {"csv-parse/sync", CPU, "Use the streaming form.", NULL}},
    {"xlsx", NULL, NULL, {"xlsx", CPU, WORKER_INSTEAD, WORKER_PRICE}},
    {"jimp", NULL, NULL, {"jimp", CPU, "Use sharp, or a worker.", WORKER_PRICE}},
    {"jpeg-js", NULL, NULL, {"jpeg-js", CPU, "Use sharp, or a worker.", WORKER_PRICE}},

    {"react-dom",
     NULL,
     "renderToString",
     {"renderToString", HEAVY, RENDER_INSTEAD,
      "Streaming needs the same CPU, it only starts earlier."}},
    {"ejs", NULL, "compile", {"ejs.compile", HEAVY, "Keep compiled templates.", NULL}},
    {"pug", NULL, "compile", {"pug.compile", HEAVY, "Keep compiled templates.", NULL}},
    {"handlebars",
     NULL,
     "compile",
     {"handlebars.compile", HEAVY, "Keep compiled templates.", NULL}},
    {"lodash", NULL, "cloneDeep", {"cloneDeep", HEAVY, CLONE_INSTEAD, NULL}},
    {"lodash.clonedeep", NULL, NULL, {"cloneDeep", HEAVY, CLONE_INSTEAD, NULL}},
    {"ajv", NULL, "compile", {"ajv.compile", HEAVY, "Compile each schema once.", NULL}},
    {"joi",
     NULL,
     "validate",
     {"joi.validate", HEAVY, "Check input once, at the edge.", VALIDATE_PRICE}},
    {"marked", NULL, NULL, {"marked", HEAVY, "Limit the input, and keep the result.", NULL}},
    {"sanitize-html",
     NULL,
     NULL,
     {"sanitize-html", HEAVY, "Limit the input, and keep the result.", NULL}},
    {"jsdom",
     NULL,
     NULL,
     {"jsdom", HEAVY, "Limit the input, or move it to a worker.", WORKER_PRICE}},
    {"cheerio",
     NULL,
     NULL,
     {"cheerio", HEAVY, "Limit the input, or move it to a worker.", WORKER_PRICE}},
    {"js-tiktoken",
     NULL,
     NULL,
     {"js-tiktoken", HEAVY, "Limit the input, or move it to a worker.", WORKER_PRICE}},
    {"gpt-tokenizer",
     NULL,
     NULL,
     {"gpt-tokenizer", HEAVY, "Limit the input, or move it to a worker.", WORKER_PRICE}},
};

const struct blocking_table blocking_package_table = {package_rules,
                                                      sizeof package_rules / sizeof *package_rules};
