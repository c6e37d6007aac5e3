// SPDX-License-Identifier: MIT
#include "profiler/v8/v8_code.h"

#include <stdlib.h>
#include <string.h>

#include "fold/base/hash_index.h"
#include "fold/base/memory.h"

#define MISSING_NANOSECONDS UINT64_C(1000000000)

enum {
    SEARCHED_MOST = 512 << 10, /* bytes in front of an address */
    PIECE = 16384,
    CANDIDATES_MOST = 256, /* words that are looked at closely */
    HEADER_MOST = 128,     /* bytes between the pointer to a Code object and the instructions */
    CODE_SIZE_MOST = 64 << 20,
    MISSING_KEPT = 1024,
    TABLE_MOST = 1 << 20, /* bytes of a source position table */
    INLININGS_MOST = 4096,
};

struct v8_no_code {
    uint64_t address; /* 0 = empty */
    uint64_t seen;
};

void v8_codes_open(struct v8_codes *codes, struct v8_heap *heap) {
    *codes = (struct v8_codes){.heap = heap};
    codes->missing = memory_allocate_zero(MISSING_KEPT, sizeof *codes->missing);
}

static void free_details(struct v8_code *code) {
    free(code->positions);
    free(code->inlinings);
    code->positions = NULL;
    code->inlinings = NULL;
    code->position_count = code->inlining_count = 0;
    code->is_read = false;
}

static void forget_all(struct v8_codes *codes) {
    for (size_t i = 0; i < codes->count; i++)
        free_details(&codes->codes[i]);
    codes->count = 0;
    address_map_free(&codes->starts);
    codes->starts = (struct address_map){0};
}

void v8_codes_close(struct v8_codes *codes) {
    forget_all(codes);
    free(codes->codes);
    free(codes->missing);
    *codes = (struct v8_codes){0};
}

/* ---- one Code object ---- */

static enum v8_code_kind kind_of(const struct v8_layout *layout, uint32_t flags) {
    int32_t kind = (int32_t)(flags & (uint32_t)layout->code_kind_mask);
    const struct {
        int32_t number;
        enum v8_code_kind kind;
    } kinds[] = {
        {layout->kind_turbofan, V8_CODE_TURBOFAN},
        {layout->kind_maglev, V8_CODE_MAGLEV},
        {layout->kind_baseline, V8_CODE_BASELINE},
        {layout->kind_regexp, V8_CODE_REGEXP},
        {layout->kind_interpreted, V8_CODE_INTERPRETER},
        {layout->kind_builtin, V8_CODE_INTERPRETER},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].number != 0 && kinds[i].number == kind)
            return kinds[i].kind;
    }
    return V8_CODE_OTHER;
}

/* Reads what a Code object says of its instructions. */
static bool read_code(struct v8_heap *heap, uint64_t object, struct v8_code *code) {
    const struct v8_layout *layout = &heap->layout;
    uint32_t size, flags;
    uint64_t start = v8_field(heap, object, layout->code_inline), ignored;
    const struct v8_part parts[] = {
        {v8_field(heap, object, layout->code_start ? layout->code_start : 0),
         layout->code_start ? &start : &ignored, sizeof start},
        {v8_field(heap, object, layout->code_size), &size, sizeof size},
        {v8_field(heap, object, layout->code_flags), &flags, sizeof flags},
        {v8_field(heap, object, layout->code_deoptimization), &code->deoptimization,
         sizeof code->deoptimization},
        {v8_field(heap, object, layout->code_positions), &code->table, sizeof code->table},
    };
    if (!v8_memory_read_parts(&heap->memory, parts, sizeof parts / sizeof *parts) ||
        size > CODE_SIZE_MOST)
        return false;
    code->object = object;
    code->start = start;
    code->size = size;
    code->kind = kind_of(layout, flags);
    return true;
}

static bool is_optimised(const struct v8_code *code) {
    return code->kind == V8_CODE_MAGLEV || code->kind == V8_CODE_TURBOFAN;
}

/* The function of optimised code: in its deoptimization data, in newer versions through a wrapper.
 */
static void read_owner(struct v8_heap *heap, struct v8_code *code) {
    const struct v8_layout *layout = &heap->layout;
    uint64_t size, word;
    code->shared = code->owner = 0;
    if (!is_optimised(code) || !v8_array_size(heap, code->deoptimization, &size) ||
        size <= (uint64_t)layout->deopt_shared)
        return;
    uint64_t address = v8_field(heap, code->deoptimization, layout->array_data) +
                       (uint64_t)layout->deopt_shared * (uint64_t)layout->tagged_size;
    if (!v8_memory_read_number(&heap->memory, address, &word))
        return;
    uint64_t object = word;
    if (layout->type_wrapper && v8_object_is(heap, &object, layout->type_wrapper)) {
        address = v8_field(heap, object, layout->wrapper_shared);
        if (!v8_memory_read_number(&heap->memory, address, &word))
            return;
        object = word;
    }
    if (!v8_object_is(heap, &object, layout->type_shared))
        return;
    code->shared = object;
    code->owner = address;
    code->owner_word = word;
}

/* ---- from an address to its Code object ---- */

/* Looks at a word in front of an address: whether it leads to the Code object of that. `at` is
 * where it stands. */
static bool try_word(struct v8_heap *heap, uint64_t word, uint64_t at, uint64_t address,
                     struct v8_code *code) {
    const struct v8_layout *layout = &heap->layout;
    uint64_t object = word;
    if (layout->code_start) {
        if (!v8_object_is(heap, &object, layout->type_code))
            return false;
    } else {
        /* The word is the map, and stands at the start of the object. */
        uint32_t type;
        object = at | (uint64_t)layout->heap_tag;
        if (!v8_map_type(heap, word, &type) || type != (uint32_t)layout->type_code)
            return false;
    }
    if (!read_code(heap, object, code) || code->start <= at ||
        (layout->code_start && code->start - at > HEADER_MOST) || address < code->start ||
        address - code->start >= code->size)
        return false;
    code->header = at;
    code->pointer = word;
    return true;
}

/* A search under way: a piece of memory in front of the address. */
struct code_search {
    struct v8_codes *codes;
    uint64_t address;
    unsigned candidates;
};

/* Looks through `size` bytes, which stand at `start`, from their end on. The word in front of them
 * is in them too. */
static bool search_piece(struct code_search *search, const unsigned char *bytes, uint64_t start,
                         size_t size, struct v8_code *code) {
    struct v8_codes *codes = search->codes;
    struct v8_heap *heap = codes->heap;
    for (size_t at = size; at >= 2 * sizeof(uint64_t); at -= sizeof(uint64_t)) {
        uint64_t word, before;
        memcpy(&word, bytes + at - sizeof word, sizeof word);
        memcpy(&before, bytes + at - 2 * sizeof word, sizeof before);
        /* Maps of code do not move: the one that was seen first is that of all. */
        uint64_t map = heap->layout.code_start ? before : word;
        bool is_header = codes->header_map ? map == codes->header_map : v8_is_object(heap, map);
        if (!is_header || !v8_is_object(heap, word))
            continue;
        if (++search->candidates > CANDIDATES_MOST)
            return false;
        if (try_word(heap, word, start + at - sizeof word, search->address, code)) {
            codes->header_map = map;
            return true;
        }
    }
    return false;
}

static bool search_code(struct v8_codes *codes, uint64_t address, struct v8_code *code) {
    struct code_search search = {codes, address, 0};
    unsigned char bytes[PIECE];
    uint64_t end = address & ~(uint64_t)(sizeof(uint64_t) - 1);
    /* The first piece ends where the page begins that holds the address, so that a read never
     * crosses from memory that is there into memory that is not. */
    uint64_t start = end & ~(uint64_t)(V8_MEMORY_CHUNK - 1);
    for (uint64_t searched = 0; searched < SEARCHED_MOST && start > PIECE;) {
        size_t size = (size_t)(end - start);
        if (size > 0 && !v8_memory_read(&codes->heap->memory, start, bytes, size))
            return false;
        if (search_piece(&search, bytes, start, size, code))
            return true;
        searched += size;
        /* One word of the piece before is looked at again, with the one in front of it. */
        end = size >= sizeof(uint64_t) ? start + sizeof(uint64_t) : start;
        start = start - (searched < PIECE ? V8_MEMORY_CHUNK : PIECE - V8_MEMORY_CHUNK);
    }
    return false;
}

/* ---- what is kept ---- */

static struct v8_code *find_kept(struct v8_codes *codes, uint64_t address) {
    struct address_entry entry;
    if (!address_map_floor(&codes->starts, address, &entry) || entry.value == 0)
        return NULL;
    struct v8_code *code = &codes->codes[entry.value - 1];
    return address - code->start < code->size ? code : NULL;
}

/* Whether a piece of code is there still, and the same function's. */
static bool is_same(struct v8_heap *heap, const struct v8_code *code) {
    struct v8_code now = {0};
    uint64_t pointer, owner = code->owner_word;
    struct v8_part parts[2] = {{code->header, &pointer, sizeof pointer}};
    size_t count = 1;
    if (code->owner)
        parts[count++] = (struct v8_part){code->owner, &owner, sizeof owner};
    return v8_memory_read_parts(&heap->memory, parts, count) && pointer == code->pointer &&
           owner == code->owner_word && read_code(heap, code->object, &now) &&
           now.start == code->start && now.size == code->size && now.kind == code->kind &&
           now.deoptimization == code->deoptimization && now.table == code->table;
}

static void forget(struct v8_codes *codes, struct v8_code *code) {
    address_map_remove(&codes->starts, code->start);
    free_details(code);
    code->size = 0;
}

static struct v8_code *keep(struct v8_codes *codes, const struct v8_code *found) {
    struct address_entry entry;
    if (codes->count == V8_CODES_MOST)
        forget_all(codes);
    /* What it overlaps is gone. */
    while (address_map_floor(&codes->starts, found->start + found->size - 1, &entry) &&
           codes->codes[entry.value - 1].start + codes->codes[entry.value - 1].size > found->start)
        forget(codes, &codes->codes[entry.value - 1]);
    MEMORY_RESERVE(codes->codes, codes->capacity, codes->count + 1);
    struct v8_code *code = &codes->codes[codes->count++];
    *code = *found;
    address_map_insert(&codes->starts, code->start, (uint32_t)codes->count);
    return code;
}

const struct v8_code *v8_code_find(struct v8_codes *codes, uint64_t address) {
    struct v8_heap *heap = codes->heap;
    struct v8_code *kept = find_kept(codes, address);
    if (kept && heap->now - kept->seen <= V8_FRESH_NANOSECONDS)
        return kept;
    if (kept && is_same(heap, kept)) {
        kept->seen = heap->now;
        return kept;
    }
    if (kept)
        forget(codes, kept);
    struct v8_no_code *missing = &codes->missing[hash_number(address) % MISSING_KEPT];
    if (missing->address == address && heap->now - missing->seen <= MISSING_NANOSECONDS)
        return NULL;
    struct v8_code found = {0};
    if (!search_code(codes, address, &found)) {
        *missing = (struct v8_no_code){address, heap->now};
        return NULL;
    }
    found.seen = heap->now;
    read_owner(heap, &found);
    return keep(codes, &found);
}

/* ---- what was expanded ---- */

/* Takes a number of the table: 7 bits a byte, the lowest first, the highest bit says that more
 * follow. */
static bool take_bits(const unsigned char **at, const unsigned char *end, uint64_t *bits) {
    *bits = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        unsigned char byte = *(*at)++;
        *bits |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

/* The number whose lowest bit is the sign. */
static int64_t with_sign(uint64_t bits) {
    return (int64_t)(bits >> 1) ^ -(int64_t)(bits & 1);
}

/* The distance of an entry from the one before. It says too whether a statement begins there: with
 * its sign, negated then less one, or with its lowest bits. */
static uint64_t distance_of(const struct v8_layout *layout, uint64_t bits) {
    if (layout->positions_flags)
        return bits >> layout->positions_flags;
    int64_t distance = with_sign(bits);
    return (uint64_t)(distance < 0 ? -(distance + 1) : distance);
}

/* The number of the expansion in a source position: bits 31 to 46. */
static uint32_t inlining_of(uint64_t position) {
    return (uint32_t)(position >> 31 & 0xffff);
}

static void decode_positions(const struct v8_layout *layout, struct v8_code *code,
                             const unsigned char *bytes, size_t size) {
    const unsigned char *at = bytes, *end = bytes + size;
    size_t capacity = 0;
    uint64_t position = 0, offset = 0, offset_bits, position_bits;
    uint32_t last = 0;
    while (take_bits(&at, end, &offset_bits) && take_bits(&at, end, &position_bits)) {
        offset += distance_of(layout, offset_bits);
        position += (uint64_t)with_sign(position_bits);
        uint32_t inlining = inlining_of(position);
        if (offset > UINT32_MAX)
            return;
        if (inlining == last)
            continue;
        MEMORY_RESERVE(code->positions, capacity, code->position_count + 1);
        code->positions[code->position_count++] = (struct v8_position){(uint32_t)offset, inlining};
        last = inlining;
    }
}

/* The bytes of an array; NULL: there is none that is not empty. To be freed. */
static unsigned char *read_bytes(struct v8_heap *heap, uint64_t tagged, size_t most, size_t *size) {
    uint64_t count;
    if (!v8_array_size(heap, tagged, &count) || count == 0 || count > most)
        return NULL;
    unsigned char *bytes = memory_allocate((size_t)count);
    *size = (size_t)count;
    if (v8_memory_read(&heap->memory, v8_field(heap, tagged, heap->layout.array_data), bytes,
                       *size))
        return bytes;
    free(bytes);
    return NULL;
}

/* The expansions: in the order of their numbers the place that each was called from (8 bytes) and
 * which of the literals is the function (4 bytes, and 4 more to fill up). */
static void read_inlinings(struct v8_heap *heap, struct v8_code *code) {
    enum { ROW = 16, LITERAL = 8 };
    const struct v8_layout *layout = &heap->layout;
    uint64_t list, literals;
    size_t size;
    if (!v8_array_slot(heap, code->deoptimization, (uint64_t)layout->deopt_inlinings, &list) ||
        !v8_array_slot(heap, code->deoptimization, (uint64_t)layout->deopt_literals, &literals))
        return;
    unsigned char *bytes = read_bytes(heap, list, (size_t)INLININGS_MOST * ROW, &size);
    if (!bytes)
        return;
    code->inlining_count = size / ROW;
    code->inlinings = memory_allocate_zero(code->inlining_count, sizeof *code->inlinings);
    for (size_t i = 0; i < code->inlining_count; i++) {
        struct v8_inlining *inlining = &code->inlinings[i];
        uint64_t position, word;
        int32_t literal;
        memcpy(&position, bytes + i * ROW, sizeof position);
        memcpy(&literal, bytes + i * ROW + LITERAL, sizeof literal);
        inlining->parent = inlining_of(position);
        if (literal >= 0 && v8_array_slot(heap, literals, (uint64_t)literal, &word) &&
            v8_object_is(heap, &word, layout->type_shared))
            inlining->shared = word;
    }
    free(bytes);
}

static void read_details(struct v8_heap *heap, struct v8_code *code) {
    size_t size;
    code->is_read = true;
    unsigned char *table = read_bytes(heap, code->table, TABLE_MOST, &size);
    if (!table)
        return;
    decode_positions(&heap->layout, code, table, size);
    free(table);
    if (code->position_count > 0)
        read_inlinings(heap, code);
}

size_t v8_code_inlined(struct v8_codes *codes, const struct v8_code *found, uint64_t address,
                       uint64_t *shared) {
    struct v8_code *code = &codes->codes[found - codes->codes];
    if (!is_optimised(code) || !code->shared)
        return 0;
    if (!code->is_read)
        read_details(codes->heap, code);
    /* The last entry that is not behind the address. */
    size_t low = 0, high = code->position_count;
    uint64_t offset = address - code->start;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code->positions[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t number = low ? code->positions[low - 1].inlining : 0;
    size_t count = 0;
    while (number > 0 && number <= code->inlining_count && count < V8_INLINED_DEPTH_MOST) {
        const struct v8_inlining *inlining = &code->inlinings[number - 1];
        shared[count++] = inlining->shared;
        number = inlining->parent;
    }
    return count;
}
