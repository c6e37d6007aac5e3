// SPDX-License-Identifier: MIT
// A stack and the file that its code is in: a byte for the instruction's place, one for the frame
// pointer's, the number of words of stack, these words, and the bytes of the file.
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fold/base/memory.h"
#include "profiler/unwind/unwinder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PROCESS = 7, BASE = 0x10000, STACK = 0x7000000, PAGE = 4096, LIMIT = 40, WORDS_MOST = 255 };
enum { IP = 8, SP = 7, BP = 6 };

/* The file, in memory, with a path: that of the descriptor. */
static void make_path(const uint8_t *data, size_t size, char *path, size_t path_size) {
    static int file = -1;
    if (file < 0)
        file = memfd_create("unwinder_fuzz", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size)
        abort();
    (void)snprintf(path, path_size, "/proc/self/fd/%d", file);
}

/* Where a mapping of the file's code ends in it, so that it counts as the file that was mapped. */
static uint64_t mapped_size(const uint8_t *data, size_t size) {
    struct elf_file file;
    struct error ignored;
    uint64_t end = PAGE;
    if (!elf_file_open_bytes(&file, (struct text){(const char *)data, size}, &ignored))
        return end;
    for (size_t i = 0; i < file.segment_count; i++) {
        uint64_t last = file.segments[i].offset + file.segments[i].size;
        if (last > 0 && last <= UINT32_MAX)
            end = (last + PAGE - 1) / PAGE * PAGE;
    }
    elf_file_close(&file);
    return end;
}

static void walk(struct native_names *names, const uint64_t *stack, size_t words, uint64_t place,
                 uint64_t frame, enum unwind_mode mode) {
    struct unwinder *unwinder =
        unwinder_open(&(struct unwinder_options){.names = names, .mode = mode});
    if (!unwinder)
        return;
    struct unwind_sample sample = {
        .process_id = PROCESS,
        .registers.known = 1 << IP | 1 << SP | 1 << BP | 1,
        .stack = {(const char *)stack, words * sizeof *stack},
        .known = stack,
        .known_count = words / 2,
    };
    sample.registers.values[IP] = BASE + place;
    sample.registers.values[SP] = STACK;
    sample.registers.values[BP] = STACK + frame;
    sample.registers.values[0] = STACK + frame + 8;
    uint64_t addresses[LIMIT];
    for (int i = 0; i < 2; i++) {
        struct unwound unwound = unwinder_walk(unwinder, &sample, addresses, NULL, LIMIT);
        if (unwound.count == 0 || unwound.count > LIMIT)
            abort();
    }
    unwinder_close(unwinder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { FRONT = 3 };
    if (size < FRONT || (size - FRONT) / sizeof(uint64_t) < data[2])
        return 0;
    uint64_t stack[WORDS_MOST + 1];
    size_t words = data[2];
    memcpy(stack, data + FRONT, words * sizeof *stack);
    const uint8_t *file = data + FRONT + words * sizeof *stack;
    size_t file_size = size - FRONT - words * sizeof *stack;
    char path[64];
    make_path(file, file_size, path, sizeof path);
    struct profile *profile = profile_new();
    struct symbol_source *source = symbol_source_open(&(struct symbol_options){0});
    struct native_names *names =
        native_names_open(profile, &(struct native_names_options){.source = source});
    native_names_map(names, &(struct native_mapping){.process_id = PROCESS,
                                                     .start = BASE,
                                                     .size = mapped_size(file, file_size),
                                                     .path = text_of(path),
                                                     .executable = true});
    walk(names, stack, words, data[0] * (uint64_t)4, data[1] * sizeof *stack, UNWIND_AUTO);
    walk(names, stack, words, data[0] * (uint64_t)4, data[1] * sizeof *stack, UNWIND_CALL_FRAMES);
    native_names_close(names);
    symbol_source_close(source);
    profile_free(profile);
    return 0;
}
