// SPDX-License-Identifier: MIT
#include "profiler/command/option.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fold/base/memory.h"
#include "fold/base/number.h"
#include "fold/base/text.h"

enum { SPELLING_MAX = 64 };

const char *option_next_word(const char *list, char separator, const char **word, size_t *size) {
    if (!list || !*list)
        return NULL;
    const char *end = strchr(list, separator);
    *word = list;
    *size = end ? (size_t)(end - list) : strlen(list);
    return list + *size + (end ? 1 : 0);
}

/* Edit distance in which two exchanged neighbours are one edit; words are short. */
static unsigned edit_distance(const char *a, const char *b) {
    size_t a_size = strlen(a), b_size = strlen(b);
    if (a_size >= SPELLING_MAX || b_size >= SPELLING_MAX)
        return UINT_MAX;
    unsigned rows[3][SPELLING_MAX];
    for (size_t j = 0; j <= b_size; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a_size; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *above_that = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_size; j++) {
            unsigned least = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < least)
                least = above[j] + 1;
            if (row[j - 1] + 1 < least)
                least = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                above_that[j - 2] + 1 < least)
                least = above_that[j - 2] + 1;
            row[j] = least;
        }
    }
    return rows[a_size % 3][b_size];
}

const char *option_closer(const char *word, const char *candidate, const char *best,
                          unsigned *distance) {
    unsigned limit = strlen(word) < 4 ? 1 : (unsigned)strlen(word) / 4 + 1;
    unsigned found = edit_distance(word, candidate);
    if (found > limit || (best && found >= *distance))
        return best;
    *distance = found;
    return candidate;
}

static bool word_is(const char *word, size_t size, const char *text, size_t text_size) {
    return size == text_size && memcmp(word, text, size) == 0;
}

/* How an argument names an option. */
struct match {
    const struct option *option;
    const char *value; /* behind `=` or glued to the letter; NULL: none */
    bool negated;
};

static bool match_spelling(const struct option *option, const char *spelling, size_t size,
                           const char *argument, size_t name_size, struct match *match) {
    const char *behind = argument[name_size] ? argument + name_size + 1 : NULL;
    if (word_is(spelling, size, argument, name_size)) {
        *match = (struct match){option, behind, false};
        return true;
    }
    if (option->negatable && size > 2 && name_size == size + 3 &&
        strncmp(argument, "--no-", 5) == 0 && memcmp(argument + 5, spelling + 2, size - 2) == 0) {
        *match = (struct match){option, behind, true};
        return true;
    }
    return false;
}

static bool match_exact(const struct option_group *const *groups, const char *argument,
                        struct match *match) {
    size_t name_size = strcspn(argument, "=");
    for (; *groups; groups++) {
        for (size_t i = 0; i < (*groups)->count; i++) {
            const struct option *option = &(*groups)->options[i];
            const char *rest = option->spellings, *spelling;
            size_t size;
            while ((rest = option_next_word(rest, ' ', &spelling, &size)))
                if (match_spelling(option, spelling, size, argument, name_size, match))
                    return true;
        }
    }
    return false;
}

static bool takes_no_value(const struct option *option) {
    return option->type == OPTION_FLAG || option->type == OPTION_SWITCH;
}

/* `-oFILE`. */
static bool match_glued(const struct option_group *const *groups, const char *argument,
                        struct match *match) {
    if (argument[1] == '-' || !argument[1] || !argument[2])
        return false;
    for (; *groups; groups++) {
        for (size_t i = 0; i < (*groups)->count; i++) {
            const struct option *option = &(*groups)->options[i];
            if (takes_no_value(option) || option->type == OPTION_OPTIONAL)
                continue;
            const char *rest = option->spellings, *spelling;
            size_t size;
            while ((rest = option_next_word(rest, ' ', &spelling, &size))) {
                if (size == 2 && spelling[1] != '-' && spelling[1] == argument[1]) {
                    *match = (struct match){option, argument + 2, false};
                    return true;
                }
            }
        }
    }
    return false;
}

static bool fail_unknown(const struct option_group *const *groups, const char *command,
                         const char *argument, struct error *error) {
    char name[SPELLING_MAX], candidate[SPELLING_MAX + 3], best_name[SPELLING_MAX + 3];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(argument, "="), argument);
    const char *best = NULL;
    unsigned distance = 0;
    for (; *groups; groups++) {
        for (size_t i = 0; i < (*groups)->count; i++) {
            const struct option *option = &(*groups)->options[i];
            const char *rest = option->spellings, *spelling;
            size_t size;
            while ((rest = option_next_word(rest, ' ', &spelling, &size))) {
                for (int negated = 0; negated <= (option->negatable && size > 2); negated++) {
                    snprintf(candidate, sizeof candidate, "%s%.*s", negated ? "--no-" : "",
                             (int)(negated ? size - 2 : size), negated ? spelling + 2 : spelling);
                    if (size > 2 && option_closer(name, candidate, best, &distance) == candidate) {
                        memcpy(best_name, candidate, sizeof best_name);
                        best = best_name;
                    }
                }
            }
        }
    }
    if (best)
        return error_set(error, ERROR_USAGE,
                         "unknown option %s; did you mean %s? (tickflame help %s lists all)", name,
                         best, command);
    return error_set(error, ERROR_USAGE, "unknown option %s (tickflame help %s lists all)", name,
                     command);
}

static bool set_choice(const struct option *option, const char *spelling, const char *value,
                       int *member, struct error *error) {
    const char *rest = option->value, *word;
    size_t size;
    for (int i = 0; (rest = option_next_word(rest, '|', &word, &size)); i++) {
        if (word_is(word, size, value, strlen(value))) {
            *member = i;
            return true;
        }
    }
    return error_set(error, ERROR_USAGE, "%s takes %s, not '%s'", spelling, option->value, value);
}

/* Stores a value. `spelling` is the option as the user wrote it, without its value. */
static bool set_value(const struct match *match, const char *spelling, const char *value,
                      void *target, struct error *error) {
    const struct option *option = match->option;
    void *member = (char *)target + option->offset;
    switch (option->type) {
    case OPTION_FLAG:
    case OPTION_SWITCH:
        if (value)
            return error_set(error, ERROR_USAGE, "%s takes no value", spelling);
        if (option->type == OPTION_FLAG)
            *(bool *)member = !match->negated;
        else
            *(int *)member = match->negated ? -1 : 1;
        return true;
    case OPTION_TEXT:
    case OPTION_OPTIONAL:
        *(const char **)member = value;
        return true;
    case OPTION_COUNT:
        if (number_parse_decimal(text_of(value), member))
            return true;
        return error_set(error, ERROR_USAGE, "%s takes a whole number, not '%s'", spelling, value);
    case OPTION_CHOICE:
        return set_choice(option, spelling, value, member, error);
    case OPTION_PARSED:
        return option->parse(member, value, error);
    }
    return false;
}

static void add_operand(struct operands *operands, const char *operand) {
    MEMORY_RESERVE(operands->items, operands->capacity, operands->count + 1);
    operands->items[operands->count++] = operand;
}

enum options_parsed options_parse(const struct option_group *const *groups, const char *command,
                                  char **arguments, size_t count, void *target,
                                  struct operands *operands, struct error *error) {
    bool only_operands = false;
    for (size_t i = 0; i < count; i++) {
        const char *argument = arguments[i];
        struct match match = {0};
        if (only_operands || argument[0] != '-' || !argument[1]) {
            add_operand(operands, argument);
            continue;
        }
        if (strcmp(argument, "--") == 0) {
            only_operands = true;
            operands->dashes = true;
            operands->before_dashes = operands->count;
            continue;
        }
        if (!match_exact(groups, argument, &match)) {
            if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0)
                return OPTIONS_HELP;
            if (!match_glued(groups, argument, &match)) {
                fail_unknown(groups, command, argument, error);
                return OPTIONS_WRONG;
            }
        }
        char spelling[SPELLING_MAX];
        snprintf(spelling, sizeof spelling, "%.*s",
                 match.value ? (int)strcspn(argument, "=") : (int)strlen(argument), argument);
        const char *value = match.value;
        if (match.option->type == OPTION_OPTIONAL) {
            const char *missing = match.option->missing;
            value = value ? value : missing ? missing : "";
        } else if (!takes_no_value(match.option) && !value) {
            if (i + 1 == count) {
                error_set(error, ERROR_USAGE, "%s needs a value: %s", spelling,
                          match.option->value);
                return OPTIONS_WRONG;
            }
            value = arguments[++i];
        }
        if (!set_value(&match, spelling, value, target, error))
            return OPTIONS_WRONG;
    }
    return OPTIONS_PARSED;
}
