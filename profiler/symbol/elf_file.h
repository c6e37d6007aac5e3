// SPDX-License-Identifier: MIT
/*
 * An ELF file, read as a stranger's: its executable segments, its build id, its functions.
 *
 * The file is mapped, not read, because that of node has 100 MB, of which little is needed; the
 * symbol table that is filled from it refers to its string tables, so the file must stay open as
 * long as the table is used. Every offset and size in the file is checked against the size of the
 * file. Formats: System V ABI, chapters "Object Files" and "Program Loading", and the GNU notes and
 * debug links as GDB's manual describes them.
 */
#ifndef TICKFLAME_PROFILER_SYMBOL_ELF_FILE_H
#define TICKFLAME_PROFILER_SYMBOL_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/error.h"
#include "fold/base/text.h"
#include "profiler/symbol/symbol_table.h"

enum { ELF_SEGMENTS_MAX = 64, ELF_BUILD_ID_MAX = 64 };

/* A part of the file and the addresses at which its bytes expect to stand. */
struct elf_segment {
    uint64_t offset;  /* in the file */
    uint64_t address; /* virtual address */
    uint64_t size;    /* bytes in the file */
};

struct elf_file {
    const char *data;
    size_t size;
    bool mapped;                                   /* `data` is a mapping of its own */
    void *handle;                                  /* of libelf */
    struct elf_segment segments[ELF_SEGMENTS_MAX]; /* the executable ones that are loaded */
    size_t segment_count;
    struct elf_segment loads[ELF_SEGMENTS_MAX]; /* all that are loaded */
    size_t load_count;
    struct elf_segment unwind_header; /* PT_GNU_EH_FRAME: the search table of its call frame
                                         information; size 0 = none */
    uint32_t machine;                 /* EM_... of elf.h */
    unsigned char build_id[ELF_BUILD_ID_MAX];
    size_t build_id_size;   /* 0 = none */
    struct text debug_link; /* file name in .gnu_debuglink; empty = none; inside `data` */
    uint32_t debug_link_crc;
    bool has_symtab;        /* has a symbol table besides the one for dynamic linking */
    uint64_t device, inode; /* of the open file; 0 when opened from memory */
};

/*
 * Opens the file at `path`. False: *error says why, in words that fit behind the path ("no such
 * file", "is not an ELF file", "is not a regular file", "is not an executable or a library",
 * "is damaged"). Nothing is to be closed then.
 */
bool elf_file_open(struct elf_file *file, const char *path, struct error *error);

/* As elf_file_open() for a file that is in memory; `data` stays the caller's. */
bool elf_file_open_bytes(struct elf_file *file, struct text data, struct error *error);

/* Stores in *address the virtual address of the byte at `offset` of the file. False: that byte is
 * in no executable segment. */
bool elf_file_address(const struct elf_file *file, uint64_t offset, uint64_t *address);

/*
 * The bytes of the file that stand at `address` when it is loaded, at most `size`; fewer where its
 * part of the file ends, none where no part stands.
 */
struct text elf_file_loaded(const struct elf_file *file, uint64_t address, size_t size);

/*
 * Whether a mapping of executable memory that ends at the byte `offset` of its file can be one of
 * this file: where an executable segment ends, rounded up to a page (of 4, 16 or 64 KiB).
 */
bool elf_file_segment_ends(const struct elf_file *file, uint64_t offset);

/*
 * Adds the functions of the file: of its .symtab with the string table number `strings`, of its
 * .dynsym with `strings` + 1. Functions are symbols in executable sections of type function,
 * indirect function (STT_GNU_IFUNC) or none, but for marks (elf_name_is_mark).
 */
void elf_file_add_symbols(const struct elf_file *file, struct symbol_table *table, uint8_t strings);

/* Whether a name of a symbol without type and size is no function: `$x` and `.L1` of assemblers,
 * `.annobin_` of a compiler plug-in. */
bool elf_name_is_mark(struct text name);

/* The bytes of a section, or an empty text when it is not wholly inside the file. `header`: the
 * section's GElf_Shdr of libelf. */
struct text elf_file_section(const struct elf_file *file, const void *header);

/* Whether `part` stands in the names of the file's symbols, functions or not. */
bool elf_file_names(const struct elf_file *file, struct text part);

/* Stores in *address the virtual address of the data of this name (a symbol of type object of at
 * least `size` bytes). False: the file has none, or its symbols are stripped. */
bool elf_file_data(const struct elf_file *file, struct text name, uint64_t size, uint64_t *address);

/*
 * Calls `visit` for each symbol of type object, of .dynsym and, with `all`, of .symtab too (where
 * those of the first may stand once more): its name, which stays valid while the file is open, and
 * its virtual address.
 */
typedef void elf_visit_data(void *context, struct text name, uint64_t address);
void elf_file_each_data(const struct elf_file *file, bool all, elf_visit_data *visit,
                        void *context);

/*
 * Keeps this program alive when somebody cuts a file that is open here: what stood behind the new
 * end then reads as zeros, so that the file has fewer symbols, or none. Without it the kernel would
 * end the program (SIGBUS). To be called once, before files of others are opened.
 */
void elf_file_survive_cuts(void);

/* Closes; an all-zero or closed file is allowed. */
void elf_file_close(struct elf_file *file);

#endif
