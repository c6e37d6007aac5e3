// SPDX-License-Identifier: MIT
// Names of addresses of recorded processes. Addresses in shapes.so follow from its shapes.nm
// (read_file at 0x21000) and from readelf (its code at offset 0x600 of the file); names of perf
// maps were read off the lines.
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
#include <zlib.h>

#include "profiler/symbol/native_names.h"

static const uint64_t base = 0x7f0000000000;
static const unsigned char shapes_id[] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                          0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};

/* The absolute path of a file of tests/data; valid until the next call. */
static const char *data_path(const char *name) {
    static char path[4096];
    const char *source = getenv("TICKFLAME_SOURCE");
    assert_non_null(source); /* absolute; set by the runner of the tests */
    snprintf(path, sizeof path, "%s/tests/data/%s", source, name);
    return path;
}

/* What a test works on. */
struct fixture {
    struct profile *profile;
    struct symbol_source *source;
    struct native_names *names;
};

static struct fixture open_names(struct symbol_options symbols,
                                 struct native_names_options options) {
    struct fixture fixture = {.profile = profile_new(), .source = symbol_source_open(&symbols)};
    options.source = fixture.source;
    fixture.names = native_names_open(fixture.profile, &options);
    return fixture;
}

static struct fixture open_default(void) {
    return open_names((struct symbol_options){.mode = SYMBOLS_FROM_FILES},
                      (struct native_names_options){0});
}

static void close_names(struct fixture *fixture) {
    native_names_close(fixture->names);
    symbol_source_close(fixture->source);
    profile_free(fixture->profile);
}

static struct native_mapping mapping_of(uint64_t process, uint64_t start, uint64_t size,
                                        uint64_t offset, const char *path) {
    return (struct native_mapping){.process_id = process,
                                   .start = start,
                                   .size = size,
                                   .offset = offset,
                                   .path = text_of(path),
                                   .executable = true};
}

static void map(struct fixture *fixture, uint64_t process, uint64_t start, uint64_t size,
                uint64_t offset, const char *path) {
    struct native_mapping mapping = mapping_of(process, start, size, offset, path);
    native_names_map(fixture->names, &mapping);
}

static struct frame frame_at(struct fixture *fixture, uint64_t process, uint64_t address) {
    code_location location = native_names_locate(fixture->names, process, address, false, false);
    assert_int_not_equal(location, 0);
    assert_int_equal(native_names_locate(fixture->names, process, address, false, false), location);
    /* A return address right behind is the same place. */
    assert_int_equal(native_names_locate(fixture->names, process, address + 1, false, true),
                     location);
    struct frame_id id = native_names_frame(fixture->names, location);
    assert_int_equal(native_names_frame(fixture->names, location).index, id.index);
    return *frame_table_get(&fixture->profile->frames, id);
}

static void assert_frame(struct fixture *fixture, uint64_t process, uint64_t address,
                         enum frame_kind kind, const char *name, const char *module) {
    struct frame frame = frame_at(fixture, process, address);
    assert_int_equal(frame.kind, kind);
    assert_string_equal(profile_text(fixture->profile, frame.name).data, name);
    assert_string_equal(profile_text(fixture->profile, frame.module).data, module);
}

static void assert_kind(struct fixture *fixture, uint64_t address, enum location_kind kind) {
    assert_int_equal(native_names_kind(fixture->names, native_names_locate(fixture->names, 1,
                                                                           address, false, false)),
                     kind);
}

static void files_by_offset(void **state) {
    (void)state;
    struct fixture fixture = open_default();
    const char *shapes = data_path("symbol/shapes.so");
    /* The whole code, then a part of it at another place, as V8 maps its builtins. */
    map(&fixture, 1, base, 0x1000, 0, shapes);
    map(&fixture, 1, base + 0x10000, 0x80, 0x620, shapes);
    assert_frame(&fixture, 1, base + 0x600, FRAME_CPP, "read_file", shapes);
    assert_frame(&fixture, 1, base + 0x62f, FRAME_CPP, "read_file", shapes);
    assert_frame(&fixture, 1, base + 0x630, FRAME_CPP, "outer", shapes);
    assert_frame(&fixture, 1, base + 0x6e0, FRAME_CPP, "node::fs::Read", shapes);
    assert_frame(&fixture, 1, base + 0x10000, FRAME_CPP, "read_file", shapes);
    assert_frame(&fixture, 1, base + 0x10010, FRAME_CPP, "outer", shapes);
    assert_frame(&fixture, 1, base + 0x5fe, FRAME_LIBRARY, "", shapes);
    assert_frame(&fixture, 1, base + 0x1000, FRAME_UNACCOUNTED, "[unknown]", "");
    assert_kind(&fixture, base, LOCATION_FILE);
    assert_kind(&fixture, base - 1, LOCATION_NOWHERE);
    /* One place, whoever maps it where. */
    map(&fixture, 2, base * 2, 0x1000, 0, shapes);
    assert_int_equal(native_names_locate(fixture.names, 1, base + 0x600, false, false),
                     native_names_locate(fixture.names, 2, base * 2 + 0x601, false, true));
    native_names_finish(fixture.names);
    assert_int_equal(fixture.profile->library_count, 1);
    assert_true(fixture.profile->libraries[0].symbol_count > 10);
    assert_int_equal(fixture.profile->libraries[0].complaint.index, 0);
    assert_int_equal(fixture.profile->warnings.size, 0);
    close_names(&fixture);
}

static void complaint_of(const struct native_mapping *mapping, const char *binary,
                         const char *complaint) {
    struct fixture fixture =
        open_names((struct symbol_options){.mode = SYMBOLS_FROM_FILES, .apply_to = binary},
                   (struct native_names_options){0});
    native_names_map(fixture.names, mapping);
    struct frame frame = frame_at(&fixture, mapping->process_id, mapping->start + 0x600);
    assert_int_equal(frame.kind, *complaint ? FRAME_LIBRARY : FRAME_CPP);
    native_names_finish(fixture.names);
    assert_int_equal(fixture.profile->library_count, 1);
    assert_string_equal(profile_text(fixture.profile, fixture.profile->libraries[0].complaint).data,
                        complaint);
    close_names(&fixture);
}

static void files_of_another_build(void **state) {
    (void)state;
    char shapes[4096], node[4200];
    snprintf(shapes, sizeof shapes, "%s", data_path("symbol/shapes.so"));
    snprintf(node, sizeof node, "%s (deleted)", shapes);
    /* Without a build id by where its mapping ends. */
    struct native_mapping mapping = mapping_of(1, base, 0x1000, 0, shapes);
    complaint_of(&mapping, NULL, "");
    mapping.size = 0x3000;
    complaint_of(&mapping, NULL, "is not the file that was mapped: its code has another size");
    /* With one by that alone. */
    mapping.build_id = shapes_id;
    mapping.build_id_size = sizeof shapes_id;
    complaint_of(&mapping, NULL, "");
    unsigned char padded[20] = {0};
    memcpy(padded, shapes_id, sizeof shapes_id);
    mapping.build_id = padded;
    mapping.build_id_size = sizeof padded;
    complaint_of(&mapping, NULL, "");
    mapping.path = text_of(node);
    complaint_of(&mapping, NULL, "");
    mapping.build_id_size = 0;
    complaint_of(&mapping, NULL,
                 "was deleted or replaced, and the recording has no build id to find it by");
    padded[3] = 0;
    mapping.build_id_size = sizeof padded;
    complaint_of(&mapping, NULL, "has changed since the recording: its build id is another");
    mapping = mapping_of(1, base, 0x1000, 0, "/nowhere/at/all/node");
    complaint_of(&mapping, NULL, "no such file");
    complaint_of(&mapping, shapes, "");
    mapping.size = 0x2000;
    complaint_of(&mapping, shapes,
                 "was not mapped from the file given with --apply-to: its code has another size");
    mapping.build_id = padded;
    mapping.build_id_size = sizeof padded;
    complaint_of(&mapping, shapes,
                 "was not mapped from the file given with --apply-to: its build id is another");
    mapping = mapping_of(1, base, 0x1000, 0, "inode");
    complaint_of(&mapping, NULL, "is not in a file of this machine");
}

static void build_ids_that_come_later(void **state) {
    (void)state;
    struct fixture fixture = open_default();
    struct text shapes = text_of(data_path("symbol/shapes.so"));
    map(&fixture, 1, base, 0x3000, 0, shapes.data);
    map(&fixture, 1, base * 2, 0x1000, 0, "/nowhere/other.so");
    code_location location = native_names_locate(fixture.names, 1, base + 0x600, false, false);
    native_names_build_id(fixture.names, shapes, shapes_id, sizeof shapes_id);
    native_names_build_id(fixture.names, TEXT("/not/mapped"), shapes_id, sizeof shapes_id);
    struct frame_id id = native_names_frame(fixture.names, location);
    struct frame frame = *frame_table_get(&fixture.profile->frames, id);
    assert_string_equal(profile_text(fixture.profile, frame.name).data, "read_file");
    close_names(&fixture);
}

static void mappings_change(void **state) {
    (void)state;
    struct fixture fixture = open_default();
    const char *shapes = data_path("symbol/shapes.so");
    map(&fixture, 1, base, 0x1000, 0, shapes);
    assert_frame(&fixture, 1, base + 0x600, FRAME_CPP, "read_file", shapes);
    /* Cut at both sides: what stays keeps its offset. */
    map(&fixture, 1, base + 0x610, 0x10, 0, "[vsyscall]");
    assert_frame(&fixture, 1, base + 0x60f, FRAME_CPP, "read_file", shapes);
    assert_frame(&fixture, 1, base + 0x610, FRAME_LIBRARY, "", "[vsyscall]");
    assert_frame(&fixture, 1, base + 0x620, FRAME_CPP, "read_file", shapes);
    assert_frame(&fixture, 1, base + 0x630, FRAME_CPP, "outer", shapes);
    native_names_fork(fixture.names, 1, 2);
    native_names_fork(fixture.names, 1, 1);
    struct native_mapping data = mapping_of(1, base + 0x600, 0x10, 0, "/data");
    data.executable = false;
    native_names_map(fixture.names, &data);
    assert_frame(&fixture, 1, base + 0x600, FRAME_UNACCOUNTED, "[unknown]", "");
    assert_frame(&fixture, 2, base + 0x600, FRAME_CPP, "read_file", shapes);
    map(&fixture, 2, base * 2, 0x1000, 0, shapes);
    assert_frame(&fixture, 1, base * 2 + 0x600, FRAME_UNACCOUNTED, "[unknown]", "");
    native_names_exec(fixture.names, 2);
    assert_frame(&fixture, 2, base * 2 + 0x600, FRAME_UNACCOUNTED, "[unknown]", "");
    assert_frame(&fixture, 1, base + 0x630, FRAME_CPP, "outer", shapes);
    /* Nonsense changes nothing. */
    map(&fixture, 1, base, 0, 0, shapes);
    map(&fixture, 1, UINT64_MAX - 10, 20, 0, shapes);
    map(&fixture, 1, base * 2, 0x1000, UINT64_MAX - 10, shapes);
    assert_frame(&fixture, 1, UINT64_MAX - 5, FRAME_UNACCOUNTED, "[unknown]", "");
    assert_frame(&fixture, 1, base * 2 + 0x600, FRAME_LIBRARY, "", shapes);
    assert_frame(&fixture, 77, base, FRAME_UNACCOUNTED, "[unknown]", "");
    close_names(&fixture);
}

static void compiled_code(void **state) {
    (void)state;
    const char *path = data_path("field-cases/fc22-perf-31.map");
    struct given_map given[] = {{31, path}, {32, "/nowhere/perf.map"}};
    struct fixture fixture =
        open_names((struct symbol_options){.mode = SYMBOLS_FROM_FILES},
                   (struct native_names_options){.maps = given, .map_count = 2});
    map(&fixture, 31, 0x2000000, 0x600, 0x2000000, "//anon");
    map(&fixture, 31, 0x2000600, 0x400, 0, "");
    map(&fixture, 32, 0x2000000, 0x1000, 0, "[anon:v8]");
    struct frame main = frame_at(&fixture, 31, 0x2000010);
    assert_int_equal(main.kind, FRAME_JAVASCRIPT);
    assert_int_equal(main.tier, FRAME_INTERPRETED);
    assert_int_equal(main.line, 1);
    assert_string_equal(profile_text(fixture.profile, main.name).data, "main");
    assert_string_equal(profile_text(fixture.profile, main.file).data, "/srv/app/index.js");
    assert_frame(&fixture, 31, 0x2000150, FRAME_JAVASCRIPT, "old", "");
    assert_frame(&fixture, 31, 0x2000190, FRAME_JAVASCRIPT, "young", "");
    assert_frame(&fixture, 31, 0x2000510, FRAME_REGEXP, "a b;c", "");
    assert_frame(&fixture, 31, 0x2000600, FRAME_JAVASCRIPT, "[js unknown]", "");
    assert_frame(&fixture, 31, 0x2000710, FRAME_JAVASCRIPT, "[js unknown]", "");
    assert_frame(&fixture, 31, 0x1fffff0, FRAME_UNACCOUNTED, "[unknown]", "");
    /* Not in a mapping that is known, but a map names it. */
    assert_frame(&fixture, 31, 0x7ffffffff008, FRAME_JAVASCRIPT, "upper", "");
    assert_frame(&fixture, 32, 0x2000010, FRAME_JAVASCRIPT, "[js unknown]", "");
    /* The end of a file that grows no more is a line. */
    struct frame cut = frame_at(&fixture, 31, 0x2000810);
    assert_true(text_starts_with(profile_text(fixture.profile, cut.name), TEXT("cut")));
    assert_int_equal(native_names_kind(fixture.names, native_names_locate(fixture.names, 31,
                                                                          0x2000710, false, false)),
                     LOCATION_COMPILED);
    /* A child's map is not its parent's. */
    native_names_fork(fixture.names, 31, 33);
    assert_frame(&fixture, 33, 0x2000010, FRAME_JAVASCRIPT, "[js unknown]", "");
    struct native_names_summary summary = native_names_finish(fixture.names);
    assert_int_equal(summary.compiled_unnamed, 3);
    assert_true(summary.any_map);
    assert_int_equal(summary.map_overlaps, 1);
    const struct warning *lines = warnings_find(&fixture.profile->warnings, "perf-map-line");
    assert_non_null(lines);
    assert_int_equal(lines->count, 2);
    assert_int_equal(lines->line, 6);
    const struct warning *refused = warnings_find(&fixture.profile->warnings, "perf-map-refused");
    assert_non_null(refused);
    assert_string_equal(refused->text, "--map: /nowhere/perf.map: no such file");
    assert_int_equal(fixture.profile->warnings.size, 2);
    close_names(&fixture);
}

/* A map that is compressed, whole and cut. */
static void compressed_maps(void **state) {
    (void)state;
    static const char text[] =
        "2000000 100 JS:*first /a.js:1:1\n2000100 100 JS:*second /a.js:2:1\n";
    gzFile file = gzopen("perf.map.gz", "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, text, sizeof text - 1), (int)sizeof text - 1);
    assert_int_equal(gzclose(file), Z_OK);
    struct given_map given[] = {{31, "perf.map.gz"}};
    for (int cut = 0; cut < 2; cut++) {
        struct fixture fixture =
            open_names((struct symbol_options){.mode = SYMBOLS_FROM_FILES},
                       (struct native_names_options){.maps = given, .map_count = 1});
        map(&fixture, 31, 0x2000000, 0x600, 0x2000000, "//anon");
        assert_frame(&fixture, 31, 0x2000010, FRAME_JAVASCRIPT, "first", "");
        assert_frame(&fixture, 31, 0x2000110, FRAME_JAVASCRIPT, "second", "");
        native_names_finish(fixture.names);
        const struct warning *warning = warnings_find(&fixture.profile->warnings, "perf-map-cut");
        assert_int_equal(warning != NULL, cut == 1);
        close_names(&fixture);
        struct stat status;
        assert_int_equal(stat("perf.map.gz", &status), 0);
        assert_int_equal(truncate("perf.map.gz", status.st_size - 6), 0);
    }
    unlink("perf.map.gz");
}

/* Adds `count` samples whose innermost function is at `address`. */
static void add_samples_at(struct fixture *fixture, uint64_t address, uint64_t count) {
    code_location location = native_names_locate(fixture->names, 31, address, false, false);
    struct frame_id frame = native_names_frame(fixture->names, location);
    struct sample sample = {
        .stack = stack_table_intern(&fixture->profile->stacks, (struct stack_id){0}, frame),
        .count = count,
        .weight = {.whole = count}};
    profile_add_sample(fixture->profile, sample);
}

static void reused_addresses(void **state) {
    (void)state;
    /* The third line takes the place of the first; the fourth is the second one again. */
    FILE *file = fopen("perf-31.map", "w");
    assert_non_null(file);
    fputs("2000000 100 JS:*old /a.js:1:1\n2000100 100 JS:*steady /a.js:2:1\n"
          "2000080 40 JS:*new /a.js:3:1\n2000100 100 JS:*steady /a.js:2:1\n",
          file);
    fclose(file);
    struct given_map given[] = {{31, "perf-31.map"}};
    for (uint64_t hits = 5; hits <= 6; hits++) {
        struct fixture fixture =
            open_names((struct symbol_options){.mode = SYMBOLS_FROM_FILES},
                       (struct native_names_options){.maps = given, .map_count = 1});
        map(&fixture, 31, 0x2000000, 0x600, 0x2000000, "//anon");
        add_samples_at(&fixture, 0x2000110, 100 - hits);
        add_samples_at(&fixture, 0x2000090, hits);
        add_samples_at(&fixture, 0x5000000, 1000); /* no compiled code */
        native_names_finish(fixture.names);
        const struct warning *warning =
            warnings_find(&fixture.profile->warnings, "perf-map-reused");
        assert_int_equal(warning != NULL, hits == 6);
        if (warning)
            assert_true(text_starts_with(text_of(warning->text), TEXT("6 % of the samples")));
        close_names(&fixture);
    }
    unlink("perf-31.map");
}

/* A return address that no call leaves: behind a gap, and at a builtin of V8. */
static void addresses_called(void **state) {
    (void)state;
    struct fixture fixture = open_default();
    /* shapes.so: nothing from 0x21090 on, `handwritten` from 0x210a0 on, 0x600 bytes of the file
     * being at 0x21000. */
    map(&fixture, 1, base, 0x1000, 0, data_path("symbol/shapes.so"));
    code_location location = native_names_locate(fixture.names, 1, base + 0x6a0, false, true);
    struct frame_id id = native_names_frame(fixture.names, location);
    const struct frame *frame = frame_table_get(&fixture.profile->frames, id);
    assert_string_equal(profile_text(fixture.profile, frame->name).data, "handwritten");
    /* `part` ends where `whole` goes on: the call before is meant. */
    location = native_names_locate(fixture.names, 1, base + 0x680, false, true);
    id = native_names_frame(fixture.names, location);
    frame = frame_table_get(&fixture.profile->frames, id);
    assert_string_equal(profile_text(fixture.profile, frame->name).data, "part");
    close_names(&fixture);
}

/* A file in the form of `perf inject --jit`: one function of 16 bytes, which
 * stands at the offset 0x121. No mapping of a process ends so oddly. */
static void compiled_code_in_files(void **state) {
    (void)state;
    struct fixture fixture = open_default();
    map(&fixture, 1, base, 0x18, 0x121, data_path("symbol/jitted-31-7.so"));
    assert_frame(&fixture, 1, base + 0xf, FRAME_JAVASCRIPT, "handler", "");
    struct frame frame = frame_at(&fixture, 1, base);
    assert_int_equal(frame.tier, FRAME_OPTIMISED);
    assert_int_equal(frame.line, 12);
    close_names(&fixture);
}

static void rows_and_no_symbols(void **state) {
    (void)state;
    FILE *file = fopen("rows.tsv", "w");
    assert_non_null(file);
    fputs("/bin/fixed\tnm\t401000\t20\tT\tfixed_one\n/lib/moved.so\tnm\t1010\t10\tT\tmoved(int)\n",
          file);
    fclose(file);
    struct error error = {0};
    struct warnings warnings = {0};
    struct symbol_rows rows = {0};
    struct input *input = input_open("rows.tsv", 0, &error);
    assert_non_null(input);
    assert_true(symbol_rows_read(&rows, input, &warnings, &error));
    input_close(input);
    unlink("rows.tsv");
    struct fixture fixture =
        open_names((struct symbol_options){.mode = SYMBOLS_FROM_ROWS, .rows = &rows},
                   (struct native_names_options){0});
    map(&fixture, 1, 0x401000, 0x1000, 0x1000, "/bin/fixed");
    map(&fixture, 1, base + 0x1000, 0x1000, 0x1000, "/lib/moved.so");
    assert_frame(&fixture, 1, 0x40101f, FRAME_CPP, "fixed_one", "/bin/fixed");
    assert_frame(&fixture, 1, 0x401020, FRAME_LIBRARY, "", "/bin/fixed");
    assert_frame(&fixture, 1, base + 0x1018, FRAME_CPP, "moved", "/lib/moved.so");
    close_names(&fixture);
    symbol_rows_free(&rows);

    const char *shapes = data_path("symbol/shapes.so");
    fixture = open_names((struct symbol_options){.mode = SYMBOLS_NONE},
                         (struct native_names_options){.no_symbols = true, .live = true});
    map(&fixture, 1, base, 0x1000, 0, shapes);
    assert_frame(&fixture, 1, base + 0x600, FRAME_LIBRARY, "", shapes);
    code_location kernel = native_names_locate(fixture.names, 1, 0xffffffff81000000, true, false);
    struct frame_id id = native_names_frame(fixture.names, kernel);
    assert_string_equal(
        profile_text(fixture.profile, frame_table_get(&fixture.profile->frames, id)->name).data,
        "[kernel]");
    assert_false(native_names_finish(fixture.names).kernel_unnamed);
    close_names(&fixture);
}

static void another_kernel(void **state) {
    (void)state;
    struct fixture fixture = open_default();
    code_location kernel = native_names_locate(fixture.names, 1, 0xffffffff81000000, true, false);
    assert_int_equal(native_names_kind(fixture.names, kernel), LOCATION_KERNEL);
    /* The same number in a process is another place. */
    assert_int_not_equal(native_names_locate(fixture.names, 1, 0xffffffff81000000, false, false),
                         kernel);
    struct frame_id id = native_names_frame(fixture.names, kernel);
    const struct frame *frame = frame_table_get(&fixture.profile->frames, id);
    assert_int_equal(frame->kind, FRAME_KERNEL);
    assert_string_equal(profile_text(fixture.profile, frame->name).data, "[kernel]");
    map(&fixture, 1, base, 0x2000, 0, "[vdso]");
    assert_frame(&fixture, 1, base + 0x800, FRAME_LIBRARY, "", "[vdso]");
    struct native_names_summary summary = native_names_finish(fixture.names);
    assert_true(summary.kernel_unnamed);
    assert_non_null(summary.kernel_reason);
    close_names(&fixture);
}

/* Many addresses, more than the cache holds: each keeps its number. */
static void many_addresses(void **state) {
    (void)state;
    enum { COUNT = 200000 };
    struct fixture fixture = open_default();
    map(&fixture, 1, base, COUNT, 0, "/nowhere/large.so");
    map(&fixture, 2, base, COUNT, 0, "/nowhere/other.so");
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t location = native_names_locate(fixture.names, 1, base + i, false, false);
        assert_int_equal(location, 2 * i + 1);
        assert_int_equal(native_names_locate(fixture.names, 2, base + i, false, false), 2 * i + 2);
    }
    for (uint32_t i = 0; i < COUNT; i += 7)
        assert_int_equal(native_names_locate(fixture.names, 1, base + i + 1, false, true),
                         2 * i + 1);
    close_names(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_by_offset),
        cmocka_unit_test(files_of_another_build),
        cmocka_unit_test(build_ids_that_come_later),
        cmocka_unit_test(mappings_change),
        cmocka_unit_test(compiled_code),
        cmocka_unit_test(compressed_maps),
        cmocka_unit_test(reused_addresses),
        cmocka_unit_test(addresses_called),
        cmocka_unit_test(compiled_code_in_files),
        cmocka_unit_test(rows_and_no_symbols),
        cmocka_unit_test(another_kernel),
        cmocka_unit_test(many_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
