// SPDX-License-Identifier: MIT
/*
 * The words of the recording format, shared by its writer and its reader.
 *
 * The format itself is described for everyone in `tickflame help format` and the man page
 * tickflame-format(5). In short: lines of text, fields with a tab between, gzip'd in pieces that
 * are complete by themselves; tables of the profile row by row in order of first appearance, then
 * the samples that refer to them; whatever is cut off at the end, all before it stands.
 */
#ifndef TICKFLAME_FOLD_MODEL_RECORDING_FORMAT_H
#define TICKFLAME_FOLD_MODEL_RECORDING_FORMAT_H

/* The first line is this, a tab and the version. */
#define RECORDING_MARK    "tickflame-recording"
#define RECORDING_VERSION 1

#endif
