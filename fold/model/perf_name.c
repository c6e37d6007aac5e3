// SPDX-License-Identifier: MIT
#include "fold/model/perf_name.h"

#include <string.h>

#include "fold/base/number.h"
#include "fold/model/v8_name.h"

/* Whether `start` stands at the front of *text; it is then taken off. */
static bool take_start(struct text *text, struct text start) {
    if (!text_starts_with(*text, start))
        return false;
    *text = text_skip(*text, start.size);
    return true;
}

bool perf_name_take_kind(struct text *name) {
    return take_start(name, TEXT("JS:")) || take_start(name, TEXT("LazyCompile:")) ||
           take_start(name, TEXT("Function:")) || take_start(name, TEXT("Script:")) ||
           take_start(name, TEXT("Eval:"));
}

/*
 * The source of `RegExp.> src: 'SOURCE' flags: 'FLAGS'`, of which *name is what follows `RegExp.`;
 * the sign tells the code's kind. The source may hold quotes and, in a name that was cut, lack its
 * end.
 */
static bool take_quoted_source(struct text *name) {
    struct text mark = TEXT(" src: '");
    if (name->size == 0 || !text_starts_with(text_skip(*name, 1), mark))
        return false;
    struct text source = text_skip(*name, 1 + mark.size);
    struct text behind = TEXT("' flags: '");
    for (size_t at = source.size; at >= behind.size; at--) {
        if (memcmp(source.data + at - behind.size, behind.data, behind.size) == 0) {
            source.size = at - behind.size;
            break;
        }
    }
    *name = source;
    return true;
}

/* Takes `-DIGITS`, the number of a WebAssembly function, off the end of *name. */
static bool take_function_number(struct text *name) {
    size_t start = name->size;
    while (start > 0 && name->data[start - 1] >= '0' && name->data[start - 1] <= '9')
        start--;
    if (start == name->size || start < 2 || name->data[start - 1] != '-')
        return false;
    name->size = start - 1;
    return true;
}

/* The names of WebAssembly functions end in their number and, from Node 14 on, their compiler:
 * `fib-3-liftoff`. Takes both off the end of *name. */
static bool take_wasm_end(struct text *name, enum frame_tier *tier) {
    struct text rest = *name;
    struct text optimised = TEXT("-turbofan");
    struct text baseline = TEXT("-liftoff");
    bool is_optimised = text_ends_with(rest, optimised);
    if (is_optimised)
        rest.size -= optimised.size;
    else if (text_ends_with(rest, baseline))
        rest.size -= baseline.size;
    if (!take_function_number(&rest))
        return text_starts_with(*name, TEXT("wasm-function["));
    *tier = is_optimised ? FRAME_OPTIMISED : FRAME_NO_TIER;
    *name = rest;
    return true;
}

/* Takes the place of code of eval() in older versions off the end of *name: ` :LINE`. */
static bool take_bare_line(struct text *name, uint32_t *line) {
    const char *blank = name->size ? memrchr(name->data, ' ', name->size) : NULL;
    if (!blank)
        return false;
    size_t size = (size_t)(blank - name->data);
    struct text place = text_skip(*name, size + 1);
    uint64_t number;
    if (!take_start(&place, TEXT(":")) || !number_parse_decimal(place, &number) ||
        number > UINT32_MAX)
        return false;
    *line = (uint32_t)number;
    name->size = size;
    return true;
}

/* The frame of a function of a script or of WebAssembly; `name` is what follows the kind. */
static struct frame function_frame(struct profile *profile, struct text name) {
    enum frame_tier tier = v8_tier_take(&name);
    struct v8_name parts;
    enum frame_kind kind = FRAME_JAVASCRIPT;
    if (v8_name_parse(name, &parts)) {
        if (text_starts_with(parts.file, TEXT("wasm://")))
            kind = FRAME_WASM;
    } else if (!take_bare_line(&parts.function, &parts.line) && tier == FRAME_NO_TIER &&
               take_wasm_end(&parts.function, &tier)) {
        kind = FRAME_WASM;
    }
    return (struct frame){.name = profile_intern(profile, parts.function),
                          .file = profile_intern(profile, parts.file),
                          .line = parts.line,
                          .column = parts.column,
                          .kind = (uint8_t)kind,
                          .tier = (uint8_t)tier};
}

struct frame perf_name_frame(struct profile *profile, struct text name) {
    struct text rest = name;
    if (perf_name_take_kind(&rest))
        return function_frame(profile, rest);
    enum frame_kind kind = FRAME_UNKNOWN_KIND;
    if (take_start(&rest, TEXT("RegExp:")) ||
        (take_start(&rest, TEXT("RegExp.")) && take_quoted_source(&rest)))
        kind = FRAME_REGEXP;
    else if (take_start(&rest, TEXT("Builtin:")) || take_start(&rest, TEXT("Handler:")))
        kind = FRAME_BUILTIN;
    else if (take_start(&rest, TEXT("BytecodeHandler:")))
        kind = FRAME_BYTECODE;
    else
        rest = name;
    /* Stubs are shown with their kind. */
    if (text_starts_with(name, TEXT("Stub:")))
        kind = FRAME_BUILTIN;
    return (struct frame){.name = profile_intern(profile, rest), .kind = (uint8_t)kind};
}
