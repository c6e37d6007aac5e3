// SPDX-License-Identifier: MIT
/*
 * Records of the kernel's perf events: the bytes of one record in, its fields out. The same form
 * stands in perf.data files and in the ring buffers of a living process.
 *
 * Source of the format: the kernel's header linux/perf_event.h and perf's description of its file
 * (tools/perf/Documentation/perf.data-file-format.txt). Nothing is copied: texts are views into the
 * record. Every size is checked against the end of the record.
 */
#ifndef TICKFLAME_PROFILER_TRACE_PERF_RECORD_H
#define TICKFLAME_PROFILER_TRACE_PERF_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/error.h"
#include "fold/base/text.h"

/* What an event records: the part of struct perf_event_attr that says how its records look. */
struct perf_attribute {
    uint32_t type;   /* 0 hardware, 1 software ... */
    uint64_t config; /* with type 1: 0 cpu-clock, 1 task-clock ... */
    uint64_t sample_type, read_format, branch_sample_type;
    uint64_t sample_period_or_frequency;
    uint64_t sample_registers_user; /* bits of the registers in a sample */
    uint32_t sample_stack_user;     /* bytes of stack in a sample; 0 = none */
    uint64_t sample_registers_interrupt;
    uint16_t sample_max_stack; /* frames at most; 0 = the kernel's setting */
    int32_t clock;             /* clockid_t, with use_clock */
    bool by_frequency;         /* sample_period_or_frequency is a frequency in Hz */
    bool sample_id_all, use_clock, exclude_kernel, exclude_user_chain, build_id;
};

enum { PERF_ATTRIBUTE_SIZE_LEAST = 64, PERF_RECORD_SIZE_MOST = 65535 };

/* Reads a struct perf_event_attr of any version; `swapped`: written on a machine of the other byte
 * order. False: it is too short. */
bool perf_attribute_read(struct text bytes, bool swapped, struct perf_attribute *attribute);

/* The event's name when a file does not give one: "cpu-clock", "cycles" ..., or "event 4:27".
 * Writes at most `size` bytes. */
void perf_attribute_name(const struct perf_attribute *attribute, char *name, size_t size);

/* Whether weights of the event are nanoseconds (cpu-clock, task-clock). */
bool perf_attribute_is_clock(const struct perf_attribute *attribute);

/* Whether samples of the event are made where a thread leaves its processor. */
bool perf_attribute_is_switch(const struct perf_attribute *attribute);

/* Record types; those from 64 on are perf's own. */
enum perf_record_type {
    PERF_MMAP = 1,
    PERF_LOST = 2,
    PERF_COMM = 3,
    PERF_EXIT = 4,
    PERF_THROTTLE = 5,
    PERF_UNTHROTTLE = 6,
    PERF_FORK = 7,
    PERF_SAMPLE = 9,
    PERF_MMAP2 = 10,
    PERF_LOST_SAMPLES = 13,
    PERF_SWITCH = 14,
    PERF_SWITCH_CPU_WIDE = 15,
    PERF_KERNEL_SYMBOL = 17,
    PERF_CALL_CHAIN_DEFERRED = 22,
    PERF_OWN_FIRST = 64,
};

/* The call chain's marks, as they stand between addresses. */
#define PERF_CONTEXT_KERNEL        ((uint64_t)-128)
#define PERF_CONTEXT_USER          ((uint64_t)-512)
#define PERF_CONTEXT_USER_DEFERRED ((uint64_t)-640)
#define PERF_CONTEXT_FIRST         ((uint64_t)-4095)

/* One decoded record; which fields mean something follows from `type`. */
struct perf_record {
    uint32_t type; /* enum perf_record_type */
    uint16_t misc;
    uint32_t process_id, thread_id;
    uint64_t time;     /* nanoseconds of the recording's clock; 0 = not known */
    uint32_t cpu;      /* 0 when not recorded */
    uint64_t event_id; /* ID or IDENTIFIER; 0 = not recorded */

    /* PERF_SAMPLE */
    uint64_t address;           /* of the instruction */
    uint64_t period;            /* when not recorded that of the attribute, or 1 */
    const unsigned char *chain; /* chain_size numbers of 8 bytes, innermost first, with marks */
    uint64_t chain_size;
    const unsigned char *registers; /* numbers of 8 bytes, one for each bit of the attribute's
                                       sample_registers_user, in order of bits; NULL = none */
    uint64_t registers_abi;         /* 1 = 32-bit, 2 = 64-bit */
    struct text stack;              /* bytes from the stack pointer up; empty = none */

    /* PERF_MMAP, PERF_MMAP2 */
    uint64_t start, size, offset;
    struct text name; /* the file's path; with PERF_COMM the thread's name */
    const unsigned char *build_id;
    size_t build_id_size;
    bool executable;

    /* PERF_SWITCH, PERF_SWITCH_CPU_WIDE: the thread of the record leaves its processor (or takes
     * it, false), although it could go on. */
    bool switch_out, preempted;

    bool is_exec;                                 /* PERF_COMM: the process runs a new program */
    uint32_t parent_process_id, parent_thread_id; /* PERF_FORK, PERF_EXIT */
    uint64_t lost;                                /* PERF_LOST, PERF_LOST_SAMPLES */
    uint64_t cookie;                              /* PERF_CALL_CHAIN_DEFERRED, with `chain` */
    bool swapped;                                 /* numbers in `chain` and `registers` too */
};

/* The number at `index` of `record->chain`, or of `record->registers`. */
uint64_t perf_record_number(const struct perf_record *record, const unsigned char *numbers,
                            uint64_t index);

/*
 * Decodes the record that `bytes` holds, header included: all of it. `swapped` as above. Records
 * that this program makes no use of give only type and misc. False: a size in it does not fit; it
 * should be skipped.
 */
bool perf_record_decode(const struct perf_attribute *attribute, struct text bytes, bool swapped,
                        struct perf_record *record);

/* The IDENTIFIER of a PERF_SAMPLE record, for events that have one; 0: the record is too short. */
uint64_t perf_record_identifier(struct text bytes);

/* The time of a record (0 = none), without decoding the rest. */
uint64_t perf_record_time(const struct perf_attribute *attribute, struct text bytes, bool swapped);

#endif
