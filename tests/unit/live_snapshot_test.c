// SPDX-License-Identifier: MIT
/* Lines of /proc/PID/maps as records, read back by the decoder of records. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/live/snapshot.h"

static const struct perf_attribute attribute = {
    .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN |
                   PERF_SAMPLE_PERIOD | PERF_SAMPLE_ID,
    .sample_id_all = true,
};

static void check_line(const char *line, uint64_t time, struct text name) {
    struct buffer bytes = {0};
    struct perf_record record;
    assert_true(snapshot_append_mapping(&bytes, &attribute, 77, time, text_of(line)));
    assert_true(bytes.size % 8 == 0);
    assert_true(perf_record_decode(&attribute, buffer_text(&bytes), false, &record));
    assert_int_equal(record.type, PERF_MMAP2);
    assert_int_equal(record.process_id, 77);
    assert_true(record.time == time);
    assert_true(perf_record_time(&attribute, buffer_text(&bytes), false) == time);
    assert_true(record.start == 0x7f0000001000 && record.size == 0x3000);
    assert_true(record.offset == 0x2000);
    assert_true(record.executable);
    assert_true(text_equal(record.name, name));
    buffer_free(&bytes);
}

static void lines_become_records(void **state) {
    (void)state;
    check_line("7f0000001000-7f0000004000 r-xp 00002000 fe:01 12 /usr/bin/node", 0,
               TEXT("/usr/bin/node"));
    check_line("7f0000001000-7f0000004000 r-xp 00002000 fe:01 12 /a b/n", 9, TEXT("/a b/n"));
    check_line("7f0000001000-7f0000004000 r-xp 00002000 fe:01 12 /seven.", 9, TEXT("/seven."));
    check_line("7f0000001000-7f0000004000 r-xp 00002000 fe:01 12 /eight..", 9, TEXT("/eight.."));
    check_line("7f0000001000-7f0000004000 rwxp 00002000 00:00 0 ", 1, TEXT("//anon"));
    check_line("7f0000001000-7f0000004000 rwxp 00002000 00:00 0   [anon:v8]", 1, TEXT("//anon"));
    check_line("7f0000001000-7f0000004000 r-xp 00002000 00:00 0   [vdso]", 1, TEXT("[vdso]"));
    check_line("7f0000001000-7f0000004000 r-xp 00002000 fe:01 12 /new\\012line\\01", 1,
               TEXT("/new\nline\\01"));
}

static void data_is_left_out(void **state) {
    (void)state;
    struct buffer bytes = {0};
    assert_false(snapshot_append_mapping(&bytes, &attribute, 1, 0,
                                         TEXT("1000-2000 rw-p 00000000 fe:01 12 /usr/bin/node")));
    assert_false(snapshot_append_mapping(&bytes, &attribute, 1, 0, TEXT("no mapping")));
    buffer_free(&bytes);
}

struct seen {
    size_t names, mappings, others;
};

static void see(void *context, uint64_t time, struct text bytes) {
    struct seen *seen = context;
    struct perf_record record;
    assert_true(time == 5);
    assert_true(perf_record_decode(&attribute, bytes, false, &record));
    assert_true(record.time == 5 && record.process_id == (uint32_t)getpid());
    seen->names += record.type == PERF_COMM;
    seen->mappings += record.type == PERF_MMAP2;
    seen->others += record.type != PERF_COMM && record.type != PERF_MMAP2;
    if (record.type == PERF_COMM) {
        assert_int_equal(record.thread_id, getpid());
        assert_true(text_equal(record.name, TEXT("live_snapshot_t")));
        assert_false(record.is_exec);
    }
}

static void this_process(void **state) {
    (void)state;
    struct seen seen = {0};
    snapshot_process(getpid(), &attribute, 5, see, &seen);
    assert_true(seen.names == 1 && seen.mappings > 1 && seen.others == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_become_records),
        cmocka_unit_test(data_is_left_out),
        cmocka_unit_test(this_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
