// SPDX-License-Identifier: MIT
#include "svg_support.h"

#include <string.h>

#include "svg/layout.h"

static const struct layout_limits all = {.width = 1000, .max_rows = 100};

/* The box of the function `name` that comes first, or NULL. */
static const struct layout_box *find_box(const struct layout *layout, const struct support *support,
                                         const char *name) {
    for (size_t i = 0; i < layout->size; i++) {
        const struct layout_box *box = &layout->boxes[i];
        uint32_t function = support->tree->nodes[box->node].function;
        if (box->rest == 0 && box->node != 0 &&
            text_equal(support->tree->functions[function].label, text_of(name)))
            return box;
    }
    return NULL;
}

static void boxes_stand_in_proportion(void **state) {
    (void)state;
    struct support support = support_read(TEXT("a;light 10\na;heavy 60\na 10\nb 20\n"), UNIT_TICKS);
    struct layout layout;
    layout_make(&layout, support.tree, &all);
    assert_int_equal(layout.size, 5);
    assert_int_equal(layout.rows, 3);
    assert_int_equal(layout.left_out, 0);
    assert_int_equal(layout.boxes[0].right, 100000);
    const struct layout_box *a = find_box(&layout, &support, "a");
    assert_int_equal(a->left, 0);
    assert_int_equal(a->right, 80000);
    /* The heaviest first; self time remains at the right. */
    const struct layout_box *heavy = find_box(&layout, &support, "heavy");
    assert_int_equal(heavy->left, 0);
    assert_int_equal(heavy->right, 60000);
    const struct layout_box *light = find_box(&layout, &support, "light");
    assert_int_equal(light->left, 60000);
    assert_int_equal(light->right, 70000);
    assert_int_equal(light->start.whole, 60);
    const struct layout_box *b = find_box(&layout, &support, "b");
    assert_int_equal(b->left, 80000);
    assert_int_equal(b->right, 100000);
    layout_free(&layout);
    support_free(&support);
}

static void equal_weights_stand_by_name(void **state) {
    (void)state;
    struct support support = support_read(TEXT("c 1\na 1\nb 1\n"), UNIT_TICKS);
    struct layout layout;
    layout_make(&layout, support.tree, &all);
    assert_true(find_box(&layout, &support, "a")->left < find_box(&layout, &support, "b")->left);
    assert_true(find_box(&layout, &support, "b")->left < find_box(&layout, &support, "c")->left);
    layout_free(&layout);
    support_free(&support);
}

/* Thirds are no whole hundredths: children must still fill exactly and never stick out. */
static void children_stay_inside(void **state) {
    (void)state;
    struct buffer text = {0};
    for (int i = 0; i < 500; i++)
        buffer_append_format(&text, "r%d;m%d;f%d %d\n", i % 3, i % 7, i, i % 11 + 1);
    struct support support = support_read(buffer_text(&text), UNIT_TICKS);
    struct layout layout;
    layout_make(&layout, support.tree, &all);
    assert_int_equal(layout.size, support.tree->node_count);
    for (size_t i = 1; i < layout.size; i++) {
        const struct layout_box *box = &layout.boxes[i], *parent = box - 1;
        while (parent->row >= box->row)
            parent--;
        assert_true(parent->left <= box->left && box->right <= parent->right);
        if (box[-1].row >= box->row) {
            const struct layout_box *before = box - 1;
            while (before->row > box->row)
                before--;
            assert_int_equal(before->right, box->left);
        }
    }
    layout_free(&layout);
    support_free(&support);
    buffer_free(&text);
}

static void narrow_frames_are_counted(void **state) {
    (void)state;
    struct support support =
        support_read(TEXT("a;big 960\na;s1;t 10\na;s2 10\na;s3 5\nz 15\n"), UNIT_TICKS);
    struct layout_limits limits = all;
    limits.min_width = 12;
    struct layout layout;
    layout_make(&layout, support.tree, &limits);
    /* root, a, big, z, and one box for s1, t, s2, s3. */
    assert_int_equal(layout.size, 5);
    assert_int_equal(layout.left_out, 4);
    assert_int_equal(layout.hidden.whole, 25);
    const struct layout_box *rest = NULL;
    for (size_t i = 0; i < layout.size; i++)
        if (layout.boxes[i].rest > 0)
            rest = &layout.boxes[i];
    if (rest == NULL) {
        fail_msg("no rest box");
        return;
    }
    assert_int_equal(rest->rest, 4);
    assert_int_equal(rest->row, 2);
    assert_int_equal(rest->left, 96000);
    assert_int_equal(rest->right, 98500);
    layout_free(&layout);
    support_free(&support);
}

static void the_cap_keeps_the_widest(void **state) {
    (void)state;
    struct support support = support_read(TEXT("a 50\nb 20\nc 10\nd 10\ne 10\n"), UNIT_TICKS);
    struct layout_limits limits = all;
    limits.min_width = 0.5;
    limits.max_boxes = 3;
    struct layout layout;
    layout_make(&layout, support.tree, &limits);
    /* c, d and e weigh the same: the first of them. */
    assert_non_null(find_box(&layout, &support, "b"));
    assert_non_null(find_box(&layout, &support, "c"));
    assert_null(find_box(&layout, &support, "d"));
    assert_int_equal(layout.left_out, 2);
    assert_int_equal(layout.hidden.whole, 20);
    assert_true(layout.widest_left_out == 100);
    assert_false(layout.cut_deep);
    layout_free(&layout);

    limits.max_boxes = 5;
    layout_make(&layout, support.tree, &limits);
    assert_int_equal(layout.left_out, 0);
    assert_true(layout.widest_left_out == 0);
    layout_free(&layout);
    support_free(&support);
}

static void deep_stacks_end_in_a_rest(void **state) {
    (void)state;
    struct buffer text = {0};
    for (int i = 0; i < 5000; i++)
        buffer_append_format(&text, "f%d;", i);
    buffer_append_format(&text, "leaf 7\n");
    struct support support = support_read(buffer_text(&text), UNIT_TICKS);
    struct layout layout;
    layout_make(&layout, support.tree, &all);
    assert_int_equal(layout.rows, 100);
    assert_int_equal(layout.size, 100);
    assert_int_equal(layout.boxes[99].rest, 5001 - 98);
    assert_int_equal(layout.left_out, 5001 - 98);
    assert_int_equal(layout.hidden.whole, 7);
    assert_true(layout.cut_deep);
    layout_free(&layout);
    support_free(&support);
    buffer_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_stand_in_proportion), cmocka_unit_test(equal_weights_stand_by_name),
        cmocka_unit_test(children_stay_inside),      cmocka_unit_test(narrow_frames_are_counted),
        cmocka_unit_test(the_cap_keeps_the_widest),  cmocka_unit_test(deep_stacks_end_in_a_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
