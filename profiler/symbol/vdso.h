// SPDX-License-Identifier: MIT
/*
 * The functions of the vdso, the part of the kernel's code that is mapped into every process.
 *
 * It is an ELF file in memory (man vdso); the one of this process is that of every process of the
 * same kernel and word size.
 */
#ifndef TICKFLAME_PROFILER_SYMBOL_VDSO_H
#define TICKFLAME_PROFILER_SYMBOL_VDSO_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/base/text.h"
#include "profiler/symbol/elf_file.h"
#include "profiler/symbol/symbol_table.h"

/* All zero is a vdso that was not read. */
struct vdso {
    bool is_read;
    struct elf_file file;
    struct symbol_table symbols;
};

/* The file, read first when it was not; NULL: this process has none. */
const struct elf_file *vdso_file(struct vdso *vdso);

/* Appends the name of the function `offset` bytes behind the start of the vdso to `name`; the vdso
 * of this process is read first when it was not. False: no function is there. */
bool vdso_append_name(struct vdso *vdso, uint64_t offset, struct buffer *name);

void vdso_free(struct vdso *vdso);

#endif
