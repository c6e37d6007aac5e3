// SPDX-License-Identifier: MIT
// Perf maps. The names expected of tests/data/field-cases/fc22-perf-31.map were read off its lines.
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

#include "profiler/symbol/perf_map.h"

static void assert_name(const struct perf_map *map, uint64_t address, const char *name) {
    uint32_t entry = perf_map_find(map, address);
    if (!name) {
        assert_int_equal(entry, 0);
        return;
    }
    assert_int_not_equal(entry, 0);
    assert_string_equal(perf_map_name(map, entry).data, name);
    assert_int_equal(perf_map_name(map, entry).size, strlen(name));
}

static void feed(struct perf_map *map, const char *text) {
    perf_map_feed(map, text_of(text));
}

/* The bytes of a file of tests/data/field-cases; to be freed. */
static char *read_data(const char *name, size_t *size) {
    char path[4096];
    const char *source = getenv("TICKFLAME_SOURCE");
    assert_non_null(source); /* absolute; set by the runner of the tests */
    snprintf(path, sizeof path, "%s/tests/data/field-cases/%s", source, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = malloc(65536);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 65536, file);
    fclose(file);
    return bytes;
}

static void check_odd_lines(const struct perf_map *map) {
    assert_name(map, 0x1fffff0, NULL);
    assert_name(map, 0x1ffffff, NULL);
    assert_name(map, 0x2000010, "JS:~main /srv/app/index.js:1:1");
    assert_name(map, 0x200003f, "JS:~main /srv/app/index.js:1:1");
    assert_name(map, 0x2000040, NULL);
    assert_name(map, 0x2000150, "LazyCompile:*old /srv/app/a.js:1:1");
    assert_name(map, 0x2000190, "JS:*young /srv/app/b.js:2:2");
    assert_name(map, 0x20001bf, "JS:*young /srv/app/b.js:2:2");
    assert_name(map, 0x20001d0, "LazyCompile:*old /srv/app/a.js:1:1");
    assert_name(map, 0x2000300, NULL);
    assert_name(map, 0x2000410, "JS:*prefixed /srv/app/c.js:1:1");
    assert_name(map, 0x2000510, "RegExp:a b;c");
    assert_name(map, 0x2000600, NULL);
    assert_name(map, 0x2000710, NULL);
    assert_name(map, 0x7ffffffff008, "JS:*upper /srv/app/u.js:1:1");
    assert_int_equal(map->unusable, 2);
    assert_int_equal(map->first_unusable, 6);
    assert_int_equal(map->overlaps, 1);
}

static void odd_lines(void **state) {
    (void)state;
    size_t size;
    char *bytes = read_data("fc22-perf-31.map", &size);
    for (size_t piece = 0; piece < 32; piece++) {
        struct perf_map map = {0};
        for (size_t at = 0; at < size;) {
            size_t count = piece && piece < size - at ? piece : size - at;
            perf_map_feed(&map, (struct text){bytes + at, count});
            at += count;
        }
        check_odd_lines(&map);
        /* The last line has no newline: more of it may come. */
        assert_name(&map, 0x2000810, NULL);
        perf_map_end(&map);
        check_odd_lines(&map);
        assert_name(&map, 0x2000810, "JS:*cut /srv/app/cu");
        assert_int_equal(map.lines, 10);
        perf_map_free(&map);
    }
    free(bytes);
}

static void later_lines_win(void **state) {
    (void)state;
    struct perf_map map = {0};
    feed(&map, "100 100 outer\n140 20 inside\n");
    assert_name(&map, 0x13f, "outer");
    assert_name(&map, 0x140, "inside");
    assert_name(&map, 0x160, "outer");
    feed(&map, "80 100 below\n1f0 20 above\n");
    assert_name(&map, 0x100, "below");
    assert_name(&map, 0x160, "below");
    assert_name(&map, 0x17f, "below");
    assert_name(&map, 0x180, "outer");
    assert_name(&map, 0x1f0, "above");
    uint32_t outer = perf_map_find(&map, 0x180);
    feed(&map, "0 1000 all\n");
    assert_name(&map, 0x180, "all");
    /* What was found before keeps its name. */
    assert_string_equal(perf_map_name(&map, outer).data, "outer");
    assert_int_equal(map.overlaps, 4);
    feed(&map, "180 10 again\n1000 10 next\n");
    assert_int_equal(map.overlaps, 5);
    assert_name(&map, 0x1000, "next");
    perf_map_free(&map);
}

static void hostile_lines(void **state) {
    (void)state;
    struct perf_map map = {0};
    feed(&map, "ffffffffffffffff 1 top\n");    /* no end */
    feed(&map, "fffffffffffffff0 10 wraps\n"); /* its end is 2^64 */
    feed(&map, "fffffffffffffff0 f high\n10000000000000000 1 long\n");
    feed(&map, "-1 10 minus\n 10 10 blank\n10  10 two\n10 10\n10 10 \nx y z\n\n\r\n");
    assert_int_equal(map.unusable, 9);
    assert_int_equal(map.first_unusable, 1);
    assert_name(&map, UINT64_MAX, NULL);
    assert_name(&map, UINT64_MAX - 1, "high");
    assert_name(&map, 0x10, NULL);
    perf_map_free(&map);

    /* A line without an end is not kept without an end. */
    char *piece = malloc(65536);
    assert_non_null(piece);
    memset(piece, 'a', 65536);
    feed(&map, "10 10 ");
    for (size_t i = 0; i < 2 * PERF_MAP_LINE_MAX / 65536; i++)
        perf_map_feed(&map, (struct text){piece, 65536});
    assert_true(map.part.capacity < 2 * PERF_MAP_LINE_MAX);
    feed(&map, "\n20 10 after\n");
    assert_int_equal(map.unusable, 1);
    assert_name(&map, 0x10, NULL);
    assert_name(&map, 0x20, "after");
    free(piece);
    perf_map_free(&map);
}

/* Random lines against an array with the last line of each address. */
static void random_lines(void **state) {
    (void)state;
    static uint32_t truth[2000];
    struct perf_map map = {0};
    struct buffer text = {0};
    uint64_t numbers = 3;
    memset(truth, 0, sizeof truth);
    for (uint32_t line = 1; line <= 3000; line++) {
        numbers = numbers * 6364136223846793005u + 1442695040888963407u;
        size_t start = (numbers >> 33) % 1900, size = (numbers >> 50) % 100;
        buffer_append_format(&text, "%zx %zX f%u\n", start, size, line);
        for (size_t i = start; i < start + size; i++)
            truth[i] = line;
    }
    perf_map_feed(&map, buffer_text(&text));
    for (size_t i = 0; i < 2000; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", truth[i]);
        assert_name(&map, i, truth[i] ? name : NULL);
    }
    buffer_free(&text);
    perf_map_free(&map);
}

static void write_file(const char *path, const char *mode, const char *text) {
    FILE *file = fopen(path, mode);
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void growing_file(void **state) {
    (void)state;
    static const struct perf_map_owners owners = {0};
    struct perf_map map = {0};
    struct error error;
    unlink("growing.map");
    assert_int_equal(perf_map_open("growing.map", &owners, &error), -1);
    assert_int_equal(error.kind, ERROR_NONE);
    write_file("growing.map", "w", "10 10 first\n20 10 sec");
    int descriptor = perf_map_open("growing.map", &owners, &error);
    assert_true(descriptor >= 0);
    assert_true(perf_map_read(&map, descriptor));
    assert_false(perf_map_read(&map, descriptor));
    assert_name(&map, 0x10, "first");
    assert_name(&map, 0x20, NULL);
    write_file("growing.map", "a", "ond\n18 8 third\n");
    assert_true(perf_map_read(&map, descriptor));
    assert_name(&map, 0x10, "first");
    assert_name(&map, 0x18, "third");
    assert_name(&map, 0x20, "second");
    /* Begun anew: the half line of before is no part of it. */
    write_file("growing.map", "a", "30 10 half");
    assert_false(perf_map_read(&map, descriptor));
    write_file("growing.map", "w", "40 10 anew\n");
    assert_true(perf_map_read(&map, descriptor));
    assert_name(&map, 0x40, "anew");
    assert_int_equal(map.unusable, 0);
    close(descriptor);
    unlink("growing.map");
    perf_map_free(&map);
}

static void write_all(int descriptor, const char *text) {
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
}

/* As Node 18 writes it when worker threads start. */
static void several_writers(void **state) {
    (void)state;
    struct perf_map map = {0};
    struct error error;
    int flags = O_WRONLY | O_CREAT | O_TRUNC;
    int first = open("shared.map", flags, 0600);
    write_all(first, "10 10 first\n20 10 second\n");
    int descriptor = perf_map_open("shared.map", &(struct perf_map_owners){0}, &error);
    assert_true(perf_map_read(&map, descriptor));
    /* The second one begins it anew, and the first writes on behind a hole. */
    int second = open("shared.map", flags, 0600);
    write_all(first, "30 10 third\n");
    assert_true(perf_map_read(&map, descriptor));
    write_all(second, "40 10 fourth\n50 ");
    write_all(first, "60 1");
    assert_true(perf_map_read(&map, descriptor));
    assert_name(&map, 0x10, "first");
    assert_name(&map, 0x30, "third");
    assert_name(&map, 0x40, "fourth");
    write_all(second, "10 fif");
    write_all(first, "0 sixth\n");
    assert_true(perf_map_read(&map, descriptor));
    assert_name(&map, 0x60, "sixth");
    /* A third one does so too, and the second writes on as well. */
    int third = open("shared.map", flags, 0600);
    write_all(second, "th\n70 10 seventh\n");
    write_all(third, "80 10 eighth\n");
    assert_int_equal(lseek(first, 1 << 20, SEEK_CUR) > 0, 1);
    write_all(first, "90 10 ninth\n");
    assert_true(perf_map_read(&map, descriptor));
    assert_name(&map, 0x70, "seventh");
    assert_name(&map, 0x80, "eighth");
    assert_name(&map, 0x90, "ninth");
    write_all(second, "a0 10 tenth\n");
    assert_true(perf_map_read(&map, descriptor));
    assert_name(&map, 0xa0, "tenth");
    assert_name(&map, 0x20, "second");
    /* The ends of the lines that were begun in what the third threw away. */
    assert_true(map.unusable <= 2);
    close(first);
    close(second);
    close(third);
    close(descriptor);
    unlink("shared.map");
    perf_map_free(&map);
}

static void assert_refused(const char *path, const struct perf_map_owners *owners,
                           const char *text) {
    struct error error;
    assert_int_equal(perf_map_open(path, owners, &error), -1);
    assert_int_equal(error.kind, ERROR_INPUT);
    assert_string_equal(error.text, text);
}

static void files_of_others(void **state) {
    (void)state;
    struct perf_map_owners owners = {0};
    struct error error;
    unlink("link.map");
    unlink("pipe.map");
    write_file("mine.map", "w", "10 10 name\n");
    assert_int_equal(symlink("mine.map", "link.map"), 0);
    assert_int_equal(mkfifo("pipe.map", 0600), 0);
    assert_refused("link.map", &owners, "link.map is a symbolic link");
    assert_refused("pipe.map", &owners, "pipe.map is not a regular file");
    assert_refused(".", &owners, ". is not a regular file");
    assert_refused("/dev/null", &owners, "/dev/null is not a regular file");
    int descriptor = perf_map_open("link.map", &(struct perf_map_owners){.any = true}, &error);
    assert_true(descriptor >= 0);
    close(descriptor);
    /* Only root can give files away. */
    if (geteuid() == 0) {
        assert_int_equal(chown("mine.map", 12345, 12345), 0);
        assert_refused("mine.map", &owners, "mine.map belongs to another user (12345)");
        owners = (struct perf_map_owners){.has_process_user = true, .process_user = 12346};
        assert_refused("mine.map", &owners, "mine.map belongs to another user (12345)");
        owners.process_user = 12345;
        descriptor = perf_map_open("mine.map", &owners, &error);
        assert_true(descriptor >= 0);
        close(descriptor);
    }
    unlink("mine.map");
    unlink("link.map");
    unlink("pipe.map");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odd_lines),       cmocka_unit_test(later_lines_win),
        cmocka_unit_test(hostile_lines),   cmocka_unit_test(random_lines),
        cmocka_unit_test(growing_file),    cmocka_unit_test(several_writers),
        cmocka_unit_test(files_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
