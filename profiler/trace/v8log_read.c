// SPDX-License-Identifier: MIT
#include "profiler/trace/v8log_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fold/model/v8_name.h"
#include "profiler/trace/library_symbols.h"
#include "profiler/trace/v8log_inline.h"
#include "profiler/trace/v8log_process.h"

/* A stack with this many addresses below the pc was cut by V8 (TickSample::kMaxFramesCount). */
enum { FRAMES_LIMIT = 255 };

/* The frame of a function in a tier, for inlined ones: the code entries have theirs cached. */
struct inlined_frame {
    uint32_t function;
    uint8_t tier;
    struct frame_id frame;
};

struct v8log_reader {
    struct profile *profile;
    struct v8log_options options;
    struct v8log_process process;
    struct library_symbols library_symbols;
    struct v8log_inline inlined;
    struct inlined_frame *inlined_frames; /* row 0 is not used */
    size_t inlined_frame_count, inlined_frame_capacity;
    struct hash_index inlined_frame_index;
    uint32_t thread;
    uint64_t isolates;
    bool any_tick;
    double first_time, last_time; /* of the current isolate's ticks, microseconds */

    /* The current tick's frames and those of the one before, innermost first, and the stack rows of
     * the latter: ticks in a row mostly share their outer frames. */
    struct frame_id *frames, *frames_before;
    struct stack_id *stacks_before;
    size_t frame_count, frame_capacity, count_before, before_capacity, stacks_capacity;
};

static enum frame_kind plain_kind(struct text type) {
    if (text_equal(type, TEXT("BytecodeHandler")))
        return FRAME_BYTECODE;
    if (text_equal(type, TEXT("RegExp")))
        return FRAME_REGEXP;
    if (text_equal(type, TEXT("Callback")))
        return FRAME_CPP;
    return FRAME_BUILTIN;
}

static enum frame_kind native_kind(struct text module, enum frame_kind otherwise) {
    return text_ends_with(module, TEXT(".node")) ? FRAME_ADDON : otherwise;
}

/* The frame of a function. WebAssembly functions have no place in a script. */
static struct frame function_frame(struct v8log_reader *reader, const struct code_entry *function,
                                   enum frame_tier tier, bool inlined) {
    struct text text = v8log_code_text(&reader->process.code, function->name);
    struct v8_name name;
    bool has_place = v8_name_parse(text, &name);
    bool is_wasm = text_starts_with(text, TEXT("wasm-function[")) ||
                   text_starts_with(name.file, TEXT("wasm://")) ||
                   (!has_place && text.size > 0 && tier != FRAME_INTERPRETED &&
                    tier != FRAME_BASELINE && !memchr(text.data, ' ', text.size));
    return (struct frame){.name = profile_intern(reader->profile, name.function),
                          .file = profile_intern(reader->profile, name.file),
                          .line = name.line,
                          .column = name.column,
                          .kind = is_wasm ? FRAME_WASM : FRAME_JAVASCRIPT,
                          .tier = (uint8_t)tier,
                          .inlined = inlined};
}

static enum frame_tier entry_tier(const struct code_entry *entry) {
    return v8_tier_parse((struct text){&entry->mark, entry->mark ? 1 : 0});
}

static struct frame_id entry_frame(struct v8log_reader *reader, uint32_t row) {
    struct v8log_code *code = &reader->process.code;
    struct frame_id id = {code->entries[row].view};
    if (id.index)
        return id;
    const struct code_entry *entry = &code->entries[row];
    struct text name = v8log_code_text(code, entry->name);
    struct frame frame = {0};
    switch (entry->kind) {
    case CODE_LIBRARY:
        frame.module = profile_intern(reader->profile, name);
        frame.kind = native_kind(name, FRAME_LIBRARY);
        break;
    case CODE_SYMBOL:
        frame.name = profile_intern(reader->profile, name);
        frame.module = profile_intern(reader->profile, v8log_code_text(code, entry->module));
        frame.kind = native_kind(v8log_code_text(code, entry->module), FRAME_CPP);
        break;
    case CODE_FUNCTION_CODE:
        frame = function_frame(reader, &code->entries[entry->function], entry_tier(entry), false);
        break;
    default:
        frame.name = profile_intern(reader->profile, name);
        frame.kind = plain_kind(v8log_code_text(code, entry->type));
        break;
    }
    id = profile_frame(reader->profile, &frame);
    code->entries[row].view = id.index;
    return id;
}

static struct frame_id inlined_frame(struct v8log_reader *reader, uint32_t function,
                                     enum frame_tier tier) {
    uint64_t hash = hash_number((uint64_t)function << 8 | tier);
    struct hash_probe probe = hash_index_start(&reader->inlined_frame_index, hash);
    uint32_t row;
    while ((row = hash_index_next(&reader->inlined_frame_index, &probe)) != 0) {
        const struct inlined_frame *known = &reader->inlined_frames[row];
        if (known->function == function && known->tier == tier)
            return known->frame;
    }
    struct frame frame = {.kind = FRAME_JAVASCRIPT, .tier = (uint8_t)tier, .inlined = true};
    if (function)
        frame = function_frame(reader, &reader->process.code.entries[function], tier, true);
    else
        frame.name = profile_intern(reader->profile, TEXT("(inlined function)"));
    MEMORY_RESERVE(reader->inlined_frames, reader->inlined_frame_capacity,
                   reader->inlined_frame_count + 2);
    if (reader->inlined_frame_count == 0)
        reader->inlined_frames[reader->inlined_frame_count++] = (struct inlined_frame){0};
    row = (uint32_t)reader->inlined_frame_count++;
    reader->inlined_frames[row] =
        (struct inlined_frame){function, (uint8_t)tier, profile_frame(reader->profile, &frame)};
    hash_index_insert(&reader->inlined_frame_index, hash, row);
    return reader->inlined_frames[row].frame;
}

static void add_frame(struct v8log_reader *reader, struct frame_id frame) {
    MEMORY_RESERVE(reader->frames, reader->frame_capacity, reader->frame_count + 1);
    reader->frames[reader->frame_count++] = frame;
}

/* Adds what stands at an address: the functions inlined there, then the code itself. `back` is 1
 * for a return address, which stands behind the call it belongs to. False: nothing is known. */
static bool add_address(struct v8log_reader *reader, uint64_t address, unsigned back) {
    struct v8log_code *code = &reader->process.code;
    uint32_t row = v8log_code_find(code, address);
    if (row == 0)
        return false;
    const struct code_entry *entry = &code->entries[row];
    if (entry->source_info) {
        uint32_t functions[V8LOG_INLINE_DEPTH_MAX];
        uint64_t offset = address - entry->start;
        enum frame_tier tier = entry_tier(entry);
        size_t count = v8log_inline_find(&reader->inlined, entry->source_info,
                                         offset < back ? 0 : offset - back, functions);
        for (size_t i = 0; i < count; i++)
            add_frame(reader, inlined_frame(reader, functions[i], tier));
    }
    add_frame(reader, entry_frame(reader, row));
    return true;
}

static struct frame_id unknown_frame(struct v8log_reader *reader) {
    return profile_frame(reader->profile, &(struct frame){.kind = FRAME_UNACCOUNTED});
}

static void count_unknown(struct v8log_reader *reader, uint64_t pc) {
    enum unaccounted_reason reason = pc == 0 ? UNACCOUNTED_NO_ADDRESS
                                     : v8log_code_is_near(&reader->process.code, pc)
                                         ? UNACCOUNTED_CODE_GONE
                                         : UNACCOUNTED_OUTSIDE;
    reader->profile->unaccounted[reason] =
        weight_add(reader->profile->unaccounted[reason], weight_of(1));
}

/* The stack of the current frames: its outer part is taken over from the tick before. */
static struct stack_id make_stack(struct v8log_reader *reader) {
    size_t count = reader->frame_count;
    size_t before = reader->count_before;
    size_t shared = 0;
    while (shared < count && shared < before &&
           reader->frames[count - 1 - shared].index ==
               reader->frames_before[before - 1 - shared].index)
        shared++;
    MEMORY_RESERVE(reader->stacks_before, reader->stacks_capacity, count + 1);
    struct stack_id stack = {0};
    if (shared > 0)
        stack = reader->stacks_before[shared - 1];
    for (size_t i = shared; i < count; i++) {
        stack = profile_push(reader->profile, stack, reader->frames[count - 1 - i]);
        reader->stacks_before[i] = stack;
    }
    struct frame_id *frames = reader->frames;
    reader->frames = reader->frames_before;
    reader->frames_before = frames;
    size_t capacity = reader->frame_capacity;
    reader->frame_capacity = reader->before_capacity;
    reader->before_capacity = capacity;
    reader->count_before = count;
    return stack;
}

static enum vm_state state_of(const struct v8log_reader *reader, double state) {
    static const enum vm_state states[] = {
        VM_JAVASCRIPT, VM_GC,           VM_PARSER, VM_BYTECODE_COMPILER, VM_COMPILER, VM_OTHER,
        VM_EXTERNAL,   VM_ATOMICS_WAIT, VM_IDLE,   VM_LOGGING,           VM_IDLE};
    const size_t count = sizeof states / sizeof *states;
    if (!(state >= 0 && state < (double)count))
        return VM_NOT_KNOWN;
    /* V8 6 had no state for Atomics.wait. */
    if (state == 7 && reader->process.v8_major > 0 && reader->process.v8_major <= 6)
        return VM_IDLE;
    return states[(size_t)state];
}

static void start_isolate(struct v8log_reader *reader) {
    reader->isolates++;
    reader->thread = profile_add_thread(
        reader->profile,
        (struct profile_thread){.id = reader->isolates,
                                .role = reader->isolates == 1 ? THREAD_MAIN : THREAD_WORKER,
                                .runs_javascript = true});
    reader->any_tick = false;
}

/*
 * A native callback stands between its caller and the pc, as the record's own field (V8 11 and
 * older) or as the first frame. With the pc in the callback itself the two are one frame.
 */
static void drop_repeated_callback(struct v8log_reader *reader, size_t leaf_count) {
    const struct frame *leaf =
        frame_table_get(&reader->profile->frames, reader->frames[leaf_count - 1]);
    bool is_native =
        leaf->kind == FRAME_LIBRARY || leaf->kind == FRAME_CPP || leaf->kind == FRAME_ADDON;
    if (!is_native || reader->frame_count <= leaf_count ||
        reader->frames[leaf_count].index != reader->frames[leaf_count - 1].index)
        return;
    reader->frame_count--;
    for (size_t i = leaf_count; i < reader->frame_count; i++)
        reader->frames[i] = reader->frames[i + 1];
}

static void take_tick(void *context, const struct v8log_tick *tick) {
    struct v8log_reader *reader = context;
    reader->frame_count = 0;
    if (!add_address(reader, tick->pc, 0)) {
        add_frame(reader, unknown_frame(reader));
        count_unknown(reader, tick->pc);
    }
    size_t leaf_count = reader->frame_count;
    if (tick->in_callback)
        (void)add_address(reader, tick->top_of_stack, 0);
    for (size_t i = 0; i < tick->frame_count; i++) {
        (void)add_address(reader, tick->frames[i], 1);
        if (i == 0)
            drop_repeated_callback(reader, leaf_count);
    }
    if (tick->frame_count == 0)
        drop_repeated_callback(reader, leaf_count);
    if (tick->frame_count >= FRAMES_LIMIT)
        add_frame(reader,
                  profile_frame(reader->profile,
                                &(struct frame){
                                    .name = profile_intern(reader->profile, TEXT("[truncated]"))}));
    enum vm_state state = state_of(reader, tick->state);
    if (!reader->any_tick)
        reader->first_time = reader->last_time = tick->time;
    reader->any_tick = true;
    reader->last_time = fmax(reader->last_time, tick->time);
    double duration = reader->last_time - reader->first_time;
    if (duration > (double)reader->profile->duration_us)
        reader->profile->duration_us = (uint64_t)duration;
    reader->profile->interval_us = reader->process.interval_us;
    profile_add_sample(reader->profile, (struct sample){.stack = make_stack(reader),
                                                        .thread = reader->thread,
                                                        .state = (uint8_t)state,
                                                        .idle = state == VM_IDLE,
                                                        .weight = weight_of(1),
                                                        .time = (uint64_t)tick->time});
}

static void take_library(void *context, uint32_t row, uint64_t start, uint64_t end,
                         uint64_t slide) {
    (void)start, (void)end, (void)slide;
    struct v8log_reader *reader = context;
    struct v8log_code *code = &reader->process.code;
    profile_add_library(reader->profile, v8log_code_text(code, code->entries[row].name));
}

static void take_source_info(void *context, const struct v8log_source_info *info) {
    struct v8log_reader *reader = context;
    struct v8log_code *code = &reader->process.code;
    uint32_t row = v8log_code_at_start(code, info->start);
    if (row)
        code->entries[row].source_info = v8log_inline_add(&reader->inlined, code, info);
}

static void take_isolate(void *context) {
    struct v8log_reader *reader = context;
    if (reader->any_tick)
        start_isolate(reader);
}

static void *reader_open(struct profile *profile, const void *options) {
    struct v8log_reader *reader = memory_allocate_zero(1, sizeof *reader);
    reader->profile = profile;
    if (options)
        reader->options = *(const struct v8log_options *)options;
    struct v8log_sink sink = {.context = reader,
                              .library_context = reader,
                              .tick = take_tick,
                              .library = take_library,
                              .source_info = take_source_info,
                              .isolate = take_isolate};
    v8log_process_start(&reader->process, &v8log_tolerant_rules, sink, &profile->warnings);
    if (reader->options.symbols)
        library_symbols_use(&reader->library_symbols, reader->options.symbols,
                            LIBRARY_SYMBOLS_SHORT, &reader->process.code);
    profile->format = v8log_reader.format;
    profile->unit = UNIT_TICKS;
    profile->has_times = true;
    profile->isolate_only = true;
    profile->waiting_is_missing = true;
    start_isolate(reader);
    return reader;
}

static bool reader_feed(void *parser, struct text piece, struct error *error) {
    (void)error;
    struct v8log_reader *reader = parser;
    v8log_process_feed(&reader->process, piece);
    return true;
}

/* What is known of the libraries' symbols goes into the profile. */
static void describe_libraries(struct v8log_reader *reader) {
    struct profile *profile = reader->profile;
    size_t count = reader->options.symbols ? symbol_source_libraries(reader->options.symbols) : 0;
    for (size_t i = 0; i < count; i++) {
        const struct symbol_library *library = symbol_source_library_at(reader->options.symbols, i);
        uint32_t row = profile_add_library(profile, library->path);
        profile->libraries[row].complaint = profile_intern(profile, text_of(library->complaint));
    }
}

static void describe_damage(struct v8log_reader *reader) {
    struct warnings *warnings = &reader->profile->warnings;
    struct v8log_process *process = &reader->process;
    warnings_add_count(warnings, process->bad_frames, "bad-frame", 0,
                       "a frame of a tick is no address; it was left out");
    warnings_add_count(warnings, process->overflows, "overflow", 0,
                       "the sampler's buffer was full: ticks were lost, their number is not known");
    if (!reader->options.list_unknown_records || process->unknown_count == 0)
        return;
    struct buffer list = {0};
    uint64_t total = 0;
    for (size_t i = 0; i < process->unknown_count; i++) {
        struct text name = v8log_code_text(&process->code, process->unknown[i].name);
        buffer_append_format(&list, "%s%.*s: %llu", i ? ", " : "", (int)name.size, name.data,
                             (unsigned long long)process->unknown[i].count);
        total += process->unknown[i].count;
    }
    warnings_add_count(warnings, total, "unknown-record", 0, "unknown kinds of records: %.*s",
                       (int)list.size, list.data);
    buffer_free(&list);
}

static bool reader_finish(void *parser, struct error *error) {
    struct v8log_reader *reader = parser;
    v8log_process_finish(&reader->process);
    struct profile *profile = reader->profile;
    if (reader->process.v8_version.size == 0 && profile_is_empty(profile))
        return error_set(error, ERROR_INPUT,
                         "not an isolate log: neither a v8-version record nor a tick");
    profile->v8 = profile_intern(profile, buffer_text(&reader->process.v8_version));
    unsigned node = v8log_node_of_v8(reader->process.v8_major);
    if (node) {
        struct buffer version = {0};
        buffer_append_format(&version, "v%u", node);
        profile->node = profile_intern(profile, buffer_text(&version));
        buffer_free(&version);
    }
    profile->interval_us = reader->process.interval_us;
    describe_libraries(reader);
    describe_damage(reader);
    return true;
}

static void reader_close(void *parser) {
    struct v8log_reader *reader = parser;
    v8log_process_free(&reader->process);
    v8log_inline_free(&reader->inlined);
    free(reader->inlined_frames);
    hash_index_free(&reader->inlined_frame_index);
    free(reader->frames);
    free(reader->frames_before);
    free(reader->stacks_before);
    free(reader);
}

/* A log begins with its header; one whose header is lost, with another of its records. */
static enum probe_result reader_probe(struct text start) {
    while (start.size && (*start.data == '\n' || *start.data == '\r'))
        start = text_skip(start, 1);
    static const char *const records[] = {"v8-version,", "shared-library,", "code-creation,",
                                          "tick,0x", "profiler,begin,"};
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        if (text_starts_with(start, text_of(records[i])))
            return PROBE_CERTAIN;
    }
    return PROBE_NO;
}

const struct reader v8log_reader = {
    .format = "v8log",
    .probe = reader_probe,
    .open = reader_open,
    .feed = reader_feed,
    .finish = reader_finish,
    .close = reader_close,
};
