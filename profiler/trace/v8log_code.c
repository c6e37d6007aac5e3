// SPDX-License-Identifier: MIT
#include "profiler/trace/v8log_code.h"

#include <stdlib.h>
#include <string.h>

void v8log_code_start(struct v8log_code *code, const struct v8log_rules *rules) {
    *code = (struct v8log_code){.rules = rules};
    MEMORY_RESERVE(code->entries, code->entry_capacity, 64);
    code->entries[0] = (struct code_entry){0};
    code->entry_count = 1;
}

void v8log_code_forget(struct v8log_code *code) {
    address_map_free(&code->dynamic);
    address_map_free(&code->symbols);
    address_map_free(&code->libraries);
    address_map_free(&code->functions);
    address_cache_free(&code->cache);
    code->page_count = 0;
    code->builtins_start = code->builtins_end = code->jit_start = 0;
}

void v8log_code_free(struct v8log_code *code) {
    v8log_code_forget(code);
    string_table_free(&code->strings);
    arena_free(&code->arena);
    free(code->entries);
    free(code->pages);
    free(code->name_counts);
}

struct text v8log_code_text(const struct v8log_code *code, struct string_id id) {
    return string_table_text(&code->strings, id);
}

static struct string_id intern(struct v8log_code *code, struct text text) {
    return string_table_intern(&code->strings, &code->arena, text);
}

static uint32_t new_entry(struct v8log_code *code, enum code_kind kind, uint64_t size,
                          struct string_id name) {
    MEMORY_RESERVE(code->entries, code->entry_capacity, code->entry_count + 1);
    code->entries[code->entry_count] = (struct code_entry){.kind = (uint8_t)kind,
                                                           .size = size,
                                                           .name = name,
                                                           .code_id = CODE_ID_NONE,
                                                           .function_id = CODE_ID_NONE};
    return (uint32_t)code->entry_count++;
}

/* a + b as the rules compute it: in doubles for a reference. */
static uint64_t add_sizes(const struct v8log_code *code, uint64_t a, uint64_t b) {
    uint64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return UINT64_MAX;
    if (!code->rules->exact || sum <= UINT64_C(1) << 53)
        return sum;
    double rounded = (double)sum;
    return rounded < 0x1p64 ? (uint64_t)rounded : UINT64_MAX;
}

static uint64_t entry_end(const struct v8log_code *code, struct address_entry at) {
    return add_sizes(code, at.start, code->entries[at.value].size);
}

/* Answers change from `start` to the end of what was there: the new or old bytes, and those of the
 * entry before, which a key inside it hides or shows again. */
static void forget_answers(struct v8log_code *code, uint64_t start, uint64_t size) {
    uint64_t end = add_sizes(code, start, size);
    struct address_entry before;
    if (start > 0 && address_map_floor(&code->dynamic, start - 1, &before)) {
        uint64_t end_before = entry_end(code, before);
        if (end_before > end)
            end = end_before;
    }
    address_cache_forget(&code->cache, start, end);
}

static void remove_dynamic(struct v8log_code *code, uint64_t start) {
    uint32_t row = address_map_remove(&code->dynamic, start);
    if (row)
        forget_answers(code, start, code->entries[row].size);
}

/* Removes what overlaps [start, start + size), walking down from the greatest key as the reference
 * does: an entry hidden behind one that does not overlap stays. */
static void remove_covered(struct v8log_code *code, uint64_t start, uint64_t size) {
    uint64_t end = add_sizes(code, start, size);
    if (end <= start)
        return;
    uint64_t address = end - 1;
    struct address_entry at;
    while (address >= start && address_map_floor(&code->dynamic, address, &at)) {
        if (start < entry_end(code, at))
            remove_dynamic(code, at.start);
        if (at.start == 0)
            break;
        address = at.start - 1;
    }
}

static void insert_dynamic(struct v8log_code *code, uint64_t start, uint32_t row) {
    remove_covered(code, start, code->entries[row].size);
    code->entries[row].start = start;
    if (address_map_insert(&code->dynamic, start, row))
        forget_answers(code, start, code->entries[row].size);
}

static void add_pages(struct v8log_code *code, uint64_t start, uint64_t end) {
    if (end < start)
        return;
    uint64_t first = start & code->rules->page_mask;
    uint64_t last = (start + ((end - start) & ~UINT64_C(0xFFF))) & code->rules->page_mask;
    if (last < first) /* wraps round in the masked space */
        last = code->rules->page_mask;
    size_t at = 0;
    while (at < code->page_count && code->pages[at].last < first)
        at++;
    size_t merged = at;
    while (merged < code->page_count && code->pages[merged].first <= last) {
        if (code->pages[merged].first < first)
            first = code->pages[merged].first;
        if (code->pages[merged].last > last)
            last = code->pages[merged].last;
        merged++;
    }
    MEMORY_RESERVE(code->pages, code->page_capacity, code->page_count + 1);
    memmove(code->pages + at + 1, code->pages + merged,
            (code->page_count - merged) * sizeof *code->pages);
    code->page_count = code->page_count + 1 - (merged - at);
    code->pages[at] = (struct page_range){first, last};
}

static bool is_library_page(const struct v8log_code *code, uint64_t address) {
    address &= code->rules->page_mask;
    size_t low = 0, high = code->page_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code->pages[middle].last < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < code->page_count && code->pages[low].first <= address;
}

uint32_t v8log_code_add_library(struct v8log_code *code, struct text path, uint64_t start,
                                uint64_t end) {
    uint64_t size = end > start ? end - start : 0;
    struct string_id name = intern(code, path);
    uint32_t row = address_map_find(&code->libraries, start);
    if (!code->rules->exact && row && code->entries[row].name.index == name.index) {
        if (size > code->entries[row].size)
            code->entries[row].size = size;
    } else {
        row = new_entry(code, CODE_LIBRARY, size, name);
        code->entries[row].start = start;
        address_map_insert(&code->libraries, start, row);
    }
    if (code->rules->exact)
        add_pages(code, start, end);
    address_cache_forget(&code->cache, 0, UINT64_MAX);
    return row;
}

uint32_t v8log_code_add_symbol(struct v8log_code *code, struct text name, uint64_t start,
                               uint64_t end) {
    uint32_t row = new_entry(code, CODE_SYMBOL, end > start ? end - start : 0, intern(code, name));
    code->entries[row].start = start;
    address_map_insert(&code->symbols, start, row);
    return row;
}

/* Widens the range of builtins that lie in the node binary. */
static void note_builtin(struct v8log_code *code, uint64_t start, uint64_t size) {
    struct address_entry library;
    if (!address_map_floor(&code->libraries, start, &library) || start >= entry_end(code, library))
        return;
    uint64_t end = add_sizes(code, start, size);
    bool first = code->builtins_start == code->builtins_end;
    if (first || start < code->builtins_start)
        code->builtins_start = start;
    if (first || end > code->builtins_end)
        code->builtins_end = end;
}

uint32_t v8log_code_add_plain(struct v8log_code *code, struct text type, struct text name,
                              uint64_t start, uint64_t size) {
    uint32_t covering = code->for_json ? v8log_code_find(code, start) : 0;
    uint32_t row = new_entry(code, CODE_PLAIN, size, intern(code, name));
    code->entries[row].type = intern(code, type);
    if (code->entries[covering].kind == CODE_SYMBOL)
        code->entries[row].code_id = code->entries[covering].code_id;
    insert_dynamic(code, start, row);
    if (!code->rules->exact)
        note_builtin(code, start, size);
    return row;
}

static uint32_t new_function(struct v8log_code *code, struct string_id name, uint64_t address) {
    uint32_t row = new_entry(code, CODE_FUNCTION, 0, name);
    code->entries[row].start = address;
    return row;
}

/* The function at an address by the rules of a reference; 0: the record is refused. */
static uint32_t exact_function(struct v8log_code *code, struct string_id name, uint64_t address) {
    uint32_t row = address_map_find(&code->dynamic, address);
    bool is_function = row && code->entries[row].kind == CODE_FUNCTION;
    bool replaced =
        row && !is_function && !code->for_json && code->rules->misplaced == MISPLACED_IS_REPLACED;
    if (!row || replaced) {
        row = new_function(code, name, address);
        insert_dynamic(code, address, row);
    } else if (code->entries[row].name.index != name.index) {
        code->entries[row].name = name;
        code->entries[row].renamed = true;
        code->entries[row].view = 0;
        code->entries[row].function_id = CODE_ID_NONE;
        code->entries[row].renames++;
    }
    return row;
}

/* The function at an address; another name means that the address is used again. */
static uint32_t tolerant_function(struct v8log_code *code, struct string_id name,
                                  uint64_t address) {
    uint32_t row = address_map_find(&code->functions, address);
    if (row && code->entries[row].name.index == name.index)
        return row;
    if (row)
        address_map_remove(&code->functions, address);
    row = new_function(code, name, address);
    address_map_insert(&code->functions, address, row);
    return row;
}

struct code_made v8log_code_add_function_code(struct v8log_code *code, struct text type,
                                              struct text name, uint64_t start, uint64_t size,
                                              uint64_t function, char mark) {
    struct string_id name_id = intern(code, name);
    struct code_made made = {0, 0, false};
    made.function = code->rules->exact ? exact_function(code, name_id, function)
                                       : tolerant_function(code, name_id, function);
    made.row = address_map_find(&code->dynamic, start);
    if (made.row) {
        struct code_entry *entry = &code->entries[made.row];
        if (entry->kind == CODE_FUNCTION_CODE && entry->size == size &&
            entry->function == made.function && !code->for_json) {
            entry->mark = mark;
            entry->view = 0;
            return made;
        }
        if (code->rules->reused_code_is_ignored)
            return made;
        remove_dynamic(code, start);
    }
    made.row = 0;
    if (code->rules->exact && !code->for_json && code->rules->misplaced == MISPLACED_IS_LOST &&
        code->entries[made.function].kind != CODE_FUNCTION)
        return made;
    made.row = new_entry(code, CODE_FUNCTION_CODE, size, name_id);
    made.is_new = true;
    code->entries[made.row].type = intern(code, type);
    code->entries[made.row].function = made.function;
    code->entries[made.row].mark = mark;
    insert_dynamic(code, start, made.row);
    bool compiled = mark == '^' || mark == '+' || mark == '*';
    if (compiled && (code->jit_start == 0 || start < code->jit_start))
        code->jit_start = start;
    return made;
}

static bool move_dynamic(struct v8log_code *code, uint64_t from, uint64_t to) {
    uint32_t row = address_map_find(&code->dynamic, from);
    if (!row)
        return false;
    remove_dynamic(code, from);
    insert_dynamic(code, to, row);
    return true;
}

bool v8log_code_move(struct v8log_code *code, uint64_t from, uint64_t to) {
    return move_dynamic(code, from, to);
}

bool v8log_code_move_function(struct v8log_code *code, uint64_t from, uint64_t to) {
    if (code->rules->exact)
        return move_dynamic(code, from, to);
    uint32_t row = address_map_remove(&code->functions, from);
    if (!row)
        return false;
    address_map_remove(&code->functions, to);
    address_map_insert(&code->functions, to, row);
    code->entries[row].start = to;
    return true;
}

bool v8log_code_delete(struct v8log_code *code, uint64_t start) {
    if (!address_map_find(&code->dynamic, start))
        return false;
    remove_dynamic(code, start);
    return true;
}

uint32_t v8log_code_at_start(const struct v8log_code *code, uint64_t start) {
    return address_map_find(&code->dynamic, start);
}

uint32_t v8log_code_function_at(const struct v8log_code *code, uint64_t address) {
    return address_map_find(code->rules->exact ? &code->dynamic : &code->functions, address);
}

static uint32_t find_in(const struct v8log_code *code, const struct address_map *map,
                        uint64_t address) {
    struct address_entry at;
    return address_map_floor(map, address, &at) && address < entry_end(code, at) ? at.value : 0;
}

/* Names get a number from their second use on: "name", "name {1}" ... */
static void use_name(struct v8log_code *code, uint32_t row) {
    static const char *const prototype[] = {
        "constructor",          "__proto__",        "hasOwnProperty",   "isPrototypeOf",
        "propertyIsEnumerable", "toString",         "valueOf",          "toLocaleString",
        "__defineGetter__",     "__defineSetter__", "__lookupGetter__", "__lookupSetter__"};
    struct code_entry *entry = &code->entries[row];
    if (entry->name_used || !code->numbers_names)
        return;
    entry->name_used = true;
    /* Code of a function has no name of its own: for a reference it uses the empty one. */
    bool is_nameless = code->rules->exact && entry->kind == CODE_FUNCTION_CODE;
    if (entry->kind != CODE_PLAIN && !is_nameless)
        return;
    uint32_t index = is_nameless ? 0 : entry->name.index;
    if (index >= code->name_counts_capacity) {
        size_t old = code->name_counts_capacity;
        code->name_counts = memory_grow(code->name_counts, &code->name_counts_capacity,
                                        (size_t)index + 1, sizeof *code->name_counts);
        memset(code->name_counts + old, 0,
               (code->name_counts_capacity - old) * sizeof *code->name_counts);
    }
    if (is_nameless) {
        code->name_counts[0]++;
        return;
    }
    struct text name = v8log_code_text(code, entry->name);
    for (size_t i = 0;
         code->rules->counts_prototype_names && i < sizeof prototype / sizeof *prototype; i++) {
        if (text_equal(name, text_of(prototype[i]))) {
            struct buffer text = {0};
            buffer_append_format(&text, "%.*s {NaN}", (int)name.size, name.data);
            entry->name = intern(code, buffer_text(&text));
            buffer_free(&text);
            return;
        }
    }
    uint32_t count = code->name_counts[index]++;
    if (count == 0)
        return;
    struct buffer text = {0};
    buffer_append_text(&text, name);
    buffer_append_format(&text, " {%u}", count);
    entry->name = intern(code, buffer_text(&text));
    buffer_free(&text);
}

static uint32_t find_exactly(struct v8log_code *code, uint64_t address) {
    if (is_library_page(code, address)) {
        uint32_t row = find_in(code, &code->symbols, address);
        return row ? row : find_in(code, &code->libraries, address);
    }
    uint32_t row = find_in(code, &code->dynamic, address);
    if (row)
        use_name(code, row);
    return row;
}

/*
 * V8 11 (Node 20) logs its builtins where they lie in the node binary, but runs a copy of them that
 * no record mentions: at the end of the 512 MB range of its compiled code, a whole number of 256 KB
 * pages (deps/v8/src/heap/code-range.cc, RemapEmbeddedBuiltins). The first page of the range is the
 * first that compiled code is put in.
 */
static uint32_t find_in_copy(struct v8log_code *code, uint64_t address) {
    const uint64_t range = UINT64_C(512) << 20, page = UINT64_C(256) << 10;
    uint64_t size = code->builtins_end - code->builtins_start;
    uint64_t room = (size + page - 1) & ~(page - 1);
    uint64_t first_page = code->jit_start & ~(page - 1);
    if (size == 0 || room >= range || first_page == 0 || address < first_page ||
        address - first_page < range - room || address - first_page - (range - room) >= size)
        return 0;
    uint64_t offset = address - first_page - (range - room);
    return find_in(code, &code->dynamic, code->builtins_start + offset);
}

static uint32_t find_tolerantly(struct v8log_code *code, uint64_t address) {
    uint32_t row = find_in(code, &code->dynamic, address);
    if (row) {
        use_name(code, row);
        return row;
    }
    uint32_t library = find_in(code, &code->libraries, address);
    if (!library)
        return find_in_copy(code, address);
    if (!code->find_symbol)
        return library;
    const struct code_entry *entry = &code->entries[library];
    struct code_symbol symbol;
    if (!code->find_symbol(code->find_symbol_context, v8log_code_text(code, entry->name),
                           entry->start, entry->start + entry->size, address, &symbol))
        return library;
    row = address_map_find(&code->symbols, symbol.start);
    if (row && code->entries[row].size == symbol.size)
        return row;
    struct string_id module = entry->name;
    row = v8log_code_add_symbol(code, symbol.name, symbol.start,
                                add_sizes(code, symbol.start, symbol.size));
    code->entries[row].module = module;
    return row;
}

uint32_t v8log_code_find(struct v8log_code *code, uint64_t address) {
    uint32_t row;
    if (address_cache_find(&code->cache, address, &row))
        return row;
    row = code->rules->exact ? find_exactly(code, address) : find_tolerantly(code, address);
    address_cache_put(&code->cache, address, row);
    return row;
}

bool v8log_code_is_near(const struct v8log_code *code, uint64_t address) {
    const uint64_t distance = 1024 * 1024;
    struct address_entry at;
    uint64_t above = address > UINT64_MAX - distance ? UINT64_MAX : address + distance;
    return address_map_floor(&code->dynamic, above, &at) &&
           (at.start >= address || address - at.start < distance);
}

uint32_t v8log_code_view(const struct v8log_code *code, uint32_t row) {
    const struct code_entry *entry = &code->entries[row];
    bool stale = entry->kind == CODE_FUNCTION_CODE &&
                 entry->renames != code->entries[entry->function].renames;
    return stale ? 0 : entry->view;
}

void v8log_code_set_view(struct v8log_code *code, uint32_t row, uint32_t view) {
    struct code_entry *entry = &code->entries[row];
    entry->view = view;
    if (entry->kind == CODE_FUNCTION_CODE)
        entry->renames = code->entries[entry->function].renames;
}

static void append_name(const struct v8log_code *code, const struct code_entry *entry,
                        struct buffer *buffer) {
    struct text name = v8log_code_text(code, entry->name);
    if (entry->kind == CODE_FUNCTION && (name.size == 0 || name.data[0] == ' '))
        buffer_append(buffer, "<anonymous>", 11);
    buffer_append_text(buffer, name);
}

void v8log_code_append_label(const struct v8log_code *code, uint32_t row, struct buffer *buffer) {
    /* Of a reference that takes other code for a function, labels nest; a cycle ends it. */
    for (unsigned depth = 0; depth < 16; depth++) {
        const struct code_entry *entry = &code->entries[row];
        if (entry->kind == CODE_PLAIN || entry->kind == CODE_FUNCTION_CODE) {
            buffer_append_text(buffer, v8log_code_text(code, entry->type));
            buffer_append(buffer, ": ", 2);
        }
        if (entry->kind != CODE_FUNCTION_CODE) {
            append_name(code, entry, buffer);
            return;
        }
        if (entry->mark)
            buffer_append_byte(buffer, entry->mark);
        row = entry->function;
    }
}
