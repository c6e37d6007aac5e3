// SPDX-License-Identifier: MIT
#include "profiler/trace/reference_process.h"

#include <inttypes.h>
#include <stdlib.h>

#include "fold/base/json_write.h"
#include "profiler/trace/library_symbols.h"
#include "profiler/trace/reference_json.h"
#include "profiler/trace/reference_summary.h"
#include "profiler/trace/reference_symbols.h"

struct reference_process {
    struct v8log_process process;
    struct reference_symbol_sources symbols;
    struct library_symbols library_symbols;
    struct output *output;
    bool preprocess;
    struct reference_summary summary; /* unless `preprocess` */
    struct reference_json json;       /* with `preprocess` */
};

static void take_library(void *context, uint32_t row, uint64_t start, uint64_t end,
                         uint64_t slide) {
    struct reference_process *self = context;
    struct v8log_code *code = &self->process.code;
    bool is_new = code->entries[row].code_id == CODE_ID_NONE;
    if (!self->preprocess)
        reference_summary_announce(&self->summary, row);
    else if (is_new)
        reference_json_library(&self->json, row);
    if (self->symbols.rows)
        reference_symbols_add(code, self->symbols.rows,
                              v8log_code_text(code, code->entries[row].name), start, end, slide,
                              self->preprocess ? reference_json_symbol : reference_summary_announce,
                              self->preprocess ? (void *)&self->json : &self->summary);
}

struct reference_process *reference_process_new(const struct v8log_rules *rules,
                                                const struct reference_options *options,
                                                bool preprocess,
                                                struct reference_symbol_sources symbols,
                                                struct output *output, struct warnings *warnings) {
    struct reference_process *self = memory_allocate_zero(1, sizeof *self);
    self->symbols = symbols;
    self->output = output;
    self->preprocess = preprocess;
    struct v8log_sink sink = {.context = &self->summary,
                              .tick = reference_summary_tick,
                              .event = reference_summary_event};
    if (preprocess)
        sink = (struct v8log_sink){.context = &self->json,
                                   .tick = reference_json_tick,
                                   .plain_code = reference_json_plain_code,
                                   .function_code = reference_json_function_code,
                                   .source_info = reference_json_source_info,
                                   .script = reference_json_script,
                                   .deopt = reference_json_deopt,
                                   .event = reference_json_event};
    v8log_process_start(&self->process, rules, sink, warnings);
    self->process.code.numbers_names = true;
    self->process.sink.library = take_library;
    self->process.sink.library_context = self;
    if (preprocess)
        reference_json_start(&self->json, options, &self->process.code, output);
    else
        reference_summary_start(&self->summary, options, &self->process.code, output);
    if (symbols.source && !rules->exact)
        library_symbols_use(&self->library_symbols, symbols.source, LIBRARY_SYMBOLS_FULL,
                            &self->process.code);
    return self;
}

void reference_process_hold_lines(struct reference_process *self, enum v8log_timed_range range) {
    self->process.timed_range = range;
}

void reference_process_feed(struct reference_process *self, struct text piece) {
    v8log_process_feed(&self->process, piece);
}

void reference_process_finish(struct reference_process *self) {
    v8log_process_finish(&self->process);
}

void reference_process_write(struct reference_process *self) {
    if (self->preprocess)
        reference_json_write(&self->json, self->output);
    else
        reference_summary_write(&self->summary, self->output);
}

/* The array under way. */
struct symbol_list {
    struct output *output;
    bool filled;
};

static void write_symbol(void *context, const struct symbol *symbol) {
    struct symbol_list *list = context;
    /* A symbol without a size reaches to the next one, or to the end of its library. */
    uint64_t end = symbol->end < symbol->library->end ? symbol->end : symbol->library->end;
    struct buffer text = {0};
    buffer_append_format(&text, "%s[\"", list->filled ? "," : "");
    json_append_escaped(&text, symbol->full);
    buffer_append_format(&text, "\",%" PRIu64 ",%" PRIu64 "]", symbol->start, end);
    output_text(list->output, buffer_text(&text));
    buffer_free(&text);
    list->filled = true;
}

void reference_process_write_symbols(struct reference_process *self) {
    struct symbol_list list = {self->output, false};
    const struct v8log_code *code = &self->process.code;
    output_byte(self->output, '[');
    for (size_t i = 1; i < code->entry_count && self->symbols.source; i++) {
        const struct code_entry *entry = &code->entries[i];
        const struct symbol_library *library =
            entry->kind == CODE_LIBRARY
                ? library_symbols_library(self->symbols.source, v8log_code_text(code, entry->name),
                                          entry->start, entry->start + entry->size)
                : NULL;
        if (library)
            symbol_source_each(self->symbols.source, library, write_symbol, &list);
    }
    output_string(self->output, "]\n");
}

void reference_process_free(struct reference_process *self) {
    if (!self)
        return;
    if (self->preprocess)
        reference_json_free(&self->json);
    else
        reference_summary_free(&self->summary);
    v8log_process_free(&self->process);
    free(self);
}
