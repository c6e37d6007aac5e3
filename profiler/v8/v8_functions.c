// SPDX-License-Identifier: MIT
#include "profiler/v8/v8_functions.h"

#include <stdlib.h>
#include <string.h>

#include "fold/base/memory.h"
#include "profiler/v8/v8_string.h"

enum { CONTEXT_VARIABLES_MOST = 1 << 20 };

/* How long bytecode is taken for that of the function that it was seen with. */
#define BYTECODE_NANOSECONDS UINT64_C(1000000000)

void v8_functions_open(struct v8_functions *functions, struct v8_heap *heap) {
    *functions = (struct v8_functions){.heap = heap};
    functions->shared = memory_allocate_zero(V8_SHARED_KEPT, sizeof *functions->shared);
    functions->closures = memory_allocate_zero(V8_CLOSURES_KEPT, sizeof *functions->closures);
    functions->bytecodes = memory_allocate_zero(V8_BYTECODES_KEPT, sizeof *functions->bytecodes);
}

void v8_functions_close(struct v8_functions *functions) {
    v8_scripts_free(&functions->scripts);
    string_table_free(&functions->strings);
    hash_index_free(&functions->index);
    arena_free(&functions->arena);
    buffer_free(&functions->text);
    free(functions->functions);
    free(functions->shared);
    free(functions->closures);
    free(functions->bytecodes);
    *functions = (struct v8_functions){0};
}

/* ---- closures ---- */

uint64_t v8_function_shared(struct v8_functions *functions, uint64_t closure) {
    struct v8_heap *heap = functions->heap;
    struct v8_closure *kept = &functions->closures[hash_number(closure) % V8_CLOSURES_KEPT];
    if (kept->tagged == closure && heap->now - kept->seen <= V8_FRESH_NANOSECONDS)
        return kept->shared;
    uint64_t object = closure, shared;
    uint32_t type;
    if (!v8_object_type(heap, &object, &type) ||
        type < (uint32_t)heap->layout.type_function_first ||
        type > (uint32_t)heap->layout.type_function_last) {
        functions->no_function++;
        return 0;
    }
    if (!v8_read_slot(heap, object, heap->layout.function_shared, &shared) ||
        !v8_is_object(heap, shared)) {
        functions->no_shared++;
        return 0;
    }
    *kept = (struct v8_closure){closure, heap->now, shared};
    return shared;
}

static struct v8_bytecode *bytecode_place(struct v8_functions *functions, uint64_t bytecode) {
    return &functions->bytecodes[hash_number(bytecode) % V8_BYTECODES_KEPT];
}

void v8_function_note_bytecode(struct v8_functions *functions, uint64_t bytecode, uint64_t shared) {
    *bytecode_place(functions, bytecode) =
        (struct v8_bytecode){bytecode, functions->heap->now, shared};
}

uint64_t v8_function_shared_of_bytecode(struct v8_functions *functions, uint64_t bytecode) {
    const struct v8_bytecode *kept = bytecode_place(functions, bytecode);
    bool is_known = bytecode && kept->tagged == bytecode &&
                    functions->heap->now - kept->seen <= BYTECODE_NANOSECONDS;
    return is_known ? kept->shared : 0;
}

/* ---- what a function is called and where it stands ---- */

/* What is read of a SharedFunctionInfo before it is a function. */
struct description {
    uint64_t name; /* string; 0 = none */
    bool has_place;
    uint64_t place_address, place; /* where its start stands, and the word there */
    uint64_t position;             /* characters */
};

static void set_place(struct description *description, uint64_t address, uint64_t word,
                      uint64_t position) {
    description->has_place = true;
    description->place_address = address;
    description->place = word;
    description->position = position;
}

/* The start in a slot that holds a small integer. */
static void read_position(struct v8_heap *heap, uint64_t address, struct description *description) {
    uint64_t word;
    int64_t position;
    if (v8_memory_read_number(&heap->memory, address, &word) &&
        v8_small_integer(heap, word, &position) && position >= 0)
        set_place(description, address, word, (uint64_t)position);
}

/* A word that is a string with characters; else 0. */
static uint64_t string_or_none(struct v8_heap *heap, uint64_t word) {
    uint32_t length;
    if (!v8_is_object(heap, word) || !v8_string_is(heap, word) ||
        !v8_memory_read_half(&heap->memory, v8_field(heap, word, heap->layout.string_length),
                             &length) ||
        length == 0)
        return 0;
    return word;
}

/*
 * ScopeInfo: flags, number of parameters, number of context variables; in newer versions start and
 * end, and the number of variables of a module; the variables; then what the flags say: a slot for
 * a class variable, two for the name of the function, one for an inferred name; in older versions
 * start and end.
 */
static bool read_scope(struct v8_heap *heap, uint64_t scope, struct description *description) {
    const struct v8_layout *layout = &heap->layout;
    uint64_t slots = v8_field(heap, scope, layout->scope_header);
    uint64_t slot = (uint64_t)layout->tagged_size;
    uint64_t word;
    int64_t count;
    uint32_t flags;
    if (!v8_memory_read_half(&heap->memory, v8_field(heap, scope, layout->scope_flags), &flags) ||
        !v8_memory_read_number(&heap->memory, slots + (uint64_t)layout->scope_count * slot,
                               &word) ||
        !v8_small_integer(heap, word, &count) || count < 0 || count > CONTEXT_VARIABLES_MOST)
        return false;
    uint64_t at = (uint64_t)layout->scope_first;
    bool is_module = layout->scope_module &&
                     (flags & (uint32_t)layout->scope_type_mask) == (uint32_t)layout->scope_module;
    at += is_module;
    at += (uint64_t)count + (count < layout->scope_inline_most ? (uint64_t)count : 1);
    at += (flags & (uint32_t)layout->scope_flag_class) != 0;
    bool has_name = flags & (uint32_t)layout->scope_flag_name;
    bool has_inferred = flags & (uint32_t)layout->scope_flag_inferred;
    if (has_name && v8_memory_read_number(&heap->memory, slots + at * slot, &word))
        description->name = string_or_none(heap, word);
    at += has_name ? 2 : 0;
    if (has_inferred && !description->name &&
        v8_memory_read_number(&heap->memory, slots + at * slot, &word))
        description->name = string_or_none(heap, word);
    at += has_inferred;
    read_position(heap,
                  slots + (layout->scope_positions ? (uint64_t)layout->scope_positions : at) * slot,
                  description);
    return true;
}

/* A function that is not compiled (any more) has a name only; what is left of it knows its place.
 */
static void read_uncompiled(struct v8_heap *heap, uint64_t shared,
                            struct description *description) {
    const struct v8_layout *layout = &heap->layout;
    uint64_t data, word;
    uint32_t type;
    if (!layout->shared_data || !v8_read_slot(heap, shared, layout->shared_data, &data) ||
        !v8_object_type(heap, &data, &type) || type < (uint32_t)layout->type_uncompiled_first ||
        type > (uint32_t)layout->type_uncompiled_last)
        return;
    uint64_t address = v8_field(heap, data, layout->uncompiled_start);
    if (v8_memory_read_number(&heap->memory, address, &word) && (uint32_t)word <= INT32_MAX)
        set_place(description, address, word, (uint32_t)word);
}

static bool describe(struct v8_heap *heap, uint64_t shared, uint64_t name,
                     struct description *description) {
    uint32_t type;
    *description = (struct description){0};
    if (!v8_is_object(heap, name)) {
        read_uncompiled(heap, shared, description);
        return true; /* it has none */
    }
    if (!v8_object_type(heap, &name, &type))
        return false;
    if (type == (uint32_t)heap->layout.type_scope)
        return read_scope(heap, name, description);
    if (type >= (uint32_t)heap->layout.type_first_nonstring)
        return false;
    description->name = string_or_none(heap, name);
    read_uncompiled(heap, shared, description);
    return true;
}

/* ---- functions, each once ---- */

static const struct v8_function *intern(struct v8_functions *functions, struct v8_function wanted) {
    uint64_t hash = hash_pair(hash_pair((uintptr_t)wanted.name.data, (uintptr_t)wanted.file.data),
                              hash_pair(wanted.line, wanted.column));
    struct hash_probe probe = hash_index_start(&functions->index, hash);
    uint32_t row;
    while ((row = hash_index_next(&functions->index, &probe)) != 0) {
        const struct v8_function *known = functions->functions[row - 1];
        if (known->name.data == wanted.name.data && known->file.data == wanted.file.data &&
            known->line == wanted.line && known->column == wanted.column &&
            known->has_script == wanted.has_script)
            return known;
    }
    if (functions->count == V8_FUNCTIONS_MOST)
        return NULL;
    MEMORY_RESERVE(functions->functions, functions->capacity, functions->count + 1);
    struct v8_function *function = arena_allocate(&functions->arena, sizeof *function);
    *function = wanted;
    functions->functions[functions->count++] = function;
    function->number = (uint32_t)functions->count;
    hash_index_insert(&functions->index, hash, function->number);
    return function;
}

/* The same text has the same address always. */
static struct text keep_text(struct v8_functions *functions, struct text text) {
    struct string_id id = string_table_intern(&functions->strings, &functions->arena, text);
    return id.index ? string_table_text(&functions->strings, id) : (struct text){0};
}

/* The number of the script in the field of a SharedFunctionInfo; 0 = there is none. */
static uint32_t find_script(struct v8_functions *functions, uint64_t *word) {
    struct v8_heap *heap = functions->heap;
    uint64_t object = *word;
    if (heap->layout.type_debug && v8_object_is(heap, &object, heap->layout.type_debug) &&
        !v8_read_slot(heap, object, heap->layout.debug_script, word))
        return 0;
    return v8_script_find(&functions->scripts, heap, *word, &functions->strings, &functions->arena);
}

/* Forgets what refers to scripts when there are too many. */
static void make_room(struct v8_functions *functions) {
    if (!v8_scripts_are_many(&functions->scripts))
        return;
    v8_scripts_free(&functions->scripts);
    memset(functions->shared, 0, V8_SHARED_KEPT * sizeof *functions->shared);
}

static const struct v8_function *make_function(struct v8_functions *functions,
                                               struct v8_shared *shared) {
    struct v8_heap *heap = functions->heap;
    struct description description;
    struct v8_function function = {0};
    make_room(functions);
    if (!describe(heap, shared->tagged, shared->name, &description))
        return NULL;
    if (description.name && v8_string_read(heap, description.name, V8_NAME_MOST, &functions->text))
        function.name = keep_text(functions, buffer_text(&functions->text));
    uint64_t script_word = shared->script;
    uint32_t script = find_script(functions, &script_word);
    if (script) {
        const struct v8_script *found = &functions->scripts.scripts[script - 1];
        shared->script_id = found->id;
        function.has_script = true;
        if (found->file.index)
            function.file = string_table_text(&functions->strings, found->file);
        if (description.has_place)
            v8_script_place(&functions->scripts, heap, script, description.position, &function.line,
                            &function.column);
    }
    shared->place_address = description.place_address;
    shared->place = description.place;
    return intern(functions, function);
}

/* Whether what was read of a SharedFunctionInfo is there still. */
static bool is_same(struct v8_heap *heap, const struct v8_shared *shared) {
    uint64_t name, script, id = shared->script_id, place = shared->place;
    struct v8_part parts[4] = {
        {v8_field(heap, shared->tagged, heap->layout.shared_name), &name, sizeof name},
        {v8_field(heap, shared->tagged, heap->layout.shared_script), &script, sizeof script},
    };
    size_t count = 2;
    if (shared->place_address)
        parts[count++] = (struct v8_part){shared->place_address, &place, sizeof place};
    if (shared->script_id)
        parts[count++] = (struct v8_part){v8_field(heap, shared->script, heap->layout.script_id),
                                          &id, sizeof id};
    return v8_memory_read_parts(&heap->memory, parts, count) && name == shared->name &&
           script == shared->script && id == shared->script_id && place == shared->place;
}

static bool read_shared(struct v8_heap *heap, struct v8_shared *shared) {
    const struct v8_part parts[] = {
        {v8_field(heap, shared->tagged, heap->layout.shared_name), &shared->name,
         sizeof shared->name},
        {v8_field(heap, shared->tagged, heap->layout.shared_script), &shared->script,
         sizeof shared->script},
    };
    return v8_memory_read_parts(&heap->memory, parts, 2);
}

const struct v8_function *v8_function_of_shared(struct v8_functions *functions, uint64_t tagged) {
    struct v8_heap *heap = functions->heap;
    struct v8_shared *kept = &functions->shared[hash_number(tagged) % V8_SHARED_KEPT];
    bool is_known = kept->tagged == tagged && kept->function;
    if (is_known && (heap->now - kept->seen <= V8_FRESH_NANOSECONDS || is_same(heap, kept))) {
        if (heap->now - kept->seen > V8_FRESH_NANOSECONDS)
            kept->seen = heap->now;
        return kept->function;
    }
    struct v8_shared shared = {.tagged = tagged, .seen = heap->now};
    uint64_t object = tagged;
    if (!v8_object_is(heap, &object, heap->layout.type_shared) || !read_shared(heap, &shared)) {
        functions->no_shared++;
        return NULL;
    }
    shared.function = make_function(functions, &shared);
    functions->no_name += shared.function == NULL;
    *kept = shared;
    return shared.function;
}
