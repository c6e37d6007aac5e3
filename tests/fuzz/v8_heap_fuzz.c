// SPDX-License-Identifier: MIT
// The memory of a process that may hold anything: a byte for the version of V8, and bytes that
// stand at all addresses, over and over. Whatever is asked for ends, within its budget.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/v8/v8_code.h"
#include "profiler/v8/v8_functions.h"
#include "profiler/v8/v8_string.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BUDGET = 16384, ROUNDS = 3, OLDEST = 10, VERSIONS = 6 };

struct input {
    const uint8_t *data;
    size_t size;
    uint64_t reads;
};

static bool read_memory(void *context, uint64_t address, void *bytes, size_t size) {
    struct input *input = context;
    uint8_t *out = bytes;
    if (++input->reads > (uint64_t)BUDGET * 8 + (uint64_t)V8_SOURCE_MOST)
        abort();
    /* Some memory is not there. */
    if (address % 61 == 7)
        return false;
    for (size_t i = 0; i < size; i++)
        out[i] = input->data[(address + i) % input->size];
    return true;
}

static void prepare(struct v8_heap *heap, struct input *input, uint32_t major) {
    *heap = (struct v8_heap){
        .memory = {.read = read_memory, .context = input},
        .layout =
            {
                .type_shared = 0x11,
                .type_scope = 0x22,
                .type_script = 0x33,
                .type_code = 0x44,
                .type_bytecode = 0x55,
                .type_debug = 0x66,
                .type_wrapper = 0x77,
                .type_function_first = 0x1000,
                .type_function_last = 0x4000,
                .type_uncompiled_first = 0x88,
                .type_uncompiled_last = 0x99,
            },
    };
    v8_versions_complete(&heap->layout, major, 0);
    /* Types that bytes of an input are likely to be. */
    heap->layout.type_first_nonstring = 0x8000;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { FRONT = 17 };
    if (size < FRONT + 8)
        return 0;
    struct input input = {data + FRONT, size - FRONT, 0};
    static struct v8_heap heap;
    prepare(&heap, &input, OLDEST + data[0] % VERSIONS);
    struct v8_functions functions;
    struct v8_codes codes;
    v8_functions_open(&functions, &heap);
    v8_codes_open(&codes, &heap);
    uint64_t words[2];
    memcpy(words, data + 1, sizeof words);
    for (int round = 0; round < ROUNDS; round++) {
        input.reads = 0;
        heap.now += UINT64_C(1000000000);
        heap.memory.budget = BUDGET;
        uint64_t shared = v8_function_shared(&functions, words[0] | 1);
        v8_function_of_shared(&functions, shared);
        v8_function_of_shared(&functions, words[1] | 1);
        heap.memory.budget = BUDGET;
        struct buffer text = {0};
        v8_string_read(&heap, words[0] | 1, V8_NAME_MOST, &text);
        if (text.size > (size_t)V8_NAME_MOST * 4)
            abort();
        buffer_free(&text);
        heap.memory.budget = BUDGET;
        const struct v8_code *code = v8_code_find(&codes, words[1]);
        uint64_t inlined[V8_INLINED_DEPTH_MOST];
        if (code && v8_code_inlined(&codes, code, words[1], inlined) > V8_INLINED_DEPTH_MOST)
            abort();
        words[0] = words[0] * 0x9E3779B97F4A7C15u + 8;
    }
    v8_codes_close(&codes);
    v8_functions_close(&functions);
    return 0;
}
