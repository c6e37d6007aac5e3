// SPDX-License-Identifier: MIT
#include "profiler/unwind/unwinder.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "fold/base/memory.h"
#include "profiler/unwind/architecture.h"

/* Sizes, as powers of two, of what is remembered of addresses. */
enum { PLACE_BITS = 14, RULE_BITS = 16 };

/* Files with call frame information at most: each costs some 300 KiB. */
enum { TABLES_MOST = 1024 };

/* How a frame is left. */
enum rule {
    RULE_NOT_KNOWN,
    RULE_FRAME_POINTER, /* as the call frame information says too */
    RULE_CALL_FRAMES,
    RULE_END,          /* it has no caller, as the call frame information says */
    RULE_NOTHING_SAID, /* by the frame pointer if it can be right */
};

/* Where an address of a process lies. */
struct place {
    uint64_t address;
    uint32_t generation; /* of the process; 0 = empty */
    uint32_t file;       /* LOCATION_FILE */
    uint64_t inside;     /* LOCATION_FILE: the file's own address */
    uint8_t kind;        /* enum location_kind */
};

struct known_rule {
    uint64_t inside;
    uint32_t file; /* 0 = empty */
    uint8_t rule;
};

/* What is known of a file, by its number - 1. */
struct file {
    bool is_asked;
    const struct elf_file *elf;
    struct call_frames *frames;
};

struct unwinder {
    struct unwinder_options options;
    const struct architecture *architecture;
    struct place *places;
    struct known_rule *rules;
    struct file *files;
    size_t file_count, file_capacity, table_count;
    struct stack_memory memory; /* of the sample under way */
};

/* A walk under way. */
struct walk {
    struct unwinder *unwinder;
    const struct unwind_sample *sample;
    uint32_t generation;
    struct unwind_registers registers; /* of the frame that is to be left */
    bool is_return;                    /* its instruction is a return address */
    uint64_t *addresses, *frames;      /* `frames` may be NULL */
    size_t count, limit;
    size_t known_from; /* what the kernel found before is used */
    bool lost;         /* the stack goes on where it cannot be read, or has changed since */
    bool differs;      /* the frame pointer would have led elsewhere */
    bool repaired;
};

enum step {
    STEP_CALLER, /* the registers are those of the caller */
    STEP_END,    /* there is none */
    STEP_FAILED,
};

bool unwinder_is_for(uint32_t elf_machine) {
    return elf_machine != EM_NONE && elf_machine == call_frames_machine();
}

struct unwinder *unwinder_open(const struct unwinder_options *options) {
    const struct architecture *architecture = architecture_of_machine(call_frames_machine());
    if (!architecture)
        return NULL;
    struct unwinder *unwinder = memory_allocate_zero(1, sizeof *unwinder);
    unwinder->options = *options;
    unwinder->architecture = architecture;
    unwinder->places = memory_allocate_zero((size_t)1 << PLACE_BITS, sizeof *unwinder->places);
    unwinder->rules = memory_allocate_zero((size_t)1 << RULE_BITS, sizeof *unwinder->rules);
    return unwinder;
}

void unwinder_close(struct unwinder *unwinder) {
    if (!unwinder)
        return;
    for (size_t i = 0; i < unwinder->file_count; i++)
        call_frames_close(unwinder->files[i].frames);
    free(unwinder->files);
    free(unwinder->places);
    free(unwinder->rules);
    free(unwinder);
}

/* ---- what is known of addresses ---- */

static struct file *get_file(struct unwinder *unwinder, uint32_t number) {
    if (number > unwinder->file_count) {
        MEMORY_RESERVE(unwinder->files, unwinder->file_capacity, number);
        memset(unwinder->files + unwinder->file_count, 0,
               (number - unwinder->file_count) * sizeof *unwinder->files);
        unwinder->file_count = number;
    }
    struct file *file = &unwinder->files[number - 1];
    if (file->is_asked)
        return file;
    file->is_asked = true;
    file->elf = native_names_elf(unwinder->options.names, number);
    if (file->elf && unwinder->table_count < TABLES_MOST)
        file->frames = call_frames_open(file->elf);
    unwinder->table_count += file->frames != NULL;
    return file;
}

static struct place find_place(struct unwinder *unwinder, uint64_t process_id, uint64_t address) {
    struct native_code code = native_names_code(unwinder->options.names, process_id, address);
    struct place place = {.address = address, .kind = (uint8_t)code.kind};
    if (code.kind != LOCATION_FILE)
        return place;
    const struct file *file = get_file(unwinder, code.file);
    if (file->elf && elf_file_address(file->elf, code.offset, &place.inside))
        place.file = code.file;
    return place;
}

static const struct place *get_place(struct walk *walk, uint64_t address) {
    struct unwinder *unwinder = walk->unwinder;
    uint64_t mixed = (address + ((uint64_t)walk->generation << 32)) * 0x9E3779B97F4A7C15u;
    struct place *place = &unwinder->places[mixed >> (64 - PLACE_BITS)];
    if (place->address == address && place->generation == walk->generation)
        return place;
    *place = find_place(unwinder, walk->sample->process_id, address);
    /* Only now: looking may begin a new generation. */
    walk->generation = native_names_generation(unwinder->options.names, walk->sample->process_id);
    place->generation = walk->generation;
    return place;
}

static struct known_rule *rule_place(struct unwinder *unwinder, const struct place *place) {
    uint64_t mixed = (place->inside + ((uint64_t)place->file << 40)) * 0x9E3779B97F4A7C15u;
    return &unwinder->rules[mixed >> (64 - RULE_BITS)];
}

static enum rule get_rule(struct unwinder *unwinder, const struct place *place) {
    if (place->file == 0 || !unwinder->files[place->file - 1].frames)
        return RULE_NOTHING_SAID;
    const struct known_rule *known = rule_place(unwinder, place);
    return known->inside == place->inside && known->file == place->file ? (enum rule)known->rule
                                                                        : RULE_NOT_KNOWN;
}

static void learn(struct unwinder *unwinder, const struct place *place, enum rule rule) {
    *rule_place(unwinder, place) =
        (struct known_rule){.inside = place->inside, .file = place->file, .rule = (uint8_t)rule};
}

static bool is_code(struct walk *walk, uint64_t address) {
    return architecture_is_code(walk->unwinder->architecture, address) &&
           get_place(walk, address)->kind != LOCATION_NOWHERE;
}

/* ---- registers ---- */

static uint64_t *register_of(struct walk *walk, int bit) {
    return &walk->registers.values[bit];
}

static uint64_t instruction(const struct walk *walk) {
    return walk->registers.values[walk->unwinder->architecture->instruction_pointer];
}

static uint64_t stack_pointer(const struct walk *walk) {
    return walk->registers.values[walk->unwinder->architecture->stack_pointer];
}

static bool has_register(const struct unwind_registers *registers, int bit) {
    return registers->known >> bit & 1;
}

/* The registers of a caller of which no more is known. */
static struct unwind_registers bare(const struct architecture *architecture, uint64_t instruction,
                                    uint64_t stack, uint64_t frame) {
    struct unwind_registers registers = {
        .known = (uint64_t)1 << architecture->instruction_pointer |
                 (uint64_t)1 << architecture->stack_pointer |
                 (uint64_t)1 << architecture->frame_pointer,
    };
    registers.values[architecture->instruction_pointer] = instruction;
    registers.values[architecture->stack_pointer] = stack;
    registers.values[architecture->frame_pointer] = frame;
    return registers;
}

/* Adds a frame to what was found. */
static void add_frame(struct walk *walk, uint64_t address, uint64_t frame) {
    if (walk->frames)
        walk->frames[walk->count] = frame;
    walk->addresses[walk->count++] = address;
}

/* Adds the frame whose registers are at hand. */
static void add_present_frame(struct walk *walk) {
    int bit = walk->unwinder->architecture->frame_pointer;
    add_frame(walk, instruction(walk),
              has_register(&walk->registers, bit) ? walk->registers.values[bit] : UNWIND_NO_FRAME);
}

/* ---- steps ---- */

/* The step by the frame pointer. `may_end`: that it holds nothing means that there is no caller.
 * Changes nothing but *caller. */
static enum step step_by_pointer(struct walk *walk, bool may_end, struct unwind_registers *caller) {
    const struct architecture *architecture = walk->unwinder->architecture;
    struct stack_memory *memory = &walk->unwinder->memory;
    uint64_t frame = walk->registers.values[architecture->frame_pointer];
    if (!has_register(&walk->registers, architecture->frame_pointer))
        return STEP_FAILED;
    /* What programs and threads begin with. */
    if (frame <= 1)
        return may_end ? STEP_END : STEP_FAILED;
    uint64_t address, outer;
    if (frame % architecture->frame_alignment != 0 || frame < stack_pointer(walk) ||
        frame > UINT64_MAX - STACK_REACH ||
        !stack_memory_read(memory, frame + architecture->return_address, &address) ||
        !stack_memory_read(memory, frame + architecture->saved_frame_pointer, &outer))
        return STEP_FAILED;
    address = architecture_strip(architecture, address, false);
    if (address == 0)
        return STEP_END;
    if (!is_code(walk, address - 1))
        return STEP_FAILED;
    *caller =
        bare(architecture, address, frame + architecture->return_address + sizeof address, outer);
    return STEP_CALLER;
}

static bool same_frame(const struct architecture *architecture, const struct unwind_registers *a,
                       const struct unwind_registers *b) {
    return a->values[architecture->instruction_pointer] ==
               b->values[architecture->instruction_pointer] &&
           a->values[architecture->stack_pointer] == b->values[architecture->stack_pointer] &&
           a->values[architecture->frame_pointer] == b->values[architecture->frame_pointer];
}

/* Whether the address of a caller is one that a call left: it stands right below its frame. The
 * frame of a signal's handler goes back to an instruction that made no call. */
static bool was_called(struct walk *walk, const struct unwind_registers *caller) {
    const struct architecture *architecture = walk->unwinder->architecture;
    if (architecture->link_register != NO_REGISTER)
        return true;
    uint64_t stack = caller->values[architecture->stack_pointer], address;
    return stack_memory_read(&walk->unwinder->memory, stack - sizeof address, &address) &&
           address == caller->values[architecture->instruction_pointer];
}

/* Copies the code around an address, from `before` bytes in front of it on. False: it is not to be
 * had. */
static bool read_code(struct walk *walk, uint64_t address, size_t before, unsigned char *code,
                      size_t size) {
    const struct place *place = get_place(walk, address);
    if (place->file) {
        const struct elf_file *elf = walk->unwinder->files[place->file - 1].elf;
        struct text bytes = elf_file_loaded(elf, place->inside - before, size);
        if (bytes.size < size)
            return false;
        memcpy(code, bytes.data, size);
        return true;
    }
    return place->kind == LOCATION_COMPILED && walk->unwinder->options.live &&
           stack_memory_read_process(walk->sample->process_id, address - before, code, size);
}

/* Whether the instruction in front of an address is a call, of x86-64: E8 with a distance, or FF /2
 * with all forms of operands. Where the code is not to be had, it may be. */
static bool follows_call(struct walk *walk, uint64_t address) {
    enum { CALL = 0xe8, CALL_INDIRECT = 0xff, MOST = 7 };
    unsigned char code[MOST];
    if (!is_code(walk, address - 1))
        return false;
    if (!read_code(walk, address, MOST, code, sizeof code))
        return true;
    if (code[MOST - 5] == CALL)
        return true;
    for (size_t length = 2; length <= MOST; length++) {
        if (code[MOST - length] == CALL_INDIRECT && (code[MOST - length + 1] >> 3 & 7) == 2)
            return true;
    }
    return false;
}

/* The stack pointer that a leaf was called with, found as the first word above that points to a
 * return address; 0 = none. */
static uint64_t find_saved_pointer(struct walk *walk) {
    enum { SEARCHED = 4096 };
    struct stack_memory *memory = &walk->unwinder->memory;
    for (uint64_t at = 0; at < SEARCHED; at += sizeof at) {
        uint64_t pointer, address;
        if (!stack_memory_is_copied(memory, memory->start + at) ||
            !stack_memory_read(memory, memory->start + at, &pointer))
            return 0;
        if (pointer % sizeof pointer == 0 && pointer > memory->start + at &&
            stack_memory_is_copied(memory, pointer) &&
            stack_memory_read(memory, pointer, &address) && follows_call(walk, address))
            return pointer;
    }
    return 0;
}

/* The step by call frame information for the registers, which become those of the caller. */
static enum call_frames_outcome ask_file(struct walk *walk, const struct place *place,
                                         struct unwind_registers *caller) {
    struct unwinder *unwinder = walk->unwinder;
    struct call_frames *frames = unwinder->files[place->file - 1].frames;
    struct stack_memory *memory = &unwinder->memory;
    memory->missed_below = false;
    enum call_frames_outcome outcome = call_frames_step(frames, place->inside, caller, memory);
    if (outcome != CALL_FRAMES_FAILED || !memory->missed_below || walk->count > 1 ||
        unwinder->architecture->elf_machine != EM_X86_64)
        return outcome;
    memory->below = find_saved_pointer(walk);
    if (memory->below)
        outcome = call_frames_step(frames, place->inside, caller, memory);
    memory->below = 0;
    return outcome;
}

/* The step by call frame information. */
static enum step step_by_file(struct walk *walk, const struct place *at) {
    struct unwinder *unwinder = walk->unwinder;
    const struct architecture *architecture = unwinder->architecture;
    struct place place = *at; /* its row may get another use */
    struct unwind_registers caller = walk->registers, simple;
    enum call_frames_outcome outcome = ask_file(walk, &place, &caller);
    if (outcome == CALL_FRAMES_END) {
        learn(unwinder, &place, RULE_END);
        return STEP_END;
    }
    if (outcome == CALL_FRAMES_NONE)
        learn(unwinder, &place, RULE_NOTHING_SAID);
    if (outcome != CALL_FRAMES_CALLER)
        return STEP_FAILED;
    uint64_t *address = &caller.values[architecture->instruction_pointer];
    *address = architecture_strip(architecture, *address, false);
    if (*address == 0)
        return STEP_END;
    bool is_return = was_called(walk, &caller);
    if (!has_register(&caller, architecture->stack_pointer) ||
        (is_return && caller.values[architecture->stack_pointer] < stack_pointer(walk)) ||
        !is_code(walk, *address - is_return))
        return STEP_FAILED;
    enum step pointer = step_by_pointer(walk, false, &simple);
    if (pointer == STEP_CALLER && same_frame(architecture, &simple, &caller)) {
        if (unwinder->options.mode == UNWIND_AUTO)
            learn(unwinder, &place, RULE_FRAME_POINTER);
        walk->repaired |= walk->differs;
    } else {
        learn(unwinder, &place, RULE_CALL_FRAMES);
        walk->differs = true;
        walk->repaired |= walk->count == 1;
    }
    walk->registers = caller;
    walk->is_return = is_return;
    return STEP_CALLER;
}

/*
 * The step from a leaf of V8 without frame. Its functions begin with `push %rbp; mov %rsp,%rbp` and
 * end with `ret`: at the first of these and the last, the return address is on top of the stack; at
 * the second, behind the frame pointer of the caller.
 */
static bool step_from_frameless(struct walk *walk) {
    enum { PUSH = 0x55, RETURN = 0xc3, RETURN_POPPING = 0xc2 };
    static const unsigned char move[] = {0x48, 0x89, 0xe5};
    const struct architecture *architecture = walk->unwinder->architecture;
    unsigned char code[1 + 1 + sizeof move]; /* from the byte before the instruction */
    if (architecture->elf_machine != EM_X86_64 ||
        !read_code(walk, instruction(walk), 1, code, sizeof code))
        return false;
    bool before = code[1] == PUSH && memcmp(code + 2, move, sizeof move) == 0;
    bool between = code[0] == PUSH && memcmp(code + 1, move, sizeof move) == 0;
    bool behind = code[1] == RETURN || code[1] == RETURN_POPPING;
    uint64_t stack = stack_pointer(walk) + (between ? sizeof stack : 0), address;
    if ((!before && !between && !behind) ||
        !stack_memory_read(&walk->unwinder->memory, stack, &address) || !is_code(walk, address - 1))
        return false;
    walk->registers = bare(architecture, address, stack + sizeof address,
                           *register_of(walk, architecture->frame_pointer));
    if (walk->frames)
        walk->frames[walk->count - 1] = UNWIND_NO_FRAME;
    walk->is_return = true;
    walk->repaired = true;
    return true;
}

/* ---- the kernel's chain ---- */

/* The index behind the address of the frame to be left in the kernel's chain; 0 = not there. */
static size_t behind_known(struct walk *walk) {
    const struct unwind_sample *sample = walk->sample;
    for (size_t i = walk->known_from; i < sample->known_count; i++) {
        if (architecture_strip(walk->unwinder->architecture, sample->known[i], false) ==
            instruction(walk)) {
            walk->known_from = i;
            return i + 1;
        }
    }
    return 0;
}

/* Goes on with the kernel's chain, when it knows more. */
static bool take_known(struct walk *walk) {
    const struct unwind_sample *sample = walk->sample;
    size_t from = behind_known(walk);
    if (from == 0 || from == sample->known_count)
        return false;
    for (size_t i = from; i < sample->known_count && walk->count < walk->limit; i++)
        add_frame(walk, architecture_strip(walk->unwinder->architecture, sample->known[i], false),
                  UNWIND_NO_FRAME);
    return true;
}

/* Whether the kernel saw another caller here than the process has now. */
static bool has_changed(struct walk *walk, uint64_t frame, uint64_t caller) {
    const struct architecture *architecture = walk->unwinder->architecture;
    if (walk->sample->known_count == 0 ||
        stack_memory_is_copied(&walk->unwinder->memory, frame + architecture->return_address))
        return false;
    size_t from = behind_known(walk);
    return from && from < walk->sample->known_count &&
           architecture_strip(architecture, walk->sample->known[from], false) != caller;
}

/* Whether a frame lies where the stack goes on above its copy. */
static bool is_beyond_copy(const struct stack_memory *memory, uint64_t frame) {
    uint64_t end = memory->start + memory->copy.size;
    return frame >= end - sizeof frame && frame - memory->start < STACK_REACH;
}

/* ---- the walk ---- */

static enum step step(struct walk *walk) {
    struct unwinder *unwinder = walk->unwinder;
    unwinder->memory.missed = false;
    const struct place *place = get_place(walk, instruction(walk) - walk->is_return);
    enum rule rule = get_rule(unwinder, place);
    if (rule == RULE_END)
        return STEP_END;
    if (rule == RULE_CALL_FRAMES || rule == RULE_NOT_KNOWN) {
        enum step result = step_by_file(walk, place);
        if (result != STEP_FAILED)
            return result;
        place = get_place(walk, instruction(walk) - walk->is_return);
        rule = get_rule(unwinder, place);
    }
    if (rule == RULE_NOTHING_SAID && !walk->is_return && step_from_frameless(walk))
        return STEP_CALLER;
    const struct architecture *architecture = unwinder->architecture;
    uint64_t frame = *register_of(walk, architecture->frame_pointer);
    struct unwind_registers caller;
    /* In a leaf that nothing is known of, the frame pointer may be a number like any other. */
    bool may_end = rule == RULE_FRAME_POINTER ||
                   (rule == RULE_NOTHING_SAID && (walk->count > 1 || place->kind != LOCATION_FILE));
    enum step result = step_by_pointer(walk, may_end, &caller);
    walk->lost = unwinder->memory.missed || is_beyond_copy(&unwinder->memory, frame);
    if (result != STEP_CALLER)
        return result;
    if (has_changed(walk, frame, caller.values[architecture->instruction_pointer])) {
        walk->lost = true;
        return STEP_FAILED;
    }
    walk->repaired |= walk->differs;
    walk->registers = caller;
    walk->is_return = true;
    return STEP_CALLER;
}

struct unwound unwinder_walk(struct unwinder *unwinder, const struct unwind_sample *sample,
                             uint64_t *addresses, uint64_t *frames, size_t limit) {
    struct walk walk = {
        .unwinder = unwinder,
        .sample = sample,
        .generation = native_names_generation(unwinder->options.names, sample->process_id),
        .registers = sample->registers,
        .addresses = addresses,
        .frames = frames,
        .limit = limit,
    };
    stack_memory_begin(&unwinder->memory, stack_pointer(&walk), sample->stack,
                       unwinder->options.live ? sample->process_id : 0);
    uint64_t *start = register_of(&walk, unwinder->architecture->instruction_pointer);
    *start = architecture_strip(unwinder->architecture, *start, false);
    add_present_frame(&walk);
    enum unwind_ending ending = UNWIND_COMPLETE;
    size_t copied = 0;
    for (;;) {
        enum step result = step(&walk);
        if (copied == 0 && unwinder->memory.page_count > 0)
            copied = walk.count;
        if (result == STEP_END)
            break;
        if (result == STEP_FAILED) {
            if (!walk.lost || !take_known(&walk))
                ending = UNWIND_CUT;
            else if (walk.count == limit || sample->known_is_limited)
                ending = UNWIND_TRUNCATED;
            break;
        }
        if (walk.count == limit) {
            ending = UNWIND_TRUNCATED;
            break;
        }
        add_present_frame(&walk);
    }
    return (struct unwound){.count = walk.count,
                            .copied = copied ? copied : walk.count,
                            .ending = ending,
                            .repaired = walk.repaired};
}
