// SPDX-License-Identifier: MIT
/* The event loop read from outside: bytes of libuv's fields, and looks one after another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/live/loop_watch.h"

#define MS UINT64_C(1000000)

static void put(unsigned char *fields, size_t at, uint64_t number) {
    memcpy(fields + at, &number, sizeof number);
}

/* The fields of libuv 1.45 and later, and those before, as node 24 and node 18 had them. */
static void fields(void **state) {
    (void)state;
    const uint64_t now = UINT64_C(28568782267666);
    unsigned char bytes[EVENT_LOOP_FIELDS_SIZE] = {0};
    struct event_loop_reading reading;
    bytes[0] = 1;
    put(bytes, 8, 6329);
    put(bytes, 16, 11197);
    put(bytes, 24, 10245);
    put(bytes, 136, UINT64_C(28568782166000));
    put(bytes, 144, 778549335);
    assert_true(event_loop_decode(28568782, bytes, now, &reading));
    assert_true(reading.counts_turns);
    assert_int_equal(reading.turns, 6329);
    assert_int_equal(reading.idle_since, UINT64_C(28568782166000));
    assert_int_equal(reading.idle, 778549335);
    assert_int_equal(reading.updated, 28568782 * MS);
    assert_int_equal(loop_watch_idle(&reading), 778549335 + 101666);

    /* Times of the future, a loop that does not measure, a loop that never began. */
    assert_false(event_loop_decode(28568782 + 1000, bytes, now, &reading));
    assert_false(event_loop_decode(0, bytes, now, &reading));
    bytes[0] = 0;
    assert_false(event_loop_decode(28568782, bytes, now, &reading));
    bytes[0] = 1;
    put(bytes, 136, now + 1000 * MS);
    assert_false(event_loop_decode(28568782, bytes, now, &reading));

    unsigned char old[EVENT_LOOP_FIELDS_SIZE] = {1};
    put(old, 8, UINT64_C(28568782166000));
    put(old, 16, 748889725);
    put(old, 136, UINT64_C(139820456156352)); /* a mutex and more stand behind */
    assert_true(event_loop_decode(28568782, old, now, &reading));
    assert_false(reading.counts_turns);
    assert_int_equal(reading.idle_since, UINT64_C(28568782166000));
    assert_int_equal(reading.idle, 748889725);

    memset(old + 1, 0xff, sizeof old - 1);
    assert_false(event_loop_decode(28568782, old, now, &reading));
}

static struct event_loop_reading look(uint64_t time, uint64_t turns, uint64_t idle,
                                      uint64_t idle_since, uint64_t updated_ms) {
    return (struct event_loop_reading){.time = time,
                                       .turns = turns,
                                       .idle = idle,
                                       .idle_since = idle_since,
                                       .updated = updated_ms * MS,
                                       .counts_turns = true};
}

/* A request comes after 3.2 ms in the poll that began at 1000 ms, and takes 200 ms. */
static void between_polls(void **state) {
    (void)state;
    struct loop_watch watch = {0};
    struct loop_turn turn;
    struct event_loop_reading looks[] = {
        look(1001 * MS, 7, 500 * MS, 1000 * MS, 990),
        look(1011 * MS, 7, 503200000, 0, 1003),
        look(1100 * MS, 7, 503200000, 0, 1003),
        look(1200 * MS, 7, 503200000, 0, 1150), /* a timer was set */
        look(1210 * MS, 8, 503200000, 1203200000, 1203),
    };
    for (int i = 0; i < 4; i++)
        assert_false(loop_watch_take(&watch, &looks[i], 10 * MS, &turn));
    assert_true(loop_watch_take(&watch, &looks[4], 10 * MS, &turn));
    assert_int_equal(turn.start, 1003200000);
    assert_int_equal(turn.end, 1203200000);
    assert_int_equal(turn.error, 0);
    assert_false(turn.startup);
    /* The same once more is too short for another limit. */
    watch = (struct loop_watch){0};
    for (int i = 0; i < 5; i++)
        assert_false(loop_watch_take(&watch, &looks[i], 201 * MS, &turn));
}

/* Requests that wait already: the loop polls without waiting, and libuv counts a turn. */
static void back_to_back(void **state) {
    (void)state;
    struct loop_watch watch = {0};
    struct loop_turn turn;
    struct event_loop_reading looks[] = {
        look(1002 * MS, 7, 0, 0, 1000),
        look(1098 * MS, 7, 0, 0, 1000),
        look(1102 * MS, 8, 0, 0, 1100), /* the next turn began at 1100 or a little later */
        look(1199 * MS, 8, 0, 0, 1100),
        look(1203 * MS, 11, 0, 0, 1202), /* several: the long one ended between the looks */
    };
    assert_false(loop_watch_take(&watch, &looks[0], 10 * MS, &turn));
    assert_false(loop_watch_take(&watch, &looks[1], 10 * MS, &turn));
    assert_true(loop_watch_take(&watch, &looks[2], 10 * MS, &turn));
    assert_int_equal(turn.start, 1002 * MS); /* seen from there on */
    assert_int_equal(turn.end, 1100500000);
    assert_int_equal(turn.error, MS);
    assert_false(loop_watch_take(&watch, &looks[3], 10 * MS, &turn));
    assert_true(loop_watch_take(&watch, &looks[4], 10 * MS, &turn));
    assert_int_equal(turn.start, 1100500000);
    assert_int_equal(turn.end, 1201 * MS);
    assert_int_equal(turn.error, 3 * MS);
    assert_true(loop_watch_end(&watch, 1250 * MS, 10 * MS, &turn));
    assert_int_equal(turn.start, 1202500000);
    assert_int_equal(turn.end, 1250 * MS);
}

/* A program that loads for half a second; then a poll. */
static void loading(void **state) {
    (void)state;
    struct loop_watch watch = {0};
    struct loop_turn turn;
    struct event_loop_reading looks[] = {look(100 * MS, 0, 0, 0, 90), look(500 * MS, 0, 0, 0, 90),
                                         look(610 * MS, 1, 0, 600 * MS, 599)};
    assert_false(loop_watch_take(&watch, &looks[0], 10 * MS, &turn));
    assert_false(loop_watch_take(&watch, &looks[1], 10 * MS, &turn));
    assert_true(loop_watch_take(&watch, &looks[2], 10 * MS, &turn));
    assert_true(turn.startup);
    assert_int_equal(turn.end, 600 * MS);
    /* It waits: there is no turn under way. */
    assert_false(loop_watch_end(&watch, 900 * MS, 10 * MS, &turn));
}

/* Where turns are not counted, only polls that waited end one. */
static void without_turns(void **state) {
    (void)state;
    struct loop_watch watch = {0};
    struct loop_turn turn;
    struct event_loop_reading looks[] = {
        look(1001 * MS, 0, 500 * MS, 1000 * MS, 990),
        look(1011 * MS, 0, 503 * MS, 0, 1003),
        look(1151 * MS, 0, 503 * MS, 0, 1120),
        look(1155 * MS, 0, 503000100, 0, 1153),
    };
    for (int i = 0; i < 4; i++)
        looks[i].counts_turns = false;
    for (int i = 0; i < 3; i++)
        assert_false(loop_watch_take(&watch, &looks[i], 10 * MS, &turn));
    assert_true(loop_watch_take(&watch, &looks[3], 10 * MS, &turn));
    assert_int_equal(turn.start, 1003 * MS);
    assert_int_equal(turn.end, 1153 * MS);
    assert_int_equal(turn.error, 2 * MS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields),  cmocka_unit_test(between_polls), cmocka_unit_test(back_to_back),
        cmocka_unit_test(loading), cmocka_unit_test(without_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
