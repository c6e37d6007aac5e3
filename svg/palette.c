// SPDX-License-Identifier: MIT
#include "svg/palette.h"

#include <stdlib.h>

struct package_weight {
    struct text name;
    struct weight self;
};

static int by_name(const void *left, const void *right) {
    const struct package_weight *a = left, *b = right;
    return text_compare(a->name, b->name);
}

static int by_weight(const void *left, const void *right) {
    const struct package_weight *a = left, *b = right;
    int order = weight_compare(b->self, a->self);
    return order != 0 ? order : text_compare(a->name, b->name);
}

void palette_choose(struct palette *palette, const struct call_tree *tree,
                    enum flame_colors colors) {
    *palette = (struct palette){.colors = colors};
    if (colors != FLAME_COLORS_PACKAGE)
        return;
    struct package_weight *packages =
        memory_allocate(size_multiply(tree->function_count, sizeof *packages));
    size_t count = 0, kept = 0;
    for (size_t i = 1; i < tree->function_count; i++)
        if (tree->functions[i].package.size > 0)
            packages[count++] =
                (struct package_weight){tree->functions[i].package, tree->functions[i].self};
    qsort(packages, count, sizeof *packages, by_name);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && text_equal(packages[kept - 1].name, packages[i].name))
            packages[kept - 1].self = weight_add(packages[kept - 1].self, packages[i].self);
        else
            packages[kept++] = packages[i];
    }
    qsort(packages, kept, sizeof *packages, by_weight);
    for (size_t i = 0; i < kept && i < PAINT_HUE_COUNT; i++)
        palette->packages[palette->package_count++] = packages[i].name;
    free(packages);
}

static enum paint kind_paint(const struct function *function) {
    switch (function->kind) {
    case FRAME_JAVASCRIPT:
        if (function->origin == ORIGIN_DEPENDENCY)
            return PAINT_DEPENDENCY;
        return function->origin == ORIGIN_CORE ? PAINT_CORE : PAINT_APP;
    case FRAME_BUILTIN:
    case FRAME_BYTECODE:
    case FRAME_COMPILER:
        return PAINT_BUILTIN;
    case FRAME_REGEXP:
        return PAINT_REGEXP;
    case FRAME_WASM:
    case FRAME_CPP:
    case FRAME_ADDON:
        return PAINT_CPP;
    case FRAME_LIBRARY:
        return PAINT_LIBRARY;
    case FRAME_KERNEL:
        return PAINT_KERNEL;
    case FRAME_GC:
        return PAINT_GC;
    case FRAME_WAITING:
        return PAINT_WAITING;
    case FRAME_UNKNOWN_KIND:
    case FRAME_UNACCOUNTED:
    case FRAME_KIND_COUNT:
        break;
    }
    return PAINT_OTHER;
}

/* FNV-1a: the colour of a name must be the same on every machine and in every version. */
static uint32_t stable_hash(struct text text) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < text.size; i++)
        hash = (hash ^ (unsigned char)text.data[i]) * 16777619u;
    return hash;
}

enum paint palette_paint(const struct palette *palette, const struct call_tree *tree,
                         const struct function *function) {
    if (palette->colors == FLAME_COLORS_NAME) {
        struct text name = profile_text(tree->profile, function->name);
        return PAINT_HUE + stable_hash(name) % PAINT_HUE_COUNT;
    }
    for (size_t i = 0; i < palette->package_count && function->package.size > 0; i++)
        if (text_equal(palette->packages[i], function->package))
            return PAINT_HUE + i;
    return kind_paint(function);
}

const char *paint_class(enum paint paint) {
    static const char *const classes[PAINT_COUNT] = {
        "app", "dep", "core", "v8", "re", "cpp", "lib", "krn", "gc", "wait",
        "unk", "h0",  "h1",   "h2", "h3", "h4",  "h5",  "h6",  "h7"};
    return classes[paint];
}

void palette_append_meaning(struct buffer *buffer, const struct palette *palette,
                            enum paint paint) {
    static const char *const meanings[PAINT_HUE] = {
        "application", "dependency", "Node core", "V8 builtin", "RegExp", "C++",
        "library",     "kernel",     "GC",        "waiting",    "unknown"};
    if (paint < PAINT_HUE)
        buffer_append_text(buffer, text_of(meanings[paint]));
    else if (paint - PAINT_HUE < palette->package_count)
        buffer_append_text(buffer, palette->packages[paint - PAINT_HUE]);
}
