// SPDX-License-Identifier: MIT
/* A small heap of V8 in memory, laid out as a version of it would, for tests of profiler/v8. */
#ifndef TICKFLAME_TESTS_UNIT_V8_SUPPORT_H
#define TICKFLAME_TESTS_UNIT_V8_SUPPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "profiler/v8/v8_functions.h"

enum { HEAP_SIZE = 1 << 20 };
#define HEAP_BASE UINT64_C(0x20000000)

/* Types of maps; any numbers do, as long as those of strings are below 128. */
enum {
    TYPE_STRING_TWO = 32,
    TYPE_STRING_ONE = 40,
    TYPE_SHARED = 270,
    TYPE_SCOPE,
    TYPE_SCRIPT,
    TYPE_CODE,
    TYPE_BYTECODE,
    TYPE_ARRAY,
    TYPE_WRAPPER,
    TYPE_DEBUG,
    TYPE_UNCOMPILED = 280,
    TYPE_FUNCTION = 2066,
    TYPES = 2100
};

struct test_heap {
    struct v8_heap heap;
    unsigned char bytes[HEAP_SIZE];
    uint64_t used;
    uint64_t maps[TYPES];
    uint64_t reads;
};

static inline bool test_heap_read(void *context, uint64_t address, void *bytes, size_t size) {
    struct test_heap *test = context;
    test->reads++;
    if (address < HEAP_BASE || address - HEAP_BASE > HEAP_SIZE ||
        size > HEAP_SIZE - (address - HEAP_BASE))
        return false;
    memcpy(bytes, test->bytes + (address - HEAP_BASE), size);
    return true;
}

static inline void heap_put(struct test_heap *test, uint64_t tagged, int32_t offset,
                            uint64_t word) {
    memcpy(test->bytes + (tagged - 1 - HEAP_BASE) + offset, &word, sizeof word);
}

static inline void heap_put_half(struct test_heap *test, uint64_t tagged, int32_t offset,
                                 uint32_t number) {
    memcpy(test->bytes + (tagged - 1 - HEAP_BASE) + offset, &number, sizeof number);
}

static inline uint64_t heap_integer(int64_t value) {
    return (uint64_t)value << 32;
}

/* An object of `size` bytes; `type` 0: a map. */
static inline uint64_t heap_new(struct test_heap *test, int type, uint64_t size) {
    uint64_t tagged = HEAP_BASE + 8192 + test->used + 1;
    test->used += (size + 15) / 16 * 16;
    memset(test->bytes + (tagged - 1 - HEAP_BASE), 0, size);
    if (type == 0)
        return tagged;
    if (test->maps[type] == 0) {
        test->maps[type] = heap_new(test, 0, 80);
        heap_put_half(test, test->maps[type], test->heap.layout.map_type, (uint32_t)type);
    }
    heap_put(test, tagged, 0, test->maps[type]);
    return tagged;
}

/* An empty heap of V8 `major`. */
static inline void heap_begin(struct test_heap *test, uint32_t major) {
    memset(test, 0, sizeof *test);
    struct v8_layout *layout = &test->heap.layout;
    *layout = (struct v8_layout){
        .type_shared = TYPE_SHARED,
        .type_scope = TYPE_SCOPE,
        .type_script = TYPE_SCRIPT,
        .type_code = TYPE_CODE,
        .type_bytecode = TYPE_BYTECODE,
        .type_wrapper = major >= 13 ? TYPE_WRAPPER : 0,
        .type_debug = TYPE_DEBUG,
        .type_uncompiled_first = TYPE_UNCOMPILED,
        .type_uncompiled_last = TYPE_UNCOMPILED + 3,
        .type_function_first = TYPE_FUNCTION,
        .type_function_last = TYPE_FUNCTION + 16,
    };
    v8_versions_complete(layout, major, 0);
    test->heap.memory.read = test_heap_read;
    test->heap.memory.context = test;
    test->heap.memory.budget = 1 << 20;
    test->heap.now = 1000000000;
}

static inline uint64_t heap_string(struct test_heap *test, const char *text) {
    uint64_t tagged = heap_new(test, TYPE_STRING_ONE, 16 + strlen(text));
    heap_put_half(test, tagged, 12, (uint32_t)strlen(text));
    memcpy(test->bytes + (tagged - 1 - HEAP_BASE) + 16, text, strlen(text));
    return tagged;
}

static inline uint64_t heap_wide_string(struct test_heap *test, const uint16_t *text,
                                        size_t count) {
    uint64_t tagged = heap_new(test, TYPE_STRING_TWO, 16 + 2 * count);
    heap_put_half(test, tagged, 12, (uint32_t)count);
    memcpy(test->bytes + (tagged - 1 - HEAP_BASE) + 16, text, 2 * count);
    return tagged;
}

/* A cons, sliced or thin string: `kind` is added to the type. */
static inline uint64_t heap_string_of(struct test_heap *test, int kind, uint32_t length,
                                      uint64_t first, uint64_t second) {
    uint64_t tagged = heap_new(test, TYPE_STRING_ONE + kind, 32);
    heap_put_half(test, tagged, 12, length);
    heap_put(test, tagged, 16, first);
    heap_put(test, tagged, 24, second);
    return tagged;
}

static inline uint64_t heap_script(struct test_heap *test, int64_t id, uint64_t name,
                                   uint64_t source) {
    uint64_t tagged = heap_new(test, TYPE_SCRIPT, 112);
    heap_put(test, tagged, 8, source);
    heap_put(test, tagged, 16, name);
    heap_put(test, tagged, 64, heap_integer(id));
    return tagged;
}

/* What stands in a ScopeInfo. */
struct test_scope {
    uint64_t name, inferred; /* strings; 0 = none */
    uint32_t variables;
    bool class_variable;
    int64_t start;
};

static inline uint64_t heap_scope(struct test_heap *test, struct test_scope scope) {
    bool is_new = test->heap.layout.scope_positions != 0;
    uint32_t names = scope.variables < 75 ? 2 * scope.variables : 1 + scope.variables;
    uint64_t tagged = heap_new(test, TYPE_SCOPE, 8 + 8 * (16 + (uint64_t)names));
    uint32_t flags = 4u | (scope.class_variable ? 1u << 10 : 0) | (scope.name ? 1u << 12 : 0) |
                     (scope.inferred ? 1u << 14 : 0);
    heap_put(test, tagged, 8, is_new ? flags : heap_integer(flags));
    heap_put(test, tagged, 16, heap_integer(2));
    heap_put(test, tagged, 24, heap_integer(scope.variables));
    int32_t at = 32;
    if (is_new) {
        heap_put(test, tagged, at, heap_integer(scope.start));
        heap_put(test, tagged, at + 8, heap_integer(scope.start + 10));
        at += 16;
    }
    at += 8 * (int32_t)names;
    at += scope.class_variable ? 8 : 0;
    if (scope.name) {
        heap_put(test, tagged, at, scope.name);
        at += 16;
    }
    if (scope.inferred) {
        heap_put(test, tagged, at, scope.inferred);
        at += 8;
    }
    if (!is_new)
        heap_put(test, tagged, at, heap_integer(scope.start));
    return tagged;
}

static inline uint64_t heap_shared(struct test_heap *test, uint64_t name, uint64_t script) {
    uint64_t tagged = heap_new(test, TYPE_SHARED, 80);
    heap_put(test, tagged, test->heap.layout.shared_name, name);
    heap_put(test, tagged, test->heap.layout.shared_script, script);
    return tagged;
}

#endif
