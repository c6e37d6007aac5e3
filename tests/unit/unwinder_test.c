// SPDX-License-Identifier: MIT
/* The walk of this process's own stack, whose calls are known; and of stacks that are made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <elf.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "fold/base/memory.h"
#include "profiler/unwind/unwinder.h"
#include "tests/unit/unwinder_chain.h"

#if defined __x86_64__

enum { COPY_MOST = 128 * 1024, LIMIT = 64, IP = 8, SP = 7, BP = 6 };

/* What was sampled at a breakpoint. */
static struct {
    struct unwind_registers registers;
    char copy[COPY_MOST];
    size_t size;
} sampled;

static void take_registers(const ucontext_t *context) {
    static const int registers[][2] = {
        {REG_RAX, 0},  {REG_RBX, 1},  {REG_RCX, 2},  {REG_RDX, 3},  {REG_RSI, 4}, {REG_RDI, 5},
        {REG_RBP, BP}, {REG_RSP, SP}, {REG_RIP, IP}, {REG_R8, 16},  {REG_R9, 17}, {REG_R10, 18},
        {REG_R11, 19}, {REG_R12, 20}, {REG_R13, 21}, {REG_R14, 22}, {REG_R15, 23}};
    sampled.registers.known = 0;
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++) {
        sampled.registers.values[registers[i][1]] =
            (uint64_t)context->uc_mcontext.gregs[registers[i][0]];
        sampled.registers.known |= (uint64_t)1 << registers[i][1];
    }
}

/* A breakpoint: samples registers and stack of where it is. */
static void at_breakpoint(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)info;
    take_registers(context);
    /* By way of the kernel, because sanitizers watch over the stack. */
    enum { STEP = 1024 };
    uint64_t start = sampled.registers.values[SP];
    for (sampled.size = 0; sampled.size + STEP <= COPY_MOST; sampled.size += STEP) {
        if (!stack_memory_read_process((uint64_t)getpid(), start + sampled.size,
                                       sampled.copy + sampled.size, STEP))
            break;
    }
}

struct fixture {
    struct profile *profile;
    struct symbol_source *source;
    struct native_names *names;
    struct unwinder *unwinder;
};

static void open_fixture(struct fixture *fixture, bool live, enum unwind_mode mode) {
    fixture->profile = profile_new();
    fixture->source = symbol_source_open(&(struct symbol_options){0});
    fixture->names = native_names_open(
        fixture->profile, &(struct native_names_options){.source = fixture->source, .live = live});
    fixture->unwinder = unwinder_open(
        &(struct unwinder_options){.names = fixture->names, .mode = mode, .live = live});
    struct sigaction action = {.sa_sigaction = at_breakpoint, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
}

static void close_fixture(struct fixture *fixture) {
    unwinder_close(fixture->unwinder);
    native_names_close(fixture->names);
    symbol_source_close(fixture->source);
    profile_free(fixture->profile);
}

/* Tells of all that this process maps. */
static void map_self(struct fixture *fixture) {
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[1024];
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps)) {
        uint64_t start, end, offset;
        char rights[5];
        int path = 0;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &start, &end, rights,
                   &offset, &path) != 4)
            continue;
        line[strcspn(line, "\n")] = '\0';
        native_names_map(fixture->names, &(struct native_mapping){.process_id = (uint64_t)getpid(),
                                                                  .start = start,
                                                                  .size = end - start,
                                                                  .offset = offset,
                                                                  .path = text_of(line + path),
                                                                  .executable = rights[2] == 'x'});
    }
    fclose(maps);
}

static struct unwound walk_sampled(struct fixture *fixture, size_t size, uint64_t *addresses) {
    return unwinder_walk(fixture->unwinder,
                         &(struct unwind_sample){.process_id = (uint64_t)getpid(),
                                                 .registers = sampled.registers,
                                                 .stack = {sampled.copy, size}},
                         addresses, NULL, LIMIT);
}

/* Whether the addresses hold those of the chain, in order and one after the other. */
static void assert_chain(const struct chain *chain, const uint64_t *addresses, size_t count) {
    size_t at = 0;
    while (at < count && addresses[at] != chain->returns[chain->count - 1])
        at++;
    assert_true(count - at >= chain->count);
    for (size_t i = 0; i < chain->count; i++)
        assert_int_equal(addresses[at + i], chain->returns[chain->count - 1 - i]);
}

/* Calls a chain, and walks what was sampled in it. */
static struct unwound run(struct fixture *fixture, struct chain *chain, size_t most) {
    uint64_t addresses[LIMIT], again[LIMIT];
    chain_outer(chain);
    assert_true(chain->count > 0);
    size_t size = sampled.size < most ? sampled.size : most;
    struct unwound unwound = walk_sampled(fixture, size, addresses);
    assert_int_equal(addresses[0], sampled.registers.values[IP]);
    /* What was learned changes nothing. */
    struct unwound second = walk_sampled(fixture, size, again);
    assert_int_equal(unwound.count, second.count);
    assert_int_equal(unwound.ending, second.ending);
    assert_int_equal(unwound.repaired, second.repaired);
    assert_memory_equal(addresses, again, unwound.count * sizeof *addresses);
    if (unwound.ending == UNWIND_COMPLETE)
        assert_chain(chain, addresses, unwound.count);
    return unwound;
}

static void test_frameless(void **state) {
    (void)state;
    for (int mode = UNWIND_AUTO; mode <= UNWIND_CALL_FRAMES; mode++) {
        for (int live = 0; live < 2; live++) {
            struct fixture fixture;
            struct chain chain = {0};
            open_fixture(&fixture, live, (enum unwind_mode)mode);
            map_self(&fixture);
            struct unwound unwound = run(&fixture, &chain, COPY_MOST);
            assert_int_equal(chain.count, 3);
            assert_int_equal(unwound.ending, UNWIND_COMPLETE);
            assert_true(unwound.repaired);
            close_fixture(&fixture);
        }
    }
}

/* Beyond the copy: nothing, the living process, or the kernel's chain. */
static void test_short_copy(void **state) {
    (void)state;
    enum { SHORT = 48 };
    struct fixture fixture;
    struct chain chain = {0};
    open_fixture(&fixture, false, UNWIND_AUTO);
    map_self(&fixture);
    struct unwound whole = run(&fixture, &chain, COPY_MOST);
    uint64_t known[LIMIT], addresses[LIMIT];
    walk_sampled(&fixture, sampled.size, known);
    struct unwound cut = walk_sampled(&fixture, SHORT, addresses);
    assert_int_equal(cut.ending, UNWIND_CUT);
    assert_true(cut.count < whole.count);
    struct unwind_sample sample = {.process_id = (uint64_t)getpid(),
                                   .registers = sampled.registers,
                                   .stack = {sampled.copy, SHORT},
                                   .known = known,
                                   .known_count = whole.count};
    struct unwound helped = unwinder_walk(fixture.unwinder, &sample, addresses, NULL, LIMIT);
    assert_int_equal(helped.ending, UNWIND_COMPLETE);
    assert_int_equal(helped.count, whole.count);
    sample.known_is_limited = true;
    helped = unwinder_walk(fixture.unwinder, &sample, addresses, NULL, LIMIT);
    assert_int_equal(helped.ending, UNWIND_TRUNCATED);
    helped = unwinder_walk(fixture.unwinder, &sample, addresses, NULL, whole.count - 1);
    assert_int_equal(helped.ending, UNWIND_TRUNCATED);
    assert_int_equal(helped.count, whole.count - 1);
    close_fixture(&fixture);
}

/* Walks its own stack while it lasts. */
static struct fixture *living;
static struct unwound lived;
static uint64_t lived_addresses[LIMIT];

static void walk_living(struct chain *chain) {
    enum { SHORT = 64 };
    chain->returns[chain->count++] = (uint64_t)(uintptr_t)__builtin_return_address(0);
    __asm__ volatile("int3");
    lived = walk_sampled(living, SHORT, lived_addresses);
}

static void test_living(void **state) {
    (void)state;
    struct fixture fixture;
    struct chain chain = {.stop = walk_living};
    open_fixture(&fixture, true, UNWIND_AUTO);
    map_self(&fixture);
    living = &fixture;
    chain_outer(&chain);
    assert_int_equal(lived.ending, UNWIND_COMPLETE);
    assert_chain(&chain, lived_addresses, lived.count);
    close_fixture(&fixture);
}

static void stop_by_signal(struct chain *chain) {
    chain->returns[chain->count++] = (uint64_t)(uintptr_t)__builtin_return_address(0);
    raise(SIGUSR1);
}

static void stop_in_handler(int signal) {
    (void)signal;
    __asm__ volatile("int3");
}

static void test_signal(void **state) {
    (void)state;
    struct fixture fixture;
    struct chain chain = {.stop = stop_by_signal};
    open_fixture(&fixture, false, UNWIND_AUTO);
    map_self(&fixture);
    struct sigaction action = {.sa_handler = stop_in_handler};
    sigaction(SIGUSR1, &action, NULL);
    assert_int_equal(run(&fixture, &chain, COPY_MOST).ending, UNWIND_COMPLETE);
    close_fixture(&fixture);
}

static void test_red_zone(void **state) {
    (void)state;
    struct fixture fixture;
    struct chain chain = {.stop = chain_red_zone};
    open_fixture(&fixture, false, UNWIND_AUTO);
    map_self(&fixture);
    struct unwound unwound = run(&fixture, &chain, COPY_MOST);
    assert_int_equal(unwound.ending, UNWIND_COMPLETE);
    assert_true(unwound.repaired);
    close_fixture(&fixture);
}

/* Code without file, as compilers at run time make it: push %rbp; mov %rsp,%rbp; call *ADDRESS; pop
 * %rbp; ret. */
static unsigned char *make_code(void (*called)(struct chain *chain)) {
    static const unsigned char bytes[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0xb8, 0,    0,    0,
                                          0,    0,    0,    0,    0,    0xff, 0xd0, 0x5d, 0xc3};
    enum { ADDRESS = 6, SIZE = 4096 };
    unsigned char *code =
        mmap(NULL, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(code != MAP_FAILED);
    memset(code, 0x90, SIZE);
    memcpy(code, bytes, sizeof bytes);
    memcpy(code + ADDRESS, &called, sizeof called);
    return code;
}

static void test_compiled_code(void **state) {
    (void)state;
    struct fixture fixture;
    unsigned char *code = make_code(chain_middle);
    struct chain chain = {0};
    memcpy(&chain.enter, &code, sizeof code);
    open_fixture(&fixture, false, UNWIND_AUTO);
    map_self(&fixture);
    struct unwound unwound = run(&fixture, &chain, COPY_MOST);
    assert_int_equal(unwound.ending, UNWIND_COMPLETE);
    assert_true(unwound.repaired);
    close_fixture(&fixture);
    munmap(code, 4096);
}

/* A leaf that has not built its frame yet, or has left it. */
static void test_compiled_leaf(void **state) {
    (void)state;
    struct fixture fixture;
    unsigned char *code = make_code(chain_middle);
    memmove(code + 64, code, 64);
    uint64_t address = (uint64_t)(uintptr_t)code + 64;
    open_fixture(&fixture, true, UNWIND_AUTO);
    map_self(&fixture);
    uint64_t stack[] = {address + 0x100, address + 0x200, 0, address + 0x300};
    static const struct {
        uint64_t offset;
        size_t word; /* of the stack: the return address */
    } cases[] = {{0, 0}, {1, 1}, {17, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct unwind_sample sample = {
            .process_id = (uint64_t)getpid(),
            .registers.known = 1 << IP | 1 << SP | 1 << BP,
            .stack = {(const char *)stack, sizeof stack},
        };
        /* The stack is not where it says: nothing beyond it is there. */
        sample.registers.values[IP] = address + cases[i].offset;
        sample.registers.values[SP] = 0x10000;
        sample.registers.values[BP] = 0x10010;
        uint64_t addresses[LIMIT];
        struct unwound unwound = unwinder_walk(fixture.unwinder, &sample, addresses, NULL, LIMIT);
        assert_int_equal(unwound.count, 3);
        assert_int_equal(addresses[1], stack[cases[i].word]);
        assert_int_equal(addresses[2], address + 0x300);
        assert_int_equal(unwound.ending, UNWIND_COMPLETE);
        assert_true(unwound.repaired);
    }
    close_fixture(&fixture);
    munmap(code, 4096);
}

/* ---- files that are made up ---- */

enum {
    PROCESS = 77,
    BASE = 0x10000,
    TEXT_AT = 0x200,   /* first function, 0x40 bytes; then the second */
    HEADER_AT = 0x400, /* the search table */
    COMMON_AT = 0x500,
    FIRST_AT = 0x600,
    FILE_SIZE = 0x7000,
    STACK = 0x7000000,
};

struct maker {
    unsigned char bytes[FILE_SIZE];
};

static void put(struct maker *maker, size_t at, uint64_t number, size_t size) {
    memcpy(maker->bytes + at, &number, size);
}

/* What is to be in the file; instructions of 0x00 do nothing. */
struct description {
    unsigned char column; /* of the return address; 0 = 16 */
    unsigned char initial[32];
    size_t initial_size;
    unsigned char program[256];
    size_t program_size;
    uint32_t length;   /* that the first entry claims to have; 0 = the right one */
    uint32_t distance; /* to the common entry that it claims; 0 = the right one */
    uint32_t rows;     /* of the table; 0 = the right number */
    size_t repeat;     /* the program stands there so often; 0 = once */
};

static const unsigned char frame_rules[] = {0x0c, 7, 8, 0x90, 1}; /* CFA = sp + 8; return at -8 */

static void make_file(struct maker *maker, const struct description *description) {
    memset(maker, 0, sizeof *maker);
    Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                         .e_type = ET_DYN,
                         .e_machine = EM_X86_64,
                         .e_version = EV_CURRENT,
                         .e_phoff = sizeof header,
                         .e_ehsize = sizeof header,
                         .e_phentsize = sizeof(Elf64_Phdr),
                         .e_phnum = 2};
    Elf64_Phdr parts[2] = {
        {.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = FILE_SIZE, .p_memsz = FILE_SIZE},
        {.p_type = PT_GNU_EH_FRAME,
         .p_flags = PF_R,
         .p_offset = HEADER_AT,
         .p_vaddr = HEADER_AT,
         .p_filesz = 0x80,
         .p_memsz = 0x80}};
    memcpy(maker->bytes, &header, sizeof header);
    memcpy(maker->bytes + sizeof header, parts, sizeof parts);
    size_t repeat = description->repeat ? description->repeat : 1;
    size_t first = 16 + description->program_size * repeat;
    size_t second_at = FIRST_AT + 4 + first;
    /* Version 1, address as a signed 32-bit distance, number and table as the format has them. */
    put(maker, HEADER_AT, 0x3b031b01, 4);
    put(maker, HEADER_AT + 8, description->rows ? description->rows : 2, 4);
    put(maker, HEADER_AT + 12, (uint32_t)(TEXT_AT - HEADER_AT), 4);
    put(maker, HEADER_AT + 16, FIRST_AT - HEADER_AT, 4);
    put(maker, HEADER_AT + 20, (uint32_t)(TEXT_AT + 0x40 - HEADER_AT), 4);
    put(maker, HEADER_AT + 24, second_at - HEADER_AT, 4);
    /* The common entry: version 1, "zR", factors 1 and -8, column, pointers as distances. */
    const unsigned char common[] = {
        1, 'z', 'R', 0, 1, 0x78, description->column ? description->column : 16, 1, 0x1b};
    put(maker, COMMON_AT, 4 + sizeof common + description->initial_size, 4);
    memcpy(maker->bytes + COMMON_AT + 8, common, sizeof common);
    memcpy(maker->bytes + COMMON_AT + 8 + sizeof common, description->initial,
           description->initial_size);
    /* Entries: length, distance to the common one, function, its size, no more. */
    put(maker, FIRST_AT, description->length ? description->length : first, 4);
    put(maker, FIRST_AT + 4,
        description->distance ? description->distance : FIRST_AT + 4 - COMMON_AT, 4);
    put(maker, FIRST_AT + 8, (uint32_t)(TEXT_AT - (FIRST_AT + 8)), 4);
    put(maker, FIRST_AT + 12, 0x40, 4);
    for (size_t i = 0; i < repeat; i++)
        memcpy(maker->bytes + FIRST_AT + 17 + i * description->program_size, description->program,
               description->program_size);
    /* The second one has no caller: its return address is undefined. */
    put(maker, second_at, 16, 4);
    put(maker, second_at + 4, second_at + 4 - COMMON_AT, 4);
    put(maker, second_at + 8, (uint32_t)(TEXT_AT + 0x40 - (second_at + 8)), 4);
    put(maker, second_at + 12, 0x40, 4);
    put(maker, second_at + 17, 0x1007, 2);
}

/* Walks a stack of the made file: in the first function, called by the second. */
static struct unwound walk_made(const struct description *description, const char *path_in_maps,
                                const uint64_t *stack, size_t size, uint64_t frame,
                                uint64_t *addresses) {
    static struct maker maker;
    struct fixture fixture;
    make_file(&maker, description);
    FILE *file = fopen("made.so", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(maker.bytes, 1, sizeof maker.bytes, file), sizeof maker.bytes);
    fclose(file);
    char path[4096];
    assert_non_null(getcwd(path, sizeof path - 64));
    strcat(path, path_in_maps);
    open_fixture(&fixture, false, UNWIND_AUTO);
    native_names_map(fixture.names, &(struct native_mapping){.process_id = PROCESS,
                                                             .start = BASE,
                                                             .size = FILE_SIZE,
                                                             .path = text_of(path),
                                                             .executable = true});
    struct unwind_sample sample = {
        .process_id = PROCESS,
        .registers.known = 1 << IP | 1 << SP | 1 << BP,
        .stack = {(const char *)stack, size},
    };
    sample.registers.values[IP] = BASE + TEXT_AT + 0x10;
    sample.registers.values[SP] = STACK;
    sample.registers.values[BP] = frame;
    struct unwound unwound = unwinder_walk(fixture.unwinder, &sample, addresses, NULL, LIMIT);
    close_fixture(&fixture);
    unlink("made.so");
    return unwound;
}

static struct description plain(void) {
    struct description description = {.initial_size = sizeof frame_rules};
    memcpy(description.initial, frame_rules, sizeof frame_rules);
    return description;
}

static void test_made(void **state) {
    (void)state;
    uint64_t addresses[LIMIT];
    const uint64_t stack[] = {1, BASE + TEXT_AT + 0x50};
    struct description description = plain();
    /* CFA = sp + 16 */
    memcpy(description.program, "\x0e\x10", 2);
    description.program_size = 2;
    struct unwound unwound = walk_made(&description, "/made.so", stack, sizeof stack, 5, addresses);
    assert_int_equal(unwound.ending, UNWIND_COMPLETE);
    assert_int_equal(unwound.count, 2);
    assert_int_equal(addresses[0], BASE + TEXT_AT + 0x10);
    assert_int_equal(addresses[1], BASE + TEXT_AT + 0x50);
    assert_true(unwound.repaired);
    /* Of a file that is gone nothing is known but what the frame pointer says. */
    const uint64_t frames[] = {0, STACK + 16, 1, BASE + TEXT_AT + 0x20};
    unwound =
        walk_made(&description, "/made.so (deleted)", frames, sizeof frames, STACK + 16, addresses);
    assert_int_equal(unwound.count, 2);
    assert_int_equal(addresses[1], BASE + TEXT_AT + 0x20);
    assert_int_equal(unwound.ending, UNWIND_COMPLETE);
    unwound = walk_made(&description, "/made.so (deleted)", frames, sizeof frames, 1, addresses);
    assert_int_equal(unwound.count, 1);
    assert_int_equal(unwound.ending, UNWIND_CUT);
    assert_false(unwound.repaired);
}

/* What no compiler writes. Each ends, and finds no caller where none is said. */
static void test_hostile_files(void **state) {
    (void)state;
    static const struct {
        const char *program;
        size_t size, repeat;
        uint32_t length, distance, rows;
        unsigned char column;
        bool no_frame;
    } cases[] = {
        /* a column that is none */
        {"\x0e\x10", 2, 0, 0, 0, 0, .column = 200},
        /* no address of the frame */
        {"", 0, 0, 0, 0, 0, .no_frame = true},
        /* least number / -1 */
        {"\x0f\x0c\x0d\xff\xff\xff\xff\x0e\x00\x00\x00\x00\x00\x80", 14, 0, 0, 0, 0, 0, false},
        {"\x0f\x0d\x0e\x00\x00\x00\x00\x00\x00\x00\x80\x09\xff\x1b\x06", 15, 0, 0, 0, 0, 0, false},
        /* an expression that jumps to itself */
        {"\x0f\x03\x2f\xfd\xff", 5, 0, 0, 0, 0, 0, false},
        {"\x0f\x04\x31\x28\xfc\xff", 6, 0, 0, 0, 0, 0, false},
        /* one that takes from an empty stack, and one that fills it */
        {"\x0f\x02\x22\x22", 4, 0, 0, 0, 0, 0, false},
        {"\x0f\x02\x12\x12", 4, 0, 0, 0, 0, 0, false},
        {"\x0f\x02\x15\x7f", 4, 0, 0, 0, 0, 0, false},
        /* registers that are none */
        {"\x0c\x7f\x08", 3, 0, 0, 0, 0, 0, false},
        {"\x0f\x03\x92\x7f\x00", 5, 0, 0, 0, 0, 0, false},
        {"\x09\x10\x7f", 3, 0, 0, 0, 0, 0, false},
        /* states that are remembered without end, or restored without having been */
        {"\x0a", 1, 20000, 0, 0, 0, 0, false},
        {"\x0a", 1, 16000, 0, 0, 0, 0, false},
        {"\x0b", 1, 0, 0, 0, 0, 0, false},
        /* a frame that is far away, or none */
        {"\x0e\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10, 0, 0, 0, 0, 0, false},
        {"\x0e\x00", 2, 0, 0, 0, 0, 0, false},
        {"\x13\x7f", 2, 0, 0, 0, 0, 0, false},
        /* a number without end */
        {"\x0e\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00", 14, 0, 0, 0, 0, 0, false},
        /* entries that lie */
        {"\x0e\x10", 2, 0, 0xffffffff, 0, 0, 0, false},
        {"\x0e\x10", 2, 0, 0x7fffffff, 0, 0, 0, false},
        {"\x0e\x10", 2, 0, 3, 0, 0, 0, false},
        {"\x0e\x10", 2, 0, 0, 4, 0, 0, false},
        {"\x0e\x10", 2, 0, 0, 0x7fffffff, 0, 0, false},
        {"\xff\xff\xff", 3, 0, 0, 0, 0, 0, false},
        {"\x3f", 1, 0, 0, 0, 0, 0, false},
    };
    uint64_t addresses[LIMIT];
    const uint64_t stack[] = {1, BASE + TEXT_AT + 0x50, STACK, STACK};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct description description = plain();
        memcpy(description.program, cases[i].program, cases[i].size);
        description.program_size = cases[i].size;
        description.repeat = cases[i].repeat;
        description.length = cases[i].length;
        description.distance = cases[i].distance;
        description.rows = cases[i].rows;
        description.column = cases[i].column;
        if (cases[i].no_frame)
            description.initial_size = 0;
        struct unwound unwound =
            walk_made(&description, "/made.so", stack, sizeof stack, 5, addresses);
        if (unwound.count != 1 || unwound.ending != UNWIND_CUT)
            fail_msg("case %zu: %zu addresses, ending %d", i, unwound.count, unwound.ending);
    }
    /* More rows than there is room for. */
    struct description description = plain();
    memcpy(description.program, "\x0e\x10", 2);
    description.program_size = 2;
    description.rows = UINT32_MAX;
    (void)walk_made(&description, "/made.so", stack, sizeof stack, 5, addresses);
}

/* Stacks that lie: frames in circles, and more of them than fit. */
static void test_hostile_stacks(void **state) {
    (void)state;
    uint64_t addresses[LIMIT];
    struct description description = plain();
    const uint64_t circle[] = {STACK, BASE + TEXT_AT + 0x20};
    struct unwound unwound =
        walk_made(&description, "/made.so (deleted)", circle, sizeof circle, STACK, addresses);
    assert_int_equal(unwound.count, 2);
    assert_int_equal(unwound.ending, UNWIND_CUT);
    uint64_t deep[4 * LIMIT];
    for (size_t i = 0; i + 1 < sizeof deep / sizeof *deep; i += 2) {
        deep[i] = STACK + 8 * (i + 2);
        deep[i + 1] = BASE + TEXT_AT + 0x20;
    }
    unwound = walk_made(&description, "/made.so (deleted)", deep, sizeof deep, STACK, addresses);
    assert_int_equal(unwound.count, LIMIT);
    assert_int_equal(unwound.ending, UNWIND_TRUNCATED);
    /* Cut anywhere, also inside of a number. */
    for (size_t size = 0; size < 64; size++) {
        unwound = walk_made(&description, "/made.so (deleted)", deep, size, STACK, addresses);
        assert_int_equal(unwound.count, 1 + size / 16);
        assert_int_equal(unwound.ending, UNWIND_CUT);
    }
    /* Crooked, below the stack pointer, at the end of all addresses, outside of code. */
    const uint64_t outside[] = {STACK + 8, 0x1234};
    static const uint64_t frames[] = {STACK + 4, STACK - 16, UINT64_MAX - 7, STACK};
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        unwound = walk_made(&description, "/made.so (deleted)", outside, sizeof outside, frames[i],
                            addresses);
        assert_int_equal(unwound.count, 1);
        assert_int_equal(unwound.ending, UNWIND_CUT);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frameless),     cmocka_unit_test(test_short_copy),
        cmocka_unit_test(test_living),        cmocka_unit_test(test_signal),
        cmocka_unit_test(test_red_zone),      cmocka_unit_test(test_compiled_code),
        cmocka_unit_test(test_compiled_leaf), cmocka_unit_test(test_made),
        cmocka_unit_test(test_hostile_files), cmocka_unit_test(test_hostile_stacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 0;
}

#endif
