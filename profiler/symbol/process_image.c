// SPDX-License-Identifier: MIT
#include "profiler/symbol/process_image.h"

#include <stdlib.h>

#include "fold/base/memory.h"

struct process_image {
    struct address_map ranges; /* numbers of mappings */
    size_t processes;          /* that share it */
};

/* Makes *image one that no other process shares. */
static void own(struct process_images *images, struct process_image **image) {
    struct process_image *shared = *image;
    if (shared && shared->processes == 1)
        return;
    *image = memory_allocate_zero(1, sizeof **image);
    (*image)->processes = 1;
    if (!shared)
        return;
    if (images->copied + shared->ranges.count <= IMAGE_COPIES_MAX) {
        images->copied += shared->ranges.count;
        address_map_copy(&(*image)->ranges, &shared->ranges);
    } else {
        images->left_out++;
    }
    process_image_release(shared);
}

void process_image_map(struct process_images *images, struct process_image **image,
                       const struct image_mapping *mapping) {
    if (images->count >= UINT32_MAX - 1)
        return;
    own(images, image);
    MEMORY_RESERVE(images->mappings, images->capacity, images->count + 1);
    images->mappings[images->count++] = *mapping;
    address_map_cover(&(*image)->ranges, mapping->start, mapping->end, (uint32_t)images->count);
}

bool process_image_unmap(struct process_images *images, struct process_image **image,
                         uint64_t start, uint64_t end) {
    struct address_entry last;
    /* Most of what is unmapped is no code: then nothing changes, and nothing is to be copied. */
    if (!*image || start >= end || !address_map_floor(&(*image)->ranges, end - 1, &last) ||
        (last.start <= start && last.value == 0))
        return false;
    own(images, image);
    return address_map_cover(&(*image)->ranges, start, end, 0);
}

uint32_t process_image_find(const struct process_image *image, uint64_t address) {
    struct address_entry entry;
    return image && address_map_floor(&image->ranges, address, &entry) ? entry.value : 0;
}

uint32_t process_image_before(const struct process_image *image, uint64_t *address) {
    struct address_entry entry;
    while (image && address_map_floor(&image->ranges, *address, &entry)) {
        *address = entry.start;
        if (entry.value || entry.start == 0)
            return entry.value;
        (*address)--;
    }
    return 0;
}

struct process_image *process_image_share(struct process_image *image) {
    if (image)
        image->processes++;
    return image;
}

void process_image_release(struct process_image *image) {
    if (!image || --image->processes > 0)
        return;
    address_map_free(&image->ranges);
    free(image);
}

void process_images_free(struct process_images *images) {
    free(images->mappings);
    *images = (struct process_images){0};
}
