// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <sys/utsname.h>

#include "profiler/trace/perf_file.h"

/* Takes `size` bytes off the front; false: there are fewer. */
static bool take(struct text *rest, uint64_t size, struct text *taken) {
    if (size > rest->size)
        return false;
    *taken = (struct text){rest->data, (size_t)size};
    *rest = text_skip(*rest, (size_t)size);
    return true;
}

static bool take_32(struct text *rest, bool swapped, uint32_t *number) {
    struct text bytes;
    if (!take(rest, 4, &bytes))
        return false;
    *number = perf_number_32(bytes.data, swapped);
    return true;
}

/* Up to the first NUL byte: strings are padded. */
static struct text until_nul(struct text text) {
    size_t size = 0;
    while (size < text.size && text.data[size])
        size++;
    return (struct text){text.data, size};
}

/* A string with its size in front. */
static bool take_string(struct text *rest, bool swapped, struct text *string) {
    uint32_t size;
    struct text bytes;
    if (!take_32(rest, swapped, &size) || !take(rest, size, &bytes))
        return false;
    *string = until_nul(bytes);
    return true;
}

static struct text copy(struct perf_facts *facts, struct text text) {
    return (struct text){arena_copy_text(&facts->arena, text.data, text.size), text.size};
}

static bool add_string(struct perf_facts *facts, struct text bytes, bool swapped,
                       struct text *fact) {
    struct text string;
    if (!take_string(&bytes, swapped, &string))
        return false;
    *fact = copy(facts, string);
    return true;
}

static bool add_command(struct perf_facts *facts, struct text bytes, bool swapped) {
    struct buffer line = {0};
    uint32_t count = 0;
    bool whole = take_32(&bytes, swapped, &count);
    for (uint32_t i = 0; whole && i < count; i++) {
        struct text argument;
        whole = take_string(&bytes, swapped, &argument);
        if (!whole)
            break;
        if (i > 0)
            buffer_append_byte(&line, ' ');
        buffer_append_text(&line, argument);
    }
    facts->command = copy(facts, buffer_text(&line));
    buffer_free(&line);
    return whole;
}

static void add_name(struct perf_facts *facts, struct perf_event_name name) {
    MEMORY_RESERVE(facts->names, facts->name_capacity, facts->name_count + 1);
    name.name = copy(facts, name.name);
    facts->names[facts->name_count++] = name;
}

void perf_facts_add_update(struct perf_facts *facts, struct text record, bool swapped) {
    enum { WHAT = 8, ID = 16, NAME = 24, WHAT_NAME = 2 };
    if (record.size <= NAME || perf_number_64(record.data + WHAT, swapped) != WHAT_NAME)
        return;
    add_name(facts, (struct perf_event_name){.index = PERF_NO_EVENT,
                                             .id = perf_number_64(record.data + ID, swapped),
                                             .name = until_nul(text_skip(record, NAME))});
}

static bool add_events(struct perf_facts *facts, struct text bytes, bool swapped) {
    uint32_t count;
    uint32_t attribute_size;
    if (!take_32(&bytes, swapped, &count) || !take_32(&bytes, swapped, &attribute_size))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct perf_event_name name = {.index = i};
        struct text attribute;
        struct text ids;
        uint32_t id_count;
        if (!take(&bytes, attribute_size, &attribute) || !take_32(&bytes, swapped, &id_count) ||
            !take_string(&bytes, swapped, &name.name) ||
            !take(&bytes, (uint64_t)id_count * 8, &ids))
            return false;
        if (id_count)
            name.id = perf_number_64(ids.data, swapped);
        add_name(facts, name);
    }
    return true;
}

bool perf_facts_add_build_id(struct perf_facts *facts, struct text record, bool swapped) {
    enum {
        ID = 12,            /* behind header and process id */
        ID_SIZE = 20,       /* bytes of room for it */
        ID_LENGTH = 32,     /* where its length stands, in newer files */
        NAME = 36,          /* the file's name, padded */
        MISC = 4,           /* 16 bits of the header */
        MISC_LENGTH = 0x80, /* in its high byte: the length is given */
    };
    if (record.size <= NAME)
        return false;
    unsigned char misc = (unsigned char)record.data[MISC + (swapped ? 0 : 1)];
    unsigned char length = (unsigned char)record.data[ID_LENGTH];
    size_t size = misc & MISC_LENGTH && length <= ID_SIZE ? length : ID_SIZE;
    struct perf_build_id build_id = {copy(facts, until_nul(text_skip(record, NAME))),
                                     copy(facts, (struct text){record.data + ID, size})};
    MEMORY_RESERVE(facts->build_ids, facts->build_id_capacity, facts->build_id_count + 1);
    facts->build_ids[facts->build_id_count++] = build_id;
    return true;
}

static bool add_build_ids(struct perf_facts *facts, struct text bytes, bool swapped) {
    enum { HEADER = 8, SIZE = 6 }; /* where the header has the record's size */
    while (bytes.size > 0) {
        if (bytes.size < HEADER)
            return false;
        unsigned char low = (unsigned char)bytes.data[SIZE + (swapped ? 1 : 0)];
        unsigned char high = (unsigned char)bytes.data[SIZE + (swapped ? 0 : 1)];
        struct text record;
        size_t size = (size_t)high << 8 | low;
        if (size == 0 || !take(&bytes, size, &record) ||
            !perf_facts_add_build_id(facts, record, swapped))
            return false;
    }
    return true;
}

bool perf_facts_add(struct perf_facts *facts, uint64_t feature, struct text bytes, bool swapped) {
    switch (feature) {
    case PERF_FEATURE_BUILD_ID:
        return add_build_ids(facts, bytes, swapped);
    case PERF_FEATURE_HOST:
        return add_string(facts, bytes, swapped, &facts->host);
    case PERF_FEATURE_RELEASE:
        return add_string(facts, bytes, swapped, &facts->release);
    case PERF_FEATURE_ARCHITECTURE:
        return add_string(facts, bytes, swapped, &facts->architecture);
    case PERF_FEATURE_COMMAND:
        return add_command(facts, bytes, swapped);
    case PERF_FEATURE_EVENTS:
        return add_events(facts, bytes, swapped);
    default:
        return true;
    }
}

bool perf_facts_are_of_here(const struct perf_facts *facts) {
    struct utsname now;
    return uname(&now) == 0 && text_equal(facts->host, text_of(now.nodename)) &&
           text_equal(facts->release, text_of(now.release));
}

uint32_t perf_node_major(struct text path) {
    for (; path.size > 0; path = text_skip(path, 1)) {
        if (path.data[0] != '/')
            continue;
        size_t at = path.size > 1 && path.data[1] == 'v' ? 2 : 1;
        uint32_t major = 0;
        size_t digits = 0;
        for (; at < path.size && path.data[at] >= '0' && path.data[at] <= '9' && digits < 3; at++) {
            major = major * 10 + (uint32_t)(path.data[at] - '0');
            digits++;
        }
        if (digits && at + 1 < path.size && path.data[at] == '.' && path.data[at + 1] >= '0' &&
            path.data[at + 1] <= '9')
            return major;
    }
    return 0;
}

void perf_facts_free(struct perf_facts *facts) {
    arena_free(&facts->arena);
    free(facts->build_ids);
    free(facts->names);
    *facts = (struct perf_facts){0};
}
