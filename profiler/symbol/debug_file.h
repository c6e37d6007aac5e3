// SPDX-License-Identifier: MIT
/*
 * The separate debug file of an ELF file: where a distribution puts the symbols that it stripped.
 *
 * Searched in the order of GDB's manual ("Separate Debug Files"): by build id below
 * /usr/lib/debug/.build-id, then by the name in .gnu_debuglink next to the file, in its folder
 * .debug, and in its folder below /usr/lib/debug. A file found by name counts only when its build
 * id is the same, or without build ids when its CRC is the one in the link.
 */
#ifndef TICKFLAME_PROFILER_SYMBOL_DEBUG_FILE_H
#define TICKFLAME_PROFILER_SYMBOL_DEBUG_FILE_H

#include <stdbool.h>

#include "fold/base/text.h"
#include "profiler/symbol/elf_file.h"

/*
 * Opens the debug file of `file` as *debug. `path` is where `file` was found on this machine,
 * `root` the folder below which the target's files stand (empty: the root folder itself).
 * False: there is none that fits.
 */
bool debug_file_open(struct elf_file *debug, const struct elf_file *file, struct text path,
                     struct text root);

#endif
