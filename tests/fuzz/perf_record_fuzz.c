// SPDX-License-Identifier: MIT
// Fuzz target: an attribute and one record, both from the input. Whatever they say, nothing beyond
// the record is looked at; decoded parts lie inside of it.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/trace/perf_record.h"

enum { ATTRIBUTE_SIZE = 112 };

static bool is_inside(struct text record, const void *part, uint64_t size) {
    const char *start = part;
    return !start || size == 0 ||
           (start >= record.data && start <= record.data + record.size &&
            size <= (uint64_t)(record.data + record.size - start));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1 + ATTRIBUTE_SIZE)
        return 0;
    bool swapped = data[0] & 1;
    struct perf_attribute attribute;
    if (!perf_attribute_read((struct text){(const char *)data + 1, ATTRIBUTE_SIZE}, swapped,
                             &attribute))
        return 0;
    char name[48];
    perf_attribute_name(&attribute, name, sizeof name);
    size_t record_size = size - 1 - ATTRIBUTE_SIZE;
    char *copy = malloc(record_size ? record_size : 1);
    memcpy(copy, data + 1 + ATTRIBUTE_SIZE, record_size);
    struct text bytes = {copy, record_size};
    struct perf_record record;
    (void)perf_record_time(&attribute, bytes, swapped);
    (void)perf_record_identifier(bytes);
    if (perf_record_decode(&attribute, bytes, swapped, &record)) {
        if (!is_inside(bytes, record.chain, record.chain_size * 8) ||
            !is_inside(bytes, record.stack.data, record.stack.size) ||
            !is_inside(bytes, record.name.data, record.name.size) ||
            !is_inside(bytes, record.build_id, record.build_id_size))
            abort();
        if (record.preempted && !record.switch_out)
            abort();
        if (record.registers &&
            !is_inside(bytes, record.registers,
                       8 * (uint64_t)__builtin_popcountll(attribute.sample_registers_user)))
            abort();
        if (record.chain_size)
            (void)perf_record_number(&record, record.chain, record.chain_size - 1);
    }
    free(copy);
    return 0;
}
