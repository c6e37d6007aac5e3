// SPDX-License-Identifier: MIT
#include "fold/tally/native_stack.h"

#include <stdlib.h>

#include "fold/base/memory.h"
#include "fold/tally/classify.h"

/* Starts of names below v8::internal::, or in full. What these functions call, and who runs them as
 * a job, need not be listed: the state is handed inwards. */
static const char *const collector_starts[] = {
    /* entries from the mutator and from tasks */
    "Heap::CheckCollectionRequested",
    "Heap::CollectAllAvailableGarbage",
    "Heap::CollectAllGarbage",
    "Heap::CollectGarbage",
    "Heap::CollectSharedGarbage",
    "Heap::CompleteSweeping",
    "Heap::EnsureSweepingCompleted",
    "Heap::FinalizeIncrementalMarking",
    "Heap::HandleExternalMemoryInterrupt",
    "Heap::HandleGCRequest",
    "Heap::IdleNotification",
    "Heap::MarkCompact",
    "Heap::MinorMark",
    "Heap::PerformGarbageCollection",
    "Heap::PerformSharedGarbageCollection",
    "Heap::PreciseCollectAllGarbage",
    "Heap::ReportExternalMemoryPressure",
    "Heap::Scavenge",
    "Heap::StartIncrementalMarking",
    "IncrementalMarking",
    "MemoryReducer::",
    "MinorGCJob::",
    /* the collectors, and their jobs on other threads */
    "ArrayBufferSweeper::DoSweep",
    "ArrayBufferSweeper::EnsureFinished",
    "ArrayBufferSweeper::Finish",
    "ArrayBufferSweeper::RequestSweep",
    "ArrayBufferSweeper::Sweep",
    "ConcurrentMarking",
    "CppHeap::AdvanceMarking",
    "CppHeap::AdvanceTracing",
    "CppHeap::CollectGarbage",
    "CppHeap::FinishConcurrentMarking",
    "CppHeap::FinishMarking",
    "CppHeap::InitializeMarking",
    "CppHeap::InitializeTracing",
    "CppHeap::StartMarking",
    "CppHeap::StartTracing",
    "CppHeap::TraceEpilogue",
    "CppHeap::TracePrologue",
    "Evacuator::",
    "FullEvacuator::",
    "InternalizedStringTableCleaner::",
    "MarkCompactCollector",
    "MemoryAllocator::Unmapper",
    "MinorMarkCompactCollector",
    "MinorMarkSweepCollector",
    "PageEvacuationJob::",
    "PageEvacuationTask::",
    "ParallelClearingJob::",
    "PointersUpdatingJob::",
    "Scavenge",
    "Sweeper::",
    "YoungGenerationEvacuator::",
    "YoungGenerationMarking",
    /* the collector of C++ objects */
    "cppgc::internal::Compactor::",
    "cppgc::internal::ConcurrentMarker",
    "cppgc::internal::GCInvoker::",
    "cppgc::internal::Heap::CollectGarbage",
    "cppgc::internal::Marker",
    "cppgc::internal::PreFinalizerHandler::",
    "cppgc::internal::Sweeper::",
    "cppgc::internal::WeakCallbackJobTask::",
};

static const char *const compiler_starts[] = {
    "AsmJs::",
    "BackgroundCompileTask::",
    "BackgroundDeserializeTask::",
    "CompilationJob::",
    "Compiler::",
    "CompilerDispatcher::",
    "GenerateBaselineCode",
    "LazyCompileDispatcher::",
    "OptimizedCompilationJob::",
    "OptimizingCompileDispatcher::",
    "OptimizingCompileTaskExecutor::",
    "Parser::",
    "ParserBase<",
    "PreParser::",
    "RegExp::Compile",
    "RegExpCompiler::",
    "RegExpImpl::Compile",
    "RegExpParser::",
    "Runtime_Compile",
    "Runtime_WasmCompileLazy",
    "Runtime_WasmCompileWrapper",
    "TurbofanCompilationJob::",
    "UnoptimizedCompilationJob::",
    "baseline::",
    "compiler::",
    "interpreter::BytecodeGenerator::",
    "interpreter::Interpreter::NewCompilationJob",
    "interpreter::InterpreterCompilationJob::",
    "maglev::",
    "parsing::",
    "wasm::AsyncCompileJob::",
    "wasm::BackgroundCompileJob::",
    "wasm::CompileLazy",
    "wasm::CompileToNativeModule",
    "wasm::DecodeWasmModule",
    "wasm::ExecuteCompilationUnits",
    "wasm::ExecuteLiftoffCompilation",
    "wasm::ExecuteTurbofanWasmCompilation",
    "wasm::GenerateLiftoff",
    "wasm::ValidateFunctions",
    "wasm::WasmCompilationUnit::",
    "wasm::WasmEngine::SyncCompile",
    "wasm::WasmImportWrapperCache::Compile",
};

static bool starts_with_any(struct text text, const char *const *starts, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (text_starts_with(text, text_of(starts[i])))
            return true;
    return false;
}

#define STARTS_WITH_ANY(text, starts)                                                              \
    starts_with_any(text, starts, sizeof(starts) / sizeof *(starts))

/* Takes `start` off the front of *text; false when it is not there. */
static bool take(struct text *text, struct text start) {
    if (!text_starts_with(*text, start))
        return false;
    *text = text_skip(*text, start.size);
    return true;
}

enum native_state native_state_of_name(struct text name) {
    while (take(&name, TEXT("virtual thunk to ")) || take(&name, TEXT("non-virtual thunk to ")))
        continue;
    if (!text_starts_with(name, TEXT("cppgc::")) && !take(&name, TEXT("v8::internal::")))
        return NATIVE_PLAIN;
    take(&name, TEXT("(anonymous namespace)::"));
    /* Namespaces below may have nameless parts too. */
    struct text inner = name;
    if (take(&inner, TEXT("wasm::(anonymous namespace)::")) &&
        (text_starts_with(inner, TEXT("BackgroundCompileJob::")) ||
         text_starts_with(inner, TEXT("ExecuteCompilationUnits"))))
        return NATIVE_COMPILING;
    if (STARTS_WITH_ANY(name, collector_starts))
        return NATIVE_COLLECTING;
    return STARTS_WITH_ANY(name, compiler_starts) ? NATIVE_COMPILING : NATIVE_PLAIN;
}

/* What one frame adds to a stack. */
struct frame_meaning {
    uint8_t state;
    uint8_t naming;
};

static struct frame_meaning meaning_of(const struct profile *profile, const struct frame *frame) {
    struct text name = profile_text(profile, frame->name);
    switch (frame_classify(profile, frame).kind) {
    case FRAME_JAVASCRIPT:
    case FRAME_WASM:
        return (struct frame_meaning){NATIVE_JAVASCRIPT, text_equal(name, TEXT("[js unknown]"))
                                                             ? NAMING_UNKNOWN
                                                             : NAMING_NAMED};
    case FRAME_BUILTIN:
        if (text_ends_with(name, TEXT("InterpreterEntryTrampoline")))
            return (struct frame_meaning){NATIVE_JAVASCRIPT, NAMING_INTERPRETED};
        return (struct frame_meaning){NATIVE_JAVASCRIPT, NAMING_NO_JAVASCRIPT};
    case FRAME_REGEXP:
    case FRAME_BYTECODE:
        return (struct frame_meaning){NATIVE_JAVASCRIPT, NAMING_NO_JAVASCRIPT};
    case FRAME_CPP:
        return (struct frame_meaning){(uint8_t)native_state_of_name(name), NAMING_NO_JAVASCRIPT};
    case FRAME_GC:
        return (struct frame_meaning){NATIVE_COLLECTING, NAMING_NO_JAVASCRIPT};
    default:
        return (struct frame_meaning){NATIVE_PLAIN, NAMING_NO_JAVASCRIPT};
    }
}

struct native_row *native_rows_find(const struct profile *profile) {
    if (!profile->native_stacks)
        return NULL;
    size_t frame_count = profile->frames.size;
    struct frame_meaning *meanings = memory_allocate_zero(frame_count + 1, sizeof *meanings);
    for (size_t i = 1; i < frame_count; i++)
        meanings[i] = meaning_of(profile, &profile->frames.frames[i]);
    const struct stack_table *stacks = &profile->stacks;
    struct native_row *rows = memory_allocate_zero(stacks->size + 1, sizeof *rows);
    /* A parent precedes its children. */
    for (uint32_t i = 1; i < stacks->size; i++) {
        struct native_row row = rows[stacks->parents[i]];
        struct frame_meaning meaning = meanings[stacks->frames[i]];
        if (meaning.state == NATIVE_COLLECTING && row.state != NATIVE_COLLECTING)
            row.collector = i;
        if (meaning.state != NATIVE_PLAIN)
            row.state = meaning.state;
        if (meaning.naming != NAMING_NO_JAVASCRIPT) {
            row.naming = meaning.naming;
            row.functions++;
            row.named += meaning.naming == NAMING_NAMED;
        }
        rows[i] = row;
    }
    free(meanings);
    return rows;
}
