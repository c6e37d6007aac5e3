// SPDX-License-Identifier: MIT
#include "profiler/symbol/elf_linkage.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "fold/base/memory.h"

/* A slot that the dynamic linker fills with the address of a function. */
struct slot {
    uint64_t address;
    uint32_t name; /* offset in the strings of .dynsym */
};

struct slots {
    struct slot *slots;
    size_t size, capacity;
};

/* The longest entry in bytes, and the distance at which entries may begin. */
enum { ENTRY_MAX = 24, ENTRY_STEP = 8 };

/* What is known of one machine. */
struct machine {
    unsigned number;         /* e_machine */
    uint32_t jump_slot;      /* the relocation of a slot for calls */
    uint32_t global_data;    /* the one of a slot that others read too */
    uint64_t entry_size_max; /* bytes */
    /* The slot that the entry at the start of `code` jumps through, 0 = it is no entry. `address`
     * is that of the first byte. */
    uint64_t (*find_slot)(struct text code, uint64_t address);
};

static uint32_t word_at(struct text code, size_t at) {
    uint32_t word = 0;
    for (size_t i = 0; i < 4; i++)
        word |= (uint32_t)(unsigned char)code.data[at + i] << (8 * i);
    return word;
}

/* `jmp *DISTANCE(%rip)`, behind an `endbr64` and a `bnd` if there are. */
static uint64_t find_slot_x86_64(struct text code, uint64_t address) {
    struct text rest = code;
    if (text_starts_with(rest, (struct text){"\xf3\x0f\x1e\xfa", 4}))
        rest = text_skip(rest, 4);
    if (text_starts_with(rest, TEXT("\xf2")))
        rest = text_skip(rest, 1);
    if (rest.size < 6 || !text_starts_with(rest, (struct text){"\xff\x25", 2}))
        return 0;
    uint64_t behind = address + (code.size - rest.size) + 6;
    return behind + (uint64_t)(int64_t)(int32_t)word_at(rest, 2);
}

/* `adrp x16, PAGE; ldr x17, [x16, OFFSET]`, behind a `bti c` if there is one. */
static uint64_t find_slot_arm64(struct text code, uint64_t address) {
    const uint32_t bti_c = 0xd503245f;
    size_t at = code.size >= 4 && word_at(code, 0) == bti_c ? 4 : 0;
    if (code.size < at + 8)
        return 0;
    uint32_t page = word_at(code, at), load = word_at(code, at + 4);
    if ((page & 0x9f00001f) != 0x90000010 || (load & 0xffc003ff) != 0xf9400211)
        return 0;
    uint64_t pages = (uint64_t)(page >> 5 & 0x7ffff) << 2 | (page >> 29 & 3);
    if (pages & 1 << 20)
        pages |= ~(uint64_t)0 << 21;
    return ((address + at) & ~(uint64_t)0xfff) + (pages << 12) + (uint64_t)(load >> 10 & 0xfff) * 8;
}

static const struct machine machines[] = {
    {EM_X86_64, R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, 16, find_slot_x86_64},
    {EM_AARCH64, R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, ENTRY_MAX, find_slot_arm64},
};

static const struct machine *machine_of(const struct elf_file *file) {
    GElf_Ehdr header;
    bool known = gelf_getehdr(file->handle, &header) && header.e_ident[EI_DATA] == ELFDATA2LSB &&
                 header.e_ident[EI_CLASS] == ELFCLASS64;
    for (size_t i = 0; known && i < sizeof machines / sizeof *machines; i++) {
        if (machines[i].number == header.e_machine)
            return &machines[i];
    }
    return NULL;
}

/* ---- slots ---- */

static int compare_slots(const void *left, const void *right) {
    const struct slot *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

/* The symbols that the relocations of `section` are of, when those are the ones of .dynsym, whose
 * strings are `names`. */
static Elf_Data *symbols_of(const struct elf_file *file, const GElf_Shdr *section,
                            struct text names) {
    Elf_Scn *symbols = elf_getscn(file->handle, section->sh_link);
    GElf_Shdr header, strings;
    if (!symbols || !gelf_getshdr(symbols, &header) || header.sh_type != SHT_DYNSYM)
        return NULL;
    Elf_Scn *linked = elf_getscn(file->handle, header.sh_link);
    if (!linked || !gelf_getshdr(linked, &strings) ||
        elf_file_section(file, &strings).data != names.data ||
        elf_file_section(file, &header).size == 0)
        return NULL;
    return elf_getdata(symbols, NULL);
}

static void add_slots(const struct elf_file *file, const struct machine *machine, Elf_Scn *section,
                      struct text names, struct slots *slots) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA ||
        elf_file_section(file, &header).size == 0)
        return;
    Elf_Data *symbols = symbols_of(file, &header, names);
    Elf_Data *data = symbols ? elf_getdata(section, NULL) : NULL;
    size_t entry_size = gelf_fsize(file->handle, ELF_T_RELA, 1, EV_CURRENT);
    if (!data || !data->d_buf || entry_size == 0)
        return;
    size_t count = data->d_size / entry_size;
    for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
        GElf_Rela relocation;
        GElf_Sym symbol;
        if (!gelf_getrela(data, (int)i, &relocation))
            break;
        uint64_t type = GELF_R_TYPE(relocation.r_info), number = GELF_R_SYM(relocation.r_info);
        if ((type != machine->jump_slot && type != machine->global_data) || number == 0 ||
            number > INT32_MAX || !gelf_getsym(symbols, (int)number, &symbol) ||
            symbol.st_name == 0 || symbol.st_name >= names.size)
            continue;
        MEMORY_RESERVE(slots->slots, slots->capacity, slots->size + 1);
        slots->slots[slots->size++] = (struct slot){relocation.r_offset, symbol.st_name};
    }
}

static void read_slots(const struct elf_file *file, const struct machine *machine,
                       struct text names, struct slots *slots) {
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(file->handle, section)) != NULL)
        add_slots(file, machine, section, names, slots);
    if (slots->size > 1)
        qsort(slots->slots, slots->size, sizeof *slots->slots, compare_slots);
}

static const struct slot *find_slot(const struct slots *slots, uint64_t address) {
    size_t low = 0, high = slots->size;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (slots->slots[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < slots->size && slots->slots[low].address == address ? &slots->slots[low] : NULL;
}

/* ---- entries ---- */

/* Adds the entries in `code`, which stands at `address`. An entry ends at the latest where the next
 * one begins. */
static void add_entries(const struct machine *machine, const struct slots *slots, struct text code,
                        uint64_t address, struct symbol_table *table, uint8_t strings) {
    const struct slot *open = NULL; /* of the entry whose end is not known yet */
    uint64_t start = 0;
    for (size_t at = 0; code.size - at >= ENTRY_STEP; at += ENTRY_STEP) {
        uint64_t here = address + at;
        uint64_t target = machine->find_slot(text_skip(code, at), here);
        const struct slot *slot = target ? find_slot(slots, target) : NULL;
        if (!slot)
            continue;
        if (open)
            symbol_table_add_linkage(
                table, start,
                here - start < machine->entry_size_max ? here - start : machine->entry_size_max,
                strings, open->name);
        open = slot;
        start = here;
    }
    uint64_t room = address + code.size - start;
    if (open)
        symbol_table_add_linkage(table, start,
                                 room < machine->entry_size_max ? room : machine->entry_size_max,
                                 strings, open->name);
}

static bool holds_entries(const struct elf_file *file, const GElf_Shdr *section) {
    static const char *const names[] = {".plt", ".plt.sec", ".plt.got"};
    size_t strings = 0;
    if (section->sh_type != SHT_PROGBITS || !(section->sh_flags & SHF_EXECINSTR) ||
        section->sh_addr > UINT64_MAX - section->sh_size ||
        elf_getshdrstrndx(file->handle, &strings) != 0)
        return false;
    const char *name = elf_strptr(file->handle, strings, section->sh_name);
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

void elf_linkage_add_symbols(const struct elf_file *file, struct symbol_table *table,
                             uint8_t strings) {
    const struct machine *machine = machine_of(file);
    uint8_t number = (uint8_t)(strings + 1);
    if (!machine || number >= SYMBOL_STRINGS_MAX || table->strings[number].size == 0)
        return;
    struct slots slots = {0};
    read_slots(file, machine, table->strings[number], &slots);
    Elf_Scn *section = NULL;
    while (slots.size > 0 && (section = elf_nextscn(file->handle, section)) != NULL) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && holds_entries(file, &header))
            add_entries(machine, &slots, elf_file_section(file, &header), header.sh_addr, table,
                        number);
    }
    free(slots.slots);
}
