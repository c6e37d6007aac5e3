// SPDX-License-Identifier: MIT
#include "profiler/trace/reference_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/trace/v8log_fields.h"

enum { DEPTH_MAX = 4096 };

/* Whether a label is hidden by the `--separate-...` options. */
static bool is_hidden(const struct reference_options *options, struct text label) {
    if (!options->separate_ic &&
        (text_starts_with(label, TEXT("LoadGlobalIC: ")) ||
         text_contains(label, TEXT("Handler: ")) || text_contains(label, TEXT("CallIC")) ||
         text_contains(label, TEXT("LoadIC")) || text_contains(label, TEXT("StoreIC"))))
        return true;
    return (!options->separate_bytecodes && text_starts_with(label, TEXT("BytecodeHandler: "))) ||
           (!options->separate_builtins && text_starts_with(label, TEXT("Builtin: "))) ||
           (!options->separate_stubs && text_starts_with(label, TEXT("Stub: ")));
}

static uint32_t intern_label(struct reference_summary *summary, struct text text) {
    /* Label 0 is "none", and an empty text is a label too. */
    struct string_id id = string_table_intern(&summary->labels, &summary->arena,
                                              text.size ? text : (struct text){"\0", 1});
    if (id.index >= summary->label_count) {
        MEMORY_RESERVE(summary->label_data, summary->label_capacity, (size_t)id.index + 1);
        memset(summary->label_data + summary->label_count, 0,
               (id.index + 1 - summary->label_count) * sizeof *summary->label_data);
        summary->label_count = (size_t)id.index + 1;
        summary->label_data[id.index].is_hidden = is_hidden(summary->options, text);
    }
    return id.index;
}

void reference_summary_start(struct reference_summary *summary,
                             const struct reference_options *options, struct v8log_code *code,
                             struct output *output) {
    *summary = (struct reference_summary){.options = options, .code = code, .output = output};
    summary->unknown_label = intern_label(summary, TEXT("UNKNOWN"));
    summary->label_data[summary->unknown_label].is_hidden = false;
    /* Levels that can be printed: one more while the indentation is below twice the size. */
    double levels = isnan(options->call_graph_size) || options->call_graph_size <= 0
                        ? 1
                        : ceil(options->call_graph_size) + 1;
    summary->depth_limit = options->only_summary ? 0
                           : levels > DEPTH_MAX  ? DEPTH_MAX
                                                 : (size_t)levels;
}

static uint32_t label_of(struct reference_summary *summary, uint32_t row) {
    uint32_t label = v8log_code_view(summary->code, row);
    if (label)
        return label;
    struct buffer text = {0};
    v8log_code_append_label(summary->code, row, &text);
    label = intern_label(summary, buffer_text(&text));
    buffer_free(&text);
    uint8_t kind = summary->code->entries[row].kind;
    if (kind == CODE_LIBRARY || kind == CODE_SYMBOL) {
        summary->label_data[label].is_library = kind == CODE_LIBRARY;
        summary->label_data[label].is_symbol = kind == CODE_SYMBOL;
    }
    v8log_code_set_view(summary->code, row, label);
    return label;
}

void reference_summary_announce(void *context, uint32_t row) {
    (void)label_of(context, row);
}

static struct stack_id add_caller(struct reference_summary *summary, struct stack_id parent,
                                  uint32_t label) {
    size_t before = summary->callers.size;
    struct stack_id caller =
        stack_table_intern(&summary->callers, parent, (struct frame_id){label});
    if (summary->callers.size > before) {
        MEMORY_RESERVE(summary->caller_ticks, summary->caller_capacity, summary->callers.size);
        summary->caller_ticks[caller.index] = 0;
    }
    summary->caller_ticks[caller.index]++;
    return caller;
}

static void count_entry_point(struct reference_summary *summary, uint32_t label) {
    if (label >= summary->entry_point_count) {
        MEMORY_RESERVE(summary->entry_points, summary->entry_point_capacity, (size_t)label + 1);
        memset(summary->entry_points + summary->entry_point_count, 0,
               (label + 1 - summary->entry_point_count) * sizeof *summary->entry_points);
        summary->entry_point_count = (size_t)label + 1;
    }
    summary->entry_points[label]++;
}

/* The state of walking one tick's stack. */
struct walk {
    size_t index;           /* of the next address */
    size_t shown;           /* labels pushed so far */
    struct stack_id caller; /* the last one */
    bool wants_entry;       /* the tick began in C++ and its entry point is not found yet */
    uint32_t last_symbol;   /* label of the outermost C++ function so far */
};

static void push(struct reference_summary *summary, struct walk *walk, uint32_t label) {
    if (walk->shown == 0)
        summary->label_data[label].flat++;
    if (walk->shown++ < summary->depth_limit)
        walk->caller = add_caller(summary, walk->caller, label);
}

static void take_address(struct reference_summary *summary, struct walk *walk, uint64_t address) {
    size_t index = walk->index++;
    uint32_t row = address == ADDRESS_INVALID ? 0 : v8log_code_find(summary->code, address);
    uint8_t kind = summary->code->entries[row].kind;
    if (row) {
        uint32_t label = label_of(summary, row);
        if (index == 0)
            walk->wants_entry = kind == CODE_SYMBOL || kind == CODE_LIBRARY;
        if (walk->wants_entry && kind == CODE_SYMBOL)
            walk->last_symbol = label;
        if (!summary->label_data[label].is_hidden)
            push(summary, walk, label);
    } else if (index == 0) {
        summary->unaccounted++;
        push(summary, walk, summary->unknown_label);
    }
    if (walk->wants_entry && index > 0 && kind != CODE_SYMBOL && walk->last_symbol) {
        count_entry_point(summary, walk->last_symbol);
        walk->wants_entry = false;
    }
}

void reference_summary_tick(void *context, const struct v8log_tick *original) {
    struct reference_summary *summary = context;
    struct v8log_tick tick = *original;
    if (!reference_ticks_take(&summary->ticks, summary->options, &tick))
        return;
    uint64_t frameless = 0;
    if (tick.in_callback) {
        tick.pc = tick.top_of_stack;
    } else if (tick.top_of_stack) {
        uint32_t row = v8log_code_find(summary->code, tick.top_of_stack);
        if (summary->code->entries[row].kind == CODE_FUNCTION_CODE)
            frameless = tick.top_of_stack;
    }
    struct walk walk = {0};
    take_address(summary, &walk, tick.pc);
    if (frameless)
        take_address(summary, &walk, frameless);
    /* A reference looks all frames up, and numbers names that occur twice on the way. */
    bool exact = summary->code->rules->exact;
    for (size_t i = 0; i < tick.frame_count; i++) {
        bool enough = walk.shown > 0 && walk.shown >= summary->depth_limit;
        if (!exact && enough && (!walk.wants_entry || summary->options->only_summary))
            break;
        take_address(summary, &walk, tick.frames[i]);
    }
}

void reference_summary_event(void *context, enum v8log_event event, struct text name) {
    struct reference_summary *summary = context;
    reference_ticks_event(&summary->ticks, summary->options, event, name, summary->output);
}

void reference_summary_free(struct reference_summary *summary) {
    reference_ticks_free(&summary->ticks);
    string_table_free(&summary->labels);
    arena_free(&summary->arena);
    free(summary->label_data);
    free(summary->entry_points);
    stack_table_free(&summary->callers);
    free(summary->caller_ticks);
}
