// SPDX-License-Identifier: MIT
#include "profiler/trace/reference_symbols.h"

#include <string.h>

/* A symbol with its absolute addresses. */
struct placed {
    struct text name;
    uint64_t start, end;
    bool has_end;
};

struct adder {
    struct v8log_code *code;
    uint64_t start, end;   /* of the library */
    struct placed pending; /* without a size: ends where the next one begins */
    bool has_pending;
    struct placed last; /* added last */
    bool has_last;
    struct placed before; /* 12: the one before, of any kind */
    bool has_before;
    reference_symbol_added *added;
    void *context;
};

static void add(struct adder *adder, const struct placed *symbol, uint64_t end) {
    uint32_t row = v8log_code_add_symbol(adder->code, symbol->name, symbol->start, end);
    if (adder->added)
        adder->added(adder->context, row);
    adder->last = *symbol;
    adder->last.end = end;
    adder->has_last = true;
}

static bool in_library(const struct adder *adder, uint64_t start, uint64_t end) {
    return start >= adder->start && end <= adder->end;
}

/* The rules of 14 and later. */
static void take(struct adder *adder, const struct placed *symbol) {
    if (adder->has_pending && adder->pending.start < symbol->start) {
        uint64_t end = symbol->start;
        bool inside_last =
            adder->has_last && adder->pending.start >= adder->last.start && end <= adder->last.end;
        if (!inside_last && in_library(adder, adder->pending.start, end))
            add(adder, &adder->pending, end);
    }
    adder->has_pending = false;
    if (!symbol->has_end) {
        adder->pending = *symbol;
        adder->has_pending = true;
    } else if ((!adder->has_last || adder->last.start != symbol->start) &&
               in_library(adder, symbol->start, symbol->end)) {
        add(adder, symbol, symbol->end);
    }
}

/* The rules of 12. */
static void take_12(struct adder *adder, const struct placed *symbol) {
    const struct placed *before = &adder->before;
    if (adder->has_before && !before->has_end && before->start < symbol->start &&
        before->start >= adder->start && symbol->start <= adder->end)
        add(adder, before, symbol->start);
    if (symbol->has_end && (!adder->has_before || before->start != symbol->start) &&
        in_library(adder, symbol->start, symbol->end))
        add(adder, symbol, symbol->end);
    adder->before = *symbol;
    adder->has_before = true;
}

static void take_row(struct adder *adder, const struct symbol_row *row, uint64_t slide) {
    if (!row->type || !strchr("tTwW", row->type))
        return;
    struct placed symbol = {.name = row->name, .start = row->address};
    const struct v8log_rules *rules = adder->code->rules;
    uint64_t low =
        rules->start_without_slide || slide > adder->start ? adder->start : adder->start - slide;
    if (symbol.start < low && symbol.start < adder->end - adder->start)
        symbol.start += adder->start;
    else
        symbol.start += slide;
    symbol.has_end = row->has_size && row->size > 0;
    symbol.end = symbol.start + row->size;
    if (rules->text_adjustment)
        take(adder, &symbol);
    else
        take_12(adder, &symbol);
}

void reference_symbols_add(struct v8log_code *code, const struct symbol_rows *rows,
                           struct text path, uint64_t start, uint64_t end, uint64_t slide,
                           reference_symbol_added *added, void *context) {
    if (end < start)
        return;
    struct adder adder = {
        .code = code, .start = start, .end = end, .added = added, .context = context};
    size_t tables = code->rules->debug_files ? SYMBOL_ROWS_DEBUG : SYMBOL_ROWS_DYN;
    for (size_t table = SYMBOL_ROWS_NM; table <= tables; table++) {
        const struct symbol_row_list *list =
            symbol_rows_of(rows, path, (enum symbol_row_table)table);
        for (size_t i = 0; i < list->size; i++)
            take_row(&adder, &list->rows[i], slide);
    }
    struct placed library_end = {.start = end};
    if (code->rules->text_adjustment)
        take(&adder, &library_end);
    else
        take_12(&adder, &library_end);
}
