// SPDX-License-Identifier: MIT
/*
 * The parts of a perf.data file around its records: header, events, and facts about the recording.
 *
 * Source of the format: perf's description of its file
 * (tools/perf/Documentation/perf.data-file-format.txt). Every offset, size and count is checked
 * against the bytes that are there.
 */
#ifndef TICKFLAME_PROFILER_TRACE_PERF_FILE_H
#define TICKFLAME_PROFILER_TRACE_PERF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/error.h"
#include "fold/base/hash_index.h"
#include "fold/base/memory.h"
#include "fold/base/text.h"
#include "profiler/trace/perf_record.h"

/* Numbers of a file whose order of bytes is this machine's, or with `swapped` the other. */
uint32_t perf_number_32(const char *bytes, bool swapped);
uint64_t perf_number_64(const char *bytes, bool swapped);

struct perf_section {
    uint64_t offset, size; /* in the file */
};

enum { PERF_HEADER_SIZE_LEAST = 16, PERF_HEADER_SIZE_MOST = 104, PERF_FEATURES = 256 };

struct perf_header {
    bool swapped;
    bool pipe; /* written to a pipe: attributes and facts are records too */
    uint64_t attribute_size;
    struct perf_section attributes, data;
    uint64_t features[PERF_FEATURES / 64]; /* a bit for each section behind the data */
};

/* Whether `start` begins as perf.data files do. */
bool perf_header_is_there(struct text start);

/* The bytes of the header, told from its first PERF_HEADER_SIZE_LEAST bytes. 0: it is none of a
 * version that is known; *error says so. */
size_t perf_header_size(struct text start, struct error *error);

/* Reads a header of that size. False: it is a kind of recording that is not read here, which *error
 * names. */
bool perf_header_read(struct text bytes, struct perf_header *header, struct error *error);

/* The events of a file: their attributes, and which of them an id means. All zero is empty. */
struct perf_events {
    struct perf_attribute *attributes;
    size_t count, capacity;
    struct perf_event_id {
        uint64_t id;
        uint32_t event;
    } * ids;
    size_t id_count, id_capacity;
    struct hash_index id_index; /* from 1 */
    bool mixed;                 /* records of different events look different */
};

enum { PERF_EVENTS_MOST = 4096 };
#define PERF_NO_EVENT UINT32_MAX

/* Adds an event with the ids that `ids` holds, 8 bytes each. False: there are PERF_EVENTS_MOST. */
bool perf_events_add(struct perf_events *events, const struct perf_attribute *attribute,
                     struct text ids, bool swapped);

/* The event with this id; PERF_NO_EVENT: none. */
uint32_t perf_events_find(const struct perf_events *events, uint64_t id);

/* The event whose attribute tells how a record looks; there is one at least. */
uint32_t perf_events_layout(const struct perf_events *events, struct text record, bool swapped);

/* Adds the events that the header points to. `start` is the file from its first byte up to where
 * the records begin. False: there are none that can be used; *error says why. */
bool perf_header_events(const struct perf_header *header, struct text start,
                        struct perf_events *events, struct error *error);

void perf_events_free(struct perf_events *events);

/* perf's own records that are made use of. */
enum perf_own_record {
    PERF_OWN_ATTRIBUTE = 64, /* in pipes */
    PERF_OWN_TRACE_FORMATS = 66,
    PERF_OWN_BUILD_ID = 67,
    PERF_OWN_ROUND = 68,
    PERF_OWN_HARDWARE_TRACE_INFO = 70,
    PERF_OWN_HARDWARE_TRACE = 71,
    PERF_OWN_EVENT_UPDATE = 78, /* in pipes */
    PERF_OWN_FEATURE = 80,      /* in pipes */
    PERF_OWN_COMPRESSED = 81,
    PERF_OWN_COMPRESSED_2 = 83,
};

/* Numbers of the sections behind the data (perf calls them features) that are made use of. */
enum perf_feature {
    PERF_FEATURE_BUILD_ID = 2,
    PERF_FEATURE_HOST = 3,
    PERF_FEATURE_RELEASE = 4,
    PERF_FEATURE_ARCHITECTURE = 6,
    PERF_FEATURE_COMMAND = 11,
    PERF_FEATURE_EVENTS = 12,
};

struct perf_build_id {
    struct text path;
    struct text id;
};

struct perf_event_name {
    uint32_t index; /* the event's place among all */
    uint64_t id;    /* one of its ids; 0 = none given */
    struct text name;
};

/* What these sections say. All zero is nothing. Texts live in the arena. */
struct perf_facts {
    struct arena arena;
    struct text host, release; /* of the machine, as uname() has them */
    struct text architecture;
    struct text command; /* perf's own command line, with a blank between the arguments */
    struct perf_build_id *build_ids;
    size_t build_id_count, build_id_capacity;
    struct perf_event_name *names;
    size_t name_count, name_capacity;
};

/* Takes a section. Numbers that are of no use are passed over. False: it is damaged; what could be
 * read of it stands. */
bool perf_facts_add(struct perf_facts *facts, uint64_t feature, struct text bytes, bool swapped);

/* Takes one build id, in the form of a record; false as above. */
bool perf_facts_add_build_id(struct perf_facts *facts, struct text record, bool swapped);

/* Takes the name of an event out of perf's record EVENT_UPDATE. */
void perf_facts_add_update(struct perf_facts *facts, struct text record, bool swapped);

/* Whether the recording was made on this machine under its present kernel, by their names. */
bool perf_facts_are_of_here(const struct perf_facts *facts);

/* The major version of Node in a path such as /opt/node/v20.11.1/bin/node; 0: there is none. */
uint32_t perf_node_major(struct text path);

void perf_facts_free(struct perf_facts *facts);

#endif
