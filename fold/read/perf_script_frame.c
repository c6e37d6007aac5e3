// SPDX-License-Identifier: MIT
#include "fold/read/perf_script_frame.h"

#include "fold/model/cpp_name.h"
#include "fold/model/perf_name.h"

/* What code a module holds. */
enum module_kind {
    MODULE_NONE, /* nothing is known, or it is memory for data */
    MODULE_FILE,
    MODULE_KERNEL,
    MODULE_COMPILED, /* code that a program made at run time */
    MODULE_INLINED,  /* not a module */
};

static bool starts_with_any(struct text text, const char *const *starts, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (text_starts_with(text, text_of(starts[i])))
            return true;
    }
    return false;
}

#define STARTS_WITH_ANY(text, starts)                                                              \
    starts_with_any(text, starts, sizeof(starts) / sizeof *(starts))

/* The digits at the front of a text. */
static size_t digits(struct text text) {
    size_t size = 0;
    while (size < text.size && text.data[size] >= '0' && text.data[size] <= '9')
        size++;
    return size;
}

/* `perf-PID.map`, and `jitted-PID-NUMBER.so` of perf inject. */
static bool is_code_map(struct text base) {
    struct text map = TEXT("perf-");
    struct text jitted = TEXT("jitted-");
    if (text_starts_with(base, map)) {
        struct text rest = text_skip(base, map.size);
        size_t size = digits(rest);
        return size > 0 && text_equal(text_skip(rest, size), TEXT(".map"));
    }
    return text_starts_with(base, jitted) && digits(text_skip(base, jitted.size)) > 0 &&
           text_ends_with(base, TEXT(".so"));
}

static enum module_kind bracketed_module_kind(struct text module) {
    static const char *const data[] = {"[unknown]", "[heap]", "[stack"};
    static const char *const compiled[] = {"[JIT", "[anon:"};
    static const char *const libraries[] = {"[vdso", "[vsyscall]", "[vvar", "[uprobes]"};
    if (STARTS_WITH_ANY(module, data))
        return MODULE_NONE;
    if (STARTS_WITH_ANY(module, compiled))
        return MODULE_COMPILED;
    return STARTS_WITH_ANY(module, libraries) ? MODULE_FILE : MODULE_KERNEL;
}

static enum module_kind module_kind(struct text module) {
    static const char *const compiled[] = {"//anon",         "/memfd:",    "/dev/zero",
                                           "/anon_hugepage", "anon_inode", "/SYSV"};
    static const char *const kernel[] = {"/lib/modules/", "/usr/lib/modules/", "/proc/k",
                                         "bpf_prog_"};
    static const char *const modules[] = {".ko", ".ko.xz", ".ko.gz", ".ko.zst"};
    if (module.size == 0)
        return MODULE_NONE;
    if (text_equal(module, TEXT("inlined")))
        return MODULE_INLINED;
    if (*module.data == '[')
        return bracketed_module_kind(module);
    struct text base = text_basename(module);
    if (is_code_map(base) || STARTS_WITH_ANY(module, compiled))
        return MODULE_COMPILED;
    if (STARTS_WITH_ANY(module, kernel) || text_starts_with(base, TEXT("vmlinux")))
        return MODULE_KERNEL;
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        if (text_ends_with(base, text_of(modules[i])))
            return MODULE_KERNEL;
    }
    return MODULE_FILE;
}

/* Functions of glibc whose names with two underscores are theirs: they are internal altogether. */
static bool is_internal(struct text rest) {
    static const char *const starts[] = {"_",      "lll_",     "nptl_",  "nss_",
                                         "futex_", "pthread_", "printf_"};
    return STARTS_WITH_ANY(rest, starts) || text_ends_with(rest, TEXT("_nocancel")) ||
           text_ends_with(rest, TEXT("_internal"));
}

/*
 * The name that a function of libc has by the rule of symbol tables (global before weak before
 * local, few underscores, short), for the one that perf prefers. In glibc `__GI_X` is a local name
 * of X, which perf prefers to weak ones; where X is `__libc_Y` or `__Y`, Y is one of those. The
 * code of memmove is that of memcpy. Returns whether *name was changed; it is appended to `out`
 * then.
 */
static bool append_libc_name(struct buffer *out, struct text name) {
    struct text local = TEXT("__GI_");
    struct text move = TEXT("__memmove_");
    if (text_starts_with(name, move)) {
        buffer_append_text(out, TEXT("__memcpy_"));
        buffer_append_text(out, text_skip(name, move.size));
        return true;
    }
    if (text_equal(name, TEXT("cfree")) || text_equal(name, TEXT("__brk"))) {
        buffer_append_text(out, text_skip(name, *name.data == 'c' ? 1 : 2));
        return true;
    }
    if (!text_starts_with(name, local) || text_contains(name, TEXT(".")))
        return false;
    name = text_skip(name, local.size);
    struct text rest = text_skip(name, 2);
    if (text_starts_with(name, TEXT("__")) && !is_internal(rest))
        name = text_starts_with(rest, TEXT("libc_")) ? text_skip(rest, 5) : rest;
    buffer_append_text(out, name);
    return true;
}

/* The name of a native function as symbol tables without parameters give it. */
static struct string_id native_name(struct profile *profile, struct text symbol) {
    if (!text_ends_with(symbol, TEXT("@plt")))
        symbol = cpp_name_without_version(symbol);
    struct buffer name = {0};
    /* `main.(*T).run` is a method in Go. */
    if (text_contains(symbol, TEXT("(")) && !text_contains(symbol, TEXT(".(")))
        cpp_name_shorten(symbol, &name);
    else if (!append_libc_name(&name, symbol))
        buffer_append_text(&name, symbol);
    while (name.size > 0 && name.data[name.size - 1] == ' ')
        name.size--;
    struct string_id id = profile_intern(profile, buffer_text(&name));
    buffer_free(&name);
    return id;
}

/* The name of a function of the kernel. `__pi_X` is another name of X, which perf prefers. */
static struct string_id kernel_name(struct profile *profile, struct text symbol) {
    struct text prefix = TEXT("__pi_");
    if (text_starts_with(symbol, prefix) && symbol.size > prefix.size)
        symbol = text_skip(symbol, prefix.size);
    return profile_intern(profile, symbol);
}

static struct text without_deleted(struct text module) {
    struct text mark = TEXT(" (deleted)");
    if (text_ends_with(module, mark))
        module.size -= mark.size;
    return module;
}

struct script_frame script_frame_kernel(struct profile *profile) {
    struct frame frame = {.kind = FRAME_KERNEL};
    return (struct script_frame){profile_frame(profile, &frame), SCRIPT_FRAME_KERNEL_NAMELESS};
}

/* A frame of which there is only a name; names of compiled code tell themselves. */
static struct frame named_frame(struct profile *profile, struct text symbol) {
    struct frame frame = perf_name_frame(profile, symbol);
    if (frame.kind == FRAME_UNKNOWN_KIND)
        frame.name = native_name(profile, symbol);
    return frame;
}

static struct frame compiled_frame(struct profile *profile, struct text symbol) {
    if (symbol.size > 0)
        return perf_name_frame(profile, symbol);
    return (struct frame){.name = profile_intern(profile, TEXT("[js unknown]")),
                          .kind = FRAME_JAVASCRIPT};
}

struct script_frame script_frame_of(struct profile *profile, struct text symbol,
                                    struct text module) {
    module = without_deleted(module);
    if (text_equal(symbol, TEXT("[unknown]")))
        symbol = TEXT("");
    struct frame frame = {0};
    enum script_frame_role role = SCRIPT_FRAME_PLAIN;
    switch (module_kind(module)) {
    case MODULE_KERNEL:
        if (symbol.size == 0)
            return script_frame_kernel(profile);
        frame.name = kernel_name(profile, symbol);
        frame.kind = FRAME_KERNEL;
        role = SCRIPT_FRAME_KERNEL;
        break;
    case MODULE_COMPILED:
        frame = compiled_frame(profile, symbol);
        break;
    case MODULE_FILE:
        frame.module = profile_intern(profile, module);
        frame.kind = symbol.size > 0 ? FRAME_CPP : FRAME_LIBRARY;
        frame.name = native_name(profile, symbol);
        break;
    case MODULE_INLINED:
        frame = named_frame(profile, symbol);
        frame.inlined = true;
        role = SCRIPT_FRAME_INLINED;
        break;
    default:
        if (symbol.size > 0) {
            frame = named_frame(profile, symbol);
            break;
        }
        frame.kind = FRAME_UNACCOUNTED;
        role = SCRIPT_FRAME_NOWHERE;
    }
    return (struct script_frame){profile_frame(profile, &frame), role};
}
