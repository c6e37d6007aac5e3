// SPDX-License-Identifier: MIT
/*
 * UTF-8 from strangers: decoding that cannot fail, repair, and visible forms.
 *
 * Names in profiles are arbitrary bytes. `utf8_append_visible` is the one rule by which the whole
 * program shows them: valid characters stay as they are; control characters become `\n` or `\xHH`,
 * a byte that is not UTF-8 `\xHH`, non-characters and marks that change the direction of text
 * `\u{HHHH}`, so that no output holds a raw control byte and no name can reorder the page.
 */
#ifndef TICKFLAME_FOLD_BASE_UTF8_H
#define TICKFLAME_FOLD_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/text.h"

/* What utf8_decode() gives for a byte that starts no valid character. */
#define UTF8_INVALID UINT32_MAX

/*
 * Decodes the character at `text.data`. `text.size` must be at least 1.
 * Stores in *length the bytes it takes (1 for an invalid one). Returns the code point, or
 * UTF8_INVALID for anything RFC 3629 forbids: overlong forms, surrogates, above U+10FFFF, cut.
 */
uint32_t utf8_decode(struct text text, size_t *length);

/* Appends one code point. Surrogates are encoded as three bytes too (WTF-8). */
void utf8_append(struct buffer *buffer, uint32_t code_point);

/* Replaces each invalid byte by '?', in place. */
void utf8_repair(char *data, size_t size);

/* Whether all of it is valid UTF-8. */
bool utf8_valid(struct text text);

/* Appends the visible form of `text` (see above). */
void utf8_append_visible(struct buffer *buffer, struct text text);

/* The columns that a terminal needs for `text`, which should be in visible form: East Asian wide
 * characters and emoji count 2, combining marks 0; marks beyond the eighth of a character count 1,
 * so that what fits into some columns is not endless. */
size_t utf8_columns(struct text text);

/* The longest start of `text` that needs at most `columns` columns; cuts only between characters
 * (and never before a combining mark). */
struct text utf8_cut_columns(struct text text, size_t columns);

/* Orders two texts by UTF-16 code units, as JavaScript's `<`: < 0, 0, > 0. Both may be WTF-8. */
int utf8_compare_utf16(struct text a, struct text b);

#endif
