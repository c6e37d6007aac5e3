// SPDX-License-Identifier: MIT
/* Waits as samples: below JavaScript they keep the thread, all others are idle. */
#include "tests/unit/tally_support.h"

#include "profiler/command/record_waits.h"

struct taken {
    struct profile *profile;
    struct sample samples[16];
    size_t count;
};

static void take(void *context, const struct sample *sample) {
    struct taken *taken = context;
    assert_true(taken->count < 16);
    taken->samples[taken->count++] = *sample;
}

static struct stack_id push(struct profile *profile, struct stack_id parent, const char *name,
                            enum frame_kind kind) {
    struct frame frame = {.name = profile_intern(profile, text_of(name)), .kind = kind};
    return profile_push(profile, parent, profile_frame(profile, &frame));
}

static struct sample wait_of(struct stack_id stack, uint32_t thread, uint64_t end,
                             uint64_t nanoseconds) {
    return (struct sample){
        .stack = stack, .thread = thread, .time = end, .weight = weight_of(nanoseconds)};
}

static void expect(const struct taken *taken, size_t index, struct stack_id outer,
                   const char *innermost, bool idle, uint64_t end, uint64_t nanoseconds) {
    const struct profile *profile = taken->profile;
    assert_true(index < taken->count);
    const struct sample *sample = &taken->samples[index];
    const struct frame *frame =
        frame_table_get(&profile->frames, stack_table_frame(&profile->stacks, sample->stack));
    assert_true(text_equal(profile_text(profile, frame->name), text_of(innermost)));
    assert_int_equal(stack_table_parent(&profile->stacks, sample->stack).index, outer.index);
    assert_int_equal(sample->idle, idle);
    assert_int_equal(sample->time, end);
    assert_int_equal(sample->weight.whole, nanoseconds);
    if (!idle)
        assert_int_equal(frame->kind, FRAME_WAITING);
}

static void kinds_of_waits(void **state) {
    (void)state;
    struct taken taken = {.profile = profile_new()};
    struct profile *profile = taken.profile;
    struct record_waits *waits = record_waits_new(profile, take, &taken);
    struct stack_id none = {0};
    struct stack_id loop = push(profile, none, "uv_run", FRAME_CPP);
    struct stack_id script = push(profile, loop, "handler", FRAME_JAVASCRIPT);
    struct stack_id read = push(profile, script, "uv_fs_read", FRAME_CPP);

    record_waits_add(waits, wait_of(read, 0, 100, 5000), false);
    expect(&taken, 0, read, "(waiting)", false, 100, 5000);
    record_waits_add(waits, wait_of(loop, 0, 200, 6000), false);
    assert_int_equal(taken.count, 1); /* more may follow */
    record_waits_flush(waits);
    expect(&taken, 1, loop, "(idle)", true, 200, 6000);
    /* A stack that is not the wait's own, and none at all. */
    record_waits_add(waits, wait_of(read, 0, 300, 7000), true);
    record_waits_flush(waits);
    expect(&taken, 2, read, "(idle)", true, 300, 7000);
    record_waits_add(waits, wait_of(none, 0, 400, 8000), false);
    record_waits_flush(waits);
    expect(&taken, 3, none, "(idle)", true, 400, 8000);
    record_waits_flush(waits);
    /* Stacks and frames that are new since. */
    struct stack_id other = push(profile, push(profile, loop, "later", FRAME_WASM), "f", 0);
    record_waits_add(waits, wait_of(other, 0, 500, 9000), false);
    expect(&taken, 4, other, "(waiting)", false, 500, 9000);
    assert_int_equal(taken.count, 5);
    record_waits_free(waits);
    record_waits_free(NULL);
    profile_free(profile);
}

/* Idle waits of a thread that follow on each other are one sample. */
static void idle_waits_are_joined(void **state) {
    (void)state;
    struct taken taken = {.profile = profile_new()};
    struct profile *profile = taken.profile;
    struct record_waits *waits = record_waits_new(profile, take, &taken);
    struct stack_id loop = push(profile, (struct stack_id){0}, "uv_run", FRAME_CPP);
    struct stack_id script = push(profile, loop, "handler", FRAME_JAVASCRIPT);
    for (uint64_t i = 1; i <= 3; i++) {
        record_waits_add(waits, wait_of(loop, 0, i * 100, 10), false);
        record_waits_add(waits, wait_of(loop, 5, i * 100 + 50, 20), false);
    }
    assert_int_equal(taken.count, 0);
    record_waits_running(waits, 0);
    expect(&taken, 0, loop, "(idle)", true, 300, 30);
    record_waits_running(waits, 0);
    record_waits_running(waits, 90); /* one that never waited */
    assert_int_equal(taken.count, 1);
    /* A wait below JavaScript: what was before it comes first. */
    record_waits_add(waits, wait_of(script, 5, 400, 40), false);
    expect(&taken, 1, loop, "(idle)", true, 350, 60);
    expect(&taken, 2, script, "(waiting)", false, 400, 40);
    record_waits_add(waits, wait_of(loop, 0, 500, UINT64_MAX), false);
    record_waits_add(waits, wait_of(loop, 0, 600, 50), false);
    record_waits_flush(waits);
    expect(&taken, 3, loop, "(idle)", true, 600, UINT64_MAX);
    assert_int_equal(taken.count, 4);
    /* With more than half a millisecond between them in all, they are two. */
    record_waits_add(waits, wait_of(loop, 0, 2000, 1000000), false);
    record_waits_add(waits, wait_of(loop, 0, 3300, 1000000), false);
    record_waits_add(waits, wait_of(loop, 0, 4501, 1000000), false);
    expect(&taken, 4, loop, "(idle)", true, 3300, 2000000);
    record_waits_flush(waits);
    expect(&taken, 5, loop, "(idle)", true, 4501, 1000000);
    record_waits_free(waits);
    profile_free(profile);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_of_waits),
        cmocka_unit_test(idle_waits_are_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
