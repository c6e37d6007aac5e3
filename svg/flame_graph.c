// SPDX-License-Identifier: MIT
#include "svg/flame_graph.h"

#include <stdlib.h>

#include "fold/base/pattern.h"
#include "fold/base/utf8.h"
#include "svg/asset.h"
#include "svg/flame_picture.h"

/* Boxes and rows of a picture whose limits the user did not set: what a browser redraws at once. */
enum { MAX_BOXES = 1500, MAX_ROWS = 300, MAX_BOXES_STATIC = 1000, MAX_ROWS_STATIC = 64 };

/* Longer names and places are cut: a name stands in the file once per box. */
enum { NAME_BYTES = 1000 };

struct flame_options flame_options_default(void) {
    return (struct flame_options){.min_width = FLAME_MIN_WIDTH_AUTO};
}

size_t picture_columns(const struct picture *picture, double pixels) {
    return pixels <= 0 ? 0 : (size_t)(pixels / picture->metrics.column);
}

void picture_text(struct picture *picture, struct text text) {
    buffer_clear(&picture->escaped);
    xml_append(&picture->escaped, text);
    output_text(picture->output, buffer_text(&picture->escaped));
}

/* What `append` gives, in visible form, its end cut off where it is very long. */
static void append_visible(const struct picture *picture, struct buffer *buffer, uint32_t function,
                           void (*append)(struct buffer *, const struct profile *,
                                          const struct function *)) {
    struct buffer raw = {0};
    append(&raw, picture->tree->profile, &picture->tree->functions[function]);
    struct text text = buffer_text(&raw);
    bool cut = text.size > NAME_BYTES;
    if (cut) {
        text.size = NAME_BYTES;
        while (text.size > NAME_BYTES - 4 && (text.data[text.size] & 0xC0) == 0x80)
            text.size--;
    }
    utf8_append_visible(buffer, text);
    if (cut)
        buffer_append_text(buffer, TEXT("…"));
    buffer_free(&raw);
}

void picture_append_name(const struct picture *picture, struct buffer *buffer, uint32_t function) {
    append_visible(picture, buffer, function, function_append_name);
}

void picture_append_place(const struct picture *picture, struct buffer *buffer, uint32_t function) {
    append_visible(picture, buffer, function, function_append_place);
}

static double percent_of(struct weight part, struct weight all) {
    return 100 * weight_share(part, all);
}

/* `12*` for each tier that the function ran in, in percent: shown where there are several. */
static void append_tiers(struct buffer *buffer, const struct function *function) {
    size_t seen = 0;
    for (size_t tier = FRAME_INTERPRETED; tier < FRAME_TIER_COUNT; tier++)
        seen += !weight_is_zero(function->tiers[tier]);
    if (seen < 2)
        return;
    buffer_append_text(buffer, TEXT("\ntiers"));
    for (size_t tier = FRAME_INTERPRETED; tier < FRAME_TIER_COUNT; tier++)
        if (!weight_is_zero(function->tiers[tier]))
            buffer_append_format(buffer, " %s%.0f%%", frame_tier_mark(tier),
                                 percent_of(function->tiers[tier], function->total));
}

static void write_title(struct picture *picture, const struct layout_box *box) {
    const struct call_tree *tree = picture->tree;
    const struct call_node *node = &tree->nodes[box->node];
    struct buffer *line = &picture->scratch;
    buffer_clear(line);
    if (box->rest > 0)
        buffer_append_format(line, "%llu smaller frames", (unsigned long long)box->rest);
    else if (box->node == 0)
        buffer_append_text(line, TEXT("all"));
    else
        picture_append_name(picture, line, node->function);
    buffer_append_text(line, TEXT(" ("));
    amount_append(line, picture->unit, box->total);
    if (box->node == 0 && box->rest == 0)
        buffer_append_text(line, TEXT(", 100%)"));
    else
        buffer_append_format(line, ", %.2f%%)", percent_of(box->total, tree->total));
    if (box->rest == 0 && box->node != 0) {
        size_t before = line->size;
        buffer_append_text(line, TEXT("\nat "));
        size_t start = line->size;
        picture_append_place(picture, line, node->function);
        if (line->size == start)
            line->size = before;
        if (!weight_is_zero(node->self) && weight_compare(node->self, node->total) != 0) {
            buffer_append_text(line, TEXT("\nself "));
            amount_append(line, picture->unit, node->self);
            buffer_append_format(line, ", %.2f%%", percent_of(node->self, tree->total));
        }
        append_tiers(line, &tree->functions[node->function]);
        const struct blocking_call_kind *kind = picture->blocking->nodes[box->node];
        if (kind != NULL && picture->blocking->startup_nodes[box->node])
            buffer_append_text(line, TEXT("\n◆ synchronous call at start-up"));
        else if (kind != NULL)
            buffer_append_text(line, TEXT("\n◆ blocks the event loop"));
        if (kind != NULL && kind->instead != NULL) {
            buffer_append_text(line, TEXT("\ninstead: "));
            buffer_append_text(line, text_of(kind->instead));
        }
    }
    output_string(picture->output, "<title>");
    picture_text(picture, buffer_text(line));
    output_string(picture->output, "</title>");
}

/* The label of a box `columns` wide: mark, name, and dimmed the place where there is room. */
static void write_label(struct picture *picture, const struct layout_box *box, size_t columns) {
    const struct call_node *node = &picture->tree->nodes[box->node];
    struct buffer *name = &picture->scratch;
    buffer_clear(name);
    if (box->rest > 0)
        buffer_append_format(name, "… %llu smaller frames", (unsigned long long)box->rest);
    else if (box->node == 0)
        buffer_append_text(name, TEXT("all"));
    else {
        const struct blocking_call_kind *kind = picture->blocking->nodes[box->node];
        if (kind != NULL && !picture->blocking->startup_nodes[box->node])
            buffer_append_text(name, TEXT("◆ "));
        picture_append_name(picture, name, node->function);
    }
    struct buffer label = {0};
    label_append_cut(&label, buffer_text(name), columns);
    picture_text(picture, buffer_text(&label));
    size_t used = utf8_columns(buffer_text(name)) + 2;
    if (box->rest == 0 && box->node != 0 && used < columns) {
        buffer_clear(name);
        picture_append_place(picture, name, node->function);
        struct text place = label_place(buffer_text(name), columns - used);
        if (place.size > 0) {
            output_string(picture->output, "<tspan dx=\"8\">");
            picture_text(picture, place);
            output_string(picture->output, "</tspan>");
        }
    }
    buffer_free(&label);
}

/* Hundredths of a pixel, without needless zeros. */
static void write_hundredths(struct picture *picture, uint64_t value) {
    if (value % 100 == 0)
        output_format(picture->output, "%llu", (unsigned long long)(value / 100));
    else if (value % 10 == 0)
        output_format(picture->output, "%llu.%llu", (unsigned long long)(value / 100),
                      (unsigned long long)(value / 10 % 10));
    else
        output_format(picture->output, "%llu.%02llu", (unsigned long long)(value / 100),
                      (unsigned long long)(value % 100));
}

static void write_weight(struct picture *picture, struct weight weight) {
    buffer_clear(&picture->scratch);
    weight_append(&picture->scratch, weight);
    output_text(picture->output, buffer_text(&picture->scratch));
}

static void write_rect(struct picture *picture, const struct layout_box *box, uint32_t y,
                       const char *more) {
    struct output *output = picture->output;
    output_string(output, "<rect x=\"");
    write_hundredths(picture, box->left + 100 * picture->metrics.margin);
    output_format(output, "\" y=\"%u\" width=\"", y);
    write_hundredths(picture, box->right - box->left);
    output_format(output, "\" height=\"%u\"%s", picture->metrics.row - 1, more);
}

static void write_box(struct picture *picture, const struct layout_box *box, bool matched) {
    struct output *output = picture->output;
    const struct flame_metrics *metrics = &picture->metrics;
    const struct call_node *node = &picture->tree->nodes[box->node];
    const struct blocking_call_kind *kind =
        box->rest == 0 ? picture->blocking->nodes[box->node] : NULL;
    bool startup = kind != NULL && picture->blocking->startup_nodes[box->node];
    const char *class = "all";
    if (box->rest > 0)
        class = "rest";
    else if (box->node != 0)
        class = paint_class(palette_paint(&picture->palette, picture->tree,
                                          &picture->tree->functions[node->function]));
    uint32_t row = picture->options->upright ? picture->layout.rows - 1 - box->row : box->row;
    uint32_t y = picture->y + row * metrics->row;
    output_format(output, "<g class=\"%s%s%s\">", class,
                  kind == NULL ? ""
                  : startup    ? " startup"
                               : " sync",
                  matched ? " match" : "");
    write_title(picture, box);
    write_rect(picture, box, y, " fg:x=\"");
    write_weight(picture, box->start);
    output_string(output, "\" fg:w=\"");
    write_weight(picture, box->total);
    output_string(output, "\"/>");
    if (kind != NULL && !startup)
        write_rect(picture, box, y, " class=\"hatch\"/>");
    double width = (double)(box->right - box->left) / 100;
    size_t columns = picture_columns(picture, width - 6);
    if (columns >= 3) {
        output_string(output, "<text x=\"");
        write_hundredths(picture, box->left + 100 * metrics->margin + 300);
        output_format(output, "\" y=\"%u\">", y + metrics->row - metrics->row / 3);
        write_label(picture, box, columns);
        output_string(output, "</text>");
    }
    output_string(output, "</g>\n");
}

/* Whether the search finds a function: in its name or in its place. */
static bool function_matches(const struct picture *picture, struct pattern *pattern,
                             uint32_t function, struct buffer *scratch) {
    buffer_clear(scratch);
    picture_append_name(picture, scratch, function);
    if (pattern_found(pattern, buffer_text(scratch)))
        return true;
    buffer_clear(scratch);
    picture_append_place(picture, scratch, function);
    return scratch->size > 0 && pattern_found(pattern, buffer_text(scratch));
}

/* Marks the functions that match; returns the weight below the outermost of them, so that a match
 * inside another counts once. */
static struct weight find_matches(const struct picture *picture, struct pattern *pattern,
                                  bool *matches) {
    const struct call_tree *tree = picture->tree;
    struct buffer scratch = {0};
    for (uint32_t function = 1; function < tree->function_count; function++)
        matches[function] = function_matches(picture, pattern, function, &scratch);
    buffer_free(&scratch);
    struct weight matched = {0, 0};
    for (uint32_t node = 1; node < tree->node_count; node++) {
        if (!matches[tree->nodes[node].function])
            continue;
        matched = weight_add(matched, tree->nodes[node].total);
        node = tree->nodes[node].subtree_end - 1;
    }
    return matched;
}

/* `--` must not stand in a comment; the rest is escaped for those who look for tags in text. */
static void write_notes(struct picture *picture, const char *notes) {
    buffer_clear(&picture->scratch);
    utf8_append_visible(&picture->scratch, text_of(notes));
    buffer_clear(&picture->escaped);
    xml_append(&picture->escaped, buffer_text(&picture->scratch));
    output_string(picture->output, "<!-- NOTES: ");
    for (size_t i = 0; i < picture->escaped.size; i++) {
        output_byte(picture->output, picture->escaped.data[i]);
        if (picture->escaped.data[i] == '-')
            output_byte(picture->output, ' ');
    }
    output_string(picture->output, " -->\n");
}

static void write_asset(struct picture *picture, const char *element,
                        const struct svg_asset *asset) {
    output_format(picture->output, "<%s><![CDATA[\n", element);
    output_write(picture->output, asset->data, asset->size);
    output_format(picture->output, "]]></%s>\n", element);
}

/* The page is as high as its parts, which are known only when they are written: so they are
 * written into a buffer first. */
static void write_parts(struct picture *picture, struct pattern *pattern) {
    struct output *output = picture->output;
    const struct flame_metrics *metrics = &picture->metrics;
    const struct flame_options *options = picture->options;
    bool *matches = memory_allocate_zero(picture->tree->function_count, sizeof *matches);
    struct weight matched = {0, 0};
    if (pattern != NULL)
        matched = find_matches(picture, pattern, matches);

    picture->y = metrics->row * 5 / 3;
    buffer_clear(&picture->scratch);
    utf8_append_visible(&picture->scratch,
                        text_of(options->title != NULL ? options->title : "Flame graph"));
    struct text rest;
    /* The title's letters are larger, and what a search finds stands at its right, as does the
     * search box. */
    double room = metrics->width * (options->static_only ? 0.6 : 0.4);
    struct text title =
        label_line(buffer_text(&picture->scratch), picture_columns(picture, room), &rest);
    output_format(output, "<text id=\"title\" x=\"%u\" y=\"%u\">", metrics->margin, picture->y);
    picture_text(picture, title);
    output_string(output, "</text>\n");
    output_format(output, "<text id=\"matched\" x=\"%u\" y=\"%u\" text-anchor=\"end\">",
                  metrics->width - metrics->margin, picture->y);
    if (pattern != NULL)
        output_format(output, "matched: %.2f%%", percent_of(matched, picture->tree->total));
    output_string(output, "</text>\n");
    picture->y += metrics->row / 2;
    if (options->subtitle != NULL) {
        buffer_clear(&picture->scratch);
        utf8_append_visible(&picture->scratch, text_of(options->subtitle));
        struct text subtitle =
            label_line(buffer_text(&picture->scratch),
                       picture_columns(picture, metrics->width - 2.0 * metrics->margin), &rest);
        picture->y += metrics->row;
        output_format(output, "<text id=\"subtitle\" class=\"dim\" x=\"%u\" y=\"%u\">",
                      metrics->margin, picture->y - metrics->row / 3);
        picture_text(picture, subtitle);
        output_string(output, "</text>\n");
    }
    summary_write_verdict(picture);
    summary_write_hot_strip(picture);
    summary_write_legend(picture);

    output_format(output,
                  "<g id=\"frames\"%s data-row=\"%u\" data-column=\"%g\" data-left-out=\"%llu\">\n",
                  pattern != NULL ? " class=\"searched\"" : "", metrics->row, metrics->column,
                  (unsigned long long)picture->layout.left_out);
    for (size_t i = 0; i < picture->layout.size; i++) {
        const struct layout_box *box = &picture->layout.boxes[i];
        write_box(picture, box,
                  box->rest == 0 && matches[picture->tree->nodes[box->node].function]);
    }
    output_string(output, "</g>\n");
    picture->y += picture->layout.rows * metrics->row;
    summary_write_footer(picture);
    free(matches);
}

/* False: the search failed; nothing was written. */
static bool write_document(struct picture *picture, struct pattern *pattern, struct error *error) {
    struct output *file = picture->output;
    const struct flame_options *options = picture->options;
    struct buffer body = {0};
    struct output *parts = output_open_buffer(&body);
    picture->output = parts;
    write_parts(picture, pattern);
    struct error ignored = {0};
    output_close(parts, &ignored); /* cannot fail: it goes to memory */
    picture->output = file;
    if (!pattern_held(pattern, error)) {
        buffer_free(&body);
        return false;
    }

    output_format(file,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:fg=\"http://github.com/"
                  "jonhoo/inferno\" class=\"tickflame\" width=\"%u\" height=\"%u\" "
                  "viewBox=\"0 0 %u %u\" font-size=\"%u\"",
                  picture->metrics.width, picture->y, picture->metrics.width, picture->y,
                  picture->metrics.font);
    if (options->search != NULL) {
        output_string(file, " data-search=\"");
        buffer_clear(&picture->scratch);
        utf8_append_visible(&picture->scratch, text_of(options->search));
        picture_text(picture, buffer_text(&picture->scratch));
        output_byte(file, '"');
    }
    output_string(file, ">\n");
    if (options->notes != NULL)
        write_notes(picture, options->notes);
    write_asset(picture, "style", &svg_asset_flame_graph_css);
    output_string(file,
                  "<defs><pattern id=\"tickflame-hatch\" width=\"8\" height=\"8\" "
                  "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
                  "<rect width=\"2\" height=\"8\" fill=\"#000\" fill-opacity=\".22\"/></pattern>"
                  "</defs>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
    output_text(file, buffer_text(&body));
    if (!options->static_only)
        write_asset(picture, "script", &svg_asset_flame_graph_js);
    output_string(file, "</svg>\n");
    buffer_free(&body);
    return true;
}

static void set_metrics(struct picture *picture) {
    struct flame_metrics *metrics = &picture->metrics;
    const struct flame_options *options = picture->options;
    metrics->width = options->width != 0 ? options->width : options->static_only ? 960 : 1200;
    metrics->margin = 12;
    metrics->font = options->static_only ? 14 : 12;
    metrics->row = options->static_only ? 21 : 18;
    metrics->column = metrics->font * 0.605;
}

bool svg_flame_write(struct output *output, const struct call_tree *tree,
                     const struct blocking *blocking, const struct flame_options *options,
                     struct error *error) {
    if (weight_is_zero(tree->total))
        return error_set(error, ERROR_INPUT, "no samples to draw");
    if (options->width != 0 &&
        (options->width < FLAME_WIDTH_LEAST || options->width > FLAME_WIDTH_MOST))
        return error_set(error, ERROR_USAGE, "the width must be from %d to %d pixels",
                         FLAME_WIDTH_LEAST, FLAME_WIDTH_MOST);
    struct pattern *pattern = NULL;
    if (options->search != NULL && (pattern = pattern_compile(options->search, error)) == NULL)
        return false;

    struct picture picture = {.output = output,
                              .tree = tree,
                              .blocking = blocking,
                              .options = options,
                              .unit = amount_unit_of(tree->profile->unit, options->count_name)};
    set_metrics(&picture);
    palette_choose(&picture.palette, tree, options->colors);
    bool automatic = options->min_width < 0;
    struct layout_limits limits = {
        .width = picture.metrics.width - 2.0 * picture.metrics.margin,
        .min_width = automatic ? 0.5 : options->min_width,
        .max_boxes = !automatic             ? 0
                     : options->static_only ? MAX_BOXES_STATIC
                                            : MAX_BOXES,
        .max_rows = options->static_only ? MAX_ROWS_STATIC : MAX_ROWS,
    };
    if (!automatic && options->min_width_is_share)
        limits.min_width = options->min_width * limits.width;
    layout_make(&picture.layout, tree, &limits);
    bool written = write_document(&picture, pattern, error);
    layout_free(&picture.layout);
    buffer_free(&picture.scratch);
    buffer_free(&picture.escaped);
    pattern_free(pattern);
    return written;
}
