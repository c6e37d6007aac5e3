// SPDX-License-Identifier: MIT
#include "fold/tally/loop_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "fold/tally/loop_moments.h"

/* As long as a thread may have to stand back for others. */
enum { STANDBACK_US = 4000 };

struct search {
    const struct call_tree *tree;
    const struct blocking *blocking;
    struct loop_moments moments;
    struct loop_blocks *result;
    struct loop_block *found; /* all, those of start-up too */
    size_t count, capacity;
};

/* A block under way, of a thread whose turns were not read. */
struct open_block {
    bool open;
    uint64_t start, last; /* where it begins; where its last moment ends */
    uint64_t error;       /* of its start */
    uint32_t entry;       /* the last outermost frame of JavaScript in it */
    bool startup;
};

const char *loop_evidence_name(enum loop_evidence evidence) {
    static const char *const names[] = {"counters", "switches", "wall-clock", "cpu-clock"};
    return names[evidence];
}

const char *loop_block_label_name(enum loop_block_label label) {
    static const char *const names[] = {NULL, "cpu", "waiting", "throttled"};
    return names[label];
}

static enum loop_evidence evidence_of(const struct profile *profile) {
    if (profile->has_waits)
        return LOOP_BY_SWITCHES;
    return profile->waiting_is_missing ? LOOP_BY_CPU_CLOCK : LOOP_BY_WALL_CLOCK;
}

static void add_block(struct search *search, const struct loop_block *block) {
    const struct view *view = &search->tree->view;
    if (block->end < block->start || block->end - block->start < LOOP_BLOCK_LEAST_US ||
        block->end <= view->time_from_us || (view->time_to_us && block->start >= view->time_to_us))
        return;
    MEMORY_RESERVE(search->found, search->capacity, search->count + 1);
    search->found[search->count++] = *block;
}

static void open_at(struct open_block *open, uint64_t start, uint64_t error) {
    *open = (struct open_block){.open = true, .start = start, .last = start, .error = error};
}

static void close_at(struct search *search, const struct loop_thread *thread,
                     struct open_block *open, uint64_t end, uint64_t error) {
    if (!open->open)
        return;
    enum loop_evidence evidence = evidence_of(search->tree->profile);
    open->open = false;
    add_block(search, &(struct loop_block){
                          .start = open->start,
                          .end = end,
                          .error = open->error + error,
                          .thread = thread->thread,
                          .evidence = evidence,
                          .startup = open->startup,
                          .at_most = evidence != LOOP_BY_SWITCHES || open->error + error > 0,
                      });
}

/* Whether a thread that ran until `last` has been idle before a moment. */
static bool is_gap(const struct search *search, uint64_t last,
                   const struct profile_moment *moment) {
    uint64_t interval = search->moments.interval;
    return moment->start > last + interval + interval / 2 + STANDBACK_US;
}

/* Finds the blocks of a thread whose turns were not read. */
static void find_by_moments(struct search *search, const struct loop_thread *thread) {
    const struct loop_moments *moments = &search->moments;
    bool by_switches = search->tree->profile->has_waits;
    bool by_gaps = search->tree->profile->waiting_is_missing;
    uint64_t half = moments->interval / 2;
    uint64_t idle_error = by_switches ? 0 : half;
    struct open_block open = {0};
    bool before_all = true; /* only code without JavaScript was seen so far */
    for (size_t place = thread->first; place < thread->last; place++) {
        const struct profile_moment *moment = loop_moment_at(moments, place);
        enum loop_moment tells = loop_moment_tells(moments, moment);
        if (open.open && by_gaps && is_gap(search, open.last, moment))
            close_at(search, thread, &open, open.last, half);
        if (tells == LOOP_IDLE) {
            before_all = false;
            close_at(search, thread, &open, moment->start, idle_error);
            /* By a clock of CPU time nothing tells when the wait was over. */
            if (!by_gaps)
                open_at(&open, moment->end, idle_error);
            continue;
        }
        if (tells == LOOP_TURNS || tells == LOOP_PROGRAM) {
            close_at(search, thread, &open, moment->start, half);
            if (tells == LOOP_PROGRAM) {
                open_at(&open, moment->start, half);
                open.startup = before_all;
                close_at(search, thread, &open, moment->end, half);
            }
            continue;
        }
        before_all = before_all && tells == LOOP_NEUTRAL;
        uint32_t entry = moments->entries[moment->stack.index];
        if (open.entry && entry && entry != open.entry && moments->from_loop[entry])
            close_at(search, thread, &open, moment->start, half);
        if (!open.open)
            open_at(&open, moment->start, half);
        if (entry)
            open.entry = entry;
        if (moment->end > open.last)
            open.last = moment->end;
    }
    close_at(search, thread, &open, open.last, half);
}

/* The turns of a thread are its blocks. */
static void find_by_turns(struct search *search, const struct loop_thread *thread) {
    for (size_t i = thread->first_turn; i < thread->last_turn; i++) {
        const struct profile_turn *turn = &search->moments.turns[i];
        add_block(search, &(struct loop_block){
                              .start = turn->start,
                              .end = turn->end,
                              .error = turn->error,
                              .thread = thread->thread,
                              .evidence = LOOP_BY_COUNTERS,
                              .startup = turn->startup,
                          });
    }
}

/* Whether most of a block is the loading of modules. */
static bool is_startup(const struct search *search, const struct loop_thread *thread,
                       const struct loop_block *block) {
    const struct loop_moments *moments = &search->moments;
    uint64_t loading = 0, all = 0;
    for (size_t place = loop_moments_behind(moments, thread, block->start); place < thread->last;
         place++) {
        const struct profile_moment *moment = loop_moment_at(moments, place);
        if (moment->start >= block->end)
            break;
        if (moment->idle)
            continue;
        uint64_t start = moment->start > block->start ? moment->start : block->start;
        uint64_t end = moment->end < block->end ? moment->end : block->end;
        uint64_t length = end > start ? end - start : 0;
        all += length;
        if (search->blocking->places[search->tree->stack_nodes[moment->stack.index]].startup)
            loading += length;
    }
    return all > 0 && loading >= all - all / 2;
}

/* A call that was on the stack without a break. */
struct run {
    uint32_t call;
    uint64_t start, end;
    size_t turn; /* of the thread: those before it have ended before the run */
};

/* Ends a run: no turn can hold more of the call than lies in it. */
static void end_run(struct search *search, const struct loop_thread *thread, struct run *run) {
    if (run->call == 0)
        return;
    uint64_t longest = run->end - run->start;
    if (thread->has_counters) {
        const struct profile_turn *turns = search->moments.turns;
        uint64_t within = 0;
        while (run->turn < thread->last_turn && turns[run->turn].end <= run->start)
            run->turn++;
        for (size_t i = run->turn; i < thread->last_turn && turns[i].start < run->end; i++) {
            uint64_t start = turns[i].start > run->start ? turns[i].start : run->start;
            uint64_t end = turns[i].end < run->end ? turns[i].end : run->end;
            if (end > start && end - start > within)
                within = end - start;
        }
        /* Turns that are no blocks are not told. */
        if (within < LOOP_BLOCK_LEAST_US)
            within = longest < LOOP_BLOCK_LEAST_US ? longest : LOOP_BLOCK_LEAST_US;
        longest = within;
    }
    uint64_t *known = &search->result->call_longest[run->call - 1];
    if (longest > *known)
        *known = longest;
    run->call = 0;
}

/* Finds how long each blocking call was on the stack of a thread without a break. */
static void find_runs(struct search *search, const struct loop_thread *thread) {
    const struct loop_moments *moments = &search->moments;
    const struct view *view = &search->tree->view;
    bool by_gaps = search->tree->profile->waiting_is_missing;
    struct run run = {.turn = thread->first_turn};
    for (size_t place = thread->first; place < thread->last; place++) {
        const struct profile_moment *moment = loop_moment_at(moments, place);
        enum loop_moment tells = loop_moment_tells(moments, moment);
        if (tells == LOOP_NEUTRAL || moment->end < view->time_from_us ||
            (view->time_to_us && moment->end >= view->time_to_us))
            continue;
        uint32_t node = moment->idle ? 0 : search->tree->stack_nodes[moment->stack.index];
        const struct blocking_place *below = &search->blocking->places[node];
        uint32_t call = below->startup ? 0 : below->call;
        if (call == 0 || call != run.call || (by_gaps && is_gap(search, run.end, moment)))
            end_run(search, thread, &run);
        if (call == 0)
            continue;
        if (run.call == 0) {
            run.call = call;
            run.start = moment->start;
        }
        run.end = moment->end;
    }
    end_run(search, thread, &run);
}

static int compare_blocks(const void *left, const void *right) {
    const struct loop_block *a = left, *b = right;
    uint64_t length_a = a->end - a->start, length_b = b->end - b->start;
    if (length_a != length_b)
        return length_a > length_b ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->thread > b->thread) - (a->thread < b->thread);
}

static const struct loop_thread *thread_of(const struct search *search,
                                           const struct loop_block *block) {
    const struct loop_thread *thread = search->moments.threads;
    while (thread->thread != block->thread)
        thread++;
    return thread;
}

/* Sums up what was found, and looks into the longest. */
static void collect(struct search *search) {
    struct loop_blocks *result = search->result;
    if (search->count > 1)
        qsort(search->found, search->count, sizeof *search->found, compare_blocks);
    result->blocks = memory_allocate_zero(LOOP_BLOCKS_LISTED, sizeof *result->blocks);
    result->startup = memory_allocate_zero(LOOP_BLOCKS_LISTED, sizeof *result->startup);
    for (size_t i = 0; i < search->count; i++) {
        struct loop_block *block = &search->found[i];
        uint64_t length = block->end - block->start;
        if (block->startup) {
            if (result->startup_count < LOOP_BLOCKS_LISTED)
                result->startup[result->startup_count++] = *block;
            continue;
        }
        result->number++;
        result->total += length;
        if (length >= LOOP_BLOCK_LONG_US) {
            result->long_number++;
            result->long_total += length;
        }
        if (result->count < LOOP_BLOCKS_LISTED)
            result->blocks[result->count++] = *block;
    }
    for (size_t i = 0; i < result->count; i++)
        loop_block_fill(&result->blocks[i], &search->moments, thread_of(search, &result->blocks[i]),
                        search->tree, search->blocking);
    for (size_t i = 0; i < result->startup_count; i++)
        loop_block_fill(&result->startup[i], &search->moments,
                        thread_of(search, &result->startup[i]), search->tree, search->blocking);
}

struct loop_blocks *loop_blocks_find(const struct call_tree *tree,
                                     const struct blocking *blocking) {
    struct search search = {.tree = tree, .blocking = blocking};
    if (!loop_moments_make(&search.moments, tree)) {
        loop_moments_free(&search.moments);
        return NULL;
    }
    search.result = memory_allocate_zero(1, sizeof *search.result);
    search.result->call_longest = memory_allocate_zero(blocking->call_count, sizeof(uint64_t));
    for (size_t i = 0; i < search.moments.thread_count; i++) {
        const struct loop_thread *thread = &search.moments.threads[i];
        size_t before = search.count;
        if (thread->has_counters)
            find_by_turns(&search, thread);
        else
            find_by_moments(&search, thread);
        for (size_t found = before; found < search.count; found++)
            if (!search.found[found].startup)
                search.found[found].startup = is_startup(&search, thread, &search.found[found]);
        find_runs(&search, thread);
    }
    collect(&search);
    free(search.found);
    loop_moments_free(&search.moments);
    return search.result;
}

void loop_blocks_free(struct loop_blocks *blocks) {
    if (!blocks)
        return;
    free(blocks->blocks);
    free(blocks->startup);
    free(blocks->call_longest);
    free(blocks);
}
