// SPDX-License-Identifier: MIT
/*
 * The options that several commands share, and the view that they describe.
 *
 * A command's options struct begins with a `struct shared_options`, so that the offsets in the
 * shared tables fit it.
 */
#ifndef TICKFLAME_PROFILER_COMMAND_SHARED_OPTIONS_H
#define TICKFLAME_PROFILER_COMMAND_SHARED_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/base/output.h"
#include "fold/tally/call_tree.h"
#include "profiler/command/option.h"
#include "profiler/symbol/perf_map_search.h"

/* A part of the recording, in microseconds since its start. */
struct time_range {
    bool given;
    uint64_t from_us, to_us;
};

/* What a sample of a perf input weighs. */
enum weight_choice { WEIGHT_PERIOD, WEIGHT_SAMPLES };

/* The values of --map. */
enum { GIVEN_MAPS_MOST = 64 };
struct given_maps {
    struct given_map items[GIVEN_MAPS_MOST];
    size_t count;
};

enum color_choice { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* The members' meaning stands in the help of the options; strings are views into argv, NULL where
 * the option was not given. */
struct shared_options {
    const char *output;
    const char *thread;
    struct time_range time;
    uint32_t categories; /* as in struct view */
    const char *focus, *ignore;
    bool idle;
    bool tiers;
    int threads; /* 1 and -1 as given; 0: the command and the inputs decide */
    int weight;  /* enum weight_choice */
    const char *symbols;
    bool no_symbols;
    const char *target_root;
    const char *apply_to;
    struct given_maps maps;
    const char *map_folder;
    bool trust_maps;
    const char *input_format;
    bool separate;
    bool strict;
    bool quiet;
    bool verbose;
    int progress; /* enum progress_choice */
    int color;    /* enum color_choice */
};

/* Takes seconds with up to six decimals that count ("10", "2.5", ".5"). False: it is something
 * else, or more than 2^32 seconds. */
bool seconds_parse(struct text text, uint64_t *microseconds);

/* Which samples count: --thread --time --category --focus --ignore --idle --weight. */
extern const struct option_group sample_options;

/* How functions are named: --tiers --threads. */
extern const struct option_group name_options;

/* Where symbols come from: --symbols --no-symbols --target-root --apply-to --map
 * --map-dir --trust-maps. */
extern const struct option_group symbol_options;

/* What is read and written, and how much is said: -o --input-format --separate --strict --quiet
 * --verbose --progress --color. */
extern const struct option_group file_options;

/* A view with the patterns it owns. All zero is empty. */
struct chosen_view {
    struct view view;
    struct pattern *focus, *ignore;
};

/* Makes the view that the options describe. False: a pattern is wrong (ERROR_USAGE). */
bool chosen_view_make(struct chosen_view *chosen, const struct shared_options *options,
                      struct error *error);
void chosen_view_free(struct chosen_view *chosen);

/* To be asked when the view has been searched: whether its patterns could be searched for. False:
 * one was given up (ERROR_USAGE), and the result must not be shown. */
bool view_patterns_held(const struct view *view, struct error *error);

/* Whether what goes to `output` is coloured: by --color, CLICOLOR_FORCE, NO_COLOR, TERM, and
 * whether it is a terminal. */
bool color_wanted(const struct shared_options *options, const struct output *output);

#endif
