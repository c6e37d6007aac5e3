// SPDX-License-Identifier: MIT
/* `tickflame report`: the tick summary, as text, Markdown or JSON. */
#include "profiler/report/report.h"

#include "profiler/command/command.h"
#include "profiler/command/input.h"

enum report_format { REPORT_TEXT, REPORT_MARKDOWN, REPORT_JSON };

enum { TEXT_FUNCTIONS = 15 };

struct report_options {
    struct shared_options shared;
    int format;   /* enum report_format */
    uint64_t top; /* 0 = not given */
    bool summary;
};

static const struct report_options defaults = {0};

static void write_report(struct output *output, const struct report *report,
                         const struct report_options *options) {
    if (options->format == REPORT_JSON) {
        report_write_json(output, report, options->top);
        return;
    }
    struct report_text_options text = {
        .color = color_wanted(&options->shared, output),
        .summary_only = options->summary,
        .top = options->top ? options->top : TEXT_FUNCTIONS,
    };
    if (options->format == REPORT_MARKDOWN)
        report_write_markdown(output, report, &text);
    else
        report_write_text(output, report, &text);
}

static int report_inputs(const struct report_options *options, const struct loaded_inputs *loaded,
                         const struct view *view) {
    struct error error = {0};
    struct output *output = output_open(options->shared.output, 0666, &error);
    if (!output)
        return command_fail(&error);
    struct call_tree *tree = call_tree_build(loaded->profile, view);
    if (!view_patterns_held(view, &error)) {
        call_tree_free(tree);
        output_discard(output);
        return command_fail(&error);
    }
    struct blocking *blocking = blocking_find(tree);
    struct report *report = report_make(loaded->profile, tree, blocking, loaded->items,
                                        loaded->count, &loaded->warnings);
    write_report(output, report, options);
    report_free(report);
    blocking_free(blocking);
    call_tree_free(tree);
    return output_close(output, &error) ? loaded->status : command_fail(&error);
}

static int run(const void *options_given, const struct operands *operands) {
    const struct report_options *options = options_given;
    struct error error = {0};
    struct chosen_view chosen = {0};
    struct loaded_inputs loaded = {0};
    int status;
    if (!chosen_view_make(&chosen, &options->shared, &error))
        status = command_fail(&error);
    else if (!inputs_load(&loaded, operands, &options->shared))
        status = loaded.status;
    else
        status = report_inputs(options, &loaded, &chosen.view);
    loaded_inputs_free(&loaded);
    chosen_view_free(&chosen);
    return status;
}

#define MEMBER(name) .offset = offsetof(struct report_options, name)

static const struct option form_rows[] = {
    {.spellings = "--format",
     .value = "text|markdown|json",
     .type = OPTION_CHOICE,
     MEMBER(format),
     .help = "Text for people (the default), Markdown for comments, or one JSON object."},
    {.spellings = "--top",
     .value = "N",
     .type = OPTION_COUNT,
     MEMBER(top),
     .help = "At most N functions; 15 otherwise, and all in JSON."},
    {.spellings = "--summary",
     .type = OPTION_FLAG,
     MEMBER(summary),
     .help = "Only the summary and the blocking calls (not for JSON)."},
};

static const struct option_group form_options = {"Form", form_rows,
                                                 sizeof form_rows / sizeof *form_rows};

static const struct option_group *const groups[] = {
    &form_options, &sample_options, &name_options, &symbol_options, &file_options, NULL,
};

const struct command report_command = {
    .name = "report",
    .summary = "where the time went, and which calls block the event loop",
    .synopsis = "[options] INPUT...",
    .description =
        "Prints time by JavaScript, C++ and garbage collection, the synchronous calls that block "
        "the event loop with their callers and what to use instead, hot functions, packages, and "
        "what is known of time without a name. Shares are of busy time unless --idle is given.",
    .groups = groups,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = run,
};
