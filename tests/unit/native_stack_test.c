// SPDX-License-Identifier: MIT
/* Stacks as perf records them from Node 16 to 26. */
#include "tests/unit/tally_support.h"

#include "fold/tally/native_stack.h"

#define START                                                                                      \
    "_start;__libc_start_main;main;node::Start;node::NodeMainInstance::Run;uv_run;uv__io_poll;"    \
    "Builtins_JSEntry;Builtins_JSEntryTrampoline;"
#define POOL                                                                                       \
    "start_thread;node::(anonymous namespace)::PlatformWorkerThread;"                              \
    "v8::platform::DefaultJobWorker::Run;"

/* Folded text taken for native stacks. */
static struct profile *native_profile(struct text folded) {
    struct profile *profile = support_profile(folded);
    profile->native_stacks = true;
    return profile;
}

static void assert_exclusive(struct text folded, enum frame_kind kind, uint64_t weight) {
    struct profile *profile = native_profile(folded);
    struct view view = {0};
    struct call_tree *tree = call_tree_build(profile, &view);
    if (tree->exclusive[kind].whole != weight)
        fail_msg("%s is %llu in %.*s", frame_kind_name(kind),
                 (unsigned long long)tree->exclusive[kind].whole, (int)folded.size, folded.data);
    call_tree_free(tree);
    profile_free(profile);
}

static void names(void **state) {
    (void)state;
    static const char *const collecting[] = {
        "v8::internal::Heap::CollectGarbage",
        "v8::internal::Heap::Scavenge",
        "v8::internal::Heap::MinorMarkSweep",
        "v8::internal::ScavengerCollector::JobTask::Run",
        "v8::internal::ScavengerJobTask::Run",
        "v8::internal::ConcurrentMarking::JobTaskMajor::Run",
        "v8::internal::ConcurrentMarking::JobTask::Run",
        "v8::internal::IncrementalMarkingJob::Task::RunInternal",
        "v8::internal::IncrementalMarking::AdvanceOnAllocation",
        "v8::internal::MinorGCJob::Task::RunInternal",
        "v8::internal::Sweeper::MajorSweeperJob::RunImpl",
        "v8::internal::ArrayBufferSweeper::SweepingState::SweepingJob::Run",
        "v8::internal::(anonymous namespace)::ParallelClearingJob::Run",
        "v8::internal::MemoryAllocator::Unmapper::UnmapFreeMemoryJob::Run",
        "non-virtual thunk to v8::internal::MarkCompactCollector::CollectGarbage",
        "v8::internal::MinorMarkCompactCollector::CollectGarbage",
        "cppgc::internal::MarkerBase::IncrementalMarkingTask::Run",
        "cppgc::internal::Sweeper::SweeperImpl::IncrementalSweepTask::Run",
    };
    static const char *const compiling[] = {
        "v8::internal::Compiler::Compile",
        "v8::internal::Runtime_CompileLazy",
        "v8::internal::ParserBase<v8::internal::Parser>::ParseStatementList",
        "v8::internal::parsing::ParseProgram",
        "v8::internal::OptimizedCompilationJob::ExecuteJob",
        "v8::internal::OptimizingCompileDispatcher::CompileTask::RunInternal",
        "v8::internal::OptimizingCompileTaskExecutor::CompileTask::Run",
        "v8::internal::maglev::MaglevConcurrentDispatcher::JobTask::Run",
        "v8::internal::baseline::BaselineBatchCompiler::CompileBatch",
        "v8::internal::baseline::ConcurrentBaselineCompiler::JobDispatcher::Run",
        "v8::internal::interpreter::BytecodeGenerator::GenerateBytecode",
        "v8::internal::LazyCompileDispatcher::JobTask::Run",
        "v8::internal::wasm::(anonymous namespace)::BackgroundCompileJob::Run",
        "v8::internal::wasm::AsyncCompileJob::CompileTask::RunInternal",
    };
    static const char *const plain[] = {
        "v8::internal::Heap::AllocateExternalBackingStore",
        "v8::internal::HeapAllocator::AllocateRawWithRetryOrFailSlowPath",
        "v8::internal::ArrayBufferSweeper::Append",
        "v8::internal::JsonParser<unsigned char>::ParseJson",
        "v8::internal::WriteBarrier::MarkingSlow",
        "v8::internal::HeapSnapshotGenerator::GenerateSnapshot",
        "v8::internal::interpreter::BytecodeArrayIterator::Advance",
        "v8::platform::DefaultJobWorker::Run",
        "Scavenger::Process",
        "node::fs::Read",
        "compiler::Compile",
        "",
    };
    for (size_t i = 0; i < sizeof collecting / sizeof *collecting; i++)
        assert_int_equal(native_state_of_name(text_of(collecting[i])), NATIVE_COLLECTING);
    for (size_t i = 0; i < sizeof compiling / sizeof *compiling; i++)
        assert_int_equal(native_state_of_name(text_of(compiling[i])), NATIVE_COMPILING);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        assert_int_equal(native_state_of_name(text_of(plain[i])), NATIVE_PLAIN);
}

/* The collector's first frame stands for all of it; GC adds to nobody's total. */
static void collections(void **state) {
    (void)state;
    struct profile *profile = native_profile(TEXT(
        START "*makeRow /srv/main.js:13:17;v8::internal::Runtime_AllocateInYoungGeneration;"
              "v8::internal::Heap::CollectGarbage;PushAllRegistersAndIterateStack;"
              "v8::internal::Heap::PerformGarbageCollection;v8::internal::Heap::Scavenge 5\n" START
              "*makeRow /srv/main.js:13:17;v8::internal::Runtime_AllocateInYoungGeneration;"
              "v8::internal::Heap::CollectGarbage;v8::internal::Heap::MarkCompact;asm_exc_page_"
              "fault 2\n" START "*makeRow /srv/main.js:13:17 4\n" POOL
              "v8::internal::ScavengerCollector::JobTask::Run;v8::internal::Scavenger::Process 8\n"
              "v8::internal::Sweeper::SweeperJob::RunImpl 1\n"));
    struct view view = {.keep_tiers = true};
    support_assert_fold(
        profile, &view,
        "(garbage collector) 1\n"
        "_start;__libc_start_main;main;node::Start;node::NodeMainInstance::Run;uv_run;uv__io_poll;"
        "Builtin:JSEntry;Builtin:JSEntryTrampoline;*makeRow /srv/main.js:13:17 4\n"
        "_start;__libc_start_main;main;node::Start;node::NodeMainInstance::Run;uv_run;uv__io_poll;"
        "Builtin:JSEntry;Builtin:JSEntryTrampoline;*makeRow /srv/main.js:13:17;"
        "v8::internal::Runtime_AllocateInYoungGeneration;(garbage collector) 7\n" POOL
        "(garbage collector) 8\n");
    struct call_tree *tree = call_tree_build(profile, &view);
    support_assert_weights(tree, "(garbage collector)", 16, 16);
    support_assert_weights(tree, "*makeRow /srv/main.js:13:17", 4, 4);
    assert_int_equal(tree->exclusive[FRAME_GC].whole, 16);
    assert_int_equal(tree->exclusive[FRAME_JAVASCRIPT].whole, 4);
    /* By the leaf alone, and the collector on top. */
    assert_int_equal(tree->summary[SUMMARY_CPP].whole, 16);
    assert_int_equal(tree->summary[SUMMARY_GC].whole, 16);
    call_tree_free(tree);
    /* What is folded is the same when it is read as native stacks again. */
    struct buffer folded = support_fold(profile, &view, NULL);
    struct profile *again = native_profile(buffer_text(&folded));
    support_assert_fold(again, &view, folded.data);
    profile_free(again);
    buffer_free(&folded);
    profile_free(profile);
}

/* Without native stacks names mean nothing. */
static void other_inputs(void **state) {
    (void)state;
    struct text folded =
        TEXT("f /a.js:1:2;v8::internal::Heap::CollectGarbage;Builtins_AddHandler 1\n");
    struct profile *profile = support_profile(folded);
    struct view view = {0};
    support_assert_fold(profile, &view, folded.data);
    profile_free(profile);
}

/* The nearest of collector, compiler and JavaScript decides. */
static void nearest_state(void **state) {
    (void)state;
    struct text compile = TEXT(START "f /a.js:1:2;v8::internal::Runtime_CompileLazy;"
                                     "v8::internal::Compiler::Compile;memcpy 3\n");
    assert_exclusive(compile, FRAME_COMPILER, 3);
    struct text hook = TEXT(START "v8::internal::Compiler::Compile;node::HostHook;Builtins_JSEntry;"
                                  "hook /a.js:1:2 3\n");
    assert_exclusive(hook, FRAME_COMPILER, 0);
    assert_exclusive(hook, FRAME_JAVASCRIPT, 3);
    struct text inside = TEXT("v8::internal::maglev::MaglevCompiler::Compile;"
                              "v8::internal::Heap::CollectGarbage;memcpy 3\n");
    assert_exclusive(inside, FRAME_GC, 3);
    /* A callback in C++ is part of the collection. */
    struct text finalizer = TEXT("f /a.js:1:2;v8::internal::Heap::CollectGarbage;"
                                 "v8::internal::GlobalHandles::InvokeSecondPassPhantomCallbacks;"
                                 "node::BaseObject::~BaseObject 3\n");
    assert_exclusive(finalizer, FRAME_GC, 3);
    /* JavaScript that it runs is not; a collection in there is one of its own. */
    struct profile *profile =
        native_profile(TEXT("v8::internal::Heap::CollectGarbage;node::Callback;f /a.js:1:2 1\n"
                            "v8::internal::Heap::CollectGarbage;node::Callback;f /a.js:1:2;"
                            "v8::internal::Heap::CollectGarbage;v8::internal::Heap::Scavenge 2\n"));
    struct view view = {0};
    support_assert_fold(
        profile, &view,
        "v8::internal::Heap::CollectGarbage;node::Callback;f /a.js:1:2 1\n"
        "v8::internal::Heap::CollectGarbage;node::Callback;f /a.js:1:2;(garbage collector) 2\n");
    profile_free(profile);
}

/* What the input says of the state comes before what the stack tells. */
static void known_state(void **state) {
    (void)state;
    struct profile *profile = native_profile(TEXT("v8::internal::Compiler::Compile 3\n"));
    profile->samples[0].state = VM_GC;
    struct view view = {0};
    support_assert_fold(profile, &view, "(garbage collector) 3\n");
    profile_free(profile);
}

/* A symbol of the binary and an entry of a perf map are one builtin; handlers are dropped. */
static void builtins(void **state) {
    (void)state;
    struct profile *profile =
        native_profile(TEXT("Builtin:JSEntry;f /a.js:1:2;Builtins_LdaZeroHandler 1\n"
                            "Builtins_JSEntry;f /a.js:1:2;Builtins_LdaSmiExtraWideHandler 2\n"
                            "Builtins_JSEntry;Builtins_InterpreterEntryTrampoline;"
                            "Builtins_CEntry_Return1_ArgvOnStack_BuiltinExit 4\n"
                            "Builtins_JSEntry;Builtins_AtomicsMutexAsyncUnlockResolveHandler 8\n"));
    struct view view = {0};
    support_assert_fold(profile, &view,
                        "Builtin:JSEntry;Builtin:AtomicsMutexAsyncUnlockResolveHandler 8\n"
                        "Builtin:JSEntry;Builtin:InterpreterEntryTrampoline;"
                        "Builtin:CEntry_Return1_ArgvOnStack_BuiltinExit 4\n"
                        "Builtin:JSEntry;f /a.js:1:2 3\n");
    struct call_tree *tree = call_tree_build(profile, &view);
    support_assert_weights(tree, "Builtin:JSEntry", 0, 15);
    assert_int_equal(tree->exclusive[FRAME_BYTECODE].whole, 3);
    call_tree_free(tree);
    profile_free(profile);
}

static void naming(void **state) {
    (void)state;
    struct profile *profile = native_profile(
        TEXT("main;f /a.js:1:2;[js unknown];node::fs::Read 3\n"
             "main;f /a.js:1:2;Builtins_InterpreterEntryTrampoline;Builtins_AddHandler 5\n"
             "main;Builtins_InterpreterEntryTrampoline;f /a.js:1:2;memcpy 8\n"
             "main;uv_run 100\n"));
    struct view view = {0};
    struct call_tree *tree = call_tree_build(profile, &view);
    assert_int_equal(tree->naming.javascript.whole, 16);
    assert_int_equal(tree->naming.unknown.whole, 3);
    assert_int_equal(tree->naming.interpreted.whole, 5);
    assert_true(tree->naming.named_share == 0.5);
    assert_string_equal(frame_kind_name(support_function(tree, "[js unknown]")->kind),
                        "javascript");
    call_tree_free(tree);
    profile_free(profile);
}

/* 200,000 rows deep, and 200,000 siblings: one look at each row. */
static void large_tables(void **state) {
    (void)state;
    struct profile *profile = profile_new();
    profile_add_thread(profile, (struct profile_thread){.id = 1, .runs_javascript = true});
    profile->native_stacks = true;
    struct frame frame = {.kind = FRAME_CPP,
                          .name = profile_intern(profile, TEXT("v8::internal::Heap::Scavenge"))};
    struct frame_id collector = profile_frame(profile, &frame);
    frame.name = profile_intern(profile, TEXT("memcpy"));
    struct frame_id plain = profile_frame(profile, &frame);
    struct stack_id stack = profile_push(profile, (struct stack_id){0}, collector);
    enum { ROWS = 200000 };
    for (int i = 0; i < ROWS; i++) {
        stack = profile_push(profile, stack, plain);
        profile_add_sample(profile, (struct sample){.stack = stack, .weight = weight_of(1)});
        frame.line = (uint32_t)i + 1;
        struct stack_id other =
            profile_push(profile, (struct stack_id){1}, profile_frame(profile, &frame));
        profile_add_sample(profile, (struct sample){.stack = other, .weight = weight_of(1)});
    }
    struct view view = {0};
    support_assert_fold(profile, &view, "(garbage collector) 400000\n");
    profile_free(profile);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),        cmocka_unit_test(collections),
        cmocka_unit_test(other_inputs), cmocka_unit_test(nearest_state),
        cmocka_unit_test(known_state),  cmocka_unit_test(builtins),
        cmocka_unit_test(naming),       cmocka_unit_test(large_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
