// SPDX-License-Identifier: MIT
#include "fold/base/pattern.h"

#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "fold/base/memory.h"

enum { MATCH_LIMIT = 100000, DEPTH_LIMIT = 10000 };

struct pattern {
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *context;
    bool given_up; /* a search took too long */
};

struct pattern *pattern_compile(const char *source, struct error *error) {
    int number;
    PCRE2_SIZE offset;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)source, PCRE2_ZERO_TERMINATED,
                                     PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &number, &offset, NULL);
    if (!code) {
        char reason[160] = "";
        pcre2_get_error_message(number, (PCRE2_UCHAR *)reason, sizeof reason);
        error_set(error, ERROR_USAGE, "the pattern '%s' is not a regular expression: %s at %zu",
                  source, reason, (size_t)offset);
        return NULL;
    }
    struct pattern *pattern = memory_allocate_zero(1, sizeof *pattern);
    pattern->code = code;
    pattern->match = pcre2_match_data_create_from_pattern(code, NULL);
    pattern->context = pcre2_match_context_create(NULL);
    if (pattern->context) {
        pcre2_set_match_limit(pattern->context, MATCH_LIMIT);
        pcre2_set_depth_limit(pattern->context, DEPTH_LIMIT);
    }
    if (pattern->match && pattern->context)
        return pattern;
    pattern_free(pattern);
    error_set(error, ERROR_USAGE, "no memory for the pattern '%s'", source);
    return NULL;
}

bool pattern_found(struct pattern *pattern, struct text text) {
    if (pattern->given_up)
        return false;
    const char *data = text.data ? text.data : "";
    int result = pcre2_match(pattern->code, (PCRE2_SPTR)data, text.size, 0, 0, pattern->match,
                             pattern->context);
    pattern->given_up = result < 0 && result != PCRE2_ERROR_NOMATCH;
    return result >= 0;
}

bool pattern_held(const struct pattern *pattern, struct error *error) {
    if (!pattern || !pattern->given_up)
        return true;
    return error_set(error, ERROR_USAGE,
                     "the pattern takes too long to search for; avoid repeats within repeats, such "
                     "as (a+)+");
}

void pattern_free(struct pattern *pattern) {
    if (!pattern)
        return;
    pcre2_match_context_free(pattern->context);
    pcre2_match_data_free(pattern->match);
    pcre2_code_free(pattern->code);
    free(pattern);
}
