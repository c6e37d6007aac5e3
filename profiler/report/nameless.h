// SPDX-License-Identifier: MIT
/*
 * Time without a function's name, explained: which library it was in and whether that has symbols,
 * why an address belongs to nothing, who called, and what would help.
 */
#ifndef TICKFLAME_PROFILER_REPORT_NAMELESS_H
#define TICKFLAME_PROFILER_REPORT_NAMELESS_H

#include "profiler/report/report.h"
#include "profiler/report/table.h"

/* Writes the section; nothing when all time has names, save for a few samples. */
void nameless_write(struct table *table, const struct report *report);

#endif
