// SPDX-License-Identifier: MIT
/*
 * The options of `tickflame record`, as typed and as checked.
 */
#ifndef TICKFLAME_PROFILER_COMMAND_RECORD_OPTIONS_H
#define TICKFLAME_PROFILER_COMMAND_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profiler/command/shared_options.h"

enum { RECORD_PROCESSES_MAX = 256 };

/* Values of -p. */
struct process_list {
    size_t count;
    pid_t items[RECORD_PROCESSES_MAX];
};

enum record_call_graph { RECORD_CALL_GRAPH_AUTO, RECORD_CALL_GRAPH_FP, RECORD_CALL_GRAPH_DWARF };

enum record_names { RECORD_NAMES_AUTO, RECORD_NAMES_HEAP, RECORD_NAMES_MAP, RECORD_NAMES_NONE };

/* The members' meaning stands in the help of the options. */
struct record_options {
    struct shared_options shared;
    struct process_list processes;
    uint64_t port;        /* 0 = not given */
    uint64_t frequency;   /* Hz */
    uint64_t duration_ms; /* 0 = not given */
    int event;            /* enum sampler_event */
    int call_graph;       /* enum record_call_graph */
    bool off_cpu, inspector;
    int names;  /* enum record_names */
    int kernel; /* enum sampler_kernel */
    bool main_thread_only, all_threads, children;
    uint64_t memory_interval_ms;
    uint64_t ring_kilobytes, size_most_megabytes; /* 0 = not given */
    bool force, exit_status;
};

extern const struct record_options record_defaults;

/* The options without those that are shared. */
extern const struct option_group record_target_options, record_sampling_options,
    record_file_options;

/* Whether options and operands go together. False: ERROR_USAGE. */
bool record_options_check(const struct record_options *options, const struct operands *operands,
                          struct error *error);

#endif
