// SPDX-License-Identifier: MIT
#include "profiler/trace/perf_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Bits of perf_event_attr.sample_type, in the order in which a sample's fields stand. */
enum {
    SAMPLE_IDENTIFIER = 1 << 16,
    SAMPLE_ADDRESS = 1 << 0, /* of the instruction: IP */
    SAMPLE_THREAD = 1 << 1,
    SAMPLE_TIME = 1 << 2,
    SAMPLE_DATA_ADDRESS = 1 << 3,
    SAMPLE_ID = 1 << 6,
    SAMPLE_STREAM = 1 << 9,
    SAMPLE_CPU = 1 << 7,
    SAMPLE_PERIOD = 1 << 8,
    SAMPLE_READ = 1 << 4,
    SAMPLE_CHAIN = 1 << 5,
    SAMPLE_RAW = 1 << 10,
    SAMPLE_BRANCHES = 1 << 11,
    SAMPLE_REGISTERS_USER = 1 << 12,
    SAMPLE_STACK_USER = 1 << 13,
};

/* What stands at the end of every record but samples, each 8 bytes. */
enum {
    TRAILER_FIELDS =
        SAMPLE_THREAD | SAMPLE_TIME | SAMPLE_ID | SAMPLE_STREAM | SAMPLE_CPU | SAMPLE_IDENTIFIER
};

/* Bits of perf_event_attr's flag word. */
enum {
    FLAG_EXCLUDE_KERNEL = 5,
    FLAG_BY_FREQUENCY = 10,
    FLAG_SAMPLE_ID_ALL = 18,
    FLAG_EXCLUDE_USER_CHAIN = 22,
    FLAG_USE_CLOCK = 25,
    FLAG_BUILD_ID = 34,
};

enum {
    MISC_DATA_OR_EXEC = 1 << 13, /* MMAP: of data; COMM: by exec */
    MISC_BUILD_ID = 1 << 14,     /* MMAP2: a build id in place of the inode */
    MISC_SWITCH_OUT = 1 << 13,
    MISC_SWITCH_PREEMPTED = 1 << 14,
    PROTECTION_EXECUTE = 4,
    HEADER_SIZE = 8,
};

static uint16_t number_16(const unsigned char *bytes, bool swapped) {
    uint16_t number;
    memcpy(&number, bytes, sizeof number);
    return swapped ? __builtin_bswap16(number) : number;
}

static uint32_t number_32(const unsigned char *bytes, bool swapped) {
    uint32_t number;
    memcpy(&number, bytes, sizeof number);
    return swapped ? __builtin_bswap32(number) : number;
}

static uint64_t number_64(const unsigned char *bytes, bool swapped) {
    uint64_t number;
    memcpy(&number, bytes, sizeof number);
    return swapped ? __builtin_bswap64(number) : number;
}

/* The flag word is a bit field: on machines of the other order its bits stand in other places of
 * each byte, and the bytes in the same. */
static uint64_t read_flags(const unsigned char *bytes, bool swapped) {
    uint64_t flags = 0;
    for (int i = 0; i < 8; i++) {
        unsigned byte = bytes[i];
        unsigned reversed = 0;
        for (int bit = 0; bit < 8; bit++)
            reversed |= (byte >> bit & 1) << (7 - bit);
        flags |= (uint64_t)(swapped ? reversed : byte) << (8 * i);
    }
    return flags;
}

bool perf_attribute_read(struct text bytes, bool swapped, struct perf_attribute *attribute) {
    /* Older versions of the struct are shorter: what they lack is zero. */
    unsigned char whole[112] = {0};
    if (bytes.size < PERF_ATTRIBUTE_SIZE_LEAST)
        return false;
    const unsigned char *start = (const unsigned char *)bytes.data;
    size_t size = number_32(start + 4, swapped);
    if (size == 0) /* the first version does not say its size */
        size = PERF_ATTRIBUTE_SIZE_LEAST;
    if (size < PERF_ATTRIBUTE_SIZE_LEAST)
        return false;
    if (size > bytes.size)
        size = bytes.size;
    memcpy(whole, start, size < sizeof whole ? size : sizeof whole);
    uint64_t flags = read_flags(whole + 40, swapped);
    *attribute = (struct perf_attribute){
        .type = number_32(whole, swapped),
        .config = number_64(whole + 8, swapped),
        .sample_period_or_frequency = number_64(whole + 16, swapped),
        .sample_type = number_64(whole + 24, swapped),
        .read_format = number_64(whole + 32, swapped),
        .branch_sample_type = number_64(whole + 72, swapped),
        .sample_registers_user = number_64(whole + 80, swapped),
        .sample_stack_user = number_32(whole + 88, swapped),
        .clock = (int32_t)number_32(whole + 92, swapped),
        .sample_registers_interrupt = number_64(whole + 96, swapped),
        .sample_max_stack = number_16(whole + 108, swapped),
        .by_frequency = flags >> FLAG_BY_FREQUENCY & 1,
        .sample_id_all = flags >> FLAG_SAMPLE_ID_ALL & 1,
        .use_clock = flags >> FLAG_USE_CLOCK & 1,
        .exclude_kernel = flags >> FLAG_EXCLUDE_KERNEL & 1,
        .exclude_user_chain = flags >> FLAG_EXCLUDE_USER_CHAIN & 1,
        .build_id = flags >> FLAG_BUILD_ID & 1,
    };
    return true;
}

enum {
    TYPE_HARDWARE = 0,
    TYPE_SOFTWARE = 1,
    SOFTWARE_CPU_CLOCK = 0,
    SOFTWARE_TASK_CLOCK = 1,
    SOFTWARE_CONTEXT_SWITCHES = 3,
};

void perf_attribute_name(const struct perf_attribute *attribute, char *name, size_t size) {
    static const char *const hardware[] = {
        "cycles",
        "instructions",
        "cache-references",
        "cache-misses",
        "branches",
        "branch-misses",
        "bus-cycles",
        "stalled-cycles-frontend",
        "stalled-cycles-backend",
        "ref-cycles",
    };
    static const char *const software[] = {
        "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
        "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
        "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches",
    };
    const char *known = NULL;
    if (attribute->type == TYPE_HARDWARE && attribute->config < sizeof hardware / sizeof *hardware)
        known = hardware[attribute->config];
    if (attribute->type == TYPE_SOFTWARE && attribute->config < sizeof software / sizeof *software)
        known = software[attribute->config];
    if (known)
        (void)snprintf(name, size, "%s", known);
    else
        (void)snprintf(name, size, "event %" PRIu32 ":%" PRIu64, attribute->type,
                       attribute->config);
}

bool perf_attribute_is_clock(const struct perf_attribute *attribute) {
    return attribute->type == TYPE_SOFTWARE &&
           (attribute->config == SOFTWARE_CPU_CLOCK || attribute->config == SOFTWARE_TASK_CLOCK);
}

bool perf_attribute_is_switch(const struct perf_attribute *attribute) {
    return attribute->type == TYPE_SOFTWARE && attribute->config == SOFTWARE_CONTEXT_SWITCHES;
}

uint64_t perf_record_number(const struct perf_record *record, const unsigned char *numbers,
                            uint64_t index) {
    return number_64(numbers + 8 * index, record->swapped);
}

/* A place in a record. Whoever takes more than is left gets zeros and `failed`. */
struct cursor {
    const unsigned char *at;
    size_t left;
    bool swapped, failed;
};

/* The next `count` * `size` bytes; NULL when there are fewer. */
static const unsigned char *take(struct cursor *cursor, uint64_t count, uint64_t size) {
    if (size != 0 && count > cursor->left / size) {
        cursor->failed = true;
        cursor->left = 0;
        return NULL;
    }
    const unsigned char *taken = cursor->at;
    cursor->at += count * size;
    cursor->left -= count * size;
    return taken;
}

static uint32_t take_32(struct cursor *cursor) {
    const unsigned char *bytes = take(cursor, 1, 4);
    return bytes ? number_32(bytes, cursor->swapped) : 0;
}

static uint64_t take_64(struct cursor *cursor) {
    const unsigned char *bytes = take(cursor, 1, 8);
    return bytes ? number_64(bytes, cursor->swapped) : 0;
}

/* The rest up to a NUL byte, which padding follows. */
static struct text take_name(struct cursor *cursor) {
    struct text name = {(const char *)cursor->at, strnlen((const char *)cursor->at, cursor->left)};
    cursor->left = 0;
    return name;
}

static void take_chain(struct cursor *cursor, struct perf_record *record) {
    record->chain_size = take_64(cursor);
    record->chain = take(cursor, record->chain_size, 8);
    if (!record->chain)
        record->chain_size = 0;
}

/* The values of counters, which nothing here uses. */
static void skip_read(struct cursor *cursor, uint64_t format) {
    bool group = format & 8;
    uint64_t times = (format & 1) + (format >> 1 & 1);
    uint64_t each = 1 + (format >> 2 & 1) + (format >> 4 & 1);
    uint64_t count = group ? take_64(cursor) : 1;
    (void)take(cursor, times, 8);
    (void)take(cursor, count, 8 * each);
}

static void skip_branches(struct cursor *cursor, uint64_t branch_type) {
    uint64_t count = take_64(cursor);
    if (branch_type >> 17 & 1)
        (void)take(cursor, 1, 8);
    (void)take(cursor, count, branch_type >> 19 & 1 ? 32 : 24);
}

static void take_registers(struct cursor *cursor, uint64_t mask, struct perf_record *record) {
    record->registers_abi = take_64(cursor);
    if (record->registers_abi == 0)
        return;
    record->registers = take(cursor, (uint64_t)__builtin_popcountll(mask), 8);
}

static void take_stack(struct cursor *cursor, struct perf_record *record) {
    uint64_t size = take_64(cursor);
    if (size == 0)
        return;
    const unsigned char *bytes = take(cursor, size, 1);
    uint64_t used = take_64(cursor);
    if (bytes)
        record->stack = (struct text){(const char *)bytes, used < size ? used : size};
}

static void decode_sample(const struct perf_attribute *attribute, struct cursor *cursor,
                          struct perf_record *record) {
    uint64_t type = attribute->sample_type;
    /* Where all samples have the same one, only the attribute tells it. */
    uint64_t fixed = attribute->by_frequency ? 1 : attribute->sample_period_or_frequency;
    record->period = fixed > 0 ? fixed : 1;
    if (type & SAMPLE_IDENTIFIER)
        record->event_id = take_64(cursor);
    if (type & SAMPLE_ADDRESS)
        record->address = take_64(cursor);
    if (type & SAMPLE_THREAD) {
        record->process_id = take_32(cursor);
        record->thread_id = take_32(cursor);
    }
    if (type & SAMPLE_TIME)
        record->time = take_64(cursor);
    if (type & SAMPLE_DATA_ADDRESS)
        (void)take_64(cursor);
    if (type & SAMPLE_ID)
        record->event_id = take_64(cursor);
    if (type & SAMPLE_STREAM)
        (void)take_64(cursor);
    if (type & SAMPLE_CPU) {
        record->cpu = take_32(cursor);
        (void)take_32(cursor);
    }
    if (type & SAMPLE_PERIOD)
        record->period = take_64(cursor);
    if (type & SAMPLE_READ)
        skip_read(cursor, attribute->read_format);
    if (type & SAMPLE_CHAIN)
        take_chain(cursor, record);
    if (type & SAMPLE_RAW)
        (void)take(cursor, take_32(cursor), 1);
    if (type & SAMPLE_BRANCHES)
        skip_branches(cursor, attribute->branch_sample_type);
    if (type & SAMPLE_REGISTERS_USER)
        take_registers(cursor, attribute->sample_registers_user, record);
    if (type & SAMPLE_STACK_USER)
        take_stack(cursor, record);
}

static size_t trailer_size(const struct perf_attribute *attribute) {
    if (!attribute->sample_id_all)
        return 0;
    return 8 * (size_t)__builtin_popcountll(attribute->sample_type & TRAILER_FIELDS);
}

/* Cuts the trailer off the end of what is left and reads it. */
static void decode_trailer(const struct perf_attribute *attribute, struct cursor *body,
                           struct perf_record *record) {
    size_t size = trailer_size(attribute);
    if (size > body->left) {
        body->failed = true;
        return;
    }
    body->left -= size;
    struct cursor trailer = {body->at + body->left, size, body->swapped, false};
    uint64_t type = attribute->sample_type;
    if (size == 0)
        return;
    if (type & SAMPLE_THREAD) {
        record->process_id = take_32(&trailer);
        record->thread_id = take_32(&trailer);
    }
    if (type & SAMPLE_TIME)
        record->time = take_64(&trailer);
    if (type & SAMPLE_ID)
        record->event_id = take_64(&trailer);
    if (type & SAMPLE_STREAM)
        (void)take_64(&trailer);
    if (type & SAMPLE_CPU) {
        record->cpu = take_32(&trailer);
        (void)take_32(&trailer);
    }
    if (type & SAMPLE_IDENTIFIER)
        record->event_id = take_64(&trailer);
}

static void decode_mapping(struct cursor *cursor, struct perf_record *record) {
    record->process_id = take_32(cursor);
    record->thread_id = take_32(cursor);
    record->start = take_64(cursor);
    record->size = take_64(cursor);
    record->offset = take_64(cursor);
    record->executable = !(record->misc & MISC_DATA_OR_EXEC);
    if (record->type == PERF_MMAP2) {
        const unsigned char *file = take(cursor, 1, 24);
        if (file && record->misc & MISC_BUILD_ID && file[0] <= 20) {
            record->build_id = file + 4;
            record->build_id_size = file[0];
        }
        uint32_t protection = take_32(cursor);
        (void)take_32(cursor); /* flags */
        record->executable = record->executable && (protection & PROTECTION_EXECUTE);
    }
    record->name = take_name(cursor);
}

/* FORK and EXIT have the same form. */
static void decode_task(struct cursor *cursor, struct perf_record *record) {
    record->process_id = take_32(cursor);
    record->parent_process_id = take_32(cursor);
    record->thread_id = take_32(cursor);
    record->parent_thread_id = take_32(cursor);
    uint64_t time = take_64(cursor);
    if (record->time == 0)
        record->time = time;
}

bool perf_record_decode(const struct perf_attribute *attribute, struct text bytes, bool swapped,
                        struct perf_record *record) {
    if (bytes.size < HEADER_SIZE)
        return false;
    const unsigned char *start = (const unsigned char *)bytes.data;
    *record = (struct perf_record){.type = number_32(start, swapped),
                                   .misc = number_16(start + 4, swapped),
                                   .swapped = swapped};
    struct cursor cursor = {start + HEADER_SIZE, bytes.size - HEADER_SIZE, swapped, false};
    if (record->type == PERF_SAMPLE) {
        decode_sample(attribute, &cursor, record);
        return !cursor.failed;
    }
    if (record->type >= PERF_OWN_FIRST)
        return true;
    decode_trailer(attribute, &cursor, record);
    switch (record->type) {
    case PERF_MMAP:
    case PERF_MMAP2:
        decode_mapping(&cursor, record);
        break;
    case PERF_COMM:
        record->process_id = take_32(&cursor);
        record->thread_id = take_32(&cursor);
        record->is_exec = record->misc & MISC_DATA_OR_EXEC;
        record->name = take_name(&cursor);
        break;
    case PERF_FORK:
    case PERF_EXIT:
        decode_task(&cursor, record);
        break;
    case PERF_LOST:
        record->event_id = take_64(&cursor);
        record->lost = take_64(&cursor);
        break;
    case PERF_LOST_SAMPLES:
        record->lost = take_64(&cursor);
        break;
    case PERF_SWITCH:
    case PERF_SWITCH_CPU_WIDE:
        record->switch_out = record->misc & MISC_SWITCH_OUT;
        record->preempted = record->switch_out && record->misc & MISC_SWITCH_PREEMPTED;
        break;
    case PERF_CALL_CHAIN_DEFERRED:
        record->cookie = take_64(&cursor);
        take_chain(&cursor, record);
        break;
    default:
        break;
    }
    return !cursor.failed;
}

uint64_t perf_record_identifier(struct text bytes) {
    uint64_t identifier = 0;
    if (bytes.size >= HEADER_SIZE + sizeof identifier)
        memcpy(&identifier, bytes.data + HEADER_SIZE, sizeof identifier);
    return identifier;
}

uint64_t perf_record_time(const struct perf_attribute *attribute, struct text bytes, bool swapped) {
    if (bytes.size < HEADER_SIZE || !(attribute->sample_type & SAMPLE_TIME))
        return 0;
    const unsigned char *start = (const unsigned char *)bytes.data;
    uint32_t record_type = number_32(start, swapped);
    if (record_type >= PERF_OWN_FIRST)
        return 0;
    uint64_t type = attribute->sample_type;
    size_t at = HEADER_SIZE;
    if (record_type == PERF_SAMPLE) {
        uint64_t before = SAMPLE_IDENTIFIER | SAMPLE_ADDRESS | SAMPLE_THREAD;
        at += 8 * (size_t)__builtin_popcountll(type & before);
    } else {
        size_t trailer = trailer_size(attribute);
        if (trailer == 0 || trailer > bytes.size - HEADER_SIZE)
            return 0;
        at = bytes.size - trailer + (type & SAMPLE_THREAD ? 8 : 0);
    }
    return at > bytes.size || bytes.size - at < 8 ? 0 : number_64(start + at, swapped);
}
