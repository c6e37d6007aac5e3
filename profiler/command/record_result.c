// SPDX-License-Identifier: MIT
#include "profiler/command/record_result.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fold/base/memory.h"
#include "fold/tally/thread_roles.h"
#include "fold/write/folded.h"
#include "fold/write/recording.h"
#include "profiler/command/command.h"
#include "profiler/report/report.h"
#include "svg/flame_graph.h"

enum { TEXT_FUNCTIONS = 15, FILE_MODE = 0600 };

bool result_kind_of(const char *path, enum result_kind *kind, struct error *error) {
    static const struct {
        const char *extension;
        enum result_kind kind;
    } kinds[] = {
        {".tickflame.gz", RESULT_RECORDING},
        {".folded", RESULT_FOLDED},
        {".svg", RESULT_FLAME},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (text_ends_with(text_of(path), text_of(kinds[i].extension))) {
            *kind = kinds[i].kind;
            return true;
        }
    }
    return error_set(error, ERROR_USAGE,
                     "-o %s: the name must end in .tickflame.gz, .folded or .svg", path);
}

/* Whether a file can be made beside `path`. */
static bool folder_is_writable(const char *path, struct error *error) {
    const char *slash = strrchr(path, '/');
    struct buffer folder = {0};
    buffer_append(&folder, path, slash ? (size_t)(slash - path) + 1 : 0);
    buffer_append_text(&folder, TEXT("."));
    buffer_append_byte(&folder, '\0');
    bool writable = faccessat(AT_FDCWD, folder.data, W_OK | X_OK, AT_EACCESS) == 0;
    int reason = errno;
    buffer_free(&folder);
    return writable ||
           error_set(error, ERROR_OUTPUT, "cannot write %s: %s; give another place with -o", path,
                     strerror(reason));
}

bool result_path_is_free(const char *path, bool replace, struct error *error) {
    struct stat status;
    if (lstat(path, &status) != 0)
        return folder_is_writable(path, error);
    if (!S_ISREG(status.st_mode))
        return error_set(error, ERROR_OUTPUT, "%s exists and is not a regular file", path);
    return replace ||
           error_set(error, ERROR_OUTPUT, "%s exists; give another name with -o, or --force", path);
}

static void write_folded(struct output *output, const struct profile *profile) {
    struct view view = {.keep_tiers = true, .keep_threads = true};
    struct call_tree *tree = call_tree_build(profile, &view);
    struct call_label *labels =
        memory_allocate(size_multiply(tree->function_count, sizeof *labels));
    call_tree_labels(tree, labels);
    folded_write(output, tree->nodes, tree->node_count, labels, tree->function_count,
                 &(struct folded_options){0});
    free(labels);
    call_tree_free(tree);
}

static bool write_flame(struct output *output, const struct profile *profile, struct error *error) {
    struct call_tree *tree = call_tree_build(profile, &(struct view){0});
    struct blocking *blocking = blocking_find(tree);
    struct flame_options options = flame_options_default();
    bool drawn = svg_flame_write(output, tree, blocking, &options, error);
    blocking_free(blocking);
    call_tree_free(tree);
    return drawn;
}

static bool write_recording(const struct profile *profile, const char *path, bool replace,
                            struct error *error) {
    struct recording_options options = {.replace = replace};
    struct recording *recording = recording_create(path, profile, &options, error);
    if (!recording)
        return false;
    for (size_t i = 0; i < profile->sample_count; i++)
        recording_write_sample(recording, &profile->samples[i]);
    for (size_t counter = 0; counter < profile->counter_count; counter++)
        for (size_t i = 0; i < profile->counters[counter].count; i++)
            recording_write_reading(recording, counter, profile->counters[counter].readings[i]);
    return recording_close(recording, error);
}

bool result_write(const struct profile *profile, const char *path, enum result_kind kind,
                  bool replace, struct error *error) {
    if (kind == RESULT_RECORDING)
        return write_recording(profile, path, replace, error);
    if (!result_path_is_free(path, replace, error))
        return false;
    struct output *output = output_open(path, FILE_MODE, error);
    if (!output)
        return false;
    if (kind == RESULT_FOLDED) {
        write_folded(output, profile);
    } else if (!write_flame(output, profile, error)) {
        output_discard(output);
        return false;
    }
    return output_close(output, error);
}

int result_print_report(struct profile *profile, const char *path,
                        const struct shared_options *options) {
    struct error error = {0};
    struct output *output = output_open(NULL, FILE_MODE, &error);
    struct view view = {0};
    struct report_input input = {
        .path = path,
        .format = profile->format,
        .samples = profile->total,
        .warnings = warnings_total(&profile->warnings),
    };
    struct call_tree *tree = call_tree_build(profile, &view);
    struct blocking *blocking = blocking_find(tree);
    struct report *report = report_make(profile, tree, blocking, &input, 1, &profile->warnings);
    report_write_text(output, report,
                      &(struct report_text_options){
                          .color = color_wanted(options, output),
                          .top = TEXT_FUNCTIONS,
                      });
    report_free(report);
    blocking_free(blocking);
    call_tree_free(tree);
    return output_close(output, &error) ? STATUS_DONE : command_fail(&error);
}
