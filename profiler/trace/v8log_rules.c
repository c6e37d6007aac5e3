// SPDX-License-Identifier: MIT
#include "profiler/trace/v8log_rules.h"

#include <stddef.h>
#include <string.h>

/* Pages are told apart by 32 bits of the address (12) or by 44 (later): JavaScript's `|0`. */
#define PAGES_12 UINT64_C(0xFFFFF000)
#define PAGES_14 UINT64_C(0xFFFFFFFF000)

#define KINDS_OLD                                                                                  \
    { "Unopt", "", "", "Opt" }
#define KINDS_BASELINE                                                                             \
    { "Unopt", "Baseline", "Turboprop", "Opt" }
#define KINDS_SPARKPLUG                                                                            \
    { "Unopt", "Sparkplug", "Maglev", "Opt" }

const struct v8log_rules v8log_tolerant_rules = {
    .page_mask = ~UINT64_C(0xFFF),
    .deletes_code = true,
    .debug_files = true,
    .json_kinds = KINDS_SPARKPLUG,
};

static const struct v8log_rules versions[] = {
    {.exact = true,
     .node = 12,
     .page_mask = PAGES_12,
     .frames_in_hexadecimal = true,
     .reused_code_is_ignored = true,
     .regexp_may_be_function = true,
     .deletes_code = true,
     .counts_prototype_names = true,
     .misplaced = MISPLACED_IS_USED,
     .plain_scripts = true,
     .heap_samples = true,
     .json_kinds = KINDS_OLD,
     .accepted_marks = "~ * "},
    {.exact = true,
     .node = 14,
     .page_mask = PAGES_14,
     .frames_in_hexadecimal = true,
     .regexp_may_be_function = true,
     .deletes_code = true,
     .counts_prototype_names = true,
     .text_adjustment = true,
     .misplaced = MISPLACED_IS_USED,
     .plain_scripts = true,
     .heap_samples = true,
     .json_kinds = KINDS_OLD,
     .accepted_marks = "~ * "},
    {.exact = true,
     .node = 16,
     .page_mask = PAGES_14,
     .frames_in_hexadecimal = true,
     .deletes_code = true,
     .text_adjustment = true,
     .misplaced = MISPLACED_IS_LOST,
     .json_kinds = KINDS_BASELINE,
     .accepted_marks = "~ ^ + * "},
    {.exact = true,
     .node = 18,
     .page_mask = PAGES_14,
     .frames_in_hexadecimal = true,
     .deletes_code = true,
     .text_adjustment = true,
     .misplaced = MISPLACED_IS_LOST,
     .json_kinds = KINDS_BASELINE,
     .accepted_marks = "~ ^ * "},
    {.exact = true,
     .node = 20,
     .page_mask = PAGES_14,
     .deletes_code = true,
     .text_adjustment = true,
     .misplaced = MISPLACED_IS_LOST,
     .json_kinds = KINDS_SPARKPLUG,
     .accepted_marks = "~ ^ + * "},
    {.exact = true,
     .node = 22,
     .page_mask = PAGES_14,
     .text_adjustment = true,
     .misplaced = MISPLACED_IS_REPLACED,
     .json_kinds = KINDS_SPARKPLUG,
     .accepted_marks = "~ ^ + * "},
    {.exact = true,
     .node = 24,
     .page_mask = PAGES_14,
     .debug_files = true,
     .text_adjustment = true,
     .start_without_slide = true,
     .misplaced = MISPLACED_IS_REPLACED,
     .json_kinds = KINDS_SPARKPLUG,
     .accepted_marks = "~ ^ + +' * *' "},
    {.exact = true,
     .node = 26,
     .page_mask = PAGES_14,
     .debug_files = true,
     .text_adjustment = true,
     .start_without_slide = true,
     .misplaced = MISPLACED_IS_REPLACED,
     .json_kinds = KINDS_SPARKPLUG,
     .accepted_marks = "~ ^ + +' o+ o+' * *' o* o*' "},
};

const struct v8log_rules *v8log_rules_of_node(unsigned major) {
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        if (versions[i].node == major || versions[i].node + 1 == major)
            return &versions[i];
    }
    return NULL;
}

unsigned v8log_node_of_v8(uint64_t v8_major) {
    return v8_major >= 7 && v8_major <= 14 ? 12 + 2 * (unsigned)(v8_major - 7) : 0;
}

bool v8log_rules_accept_mark(const struct v8log_rules *rules, struct text mark) {
    if (mark.size == 0)
        return true;
    const char *at = rules->accepted_marks;
    while (*at) {
        size_t size = strcspn(at, " ");
        if (size == mark.size && memcmp(at, mark.data, size) == 0)
            return true;
        at += size + 1;
    }
    return false;
}
