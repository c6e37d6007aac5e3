// SPDX-License-Identifier: MIT
#include "fold/tally/call_functions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_native(enum frame_kind kind) {
    return kind == FRAME_CPP || kind == FRAME_ADDON || kind == FRAME_LIBRARY ||
           kind == FRAME_KERNEL;
}

/* `[libc.so.6]` for a path; what is in brackets already stays so. */
static void append_module(struct buffer *buffer, struct text path) {
    struct text base = text_basename(path);
    bool bracketed = base.size > 0 && *base.data == '[';
    if (!bracketed)
        buffer_append_byte(buffer, '[');
    buffer_append_text(buffer, base);
    if (!bracketed)
        buffer_append_byte(buffer, ']');
}

/* The name of a function that has none of its own. */
static void append_nameless(struct buffer *buffer, struct text module,
                            const struct function *function) {
    switch (function->kind) {
    case FRAME_JAVASCRIPT:
        buffer_append_text(buffer, TEXT("(anonymous)"));
        return;
    case FRAME_GC:
        buffer_append_text(buffer, TEXT("(garbage collector)"));
        return;
    case FRAME_REGEXP:
        buffer_append_text(buffer, TEXT("RegExp:"));
        return;
    default:
        if (module.size > 0)
            append_module(buffer, module);
        else if (function->label.size > 0)
            buffer_append_text(buffer, function->label);
        else
            buffer_append_text(buffer, function->kind == FRAME_KERNEL ? TEXT("[kernel]")
                                                                      : TEXT("[unknown]"));
    }
}

/* The name of a builtin without the prefix that its symbol in the binary has, in native stacks. */
static struct text builtin_name(const struct profile *profile, struct text name) {
    struct text prefix = TEXT("Builtins_");
    return profile->native_stacks && text_starts_with(name, prefix) ? text_skip(name, prefix.size)
                                                                    : name;
}

void function_append_name(struct buffer *buffer, const struct profile *profile,
                          const struct function *function) {
    struct text name = profile_text(profile, function->name);
    if (name.size == 0) {
        append_nameless(buffer, profile_text(profile, function->module), function);
        return;
    }
    /* What a symbol of the binary names is the same builtin that a perf map or V8's log names. */
    if (function->kind == FRAME_BUILTIN)
        name = builtin_name(profile, name);
    /* Names from folded text have the prefix, those of isolate logs have not. */
    struct text prefix = TEXT("");
    if (function->kind == FRAME_REGEXP && !text_ends_with(name, TEXT(" [CODE:RegExp]")))
        prefix = TEXT("RegExp:");
    else if (function->kind == FRAME_BYTECODE && !text_ends_with(name, TEXT("Handler]")))
        prefix = TEXT("BytecodeHandler:");
    else if (function->kind == FRAME_BUILTIN && !text_starts_with(name, TEXT("Builtins_")) &&
             !text_starts_with(name, TEXT("Builtin_")) && !text_starts_with(name, TEXT("Stub:")) &&
             !text_ends_with(name, TEXT(" [CODE:Builtin]")))
        prefix = TEXT("Builtin:");
    if (!text_starts_with(name, prefix))
        buffer_append_text(buffer, prefix);
    buffer_append_text(buffer, name);
}

void function_append_place(struct buffer *buffer, const struct profile *profile,
                           const struct function *function) {
    struct text file = profile_text(profile, function->file);
    if (file.size == 0)
        return;
    buffer_append_text(buffer, file);
    if (function->line > 0)
        buffer_append_format(buffer, ":%" PRIu32, function->line);
    if (function->line > 0 && function->column > 0)
        buffer_append_format(buffer, ":%" PRIu32, function->column);
}

static struct text make_label(const struct call_functions *table, const struct function *function) {
    struct buffer buffer = {0};
    buffer_append_text(&buffer, text_of(frame_tier_mark(function->tier)));
    function_append_name(&buffer, table->profile, function);
    if (function->file.index != 0) {
        buffer_append_byte(&buffer, ' ');
        function_append_place(&buffer, table->profile, function);
    }
    struct text label = {arena_copy_text(table->arena, buffer.data, buffer.size), buffer.size};
    buffer_free(&buffer);
    return label;
}

static bool same_function(const struct function *a, const struct function *b) {
    return a->name.index == b->name.index && a->file.index == b->file.index && a->line == b->line &&
           a->column == b->column && a->module.index == b->module.index && a->tier == b->tier &&
           a->kind == b->kind && a->inlined == b->inlined;
}

/* The row of a function like *wanted, whose label is made when it is new and has none. */
static uint32_t intern(struct call_functions *table, const struct function *wanted) {
    uint64_t names = (uint64_t)wanted->name.index << 32 | wanted->file.index;
    uint64_t place = (uint64_t)wanted->line << 32 | wanted->column;
    uint64_t rest = (uint64_t)wanted->module.index << 32 | (uint64_t)wanted->kind << 16 |
                    (uint64_t)wanted->tier << 8 | wanted->inlined;
    uint64_t hash = hash_pair(hash_pair(names, place), rest);
    struct hash_probe probe = hash_index_start(&table->index, hash);
    uint32_t row;
    while ((row = hash_index_next(&table->index, &probe)) != 0) {
        if (same_function(&table->functions[row], wanted))
            return row;
    }
    MEMORY_RESERVE(table->functions, table->capacity, table->size + 2);
    if (table->size == 0)
        table->functions[table->size++] = (struct function){0};
    row = (uint32_t)table->size++;
    struct function *function = &table->functions[row];
    *function = *wanted;
    if (function->label.size == 0)
        function->label = make_label(table, function);
    hash_index_insert(&table->index, hash, row);
    return row;
}

/* A package's name with `/` even when the path was a Windows one. */
static struct text package_name(struct call_functions *table, struct text package) {
    if (!text_contains(package, TEXT("\\")))
        return package;
    char *copy = arena_copy_text(table->arena, package.data, package.size);
    for (size_t i = 0; i < package.size; i++) {
        if (copy[i] == '\\')
            copy[i] = '/';
    }
    return (struct text){copy, package.size};
}

/* One name for the builtin that a perf map calls `X`, folded text `Builtin:X`, and the symbol of
 * the binary `Builtins_X`: the first of these that occurs at all. */
static struct string_id common_builtin_name(const struct profile *profile, struct string_id name) {
    struct text prefix = TEXT("Builtin:");
    struct text bare = builtin_name(profile, profile_text(profile, name));
    if (text_starts_with(bare, prefix))
        bare = text_skip(bare, prefix.size);
    struct string_id found = string_table_find(&profile->strings, bare);
    if (found.index == 0) {
        struct buffer folded = {0};
        buffer_append_text(&folded, prefix);
        buffer_append_text(&folded, bare);
        found = string_table_find(&profile->strings, buffer_text(&folded));
        buffer_free(&folded);
    }
    return found.index != 0 ? found : name;
}

uint32_t call_functions_of_frame(struct call_functions *table, uint32_t row) {
    const struct profile *profile = table->profile;
    if (!table->by_frame)
        table->by_frame = memory_allocate_zero(profile->frames.size, sizeof *table->by_frame);
    if (table->by_frame[row] != 0)
        return table->by_frame[row];
    const struct frame *frame = frame_table_get(&profile->frames, (struct frame_id){row});
    struct frame_class class = frame_classify(profile, frame);
    uint32_t id;
    if (class.kind == FRAME_GC) {
        id = call_functions_collector(table);
    } else if (class.kind == FRAME_UNACCOUNTED &&
               (frame->name.index == 0 ||
                text_equal(profile_text(profile, frame->name), TEXT("[unknown]")))) {
        id = call_functions_unknown(table);
    } else {
        struct function function = {
            .name = frame->name,
            .file = frame->file,
            .line = frame->line,
            .column = frame->column,
            .inlined = table->view->keep_inlined && frame->inlined,
            .tier = table->view->keep_tiers ? (enum frame_tier)frame->tier : FRAME_NO_TIER,
            .kind = class.kind,
            .origin = class.origin,
            .package = package_name(table, class.package),
        };
        if (is_native(class.kind))
            function.module = frame->module;
        if (class.kind == FRAME_BUILTIN && profile->native_stacks)
            function.name = common_builtin_name(profile, frame->name);
        id = intern(table, &function);
    }
    table->by_frame[row] = id;
    return id;
}

uint32_t call_functions_collector(struct call_functions *table) {
    struct function function = {.kind = FRAME_GC, .origin = ORIGIN_V8};
    return intern(table, &function);
}

uint32_t call_functions_unknown(struct call_functions *table) {
    struct function function = {.kind = FRAME_UNACCOUNTED, .origin = ORIGIN_SYSTEM};
    return intern(table, &function);
}

uint32_t call_functions_of_thread(struct call_functions *table,
                                  const struct profile_thread *thread) {
    struct function function = {.name = thread->name, .kind = FRAME_CPP, .origin = ORIGIN_NATIVE};
    if (thread->name.index == 0) {
        /* Without a name the number tells threads apart. */
        char text[32];
        int size = snprintf(text, sizeof text, "thread %" PRIu64, thread->id);
        function.line = (uint32_t)(thread->id >> 32);
        function.column = (uint32_t)thread->id;
        function.label =
            (struct text){arena_copy_text(table->arena, text, (size_t)size), (size_t)size};
    }
    return intern(table, &function);
}

struct sort_entry {
    const struct function *function;
    uint32_t row;
};

static int compare_numbers(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

/* By label; functions of one label by what else tells them apart. */
static int compare_entries(const void *left, const void *right) {
    const struct sort_entry *a = left;
    const struct sort_entry *b = right;
    int order = text_compare(a->function->label, b->function->label);
    if (order == 0)
        order = compare_numbers(a->function->kind, b->function->kind);
    if (order == 0)
        order = compare_numbers(a->function->line, b->function->line);
    if (order == 0)
        order = compare_numbers(a->function->column, b->function->column);
    return order != 0 ? order : compare_numbers(a->row, b->row);
}

uint32_t *call_functions_sort(struct call_functions *table) {
    if (table->size == 0) {
        MEMORY_RESERVE(table->functions, table->capacity, 1);
        table->functions[table->size++] = (struct function){0};
    }
    size_t count = table->size - 1;
    struct sort_entry *entries = memory_allocate(size_multiply(count, sizeof *entries));
    for (size_t i = 0; i < count; i++)
        entries[i] = (struct sort_entry){&table->functions[i + 1], (uint32_t)(i + 1)};
    if (count > 1)
        qsort(entries, count, sizeof *entries, compare_entries);
    uint32_t *new_rows = memory_allocate_zero(table->size, sizeof *new_rows);
    struct function *sorted = memory_allocate_zero(table->size, sizeof *sorted);
    for (size_t i = 0; i < count; i++) {
        sorted[i + 1] = *entries[i].function;
        new_rows[entries[i].row] = (uint32_t)(i + 1);
    }
    free(table->functions);
    table->functions = sorted;
    free(entries);
    return new_rows;
}

void call_functions_free(struct call_functions *table) {
    hash_index_free(&table->index);
    free(table->by_frame);
    table->by_frame = NULL;
    table->functions = NULL;
}
