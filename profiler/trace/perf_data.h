// SPDX-License-Identifier: MIT
/*
 * The reader of perf.data files, as `perf record` writes them.
 *
 * A push parser like the others: the header and the attributes stand in front of the records, and
 * what stands behind them (build ids, names of events, the machine) is needed only at the end, when
 * addresses get their names. So a file of any size, from standard input too, is read once.
 */
#ifndef TICKFLAME_PROFILER_TRACE_PERF_DATA_H
#define TICKFLAME_PROFILER_TRACE_PERF_DATA_H

#include "fold/model/reader.h"
#include "profiler/symbol/native_names.h"

/* For `perf_data_reader.open`. NULL there: everything unnamed. */
struct perf_data_options {
    struct native_names_options names; /* source, maps ... */
};

/* Format "perf-data". */
extern const struct reader perf_data_reader;

#endif
