// SPDX-License-Identifier: MIT
#include "profiler/command/shared_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fold/base/number.h"

bool seconds_parse(struct text text, uint64_t *microseconds) {
    struct weight seconds;
    struct buffer whole = {0};
    if (text_starts_with(text, TEXT(".")))
        buffer_append_byte(&whole, '0');
    buffer_append_text(&whole, text);
    enum weight_parsed parsed = weight_parse(buffer_text(&whole), &seconds);
    buffer_free(&whole);
    if ((parsed != WEIGHT_PARSED && parsed != WEIGHT_ROUNDED) || seconds.whole > UINT32_MAX)
        return false;
    *microseconds = seconds.whole * 1000000 + seconds.fraction / (WEIGHT_FRACTION_ONE / 1000000);
    return true;
}

/* Seconds; an empty text gives `open`. */
static bool parse_seconds(struct text text, uint64_t open, uint64_t *microseconds) {
    *microseconds = open;
    return text.size == 0 || seconds_parse(text, microseconds);
}

/* `PID=FILE`. */
static bool parse_map(void *member, const char *value, struct error *error) {
    struct given_maps *maps = member;
    const char *equals = strchr(value, '=');
    uint64_t process_id;
    if (!equals || !equals[1] ||
        !number_parse_decimal((struct text){value, (size_t)(equals - value)}, &process_id))
        return error_set(error, ERROR_USAGE, "--map: '%s' is not of the form PID=FILE", value);
    if (maps->count == GIVEN_MAPS_MOST)
        return error_set(error, ERROR_USAGE, "--map: there are more than %d of them; use --map-dir",
                         GIVEN_MAPS_MOST);
    maps->items[maps->count++] = (struct given_map){process_id, equals + 1};
    return true;
}

/* A folder of perf maps, which must be there: a misspelled one would go unnoticed. */
static bool parse_map_folder(void *member, const char *value, struct error *error) {
    struct stat status;
    if (stat(value, &status) != 0)
        return error_set(error, ERROR_INPUT, "--map-dir %s: %s", value, strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return error_set(error, ERROR_INPUT, "--map-dir %s: it is not a folder", value);
    *(const char **)member = value;
    return true;
}

static bool parse_time(void *member, const char *value, struct error *error) {
    struct time_range *range = member;
    const char *colon = strchr(value, ':');
    if (colon && parse_seconds((struct text){value, (size_t)(colon - value)}, 0, &range->from_us) &&
        parse_seconds(text_of(colon + 1), UINT64_MAX, &range->to_us) &&
        range->from_us < range->to_us) {
        range->given = true;
        return true;
    }
    return error_set(error, ERROR_USAGE,
                     "--time takes FROM:TO in seconds since the start, such as 1.5:3, not '%s'",
                     value);
}

static bool category_bit(const char *word, size_t size, uint32_t *bit) {
    if (size == 4 && memcmp(word, "idle", 4) == 0) {
        *bit = (uint32_t)1 << VIEW_IDLE;
        return true;
    }
    for (int kind = FRAME_UNKNOWN_KIND + 1; kind < FRAME_KIND_COUNT; kind++) {
        const char *name = frame_kind_name(kind);
        if (strlen(name) == size && memcmp(name, word, size) == 0) {
            *bit = (uint32_t)1 << kind;
            return true;
        }
    }
    return false;
}

static bool parse_categories(void *member, const char *value, struct error *error) {
    uint32_t categories = 0, bit;
    const char *rest = value, *word;
    size_t size;
    while ((rest = option_next_word(rest, ',', &word, &size))) {
        if (!category_bit(word, size, &bit))
            return error_set(error, ERROR_USAGE,
                             "--category: unknown category '%.*s'; there are javascript, builtin, "
                             "regexp, wasm, bytecode, cpp, addon, library, kernel, gc, compiler, "
                             "waiting, unaccounted and idle",
                             (int)(size > 80 ? 80 : size), word);
        categories |= bit;
    }
    if (categories == 0)
        return error_set(error, ERROR_USAGE, "--category: the list is empty");
    *(uint32_t *)member = categories;
    return true;
}

#define MEMBER(name) .offset = offsetof(struct shared_options, name)

static const struct option sample_rows[] = {
    {.spellings = "--thread",
     .value = "NAME_OR_ID",
     .type = OPTION_TEXT,
     MEMBER(thread),
     .help = "Only the threads with this name or number."},
    {.spellings = "--time",
     .value = "FROM:TO",
     .type = OPTION_PARSED,
     MEMBER(time),
     .parse = parse_time,
     .help = "Only this part of the recording, in seconds since its start; either end may be left "
             "out."},
    {.spellings = "--category",
     .value = "LIST",
     .type = OPTION_PARSED,
     MEMBER(categories),
     .parse = parse_categories,
     .help =
         "Only time of these categories: javascript, builtin, regexp, wasm, bytecode, cpp, "
         "addon, library, kernel, gc, compiler, waiting, unaccounted, idle; commas between them."},
    {.spellings = "--focus",
     .value = "REGEX",
     .type = OPTION_TEXT,
     MEMBER(focus),
     .help = "Only stacks with a frame whose name or FILE:LINE matches (PCRE2, case-sensitive)."},
    {.spellings = "--ignore",
     .value = "REGEX",
     .type = OPTION_TEXT,
     MEMBER(ignore),
     .help = "No stacks with a frame whose name or FILE:LINE matches."},
    {.spellings = "--idle",
     .type = OPTION_FLAG,
     MEMBER(idle),
     .help = "Count idle samples too; they stand apart otherwise."},
    {.spellings = "--weight",
     .value = "period|samples",
     .type = OPTION_CHOICE,
     MEMBER(weight),
     .help = "What a sample of a recording or perf input counts: its period, which is time or "
             "events (the default), or one."},
};

static const struct option name_rows[] = {
    {.spellings = "--tiers",
     .type = OPTION_FLAG,
     .negatable = true,
     MEMBER(tiers),
     .help = "Keep V8's tier marks (~ interpreted, ^ baseline, + Maglev, * optimised) in names, or "
             "merge the tiers of a function; kept by `fold`, merged by the others."},
    {.spellings = "--threads",
     .type = OPTION_SWITCH,
     .negatable = true,
     MEMBER(threads),
     .help = "Make the thread's name the root frame, or not; `fold` and `flame` do for recordings "
             "and perf inputs."},
};

static const struct option symbol_rows[] = {
    {.spellings = "--symbols",
     .value = "FILE",
     .type = OPTION_TEXT,
     MEMBER(symbols),
     .help = "Take the symbols of libraries from the rows of FILE (library, table, address, size, "
             "type, name; a tab between them) and not from the libraries."},
    {.spellings = "--no-symbols",
     .type = OPTION_FLAG,
     MEMBER(no_symbols),
     .help = "Do without the symbols of libraries."},
    {.spellings = "--target-root",
     .value = "DIR",
     .type = OPTION_TEXT,
     MEMBER(target_root),
     .help = "Look for the libraries that the input names below DIR, as for a container."},
    {.spellings = "--apply-to",
     .value = "BINARY",
     .type = OPTION_TEXT,
     MEMBER(apply_to),
     .help = "The node binary that was recorded, when it is not where the input says."},
    {.spellings = "--map",
     .value = "PID=FILE",
     .type = OPTION_PARSED,
     .parse = parse_map,
     MEMBER(maps),
     .help = "FILE is the perf map of the process PID, which node --perf-basic-prof writes to "
             "/tmp/perf-PID.map; it may be gzip'd. May be given several times."},
    {.spellings = "--map-dir",
     .value = "DIR",
     .type = OPTION_PARSED,
     .parse = parse_map_folder,
     MEMBER(map_folder),
     .help = "Look for perf maps (perf-PID.map) in DIR before /tmp."},
    {.spellings = "--trust-maps",
     .type = OPTION_FLAG,
     MEMBER(trust_maps),
     .help = "Use perf maps in /tmp that belong to another user too; their names may be lies."},
};

static const struct option file_rows[] = {
    {.spellings = "-o --output",
     .value = "FILE",
     .type = OPTION_TEXT,
     MEMBER(output),
     .help = "Write to FILE, which appears when it is complete; standard output otherwise."},
    {.spellings = "--input-format",
     .value = "NAME",
     .type = OPTION_TEXT,
     MEMBER(input_format),
     .help = "Take the inputs for this format: v8log, tickflame, cpuprofile, perf-data, "
             "perf-script, folded; "
             "otherwise the content decides."},
    {.spellings = "--separate",
     .type = OPTION_FLAG,
     MEMBER(separate),
     .help = "With several inputs: root the stacks of each under its own name."},
    {.spellings = "--strict",
     .type = OPTION_FLAG,
     MEMBER(strict),
     .help = "Damaged input is an error (status 3), not a warning."},
    {.spellings = "--quiet", .type = OPTION_FLAG, MEMBER(quiet), .help = "Print no warnings."},
    {.spellings = "--verbose",
     .type = OPTION_FLAG,
     MEMBER(verbose),
     .help = "Also say what was skipped because it is of no use here, such as unknown records."},
    {.spellings = "--progress",
     .value = "auto|always|never",
     .type = OPTION_CHOICE,
     MEMBER(progress),
     .help = "Show how far reading is: on a terminal after a second (the default), always, or "
             "never."},
    {.spellings = "--color",
     .value = "auto|always|never",
     .type = OPTION_CHOICE,
     MEMBER(color),
     .help = "Colours in text for people: on a terminal only (the default), always, or never."},
};

#define GROUP(title, rows)                                                                         \
    { title, rows, sizeof(rows) / sizeof *(rows) }

const struct option_group sample_options = GROUP("Which samples count", sample_rows);
const struct option_group name_options = GROUP("Names", name_rows);
const struct option_group symbol_options = GROUP("Symbols of libraries", symbol_rows);
const struct option_group file_options = GROUP("Input, output, messages", file_rows);

static bool compile(const char *option, const char *source, struct pattern **pattern,
                    struct error *error) {
    if (!source)
        return true;
    struct error cause = {0};
    *pattern = pattern_compile(source, &cause);
    return *pattern || error_set(error, ERROR_USAGE, "%s: %s", option, cause.text);
}

bool chosen_view_make(struct chosen_view *chosen, const struct shared_options *options,
                      struct error *error) {
    if (!compile("--focus", options->focus, &chosen->focus, error) ||
        !compile("--ignore", options->ignore, &chosen->ignore, error))
        return false;
    chosen->view = (struct view){
        .keep_tiers = options->tiers,
        .keep_threads = options->threads > 0,
        .keep_idle = options->idle || (options->categories & (uint32_t)1 << VIEW_IDLE),
        .focus = chosen->focus,
        .ignore = chosen->ignore,
        .thread = options->thread,
        .categories = options->categories,
    };
    if (options->time.given) {
        chosen->view.time_from_us = options->time.from_us;
        chosen->view.time_to_us = options->time.to_us;
    }
    return true;
}

static bool held(const char *option, const struct pattern *pattern, struct error *error) {
    struct error cause = {0};
    return pattern_held(pattern, &cause) ||
           error_set(error, ERROR_USAGE, "%s: %s", option, cause.text);
}

bool view_patterns_held(const struct view *view, struct error *error) {
    return held("--focus", view->focus, error) && held("--ignore", view->ignore, error);
}

void chosen_view_free(struct chosen_view *chosen) {
    pattern_free(chosen->focus);
    pattern_free(chosen->ignore);
    *chosen = (struct chosen_view){0};
}

static bool is_set(const char *variable) {
    const char *value = getenv(variable);
    return value && *value;
}

bool color_wanted(const struct shared_options *options, const struct output *output) {
    if (options->color != COLOR_AUTO)
        return options->color == COLOR_ALWAYS;
    if (is_set("NO_COLOR"))
        return false;
    const char *force = getenv("CLICOLOR_FORCE");
    if (force && *force && strcmp(force, "0") != 0)
        return true;
    const char *terminal = getenv("TERM");
    return output_is_terminal(output) && terminal && strcmp(terminal, "dumb") != 0;
}
