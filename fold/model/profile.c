// SPDX-License-Identifier: MIT
#include "fold/model/profile.h"

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

void profile_add_sample(struct profile *profile, struct sample sample) {
    add_to_total(profile, sample.weight);
    uint64_t rest = (uint64_t)sample.thread << 16 | (uint64_t)sample.state << 1 | sample.idle;
    uint64_t hash = hash_pair(sample.stack.index, rest);
    if (!profile->keep_times) {
        sample.time = 0;
        struct hash_probe probe = hash_index_start(&profile->sample_index, hash);
        uint32_t row;
        while ((row = hash_index_next(&profile->sample_index, &probe)) != 0) {
            struct sample *like = &profile->samples[row - 1];
            if (like->stack.index == sample.stack.index && like->thread == sample.thread &&
                like->state == sample.state && like->idle == sample.idle) {
                like->weight = weight_add(like->weight, sample.weight);
                return;
            }
        }
    }
    MEMORY_RESERVE(profile->samples, profile->sample_capacity, profile->sample_count + 1);
    profile->samples[profile->sample_count++] = sample;
    if (!profile->keep_times)
        hash_index_insert(&profile->sample_index, hash, (uint32_t)profile->sample_count);
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
