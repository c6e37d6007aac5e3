// SPDX-License-Identifier: MIT
/*
 * The profile: everything one recording, or several merged ones, say.
 *
 * One arena per profile: strings, frames and stacks live and die with it. Samples with the same
 * stack, thread and state are one row with a summed weight, unless `keep_times` asks for each one:
 * so memory grows with distinct stacks and not with the length of the recording.
 *
 * A reader (fold/read, profiler/trace) fills a profile; fold/tally computes on it; fold/write, svg
 * and profiler/report show the results.
 */
#ifndef TICKFLAME_FOLD_MODEL_PROFILE_H
#define TICKFLAME_FOLD_MODEL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/error.h"
#include "fold/base/memory.h"
#include "fold/base/number.h"
#include "fold/model/frame_table.h"
#include "fold/model/stack_table.h"
#include "fold/model/string_table.h"

/* What V8 was doing at a sample, where the input says so. */
enum vm_state {
    VM_NOT_KNOWN,
    VM_JAVASCRIPT,
    VM_GC,
    VM_PARSER,
    VM_BYTECODE_COMPILER,
    VM_COMPILER,
    VM_OTHER,
    VM_EXTERNAL,
    VM_ATOMICS_WAIT,
    VM_IDLE,
    VM_LOGGING,
};

/* What a weight counts. */
enum profile_unit {
    UNIT_SAMPLES, /* samples of unknown length, and folded text */
    UNIT_TICKS,   /* samples of V8's own sampler */
    UNIT_MICROSECONDS,
    UNIT_NANOSECONDS,
    UNIT_BYTES,
    UNIT_COUNT,
};

enum thread_role { THREAD_MAIN, THREAD_WORKER, THREAD_V8, THREAD_LIBUV, THREAD_OTHER };

/* A thread that runs code; row 0 of a profile's threads is a real thread. */
struct profile_thread {
    struct string_id name; /* 0 = not known */
    uint64_t id;         /* the system's thread id; for isolate logs the isolate's number from 1 */
    uint64_t process_id; /* 0 = not known */
    enum thread_role role;
    bool role_by_stacks;  /* `role` and `runs_javascript` are still to be found from the stacks
                             (fold/tally/thread_roles.h) */
    bool runs_javascript; /* false only where it is known that it never does */
    uint32_t input; /* of merged profiles: which of them it is from; their times have nothing to do
                       with each other */
};

/* Samples that are alike, or one sample when the profile keeps times. */
struct sample {
    struct stack_id stack; /* 0: a sample of which nothing is known */
    uint32_t thread;       /* row of `threads` */
    uint8_t state;         /* enum vm_state */
    bool idle;             /* the thread was waiting for work; counted apart */
    uint16_t event;        /* row of `events`; 0 when the input has only one */
    uint64_t count;        /* how many samples were taken; 0 = not known */
    struct weight weight;
    uint64_t time; /* microseconds since the recording began; 0 unless times are kept */
};

/*
 * A stretch of time of a thread with one stack, made from the samples that have a time: `time` is
 * the end of the stretch that a sample stands for. Its length is the time that the samples stand
 * for, so on a thread that waits in between, a stretch may begin before the wait that lies in it.
 */
struct profile_moment {
    uint64_t start, end;   /* microseconds since the recording began */
    uint32_t thread;       /* row of `threads` */
    struct stack_id stack; /* 0: the thread waited for work, or nothing is known */
    uint16_t event;        /* row of `events` */
    uint8_t state;         /* enum vm_state */
    bool idle;             /* it waited for work */
};
enum { PROFILE_MOMENTS_MAX = 4000000 };

/* What made the samples, such as `cpu-clock`. */
struct profile_event {
    struct string_id name;
    enum profile_unit unit; /* of its weights */
    uint64_t samples;       /* taken in all, those that were not kept too */
};

/* A quantity that was read now and then beside the samples, such as the resident memory. */
struct counter_reading {
    uint64_t time; /* microseconds since the recording began */
    uint64_t value;
};
struct profile_counter {
    struct string_id name;            /* "rss", "cgroup memory" ... */
    enum profile_unit unit;           /* of the values */
    uint64_t process_id;              /* 0 = of no single process */
    uint64_t limit;                   /* what the value must not exceed; 0 = none known */
    struct counter_reading *readings; /* in order of time */
    size_t count, capacity;
};

/* A long turn of a process's event loop: a stretch of time in which it did not come back to its
 * poll, as measured at the loop itself. Microseconds since the recording began. Whether a loop was
 * looked at is told by the process's counter PROFILE_LOOP_IDLE. */
struct profile_turn {
    uint64_t start, end;
    uint64_t error; /* of its length, at most */
    uint64_t process_id;
    bool startup;   /* the program was being loaded */
    uint32_t input; /* as of a thread */
};
/* Counter, in microseconds: how long the event loop of a process has waited for work. */
#define PROFILE_LOOP_IDLE "event loop idle"

/* Counter, in microseconds: for how long the control group of the processes was not let run since
 * the recording began, because it had used up its CPU time. */
#define PROFILE_THROTTLED_TIME "cgroup throttled"

/* How a sampler took the samples, and what it missed. */
struct profile_sampling {
    const char *route;       /* a constant such as "perf_event" or "cpu-prof"; NULL = not known */
    struct string_id detail; /* what is worth telling of it in a sentence, such as a fallback */
    uint64_t asked_hz;       /* samples a second of a running thread; 0 = not known */
    uint64_t lost;           /* samples that the kernel had no room for */
    uint64_t throttled;      /* how often the kernel lowered the rate */
    bool kernel_hidden;      /* frames in the kernel could not be recorded */
    uint64_t truncated;      /* samples whose stack reached the limit of depth */
    uint64_t cut;            /* samples whose stack ends where no caller can be told */
    const char *call_graph; /* how stacks were walked, a constant: "fp" (by frame pointers), "dwarf"
                               (by copies of the stack), "auto" (both); NULL = not known */
    uint64_t repaired; /* samples whose stack frame pointers alone would have lost callers of */
    uint64_t cpu_us; /* CPU time of the processes that were sampled, in microseconds; 0 = not known
                      */
    uint64_t cpu_samples; /* the samples of this time */
    const char *names;    /* where those of JavaScript come from, a constant: "heap", "map", "none";
                             NULL = not known */
    uint64_t
        names_compared; /* frames whose name from the heap was compared with a perf map's ... */
    uint64_t names_different; /* ... and of these, those that differ */
};

/* A file mapped into the process, for explaining time without a name. */
struct profile_library {
    struct string_id path;
    uint64_t symbol_count;      /* symbols known of it */
    struct string_id complaint; /* why there are none, such as "no such file"; 0 = no reason */
};

/* Why the address of a sample has no name; indexes of `unaccounted`. */
enum unaccounted_reason {
    UNACCOUNTED_OUTSIDE,   /* in no library that the log lists and in no code it announced: an
                              add-on or library opened after start, or code without a record */
    UNACCOUNTED_CODE_GONE, /* in memory whose code was deleted, moved or replaced */
    UNACCOUNTED_NO_ADDRESS,
    UNACCOUNTED_REASON_COUNT
};

struct profile {
    struct arena arena;
    struct string_table strings;
    struct frame_table frames;
    struct stack_table stacks;

    struct sample *samples;
    size_t sample_count, sample_capacity; /* rows of `samples` */
    struct hash_index sample_index;
    bool keep_times;                /* to be set before the first sample */
    struct profile_moment *moments; /* of each thread in order of time, unless the samples came in
                                       another order */
    size_t moment_count, moment_capacity;
    uint32_t *last_moments; /* of each thread: its row in `moments` + 1 */
    size_t last_moment_count;
    uint32_t merged_count; /* profiles that were merged into it: 0 of one that was read */

    struct profile_thread *threads;
    size_t thread_count, thread_capacity;
    struct profile_event *events; /* row 0: the event whose samples are kept, when there are any */
    size_t event_count, event_capacity;
    struct profile_counter *counters;
    size_t counter_count, counter_capacity;
    struct profile_turn *turns; /* in the order in which they ended */
    size_t turn_count, turn_capacity;
    struct profile_sampling sampling;
    struct profile_library *libraries;
    size_t library_count, library_capacity;
    struct hash_index library_index; /* of libraries by path, from 1 */

    enum profile_unit unit;
    const char *format;       /* name of the input format, such as "v8log": a constant */
    struct string_id node;    /* version of Node, such as "v20"; 0 = not known */
    struct string_id v8;      /* version of V8, such as "11.3.244.8"; 0 = not known */
    uint64_t interval_us;     /* microseconds between two samples of a thread; 0 = not known */
    uint64_t duration_us;     /* from the first to the last sample; 0 = not known */
    bool has_times;           /* the input has a time for each sample */
    bool isolate_only;        /* only the thread of one isolate was sampled: work of the libuv
                                 pool and of V8's own threads is not in it */
    bool waiting_is_missing;  /* sampled by CPU time: time spent waiting is not in it */
    bool has_waits;           /* time spent waiting is in it, measured between the switches of
                                 threads; not with waiting_is_missing */
    bool waits_guessed;       /* the stack of a wait is that of the last sample before it */
    bool native_stacks;       /* stacks go from main() to the kernel: what V8 was doing (collecting,
                                 compiling) is to be told from their frames */
    uint64_t stack_limit;     /* frames that a stack can have at most; 0 = not known */
    struct string_id command; /* the command line of what was recorded; 0 = not known */

    struct weight total;                                 /* of all samples, idle ones too */
    struct weight unaccounted[UNACCOUNTED_REASON_COUNT]; /* of samples whose pc has no name */
    struct warnings warnings;
};

/* An empty profile. To be freed with profile_free(). */
struct profile *profile_new(void);
void profile_free(struct profile *profile);

/* Shorthands for the tables inside. */
struct string_id profile_intern(struct profile *profile, struct text text);
struct text profile_text(const struct profile *profile, struct string_id id);
struct frame_id profile_frame(struct profile *profile, const struct frame *frame);
struct stack_id profile_push(struct profile *profile, struct stack_id parent,
                             struct frame_id frame);

/* Adds a thread; returns its row. */
uint32_t profile_add_thread(struct profile *profile, struct profile_thread thread);

/* Adds a library; returns its row. The same path again gives the same row. */
uint32_t profile_add_library(struct profile *profile, struct text path);

/* Adds an event; returns its row. */
uint16_t profile_add_event(struct profile *profile, struct text name, enum profile_unit unit);

/*
 * Leaves only the samples of one event, because samples of different events cannot be added: the
 * first of those with the most samples. It becomes row 0 and gives the profile its unit. When
 * others are left out, the warning "other-events" names them.
 */
void profile_keep_main_event(struct profile *profile);

/* Makes every sample weigh as many samples as it stands for (`count`); the unit is then
 * UNIT_SAMPLES. Rows without a count keep their weight. */
void profile_weigh_samples(struct profile *profile);

/* The counter of this name and process; added when it is new. Valid until the next one is added. */
struct profile_counter *profile_counter(struct profile *profile, struct text name,
                                        enum profile_unit unit, uint64_t process_id);
void profile_counter_add(struct profile_counter *counter, struct counter_reading reading);

/* Adds a turn, unless there are PROFILE_TURNS_MAX. */
enum { PROFILE_TURNS_MAX = 1 << 20 };
void profile_add_turn(struct profile *profile, struct profile_turn turn);

/* The library with this path, or NULL. */
const struct profile_library *profile_find_library(const struct profile *profile,
                                                   struct string_id path);

/* Adds a sample (or adds its weight to a like one), its weight to `total`, which saturates with a
 * warning, and its moment. */
void profile_add_sample(struct profile *profile, struct sample sample);

/* The same without the moment, for samples whose moments are added apart. */
void profile_add_sample_alone(struct profile *profile, struct sample sample);

/*
 * Adds the moment of a sample that has a time, as profile_add_sample() does. Stretches that touch
 * and have the same stack become one; so do waits for work with less than PROFILE_LOOP_GAP_US
 * between them. Above PROFILE_MOMENTS_MAX they are left out, with the warning "moments-left-out".
 */
enum { PROFILE_LOOP_GAP_US = 1000 };
void profile_add_moment(struct profile *profile, const struct sample *sample);

/* The stack of a thread that waits, with `(waiting)` as its innermost frame; or, of one that waits
 * for work, with `(idle)`, whose samples are `idle`. */
struct stack_id profile_waiting_stack(struct profile *profile, struct stack_id stack, bool idle);

/* Whether no sample with a weight was added. */
bool profile_is_empty(const struct profile *profile);

/* The unit's name in JSON: "ticks", "samples", "microseconds", "nanoseconds", "bytes", "count". */
const char *profile_unit_name(enum profile_unit unit);

/* The role's name in JSON: "main", "worker", "v8", "libuv", "other". */
const char *thread_role_name(enum thread_role role);

#endif
