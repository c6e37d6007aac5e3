// SPDX-License-Identifier: MIT
#include "profiler/v8/v8_constants.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "fold/base/text.h"

/* The least of them that a binary with a V8 exports. */
enum { EXPORTED_LEAST = 100 };

struct exported_row {
    const char *name; /* behind v8dbg_, without the type at its end */
    size_t field;     /* offset in struct v8_layout */
};

#define FIELD(member) offsetof(struct v8_layout, member)

static const struct exported_row exported[] = {
    {"TaggedSize", FIELD(tagged_size)},
    {"HeapObjectTag", FIELD(heap_tag)},
    {"HeapObjectTagMask", FIELD(heap_tag_mask)},
    {"off_fp_context", FIELD(frame_context)},
    {"off_fp_function", FIELD(frame_function)},
    {"off_fp_bytecode_array", FIELD(frame_bytecode)},
    {"JSFunctionRegister", FIELD(function_register)},
    {"class_Map__instance_type", FIELD(map_type)},
    {"class_JSFunction__shared", FIELD(function_shared)},
    {"class_SharedFunctionInfo__name_or_scope_info", FIELD(shared_name)},
    {"class_SharedFunctionInfo__script", FIELD(shared_script)},
    {"class_SharedFunctionInfo__script_or_debug_info", FIELD(shared_script)},
    {"class_SharedFunctionInfo__function_data", FIELD(shared_data)},
    {"class_UncompiledData__start_position", FIELD(uncompiled_start)},
    {"class_SharedFunctionInfoWrapper__shared_info", FIELD(wrapper_shared)},
    {"scopeinfo_idx_ncontextlocals", FIELD(scope_count)},
    {"scopeinfo_idx_first_vars", FIELD(scope_first)},
    {"class_Script__source", FIELD(script_source)},
    {"class_Script__name", FIELD(script_name)},
    {"class_String__length", FIELD(string_length)},
    {"class_SeqOneByteString__chars", FIELD(string_chars)},
    {"class_ConsString__first", FIELD(cons_first)},
    {"class_ConsString__second", FIELD(cons_second)},
    {"class_ThinString__actual", FIELD(thin_actual)},
    {"class_SlicedString__parent", FIELD(sliced_parent)},
    {"class_SlicedString__offset", FIELD(sliced_offset)},
    {"StringRepresentationMask", FIELD(string_representation)},
    {"ConsStringTag", FIELD(string_cons)},
    {"ExternalStringTag", FIELD(string_external_tag)},
    {"SlicedStringTag", FIELD(string_sliced)},
    {"ThinStringTag", FIELD(string_thin)},
    {"OneByteStringTag", FIELD(string_one_byte)},
    {"FirstNonstringType", FIELD(type_first_nonstring)},
    {"type_JSFunction", FIELD(type_function_first)},
    {"FirstJSFunctionType", FIELD(type_function_first)},
    {"LastJSFunctionType", FIELD(type_function_last)},
    {"type_SharedFunctionInfo", FIELD(type_shared)},
    {"type_SharedFunctionInfoWrapper", FIELD(type_wrapper)},
    {"type_ScopeInfo", FIELD(type_scope)},
    {"type_Script", FIELD(type_script)},
    {"type_DebugInfo", FIELD(type_debug)},
    {"type_Code", FIELD(type_code)},
    {"type_BytecodeArray", FIELD(type_bytecode)},
    {"type_UncompiledDataWithPreparseData", FIELD(type_uncompiled_first)},
    {"type_UncompiledDataWithoutPreparseDataWithJob", FIELD(type_uncompiled_last)},
    {"class_Code__instruction_start__Address", FIELD(code_start)},
    {"class_Code__instruction_size", FIELD(code_size)},
    {"class_Code__flags", FIELD(code_flags)},
    {"class_Code__deoptimization_data", FIELD(code_deoptimization)},
    {"class_Code__source_position_table", FIELD(code_positions)},
    {"class_FixedArrayBase__length", FIELD(array_length)},
    {"class_FixedArray__data", FIELD(array_data)},
    {"DeoptimizationDataInlinedFunctionCountIndex", FIELD(deopt_inlined_count)},
    {"DeoptimizationDataLiteralArrayIndex", FIELD(deopt_literals)},
    {"DeoptimizationDataSharedFunctionInfoIndex", FIELD(deopt_shared)},
    {"DeoptimizationDataWrappedSharedFunctionInfoIndex", FIELD(deopt_shared)},
    {"DeoptimizationDataInliningPositionsIndex", FIELD(deopt_inlinings)},
};

/* What must be there whatever the version: without it nothing can be told. */
static const size_t needed[] = {
    FIELD(function_shared), FIELD(shared_name),         FIELD(shared_script),
    FIELD(script_name),     FIELD(type_function_first), FIELD(type_shared),
    FIELD(type_scope),      FIELD(type_script),         FIELD(string_length),
};

static int32_t *field_of(struct v8_layout *layout, size_t offset) {
    return (int32_t *)(void *)((char *)layout + offset);
}

/* Whether `name` is `wanted`, or that and a type. */
static bool is_named(struct text name, const char *wanted) {
    struct text start = text_of(wanted);
    if (!text_starts_with(name, start))
        return false;
    struct text rest = text_skip(name, start.size);
    return rest.size == 0 || text_starts_with(rest, TEXT("__"));
}

/* A look through the symbols. */
struct search {
    const struct elf_file *elf;
    struct v8_constants *constants; /* NULL: they are only counted */
    unsigned found;
    unsigned versions; /* parts of the version */
};

static void take_frame_type(struct v8_constants *constants, struct text name, int32_t value) {
    if (value < 0 || value > 63)
        return;
    uint64_t bit = (uint64_t)1 << value;
    if (text_equal_string(name, "IrregexpFrame"))
        constants->frames_regexp |= bit;
    /* Frames of WebAssembly's own code; the others are ways in and out. */
    if (text_equal_string(name, "WasmFrame") || text_equal_string(name, "WasmSegmentStartFrame"))
        constants->frames_wasm |= bit;
}

static void take_version(struct search *search, struct text name, int32_t value) {
    struct v8_constants *constants = search->constants;
    const struct {
        const char *name;
        uint32_t *number;
    } parts[] = {
        {"_ZN2v88internal7Version6major_E", &constants->major},
        {"_ZN2v88internal7Version6minor_E", &constants->minor},
        {"_ZN2v88internal7Version6build_E", &constants->build},
        {"_ZN2v88internal7Version6patch_E", &constants->patch},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts && value >= 0; i++) {
        if (text_equal_string(name, parts[i].name)) {
            *parts[i].number = (uint32_t)value;
            search->versions |= 1u << i;
        }
    }
}

static void visit(void *context, struct text name, uint64_t address) {
    struct search *search = context;
    bool exported_one = text_starts_with(name, TEXT("v8dbg_"));
    int32_t value;
    if (!exported_one && !text_starts_with(name, TEXT("_ZN2v88internal7Version")))
        return;
    struct text bytes = elf_file_loaded(search->elf, address, sizeof value);
    if (bytes.size < sizeof value)
        return;
    memcpy(&value, bytes.data, sizeof value);
    search->found += exported_one;
    if (!search->constants)
        return;
    if (!exported_one) {
        take_version(search, name, value);
        return;
    }
    name = text_skip(name, TEXT("v8dbg_").size);
    if (text_starts_with(name, TEXT("frametype_")))
        take_frame_type(search->constants, text_skip(name, TEXT("frametype_").size), value);
    for (size_t i = 0; i < sizeof exported / sizeof *exported; i++) {
        if (is_named(name, exported[i].name))
            *field_of(&search->constants->layout, exported[i].field) = value;
    }
}

/* ---- versions as text ---- */

/* Takes a number off the front of *text. */
static bool take_number(struct text *text, uint32_t *number) {
    size_t size = 0;
    uint32_t value = 0;
    while (size < text->size && size < 6 && text->data[size] >= '0' && text->data[size] <= '9')
        value = value * 10 + (uint32_t)(text->data[size++] - '0');
    *text = text_skip(*text, size);
    *number = value;
    return size > 0;
}

static bool take_dot(struct text *text) {
    bool is_there = text->size > 0 && text->data[0] == '.';
    *text = text_skip(*text, is_there);
    return is_there;
}

/* The version of V8 that ends in front of `at`: "13.6.233.17" before "-node.". */
static bool parse_v8(struct text all, size_t at, struct v8_constants *constants) {
    size_t start = at;
    while (
        start > 0 && at - start < 24 &&
        ((all.data[start - 1] >= '0' && all.data[start - 1] <= '9') || all.data[start - 1] == '.'))
        start--;
    struct text text = {all.data + start, at - start};
    struct v8_constants found = {0};
    if (!take_number(&text, &found.major) || !take_dot(&text) ||
        !take_number(&text, &found.minor) || !take_dot(&text) ||
        !take_number(&text, &found.build) || !take_dot(&text) ||
        !take_number(&text, &found.patch) || text.size > 0)
        return false;
    constants->major = found.major;
    constants->minor = found.minor;
    constants->build = found.build;
    constants->patch = found.patch;
    return true;
}

/* Where `part` stands in the file from `from` on, in what is loaded; SIZE_MAX = nowhere. */
static size_t find_loaded(const struct elf_file *elf, struct text part, size_t from) {
    for (size_t i = 0; i < elf->load_count; i++) {
        size_t start = (size_t)elf->loads[i].offset, size = (size_t)elf->loads[i].size;
        if (start > elf->size || size > elf->size - start || start + size <= from)
            continue;
        size_t skipped = from > start ? from - start : 0;
        const char *found =
            memmem(elf->data + start + skipped, size - skipped, part.data, part.size);
        if (found)
            return (size_t)(found - elf->data);
    }
    return SIZE_MAX;
}

/* The version in a binary without symbols. */
static void find_version(const struct elf_file *elf, struct v8_constants *constants) {
    const struct text mark = TEXT("-node.");
    for (size_t at = 0; (at = find_loaded(elf, mark, at)) != SIZE_MAX; at += mark.size) {
        if (parse_v8((struct text){elf->data, elf->size}, at, constants))
            return;
    }
}

void v8_constants_find_node(const struct elf_file *elf, char version[32]) {
    const struct text mark = TEXT("node.js/v");
    version[0] = '\0';
    for (size_t at = 0; (at = find_loaded(elf, mark, at)) != SIZE_MAX; at += mark.size) {
        struct text text = text_skip((struct text){elf->data, elf->size}, at + mark.size);
        uint32_t major, minor, patch;
        if (take_number(&text, &major) && take_dot(&text) && take_number(&text, &minor) &&
            take_dot(&text) && take_number(&text, &patch)) {
            snprintf(version, 32, "%u.%u.%u", major, minor, patch);
            return;
        }
    }
}

/* ---- all together ---- */

bool v8_constants_are_in(const struct elf_file *elf) {
    struct search search = {.elf = elf};
    elf_file_each_data(elf, false, visit, &search);
    return search.found >= EXPORTED_LEAST;
}

bool v8_constants_read(const struct elf_file *elf, struct v8_constants *constants,
                       struct error *error) {
    enum { ALL_PARTS = 15, BASE = 10 };
    *constants = (struct v8_constants){0};
    struct search search = {.elf = elf, .constants = constants};
    elf_file_each_data(elf, false, visit, &search);
    if (search.found < EXPORTED_LEAST || search.versions != ALL_PARTS)
        elf_file_each_data(elf, true, visit, &search);
    if (search.found < EXPORTED_LEAST)
        return error_set(error, ERROR_SAMPLE,
                         "the program has no V8 that says how its memory is laid out (no v8dbg_ "
                         "symbols)");
    if (search.versions != ALL_PARTS)
        find_version(elf, constants);
    struct v8_layout *layout = &constants->layout;
    if (layout->tagged_size != 0 && layout->tagged_size != (int32_t)sizeof(uint64_t))
        return error_set(error, ERROR_SAMPLE,
                         "this build of V8 compresses its pointers, which is not supported");
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (*field_of(layout, needed[i]) == 0)
            return error_set(error, ERROR_SAMPLE,
                             "this V8 (%u.%u) does not say how its functions are laid out",
                             constants->major, constants->minor);
    }
    /* Not exported before V8 12: classes have the highest of these types. */
    if (layout->type_function_last == 0)
        layout->type_function_last = layout->type_function_first + 16;
    constants->is_tested =
        v8_versions_complete(layout, constants->major ? constants->major : BASE, constants->minor);
    constants->is_tested &= constants->major != 0;
    return true;
}
