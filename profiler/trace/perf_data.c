// SPDX-License-Identifier: MIT
#include "profiler/trace/perf_data.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/trace/perf_file.h"
#include "profiler/trace/perf_machine.h"
#include "profiler/trace/perf_order.h"
#include "profiler/trace/perf_sums.h"
#include "profiler/unwind/architecture.h"

/* Limits of what is kept of the parts around the records. */
enum { FRONT_MOST = 64 * 1024 * 1024, BACK_MOST = 64 * 1024 * 1024 };

enum { RECORD_HEADER = 8, SOFTWARE = 1, SOFTWARE_DUMMY = 9, SAMPLE_HAS_TIME = 1 << 2 };

enum stage {
    STAGE_HEADER,
    STAGE_FRONT, /* from the header to the records: events and their ids */
    STAGE_RECORDS,
    STAGE_BROKEN, /* records that cannot be told apart any more */
    STAGE_BACK,   /* behind the records */
};

struct perf_data_parser {
    struct profile *profile;
    struct symbol_source *no_symbols; /* without options */
    struct native_names *names;
    struct perf_header header;
    size_t header_size; /* 0 = not known yet */
    enum stage stage;
    uint64_t offset; /* in the file, of what comes next */
    uint64_t data_end;
    uint64_t skipped;      /* bytes that come next and are no record */
    struct buffer pending; /* what is not complete yet: header and front, a record, the back */

    struct perf_events events;
    uint32_t *event_rows; /* of profile->events, for each event; PERF_NO_EVENT = its samples are of
                             no use */
    size_t event_rows_capacity;
    struct perf_facts facts;
    struct perf_order *order;
    struct perf_machine *machine; /* NULL until there is an event */
    struct unwinder *unwinder;    /* of its stacks; NULL: this build has none */
    struct perf_sums sums;        /* of the samples, unless their times are kept */
    bool is_unwound;              /* stacks of registers are for the unwinder */
    uint64_t text_start;          /* of the kernel */
    uint64_t first_time, last_time;
    bool any_time;
    uint32_t node_major; /* 0 = not known */
    bool node_differs;
};

static enum probe_result probe(struct text start) {
    return perf_header_is_there(start) ? PROBE_CERTAIN : PROBE_NO;
}

static void deliver(void *context, struct text bytes, uint32_t layout);

static void *open_parser(struct profile *profile, const void *options_given) {
    const struct perf_data_options *options = options_given;
    struct perf_data_parser *parser = memory_allocate_zero(1, sizeof *parser);
    parser->profile = profile;
    struct native_names_options names = {.no_symbols = true};
    if (options) {
        names = options->names;
    } else {
        parser->no_symbols = symbol_source_open(&(struct symbol_options){.mode = SYMBOLS_NONE});
        names.source = parser->no_symbols;
    }
    parser->names = native_names_open(profile, &names);
    parser->order = perf_order_open(deliver, parser);
    profile->format = perf_data_reader.format;
    return parser;
}

static void close_parser(void *state) {
    struct perf_data_parser *parser = state;
    if (!parser)
        return;
    perf_machine_close(parser->machine);
    unwinder_close(parser->unwinder);
    perf_order_close(parser->order);
    native_names_close(parser->names);
    symbol_source_close(parser->no_symbols);
    perf_events_free(&parser->events);
    perf_facts_free(&parser->facts);
    perf_sums_free(&parser->sums);
    buffer_free(&parser->pending);
    free(parser->event_rows);
    free(parser);
}

/* Samples, while reading: they have a row of the machine in place of a stack. */
static void take_sample(void *context, const struct machine_sample *sample) {
    struct perf_data_parser *parser = context;
    uint64_t time = 0;
    if (sample->time) {
        if (!parser->any_time || sample->time < parser->first_time)
            parser->first_time = sample->time;
        if (sample->time > parser->last_time)
            parser->last_time = sample->time;
        parser->any_time = true;
        time = (sample->time - parser->first_time) / 1000;
    }
    parser->profile->events[sample->event].samples++;
    struct sample timed = {.stack = {sample->row},
                           .thread = sample->thread,
                           .event = sample->event,
                           .count = 1,
                           .weight = weight_of(sample->period),
                           .time = time};
    profile_add_moment(parser->profile, &timed);
    if (parser->profile->keep_times)
        profile_add_sample_alone(parser->profile, timed);
    else
        perf_sums_add(&parser->sums, sample);
}

/* Rows of the profile for the events that have none yet. */
static void add_event_rows(struct perf_data_parser *parser, size_t from) {
    MEMORY_RESERVE(parser->event_rows, parser->event_rows_capacity, parser->events.count);
    for (size_t i = from; i < parser->events.count; i++) {
        const struct perf_attribute *attribute = &parser->events.attributes[i];
        char name[64];
        parser->event_rows[i] = PERF_NO_EVENT;
        if (attribute->type == SOFTWARE && attribute->config == SOFTWARE_DUMMY)
            continue;
        perf_attribute_name(attribute, name, sizeof name);
        bool is_clock = perf_attribute_is_clock(attribute);
        parser->event_rows[i] = profile_add_event(parser->profile, text_of(name),
                                                  is_clock ? UNIT_NANOSECONDS : UNIT_COUNT);
    }
}

static void open_machine(struct perf_data_parser *parser) {
    struct perf_machine_options options = {
        .names = parser->names, .take = take_sample, .context = parser};
    for (size_t i = 0; i < parser->events.count; i++) {
        const struct perf_attribute *attribute = &parser->events.attributes[i];
        if (attribute->sample_max_stack > options.stack_limit)
            options.stack_limit = attribute->sample_max_stack;
        /* A file names its architecture at its end, when stacks have been walked. But arm64 alone
         * has a register with this number: its program counter. */
        enum { ARM64_COUNTER = 32 };
        if (attribute->sample_registers_user)
            options.elf_machine =
                attribute->sample_registers_user >> ARM64_COUNTER & 1 ? EM_AARCH64 : EM_X86_64;
    }
    const struct architecture *told = architecture_of_name(parser->facts.architecture);
    if (told)
        options.elf_machine = told->elf_machine;
    options.unwinder = parser->unwinder =
        unwinder_open(&(struct unwinder_options){.names = parser->names, .mode = UNWIND_AUTO});
    parser->is_unwound = parser->unwinder && unwinder_is_for(options.elf_machine);
    parser->machine = perf_machine_open(parser->profile, &options);
}

static void look_at_mapping(struct perf_data_parser *parser, const struct perf_record *record) {
    static const struct text kernel = {"[kernel.kallsyms]", sizeof "[kernel.kallsyms]" - 1};
    if (record->process_id == UINT32_MAX && text_starts_with(record->name, kernel))
        /* The offset is where the symbol stands; older files have only the start. */
        parser->text_start = record->offset ? record->offset : record->start;
    if (!record->executable || !text_equal(text_basename(record->name), TEXT("node")))
        return;
    uint32_t major = perf_node_major(record->name);
    if (major && parser->node_major && major != parser->node_major)
        parser->node_differs = true;
    if (major)
        parser->node_major = major;
}

/* Takes a record of the kernel, in order of time. */
static void deliver(void *context, struct text bytes, uint32_t layout) {
    struct perf_data_parser *parser = context;
    struct perf_record record;
    uint32_t event = layout;
    if (!perf_record_decode(&parser->events.attributes[layout], bytes, parser->header.swapped,
                            &record)) {
        warnings_add(&parser->profile->warnings, "damaged-record", 0,
                     "a record of type %" PRIu32 " is shorter than it says; it is skipped",
                     record.type);
        return;
    }
    if (record.type == PERF_MMAP || record.type == PERF_MMAP2)
        look_at_mapping(parser, &record);
    if (record.type == PERF_SAMPLE && parser->events.count > 1 && !parser->events.mixed) {
        event = perf_events_find(&parser->events, record.event_id);
        if (event == PERF_NO_EVENT) {
            warnings_add(&parser->profile->warnings, "unknown-event", 0,
                         "a sample is of an event that the file does not list; it is skipped");
            return;
        }
    }
    uint32_t row = parser->event_rows[event];
    if (record.type == PERF_SAMPLE && row == PERF_NO_EVENT)
        return;
    perf_machine_record(parser->machine, &record, &parser->events.attributes[event],
                        row == PERF_NO_EVENT ? 0 : (uint16_t)row);
}

static bool add_attribute(struct perf_data_parser *parser, struct text record) {
    struct perf_attribute attribute;
    struct text bytes = text_skip(record, RECORD_HEADER);
    bool swapped = parser->header.swapped;
    if (!perf_attribute_read(bytes, swapped, &attribute))
        return false;
    size_t size = perf_number_32(bytes.data + 4, swapped);
    size_t before = parser->events.count;
    if (!perf_events_add(&parser->events, &attribute, text_skip(bytes, size), swapped))
        return false;
    add_event_rows(parser, before);
    return true;
}

static bool refuse_compressed(struct error *error) {
    return error_set(
        error, ERROR_INPUT,
        "recorded with -z (compressed); not read by this version; record again without -z");
}

static void add_fact(struct perf_data_parser *parser, uint64_t feature, struct text bytes) {
    if (!perf_facts_add(&parser->facts, feature, bytes, parser->header.swapped))
        warnings_add(&parser->profile->warnings, "damaged-feature", 0,
                     "what the file says of the recording (feature %" PRIu64 ") is damaged",
                     feature);
}

/* Takes one of perf's own records. False: the file is of a kind that is not read. */
static bool take_own_record(struct perf_data_parser *parser, uint32_t type, struct text record,
                            struct error *error) {
    enum { FEATURE_COMPRESSED = 27 };
    bool swapped = parser->header.swapped;
    switch (type) {
    case PERF_OWN_ROUND:
        perf_order_round(parser->order);
        break;
    case PERF_OWN_ATTRIBUTE:
        if (parser->header.pipe && !add_attribute(parser, record))
            warnings_add(&parser->profile->warnings, "damaged-record", 0,
                         "the description of an event is damaged; it is skipped");
        break;
    case PERF_OWN_BUILD_ID:
        (void)perf_facts_add_build_id(&parser->facts, record, swapped);
        break;
    case PERF_OWN_EVENT_UPDATE:
        perf_facts_add_update(&parser->facts, record, swapped);
        break;
    case PERF_OWN_FEATURE:
        if (record.size > 16) {
            uint64_t feature = perf_number_64(record.data + 8, swapped);
            if (feature == FEATURE_COMPRESSED)
                return refuse_compressed(error);
            add_fact(parser, feature, text_skip(record, 16));
        }
        break;
    case PERF_OWN_TRACE_FORMATS:
        if (record.size >= 12)
            parser->skipped = ((uint64_t)perf_number_32(record.data + 8, swapped) + 7) / 8 * 8;
        break;
    case PERF_OWN_HARDWARE_TRACE_INFO:
    case PERF_OWN_HARDWARE_TRACE:
        return error_set(error, ERROR_INPUT,
                         "it holds a trace of the processor (Intel PT, ARM CoreSight ...); not "
                         "read by this version; record again with -e cpu-clock -g");
    case PERF_OWN_COMPRESSED:
    case PERF_OWN_COMPRESSED_2:
        return refuse_compressed(error);
    default:
        break;
    }
    return true;
}

static bool take_record(struct perf_data_parser *parser, struct text record, struct error *error) {
    bool swapped = parser->header.swapped;
    uint32_t type = perf_number_32(record.data, swapped);
    if (type >= PERF_OWN_FIRST)
        return take_own_record(parser, type, record, error);
    if (parser->events.count == 0) {
        warnings_add(&parser->profile->warnings, "record-before-events", 0,
                     "a record stands before the events are described; it is skipped");
        return true;
    }
    if (!parser->machine)
        open_machine(parser);
    uint32_t layout = perf_events_layout(&parser->events, record, swapped);
    uint64_t time = perf_record_time(&parser->events.attributes[layout], record, swapped);
    perf_order_add(parser->order, time, record, layout);
    return true;
}

/* Moves bytes from the front of *piece into `pending` until that holds `wanted`. */
static bool collect(struct perf_data_parser *parser, struct text *piece, uint64_t wanted) {
    uint64_t missing = wanted - parser->pending.size;
    size_t count = piece->size < missing ? piece->size : (size_t)missing;
    buffer_append(&parser->pending, piece->data, count);
    *piece = text_skip(*piece, count);
    parser->offset += count;
    return parser->pending.size == wanted;
}

static bool feed_header(struct perf_data_parser *parser, struct text *piece, struct error *error) {
    if (parser->header_size == 0) {
        if (!collect(parser, piece, PERF_HEADER_SIZE_LEAST))
            return true;
        if (!perf_header_is_there(buffer_text(&parser->pending)))
            return error_set(error, ERROR_INPUT, "not a perf.data file");
        parser->header_size = perf_header_size(buffer_text(&parser->pending), error);
        if (parser->header_size == 0)
            return false;
    }
    if (!collect(parser, piece, parser->header_size))
        return true;
    struct perf_header *header = &parser->header;
    if (!perf_header_read(buffer_text(&parser->pending), header, error))
        return false;
    parser->stage = STAGE_FRONT;
    if (header->pipe) {
        parser->data_end = UINT64_MAX;
        parser->stage = STAGE_RECORDS;
        buffer_clear(&parser->pending);
        return true;
    }
    if (header->data.offset > FRONT_MOST)
        return error_set(error, ERROR_INPUT, "damaged header: its records begin at byte %" PRIu64,
                         header->data.offset);
    bool unfinished = header->data.size == 0;
    if (unfinished ||
        __builtin_add_overflow(header->data.offset, header->data.size, &parser->data_end))
        parser->data_end = UINT64_MAX;
    return true;
}

static bool feed_front(struct perf_data_parser *parser, struct text *piece, struct error *error) {
    if (!collect(parser, piece, parser->header.data.offset))
        return true;
    if (!perf_header_events(&parser->header, buffer_text(&parser->pending), &parser->events, error))
        return false;
    add_event_rows(parser, 0);
    buffer_clear(&parser->pending);
    parser->stage = STAGE_RECORDS;
    return true;
}

/* The size that a record's header, which is complete, says. */
static size_t record_size(const struct perf_data_parser *parser, struct text bytes) {
    uint16_t size;
    memcpy(&size, bytes.data + 6, sizeof size);
    return parser->header.swapped ? __builtin_bswap16(size) : size;
}

/* Gives up on the records: one has no size, or is larger than their room. */
static void break_off(struct perf_data_parser *parser, uint64_t offset, size_t size) {
    warnings_add(&parser->profile->warnings, "broken-records", 0,
                 "at byte %" PRIu64 " of the file stands a record of %zu bytes, which cannot be; "
                 "what stands before it is used",
                 offset, size);
    buffer_clear(&parser->pending);
    parser->stage = STAGE_BROKEN;
}

/* Passes bytes over; true when there are none (any more) of them to come. */
static bool skip(struct perf_data_parser *parser, struct text *piece) {
    size_t count = piece->size < parser->skipped ? piece->size : (size_t)parser->skipped;
    *piece = text_skip(*piece, count);
    parser->skipped -= count;
    parser->offset += count;
    return parser->skipped == 0;
}

/* Takes a record that begins in `pending` and goes on in the piece. */
static bool feed_pending(struct perf_data_parser *parser, struct text *piece, struct error *error) {
    uint64_t start = parser->offset - parser->pending.size;
    if (parser->pending.size < RECORD_HEADER && !collect(parser, piece, RECORD_HEADER))
        return true;
    size_t size = record_size(parser, buffer_text(&parser->pending));
    if (size < RECORD_HEADER || size > parser->data_end - start) {
        break_off(parser, start, size);
        return true;
    }
    if (!collect(parser, piece, size))
        return true;
    bool taken = take_record(parser, buffer_text(&parser->pending), error);
    buffer_clear(&parser->pending);
    return taken;
}

static bool feed_records(struct perf_data_parser *parser, struct text *piece, struct error *error) {
    uint64_t left = parser->data_end - parser->offset;
    struct text records = {piece->data, piece->size < left ? piece->size : (size_t)left};
    uint64_t start = parser->offset;
    bool usable = true;
    if (skip(parser, &records) && parser->pending.size > 0)
        usable = feed_pending(parser, &records, error);
    while (usable && parser->stage == STAGE_RECORDS && records.size > 0 && parser->skipped == 0) {
        bool has_header = records.size >= RECORD_HEADER;
        size_t size = has_header ? record_size(parser, records) : RECORD_HEADER;
        if (has_header && (size < RECORD_HEADER || size > parser->data_end - parser->offset)) {
            break_off(parser, parser->offset, size);
        } else if (size > records.size) {
            (void)collect(parser, &records, size);
        } else {
            usable = take_record(parser, (struct text){records.data, size}, error);
            records = text_skip(records, size);
            parser->offset += size;
        }
    }
    *piece = text_skip(*piece, (size_t)(parser->offset - start));
    return usable;
}

static bool feed(void *state, struct text piece, struct error *error) {
    struct perf_data_parser *parser = state;
    bool usable = true;
    while (usable && piece.size > 0) {
        switch (parser->stage) {
        case STAGE_HEADER:
            usable = feed_header(parser, &piece, error);
            break;
        case STAGE_FRONT:
            usable = feed_front(parser, &piece, error);
            break;
        case STAGE_RECORDS:
            usable = feed_records(parser, &piece, error);
            break;
        case STAGE_BROKEN:
            parser->skipped = parser->data_end - parser->offset;
            (void)skip(parser, &piece);
            parser->skipped = 0;
            break;
        case STAGE_BACK:
            if (parser->pending.size + piece.size <= BACK_MOST)
                buffer_append_text(&parser->pending, piece);
            parser->offset += piece.size;
            piece.size = 0;
            break;
        }
        if (parser->stage > STAGE_FRONT && parser->stage < STAGE_BACK &&
            parser->offset == parser->data_end) {
            parser->stage = STAGE_BACK;
            buffer_clear(&parser->pending);
        }
    }
    return usable;
}

static void warn_of_end(struct perf_data_parser *parser) {
    struct warnings *warnings = &parser->profile->warnings;
    if (!parser->header.pipe && parser->header.data.size == 0)
        warnings_add(warnings, "unfinished-file", 0,
                     "perf record was ended before it completed the file: binaries are not "
                     "checked by build id");
    else if (!parser->header.pipe && parser->stage != STAGE_BACK)
        warnings_add(warnings, "cut-file", 0,
                     "the file is cut: it ends at byte %" PRIu64 " of its %" PRIu64
                     " bytes of records; what is there is used",
                     parser->offset - parser->header.data.offset, parser->header.data.size);
    else if (parser->stage == STAGE_RECORDS && parser->pending.size > 0)
        warnings_add(warnings, "cut-file", 0,
                     "the file is cut: it ends inside a record; what stands before it is used");
}

/* Reads the sections behind the records: a table of places for each feature that there is. */
static void read_back(struct perf_data_parser *parser) {
    enum { ENTRY = 16 };
    struct text back = buffer_text(&parser->pending);
    struct text table = back;
    for (uint64_t feature = 0; feature < PERF_FEATURES; feature++) {
        if (!(parser->header.features[feature / 64] >> feature % 64 & 1))
            continue;
        if (table.size < ENTRY)
            return;
        uint64_t offset = perf_number_64(table.data, parser->header.swapped);
        uint64_t size = perf_number_64(table.data + 8, parser->header.swapped);
        table = text_skip(table, ENTRY);
        if (offset >= parser->data_end && offset - parser->data_end <= back.size &&
            size <= back.size - (offset - parser->data_end))
            add_fact(parser, feature,
                     (struct text){back.data + (offset - parser->data_end), (size_t)size});
        else
            warnings_add(&parser->profile->warnings, "damaged-feature", 0,
                         "what the file says of the recording (feature %" PRIu64
                         ") lies outside of it",
                         feature);
    }
}

static void use_facts(struct perf_data_parser *parser) {
    const struct perf_facts *facts = &parser->facts;
    struct profile *profile = parser->profile;
    for (size_t i = 0; i < facts->build_id_count; i++)
        native_names_build_id(parser->names, facts->build_ids[i].path,
                              (const unsigned char *)facts->build_ids[i].id.data,
                              facts->build_ids[i].id.size);
    native_names_kernel(parser->names, perf_facts_are_of_here(facts), parser->text_start);
    for (size_t i = 0; i < facts->name_count; i++) {
        uint32_t event = perf_events_find(&parser->events, facts->names[i].id);
        if (event == PERF_NO_EVENT)
            event = facts->names[i].index;
        if (event < parser->events.count && parser->event_rows[event] != PERF_NO_EVENT)
            profile->events[parser->event_rows[event]].name =
                profile_intern(profile, facts->names[i].name);
    }
    profile->command = profile_intern(profile, facts->command);
    if (parser->node_major && !parser->node_differs) {
        char version[16];
        (void)snprintf(version, sizeof version, "v%" PRIu32, parser->node_major);
        profile->node = profile_intern(profile, text_of(version));
    }
}

/* What the event of most samples says of how it was sampled. */
static void describe_sampling(struct perf_data_parser *parser) {
    struct profile *profile = parser->profile;
    const struct perf_attribute *main = NULL;
    uint64_t most = 0;
    for (size_t i = 0; i < parser->events.count; i++) {
        uint32_t row = parser->event_rows[i];
        if (row == PERF_NO_EVENT || (main && profile->events[row].samples <= most))
            continue;
        main = &parser->events.attributes[i];
        most = profile->events[row].samples;
    }
    profile->sampling.route = "perf record";
    if (!main)
        return;
    if (main->sample_stack_user)
        profile->sampling.call_graph = parser->is_unwound ? "auto" : "fp";
    bool is_clock = perf_attribute_is_clock(main);
    uint64_t number = main->sample_period_or_frequency;
    if (number && main->by_frequency) {
        profile->sampling.asked_hz = number;
        profile->interval_us = 1000000 / number;
    } else if (number && is_clock) {
        profile->sampling.asked_hz = 1000000000 / number;
        profile->interval_us = number / 1000;
    }
    profile->sampling.kernel_hidden = main->exclude_kernel;
    profile->waiting_is_missing = is_clock;
    profile->has_times = main->sample_type & SAMPLE_HAS_TIME;
    if (parser->any_time)
        profile->duration_us = (parser->last_time - parser->first_time) / 1000;
}

/* Gives the samples their stacks. */
static void add_samples(struct perf_data_parser *parser) {
    struct profile *profile = parser->profile;
    for (size_t i = 0; i < profile->sample_count; i++)
        profile->samples[i].stack =
            perf_machine_stack(parser->machine, profile->samples[i].stack.index);
    for (size_t i = 0; i < profile->moment_count; i++)
        profile->moments[i].stack =
            perf_machine_stack(parser->machine, profile->moments[i].stack.index);
    perf_sums_take(&parser->sums, parser->machine, profile);
}

static bool finish(void *state, struct error *error) {
    struct perf_data_parser *parser = state;
    struct profile *profile = parser->profile;
    if (parser->stage == STAGE_HEADER || parser->stage == STAGE_FRONT)
        return error_set(error, ERROR_INPUT, "it ends at byte %" PRIu64 ", inside its header",
                         parser->offset);
    if (parser->events.count == 0)
        return error_set(error, ERROR_INPUT, "it describes no events");
    warn_of_end(parser);
    if (parser->stage == STAGE_BACK)
        read_back(parser);
    perf_order_finish(parser->order);
    use_facts(parser);
    if (parser->machine) {
        perf_machine_finish(parser->machine);
        add_samples(parser);
        (void)native_names_finish(parser->names);
    }
    describe_sampling(parser);
    profile_keep_main_event(profile);
    return true;
}

const struct reader perf_data_reader = {
    .format = "perf-data",
    .probe = probe,
    .open = open_parser,
    .feed = feed,
    .finish = finish,
    .close = close_parser,
};
