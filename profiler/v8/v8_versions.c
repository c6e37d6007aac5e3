// SPDX-License-Identifier: MIT
#include "profiler/v8/v8_versions.h"

#include <stddef.h>

/* What is from this version on; 0 in a row: as in the rows before. */
struct version_row {
    uint32_t major, minor;
    struct v8_layout layout;
};

static const struct version_row rows[] = {
    {10,
     0,
     {
         .tagged_size = 8,
         .smi_shift = 32,
         .heap_tag = 1,
         .heap_tag_mask = 3,
         .frame_context = -8,
         .frame_function = -16,
         .frame_bytecode = -32,
         .function_register = 7,
         .map_type = 12,
         .function_shared = 24,
         .shared_name = 16,
         .shared_script = 32,
         .shared_data = 8,
         .uncompiled_start = 16,
         .debug_script = 24,
         .scope_count = 2,
         .scope_first = 3,
         .scope_header = 8,
         .scope_flags = 12, /* the high half of a small integer */
         .scope_inline_most = 75,
         .scope_type_mask = 0xf,
         .scope_flag_class = 1 << 10,
         .scope_flag_name = 3 << 12,
         .scope_flag_inferred = 1 << 14,
         .script_source = 8,
         .script_name = 16,
         .script_line = 24,
         .script_column = 32,
         .script_id = 64,
         .string_length = 12,
         .string_chars = 16,
         .string_external = 24,
         .cons_first = 16,
         .cons_second = 24,
         .thin_actual = 16,
         .sliced_parent = 16,
         .sliced_offset = 24,
         .string_representation = 7,
         .string_cons = 1,
         .string_external_tag = 2,
         .string_sliced = 3,
         .string_thin = 5,
         .string_one_byte = 8,
         .type_first_nonstring = 128,
         .code_inline = 128,
         .code_flags = 48,
         .code_size = 40,
         .code_kind_mask = 0xf,
         .code_deoptimization = 16,
         .code_positions = 24,
         .kind_builtin = 2,
         .kind_regexp = 3,
         .kind_interpreted = 10,
         .kind_baseline = 11,
         .kind_turbofan = 13,
         .array_length = 8,
         .array_data = 16,
         .deopt_inlined_count = 1,
         .deopt_literals = 2,
         .deopt_shared = 6,
         .deopt_inlinings = 7,
     }},
    /* Instructions apart from the Code object; Maglev. */
    {11, 0, {.code_start = 40, .code_size = 56, .kind_maglev = 12}},
    {12,
     0,
     {.function_shared = 32,
      .code_size = 52,
      .code_deoptimization = 8,
      .code_positions = 16,
      .kind_interpreted = 9,
      .kind_baseline = 10,
      .kind_maglev = 11,
      .kind_turbofan = 12}},
    /* Places in front of the names of a ScopeInfo. */
    {13,
     0,
     {.shared_name = 24,
      .shared_script = 40,
      .scope_first = 5,
      .scope_positions = 3,
      .scope_flags = 8,
      .scope_module = 3,
      .code_flags = 52,
      .code_size = 56,
      .deopt_literals = 3,
      .deopt_shared = 7,
      .deopt_inlinings = 8,
      .wrapper_shared = 8}},
    {14,
     0,
     {.positions_flags = 2,
      .kind_builtin = 3,
      .kind_regexp = 4,
      .kind_interpreted = 10,
      .kind_baseline = 11,
      .kind_maglev = 12,
      .kind_turbofan = 13}},
};

static bool is_reached(const struct version_row *row, uint32_t major, uint32_t minor) {
    return row->major < major || (row->major == major && row->minor <= minor);
}

bool v8_versions_complete(struct v8_layout *layout, uint32_t major, uint32_t minor) {
    enum { FIELDS = sizeof *layout / sizeof(int32_t), ROWS = sizeof rows / sizeof *rows };
    int32_t *fields = (int32_t *)layout;
    for (size_t field = 0; field < FIELDS; field++) {
        /* The last row that says it. */
        for (size_t row = ROWS; row-- > 0 && fields[field] == 0;) {
            if (is_reached(&rows[row], major, minor))
                fields[field] = ((const int32_t *)&rows[row].layout)[field];
        }
    }
    if (layout->code_start != 0)
        layout->code_inline = 0;
    return major >= V8_OLDEST_MAJOR && major <= V8_NEWEST_MAJOR;
}
