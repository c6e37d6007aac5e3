// SPDX-License-Identifier: MIT
#include "fold/model/profile.h"

#include <inttypes.h>
#include <stdlib.h>

struct profile *profile_new(void) {
    return memory_allocate_zero(1, sizeof(struct profile));
}

void profile_free(struct profile *profile) {
    if (!profile)
        return;
    string_table_free(&profile->strings);
    frame_table_free(&profile->frames);
    stack_table_free(&profile->stacks);
    hash_index_free(&profile->sample_index);
    free(profile->samples);
    free(profile->threads);
    free(profile->events);
    for (size_t i = 0; i < profile->counter_count; i++)
        free(profile->counters[i].readings);
    free(profile->counters);
    free(profile->turns);
    free(profile->moments);
    free(profile->last_moments);
    free(profile->libraries);
    hash_index_free(&profile->library_index);
    arena_free(&profile->arena);
    free(profile);
}

struct string_id profile_intern(struct profile *profile, struct text text) {
    return string_table_intern(&profile->strings, &profile->arena, text);
}

struct text profile_text(const struct profile *profile, struct string_id id) {
    return string_table_text(&profile->strings, id);
}

struct frame_id profile_frame(struct profile *profile, const struct frame *frame) {
    return frame_table_intern(&profile->frames, frame);
}

struct stack_id profile_push(struct profile *profile, struct stack_id parent,
                             struct frame_id frame) {
    return stack_table_intern(&profile->stacks, parent, frame);
}

uint32_t profile_add_thread(struct profile *profile, struct profile_thread thread) {
    MEMORY_RESERVE(profile->threads, profile->thread_capacity, profile->thread_count + 1);
    profile->threads[profile->thread_count] = thread;
    return (uint32_t)profile->thread_count++;
}

uint32_t profile_add_library(struct profile *profile, struct text path) {
    struct string_id id = profile_intern(profile, path);
    const struct profile_library *known = profile_find_library(profile, id);
    if (known)
        return (uint32_t)(known - profile->libraries);
    MEMORY_RESERVE(profile->libraries, profile->library_capacity, profile->library_count + 1);
    profile->libraries[profile->library_count] = (struct profile_library){.path = id};
    profile->library_count++;
    hash_index_insert(&profile->library_index, hash_number(id.index),
                      (uint32_t)profile->library_count);
    return (uint32_t)profile->library_count - 1;
}

const struct profile_library *profile_find_library(const struct profile *profile,
                                                   struct string_id path) {
    struct hash_probe probe = hash_index_start(&profile->library_index, hash_number(path.index));
    uint32_t row;
    while ((row = hash_index_next(&profile->library_index, &probe)) != 0) {
        if (profile->libraries[row - 1].path.index == path.index)
            return &profile->libraries[row - 1];
    }
    return NULL;
}

static void add_to_total(struct profile *profile, struct weight weight) {
    bool before = weight_is_largest(profile->total);
    profile->total = weight_add(profile->total, weight);
    if (!before && weight_is_largest(profile->total))
        warnings_add(&profile->warnings, "saturated", 0,
                     "the sum of all counts does not fit into 64 bits; it is shown as the largest "
                     "number that does");
}

/* Whether two samples differ in nothing but weight and time. */
static bool are_alike(const struct sample *one, const struct sample *other) {
    return one->stack.index == other->stack.index && one->thread == other->thread &&
           one->state == other->state && one->idle == other->idle && one->event == other->event;
}

/* The microseconds that a sample stands for. */
static uint64_t length_of(const struct profile *profile, const struct sample *sample) {
    enum profile_unit unit =
        sample->event < profile->event_count ? profile->events[sample->event].unit : profile->unit;
    if (unit == UNIT_MICROSECONDS)
        return sample->weight.whole;
    return unit == UNIT_NANOSECONDS ? sample->weight.whole / 1000 : profile->interval_us;
}

/* Makes two stretches one when they are alike and touch. Clocks are not read to the microsecond: a
 * sixteenth of a stretch between them is nothing. */
static bool join_moments(struct profile_moment *last, const struct profile_moment *next) {
    if (last->event != next->event || last->stack.index != next->stack.index ||
        last->idle != next->idle || last->state != next->state || next->end < last->end)
        return false;
    uint64_t least = (next->end - next->start) / 16;
    if (last->start == last->end || next->start == next->end)
        least = 0;
    if (next->idle)
        least = PROFILE_LOOP_GAP_US;
    uint64_t between = next->start > last->end ? next->start - last->end : last->end - next->start;
    if (between > least)
        return false;
    last->end = next->end;
    return true;
}

void profile_add_moment(struct profile *profile, const struct sample *sample) {
    if (sample->time == 0 || weight_is_zero(sample->weight))
        return;
    uint64_t length = length_of(profile, sample);
    struct profile_moment moment = {
        .start = length < sample->time ? sample->time - length : 0,
        .end = sample->time,
        .thread = sample->thread,
        .stack = {sample->idle ? 0 : sample->stack.index},
        .event = sample->event,
        .state = sample->idle ? VM_IDLE : sample->state,
        .idle = sample->idle,
    };
    if (sample->thread >= profile->last_moment_count) {
        size_t count = (size_t)sample->thread + 1;
        size_t capacity = profile->last_moment_count;
        MEMORY_RESERVE(profile->last_moments, capacity, count);
        for (size_t i = profile->last_moment_count; i < capacity; i++)
            profile->last_moments[i] = 0;
        profile->last_moment_count = capacity;
    }
    uint32_t *last = &profile->last_moments[sample->thread];
    if (*last && join_moments(&profile->moments[*last - 1], &moment))
        return;
    if (profile->moment_count == PROFILE_MOMENTS_MAX) {
        warnings_add(&profile->warnings, "moments-left-out", 0,
                     "the recording is too long to remember when each stack was there: what comes "
                     "after %" PRIu64 " s is missing among the longest blocks",
                     sample->time / 1000000);
        return;
    }
    MEMORY_RESERVE(profile->moments, profile->moment_capacity, profile->moment_count + 1);
    profile->moments[profile->moment_count++] = moment;
    *last = (uint32_t)profile->moment_count;
}

struct stack_id profile_waiting_stack(struct profile *profile, struct stack_id stack, bool idle) {
    struct frame frame = {.name =
                              profile_intern(profile, idle ? TEXT("(idle)") : TEXT("(waiting)")),
                          .kind = idle ? FRAME_CPP : FRAME_WAITING};
    return profile_push(profile, stack, profile_frame(profile, &frame));
}

void profile_add_sample(struct profile *profile, struct sample sample) {
    profile_add_moment(profile, &sample);
    profile_add_sample_alone(profile, sample);
}

void profile_add_sample_alone(struct profile *profile, struct sample sample) {
    add_to_total(profile, sample.weight);
    uint64_t rest = (uint64_t)sample.thread << 32 | (uint64_t)sample.event << 16 |
                    (uint64_t)sample.state << 1 | sample.idle;
    uint64_t hash = hash_pair(sample.stack.index, rest);
    if (!profile->keep_times) {
        sample.time = 0;
        struct hash_probe probe = hash_index_start(&profile->sample_index, hash);
        uint32_t row;
        while ((row = hash_index_next(&profile->sample_index, &probe)) != 0) {
            struct sample *like = &profile->samples[row - 1];
            if (are_alike(like, &sample)) {
                like->weight = weight_add(like->weight, sample.weight);
                like->count += sample.count;
                return;
            }
        }
    }
    MEMORY_RESERVE(profile->samples, profile->sample_capacity, profile->sample_count + 1);
    profile->samples[profile->sample_count++] = sample;
    if (!profile->keep_times)
        hash_index_insert(&profile->sample_index, hash, (uint32_t)profile->sample_count);
}

uint16_t profile_add_event(struct profile *profile, struct text name, enum profile_unit unit) {
    struct string_id id = profile_intern(profile, name);
    MEMORY_RESERVE(profile->events, profile->event_capacity, profile->event_count + 1);
    profile->events[profile->event_count] = (struct profile_event){.name = id, .unit = unit};
    return (uint16_t)profile->event_count++;
}

/* Says which events are left out, all but `kept`. */
static void warn_of_others(struct profile *profile, size_t kept) {
    struct buffer others = {0};
    for (size_t i = 0; i < profile->event_count; i++) {
        const struct profile_event *event = &profile->events[i];
        if (i == kept || event->samples == 0)
            continue;
        if (others.size)
            buffer_append_text(&others, TEXT(", "));
        buffer_append_text(&others, profile_text(profile, event->name));
        buffer_append_text(&others, TEXT(" ("));
        weight_append(&others, weight_of(event->samples));
        buffer_append_byte(&others, ')');
    }
    if (others.size)
        warnings_add(&profile->warnings, "other-events", 0,
                     "samples of different events cannot be added: only those of %s are used, not "
                     "those of %.*s",
                     profile_text(profile, profile->events[kept].name).data, (int)others.size,
                     others.data);
    buffer_free(&others);
}

/* Leaves only the moments of one event, which becomes row 0. No further ones are joined to them. */
static void keep_moments(struct profile *profile, size_t event) {
    size_t count = 0;
    for (size_t i = 0; i < profile->moment_count; i++) {
        if (profile->moments[i].event != event)
            continue;
        profile->moments[count] = profile->moments[i];
        profile->moments[count++].event = 0;
    }
    profile->moment_count = count;
    for (size_t i = 0; i < profile->last_moment_count; i++)
        profile->last_moments[i] = 0;
}

void profile_keep_main_event(struct profile *profile) {
    size_t kept = 0;
    if (profile->event_count == 0)
        return;
    for (size_t i = 1; i < profile->event_count; i++)
        if (profile->events[i].samples > profile->events[kept].samples)
            kept = i;
    warn_of_others(profile, kept);
    struct sample *samples = profile->samples;
    size_t count = profile->sample_count;
    profile->samples = NULL;
    profile->sample_count = profile->sample_capacity = 0;
    hash_index_free(&profile->sample_index);
    profile->sample_index = (struct hash_index){0};
    profile->total = weight_of(0);
    for (size_t i = 0; i < count; i++) {
        if (samples[i].event != kept)
            continue;
        samples[i].event = 0;
        profile_add_sample_alone(profile, samples[i]);
    }
    free(samples);
    keep_moments(profile, kept);
    struct profile_event main = profile->events[kept];
    profile->events[kept] = profile->events[0];
    profile->events[0] = main;
    profile->unit = main.unit;
}

void profile_weigh_samples(struct profile *profile) {
    profile->total = weight_of(0);
    for (size_t i = 0; i < profile->sample_count; i++) {
        struct sample *sample = &profile->samples[i];
        if (sample->count)
            sample->weight = weight_of(sample->count);
        add_to_total(profile, sample->weight);
    }
    profile->unit = UNIT_SAMPLES;
}

struct profile_counter *profile_counter(struct profile *profile, struct text name,
                                        enum profile_unit unit, uint64_t process_id) {
    struct string_id id = profile_intern(profile, name);
    for (size_t i = 0; i < profile->counter_count; i++) {
        struct profile_counter *counter = &profile->counters[i];
        if (counter->name.index == id.index && counter->process_id == process_id)
            return counter;
    }
    MEMORY_RESERVE(profile->counters, profile->counter_capacity, profile->counter_count + 1);
    struct profile_counter *counter = &profile->counters[profile->counter_count++];
    *counter = (struct profile_counter){.name = id, .unit = unit, .process_id = process_id};
    return counter;
}

void profile_counter_add(struct profile_counter *counter, struct counter_reading reading) {
    MEMORY_RESERVE(counter->readings, counter->capacity, counter->count + 1);
    counter->readings[counter->count++] = reading;
}

void profile_add_turn(struct profile *profile, struct profile_turn turn) {
    if (profile->turn_count == PROFILE_TURNS_MAX)
        return;
    MEMORY_RESERVE(profile->turns, profile->turn_capacity, profile->turn_count + 1);
    profile->turns[profile->turn_count++] = turn;
}

bool profile_is_empty(const struct profile *profile) {
    return weight_is_zero(profile->total);
}

const char *profile_unit_name(enum profile_unit unit) {
    static const char *const names[] = {"samples",     "ticks", "microseconds",
                                        "nanoseconds", "bytes", "count"};
    return names[unit];
}

const char *thread_role_name(enum thread_role role) {
    static const char *const names[] = {"main", "worker", "v8", "libuv", "other"};
    return names[role];
}
