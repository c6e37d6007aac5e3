// SPDX-License-Identifier: MIT
// Fuzz target: folded text fed in pieces whose sizes come from the input's own bytes, then trees,
// blocking calls and folded text of what was read. What is written must be read back whole: every
// line usable, and the same sum.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fold/read/folded.h"
#include "fold/tally/blocking.h"
#include "fold/write/folded.h"

static struct profile *read_folded(struct text rest, bool in_pieces) {
    struct profile *profile = profile_new();
    struct error error = {0};
    void *parser = folded_reader.open(profile, NULL);
    while (rest.size > 0) {
        size_t size = in_pieces ? (size_t)1 + (unsigned char)*rest.data % 32 : rest.size;
        if (size > rest.size)
            size = rest.size;
        if (!folded_reader.feed(parser, (struct text){rest.data, size}, &error))
            abort();
        rest = text_skip(rest, size);
    }
    if (!folded_reader.finish(parser, &error) && error.kind != ERROR_INPUT)
        abort();
    folded_reader.close(parser);
    return profile;
}

static void write_folded(const struct profile *profile, const struct view *view,
                         struct buffer *buffer) {
    struct folded_options options = {.annotate_kind = view->keep_inlined};
    struct call_tree *tree = call_tree_build(profile, view);
    struct blocking *blocking = blocking_find(tree);
    struct call_label *labels = memory_allocate_zero(tree->function_count, sizeof *labels);
    struct output *output = output_open_buffer(buffer);
    struct error error = {0};
    call_tree_labels(tree, labels);
    folded_write(output, tree->nodes, tree->node_count, labels, tree->function_count, &options);
    if (!output_close(output, &error))
        abort();
    free(labels);
    blocking_free(blocking);
    call_tree_free(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct text input = {(const char *)data, size};
    struct profile *profile = read_folded(input, true);
    for (int form = 0; form < 2; form++) {
        struct view view = {.keep_tiers = form == 0, .keep_inlined = form == 1, .keep_idle = true};
        struct buffer written = {0};
        write_folded(profile, &view, &written);
        struct profile *again = read_folded(buffer_text(&written), false);
        if (weight_compare(again->total, profile->total) != 0 ||
            warnings_find(&again->warnings, "skipped-line"))
            abort();
        profile_free(again);
        buffer_free(&written);
    }
    profile_free(profile);
    return 0;
}
