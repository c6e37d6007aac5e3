// SPDX-License-Identifier: MIT
/*
 * The reader of recordings (`.tickflame.gz`), see fold/model/recording_format.h.
 *
 * A recording without its end record was cut short (a kill, a full disk): what is there is used,
 * with one warning. Rows that refer to rows that are not there are damage, counted and skipped.
 */
#ifndef TICKFLAME_FOLD_READ_RECORDING_H
#define TICKFLAME_FOLD_READ_RECORDING_H

#include "fold/model/reader.h"

/* Format "tickflame". */
extern const struct reader recording_reader;

#endif
