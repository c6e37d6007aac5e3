// SPDX-License-Identifier: MIT
// Fuzz target: the perf map of a stranger, read whole and in pieces; both must say the same, and
// each address that was found must lie where a line says.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "profiler/symbol/perf_map.h"

enum { PIECE = 7 };

static void require(bool holds) {
    if (!holds)
        abort();
}

/* What both say of an address. */
static void ask(const struct perf_map *whole, const struct perf_map *pieces, uint64_t address) {
    uint32_t entry = perf_map_find(whole, address);
    require(perf_map_find(pieces, address) == entry && entry <= whole->count);
    if (entry)
        require(text_equal(perf_map_name(whole, entry), perf_map_name(pieces, entry)) &&
                perf_map_name(whole, entry).size > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct perf_map whole = {0}, pieces = {0};
    perf_map_feed(&whole, (struct text){(const char *)data, size});
    for (size_t at = 0; at < size; at += PIECE)
        perf_map_feed(
            &pieces, (struct text){(const char *)data + at, size - at < PIECE ? size - at : PIECE});
    perf_map_end(&whole);
    perf_map_end(&pieces);
    require(whole.count == pieces.count && whole.unusable == pieces.unusable &&
            whole.overlaps == pieces.overlaps && whole.overlaps <= whole.count &&
            whole.lines == pieces.lines && whole.first_unusable == pieces.first_unusable);
    struct address_entry entry = {.start = UINT64_MAX};
    /* From above, through all borders. */
    while (address_map_floor(&whole.ranges, entry.start, &entry)) {
        ask(&whole, &pieces, entry.start);
        if (entry.start == 0)
            break;
        ask(&whole, &pieces, --entry.start);
    }
    perf_map_free(&whole);
    perf_map_free(&pieces);
    return 0;
}
