// SPDX-License-Identifier: MIT
/* For the tests of svg/: a picture, or a tree, from folded text. */
#ifndef TICKFLAME_TESTS_UNIT_SVG_SUPPORT_H
#define TICKFLAME_TESTS_UNIT_SVG_SUPPORT_H

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

#include "fold/read/folded.h"
#include "svg/flame_graph.h"

/* What a tree is made of, to be freed with support_free(). */
struct support {
    struct profile *profile;
    struct call_tree *tree;
    struct blocking *blocking;
};

static inline struct support support_read(struct text folded, enum profile_unit unit) {
    struct support support = {.profile = profile_new()};
    struct error error = {0};
    void *parser = folded_reader.open(support.profile, NULL);
    assert_true(folded_reader.feed(parser, folded, &error));
    assert_true(folded_reader.finish(parser, &error));
    folded_reader.close(parser);
    support.profile->unit = unit;
    struct view view = {0};
    support.tree = call_tree_build(support.profile, &view);
    support.blocking = blocking_find(support.tree);
    return support;
}

static inline void support_free(struct support *support) {
    blocking_free(support->blocking);
    call_tree_free(support->tree);
    profile_free(support->profile);
}

/* The picture of `folded`, followed by a NUL; to be freed. */
static inline struct buffer support_draw(struct text folded, enum profile_unit unit,
                                         const struct flame_options *options) {
    struct support support = support_read(folded, unit);
    struct buffer svg = {0};
    struct error error = {0};
    struct output *output = output_open_buffer(&svg);
    assert_true(svg_flame_write(output, support.tree, support.blocking, options, &error));
    assert_true(output_close(output, &error));
    support_free(&support);
    buffer_append_byte(&svg, '\0');
    svg.size--;
    return svg;
}

#endif
