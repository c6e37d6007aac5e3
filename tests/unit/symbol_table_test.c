// SPDX-License-Identifier: MIT
// Symbol tables made by hand: which function holds an address, and which of its names is shown.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/symbol/symbol_table.h"

/* A table whose names stand in `strings`, each at the offset of its first letter. */
static const char strings[] = "\0"
                              "big\0"
                              "small\0"
                              "late\0"
                              "__under\0"
                              "long_name\0"
                              "zz@@V_1.2\0"
                              "ab\0"
                              "_ZN3Foo3barEi\0";

static uint64_t offset_of(const char *name) {
    for (size_t at = 1; at < sizeof strings - 1; at += strlen(strings + at) + 1) {
        if (strcmp(strings + at, name) == 0)
            return at;
    }
    return sizeof strings;
}

static struct symbol_table new_table(void) {
    return (struct symbol_table){.strings = {{strings, sizeof strings - 1}}};
}

static void add(struct symbol_table *table, uint64_t start, uint64_t size, const char *name) {
    symbol_table_add(table, start, size, false, SYMBOL_GLOBAL, 0, offset_of(name));
}

static void add_unsized(struct symbol_table *table, uint64_t start, uint64_t room,
                        const char *name) {
    symbol_table_add(table, start, room, true, SYMBOL_GLOBAL, 0, offset_of(name));
}

/* The name shown for `address`, or "-" when no function holds it. */
static const char *name_at(const struct symbol_table *table, uint64_t address) {
    struct symbol_match match;
    if (!symbol_table_find(table, address, &match))
        return "-";
    assert_true(match.start <= address && address - match.start < match.size);
    return symbol_table_name(table, symbol_table_best(table, &match)).data;
}

static void find_in_empty_table(void **state) {
    (void)state;
    struct symbol_table table = new_table();
    struct symbol_match match;
    symbol_table_finish(&table);
    assert_false(symbol_table_find(&table, 0, &match));
    assert_false(symbol_table_find(&table, UINT64_MAX, &match));
    symbol_table_free(&table);
}

static void find_between_functions(void **state) {
    (void)state;
    struct symbol_table table = new_table();
    add(&table, 0x5000000000, 16, "late");
    add(&table, 100, 10, "small");
    symbol_table_finish(&table);
    assert_string_equal(name_at(&table, 99), "-");
    assert_string_equal(name_at(&table, 100), "small");
    assert_string_equal(name_at(&table, 109), "small");
    assert_string_equal(name_at(&table, 110), "-");
    assert_string_equal(name_at(&table, 0x5000000000), "late");
    assert_string_equal(name_at(&table, 0x500000000f), "late");
    assert_string_equal(name_at(&table, 0x5000000010), "-");
    symbol_table_free(&table);
}

static void find_innermost(void **state) {
    (void)state;
    struct symbol_table table = new_table();
    add(&table, 100, 100, "big");
    add(&table, 120, 10, "small");
    add(&table, 100, 5, "ab");
    add(&table, 190, 30, "late");
    symbol_table_finish(&table);
    assert_string_equal(name_at(&table, 104), "ab");
    assert_string_equal(name_at(&table, 105), "big");
    assert_string_equal(name_at(&table, 125), "small");
    assert_string_equal(name_at(&table, 130), "big");
    assert_string_equal(name_at(&table, 189), "big");
    assert_string_equal(name_at(&table, 195), "late");
    assert_string_equal(name_at(&table, 205), "late");
    assert_string_equal(name_at(&table, 220), "-");
    symbol_table_free(&table);
}

static void find_behind_many_nested(void **state) {
    (void)state;
    struct symbol_table table = new_table();
    add(&table, 0, 1000000, "big");
    for (uint64_t i = 1; i < 5000; i++)
        add(&table, i * 10, 5, "small");
    symbol_table_finish(&table);
    assert_string_equal(name_at(&table, 49992), "small");
    assert_string_equal(name_at(&table, 49996), "big");
    assert_string_equal(name_at(&table, 999999), "big");
    assert_string_equal(name_at(&table, 1000000), "-");
    symbol_table_free(&table);
}

static void unsized_ends_at_next(void **state) {
    (void)state;
    struct symbol_table table = new_table();
    add_unsized(&table, 100, 900, "small");
    add(&table, 150, 10, "big");
    add_unsized(&table, 155, 845, "ab"); /* a label inside of `big` */
    add_unsized(&table, 500, 500, "late");
    symbol_table_finish(&table);
    assert_string_equal(name_at(&table, 149), "small");
    assert_string_equal(name_at(&table, 157), "big");
    assert_string_equal(name_at(&table, 160), "-");
    assert_string_equal(name_at(&table, 999), "late");
    assert_string_equal(name_at(&table, 1000), "-");
    symbol_table_free(&table);
}

static void unsized_at_start_of_sized_is_its_name(void **state) {
    (void)state;
    struct symbol_table table = new_table();
    add(&table, 100, 50, "long_name");
    add_unsized(&table, 100, 900, "ab");
    symbol_table_finish(&table);
    struct symbol_match match;
    assert_true(symbol_table_find(&table, 149, &match));
    assert_int_equal(match.count, 2);
    /* But not the best one: a label may mark a region, such as V8's `embedded_blob_code_`. */
    assert_string_equal(name_at(&table, 149), "long_name");
    assert_string_equal(name_at(&table, 150), "-");
    symbol_table_free(&table);
}

static void best_name(void **state) {
    (void)state;
    struct symbol_table table = new_table();
    struct symbol_match match;
    symbol_table_add(&table, 8, 8, false, SYMBOL_LOCAL, 0, offset_of("ab"));
    symbol_table_add(&table, 8, 8, false, SYMBOL_WEAK, 0, offset_of("big"));
    symbol_table_add(&table, 8, 8, false, SYMBOL_GLOBAL, 0, offset_of("__under"));
    symbol_table_add(&table, 8, 8, false, SYMBOL_GLOBAL, 0, offset_of("long_name"));
    add(&table, 16, 8, "small");
    add(&table, 16, 8, "zz@@V_1.2"); /* shorter without its version */
    add(&table, 32, 8, "late");
    add(&table, 32, 8, "_ZN3Foo3barEi"); /* counts as Foo::bar */
    symbol_table_add(&table, 48, 8, false, SYMBOL_WEAK, 0, offset_of("small"));
    symbol_table_add(&table, 48, 8, false, SYMBOL_LOCAL, 0, offset_of("ab"));
    symbol_table_finish(&table);
    assert_string_equal(name_at(&table, 8), "long_name");
    assert_string_equal(name_at(&table, 16), "zz@@V_1.2");
    assert_string_equal(name_at(&table, 32), "late");
    assert_string_equal(name_at(&table, 48), "small");
    assert_true(symbol_table_find(&table, 9, &match));
    assert_int_equal(match.count, 4);
    symbol_table_free(&table);
}

static void impossible_symbols_are_left_out(void **state) {
    (void)state;
    struct symbol_table table = new_table();
    add(&table, 10, 0, "big");
    add(&table, UINT64_MAX - 4, 8, "big");
    symbol_table_add(&table, 10, 8, false, SYMBOL_GLOBAL, 0, sizeof strings);
    symbol_table_add(&table, 10, 8, false, SYMBOL_GLOBAL, 0, UINT64_MAX);
    symbol_table_add(&table, 10, 8, false, SYMBOL_GLOBAL, 1, 1);
    symbol_table_add(&table, 10, 8, false, SYMBOL_GLOBAL, SYMBOL_STRINGS_MAX, 1);
    symbol_table_finish(&table);
    assert_int_equal(table.size, 0);
    symbol_table_free(&table);
}

static void huge_size_is_cut(void **state) {
    (void)state;
    struct symbol_table table = new_table();
    add(&table, 16, UINT64_MAX - 16, "big");
    add(&table, UINT64_MAX - 8, 4, "small");
    symbol_table_finish(&table);
    assert_string_equal(name_at(&table, 16 + UINT64_C(0xfffffffe)), "big");
    assert_string_equal(name_at(&table, UINT64_MAX - 5), "small");
    assert_string_equal(name_at(&table, UINT64_MAX), "-");
    symbol_table_free(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(find_in_empty_table),
        cmocka_unit_test(find_between_functions),
        cmocka_unit_test(find_innermost),
        cmocka_unit_test(find_behind_many_nested),
        cmocka_unit_test(unsized_ends_at_next),
        cmocka_unit_test(unsized_at_start_of_sized_is_its_name),
        cmocka_unit_test(best_name),
        cmocka_unit_test(impossible_symbols_are_left_out),
        cmocka_unit_test(huge_size_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
