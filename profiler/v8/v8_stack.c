// SPDX-License-Identifier: MIT
#include "profiler/v8/v8_stack.h"

#include "fold/base/hash_index.h"
#include "profiler/unwind/unwinder.h"

/* A frame that is looked at. */
struct frame_words {
    bool is_there;
    uint64_t type;     /* context, or twice the type */
    uint64_t function; /* the word of the JSFunction */
    uint64_t
        bytecode; /* in interpreted and Baseline code: that of the BytecodeArray; else anything */
};

/* A walk under way. */
struct stack_walk {
    struct v8_walker *walker;
    const struct v8_stack *stack;
    v8_take_frame *take;
    void *context;
};

/* ---- places ---- */

enum v8_place v8_place_of_symbol(struct text symbol) {
    static const char *const entries[] = {"InterpreterEntryTrampoline", "InterpreterEnterAt"};
    const struct text prefix = TEXT("Builtins_");
    if (!text_starts_with(symbol, prefix))
        return V8_PLACE_NATIVE;
    struct text name = text_skip(symbol, prefix.size);
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (text_starts_with(name, text_of(entries[i])))
            return V8_PLACE_INTERPRETER;
    }
    if (text_starts_with(name, TEXT("Baseline")))
        return V8_PLACE_BASELINE;
    /* Handlers of bytecodes, also those of wide operands. */
    if (text_ends_with(name, TEXT("Handler")) && !text_starts_with(name, TEXT("Atomics")))
        return V8_PLACE_INTERPRETER;
    return V8_PLACE_BUILTIN;
}

static enum v8_place place_in_file(struct v8_walker *walker, uint64_t address, bool is_return) {
    uint32_t generation = native_names_generation(walker->names, walker->process_id);
    struct v8_known_place *known =
        &walker->places[hash_number(address * 2 + is_return) % V8_BUILTINS_KEPT];
    if (known->address == address && known->generation == generation)
        return (enum v8_place)known->place;
    struct text symbol = native_names_symbol(walker->names, walker->process_id, address, is_return);
    enum v8_place place = v8_place_of_symbol(symbol);
    if (place == V8_PLACE_NATIVE && symbol.size == 0 && !walker->has_builtin_symbols)
        place = V8_PLACE_UNKNOWN;
    *known = (struct v8_known_place){address, generation, (uint8_t)place};
    return place;
}

static enum v8_place place_of(struct v8_walker *walker, uint64_t address, bool is_return) {
    struct native_code code =
        native_names_code(walker->names, walker->process_id, address - is_return);
    if (code.kind == LOCATION_COMPILED)
        return V8_PLACE_COMPILED;
    if (code.kind != LOCATION_FILE)
        return V8_PLACE_NOWHERE;
    return code.file == walker->file ? place_in_file(walker, address, is_return) : V8_PLACE_NATIVE;
}

/* ---- frames ---- */

static void give(struct stack_walk *walk, struct v8_frame frame) {
    struct v8_walker *walker = walk->walker;
    bool is_javascript =
        frame.kind == V8_FRAME_UNNAMED || (frame.kind == V8_FRAME_FUNCTION && !frame.inlined);
    walker->javascript += is_javascript;
    walker->named += is_javascript && frame.kind == V8_FRAME_FUNCTION;
    walk->take(walk->context, &frame);
}

static void give_address(struct stack_walk *walk, enum v8_frame_kind kind, uint64_t address) {
    give(walk, (struct v8_frame){.kind = kind, .address = address});
}

static void give_function(struct stack_walk *walk, const struct v8_function *function,
                          uint64_t address, enum frame_tier tier) {
    give(walk, (struct v8_frame){.kind = function ? V8_FRAME_FUNCTION : V8_FRAME_UNNAMED,
                                 .address = address,
                                 .function = function,
                                 .tier = tier});
}

static struct frame_words read_frame(struct stack_walk *walk, uint64_t frame) {
    const struct v8_layout *layout = &walk->walker->heap.layout;
    struct stack_memory *memory = &walk->walker->memory;
    struct frame_words words = {0};
    if (frame == UNWIND_NO_FRAME)
        return words;
    words.is_there =
        stack_memory_read(memory, frame + (uint64_t)(int64_t)layout->frame_context, &words.type) &&
        stack_memory_read(memory, frame + (uint64_t)(int64_t)layout->frame_function,
                          &words.function);
    /* Where there is none, what stands there is never asked for. */
    if (words.is_there)
        stack_memory_read(memory, frame + (uint64_t)(int64_t)layout->frame_bytecode,
                          &words.bytecode);
    return words;
}

/* Whether the frame is of a type without function; which one. */
static bool is_typed(const struct v8_heap *heap, const struct frame_words *words, uint64_t *type) {
    /* A small number, twice over; a context is a pointer. */
    if (words->type & (uint64_t)heap->layout.heap_tag)
        return false;
    *type = words->type / 2;
    return *type < 64;
}

static uint64_t register_value(const struct stack_walk *walk, int number) {
    const struct unwind_registers *registers = &walk->stack->registers;
    return number >= 0 && number < UNWIND_REGISTERS_MOST && registers->known >> number & 1
               ? registers->values[number]
               : 0;
}

/* The bit of perf's mask for a register as V8 numbers it: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi.
 * perf has ax, bx, cx, dx, si, di. */
static int bit_of_register(int32_t number) {
    enum { REGISTER_DI = 5 };
    return number == 7 ? REGISTER_DI : NO_REGISTER;
}

/* The function of a closure; NULL: it is none. */
static const struct v8_function *function_of(struct stack_walk *walk, uint64_t closure) {
    struct v8_functions *functions = &walk->walker->functions;
    uint64_t shared = v8_function_shared(functions, closure);
    return shared ? v8_function_of_shared(functions, shared) : NULL;
}

/* The function of a frame that holds its bytecode too: closures may have moved since the stack was
 * copied. */
static const struct v8_function *function_of_frame(struct stack_walk *walk,
                                                   const struct frame_words *words) {
    struct v8_functions *functions = &walk->walker->functions;
    uint64_t shared = v8_function_shared(functions, words->function);
    const struct v8_function *function = shared ? v8_function_of_shared(functions, shared) : NULL;
    if (function) {
        v8_function_note_bytecode(functions, words->bytecode, shared);
        return function;
    }
    shared = v8_function_shared_of_bytecode(functions, words->bytecode);
    return shared ? v8_function_of_shared(functions, shared) : NULL;
}

/* Whether the innermost frame has its function on the stack already: it is pushed after the frame
 * pointer was set. */
static bool is_built(const struct stack_walk *walk, size_t at) {
    const struct v8_walker *walker = walk->walker;
    uint64_t frame = walk->stack->frames[at];
    if (frame == UNWIND_NO_FRAME)
        return false;
    if (at > 0)
        return true;
    return frame + (uint64_t)(int64_t)walker->heap.layout.frame_function >= walker->memory.start;
}

/* ---- machine code that V8 made ---- */

static enum frame_tier tier_of(enum v8_code_kind kind) {
    switch (kind) {
    case V8_CODE_INTERPRETER:
        return FRAME_INTERPRETED;
    case V8_CODE_BASELINE:
        return FRAME_BASELINE;
    case V8_CODE_MAGLEV:
        return FRAME_MAGLEV;
    case V8_CODE_TURBOFAN:
        return FRAME_OPTIMISED;
    default:
        return FRAME_NO_TIER;
    }
}

/* What was expanded into optimised code at the address, then the code's own function. */
static void give_optimised(struct stack_walk *walk, const struct v8_code *code, uint64_t address,
                           bool is_return, const struct v8_function *function) {
    struct v8_walker *walker = walk->walker;
    uint64_t shared[V8_INLINED_DEPTH_MOST];
    enum frame_tier tier = tier_of(code->kind);
    size_t count = v8_code_inlined(&walker->codes, code, address - is_return, shared);
    for (size_t i = 0; i < count; i++) {
        const struct v8_function *inlined =
            shared[i] ? v8_function_of_shared(&walker->functions, shared[i]) : NULL;
        if (inlined)
            give(walk, (struct v8_frame){.kind = V8_FRAME_FUNCTION,
                                         .address = address,
                                         .function = inlined,
                                         .tier = tier,
                                         .inlined = true});
    }
    give_function(walk, function, address, tier);
}

/* A frame without function: true = it was given. */
static bool give_typed(struct stack_walk *walk, const struct frame_words *words,
                       const struct v8_code *code, uint64_t address) {
    const struct v8_constants *constants = walk->walker->constants;
    uint64_t type;
    if (code && code->kind == V8_CODE_REGEXP) {
        give_address(walk, V8_FRAME_REGEXP, address);
        return true;
    }
    if (!words->is_there || !is_typed(&walk->walker->heap, words, &type))
        return false;
    enum v8_frame_kind kind = constants->frames_regexp >> type & 1 ? V8_FRAME_REGEXP
                              : constants->frames_wasm >> type & 1 ? V8_FRAME_WASM
                                                                   : V8_FRAME_STUB;
    give_address(walk, kind, address);
    return true;
}

/* A frame without words of its own: of the innermost, the function is in its register still; one
 * further out is not known. */
static void give_unbuilt(struct stack_walk *walk, size_t at, enum v8_code_kind kind) {
    const struct v8_function *function = NULL;
    struct v8_walker *walker = walk->walker;
    if (kind == V8_CODE_REGEXP) {
        give_address(walk, V8_FRAME_REGEXP, walk->stack->addresses[at]);
        return;
    }
    if (at == 0)
        function = function_of(
            walk, register_value(walk, bit_of_register(walker->heap.layout.function_register)));
    else
        walker->not_read++;
    give_function(walk, function, walk->stack->addresses[at], tier_of(kind));
}

static void take_compiled(struct stack_walk *walk, size_t at) {
    struct v8_walker *walker = walk->walker;
    uint64_t address = walk->stack->addresses[at];
    bool is_return = at > 0;
    const struct v8_code *code = v8_code_find(&walker->codes, address - is_return);
    enum v8_code_kind kind = code ? code->kind : V8_CODE_OTHER;
    if (code && code->shared) {
        const struct v8_function *owner = v8_function_of_shared(&walker->functions, code->shared);
        if (owner) {
            give_optimised(walk, code, address, is_return, owner);
            return;
        }
    }
    if (!is_built(walk, at)) {
        give_unbuilt(walk, at, kind);
        return;
    }
    struct frame_words words = read_frame(walk, walk->stack->frames[at]);
    if (give_typed(walk, &words, code, address))
        return;
    walker->not_read += !words.is_there;
    bool has_bytecode = kind == V8_CODE_BASELINE || kind == V8_CODE_INTERPRETER;
    const struct v8_function *function = !words.is_there ? NULL
                                         : has_bytecode  ? function_of_frame(walk, &words)
                                                         : function_of(walk, words.function);
    give_function(walk, function, address, tier_of(kind));
}

/* ---- builtins ---- */

/* Whether a word is one of the interpreter's or Baseline's frames: they hold the bytecode. */
static bool has_bytecode(struct stack_walk *walk, uint64_t frame) {
    struct v8_heap *heap = &walk->walker->heap;
    uint64_t word;
    return stack_memory_read(&walk->walker->memory,
                             frame + (uint64_t)(int64_t)heap->layout.frame_bytecode, &word) &&
           v8_object_is(heap, &word, heap->layout.type_bytecode);
}

/* The tier of a function whose frame a builtin runs in: of the code that called it, which the top
 * of the stack returns to. */
static enum frame_tier tier_of_caller(struct stack_walk *walk, size_t at) {
    struct v8_walker *walker = walk->walker;
    uint64_t address;
    if (at > 0 || !stack_memory_read(&walker->memory, walker->memory.start, &address))
        return FRAME_NO_TIER;
    enum v8_place place = place_of(walker, address, true);
    if (place == V8_PLACE_INTERPRETER)
        return FRAME_INTERPRETED;
    const struct v8_code *code =
        place == V8_PLACE_COMPILED ? v8_code_find(&walker->codes, address - 1) : NULL;
    return code ? tier_of(code->kind) : FRAME_NO_TIER;
}

static void take_builtin(struct stack_walk *walk, size_t at, enum v8_place place) {
    struct v8_walker *walker = walk->walker;
    uint64_t address = walk->stack->addresses[at], type;
    uint64_t frame = walk->stack->frames[at];
    struct frame_words words = {0};
    if (is_built(walk, at))
        words = read_frame(walk, frame);
    if (!words.is_there || is_typed(&walker->heap, &words, &type) ||
        !v8_is_object(&walker->heap, words.function)) {
        /* The frame of a handler stands in front of that of its function. */
        if (place != V8_PLACE_INTERPRETER || !words.is_there || at + 1 >= walk->stack->count)
            give_address(walk, V8_FRAME_ADDRESS, address);
        return;
    }
    if (place == V8_PLACE_INTERPRETER || place == V8_PLACE_BASELINE) {
        give_function(walk, function_of_frame(walk, &words), address,
                      place == V8_PLACE_INTERPRETER ? FRAME_INTERPRETED : FRAME_BASELINE);
        return;
    }
    const struct v8_function *function = function_of(walk, words.function);
    bool is_interpreted =
        place == V8_PLACE_UNKNOWN && function && function->has_script && has_bytecode(walk, frame);
    if (is_interpreted) {
        give_function(walk, function, address, FRAME_INTERPRETED);
        return;
    }
    give_address(walk, V8_FRAME_ADDRESS, address);
    if (function && function->has_script && place == V8_PLACE_BUILTIN && at == 0)
        give_function(walk, function, address, tier_of_caller(walk, at));
}

void v8_stack_walk(struct v8_walker *walker, const struct v8_stack *stack, v8_take_frame *take,
                   void *context) {
    struct stack_walk walk = {walker, stack, take, context};
    uint64_t start = register_value(&walk, walker->architecture->stack_pointer);
    stack_memory_begin(&walker->memory, start, stack->copy, walker->process_id);
    for (size_t at = 0; at < stack->count; at++) {
        uint64_t address = stack->addresses[at];
        enum v8_place place = place_of(walker, address, at > 0);
        if (place == V8_PLACE_COMPILED)
            take_compiled(&walk, at);
        else if (place == V8_PLACE_NATIVE || place == V8_PLACE_NOWHERE)
            give_address(&walk, V8_FRAME_ADDRESS, address);
        else
            take_builtin(&walk, at, place);
    }
}
