// SPDX-License-Identifier: MIT
/* `tickflame prof-process`: what `node --prof-process` prints, faster and right, or to the byte. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fold/base/input.h"
#include "fold/base/output.h"
#include "profiler/command/chosen_symbols.h"
#include "profiler/command/command.h"
#include "profiler/command/progress.h"
#include "profiler/command/shared_options.h"
#include "profiler/trace/reference_process.h"
#include "profiler/trace/v8log_fields.h"

/* Values are texts as the reference reads them; NULL: not given. */
struct prof_process_options {
    struct shared_options shared;
    bool exact;
    uint64_t as_node; /* 0: the log's own */
    const char *state, *dropped_state;
    const char *runtime_timer;
    const char *call_graph_size;
    const char *ignore_unknown;
    const char *separate_ic, *separate_bytecodes, *separate_builtins, *separate_stubs;
    const char *separate_other; /* accepted by the reference and never used by it */
    const char *range, *distortion;
    const char *timed_range, *pairwise_timed_range;
    const char *only_summary, *preprocess;
    const char *wide_addresses;
    const char *serialize_symbols, *source_map, *foreign; /* not with --exact */
    const char *symbol_tool; /* nm, objdump and the like, which are not run */
    const char *target;
};

static const struct prof_process_options defaults = {0};

/* Whether an option of the reference that stands for true is set: given, and not as `--x=`. */
static bool is_on(const char *value) {
    return value && *value;
}

/* A `--separate-...` option. The reference takes a bare one for false. */
static bool is_separate(const struct prof_process_options *options, const char *value,
                        bool otherwise) {
    if (!value)
        return otherwise;
    if (!*value)
        return !options->exact;
    return strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
}

/* JavaScript's Number(text): NaN for what is no number, 0 for nothing. */
static double to_number(const char *text) {
    char *end;
    if (!*text)
        return 0;
    double number = strtod(text, &end);
    return *end ? NAN : number;
}

static struct reference_options reference_options_of(const struct prof_process_options *options,
                                                     const char *log_name) {
    struct reference_options reference = reference_options_default();
    reference.filters_state = options->state != NULL;
    reference.state = options->state ? to_number(options->state) : 0;
    reference.drops_state = options->dropped_state != NULL;
    reference.dropped_state = options->dropped_state ? to_number(options->dropped_state) : 0;
    /* Without a name the reference does not filter. */
    reference.runtime_timer = is_on(options->runtime_timer) ? options->runtime_timer : NULL;
    if (options->call_graph_size)
        reference.call_graph_size = to_number(options->call_graph_size);
    reference.ignore_unknown = is_on(options->ignore_unknown);
    reference.separate_ic = is_separate(options, options->separate_ic, true);
    reference.separate_bytecodes = is_separate(options, options->separate_bytecodes, false);
    reference.separate_builtins = is_separate(options, options->separate_builtins, true);
    reference.separate_stubs = is_separate(options, options->separate_stubs, true);
    reference.only_summary = is_on(options->only_summary);
    reference.log_name = log_name;
    if (options->range) {
        struct text rest = text_of(options->range);
        double start = v8log_parse_int(v8log_take_field(&rest));
        double end = v8log_parse_int(v8log_take_field(&rest));
        reference.range_start = isnan(start) ? -INFINITY : start * 1000;
        reference.range_end = isnan(end) ? INFINITY : end * 1000;
    }
    double distortion = options->distortion ? v8log_parse_int(text_of(options->distortion)) : NAN;
    reference.distortion = isnan(distortion) ? 0 : distortion / 1000;
    return reference;
}

static bool check_options(const struct prof_process_options *options,
                          const struct operands *operands, struct error *error) {
    if (operands->count == 0)
        return error_set(error, ERROR_USAGE,
                         "no input; name an isolate log (tickflame help prof-process)");
    if (options->as_node && !options->exact)
        return error_set(error, ERROR_USAGE, "--as-node goes with --exact");
    if (options->as_node > UINT_MAX ||
        (options->as_node && !v8log_rules_of_node((unsigned)options->as_node)))
        return error_set(error, ERROR_USAGE, "--as-node takes a major version from 12 to 27");
    if (options->exact && (options->serialize_symbols || options->source_map || options->foreign))
        return error_set(error, ERROR_USAGE,
                         "--exact does not go with --serialize-vm-symbols, --source-map, --mac or "
                         "--windows");
    if (options->exact && !options->shared.no_symbols && !options->shared.symbols)
        return error_set(error, ERROR_USAGE,
                         "--exact needs to know the symbols that the reference saw: --no-symbols, "
                         "or --symbols FILE");
    if (options->exact && operands->count > 1)
        return error_set(error, ERROR_USAGE, "--exact takes one log");
    return true;
}

/* What is accepted for the sake of scripts, and has no meaning here. */
static void notice_unused(const struct prof_process_options *options) {
    if (options->exact || options->shared.quiet)
        return;
    if (options->symbol_tool)
        command_warn("--nm, --objdump and --readelf have no effect: symbols are read from the "
                     "files themselves");
    if (options->source_map)
        command_warn("--source-map has no effect in prof-process");
    if (options->foreign)
        command_warn("--mac and --windows have no effect: there are no symbols of such files");
}

/* Everything that one run holds. All zero is nothing. */
struct run {
    const struct prof_process_options *options;
    struct reference_options reference;
    struct v8log_rules rules;
    struct chosen_symbols symbols;
    struct output *output;
    struct reference_process *process;
    struct warnings warnings;  /* of the log that is being read */
    struct error first_damage; /* with --strict: the first warning of any log */
};

/* The name that the report shows: a compressed log is named as if it were not. */
static char *log_name_of(const char *path) {
    size_t size = strlen(path);
    bool compressed = size > 3 && strcmp(path + size - 3, ".gz") == 0;
    char *name = memory_allocate(size + 1);
    memcpy(name, path, size + 1);
    if (compressed)
        name[size - 3] = '\0';
    return name;
}

/* The first line of the log, or as much of it as is at hand. */
static struct text first_line(struct input *input) {
    struct text start = input_peek(input, 4096);
    const char *end = start.size ? memchr(start.data, '\n', start.size) : NULL;
    if (end)
        start.size = (size_t)(end - start.data);
    return start;
}

/* Chooses the rules by the first line, and prints what the reference would say of it. */
static bool choose_rules(struct run *run, struct input *input, struct error *error) {
    struct text line = first_line(input);
    if (!run->options->exact) {
        run->rules = v8log_tolerant_rules;
        return true;
    }
    unsigned own = v8log_node_of_v8(v8log_header_major(line));
    unsigned node = run->options->as_node ? (unsigned)run->options->as_node : own;
    const struct v8log_rules *rules = v8log_rules_of_node(node);
    if (!rules)
        return error_set(error, ERROR_INPUT,
                         "%s: %s; --as-node MAJOR says which version to imitate", input_path(input),
                         v8log_is_header(line) ? "written by a V8 that no known reference goes with"
                                               : "does not begin with a v8-version record");
    run->rules = *rules;
    if (run->options->wide_addresses && run->rules.node >= 22)
        run->rules.page_mask = v8log_tolerant_rules.page_mask;
    struct v8log_fields fields;
    v8log_fields_split(&fields, line);
    if (!v8log_is_header(line) || (fields.count != 6 && fields.count != 7))
        output_string(run->output, "Unable to read v8-version from log file.\n");
    else if (rules->node != own)
        output_string(run->output, "Testing v8 version different from logging version\n");
    return true;
}

static void start_process(struct run *run) {
    struct reference_symbol_sources symbols = {0};
    bool wide = run->options->exact && run->options->wide_addresses;
    if (run->options->exact && run->options->shared.symbols && !wide)
        symbols.rows = &run->symbols.rows;
    else if (!run->options->exact)
        symbols.source = run->symbols.source;
    run->process =
        reference_process_new(&run->rules, &run->reference, is_on(run->options->preprocess),
                              symbols, run->output, &run->warnings);
    reference_process_hold_lines(run->process, run->options->pairwise_timed_range
                                                   ? V8LOG_PAIRWISE_TIMED_RANGE
                                               : run->options->timed_range ? V8LOG_TIMED_RANGE
                                                                           : V8LOG_ALL_LINES);
}

static bool read_log(struct run *run, struct input *input, struct error *error) {
    if (!run->options->exact && !v8log_is_header(first_line(input)) &&
        !run->options->shared.input_format)
        return error_set(error, ERROR_INPUT,
                         "%s: not an isolate log of node --prof: it does not begin with a "
                         "v8-version record",
                         input_path(input));
    if (run->process)
        symbol_source_next_recording(run->symbols.source);
    if (!run->process) {
        if (!choose_rules(run, input, error))
            return false;
        start_process(run);
    }
    const struct shared_options *shared = &run->options->shared;
    struct progress progress =
        progress_start((enum progress_choice)shared->progress, shared->quiet);
    struct text piece = {0};
    do {
        struct error cause = {0};
        if (!input_read(input, &piece, &cause)) {
            warnings_add(&run->warnings, "input-cut", 0, "%s; what could be read is used",
                         cause.text);
            break;
        }
        reference_process_feed(run->process, piece);
        progress_update(&progress, input);
    } while (piece.size > 0);
    progress_end(&progress);
    reference_process_finish(run->process);
    return true;
}

/* Says what was wrong with a log (NULL: with the symbols, which say it themselves). */
static void say_warnings(struct run *run, const char *path) {
    const struct shared_options *shared = &run->options->shared;
    if (path && strcmp(path, "-") == 0)
        path = "standard input";
    if (run->warnings.size > 0 && run->first_damage.kind == ERROR_NONE)
        error_set(&run->first_damage, ERROR_INPUT, "%s%s%s (--strict)", path ? path : "",
                  path ? ": " : "", run->warnings.items[0].text);
    if (!shared->quiet && !shared->strict)
        command_warn_all(path, &run->warnings);
    run->warnings = (struct warnings){0};
}

/* Reads all logs; of several, those that cannot be read are reported and left out. */
static int read_logs(struct run *run, const struct operands *operands) {
    int status = STATUS_DONE;
    say_warnings(run, NULL);
    for (size_t i = 0; i < operands->count; i++) {
        struct error error = {0};
        struct input *input = input_open(operands->items[i], 0, &error);
        bool same = input && run->options->shared.output &&
                    input_is_same_file(input, run->options->shared.output);
        if (same)
            error_set(&error, ERROR_USAGE, "%s is an input; it is not overwritten",
                      run->options->shared.output);
        if (!input || same || !read_log(run, input, &error))
            status = command_fail(&error);
        input_close(input);
        say_warnings(run, operands->items[i]);
    }
    return status;
}

static int finish(struct run *run, int status) {
    struct error error = {0};
    if (!run->process)
        return status;
    if (run->options->shared.strict && run->first_damage.kind != ERROR_NONE)
        return command_fail(&run->first_damage);
    if (is_on(run->options->serialize_symbols))
        reference_process_write_symbols(run->process);
    else
        reference_process_write(run->process);
    struct output *output = run->output;
    run->output = NULL;
    return output_close(output, &error) ? status : command_fail(&error);
}

static void free_run(struct run *run) {
    reference_process_free(run->process);
    chosen_symbols_close(&run->symbols);
    output_discard(run->output);
}

static int run(const void *options_given, const struct operands *operands) {
    const struct prof_process_options *options = options_given;
    struct error error = {0};
    if (!check_options(options, operands, &error))
        return command_fail(&error);
    notice_unused(options);
    char *log_name = log_name_of(operands->items[operands->count - 1]);
    struct run run = {.options = options, .reference = reference_options_of(options, log_name)};
    const struct shared_options *shared = &options->shared;
    int status;
    enum symbol_mode mode = shared->no_symbols ? SYMBOLS_NONE
                            : shared->symbols  ? SYMBOLS_FROM_ROWS
                                               : SYMBOLS_FROM_FILES;
    if (!chosen_symbols_open(&run.symbols, mode, shared->symbols,
                             shared->target_root ? shared->target_root : options->target,
                             shared->apply_to, &run.warnings, &error) ||
        !(run.output = output_open(shared->output, 0666, &error)))
        status = command_fail(&error);
    else
        status = finish(&run, read_logs(&run, operands));
    free_run(&run);
    free(log_name);
    return status;
}

#define MEMBER(member) offsetof(struct prof_process_options, member)

static const struct option exact_rows[] = {
    {"--exact", NULL, OPTION_FLAG, false, MEMBER(exact), NULL,
     "Print the bytes of node --prof-process, faults included; needs --no-symbols or --symbols.",
     NULL},
    {"--as-node", "MAJOR", OPTION_COUNT, false, MEMBER(as_node), NULL,
     "With --exact: the version to imitate (12 to 26) instead of the log's own.", NULL},
    {"--preprocess", NULL, OPTION_OPTIONAL, false, MEMBER(preprocess), NULL,
     "Print code, functions, ticks and scripts as JSON.", "true"},
    {"--only-summary", NULL, OPTION_OPTIONAL, false, MEMBER(only_summary), NULL,
     "Print only the summary.", "true"},
    {"--call-graph-size", "N", OPTION_OPTIONAL, false, MEMBER(call_graph_size), NULL,
     "Levels of callers in the bottom-up view (5).", "5"},
    {"--ignore-unknown", NULL, OPTION_OPTIONAL, false, MEMBER(ignore_unknown), NULL,
     "Leave ticks of unknown code out of the base of shares.", "true"},
    {"--separate-ic", "BOOL", OPTION_OPTIONAL, false, MEMBER(separate_ic), NULL,
     "Show inline caches as code of their own (true).", NULL},
    {"--separate-bytecodes", "BOOL", OPTION_OPTIONAL, false, MEMBER(separate_bytecodes), NULL,
     "Show handlers of the bytecode interpreter (false).", NULL},
    {"--separate-builtins", "BOOL", OPTION_OPTIONAL, false, MEMBER(separate_builtins), NULL,
     "Show V8's builtins (true).", NULL},
    {"--separate-stubs", "BOOL", OPTION_OPTIONAL, false, MEMBER(separate_stubs), NULL,
     "Show V8's stubs (true).", NULL},
    {"--separate-sparkplug-handlers --separate-baseline-handlers", "BOOL", OPTION_OPTIONAL, false,
     MEMBER(separate_other), NULL, NULL, NULL},
};

static const struct option tick_rows[] = {
    {"-j --js", NULL, OPTION_OPTIONAL, false, MEMBER(state), NULL, "Only ticks in JavaScript.",
     "0"},
    {"-g --gc", NULL, OPTION_OPTIONAL, false, MEMBER(state), NULL,
     "Only ticks in the garbage collector.", "1"},
    {"-p", NULL, OPTION_OPTIONAL, false, MEMBER(state), NULL, "Only ticks in the parser.", "2"},
    {"-b", NULL, OPTION_OPTIONAL, false, MEMBER(state), NULL,
     "Only ticks in the bytecode compiler.", "3"},
    {"-c --compiler", NULL, OPTION_OPTIONAL, false, MEMBER(state), NULL,
     "Only ticks in the compilers.", "4"},
    {"-o --other", NULL, OPTION_OPTIONAL, false, MEMBER(state), NULL,
     "Only ticks in other parts of V8. (Here -o names no output file: use --output.)", "5"},
    {"-e --external", NULL, OPTION_OPTIONAL, false, MEMBER(state), NULL, "Only ticks outside V8.",
     "6"},
    {"-ni", NULL, OPTION_OPTIONAL, false, MEMBER(dropped_state), NULL, "No ticks while idle.", "8"},
    {"--filter-runtime-timer", "NAME", OPTION_OPTIONAL, false, MEMBER(runtime_timer), NULL,
     "Only ticks while this runtime timer is active.", NULL},
    {"--range", "FROM,TO", OPTION_OPTIONAL, false, MEMBER(range), NULL,
     "Only ticks between these times, in milliseconds; `auto` is open.", "auto,auto"},
    {"--distortion", "PICOSECONDS", OPTION_OPTIONAL, false, MEMBER(distortion), NULL,
     "Logging overhead of a record, taken off the times.", "0"},
    {"--timed-range", NULL, OPTION_OPTIONAL, false, MEMBER(timed_range), NULL,
     "Only ticks between the first and the last call of Date.now() (current-time records).",
     "true"},
    {"--pairwise-timed-range --ptr", NULL, OPTION_OPTIONAL, false, MEMBER(pairwise_timed_range),
     NULL, "Only ticks within pairs of such calls.", "true"},
};

static const struct option reference_rows[] = {
    {"--output", "FILE", OPTION_TEXT, false, MEMBER(shared.output), NULL,
     "Write there instead of standard output.", NULL},
    {"--strict", NULL, OPTION_FLAG, false, MEMBER(shared.strict), NULL,
     "Damage of the input is an error.", NULL},
    {"--quiet", NULL, OPTION_FLAG, false, MEMBER(shared.quiet), NULL, "Print no warnings.", NULL},
    {"--progress", "auto|always|never", OPTION_CHOICE, false, MEMBER(shared.progress), NULL,
     "Show how far reading is: on a terminal after a second (the default), always, or never.",
     NULL},
    {"--target", "DIR", OPTION_OPTIONAL, false, MEMBER(target), NULL,
     "Look for libraries below DIR, as --target-root.", NULL},
    {"--use-bigint-addresses --bigint-addresses", NULL, OPTION_OPTIONAL, false,
     MEMBER(wide_addresses), NULL, "Addresses are always exact; only --exact heeds this.", "true"},
    {"--nm --objdump --readelf --apk-embedded-library", "TOOL", OPTION_OPTIONAL, false,
     MEMBER(symbol_tool), NULL, "Accepted; no tool is run, symbols are read from the files.", NULL},
    {"--linux --unix", NULL, OPTION_OPTIONAL, false, MEMBER(separate_other), NULL, NULL, NULL},
    {"--mac --windows", NULL, OPTION_OPTIONAL, false, MEMBER(foreign), NULL, NULL, NULL},
    {"--source-map", "FILE", OPTION_OPTIONAL, false, MEMBER(source_map), NULL, NULL, NULL},
    {"--serialize-vm-symbols", NULL, OPTION_OPTIONAL, false, MEMBER(serialize_symbols), NULL,
     "Print the C++ symbols of the log's libraries as a JSON array of [name, start, end].", "true"},
};

static const struct option_group exact_options = {"What is printed", exact_rows,
                                                  sizeof exact_rows / sizeof *exact_rows};
static const struct option_group tick_options = {"Which ticks count", tick_rows,
                                                 sizeof tick_rows / sizeof *tick_rows};
static const struct option_group reference_options_group = {
    "Files and compatibility", reference_rows, sizeof reference_rows / sizeof *reference_rows};

static const struct option_group *const groups[] = {
    &exact_options, &tick_options, &symbol_options, &reference_options_group, NULL,
};

const struct command prof_process_command = {
    .name = "prof-process",
    .summary = "drop-in for node --prof-process",
    .synopsis = "[options] LOG...",
    .description =
        "Prints the report of `node --prof-process` for an isolate log, in the same layout and "
        "with "
        "all of its options. What that tool gets wrong is right here: symbols are read whole from "
        "the files that the log names, mappings of one library are one, names may hold commas, "
        "unknown tiers, blank lines and CRLF do no harm, logs may be gzip'd and of any size.\n\n"
        "With --exact the output is that of the log's own Node version, byte for byte.",
    .groups = groups,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = run,
};
