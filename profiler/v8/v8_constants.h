// SPDX-License-Identifier: MIT
/*
 * What one binary of V8 says of itself: the constants that it exports for debuggers (data symbols
 * v8dbg_...: 32-bit integers), its version, and what the table of versions adds.
 *
 * An exported name ends in the C++ type of the field, which changes from version to version
 * (v8dbg_class_Script__name__Object): names are looked up without it.
 */
#ifndef TICKFLAME_PROFILER_V8_V8_CONSTANTS_H
#define TICKFLAME_PROFILER_V8_V8_CONSTANTS_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/base/error.h"
#include "profiler/symbol/elf_file.h"
#include "profiler/v8/v8_versions.h"

struct v8_constants {
    struct v8_layout layout;
    uint64_t frames_wasm, frames_regexp; /* types of frames, a bit for each */
    uint32_t major, minor, build, patch; /* of V8; 0.0: not known */
    bool is_tested;                      /* the table of versions knows it */
};

/* Whether a binary exports constants among its symbols for dynamic linking, so that it has a V8. */
bool v8_constants_are_in(const struct elf_file *elf);

/* Reads those of a binary. False: there is no V8 in it that can be read (ERROR_SAMPLE; the text
 * fits behind "the names of JavaScript functions cannot be read: "). */
bool v8_constants_read(const struct elf_file *elf, struct v8_constants *constants,
                       struct error *error);

/* Writes the version of Node, such as "24.22.3", that stands in a binary, into `version`; empty:
 * none does. Looks through all of the binary: some 20 ms. */
void v8_constants_find_node(const struct elf_file *elf, char version[32]);

#endif
