// SPDX-License-Identifier: MIT
// Fuzz target: an isolate log fed to the tolerant reader in pieces whose sizes come from the
// input's own bytes and then whole; both must give the same folded stacks, warnings and totals.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fold/tally/call_tree.h"
#include "fold/write/folded.h"
#include "profiler/trace/v8log_read.h"

static struct profile *read_log(struct text rest, bool in_pieces) {
    struct profile *profile = profile_new();
    struct error error = {0};
    struct v8log_options options = {.list_unknown_records = true};
    void *parser = v8log_reader.open(profile, &options);
    while (rest.size > 0) {
        size_t size = in_pieces ? (size_t)1 + (unsigned char)*rest.data % 32 : rest.size;
        if (size > rest.size)
            size = rest.size;
        if (!v8log_reader.feed(parser, (struct text){rest.data, size}, &error))
            abort();
        rest = text_skip(rest, size);
    }
    if (!v8log_reader.finish(parser, &error) && error.kind != ERROR_INPUT)
        abort();
    v8log_reader.close(parser);
    return profile;
}

static void write_folded(const struct profile *profile, struct buffer *buffer) {
    struct view view = {.keep_tiers = true, .keep_inlined = true, .keep_idle = true};
    struct call_tree *tree = call_tree_build(profile, &view);
    struct call_label *labels = memory_allocate_zero(tree->function_count, sizeof *labels);
    struct output *output = output_open_buffer(buffer);
    struct error error = {0};
    call_tree_labels(tree, labels);
    folded_write(output, tree->nodes, tree->node_count, labels, tree->function_count, NULL);
    if (!output_close(output, &error))
        abort();
    free(labels);
    call_tree_free(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct text input = {(const char *)data, size};
    (void)v8log_reader.probe(input);
    struct buffer folded[2] = {{0}, {0}};
    struct profile *profiles[2];
    for (size_t i = 0; i < 2; i++) {
        profiles[i] = read_log(input, i == 0);
        write_folded(profiles[i], &folded[i]);
    }
    if (!text_equal(buffer_text(&folded[0]), buffer_text(&folded[1])) ||
        weight_compare(profiles[0]->total, profiles[1]->total) != 0 ||
        profiles[0]->thread_count != profiles[1]->thread_count ||
        profiles[0]->warnings.size != profiles[1]->warnings.size)
        abort();
    for (size_t i = 0; i < profiles[0]->warnings.size; i++) {
        const struct warning *one = &profiles[0]->warnings.items[i];
        const struct warning *other = &profiles[1]->warnings.items[i];
        if (one->count != other->count || one->line != other->line ||
            strcmp(one->text, other->text) != 0)
            abort();
    }
    for (size_t i = 0; i < 2; i++) {
        buffer_free(&folded[i]);
        profile_free(profiles[i]);
    }
    return 0;
}
