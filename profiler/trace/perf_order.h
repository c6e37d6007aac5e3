// SPDX-License-Identifier: MIT
/*
 * Puts records of several CPUs into the order of their times.
 *
 * Each CPU's records come in order, but one CPU after the other, in rounds. A record can be handed
 * on when a whole later round has come: everything up to the latest time of the round before the
 * last one. So perf itself does it (its FINISHED_ROUND records). Records of the same time keep the
 * order in which they were added; a record with the time 0 or ~0 goes on at once.
 */
#ifndef TICKFLAME_PROFILER_TRACE_PERF_ORDER_H
#define TICKFLAME_PROFILER_TRACE_PERF_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/base/text.h"

struct perf_order;

/* Takes a record in order. `tag` is what was given with it. The bytes are valid during the call. */
typedef void perf_order_deliver(void *context, struct text bytes, uint32_t tag);

struct perf_order *perf_order_open(perf_order_deliver *deliver, void *context);

/* Adds a record; the bytes are copied. */
void perf_order_add(struct perf_order *order, uint64_t time, struct text bytes, uint32_t tag);

/* A round has ended. */
void perf_order_round(struct perf_order *order);

/* Delivers all that is left. */
void perf_order_finish(struct perf_order *order);

/* The bytes of records that wait now. */
uint64_t perf_order_waiting(const struct perf_order *order);
void perf_order_close(struct perf_order *order);

#endif
