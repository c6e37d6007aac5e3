// SPDX-License-Identifier: MIT
#include "profiler/live/event_loop.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fold/base/text.h"
#include "profiler/live/counters.h"
#include "profiler/live/proc_file.h"
#include "profiler/symbol/elf_file.h"

/* Bytes from the start of uv_loop_t on 64-bit machines. */
enum { LOOP_SIZE_LEAST = 552, LOOP_INTERNAL_FIELDS = 40, LOOP_TIME = 544 };

/* Bytes from the start of the internal fields, with turns counted and without. */
enum {
    FIELDS_FLAGS = 0,
    FIELDS_TURNS = 8, /* then events, events waiting, and 13 numbers in reserve */
    FIELDS_RESERVE = 32,
    FIELDS_RESERVE_SIZE = 104,
    FIELDS_IDLE_SINCE = 136,
    FIELDS_IDLE = 144,
    OLD_FIELDS_IDLE_SINCE = 8,
    OLD_FIELDS_IDLE = 16,
};

enum { FLAG_IDLE_TIME = 1 }; /* UV_METRICS_IDLE_TIME is on */

#define MILLISECOND UINT64_C(1000000)
/* The loop looks at a coarser clock, which is behind; ours is read a little later or earlier. */
#define CLOCK_SLACK (20 * MILLISECOND)

static uint64_t read_number(const unsigned char *bytes) {
    uint64_t number;
    memcpy(&number, bytes, sizeof number);
    return number;
}

/* Whether these can be the time spent idle and the beginning of the poll under way. */
static bool are_times(uint64_t idle, uint64_t idle_since, uint64_t now) {
    return idle <= now && (idle_since == 0 || (idle_since <= now + CLOCK_SLACK &&
                                               idle_since >= MILLISECOND && idle <= idle_since));
}

bool event_loop_decode(uint64_t updated_ms, const unsigned char fields[EVENT_LOOP_FIELDS_SIZE],
                       uint64_t now, struct event_loop_reading *reading) {
    unsigned char reserve = 0;
    uint32_t flags;
    memcpy(&flags, fields + FIELDS_FLAGS, sizeof flags);
    if (updated_ms == 0 || updated_ms > (now + CLOCK_SLACK) / MILLISECOND ||
        !(flags & FLAG_IDLE_TIME))
        return false;
    for (int i = 0; i < FIELDS_RESERVE_SIZE; i++)
        reserve |= fields[FIELDS_RESERVE + i];
    *reading = (struct event_loop_reading){
        .time = now,
        .turns = read_number(fields + FIELDS_TURNS),
        .idle = read_number(fields + FIELDS_IDLE),
        .idle_since = read_number(fields + FIELDS_IDLE_SINCE),
        .updated = updated_ms * MILLISECOND,
        .counts_turns = true,
    };
    /* The number of turns is small, and the time of a poll, which stood in its place, is not. */
    if (reserve == 0 && reading->turns < UINT64_C(1) << 40 &&
        (reading->turns == 0 || reading->turns + CLOCK_SLACK < now) &&
        are_times(reading->idle, reading->idle_since, now))
        return true;
    reading->counts_turns = false;
    reading->turns = 0;
    reading->idle = read_number(fields + OLD_FIELDS_IDLE);
    reading->idle_since = read_number(fields + OLD_FIELDS_IDLE_SINCE);
    return are_times(reading->idle, reading->idle_since, now);
}

bool event_loop_read(const struct event_loop *loop, struct event_loop_reading *reading) {
    uint64_t head[2] = {0}; /* the pointer to the fields, the time */
    unsigned char fields[EVENT_LOOP_FIELDS_SIZE];
    struct iovec local[2] = {{&head[0], sizeof head[0]}, {&head[1], sizeof head[1]}};
    struct iovec remote[2] = {{(void *)(uintptr_t)(loop->address + LOOP_INTERNAL_FIELDS), 8},
                              {(void *)(uintptr_t)(loop->address + LOOP_TIME), 8}};
    if (loop->address == 0 ||
        process_vm_readv(loop->process_id, local, 2, remote, 2, 0) != (ssize_t)sizeof head ||
        head[0] == 0)
        return false;
    local[0] = (struct iovec){fields, sizeof fields};
    remote[0] = (struct iovec){(void *)(uintptr_t)head[0], sizeof fields};
    if (process_vm_readv(loop->process_id, local, 1, remote, 1, 0) != (ssize_t)sizeof fields)
        return false;
    return event_loop_decode(head[1], fields, counters_clock(), reading);
}

/* What is to be added to addresses of the program's file to have those of the process. */
static bool find_bias(pid_t process_id, const struct elf_file *program, uint64_t *bias) {
    char link[64], target[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%d/exe", process_id);
    ssize_t size = readlink(link, target, sizeof target);
    struct buffer maps = {0};
    bool found = false;
    if (size > 0 && proc_read(&maps, "/proc/%d/maps", process_id)) {
        struct text rest = buffer_text(&maps);
        struct text line;
        struct proc_mapping mapping;
        uint64_t address;
        while (!found && proc_next_line(&rest, &line)) {
            if (!proc_parse_mapping(line, &mapping) || !mapping.executable ||
                !text_equal(mapping.path, (struct text){target, (size_t)size}) ||
                !elf_file_address(program, mapping.offset, &address))
                continue;
            *bias = mapping.start - address;
            found = true;
        }
    }
    buffer_free(&maps);
    return found;
}

bool event_loop_find(struct event_loop *loop, pid_t process_id) {
    char path[64];
    struct elf_file program;
    struct error error = {0};
    *loop = (struct event_loop){0};
    snprintf(path, sizeof path, "/proc/%d/exe", process_id);
    if (!elf_file_open(&program, path, &error))
        return false;
    uint64_t address, bias;
    if (elf_file_data(&program, TEXT("default_loop_struct"), LOOP_SIZE_LEAST, &address) &&
        find_bias(process_id, &program, &bias))
        *loop = (struct event_loop){process_id, bias + address};
    elf_file_close(&program);
    return loop->address != 0;
}
