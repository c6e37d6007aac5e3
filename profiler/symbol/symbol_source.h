// SPDX-License-Identifier: MIT
/*
 * The source of symbols of one run: for the libraries that a recording names, the functions behind
 * its addresses.
 *
 * A library is loaded when the first of its addresses is asked for, once, however often the
 * recording names it. When it has no symbols, its `complaint` says why and every address of it
 * finds nothing. An isolate log holds no build ids, so a file counts as the one that was mapped
 * when one of its executable segments ends exactly where the mapping ends; a file of another
 * version almost never does. A part of a file that V8 maps once more elsewhere (the code of its
 * builtins) ends anywhere: it counts when another mapping of the same file passes.
 *
 * Recordings of the kernel tell more of a file (mapped_file.h). For these, addresses are offsets in
 * the file, so that each of its mappings asks for the same ones. Entries of the linkage table count
 * as functions there, `NAME@plt`; for isolate logs they do not, because the reference shows them as
 * the library's own code.
 *
 * Each function found is one `struct symbol` that lives as long as the source: the same address,
 * and any other address of the same function in the same mapping, gives the same pointer.
 */
#ifndef TICKFLAME_PROFILER_SYMBOL_SYMBOL_SOURCE_H
#define TICKFLAME_PROFILER_SYMBOL_SYMBOL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/memory.h"
#include "fold/base/text.h"
#include "profiler/symbol/mapped_file.h"
#include "profiler/symbol/symbol_rows.h"

enum symbol_mode {
    SYMBOLS_FROM_FILES, /* the ELF files that the recording names */
    SYMBOLS_FROM_ROWS,  /* `rows`; no file is opened */
    SYMBOLS_NONE,       /* every library is without symbols */
};

struct symbol_options {
    enum symbol_mode mode;
    const struct symbol_rows *rows; /* for SYMBOLS_FROM_ROWS; outlives the source */
    const char *target_root;        /* folder below which the files stand; NULL: the root folder */
    /* Node binary of this machine, opened in place of `executable` and of files called node,
     * nodejs or node.exe; not below target_root. NULL: none. */
    const char *apply_to;
};

struct symbol_source;

/* A library as one recording mapped it. Owned by the source. */
struct symbol_library {
    struct text path;      /* as the recording names it, followed by a NUL byte */
    uint64_t start;        /* address of the byte 0 of the file, as in an isolate log's record */
    uint64_t end;          /* behind the last executable byte of the mapping */
    bool executable;       /* the program itself, as the caller said */
    uint64_t symbol_count; /* functions known, once loaded */
    /* Why there are no symbols: a sentence part to stand behind the path, such as "no such file".
     * Empty: there are, or nothing was asked for yet. */
    char complaint[160];
};

/* A function. Owned by the source. */
struct symbol {
    uint32_t id; /* from 1, in the order in which functions were first found */
    const struct symbol_library *library;
    uint64_t start; /* address in the recording */
    uint64_t end;   /* behind its last byte */
    /* Followed by a NUL byte each, all without symbol version. */
    struct text raw;  /* as in the file: mangled; already demangled when from rows */
    struct text full; /* as `nm -C` prints it */
    struct text name; /* without parameters and return type, see demangle.h */
};

/* A new source. The strings in `options` are copied, `options->rows` is not. */
struct symbol_source *symbol_source_open(const struct symbol_options *options);

/* What is asked for from here on belongs to another recording: its files may be others. To be
 * called between two recordings of one run. */
void symbol_source_next_recording(struct symbol_source *source);

/*
 * The library at `path` mapped at `start`, the mapping's start minus its offset in the file, up to
 * `end`. For several executable mappings of one file with the same start: one call with the last
 * end, or one for each. `executable`: it is the program itself. The same arguments give the same
 * library again. NULL: there are too many (4096).
 */
const struct symbol_library *symbol_source_library(struct symbol_source *source, struct text path,
                                                   uint64_t start, uint64_t end, bool executable);

/*
 * The library for a mapped file; addresses of it are offsets in the file. The file of a living
 * process is opened at once, because the process may end; others when first asked for. Each call
 * makes another library, but what was read from a file is shared. `file` is copied, its text
 * included. NULL: there are too many (32,768).
 */
const struct symbol_library *symbol_source_file(struct symbol_source *source,
                                                const struct mapped_file *file);

/* Tells of a library from symbol_source_file() what became known later. The second returns false
 * when the file that symbol_source_elf() gave before has another build id: it was not the one. */
void symbol_source_file_end(const struct symbol_library *library, uint64_t end);
bool symbol_source_file_build_id(const struct symbol_library *library, const struct build_id *id);

/* The open file of a library from symbol_source_file(), without its symbols being read; it stays
 * open as long as the source. NULL: it is not to be had. */
const struct elf_file *symbol_source_elf(struct symbol_source *source,
                                         const struct symbol_library *library);

/* Which mode the source was opened with. */
enum symbol_mode symbol_source_mode(const struct symbol_source *source);

/* The function of `library` that holds the address `address` of the recording; NULL when none is
 * known. */
const struct symbol *symbol_source_find(struct symbol_source *source,
                                        const struct symbol_library *library, uint64_t address);

/*
 * As symbol_source_find() for the byte in front of a return address. No call ends right in front of
 * a function that follows on a gap, nor of a builtin, behind whose code V8 leaves a byte at least:
 * it makes return addresses of that kind itself, for frames that go on in the builtin. Then the
 * function that begins behind the byte is meant.
 */
const struct symbol *symbol_source_find_called(struct symbol_source *source,
                                               const struct symbol_library *library,
                                               uint64_t address);

/* Calls `visit` for each function of `library`, in the order of their addresses. */
typedef void symbol_visit(void *context, const struct symbol *symbol);
void symbol_source_each(struct symbol_source *source, const struct symbol_library *library,
                        symbol_visit *visit, void *context);

/* The number of libraries from symbol_source_library() so far, and one of them by its number from
 * 0: for the complaints. */
size_t symbol_source_libraries(const struct symbol_source *source);
const struct symbol_library *symbol_source_library_at(const struct symbol_source *source,
                                                      size_t number);

/* Closes all files and frees everything, libraries and symbols included; NULL is allowed. */
void symbol_source_close(struct symbol_source *source);

#endif
