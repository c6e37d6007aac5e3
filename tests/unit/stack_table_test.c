// SPDX-License-Identifier: MIT
/* Tests of fold/model/stack_table.h: rows are shared, parents precede children, depth has no
 * limit. */
#include "fold/model/stack_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static uint32_t push(struct stack_table *table, uint32_t parent, uint32_t frame) {
    return stack_table_intern(table, (struct stack_id){parent}, (struct frame_id){frame}).index;
}

static uint32_t parent_of(const struct stack_table *table, uint32_t stack) {
    return stack_table_parent(table, (struct stack_id){stack}).index;
}

static uint32_t frame_of(const struct stack_table *table, uint32_t stack) {
    return stack_table_frame(table, (struct stack_id){stack}).index;
}

/*      7         8
 *    8   9       7
 *    7
 */
static void test_shared_rows(void **state) {
    (void)state;
    struct stack_table table = {0};
    for (int round = 0; round < 2; round++) {
        assert_int_equal(push(&table, 0, 7), 1);
        assert_int_equal(push(&table, 1, 8), 2);
        assert_int_equal(push(&table, 2, 7), 3);
        assert_int_equal(push(&table, 1, 9), 4);
        assert_int_equal(push(&table, 0, 8), 5);
        assert_int_equal(push(&table, 5, 7), 6);
    }
    assert_int_equal(table.size, 7);
    static const uint32_t parents[] = {0, 0, 1, 2, 1, 0, 5}, frames[] = {0, 7, 8, 7, 9, 8, 7};
    for (uint32_t i = 1; i < 7; i++) {
        assert_int_equal(parent_of(&table, i), parents[i]);
        assert_int_equal(frame_of(&table, i), frames[i]);
    }
    stack_table_free(&table);
    assert_int_equal(table.size, 0);
    /* It can be used again, and starts anew. */
    assert_int_equal(push(&table, 0, 9), 1);
    assert_int_equal(frame_of(&table, 1), 9);
    stack_table_free(&table);
}

/* Siblings are found again whichever was first, among many. */
static void test_siblings(void **state) {
    (void)state;
    enum { COUNT = 5000 };
    struct stack_table table = {0};
    uint32_t root = push(&table, 0, 1);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(push(&table, root, i + 1), root + 1 + i);
    for (uint32_t i = COUNT; i-- > 0;)
        assert_int_equal(push(&table, root, i + 1), root + 1 + i);
    /* The same frames below another one are others. */
    uint32_t other = push(&table, 0, 2);
    assert_int_equal(other, COUNT + 2);
    for (uint32_t i = COUNT; i-- > 0;)
        assert_int_equal(push(&table, other, i + 1), other + COUNT - i);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(push(&table, root, i + 1), root + 1 + i);
    assert_int_equal(table.size, 2 * COUNT + 3);
    assert_int_equal(table.first_children[root].row, root + 1);
    assert_int_equal(table.first_children[other].row, other + 1);
    assert_int_equal(table.first_children[0].row, root);
    assert_int_equal(table.first_children[root + 1].row, 0);
    stack_table_free(&table);
}

/* 100,000 pushes at random places, against a dictionary that is a plain matrix. */
static void test_against_dictionary(void **state) {
    (void)state;
    enum { PUSHES = 100000, FRAMES = 40 };
    uint32_t(*known)[FRAMES + 1] = calloc(PUSHES + 1, sizeof *known);
    assert_non_null(known);
    struct stack_table table = {0};
    uint64_t numbers = 12;
    uint32_t rows = 1;
    for (int i = 0; i < PUSHES; i++) {
        numbers = numbers * 6364136223846793005u + 1442695040888963407u;
        /* Half of them near the roots, where rows are often known already. */
        uint32_t range = numbers >> 63 ? rows : rows / 100 + 1;
        uint32_t parent = (uint32_t)((numbers >> 20) % range);
        uint32_t frame = (uint32_t)((numbers >> 54) % FRAMES) + 1;
        uint32_t row = push(&table, parent, frame);
        if (known[parent][frame] == 0) {
            known[parent][frame] = rows;
            rows++;
        }
        if (row != known[parent][frame])
            fail_msg("push %d gives row %u and not %u", i, row, known[parent][frame]);
        assert_int_equal(table.size, rows);
    }
    assert_in_range(rows, PUSHES / 4, PUSHES * 9 / 10);
    for (uint32_t row = 1; row < rows; row++) {
        uint32_t parent = parent_of(&table, row);
        assert_true(parent < row);
        if (known[parent][frame_of(&table, row)] != row)
            fail_msg("row %u is another's", row);
    }
    free(known);
    stack_table_free(&table);
}

/* Endless recursion: a million frames deep. Totals are one pass. */
static void test_deep_chain(void **state) {
    (void)state;
    enum { DEPTH = 1000000 };
    struct stack_table table = {0};
    uint32_t leaf = 0;
    for (uint32_t i = 1; i <= DEPTH; i++)
        leaf = push(&table, leaf, i % 3 + 1);
    assert_int_equal(leaf, DEPTH);
    uint32_t again = 0;
    for (uint32_t i = 1; i <= DEPTH; i++)
        again = push(&table, again, i % 3 + 1);
    assert_int_equal(again, leaf);
    assert_int_equal(table.size, DEPTH + 1);
    uint32_t *totals = calloc(DEPTH + 1, sizeof *totals);
    assert_non_null(totals);
    totals[leaf] = 5;
    totals[leaf / 2] = 2;
    for (uint32_t i = leaf; i > 0; i--)
        totals[parent_of(&table, i)] += totals[i];
    assert_int_equal(totals[0], 7);
    assert_int_equal(totals[leaf / 2 + 1], 5);
    free(totals);
    uint32_t depth = 0;
    for (uint32_t at = leaf; at; at = parent_of(&table, at), depth++)
        if (frame_of(&table, at) != (DEPTH - depth) % 3 + 1)
            fail_msg("the frame at depth %u is another", DEPTH - depth);
    assert_int_equal(depth, DEPTH);
    stack_table_free(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared_rows),
        cmocka_unit_test(test_siblings),
        cmocka_unit_test(test_against_dictionary),
        cmocka_unit_test(test_deep_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
