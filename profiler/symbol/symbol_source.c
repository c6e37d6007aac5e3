// SPDX-License-Identifier: MIT
#include "profiler/symbol/symbol_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fold/base/hash_index.h"
#include "profiler/symbol/debug_file.h"
#include "profiler/symbol/elf_file.h"
#include "profiler/symbol/elf_linkage.h"
#include "profiler/symbol/symbol_table.h"

enum { LIBRARIES_MAX = 4096, FILES_MAX = 32768 };

/* The string tables of a symbol table: .symtab and .dynsym of the file, then of its debug file;
 * for rows only the first. */
enum { STRINGS_OF_FILE = 0, STRINGS_OF_DEBUG_FILE = 2, STRINGS_OF_ROWS = 0 };

/* What was loaded for one path, shared by all libraries that name it. */
struct symbol_file {
    struct text path; /* of the file that was opened, or of the rows */
    struct elf_file elf;
    struct elf_file debug;
    struct buffer row_names;
    struct symbol_table table;
    bool has_table; /* the table is filled */
    char complaint[160];
};

/* A library with what only the source needs. */
struct mapped_library {
    struct symbol_library library;
    uint32_t number;    /* from 1 */
    uint32_t recording; /* the number of the recording it was named in */
    bool loaded;
    bool tried;                 /* symbol_source_elf() has looked for the file */
    struct symbol_file *file;   /* NULL: no symbols */
    struct mapped_file *mapped; /* from symbol_source_file(); NULL: from symbol_source_library() */
};

struct symbol_source {
    struct symbol_options options;
    struct text target_root;
    struct arena arena;
    struct symbol_file **files;
    size_t file_count, file_capacity;
    struct mapped_library **libraries;
    size_t library_count, library_capacity;
    struct hash_index library_index; /* of libraries by place, from 1 */
    uint32_t mapped_count;           /* libraries from symbol_source_file() */
    struct text home;                /* of the user; empty: not known */
    uint32_t recording;
    struct symbol **symbols; /* by id - 1 */
    uint64_t *symbol_keys;   /* library and first record of each */
    size_t symbol_count, symbol_capacity, key_capacity;
    struct hash_index index; /* of symbols by key */
    struct buffer scratch;
};

static struct text keep(struct symbol_source *source, struct text text) {
    return (struct text){arena_copy_text(&source->arena, text.data, text.size), text.size};
}

struct symbol_source *symbol_source_open(const struct symbol_options *options) {
    struct symbol_source *source = memory_allocate_zero(1, sizeof *source);
    source->options = *options;
    source->target_root = keep(source, text_of(options->target_root));
    while (text_ends_with(source->target_root, TEXT("/")))
        source->target_root.size--;
    if (options->apply_to)
        source->options.apply_to = keep(source, text_of(options->apply_to)).data;
    source->options.target_root = source->target_root.data;
    source->home = keep(source, text_of(getenv("HOME")));
    return source;
}

void symbol_source_next_recording(struct symbol_source *source) {
    source->recording++;
}

/* ---- loading ---- */

/* The reason why `path` names no file, or NULL. */
static const char *no_file(struct text path) {
    if (text_equal(path, TEXT("[vdso]")))
        return "belongs to the kernel and is not in a file, so its functions have no names";
    if (path.size == 0 || path.data[0] != '/')
        return "is not in a file of this machine";
    return NULL;
}

/* Reads the symbols of the open files, with `linkage` also the entries of the linkage table. */
static void load_table(struct symbol_file *file, bool linkage) {
    elf_file_add_symbols(&file->elf, &file->table, STRINGS_OF_FILE);
    if (file->debug.handle)
        elf_file_add_symbols(&file->debug, &file->table, STRINGS_OF_DEBUG_FILE);
    size_t functions = file->table.size;
    if (linkage)
        elf_linkage_add_symbols(&file->elf, &file->table, STRINGS_OF_FILE);
    symbol_table_finish(&file->table);
    file->has_table = true;
    if (functions == 0)
        snprintf(file->complaint, sizeof file->complaint, "has no symbols (stripped)");
}

static void load_elf(struct symbol_source *source, struct symbol_file *file) {
    struct error error = {0};
    if (!elf_file_open(&file->elf, file->path.data, &error)) {
        snprintf(file->complaint, sizeof file->complaint, "%.150s", error.text);
        return;
    }
    /* A debug file adds nothing to a file that still has its symbols. */
    if (!file->elf.has_symtab)
        debug_file_open(&file->debug, &file->elf, file->path, source->target_root);
    load_table(file, false);
}

static void load_rows(struct symbol_source *source, struct symbol_file *file) {
    struct symbol_table *table = &file->table;
    const struct symbol_row_list *lists[SYMBOL_ROW_TABLES];
    for (int i = 0; i < SYMBOL_ROW_TABLES; i++) {
        lists[i] = symbol_rows_of(source->options.rows, file->path, (enum symbol_row_table)i);
        for (size_t row = 0; row < lists[i]->size; row++) {
            buffer_append_text(&file->row_names, lists[i]->rows[row].name);
            buffer_append_byte(&file->row_names, '\0');
        }
    }
    table->demangled = true;
    table->strings[STRINGS_OF_ROWS] = buffer_text(&file->row_names);
    uint64_t name = 0;
    for (int i = 0; i < SYMBOL_ROW_TABLES; i++) {
        for (size_t number = 0; number < lists[i]->size; number++) {
            const struct symbol_row *row = &lists[i]->rows[number];
            bool unsized = !row->has_size || row->size == 0;
            bool mark = row->type == 't' && unsized && elf_name_is_mark(row->name);
            if (strchr("tTwWi", row->type) && !mark)
                symbol_table_add(table, row->address, unsized ? UINT32_MAX : row->size, unsized,
                                 row->type == 't'                       ? SYMBOL_LOCAL
                                 : row->type == 'w' || row->type == 'W' ? SYMBOL_WEAK
                                                                        : SYMBOL_GLOBAL,
                                 STRINGS_OF_ROWS, name);
            name += row->name.size + 1;
        }
    }
    symbol_table_finish(table);
    if (table->size == 0)
        snprintf(file->complaint, sizeof file->complaint,
                 "has no functions in the rows of symbols");
}

static struct symbol_file *add_file(struct symbol_source *source, struct symbol_file *file) {
    MEMORY_RESERVE(source->files, source->file_capacity, source->file_count + 1);
    source->files[source->file_count++] = file;
    return file;
}

static struct symbol_file *load_file(struct symbol_source *source, struct text path) {
    for (size_t i = 0; i < source->file_count; i++) {
        if (text_equal(source->files[i]->path, path))
            return source->files[i];
    }
    struct symbol_file *file = memory_allocate_zero(1, sizeof *file);
    file->path = keep(source, path);
    if (source->options.mode == SYMBOLS_FROM_ROWS)
        load_rows(source, file);
    else
        load_elf(source, file);
    return add_file(source, file);
}

static bool is_node(const struct symbol_library *library) {
    struct text name = text_basename(library->path);
    return library->executable || text_equal(name, TEXT("node")) ||
           text_equal(name, TEXT("nodejs")) || text_equal(name, TEXT("node.exe"));
}

/* Whether the file can be the one that was mapped as `mapped`, or under the same name elsewhere in
 * the same recording. */
static bool was_mapped(const struct symbol_source *source, const struct symbol_file *file,
                       const struct mapped_library *mapped) {
    for (size_t i = 0; i < source->library_count; i++) {
        const struct mapped_library *other = source->libraries[i];
        if (other->recording == mapped->recording &&
            text_equal(other->library.path, mapped->library.path) &&
            elf_file_segment_ends(&file->elf, other->library.end - other->library.start))
            return true;
    }
    return false;
}

/* ---- mapped files ---- */

static bool same_file(const struct elf_file *a, const struct elf_file *b) {
    return a->device == b->device && a->inode == b->inode;
}

/* Opens the file of a library, unless it is open for another one already. */
static void open_mapped(struct symbol_source *source, struct mapped_library *mapped) {
    struct symbol_library *library = &mapped->library;
    if (source->options.mode != SYMBOLS_FROM_FILES || mapped->file)
        return;
    struct mapped_file_places places = {
        .target_root = source->target_root,
        .binary = is_node(library) ? source->options.apply_to : NULL,
        .home = source->home,
    };
    struct symbol_file *file = memory_allocate_zero(1, sizeof *file);
    if (!mapped_file_open(&file->elf, &file->debug, mapped->mapped, &places, library->complaint)) {
        free(file);
        return;
    }
    for (size_t i = 0; i < source->file_count && !mapped->file; i++) {
        if (source->files[i]->elf.handle && same_file(&source->files[i]->elf, &file->elf))
            mapped->file = source->files[i];
    }
    if (mapped->file) {
        elf_file_close(&file->elf);
        elf_file_close(&file->debug);
        free(file);
    } else {
        mapped->file = add_file(source, file);
    }
}

static void load_mapped(struct symbol_source *source, struct mapped_library *mapped) {
    open_mapped(source, mapped);
    struct symbol_file *file = mapped->file;
    if (!file)
        return;
    if (!file->has_table)
        load_table(file, true);
    memcpy(mapped->library.complaint, file->complaint, sizeof file->complaint);
    mapped->library.symbol_count = file->table.size;
}

const struct symbol_library *symbol_source_file(struct symbol_source *source,
                                                const struct mapped_file *file) {
    if (source->mapped_count >= FILES_MAX)
        return NULL;
    struct mapped_library *mapped = arena_allocate(&source->arena, sizeof *mapped);
    struct mapped_file *copy = arena_allocate(&source->arena, sizeof *copy);
    *copy = *file;
    copy->path = keep(source, file->path);
    *mapped = (struct mapped_library){
        .library = {.path = copy->path, .end = UINT64_MAX},
        .number = LIBRARIES_MAX + ++source->mapped_count,
        .recording = source->recording,
        .mapped = copy,
    };
    if (file->process_id)
        open_mapped(source, mapped);
    return &mapped->library;
}

void symbol_source_file_end(const struct symbol_library *library, uint64_t end) {
    mapped_file_add_end(((const struct mapped_library *)library)->mapped, end);
}

bool symbol_source_file_build_id(const struct symbol_library *library, const struct build_id *id) {
    struct mapped_library *mapped = (struct mapped_library *)(uintptr_t)library;
    mapped->mapped->build_id = *id;
    if (!mapped->file || mapped_file_has_build_id(&mapped->file->elf, id))
        return true;
    mapped->file = NULL;
    return false;
}

const struct elf_file *symbol_source_elf(struct symbol_source *source,
                                         const struct symbol_library *library) {
    struct mapped_library *mapped = (struct mapped_library *)(uintptr_t)library;
    if (!mapped->tried)
        open_mapped(source, mapped);
    mapped->tried = true;
    return mapped->file ? &mapped->file->elf : NULL;
}

enum symbol_mode symbol_source_mode(const struct symbol_source *source) {
    return source->options.mode;
}

/* ---- libraries ---- */

/* Finds the symbols of a library, or the complaint. */
static void load_library(struct symbol_source *source, struct mapped_library *mapped) {
    struct symbol_library *library = &mapped->library;
    mapped->loaded = true;
    if (source->options.mode == SYMBOLS_NONE)
        return;
    if (mapped->mapped) {
        load_mapped(source, mapped);
        return;
    }
    bool from_files = source->options.mode == SYMBOLS_FROM_FILES;
    struct text path = library->path;
    bool applied = from_files && source->options.apply_to && is_node(library);
    if (applied)
        path = text_of(source->options.apply_to);
    const char *reason = from_files && !applied ? no_file(path) : NULL;
    if (reason) {
        snprintf(library->complaint, sizeof library->complaint, "%s", reason);
        return;
    }
    if (from_files && !applied) {
        buffer_clear(&source->scratch);
        buffer_append_text(&source->scratch, source->target_root);
        buffer_append_text(&source->scratch, path);
        path = buffer_text(&source->scratch);
    }
    struct symbol_file *file = load_file(source, path);
    if (file->complaint[0] != '\0')
        memcpy(library->complaint, file->complaint, sizeof library->complaint);
    else if (from_files && !was_mapped(source, file, mapped))
        snprintf(library->complaint, sizeof library->complaint, "%s",
                 applied ? "was not mapped from the file given with --apply-to: its code has "
                           "another size"
                         : "is not the file that was mapped: its code has another size");
    else
        mapped->file = file;
    library->symbol_count = mapped->file ? file->table.size : 0;
}

const struct symbol_library *symbol_source_library(struct symbol_source *source, struct text path,
                                                   uint64_t start, uint64_t end, bool executable) {
    /* A log may name many libraries, and asks for one at each new address. */
    uint64_t hash = hash_pair(hash_pair(start, end), source->recording);
    struct hash_probe probe = hash_index_start(&source->library_index, hash);
    uint32_t number;
    while ((number = hash_index_next(&source->library_index, &probe)) != 0) {
        const struct mapped_library *at = source->libraries[number - 1];
        const struct symbol_library *known = &at->library;
        if (at->recording == source->recording && known->start == start && known->end == end &&
            known->executable == executable && text_equal(known->path, path))
            return known;
    }
    if (source->library_count >= LIBRARIES_MAX)
        return NULL;
    struct mapped_library *mapped = arena_allocate(&source->arena, sizeof *mapped);
    *mapped = (struct mapped_library){
        .library = {.path = keep(source, path),
                    .start = start,
                    .end = end,
                    .executable = executable},
        .number = (uint32_t)source->library_count + 1,
        .recording = source->recording,
    };
    MEMORY_RESERVE(source->libraries, source->library_capacity, source->library_count + 1);
    source->libraries[source->library_count++] = mapped;
    hash_index_insert(&source->library_index, hash, mapped->number);
    return &mapped->library;
}

/* ---- finding ---- */

/* Finds the function of `library` at `address`; *shift is what its addresses in the file lack to
 * those of the recording. */
static bool find_match(const struct symbol_source *source, const struct mapped_library *mapped,
                       uint64_t address, struct symbol_match *match, uint64_t *shift) {
    const struct symbol_library *library = &mapped->library;
    const struct symbol_table *table = &mapped->file->table;
    if (source->options.mode == SYMBOLS_FROM_FILES) {
        uint64_t value;
        if (!elf_file_address(&mapped->file->elf, address - library->start, &value))
            return false;
        *shift = address - value;
        return symbol_table_find(table, value, match);
    }
    /* Rows do not say whether the file is tied to its addresses: a value inside of the mapping is
     * an address, any other one counts from the mapping's start. */
    *shift = 0;
    if (symbol_table_find(table, address, match) && match->start >= library->start &&
        match->start < library->end)
        return true;
    *shift = library->start;
    return symbol_table_find(table, address - library->start, match) &&
           !(match->start >= library->start && match->start < library->end);
}

static struct text
keep_form(struct symbol_source *source, const struct symbol_table *table, uint32_t record,
          void (*append)(const struct symbol_table *, uint32_t, struct buffer *)) {
    buffer_clear(&source->scratch);
    append(table, record, &source->scratch);
    return keep(source, buffer_text(&source->scratch));
}

const struct symbol *symbol_source_find(struct symbol_source *source,
                                        const struct symbol_library *library, uint64_t address) {
    struct mapped_library *mapped = (struct mapped_library *)(uintptr_t)library;
    if (!mapped->loaded)
        load_library(source, mapped);
    struct symbol_match match;
    uint64_t shift;
    if (!mapped->file || address < library->start || address >= library->end ||
        !find_match(source, mapped, address, &match, &shift))
        return NULL;
    uint64_t key = (uint64_t)mapped->number << 32 | match.first;
    struct hash_probe probe = hash_index_start(&source->index, hash_number(key));
    uint32_t id;
    while ((id = hash_index_next(&source->index, &probe)) != 0) {
        if (source->symbol_keys[id - 1] == key)
            return source->symbols[id - 1];
    }
    const struct symbol_table *table = &mapped->file->table;
    uint32_t best = symbol_table_best(table, &match);
    struct symbol *symbol = arena_allocate(&source->arena, sizeof *symbol);
    MEMORY_RESERVE(source->symbols, source->symbol_capacity, source->symbol_count + 1);
    MEMORY_RESERVE(source->symbol_keys, source->key_capacity, source->symbol_count + 1);
    source->symbols[source->symbol_count] = symbol;
    source->symbol_keys[source->symbol_count++] = key;
    id = (uint32_t)source->symbol_count;
    hash_index_insert(&source->index, hash_number(key), id);
    *symbol = (struct symbol){
        .id = id,
        .library = library,
        .start = match.start + shift,
        .end = match.start + match.size + shift,
        .raw = keep_form(source, table, best, symbol_table_append_raw),
        .full = keep_form(source, table, best, symbol_table_append_full),
        .name = keep_form(source, table, best, symbol_table_append_short),
    };
    return symbol;
}

const struct symbol *symbol_source_find_called(struct symbol_source *source,
                                               const struct symbol_library *library,
                                               uint64_t address) {
    const struct symbol *symbol = symbol_source_find(source, library, address);
    if (symbol && symbol->end > address + 1)
        return symbol;
    const struct symbol *next = symbol_source_find(source, library, address + 1);
    bool starts = next && next->start == address + 1;
    return starts && (!symbol || text_starts_with(next->raw, TEXT("Builtins_"))) ? next : symbol;
}

/* Where an address of the file stands in the recording. False: in nothing executable. */
static bool recorded_address(const struct symbol_source *source,
                             const struct mapped_library *mapped, uint64_t value,
                             uint64_t *address) {
    const struct symbol_library *library = &mapped->library;
    if (source->options.mode != SYMBOLS_FROM_FILES) {
        bool is_absolute = value >= library->start && value < library->end;
        *address = is_absolute ? value : library->start + value;
        return true;
    }
    const struct elf_file *elf = &mapped->file->elf;
    for (size_t i = 0; i < elf->segment_count; i++) {
        const struct elf_segment *segment = &elf->segments[i];
        if (value >= segment->address && value - segment->address < segment->size) {
            *address = library->start + segment->offset + (value - segment->address);
            return true;
        }
    }
    return false;
}

void symbol_source_each(struct symbol_source *source, const struct symbol_library *library,
                        symbol_visit *visit, void *context) {
    struct mapped_library *mapped = (struct mapped_library *)(uintptr_t)library;
    if (!mapped->loaded)
        load_library(source, mapped);
    const struct symbol_table *table = mapped->file ? &mapped->file->table : NULL;
    for (size_t i = 0; table && i < table->size; i++) {
        uint64_t start = table->records[i].start, address;
        if ((i > 0 && table->records[i - 1].start == start) ||
            !recorded_address(source, mapped, start, &address))
            continue;
        const struct symbol *symbol = symbol_source_find(source, library, address);
        if (symbol && symbol->start == address)
            visit(context, symbol);
    }
}

size_t symbol_source_libraries(const struct symbol_source *source) {
    return source->library_count;
}

const struct symbol_library *symbol_source_library_at(const struct symbol_source *source,
                                                      size_t number) {
    return &source->libraries[number]->library;
}

void symbol_source_close(struct symbol_source *source) {
    if (!source)
        return;
    for (size_t i = 0; i < source->file_count; i++) {
        struct symbol_file *file = source->files[i];
        symbol_table_free(&file->table);
        elf_file_close(&file->elf);
        elf_file_close(&file->debug);
        buffer_free(&file->row_names);
        free(file);
    }
    free(source->files);
    free(source->libraries);
    free(source->symbols);
    free(source->symbol_keys);
    hash_index_free(&source->index);
    hash_index_free(&source->library_index);
    buffer_free(&source->scratch);
    arena_free(&source->arena);
    free(source);
}
