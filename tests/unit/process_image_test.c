// SPDX-License-Identifier: MIT
// The mappings of processes, against an array with a mapping for each address; and what forks
// share.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/symbol/process_image.h"

enum { ADDRESSES = 500, PROCESSES = 4 };

static uint64_t next_number(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void random_changes(void **state) {
    (void)state;
    static uint32_t truth[PROCESSES][ADDRESSES];
    memset(truth, 0, sizeof truth);
    struct process_images images = {0};
    struct process_image *image[PROCESSES] = {NULL};
    uint64_t numbers = 5;
    for (int i = 0; i < 3000; i++) {
        size_t who = next_number(&numbers) % PROCESSES;
        uint64_t start = next_number(&numbers) % ADDRESSES;
        uint64_t end = start + next_number(&numbers) % 30;
        if (end > ADDRESSES)
            end = ADDRESSES;
        size_t child = next_number(&numbers) % PROCESSES;
        uint32_t value = 0;
        switch (next_number(&numbers) % 8) {
        case 0:
            if (child == who)
                continue;
            process_image_release(image[child]);
            image[child] = process_image_share(image[who]);
            memcpy(truth[child], truth[who], sizeof truth[who]);
            continue;
        case 1:
        case 2:
            process_image_unmap(&images, &image[who], start, end);
            break;
        default:
            process_image_map(&images, &image[who], &(struct image_mapping){start, end, 0, 0});
            value = (uint32_t)images.count;
            break;
        }
        for (uint64_t at = start; at < end; at++)
            truth[who][at] = value;
    }
    for (size_t who = 0; who < PROCESSES; who++) {
        for (uint64_t at = 0; at < ADDRESSES; at++)
            assert_int_equal(process_image_find(image[who], at), truth[who][at]);
        process_image_release(image[who]);
    }
    process_images_free(&images);
}

static void shared_until_changed(void **state) {
    (void)state;
    struct process_images images = {0};
    struct process_image *parent = NULL;
    assert_int_equal(process_image_find(parent, 0x100), 0);
    assert_null(process_image_share(NULL));
    assert_false(process_image_unmap(&images, &parent, 0, UINT64_MAX));
    assert_null(parent);
    process_image_map(&images, &parent, &(struct image_mapping){0x100, 0x200, 7, 1});
    struct process_image *child = process_image_share(parent);
    assert_ptr_equal(child, parent);
    /* Nothing of it is there: nothing is copied. */
    assert_false(process_image_unmap(&images, &child, 0x200, 0x300));
    assert_false(process_image_unmap(&images, &child, 0x10, 0x100));
    assert_ptr_equal(child, parent);
    assert_int_equal(images.copied, 0);
    assert_true(process_image_unmap(&images, &child, 0x1f0, 0x300));
    assert_ptr_not_equal(child, parent);
    assert_int_equal(process_image_find(child, 0x1f0), 0);
    assert_int_equal(process_image_find(child, 0x1ef), 1);
    assert_int_equal(process_image_find(parent, 0x1ff), 1);
    process_image_release(parent);
    assert_int_equal(process_image_find(child, 0x100), 1);
    process_image_release(child);
    process_image_release(NULL);
    process_images_free(&images);
}

/* A family that grows for ever does not take all memory. */
static void endless_forks(void **state) {
    (void)state;
    enum { MAPPINGS = 2000 };
    struct process_images images = {.copied = IMAGE_COPIES_MAX - MAPPINGS};
    struct process_image *parent = NULL;
    for (uint64_t i = 0; i < MAPPINGS; i++)
        process_image_map(&images, &parent, &(struct image_mapping){i * 32, i * 32 + 16, 0, 0});
    struct process_image *child = process_image_share(parent);
    process_image_map(&images, &child, &(struct image_mapping){1 << 20, 1 << 21, 0, 0});
    assert_int_equal(images.left_out, 1);
    assert_int_equal(process_image_find(child, 0), 0);
    assert_int_not_equal(process_image_find(child, 1 << 20), 0);
    assert_int_not_equal(process_image_find(parent, 0), 0);
    process_image_release(child);
    process_image_release(parent);
    process_images_free(&images);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_changes),
        cmocka_unit_test(shared_until_changed),
        cmocka_unit_test(endless_forks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
