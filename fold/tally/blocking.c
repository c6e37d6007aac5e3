// SPDX-License-Identifier: MIT
#include "fold/tally/blocking.h"

#include <stdlib.h>
#include <string.h>

#include "fold/tally/blocking_catalogue.h"

/* Heavy calls below this share of busy time are not worth a line. */
#define HEAVY_SHARE_LEAST 0.05

/* What a function is in the catalogue; all zero: nothing. */
struct role {
    uint32_t call; /* row of `calls`; 0 = none */
    bool by_name;  /* only synchronous by name: a call of the catalogue further in comes first */
    bool heavy;
    bool loader;
    bool javascript; /* of scripts, or what enters them */
    bool binding;    /* a call only below JavaScript */
    uint8_t file;    /* enum file_step */
};

/* What is known of the stack at a node, handed down to its children. */
struct context {
    uint32_t caller; /* nearest function outside Node core; 0 = none */
    uint32_t outer;  /* the next one outside that function's package; 0 = none */
    bool startup;    /* below module loading */
    bool javascript; /* below JavaScript */
    bool file;       /* right below a file request of libuv */
    uint32_t call, call_node, call_caller;
    bool call_by_name;
    uint32_t heavy, heavy_caller;
};

struct found_call {
    const struct blocking_call_kind *kind;
    struct text name;
    struct weight total, startup, waiting;
};

struct found_caller {
    uint32_t call, function;
    struct weight total;
};

struct search {
    const struct call_tree *tree;
    struct blocking *result;
    struct role *roles;       /* by function */
    struct found_call *calls; /* row 0 is not used */
    size_t call_count, call_capacity;
    uint32_t require;             /* row of the lazy require */
    uint32_t file_call;           /* row of file requests without a name */
    struct found_caller *callers; /* row 0 is not used */
    size_t caller_count, caller_capacity;
    struct hash_index caller_index;
    struct context *stack; /* by depth */
    size_t stack_capacity;
};

const char *blocking_class_name(enum blocking_class class) {
    static const char *const names[] = {"sync-io", "sync-cpu", "heavy"};
    return names[class];
}

/* The row of a call, by kind and name. There are few. */
static uint32_t call_row(struct search *search, const struct blocking_call_kind *kind,
                         struct text name) {
    if (strcmp(kind->call, BLOCKING_OWN_NAME) != 0)
        name = text_of(kind->call);
    for (size_t i = 1; i < search->call_count; i++) {
        if (search->calls[i].kind == kind && text_equal(search->calls[i].name, name))
            return (uint32_t)i;
    }
    MEMORY_RESERVE(search->calls, search->call_capacity, search->call_count + 1);
    search->calls[search->call_count] = (struct found_call){.kind = kind, .name = name};
    return (uint32_t)search->call_count++;
}

static void find_roles(struct search *search) {
    const struct call_tree *tree = search->tree;
    const struct profile *profile = tree->profile;
    MEMORY_RESERVE(search->calls, search->call_capacity, 1);
    search->call_count = 1;
    MEMORY_RESERVE(search->callers, search->caller_capacity, 1);
    search->caller_count = 1;
    search->roles = memory_allocate_zero(tree->function_count, sizeof *search->roles);
    for (size_t i = 1; i < tree->function_count; i++) {
        const struct function *function = &tree->functions[i];
        struct role *role = &search->roles[i];
        role->loader = function_loads_modules(profile, function);
        role->javascript = function->kind == FRAME_JAVASCRIPT || function->kind == FRAME_WASM ||
                           function->kind == FRAME_BUILTIN;
        role->file = (uint8_t)blocking_file_step(profile, function);
        const struct blocking_rule *rule = blocking_catalogue_find(profile, function);
        if (!rule) {
            rule = blocking_binding_find(profile, function);
            role->binding = rule != NULL;
        }
        const struct blocking_call_kind *kind = rule ? &rule->kind : NULL;
        if (!kind) {
            kind = blocking_by_name(profile, function);
            role->by_name = kind != NULL;
        }
        if (!kind)
            continue;
        role->heavy = kind->class == BLOCKING_HEAVY;
        role->call = call_row(search, kind, function_bare_name(profile, function));
    }
    search->require = call_row(search, &blocking_require, TEXT(""));
    search->file_call = call_row(search, &blocking_file_call, TEXT(""));
}

/* The nearest caller outside Node core and outside the package of `function`. */
static uint32_t caller_of(const struct search *search, const struct context *context,
                          const struct function *function) {
    const struct function *caller = &search->tree->functions[context->caller];
    bool own = function->package.size > 0 && text_equal(caller->package, function->package);
    return own ? context->outer : context->caller;
}

/* The context of a node, from its caller's. */
static struct context context_of(const struct search *search, const struct context *above,
                                 uint32_t node) {
    struct context context = *above;
    uint32_t id = search->tree->nodes[node].function;
    const struct function *function = &search->tree->functions[id];
    const struct role *role = &search->roles[id];

    uint32_t call = role->heavy || (role->binding && !context.javascript) ? 0 : role->call;
    if (context.file && call == 0 && role->file == FILE_DONE)
        call = search->file_call;
    context.file = context.javascript && role->file == FILE_REQUEST;
    context.javascript = context.javascript || role->javascript;
    if (role->loader && !context.startup && (context.call == 0 || context.call_by_name)) {
        /* Below a function of the application it is a lazy require; otherwise the program is being
         * loaded. */
        if (context.caller != 0)
            call = search->require;
        else
            context.startup = true;
    }
    if (call != 0 && (context.call == 0 || (context.call_by_name && !role->by_name))) {
        context.call = call;
        context.call_node = node;
        context.call_caller = caller_of(search, &context, function);
        context.call_by_name = role->by_name;
    }
    if (role->heavy && context.heavy == 0) {
        context.heavy = role->call;
        context.heavy_caller = caller_of(search, &context, function);
    }

    bool is_caller = (function->kind == FRAME_JAVASCRIPT || function->kind == FRAME_WASM) &&
                     function->origin != ORIGIN_CORE;
    if (is_caller) {
        const struct function *caller = &search->tree->functions[context.caller];
        if (!text_equal(caller->package, function->package))
            context.outer = context.caller;
        context.caller = id;
    }
    return context;
}

static void add_caller(struct search *search, uint32_t call, uint32_t function,
                       struct weight weight) {
    uint64_t hash = hash_number((uint64_t)call << 32 | function);
    struct hash_probe probe = hash_index_start(&search->caller_index, hash);
    uint32_t row;
    while ((row = hash_index_next(&search->caller_index, &probe)) != 0) {
        struct found_caller *caller = &search->callers[row];
        if (caller->call == call && caller->function == function) {
            caller->total = weight_add(caller->total, weight);
            return;
        }
    }
    MEMORY_RESERVE(search->callers, search->caller_capacity, search->caller_count + 1);
    row = (uint32_t)search->caller_count++;
    search->callers[row] = (struct found_caller){call, function, weight};
    hash_index_insert(&search->caller_index, hash, row);
}

/* Adds the self weight of a node to the call that it belongs to. */
static void add_weight(struct search *search, const struct context *context, uint32_t node) {
    const struct call_node *place = &search->tree->nodes[node];
    if (weight_is_zero(place->self) || search->tree->functions[place->function].kind == FRAME_GC)
        return;
    struct blocking *result = search->result;
    if (context->call != 0) {
        struct found_call *call = &search->calls[context->call];
        result->nodes[context->call_node] = call->kind;
        result->startup_nodes[context->call_node] = context->startup;
        if (context->startup) {
            call->startup = weight_add(call->startup, place->self);
            result->startup = weight_add(result->startup, place->self);
        } else {
            call->total = weight_add(call->total, place->self);
            if (search->tree->functions[place->function].kind == FRAME_WAITING)
                call->waiting = weight_add(call->waiting, place->self);
            result->total = weight_add(result->total, place->self);
            add_caller(search, context->call, context->call_caller, place->self);
        }
    } else if (context->heavy != 0 && !context->startup) {
        struct found_call *heavy = &search->calls[context->heavy];
        heavy->total = weight_add(heavy->total, place->self);
        add_caller(search, context->heavy, context->heavy_caller, place->self);
    }
}

static void walk(struct search *search) {
    const struct call_tree *tree = search->tree;
    MEMORY_RESERVE(search->stack, search->stack_capacity, 1);
    search->stack[0] = (struct context){0};
    for (uint32_t i = 1; i < tree->node_count; i++) {
        size_t depth = tree->nodes[i].depth;
        MEMORY_RESERVE(search->stack, search->stack_capacity, depth + 1);
        struct context context = context_of(search, &search->stack[depth - 1], i);
        search->stack[depth] = context;
        search->result->places[i] =
            (struct blocking_place){context.call, context.call_caller, context.startup};
        add_weight(search, &search->stack[depth], i);
    }
}

static int compare_callers(const void *left, const void *right) {
    const struct found_caller *a = left;
    const struct found_caller *b = right;
    if (a->call != b->call)
        return a->call < b->call ? -1 : 1;
    int order = weight_compare(b->total, a->total);
    /* Functions stand in the order of their labels. */
    return order != 0 ? order : (a->function > b->function) - (a->function < b->function);
}

static int compare_calls(const void *left, const void *right) {
    const struct blocking_call *a = left;
    const struct blocking_call *b = right;
    int order = weight_compare(b->total, a->total);
    if (order == 0)
        order = weight_compare(b->startup, a->startup);
    if (order == 0)
        order = strcmp(a->name, b->name);
    return order != 0 ? order : strcmp(a->kind->instead, b->kind->instead);
}

/* Whether a call is listed at all. */
static bool is_listed(const struct search *search, const struct found_call *call) {
    if (call->kind->class == BLOCKING_HEAVY)
        return !weight_is_zero(call->total) &&
               weight_share(call->total, search->tree->busy) >= HEAVY_SHARE_LEAST;
    return !weight_is_zero(call->total) || !weight_is_zero(call->startup);
}

/* The rows that places have before the calls are in their order become those of the result. */
static void number_places(struct search *search, const char *const *names) {
    struct blocking *result = search->result;
    uint32_t *rows = memory_allocate_zero(search->call_count, sizeof *rows);
    for (size_t i = 1; i < search->call_count; i++)
        for (size_t row = 0; row < result->call_count && names[i]; row++)
            if (result->calls[row].name == names[i])
                rows[i] = (uint32_t)row + 1;
    for (size_t i = 0; i < search->tree->node_count; i++)
        result->places[i].call = rows[result->places[i].call];
    free(rows);
}

/* Copies what was found into the result. */
static void collect(struct search *search) {
    struct blocking *result = search->result;
    size_t room = search->call_count;
    result->calls = arena_allocate(&result->arena, size_multiply(room, sizeof *result->calls));
    result->heavy = arena_allocate(&result->arena, size_multiply(room, sizeof *result->heavy));
    size_t caller_count = search->caller_count - 1;
    if (caller_count > 1)
        qsort(search->callers + 1, caller_count, sizeof *search->callers, compare_callers);
    struct blocking_caller *callers =
        arena_allocate(&result->arena, size_multiply(caller_count, sizeof *callers));
    for (size_t i = 0; i < caller_count; i++) {
        const struct found_caller *caller = &search->callers[i + 1];
        callers[i] = (struct blocking_caller){caller->function, caller->total};
    }
    size_t next = 0;
    const char **names = memory_allocate_zero(room, sizeof(const char *));
    for (size_t i = 1; i < search->call_count; i++) {
        const struct found_call *found = &search->calls[i];
        size_t first = next;
        while (next < caller_count && search->callers[next + 1].call == i)
            next++;
        if (!is_listed(search, found))
            continue;
        struct blocking_call call = {
            .kind = found->kind,
            .name = arena_copy_text(&result->arena, found->name.data, found->name.size),
            .total = found->total,
            .startup = found->startup,
            .waiting = found->waiting,
            .callers = callers + first,
            .caller_count = next - first,
        };
        if (found->kind->class == BLOCKING_HEAVY)
            result->heavy[result->heavy_count++] = call;
        else
            result->calls[result->call_count++] = call;
        names[i] = call.name;
    }
    qsort(result->calls, result->call_count, sizeof *result->calls, compare_calls);
    qsort(result->heavy, result->heavy_count, sizeof *result->heavy, compare_calls);
    number_places(search, names);
    free(names);
}

struct blocking *blocking_find(const struct call_tree *tree) {
    struct blocking *result = memory_allocate_zero(1, sizeof *result);
    result->nodes = memory_allocate_zero(tree->node_count, sizeof(const void *));
    result->startup_nodes = memory_allocate_zero(tree->node_count, sizeof *result->startup_nodes);
    result->places = memory_allocate_zero(tree->node_count, sizeof *result->places);
    struct search search = {.tree = tree, .result = result};
    find_roles(&search);
    walk(&search);
    collect(&search);
    free(search.roles);
    free(search.calls);
    free(search.callers);
    hash_index_free(&search.caller_index);
    free(search.stack);
    return result;
}

void blocking_free(struct blocking *blocking) {
    if (!blocking)
        return;
    free((void *)blocking->nodes);
    free(blocking->startup_nodes);
    free(blocking->places);
    arena_free(&blocking->arena);
    free(blocking);
}
