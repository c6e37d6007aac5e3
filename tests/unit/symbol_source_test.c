// SPDX-License-Identifier: MIT
// Symbols of the libraries that a recording names. The addresses follow from shapes.nm (read_file
// at 0x21000) and from readelf (file offset 0x600, so 0x600 from the start of a mapping).
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

#include "profiler/symbol/symbol_source.h"

static const uint64_t base = 0x7f0000000000;
static const uint64_t code = 0x7f0000000600;

/* The absolute path of a file of tests/data/symbol; valid until the next call. */
static const char *data_path(const char *name) {
    static char path[4096];
    const char *source = getenv("TICKFLAME_SOURCE");
    assert_non_null(source); /* absolute; set by the runner of the tests */
    snprintf(path, sizeof path, "%s/tests/data/symbol/%s", source, name);
    return path;
}

static struct symbol_source *open_files(void) {
    return symbol_source_open(&(struct symbol_options){.mode = SYMBOLS_FROM_FILES});
}

static const struct symbol_library *shapes_at(struct symbol_source *source, uint64_t end) {
    return symbol_source_library(source, text_of(data_path("shapes.so")), base, end, false);
}

static void function_of_address(void **state) {
    (void)state;
    struct symbol_source *source = open_files();
    const struct symbol_library *library = shapes_at(source, base + 0x1000);
    assert_ptr_equal(shapes_at(source, base + 0x1000), library);
    const struct symbol *symbol = symbol_source_find(source, library, code + 0x2f);
    assert_non_null(symbol);
    assert_int_equal(symbol->id, 1);
    assert_ptr_equal(symbol->library, library);
    assert_true(symbol->start == code && symbol->end == code + 0x30);
    assert_string_equal(symbol->name.data, "read_file");
    assert_ptr_equal(symbol_source_find(source, library, code), symbol);
    const struct symbol *read = symbol_source_find(source, library, code + 0xe0);
    assert_non_null(read);
    assert_int_equal(read->id, 2);
    assert_string_equal(read->raw.data,
                        "_ZN4node2fs4ReadERKN2v820FunctionCallbackInfoINS1_5ValueEEE");
    assert_string_equal(read->full.data,
                        "node::fs::Read(v8::FunctionCallbackInfo<v8::Value> const&)");
    assert_string_equal(read->name.data, "node::fs::Read");
    const struct symbol *versioned = symbol_source_find(source, library, code + 0x150);
    assert_non_null(versioned);
    assert_string_equal(versioned->raw.data, "open_it");
    assert_null(symbol_source_find(source, library, code + 0x90)); /* a gap */
    assert_null(symbol_source_find(source, library, base));        /* no code */
    assert_null(symbol_source_find(source, library, base - 1));
    assert_null(symbol_source_find(source, library, base + 0x1000));
    assert_string_equal(library->complaint, "");
    symbol_source_close(source);
}

static void complaint_of(const struct symbol_options *options, struct text path, uint64_t end,
                         const char *complaint) {
    struct symbol_source *source = symbol_source_open(options);
    const struct symbol_library *library = symbol_source_library(source, path, base, end, false);
    assert_string_equal(library->complaint, "");
    assert_null(symbol_source_find(source, library, code));
    assert_string_equal(library->complaint, complaint);
    assert_int_equal(symbol_source_libraries(source), 1);
    assert_ptr_equal(symbol_source_library_at(source, 0), library);
    symbol_source_close(source);
}

static void complaints(void **state) {
    (void)state;
    struct symbol_options files = {.mode = SYMBOLS_FROM_FILES};
    complaint_of(&files, text_of(data_path("missing.so")), base + 0x1000, "no such file");
    complaint_of(&files, text_of(data_path("shapes.s")), base + 0x1000, "is not an ELF file");
    complaint_of(&files, text_of(data_path("nothing.so")), base + 0x1000,
                 "has no symbols (stripped)");
    complaint_of(&files, text_of(data_path("shapes.so")), base + 0x2000,
                 "is not the file that was mapped: its code has another size");
    complaint_of(&files, TEXT("[vdso]"), base + 0x1000,
                 "belongs to the kernel and is not in a file, so its functions have no names");
    complaint_of(&files, TEXT("7f0000000000-7f0000001000"), base + 0x1000,
                 "is not in a file of this machine");
    complaint_of(&files, TEXT("C:\\Program Files\\nodejs\\node.exe"), base + 0x1000,
                 "is not in a file of this machine");
    struct symbol_rows rows = {0};
    struct symbol_options from_rows = {.mode = SYMBOLS_FROM_ROWS, .rows = &rows};
    complaint_of(&from_rows, text_of(data_path("shapes.so")), base + 0x1000,
                 "has no functions in the rows of symbols");
    struct symbol_options none = {.mode = SYMBOLS_NONE};
    complaint_of(&none, text_of(data_path("shapes.so")), base + 0x1000, "");
}

static void mapped_again_elsewhere(void **state) {
    (void)state;
    struct symbol_source *source = open_files();
    struct text path = text_of(data_path("shapes.so"));
    const struct symbol_library *whole =
        symbol_source_library(source, path, base, base + 0x1000, false);
    const struct symbol_library *again =
        symbol_source_library(source, path, base * 2, base * 2 + 0x700, false);
    const struct symbol *symbol = symbol_source_find(source, again, base * 2 + 0x630);
    assert_non_null(symbol);
    assert_string_equal(symbol->name.data, "outer");
    assert_ptr_not_equal(symbol_source_find(source, whole, code + 0x30), symbol);
    /* In another recording the path may have stood for another file. */
    symbol_source_next_recording(source);
    const struct symbol_library *other =
        symbol_source_library(source, path, base * 2, base * 2 + 0x700, false);
    assert_ptr_not_equal(other, again);
    assert_null(symbol_source_find(source, other, base * 2 + 0x630));
    assert_string_not_equal(other->complaint, "");
    symbol_source_close(source);
}

static void copy_file(const char *from, const char *to) {
    char bytes[8192];
    FILE *file = fopen(from, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    file = fopen(to, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/* A target's files below `root`; its debug file by build id. */
static void files_below_another_root(void **state) {
    (void)state;
    static const char *const folders[] = {"root",
                                          "root/opt",
                                          "root/usr",
                                          "root/usr/lib",
                                          "root/usr/lib/debug",
                                          "root/usr/lib/debug/.build-id",
                                          "root/usr/lib/debug/.build-id/00"};
    size_t count = sizeof folders / sizeof *folders;
    for (size_t i = 0; i < count; i++)
        assert_int_equal(mkdir(folders[i], 0700), 0);
    copy_file(data_path("shapes-stripped.so"), "root/opt/shapes.so");
    struct symbol_options options = {.mode = SYMBOLS_FROM_FILES, .target_root = "root/"};
    for (int with_debug_file = 0; with_debug_file < 2; with_debug_file++) {
        if (with_debug_file)
            copy_file(data_path("shapes.debug"), "root/usr/lib/debug/.build-id/00/"
                                                 "112233445566778899aabbccddeeff.debug");
        struct symbol_source *source = symbol_source_open(&options);
        const struct symbol_library *library =
            symbol_source_library(source, TEXT("/opt/shapes.so"), base, base + 0x1000, false);
        const struct symbol *symbol = symbol_source_find(source, library, code + 0x40);
        assert_non_null(symbol);
        assert_string_equal(symbol->name.data, with_debug_file ? "inner" : "outer");
        symbol_source_close(source);
    }
    unlink("root/opt/shapes.so");
    unlink("root/usr/lib/debug/.build-id/00/112233445566778899aabbccddeeff.debug");
    for (size_t i = count; i-- > 0;)
        rmdir(folders[i]);
}

static void another_binary_for_node(void **state) {
    (void)state;
    char binary[4096];
    snprintf(binary, sizeof binary, "%s", data_path("shapes.so"));
    struct symbol_options options = {.mode = SYMBOLS_FROM_FILES, .apply_to = binary};
    struct symbol_source *source = symbol_source_open(&options);
    memset(binary, 'x', sizeof binary - 1);
    static const struct {
        const char *path;
        bool executable;
        bool found;
    } cases[] = {{"/srv/node/v99/bin/node", false, true},
                 {"C:\\nodejs\\node.exe", false, true},
                 {"/srv/app/server", true, true},
                 {"/srv/app/server", false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct symbol_library *library = symbol_source_library(
            source, text_of(cases[i].path), base, base + 0x1000, cases[i].executable);
        assert_int_equal(symbol_source_find(source, library, code) != NULL, cases[i].found);
    }
    const struct symbol_library *other =
        symbol_source_library(source, TEXT("/usr/bin/node"), base, base + 0x3000, false);
    assert_null(symbol_source_find(source, other, code));
    assert_string_equal(other->complaint, "was not mapped from the file given with --apply-to: "
                                          "its code has another size");
    symbol_source_close(source);
}

static void functions_from_rows(void **state) {
    (void)state;
    static const char content[] = "/bin/node\tnm\t401000\t10\tt\t__local\n"
                                  "/bin/node\tnm\t401000\t10\tT\tint node::f<int>(char)\n"
                                  "/bin/node\tdyn\t401000\t10\tW\tnode::g()\n"
                                  "/bin/node\tnm\t401010\t\tt\t.annobin_f\n"
                                  "/bin/node\tnm\t401010\t\tB\tdata\n"
                                  "/lib/libc.so\tdyn\t1000\t10\tT\tread@@GLIBC_2.2.5\n"
                                  "/lib/libc.so\tdebug\t1000\t10\tT\t__libc_read\n"
                                  "/lib/libc.so\tdyn\t1010\t10\ti\tmemcpy@@GLIBC_2.14\n";
    FILE *file = fopen("rows.tsv", "wb");
    assert_non_null(file);
    fwrite(content, 1, sizeof content - 1, file);
    fclose(file);
    struct symbol_rows rows = {0};
    struct warnings warnings = {0};
    struct error error = {0};
    struct input *input = input_open("rows.tsv", 0, &error);
    assert_non_null(input);
    assert_true(symbol_rows_read(&rows, input, &warnings, &error));
    input_close(input);
    unlink("rows.tsv");
    struct symbol_options options = {.mode = SYMBOLS_FROM_ROWS, .rows = &rows};
    struct symbol_source *source = symbol_source_open(&options);
    /* Values inside of the mapping are addresses ... */
    const struct symbol_library *node =
        symbol_source_library(source, TEXT("/bin/node"), 0x400000, 0x500000, true);
    const struct symbol *symbol = symbol_source_find(source, node, 0x40100f);
    assert_non_null(symbol);
    assert_string_equal(symbol->raw.data, "int node::f<int>(char)");
    assert_string_equal(symbol->full.data, "int node::f<int>(char)");
    assert_string_equal(symbol->name.data, "node::f<int>");
    assert_true(symbol->start == 0x401000 && symbol->end == 0x401010);
    assert_null(symbol_source_find(source, node, 0x401010));
    /* ... others count from its start. */
    const struct symbol_library *libc =
        symbol_source_library(source, TEXT("/lib/libc.so"), base, base + 0x2000, false);
    symbol = symbol_source_find(source, libc, base + 0x1008);
    assert_non_null(symbol);
    assert_string_equal(symbol->raw.data, "read");
    assert_true(symbol->start == base + 0x1000 && symbol->end == base + 0x1010);
    symbol = symbol_source_find(source, libc, base + 0x1018);
    assert_non_null(symbol);
    assert_string_equal(symbol->name.data, "memcpy");
    symbol_source_close(source);
    symbol_rows_free(&rows);
}

static void libraries_are_limited(void **state) {
    (void)state;
    struct symbol_source *source = open_files();
    for (uint64_t i = 0; i < 4096; i++)
        assert_non_null(symbol_source_library(source, TEXT("/a"), i, i + 1, false));
    assert_null(symbol_source_library(source, TEXT("/b"), 0, 1, false));
    assert_non_null(symbol_source_library(source, TEXT("/a"), 0, 1, false));
    symbol_source_close(source);
    symbol_source_close(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(function_of_address),     cmocka_unit_test(complaints),
        cmocka_unit_test(mapped_again_elsewhere),  cmocka_unit_test(files_below_another_root),
        cmocka_unit_test(another_binary_for_node), cmocka_unit_test(functions_from_rows),
        cmocka_unit_test(libraries_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
