// SPDX-License-Identifier: MIT
/*
 * The reader of `perf script` text.
 *
 * A sample is an event line (`COMM PID/TID [CPU] TIME: PERIOD EVENT:`, of which only some parts
 * need be there), lines of frames, innermost first (`ADDRESS SYMBOL+0xOFFSET (MODULE)`), and an
 * empty line. The numbers of an event line are found from its right end, since a thread's name may
 * hold anything. Several events: only those of the one with the most samples count. The rules for
 * stacks are those of perf.data (profiler/trace/perf_machine.h), so that both forms of one
 * recording give the same stacks.
 */
#ifndef TICKFLAME_FOLD_READ_PERF_SCRIPT_H
#define TICKFLAME_FOLD_READ_PERF_SCRIPT_H

#include "fold/model/reader.h"

/* Format "perf-script". */
extern const struct reader perf_script_reader;

#endif
