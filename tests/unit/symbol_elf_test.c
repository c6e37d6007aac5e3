// SPDX-License-Identifier: MIT
// ELF files: tests/data/symbol/shapes.so and its kin. What is expected follows from shapes.s and
// from what GNU nm and readelf say of the files (shapes.nm).
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/symbol/debug_file.h"
#include "profiler/symbol/elf_file.h"
#include "profiler/symbol/elf_linkage.h"

/* The path of a file of tests/data/symbol; valid until the next call. */
static const char *data_path(const char *name) {
    static char path[4096];
    const char *source = getenv("TICKFLAME_SOURCE");
    snprintf(path, sizeof path, "%s/tests/data/symbol/%s", source ? source : ".", name);
    return path;
}

/* All bytes of a file of tests/data/symbol, to be freed. */
static char *read_data(const char *name, size_t *size) {
    FILE *file = fopen(data_path(name), "rb");
    assert_non_null(file);
    char *bytes = malloc(65536);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 65536, file);
    fclose(file);
    return bytes;
}

static void open_data(struct elf_file *file, struct symbol_table *table, const char *name) {
    struct error error = {0};
    *table = (struct symbol_table){0};
    assert_true(elf_file_open(file, data_path(name), &error));
    elf_file_add_symbols(file, table, 0);
    symbol_table_finish(table);
}

static const char *name_at(const struct symbol_table *table, uint64_t address) {
    struct symbol_match match;
    if (!symbol_table_find(table, address, &match))
        return "-";
    return symbol_table_name(table, symbol_table_best(table, &match)).data;
}

/* One stretch of addresses from `start` on, up to the start of the next one. */
struct stretch {
    uint64_t start;
    const char *name;
};

static const struct stretch shapes[] = {
    {0x20fff, "-"},
    {0x21000, "read_file"},
    {0x21030, "outer"},
    {0x21040, "inner"},
    {0x21050, "outer"},
    {0x21070, "part"},
    {0x21080, "whole"},
    {0x21090, "-"},
    {0x210a0, "handwritten"},
    {0x210c0, "notype"},
    {0x210e0, "_ZN4node2fs4ReadERKN2v820FunctionCallbackInfoINS1_5ValueEEE"},
    {0x210f0, "_ZN4node2fs4ReadERKN2v820FunctionCallbackInfoINS1_5ValueEEE.cold"},
    {0x21100, "_ZN5ShapeC1Ei"},
    {0x21110, "_Z5twiceIiET_S0_"},
    {0x21120, "_RNvCs1234_7mycrate3foo"},
    {0x21130, "_ZN4core3fmt5write17h0123456789abcdefE"},
    {0x21140, "pick"},
    {0x21150, "open_it"},
    {0x21160, "open_it"},
    {0x21170, "final"},
    {0x21180, "far"},
    {0x21190, "-"},
};

/* Checks each address of `shapes`; `shift` is what the file's addresses are higher by. Symbol
 * versions are cut, because .dynsym has none. */
static void check_shapes(const struct symbol_table *table, uint64_t shift, bool local_names) {
    for (size_t i = 0; i + 1 < sizeof shapes / sizeof *shapes; i++) {
        for (uint64_t at = shapes[i].start; at < shapes[i + 1].start; at++) {
            const char *found = name_at(table, at + shift);
            size_t length = strcspn(found, "@");
            const char *wanted = shapes[i].name;
            if (!local_names) {
                /* Without them the enclosing function, the longer alias or nothing is left. */
                if (strcmp(wanted, "inner") == 0)
                    wanted = "outer";
                else if (strcmp(wanted, "part") == 0)
                    wanted = "whole";
                else if (strstr(wanted, ".cold") || strstr(wanted, "crate") ||
                         strstr(wanted, "core"))
                    wanted = "-";
            }
            assert_int_equal(length, strlen(wanted));
            assert_memory_equal(found, wanted, length);
        }
    }
}

static void functions_of_library(void **state) {
    (void)state;
    struct elf_file file;
    struct symbol_table table;
    open_data(&file, &table, "shapes.so");
    check_shapes(&table, 0, true);
    assert_string_equal(name_at(&table, 0x21270), "-"); /* the data */
    elf_file_close(&file);
    symbol_table_free(&table);
}

static void functions_of_stripped_library(void **state) {
    (void)state;
    struct elf_file file;
    struct symbol_table table;
    open_data(&file, &table, "shapes-stripped.so");
    assert_false(file.has_symtab);
    check_shapes(&table, 0, false);
    elf_file_close(&file);
    symbol_table_free(&table);
}

static void functions_of_debug_file(void **state) {
    (void)state;
    struct elf_file file;
    struct symbol_table table;
    open_data(&file, &table, "shapes.debug");
    assert_true(file.has_symtab);
    check_shapes(&table, 0, true);
    elf_file_close(&file);
    symbol_table_free(&table);
}

static void functions_of_program(void **state) {
    (void)state;
    struct elf_file file;
    struct symbol_table table;
    open_data(&file, &table, "program"); /* program.nm: read_file is at 0x4000b0 */
    check_shapes(&table, 0x4000b0 - UINT64_C(0x21000), true);
    elf_file_close(&file);
    symbol_table_free(&table);
}

/* Data of this very program, whose address it knows itself. */
static char data_of_this_program[600];

static void data_by_name(void **state) {
    (void)state;
    struct elf_file file;
    struct error error = {0};
    uint64_t data, code;
    assert_true(elf_file_open(&file, "/proc/self/exe", &error));
    assert_true(elf_file_data(&file, TEXT("data_of_this_program"), 600, &data));
    assert_false(elf_file_data(&file, TEXT("data_of_this_program"), 100000, &data));
    assert_false(elf_file_data(&file, TEXT("data_of_this"), 1, &data));
    assert_false(elf_file_data(&file, TEXT("main"), 0, &data)); /* is a function */
    data_of_this_program[0] = 1;
    /* Both are moved by the same distance, which is whole pages. */
    code = (uintptr_t)data_of_this_program - data;
    assert_int_equal(code % 4096, 0);
    elf_file_close(&file);
    assert_true(elf_file_open(&file, data_path("shapes-stripped.so"), &error));
    assert_false(elf_file_data(&file, TEXT("data_of_this_program"), 1, &data));
    elf_file_close(&file);
}

static void nothing_in_stripped_file(void **state) {
    (void)state;
    struct elf_file file;
    struct symbol_table table;
    open_data(&file, &table, "nothing.so");
    assert_int_equal(table.size, 0);
    assert_int_equal(file.build_id_size, 0);
    assert_int_equal(file.debug_link.size, 0);
    elf_file_close(&file);
    symbol_table_free(&table);
}

/* readelf: LOAD 0x000600 0x0000000000021000 ... 0x000190 R E */
static void offsets_and_addresses(void **state) {
    (void)state;
    struct elf_file file;
    struct symbol_table table;
    uint64_t address = 0;
    open_data(&file, &table, "shapes.so");
    assert_int_equal(file.segment_count, 1);
    assert_false(elf_file_address(&file, 0x5ff, &address));
    assert_true(elf_file_address(&file, 0x600, &address));
    assert_int_equal(address, 0x21000);
    assert_true(elf_file_address(&file, 0x78f, &address));
    assert_int_equal(address, 0x2118f);
    assert_false(elf_file_address(&file, 0x790, &address));
    assert_false(elf_file_address(&file, UINT64_MAX, &address));
    assert_true(elf_file_segment_ends(&file, 0x1000));
    assert_true(elf_file_segment_ends(&file, 0x4000));
    assert_true(elf_file_segment_ends(&file, 0x10000));
    assert_false(elf_file_segment_ends(&file, 0x2000));
    assert_false(elf_file_segment_ends(&file, 0));
    assert_false(elf_file_segment_ends(&file, UINT64_MAX));
    elf_file_close(&file);
    symbol_table_free(&table);
}

static void build_id_and_debug_link(void **state) {
    (void)state;
    struct elf_file file;
    struct symbol_table table;
    static const unsigned char id[] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                       0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
    open_data(&file, &table, "shapes-stripped.so");
    assert_int_equal(file.build_id_size, sizeof id);
    assert_memory_equal(file.build_id, id, sizeof id);
    assert_int_equal(file.debug_link.size, strlen("shapes.debug"));
    assert_memory_equal(file.debug_link.data, "shapes.debug", file.debug_link.size);
    elf_file_close(&file);
    symbol_table_free(&table);
}

static void debug_file_by_link(void **state) {
    (void)state;
    struct elf_file file;
    struct elf_file debug;
    struct symbol_table table;
    open_data(&file, &table, "shapes-stripped.so");
    struct text path = text_of(data_path("shapes-stripped.so"));
    assert_true(debug_file_open(&debug, &file, path, TEXT("")));
    assert_true(debug.has_symtab);
    elf_file_close(&debug);
    /* Another build: the id decides. */
    file.build_id[3]++;
    assert_false(debug_file_open(&debug, &file, path, TEXT("")));
    /* Without an id the CRC does. */
    file.build_id_size = 0;
    assert_true(debug_file_open(&debug, &file, path, TEXT("")));
    elf_file_close(&debug);
    file.debug_link_crc++;
    assert_false(debug_file_open(&debug, &file, path, TEXT("")));
    file.debug_link_crc--;
    file.debug_link = TEXT("../symbol/shapes.debug");
    assert_false(debug_file_open(&debug, &file, path, TEXT("")));
    elf_file_close(&file);
    symbol_table_free(&table);
}

/* ---- entries of the linkage table ---- */

/* Opens an ELF file in memory and fills the table, linkage entries included. */
static bool load_linkage(const char *bytes, size_t size, struct elf_file *file,
                         struct symbol_table *table) {
    struct error error = {0};
    *table = (struct symbol_table){0};
    if (!elf_file_open_bytes(file, (struct text){bytes, size}, &error))
        return false;
    elf_file_add_symbols(file, table, 0);
    elf_linkage_add_symbols(file, table, 0);
    symbol_table_finish(table);
    return true;
}

/* Checks the short names of the addresses from that of each stretch to that of the next. */
static void check_linkage(const char *bytes, size_t size, const struct stretch *stretches) {
    struct elf_file file;
    struct symbol_table table;
    assert_true(load_linkage(bytes, size, &file, &table));
    for (size_t i = 0; stretches[i + 1].name; i++) {
        for (uint64_t at = stretches[i].start; at < stretches[i + 1].start; at++) {
            struct symbol_match match;
            struct buffer name = {0};
            if (symbol_table_find(&table, at, &match))
                symbol_table_append_short(&table, symbol_table_best(&table, &match), &name);
            else
                buffer_append_text(&name, TEXT("-"));
            buffer_append_byte(&name, '\0');
            assert_string_equal(name.data, stretches[i].name);
            buffer_free(&name);
        }
    }
    elf_file_close(&file);
    symbol_table_free(&table);
}

/* The addresses are those of `llvm-objdump -d`. */
static void linkage_of_x86_64(void **state) {
    (void)state;
    size_t size;
    char *bytes = read_data("linkage-x86-64.so", &size);
    static const struct stretch lazy[] = {
        {0x1f0, "-"},         {0x210, "read@plt"}, {0x220, "node::fs::Read@plt"},
        {0x230, "close@plt"}, {0x238, "outer"},    {0x24e, "-"},
        {0x260, "-"},         {0, NULL},
    };
    check_linkage(bytes, size, lazy);
    free(bytes);
    bytes = read_data("linkage-x86-64-ibt.so", &size);
    static const struct stretch marked[] = {
        {0x1f0, "-"},     {0x230, "close@plt"}, {0x240, "read@plt"}, {0x250, "node::fs::Read@plt"},
        {0x260, "outer"}, {0x276, "-"},         {0x280, "-"},        {0, NULL},
    };
    check_linkage(bytes, size, marked);
    free(bytes);
}

static void linkage_of_arm64(void **state) {
    (void)state;
    size_t size;
    char *bytes = read_data("linkage-arm64.so", &size);
    static const struct stretch plain[] = {
        {0x12c8, "outer"},     {0x12d4, "-"}, {0x1300, "read@plt"}, {0x1310, "node::fs::Read@plt"},
        {0x1320, "close@plt"}, {0x1330, "-"}, {0x1340, "-"},        {0, NULL},
    };
    check_linkage(bytes, size, plain);
    free(bytes);
    bytes = read_data("linkage-arm64-bti.so", &size);
    static const struct stretch marked[] = {
        {0x1358, "outer"},     {0x1364, "-"}, {0x1390, "read@plt"}, {0x13a8, "node::fs::Read@plt"},
        {0x13c0, "close@plt"}, {0x13d8, "-"}, {0x13e0, "-"},        {0, NULL},
    };
    check_linkage(bytes, size, marked);
    /* An entry whose address others take begins with the mark, `bti c`. */
    memmove(bytes + 0x394, bytes + 0x390, 16);
    memcpy(bytes + 0x390, "\x5f\x24\x03\xd5", 4);
    check_linkage(bytes, size, marked);
    free(bytes);
}

/* What is in an isolate log's library stays as it was: only elf_linkage.h adds the entries. */
static void linkage_only_when_asked(void **state) {
    (void)state;
    struct elf_file file;
    struct symbol_table table;
    open_data(&file, &table, "linkage-x86-64.so");
    assert_string_equal(name_at(&table, 0x210), "-");
    elf_file_close(&file);
    symbol_table_free(&table);
}

static void damaged_linkage(void **state) {
    (void)state;
    static const char *const files[] = {"linkage-x86-64.so", "linkage-arm64-bti.so"};
    for (size_t number = 0; number < 2; number++) {
        size_t size;
        char *bytes = read_data(files[number], &size);
        for (size_t at = 0; at < size; at++) {
            char before = bytes[at];
            for (int change = 0; change < 3; change++) {
                struct elf_file file;
                struct symbol_table table;
                bytes[at] = (char)(change == 0 ? 0xff : change == 1 ? before + 1 : 0);
                if (load_linkage(bytes, size, &file, &table)) {
                    elf_file_close(&file);
                    symbol_table_free(&table);
                }
            }
            bytes[at] = before;
        }
        free(bytes);
    }
}

static void check_refused(const char *path, const char *reason) {
    struct elf_file file;
    struct error error = {0};
    assert_false(elf_file_open(&file, path, &error));
    assert_int_equal(error.kind, ERROR_INPUT);
    assert_string_equal(error.text, reason);
    elf_file_close(&file);
}

static void not_elf(void **state) {
    (void)state;
    check_refused(data_path("missing.so"), "no such file");
    check_refused(data_path("shapes.so/missing"), "no such file");
    check_refused(data_path("shapes.s"), "is not an ELF file");
    check_refused(data_path(""), "is not a regular file");
    check_refused("/dev/zero", "is not a regular file");
    int descriptor = open("empty.so", O_CREAT | O_WRONLY | O_TRUNC, 0600);
    assert_true(descriptor >= 0);
    close(descriptor);
    check_refused("empty.so", "is not an ELF file");
    unlink("empty.so");
    assert_int_equal(mkfifo("pipe.so", 0600), 0);
    check_refused("pipe.so", "is not a regular file");
    unlink("pipe.so");
}

static void header_without_sense(void **state) {
    (void)state;
    size_t size;
    char *bytes = read_data("shapes.so", &size);
    struct elf_file file;
    struct error error = {0};
    bytes[16] = 1; /* e_type: an object file of a compiler */
    assert_false(elf_file_open_bytes(&file, (struct text){bytes, size}, &error));
    assert_string_equal(error.text, "is not an executable or a library");
    bytes[4] = 77; /* neither 32 nor 64 bits */
    assert_false(elf_file_open_bytes(&file, (struct text){bytes, size}, &error));
    assert_string_equal(error.text, "is damaged: its ELF header makes no sense");
    free(bytes);
}

/* Opens, loads and asks a damaged file: whatever comes out, nothing is read outside of it. */
static void use_damaged(const char *bytes, size_t size) {
    struct elf_file file;
    struct error error = {0};
    struct symbol_table table = {0};
    char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    if (elf_file_open_bytes(&file, (struct text){copy, size}, &error)) {
        elf_file_add_symbols(&file, &table, 0);
        symbol_table_finish(&table);
        for (uint64_t at = 0x21000; at < 0x21190; at += 8)
            (void)name_at(&table, at);
        elf_file_close(&file);
    }
    symbol_table_free(&table);
    free(copy);
}

static void cut_file(void **state) {
    (void)state;
    size_t size;
    char *bytes = read_data("shapes.so", &size);
    for (size_t cut = 0; cut < size; cut += 7)
        use_damaged(bytes, cut);
    free(bytes);
}

static void changed_file(void **state) {
    (void)state;
    size_t size;
    char *bytes = read_data("shapes.so", &size);
    for (size_t at = 0; at < size; at += 3) {
        char before = bytes[at];
        bytes[at] = (char)0xff;
        use_damaged(bytes, size);
        bytes[at] = (char)(before + 1);
        use_damaged(bytes, size);
        bytes[at] = before;
    }
    free(bytes);
}

/* Somebody writes the file anew while it is open: it has no symbols then, and that is all. */
static void file_cut_while_open(void **state) {
    (void)state;
    size_t size;
    char *bytes = read_data("shapes.so", &size);
    elf_file_survive_cuts();
    for (size_t kept = 0; kept < size; kept += size / 4) {
        char path[] = "/tmp/tickflame-elf-XXXXXX";
        int descriptor = mkstemp(path);
        assert_true(descriptor >= 0);
        assert_int_equal(write(descriptor, bytes, size), size);
        struct elf_file file;
        struct error error = {0};
        assert_true(elf_file_open(&file, path, &error));
        assert_int_equal(ftruncate(descriptor, (off_t)kept), 0);
        struct symbol_table table = {0};
        elf_file_add_symbols(&file, &table, 0);
        symbol_table_finish(&table);
        if (kept == 0)
            assert_int_equal(table.size, 0);
        symbol_table_free(&table);
        elf_file_names(&file, TEXT("anything"));
        elf_file_close(&file);
        close(descriptor);
        unlink(path);
    }
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_library),
        cmocka_unit_test(functions_of_stripped_library),
        cmocka_unit_test(functions_of_debug_file),
        cmocka_unit_test(functions_of_program),
        cmocka_unit_test(data_by_name),
        cmocka_unit_test(nothing_in_stripped_file),
        cmocka_unit_test(offsets_and_addresses),
        cmocka_unit_test(build_id_and_debug_link),
        cmocka_unit_test(debug_file_by_link),
        cmocka_unit_test(linkage_of_x86_64),
        cmocka_unit_test(linkage_of_arm64),
        cmocka_unit_test(linkage_only_when_asked),
        cmocka_unit_test(damaged_linkage),
        cmocka_unit_test(not_elf),
        cmocka_unit_test(header_without_sense),
        cmocka_unit_test(cut_file),
        cmocka_unit_test(changed_file),
        cmocka_unit_test(file_cut_while_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
