// SPDX-License-Identifier: MIT
/* The address space of an isolate: code that is made, moved, deleted and overlapped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/trace/v8log_code.h"

static void start(struct v8log_code *code, unsigned node) {
    v8log_code_start(code, node ? v8log_rules_of_node(node) : &v8log_tolerant_rules);
}

static uint32_t add_function(struct v8log_code *code, const char *name, uint64_t at, uint64_t size,
                             uint64_t function) {
    return v8log_code_add_function_code(code, TEXT("JS"), text_of(name), at, size, function, '*')
        .row;
}

/* Checks the label of what holds an address; NULL: nothing does. */
static void assert_label(struct v8log_code *code, uint64_t address, const char *label) {
    uint32_t row = v8log_code_find(code, address);
    if (!label) {
        assert_int_equal(row, 0);
        return;
    }
    struct buffer buffer = {0};
    v8log_code_append_label(code, row, &buffer);
    buffer_append_byte(&buffer, '\0');
    assert_string_equal(buffer.data, label);
    buffer_free(&buffer);
}

/* FC-07, with the rules of both sides. */
static void moves_deletes_overlaps(void **state) {
    (void)state;
    static const unsigned nodes[] = {0, 14, 20, 24};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        struct v8log_code code;
        start(&code, nodes[i]);
        add_function(&code, "first /a.js:1:1", 0x2000000, 256, 0x3000000);
        assert_label(&code, 0x2000010, "JS: *first /a.js:1:1");
        assert_true(v8log_code_move(&code, 0x2000000, 0x2001000));
        assert_label(&code, 0x2000010, NULL);
        assert_label(&code, 0x2001010, "JS: *first /a.js:1:1");
        add_function(&code, "second /b.js:1:1", 0x2000080, 256, 0x3000100);
        assert_label(&code, 0x2000090, "JS: *second /b.js:1:1");
        /* The third overlaps a part of the first: all of the first is gone. */
        add_function(&code, "third /c.js:1:1", 0x2001080, 64, 0x3000200);
        assert_label(&code, 0x2001090, "JS: *third /c.js:1:1");
        assert_label(&code, 0x2001010, NULL);
        assert_false(v8log_code_move(&code, 0x9000000, 0x9100000));
        assert_true(v8log_code_delete(&code, 0x2000080));
        assert_false(v8log_code_delete(&code, 0x2000080));
        assert_label(&code, 0x2000090, NULL);
        v8log_code_free(&code);
    }
}

static void bytes_at_the_edges(void **state) {
    (void)state;
    struct v8log_code code;
    start(&code, 0);
    v8log_code_add_plain(&code, TEXT("Builtin"), TEXT("A"), 0x1000, 16);
    v8log_code_add_plain(&code, TEXT("Builtin"), TEXT("B"), 0x1010, 16);
    v8log_code_add_plain(&code, TEXT("Builtin"), TEXT("Last"), UINT64_MAX - 15, 15);
    v8log_code_add_plain(&code, TEXT("Builtin"), TEXT("Zero"), 0x2000, 0);
    assert_label(&code, 0xFFF, NULL);
    assert_label(&code, 0x1000, "Builtin: A");
    assert_label(&code, 0x100F, "Builtin: A");
    assert_label(&code, 0x1010, "Builtin: B");
    assert_label(&code, 0x1020, NULL);
    assert_label(&code, 0x2000, NULL);
    assert_label(&code, UINT64_MAX - 1, "Builtin: Last");
    assert_label(&code, UINT64_MAX, NULL);
    /* A size that runs over the end of the address space covers all that follows. */
    v8log_code_add_plain(&code, TEXT("Builtin"), TEXT("Huge"), 0x1008, UINT64_MAX);
    assert_label(&code, 0x1000, NULL);
    assert_label(&code, 0x1010, "Builtin: Huge");
    assert_label(&code, UINT64_MAX - 1, "Builtin: Huge");
    v8log_code_free(&code);
}

/* Answers are remembered: a change must be seen at once. */
static void cached_answers_follow_changes(void **state) {
    (void)state;
    struct v8log_code code;
    start(&code, 0);
    v8log_code_add_plain(&code, TEXT("Stub"), TEXT("Outer"), 0x100000, 0x10000);
    assert_label(&code, 0x10F000, "Stub: Outer");
    v8log_code_add_plain(&code, TEXT("Stub"), TEXT("Inner"), 0x100100, 16);
    assert_label(&code, 0x10F000, NULL);
    v8log_code_delete(&code, 0x100100);
    assert_label(&code, 0x100100, NULL);
    v8log_code_add_library(&code, TEXT("/lib/a.so"), 0x100000, 0x200000);
    assert_label(&code, 0x100100, "/lib/a.so");
    v8log_code_forget(&code);
    assert_label(&code, 0x100100, NULL);
    v8log_code_free(&code);
}

static void a_new_name_is_a_new_function(void **state) {
    (void)state;
    struct v8log_code code;
    start(&code, 0);
    add_function(&code, "old /a.js:1:1", 0x1000, 64, 0x9000);
    add_function(&code, "new /a.js:2:1", 0x2000, 64, 0x9000);
    assert_label(&code, 0x1000, "JS: *old /a.js:1:1");
    assert_label(&code, 0x2000, "JS: *new /a.js:2:1");
    assert_true(v8log_code_move_function(&code, 0x9000, 0x9100));
    assert_int_equal(v8log_code_function_at(&code, 0x9000), 0);
    assert_true(v8log_code_function_at(&code, 0x9100) != 0);
    assert_false(v8log_code_move_function(&code, 0x9000, 0x9100));
    v8log_code_free(&code);
    /* A reference renames the function and with it all of its code. */
    start(&code, 20);
    add_function(&code, "old /a.js:1:1", 0x1000, 64, 0x9000);
    add_function(&code, "new /a.js:2:1", 0x2000, 64, 0x9000);
    assert_label(&code, 0x1000, "JS: *new /a.js:2:1");
    v8log_code_free(&code);
}

static void the_same_code_again_changes_its_mark(void **state) {
    (void)state;
    struct v8log_code code;
    start(&code, 0);
    struct code_made made = v8log_code_add_function_code(&code, TEXT("JS"), TEXT("f /a.js:1:1"),
                                                         0x1000, 64, 0x9000, '~');
    assert_true(made.is_new);
    assert_label(&code, 0x1010, "JS: ~f /a.js:1:1");
    struct code_made again = v8log_code_add_function_code(&code, TEXT("JS"), TEXT("f /a.js:1:1"),
                                                          0x1000, 64, 0x9000, '^');
    assert_false(again.is_new);
    assert_int_equal(again.row, made.row);
    assert_label(&code, 0x1010, "JS: ^f /a.js:1:1");
    v8log_code_free(&code);
}

static void libraries(void **state) {
    (void)state;
    struct v8log_code code;
    start(&code, 0);
    /* Several mappings of one file are one; those of different files are not. */
    uint32_t node = v8log_code_add_library(&code, TEXT("/bin/node"), 0x400000, 0x500000);
    assert_int_equal(v8log_code_add_library(&code, TEXT("/bin/node"), 0x400000, 0x700000), node);
    assert_int_equal(v8log_code_add_library(&code, TEXT("/bin/node"), 0x400000, 0x600000), node);
    assert_label(&code, 0x6FFFFF, "/bin/node");
    assert_label(&code, 0x700000, NULL);
    /* Code inside a library is code. */
    v8log_code_add_plain(&code, TEXT("Builtin"), TEXT("ArrayMap"), 0x450000, 64);
    assert_label(&code, 0x450010, "Builtin: ArrayMap");
    assert_label(&code, 0x450040, "/bin/node");
    v8log_code_free(&code);
    /* The reference never looks for code on the pages of libraries. */
    start(&code, 20);
    v8log_code_add_library(&code, TEXT("/bin/node"), 0x400000, 0x500000);
    v8log_code_add_library(&code, TEXT("/bin/node"), 0x400000, 0x700000);
    v8log_code_add_plain(&code, TEXT("Builtin"), TEXT("ArrayMap"), 0x450000, 64);
    v8log_code_add_plain(&code, TEXT("Builtin"), TEXT("LastPage"), 0x700800, 64);
    assert_label(&code, 0x450010, "/bin/node");
    assert_label(&code, 0x600000, NULL);
    assert_label(&code, 0x700800, NULL);
    v8log_code_free(&code);
}

static void names_used_twice(void **state) {
    (void)state;
    struct v8log_code code;
    start(&code, 14);
    code.numbers_names = true;
    v8log_code_add_plain(&code, TEXT("RegExp"), TEXT("a+"), 0x1000, 16);
    v8log_code_add_plain(&code, TEXT("RegExp"), TEXT("a+"), 0x1100, 16);
    v8log_code_add_plain(&code, TEXT("RegExp"), TEXT("toString"), 0x1200, 16);
    assert_label(&code, 0x1100, "RegExp: a+");
    assert_label(&code, 0x1000, "RegExp: a+ {1}");
    assert_label(&code, 0x1200, "RegExp: toString {NaN}");
    v8log_code_free(&code);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_deletes_overlaps),
        cmocka_unit_test(bytes_at_the_edges),
        cmocka_unit_test(cached_answers_follow_changes),
        cmocka_unit_test(a_new_name_is_a_new_function),
        cmocka_unit_test(the_same_code_again_changes_its_mark),
        cmocka_unit_test(libraries),
        cmocka_unit_test(names_used_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
