// SPDX-License-Identifier: MIT
#include "profiler/trace/perf_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint32_t perf_number_32(const char *bytes, bool swapped) {
    uint32_t number;
    memcpy(&number, bytes, sizeof number);
    return swapped ? __builtin_bswap32(number) : number;
}

uint64_t perf_number_64(const char *bytes, bool swapped) {
    uint64_t number;
    memcpy(&number, bytes, sizeof number);
    return swapped ? __builtin_bswap64(number) : number;
}

#define MAGIC         TEXT("PERFILE2")
#define MAGIC_SWAPPED TEXT("2ELIFREP")
#define MAGIC_FIRST   TEXT("PERFFILE")

bool perf_header_is_there(struct text start) {
    return text_starts_with(start, MAGIC) || text_starts_with(start, MAGIC_SWAPPED) ||
           text_starts_with(start, MAGIC_FIRST);
}

enum { HEADER_WITHOUT_FEATURES = 72 };

size_t perf_header_size(struct text start, struct error *error) {
    if (text_starts_with(start, MAGIC_FIRST)) {
        error_set(error, ERROR_INPUT, "written by a perf of before 2010; not read by this version");
        return 0;
    }
    bool swapped = text_starts_with(start, MAGIC_SWAPPED);
    uint64_t size = perf_number_64(start.data + 8, swapped);
    if (size == PERF_HEADER_SIZE_LEAST || size == HEADER_WITHOUT_FEATURES)
        return (size_t)size;
    if (size >= PERF_HEADER_SIZE_MOST)
        return PERF_HEADER_SIZE_MOST;
    error_set(error, ERROR_INPUT,
              "damaged header: at byte 8 its size is %" PRIu64 ", and 104 was expected", size);
    return 0;
}

static struct perf_section read_section(const char *bytes, bool swapped) {
    return (struct perf_section){perf_number_64(bytes, swapped),
                                 perf_number_64(bytes + 8, swapped)};
}

static bool has_feature(const struct perf_header *header, unsigned feature) {
    return header->features[feature / 64] >> feature % 64 & 1;
}

/* Words of 64 bits in the writer's order; on machines of 32 bits, pairs of 32. */
static void read_features(const char *bytes, struct perf_header *header) {
    for (size_t i = 0; i < PERF_FEATURES / 64; i++)
        header->features[i] = perf_number_64(bytes + 8 * i, header->swapped);
    if (!header->swapped || has_feature(header, PERF_FEATURE_HOST))
        return;
    for (size_t i = 0; i < PERF_FEATURES / 64; i++)
        header->features[i] = header->features[i] << 32 | header->features[i] >> 32;
}

/* Kinds of recordings that are not read, by their features. */
static bool refuse_kinds(const struct perf_header *header, struct error *error) {
    static const struct {
        unsigned feature;
        const char *message;
    } kinds[] = {
        {19, "recorded by perf stat; it holds counts and no samples"},
        {24, "recorded with --threads (a folder of files); not read by this version; record again "
             "without --threads"},
        {27, "recorded with -z (compressed); not read by this version; record again without -z"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (has_feature(header, kinds[i].feature))
            return error_set(error, ERROR_INPUT, "%s", kinds[i].message);
    return true;
}

bool perf_header_read(struct text bytes, struct perf_header *header, struct error *error) {
    *header = (struct perf_header){.swapped = text_starts_with(bytes, MAGIC_SWAPPED)};
    header->pipe = bytes.size == PERF_HEADER_SIZE_LEAST;
    if (header->pipe)
        return true;
    header->attribute_size = perf_number_64(bytes.data + 16, header->swapped);
    header->attributes = read_section(bytes.data + 24, header->swapped);
    header->data = read_section(bytes.data + 40, header->swapped);
    if (bytes.size >= PERF_HEADER_SIZE_MOST)
        read_features(bytes.data + 72, header);
    if (header->data.offset < bytes.size)
        return error_set(error, ERROR_INPUT,
                         "damaged header: its records begin at byte %" PRIu64 ", inside the header",
                         header->data.offset);
    return refuse_kinds(header, error);
}

/* Whether records of both events have the same fields. */
static bool look_alike(const struct perf_attribute *one, const struct perf_attribute *other) {
    return one->sample_type == other->sample_type && one->read_format == other->read_format &&
           one->branch_sample_type == other->branch_sample_type &&
           one->sample_registers_user == other->sample_registers_user &&
           one->sample_id_all == other->sample_id_all;
}

bool perf_events_add(struct perf_events *events, const struct perf_attribute *attribute,
                     struct text ids, bool swapped) {
    if (events->count == PERF_EVENTS_MOST)
        return false;
    if (events->count && !look_alike(attribute, &events->attributes[0]))
        events->mixed = true;
    MEMORY_RESERVE(events->attributes, events->capacity, events->count + 1);
    uint32_t event = (uint32_t)events->count++;
    events->attributes[event] = *attribute;
    for (; ids.size >= 8; ids = text_skip(ids, 8)) {
        uint64_t id = perf_number_64(ids.data, swapped);
        if (perf_events_find(events, id) != PERF_NO_EVENT)
            continue;
        MEMORY_RESERVE(events->ids, events->id_capacity, events->id_count + 1);
        events->ids[events->id_count++] = (struct perf_event_id){id, event};
        hash_index_insert(&events->id_index, hash_number(id), (uint32_t)events->id_count);
    }
    return true;
}

uint32_t perf_events_find(const struct perf_events *events, uint64_t id) {
    struct hash_probe probe = hash_index_start(&events->id_index, hash_number(id));
    uint32_t row;
    while ((row = hash_index_next(&events->id_index, &probe)) != 0)
        if (events->ids[row - 1].id == id)
            return events->ids[row - 1].event;
    return PERF_NO_EVENT;
}

uint32_t perf_events_layout(const struct perf_events *events, struct text record, bool swapped) {
    if (!events->mixed || record.size < 16)
        return 0;
    /* Where events differ, perf gives each record an id at a fixed place. */
    bool is_sample = perf_number_32(record.data, swapped) == PERF_SAMPLE;
    const char *place = record.data + (is_sample ? 8 : record.size - 8);
    uint32_t event = perf_events_find(events, perf_number_64(place, swapped));
    return event == PERF_NO_EVENT ? 0 : event;
}

/* The section's bytes; false: it is not all inside of `start`. */
static bool section_bytes(struct text start, struct perf_section section, struct text *bytes) {
    if (section.offset > start.size || section.size > start.size - section.offset)
        return false;
    *bytes = (struct text){start.data + section.offset, (size_t)section.size};
    return true;
}

bool perf_header_events(const struct perf_header *header, struct text start,
                        struct perf_events *events, struct error *error) {
    struct text entries;
    if (header->attributes.offset >= header->data.offset)
        return error_set(error, ERROR_INPUT,
                         "its events stand behind its records; not read by this version");
    if (!section_bytes(start, header->attributes, &entries))
        return error_set(error, ERROR_INPUT,
                         "damaged header: the events are not in front of the records");
    enum { IDS = 16 }; /* offset and size of the list of ids, behind the attribute */
    if (header->attribute_size < PERF_ATTRIBUTE_SIZE_LEAST + IDS ||
        header->attribute_size > entries.size)
        return error_set(error, ERROR_INPUT,
                         "damaged header: at byte 16 the size of an event is %" PRIu64,
                         header->attribute_size);
    size_t size = (size_t)header->attribute_size;
    uint64_t ids_left = start.size; /* lists that overlap are not all read */
    for (; entries.size >= size; entries = text_skip(entries, size)) {
        struct perf_attribute attribute;
        struct text bytes = {entries.data, size - IDS};
        struct text ids = {0};
        if (!perf_attribute_read(bytes, header->swapped, &attribute))
            return error_set(error, ERROR_INPUT, "damaged header: an event is too short");
        /* Without its ids an event can still be the only one. */
        struct perf_section section = read_section(entries.data + size - IDS, header->swapped);
        if (section.size <= ids_left && section_bytes(start, section, &ids))
            ids_left -= ids.size;
        if (!perf_events_add(events, &attribute, ids, header->swapped))
            return error_set(error, ERROR_INPUT, "it has more than %d events", PERF_EVENTS_MOST);
    }
    return true;
}

void perf_events_free(struct perf_events *events) {
    free(events->attributes);
    free(events->ids);
    hash_index_free(&events->id_index);
    *events = (struct perf_events){0};
}
