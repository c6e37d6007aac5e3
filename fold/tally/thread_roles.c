// SPDX-License-Identifier: MIT
#include "fold/tally/thread_roles.h"

#include <stdlib.h>

#include "fold/base/hash_index.h"
#include "fold/base/memory.h"
#include "fold/tally/classify.h"

enum { ROLE_COUNT = THREAD_OTHER + 1 };

/* No role of enum thread_role. */
#define ROLE_UNKNOWN ((uint8_t)ROLE_COUNT)

/* What is known of a thread, which may have several rows (one for each of its names). */
struct thread_facts {
    struct weight votes[ROLE_COUNT]; /* of samples whose outermost functions tell a role */
    bool runs_javascript;            /* JavaScript was seen in it */
    uint32_t last_row;               /* its latest name is that of this row of profile->threads */
};

/* What a stack tells, by its row of the stack table. */
struct stack_facts {
    uint8_t role; /* enum thread_role of the outermost function that tells one; ROLE_UNKNOWN */
    bool inside;  /* more was seen than how threads start */
    bool javascript;
};

struct role_name {
    const char *start; /* of a name */
    enum thread_role role;
};

static uint8_t role_of_start(struct text name, const struct role_name *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (text_starts_with(name, text_of(names[i].start)))
            return (uint8_t)names[i].role;
    return ROLE_UNKNOWN;
}

/* The role that a native function tells, wherever it stands in the outer part of a stack. */
static uint8_t role_of_function(struct text name) {
    static const struct role_name names[] = {
        {"node::(anonymous namespace)::PlatformWorkerThread", THREAD_V8},
        {"node::WorkerThreadsTaskRunner::DelayedTaskScheduler::", THREAD_V8},
        {"v8::platform::DefaultJobWorker::", THREAD_V8},
        {"v8::platform::DefaultWorkerThreadsTaskRunner::", THREAD_V8},
        {"v8::platform::DelayedTaskQueue::", THREAD_V8},
        {"node::worker::Worker::StartThread", THREAD_WORKER},
        {"node::worker::Worker::Run", THREAD_WORKER},
        {"node::inspector::(anonymous namespace)::StartIoThreadMain", THREAD_OTHER},
        {"node::inspector::(anonymous namespace)::StartIoThread", THREAD_OTHER},
        {"node::inspector::InspectorIo::ThreadMain", THREAD_OTHER},
        {"node::SigintWatchdogHelper::RunSigintWatchdog", THREAD_OTHER},
        {"node::Watchdog::Run", THREAD_OTHER},
        {"node::tracing::", THREAD_OTHER},
        {"node::Start", THREAD_MAIN},
        {"node::NodeMainInstance::", THREAD_MAIN},
        {"__libc_start_", THREAD_MAIN},
        {"uv__getaddrinfo_work", THREAD_LIBUV},
    };
    static const char *const mains[] = {"_start", "main"};
    for (size_t i = 0; i < sizeof mains / sizeof *mains; i++)
        if (text_equal(name, text_of(mains[i])))
            return THREAD_MAIN;
    return role_of_start(name, names, sizeof names / sizeof *names);
}

/* How libc and libuv start every thread but the main one. Those of a libc without symbols have no
 * name. */
static bool is_thread_start(struct text name) {
    static const char *const starts[] = {"start_thread", "clone", "__clone", "uv__thread_start"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (text_starts_with(name, text_of(starts[i])))
            return true;
    return name.size == 0 || name.data[0] == '[' || text_equal(name, TEXT("start"));
}

/* One row from its caller's. */
static struct stack_facts facts_of_row(const struct profile *profile, struct stack_facts facts,
                                       const struct frame *frame) {
    enum frame_kind kind = frame_classify(profile, frame).kind;
    struct text name = profile_text(profile, frame->name);
    bool native = kind == FRAME_CPP || kind == FRAME_LIBRARY;
    facts.javascript = facts.javascript || kind == FRAME_JAVASCRIPT || kind == FRAME_WASM ||
                       (kind == FRAME_BUILTIN && text_contains(name, TEXT("JSEntry")));
    if (facts.role != ROLE_UNKNOWN || !native)
        return facts;
    /* The loop of libuv's pool has a name that functions further in may have too. */
    if (!facts.inside && text_equal(name, TEXT("worker")))
        facts.role = THREAD_LIBUV;
    else
        facts.role = role_of_function(name);
    facts.inside = facts.inside || !is_thread_start(name);
    return facts;
}

/* By row of the stack table; to be freed. */
static struct stack_facts *find_stack_facts(const struct profile *profile) {
    const struct stack_table *stacks = &profile->stacks;
    struct stack_facts *facts = memory_allocate_zero(stacks->size + 1, sizeof *facts);
    facts[0].role = ROLE_UNKNOWN;
    /* A parent precedes its children. */
    for (uint32_t i = 1; i < stacks->size; i++)
        facts[i] = facts_of_row(profile, facts[stacks->parents[i]],
                                &profile->frames.frames[stacks->frames[i]]);
    return facts;
}

/* The role that a thread's name tells; ROLE_UNKNOWN for names such as `node`. */
static uint8_t role_of_name(struct text name) {
    static const struct role_name names[] = {
        {"MainThread", THREAD_MAIN},       {"node-MainThread", THREAD_MAIN},
        {"V8Worker", THREAD_V8},           {"node-V8Worker", THREAD_V8},
        {"DelayedTaskSche", THREAD_V8},    {"libuv-worker", THREAD_LIBUV},
        {"SignalInspector", THREAD_OTHER}, {"iou-", THREAD_OTHER},
        {"WorkerThread", THREAD_WORKER},
    };
    return role_of_start(name, names, sizeof names / sizeof *names);
}

static enum thread_role decide_role(const struct profile *profile,
                                    const struct thread_facts *facts) {
    const struct profile_thread *thread = &profile->threads[facts->last_row];
    if (thread->id != 0 && thread->id == thread->process_id)
        return THREAD_MAIN;
    size_t best = 0;
    for (size_t role = 1; role < ROLE_COUNT; role++)
        if (weight_compare(facts->votes[role], facts->votes[best]) > 0)
            best = role;
    if (!weight_is_zero(facts->votes[best]))
        return (enum thread_role)best;
    uint8_t role = role_of_name(profile_text(profile, thread->name));
    if (role != ROLE_UNKNOWN)
        return (enum thread_role)role;
    /* A worker_thread that the program has named, or a main thread without a number. */
    if (facts->runs_javascript)
        return thread->id ? THREAD_WORKER : THREAD_MAIN;
    return THREAD_OTHER;
}

size_t thread_rows_group(const struct profile *profile, uint32_t *groups) {
    struct hash_index index = {0};
    uint32_t *first_rows = memory_allocate_zero(profile->thread_count, sizeof *first_rows);
    size_t count = 0;
    for (uint32_t row = 0; row < profile->thread_count; row++) {
        const struct profile_thread *thread = &profile->threads[row];
        /* The text of perf script may name no process; its thread numbers are the system's. */
        bool known = thread->id != 0 && (thread->process_id != 0 || profile->native_stacks);
        uint64_t hash = hash_pair(thread->process_id, thread->id);
        struct hash_probe probe = hash_index_start(&index, hash);
        uint32_t number = 0;
        while (known && (number = hash_index_next(&index, &probe)) != 0) {
            const struct profile_thread *other = &profile->threads[first_rows[number - 1]];
            if (other->id == thread->id && other->process_id == thread->process_id)
                break;
        }
        if (number == 0) {
            first_rows[count++] = row;
            number = (uint32_t)count;
            if (known)
                hash_index_insert(&index, hash, number);
        }
        groups[row] = number - 1;
    }
    free(first_rows);
    hash_index_free(&index);
    return count;
}

/* What the samples tell of each group of rows; to be freed. */
static struct thread_facts *find_thread_facts(const struct profile *profile, const uint32_t *groups,
                                              size_t count) {
    struct thread_facts *threads = memory_allocate_zero(count, sizeof *threads);
    struct stack_facts *stacks = find_stack_facts(profile);
    for (uint32_t row = 0; row < profile->thread_count; row++)
        threads[groups[row]].last_row = row;
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct sample *sample = &profile->samples[i];
        struct thread_facts *thread = &threads[groups[sample->thread]];
        struct stack_facts stack = stacks[sample->stack.index];
        thread->runs_javascript = thread->runs_javascript || stack.javascript;
        if (stack.role != ROLE_UNKNOWN)
            thread->votes[stack.role] = weight_add(thread->votes[stack.role], sample->weight);
    }
    free(stacks);
    return threads;
}

void thread_roles_decide(struct profile *profile) {
    bool any = false;
    for (size_t i = 0; i < profile->thread_count; i++)
        any = any || profile->threads[i].role_by_stacks;
    if (!any)
        return;
    uint32_t *groups = memory_allocate_zero(profile->thread_count, sizeof *groups);
    size_t count = thread_rows_group(profile, groups);
    struct thread_facts *facts = find_thread_facts(profile, groups, count);
    bool seen = false;
    for (size_t i = 0; i < count; i++)
        seen = seen || facts[i].runs_javascript;
    for (size_t row = 0; row < profile->thread_count; row++) {
        struct profile_thread *thread = &profile->threads[row];
        const struct thread_facts *known = &facts[groups[row]];
        if (!thread->role_by_stacks)
            continue;
        thread->role = decide_role(profile, known);
        /* Of several processes only some may be Node; without any name of JavaScript, main threads
         * are the best guess. */
        bool may = thread->role == THREAD_MAIN || thread->role == THREAD_WORKER;
        thread->runs_javascript =
            may && (known->runs_javascript || (!seen && thread->role == THREAD_MAIN));
        thread->role_by_stacks = false;
    }
    free(facts);
    free(groups);
}
