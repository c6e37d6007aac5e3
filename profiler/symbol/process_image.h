// SPDX-License-Identifier: MIT
/*
 * What processes have mapped where, as far as code can be there.
 *
 * A mapping takes the place of what it overlaps; parts of older ones at its sides stay, with the
 * offsets in their files that they had. A process that forks hands its mappings to its child, and
 * both go on alone from there: until one of them changes, they share one image.
 */
#ifndef TICKFLAME_PROFILER_SYMBOL_PROCESS_IMAGE_H
#define TICKFLAME_PROFILER_SYMBOL_PROCESS_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/symbol/address_map.h"

/* A mapping as it was made. */
struct image_mapping {
    uint64_t start, end; /* addresses */
    uint64_t offset;     /* of `start` in the file */
    uint32_t file;       /* whatever the caller means by it */
};

/* The mappings of one or several processes; NULL is an image without any. */
struct process_image;

/* What all images of a run have in common. All zero is empty. */
struct process_images {
    struct image_mapping *mappings; /* all that were ever made, by number - 1 */
    size_t count, capacity;
    uint64_t copied;   /* keys of images that were copied at forks, in all */
    uint64_t left_out; /* images that were not copied because of IMAGE_COPIES_MAX */
};

/* Keys in copies of images at most (a hostile recording may fork for ever): then a child begins
 * without mappings. */
enum { IMAGE_COPIES_MAX = 1 << 22 };

/* Adds a mapping to the image *image, which changes when it is shared. */
void process_image_map(struct process_images *images, struct process_image **image,
                       const struct image_mapping *mapping);

/* Takes [start, end) out. Returns whether anything was there. */
bool process_image_unmap(struct process_images *images, struct process_image **image,
                         uint64_t start, uint64_t end);

/* The number, from 1, of the mapping that holds `address` now; 0 = none. */
uint32_t process_image_find(const struct process_image *image, uint64_t address);

/* The number of the mapping that starts at or before *address, and nearest to it, which is set to
 * that start; 0 = there is none. */
uint32_t process_image_before(const struct process_image *image, uint64_t *address);

/* The image for a child of the process that has `image`. */
struct process_image *process_image_share(struct process_image *image);

/* To be called once for each image that was made or shared; NULL is allowed. */
void process_image_release(struct process_image *image);

void process_images_free(struct process_images *images);

#endif
