// SPDX-License-Identifier: MIT
#include "profiler/symbol/demangle.h"

#include <demangle.h>
#include <setjmp.h>
#include <string.h>

/* One demangling under way: the text so far, and the way out when it becomes too long. */
struct collector {
    struct buffer *out;
    size_t start;
    jmp_buf too_long;
};

static void collect(const char *piece, size_t size, void *opaque) {
    struct collector *collector = opaque;
    /* libiberty's callback cannot refuse, and what would follow may take for ever. Its printers
     * keep their state on the stack, so that leaving them by a jump loses nothing. */
    if (collector->out->size - collector->start + size > DEMANGLED_SIZE_MAX)
        longjmp(collector->too_long, 1);
    buffer_append(collector->out, piece, size);
}

typedef int demangler(const char *mangled, int options, demangle_callbackref callback,
                      void *opaque);

/* Runs one of libiberty's demanglers; on failure `out` is as before. */
static bool run(demangler *function, const char *mangled, int options, struct buffer *out) {
    struct collector collector = {.out = out, .start = out->size};
    if (setjmp(collector.too_long) == 0) {
        if (function(mangled, options, collect, &collector) != 0 && out->size > collector.start)
            return true;
    }
    out->size = collector.start;
    return false;
}

/* The order of libiberty's automatic style: Rust first, because the older names of Rust are C++
 * names with a mark. */
static bool demangle(struct text mangled, int options, struct buffer *out) {
    /* Longer ones are refused by libiberty too (its recursion limit is on 2 parts a byte). */
    char name[DEMANGLE_RECURSION_LIMIT / 2 + 1];
    /* `nm` sets leading dots and dollars aside; they are the marks of some platforms. */
    size_t marks = 0;
    while (marks < mangled.size && (mangled.data[marks] == '.' || mangled.data[marks] == '$'))
        marks++;
    struct text rest = text_skip(mangled, marks);
    bool candidate = text_starts_with(rest, TEXT("_Z")) || text_starts_with(rest, TEXT("_R")) ||
                     text_starts_with(rest, TEXT("_GLOBAL_"));
    if (!candidate || rest.size >= sizeof name || memchr(rest.data, '\0', rest.size)) {
        buffer_append_text(out, mangled);
        return false;
    }
    memcpy(name, rest.data, rest.size);
    name[rest.size] = '\0';
    size_t start = out->size;
    buffer_append(out, mangled.data, marks);
    if (run(rust_demangle_callback, name, options, out) ||
        run(cplus_demangle_v3_callback, name, options, out))
        return true;
    out->size = start;
    buffer_append_text(out, mangled);
    return false;
}

bool demangle_full(struct text mangled, struct buffer *out) {
    return demangle(mangled, DMGL_PARAMS | DMGL_ANSI, out);
}

bool demangle_short(struct text mangled, struct buffer *out) {
    return demangle(mangled, DMGL_NO_OPTS, out);
}
