// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fold/base/text.h"
#include "profiler/trace/perf_record.h"

/* Bits of sample_type. */
enum {
    IP = 1 << 0,
    TID = 1 << 1,
    TIME = 1 << 2,
    ADDR = 1 << 3,
    READ = 1 << 4,
    CHAIN = 1 << 5,
    ID = 1 << 6,
    CPU = 1 << 7,
    PERIOD = 1 << 8,
    STREAM = 1 << 9,
    RAW = 1 << 10,
    BRANCHES = 1 << 11,
    REGISTERS = 1 << 12,
    STACK = 1 << 13,
    IDENTIFIER = 1 << 16,
};

/* A record under construction, in the order of bytes of this machine or of the other. */
struct draft {
    struct buffer bytes;
    bool swapped;
};

static void put_32(struct draft *draft, uint32_t number) {
    if (draft->swapped)
        number = __builtin_bswap32(number);
    buffer_append(&draft->bytes, &number, sizeof number);
}

static void put_64(struct draft *draft, uint64_t number) {
    if (draft->swapped)
        number = __builtin_bswap64(number);
    buffer_append(&draft->bytes, &number, sizeof number);
}

static void put_name(struct draft *draft, const char *name) {
    char padded[64] = {0};
    size_t size = strlen(name) + 1;
    memcpy(padded, name, size);
    buffer_append(&draft->bytes, padded, (size + 7) / 8 * 8);
}

static void begin(struct draft *draft, uint32_t type, uint16_t misc) {
    buffer_clear(&draft->bytes);
    put_32(draft, type);
    uint16_t halves[2] = {misc, 0};
    if (draft->swapped)
        halves[0] = __builtin_bswap16(misc);
    buffer_append(&draft->bytes, halves, sizeof halves);
}

static struct text bytes_of(const struct draft *draft) {
    return buffer_text(&draft->bytes);
}

/* Every start of a record that holds less than its counts say is refused; none is read beyond. */
static void check_cut(const struct perf_attribute *attribute, const struct draft *draft) {
    struct perf_record record;
    for (size_t size = 0; size < draft->bytes.size; size++) {
        char *exact = malloc(size ? size : 1);
        memcpy(exact, draft->bytes.data, size);
        struct text cut = {exact, size};
        (void)perf_record_time(attribute, cut, draft->swapped);
        assert_false(perf_record_decode(attribute, cut, draft->swapped, &record));
        free(exact);
    }
}

static void test_sample_with_all_fields(void **state) {
    (void)state;
    struct perf_attribute attribute = {
        .sample_type = IP | TID | TIME | ADDR | READ | CHAIN | ID | CPU | PERIOD | STREAM | RAW |
                       BRANCHES | REGISTERS | STACK | IDENTIFIER,
        .read_format = 1 | 2 | 4 | 8 | 16,
        .branch_sample_type = (uint64_t)1 << 17,
        .sample_registers_user = 0x107,
        .sample_stack_user = 16,
    };
    for (int swapped = 0; swapped < 2; swapped++) {
        struct draft draft = {.swapped = swapped};
        begin(&draft, PERF_SAMPLE, 2);
        put_64(&draft, 77);       /* identifier */
        put_64(&draft, 0x401000); /* ip */
        put_32(&draft, 10);       /* pid, tid */
        put_32(&draft, 11);
        put_64(&draft, 123456789); /* time */
        put_64(&draft, 1);         /* addr */
        put_64(&draft, 78);        /* id */
        put_64(&draft, 2);         /* stream */
        put_32(&draft, 3);         /* cpu */
        put_32(&draft, 0);
        put_64(&draft, 1001001); /* period */
        put_64(&draft, 2);       /* read: a group of two, with times, ids, lost */
        for (int i = 0; i < 2 + 2 * 3; i++)
            put_64(&draft, 5);
        put_64(&draft, 3); /* chain */
        put_64(&draft, PERF_CONTEXT_USER);
        put_64(&draft, 0x401000);
        put_64(&draft, 0x402000);
        put_32(&draft, 4); /* raw */
        put_32(&draft, 9);
        put_64(&draft, 1); /* branches, with an index */
        for (int i = 0; i < 4; i++)
            put_64(&draft, 6);
        put_64(&draft, 2); /* registers: 64-bit, four of them */
        for (uint64_t i = 0; i < 4; i++)
            put_64(&draft, 100 + i);
        put_64(&draft, 16); /* stack: 16 bytes, of which 8 are real */
        buffer_append(&draft.bytes, "0123456789abcdef", 16);
        put_64(&draft, 8);
        struct perf_record record;
        assert_true(perf_record_decode(&attribute, bytes_of(&draft), swapped, &record));
        assert_int_equal(record.type, PERF_SAMPLE);
        assert_int_equal(record.misc, 2);
        assert_int_equal(record.address, 0x401000);
        assert_int_equal(record.process_id, 10);
        assert_int_equal(record.thread_id, 11);
        assert_int_equal(record.time, 123456789);
        assert_int_equal(record.event_id, 78);
        assert_int_equal(record.cpu, 3);
        assert_int_equal(record.period, 1001001);
        assert_int_equal(record.chain_size, 3);
        assert_true(perf_record_number(&record, record.chain, 0) == PERF_CONTEXT_USER);
        assert_int_equal(perf_record_number(&record, record.chain, 2), 0x402000);
        assert_int_equal(record.registers_abi, 2);
        assert_int_equal(perf_record_number(&record, record.registers, 3), 103);
        assert_true(text_equal(record.stack, TEXT("01234567")));
        assert_int_equal(perf_record_time(&attribute, bytes_of(&draft), swapped), 123456789);
        check_cut(&attribute, &draft);
        buffer_free(&draft.bytes);
    }
}

static void test_counts_beyond_the_record(void **state) {
    (void)state;
    static const uint64_t counts[] = {4, UINT64_MAX, UINT64_MAX / 8 + 1, (uint64_t)1 << 61};
    struct perf_attribute attribute = {.sample_type = CHAIN | BRANCHES | READ, .read_format = 8};
    struct perf_record record;
    for (size_t place = 0; place < 3; place++) {
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            struct draft draft = {0};
            begin(&draft, PERF_SAMPLE, 0);
            for (size_t field = 0; field < 3; field++)
                put_64(&draft, field == place ? counts[i] : 0);
            assert_false(perf_record_decode(&attribute, bytes_of(&draft), false, &record));
            buffer_free(&draft.bytes);
        }
    }
}

static void test_sample_without_registers(void **state) {
    (void)state;
    struct perf_attribute attribute = {.sample_type = REGISTERS | STACK,
                                       .sample_registers_user = 0xff};
    struct draft draft = {0};
    struct perf_record record;
    begin(&draft, PERF_SAMPLE, 1);
    put_64(&draft, 0); /* a kernel thread has none */
    put_64(&draft, 0);
    assert_true(perf_record_decode(&attribute, bytes_of(&draft), false, &record));
    assert_null(record.registers);
    assert_int_equal(record.stack.size, 0);
    assert_int_equal(record.period, 1);
    /* A period that is not recorded is that of the attribute; a frequency is none. */
    attribute.sample_period_or_frequency = 64;
    assert_true(perf_record_decode(&attribute, bytes_of(&draft), false, &record));
    assert_int_equal(record.period, 64);
    attribute.by_frequency = true;
    assert_true(perf_record_decode(&attribute, bytes_of(&draft), false, &record));
    assert_int_equal(record.period, 1);
    buffer_free(&draft.bytes);
}

static void put_trailer(struct draft *draft, uint64_t time, uint64_t id) {
    put_32(draft, 20);
    put_32(draft, 21);
    put_64(draft, time);
    put_64(draft, id);
}

static void test_switches(void **state) {
    (void)state;
    static const struct {
        uint32_t type;
        uint16_t misc;
        bool out, preempted;
    } cases[] = {
        {PERF_SWITCH, 0, false, false},
        {PERF_SWITCH, 1 << 13, true, false},
        {PERF_SWITCH, 3 << 13, true, true},
        {PERF_SWITCH, 1 << 14, false, false}, /* the kernel sets it with the other one only */
        {PERF_SWITCH_CPU_WIDE, 3 << 13, true, true},
    };
    struct perf_attribute attribute = {.sample_type = TID | TIME | IDENTIFIER,
                                       .sample_id_all = true};
    struct perf_record record;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int swapped = 0; swapped < 2; swapped++) {
            struct draft draft = {.swapped = swapped};
            begin(&draft, cases[i].type, cases[i].misc);
            if (cases[i].type == PERF_SWITCH_CPU_WIDE) { /* whose turn it is */
                put_32(&draft, 30);
                put_32(&draft, 31);
            }
            put_trailer(&draft, 99, 7);
            assert_true(perf_record_decode(&attribute, bytes_of(&draft), swapped, &record));
            assert_int_equal(record.process_id, 20);
            assert_int_equal(record.thread_id, 21);
            assert_int_equal(record.time, 99);
            assert_int_equal(record.event_id, 7);
            assert_int_equal(record.switch_out, cases[i].out);
            assert_int_equal(record.preempted, cases[i].preempted);
            assert_int_equal(perf_record_time(&attribute, bytes_of(&draft), swapped), 99);
            buffer_free(&draft.bytes);
        }
    }
    assert_true(perf_attribute_is_switch(&(struct perf_attribute){.type = 1, .config = 3}));
    assert_false(perf_attribute_is_switch(&(struct perf_attribute){.type = 0, .config = 3}));
    assert_false(perf_attribute_is_switch(&(struct perf_attribute){.type = 1, .config = 0}));
}

/* The event of a sample is known before it is decoded. */
static void test_identifier(void **state) {
    (void)state;
    struct draft draft = {0};
    begin(&draft, PERF_SAMPLE, 2);
    put_64(&draft, 0x123456789a);
    assert_true(perf_record_identifier(bytes_of(&draft)) == 0x123456789a);
    struct text cut = bytes_of(&draft);
    cut.size--;
    assert_int_equal(perf_record_identifier(cut), 0);
    buffer_free(&draft.bytes);
}

static void test_mappings(void **state) {
    (void)state;
    struct perf_attribute attribute = {.sample_type = TID | TIME | IDENTIFIER,
                                       .sample_id_all = true};
    struct perf_record record;
    for (int swapped = 0; swapped < 2; swapped++) {
        struct draft draft = {.swapped = swapped};
        begin(&draft, PERF_MMAP2, 1 << 14);
        put_32(&draft, 20);
        put_32(&draft, 21);
        put_64(&draft, 0x7f0000000000);
        put_64(&draft, 0x2000);
        put_64(&draft, 0x1000);
        buffer_append(&draft.bytes, "\x14\0\0\0ABCDEFGHIJKLMNOPQRST", 24);
        put_32(&draft, 5); /* readable, executable */
        put_32(&draft, 2);
        put_name(&draft, "/srv/node");
        put_trailer(&draft, 99, 7);
        assert_true(perf_record_decode(&attribute, bytes_of(&draft), swapped, &record));
        assert_int_equal(record.process_id, 20);
        assert_int_equal(record.start, 0x7f0000000000);
        assert_int_equal(record.size, 0x2000);
        assert_int_equal(record.offset, 0x1000);
        assert_true(record.executable);
        assert_int_equal(record.build_id_size, 20);
        assert_memory_equal(record.build_id, "ABCDEFGHIJKLMNOPQRST", 20);
        assert_true(text_equal(record.name, TEXT("/srv/node")));
        assert_int_equal(record.time, 99);
        assert_int_equal(record.event_id, 7);
        assert_int_equal(perf_record_time(&attribute, bytes_of(&draft), swapped), 99);

        begin(&draft, PERF_MMAP, 1 << 13); /* of data */
        put_32(&draft, 20);
        put_32(&draft, 21);
        put_64(&draft, 0x1000);
        put_64(&draft, 0x2000);
        put_64(&draft, 0);
        put_name(&draft, "");
        put_trailer(&draft, 99, 7);
        assert_true(perf_record_decode(&attribute, bytes_of(&draft), swapped, &record));
        assert_false(record.executable);
        assert_int_equal(record.build_id_size, 0);
        assert_int_equal(record.name.size, 0);
        buffer_free(&draft.bytes);
    }
}

static void test_names_and_tasks(void **state) {
    (void)state;
    struct perf_attribute attribute = {.sample_type = TIME | TID, .sample_id_all = true};
    struct draft draft = {0};
    struct perf_record record;
    begin(&draft, PERF_COMM, 1 << 13);
    put_32(&draft, 1);
    put_32(&draft, 2);
    put_name(&draft, "npm i 0x speeds");
    put_32(&draft, 1);
    put_32(&draft, 2);
    put_64(&draft, 5);
    assert_true(perf_record_decode(&attribute, bytes_of(&draft), false, &record));
    assert_true(record.is_exec);
    assert_true(text_equal(record.name, TEXT("npm i 0x speeds")));
    assert_int_equal(record.thread_id, 2);

    begin(&draft, PERF_FORK, 0);
    for (uint32_t i = 0; i < 4; i++)
        put_32(&draft, 100 + i); /* pid, ppid, tid, ptid */
    put_64(&draft, 55);
    put_32(&draft, 101);
    put_32(&draft, 103);
    put_64(&draft, 56);
    assert_true(perf_record_decode(&attribute, bytes_of(&draft), false, &record));
    assert_int_equal(record.process_id, 100);
    assert_int_equal(record.parent_process_id, 101);
    assert_int_equal(record.thread_id, 102);
    assert_int_equal(record.parent_thread_id, 103);
    assert_int_equal(record.time, 56);
    check_cut(&attribute, &draft);

    /* Without a trailer the record's own time is the only one. */
    struct perf_attribute plain = {.sample_type = TIME | TID};
    assert_true(perf_record_decode(&plain, bytes_of(&draft), false, &record));
    assert_int_equal(record.time, 55);
    assert_int_equal(perf_record_time(&plain, bytes_of(&draft), false), 0);
    buffer_free(&draft.bytes);
}

static void test_lost_and_deferred(void **state) {
    (void)state;
    struct perf_attribute attribute = {0};
    struct draft draft = {0};
    struct perf_record record;
    begin(&draft, PERF_LOST, 0);
    put_64(&draft, 9);
    put_64(&draft, 1234);
    assert_true(perf_record_decode(&attribute, bytes_of(&draft), false, &record));
    assert_int_equal(record.lost, 1234);
    begin(&draft, PERF_LOST_SAMPLES, 0);
    put_64(&draft, 12);
    assert_true(perf_record_decode(&attribute, bytes_of(&draft), false, &record));
    assert_int_equal(record.lost, 12);
    begin(&draft, PERF_CALL_CHAIN_DEFERRED, 0);
    put_64(&draft, 0xc00c1e);
    put_64(&draft, 1);
    put_64(&draft, 0x401000);
    assert_true(perf_record_decode(&attribute, bytes_of(&draft), false, &record));
    assert_int_equal(record.cookie, 0xc00c1e);
    assert_int_equal(record.chain_size, 1);
    check_cut(&attribute, &draft);
    begin(&draft, 250, 3); /* perf's own, and not known */
    assert_true(perf_record_decode(&attribute, bytes_of(&draft), false, &record));
    assert_int_equal(record.type, 250);
    buffer_free(&draft.bytes);
}

static void test_attributes(void **state) {
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++) {
        struct draft draft = {.swapped = swapped};
        put_32(&draft, 1); /* software */
        put_32(&draft, 128);
        put_64(&draft, 0); /* cpu-clock */
        put_64(&draft, 999);
        put_64(&draft, IP | TID);
        put_64(&draft, 4);
        /* Flags 10, 18, 22, 25, 34: bit 0 of a byte stands first where swapped. */
        static const char flags[2][8] = {{0, 4, 0x44, 2, 4, 0, 0, 0},
                                         {0, 32, 0x22, 64, 32, 0, 0, 0}};
        buffer_append(&draft.bytes, flags[swapped], 8);
        for (int i = 0; i < 3; i++)
            put_64(&draft, 0);
        put_64(&draft, 0);        /* branches */
        put_64(&draft, 0xff0fff); /* registers */
        put_32(&draft, 16384);
        put_32(&draft, 1);
        put_64(&draft, 0);
        put_64(&draft, 0);
        struct perf_attribute attribute;
        assert_true(perf_attribute_read(bytes_of(&draft), swapped, &attribute));
        assert_int_equal(attribute.type, 1);
        assert_int_equal(attribute.sample_period_or_frequency, 999);
        assert_int_equal(attribute.sample_registers_user, 0xff0fff);
        assert_int_equal(attribute.sample_stack_user, 16384);
        assert_int_equal(attribute.clock, 1);
        assert_true(attribute.by_frequency && attribute.sample_id_all && attribute.use_clock);
        assert_true(attribute.exclude_user_chain && attribute.build_id);
        assert_false(attribute.exclude_kernel);
        assert_true(perf_attribute_is_clock(&attribute));
        struct text shorter = {draft.bytes.data, 64};
        assert_true(perf_attribute_read(shorter, swapped, &attribute));
        assert_int_equal(attribute.sample_stack_user, 0);
        shorter.size--;
        assert_false(perf_attribute_read(shorter, swapped, &attribute));
        buffer_free(&draft.bytes);
    }
}

static void test_names_of_events(void **state) {
    (void)state;
    static const struct {
        uint32_t type;
        uint64_t config;
        const char *name;
    } events[] = {{1, 0, "cpu-clock"},   {1, 1, "task-clock"},
                  {1, 9, "dummy"},       {0, 0, "cycles"},
                  {0, 9, "ref-cycles"},  {0, 10, "event 0:10"},
                  {4, 27, "event 4:27"}, {1, UINT64_MAX, "event 1:18446744073709551615"}};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        char name[64];
        struct perf_attribute attribute = {.type = events[i].type, .config = events[i].config};
        perf_attribute_name(&attribute, name, sizeof name);
        assert_string_equal(name, events[i].name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample_with_all_fields),
        cmocka_unit_test(test_counts_beyond_the_record),
        cmocka_unit_test(test_sample_without_registers),
        cmocka_unit_test(test_switches),
        cmocka_unit_test(test_identifier),
        cmocka_unit_test(test_mappings),
        cmocka_unit_test(test_names_and_tasks),
        cmocka_unit_test(test_lost_and_deferred),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_names_of_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
