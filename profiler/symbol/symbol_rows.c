// SPDX-License-Identifier: MIT
#include "profiler/symbol/symbol_rows.h"

#include <stdlib.h>
#include <string.h>

#include "fold/base/number.h"

enum { LINE_MAX_SIZE = 1024 * 1024 };

static struct symbol_row_library *find_library(const struct symbol_rows *rows, struct text path) {
    struct hash_probe probe = hash_index_start(&rows->index, hash_bytes(path.data, path.size));
    uint32_t number;
    while ((number = hash_index_next(&rows->index, &probe)) != 0) {
        if (text_equal(rows->libraries[number - 1].path, path))
            return &rows->libraries[number - 1];
    }
    return NULL;
}

static struct symbol_row_library *make_library(struct symbol_rows *rows, struct text path) {
    struct symbol_row_library *known = find_library(rows, path);
    if (known)
        return known;
    MEMORY_RESERVE(rows->libraries, rows->capacity, rows->size + 1);
    struct symbol_row_library *library = &rows->libraries[rows->size++];
    *library = (struct symbol_row_library){
        .path = {arena_copy_text(&rows->arena, path.data, path.size), path.size}};
    hash_index_insert(&rows->index, hash_bytes(path.data, path.size), (uint32_t)rows->size);
    return library;
}

/* Cuts the first field off *line. False: no tab follows. */
static bool take_field(struct text *line, struct text *field) {
    const char *tab = line->size ? memchr(line->data, '\t', line->size) : NULL;
    if (!tab)
        return false;
    *field = (struct text){line->data, (size_t)(tab - line->data)};
    *line = text_skip(*line, field->size + 1);
    return true;
}

static bool parse_table(struct text field, enum symbol_row_table *table) {
    static const char *const names[SYMBOL_ROW_TABLES] = {"nm", "dyn", "debug"};
    for (int i = 0; i < SYMBOL_ROW_TABLES; i++) {
        if (text_equal(field, text_of(names[i]))) {
            *table = (enum symbol_row_table)i;
            return true;
        }
    }
    return false;
}

/* Adds the row in `line`. False: it is none. */
static bool add_row(struct symbol_rows *rows, struct text line) {
    struct text path;
    struct text table_name;
    struct text address;
    struct text size;
    struct text type;
    enum symbol_row_table table;
    struct symbol_row row = {0};
    if (!take_field(&line, &path) || !take_field(&line, &table_name) ||
        !take_field(&line, &address) || !take_field(&line, &size) || !take_field(&line, &type))
        return false;
    if (path.size == 0 || !parse_table(table_name, &table) ||
        !number_parse_hexadecimal(address, &row.address) ||
        (size.size > 0 && !number_parse_hexadecimal(size, &row.size)) || type.size != 1 ||
        line.size == 0)
        return false;
    row.has_size = size.size > 0;
    row.type = type.data[0];
    row.name = (struct text){arena_copy_text(&rows->arena, line.data, line.size), line.size};
    struct symbol_row_list *list = &make_library(rows, path)->tables[table];
    MEMORY_RESERVE(list->rows, list->capacity, list->size + 1);
    list->rows[list->size++] = row;
    return true;
}

/* What is known while a file is read. */
struct row_reader {
    struct symbol_rows *rows;
    struct warnings *warnings;
    uint64_t line;      /* number of the current line, from 1 */
    uint64_t added;     /* rows */
    bool too_long;      /* the current line is above the limit: its rest is skipped */
    struct buffer part; /* the start of a line whose end is in a later piece */
};

static void end_line(struct row_reader *reader, struct text line) {
    reader->line++;
    if (text_ends_with(line, TEXT("\r")))
        line.size--;
    bool header =
        reader->line == 1 && text_equal(line, TEXT("library\ttable\taddress\tsize\ttype\tname"));
    if (reader->too_long)
        warnings_add(reader->warnings, "symbol-row", reader->line,
                     "a row of symbols is longer than 1 MiB");
    else if (line.size == 0 || header)
        return;
    else if (add_row(reader->rows, line))
        reader->added++;
    else
        warnings_add(reader->warnings, "symbol-row", reader->line,
                     "not a row of symbols (library, table, address, size, type, name)");
    reader->too_long = false;
}

static void take_piece(struct row_reader *reader, struct text piece) {
    while (piece.size > 0) {
        const char *newline = memchr(piece.data, '\n', piece.size);
        struct text line = {piece.data, newline ? (size_t)(newline - piece.data) : piece.size};
        piece = text_skip(piece, line.size + (newline ? 1 : 0));
        if (reader->part.size + line.size > LINE_MAX_SIZE) {
            reader->too_long = true;
            buffer_clear(&reader->part);
        }
        bool whole = newline && reader->part.size == 0;
        if (!whole && !reader->too_long)
            buffer_append_text(&reader->part, line);
        if (newline) {
            end_line(reader, whole ? line : buffer_text(&reader->part));
            buffer_clear(&reader->part);
        }
    }
}

bool symbol_rows_read(struct symbol_rows *rows, struct input *input, struct warnings *warnings,
                      struct error *error) {
    struct row_reader reader = {.rows = rows, .warnings = warnings};
    struct text piece;
    bool read;
    while ((read = input_read(input, &piece, error)) && piece.size > 0)
        take_piece(&reader, piece);
    if (reader.part.size > 0 || reader.too_long)
        end_line(&reader, buffer_text(&reader.part));
    buffer_free(&reader.part);
    if (!read)
        return false;
    if (reader.added == 0)
        return error_set(error, ERROR_INPUT,
                         "%s: no row of symbols in it (library, table, address, size, type, name, "
                         "separated by tabs)",
                         input_path(input));
    return true;
}

const struct symbol_row_list *symbol_rows_of(const struct symbol_rows *rows, struct text path,
                                             enum symbol_row_table table) {
    static const struct symbol_row_list none = {0};
    const struct symbol_row_library *library = find_library(rows, path);
    return library ? &library->tables[table] : &none;
}

void symbol_rows_free(struct symbol_rows *rows) {
    for (size_t i = 0; i < rows->size; i++) {
        for (int table = 0; table < SYMBOL_ROW_TABLES; table++)
            free(rows->libraries[i].tables[table].rows);
    }
    free(rows->libraries);
    hash_index_free(&rows->index);
    arena_free(&rows->arena);
    *rows = (struct symbol_rows){0};
}
