// SPDX-License-Identifier: MIT
#include "fold/model/profile_merge.h"

#include <stdlib.h>
#include <string.h>

static struct string_id copy_string(struct profile *into, const struct profile *from,
                                    struct string_id id) {
    return profile_intern(into, profile_text(from, id));
}

/* The rows of `into` for each stack of `from`; to be freed. */
static struct stack_id *copy_stacks(struct profile *into, const struct profile *from,
                                    struct frame_id root) {
    struct frame_id *frames = memory_allocate_zero(from->frames.size + 1, sizeof *frames);
    for (size_t i = 1; i < from->frames.size; i++) {
        struct frame frame = from->frames.frames[i];
        frame.name = copy_string(into, from, frame.name);
        frame.file = copy_string(into, from, frame.file);
        frame.module = copy_string(into, from, frame.module);
        frames[i] = profile_frame(into, &frame);
    }
    /* A parent precedes its children, so its copy is there already. */
    struct stack_id *stacks = memory_allocate_zero(from->stacks.size + 1, sizeof *stacks);
    if (root.index)
        stacks[0] = profile_push(into, (struct stack_id){0}, root);
    for (size_t i = 1; i < from->stacks.size; i++)
        stacks[i] =
            profile_push(into, stacks[from->stacks.parents[i]], frames[from->stacks.frames[i]]);
    free(frames);
    return stacks;
}

static void copy_libraries(struct profile *into, const struct profile *from) {
    for (size_t i = 0; i < from->library_count; i++) {
        const struct profile_library *library = &from->libraries[i];
        uint32_t row = profile_add_library(into, profile_text(from, library->path));
        struct profile_library *copy = &into->libraries[row];
        if (copy->symbol_count < library->symbol_count)
            copy->symbol_count = library->symbol_count;
        if (!copy->complaint.index)
            copy->complaint = copy_string(into, from, library->complaint);
    }
}

/* Empties *kept unless both texts are the same. */
static void keep_common(struct profile *into, struct string_id *kept, const struct profile *from,
                        struct string_id other) {
    if (!text_equal(profile_text(into, *kept), profile_text(from, other)))
        *kept = (struct string_id){0};
}

/* Counts add up; what the inputs do not share is not known of all. */
static void merge_sampling(struct profile *into, const struct profile *from) {
    struct profile_sampling *all = &into->sampling;
    const struct profile_sampling *more = &from->sampling;
    if (!all->route || !more->route || strcmp(all->route, more->route) != 0)
        all->route = NULL;
    keep_common(into, &all->detail, from, more->detail);
    if (all->asked_hz != more->asked_hz)
        all->asked_hz = 0;
    all->lost += more->lost;
    all->throttled += more->throttled;
    all->kernel_hidden = all->kernel_hidden || more->kernel_hidden;
    all->truncated += more->truncated;
    all->cut += more->cut;
    all->repaired += more->repaired;
    if (!all->call_graph || !more->call_graph || strcmp(all->call_graph, more->call_graph) != 0)
        all->call_graph = NULL;
}

static int compare_readings(const void *left, const void *right) {
    const struct counter_reading *a = left;
    const struct counter_reading *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

static void copy_counters(struct profile *into, const struct profile *from) {
    for (size_t i = 0; i < from->counter_count; i++) {
        const struct profile_counter *counter = &from->counters[i];
        struct profile_counter *copy = profile_counter(into, profile_text(from, counter->name),
                                                       counter->unit, counter->process_id);
        copy->limit = counter->limit;
        for (size_t reading = 0; reading < counter->count; reading++)
            profile_counter_add(copy, counter->readings[reading]);
        if (copy->count > counter->count && counter->count > 0)
            qsort(copy->readings, copy->count, sizeof *copy->readings, compare_readings);
    }
}

static void copy_turns(struct profile *into, const struct profile *from, uint32_t input) {
    for (size_t i = 0; i < from->turn_count; i++) {
        struct profile_turn turn = from->turns[i];
        turn.input += input;
        profile_add_turn(into, turn);
    }
}

/* The moments of other threads stay theirs: nothing is joined. */
static void copy_moments(struct profile *into, const struct profile *from,
                         const struct stack_id *stacks, uint32_t first_thread) {
    for (size_t i = 0; i < from->moment_count && into->moment_count < PROFILE_MOMENTS_MAX; i++) {
        struct profile_moment moment = from->moments[i];
        if (!moment.idle)
            moment.stack = stacks[moment.stack.index];
        moment.thread += first_thread;
        moment.event = 0;
        MEMORY_RESERVE(into->moments, into->moment_capacity, into->moment_count + 1);
        into->moments[into->moment_count++] = moment;
    }
}

static void describe(struct profile *into, const struct profile *from) {
    if (into->thread_count == 0 && into->sample_count == 0 && !into->format) {
        into->unit = from->unit;
        into->format = from->format;
        into->node = copy_string(into, from, from->node);
        into->v8 = copy_string(into, from, from->v8);
        into->interval_us = from->interval_us;
        into->duration_us = from->duration_us;
        into->has_times = from->has_times;
        into->isolate_only = from->isolate_only;
        into->waiting_is_missing = from->waiting_is_missing;
        into->has_waits = from->has_waits;
        into->waits_guessed = from->waits_guessed;
        if (from->event_count) {
            profile_add_event(into, profile_text(from, from->events[0].name), from->unit);
            into->events[0].samples = from->events[0].samples;
        }
        into->native_stacks = from->native_stacks;
        into->stack_limit = from->stack_limit;
        into->command = copy_string(into, from, from->command);
        into->sampling = from->sampling;
        into->sampling.detail = copy_string(into, from, from->sampling.detail);
        return;
    }
    if (into->unit != from->unit)
        warnings_add(&into->warnings, "mixed-units", 0,
                     "the inputs count different things (%s and %s); their weights are added all "
                     "the same",
                     profile_unit_name(into->unit), profile_unit_name(from->unit));
    if (into->format && from->format && strcmp(into->format, from->format) != 0)
        into->format = NULL;
    keep_common(into, &into->node, from, from->node);
    keep_common(into, &into->v8, from, from->v8);
    if (into->interval_us != from->interval_us)
        into->interval_us = 0;
    if (into->duration_us < from->duration_us)
        into->duration_us = from->duration_us;
    into->has_times = into->has_times && from->has_times;
    into->isolate_only = into->isolate_only || from->isolate_only;
    into->waiting_is_missing = into->waiting_is_missing || from->waiting_is_missing;
    into->has_waits = into->has_waits && from->has_waits;
    into->waits_guessed = into->waits_guessed || from->waits_guessed;
    into->native_stacks = into->native_stacks || from->native_stacks;
    if (into->stack_limit != from->stack_limit)
        into->stack_limit = 0;
    keep_common(into, &into->command, from, from->command);
    merge_sampling(into, from);
}

void profile_merge(struct profile *into, const struct profile *from, struct frame_id root) {
    describe(into, from);
    uint32_t first_thread = (uint32_t)into->thread_count;
    uint32_t input = into->merged_count + 1;
    into->merged_count += from->merged_count + 1;
    for (size_t i = 0; i < from->thread_count; i++) {
        struct profile_thread thread = from->threads[i];
        thread.name = copy_string(into, from, thread.name);
        thread.input += input;
        profile_add_thread(into, thread);
    }
    copy_libraries(into, from);
    copy_counters(into, from);
    copy_turns(into, from, input);
    struct stack_id *stacks = copy_stacks(into, from, root);
    for (size_t i = 0; i < from->sample_count; i++) {
        struct sample sample = from->samples[i];
        sample.stack = stacks[sample.stack.index];
        sample.thread += first_thread;
        sample.event = 0;
        profile_add_sample_alone(into, sample);
    }
    copy_moments(into, from, stacks, first_thread);
    free(stacks);
    for (int i = 0; i < UNACCOUNTED_REASON_COUNT; i++)
        into->unaccounted[i] = weight_add(into->unaccounted[i], from->unaccounted[i]);
}
