// SPDX-License-Identifier: MIT
#include "fold/tally/classify.h"

#include "fold/model/v8_name.h"

/* Whether `text` starts with one of `count` strings. */
static bool starts_with_any(struct text text, const char *const *starts, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (text_starts_with(text, text_of(starts[i])))
            return true;
    }
    return false;
}

#define STARTS_WITH_ANY(text, starts)                                                              \
    starts_with_any(text, starts, sizeof(starts) / sizeof *(starts))

static bool is_slash(char byte) {
    return byte == '/' || byte == '\\';
}

/* The bytes up to the next slash. */
static struct text first_component(struct text path) {
    size_t size = 0;
    while (size < path.size && !is_slash(path.data[size]))
        size++;
    return (struct text){path.data, size};
}

/* What follows the last `node_modules/` of a path; empty without one. */
static struct text behind_node_modules(struct text path) {
    static const char folder[] = "node_modules";
    const size_t size = sizeof folder - 1;
    for (size_t end = path.size; end > size; end--) {
        size_t start = end - 1 - size;
        if (is_slash(path.data[end - 1]) && (start == 0 || is_slash(path.data[start - 1])) &&
            text_starts_with(text_skip(path, start), text_of(folder)))
            return text_skip(path, end);
    }
    return TEXT("");
}

struct text path_package(struct text path) {
    struct text rest = behind_node_modules(path);
    struct text package = first_component(rest);
    if (package.size > 0 && package.data[0] == '@') {
        struct text name = first_component(text_skip(rest, package.size + 1));
        if (name.size == 0)
            return TEXT("");
        package.size += 1 + name.size;
    }
    /* A file right in node_modules belongs to no package, nor do .pnpm, .bin and .cache. */
    if (package.size == 0 || package.size >= rest.size || package.data[0] == '.')
        return TEXT("");
    return package;
}

/* Node's scripts as versions up to 14 name them, without `.js`. */
static const char *const old_core_modules[] = {
    "_http_agent",
    "_http_client",
    "_http_common",
    "_http_incoming",
    "_http_outgoing",
    "_http_server",
    "_stream_duplex",
    "_stream_passthrough",
    "_stream_readable",
    "_stream_transform",
    "_stream_wrap",
    "_stream_writable",
    "_tls_common",
    "_tls_legacy",
    "_tls_wrap",
    "assert",
    "async_hooks",
    "bootstrap_node",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "repl",
    "stream",
    "string_decoder",
    "sys",
    "timers",
    "tls",
    "trace_events",
    "tty",
    "url",
    "util",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
    "assert/strict",
    "dns/promises",
    "fs/promises",
    "path/posix",
    "path/win32",
    "stream/promises",
    "timers/promises",
    "util/types",
};

struct text path_core_module(struct text path) {
    struct text scheme = TEXT("node:");
    if (text_starts_with(path, scheme))
        return text_skip(path, scheme.size);
    if (!text_ends_with(path, TEXT(".js")))
        return TEXT("");
    struct text module = {path.data, path.size - 3};
    if (text_starts_with(path, TEXT("internal/")))
        return module;
    for (size_t i = 0; i < sizeof old_core_modules / sizeof *old_core_modules; i++) {
        if (text_equal_string(module, old_core_modules[i]))
            return module;
    }
    return TEXT("");
}

bool path_is_core(struct text path) {
    return path_core_module(path).size > 0;
}

/* The place in names of the form `NAME (FILE:LINE:COLUMN)`; false when there is none. */
static bool parenthesised_file(struct text name, struct text *file) {
    if (!text_ends_with(name, TEXT(")")))
        return false;
    name.size--;
    size_t start = name.size;
    while (start > 0 && name.data[start - 1] != '(')
        start--;
    if (start < 2 || name.data[start - 2] != ' ')
        return false;
    /* The place alone is a name without a function, which begins with a blank. */
    struct text place = {name.data + start, name.size - start};
    size_t colon = place.size;
    while (colon > 0 && place.data[colon - 1] >= '0' && place.data[colon - 1] <= '9')
        colon--;
    if (colon < 2 || colon == place.size || place.data[colon - 1] != ':')
        return false;
    *file = (struct text){place.data, colon - 1};
    while (file->size > 0 && file->data[file->size - 1] >= '0' && file->data[file->size - 1] <= '9')
        file->size--;
    if (file->size > 1 && file->data[file->size - 1] == ':')
        file->size--;
    else
        file->size = colon - 1;
    *file = v8_file_strip(*file);
    return true;
}

/* The name that compiled code without a name of its own has. */
static const struct text js_unknown = {"[js unknown]", sizeof "[js unknown]" - 1};

/* Names in square brackets: a library without symbols, as perf tools write it, or a mark. */
static enum frame_kind bracketed_kind(struct text name) {
    static const char *const kernels[] = {"[kernel", "[guest.kernel", "[k]"};
    static const char *const nothing[] = {"[unknown]", "[truncated]", "[empty]", "[perf-"};
    if (text_equal(name, TEXT("[GC]")))
        return FRAME_GC;
    /* Compiled code of a process without a perf map. */
    if (text_equal(name, js_unknown))
        return FRAME_JAVASCRIPT;
    if (STARTS_WITH_ANY(name, nothing))
        return FRAME_UNACCOUNTED;
    if (STARTS_WITH_ANY(name, kernels))
        return FRAME_KERNEL;
    if (text_starts_with(name, TEXT("[Symbol.")))
        return FRAME_JAVASCRIPT;
    return text_ends_with(name, TEXT(".node]")) ? FRAME_ADDON : FRAME_LIBRARY;
}

/* Whether this is V8's tier mark and an identifier, the name of code without a script. */
static bool is_marked_identifier(struct text name) {
    if (name.size < 2 || !text_contains(TEXT("~^+*"), (struct text){name.data, 1}))
        return false;
    unsigned char next = (unsigned char)name.data[1];
    return next == '_' || next == '$' || next == '#' || next >= 0x80 ||
           (next >= 'A' && next <= 'Z') || (next >= 'a' && next <= 'z') ||
           text_starts_with(text_skip(name, 1), TEXT("(anonymous)"));
}

/* The kind of a frame of which there is only a name. */
static enum frame_kind kind_by_name(struct text name) {
    static const char *const regexps[] = {"RegExp:"};
    static const char *const builtins[] = {"Builtin:", "Builtins_", "Builtin_", "Stub:"};
    static const char *const handlers[] = {"BytecodeHandler:"};
    static const char *const wasms[] = {"wasm-function[", "wasm://", "wasm-to-js", "js-to-wasm"};
    static const struct {
        const char *end;
        enum frame_kind kind;
    } ends[] = {
        /* flamegraph.pl's annotations, then 0x's. */
        {"_[k]", FRAME_KERNEL},
        {"_[j]", FRAME_JAVASCRIPT},
        {"_[i]", FRAME_JAVASCRIPT},
        {" [CODE:RegExp]", FRAME_REGEXP},
        {" [CODE:Builtin]", FRAME_BUILTIN},
        {" [CODE:BytecodeHandler]", FRAME_BYTECODE},
        {" [SHARED_LIB]", FRAME_LIBRARY},
        {" [CPP]", FRAME_CPP},
    };
    if (STARTS_WITH_ANY(name, regexps))
        return FRAME_REGEXP;
    if (STARTS_WITH_ANY(name, builtins))
        return FRAME_BUILTIN;
    if (STARTS_WITH_ANY(name, handlers))
        return FRAME_BYTECODE;
    if (STARTS_WITH_ANY(name, wasms))
        return FRAME_WASM;
    if (text_equal(name, TEXT("(garbage collector)")))
        return FRAME_GC;
    if (text_equal(name, TEXT("(waiting)")))
        return FRAME_WAITING;
    if (text_equal(name, TEXT("(anonymous)")) || is_marked_identifier(name))
        return FRAME_JAVASCRIPT;
    if (name.size > 2 && name.data[0] == '[' && name.data[name.size - 1] == ']')
        return bracketed_kind(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (text_ends_with(name, text_of(ends[i].end)))
            return ends[i].kind;
    }
    if (text_ends_with(name, TEXT(".node")))
        return FRAME_ADDON;
    struct text file;
    return parenthesised_file(name, &file) ? FRAME_JAVASCRIPT : FRAME_CPP;
}

/* Whether a symbol of V8's builtins is a handler of the bytecode interpreter, such as
 * Builtins_LdaZeroHandler and Builtins_LdaSmiExtraWideHandler. */
static bool is_handler_symbol(struct text name) {
    return text_ends_with(name, TEXT("Handler")) &&
           /* Builtins_AtomicsMutexAsyncUnlockResolveHandler and the like are functions. */
           !text_starts_with(name, TEXT("Builtins_Atomics"));
}

static enum frame_kind classify_kind(const struct profile *profile, const struct frame *frame) {
    struct text name = profile_text(profile, frame->name);
    struct text file = profile_text(profile, frame->file);
    struct text module = profile_text(profile, frame->module);
    switch ((enum frame_kind)frame->kind) {
    case FRAME_CPP:
    case FRAME_LIBRARY:
        if (text_ends_with(module, TEXT(".node")))
            return FRAME_ADDON;
        /* V8's builtins are compiled into the binary of node, with symbols of their own. Isolate
         * logs list the handlers among them, so that those are not taken by these symbols. */
        if (!text_starts_with(name, TEXT("Builtins_")))
            return frame->kind;
        return profile->native_stacks && is_handler_symbol(name) ? FRAME_BYTECODE : FRAME_BUILTIN;
    case FRAME_UNKNOWN_KIND:
        if (text_starts_with(file, TEXT("wasm://")))
            return FRAME_WASM;
        if (file.size > 0 || frame->line > 0)
            return FRAME_JAVASCRIPT;
        if (name.size == 0)
            return module.size > 0 ? FRAME_LIBRARY : FRAME_UNACCOUNTED;
        if (profile->native_stacks && text_starts_with(name, TEXT("Builtins_")) &&
            is_handler_symbol(name))
            return FRAME_BYTECODE;
        if (text_ends_with(module, TEXT(".node")))
            return FRAME_ADDON;
        return kind_by_name(name);
    default:
        return frame->kind;
    }
}

/* Whether a path is a library that comes with the system. */
static bool is_system_library(struct text module) {
    static const char *const marks[] = {".so", ".dylib", ".dll", ".DLL"};
    struct text base = text_basename(module);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (text_contains(base, text_of(marks[i])))
            return true;
    }
    /* [vdso], [vsyscall]. */
    return base.size > 0 && base.data[0] == '[' && !text_equal(base, TEXT("[node]"));
}

static enum frame_origin native_origin(struct text name, struct text module) {
    static const char *const v8_names[] = {"v8::", "_ZN2v8", "_ZNK2v8", "Builtins_"};
    if (STARTS_WITH_ANY(name, v8_names))
        return ORIGIN_V8;
    /* A library without symbols in folded text is named `[libc.so.6]`. */
    return is_system_library(module.size > 0 ? module : name) ? ORIGIN_SYSTEM : ORIGIN_NATIVE;
}

struct frame_class frame_classify(const struct profile *profile, const struct frame *frame) {
    struct text name = profile_text(profile, frame->name);
    struct text file = profile_text(profile, frame->file);
    struct text module = profile_text(profile, frame->module);
    struct frame_class class = {classify_kind(profile, frame), ORIGIN_SYSTEM, TEXT("")};
    switch (class.kind) {
    case FRAME_JAVASCRIPT:
    case FRAME_WASM:
        if (file.size == 0 && !parenthesised_file(name, &file))
            file = TEXT("");
        class.package = path_package(file);
        /* Whose compiled code without a name is cannot be told. */
        if (text_equal(name, js_unknown))
            break;
        class.origin = path_is_core(file)       ? ORIGIN_CORE
                       : class.package.size > 0 ? ORIGIN_DEPENDENCY
                                                : ORIGIN_APP;
        break;
    case FRAME_BUILTIN:
    case FRAME_REGEXP:
    case FRAME_BYTECODE:
    case FRAME_GC:
    case FRAME_COMPILER:
        class.origin = ORIGIN_V8;
        break;
    case FRAME_ADDON:
        class.package = path_package(module);
        class.origin = ORIGIN_NATIVE;
        break;
    case FRAME_CPP:
    case FRAME_LIBRARY:
        class.origin = native_origin(name, module);
        break;
    default:
        break;
    }
    return class;
}

const char *frame_origin_name(enum frame_origin origin) {
    static const char *const names[] = {"app", "dependency", "core", "v8", "native", "system"};
    return names[origin];
}
