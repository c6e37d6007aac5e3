// SPDX-License-Identifier: MIT
/*
 * How many native stacks are complete: whose outermost frame is where a program or a thread starts,
 * so that no caller is missing. A stack in the kernel alone is complete.
 */
#ifndef TICKFLAME_FOLD_TALLY_COMPLETE_STACKS_H
#define TICKFLAME_FOLD_TALLY_COMPLETE_STACKS_H

#include "fold/model/profile.h"

struct complete_stacks {
    double share;       /* of busy samples with a stack; negative = not known: stacks are not
                           native, or there are none */
    struct text worst;  /* the file name of the library in which most of the other stacks end;
                           empty = none is known. Lives as long as the profile */
    double worst_share; /* of the stacks that are not complete: those that end there */
};

struct complete_stacks complete_stacks_find(const struct profile *profile);

#endif
