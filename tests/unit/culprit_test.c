// SPDX-License-Identifier: MIT
/* What a verdict names first. */
#include "tests/unit/tally_support.h"

#include "fold/tally/culprit.h"

#define HANDLER "handle /srv/app/s.js:3:4"
#define READ    HANDLER ";readFileSync node:fs:440:21"
#define PARSE   HANDLER ";v8::internal::Builtin_JsonParse"
#define SPIN    HANDLER ";spin /srv/app/s.js:9:4"

static const char *const kinds[] = {"none", "blocking", "heavy", "function"};

/* The kind, "second" if blocking calls come second, and the function's label with its weight. */
static void assert_culprit_of(struct profile *profile, const char *expected) {
    struct view view = {0};
    struct call_tree *tree = call_tree_build(profile, &view);
    struct blocking *blocking = blocking_find(tree);
    struct culprit culprit = culprit_find(tree, blocking);
    struct text label = tree->functions[culprit.function].label;
    char found[256];
    snprintf(found, sizeof found, "%s%s %.*s %llu of %llu", kinds[culprit.kind],
             culprit.blocking_second ? " second" : "", (int)label.size, label.data,
             (unsigned long long)culprit.weight.whole, (unsigned long long)culprit.base.whole);
    assert_string_equal(found, expected);
    blocking_free(blocking);
    call_tree_free(tree);
    profile_free(profile);
}

static void assert_culprit(const char *folded, const char *expected) {
    assert_culprit_of(support_profile(text_of(folded)), expected);
}

static void largest_leads(void **state) {
    (void)state;
    assert_culprit(READ " 50\n" SPIN " 30\n" PARSE " 20\n",
                   "blocking spin /srv/app/s.js:9:4 30 of 100");
    assert_culprit(READ " 20\n" SPIN " 30\n" PARSE " 50\n",
                   "heavy second spin /srv/app/s.js:9:4 30 of 100");
    assert_culprit(READ " 20\n" SPIN " 60\n" PARSE " 20\n",
                   "function second spin /srv/app/s.js:9:4 60 of 100");
    assert_culprit(READ " 4\n" SPIN " 76\n" PARSE " 20\n",
                   "function spin /srv/app/s.js:9:4 76 of 100");
    assert_culprit(READ " 4\n" SPIN " 16\n" PARSE " 80\n",
                   "heavy v8::internal::Builtin_JsonParse 80 of 100");
    /* Of equal ones: calls, computations, functions. */
    assert_culprit(READ " 40\n" SPIN " 40\n", "blocking spin /srv/app/s.js:9:4 40 of 80");
    assert_culprit(PARSE " 40\n" SPIN " 40\n", "heavy spin /srv/app/s.js:9:4 40 of 80");
}

/* All calls together weigh, and their own work below them is theirs. */
static void calls_together(void **state) {
    (void)state;
    assert_culprit(READ ";read 30\n" HANDLER ";execSync node:child_process:1:1;read 30\n" SPIN
                        " 40\n",
                   "blocking spin /srv/app/s.js:9:4 40 of 100");
    assert_culprit(READ ";read 45\n" HANDLER ";read 10\n" SPIN " 40\n",
                   "blocking spin /srv/app/s.js:9:4 40 of 95");
}

/* What is not named is no culprit; the collector is one. */
static void names(void **state) {
    (void)state;
    assert_culprit(READ " 20\n" HANDLER ";[libfoo.so] 60\n" SPIN " 10\n",
                   "blocking spin /srv/app/s.js:9:4 10 of 90");
    assert_culprit("(program) 60\n" SPIN " 10\n", "function spin /srv/app/s.js:9:4 10 of 70");
    assert_culprit("[unknown] 60\n", "none  0 of 60");
    assert_culprit(READ " 20\n" HANDLER ";(garbage collector) 60\n",
                   "function second (garbage collector) 60 of 80");
    assert_culprit("[Symbol.iterator] /srv/app/s.js:9:4 60\n" SPIN " 10\n",
                   "function [Symbol.iterator] /srv/app/s.js:9:4 60 of 70");
}

/* As assert_culprit(), with the samples of `hash` on a thread that never runs JavaScript. */
static void assert_culprit_beside_pool(const char *folded, const char *expected) {
    struct profile *profile = support_profile(text_of(folded));
    uint32_t thread =
        profile_add_thread(profile, (struct profile_thread){.role = THREAD_LIBUV, .id = 2});
    for (size_t i = 0; i < profile->sample_count; i++)
        if (profile->samples[i].weight.whole == 70)
            profile->samples[i].thread = thread;
    assert_culprit_of(profile, expected);
}

/* Threads that never run JavaScript do not hold the event loop. */
static void other_threads(void **state) {
    (void)state;
    assert_culprit_beside_pool(READ " 20\n" SPIN " 10\nuv_worker;hash 70\n",
                               "blocking spin /srv/app/s.js:9:4 10 of 30");
    assert_culprit_beside_pool(READ " 10\n" SPIN " 20\nuv_worker;hash 70\n",
                               "function second spin /srv/app/s.js:9:4 20 of 30");
    assert_culprit_beside_pool(SPIN " 30\nuv_worker;hash 70\n", "function hash 70 of 100");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(largest_leads),
        cmocka_unit_test(calls_together),
        cmocka_unit_test(names),
        cmocka_unit_test(other_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
