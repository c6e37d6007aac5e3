// SPDX-License-Identifier: MIT
#include "profiler/symbol/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fold/base/memory.h"

struct text elf_file_section(const struct elf_file *file, const void *header) {
    const GElf_Shdr *section = header;
    if (section->sh_type == SHT_NOBITS || section->sh_flags & SHF_COMPRESSED ||
        section->sh_offset > file->size || section->sh_size > file->size - section->sh_offset)
        return (struct text){0};
    return (struct text){file->data + section->sh_offset, section->sh_size};
}

static void read_segments(struct elf_file *file) {
    size_t count = 0;
    if (elf_getphdrnum(file->handle, &count) != 0)
        return;
    for (size_t i = 0; i < count && file->segment_count < ELF_SEGMENTS_MAX; i++) {
        GElf_Phdr header;
        if (i > INT32_MAX || !gelf_getphdr(file->handle, (int)i, &header))
            break;
        if (header.p_offset > UINT64_MAX - header.p_filesz ||
            header.p_vaddr > UINT64_MAX - header.p_filesz)
            continue;
        struct elf_segment part = {header.p_offset, header.p_vaddr, header.p_filesz};
        if (header.p_type == PT_GNU_EH_FRAME)
            file->unwind_header = part;
        if (header.p_type != PT_LOAD)
            continue;
        if (file->load_count < ELF_SEGMENTS_MAX)
            file->loads[file->load_count++] = part;
        if (header.p_flags & PF_X)
            file->segments[file->segment_count++] = part;
    }
}

static void read_build_id(struct elf_file *file, Elf_Scn *section) {
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Nhdr note;
    size_t name;
    size_t content;
    size_t at = 0;
    while (data && file->build_id_size == 0 &&
           (at = gelf_getnote(data, at, &note, &name, &content)) > 0) {
        if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof "GNU" ||
            memcmp((const char *)data->d_buf + name, "GNU", sizeof "GNU") != 0 ||
            note.n_descsz > ELF_BUILD_ID_MAX)
            continue;
        memcpy(file->build_id, (const char *)data->d_buf + content, note.n_descsz);
        file->build_id_size = note.n_descsz;
    }
}

/* A debug link is a file name, padding to a multiple of 4, and the CRC of that file in the byte
 * order of this one. */
static void read_debug_link(struct elf_file *file, struct text bytes) {
    const char *end = bytes.size ? memchr(bytes.data, '\0', bytes.size) : NULL;
    if (!end)
        return;
    struct text name = {bytes.data, (size_t)(end - bytes.data)};
    size_t at = (name.size + 4) & ~(size_t)3;
    if (name.size == 0 || bytes.size < 4 || at > bytes.size - 4)
        return;
    const unsigned char *crc = (const unsigned char *)bytes.data + at;
    bool big = file->data[EI_DATA] == ELFDATA2MSB;
    file->debug_link = name;
    for (unsigned i = 0; i < 4; i++)
        file->debug_link_crc |= (uint32_t)crc[i] << (big ? 24 - 8 * i : 8 * i);
}

static void read_sections(struct elf_file *file) {
    size_t names = 0;
    bool named = elf_getshdrstrndx(file->handle, &names) == 0;
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(file->handle, section)) != NULL) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            continue;
        if (header.sh_type == SHT_SYMTAB && elf_file_section(file, &header).size > 0)
            file->has_symtab = true;
        if (header.sh_type == SHT_NOTE && elf_file_section(file, &header).size > 0)
            read_build_id(file, section);
        const char *name = named ? elf_strptr(file->handle, names, header.sh_name) : NULL;
        if (name && header.sh_type == SHT_PROGBITS && strcmp(name, ".gnu_debuglink") == 0 &&
            file->debug_link.size == 0)
            read_debug_link(file, elf_file_section(file, &header));
    }
}

bool elf_file_open_bytes(struct elf_file *file, struct text data, struct error *error) {
    *file = (struct elf_file){.data = data.data, .size = data.size};
    if (data.size < EI_NIDENT || memcmp(data.data, ELFMAG, SELFMAG) != 0)
        return error_set(error, ERROR_INPUT, "is not an ELF file");
    elf_version(EV_CURRENT);
    /* libelf asks for a pointer to changeable bytes and changes none: nothing is written. */
    file->handle = elf_memory((char *)(uintptr_t)data.data, data.size);
    GElf_Ehdr header;
    if (!file->handle || elf_kind(file->handle) != ELF_K_ELF ||
        !gelf_getehdr(file->handle, &header)) {
        elf_file_close(file);
        return error_set(error, ERROR_INPUT, "is damaged: its ELF header makes no sense");
    }
    if (header.e_type != ET_EXEC && header.e_type != ET_DYN) {
        elf_file_close(file);
        return error_set(error, ERROR_INPUT, "is not an executable or a library");
    }
    file->machine = header.e_machine;
    read_segments(file);
    read_sections(file);
    return true;
}

bool elf_file_open(struct elf_file *file, const char *path, struct error *error) {
    *file = (struct elf_file){0};
    /* Asked before opening, because opening a device may do something. */
    struct stat status;
    if (stat(path, &status) != 0)
        return error_set(error, ERROR_INPUT, "%s",
                         errno == ENOENT || errno == ENOTDIR ? "no such file" : strerror(errno));
    if (!S_ISREG(status.st_mode))
        return error_set(error, ERROR_INPUT, "is not a regular file");
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return error_set(error, ERROR_INPUT, "cannot be opened: %s", strerror(errno));
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0 ||
        (uint64_t)status.st_size > SIZE_MAX) {
        close(descriptor);
        return error_set(error, ERROR_INPUT, "is not an ELF file");
    }
    size_t size = (size_t)status.st_size;
    void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
    if (data == MAP_FAILED)
        return error_set(error, ERROR_INPUT, "cannot be read: %s", strerror(errno));
    if (!elf_file_open_bytes(file, (struct text){data, size}, error)) {
        munmap(data, size);
        *file = (struct elf_file){0};
        return false;
    }
    file->mapped = true;
    file->device = status.st_dev;
    file->inode = status.st_ino;
    return true;
}

bool elf_file_address(const struct elf_file *file, uint64_t offset, uint64_t *address) {
    for (size_t i = 0; i < file->segment_count; i++) {
        const struct elf_segment *segment = &file->segments[i];
        if (offset >= segment->offset && offset - segment->offset < segment->size) {
            *address = segment->address + (offset - segment->offset);
            return true;
        }
    }
    return false;
}

struct text elf_file_loaded(const struct elf_file *file, uint64_t address, size_t size) {
    for (size_t i = 0; i < file->load_count; i++) {
        const struct elf_segment *part = &file->loads[i];
        if (address < part->address || address - part->address >= part->size)
            continue;
        uint64_t inside = address - part->address;
        if (part->offset > file->size || inside >= file->size - part->offset)
            return (struct text){0};
        uint64_t rest = file->size - part->offset - inside;
        if (rest > part->size - inside)
            rest = part->size - inside;
        return (struct text){file->data + part->offset + inside, rest < size ? rest : size};
    }
    return (struct text){0};
}

bool elf_file_segment_ends(const struct elf_file *file, uint64_t offset) {
    static const uint64_t pages[] = {4 << 10, 16 << 10, 64 << 10};
    for (size_t i = 0; i < file->segment_count; i++) {
        uint64_t end = file->segments[i].offset + file->segments[i].size;
        for (size_t page = 0; page < sizeof pages / sizeof *pages; page++) {
            if (end <= UINT64_MAX - pages[page] &&
                offset == ((end + pages[page] - 1) & ~(pages[page] - 1)))
                return true;
        }
    }
    return false;
}

/* ---- symbols ---- */

/* What is needed of each section while symbols are read. */
struct code_section {
    uint64_t start;
    uint64_t end; /* 0: not an executable section */
};

static struct code_section *read_code_sections(const struct elf_file *file, size_t *count) {
    if (elf_getshdrnum(file->handle, count) != 0)
        *count = 0;
    /* An index of a symbol has 16 bits; larger files would need a table of their own. */
    if (*count > SHN_LORESERVE)
        *count = SHN_LORESERVE;
    struct code_section *sections = memory_allocate_zero(*count, sizeof *sections);
    for (size_t i = 0; i < *count; i++) {
        GElf_Shdr header;
        Elf_Scn *section = elf_getscn(file->handle, i);
        if (section && gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR &&
            header.sh_addr <= UINT64_MAX - header.sh_size)
            sections[i] = (struct code_section){header.sh_addr, header.sh_addr + header.sh_size};
    }
    return sections;
}

bool elf_name_is_mark(struct text name) {
    return text_starts_with(name, TEXT("$")) || text_starts_with(name, TEXT("."));
}

static void add_section_symbols(Elf_Data *data, size_t entry_size,
                                const struct code_section *sections, size_t section_count,
                                struct symbol_table *table, uint8_t strings) {
    size_t count = data->d_size / entry_size;
    struct text names = table->strings[strings];
    for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol))
            break;
        unsigned type = GELF_ST_TYPE(symbol.st_info);
        unsigned binding = GELF_ST_BIND(symbol.st_info);
        if ((type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) ||
            symbol.st_shndx >= section_count || symbol.st_name == 0 || symbol.st_name >= names.size)
            continue;
        const struct code_section *section = &sections[symbol.st_shndx];
        if (symbol.st_value < section->start || symbol.st_value >= section->end)
            continue;
        if (type == STT_NOTYPE && elf_name_is_mark(text_skip(names, symbol.st_name)))
            continue;
        uint64_t room = section->end - symbol.st_value;
        bool unsized = symbol.st_size == 0;
        uint64_t size = unsized || symbol.st_size > room ? room : symbol.st_size;
        symbol_table_add(table, symbol.st_value, size, unsized,
                         binding == STB_LOCAL  ? SYMBOL_LOCAL
                         : binding == STB_WEAK ? SYMBOL_WEAK
                                               : SYMBOL_GLOBAL,
                         strings, symbol.st_name);
    }
}

void elf_file_add_symbols(const struct elf_file *file, struct symbol_table *table,
                          uint8_t strings) {
    size_t section_count = 0;
    struct code_section *sections = read_code_sections(file, &section_count);
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(file->handle, section)) != NULL) {
        GElf_Shdr header;
        GElf_Shdr linked;
        if (!gelf_getshdr(section, &header) ||
            (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) ||
            elf_file_section(file, &header).size == 0)
            continue;
        uint8_t number = header.sh_type == SHT_SYMTAB ? strings : (uint8_t)(strings + 1);
        Elf_Scn *string_section = elf_getscn(file->handle, header.sh_link);
        size_t entry_size = gelf_fsize(file->handle, ELF_T_SYM, 1, EV_CURRENT);
        if (number >= SYMBOL_STRINGS_MAX || table->strings[number].size > 0 || !string_section ||
            !gelf_getshdr(string_section, &linked) || linked.sh_type != SHT_STRTAB ||
            header.sh_entsize != entry_size)
            continue;
        struct text names = elf_file_section(file, &linked);
        Elf_Data *data = elf_getdata(section, NULL);
        if (names.size == 0 || names.data[names.size - 1] != '\0' || !data || !data->d_buf)
            continue;
        table->strings[number] = names;
        add_section_symbols(data, entry_size, sections, section_count, table, number);
    }
    free(sections);
}

bool elf_file_names(const struct elf_file *file, struct text part) {
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(file->handle, section)) != NULL) {
        GElf_Shdr header;
        GElf_Shdr linked;
        if (!gelf_getshdr(section, &header) ||
            (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
            continue;
        Elf_Scn *string_section = elf_getscn(file->handle, header.sh_link);
        if (string_section && gelf_getshdr(string_section, &linked) &&
            linked.sh_type == SHT_STRTAB && text_contains(elf_file_section(file, &linked), part))
            return true;
    }
    return false;
}

bool elf_file_data(const struct elf_file *file, struct text name, uint64_t size,
                   uint64_t *address) {
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(file->handle, section)) != NULL) {
        GElf_Shdr header;
        Elf_Data *data = NULL;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB ||
            header.sh_entsize == 0 || (data = elf_getdata(section, NULL)) == NULL)
            continue;
        uint64_t count = data->d_size / header.sh_entsize;
        for (int i = 0; (uint64_t)i < count && i < INT_MAX; i++) {
            GElf_Sym symbol;
            if (!gelf_getsym(data, i, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT ||
                symbol.st_size < size || symbol.st_shndx == SHN_UNDEF)
                continue;
            const char *own = elf_strptr(file->handle, header.sh_link, symbol.st_name);
            if (own && text_equal(text_of(own), name)) {
                *address = symbol.st_value;
                return true;
            }
        }
    }
    return false;
}

/* The symbols of type object in one section. */
static void visit_section(const struct elf_file *file, Elf_Scn *section, const GElf_Shdr *header,
                          elf_visit_data *visit, void *context) {
    Elf_Data *data = elf_getdata(section, NULL);
    uint64_t count = data ? data->d_size / header->sh_entsize : 0;
    for (int i = 0; (uint64_t)i < count && i < INT_MAX; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, i, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT ||
            symbol.st_shndx == SHN_UNDEF)
            continue;
        const char *name = elf_strptr(file->handle, header->sh_link, symbol.st_name);
        if (name)
            visit(context, text_of(name), symbol.st_value);
    }
}

void elf_file_each_data(const struct elf_file *file, bool all, elf_visit_data *visit,
                        void *context) {
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(file->handle, section)) != NULL) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_entsize != 0 &&
            (header.sh_type == SHT_DYNSYM || (all && header.sh_type == SHT_SYMTAB)))
            visit_section(file, section, &header, visit, context);
    }
}

/* ---- files that are cut meanwhile ---- */

/* Puts a page of zeros in the place of one that its file has no more; the access that failed is
 * then done again. Nothing but a mapping of a file fails so. */
static void replace_page(int number, siginfo_t *information, void *context) {
    (void)context;
    int before = errno;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *start = (void *)((uintptr_t)information->si_addr & ~(uintptr_t)(page - 1));
    if (information->si_code != BUS_ADRERR ||
        mmap(start, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        signal(number, SIG_DFL);
    errno = before;
}

void elf_file_survive_cuts(void) {
    struct sigaction action = {.sa_sigaction = replace_page, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}

void elf_file_close(struct elf_file *file) {
    if (file->handle)
        elf_end(file->handle);
    if (file->mapped)
        munmap((void *)(uintptr_t)file->data, file->size);
    *file = (struct elf_file){0};
}
