// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/command/option.h"

struct values {
    bool flag;
    const char *text;
    const char *optional;
    uint64_t count;
    int choice;
    bool even;
};

static bool parse_even(void *member, const char *value, struct error *error) {
    *(bool *)member = true;
    return strcmp(value, "2") == 0 || error_set(error, ERROR_USAGE, "--even takes 2");
}

#define MEMBER(name) .offset = offsetof(struct values, name)

static const struct option rows[] = {
    {.spellings = "--flag", .type = OPTION_FLAG, .negatable = true, MEMBER(flag)},
    {.spellings = "-o --output", .value = "FILE", .type = OPTION_TEXT, MEMBER(text)},
    {.spellings = "-c --compiler", .value = "N", .type = OPTION_OPTIONAL, MEMBER(optional)},
    {.spellings = "--top", .value = "N", .type = OPTION_COUNT, MEMBER(count)},
    {.spellings = "--color", .value = "auto|always|never", .type = OPTION_CHOICE, MEMBER(choice)},
    {.spellings = "--even", .value = "N", .type = OPTION_PARSED, MEMBER(even), .parse = parse_even},
};
static const struct option_group group = {"Options", rows, sizeof rows / sizeof *rows};
static const struct option_group *const groups[] = {&group, NULL};

/* What one command line gave. */
struct parsed {
    enum options_parsed result;
    struct values values;
    struct operands operands;
    struct error error;
};

/* Words with one blank between them; they live in `line`. */
static struct parsed parse(char *line) {
    char *words[16];
    size_t count = 0;
    for (char *word = line; word; count++) {
        char *blank = strchr(word, ' ');
        words[count] = word;
        if (blank)
            *blank++ = '\0';
        word = blank;
    }
    struct parsed parsed = {0};
    parsed.result = options_parse(groups, "report", words, *line ? count : 0, &parsed.values,
                                  &parsed.operands, &parsed.error);
    return parsed;
}

static void assert_wrong(const char *line, const char *message) {
    char copy[256];
    snprintf(copy, sizeof copy, "%s", line);
    struct parsed parsed = parse(copy);
    assert_int_equal(parsed.result, OPTIONS_WRONG);
    assert_int_equal(parsed.error.kind, ERROR_USAGE);
    assert_string_equal(parsed.error.text, message);
    free(parsed.operands.items);
}

static void every_form_of_a_value(void **state) {
    (void)state;
    char line[] = "a --output=x=y -o one -otwo --top 12 --color=never --even 2 -c b --compiler=3";
    struct parsed parsed = parse(line);
    assert_int_equal(parsed.result, OPTIONS_PARSED);
    assert_string_equal(parsed.values.text, "two");
    assert_int_equal(parsed.values.count, 12);
    assert_int_equal(parsed.values.choice, 2);
    assert_true(parsed.values.even);
    assert_string_equal(parsed.values.optional, "3");
    assert_int_equal(parsed.operands.count, 2);
    assert_string_equal(parsed.operands.items[0], "a");
    assert_string_equal(parsed.operands.items[1], "b");
    free(parsed.operands.items);
}

static void an_optional_value_takes_no_operand(void **state) {
    (void)state;
    char line[] = "-c file";
    struct parsed parsed = parse(line);
    assert_string_equal(parsed.values.optional, "");
    assert_int_equal(parsed.operands.count, 1);
    free(parsed.operands.items);
}

static void the_last_one_counts(void **state) {
    (void)state;
    char line[] = "--flag --no-flag --top=1 --top=2";
    struct parsed parsed = parse(line);
    assert_int_equal(parsed.result, OPTIONS_PARSED);
    assert_false(parsed.values.flag);
    assert_int_equal(parsed.values.count, 2);
}

static void operands_behind_two_dashes(void **state) {
    (void)state;
    char line[] = "- -- --flag -o --";
    struct parsed parsed = parse(line);
    assert_int_equal(parsed.result, OPTIONS_PARSED);
    assert_false(parsed.values.flag);
    assert_int_equal(parsed.operands.count, 4);
    assert_string_equal(parsed.operands.items[0], "-");
    assert_string_equal(parsed.operands.items[3], "--");
    free(parsed.operands.items);
}

static void help_counts_before_the_rest(void **state) {
    (void)state;
    char line[] = "--flag --help --nonsense";
    struct parsed parsed = parse(line);
    assert_int_equal(parsed.result, OPTIONS_HELP);
}

static void mistakes(void **state) {
    (void)state;
    assert_wrong("--flaq", "unknown option --flaq; did you mean --flag? (tickflame help report "
                           "lists all)");
    assert_wrong("--no-flga", "unknown option --no-flga; did you mean --no-flag? (tickflame help "
                              "report lists all)");
    assert_wrong("--zzz=1", "unknown option --zzz (tickflame help report lists all)");
    assert_wrong("--flag=1", "--flag takes no value");
    assert_wrong("--no-zzz x", "unknown option --no-zzz (tickflame help report lists all)");
    assert_wrong("--top", "--top needs a value: N");
    assert_wrong("--top=-1", "--top takes a whole number, not '-1'");
    assert_wrong("--top=99999999999999999999",
                 "--top takes a whole number, not '99999999999999999999'");
    assert_wrong("--color=black", "--color takes auto|always|never, not 'black'");
    assert_wrong("--even=3", "--even takes 2");
}

static void nothing_at_all(void **state) {
    (void)state;
    char line[] = "";
    struct parsed parsed = parse(line);
    assert_int_equal(parsed.result, OPTIONS_PARSED);
    assert_int_equal(parsed.operands.count, 0);
}

static void distance_of_slips(void **state) {
    (void)state;
    unsigned distance = 0;
    assert_string_equal(option_closer("reprot", "report", NULL, &distance), "report");
    assert_int_equal(distance, 1);
    assert_null(option_closer("xyzzy", "report", NULL, &distance));
    assert_string_equal(option_closer("flam", "flame", "fold", &(unsigned){3}), "flame");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_of_a_value),
        cmocka_unit_test(an_optional_value_takes_no_operand),
        cmocka_unit_test(the_last_one_counts),
        cmocka_unit_test(operands_behind_two_dashes),
        cmocka_unit_test(help_counts_before_the_rest),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(nothing_at_all),
        cmocka_unit_test(distance_of_slips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
