// SPDX-License-Identifier: MIT
/* The ring's protocol, over memory in which the test plays the kernel. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/live/perf_ring.h"

enum { SIZE = 4096 };

struct kernel {
    unsigned char *memory;
    struct perf_event_mmap_page *page;
    struct perf_ring ring;
    uint32_t next;     /* what the next record holds */
    uint32_t expected; /* what the next one taken has to hold */
    uint64_t taken, bytes;
    uint64_t tail_seen; /* of the page, during the last take */
};

static void kernel_begin(struct kernel *kernel, uint64_t start) {
    size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
    *kernel = (struct kernel){.memory = calloc(1, page_size + SIZE)};
    assert_non_null(kernel->memory);
    kernel->page = (void *)kernel->memory;
    kernel->page->data_offset = page_size;
    kernel->page->data_size = SIZE;
    kernel->page->data_head = kernel->page->data_tail = start;
    perf_ring_use(&kernel->ring, kernel->memory, SIZE);
}

static void kernel_end(struct kernel *kernel) {
    perf_ring_unmap(&kernel->ring);
    free(kernel->memory);
}

/* Writes a record of `size` bytes that holds a count; false: there is no room. */
static bool kernel_write(struct kernel *kernel, uint16_t size) {
    struct perf_event_mmap_page *page = kernel->page;
    if (page->data_head + size - page->data_tail > SIZE)
        return false;
    unsigned char record[SIZE];
    memset(record, 0x5a, sizeof record);
    struct perf_event_header header = {.type = 9, .size = size};
    memcpy(record, &header, sizeof header);
    if (size >= 12)
        memcpy(record + size - 4, &kernel->next, 4);
    kernel->next++;
    unsigned char *data = kernel->memory + page->data_offset;
    for (uint16_t i = 0; i < size; i++)
        data[(page->data_head + i) % SIZE] = record[i];
    page->data_head += size;
    return true;
}

static void take(void *context, struct text record) {
    struct kernel *kernel = context;
    struct perf_event_header header;
    memcpy(&header, record.data, sizeof header);
    assert_int_equal(header.size, record.size);
    if (record.size >= 12) {
        uint32_t count;
        memcpy(&count, record.data + record.size - 4, 4);
        assert_int_equal(count, kernel->expected);
    }
    kernel->expected++;
    kernel->taken++;
    kernel->bytes += record.size;
    kernel->tail_seen = kernel->page->data_tail;
}

static void records_of_any_size_wrap(void **state) {
    (void)state;
    /* Also where the counters of head and tail wrap around 64 bits. */
    static const uint64_t starts[] = {0, 8, SIZE - 8, UINT64_MAX - 2 * SIZE + 1};
    for (size_t s = 0; s < sizeof starts / sizeof *starts; s++) {
        struct kernel kernel;
        kernel_begin(&kernel, starts[s]);
        uint16_t size = 8;
        for (int round = 0; round < 500; round++) {
            uint64_t written = 0;
            for (; written < 5 && kernel_write(&kernel, size); written++)
                size = (uint16_t)(size >= 1024 ? 8 : size + 8);
            uint64_t tail = kernel.page->data_tail;
            assert_true(perf_ring_drain(&kernel.ring, take, &kernel) == written);
            /* The room goes back once all is taken, not before. */
            assert_true(kernel.tail_seen == tail);
            assert_true(kernel.page->data_tail == kernel.page->data_head);
        }
        assert_true(kernel.taken == kernel.next);
        kernel_end(&kernel);
    }
}

static void a_full_ring_is_taken_whole(void **state) {
    (void)state;
    struct kernel kernel;
    kernel_begin(&kernel, SIZE / 2 + 16);
    while (kernel_write(&kernel, 64))
        continue;
    assert_true(kernel.page->data_head - kernel.page->data_tail == SIZE);
    assert_true(perf_ring_drain(&kernel.ring, take, &kernel) == SIZE / 64);
    assert_true(kernel.bytes == SIZE);
    assert_true(perf_ring_drain(&kernel.ring, take, &kernel) == 0);
    kernel_end(&kernel);
}

static void what_is_no_record_ends_the_drain(void **state) {
    (void)state;
    static const uint16_t wrong[] = {0, 4, 7, 72};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct kernel kernel;
        kernel_begin(&kernel, 0);
        kernel_write(&kernel, 32);
        kernel_write(&kernel, 64);
        struct perf_event_header header = {.type = 9, .size = wrong[i]};
        memcpy(kernel.memory + kernel.page->data_offset + 32, &header, sizeof header);
        assert_true(perf_ring_drain(&kernel.ring, take, &kernel) == 1);
        assert_true(kernel.page->data_tail == kernel.page->data_head);
        kernel_end(&kernel);
    }
    /* A head that cannot be. */
    struct kernel kernel;
    kernel_begin(&kernel, 0);
    kernel.page->data_head = 3 * SIZE;
    assert_true(perf_ring_drain(&kernel.ring, take, &kernel) == 0);
    kernel_end(&kernel);
}

static void sizes_are_powers_of_two(void **state) {
    (void)state;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    assert_true(perf_ring_size(0) == page);
    assert_true(perf_ring_size(page) == page);
    assert_true(perf_ring_size(page + 1) == 2 * page);
    assert_true(perf_ring_size(1000000) == 1 << 20);
    assert_true(perf_ring_size(UINT64_MAX) == UINT64_C(1) << 31);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_of_any_size_wrap),
        cmocka_unit_test(a_full_ring_is_taken_whole),
        cmocka_unit_test(what_is_no_record_ends_the_drain),
        cmocka_unit_test(sizes_are_powers_of_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
