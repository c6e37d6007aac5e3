// SPDX-License-Identifier: MIT
/*
 * Several profiles as one: `report A.log B.log` counts the samples of both.
 */
#ifndef TICKFLAME_FOLD_MODEL_PROFILE_MERGE_H
#define TICKFLAME_FOLD_MODEL_PROFILE_MERGE_H

#include "fold/model/profile.h"

/*
 * Adds to `into` everything that `from` holds, save its warnings: threads, libraries and samples,
 * with `root` (a frame of `into`; 0 = none) below each stack. What describes the recording is
 * taken over by an empty `into`; where the two differ, it is "not known" afterwards, and different
 * units give the warning "mixed-units". `from` stays as it is.
 */
void profile_merge(struct profile *into, const struct profile *from, struct frame_id root);

#endif
