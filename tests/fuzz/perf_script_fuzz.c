// SPDX-License-Identifier: MIT
// Fuzz target: text of perf script, whole and in pieces whose sizes come from the input's own
// bytes. Both must give the same profile, and what is written of it must be readable.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fold/read/perf_script.h"
#include "fold/tally/call_tree.h"
#include "fold/write/folded.h"

static struct profile *read_script(struct text rest, bool in_pieces) {
    struct profile *profile = profile_new();
    struct error error = {0};
    void *parser = perf_script_reader.open(profile, NULL);
    while (rest.size > 0) {
        size_t size = in_pieces ? (size_t)1 + (unsigned char)*rest.data % 32 : rest.size;
        if (size > rest.size)
            size = rest.size;
        if (!perf_script_reader.feed(parser, (struct text){rest.data, size}, &error))
            abort();
        rest = text_skip(rest, size);
    }
    if (!perf_script_reader.finish(parser, &error) && error.kind != ERROR_INPUT)
        abort();
    perf_script_reader.close(parser);
    return profile;
}

static void write_folded(const struct profile *profile, struct buffer *buffer) {
    struct view view = {.keep_tiers = true, .keep_threads = true};
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
    struct buffer texts[2] = {{0}};
    perf_script_reader.probe(input);
    for (int form = 0; form < 2; form++) {
        struct profile *profile = read_script(input, form == 1);
        write_folded(profile, &texts[form]);
        profile_free(profile);
    }
    if (!text_equal(buffer_text(&texts[0]), buffer_text(&texts[1])))
        abort();
    buffer_free(&texts[0]);
    buffer_free(&texts[1]);
    return 0;
}
