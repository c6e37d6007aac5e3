// SPDX-License-Identifier: MIT
#include "profiler/command/record_scripts.h"

#include <stdlib.h>
#include <string.h>

#include "fold/base/memory.h"
#include "profiler/v8/v8_names.h"

/* Locations of one function: by tier, and whether it was expanded into another. */
enum { LOCATIONS_OF_FUNCTION = 2 * FRAME_TIER_COUNT };

enum { ATTEMPTS_MOST = 20 };

struct process_scripts {
    uint64_t process_id;
    struct v8_names *names; /* NULL: they cannot be read, or not yet */
    uint32_t generation;    /* of the mappings that were there at the last attempt */
    unsigned attempts;
    bool is_told;             /* that they cannot be read */
    code_location *locations; /* by function and how it was compiled; 0 = not asked for yet */
    size_t location_capacity;
};

/* Frames without a function of their own. */
enum unnamed_kind { UNNAMED_REGEXP, UNNAMED_WASM, UNNAMED_STUB, UNNAMED_KINDS };

struct record_scripts {
    struct profile *profile;
    struct native_names *names;
    bool compare;
    struct process_scripts processes[RECORD_SCRIPTS_MOST];
    size_t process_count;
    code_location unnamed[UNNAMED_KINDS];
    struct process_scripts *process; /* of the stack under way */
    struct perf_rows *rows;
    const struct user_stack *stack;
};

struct record_scripts *record_scripts_new(struct profile *profile, struct native_names *names,
                                          bool compare) {
    struct record_scripts *scripts = memory_allocate_zero(1, sizeof *scripts);
    scripts->profile = profile;
    scripts->names = names;
    scripts->compare = compare;
    return scripts;
}

static void close_process(struct process_scripts *process) {
    v8_names_close(process->names);
    free(process->locations);
    *process = (struct process_scripts){0};
}

void record_scripts_free(struct record_scripts *scripts) {
    if (!scripts)
        return;
    for (size_t i = 0; i < scripts->process_count; i++)
        close_process(&scripts->processes[i]);
    free(scripts);
}

/* ---- processes ---- */

static struct process_scripts *find_process(struct record_scripts *scripts, uint64_t process_id) {
    for (size_t i = 0; i < scripts->process_count; i++) {
        if (scripts->processes[i].process_id == process_id)
            return &scripts->processes[i];
    }
    return NULL;
}

static struct process_scripts *add_process(struct record_scripts *scripts, uint64_t process_id) {
    if (scripts->process_count == RECORD_SCRIPTS_MOST)
        return NULL;
    struct process_scripts *process = &scripts->processes[scripts->process_count++];
    *process = (struct process_scripts){.process_id = process_id};
    return process;
}

/* Whether the stack goes through machine code that was made while the process ran. */
static bool has_compiled(const struct record_scripts *scripts, uint64_t process_id,
                         const struct user_stack *stack) {
    for (size_t i = 0; i < stack->count; i++) {
        uint64_t address = stack->addresses[i] - (i > 0);
        if (native_names_code(scripts->names, process_id, address).kind == LOCATION_COMPILED)
            return true;
    }
    return false;
}

/* Opens the names of a process whose mappings have changed: while a program starts, its libraries
 * come one by one. */
static void try_to_open(struct record_scripts *scripts, struct process_scripts *process,
                        const struct user_stack *stack) {
    struct error error = {0};
    uint32_t generation = native_names_generation(scripts->names, process->process_id);
    if (process->attempts < ATTEMPTS_MOST && process->generation != generation) {
        process->attempts++;
        process->generation = generation;
        process->names = v8_names_open(scripts->names, process->process_id, &error);
    }
    if (process->names || process->is_told || !error.text[0] ||
        !has_compiled(scripts, process->process_id, stack))
        return;
    process->is_told = true;
    warnings_add(&scripts->profile->warnings, "script-names", 0,
                 "the names of JavaScript functions cannot be read: %s", error.text);
}

void record_scripts_forget(struct record_scripts *scripts, uint64_t process_id) {
    struct process_scripts *process = find_process(scripts, process_id);
    if (!process)
        return;
    close_process(process);
    *process = scripts->processes[--scripts->process_count];
}

/* ---- frames ---- */

static struct frame frame_of(struct record_scripts *scripts, const struct v8_frame *frame) {
    const struct v8_function *function = frame->function;
    return (struct frame){
        .name = profile_intern(scripts->profile, function->name),
        .file = profile_intern(scripts->profile, function->file),
        .line = function->line,
        .column = function->column,
        .kind = function->has_script ? FRAME_JAVASCRIPT : FRAME_BUILTIN,
        .tier = (uint8_t)frame->tier,
        .inlined = frame->inlined,
    };
}

static code_location locate_function(struct record_scripts *scripts, const struct v8_frame *frame) {
    struct process_scripts *process = scripts->process;
    size_t row = (size_t)frame->function->number * LOCATIONS_OF_FUNCTION + (size_t)frame->tier * 2 +
                 frame->inlined;
    size_t before = process->location_capacity;
    MEMORY_RESERVE(process->locations, process->location_capacity, row + 1);
    memset(process->locations + before, 0,
           (process->location_capacity - before) * sizeof *process->locations);
    if (process->locations[row] == 0) {
        struct frame made = frame_of(scripts, frame);
        process->locations[row] =
            native_names_give(scripts->names, profile_frame(scripts->profile, &made));
    }
    return process->locations[row];
}

/* What the perf map says of an address of compiled code; NULL: nothing. */
static const struct frame *frame_of_map(struct record_scripts *scripts, uint64_t address,
                                        bool is_return) {
    code_location location = native_names_locate(scripts->names, scripts->process->process_id,
                                                 address, false, is_return);
    if (native_names_kind(scripts->names, location) != LOCATION_COMPILED)
        return NULL;
    const struct frame *frame =
        frame_table_get(&scripts->profile->frames, native_names_frame(scripts->names, location));
    return frame->line || frame->file.index ? frame : NULL;
}

static void compare(struct record_scripts *scripts, const struct v8_frame *frame, bool is_return) {
    const struct frame *theirs = frame_of_map(scripts, frame->address, is_return);
    if (!theirs || theirs->kind != FRAME_JAVASCRIPT || !frame->function->has_script)
        return;
    struct frame ours = frame_of(scripts, frame);
    scripts->profile->sampling.names_compared++;
    scripts->profile->sampling.names_different += ours.name.index != theirs->name.index ||
                                                  ours.file.index != theirs->file.index ||
                                                  ours.line != theirs->line;
}

static code_location locate_unnamed(struct record_scripts *scripts, enum unnamed_kind kind) {
    static const struct {
        const char *name;
        enum frame_kind kind;
    } frames[UNNAMED_KINDS] = {
        [UNNAMED_REGEXP] = {"(compiled)", FRAME_REGEXP},
        [UNNAMED_WASM] = {"[wasm]", FRAME_WASM},
        [UNNAMED_STUB] = {"[v8 stub]", FRAME_BUILTIN},
    };
    if (scripts->unnamed[kind] == 0) {
        struct frame frame = {.name = profile_intern(scripts->profile, text_of(frames[kind].name)),
                              .kind = (uint8_t)frames[kind].kind};
        scripts->unnamed[kind] =
            native_names_give(scripts->names, profile_frame(scripts->profile, &frame));
    }
    return scripts->unnamed[kind];
}

/* Whether a perf map has a line for the address. */
static bool is_in_map(struct record_scripts *scripts, uint64_t address, bool is_return) {
    code_location location = native_names_locate(scripts->names, scripts->process->process_id,
                                                 address, false, is_return);
    return scripts->compare && native_names_is_mapped(scripts->names, location);
}

static void take_frame(void *context, const struct v8_frame *frame) {
    struct record_scripts *scripts = context;
    bool is_return = frame->address != scripts->stack->addresses[0];
    uint64_t number = frame->address;
    switch (frame->kind) {
    case V8_FRAME_FUNCTION:
        if (scripts->compare && !frame->inlined)
            compare(scripts, frame, is_return);
        number = perf_rows_given(locate_function(scripts, frame));
        break;
    case V8_FRAME_REGEXP:
    case V8_FRAME_WASM:
    case V8_FRAME_STUB:
        if (!is_in_map(scripts, frame->address, is_return))
            number = perf_rows_given(locate_unnamed(
                scripts, (enum unnamed_kind)(frame->kind - V8_FRAME_REGEXP + UNNAMED_REGEXP)));
        break;
    case V8_FRAME_ADDRESS:
    case V8_FRAME_UNNAMED:
        break;
    }
    perf_rows_push(scripts->rows, number);
}

void record_scripts_push(void *context, const struct perf_record *record,
                         const struct user_stack *stack, struct perf_rows *rows) {
    struct record_scripts *scripts = context;
    struct process_scripts *process = find_process(scripts, record->process_id);
    if (!process)
        process = add_process(scripts, record->process_id);
    if (process && !process->names)
        try_to_open(scripts, process, stack);
    if (!process || !process->names || !stack->registers.known) {
        for (size_t i = 0; i < stack->count; i++)
            perf_rows_push(rows, stack->addresses[i]);
        return;
    }
    scripts->process = process;
    scripts->rows = rows;
    scripts->stack = stack;
    struct v8_stack v8_stack = {
        .addresses = stack->addresses,
        .frames = stack->frames,
        .count = stack->count,
        .registers = stack->registers,
        .copy = record->stack,
        .taken = record->time,
    };
    v8_names_walk(process->names, &v8_stack, take_frame, scripts);
}

/* ---- the end ---- */

static void tell(struct record_scripts *scripts, const struct v8_names_facts *facts) {
    struct profile *profile = scripts->profile;
    if (facts->node.size > 0) {
        struct buffer version = {0};
        buffer_append_format(&version, "v%.*s", (int)facts->node.size, facts->node.data);
        profile->node = profile_intern(profile, buffer_text(&version));
        buffer_free(&version);
    }
    if (facts->v8.size > 0)
        profile->v8 = profile_intern(profile, facts->v8);
    if (facts->state == V8_NAMES_FAILED)
        warnings_add(&profile->warnings, "script-names", 0,
                     "the names of JavaScript functions could not be read: V8 %.*s keeps its "
                     "objects in another way than is known here; start node with "
                     "--perf-basic-prof to have names all the same",
                     (int)facts->v8.size, facts->v8.data);
    else if (!facts->version_is_known)
        warnings_add(&profile->warnings, "v8-version", 0,
                     "V8 %.*s is newer than the versions that were tested; the first frames looked "
                     "right",
                     (int)facts->v8.size, facts->v8.data);
}

void record_scripts_finish(struct record_scripts *scripts) {
    bool any = scripts->process_count == 0;
    for (size_t i = 0; i < scripts->process_count; i++) {
        if (!scripts->processes[i].names)
            continue;
        struct v8_names_facts facts = v8_names_facts(scripts->processes[i].names);
        any |= facts.state != V8_NAMES_FAILED;
        tell(scripts, &facts);
    }
    if (!any)
        scripts->profile->sampling.names = scripts->compare ? "map" : "none";
}
