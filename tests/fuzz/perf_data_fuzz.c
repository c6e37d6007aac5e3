// SPDX-License-Identifier: MIT
// Fuzz target: a perf.data file fed whole, and in pieces whose sizes come from its own bytes. Both
// must come to the same sum, and every sample must have a stack and a thread that exist.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "profiler/trace/perf_data.h"

static struct profile *read_file(struct text rest, bool in_pieces, bool *usable) {
    struct profile *profile = profile_new();
    struct error error = {0};
    void *parser = perf_data_reader.open(profile, NULL);
    *usable = true;
    while (*usable && rest.size > 0) {
        size_t size = in_pieces ? (size_t)1 + (unsigned char)*rest.data % 32 : rest.size;
        if (size > rest.size)
            size = rest.size;
        *usable = perf_data_reader.feed(parser, (struct text){rest.data, size}, &error);
        rest = text_skip(rest, size);
    }
    *usable = *usable && perf_data_reader.finish(parser, &error);
    if (!*usable && error.kind != ERROR_INPUT)
        abort();
    perf_data_reader.close(parser);
    return profile;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct text input = {(const char *)data, size};
    bool usable;
    bool usable_in_pieces;
    struct profile *profile = read_file(input, false, &usable);
    struct profile *in_pieces = read_file(input, true, &usable_in_pieces);
    if (usable != usable_in_pieces)
        abort();
    if (usable) {
        if (weight_compare(profile->total, in_pieces->total) != 0 ||
            profile->sample_count != in_pieces->sample_count)
            abort();
        for (size_t i = 0; i < profile->sample_count; i++) {
            const struct sample *sample = &profile->samples[i];
            if (sample->thread >= profile->thread_count || sample->event >= profile->event_count ||
                (sample->stack.index && sample->stack.index >= profile->stacks.size))
                abort();
        }
    }
    profile_free(profile);
    profile_free(in_pieces);
    return 0;
}
