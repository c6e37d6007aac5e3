// SPDX-License-Identifier: MIT
/*
 * Writer of folded stacks: `frame;frame;...;frame COUNT`, one line for each distinct stack, root
 * first, the lines in byte order.
 *
 * Labels are made fit for the format: `;` becomes `:`; control characters, bytes that are not UTF-8
 * and marks that change the direction of text become visible (fold/base/utf8.h); a blank at either
 * end of a label, and a `#` that would make the line a comment, become `\x20` and `\x23`; an empty
 * label becomes `[empty]`. So fold/read/folded.h reads back what was written. Stacks whose lines
 * would be the same are one line with the sum of their counts.
 */
#ifndef TICKFLAME_FOLD_WRITE_FOLDED_H
#define TICKFLAME_FOLD_WRITE_FOLDED_H

#include <stddef.h>

#include "fold/base/output.h"
#include "fold/model/call_node.h"

struct folded_options {
    bool
        annotate_kind; /* `_[k]` kernel, `_[j]` code that V8 compiled, `_[i]` an inlined function */
};

/*
 * Writes the stacks of a call tree. `nodes` are `node_count` (at least 1) nodes in depth-first
 * order, the first of them the invisible root; a node's `function` is a row of `labels`. Nodes
 * without a self weight give no line. `options` may be NULL. Errors of writing are those of
 * `output`.
 */
void folded_write(struct output *output, const struct call_node *nodes, size_t node_count,
                  const struct call_label *labels, size_t label_count,
                  const struct folded_options *options);

#endif
