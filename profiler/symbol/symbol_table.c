// SPDX-License-Identifier: MIT
#include "profiler/symbol/symbol_table.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "fold/base/memory.h"
#include "fold/model/cpp_name.h"
#include "profiler/symbol/demangle.h"

enum { NAMES_COMPARED_MAX = 256, NESTING_MAX = 1000 };

void symbol_table_add(struct symbol_table *table, uint64_t start, uint64_t size, bool unsized,
                      enum symbol_binding binding, uint8_t strings, uint64_t name) {
    if (size == 0 || start > UINT64_MAX - size || table->size >= SYMBOL_NO_RECORD ||
        strings >= SYMBOL_STRINGS_MAX || name >= table->strings[strings].size)
        return;
    MEMORY_RESERVE(table->records, table->capacity, table->size + 1);
    table->records[table->size++] = (struct symbol_record){
        .start = start,
        .size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
        .name = (uint32_t)name,
        .enclosing = SYMBOL_NO_RECORD,
        .strings = strings,
        .binding = (uint8_t)binding,
        .unsized = unsized,
    };
}

void symbol_table_add_linkage(struct symbol_table *table, uint64_t start, uint64_t size,
                              uint8_t strings, uint64_t name) {
    size_t before = table->size;
    symbol_table_add(table, start, size, false, SYMBOL_LOCAL, strings, name);
    if (table->size > before)
        table->records[before].linkage = true;
}

/* ---- sorting ---- */

enum { DIGIT_BITS = 11, DIGIT_VALUES = 1 << DIGIT_BITS };

/* One pass of a radix sort by the digit of `start` at bit `shift`. Keeps the order of equals. */
static void sort_by_digit(const struct symbol_record *from, struct symbol_record *to, size_t size,
                          unsigned shift) {
    size_t places[DIGIT_VALUES] = {0};
    for (size_t i = 0; i < size; i++)
        places[from[i].start >> shift & (DIGIT_VALUES - 1)]++;
    size_t place = 0;
    for (size_t digit = 0; digit < DIGIT_VALUES; digit++) {
        size_t count = places[digit];
        places[digit] = place;
        place += count;
    }
    for (size_t i = 0; i < size; i++)
        to[places[from[i].start >> shift & (DIGIT_VALUES - 1)]++] = from[i];
}

static void sort_by_start(struct symbol_table *table) {
    uint64_t differing = 0;
    for (size_t i = 1; i < table->size; i++)
        differing |= table->records[i].start ^ table->records[0].start;
    if (differing == 0)
        return;
    struct symbol_record *from = table->records;
    struct symbol_record *to = memory_allocate(size_multiply(table->size, sizeof *to));
    for (unsigned shift = 0; shift < 64 && differing >> shift != 0; shift += DIGIT_BITS) {
        if ((differing >> shift & (DIGIT_VALUES - 1)) == 0)
            continue;
        sort_by_digit(from, to, table->size, shift);
        struct symbol_record *swap = from;
        from = to;
        to = swap;
    }
    free(to);
    table->records = from;
    table->capacity = table->size;
}

static int compare_at_one_start(const void *left, const void *right) {
    const struct symbol_record *a = left;
    const struct symbol_record *b = right;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    if (a->strings != b->strings)
        return a->strings < b->strings ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

/* The records `first` .. `behind - 1` have one start: gives those without a size one.
 * False: they are labels inside of another function. */
static bool settle_sizes(struct symbol_record *records, size_t first, size_t behind, bool enclosed,
                         uint64_t next_start) {
    uint32_t smallest = 0;
    size_t unsized = 0;
    for (size_t i = first; i < behind; i++) {
        if (records[i].unsized)
            unsized++;
        else if (smallest == 0 || records[i].size < smallest)
            smallest = records[i].size;
    }
    if (unsized == 0)
        return true;
    if (smallest == 0 && enclosed)
        return false;
    for (size_t i = first; i < behind; i++) {
        if (!records[i].unsized)
            continue;
        if (smallest != 0)
            records[i].size = smallest;
        else if (next_start - records[i].start < records[i].size)
            records[i].size = (uint32_t)(next_start - records[i].start);
    }
    return true;
}

void symbol_table_finish(struct symbol_table *table) {
    sort_by_start(table);
    struct symbol_record *records = table->records;
    size_t kept = 0;
    uint32_t enclosing = SYMBOL_NO_RECORD;
    for (size_t first = 0, behind; first < table->size; first = behind) {
        uint64_t start = records[first].start;
        for (behind = first + 1; behind < table->size && records[behind].start == start;)
            behind++;
        /* The first of a start is its largest, so it alone tells how far that code reaches. */
        while (enclosing != SYMBOL_NO_RECORD &&
               start - records[enclosing].start >= records[enclosing].size)
            enclosing = records[enclosing].enclosing;
        uint64_t next_start = behind < table->size ? records[behind].start : UINT64_MAX;
        if (!settle_sizes(records, first, behind, enclosing != SYMBOL_NO_RECORD, next_start))
            continue;
        if (behind - first > 1)
            qsort(records + first, behind - first, sizeof *records, compare_at_one_start);
        memmove(records + kept, records + first, (behind - first) * sizeof *records);
        records[kept].enclosing = enclosing;
        enclosing = (uint32_t)kept;
        kept += behind - first;
    }
    table->size = kept;
}

/* ---- looking up ---- */

/* The first record from `from` on whose start is not below `start`. */
static size_t lower_bound(const struct symbol_table *table, uint64_t start) {
    size_t low = 0;
    size_t high = table->size;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->records[middle].start < start)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of the records `first` .. `behind - 1` (one start, sizes falling), how many have a size above
 * `size`. */
static size_t count_larger(const struct symbol_table *table, size_t first, size_t behind,
                           uint64_t size) {
    size_t low = first;
    size_t high = behind;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->records[middle].size > size)
            low = middle + 1;
        else
            high = middle;
    }
    return low - first;
}

bool symbol_table_find(const struct symbol_table *table, uint64_t address,
                       struct symbol_match *match) {
    size_t behind = address < UINT64_MAX ? lower_bound(table, address + 1) : table->size;
    if (behind == 0)
        return false;
    size_t first = lower_bound(table, table->records[behind - 1].start);
    for (unsigned nesting = 0; nesting < NESTING_MAX; nesting++) {
        uint64_t start = table->records[first].start;
        size_t reaching = count_larger(table, first, behind, address - start);
        if (reaching > 0) {
            uint32_t size = table->records[first + reaching - 1].size;
            size_t larger = count_larger(table, first, behind, size);
            *match = (struct symbol_match){
                .start = start,
                .size = size,
                .first = (uint32_t)(first + larger),
                .count = (uint32_t)(reaching - larger),
            };
            return true;
        }
        if (table->records[first].enclosing == SYMBOL_NO_RECORD)
            return false;
        first = table->records[first].enclosing;
        behind = lower_bound(table, table->records[first].start + 1);
    }
    return false;
}

struct text symbol_table_name(const struct symbol_table *table, uint32_t record) {
    const struct symbol_record *found = &table->records[record];
    return text_of(table->strings[found->strings].data + found->name);
}

/* What stands behind the name of a record. */
static void append_mark(const struct symbol_table *table, uint32_t record, struct buffer *out) {
    if (table->records[record].linkage)
        buffer_append_text(out, TEXT("@plt"));
}

void symbol_table_append_raw(const struct symbol_table *table, uint32_t record,
                             struct buffer *out) {
    buffer_append_text(out, cpp_name_without_version(symbol_table_name(table, record)));
    append_mark(table, record, out);
}

void symbol_table_append_short(const struct symbol_table *table, uint32_t record,
                               struct buffer *out) {
    struct text name = cpp_name_without_version(symbol_table_name(table, record));
    if (table->demangled)
        cpp_name_shorten(name, out);
    else
        demangle_short(name, out);
    append_mark(table, record, out);
}

void symbol_table_append_full(const struct symbol_table *table, uint32_t record,
                              struct buffer *out) {
    struct text name = cpp_name_without_version(symbol_table_name(table, record));
    if (table->demangled)
        buffer_append_text(out, name);
    else
        demangle_full(name, out);
    append_mark(table, record, out);
}

static size_t leading_underscores(struct text name) {
    size_t count = 0;
    while (count < name.size && name.data[count] == '_')
        count++;
    return count;
}

/* < 0, 0, > 0 as the name `a` is better than, as good as, or worse than `b` of the same binding. */
static int compare_names(struct text a, struct text b) {
    size_t underscores_a = leading_underscores(a);
    size_t underscores_b = leading_underscores(b);
    if (underscores_a != underscores_b)
        return underscores_a < underscores_b ? -1 : 1;
    if (a.size != b.size)
        return a.size < b.size ? -1 : 1;
    return text_compare(a, b);
}

/* Smaller is better, before names are compared. */
static unsigned rank_of(const struct symbol_record *record) {
    return record->binding * 2U + record->unsized;
}

uint32_t symbol_table_best(const struct symbol_table *table, const struct symbol_match *match) {
    unsigned rank = UINT_MAX;
    for (uint32_t i = 0; i < match->count; i++) {
        if (rank_of(&table->records[match->first + i]) < rank)
            rank = rank_of(&table->records[match->first + i]);
    }
    struct buffer names[2] = {{0}, {0}}; /* the best so far, and the one at hand */
    uint32_t best = SYMBOL_NO_RECORD;
    unsigned compared = 0;
    for (uint32_t i = 0; i < match->count && compared < NAMES_COMPARED_MAX; i++) {
        uint32_t record = match->first + i;
        if (rank_of(&table->records[record]) != rank)
            continue;
        compared++;
        buffer_clear(&names[1]);
        symbol_table_append_short(table, record, &names[1]);
        int order = -1;
        if (best != SYMBOL_NO_RECORD)
            order = compare_names(buffer_text(&names[1]), buffer_text(&names[0]));
        /* Two constructors of one class look the same: then the mangled names decide. */
        if (order == 0)
            order = text_compare(symbol_table_name(table, record), symbol_table_name(table, best));
        if (order < 0) {
            best = record;
            struct buffer swap = names[0];
            names[0] = names[1];
            names[1] = swap;
        }
    }
    buffer_free(&names[0]);
    buffer_free(&names[1]);
    return best;
}

void symbol_table_free(struct symbol_table *table) {
    free(table->records);
    *table = (struct symbol_table){0};
}
