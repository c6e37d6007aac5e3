// SPDX-License-Identifier: MIT
/*
 * What a recording ends with: a file of the kind that its name asks for, and the report.
 */
#ifndef TICKFLAME_PROFILER_COMMAND_RECORD_RESULT_H
#define TICKFLAME_PROFILER_COMMAND_RECORD_RESULT_H

#include <stdbool.h>

#include "fold/base/error.h"
#include "fold/model/profile.h"
#include "profiler/command/shared_options.h"

enum result_kind { RESULT_RECORDING, RESULT_FOLDED, RESULT_FLAME };

/* The kind that the extension of `path` asks for. False: none that is known (ERROR_USAGE). */
bool result_kind_of(const char *path, enum result_kind *kind, struct error *error);

/* Whether `path` can be made: it is not there, or `replace` and a regular file (ERROR_OUTPUT). */
bool result_path_is_free(const char *path, bool replace, struct error *error);

/* Writes the profile to `path`, mode 0600, in the form `kind`. A recording written so holds the
 * times that the profile has kept. */
bool result_write(const struct profile *profile, const char *path, enum result_kind kind,
                  bool replace, struct error *error);

/* Prints the report on standard output, as `tickflame report` does for the file at `path`. Returns
 * the exit status. */
int result_print_report(struct profile *profile, const char *path,
                        const struct shared_options *options);

#endif
