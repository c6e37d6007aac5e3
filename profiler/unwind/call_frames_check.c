// SPDX-License-Identifier: MIT
#include "profiler/unwind/call_frames_check.h"

#include <string.h>

#include "fold/base/text.h"

/* Bytes under inspection; `bad` once they have ended too early or hold what does not pass. */
struct inspection {
    struct text rest;
    bool bad;
    const struct call_frames_machine *machine;
};

/* The number of the next `size` bytes, at most 8. */
static uint64_t take(struct inspection *at, size_t size) {
    uint64_t number = 0;
    if (size > at->rest.size) {
        at->bad = true;
        at->rest.size = 0;
        return 0;
    }
    memcpy(&number, at->rest.data, size);
    at->rest = text_skip(at->rest, size);
    return number;
}

/* A number of 7 bits a byte; the sign of signed ones is of no interest. */
static uint64_t take_leb(struct inspection *at) {
    enum { BITS = 64, GROUP = 7, MORE = 0x80 };
    uint64_t number = 0;
    for (unsigned shift = 0; shift < BITS; shift += GROUP) {
        uint64_t byte = take(at, 1);
        number |= (byte & (MORE - 1)) << shift;
        if (!(byte & MORE))
            return number;
    }
    at->bad = true;
    return 0;
}

static struct inspection take_part(struct inspection *at, uint64_t size) {
    struct inspection part = {.machine = at->machine, .bad = size > at->rest.size};
    at->bad |= part.bad;
    if (at->bad)
        return part;
    part.rest = (struct text){at->rest.data, (size_t)size};
    at->rest = text_skip(at->rest, (size_t)size);
    return part;
}

/* Bytes of a pointer in one of the forms of exception tables; 0: a form that does not pass. */
static size_t pointer_size(uint64_t form) {
    enum { FORM = 0x0f, ALIGNED = 0x50, HOW = 0x70, SIGNED = 0x08 };
    if ((form & HOW) == ALIGNED)
        return 0;
    switch (form & FORM & ~(uint64_t)SIGNED) {
    case 0x00:
    case 0x04:
        return 8;
    case 0x02:
        return 2;
    case 0x03:
        return 4;
    default:
        return 0;
    }
}

/* ---- expressions ---- */

enum operation {
    OP_ADDRESS = 0x03,
    OP_DEREFERENCE = 0x06,
    OP_CONSTANT_1 = 0x08, /* with and without sign in turn: 1, 2, 4, 8 bytes */
    OP_CONSTANT_8 = 0x0f,
    OP_CONSTANT = 0x10,
    OP_SIGNED_CONSTANT = 0x11,
    OP_PICK = 0x15,
    OP_ABSOLUTE = 0x19,
    OP_DIVIDE = 0x1b,
    OP_ADD_CONSTANT = 0x23,
    OP_BRANCH = 0x28,
    OP_NOT_EQUAL = 0x2e,
    OP_SKIP = 0x2f,
    OP_LITERAL = 0x30,
    OP_REGISTER = 0x50,
    OP_BASE_REGISTER = 0x70,
    OP_ANY_REGISTER = 0x90,
    OP_ANY_BASE_REGISTER = 0x92,
    OP_DEREFERENCE_SIZE = 0x94,
    OP_NOTHING = 0x96,
    REGISTERS_IN_OP = 32,
};

/* An operation and its operands. */
static void inspect_operation(struct inspection *at, uint64_t operation) {
    uint64_t registers = at->machine->register_count;
    if (operation == OP_ADDRESS) {
        (void)take(at, sizeof(uint64_t));
    } else if (operation >= OP_CONSTANT_1 && operation <= OP_CONSTANT_8) {
        (void)take(at, (size_t)1 << (operation - OP_CONSTANT_1) / 2);
    } else if (operation == OP_CONSTANT || operation == OP_SIGNED_CONSTANT ||
               operation == OP_ADD_CONSTANT) {
        (void)take_leb(at);
    } else if (operation == OP_PICK || operation == OP_DEREFERENCE_SIZE) {
        (void)take(at, 1);
    } else if (operation >= OP_BASE_REGISTER && operation < OP_BASE_REGISTER + REGISTERS_IN_OP) {
        at->bad |= operation - OP_BASE_REGISTER >= registers;
        (void)take_leb(at);
    } else if (operation >= OP_REGISTER && operation < OP_REGISTER + REGISTERS_IN_OP) {
        at->bad |= operation - OP_REGISTER >= registers;
    } else if (operation == OP_ANY_REGISTER || operation == OP_ANY_BASE_REGISTER) {
        at->bad |= take_leb(at) >= registers;
        if (operation == OP_ANY_BASE_REGISTER)
            (void)take_leb(at);
    } else {
        /* Without operands: moves on the stack of numbers, arithmetic, comparisons, literals. */
        bool plain = operation == OP_DEREFERENCE || operation == OP_NOTHING ||
                     (operation > OP_SIGNED_CONSTANT && operation < OP_PICK) ||
                     operation == OP_PICK + 1 || operation == OP_PICK + 2 ||
                     (operation >= OP_ABSOLUTE && operation <= OP_NOT_EQUAL) ||
                     (operation >= OP_LITERAL && operation < OP_REGISTER);
        at->bad |= !plain || operation == OP_DIVIDE || operation == OP_BRANCH;
    }
}

static void inspect_expression(struct inspection *at) {
    struct inspection expression = take_part(at, take_leb(at));
    while (expression.rest.size > 0 && !expression.bad)
        inspect_operation(&expression, take(&expression, 1));
    at->bad |= expression.bad;
}

/* ---- instructions ---- */

enum instruction {
    SHORT_ADVANCE = 0x40,
    SHORT_OFFSET = 0x80,
    SHORT_RESTORE = 0xc0,
    SHORT = 0xc0, /* bits of these three; the others are an operand */
    ADVANCE_1 = 0x02,
    ADVANCE_2 = 0x03,
    ADVANCE_4 = 0x04,
    OFFSET = 0x05,
    RESTORE = 0x06,
    UNDEFINED = 0x07,
    SAME_VALUE = 0x08,
    IN_REGISTER = 0x09,
    REMEMBER = 0x0a,
    RESTORE_REMEMBERED = 0x0b,
    DEFINE_FRAME = 0x0c,
    DEFINE_FRAME_REGISTER = 0x0d,
    DEFINE_FRAME_OFFSET = 0x0e,
    DEFINE_FRAME_EXPRESSION = 0x0f,
    EXPRESSION = 0x10,
    SIGNED_OFFSET = 0x11,
    DEFINE_FRAME_SIGNED = 0x12,
    DEFINE_FRAME_SIGNED_OFFSET = 0x13,
    VALUE_EXPRESSION = 0x16,
    SIGN_OF_ADDRESS = 0x2d, /* of arm64 */
    ARGUMENTS_SIZE = 0x2e,
    NEGATIVE_OFFSET = 0x2f,
};

/* A register that the address of a frame is counted from. */
static void inspect_base(struct inspection *at) {
    at->bad |= take_leb(at) >= at->machine->register_count;
}

/* An instruction and its operands. *defined: the frame's address has been defined, which has to be
 * so before there is a row of rules, or a state to come back to. */
static void inspect_instruction(struct inspection *at, bool *defined) {
    uint64_t instruction = take(at, 1);
    switch (instruction & SHORT) {
    case SHORT_OFFSET:
        (void)take_leb(at);
        return;
    case SHORT_ADVANCE:
        at->bad |= !*defined;
        return;
    case SHORT_RESTORE:
        return;
    default:
        break;
    }
    switch (instruction) {
    case 0:
    case RESTORE_REMEMBERED:
    case SIGN_OF_ADDRESS:
        break;
    case REMEMBER:
        at->bad |= !*defined;
        break;
    case ADVANCE_1:
    case ADVANCE_2:
    case ADVANCE_4:
        at->bad |= !*defined;
        (void)take(at, (size_t)1 << (instruction - ADVANCE_1));
        break;
    case DEFINE_FRAME:
    case DEFINE_FRAME_SIGNED:
        inspect_base(at);
        (void)take_leb(at);
        *defined = true;
        break;
    case DEFINE_FRAME_REGISTER:
        inspect_base(at);
        break;
    case RESTORE:
    case UNDEFINED:
    case SAME_VALUE:
    case DEFINE_FRAME_OFFSET:
    case DEFINE_FRAME_SIGNED_OFFSET:
    case ARGUMENTS_SIZE:
        (void)take_leb(at);
        break;
    case IN_REGISTER:
        (void)take_leb(at);
        inspect_base(at);
        break;
    case OFFSET:
    case SIGNED_OFFSET:
    case NEGATIVE_OFFSET:
        (void)take_leb(at);
        (void)take_leb(at);
        break;
    case DEFINE_FRAME_EXPRESSION:
        inspect_expression(at);
        *defined = true;
        break;
    case EXPRESSION:
    case VALUE_EXPRESSION:
        (void)take_leb(at);
        inspect_expression(at);
        break;
    default:
        at->bad = true;
    }
}

static void inspect_program(struct inspection *at, bool *defined) {
    while (at->rest.size > 0 && !at->bad)
        inspect_instruction(at, defined);
}

/* ---- entries ---- */

/* The bytes behind the length of an entry. */
static struct inspection entry_at(const struct elf_file *elf, uint64_t address,
                                  const struct call_frames_machine *machine) {
    enum { LENGTH = 4 };
    struct inspection at = {.machine = machine,
                            .rest = elf_file_loaded(elf, address, LENGTH + CALL_FRAMES_SIZE_MOST)};
    uint64_t length = take(&at, LENGTH);
    at.bad |= length == 0 || length > CALL_FRAMES_SIZE_MOST;
    return take_part(&at, length);
}

/* What a common entry says of those that refer to it. */
struct common {
    bool is_augmented;
    size_t pointer_size;
    bool defined;
};

static void inspect_augmentation(struct inspection *at, struct text names, struct common *common) {
    for (; names.size > 0 && !at->bad; names = text_skip(names, 1)) {
        size_t size = 0;
        switch (names.data[0]) {
        case 'R':
            common->pointer_size = pointer_size(take(at, 1));
            break;
        case 'P':
            size = pointer_size(take(at, 1));
            at->bad |= size == 0;
            (void)take(at, size);
            break;
        case 'L':
            (void)take(at, 1);
            break;
        case 'S':
        case 'B':
            break;
        default:
            at->bad = true;
        }
    }
}

static bool inspect_common(struct inspection at, struct common *common) {
    enum { ID = 4, VERSION_1 = 1, VERSION_3 = 3 };
    *common = (struct common){.pointer_size = sizeof(uint64_t)};
    at.bad |= take(&at, ID) != 0;
    uint64_t version = take(&at, 1);
    at.bad |= version != VERSION_1 && version != VERSION_3;
    const char *end = at.rest.size ? memchr(at.rest.data, '\0', at.rest.size) : NULL;
    if (at.bad || !end)
        return false;
    struct text names = {at.rest.data, (size_t)(end - at.rest.data)};
    at.rest = text_skip(at.rest, names.size + 1);
    (void)take_leb(&at);
    (void)take_leb(&at);
    uint64_t column = version == VERSION_1 ? take(&at, 1) : take_leb(&at);
    at.bad |= column != at.machine->return_column;
    common->is_augmented = text_starts_with(names, TEXT("z"));
    if (common->is_augmented) {
        struct inspection part = take_part(&at, take_leb(&at));
        inspect_augmentation(&part, text_skip(names, 1), common);
        at.bad |= part.bad;
    } else {
        at.bad |= names.size > 0;
    }
    at.bad |= common->pointer_size == 0;
    inspect_program(&at, &common->defined);
    return !at.bad;
}

bool call_frames_are_sound(const struct elf_file *elf, uint64_t address,
                           const struct call_frames_machine *machine) {
    enum { LENGTH = 4, DISTANCE = 4 };
    struct inspection at = entry_at(elf, address, machine);
    uint64_t distance = take(&at, DISTANCE);
    struct common common;
    if (at.bad || distance == 0 ||
        !inspect_common(entry_at(elf, address + LENGTH - distance, machine), &common))
        return false;
    (void)take(&at, common.pointer_size);
    (void)take(&at, common.pointer_size);
    if (common.is_augmented)
        (void)take_part(&at, take_leb(&at));
    inspect_program(&at, &common.defined);
    return !at.bad && common.defined;
}
