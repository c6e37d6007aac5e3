// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "fold/base/utf8.h"
#include "fold/tally/culprit.h"
#include "svg/flame_picture.h"

enum {
    VERDICT_LINES = 3,
    HOT_ROWS = 8,
    HOT_BLOCKING_ROWS = 4,
    FEW_SAMPLES = 100,  /* below this a share is off by several points */
    PROSE_COLUMNS = 60, /* for a name, or a place, within a sentence */
    BAR_COLUMNS = 16,   /* the strip: bars, then figures that end at these columns */
    SELF_COLUMN = 25,
    TOTAL_COLUMN = 34,
    WIDTH_FOR_BARS = 600, /* pixels of the picture */
};

static double percent_of(struct weight part, struct weight all) {
    return 100 * weight_share(part, all);
}

/* Writes `text` (visible form) in lines of class `class`, cut after `most` lines. */
static void write_lines(struct picture *picture, const char *class, struct text text, size_t most) {
    double width = picture->metrics.width - 2.0 * picture->metrics.margin;
    size_t columns = picture_columns(picture, width);
    for (size_t i = 0; i < most && text.size > 0; i++) {
        struct text rest;
        struct text line = label_line(text, columns, &rest);
        struct buffer cut = {0};
        if (i + 1 == most && rest.size > 0)
            label_append_cut(&cut, text, columns);
        picture->y += picture->metrics.row;
        output_format(picture->output, "<text class=\"%s\" x=\"%u\" y=\"%u\">", class,
                      picture->metrics.margin, picture->y - picture->metrics.row / 3);
        picture_text(picture, cut.size > 0 ? buffer_text(&cut) : line);
        output_string(picture->output, "</text>\n");
        buffer_free(&cut);
        text = rest;
    }
}

/* `NAME PLACE`, each cut so that a sentence around them stays readable. */
static void append_function(const struct picture *picture, struct buffer *buffer,
                            uint32_t function) {
    struct buffer part = {0};
    picture_append_name(picture, &part, function);
    label_append_cut(buffer, buffer_text(&part), PROSE_COLUMNS);
    buffer_clear(&part);
    picture_append_place(picture, &part, function);
    if (part.size > 0) {
        buffer_append_byte(buffer, ' ');
        label_append_cut(buffer, buffer_text(&part), PROSE_COLUMNS);
    }
    buffer_free(&part);
}

static void append_callers(const struct picture *picture, struct buffer *buffer,
                           const char *introduction, const struct blocking_call *call) {
    if (call->caller_count == 0 || call->callers[0].function == 0)
        return;
    buffer_append_text(buffer, text_of(introduction));
    append_function(picture, buffer, call->callers[0].function);
    if (call->caller_count > 1)
        buffer_append_format(buffer, " and %zu more", call->caller_count - 1);
}

/* Rows of tree->functions that have self weight, hottest first. */
struct ranking {
    uint32_t *functions;
    size_t size;
};

static int by_self_weight(const void *left, const void *right, void *context) {
    const struct call_tree *tree = context;
    const struct function *a = &tree->functions[*(const uint32_t *)left];
    const struct function *b = &tree->functions[*(const uint32_t *)right];
    int order = weight_compare(b->self, a->self);
    if (order == 0)
        order = weight_compare(b->total, a->total);
    return order != 0 ? order : text_compare(a->label, b->label);
}

static struct ranking rank_functions(const struct call_tree *tree) {
    struct ranking ranking = {
        memory_allocate(size_multiply(tree->function_count, sizeof *ranking.functions)), 0};
    for (uint32_t i = 1; i < tree->function_count; i++)
        if (!weight_is_zero(tree->functions[i].self) && tree->functions[i].kind != FRAME_GC)
            ranking.functions[ranking.size++] = i;
    qsort_r(ranking.functions, ranking.size, sizeof *ranking.functions, by_self_weight,
            (void *)tree);
    return ranking;
}

/* What shares of blocking calls are shares of. */
static const char *blocking_base(const struct call_tree *tree) {
    return weight_compare(tree->busy, tree->javascript_threads) == 0
               ? "busy time"
               : "the busy time of JavaScript threads";
}

/* "`call` VERB 12.3 % of busy time, called by ..." */
static void append_call(const struct picture *picture, struct buffer *text,
                        const struct blocking_call *call, const char *verb) {
    const struct call_tree *tree = picture->tree;
    utf8_append_visible(text, text_of(call->name));
    buffer_append_format(text, " %s %.1f %% of %s", verb,
                         percent_of(call->total, tree->javascript_threads), blocking_base(tree));
    append_callers(picture, text, ", called by ", call);
    buffer_append_byte(text, '.');
}

/* "Other blocking calls: ...; all of them together 34.5 %." */
static void write_other_calls(struct picture *picture, struct buffer *text) {
    const struct blocking *blocking = picture->blocking;
    struct weight all = picture->tree->javascript_threads;
    buffer_clear(text);
    for (size_t i = 1, shown = 0; i < blocking->call_count && shown < 4; i++) {
        if (weight_is_zero(blocking->calls[i].total))
            continue;
        buffer_append_text(text, shown++ == 0 ? TEXT("Other blocking calls: ") : TEXT(", "));
        utf8_append_visible(text, text_of(blocking->calls[i].name));
        buffer_append_format(text, " %.1f %%", percent_of(blocking->calls[i].total, all));
    }
    if (text->size > 0)
        buffer_append_format(text, "; all of them together %.1f %%. ",
                             percent_of(blocking->total, all));
    if (percent_of(blocking->startup, all) >= 0.1)
        buffer_append_format(text, "At start-up, not counted: %.1f %%.",
                             percent_of(blocking->startup, all));
    write_lines(picture, "dim", buffer_text(text), VERDICT_LINES);
}

/* What leads, when it is no blocking call: a long computation or a function. */
static void append_other_culprit(const struct picture *picture, struct buffer *text,
                                 const struct culprit *culprit) {
    const struct call_tree *tree = picture->tree;
    if (culprit->kind == CULPRIT_HEAVY) {
        append_call(picture, text, &picture->blocking->heavy[0], "computes for");
    } else if (culprit->function) {
        buffer_append_format(
            text, "%.1f %% of %s is spent in ", percent_of(culprit->weight, culprit->base),
            weight_compare(culprit->base, tree->busy) < 0 ? blocking_base(tree) : "busy time");
        append_function(picture, text, culprit->function);
        buffer_append_text(text, tree->functions[culprit->function].kind == FRAME_GC
                                     ? TEXT(".")
                                     : TEXT(" itself."));
    }
}

static void write_quiet_verdict(struct picture *picture, struct buffer *text,
                                const struct culprit *culprit) {
    const struct blocking *blocking = picture->blocking;
    struct weight all = picture->tree->javascript_threads;
    if (weight_is_zero(blocking->total)) {
        buffer_append_text(text, TEXT("No known synchronous call blocks the event loop"));
        if (!weight_is_zero(blocking->startup))
            buffer_append_format(text, " after start-up (%.1f %% at start-up)",
                                 percent_of(blocking->startup, all));
        buffer_append_text(text, TEXT(". "));
        append_other_culprit(picture, text, culprit);
    } else {
        append_other_culprit(picture, text, culprit);
        buffer_append_text(text, TEXT(" Hardly anything blocks: "));
        append_call(picture, text, &blocking->calls[0], "holds the event loop for");
    }
    write_lines(picture, "verdict", buffer_text(text), VERDICT_LINES);
    if (!weight_is_zero(blocking->total))
        write_other_calls(picture, text);
}

void summary_write_verdict(struct picture *picture) {
    const struct call_tree *tree = picture->tree;
    const struct blocking *blocking = picture->blocking;
    struct buffer text = {0};
    struct culprit culprit = culprit_find(tree, blocking);
    bool leads = culprit.kind == CULPRIT_BLOCKING &&
                 percent_of(blocking->total, tree->javascript_threads) >= 1;
    if (!leads && !culprit.blocking_second) {
        write_quiet_verdict(picture, &text, &culprit);
    } else {
        buffer_append_text(&text, TEXT("◆ "));
        if (!leads) {
            append_other_culprit(picture, &text, &culprit);
            buffer_append_text(&text, TEXT(" Besides, "));
        }
        append_call(picture, &text, &blocking->calls[0], "holds the event loop for");
        write_lines(picture, "verdict bad", buffer_text(&text), VERDICT_LINES);
        write_other_calls(picture, &text);
    }

    enum profile_unit unit = tree->profile->unit;
    double weight = weight_to_double(tree->total);
    bool counts = unit == UNIT_SAMPLES || unit == UNIT_TICKS;
    if (tree->samples.known)
        weight =
            (double)tree->samples.busy + (tree->view.keep_idle ? (double)tree->samples.idle : 0);
    if ((counts || tree->samples.known) && weight < FEW_SAMPLES) {
        buffer_clear(&text);
        buffer_append_text(&text, TEXT("Few samples: only "));
        if (tree->samples.known && !counts)
            buffer_append_format(&text, "%.0f", weight);
        else
            amount_append(&text, picture->unit, tree->total);
        buffer_append_format(&text,
                             ", so a share of 50 %% is sure to about ±%.0f points. Record longer "
                             "or more often.",
                             fmin(50, 100 / sqrt(weight < 1 ? 1 : weight)));
        write_lines(picture, "hint", buffer_text(&text), 2);
    }
    buffer_free(&text);
}

/* Narrow pictures have no bars, so that the names get room. */
static bool has_bars(const struct picture *picture) {
    return picture->metrics.width >= WIDTH_FOR_BARS;
}

/* Where a column of the hot strip ends, in pixels. */
static double strip_x(const struct picture *picture, int column) {
    if (!has_bars(picture))
        column -= BAR_COLUMNS;
    return picture->metrics.margin + column * picture->metrics.column;
}

/* One row of the hot strip. */
struct hot_row {
    const char *class; /* of the bar */
    bool blocking;
    double self, total;      /* shares; `self` is not shown for a blocking call */
    double bar;              /* from 0 to 1 */
    struct text name, place; /* visible form */
};

static void write_hot_row(struct picture *picture, const struct hot_row *row) {
    struct output *output = picture->output;
    const struct flame_metrics *metrics = &picture->metrics;
    double column = metrics->column;
    uint32_t y = picture->y, baseline = y + metrics->row - metrics->row / 3;
    output_format(output, "<g class=\"hot %s%s\" data-name=\"", row->class,
                  row->blocking ? " sync" : "");
    picture_text(picture, row->name);
    output_string(output, "\">");
    double width = fmax(1, row->bar * BAR_COLUMNS * column);
    for (int hatch = 0; hatch <= row->blocking && has_bars(picture); hatch++)
        output_format(output, "<rect x=\"%u\" y=\"%u\" width=\"%.2f\" height=\"%u\"%s/>",
                      metrics->margin, y + 3, width, metrics->row - 6,
                      hatch ? " class=\"hatch\"" : "");
    double self_x = strip_x(picture, SELF_COLUMN), total_x = strip_x(picture, TOTAL_COLUMN);
    if (row->blocking)
        output_format(output,
                      "<text x=\"%.2f\" y=\"%u\" class=\"mark\" text-anchor=\"end\">"
                      "◆ SYNC</text>",
                      self_x, baseline);
    else
        output_format(output, "<text x=\"%.2f\" y=\"%u\" text-anchor=\"end\">%.1f %%</text>",
                      self_x, baseline, 100 * row->self);
    output_format(output, "<text x=\"%.2f\" y=\"%u\" text-anchor=\"end\">%.1f %%</text>", total_x,
                  baseline, 100 * row->total);
    double name_x = total_x + 2 * column;
    size_t columns = picture_columns(picture, metrics->width - metrics->margin - name_x);
    struct buffer label = {0};
    label_append_cut(&label, row->name, columns);
    output_format(output, "<text x=\"%.2f\" y=\"%u\">", name_x, baseline);
    picture_text(picture, buffer_text(&label));
    size_t used = utf8_columns(buffer_text(&label)) + 2;
    if (row->place.size > 0 && used + 8 < columns) {
        buffer_clear(&label);
        label_append_cut(&label, row->place, columns - used);
        output_string(output, "<tspan dx=\"8\">");
        picture_text(picture, buffer_text(&label));
        output_string(output, "</tspan>");
    }
    output_string(output, "</text></g>\n");
    buffer_free(&label);
    picture->y += metrics->row;
}

static bool is_shown_call(const struct picture *picture, struct text name, size_t shown) {
    for (size_t i = 0; i < shown; i++)
        if (text_equal(name, text_of(picture->blocking->calls[i].name)))
            return true;
    return false;
}

static void write_hot_header(struct picture *picture) {
    static const struct {
        const char *text;
        int column;
    } heads[] = {{"self", SELF_COLUMN}, {"total", TOTAL_COLUMN}};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        output_format(picture->output,
                      "<text class=\"dim\" x=\"%.2f\" y=\"%u\" text-anchor=\"end\">%s</text>\n",
                      strip_x(picture, heads[i].column),
                      picture->y + picture->metrics.row - picture->metrics.row / 3, heads[i].text);
    picture->y += picture->metrics.row;
}

void summary_write_hot_strip(struct picture *picture) {
    const struct call_tree *tree = picture->tree;
    const struct blocking *blocking = picture->blocking;
    struct buffer name = {0}, place = {0};
    struct ranking ranking = rank_functions(tree);
    double largest = 1e-9;
    if (blocking->call_count > 0)
        largest = weight_share(blocking->calls[0].total, tree->javascript_threads);
    if (ranking.size > 0)
        largest =
            fmax(largest, weight_share(tree->functions[ranking.functions[0]].self, tree->total));
    picture->y += picture->metrics.row / 3;
    output_string(picture->output, "<g id=\"hot\">\n");
    write_hot_header(picture);
    size_t calls = 0;
    for (; calls < blocking->call_count && calls < HOT_BLOCKING_ROWS; calls++) {
        const struct blocking_call *call = &blocking->calls[calls];
        if (weight_is_zero(call->total))
            break;
        buffer_clear(&name);
        buffer_clear(&place);
        utf8_append_visible(&name, text_of(call->name));
        append_callers(picture, &place, "← ", call);
        double share = weight_share(call->total, tree->javascript_threads);
        struct hot_row row = {
            "core", true, 0, share, share / largest, buffer_text(&name), buffer_text(&place)};
        write_hot_row(picture, &row);
    }
    size_t rows = calls;
    for (size_t i = 0; i < ranking.size && rows < HOT_ROWS; i++) {
        const struct function *function = &tree->functions[ranking.functions[i]];
        if (is_shown_call(picture, profile_text(tree->profile, function->name), calls))
            continue;
        buffer_clear(&name);
        buffer_clear(&place);
        picture_append_name(picture, &name, ranking.functions[i]);
        picture_append_place(picture, &place, ranking.functions[i]);
        double self = weight_share(function->self, tree->total);
        struct hot_row row = {paint_class(palette_paint(&picture->palette, tree, function)),
                              false,
                              self,
                              weight_share(function->total, tree->total),
                              self / largest,
                              buffer_text(&name),
                              buffer_text(&place)};
        write_hot_row(picture, &row);
        rows++;
    }
    output_string(picture->output, "</g>\n");
    free(ranking.functions);
    buffer_free(&name);
    buffer_free(&place);
}

void summary_write_legend(struct picture *picture) {
    const struct call_tree *tree = picture->tree;
    const struct flame_metrics *metrics = &picture->metrics;
    struct output *output = picture->output;
    struct weight shares[PAINT_COUNT] = {0};
    for (size_t i = 1; i < tree->node_count; i++) {
        enum paint paint =
            palette_paint(&picture->palette, tree, &tree->functions[tree->nodes[i].function]);
        shares[paint] = weight_add(shares[paint], tree->nodes[i].self);
    }
    struct buffer text = {0};
    double x = metrics->margin, right = metrics->width - metrics->margin;
    double swatch = metrics->row - 6;
    picture->y += metrics->row / 2;
    output_string(output, "<g id=\"legend\">\n");
    for (int i = 0; i <= PAINT_COUNT; i++) {
        bool sync = i == PAINT_COUNT;
        buffer_clear(&text);
        if (sync && !weight_is_zero(picture->blocking->total)) {
            buffer_append_text(&text, TEXT("◆ blocks the event loop"));
        } else if (!sync && !weight_is_zero(shares[i])) {
            palette_append_meaning(&text, &picture->palette, i);
            if (text.size > 0)
                buffer_append_format(&text, " %.1f %%", percent_of(shares[i], tree->total));
        }
        if (text.size == 0)
            continue;
        struct buffer label = {0};
        struct buffer visible = {0};
        utf8_append_visible(&visible, buffer_text(&text));
        label_append_cut(&label, buffer_text(&visible), 40);
        double width = swatch + 6 + utf8_columns(buffer_text(&label)) * metrics->column;
        if (x > metrics->margin && x + width > right) {
            x = metrics->margin;
            picture->y += metrics->row;
        }
        output_format(output, "<g class=\"%s\">", sync ? "core sync" : paint_class(i));
        for (int hatch = 0; hatch <= sync; hatch++)
            output_format(output, "<rect x=\"%.2f\" y=\"%u\" width=\"%g\" height=\"%g\"%s/>", x,
                          picture->y + 3, swatch, swatch, hatch ? " class=\"hatch\"" : "");
        output_format(output, "<text x=\"%.2f\" y=\"%u\">", x + swatch + 6,
                      picture->y + metrics->row - metrics->row / 3);
        picture_text(picture, buffer_text(&label));
        output_string(output, "</text></g>\n");
        x += width + 16;
        buffer_free(&label);
        buffer_free(&visible);
    }
    output_string(output, "</g>\n");
    picture->y += metrics->row + metrics->row / 2;
    buffer_free(&text);
}

void summary_write_footer(struct picture *picture) {
    const struct call_tree *tree = picture->tree;
    const struct profile *profile = tree->profile;
    const struct layout *layout = &picture->layout;
    struct buffer text = {0};
    picture->y += picture->metrics.row / 3;
    picture->y += picture->metrics.row;
    output_format(picture->output, "<text id=\"details\" x=\"%u\" y=\"%u\"></text>\n",
                  picture->metrics.margin, picture->y - picture->metrics.row / 3);

    amount_append(&text, picture->unit, tree->total);
    if (tree->samples.known && picture->unit.division > 1)
        buffer_append_format(&text, " in %" PRIu64 " samples", tree->samples.busy);
    if (profile->duration_us > 0)
        buffer_append_format(&text, " over %.4g s", (double)profile->duration_us / 1e6);
    if (profile->interval_us > 0)
        buffer_append_format(&text, ", one every %.4g ms", (double)profile->interval_us / 1e3);
    buffer_append_format(&text,
                         ", in %zu frames of %zu functions; width is share, left to right is no "
                         "order in time.",
                         tree->node_count - 1, tree->function_count - 1);
    if (view_is_filtered(&tree->view))
        buffer_append_text(&text, TEXT(" Options chose among the samples: only part is drawn."));
    if (!weight_is_zero(tree->idle) && !tree->view.keep_idle) {
        buffer_append_text(&text, TEXT(" Idle, not drawn: "));
        amount_append(&text, picture->unit, tree->idle);
        buffer_append_byte(&text, '.');
    }
    if (profile->node.index != 0) {
        buffer_append_text(&text, TEXT(" Node "));
        utf8_append_visible(&text, profile_text(profile, profile->node));
        buffer_append_byte(&text, '.');
    }
    if (profile->isolate_only)
        buffer_append_text(&text, TEXT(" Only the isolate's own thread was sampled: work of the "
                                       "libuv pool is not in it."));
    if (profile->waiting_is_missing)
        buffer_append_text(&text, TEXT(" Sampled by CPU time: time spent waiting is not in it."));
    else if (profile->has_waits)
        buffer_append_text(&text, TEXT(" By the wall clock: time spent waiting is drawn too."));
    write_lines(picture, "dim", buffer_text(&text), 3);

    buffer_clear(&text);
    if (layout->left_out > 0) {
        buffer_append_format(&text, "%llu frames are not drawn one by one, because they",
                             (unsigned long long)layout->left_out);
        if (layout->widest_left_out > 0)
            buffer_append_format(&text, " are narrow (at most %.2g px)", layout->widest_left_out);
        if (layout->cut_deep)
            buffer_append_format(&text, "%s lie below row %u",
                                 layout->widest_left_out > 0 ? " or" : "", layout->rows - 1);
        buffer_append_text(&text, TEXT("; they weigh "));
        amount_append(&text, picture->unit, layout->hidden);
        buffer_append_format(&text, " (%.2f %%). All figures are of the whole profile.",
                             percent_of(layout->hidden, tree->total));
    } else {
        buffer_append_text(&text, TEXT("Every frame is drawn."));
    }
    write_lines(picture, "dim", buffer_text(&text), 2);
    picture->y += picture->metrics.row / 2;
    buffer_free(&text);
}
