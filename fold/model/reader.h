// SPDX-License-Identifier: MIT
/*
 * What every reader of a profile format offers: a probe, and a push parser.
 *
 * The command finds the reader whose probe knows the first bytes, makes a parser, feeds it pieces
 * of any size and finishes it. Results do not depend on where pieces end. Damage is counted in the
 * profile's warnings; a reader fails only when the input cannot be used at all.
 */
#ifndef TICKFLAME_FOLD_MODEL_READER_H
#define TICKFLAME_FOLD_MODEL_READER_H

#include <stdbool.h>

#include "fold/base/error.h"
#include "fold/base/text.h"
#include "fold/model/profile.h"

/* How sure a probe is. */
enum probe_result {
    PROBE_NO,
    PROBE_MAYBE,  /* the form fits, but others have it too (folded text) */
    PROBE_CERTAIN /* a mark that only this format has */
};

/* A reader: constants of the program. */
struct reader {
    const char *format; /* the name that --input-format takes, such as "v8log" */

    /* Looks at the first bytes of an input (up to 64 KiB, decompressed). */
    enum probe_result (*probe)(struct text start);

    /* A parser that adds to `profile`. `options` is the reader's own options struct, or NULL for
     * its defaults. To be ended with `close`. */
    void *(*open)(struct profile *profile, const void *options);

    /* Takes the next piece. False: the input is useless; *error says why. */
    bool (*feed)(void *parser, struct text piece, struct error *error);

    /* The input has ended. False: it held nothing usable; *error says why. */
    bool (*finish)(void *parser, struct error *error);

    /* Frees the parser; what it added to the profile stays. */
    void (*close)(void *parser);
};

#endif
