// SPDX-License-Identifier: MIT
#include "tests/unit/tally_support.h"

/* A profile as a reader of isolate logs makes it: one thread, kinds known. */
static struct profile *new_profile(void) {
    struct profile *profile = profile_new();
    profile_add_thread(profile, (struct profile_thread){.id = 1, .runs_javascript = true});
    return profile;
}

static struct stack_id push(struct profile *profile, struct stack_id stack, enum frame_kind kind,
                            const char *name) {
    struct frame frame = {.kind = (uint8_t)kind, .name = profile_intern(profile, text_of(name))};
    return profile_push(profile, stack, profile_frame(profile, &frame));
}

/* A JavaScript function on line 1 of /a.js. */
static struct stack_id push_function(struct profile *profile, struct stack_id stack,
                                     const char *name, enum frame_tier tier) {
    struct frame frame = {.kind = FRAME_JAVASCRIPT,
                          .name = profile_intern(profile, text_of(name)),
                          .file = profile_intern(profile, TEXT("/a.js")),
                          .line = 1,
                          .column = 2,
                          .tier = (uint8_t)tier};
    return profile_push(profile, stack, profile_frame(profile, &frame));
}

static void add(struct profile *profile, struct stack_id stack, enum vm_state state,
                uint64_t weight) {
    profile_add_sample(
        profile,
        (struct sample){.stack = stack, .state = (uint8_t)state, .weight = weight_of(weight)});
}

static void recursion(void **state) {
    (void)state;
    struct buffer data = support_data("field-cases/fc19-recursion.folded");
    struct profile *profile = support_profile(buffer_text(&data));
    struct view view = {0};
    struct call_tree *tree = call_tree_build(profile, &view);
    assert_int_equal(tree->total.whole, 14);
    support_assert_weights(tree, "main", 1, 14);
    support_assert_weights(tree, "fib", 9, 9);
    support_assert_weights(tree, "walk", 0, 4);
    support_assert_weights(tree, "visit", 4, 4);
    call_tree_free(tree);
    profile_free(profile);
    buffer_free(&data);
}

/* A parent precedes its children, a subtree is a range, children stand in the order of labels. */
static void order_of_nodes(void **state) {
    (void)state;
    struct profile *profile = support_profile(TEXT("m;b;y 1\nm;a 2\nm;b;x 4\nm;b 8\nl 16\n"));
    struct view view = {0};
    struct call_tree *tree = call_tree_build(profile, &view);
    static const struct {
        const char *label;
        uint32_t parent, depth, end;
        uint64_t self, total;
    } expected[] = {
        {"", 0, 0, 7, 0, 31},  {"l", 0, 1, 2, 16, 16}, {"m", 0, 1, 7, 0, 15}, {"a", 2, 2, 4, 2, 2},
        {"b", 2, 2, 7, 8, 13}, {"x", 4, 3, 6, 4, 4},   {"y", 4, 3, 7, 1, 1},
    };
    assert_int_equal(tree->node_count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < tree->node_count; i++) {
        const struct call_node *node = &tree->nodes[i];
        assert_true(text_equal(tree->functions[node->function].label, text_of(expected[i].label)));
        assert_int_equal(node->parent, expected[i].parent);
        assert_int_equal(node->depth, expected[i].depth);
        assert_int_equal(node->subtree_end, expected[i].end);
        assert_int_equal(node->self.whole, expected[i].self);
        assert_int_equal(node->total.whole, expected[i].total);
    }
    call_tree_free(tree);
    profile_free(profile);
}

/* A sample of the collector ends in its frame, in place of the pc's, and adds to no function. */
static void collector(void **state) {
    (void)state;
    struct profile *profile = new_profile();
    struct stack_id main = push_function(profile, (struct stack_id){0}, "main", FRAME_OPTIMISED);
    struct stack_id map = push(profile, main, FRAME_BUILTIN, "ArrayMap");
    add(profile, map, VM_JAVASCRIPT, 3);
    add(profile, map, VM_GC, 2);
    add(profile, main, VM_GC, 1);
    add(profile, (struct stack_id){0}, VM_GC, 4);
    struct view view = {.keep_tiers = true};
    support_assert_fold(profile, &view,
                        "(garbage collector) 5\n"
                        "*main /a.js:1:2;(garbage collector) 2\n"
                        "*main /a.js:1:2;Builtin:ArrayMap 3\n");
    struct call_tree *tree = call_tree_build(profile, &view);
    support_assert_weights(tree, "*main /a.js:1:2", 0, 3);
    support_assert_weights(tree, "Builtin:ArrayMap", 3, 3);
    support_assert_weights(tree, "(garbage collector)", 7, 7);
    /* The place in the tree does include the collector. */
    assert_int_equal(tree->nodes[2].total.whole, 5);
    assert_int_equal(tree->exclusive[FRAME_GC].whole, 7);
    assert_int_equal(tree->exclusive[FRAME_BUILTIN].whole, 3);
    assert_int_equal(tree->exclusive[FRAME_JAVASCRIPT].whole, 0);
    /* The reference's summary goes by the leaf and counts the collector on top. */
    assert_int_equal(tree->summary[SUMMARY_JAVASCRIPT].whole, 6);
    assert_int_equal(tree->summary[SUMMARY_GC].whole, 7);
    assert_int_equal(tree->summary[SUMMARY_UNACCOUNTED].whole, 4);
    call_tree_free(tree);
    profile_free(profile);
}

/* In folded text the collector has a frame already (FC-14, FC-27). */
static void collector_with_a_frame(void **state) {
    (void)state;
    struct profile *profile =
        support_profile(TEXT("main;f /a.js:1:2 4\nmain;f /a.js:1:2;(garbage collector) 6\n"));
    struct view view = {0};
    struct call_tree *tree = call_tree_build(profile, &view);
    support_assert_weights(tree, "f /a.js:1:2", 4, 4);
    support_assert_weights(tree, "main", 0, 4);
    support_assert_weights(tree, "(garbage collector)", 6, 6);
    assert_int_equal(tree->exclusive[FRAME_GC].whole, 6);
    assert_int_equal(tree->summary[SUMMARY_GC].whole, 6);
    assert_int_equal(tree->busy.whole, 10);
    call_tree_free(tree);
    profile_free(profile);
}

/* Handlers are dropped: their time is self time of the function that is interpreted. */
static void bytecode_handlers(void **state) {
    (void)state;
    struct profile *profile = new_profile();
    struct stack_id f = push_function(profile, (struct stack_id){0}, "f", FRAME_INTERPRETED);
    add(profile, push(profile, f, FRAME_BYTECODE, "LdaZero"), VM_JAVASCRIPT, 2);
    add(profile, f, VM_JAVASCRIPT, 1);
    add(profile, push(profile, (struct stack_id){0}, FRAME_BYTECODE, "Star"), VM_JAVASCRIPT, 4);
    struct view view = {.keep_tiers = true};
    support_assert_fold(profile, &view, "[unknown] 4\n~f /a.js:1:2 3\n");
    struct call_tree *tree = call_tree_build(profile, &view);
    assert_int_equal(tree->exclusive[FRAME_BYTECODE].whole, 6);
    assert_int_equal(tree->exclusive[FRAME_JAVASCRIPT].whole, 1);
    assert_int_equal(tree->summary[SUMMARY_JAVASCRIPT].whole, 7);
    call_tree_free(tree);
    view.keep_handlers = true;
    support_assert_fold(profile, &view,
                        "BytecodeHandler:Star 4\n~f /a.js:1:2 1\n"
                        "~f /a.js:1:2;BytecodeHandler:LdaZero 2\n");
    profile_free(profile);
}

/* A sample counts for the tier of the innermost occurrence. */
static void tiers(void **state) {
    (void)state;
    struct profile *profile = new_profile();
    struct stack_id none = {0};
    struct stack_id outer = push_function(profile, none, "f", FRAME_INTERPRETED);
    struct stack_id between = push_function(profile, outer, "g", FRAME_BASELINE);
    struct stack_id inner = push_function(profile, between, "f", FRAME_OPTIMISED);
    add(profile, outer, VM_JAVASCRIPT, 1);
    add(profile, between, VM_JAVASCRIPT, 2);
    add(profile, inner, VM_JAVASCRIPT, 4);
    add(profile, push_function(profile, none, "f", FRAME_OTHER_TIER), VM_JAVASCRIPT, 8);
    struct view view = {0};
    struct call_tree *tree = call_tree_build(profile, &view);
    const struct function *f = support_function(tree, "f /a.js:1:2");
    assert_int_equal(f->total.whole, 15);
    assert_int_equal(f->tiers[FRAME_INTERPRETED].whole, 3);
    assert_int_equal(f->tiers[FRAME_OPTIMISED].whole, 4);
    assert_int_equal(f->tiers[FRAME_OTHER_TIER].whole, 8);
    assert_int_equal(f->tiers[FRAME_BASELINE].whole, 0);
    assert_int_equal(support_function(tree, "g /a.js:1:2")->tiers[FRAME_BASELINE].whole, 6);
    call_tree_free(tree);
    view.keep_tiers = true;
    tree = call_tree_build(profile, &view);
    assert_int_equal(support_function(tree, "?f /a.js:1:2")->tiers[FRAME_OTHER_TIER].whole, 8);
    call_tree_free(tree);
    profile_free(profile);
}

static void labels(void **state) {
    (void)state;
    struct profile *profile = new_profile();
    struct stack_id stack = {0};
    stack = push_function(profile, stack, "", FRAME_OPTIMISED);
    stack = push(profile, stack, FRAME_REGEXP, "^(a+)+$");
    stack = push(profile, stack, FRAME_BUILTIN, "ArrayMap");
    stack = push(profile, stack, FRAME_CPP, "Builtins_JSEntry");
    struct frame library = {.kind = FRAME_LIBRARY,
                            .module = profile_intern(profile, TEXT("/lib/libc.so.6"))};
    stack = profile_push(profile, stack, profile_frame(profile, &library));
    library.module = profile_intern(profile, TEXT("[vsyscall]"));
    stack = profile_push(profile, stack, profile_frame(profile, &library));
    stack = push(profile, stack, FRAME_UNACCOUNTED, "");
    add(profile, stack, VM_JAVASCRIPT, 1);
    struct view view = {.keep_tiers = true};
    support_assert_fold(profile, &view,
                        "*(anonymous) /a.js:1:2;RegExp:^(a+)+$;Builtin:ArrayMap;Builtins_JSEntry;"
                        "[libc.so.6];[vsyscall];[unknown] 1\n");
    profile_free(profile);
}

static void idle(void **state) {
    (void)state;
    struct profile *profile = support_profile(TEXT("main;(idle) 6\nmain;idle 1\nmain;f 3\n"));
    struct view view = {0};
    struct call_tree *tree = call_tree_build(profile, &view);
    assert_int_equal(tree->idle.whole, 6);
    assert_int_equal(tree->busy.whole, 4);
    assert_int_equal(tree->total.whole, 4);
    call_tree_free(tree);
    view.keep_idle = true;
    tree = call_tree_build(profile, &view);
    assert_int_equal(tree->total.whole, 10);
    assert_int_equal(tree->busy.whole, 4);
    call_tree_free(tree);
    view = (struct view){.categories = 1u << VIEW_IDLE};
    support_assert_fold(profile, &view, "main;(idle) 6\n");
    profile_free(profile);
}

static void categories_by_state(void **state) {
    (void)state;
    struct profile *profile = new_profile();
    struct stack_id f = push_function(profile, (struct stack_id){0}, "f", FRAME_OPTIMISED);
    struct stack_id native = push(profile, f, FRAME_CPP, "v8::internal::Parser::Parse");
    add(profile, native, VM_PARSER, 1);
    add(profile, native, VM_BYTECODE_COMPILER, 2);
    add(profile, native, VM_COMPILER, 4);
    add(profile, native, VM_EXTERNAL, 8);
    struct view view = {0};
    struct call_tree *tree = call_tree_build(profile, &view);
    assert_int_equal(tree->exclusive[FRAME_COMPILER].whole, 7);
    assert_int_equal(tree->exclusive[FRAME_CPP].whole, 8);
    assert_int_equal(tree->summary[SUMMARY_CPP].whole, 15);
    call_tree_free(tree);
    view.categories = 1u << FRAME_COMPILER;
    tree = call_tree_build(profile, &view);
    assert_int_equal(tree->busy.whole, 7);
    call_tree_free(tree);
    profile_free(profile);
}

static void patterns(void **state) {
    (void)state;
    struct profile *profile = support_profile(TEXT("main;handle /srv/s.js:3:4;read 1\n"
                                                   "main;other /srv/o.js:9:1;read 2\n"
                                                   "main;(garbage collector) 4\n"));
    struct error error = {0};
    struct pattern *pattern = pattern_compile("^handle$", &error);
    struct view view = {.focus = pattern};
    support_assert_fold(profile, &view, "main;handle /srv/s.js:3:4;read 1\n");
    view = (struct view){.ignore = pattern};
    support_assert_fold(profile, &view,
                        "main;(garbage collector) 4\nmain;other /srv/o.js:9:1;read 2\n");
    pattern_free(pattern);
    pattern = pattern_compile("o\\.js:9$", &error);
    view = (struct view){.focus = pattern};
    support_assert_fold(profile, &view, "main;other /srv/o.js:9:1;read 2\n");
    pattern_free(pattern);
    pattern = pattern_compile("garbage", &error);
    view = (struct view){.focus = pattern};
    support_assert_fold(profile, &view, "main;(garbage collector) 4\n");
    pattern_free(pattern);
    profile_free(profile);
}

static void threads_and_times(void **state) {
    (void)state;
    struct profile *profile = profile_new();
    profile->keep_times = true;
    static const char *const names[] = {"node", "V8Worker", "", "node"};
    for (uint64_t i = 0; i < 4; i++)
        profile_add_thread(
            profile, (struct profile_thread){.name = profile_intern(profile, text_of(names[i])),
                                             .id = 10 + i,
                                             .runs_javascript = i == 0});
    struct stack_id run = push(profile, (struct stack_id){0}, FRAME_CPP, "run");
    for (uint32_t i = 0; i < 4; i++)
        profile_add_sample(profile, (struct sample){.stack = run,
                                                    .thread = i,
                                                    .weight = weight_of(1u << i),
                                                    .time = 1000 * i});
    struct view view = {.keep_threads = true};
    support_assert_fold(profile, &view, "V8Worker;run 2\nnode;run 9\nthread 12;run 4\n");
    view = (struct view){.thread = "node"};
    support_assert_fold(profile, &view, "run 9\n");
    view = (struct view){.thread = "12"};
    support_assert_fold(profile, &view, "run 4\n");
    view = (struct view){.time_from_us = 1000, .time_to_us = 3000};
    support_assert_fold(profile, &view, "run 6\n");
    view = (struct view){0};
    struct call_tree *tree = call_tree_build(profile, &view);
    assert_int_equal(tree->javascript_threads.whole, 1);
    assert_int_equal(tree->threads[3].whole, 8);
    call_tree_free(tree);
    profile_free(profile);
}

/* A thread that changed its name is one root with its last name, where that is asked for. */
static void renamed_threads(void **state) {
    (void)state;
    struct profile *profile = profile_new();
    static const struct {
        const char *name;
        uint64_t id;
    } rows[] = {{"node", 10}, {"pool", 11}, {"MainThread", 10}};
    struct stack_id run = push(profile, (struct stack_id){0}, FRAME_CPP, "run");
    for (uint32_t i = 0; i < 3; i++) {
        profile_add_thread(
            profile, (struct profile_thread){.name = profile_intern(profile, text_of(rows[i].name)),
                                             .id = rows[i].id,
                                             .process_id = 10});
        profile_add_sample(
            profile, (struct sample){.stack = run, .thread = i, .weight = weight_of(1u << i)});
    }
    struct view view = {.keep_threads = true};
    support_assert_fold(profile, &view, "MainThread;run 4\nnode;run 1\npool;run 2\n");
    view.last_names = true;
    support_assert_fold(profile, &view, "MainThread;run 5\npool;run 2\n");
    profile_free(profile);
}

/* FC-21: kinds and tiers of one function are merged; a module tells native functions apart. */
static void identity(void **state) {
    (void)state;
    struct profile *profile = support_profile(TEXT("JS:*hot /srv/hot.js:4:13 1\n"
                                                   "LazyCompile:~hot /srv/hot.js:4:13 2\n"
                                                   "hot /srv/hot.js:4:14 4\n"));
    struct view view = {0};
    struct call_tree *tree = call_tree_build(profile, &view);
    support_assert_weights(tree, "hot /srv/hot.js:4:13", 3, 3);
    support_assert_weights(tree, "hot /srv/hot.js:4:14", 4, 4);
    assert_int_equal(tree->function_count, 3);
    call_tree_free(tree);
    profile_free(profile);
}

/* Stacks of any depth are built without recursion and in near-linear time. */
static void deep_stack(void **state) {
    (void)state;
    enum { DEPTH = 300000 };
    struct profile *profile = new_profile();
    struct stack_id stack = {0};
    for (int i = 0; i < DEPTH; i++) {
        stack = push_function(profile, stack, i % 2 ? "odd" : "even", FRAME_OPTIMISED);
        add(profile, stack, VM_JAVASCRIPT, 1);
    }
    struct view view = {0};
    struct call_tree *tree = call_tree_build(profile, &view);
    assert_int_equal(tree->node_count, DEPTH + 1);
    support_assert_weights(tree, "even /a.js:1:2", DEPTH / 2, DEPTH);
    support_assert_weights(tree, "odd /a.js:1:2", DEPTH / 2, DEPTH - 1);
    call_tree_free(tree);
    profile_free(profile);
}

static void empty(void **state) {
    (void)state;
    struct profile *profile = profile_new();
    struct view view = {.keep_threads = true};
    struct call_tree *tree = call_tree_build(profile, &view);
    assert_int_equal(tree->node_count, 1);
    assert_int_equal(tree->function_count, 1);
    assert_int_equal(tree->nodes[0].subtree_end, 1);
    assert_true(weight_is_zero(tree->total));
    struct blocking *blocking = blocking_find(tree);
    assert_int_equal(blocking->call_count, 0);
    blocking_free(blocking);
    call_tree_free(tree);
    profile_free(profile);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recursion),
        cmocka_unit_test(order_of_nodes),
        cmocka_unit_test(collector),
        cmocka_unit_test(collector_with_a_frame),
        cmocka_unit_test(bytecode_handlers),
        cmocka_unit_test(tiers),
        cmocka_unit_test(labels),
        cmocka_unit_test(idle),
        cmocka_unit_test(categories_by_state),
        cmocka_unit_test(patterns),
        cmocka_unit_test(threads_and_times),
        cmocka_unit_test(renamed_threads),
        cmocka_unit_test(identity),
        cmocka_unit_test(deep_stack),
        cmocka_unit_test(empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
