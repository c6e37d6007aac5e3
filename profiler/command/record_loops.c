// SPDX-License-Identifier: MIT
#include "profiler/command/record_loops.h"

#include <stdlib.h>

#include "fold/base/memory.h"

#define MILLISECOND UINT64_C(1000000)
#define LOOK        (10 * MILLISECOND)  /* between two looks */
#define LOOK_TURN   (2 * MILLISECOND)   /* while a turn lasts */
#define LOOK_AGAIN  (200 * MILLISECOND) /* for a loop that is not there */
#define TURN_LEAST  (10 * MILLISECOND)  /* long enough to be told */

enum { TRIES = 50 }; /* looks for a loop that is not there */

struct watched_loop {
    pid_t process_id;
    struct event_loop loop;
    struct loop_watch watch;
    uint64_t next; /* look */
    int tries;     /* left; then there is none */
};

struct record_loops {
    record_loops_take *take;
    void *context;
    struct watched_loop *loops;
    size_t count, capacity;
};

struct record_loops *record_loops_new(record_loops_take *take, void *context) {
    struct record_loops *loops = memory_allocate_zero(1, sizeof *loops);
    loops->take = take;
    loops->context = context;
    return loops;
}

void record_loops_free(struct record_loops *loops) {
    if (!loops)
        return;
    free(loops->loops);
    free(loops);
}

static struct watched_loop *find(const struct record_loops *loops, pid_t process_id) {
    for (size_t i = 0; i < loops->count; i++)
        if (loops->loops[i].process_id == process_id)
            return &loops->loops[i];
    return NULL;
}

void record_loops_add(struct record_loops *loops, pid_t process_id) {
    if (find(loops, process_id))
        return;
    MEMORY_RESERVE(loops->loops, loops->capacity, loops->count + 1);
    loops->loops[loops->count++] = (struct watched_loop){.process_id = process_id, .tries = TRIES};
}

/* Looks at one loop. Sets when to look next. */
static void look(struct record_loops *loops, struct watched_loop *watched, uint64_t now) {
    struct event_loop_reading reading;
    struct loop_turn turn;
    bool is_there =
        watched->loop.address != 0 || event_loop_find(&watched->loop, watched->process_id);
    if (!is_there || !event_loop_read(&watched->loop, &reading)) {
        /* The program may be another one by now. */
        watched->loop = (struct event_loop){0};
        watched->tries--;
        watched->next = watched->tries > 0 ? now + LOOK_AGAIN : UINT64_MAX;
        return;
    }
    watched->tries = TRIES;
    if (loop_watch_take(&watched->watch, &reading, TURN_LEAST, &turn))
        loops->take(loops->context, watched->process_id, &turn);
    bool lasts = watched->watch.working && reading.time > watched->watch.start + LOOK;
    watched->next = now + (lasts ? LOOK_TURN : LOOK);
}

uint64_t record_loops_look(struct record_loops *loops, uint64_t now) {
    uint64_t next = UINT64_MAX;
    for (size_t i = 0; i < loops->count; i++) {
        struct watched_loop *watched = &loops->loops[i];
        if (watched->next <= now)
            look(loops, watched, now);
        if (watched->next < next)
            next = watched->next;
    }
    return next;
}

bool record_loops_idle(const struct record_loops *loops, size_t number, pid_t *process_id,
                       uint64_t *idle) {
    for (size_t i = 0; i < loops->count; i++) {
        const struct watched_loop *watched = &loops->loops[i];
        if (!watched->loop.address || !watched->watch.looked || number-- > 0)
            continue;
        *process_id = watched->process_id;
        *idle = loop_watch_idle(&watched->watch.last);
        return true;
    }
    return false;
}

void record_loops_end(struct record_loops *loops, uint64_t now) {
    struct loop_turn turn;
    for (size_t i = 0; i < loops->count; i++)
        if (loop_watch_end(&loops->loops[i].watch, now, TURN_LEAST, &turn))
            loops->take(loops->context, loops->loops[i].process_id, &turn);
}
