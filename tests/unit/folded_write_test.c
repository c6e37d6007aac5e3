// SPDX-License-Identifier: MIT
#include "tests/unit/tally_support.h"

/* That folding folded text gives `expected`, and folding that again gives the same. */
static void assert_folds_to(const char *input, const struct view *view,
                            const struct folded_options *options, const char *expected) {
    struct profile *profile = support_profile(text_of(input));
    struct buffer once = support_fold(profile, view, options);
    assert_string_equal(once.data, expected);
    struct profile *again = support_profile(buffer_text(&once));
    struct buffer twice = support_fold(again, view, options);
    assert_string_equal(twice.data, expected);
    profile_free(profile);
    profile_free(again);
    buffer_free(&once);
    buffer_free(&twice);
}

static void lines_in_byte_order(void **state) {
    (void)state;
    struct view view = {0};
    /* A blank comes before a semicolon, and both before letters. */
    assert_folds_to("a;z 1\na b 2\na 3\nab 4\na-b;c 5\na 4 1\n", &view, NULL,
                    "a 3\na 4 1\na b 2\na-b;c 5\na;z 1\nab 4\n");
}

static void same_lines_are_one(void **state) {
    (void)state;
    struct view view = {0};
    /* Kernel and program have a function of one name; without annotations they look the same. */
    assert_folds_to("m;read_[k];x 1\nm;read;x 2\nm;read 4\nm;read_[k] 8\n", &view, NULL,
                    "m;read 12\nm;read;x 3\n");
    struct folded_options options = {.annotate_kind = true};
    assert_folds_to("m;read_[k];x 1\nm;read;x 2\nm;read 4\nm;read_[k] 8\n", &view, &options,
                    "m;read 4\nm;read;x 2\nm;read_[k] 8\nm;read_[k];x 1\n");
}

static void annotations(void **state) {
    (void)state;
    struct view view = {.keep_inlined = true};
    struct folded_options options = {.annotate_kind = true};
    assert_folds_to("main;f /a.js:1:2;g /a.js:3:4_[i];RegExp:x;[libc.so.6];k_[k] 1\n", &view,
                    &options,
                    "main;f /a.js:1:2_[j];g /a.js:3:4_[i];RegExp:x_[j];[libc.so.6];k_[k] 1\n");
}

static void tiers(void **state) {
    (void)state;
    const char *input = "main;*f /a.js:1:2 1\nmain;f /a.js:1:2 8\nmain;~f /a.js:1:2 2\n"
                        "main;?f /a.js:1:2 4\n";
    struct view view = {.keep_tiers = true};
    assert_folds_to(input, &view, NULL,
                    "main;*f /a.js:1:2 1\nmain;?f /a.js:1:2 4\nmain;f /a.js:1:2 8\n"
                    "main;~f /a.js:1:2 2\n");
    view.keep_tiers = false;
    assert_folds_to(input, &view, NULL, "main;f /a.js:1:2 15\n");
}

static void fractions_and_sums(void **state) {
    (void)state;
    struct view view = {0};
    assert_folds_to("a 1.5\na 0.25\nb 9007199254740993\n", &view, NULL,
                    "a 1.75\nb 9007199254740993\n");
}

/* A profile of one stack, with names that folded text cannot hold. */
static struct profile *hostile_profile(const struct text *names, size_t count) {
    struct profile *profile = profile_new();
    profile_add_thread(profile, (struct profile_thread){.runs_javascript = true});
    struct sample sample = {.weight = weight_of(1)};
    for (size_t i = 0; i < count; i++) {
        struct frame frame = {.name = profile_intern(profile, names[i])};
        sample.stack = profile_push(profile, sample.stack, profile_frame(profile, &frame));
    }
    profile_add_sample(profile, sample);
    return profile;
}

static void names_are_made_fit(void **state) {
    (void)state;
    const struct text names[] = {TEXT("# a"),  TEXT("a;b"),    TEXT("new\nline"), TEXT("\x1b[31m"),
                                 TEXT("\xff"), TEXT(" both "), TEXT("RegExp:x ")};
    struct profile *profile = hostile_profile(names, sizeof names / sizeof *names);
    struct view view = {0};
    const char *expected =
        "\\x23 a;a:b;new\\nline;\\x1b[31m;\\xff;\\x20both\\x20;RegExp:x\\x20 1\n";
    struct buffer folded = support_fold(profile, &view, NULL);
    assert_string_equal(folded.data, expected);
    profile_free(profile);
    assert_folds_to(folded.data, &view, NULL, expected);
    buffer_free(&folded);
}

static void nothing_to_write(void **state) {
    (void)state;
    struct profile *profile = profile_new();
    struct view view = {0};
    support_assert_fold(profile, &view, "");
    profile_free(profile);
}

/* The recorded field cases come out the same the second time. */
static void field_cases(void **state) {
    (void)state;
    static const char *const files[] = {"fc15-hostile-names", "fc16a-line-oddities",
                                        "fc16b-huge-counts", "fc19-recursion", "fc27-sync"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        for (int keep = 0; keep < 2; keep++) {
            char name[128];
            snprintf(name, sizeof name, "field-cases/%s.folded", files[i]);
            struct buffer data = support_data(name);
            struct view view = {.keep_tiers = keep != 0};
            struct profile *profile = support_profile(buffer_text(&data));
            struct buffer once = support_fold(profile, &view, NULL);
            struct profile *again = support_profile(buffer_text(&once));
            support_assert_fold(again, &view, once.data);
            profile_free(profile);
            profile_free(again);
            buffer_free(&once);
            buffer_free(&data);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_in_byte_order), cmocka_unit_test(same_lines_are_one),
        cmocka_unit_test(annotations),         cmocka_unit_test(tiers),
        cmocka_unit_test(fractions_and_sums),  cmocka_unit_test(names_are_made_fit),
        cmocka_unit_test(nothing_to_write),    cmocka_unit_test(field_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
