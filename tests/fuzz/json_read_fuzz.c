// SPDX-License-Identifier: MIT
// Fuzz target: JSON in pieces whose sizes come from the input's own bytes must give the same events
// and the same error as the whole of it. The limit of strings comes from the first byte.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fold/base/hash_index.h"
#include "fold/base/json_number.h"
#include "fold/base/json_read.h"

/* A hash of all events. */
struct recorder {
    uint64_t hash;
};

static bool note(struct recorder *recorder, char kind, unsigned depth, uint64_t what) {
    recorder->hash = hash_pair(recorder->hash, hash_pair((uint64_t)kind << 32 | depth, what));
    return true;
}

static bool note_text(struct recorder *recorder, char kind, unsigned depth, struct text text) {
    return note(recorder, kind, depth, hash_bytes(text.data, text.size));
}

static bool begin_object(void *context, unsigned depth) {
    return note(context, '{', depth, 0);
}
static bool end_object(void *context, unsigned depth) {
    return note(context, '}', depth, 0);
}
static bool begin_array(void *context, unsigned depth) {
    return note(context, '[', depth, 0);
}
static bool end_array(void *context, unsigned depth) {
    return note(context, ']', depth, 0);
}
static bool key(void *context, unsigned depth, struct text text) {
    return note_text(context, 'k', depth, text);
}
static bool string(void *context, unsigned depth, struct text text) {
    return note_text(context, 's', depth, text);
}
static bool integer(void *context, unsigned depth, int64_t value) {
    return note(context, 'i', depth, (uint64_t)value);
}
static bool number(void *context, unsigned depth, struct text text) {
    int64_t value = 0;
    if (json_number_to_integer(text, &value) && value == 77)
        return false;
    (void)json_number_to_real(text);
    return note_text(context, 'n', depth, text);
}
static bool literal(void *context, unsigned depth, enum json_literal value) {
    return note(context, 'l', depth, value);
}

static const struct json_events events = {begin_object, end_object, begin_array, end_array, key,
                                          string,       integer,    number,      literal};

static struct recorder read_json(struct text json, bool in_pieces, size_t limit,
                                 struct error *error) {
    struct recorder recorder = {0};
    struct json_reader *reader = json_reader_open(&events, &recorder, limit);
    bool fed = true;
    while (json.size > 0 && fed) {
        size_t size = in_pieces ? (size_t)1 + (unsigned char)*json.data % 8 : json.size;
        if (size > json.size)
            size = json.size;
        char *copy = malloc(size);
        if (!copy)
            abort();
        memcpy(copy, json.data, size);
        fed = json_reader_feed(reader, (struct text){copy, size}, error);
        free(copy);
        json = text_skip(json, size);
    }
    if (json_reader_finish(reader, error))
        recorder.hash = hash_number(recorder.hash);
    recorder.hash = hash_pair(recorder.hash, json_reader_cut_strings(reader));
    json_reader_close(reader);
    return recorder;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    struct text json = {(const char *)data + 1, size - 1};
    struct error whole_error = {0};
    struct error error = {0};
    struct recorder whole = read_json(json, false, *data, &whole_error);
    struct recorder pieces = read_json(json, true, *data, &error);
    if (whole.hash != pieces.hash || strcmp(whole_error.text, error.text) != 0)
        abort();
    return 0;
}
