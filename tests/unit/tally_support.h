// SPDX-License-Identifier: MIT
/* For the tests of fold/read/folded, fold/tally and fold/write: profiles, trees and what is in
 * them. */
#ifndef TICKFLAME_TESTS_UNIT_TALLY_SUPPORT_H
#define TICKFLAME_TESTS_UNIT_TALLY_SUPPORT_H

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

#include <stdio.h>
#include <stdlib.h>

#include "fold/read/folded.h"
#include "fold/tally/blocking.h"
#include "fold/tally/call_tree.h"
#include "fold/write/folded.h"

/* Feeds `folded` in pieces of `piece` bytes (0: whole). Returns what finish said. */
static inline bool support_feed(struct profile *profile, struct text folded, size_t piece,
                                struct error *error) {
    void *parser = folded_reader.open(profile, NULL);
    bool fed = true;
    while (folded.size > 0 && fed) {
        size_t size = piece == 0 || piece > folded.size ? folded.size : piece;
        fed = folded_reader.feed(parser, (struct text){folded.data, size}, error);
        folded = text_skip(folded, size);
    }
    bool finished = fed && folded_reader.finish(parser, error);
    folded_reader.close(parser);
    return finished;
}

/* The profile of folded text that must be usable. */
static inline struct profile *support_profile(struct text folded) {
    struct profile *profile = profile_new();
    struct error error = {0};
    bool finished = support_feed(profile, folded, 0, &error);
    assert_string_equal(error.text, "");
    assert_true(finished);
    return profile;
}

/* A file of tests/data, to be given back with buffer_free(). */
static inline struct buffer support_data(const char *name) {
    const char *source = getenv("TICKFLAME_SOURCE");
    char path[512];
    snprintf(path, sizeof path, "%s/tests/data/%s", source ? source : ".", name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot open %s", path);
    struct buffer buffer = {0};
    char piece[4096];
    size_t size;
    while (file && (size = fread(piece, 1, sizeof piece, file)) > 0)
        buffer_append(&buffer, piece, size);
    if (file)
        fclose(file);
    return buffer;
}

/* The folded text of a view of a profile, to be given back with buffer_free(). */
static inline struct buffer support_fold(const struct profile *profile, const struct view *view,
                                         const struct folded_options *options) {
    struct call_tree *tree = call_tree_build(profile, view);
    struct call_label *labels = calloc(tree->function_count, sizeof *labels);
    struct buffer buffer = {0};
    struct output *output = output_open_buffer(&buffer);
    struct error error = {0};
    assert_non_null(labels);
    call_tree_labels(tree, labels);
    folded_write(output, tree->nodes, tree->node_count, labels, tree->function_count, options);
    assert_true(output_close(output, &error));
    free(labels);
    call_tree_free(tree);
    buffer_append_byte(&buffer, '\0');
    buffer.size--;
    return buffer;
}

/* That the folded text of a view is exactly `expected`. */
static inline void support_assert_fold(const struct profile *profile, const struct view *view,
                                       const char *expected) {
    struct buffer folded = support_fold(profile, view, NULL);
    assert_string_equal(folded.data, expected);
    buffer_free(&folded);
}

/* The function with this label; fails without one. */
static inline const struct function *support_function(const struct call_tree *tree,
                                                      const char *label) {
    for (size_t i = 1; i < tree->function_count; i++) {
        if (text_equal(tree->functions[i].label, text_of(label)))
            return &tree->functions[i];
    }
    fail_msg("no function %s", label);
    return NULL;
}

static inline void support_assert_weights(const struct call_tree *tree, const char *label,
                                          uint64_t self, uint64_t total) {
    const struct function *function = support_function(tree, label);
    assert_int_equal(function->self.whole, self);
    assert_int_equal(function->total.whole, total);
}

#endif
