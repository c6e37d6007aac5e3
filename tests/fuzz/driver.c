// SPDX-License-Identifier: MIT
// Runs a fuzz target over files without a fuzzing engine: NAME_fuzz FILE...
// Each file is given whole, then cut at 32 places, then with a few bytes changed in 64 ways. The
// changes come from a fixed sequence, so a crash comes back in the next run; the sanitizers report
// it, and the line printed before names the file and the variant.
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Of the sanitizers' runtime; absent in a build without them.
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

enum {
    cut_count = 32,
    change_count = 64,
    largest_changed_file = 1 << 18, // larger ones would make a run of seconds one of minutes
};

static const char *current_file;
static const char *current_variant;
static size_t current_number;

// Says what was running when a sanitizer or the target ended the program.
static void name_current_input(void) {
    if (current_file != NULL) {
        fprintf(stderr, "while reading %s, %s %zu\n", current_file, current_variant,
                current_number);
    }
}

// Runs the target on a copy of exactly `size` bytes, so that a read past the end is seen.
static void run(const uint8_t *data, size_t size, const char *variant, size_t number) {
    current_variant = variant;
    current_number = number;
    uint8_t *copy = malloc(size == 0 ? 1 : size);
    if (copy == NULL) {
        abort();
    }
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

// A step of a 64-bit linear congruential sequence (Knuth's MMIX constants).
static uint32_t next_number(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static void run_changed(uint8_t *data, size_t size) {
    uint64_t state = size;
    for (size_t i = 0; i < change_count; i++) {
        size_t places[4];
        uint8_t before[4];
        for (size_t k = 0; k < 4; k++) {
            places[k] = next_number(&state) % size;
            before[k] = data[places[k]];
            data[places[k]] = (uint8_t)next_number(&state);
        }
        run(data, size, "change", i);
        for (size_t k = 4; k-- > 0;) {
            data[places[k]] = before[k];
        }
    }
}

static uint8_t *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(2);
    }
    long end = ftell(file);
    rewind(file);
    uint8_t *data = malloc(end > 0 ? (size_t)end : 1);
    if (end < 0 || data == NULL || fread(data, 1, (size_t)end, file) != (size_t)end) {
        perror(path);
        exit(2);
    }
    fclose(file);
    *size = (size_t)end;
    return data;
}

int main(int argc, char **argv) {
    atexit(name_current_input);
    if (__sanitizer_set_death_callback != NULL) {
        __sanitizer_set_death_callback(name_current_input);
    }
    for (int i = 1; i < argc; i++) {
        size_t size;
        uint8_t *data = read_file(argv[i], &size);
        current_file = argv[i];
        run(data, size, "whole", 0);
        for (size_t k = 1; k <= cut_count && size > 0; k++) {
            run(data, size * k / (cut_count + 1), "cut", k);
        }
        if (size > 0 && size <= largest_changed_file) {
            run_changed(data, size);
        }
        current_file = NULL;
        free(data);
    }
    printf("%d files\n", argc - 1);
    return 0;
}
