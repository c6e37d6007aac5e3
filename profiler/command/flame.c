// SPDX-License-Identifier: MIT
/* `tickflame flame`: a flame graph as SVG. */
#include "svg/flame_graph.h"

#include <string.h>

#include "profiler/command/command.h"
#include "profiler/command/input.h"

enum { FEW_SAMPLES = 100 };

/* As typed: "2.5", "1%". */
struct least_width {
    double value; /* pixels, or a share from 0 to 1 */
    bool is_share;
};

struct flame_command_options {
    struct shared_options shared;
    const char *title, *subtitle, *notes, *count_name, *search;
    uint64_t width;
    struct least_width min_width;
    bool static_only;
    bool upright;
    int colors;                /* enum flame_colors */
    bool ignored_flag;         /* an option of flamegraph.pl that has no meaning here was given */
    const char *ignored_value; /* the same, for one with a value */
};

static const struct flame_command_options defaults = {.min_width = {FLAME_MIN_WIDTH_AUTO, false}};

static bool parse_min_width(void *member, const char *value, struct error *error) {
    struct least_width *width = member;
    struct text number = text_of(value);
    struct weight weight = {0};
    width->is_share = text_ends_with(number, TEXT("%"));
    number.size -= width->is_share;
    enum weight_parsed parsed = weight_parse(number, &weight);
    width->value = weight_to_double(weight) / (width->is_share ? 100 : 1);
    if (parsed == WEIGHT_NOT || parsed == WEIGHT_SATURATED || (width->is_share && width->value > 1))
        return error_set(error, ERROR_USAGE,
                         "--min-width takes pixels (0.5) or a share (0.1%%), not '%s'", value);
    return true;
}

/* Our ways to colour; flamegraph.pl's palettes ("hot", "java" ...) mean the first. */
static bool parse_colors(void *member, const char *value, struct error *error) {
    static const char ours[] = "kind package name";
    static const char theirs[] = "hot mem io wakeup chain java js perl red green blue aqua yellow "
                                 "purple orange";
    const char *rest = ours, *word;
    size_t size;
    for (int i = 0; (rest = option_next_word(rest, ' ', &word, &size)); i++) {
        if (text_equal(text_of(value), (struct text){word, size})) {
            *(int *)member = i;
            return true;
        }
    }
    rest = theirs;
    while ((rest = option_next_word(rest, ' ', &word, &size))) {
        if (text_equal(text_of(value), (struct text){word, size})) {
            *(int *)member = FLAME_COLORS_KIND;
            return true;
        }
    }
    return error_set(error, ERROR_USAGE, "--colors takes kind, package or name, not '%s'", value);
}

/* Says why there is nothing to draw, or that there is little. */
static bool check_weight(const struct call_tree *tree, bool quiet, struct error *error) {
    if (weight_is_zero(tree->total))
        return error_set(error, ERROR_INPUT,
                         profile_is_empty(tree->profile)
                             ? "the input holds no samples: there is nothing to draw"
                             : "no sample passes the filters: there is nothing to draw");
    double samples = tree->samples.known ? (double)tree->samples.busy + (double)tree->samples.idle
                                         : weight_to_double(tree->total);
    if (!quiet && samples < FEW_SAMPLES &&
        (tree->samples.known || tree->profile->unit == UNIT_SAMPLES ||
         tree->profile->unit == UNIT_TICKS))
        command_warn("few samples (%.10g): the widths of the picture are rough", samples);
    return true;
}

static bool draw(const struct flame_command_options *options, const struct call_tree *tree,
                 struct error *error) {
    if (!check_weight(tree, options->shared.quiet, error))
        return false;
    struct output *output = output_open(options->shared.output, 0666, error);
    if (!output)
        return false;
    struct flame_options flame = flame_options_default();
    flame.title = options->title;
    flame.subtitle = options->subtitle;
    flame.notes = options->notes;
    flame.count_name = options->count_name;
    flame.search = options->search;
    flame.width = options->width > UINT32_MAX ? UINT32_MAX : (uint32_t)options->width;
    flame.min_width = options->min_width.value;
    flame.min_width_is_share = options->min_width.is_share;
    flame.static_only = options->static_only;
    flame.upright = options->upright;
    flame.colors = (enum flame_colors)options->colors;
    struct blocking *blocking = blocking_find(tree);
    bool drawn = svg_flame_write(output, tree, blocking, &flame, error);
    blocking_free(blocking);
    if (drawn)
        return output_close(output, error);
    output_discard(output);
    return false;
}

static int run(const void *options_given, const struct operands *operands) {
    const struct flame_command_options *options = options_given;
    struct error error = {0};
    struct chosen_view chosen = {0};
    struct loaded_inputs loaded = {0};
    int status;
    if ((options->ignored_flag || options->ignored_value) && !options->shared.quiet)
        command_warn("options of flamegraph.pl that have no meaning here are ignored");
    if (!chosen_view_make(&chosen, &options->shared, &error)) {
        status = command_fail(&error);
    } else if (!inputs_load(&loaded, operands, &options->shared)) {
        status = loaded.status;
    } else {
        chosen.view.keep_threads = threads_are_roots(&options->shared, &loaded);
        chosen.view.last_names = true;
        struct call_tree *tree = call_tree_build(loaded.profile, &chosen.view);
        bool drawn = view_patterns_held(&chosen.view, &error) && draw(options, tree, &error);
        status = drawn ? loaded.status : command_fail(&error);
        call_tree_free(tree);
    }
    loaded_inputs_free(&loaded);
    chosen_view_free(&chosen);
    return status;
}

#define MEMBER(name) .offset = offsetof(struct flame_command_options, name)

static const struct option picture_rows[] = {
    {.spellings = "--title",
     .value = "TEXT",
     .type = OPTION_TEXT,
     MEMBER(title),
     .help = "Title of the picture; \"Flame graph\" otherwise."},
    {.spellings = "--subtitle",
     .value = "TEXT",
     .type = OPTION_TEXT,
     MEMBER(subtitle),
     .help = "A line below the title."},
    {.spellings = "--notes",
     .value = "TEXT",
     .type = OPTION_TEXT,
     MEMBER(notes),
     .help = "Goes into a comment of the file."},
    {.spellings = "--width",
     .value = "PX",
     .type = OPTION_COUNT,
     MEMBER(width),
     .help = "Pixels of the picture: 320 to 20000; 1200 otherwise, 960 with --static."},
    {.spellings = "--min-width --minwidth",
     .value = "PX|%",
     .type = OPTION_PARSED,
     MEMBER(min_width),
     .parse = parse_min_width,
     .help = "Do not draw narrower frames: pixels (0.5), or a share of the whole (0.1%)."},
    {.spellings = "--static",
     .type = OPTION_FLAG,
     MEMBER(static_only),
     .help = "No script in the file, larger letters: for pictures in web pages."},
    {.spellings = "--upright",
     .type = OPTION_FLAG,
     MEMBER(upright),
     .help = "Root at the bottom; at the top otherwise."},
    {.spellings = "--colors",
     .value = "kind|package|name",
     .type = OPTION_PARSED,
     MEMBER(colors),
     .parse = parse_colors,
     .help = "Colour by kind of code (the default), by npm package, or by name."},
    {.spellings = "--count-name --countname",
     .value = "TEXT",
     .type = OPTION_TEXT,
     MEMBER(count_name),
     .help = "Word for what is counted; the input's own unit otherwise."},
    {.spellings = "--search",
     .value = "REGEX",
     .type = OPTION_TEXT,
     MEMBER(search),
     .help = "Mark the frames whose name or FILE:LINE matches."},
    {.spellings = "--inverted --hash --random --cp --negate",
     .type = OPTION_FLAG,
     MEMBER(ignored_flag),
     .help = "flamegraph.pl's; accepted, without a meaning here (root on top is the default)."},
    {.spellings = "--fonttype --fontsize --height --encoding --nametype --bgcolors",
     .value = "X",
     .type = OPTION_TEXT,
     MEMBER(ignored_value),
     .help = "flamegraph.pl's; accepted, without a meaning here."},
};

static const struct option_group picture_options = {"Picture", picture_rows,
                                                    sizeof picture_rows / sizeof *picture_rows};

static const struct option_group *const groups[] = {
    &picture_options, &sample_options, &name_options, &symbol_options, &file_options, NULL,
};

const struct command flame_command = {
    .name = "flame",
    .summary = "a flame graph: one SVG file, interactive in a browser",
    .synopsis = "[options] INPUT... -o OUT.svg",
    .description =
        "Draws the flame graph of the inputs: width is share of time, the root is at the top, "
        "callers stand above what they call. Colours tell the kind of code; calls that block the "
        "event loop have an outline and a mark of their own. The file loads nothing and is "
        "complete without scripts; with them, click to zoom and search for names.",
    .groups = groups,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = run,
};
