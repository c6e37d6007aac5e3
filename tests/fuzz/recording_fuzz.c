// SPDX-License-Identifier: MIT
// Fuzz target: the text of a recording, fed whole and in pieces whose sizes come from the input's
// own bytes, must give the same; then trees and folded text of what was read.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fold/read/recording.h"
#include "fold/tally/call_tree.h"
#include "fold/write/folded.h"

static struct profile *read_recording(struct text rest, bool in_pieces, bool keep_times) {
    struct profile *profile = profile_new();
    struct error error = {0};
    profile->keep_times = keep_times;
    void *parser = recording_reader.open(profile, NULL);
    bool usable = true;
    while (rest.size > 0 && usable) {
        size_t size = in_pieces ? (size_t)1 + (unsigned char)*rest.data % 32 : rest.size;
        if (size > rest.size)
            size = rest.size;
        usable = recording_reader.feed(parser, (struct text){rest.data, size}, &error);
        rest = text_skip(rest, size);
    }
    usable = usable && recording_reader.finish(parser, &error);
    recording_reader.close(parser);
    if (!usable && error.kind != ERROR_INPUT)
        abort();
    if (usable)
        return profile;
    profile_free(profile);
    return NULL;
}

static void fold(const struct profile *profile) {
    struct view view = {.keep_tiers = true, .keep_idle = true};
    struct buffer buffer = {0};
    struct error error = {0};
    struct call_tree *tree = call_tree_build(profile, &view);
    struct call_label *labels = memory_allocate_zero(tree->function_count, sizeof *labels);
    struct output *output = output_open_buffer(&buffer);
    call_tree_labels(tree, labels);
    folded_write(output, tree->nodes, tree->node_count, labels, tree->function_count,
                 &(struct folded_options){0});
    if (!output_close(output, &error))
        abort();
    free(labels);
    buffer_free(&buffer);
    call_tree_free(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct text input = {(const char *)data, size};
    struct profile *whole = read_recording(input, false, true);
    struct profile *pieces = read_recording(input, true, false);
    if (!whole != !pieces)
        abort();
    if (!whole)
        return 0;
    if (weight_compare(whole->total, pieces->total) != 0 ||
        whole->stacks.size != pieces->stacks.size || whole->strings.size != pieces->strings.size ||
        whole->counter_count != pieces->counter_count ||
        warnings_total(&whole->warnings) != warnings_total(&pieces->warnings) ||
        whole->duration_us != pieces->duration_us)
        abort();
    for (size_t i = 0; i < whole->sample_count; i++)
        if (whole->samples[i].thread >= whole->thread_count ||
            (whole->samples[i].stack.index && whole->samples[i].stack.index >= whole->stacks.size))
            abort();
    fold(whole);
    fold(pieces);
    profile_free(whole);
    profile_free(pieces);
    return 0;
}
