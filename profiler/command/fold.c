// SPDX-License-Identifier: MIT
/* `tickflame fold`: folded stacks. */
#include <stdlib.h>

#include "fold/base/memory.h"
#include "fold/write/folded.h"
#include "profiler/command/command.h"
#include "profiler/command/input.h"

struct fold_options {
    struct shared_options shared;
    bool annotate_kind;
};

static const struct fold_options defaults = {.shared = {.tiers = true}};

static int write_folded(const struct fold_options *options, const struct profile *profile,
                        const struct view *view) {
    struct error error = {0};
    struct output *output = output_open(options->shared.output, 0666, &error);
    if (!output)
        return command_fail(&error);
    struct call_tree *tree = call_tree_build(profile, view);
    if (!view_patterns_held(view, &error)) {
        call_tree_free(tree);
        output_discard(output);
        return command_fail(&error);
    }
    if (tree->node_count == 1 && !options->shared.quiet)
        command_warn("no samples to fold");
    struct call_label *labels = memory_allocate(tree->function_count * sizeof *labels);
    call_tree_labels(tree, labels);
    folded_write(output, tree->nodes, tree->node_count, labels, tree->function_count,
                 &(struct folded_options){.annotate_kind = options->annotate_kind});
    free(labels);
    call_tree_free(tree);
    return output_close(output, &error) ? STATUS_DONE : command_fail(&error);
}

static int run(const void *options_given, const struct operands *operands) {
    const struct fold_options *options = options_given;
    struct error error = {0};
    struct chosen_view chosen = {0};
    struct loaded_inputs loaded = {0};
    int status;
    if (!chosen_view_make(&chosen, &options->shared, &error)) {
        status = command_fail(&error);
    } else if (!inputs_load(&loaded, operands, &options->shared)) {
        status = loaded.status;
    } else {
        chosen.view.keep_inlined = options->annotate_kind;
        chosen.view.keep_threads = threads_are_roots(&options->shared, &loaded);
        status = write_folded(options, loaded.profile, &chosen.view);
        status = status == STATUS_DONE ? loaded.status : status;
    }
    loaded_inputs_free(&loaded);
    chosen_view_free(&chosen);
    return status;
}

static const struct option fold_rows[] = {
    {.spellings = "--annotate-kind",
     .type = OPTION_FLAG,
     .offset = offsetof(struct fold_options, annotate_kind),
     .help = "Mark frames as flamegraph.pl colours them: _[j] JavaScript, _[k] kernel, _[i] "
             "inlined."},
};
static const struct option_group fold_only_options = {"Folded stacks", fold_rows,
                                                      sizeof fold_rows / sizeof *fold_rows};

static const struct option_group *const groups[] = {
    &fold_only_options, &sample_options, &name_options, &symbol_options, &file_options, NULL,
};

const struct command fold_command = {
    .name = "fold",
    .summary = "folded stacks, one line for each distinct stack, for other tools",
    .synopsis = "[options] INPUT...",
    .description =
        "Writes one line for each distinct stack: its frames from the root on with `;` between "
        "them, one blank, and the count: ticks of isolate logs, microseconds of CPU profiles, as a "
        "rule nanoseconds of recordings and perf inputs (--weight samples: samples). Lines are "
        "sorted by bytes. A JavaScript frame is `[TIER]NAME FILE:LINE:COLUMN`. The output can be "
        "read again by every command.",
    .groups = groups,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = run,
};
