// SPDX-License-Identifier: MIT
#include "fold/tally/blocking_catalogue.h"

#include <string.h>

const struct blocking_call_kind blocking_require = {
    "require", BLOCKING_SYNC_IO, "Load modules at start, before the first request.",
    "Start takes longer; a compile cache (module.enableCompileCache) shortens it."};

static const struct blocking_call_kind by_name_kind = {
    BLOCKING_OWN_NAME, BLOCKING_SYNC_CPU,
    "Look for an asynchronous form of this function: it is synchronous by its name and not in the "
    "catalogue.",
    NULL};

static const struct blocking_rule regexp_rule = {
    NULL,
    NULL,
    NULL,
    {"RegExp", BLOCKING_HEAVY,
     "Limit the length of the input, and rewrite patterns that backtrack, such as (a+)+$.",
     "The re2 package does not backtrack, but has no look-around and no back-references."}};

struct text function_bare_name(const struct profile *profile, const struct function *function) {
    struct text name = profile_text(profile, function->name);
    const char *point = name.size ? memrchr(name.data, '.', name.size) : NULL;
    return point ? text_skip(name, (size_t)(point - name.data) + 1) : name;
}

static bool ends_in_sync(struct text name) {
    return name.size > 4 && text_ends_with(name, TEXT("Sync"));
}

static bool name_matches(const char *wanted, struct text bare) {
    if (!wanted)
        return true;
    return strcmp(wanted, "*Sync") == 0 ? ends_in_sync(bare) : text_equal_string(bare, wanted);
}

/* A core module, or all below a folder of them. */
static bool module_matches(const char *wanted, struct text module) {
    struct text text = text_of(wanted);
    bool is_folder = text.size > 0 && text.data[text.size - 1] == '/';
    return is_folder ? text_starts_with(module, text) : text_equal(module, text);
}

static const struct blocking_rule *find_in_core(struct text module, struct text bare) {
    for (size_t i = 0; i < blocking_core_table.size; i++) {
        const struct blocking_rule *rule = &blocking_core_table.rules[i];
        if (module_matches(rule->place, module) && name_matches(rule->name, bare))
            return rule;
    }
    return NULL;
}

static const struct blocking_rule *find_in_packages(struct text package, struct text file,
                                                    struct text bare) {
    for (size_t i = 0; i < blocking_package_table.size; i++) {
        const struct blocking_rule *rule = &blocking_package_table.rules[i];
        if (text_equal_string(package, rule->package) && name_matches(rule->name, bare) &&
            (!rule->place || text_equal(text_basename(file), text_of(rule->place))))
            return rule;
    }
    return NULL;
}

static const struct blocking_rule *find_in_native_code(struct text name) {
    for (size_t i = 0; i < blocking_native_table.size; i++) {
        const struct blocking_rule *rule = &blocking_native_table.rules[i];
        if (text_contains(name, text_of(rule->name)))
            return rule;
    }
    return NULL;
}

const struct blocking_rule *blocking_catalogue_find(const struct profile *profile,
                                                    const struct function *function) {
    struct text file = profile_text(profile, function->file);
    switch (function->kind) {
    case FRAME_REGEXP:
        return &regexp_rule;
    case FRAME_BUILTIN:
        return find_in_native_code(profile_text(profile, function->name));
    case FRAME_CPP:
        return function->origin == ORIGIN_V8
                   ? find_in_native_code(profile_text(profile, function->name))
                   : NULL;
    case FRAME_JAVASCRIPT:
    case FRAME_WASM:
        if (function->origin == ORIGIN_CORE)
            return find_in_core(path_core_module(file), function_bare_name(profile, function));
        if (function->origin == ORIGIN_DEPENDENCY)
            return find_in_packages(function->package, file, function_bare_name(profile, function));
        return NULL;
    default:
        return NULL;
    }
}

/* Whether this is C++ of node or libuv. */
static bool is_native(const struct function *function) {
    return function->kind == FRAME_CPP && function->origin == ORIGIN_NATIVE;
}

/* The row of core's JavaScript for the same call, which has more advice; or `rule` itself. */
static const struct blocking_rule *same_call_in_core(const struct blocking_rule *rule) {
    for (size_t i = 0; i < blocking_core_table.size; i++) {
        const struct blocking_rule *other = &blocking_core_table.rules[i];
        if (strcmp(other->kind.call, rule->kind.call) == 0)
            return other;
    }
    return rule;
}

const struct blocking_rule *blocking_binding_find(const struct profile *profile,
                                                  const struct function *function) {
    struct text name = profile_text(profile, function->name);
    if (!is_native(function) || !text_contains(name, TEXT("node::")))
        return NULL;
    for (size_t i = 0; i < blocking_binding_table.size; i++) {
        const struct blocking_rule *rule = &blocking_binding_table.rules[i];
        if (text_contains(name, text_of(rule->name)) &&
            (!rule->place || text_contains(name, text_of(rule->place))))
            return same_call_in_core(rule);
    }
    return NULL;
}

/* Whether a function of the C library asks the kernel for something of a file. Its names come with
 * underscores and signs of an alias around them: `__GI___open64_nocancel`. */
static bool asks_for_file(struct text name) {
    static const char *const calls[] = {
        "open",
        "openat",
        "creat",
        "close",
        "read",
        "readv",
        "pread",
        "preadv",
        "write",
        "writev",
        "pwrite",
        "pwritev",
        "stat",
        "lstat",
        "fstat",
        "fstatat",
        "statx",
        "statfs",
        "xstat",
        "lxstat",
        "fxstat",
        "access",
        "faccessat",
        "mkdir",
        "mkdtemp",
        "mkstemp",
        "mkostemp",
        "rmdir",
        "rename",
        "unlink",
        "link",
        "symlink",
        "readlink",
        "realpath",
        "chmod",
        "fchmod",
        "chown",
        "fchown",
        "lchown",
        "utimensat",
        "futimens",
        "fsync",
        "fdatasync",
        "truncate",
        "ftruncate",
        "scandir",
        "opendir",
        "readdir",
        "closedir",
        "sendfile",
        "ioctl",
        "syscall",
        "copy_file_range",
        "getdents",
    };
    static const char *const starts[] = {"GI_", "libc_", "new_", "IO_"};
    static const char *const ends[] = {"_nocancel", "64"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        while (name.size > 0 && *name.data == '_')
            name = text_skip(name, 1);
        if (text_starts_with(name, text_of(starts[i])))
            name = text_skip(name, strlen(starts[i]));
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (text_ends_with(name, text_of(ends[i])))
            name.size -= strlen(ends[i]);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (text_equal(name, text_of(calls[i])))
            return true;
    return false;
}

enum file_step blocking_file_step(const struct profile *profile, const struct function *function) {
    struct text name = profile_text(profile, function->name);
    if (function->kind != FRAME_CPP)
        return FILE_OTHER;
    if (is_native(function) && text_starts_with(name, TEXT("uv_fs_")))
        return FILE_REQUEST;
    return text_starts_with(name, TEXT("uv__fs_")) || asks_for_file(name) ? FILE_DONE : FILE_OTHER;
}

const struct blocking_call_kind *blocking_by_name(const struct profile *profile,
                                                  const struct function *function) {
    bool is_dependency =
        function->kind == FRAME_JAVASCRIPT && function->origin == ORIGIN_DEPENDENCY;
    return is_dependency && ends_in_sync(function_bare_name(profile, function)) ? &by_name_kind
                                                                                : NULL;
}

bool function_loads_modules(const struct profile *profile, const struct function *function) {
    static const char *const folders[] = {"internal/modules/", "internal/module", "internal/main/",
                                          "internal/process/esm_loader",
                                          "internal/process/pre_execution"};
    if (function->kind == FRAME_CPP) {
        struct text name = profile_text(profile, function->name);
        /* In native stacks the JavaScript of the loader is mostly interpreted and has no name. */
        return text_contains(name, TEXT("ModuleWrap::")) ||
               text_starts_with(name, TEXT("node::LoadEnvironment")) ||
               text_starts_with(name, TEXT("node::contextify::CompileFunctionForCJSLoader"));
    }
    if (function->kind != FRAME_JAVASCRIPT || function->origin != ORIGIN_CORE)
        return false;
    struct text module = path_core_module(profile_text(profile, function->file));
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (text_starts_with(module, text_of(folders[i])))
            return true;
    }
    /* The loader of Node 8 to 11. */
    return text_equal(module, TEXT("module"));
}
