// SPDX-License-Identifier: MIT
#include "profiler/unwind/call_frames.h"

#include <elf.h>
#include <libunwind.h>
#include <stdlib.h>
#include <string.h>

#include "fold/base/memory.h"

/* The search in a table in memory of any kind, which libunwind exports but declares in no header.
 * `table` says where it lies; `info` is filled. Negative: an error code. */
int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t space, unw_word_t address,
                                       unw_dyn_info_t *table, unw_proc_info_t *info, int need_all,
                                       void *context);

#if defined __x86_64__
enum { MACHINE = EM_X86_64, REGISTER_COUNT = 17 };
/* libunwind numbers registers as DWARF does; these are their bits in a sample's mask. */
static const uint8_t bits[REGISTER_COUNT] = {0,  3,  2,  1,  4,  5,  6,  7, 16,
                                             17, 18, 19, 20, 21, 22, 23, 8};
static const uint8_t preserved[] = {3, 6, 7, 12, 13, 14, 15, 16};
#elif defined __aarch64__
enum { MACHINE = EM_AARCH64, REGISTER_COUNT = 33 };
static const uint8_t bits[REGISTER_COUNT] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                             11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                             22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
static const uint8_t preserved[] = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
#else
#error "no registers are known for this architecture: build with -DWITH_UNWIND=OFF"
#endif

enum { PRESERVED_COUNT = sizeof preserved / sizeof *preserved };

/* Places in libunwind's cache of rules, as a power of two: a program has some hundred addresses
 * that are asked for again and again. */
enum { CACHE_SIZE = 512 };

struct call_frames {
    const struct elf_file *elf;
    unw_addr_space_t space;
    uint64_t table;  /* address of the table of functions, behind its header */
    uint64_t length; /* of it in bytes */

    /* Of the step under way. */
    uint64_t address;
    const struct unwind_registers *registers;
    struct stack_memory *memory;
    unsigned reads;
    bool nothing_said;
};

/* ---- what libunwind asks for ---- */

static int find_proc_info(unw_addr_space_t space, unw_word_t address, unw_proc_info_t *info,
                          int need_all, void *context) {
    struct call_frames *frames = context;
    unw_dyn_info_t table = {
        .start_ip = 0,
        .end_ip = UINT64_MAX,
        .format = UNW_INFO_FORMAT_REMOTE_TABLE,
        .u.rti = {.segbase = frames->elf->unwind_header.address,
                  .table_data = frames->table,
                  .table_len = frames->length / sizeof(unw_word_t)},
    };
    *info = (unw_proc_info_t){0};
    int result =
        UNW_OBJ(dwarf_search_unwind_table)(space, address, &table, info, need_all, context);
    frames->nothing_said = result == -UNW_ENOINFO;
    return result;
}

static void put_unwind_info(unw_addr_space_t space, unw_proc_info_t *info, void *context) {
    (void)space;
    (void)info;
    (void)context;
}

static int get_dynamic_list(unw_addr_space_t space, unw_word_t *list, void *context) {
    (void)space;
    (void)list;
    (void)context;
    return -UNW_ENOINFO;
}

static int access_memory(unw_addr_space_t space, unw_word_t address, unw_word_t *number, int write,
                         void *context) {
    (void)space;
    struct call_frames *frames = context;
    if (write || ++frames->reads > CALL_FRAMES_READS_MOST)
        return -UNW_EINVAL;
    if (!stack_memory_is_copied(frames->memory, address)) {
        /* The last word of a part may be incomplete: single bytes are read by the word. */
        struct text bytes = elf_file_loaded(frames->elf, address, sizeof *number);
        if (bytes.size > 0) {
            *number = 0;
            memcpy(number, bytes.data, bytes.size);
            return 0;
        }
    }
    return stack_memory_read(frames->memory, address, number) ? 0 : -UNW_EINVAL;
}

static int access_register(unw_addr_space_t space, unw_regnum_t number, unw_word_t *value,
                           int write, void *context) {
    (void)space;
    const struct call_frames *frames = context;
    if (write || number < 0 || number >= REGISTER_COUNT)
        return -UNW_EBADREG;
    if (number == UNW_REG_IP) {
        *value = frames->address;
        return 0;
    }
    if (!(frames->registers->known >> bits[number] & 1))
        return -UNW_EBADREG;
    *value = frames->registers->values[bits[number]];
    return 0;
}

static int access_float(unw_addr_space_t space, unw_regnum_t number, unw_fpreg_t *value, int write,
                        void *context) {
    (void)space;
    (void)number;
    (void)value;
    (void)write;
    (void)context;
    return -UNW_EBADREG;
}

static int resume(unw_addr_space_t space, unw_cursor_t *cursor, void *context) {
    (void)space;
    (void)cursor;
    (void)context;
    return -UNW_EINVAL;
}

static int get_name(unw_addr_space_t space, unw_word_t address, char *name, size_t size,
                    unw_word_t *offset, void *context) {
    (void)space;
    (void)address;
    (void)name;
    (void)size;
    (void)offset;
    (void)context;
    return -UNW_ENOINFO;
}

/* ---- opening ---- */

uint32_t call_frames_machine(void) {
    return MACHINE;
}

/* Finds the table of functions. The header is: version, how the address of .eh_frame, the number of
 * functions and the table are written, and then these three. */
static bool find_table(struct call_frames *frames) {
    enum { VERSION = 1, UNSIGNED_32 = 0x03, SIGNED_32_FROM_HEADER = 0x3b, HEADER = 12, ENTRY = 8 };
    const struct elf_segment *header = &frames->elf->unwind_header;
    struct text bytes = elf_file_loaded(frames->elf, header->address, HEADER);
    if (header->size < HEADER || bytes.size < HEADER)
        return false;
    const unsigned char *start = (const unsigned char *)bytes.data;
    enum { FORM_OF_ADDRESS = 1, FORM_OF_NUMBER = 2, FORM_OF_TABLE = 3 };
    unsigned address_size = start[FORM_OF_ADDRESS] & 0x0f;
    enum { SIGNED_32 = 0x0b };
    if (start[0] != VERSION || (address_size != SIGNED_32 && address_size != UNSIGNED_32) ||
        start[FORM_OF_NUMBER] != UNSIGNED_32 || start[FORM_OF_TABLE] != SIGNED_32_FROM_HEADER)
        return false;
    uint32_t count;
    memcpy(&count, start + 8, sizeof count);
    uint64_t room = (header->size - HEADER) / ENTRY;
    frames->table = header->address + HEADER;
    frames->length = (count < room ? count : room) * ENTRY;
    return frames->length > 0;
}

struct call_frames *call_frames_open(const struct elf_file *elf) {
    if (elf->machine != MACHINE)
        return NULL;
    struct call_frames *frames = memory_allocate_zero(1, sizeof *frames);
    frames->elf = elf;
    if (!find_table(frames)) {
        free(frames);
        return NULL;
    }
    unw_accessors_t accessors = {
        .find_proc_info = find_proc_info,
        .put_unwind_info = put_unwind_info,
        .get_dyn_info_list_addr = get_dynamic_list,
        .access_mem = access_memory,
        .access_reg = access_register,
        .access_fpreg = access_float,
        .resume = resume,
        .get_proc_name = get_name,
    };
    frames->space = unw_create_addr_space(&accessors, 0);
    if (!frames->space) {
        free(frames);
        return NULL;
    }
    unw_set_caching_policy(frames->space, UNW_CACHE_GLOBAL);
    unw_set_cache_size(frames->space, CACHE_SIZE, 0);
    return frames;
}

void call_frames_close(struct call_frames *frames) {
    if (!frames)
        return;
    unw_destroy_addr_space(frames->space);
    free(frames);
}

/* ---- the step ---- */

/*
 * Whether a register has the caller's value already: it was saved at a place that lies below the
 * stack pointer by now. Compilers do not say that an epilogue has restored a register.
 */
static bool is_restored(unw_cursor_t *cursor, unw_regnum_t number, uint64_t stack_pointer) {
    unw_save_loc_t place;
    return unw_get_save_loc(cursor, number, &place) == 0 && place.type == UNW_SLT_MEMORY &&
           place.u.addr < stack_pointer;
}

enum call_frames_outcome call_frames_step(struct call_frames *frames, uint64_t address,
                                          struct unwind_registers *registers,
                                          struct stack_memory *memory) {
    frames->address = address;
    frames->registers = registers;
    frames->memory = memory;
    frames->reads = 0;
    frames->nothing_said = false;
    unw_cursor_t cursor;
    if (unw_init_remote(&cursor, frames->space, frames) != 0)
        return CALL_FRAMES_FAILED;
    int result = unw_step(&cursor);
    if (frames->nothing_said || frames->reads > CALL_FRAMES_READS_MOST)
        return CALL_FRAMES_NONE;
    if (result < 0)
        return CALL_FRAMES_FAILED;
    if (result == 0)
        return CALL_FRAMES_END;
    struct unwind_registers caller = {0};
    bool missed = memory->missed;
    for (size_t i = 0; i < PRESERVED_COUNT; i++) {
        unw_word_t value = 0;
        unsigned bit = bits[preserved[i]];
        bool is_known;
        if (is_restored(&cursor, preserved[i], memory->start)) {
            value = registers->values[bit];
            is_known = registers->known >> bit & 1;
        } else {
            is_known = unw_get_reg(&cursor, preserved[i], &value) == 0;
        }
        if (!is_known)
            continue;
        caller.values[bit] = value;
        caller.known |= (uint64_t)1 << bit;
    }
    memory->missed = missed;
    *registers = caller;
    return CALL_FRAMES_CALLER;
}
