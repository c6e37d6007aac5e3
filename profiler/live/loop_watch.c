// SPDX-License-Identifier: MIT
#include "profiler/live/loop_watch.h"

#define MILLISECOND UINT64_C(1000000)

/* A border between two turns, and how far off it can be. */
struct border {
    uint64_t time, error;
};

/* A border that lies between two looks and is not known better. */
static struct border between(uint64_t from, uint64_t to) {
    return (struct border){from + (to - from) / 2, (to - from + 1) / 2};
}

/* When the loop came back from its last poll, for a look at a loop that works. */
static struct border find_return(const struct event_loop_reading *last,
                                 const struct event_loop_reading *reading) {
    uint64_t seen = reading->updated + MILLISECOND / 2;
    if (seen + MILLISECOND / 2 >= last->time && seen <= reading->time + MILLISECOND / 2)
        return (struct border){seen < reading->time ? seen : reading->time, MILLISECOND};
    return between(last->time, reading->time);
}

static bool finish_turn(struct loop_watch *watch, struct border end, uint64_t least,
                        struct loop_turn *turn) {
    if (!watch->working)
        return false;
    watch->working = false;
    *turn = (struct loop_turn){
        .start = watch->start,
        .end = end.time,
        .error = watch->start_error + end.error,
        .startup = watch->last.counts_turns && watch->last.turns == 0 && watch->last.idle == 0,
    };
    return end.time >= watch->start && end.time - watch->start >= least;
}

static void begin_turn(struct loop_watch *watch, struct border start) {
    watch->working = true;
    watch->start = start.time;
    watch->start_error = start.error;
}

bool loop_watch_take(struct loop_watch *watch, const struct event_loop_reading *reading,
                     uint64_t least, struct loop_turn *turn) {
    struct event_loop_reading last = watch->last;
    bool waits = reading->idle_since != 0;
    bool ended = false;
    if (!watch->looked) {
        watch->looked = true;
        if (!waits)
            begin_turn(watch, (struct border){reading->time, 0});
        watch->last = *reading;
        return false;
    }
    uint64_t waited = reading->idle >= last.idle ? reading->idle - last.idle : 0;
    bool same_turn = reading->turns == last.turns && (reading->counts_turns || waited == 0);
    if (waits) {
        bool same_poll = last.idle_since == reading->idle_since;
        if (!same_poll) {
            /* Where several polls lie between the looks, the turn may have ended at any of them. */
            bool only_poll = waited == 0 && (same_turn || reading->turns == last.turns + 1);
            struct border end = only_poll ? (struct border){reading->idle_since, 0}
                                          : between(last.time, reading->time);
            ended = finish_turn(watch, end, least, turn);
        }
        watch->working = false;
    } else if (last.idle_since) {
        /* One poll has ended: it lasted what was added. */
        if (reading->turns == last.turns && waited > 0 && last.idle_since + waited <= reading->time)
            begin_turn(watch, (struct border){last.idle_since + waited, 0});
        else
            begin_turn(watch, find_return(&last, reading));
    } else if (!same_turn) {
        struct border back = find_return(&last, reading);
        struct border end = back;
        if (!(reading->counts_turns && reading->turns == last.turns + 1))
            end = between(last.time, reading->time);
        else if (end.time >= waited + last.time)
            end.time -= waited;
        ended = finish_turn(watch, end, least, turn);
        begin_turn(watch, back);
    }
    watch->last = *reading;
    return ended;
}

bool loop_watch_end(struct loop_watch *watch, uint64_t time, uint64_t least,
                    struct loop_turn *turn) {
    return finish_turn(watch, (struct border){time, 0}, least, turn);
}

uint64_t loop_watch_idle(const struct event_loop_reading *reading) {
    uint64_t under_way = 0;
    if (reading->idle_since && reading->time > reading->idle_since)
        under_way = reading->time - reading->idle_since;
    return reading->idle + under_way;
}
