// SPDX-License-Identifier: MIT
/*
 * The entries of an ELF file's procedure linkage table as functions.
 *
 * Code calls a function of another file through a few instructions of its own file, which jump to
 * the address in a slot of the global offset table that the dynamic linker fills. No symbol names
 * these entries. Here each is found by its instructions in the sections `.plt`, `.plt.sec` and
 * `.plt.got`, and gets the name of the function that a relocation puts into its slot; so entries of
 * any size, of lazy and of other linking, with marks for indirect branches and without, are all
 * known. Formats: the supplements of the System V ABI for x86-64 (procedure linkage table) and the
 * ELF ABI for the Arm 64-bit architecture.
 */
#ifndef TICKFLAME_PROFILER_SYMBOL_ELF_LINKAGE_H
#define TICKFLAME_PROFILER_SYMBOL_ELF_LINKAGE_H

#include "profiler/symbol/elf_file.h"
#include "profiler/symbol/symbol_table.h"

/*
 * Adds the linkage entries of an x86-64 or arm64 file to `table`; to be called after
 * elf_file_add_symbols() with the same `strings`, for their names stand in the strings of .dynsym.
 * A file of another machine, without the sections, or damaged adds nothing or less.
 */
void elf_linkage_add_symbols(const struct elf_file *file, struct symbol_table *table,
                             uint8_t strings);

#endif
