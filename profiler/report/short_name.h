// SPDX-License-Identifier: MIT
/*
 * Names of C++ functions in few columns. What a template was made for takes most of such a name,
 * and the function's own name stands at its end: cut like other text, many look the same.
 */
#ifndef TICKFLAME_PROFILER_REPORT_SHORT_NAME_H
#define TICKFLAME_PROFILER_REPORT_SHORT_NAME_H

#include "fold/base/memory.h"
#include "fold/base/text.h"

/* The names of a table under way. All zero is an empty table. */
struct short_names {
    struct short_name *items;
    size_t count, capacity; /* `count` is to be 0 for another table */
    struct arena arena;
};

/*
 * Appends a name in at most `width` columns (at least 20). Template arguments are left out from the
 * inside until it fits: `Accessor<Traits<...>>::Get`, `Accessor<...>::Get`; then the front is cut
 * off: `...Get`. Where that looks like another name of the table, the part in which the two differ
 * is shown.
 */
void short_names_append(struct short_names *names, struct buffer *buffer, struct text name,
                        size_t width);
void short_names_free(struct short_names *names);

#endif
