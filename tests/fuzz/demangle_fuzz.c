// SPDX-License-Identifier: MIT
// Fuzz target: each line of the input as a mangled name, demangled in both forms, and as a name
// that is demangled already. The results have their limit.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fold/model/cpp_name.h"
#include "profiler/symbol/demangle.h"

static void use(struct text line, struct buffer *out) {
    struct text name = cpp_name_without_version(line);
    for (int form = 0; form < 3; form++) {
        buffer_clear(out);
        if (form == 0)
            demangle_full(name, out);
        else if (form == 1)
            demangle_short(name, out);
        else
            cpp_name_shorten(name, out);
        if (out->size > DEMANGLED_SIZE_MAX + name.size || (name.size > 0 && out->size == 0))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct text rest = {(const char *)data, size};
    struct buffer out = {0};
    while (rest.size > 0) {
        const char *newline = memchr(rest.data, '\n', rest.size);
        struct text line = {rest.data, newline ? (size_t)(newline - rest.data) : rest.size};
        use(line, &out);
        rest = text_skip(rest, line.size + 1);
    }
    buffer_free(&out);
    return 0;
}
