// SPDX-License-Identifier: MIT
/* The parsers of what /proc and /sys hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/live/proc_file.h"

static void lines_are_cut(void **state) {
    (void)state;
    struct text rest = TEXT("a\n\nb");
    struct text line;
    assert_true(proc_next_line(&rest, &line) && text_equal(line, TEXT("a")));
    assert_true(proc_next_line(&rest, &line) && line.size == 0);
    assert_true(proc_next_line(&rest, &line) && text_equal(line, TEXT("b")));
    assert_false(proc_next_line(&rest, &line));
}

static void status_fields(void **state) {
    (void)state;
    struct text status = TEXT("Name:\tno:de\nTgid:\t12\nUid:\t1000\t1001\t1002\t1003\n"
                              "NSpid:\t3012\t7\nNSpgid:\t5\nEmpty:\nSeccomp:\t2");
    struct text value;
    uint64_t number = 0;
    assert_true(proc_status_field(status, "Name", &value));
    assert_true(text_equal(value, TEXT("no:de")));
    assert_true(proc_status_field(status, "Seccomp", &value));
    assert_true(text_equal(value, TEXT("2")));
    assert_true(proc_status_field(status, "Empty", &value));
    assert_true(value.size == 0);
    assert_false(proc_number_of_list(value, true, &number));
    /* A name is not the start of another. */
    assert_false(proc_status_field(status, "NSp", &value));
    assert_false(proc_status_field(TEXT("Uid"), "Uid", &value));
    assert_true(proc_status_field(status, "NSpid", &value));
    assert_true(proc_number_of_list(value, true, &number) && number == 7);
    assert_true(proc_number_of_list(value, false, &number) && number == 3012);
    assert_false(proc_number_of_list(TEXT("1 x"), true, &number));
}

static void stat_with_any_name(void **state) {
    (void)state;
    char letter = 0;
    pid_t parent = 0;
    assert_true(proc_parse_stat(TEXT("12 (a) Z 3) (x y) S 45 12 12 0"), &letter, &parent));
    assert_int_equal(letter, 'S');
    assert_int_equal(parent, 45);
    assert_false(proc_parse_stat(TEXT("12 (node S 45"), &letter, &parent));
    assert_false(proc_parse_stat(TEXT("12 (node) S"), &letter, &parent));
    assert_false(proc_parse_stat(TEXT("12 (node) Sx 45"), &letter, &parent));
    assert_false(proc_parse_stat(TEXT(""), &letter, &parent));
}

static void mappings(void **state) {
    (void)state;
    struct proc_mapping mapping;
    assert_true(proc_parse_mapping(TEXT("55d0c8a00000-55d0ca500000 r-xp 00c3f000 fe:01 131842   "
                                        "/opt/my node/bin/node (deleted)"),
                                   &mapping));
    assert_true(mapping.start == 0x55d0c8a00000 && mapping.end == 0x55d0ca500000);
    assert_true(mapping.offset == 0xc3f000 && mapping.inode == 131842);
    assert_int_equal(mapping.device_major, 0xfe);
    assert_int_equal(mapping.device_minor, 1);
    assert_true(mapping.readable && !mapping.writable && mapping.executable && !mapping.shared);
    assert_true(text_equal(mapping.path, TEXT("/opt/my node/bin/node (deleted)")));

    assert_true(proc_parse_mapping(TEXT("7ffd1000-7ffd2000 rw-s 00000000 00:00 0 "), &mapping));
    assert_true(mapping.path.size == 0 && mapping.shared && mapping.writable);
    assert_true(proc_parse_mapping(
        TEXT("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0  [vsyscall]"), &mapping));
    assert_true(mapping.start == 0xffffffffff600000);
    assert_true(text_equal(mapping.path, TEXT("[vsyscall]")));

    static const char *const wrong[] = {
        "",
        "55d0c8a00000",
        "2000-1000 r-xp 0 0:0 0",
        "1000-2000 r-x 0 0:0 0",
        "1000-2000 r-xp zz 0:0 0",
        "1000-2000 r-xp 0 00 0",
        "1000-2000 r-xp 0 0:0",
        "11111111111111111-2 r-xp 0 0:0 0",
        "1000-2000 r-xp 0 0:0 18446744073709551616",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(proc_parse_mapping(text_of(wrong[i]), &mapping));
}

static void sockets(void **state) {
    (void)state;
    struct proc_socket socket;
    assert_false(proc_parse_socket(
        TEXT("  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid"),
        &socket));
    assert_true(proc_parse_socket(
        TEXT("   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000"
             "        0 34567 1 0000000000000000 100 0 0 10 0"),
        &socket));
    assert_int_equal(socket.port, 8080);
    assert_true(socket.listening && socket.inode == 34567 && socket.owner == 1000);
    assert_true(proc_parse_socket(
        TEXT("  12: 00000000000000000000000000000000:0BB8 00000000000000000000000000000000:0000 0A "
             "00000000:00000000 00:00000000 00000000     0        0 9 1 0"),
        &socket));
    assert_true(socket.port == 3000 && socket.listening && socket.inode == 9);
    /* An established connection. */
    assert_true(proc_parse_socket(
        TEXT("  3: 0100007F:1F90 0100007F:D431 01 00000000:00000000 02:000005FA 00000000  0  0 77"),
        &socket));
    assert_false(socket.listening);
    assert_false(proc_parse_socket(TEXT("  3: 0100007F 0100007F:D431 0A"), &socket));
    assert_false(proc_parse_socket(TEXT("  3: 0100007F:11F90 0100007F:D431 0A"), &socket));
    assert_false(proc_parse_socket(TEXT("  3: 0100007F:1F90 0100007F:D431 0A"), &socket));
    assert_false(proc_parse_socket(TEXT(""), &socket));
}

static void ranges(void **state) {
    (void)state;
    int numbers[8];
    assert_int_equal(proc_parse_ranges(TEXT("0-2,5,7-8\n"), numbers, 8), 6);
    static const int expected[] = {0, 1, 2, 5, 7, 8};
    assert_memory_equal(numbers, expected, sizeof expected);
    assert_int_equal(proc_parse_ranges(TEXT("0\n"), numbers, 8), 1);
    assert_int_equal(proc_parse_ranges(TEXT("0-4095"), numbers, 8), 8);
    assert_int_equal(proc_parse_ranges(TEXT("3-1"), numbers, 8), 0);
    assert_int_equal(proc_parse_ranges(TEXT("x"), numbers, 8), 0);
    assert_int_equal(proc_parse_ranges(TEXT("0-99999999999"), numbers, 8), 0);
    assert_int_equal(proc_parse_ranges(TEXT(""), numbers, 8), 0);
}

static void files_are_read(void **state) {
    (void)state;
    struct buffer buffer = {0};
    assert_true(proc_read(&buffer, "/proc/%d/status", getpid()));
    struct text value;
    assert_true(proc_status_field(buffer_text(&buffer), "Tgid", &value));
    assert_false(proc_read(&buffer, "/proc/%d/no-such-file", getpid()));
    assert_false(proc_read(&buffer, "/proc/self")); /* a folder */
    assert_true(buffer.size == 0);
    buffer_free(&buffer);
    assert_int_equal(proc_read_number("/proc/sys/kernel/no-such-setting", 17), 17);
    pid_t *threads;
    assert_int_equal(proc_list_numbers(&threads, "/proc/%d/task", getpid()), 1);
    assert_int_equal(threads[0], getpid());
    free(threads);
    assert_int_equal(proc_list_numbers(&threads, "/no/such/folder"), 0);
    assert_null(threads);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_cut),
        cmocka_unit_test(status_fields),
        cmocka_unit_test(stat_with_any_name),
        cmocka_unit_test(mappings),
        cmocka_unit_test(sockets),
        cmocka_unit_test(ranges),
        cmocka_unit_test(files_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
