// SPDX-License-Identifier: MIT
/* Tests of fold/model/string_table.h and frame_table.h: what is equal has one row, what differs in
 * anything has another. */
#include "fold/model/string_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fold/model/frame_table.h"

static void test_strings(void **state) {
    (void)state;
    struct string_table table = {0};
    struct arena arena = {0};
    struct string_id none = {0};
    assert_int_equal(string_table_text(&table, none).size, 0);
    assert_string_equal(string_table_text(&table, none).data, "");
    assert_int_equal(string_table_intern(&table, &arena, TEXT("")).index, 0);
    assert_int_equal(string_table_intern(&table, &arena, (struct text){NULL, 0}).index, 0);

    char name[] = "main";
    struct string_id id = string_table_intern(&table, &arena, text_of(name));
    assert_int_equal(id.index, 1);
    memset(name, 'x', 4); /* it is a copy */
    assert_string_equal(string_table_text(&table, id).data, "main");
    assert_int_equal(string_table_intern(&table, &arena, TEXT("main")).index, 1);
    /* Bytes, not C strings: what stands behind a NUL counts. */
    struct string_id a = string_table_intern(&table, &arena, TEXT("a\0b"));
    struct string_id b = string_table_intern(&table, &arena, TEXT("a\0c"));
    struct string_id c = string_table_intern(&table, &arena, TEXT("a"));
    assert_int_equal(a.index, 2);
    assert_int_equal(b.index, 3);
    assert_int_equal(c.index, 4);
    assert_int_equal(string_table_text(&table, a).size, 3);
    assert_memory_equal(string_table_text(&table, a).data, "a\0b", 4);
    string_table_free(&table);
    arena_free(&arena);
    assert_int_equal(table.size, 0);
}

/* Numbers are given in the order of the first time; texts stay where they are. */
static void test_many_strings(void **state) {
    (void)state;
    enum { COUNT = 100000 };
    struct string_table table = {0};
    struct arena arena = {0};
    const char *first = NULL;
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            char name[32];
            int size = snprintf(name, sizeof name, "f%u%s", i, i % 7 ? "" : "\xFF");
            struct string_id id =
                string_table_intern(&table, &arena, (struct text){name, (size_t)size});
            if (id.index != i + 1)
                fail_msg("%s is row %u", name, id.index);
            struct text text = string_table_text(&table, id);
            if (text.size != (size_t)size || memcmp(text.data, name, text.size + 1) != 0)
                fail_msg("%s became %s", name, text.data);
            if (i == 0 && round == 0)
                first = text.data;
        }
    }
    assert_int_equal(table.size, COUNT + 1);
    assert_ptr_equal(string_table_text(&table, (struct string_id){1}).data, first);
    string_table_free(&table);
    arena_free(&arena);
}

/* Two frames that differ in one member only are two frames. */
static void test_frames(void **state) {
    (void)state;
    static const struct frame frames[] = {
        {.line = 0},
        {.name = {1}},
        {.name = {2}},
        {.file = {1}},
        {.name = {1}, .file = {1}},
        {.line = 1},
        {.column = 1},
        {.line = 1, .column = 1},
        {.module = {1}},
        {.kind = FRAME_JAVASCRIPT},
        {.kind = FRAME_KERNEL},
        {.tier = FRAME_INTERPRETED},
        {.tier = FRAME_OPTIMISED},
        {.inlined = true},
        {.name = {UINT32_MAX},
         .file = {UINT32_MAX},
         .line = UINT32_MAX,
         .column = UINT32_MAX,
         .module = {UINT32_MAX},
         .kind = 255,
         .tier = 255,
         .inlined = true},
        {.name = {UINT32_MAX},
         .file = {UINT32_MAX},
         .line = UINT32_MAX,
         .column = UINT32_MAX,
         .module = {UINT32_MAX},
         .kind = 255,
         .tier = 255,
         .inlined = false},
    };
    enum { COUNT = sizeof frames / sizeof *frames };
    struct frame_table table = {0};
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < COUNT; i++)
            assert_int_equal(frame_table_intern(&table, &frames[i]).index, i + 1);
    assert_int_equal(table.size, COUNT + 1);
    const struct frame *last = frame_table_get(&table, (struct frame_id){COUNT - 1});
    assert_int_equal(last->line, UINT32_MAX);
    assert_true(last->inlined);
    frame_table_free(&table);
    assert_int_equal(table.size, 0);
    frame_table_free(&table);
}

static void test_many_frames(void **state) {
    (void)state;
    enum { SIDE = 40 };
    struct frame_table table = {0};
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < SIDE * SIDE * SIDE; i++) {
            struct frame frame = {.name = {i % SIDE},
                                  .line = i / SIDE % SIDE,
                                  .column = i / SIDE / SIDE,
                                  .kind = FRAME_JAVASCRIPT};
            assert_int_equal(frame_table_intern(&table, &frame).index, i + 1);
        }
    assert_int_equal(table.size, SIDE * SIDE * SIDE + 1);
    frame_table_free(&table);
}

/* So many that some have the same 32 bits of hash (10 pairs of each kind, by chance): they are told
 * apart by each number alone. */
static void test_alike_hashes(void **state) {
    (void)state;
    enum { COUNT = 300000, KINDS = 5 };
    struct frame_table table = {0};
    for (uint32_t kind = 0; kind < KINDS; kind++)
        for (uint32_t i = 1; i <= COUNT; i++) {
            struct frame frame = {.kind = (uint8_t)kind};
            uint32_t *const numbers[KINDS] = {&frame.name.index, &frame.file.index, &frame.line,
                                              &frame.column, &frame.module.index};
            *numbers[kind] = i;
            if (frame_table_intern(&table, &frame).index != kind * COUNT + i)
                fail_msg("number %u of kind %u is taken for another frame", i, kind);
        }
    frame_table_free(&table);
}

/* The names are part of the contract of the JSON report. */
static void test_names(void **state) {
    (void)state;
    static const struct {
        enum frame_kind kind;
        const char *name;
    } kinds[] = {
        {FRAME_JAVASCRIPT, "javascript"},
        {FRAME_BUILTIN, "builtin"},
        {FRAME_REGEXP, "regexp"},
        {FRAME_WASM, "wasm"},
        {FRAME_BYTECODE, "bytecode"},
        {FRAME_CPP, "cpp"},
        {FRAME_ADDON, "addon"},
        {FRAME_LIBRARY, "library"},
        {FRAME_KERNEL, "kernel"},
        {FRAME_GC, "gc"},
        {FRAME_COMPILER, "compiler"},
        {FRAME_WAITING, "waiting"},
        {FRAME_UNACCOUNTED, "unaccounted"},
        {FRAME_UNKNOWN_KIND, "unaccounted"},
    };
    assert_int_equal(sizeof kinds / sizeof *kinds, FRAME_KIND_COUNT);
    for (size_t i = 0; i < FRAME_KIND_COUNT; i++)
        assert_string_equal(frame_kind_name(kinds[i].kind), kinds[i].name);
    assert_string_equal(frame_tier_mark(FRAME_NO_TIER), "");
    assert_string_equal(frame_tier_mark(FRAME_INTERPRETED), "~");
    assert_string_equal(frame_tier_mark(FRAME_BASELINE), "^");
    assert_string_equal(frame_tier_mark(FRAME_MAGLEV), "+");
    assert_string_equal(frame_tier_mark(FRAME_OPTIMISED), "*");
    assert_string_equal(frame_tier_mark(FRAME_OTHER_TIER), "?");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strings),      cmocka_unit_test(test_many_strings),
        cmocka_unit_test(test_frames),       cmocka_unit_test(test_many_frames),
        cmocka_unit_test(test_alike_hashes), cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
