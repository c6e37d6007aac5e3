// SPDX-License-Identifier: MIT
// Where the perf map of a process is looked for, and in which order.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/symbol/perf_map_search.h"

/* No process has this PID: it is above the kernel's limit. */
static const uint64_t nobody = 99999999;

static void write_map(const char *path) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("10 10 name\n", file);
    fclose(file);
}

/* The search finds `path`, or nothing (NULL). */
static void assert_found(const struct perf_map_places *places, uint64_t process, const char *path) {
    struct buffer found = {0};
    int descriptor = -1;
    enum perf_map_found result = perf_map_search(places, process, &descriptor, &found);
    assert_int_equal(result, path ? PERF_MAP_FOUND : PERF_MAP_NONE);
    if (path) {
        assert_true(text_equal(buffer_text(&found), text_of(path)));
        assert_int_equal(close(descriptor), 0);
    }
    buffer_free(&found);
}

static void places_in_order(void **state) {
    (void)state;
    struct given_map given = {nobody, "given.map"};
    struct perf_map_places places = {.maps = &given, .map_count = 1};
    mkdir("maps", 0700);
    mkdir("root", 0700);
    mkdir("root/tmp", 0700);
    write_map("given.map");
    write_map("maps/perf-99999999.map");
    write_map("root/tmp/perf-99999999.map");
    assert_found(&places, nobody, "given.map");
    assert_found(&places, nobody + 1, NULL);
    places.map_folder = "maps";
    assert_found(&places, nobody, "given.map");
    places.map_count = 0;
    assert_found(&places, nobody, "maps/perf-99999999.map");
    places.map_folder = NULL;
    assert_found(&places, nobody, NULL);
    places.target_root = "root";
    assert_found(&places, nobody, "root/tmp/perf-99999999.map");
    places.map_folder = "maps";
    assert_found(&places, nobody, "maps/perf-99999999.map");
    unlink("given.map");
    unlink("maps/perf-99999999.map");
    unlink("root/tmp/perf-99999999.map");
    rmdir("maps");
    rmdir("root/tmp");
    rmdir("root");
}

static void refused_and_gone(void **state) {
    (void)state;
    struct buffer path = {0};
    int descriptor = -1;
    struct perf_map_places places = {.live = true};
    assert_int_equal(perf_map_search(&places, nobody, &descriptor, &path), PERF_MAP_GONE);
    assert_int_equal(mkdir("maps", 0700), 0);
    assert_int_equal(mkfifo("maps/perf-99999999.map", 0600), 0);
    places = (struct perf_map_places){.map_folder = "maps"};
    assert_int_equal(perf_map_search(&places, nobody, &descriptor, &path), PERF_MAP_REFUSED);
    assert_true(
        text_equal(buffer_text(&path),
                   TEXT("maps/perf-99999999.map is not a regular file, so it is not used")));
    unlink("maps/perf-99999999.map");
    rmdir("maps");
    buffer_free(&path);
}

/* Starts a program that waits, with an argument that only we read. */
static pid_t start_waiting(const char *argument, const char *next) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(ends[1], 3);
        if (ends[1] != 3)
            close(ends[1]);
        execl("/bin/sh", "sh", "-c", "echo >&3; exec 3>&-; while sleep 60; do :; done", argument,
              next, (char *)NULL);
        _exit(127);
    }
    char byte;
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    close(ends[1]);
    return process;
}

static void folder_of_the_command_line(void **state) {
    (void)state;
    static const char *const arguments[][2] = {
        {"--perf-basic-prof-path=maps", "x"},
        {"--perf_basic_prof_path", "maps"},
        {"--perf-basic-prof-path", "ABSOLUTE"},
    };
    char folder[4096], file[4200], expected[4300];
    mkdir("maps", 0700);
    assert_non_null(realpath("maps", folder));
    for (size_t i = 0; i < 3; i++) {
        bool absolute = strcmp(arguments[i][1], "ABSOLUTE") == 0;
        pid_t process = start_waiting(arguments[i][0], absolute ? folder : arguments[i][1]);
        snprintf(file, sizeof file, "maps/perf-%d.map", (int)process);
        write_map(file);
        if (absolute)
            snprintf(expected, sizeof expected, "/proc/%d/root%s/perf-%d.map", (int)process, folder,
                     (int)process);
        else
            snprintf(expected, sizeof expected, "/proc/%d/cwd/%s", (int)process, file);
        struct perf_map_places places = {.live = true};
        assert_found(&places, (uint64_t)process, expected);
        places.live = false;
        assert_found(&places, (uint64_t)process, NULL);
        kill(process, SIGKILL);
        waitpid(process, NULL, 0);
        unlink(file);
    }
    rmdir("maps");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_in_order),
        cmocka_unit_test(refused_and_gone),
        cmocka_unit_test(folder_of_the_command_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
