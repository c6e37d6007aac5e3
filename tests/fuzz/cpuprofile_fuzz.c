// SPDX-License-Identifier: MIT
// Fuzz target: CPU profiles fed whole and in pieces whose sizes come from the input's own bytes.
// Both must say the same; what is usable is made into trees and blocking calls.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fold/read/cpuprofile.h"
#include "fold/tally/blocking.h"
#include "fold/write/folded.h"

static struct profile *read_profile(struct text rest, bool in_pieces, bool keep_times,
                                    struct error *error) {
    struct profile *profile = profile_new();
    profile->keep_times = keep_times;
    void *parser = cpuprofile_reader.open(profile, NULL);
    bool fed = true;
    while (rest.size > 0 && fed) {
        size_t size = in_pieces ? (size_t)1 + (unsigned char)*rest.data % 16 : rest.size;
        if (size > rest.size)
            size = rest.size;
        fed = cpuprofile_reader.feed(parser, (struct text){rest.data, size}, error);
        rest = text_skip(rest, size);
    }
    bool usable = fed && cpuprofile_reader.finish(parser, error);
    if (usable != (error->kind == ERROR_NONE))
        abort();
    cpuprofile_reader.close(parser);
    return profile;
}

static void write_folded(const struct profile *profile, struct buffer *buffer) {
    struct view view = {.keep_idle = true};
    struct call_tree *tree = call_tree_build(profile, &view);
    struct blocking *blocking = blocking_find(tree);
    struct call_label *labels = memory_allocate_zero(tree->function_count, sizeof *labels);
    struct output *output = output_open_buffer(buffer);
    struct error error = {0};
    call_tree_labels(tree, labels);
    folded_write(output, tree->nodes, tree->node_count, labels, tree->function_count, NULL);
    if (!output_close(output, &error))
        abort();
    if (weight_compare(tree->total, profile->total) != 0)
        abort();
    free(labels);
    blocking_free(blocking);
    call_tree_free(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct text input = {(const char *)data, size};
    (void)cpuprofile_reader.probe(input);
    struct error whole_error = {0};
    struct error error = {0};
    struct profile *whole = read_profile(input, false, false, &whole_error);
    struct profile *pieces = read_profile(input, true, true, &error);
    if (strcmp(whole_error.text, error.text) != 0)
        abort();
    if (error.kind == ERROR_NONE) {
        struct buffer one = {0};
        struct buffer other = {0};
        write_folded(whole, &one);
        write_folded(pieces, &other);
        if (!text_equal(buffer_text(&one), buffer_text(&other)) ||
            warnings_total(&whole->warnings) != warnings_total(&pieces->warnings))
            abort();
        buffer_free(&one);
        buffer_free(&other);
    }
    profile_free(whole);
    profile_free(pieces);
    return 0;
}
