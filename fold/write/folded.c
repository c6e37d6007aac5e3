// SPDX-License-Identifier: MIT
/*
 * The nodes come in the order of their labels as they are; lines are wanted in the order of what is
 * written. They differ where labels are changed, where one label is the start of another (`;` and
 * the blank before a count take part in the order), and where two labels become the same. So each
 * level of the tree is put into order anew, and nodes with the same written label are walked as
 * one, on an explicit stack.
 */
#include "fold/write/folded.h"

#include <stdlib.h>
#include <string.h>

#include "fold/base/memory.h"
#include "fold/base/utf8.h"

/* A label as it is written. */
struct written {
    struct text text;
    uint32_t rank; /* place among all, in the order of `LABEL;`; the same text, the same rank */
};

/* What follows a path: the line that ends with a label, or the lines below a label. */
struct item {
    uint32_t label;
    bool is_line;
    size_t start, size; /* of a line: the text ` COUNT` in `counts`; else the nodes in `members` */
};

/* A level of the tree being written: what stands in the stacks of the writer from here on. */
struct level {
    size_t next, end; /* items still to be written */
    size_t first_item, first_member, first_count;
    size_t path_size; /* of the text in front of the level's labels */
};

struct writer {
    struct output *output;
    const struct call_node *nodes;
    struct written *labels;
    struct arena arena; /* texts of labels */
    struct item *items;
    size_t item_count, item_capacity;
    uint32_t *members;
    size_t member_count, member_capacity;
    struct level *levels;
    size_t level_count, level_capacity;
    struct buffer path;   /* the labels on the way, each with its `;` */
    struct buffer counts; /* the ` COUNT` of lines still to be written */
};

static const char *annotation_of(const struct call_label *label) {
    if (label->kind == FRAME_KERNEL)
        return "_[k]";
    if (label->inlined)
        return "_[i]";
    bool compiled =
        label->kind == FRAME_JAVASCRIPT || label->kind == FRAME_REGEXP || label->kind == FRAME_WASM;
    return compiled ? "_[j]" : "";
}

/* Appends a label in the form that folded text can hold. */
static void append_label(struct buffer *buffer, const struct call_label *label) {
    struct text text = label->text;
    if (text.size == 0)
        text = TEXT("[empty]");
    size_t start = buffer->size;
    size_t trailing = 0;
    if (*text.data == ' ') {
        buffer_append_text(buffer, TEXT("\\x20"));
        text = text_skip(text, 1);
    } else if (*text.data == '#' && (text.size == 1 || text.data[1] == ' ')) {
        buffer_append_text(buffer, TEXT("\\x23"));
        text = text_skip(text, 1);
    }
    if (text.size > 0 && text.data[text.size - 1] == ' ') {
        text.size--;
        trailing = 1;
    }
    utf8_append_visible(buffer, text);
    if (trailing)
        buffer_append_text(buffer, TEXT("\\x20"));
    for (size_t i = start; i < buffer->size; i++) {
        if (buffer->data[i] == ';')
            buffer->data[i] = ':';
    }
}

/* The byte at `index` of two texts put together; -1 behind the end. */
static int byte_at(struct text first, struct text second, size_t index) {
    if (index < first.size)
        return (unsigned char)first.data[index];
    index -= first.size;
    return index < second.size ? (unsigned char)second.data[index] : -1;
}

/* Orders `a` + `a_tail` and `b` + `b_tail` by bytes. */
static int compare_joined(struct text a, struct text a_tail, struct text b, struct text b_tail) {
    size_t common = a.size < b.size ? a.size : b.size;
    int order = common ? memcmp(a.data, b.data, common) : 0;
    for (size_t i = common; order == 0; i++) {
        int byte = byte_at(a, a_tail, i);
        order = byte - byte_at(b, b_tail, i);
        if (byte < 0)
            break;
    }
    return order;
}

static int compare_labels(const void *left, const void *right, void *context) {
    const struct writer *writer = context;
    struct text a = writer->labels[*(const uint32_t *)left].text;
    struct text b = writer->labels[*(const uint32_t *)right].text;
    return compare_joined(a, TEXT(";"), b, TEXT(";"));
}

/* Fills in writer->labels. */
static void write_labels(struct writer *writer, const struct call_label *labels, size_t count,
                         bool annotate) {
    struct buffer buffer = {0};
    uint32_t *order = memory_allocate(size_multiply(count, sizeof *order));
    writer->labels = memory_allocate_zero(count, sizeof *writer->labels);
    for (size_t i = 0; i < count; i++) {
        buffer_clear(&buffer);
        append_label(&buffer, &labels[i]);
        if (annotate)
            buffer_append_text(&buffer, text_of(annotation_of(&labels[i])));
        writer->labels[i].text =
            (struct text){arena_copy_text(&writer->arena, buffer.data, buffer.size), buffer.size};
        order[i] = (uint32_t)i;
    }
    qsort_r(order, count, sizeof *order, compare_labels, writer);
    uint32_t rank = 0;
    for (size_t i = 0; i < count; i++) {
        struct written *label = &writer->labels[order[i]];
        if (i > 0 && !text_equal(writer->labels[order[i - 1]].text, label->text))
            rank++;
        label->rank = rank;
    }
    free(order);
    buffer_free(&buffer);
}

static uint32_t rank_of(const struct writer *writer, uint32_t node) {
    return writer->labels[writer->nodes[node].function].rank;
}

static int compare_members(const void *left, const void *right, void *context) {
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    uint32_t rank_a = rank_of(context, a);
    uint32_t rank_b = rank_of(context, b);
    if (rank_a != rank_b)
        return rank_a < rank_b ? -1 : 1;
    return (a > b) - (a < b);
}

static struct text tail_of(const struct writer *writer, const struct item *item) {
    return item->is_line ? (struct text){writer->counts.data + item->start, item->size} : TEXT(";");
}

static int compare_items(const void *left, const void *right, void *context) {
    const struct writer *writer = context;
    const struct item *a = left;
    const struct item *b = right;
    const struct written *label_a = &writer->labels[a->label];
    const struct written *label_b = &writer->labels[b->label];
    if (!a->is_line && !b->is_line)
        return (label_a->rank > label_b->rank) - (label_a->rank < label_b->rank);
    return compare_joined(label_a->text, tail_of(writer, a), label_b->text, tail_of(writer, b));
}

static void push_item(struct writer *writer, struct item item) {
    MEMORY_RESERVE(writer->items, writer->item_capacity, writer->item_count + 1);
    writer->items[writer->item_count++] = item;
}

/* Pushes the items of `count` nodes of one written label, which stand in `members` from `first`. */
static void push_items(struct writer *writer, size_t first, size_t count) {
    struct weight self = weight_of(0);
    bool has_children = false;
    for (size_t i = first; i < first + count; i++) {
        const struct call_node *node = &writer->nodes[writer->members[i]];
        self = weight_add(self, node->self);
        has_children |= node->subtree_end > writer->members[i] + 1;
    }
    uint32_t label = writer->nodes[writer->members[first]].function;
    if (!weight_is_zero(self)) {
        size_t start = writer->counts.size;
        buffer_append_byte(&writer->counts, ' ');
        weight_append(&writer->counts, self);
        push_item(writer, (struct item){label, true, start, writer->counts.size - start});
    }
    if (has_children)
        push_item(writer, (struct item){label, false, first, count});
}

/* Opens the level below the nodes that stand in `members` from `first`. */
static void open_level(struct writer *writer, size_t first, size_t count) {
    struct level level = {
        .first_item = writer->item_count,
        .first_member = writer->member_count,
        .first_count = writer->counts.size,
        .path_size = writer->path.size,
    };
    for (size_t i = first; i < first + count; i++) {
        uint32_t parent = writer->members[i];
        uint32_t end = writer->nodes[parent].subtree_end;
        for (uint32_t node = parent + 1; node < end; node = writer->nodes[node].subtree_end) {
            MEMORY_RESERVE(writer->members, writer->member_capacity, writer->member_count + 1);
            writer->members[writer->member_count++] = node;
        }
    }
    size_t children = writer->member_count - level.first_member;
    if (children > 1)
        qsort_r(writer->members + level.first_member, children, sizeof *writer->members,
                compare_members, writer);
    for (size_t i = level.first_member, next; i < writer->member_count; i = next) {
        next = i + 1;
        while (next < writer->member_count &&
               rank_of(writer, writer->members[next]) == rank_of(writer, writer->members[i]))
            next++;
        push_items(writer, i, next - i);
    }
    size_t items = writer->item_count - level.first_item;
    if (items > 1)
        qsort_r(writer->items + level.first_item, items, sizeof *writer->items, compare_items,
                writer);
    level.next = level.first_item;
    level.end = writer->item_count;
    MEMORY_RESERVE(writer->levels, writer->level_capacity, writer->level_count + 1);
    writer->levels[writer->level_count++] = level;
}

static void close_level(struct writer *writer) {
    const struct level *level = &writer->levels[--writer->level_count];
    writer->item_count = level->first_item;
    writer->member_count = level->first_member;
    writer->counts.size = level->first_count;
}

static void write_levels(struct writer *writer) {
    while (writer->level_count > 0 && !output_failed(writer->output)) {
        struct level *level = &writer->levels[writer->level_count - 1];
        if (level->next == level->end) {
            close_level(writer);
            continue;
        }
        struct item item = writer->items[level->next++];
        writer->path.size = level->path_size;
        buffer_append_text(&writer->path, writer->labels[item.label].text);
        if (item.is_line) {
            output_text(writer->output, buffer_text(&writer->path));
            output_text(writer->output, tail_of(writer, &item));
            output_byte(writer->output, '\n');
        } else {
            buffer_append_byte(&writer->path, ';');
            open_level(writer, item.start, item.size);
        }
    }
}

void folded_write(struct output *output, const struct call_node *nodes, size_t node_count,
                  const struct call_label *labels, size_t label_count,
                  const struct folded_options *options) {
    struct writer writer = {.output = output, .nodes = nodes};
    if (node_count < 2)
        return;
    write_labels(&writer, labels, label_count, options && options->annotate_kind);
    MEMORY_RESERVE(writer.members, writer.member_capacity, 1);
    writer.members[writer.member_count++] = 0;
    open_level(&writer, 0, 1);
    write_levels(&writer);
    free(writer.labels);
    arena_free(&writer.arena);
    free(writer.items);
    free(writer.members);
    free(writer.levels);
    buffer_free(&writer.path);
    buffer_free(&writer.counts);
}
