// SPDX-License-Identifier: MIT
#include "svg_support.h"

#include "svg/label.h"

static void assert_text(struct text text, const char *expected) {
    struct text other = text_of(expected);
    if (!text_equal(text, other))
        fail_msg("\"%.*s\", expected \"%s\"", (int)text.size, text.data, expected);
}

static void assert_amount(enum profile_unit unit, const char *count_name, struct weight weight,
                          const char *expected) {
    struct buffer buffer = {0};
    amount_append(&buffer, amount_unit_of(unit, count_name), weight);
    assert_text(buffer_text(&buffer), expected);
    buffer_free(&buffer);
}

static void amounts_have_an_honest_unit(void **state) {
    (void)state;
    assert_amount(UNIT_TICKS, NULL, weight_of(1234), "1,234 ticks");
    assert_amount(UNIT_SAMPLES, NULL, (struct weight){18, WEIGHT_FRACTION_ONE / 2}, "18.5 samples");
    assert_amount(UNIT_MICROSECONDS, NULL, weight_of(1234567), "1,234.57 ms");
    assert_amount(UNIT_NANOSECONDS, NULL, weight_of(5000000), "5 ms");
    assert_amount(UNIT_NANOSECONDS, NULL, weight_of(1), "0.000001 ms");
    assert_amount(UNIT_BYTES, NULL, weight_of(9007199254740993), "9,007,199,254,740,993 bytes");
    assert_amount(UNIT_COUNT, NULL, weight_of(0), "0 counts");
    assert_amount(UNIT_MICROSECONDS, "us", weight_of(1234567), "1,234,567 us");
    assert_amount(UNIT_MICROSECONDS, NULL, WEIGHT_LARGEST, "18,446,744,073,709,551.62 ms");
}

static void assert_cut(const char *text, size_t columns, const char *expected) {
    struct buffer buffer = {0};
    label_append_cut(&buffer, text_of(text), columns);
    assert_text(buffer_text(&buffer), expected);
    buffer_free(&buffer);
}

static void labels_are_cut_between_characters(void **state) {
    (void)state;
    assert_cut("readFileSync", 12, "readFileSync");
    assert_cut("readFileSync", 11, "readFileSy…");
    assert_cut("readFileSyncUtf8", 13, "readFi…ncUtf8");
    assert_cut("readFileSync", 1, "…");
    assert_cut("readFileSync", 0, "");
    assert_cut("", 5, "");
    /* Wide characters count two columns and are never halved. */
    assert_cut("名前名前名前", 12, "名前名前名前");
    assert_cut("名前名前名前", 6, "名前…");
    assert_cut("名前名前名前名前", 13, "名前名…前名前");
}

static void xml_is_escaped(void **state) {
    (void)state;
    struct buffer buffer = {0};
    xml_append(&buffer, TEXT("<a b=\"c\" d='e'>&amp;]]></a>"));
    assert_text(buffer_text(&buffer),
                "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;]]&gt;&lt;/a&gt;");
    buffer_free(&buffer);
}

static void places_are_shortened_with_sense(void **state) {
    (void)state;
    struct text place = TEXT("/srv/app/node_modules/bcrypt/lib/a.js:198:12");
    assert_text(label_place(place, 80), "/srv/app/node_modules/bcrypt/lib/a.js:198");
    assert_text(label_place(place, 30), "bcrypt/lib/a.js:198");
    assert_text(label_place(place, 10), "a.js:198");
    assert_text(label_place(place, 5), "");
    assert_text(label_place(TEXT("node:fs:441:21"), 80), "node:fs:441");
    assert_text(label_place(TEXT("/srv/s.js:3"), 80), "/srv/s.js:3");
    assert_text(label_place(TEXT("C:\\app\\s.js:3:1"), 8), "s.js:3");
    assert_text(label_place(TEXT(""), 8), "");
}

static void lines_break_at_blanks(void **state) {
    (void)state;
    struct text rest;
    assert_text(label_line(TEXT("one two three"), 8, &rest), "one two");
    assert_text(rest, "three");
    assert_text(label_line(TEXT("one two"), 7, &rest), "one two");
    assert_int_equal(rest.size, 0);
    assert_text(label_line(TEXT("onetwothree"), 4, &rest), "onet");
    assert_text(rest, "wothree");
    assert_text(label_line(TEXT("名"), 1, &rest), "名");
    assert_int_equal(rest.size, 0);
    assert_text(label_line(TEXT(""), 5, &rest), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amounts_have_an_honest_unit),
        cmocka_unit_test(labels_are_cut_between_characters),
        cmocka_unit_test(xml_is_escaped),
        cmocka_unit_test(places_are_shortened_with_sense),
        cmocka_unit_test(lines_break_at_blanks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
