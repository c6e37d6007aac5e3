// SPDX-License-Identifier: MIT
#include "tests/unit/tally_support.h"

#include <string.h>

/* Frame `depth` (0 = root) of the only stack of a profile with one sample. */
static const struct frame *only_frame(const struct profile *profile, size_t depth) {
    assert_int_equal(profile->sample_count, 1);
    struct stack_id stack = profile->samples[0].stack;
    const struct frame *frames[64] = {NULL};
    size_t count = 0;
    for (; stack.index != 0 && count < 64; stack = stack_table_parent(&profile->stacks, stack))
        frames[count++] =
            frame_table_get(&profile->frames, stack_table_frame(&profile->stacks, stack));
    assert_true(depth < count);
    return frames[count - 1 - depth];
}

static void assert_name(const struct profile *profile, const struct frame *frame,
                        const char *name) {
    struct text text = profile_text(profile, frame->name);
    assert_int_equal(text.size, strlen(name));
    assert_memory_equal(text.data, name, text.size);
}

/* FC-16a: the lines and counts as the field case states them. */
static void odd_lines(void **state) {
    (void)state;
    struct buffer data = support_data("field-cases/fc16a-line-oddities.folded");
    struct profile *profile = support_profile(buffer_text(&data));
    assert_int_equal(profile->total.whole, 18);
    assert_int_equal(profile->total.fraction, WEIGHT_FRACTION_ONE / 2);
    struct view view = {0};
    support_assert_fold(profile, &view,
                        "a;Array.<anonymous> (x.js:1:2) 5\n"
                        "a;[empty];e 2\n"
                        "a;b 3\n"
                        "a;c 2\n"
                        "a;d 1.5\n"
                        "a;f 1\n"
                        "a;func 12 4\n");
    assert_int_equal(profile->warnings.size, 1);
    assert_int_equal(profile->warnings.items[0].count, 4);
    assert_int_equal(profile->warnings.items[0].line, 1);
    profile_free(profile);
    buffer_free(&data);
}

/* FC-16b: sums that a double would round. */
static void huge_counts(void **state) {
    (void)state;
    struct buffer data = support_data("field-cases/fc16b-huge-counts.folded");
    struct profile *profile = support_profile(buffer_text(&data));
    struct view view = {0};
    struct call_tree *tree = call_tree_build(profile, &view);
    assert_true(tree->total.whole == 4620693217682128898u);
    support_assert_weights(tree, "a", 0, 9007199254740994u);
    support_assert_weights(tree, "small", 1, 1);
    call_tree_free(tree);
    profile_free(profile);
    buffer_free(&data);
}

/* FC-17a and FC-17b: nothing usable. */
static void nothing_usable(void **state) {
    (void)state;
    struct error error = {0};
    struct profile *profile = profile_new();
    assert_false(support_feed(profile, TEXT(""), 0, &error));
    assert_int_equal(error.kind, ERROR_INPUT);
    struct buffer data = support_data("field-cases/fc17b-nothing-usable.folded");
    error = (struct error){0};
    assert_false(support_feed(profile, buffer_text(&data), 0, &error));
    assert_int_equal(error.kind, ERROR_INPUT);
    assert_non_null(strstr(error.text, "frame;frame COUNT"));
    assert_non_null(strstr(error.text, "line 1"));
    profile_free(profile);
    buffer_free(&data);
}

/* FC-15: the semicolon always separates, names keep their bytes. */
static void hostile_names(void **state) {
    (void)state;
    struct buffer data = support_data("field-cases/fc15-hostile-names.folded");
    struct profile *profile = support_profile(buffer_text(&data));
    struct view view = {0};
    struct call_tree *tree = call_tree_build(profile, &view);
    assert_int_equal(tree->total.whole, 75);
    assert_int_equal(tree->nodes[1].total.whole, 75);
    support_assert_weights(tree, "app", 0, 75);
    support_assert_weights(tree, "a&b&amp", 0, 9);
    support_assert_weights(tree, "c", 9, 9);
    support_assert_weights(tree, "<script>alert(1)</script>", 10, 10);
    support_assert_weights(tree, "esc\x1b[31mred", 6, 6);
    support_assert_weights(tree, "bad\xffutf8", 3, 3);
    call_tree_free(tree);
    profile_free(profile);
    buffer_free(&data);
}

static void lines_and_blanks(void **state) {
    (void)state;
    struct profile *profile = support_profile(TEXT("a;b 1\r\n"
                                                   "  a;b 2\n"
                                                   "a;b\t4\n"
                                                   "a;b  8 \t\r\n"
                                                   "\r\n"
                                                   ";x 1\n"
                                                   "#private /srv/a.js:1:2 1\n"
                                                   "last 3"));
    struct view view = {0};
    support_assert_fold(profile, &view, "#private /srv/a.js:1:2 1\n[empty];x 1\na;b 15\nlast 3\n");
    assert_int_equal(profile->warnings.size, 0);
    profile_free(profile);
}

static void bad_counts(void **state) {
    (void)state;
    struct profile *profile = support_profile(TEXT("ok 1\n"
                                                   "a 12x\na -4\na +5\na 1e3\na 5.\na .5\n"
                                                   "# comment 7\n; 3\n"));
    assert_int_equal(profile->total.whole, 1);
    const struct warning *warning = warnings_find(&profile->warnings, "skipped-line");
    assert_non_null(warning);
    assert_int_equal(warning->count, 8);
    assert_int_equal(warning->line, 2);
    profile_free(profile);
}

static void saturation(void **state) {
    (void)state;
    struct profile *profile =
        support_profile(TEXT("a 18446744073709551616\nb 0.1234567890123456789\n"));
    assert_true(weight_is_largest(profile->total));
    assert_int_equal(warnings_find(&profile->warnings, "saturated")->line, 1);
    assert_int_equal(warnings_find(&profile->warnings, "rounded")->line, 2);
    profile_free(profile);
}

static void names_of_v8(void **state) {
    (void)state;
    struct profile *profile = support_profile(
        TEXT("*hot /srv/a b.js:4:13;~(anonymous) node:fs:1:2;LazyCompile:^emit node:events:343;"
             "JS:* file:///srv/m.mjs:1:1;RegExp:x:1:2;*nofile 1\n"));
    const struct frame *frame = only_frame(profile, 0);
    assert_name(profile, frame, "hot");
    assert_int_equal(frame->tier, FRAME_OPTIMISED);
    assert_int_equal(frame->line, 4);
    assert_int_equal(frame->column, 13);
    assert_true(text_equal(profile_text(profile, frame->file), TEXT("/srv/a b.js")));
    frame = only_frame(profile, 1);
    assert_int_equal(frame->name.index, 0);
    assert_int_equal(frame->tier, FRAME_INTERPRETED);
    frame = only_frame(profile, 2);
    assert_name(profile, frame, "emit");
    assert_int_equal(frame->tier, FRAME_BASELINE);
    assert_int_equal(frame->line, 343);
    assert_int_equal(frame->column, 0);
    frame = only_frame(profile, 3);
    assert_int_equal(frame->name.index, 0);
    assert_true(text_equal(profile_text(profile, frame->file), TEXT("/srv/m.mjs")));
    assert_name(profile, only_frame(profile, 4), "RegExp:x:1:2");
    assert_name(profile, only_frame(profile, 5), "*nofile");
    assert_int_equal(only_frame(profile, 5)->tier, FRAME_NO_TIER);
    profile_free(profile);
}

static void annotations(void **state) {
    (void)state;
    struct profile *profile =
        support_profile(TEXT("do_syscall_64_[k];JS:*f /a.js:1:2_[j];g /a.js:3:4_[i];java_[j] 1\n"));
    assert_name(profile, only_frame(profile, 0), "do_syscall_64");
    assert_int_equal(only_frame(profile, 0)->kind, FRAME_KERNEL);
    assert_name(profile, only_frame(profile, 1), "f");
    assert_int_equal(only_frame(profile, 1)->column, 2);
    assert_true(only_frame(profile, 2)->inlined);
    assert_int_equal(only_frame(profile, 3)->kind, FRAME_JAVASCRIPT);
    profile_free(profile);
}

static void idle(void **state) {
    (void)state;
    struct profile *profile = support_profile(TEXT("main;(idle) 3\nmain;idle 2\n"));
    for (size_t i = 0; i < profile->sample_count; i++)
        assert_int_equal(profile->samples[i].idle, profile->samples[i].weight.whole == 3);
    profile_free(profile);
}

/* The same result for every piece size. */
static void pieces(void **state) {
    (void)state;
    static const char *const files[] = {"fc15-hostile-names", "fc16a-line-oddities", "fc27-sync"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[128];
        snprintf(name, sizeof name, "field-cases/%s.folded", files[i]);
        struct buffer data = support_data(name);
        struct view view = {.keep_tiers = true};
        struct profile *whole = support_profile(buffer_text(&data));
        struct buffer expected = support_fold(whole, &view, NULL);
        for (size_t piece = 1; piece <= 31; piece++) {
            struct profile *profile = profile_new();
            struct error error = {0};
            assert_true(support_feed(profile, buffer_text(&data), piece, &error));
            support_assert_fold(profile, &view, expected.data);
            assert_int_equal(warnings_total(&profile->warnings), warnings_total(&whole->warnings));
            profile_free(profile);
        }
        buffer_free(&expected);
        profile_free(whole);
        buffer_free(&data);
    }
}

/* A line of 100 MB is counted and skipped, and never held. */
static void long_line(void **state) {
    (void)state;
    struct profile *profile = profile_new();
    struct error error = {0};
    void *parser = folded_reader.open(profile, NULL);
    static char piece[1024 * 1024];
    memset(piece, 'x', sizeof piece);
    assert_true(folded_reader.feed(parser, TEXT("a 1\n"), &error));
    for (int i = 0; i < 100; i++)
        assert_true(folded_reader.feed(parser, (struct text){piece, sizeof piece}, &error));
    assert_true(folded_reader.feed(parser, TEXT(" 5\nb 2\n"), &error));
    assert_true(folded_reader.finish(parser, &error));
    folded_reader.close(parser);
    assert_int_equal(profile->total.whole, 3);
    const struct warning *warning = warnings_find(&profile->warnings, "line-too-long");
    assert_non_null(warning);
    assert_int_equal(warning->count, 1);
    assert_int_equal(warning->line, 2);
    assert_true(profile->arena.total < sizeof piece);
    profile_free(profile);
}

static void probe(void **state) {
    (void)state;
    assert_int_equal(folded_reader.probe(TEXT("a;b 5\n")), PROBE_MAYBE);
    assert_int_equal(folded_reader.probe(TEXT("# made by x\n\na;b 5")), PROBE_MAYBE);
    assert_int_equal(folded_reader.probe(TEXT("hello world\n")), PROBE_NO);
    assert_int_equal(folded_reader.probe(TEXT("")), PROBE_NO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odd_lines),
        cmocka_unit_test(huge_counts),
        cmocka_unit_test(nothing_usable),
        cmocka_unit_test(hostile_names),
        cmocka_unit_test(lines_and_blanks),
        cmocka_unit_test(bad_counts),
        cmocka_unit_test(saturation),
        cmocka_unit_test(names_of_v8),
        cmocka_unit_test(annotations),
        cmocka_unit_test(idle),
        cmocka_unit_test(pieces),
        cmocka_unit_test(long_line),
        cmocka_unit_test(probe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
