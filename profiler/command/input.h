// SPDX-License-Identifier: MIT
/*
 * Inputs: the table of readers, and loading files into a profile.
 *
 * An input is recognised by its content: the reader whose probe is surest takes it.
 */
#ifndef TICKFLAME_PROFILER_COMMAND_INPUT_H
#define TICKFLAME_PROFILER_COMMAND_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "fold/base/error.h"
#include "fold/model/profile.h"
#include "profiler/command/option.h"
#include "profiler/command/progress.h"
#include "profiler/command/shared_options.h"
#include "profiler/report/report.h"
#include "profiler/symbol/symbol_source.h"

struct input_options {
    enum symbol_mode symbols;      /* where the symbols of libraries come from */
    const char *symbols_file;      /* with SYMBOLS_FROM_ROWS */
    const char *target_root;       /* libraries are looked for below it; NULL = / */
    const char *apply_to;          /* the node binary; NULL = as the input says */
    const struct given_maps *maps; /* perf maps of processes; NULL = none */
    const char *map_folder;        /* of perf maps; NULL = none */
    bool trust_maps;               /* perf maps of other users too */
    const char *input_format;      /* name of a reader; NULL = by content */
    const char *output;            /* refused as an input; NULL = none */
    bool keep_times;               /* keep the time of each sample */
    bool strict;                   /* damage is an error */
    bool list_unknown_records;     /* count unknown kinds of records as warnings */
    enum progress_choice progress;
    bool quiet;        /* no progress by default */
    size_t piece_size; /* as for input_open(); 0 = the default */
};

/*
 * Reads `path` ("-": standard input) into `profile`, whose warnings then tell what was wrong with
 * it. Reading that fails after some data, or compressed data that is damaged or cut, is the
 * warning "input-cut". False: the input cannot be used, or with `strict` is damaged; *error names
 * the file and says why, and the profile must not be used any more.
 */
bool input_load(struct profile *profile, const char *path, const struct input_options *options,
                struct error *error);

/* What was loaded. All zero is nothing. */
struct loaded_inputs {
    struct profile *profile; /* all inputs; NULL when none could be used */
    struct report_input *items;
    size_t count;             /* of those that could be used */
    struct warnings warnings; /* of all of them */
    int status;               /* STATUS_DONE; STATUS_INPUT when one could not be used */
};

/*
 * Loads all operands as the options say, and prints errors and warnings. False: there is nothing
 * to work on; `status` is the exit status. To be freed with loaded_inputs_free() in any case.
 */
bool inputs_load(struct loaded_inputs *loaded, const struct operands *operands,
                 const struct shared_options *options);
/* Whether the names of threads are root frames: as the options say, otherwise when all inputs are
 * recordings or perf's. */
bool threads_are_roots(const struct shared_options *options, const struct loaded_inputs *loaded);

void loaded_inputs_free(struct loaded_inputs *loaded);

#endif
