// SPDX-License-Identifier: MIT
// Objects of V8's heap, made by hand in the layouts of its versions: strings, scripts, functions,
// and what stands at addresses that are used again.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "profiler/v8/v8_code.h"
#include "profiler/v8/v8_stack.h"
#include "profiler/v8/v8_string.h"
#include "tests/unit/v8_support.h"

enum { CONS = 1, EXTERNAL = 2, SLICED = 3, THIN = 5 };
static const uint32_t versions[] = {10, 11, 12, 13, 14};
enum { VERSIONS = sizeof versions / sizeof *versions };

static struct test_heap test;

static void assert_string(uint64_t tagged, size_t most, const char *expected) {
    struct buffer text = {0};
    bool read = v8_string_read(&test.heap, tagged, most, &text);
    assert_int_equal(read, expected != NULL);
    if (expected) {
        assert_int_equal(text.size, strlen(expected));
        assert_memory_equal(text.data, expected, text.size);
    }
    buffer_free(&text);
}

static void strings_of_all_kinds(void **state) {
    (void)state;
    static const uint16_t wide[] = {'a', 0xe4, 0x20ac, 0xd83d, 0xde00, 0xd800, 'z', 0xdc00};
    heap_begin(&test, 12);
    uint64_t hello = heap_string(&test, "hello, world");
    assert_string(hello, 100, "hello, world");
    assert_string(hello, 5, "hello");
    assert_string(heap_string(&test, "gr\xfc\xdf"), 100, "gr\xc3\xbc\xc3\x9f");
    assert_string(heap_wide_string(&test, wide, 8), 100,
                  "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbdz\xef\xbf\xbd");
    assert_string(heap_wide_string(&test, wide, 6), 100,
                  "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbd");
    uint64_t world = heap_string_of(&test, SLICED, 5, hello, heap_integer(7));
    assert_string(world, 100, "world");
    assert_string(heap_string_of(&test, THIN, 5, world, 0), 100, "world");
    uint64_t cons = heap_string_of(&test, CONS, 17, world, hello);
    assert_string(cons, 100, "worldhello, world");
    assert_string(cons, 7, "worldhe");
    assert_string(heap_string_of(&test, SLICED, 4, cons, heap_integer(3)), 100, "ldhe");
    /* External: its characters lie anywhere. */
    uint64_t external = heap_string_of(&test, EXTERNAL, 4, 0, hello - 1 + 16 + 1);
    assert_string(external, 100, "ello");
}

static void strings_that_are_none(void **state) {
    (void)state;
    heap_begin(&test, 12);
    uint64_t hello = heap_string(&test, "hello");
    uint64_t circle = heap_string_of(&test, THIN, 5, 0, 0);
    heap_put(&test, circle, 16, circle);
    assert_string(circle, 100, NULL);
    uint64_t two = heap_string_of(&test, CONS, 10, hello, 0);
    heap_put(&test, two, 16, two);
    heap_put(&test, two, 24, two);
    assert_string(two, 100, NULL);
    assert_string(heap_string_of(&test, SLICED, 5, hello, heap_integer(6)), 100, NULL);
    assert_string(heap_string_of(&test, SLICED, 5, hello, heap_integer(-1)), 100, NULL);
    assert_string(heap_string_of(&test, EXTERNAL, 5, 0, 12), 100, NULL);
    assert_string(heap_new(&test, TYPE_SHARED, 64), 100, NULL);
    assert_string(heap_integer(7), 100, NULL);
    assert_string(0, 100, NULL);
    assert_string(UINT64_MAX, 100, NULL);
    /* Longer than there is memory. */
    heap_put_half(&test, hello, 12, UINT32_MAX);
    assert_string(hello, UINT32_MAX, NULL);
    /* A chain that is deep on the left, as text grows, and one on the right. */
    heap_begin(&test, 12);
    uint64_t left = heap_string(&test, "x"), right = left;
    for (uint32_t i = 2; i <= 200; i++) {
        left = heap_string_of(&test, CONS, i, left, heap_string(&test, "y"));
        right = heap_string_of(&test, CONS, i, heap_string(&test, "z"), right);
    }
    struct buffer text = {0};
    assert_true(v8_string_read(&test.heap, left, 500, &text));
    assert_int_equal(text.size, 200);
    assert_int_equal(text.data[0], 'x');
    assert_int_equal(text.data[199], 'y');
    assert_true(v8_string_read(&test.heap, right, 500, &text));
    assert_int_equal(text.size, 200);
    assert_int_equal(text.data[199], 'x');
    buffer_free(&text);
}

/* A function of a script, with `scope`; checks what is said of it. */
static void assert_function(struct v8_functions *functions, uint64_t shared, const char *name,
                            const char *file, uint32_t line, uint32_t column) {
    const struct v8_function *function = v8_function_of_shared(functions, shared);
    assert_non_null(function);
    assert_int_equal(function->name.size, strlen(name));
    assert_memory_equal(function->name.data, name, function->name.size);
    assert_int_equal(function->file.size, strlen(file));
    assert_memory_equal(function->file.data, file, function->file.size);
    assert_int_equal(function->line, line);
    assert_int_equal(function->column, column);
}

static const char source[] = "one\ntwo\r\nthree\rfour\n\nsix";

static void functions_of_all_layouts(void **state) {
    (void)state;
    for (int i = 0; i < VERSIONS; i++) {
        heap_begin(&test, versions[i]);
        struct v8_functions functions;
        v8_functions_open(&functions, &test.heap);
        uint64_t script = heap_script(&test, 7, heap_string(&test, "file:///srv/app.js"),
                                      heap_string(&test, source));
        uint64_t name = heap_string(&test, "handle"), inferred = heap_string(&test, "obj.run");
        uint64_t empty = heap_string(&test, "");
        const struct {
            struct test_scope scope;
            const char *name;
            uint32_t line, column;
        } cases[] = {
            {{.name = name, .start = 0}, "handle", 1, 1},
            {{.name = name, .start = 3}, "handle", 1, 4},
            {{.name = name, .start = 4}, "handle", 2, 1},
            {{.name = name, .start = 9}, "handle", 3, 1},
            {{.name = name, .start = 15}, "handle", 4, 1},
            {{.name = name, .start = 20}, "handle", 5, 1},
            {{.name = name, .start = 22}, "handle", 6, 2},
            {{.inferred = inferred, .start = 5}, "obj.run", 2, 2},
            {{.name = name, .inferred = inferred, .start = 5}, "handle", 2, 2},
            {{.name = empty, .inferred = inferred, .start = 5}, "obj.run", 2, 2},
            {{.start = 5}, "", 2, 2},
            {{.name = name, .variables = 1, .start = 6}, "handle", 2, 3},
            {{.name = name, .variables = 74, .start = 6}, "handle", 2, 3},
            {{.name = name, .variables = 75, .start = 6}, "handle", 2, 3},
            {{.name = name, .variables = 1000, .class_variable = true, .start = 6}, "handle", 2, 3},
        };
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            uint64_t shared = heap_shared(&test, heap_scope(&test, cases[k].scope), script);
            assert_function(&functions, shared, cases[k].name, "/srv/app.js", cases[k].line,
                            cases[k].column);
        }
        /* Behind a DebugInfo stands the script. */
        uint64_t debug = heap_new(&test, TYPE_DEBUG, 64);
        heap_put(&test, debug, 24, script);
        assert_function(&functions, heap_shared(&test, heap_scope(&test, cases[0].scope), debug),
                        "handle", "/srv/app.js", 1, 1);
        /* A name alone: not compiled yet, its place is elsewhere; or V8's own. */
        uint64_t uncompiled = heap_new(&test, TYPE_UNCOMPILED + 2, 32);
        heap_put_half(&test, uncompiled, 16, 6);
        uint64_t lazy = heap_shared(&test, name, script);
        heap_put(&test, lazy, 8, uncompiled);
        assert_function(&functions, lazy, "handle", "/srv/app.js", 2, 3);
        assert_function(&functions, heap_shared(&test, heap_string(&test, "from"), 0), "from", "",
                        0, 0);
        /* A closure leads there. */
        uint64_t closure = heap_new(&test, TYPE_FUNCTION + 15, 64);
        heap_put(&test, closure, test.heap.layout.function_shared, lazy);
        assert_int_equal(v8_function_shared(&functions, closure), lazy);
        assert_int_equal(v8_function_shared(&functions, lazy), 0);
        v8_functions_close(&functions);
    }
}

static void offsets_of_scripts(void **state) {
    (void)state;
    heap_begin(&test, 13);
    struct v8_functions functions;
    v8_functions_open(&functions, &test.heap);
    static const uint16_t wide[] = {'a', 0x2028, 'b', 0x2029, 'c', '\r', '\n', 0x20ac, 'd'};
    uint64_t script = heap_script(&test, 8, heap_integer(0), heap_wide_string(&test, wide, 9));
    heap_put(&test, script, 24, heap_integer(10));
    heap_put(&test, script, 32, heap_integer(5));
    uint64_t name = heap_string(&test, "f");
    const uint32_t places[][3] = {{0, 11, 6}, {2, 12, 1}, {4, 13, 1}, {7, 14, 1}, {8, 14, 2}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        uint64_t scope =
            heap_scope(&test, (struct test_scope){.name = name, .start = places[i][0]});
        assert_function(&functions, heap_shared(&test, scope, script), "f", "", places[i][1],
                        places[i][2]);
    }
    v8_functions_close(&functions);
}

/* Objects die, and others that look alike take their memory. */
static void addresses_that_are_used_again(void **state) {
    (void)state;
    for (int i = 0; i < VERSIONS; i++) {
        heap_begin(&test, versions[i]);
        struct v8_functions functions;
        v8_functions_open(&functions, &test.heap);
        uint64_t first = heap_string(&test, "first"), second = heap_string(&test, "second");
        uint64_t script = heap_script(&test, 7, heap_integer(0), heap_string(&test, source));
        uint64_t scope = heap_scope(&test, (struct test_scope){.name = first, .start = 4});
        uint64_t shared = heap_shared(&test, scope, script);
        assert_function(&functions, shared, "first", "", 2, 1);
        /* The same words in the SharedFunctionInfo: only the script has another number. */
        int32_t place = test.heap.layout.scope_positions ? 48 : 32;
        heap_put(&test, script, 64, heap_integer(8));
        heap_put(&test, scope, place, second);
        test.heap.now += V8_FRESH_NANOSECONDS + 1;
        assert_function(&functions, shared, "second", "", 2, 1);
        /* In one script: another place. */
        heap_put(&test, scope, place, first);
        heap_put(&test, scope, test.heap.layout.scope_positions ? 32 : 48, heap_integer(5));
        test.heap.now += V8_FRESH_NANOSECONDS + 1;
        assert_function(&functions, shared, "first", "", 2, 2);
        /* What is no function any more is none. */
        heap_put(&test, shared, 0, test.maps[TYPE_SCRIPT]);
        heap_put(&test, script, 64, heap_integer(9));
        test.heap.now += V8_FRESH_NANOSECONDS + 1;
        assert_null(v8_function_of_shared(&functions, shared));
        v8_functions_close(&functions);
    }
}

static void reads_end(void **state) {
    (void)state;
    heap_begin(&test, 12);
    struct v8_functions functions;
    v8_functions_open(&functions, &test.heap);
    uint64_t scope = heap_scope(&test, (struct test_scope){.name = heap_string(&test, "f")});
    uint64_t shared = heap_shared(&test, scope, 0);
    for (uint64_t budget = 0; budget < 12; budget++) {
        test.heap.memory.budget = budget;
        test.reads = 0;
        v8_function_of_shared(&functions, shared);
        assert_true(test.reads <= 2 * budget);
        test.heap.now += 2000000000;
    }
    v8_functions_close(&functions);
}

/* ---- code ---- */

/* Optimised code of `owner` with two expansions, one in the other. Returns where it starts. */
static uint64_t make_code(uint64_t owner, uint64_t outer, uint64_t inner,
                          const unsigned char *table, size_t table_size) {
    const struct v8_layout *layout = &test.heap.layout;
    uint64_t literals = heap_new(&test, TYPE_ARRAY, 16 + 16);
    heap_put(&test, literals, 8, heap_integer(2));
    heap_put(&test, literals, 16, inner);
    heap_put(&test, literals, 24, outer | 2); /* weak */
    uint64_t list = heap_new(&test, TYPE_ARRAY, 16 + 32);
    heap_put(&test, list, 8, heap_integer(32));
    /* 1: the outer one, called from the code itself; 2: the inner one, called from expansion 1. */
    heap_put(&test, list, 16, 0);
    heap_put_half(&test, list, 24, 1);
    heap_put(&test, list, 32, (uint64_t)1 << 31);
    heap_put_half(&test, list, 40, 0);
    uint64_t data = heap_new(&test, TYPE_ARRAY, 16 + 12 * 8);
    heap_put(&test, data, 8, heap_integer(12));
    heap_put(&test, data, 16 + 8 * layout->deopt_literals, literals);
    heap_put(&test, data, 16 + 8 * layout->deopt_inlinings, list);
    uint64_t word = owner;
    if (layout->wrapper_shared) {
        word = heap_new(&test, TYPE_WRAPPER, 16);
        heap_put(&test, word, layout->wrapper_shared, owner);
    }
    heap_put(&test, data, 16 + 8 * layout->deopt_shared, word);
    uint64_t positions = heap_new(&test, TYPE_ARRAY, 16 + table_size);
    heap_put(&test, positions, 8, heap_integer((int64_t)table_size));
    memcpy(test.bytes + (positions - 1 - HEAP_BASE) + 16, table, table_size);
    uint64_t code = heap_new(&test, TYPE_CODE, layout->code_inline ? 4096 : 64);
    uint64_t start = code - 1 + (uint64_t)layout->code_inline;
    if (!layout->code_inline) {
        uint64_t stream = heap_new(&test, TYPE_ARRAY, 4096);
        heap_put(&test, stream, 8, code);
        start = stream - 1 + 64;
        heap_put(&test, code, layout->code_start, start);
    }
    heap_put(&test, code, layout->code_deoptimization, data);
    heap_put(&test, code, layout->code_positions, positions);
    heap_put_half(&test, code, layout->code_size, 1000);
    heap_put_half(&test, code, layout->code_flags, (uint32_t)layout->kind_turbofan);
    return start;
}

/* Appends a number with 7 bits a byte. */
static size_t put_number(unsigned char *bytes, size_t at, uint64_t number) {
    do {
        bytes[at++] = (unsigned char)((number & 0x7f) | (number > 0x7f ? 0x80 : 0));
        number >>= 7;
    } while (number);
    return at;
}

/* An entry: `offset` bytes behind the one before, in expansion `to` after `from`. */
static size_t put_entry(unsigned char *bytes, size_t at, uint32_t offset, int64_t from,
                        int64_t to) {
    int64_t step = (to - from) * ((int64_t)1 << 31);
    int flags = test.heap.layout.positions_flags;
    at = put_number(bytes, at, flags ? (uint64_t)offset << flags : (uint64_t)offset << 1);
    return put_number(bytes, at, step < 0 ? ((uint64_t)-step << 1) - 1 : (uint64_t)step << 1);
}

static void code_and_what_was_expanded(void **state) {
    (void)state;
    for (int i = 0; i < VERSIONS; i++) {
        heap_begin(&test, versions[i]);
        struct v8_codes codes;
        v8_codes_open(&codes, &test.heap);
        uint64_t name = heap_scope(&test, (struct test_scope){.start = 1});
        uint64_t owner = heap_shared(&test, name, 0), outer = heap_shared(&test, name, 0),
                 inner = heap_shared(&test, name, 0);
        unsigned char table[128];
        size_t size = put_entry(table, 0, 0, 0, 0);
        size = put_entry(table, size, 100, 0, 1);
        size = put_entry(table, size, 100, 1, 2);
        size = put_entry(table, size, 100, 2, 0);
        uint64_t start = make_code(owner, outer, inner, table, size);
        const struct v8_code *code = v8_code_find(&codes, start + 500);
        assert_non_null(code);
        assert_int_equal(code->start, start);
        assert_int_equal(code->size, 1000);
        assert_int_equal(code->kind, V8_CODE_TURBOFAN);
        assert_int_equal(code->shared, owner);
        uint64_t shared[V8_INLINED_DEPTH_MOST];
        assert_int_equal(v8_code_inlined(&codes, code, start + 99, shared), 0);
        assert_int_equal(v8_code_inlined(&codes, code, start + 100, shared), 1);
        assert_int_equal(shared[0], outer);
        assert_int_equal(v8_code_inlined(&codes, code, start + 250, shared), 2);
        assert_int_equal(shared[0], inner);
        assert_int_equal(shared[1], outer);
        assert_int_equal(v8_code_inlined(&codes, code, start + 300, shared), 0);
        assert_null(v8_code_find(&codes, start + 1000));
        /* The same Code object, made anew for another function. */
        uint64_t other = heap_shared(&test, name, 0);
        uint64_t new_start = make_code(other, outer, inner, table, size);
        memcpy(test.bytes + (code->object - 1 - HEAP_BASE) + 8,
               test.bytes + (v8_code_find(&codes, new_start)->object - 1 - HEAP_BASE) + 8, 24);
        test.heap.now += V8_FRESH_NANOSECONDS + 1;
        code = v8_code_find(&codes, start + 500);
        assert_non_null(code);
        assert_int_equal(code->shared, other);
        v8_codes_close(&codes);
    }
}

static void builtins_by_symbol(void **state) {
    (void)state;
    const struct {
        const char *symbol;
        enum v8_place place;
    } cases[] = {
        {"Builtins_InterpreterEntryTrampoline", V8_PLACE_INTERPRETER},
        {"Builtins_InterpreterEnterAtBytecode", V8_PLACE_INTERPRETER},
        {"Builtins_LdaNamedPropertyHandler", V8_PLACE_INTERPRETER},
        {"Builtins_StarWideHandler", V8_PLACE_INTERPRETER},
        {"Builtins_BaselineOutOfLinePrologue", V8_PLACE_BASELINE},
        {"Builtins_ArrayPrototypeSort", V8_PLACE_BUILTIN},
        {"Builtins_InterpreterPushArgsThenCall", V8_PLACE_BUILTIN},
        {"Builtins_AtomicsMutexAsyncUnlockResolveHandler", V8_PLACE_BUILTIN},
        {"_ZN2v88internal4Heap14CollectGarbageEv", V8_PLACE_NATIVE},
        {"", V8_PLACE_NATIVE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(v8_place_of_symbol(text_of(cases[i].symbol)), cases[i].place);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_of_all_kinds),          cmocka_unit_test(strings_that_are_none),
        cmocka_unit_test(functions_of_all_layouts),      cmocka_unit_test(offsets_of_scripts),
        cmocka_unit_test(addresses_that_are_used_again), cmocka_unit_test(reads_end),
        cmocka_unit_test(code_and_what_was_expanded),    cmocka_unit_test(builtins_by_symbol),
    };
    return cmocka_run_group_tests_name("v8_heap_test", tests, NULL, NULL);
}
