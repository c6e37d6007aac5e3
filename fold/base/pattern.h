// SPDX-License-Identifier: MIT
/*
 * Patterns: regular expressions of the user (PCRE2, UTF, case-sensitive), searched in names.
 *
 * Names come from strangers and patterns can be slow, so a match limit is set. A pattern that
 * exceeds it is given up: what was found so far means nothing then, and the user has to know.
 */
#ifndef TICKFLAME_FOLD_BASE_PATTERN_H
#define TICKFLAME_FOLD_BASE_PATTERN_H

#include <stdbool.h>

#include "fold/base/error.h"
#include "fold/base/text.h"

struct pattern;

/* Compiles `source`. Returns NULL and fills *error (ERROR_USAGE, with the place of the fault) when
 * it is not a regular expression. To be freed with pattern_free(). */
struct pattern *pattern_compile(const char *source, struct error *error);

/* Whether the pattern is found anywhere in `text`. Bytes that are not UTF-8 match nothing. A
 * pattern that was given up is found nowhere. */
bool pattern_found(struct pattern *pattern, struct text text);

/* False and *error (ERROR_USAGE) when the pattern was given up. NULL is allowed. */
bool pattern_held(const struct pattern *pattern, struct error *error);

/* Frees; NULL is allowed. */
void pattern_free(struct pattern *pattern);

#endif
