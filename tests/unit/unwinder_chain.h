// SPDX-License-Identifier: MIT
/* Functions that call each other without frame pointers. */
#ifndef TICKFLAME_TESTS_UNIT_UNWINDER_CHAIN_H
#define TICKFLAME_TESTS_UNIT_UNWINDER_CHAIN_H

#include <stddef.h>
#include <stdint.h>

enum { CHAIN_MOST = 8 };

struct chain {
    uint64_t returns[CHAIN_MOST]; /* return addresses, outermost first */
    size_t count;
    void (*enter)(struct chain *chain); /* what chain_outer calls; NULL: chain_middle */
    void (*stop)(struct chain *chain);  /* what chain_inner calls; NULL: a breakpoint */
};

/* Calls what chain->enter says; chain_middle calls chain_inner, which calls what chain->stop says.
 */
void chain_outer(struct chain *chain);
void chain_middle(struct chain *chain);
void chain_inner(struct chain *chain);

/* A leaf with a breakpoint that keeps its caller's stack pointer below its own. */
void chain_red_zone(struct chain *chain);

#endif
