// SPDX-License-Identifier: MIT
#include "profiler/symbol/vdso.h"

#include <link.h>
#include <sys/auxv.h>

/* The bytes of this process's vdso; empty when it has none. */
static struct text own_bytes(void) {
    uintptr_t address = getauxval(AT_SYSINFO_EHDR);
    if (address == 0)
        return TEXT("");
    /* The kernel's own file, complete in memory; its section headers stand at the end. */
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)address;
    uint64_t size = header->e_shoff + (uint64_t)header->e_shnum * header->e_shentsize;
    return (struct text){(const char *)address, size};
}

const struct elf_file *vdso_file(struct vdso *vdso) {
    struct error ignored;
    if (!vdso->is_read && elf_file_open_bytes(&vdso->file, own_bytes(), &ignored)) {
        elf_file_add_symbols(&vdso->file, &vdso->symbols, 0);
        symbol_table_finish(&vdso->symbols);
    }
    vdso->is_read = true;
    return vdso->file.handle ? &vdso->file : NULL;
}

bool vdso_append_name(struct vdso *vdso, uint64_t offset, struct buffer *name) {
    uint64_t address;
    struct symbol_match match;
    if (!vdso_file(vdso) || !elf_file_address(&vdso->file, offset, &address) ||
        !symbol_table_find(&vdso->symbols, address, &match))
        return false;
    symbol_table_append_short(&vdso->symbols, symbol_table_best(&vdso->symbols, &match), name);
    return true;
}

void vdso_free(struct vdso *vdso) {
    symbol_table_free(&vdso->symbols);
    elf_file_close(&vdso->file);
    vdso->is_read = false;
}
