// SPDX-License-Identifier: MIT
/*
 * Reader of folded stacks: `frame;frame;...;frame COUNT`, one line per stack, root first.
 *
 * The format of stackcollapse-*.pl, inferno, async-profiler and of this program. What is accepted:
 *
 * - The count stands behind the last run of blanks or tabs of a line: digits, optionally a point
 *   and digits, kept exactly. Two counts are no difference here: the first belongs to the name.
 *   A count of 0 is read and adds nothing.
 * - Blanks around a frame, blanks and a carriage return at the end of a line, and one semicolon at
 *   the end of a stack mean nothing. A frame without a name becomes `[empty]`. Empty lines are
 *   skipped.
 * - All other lines (comments beginning with `# `, no count, a count that is no number, no stack)
 *   are skipped and counted in one warning; lines longer than 16 MiB in another.
 * - A name that ends in a place (`FUNCTION FILE:LINE:COLUMN`) is one of V8's: a tier mark, and in
 *   front of it a prefix of perf maps (`JS:`, `LazyCompile:` ...), are taken off. flamegraph.pl's
 *   annotations `_[k]`, `_[j]` and `_[i]` are taken off and kept as kind.
 * - Names are bytes: what is not UTF-8 is kept.
 *
 * A sample that ends in `(idle)` is idle. There is one thread, of which nothing is known.
 */
#ifndef TICKFLAME_FOLD_READ_FOLDED_H
#define TICKFLAME_FOLD_READ_FOLDED_H

#include "fold/model/reader.h"

/* Takes no options. Its probe never says more than "maybe". An input without any usable line is an
 * error (ERROR_INPUT) that names the form and the first line. */
extern const struct reader folded_reader;

#endif
