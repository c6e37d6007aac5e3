// SPDX-License-Identifier: MIT
#include "profiler/command/input.h"

#include <stdlib.h>
#include <string.h>

#include "fold/base/input.h"
#include "fold/base/memory.h"
#include "fold/base/number.h"
#include "fold/model/profile_merge.h"
#include "fold/model/reader.h"
#include "fold/read/cpuprofile.h"
#include "fold/read/folded.h"
#include "fold/read/perf_script.h"
#include "fold/read/recording.h"
#include "fold/tally/thread_roles.h"
#include "profiler/command/chosen_symbols.h"
#include "profiler/command/command.h"
#include "profiler/trace/perf_data.h"
#include "profiler/trace/v8log_read.h"

static const struct reader *const readers[] = {
    &v8log_reader,     &recording_reader,   &cpuprofile_reader,
    &perf_data_reader, &perf_script_reader, &folded_reader,
};

enum { READER_COUNT = sizeof readers / sizeof *readers, PROBE_SIZE = 64 * 1024 };

/* How messages name an input. */
static const char *name_of(const char *path) {
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* Whether a text begins as JSON's objects and arrays of objects do. No frame begins so. */
static bool looks_like_json(struct text start) {
    char brackets[2];
    size_t found = 0;
    for (size_t i = 0; i < start.size && found < sizeof brackets; i++)
        if (!memchr(" \t\r\n", start.data[i], 4))
            brackets[found++] = start.data[i];
    return found == sizeof brackets && ((brackets[0] == '{' && brackets[1] == '"') ||
                                        (brackets[0] == '[' && brackets[1] == '{'));
}

/* Whether the first lines are those of a perf map: two hexadecimal numbers and a name of V8's. */
static bool looks_like_perf_map(struct text start) {
    enum { LINES = 3 };
    for (int line = 0; line < LINES; line++) {
        for (int number = 0; number < 2; number++) {
            size_t digits = 0;
            while (digits < start.size && number_hexadecimal_digit(start.data[digits]) >= 0)
                digits++;
            if (digits == 0 || digits == start.size || start.data[digits] != ' ')
                return false;
            start = text_skip(start, digits + 1);
        }
        const char *end = memchr(start.data, '\n', start.size);
        if (!end || !memchr(start.data, ':', (size_t)(end - start.data)))
            return false;
        start = text_skip(start, (size_t)(end - start.data) + 1);
    }
    return true;
}

/* The reader of an input; *guessed: no probe knew it. */
static const struct reader *find_reader(struct input *input, const char *format, bool *guessed,
                                        struct error *error) {
    if (format) {
        for (size_t i = 0; i < READER_COUNT; i++) {
            if (strcmp(readers[i]->format, format) == 0)
                return readers[i];
        }
        error_set(error, ERROR_USAGE,
                  "--input-format: unknown format '%s'; there are v8log, tickflame, cpuprofile, "
                  "perf-data, perf-script, folded",
                  format);
        return NULL;
    }
    struct text start = input_peek(input, PROBE_SIZE);
    const struct reader *best = NULL;
    enum probe_result surest = PROBE_NO;
    for (size_t i = 0; i < READER_COUNT; i++) {
        enum probe_result sure = readers[i]->probe(start);
        if (sure > surest) {
            surest = sure;
            best = readers[i];
        }
    }
    if (surest < PROBE_CERTAIN && looks_like_json(start)) {
        error_set(
            error, ERROR_INPUT,
            "%s looks like JSON, but not like a CPU profile of V8 (.cpuprofile), the only JSON "
            "that is read",
            name_of(input_path(input)));
        return NULL;
    }
    if (surest < PROBE_CERTAIN && looks_like_perf_map(start)) {
        error_set(error, ERROR_INPUT,
                  "%s is a perf map: names for the addresses of a recording, which are given with "
                  "--map PID=FILE",
                  name_of(input_path(input)));
        return NULL;
    }
    if (best)
        return best;
    /* The reader of plain text can say which line is wrong. */
    *guessed = start.size > 0 && !memchr(start.data, '\0', start.size);
    if (*guessed)
        return &folded_reader;
    error_set(error, ERROR_INPUT,
              "%s: not a profile that this program knows: neither an isolate log of node --prof, "
              "nor a recording of tickflame, nor a .cpuprofile, nor text of perf script, nor "
              "folded stacks",
              name_of(input_path(input)));
    return NULL;
}

/* An error of reading names the file; who prints it does so too. */
static const char *without_path(const char *text, const char *path) {
    size_t size = strlen(path);
    return strncmp(text, path, size) == 0 && strncmp(text + size, ": ", 2) == 0 ? text + size + 2
                                                                                : text;
}

/* Feeds all of the input. */
static bool feed_all(struct profile *profile, struct input *input, const struct reader *reader,
                     void *parser, struct progress *progress, struct error *error) {
    struct text piece;
    do {
        if (!input_read(input, &piece, error)) {
            if (input_offset(input) == 0)
                return false;
            warnings_add(&profile->warnings, "input-cut", 0, "%s; what could be read is used",
                         without_path(error->text, input_path(input)));
            break;
        }
        if (piece.size > 0 && !reader->feed(parser, piece, error))
            return false;
        progress_update(progress, input);
    } while (piece.size > 0);
    return reader->finish(parser, error);
}

/* For --strict: every warning of a reader is damage, save that a record is of a newer kind, that V8
 * wrote samples out of order, as it does, and what a recording says of itself. */
static bool check_undamaged(const struct profile *profile, const struct input *input,
                            struct error *error) {
    for (size_t i = 0; i < profile->warnings.size; i++) {
        const struct warning *warning = &profile->warnings.items[i];
        if (!warning->recorded && strcmp(warning->kind, "unknown-record") != 0 &&
            strcmp(warning->kind, "unordered-sample") != 0)
            return error_set(error, ERROR_INPUT, "%s: %s (--strict)", name_of(input_path(input)),
                             warning->text);
    }
    return true;
}

static bool load(struct profile *profile, struct input *input, const struct input_options *options,
                 struct error *error) {
    if (options->output && strcmp(options->output, "-") != 0 &&
        input_is_same_file(input, options->output))
        return error_set(error, ERROR_USAGE, "%s is an input; it is not overwritten",
                         options->output);
    bool guessed = false;
    const struct reader *reader = find_reader(input, options->input_format, &guessed, error);
    if (!reader)
        return false;
    profile->keep_times = options->keep_times;
    struct chosen_symbols symbols = {0};
    bool usable =
        chosen_symbols_open(&symbols, options->symbols, options->symbols_file, options->target_root,
                            options->apply_to, &profile->warnings, error);
    if (usable) {
        struct v8log_options v8log_options = {
            .symbols = symbols.source, .list_unknown_records = options->list_unknown_records};
        struct perf_data_options perf_data_options = {
            .names = {.source = symbols.source,
                      .maps = options->maps ? options->maps->items : NULL,
                      .map_count = options->maps ? options->maps->count : 0,
                      .map_folder = options->map_folder,
                      .any_owner = options->trust_maps,
                      .target_root = options->target_root,
                      .no_symbols = options->symbols == SYMBOLS_NONE}};
        const void *reader_options = reader == &v8log_reader       ? (void *)&v8log_options
                                     : reader == &perf_data_reader ? (void *)&perf_data_options
                                                                   : NULL;
        void *parser = reader->open(profile, reader_options);
        struct error cause = {0};
        struct progress progress = progress_start(options->progress, options->quiet);
        usable = feed_all(profile, input, reader, parser, &progress, &cause);
        progress_end(&progress);
        if (!usable)
            error_set(error, cause.kind, "%s: %s%s", name_of(input_path(input)),
                      guessed ? "neither an isolate log nor folded stacks: " : "",
                      without_path(cause.text, input_path(input)));
        reader->close(parser);
    }
    chosen_symbols_close(&symbols);
    if (!usable)
        return false;
    return !options->strict || check_undamaged(profile, input, error);
}

bool input_load(struct profile *profile, const char *path, const struct input_options *options,
                struct error *error) {
    struct input *input = input_open(path, options->piece_size, error);
    if (!input)
        return false;
    bool loaded = load(profile, input, options, error);
    input_close(input);
    return loaded;
}

static struct input_options input_options_of(const struct shared_options *options) {
    return (struct input_options){
        .symbols = options->no_symbols ? SYMBOLS_NONE
                   : options->symbols  ? SYMBOLS_FROM_ROWS
                                       : SYMBOLS_FROM_FILES,
        .symbols_file = options->symbols,
        .target_root = options->target_root,
        .apply_to = options->apply_to,
        .maps = &options->maps,
        .map_folder = options->map_folder,
        .trust_maps = options->trust_maps,
        .input_format = options->input_format,
        .output = options->output,
        .keep_times = options->time.given,
        .strict = options->strict,
        .list_unknown_records = options->verbose,
        .progress = (enum progress_choice)options->progress,
        .quiet = options->quiet,
    };
}

static void add_warnings(struct warnings *all, const struct warnings *warnings) {
    for (size_t i = 0; i < warnings->size; i++) {
        const struct warning *warning = &warnings->items[i];
        warnings_add_count(all, warning->count, warning->kind, warning->line, "%s", warning->text);
    }
}

/* The root frame of an input with --separate; 0 without. */
static struct frame_id input_root(struct profile *profile, const char *path, bool separate) {
    if (!separate)
        return (struct frame_id){0};
    struct string_id name = profile_intern(profile, text_of(name_of(path)));
    return profile_frame(profile, &(struct frame){.name = name});
}

/* Threads without a name are told apart by their input, where there are several. */
static void name_threads(struct profile *profile, const char *name) {
    for (size_t i = 0; i < profile->thread_count; i++)
        if (!profile->threads[i].name.index)
            profile->threads[i].name = profile_intern(profile, text_of(name));
}

/* How many samples a profile holds: by their own count where every row has one. */
static struct weight samples_of(const struct profile *profile) {
    struct weight sum = {0};
    for (size_t i = 0; i < profile->sample_count; i++) {
        if (profile->samples[i].count == 0)
            return profile->total;
        sum = weight_add(sum, weight_of(profile->samples[i].count));
    }
    return sum;
}

/* What is to be known of all samples, and not of one input's form. */
static void complete_profile(struct profile *profile, const struct shared_options *options) {
    thread_roles_decide(profile);
    if (options->weight == WEIGHT_SAMPLES && profile->event_count > 0)
        profile_weigh_samples(profile);
}

/* Loads one of `count` inputs and adds it to the others. */
static bool add_input(struct loaded_inputs *loaded, const char *path, size_t count,
                      const struct shared_options *options, struct error *error) {
    struct input_options input_options = input_options_of(options);
    struct profile *profile = profile_new();
    if (!input_load(profile, path, &input_options, error)) {
        profile_free(profile);
        return false;
    }
    complete_profile(profile, options);
    loaded->items[loaded->count++] = (struct report_input){
        .path = path,
        .format = profile->format,
        .samples = samples_of(profile),
        .warnings = warnings_total(&profile->warnings),
    };
    if (!options->quiet)
        command_warn_all(name_of(path), &profile->warnings);
    add_warnings(&loaded->warnings, &profile->warnings);
    if (count == 1 && !options->separate) {
        loaded->profile = profile;
        return true;
    }
    if (!loaded->profile) {
        loaded->profile = profile_new();
        loaded->profile->keep_times = input_options.keep_times;
    }
    name_threads(profile, name_of(path));
    profile_merge(loaded->profile, profile, input_root(loaded->profile, path, options->separate));
    profile_free(profile);
    return true;
}

static bool check_operands(const struct operands *operands, struct error *error) {
    size_t standard_inputs = 0;
    for (size_t i = 0; i < operands->count; i++)
        standard_inputs += strcmp(operands->items[i], "-") == 0;
    if (standard_inputs > 1)
        return error_set(error, ERROR_USAGE, "standard input (-) can be read only once");
    return operands->count > 0 ||
           error_set(error, ERROR_USAGE, "no input; give a file, or - for standard input");
}

bool inputs_load(struct loaded_inputs *loaded, const struct operands *operands,
                 const struct shared_options *options) {
    struct error error = {0};
    if (!check_operands(operands, &error)) {
        loaded->status = command_fail(&error);
        return false;
    }
    loaded->items = memory_allocate_zero(operands->count, sizeof *loaded->items);
    for (size_t i = 0; i < operands->count; i++) {
        if (add_input(loaded, operands->items[i], operands->count, options, &error))
            continue;
        loaded->status = command_fail(&error);
        if (error.kind == ERROR_USAGE || options->strict)
            return false;
    }
    if (!loaded->profile)
        return false;
    if (operands->count > 1) {
        if (!options->quiet)
            command_warn_all(NULL, &loaded->profile->warnings);
        add_warnings(&loaded->warnings, &loaded->profile->warnings);
    }
    if (options->time.given && !loaded->profile->has_times) {
        error_set(&error, ERROR_INPUT,
                  "--time: the input says nothing of when its samples were taken");
        loaded->status = command_fail(&error);
        return false;
    }
    return true;
}

bool threads_are_roots(const struct shared_options *options, const struct loaded_inputs *loaded) {
    static const char *const formats[] = {"perf-data", "perf-script", "tickflame"};
    if (options->threads != 0)
        return options->threads > 0;
    for (size_t i = 0; i < loaded->count; i++) {
        bool found = false;
        for (size_t format = 0; format < sizeof formats / sizeof *formats; format++)
            found = found || strcmp(loaded->items[i].format, formats[format]) == 0;
        if (!found)
            return false;
    }
    return true;
}

void loaded_inputs_free(struct loaded_inputs *loaded) {
    profile_free(loaded->profile);
    free(loaded->items);
    *loaded = (struct loaded_inputs){0};
}
