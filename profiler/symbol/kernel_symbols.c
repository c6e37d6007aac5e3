// SPDX-License-Identifier: MIT
#include "profiler/symbol/kernel_symbols.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fold/base/memory.h"
#include "fold/base/number.h"

enum { MODULES_MAX = UINT16_MAX, PAGE = 4096, KALLSYMS_LARGEST = 256 * 1024 * 1024 };

static struct text name_at(const struct kernel_symbols *symbols, uint32_t offset) {
    return text_of(symbols->names.data + offset);
}

static uint32_t keep_name(struct kernel_symbols *symbols, struct text name) {
    uint32_t offset = (uint32_t)symbols->names.size;
    buffer_append_text(&symbols->names, name);
    buffer_append_byte(&symbols->names, '\0');
    return offset;
}

/* The number of the module `name` (with brackets). The lines of a module stand together. */
static uint16_t module_number(struct kernel_symbols *symbols, struct text name) {
    size_t count = symbols->module_count;
    if (count > 0 && text_equal(name_at(symbols, symbols->modules[count - 1]), name))
        return (uint16_t)count;
    if (count >= MODULES_MAX)
        return MODULES_MAX;
    MEMORY_RESERVE(symbols->modules, symbols->module_capacity, count + 1);
    symbols->modules[symbols->module_count++] = keep_name(symbols, name);
    return (uint16_t)symbols->module_count;
}

/* A line of kallsyms. False: it is none. */
static bool parse_line(struct text line, struct kernel_symbol *symbol, struct text *name,
                       struct text *module) {
    size_t digits = 0;
    symbol->start = 0;
    for (int digit; digits < line.size && digits < 16; digits++) {
        digit = number_hexadecimal_digit(line.data[digits]);
        if (digit < 0)
            break;
        symbol->start = symbol->start << 4 | (uint64_t)digit;
    }
    if (digits == 0 || line.size < digits + 4 || line.data[digits] != ' ' ||
        line.data[digits + 2] != ' ')
        return false;
    symbol->type = line.data[digits + 1];
    *name = text_skip(line, digits + 3);
    *module = TEXT("");
    const char *tab = memchr(name->data, '\t', name->size);
    if (tab) {
        size_t size = (size_t)(tab - name->data);
        *module = text_skip(*name, size + 1);
        name->size = size;
    }
    return name->size > 0 && memchr(name->data, '\0', name->size) == NULL;
}

static int compare_starts(const void *left, const void *right) {
    const struct kernel_symbol *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

void kernel_symbols_parse(struct kernel_symbols *symbols, struct text text) {
    bool sorted = true, any = false;
    symbols->hidden = true;
    while (text.size > 0) {
        const char *newline = memchr(text.data, '\n', text.size);
        struct text line = {text.data, newline ? (size_t)(newline - text.data) : text.size};
        text = text_skip(text, line.size + (newline ? 1 : 0));
        struct kernel_symbol symbol;
        struct text name, module;
        if (!parse_line(line, &symbol, &name, &module))
            continue;
        any = true;
        symbols->hidden &= symbol.start == 0;
        if (!strchr("tTwW", symbol.type) || symbols->size >= UINT32_MAX ||
            symbols->names.size > UINT32_MAX / 2)
            continue;
        if (text_equal(name, TEXT("_text")) ||
            (text_equal(name, TEXT("_stext")) && symbols->text_start == 0))
            symbols->text_start = symbol.start;
        symbol.module = module.size > 0 ? module_number(symbols, module) : 0;
        symbol.name = keep_name(symbols, name);
        if (symbols->size > 0 && symbols->symbols[symbols->size - 1].start > symbol.start)
            sorted = false;
        MEMORY_RESERVE(symbols->symbols, symbols->capacity, symbols->size + 1);
        symbols->symbols[symbols->size++] = symbol;
    }
    symbols->hidden &= any;
    if (!sorted)
        qsort(symbols->symbols, symbols->size, sizeof *symbols->symbols, compare_starts);
}

/* All of a file of /proc, whose size is not known before. */
static bool read_all(const char *path, struct buffer *buffer) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    enum { PIECE = 1024 * 1024 };
    ssize_t size;
    do {
        MEMORY_RESERVE(buffer->data, buffer->capacity, buffer->size + PIECE);
        size = read(descriptor, buffer->data + buffer->size, PIECE);
        buffer->size += size > 0 ? (size_t)size : 0;
    } while (size > 0 && buffer->size < KALLSYMS_LARGEST);
    close(descriptor);
    return size == 0;
}

/* Why the addresses are hidden. */
static const char *hidden_reason(void) {
    char setting = '0';
    int descriptor = open("/proc/sys/kernel/kptr_restrict", O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) {
        if (read(descriptor, &setting, 1) != 1)
            setting = '0';
        close(descriptor);
    }
    if (setting == '2')
        return "the setting kernel.kptr_restrict = 2 hides their addresses from everyone; as root: "
               "sysctl kernel.kptr_restrict=1";
    if (setting == '1')
        return "the setting kernel.kptr_restrict = 1 hides their addresses from users without the "
               "capability CAP_SYSLOG; run as root";
    return "their addresses are hidden from users without the capability CAP_SYSLOG while "
           "kernel.perf_event_paranoid is above 1; run as root";
}

const char *kernel_symbols_read(struct kernel_symbols *symbols) {
    struct buffer text = {0};
    const char *reason = NULL;
    if (!read_all("/proc/kallsyms", &text)) {
        reason = "/proc/kallsyms cannot be read here";
    } else {
        kernel_symbols_parse(symbols, buffer_text(&text));
        if (symbols->hidden)
            reason = hidden_reason();
        else if (symbols->size == 0)
            reason = "/proc/kallsyms lists no functions";
    }
    buffer_free(&text);
    if (reason)
        kernel_symbols_free(symbols);
    return reason;
}

static int type_rank(char type) {
    return type == 'T' ? 0 : type == 't' ? 2 : 1;
}

/* Whether the name of `a` is better than that of `b`. */
static bool is_better(const struct kernel_symbols *symbols, const struct kernel_symbol *a,
                      const struct kernel_symbol *b) {
    if (type_rank(a->type) != type_rank(b->type))
        return type_rank(a->type) < type_rank(b->type);
    struct text name_a = name_at(symbols, a->name), name_b = name_at(symbols, b->name);
    size_t underscores_a = strspn(name_a.data, "_"), underscores_b = strspn(name_b.data, "_");
    if (underscores_a != underscores_b)
        return underscores_a < underscores_b;
    if (name_a.size != name_b.size)
        return name_a.size < name_b.size;
    return text_compare(name_a, name_b) < 0;
}

bool kernel_symbols_find(const struct kernel_symbols *symbols, uint64_t address, struct text *name,
                         struct text *module) {
    size_t low = 0, high = symbols->size;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (symbols->symbols[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return false;
    const struct kernel_symbol *best = &symbols->symbols[low - 1];
    uint64_t start = best->start;
    bool at_border =
        low == symbols->size || symbols->symbols[low].module != symbols->symbols[low - 1].module;
    if (at_border && address - start >= PAGE + (PAGE - start % PAGE) % PAGE)
        return false;
    enum { NAMES_COMPARED = 256 };
    for (size_t at = low - 1; at > 0 && low - at < NAMES_COMPARED; at--) {
        const struct kernel_symbol *other = &symbols->symbols[at - 1];
        if (other->start != start)
            break;
        if (is_better(symbols, other, best))
            best = other;
    }
    *name = name_at(symbols, best->name);
    *module = best->module ? name_at(symbols, symbols->modules[best->module - 1]) : TEXT("");
    return true;
}

bool kernel_symbols_find_called(const struct kernel_symbols *symbols, uint64_t address,
                                struct text *name, struct text *module) {
    bool found = kernel_symbols_find(symbols, address, name, module);
    if (found && text_starts_with(*name, TEXT("__pfx_")) && address < UINT64_MAX)
        return kernel_symbols_find(symbols, address + 1, name, module);
    return found;
}

void kernel_symbols_free(struct kernel_symbols *symbols) {
    free(symbols->symbols);
    free(symbols->modules);
    buffer_free(&symbols->names);
    *symbols = (struct kernel_symbols){0};
}
