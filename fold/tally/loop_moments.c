// SPDX-License-Identifier: MIT
#include "fold/tally/loop_moments.h"

#include <stdlib.h>

#include "fold/tally/thread_roles.h"

/* What a frame says of the stacks that it is in. */
enum frame_trait {
    TRAIT_JAVASCRIPT = 1,
    TRAIT_RUNS_LOOP = 2, /* uv_run() */
    TRAIT_LOOP = 4,      /* libuv's own code, what it calls of the system, and node's C++ */
    TRAIT_WAITING = 8,
    TRAIT_COLLECTOR = 16,
    TRAIT_PROGRAM = 32,  /* native code */
    TRAIT_FUNCTION = 64, /* of JavaScript or WebAssembly */
};

/* What a stack says, from what its outer part did. */
enum stack_trait {
    STACK_JAVASCRIPT = 1,
    STACK_LOOP = 2,  /* uv_run() is in it, without JavaScript around it */
    STACK_OTHER = 4, /* inside of uv_run(), something else: V8, an add-on, a library */
};

static uint8_t traits_of_frame(const struct profile *profile, const struct frame *frame) {
    static const char *const system_calls[] = {"epoll_",    "__epoll_",      "syscall",
                                               "io_uring_", "clock_gettime", "__vdso_"};
    struct text name = profile_text(profile, frame->name);
    switch (frame_classify(profile, frame).kind) {
    case FRAME_JAVASCRIPT:
    case FRAME_WASM:
        return TRAIT_JAVASCRIPT | TRAIT_FUNCTION;
    case FRAME_REGEXP:
    case FRAME_BUILTIN:
        return TRAIT_JAVASCRIPT;
    case FRAME_WAITING:
        return TRAIT_WAITING;
    case FRAME_GC:
        return TRAIT_COLLECTOR;
    case FRAME_KERNEL:
        return TRAIT_LOOP | TRAIT_PROGRAM;
    case FRAME_LIBRARY: {
        struct text library = text_basename(profile_text(profile, frame->module));
        bool is_system =
            text_starts_with(library, TEXT("libc.")) || text_starts_with(library, TEXT("libc-")) ||
            text_starts_with(library, TEXT("ld-musl")) || text_contains(library, TEXT("vdso"));
        return is_system ? TRAIT_LOOP | TRAIT_PROGRAM : TRAIT_PROGRAM;
    }
    case FRAME_CPP:
        break;
    default:
        return 0;
    }
    if (text_equal(name, TEXT("uv_run")))
        return TRAIT_RUNS_LOOP | TRAIT_PROGRAM;
    /* Between callbacks node reads from sockets, parses, and prepares the next one. */
    if (text_starts_with(name, TEXT("uv_")) || text_starts_with(name, TEXT("node::")) ||
        text_starts_with(name, TEXT("llhttp_")))
        return TRAIT_LOOP | TRAIT_PROGRAM;
    for (size_t i = 0; i < sizeof system_calls / sizeof *system_calls; i++)
        if (text_starts_with(name, text_of(system_calls[i])))
            return TRAIT_LOOP | TRAIT_PROGRAM;
    return TRAIT_PROGRAM;
}

/* Whether libuv's callbacks call this function of Node core first. Functions that promises go on
 * with may be outermost too, so only names tell. */
static bool is_called_by_loop(const struct profile *profile, const struct frame *frame) {
    static const char *const names[] = {
        "onconnection",  "parserOnHeaders",         "parserOnHeadersComplete",
        "parserOnBody",  "parserOnMessageComplete", "onParserExecute",
        "onStreamRead",  "onWriteComplete",         "afterConnect",
        "processTimers", "processImmediate",
    };
    if (!path_is_core(profile_text(profile, frame->file)))
        return false;
    struct text name = profile_text(profile, frame->name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_equal(name, text_of(names[i])))
            return true;
    return false;
}

/* Fills in `stacks`, `entries` and `from_loop`. */
static void tell_stacks(struct loop_moments *moments) {
    const struct profile *profile = moments->profile;
    const struct stack_table *stacks = &profile->stacks;
    uint8_t *frames = memory_allocate_zero(profile->frames.size + 1, 1);
    uint8_t *traits = memory_allocate_zero(stacks->size + 1, 1);
    uint8_t *told = memory_allocate_zero(stacks->size + 1, 1);
    for (size_t i = 1; i < profile->frames.size; i++)
        frames[i] = traits_of_frame(profile, &profile->frames.frames[i]);
    told[0] = LOOP_NEUTRAL;
    moments->stacks = told;
    moments->entries = memory_allocate_zero(stacks->size + 1, sizeof *moments->entries);
    moments->from_loop = memory_allocate_zero(profile->frames.size + 1, 1);
    for (size_t i = 1; i < profile->frames.size; i++)
        moments->from_loop[i] = is_called_by_loop(profile, &profile->frames.frames[i]);
    /* A parent precedes its children. */
    for (size_t i = 1; i < stacks->size; i++) {
        uint8_t frame = frames[stacks->frames[i]];
        uint8_t trait = traits[stacks->parents[i]];
        if (frame & TRAIT_JAVASCRIPT)
            trait |= STACK_JAVASCRIPT;
        else if ((trait & STACK_LOOP) && !(frame & TRAIT_LOOP))
            trait |= STACK_OTHER;
        else if ((frame & TRAIT_RUNS_LOOP) && !(trait & STACK_JAVASCRIPT))
            trait |= STACK_LOOP;
        traits[i] = trait;
        moments->entries[i] = moments->entries[stacks->parents[i]];
        if (moments->entries[i] == 0 && (frame & TRAIT_FUNCTION))
            moments->entries[i] = stacks->frames[i];
        told[i] = LOOP_WORKS;
        if (frame & TRAIT_WAITING)
            told[i] = LOOP_WAITS;
        else if ((frame & TRAIT_COLLECTOR) && stacks->parents[i] == 0)
            told[i] = LOOP_NEUTRAL;
        else if (!profile->native_stacks && (frame & TRAIT_PROGRAM) && stacks->parents[i] == 0)
            told[i] = LOOP_PROGRAM;
        else if (trait == STACK_LOOP)
            told[i] = LOOP_TURNS;
    }
    free(frames);
    free(traits);
}

/* A number for each row of threads: the place of its thread in `threads` + 1, or 0 for threads
 * without an event loop and those that the view leaves out. To be freed. */
static uint32_t *number_threads(struct loop_moments *moments, const struct call_tree *tree) {
    const struct profile *profile = tree->profile;
    uint32_t *groups = memory_allocate_zero(profile->thread_count, sizeof *groups);
    size_t group_count = thread_rows_group(profile, groups);
    size_t inputs = (size_t)profile->merged_count + 1;
    uint32_t *numbers =
        memory_allocate_zero(size_multiply(group_count, inputs) + 1, sizeof *numbers);
    uint32_t *rows = memory_allocate_zero(profile->thread_count, sizeof *rows);
    size_t capacity = 0;
    for (uint32_t row = 0; row < profile->thread_count; row++) {
        const struct profile_thread *thread = &profile->threads[row];
        bool has_loop = thread->runs_javascript &&
                        (thread->role == THREAD_MAIN || thread->role == THREAD_WORKER);
        if (!has_loop || (tree->view.thread && weight_is_zero(tree->threads[row])))
            continue;
        uint32_t *number = &numbers[groups[row] * inputs + thread->input];
        if (*number == 0) {
            MEMORY_RESERVE(moments->threads, capacity, moments->thread_count + 1);
            moments->threads[moments->thread_count++] = (struct loop_thread){0};
            *number = (uint32_t)moments->thread_count;
        }
        moments->threads[*number - 1].thread = row;
        rows[row] = *number;
    }
    free(groups);
    free(numbers);
    return rows;
}

static int compare_moments(const void *left, const void *right, void *context) {
    const struct profile_moment *all = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (all[a].end != all[b].end)
        return all[a].end < all[b].end ? -1 : 1;
    return (a > b) - (a < b);
}

/* Puts the moments into the order of threads and time. */
static void order_moments(struct loop_moments *moments, const uint32_t *rows) {
    const struct profile *profile = moments->profile;
    for (size_t i = 0; i < profile->moment_count; i++) {
        uint32_t number = rows[profile->moments[i].thread];
        if (number)
            moments->threads[number - 1].last++;
    }
    size_t count = 0;
    for (size_t i = 0; i < moments->thread_count; i++) {
        struct loop_thread *thread = &moments->threads[i];
        size_t size = thread->last;
        thread->first = thread->last = count;
        count += size;
    }
    moments->order = memory_allocate(size_multiply(count, sizeof *moments->order));
    for (size_t i = 0; i < profile->moment_count; i++) {
        uint32_t number = rows[profile->moments[i].thread];
        if (number)
            moments->order[moments->threads[number - 1].last++] = (uint32_t)i;
    }
    for (size_t i = 0; i < moments->thread_count; i++) {
        struct loop_thread *thread = &moments->threads[i];
        bool sorted = true;
        for (size_t place = thread->first + 1; place < thread->last && sorted; place++)
            sorted = loop_moment_at(moments, place - 1)->end <= loop_moment_at(moments, place)->end;
        if (!sorted)
            qsort_r(moments->order + thread->first, thread->last - thread->first,
                    sizeof *moments->order, compare_moments, profile->moments);
    }
}

static bool has_counters(const struct profile *profile, uint64_t process_id) {
    struct string_id name = string_table_find(&profile->strings, TEXT(PROFILE_LOOP_IDLE));
    for (size_t i = 0; i < profile->counter_count && name.index; i++)
        if (profile->counters[i].name.index == name.index &&
            profile->counters[i].process_id == process_id)
            return true;
    return false;
}

static int compare_turns(const void *left, const void *right) {
    const struct profile_turn *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

/* Gives main threads their turns. */
static void take_turns(struct loop_moments *moments) {
    const struct profile *profile = moments->profile;
    size_t count = 0;
    moments->turns = memory_allocate(size_multiply(profile->turn_count, sizeof *moments->turns));
    for (size_t i = 0; i < moments->thread_count; i++) {
        struct loop_thread *thread = &moments->threads[i];
        const struct profile_thread *from = &profile->threads[thread->thread];
        thread->first_turn = count;
        if (from->role == THREAD_MAIN && has_counters(profile, from->process_id)) {
            thread->has_counters = true;
            for (size_t turn = 0; turn < profile->turn_count; turn++)
                if (profile->turns[turn].process_id == from->process_id &&
                    profile->turns[turn].input == from->input && count < profile->turn_count)
                    moments->turns[count++] = profile->turns[turn];
        }
        thread->last_turn = count;
        if (count > thread->first_turn + 1)
            qsort(moments->turns + thread->first_turn, count - thread->first_turn,
                  sizeof *moments->turns, compare_turns);
    }
}

bool loop_moments_make(struct loop_moments *moments, const struct call_tree *tree) {
    const struct profile *profile = tree->profile;
    const struct view *view = &tree->view;
    *moments = (struct loop_moments){.profile = profile, .interval = profile->interval_us};
    bool by_time = profile->unit == UNIT_NANOSECONDS || profile->unit == UNIT_MICROSECONDS;
    if (view->focus || view->ignore || view->categories ||
        (profile->moment_count == 0 && profile->turn_count == 0) ||
        (!by_time && profile->interval_us == 0 && profile->turn_count == 0))
        return false;
    uint32_t *rows = number_threads(moments, tree);
    order_moments(moments, rows);
    free(rows);
    take_turns(moments);
    tell_stacks(moments);
    return moments->thread_count > 0;
}

void loop_moments_free(struct loop_moments *moments) {
    free(moments->threads);
    free(moments->order);
    free(moments->turns);
    free(moments->stacks);
    free(moments->entries);
    free(moments->from_loop);
}

size_t loop_moments_behind(const struct loop_moments *moments, const struct loop_thread *thread,
                           uint64_t time) {
    size_t low = thread->first, high = thread->last;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (loop_moment_at(moments, middle)->end <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
