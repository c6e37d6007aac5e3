// SPDX-License-Identifier: MIT
/*
 * Folded text to SVG. The first byte chooses options; the rest is folded text. Whatever the text
 * holds, the picture is valid UTF-8, has no control characters but newlines, and its markup closes.
 */
#include <stdint.h>
#include <stdlib.h>

#include "fold/base/utf8.h"
#include "fold/read/folded.h"
#include "svg/flame_graph.h"

static void demand(bool condition) {
    if (!condition)
        abort();
}

/* What can be checked without an XML parser. */
static void check_markup(struct text svg) {
    demand(utf8_valid(svg));
    demand(text_starts_with(svg, TEXT("<?xml ")));
    demand(text_ends_with(svg, TEXT("</svg>\n")));
    for (size_t i = 0; i < svg.size; i++) {
        unsigned char byte = (unsigned char)svg.data[i];
        demand(byte >= 0x20 || byte == '\n');
    }
}

static void draw(const struct profile *profile, uint8_t choice) {
    static const uint32_t widths[] = {0, FLAME_WIDTH_LEAST, 640, 3000};
    struct flame_options options = flame_options_default();
    options.static_only = choice & 1;
    options.upright = choice & 2;
    options.colors = (choice >> 2) % 3;
    options.width = widths[choice >> 4 & 3];
    if (choice & 64)
        options.min_width = 0;
    if (choice & 128)
        options.search = "a|b+";
    struct view view = {0};
    struct call_tree *tree = call_tree_build(profile, &view);
    struct blocking *blocking = blocking_find(tree);
    struct buffer svg = {0};
    struct error error = {0};
    struct output *output = output_open_buffer(&svg);
    bool written = svg_flame_write(output, tree, blocking, &options, &error);
    demand(output_close(output, &error));
    demand(written == !weight_is_zero(tree->total));
    if (written)
        check_markup(buffer_text(&svg));
    buffer_free(&svg);
    blocking_free(blocking);
    call_tree_free(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    struct profile *profile = profile_new();
    void *parser = folded_reader.open(profile, NULL);
    struct error error = {0};
    struct text text = {(const char *)data + 1, size - 1};
    if (folded_reader.feed(parser, text, &error) && folded_reader.finish(parser, &error))
        draw(profile, data[0]);
    folded_reader.close(parser);
    profile_free(profile);
    return 0;
}
