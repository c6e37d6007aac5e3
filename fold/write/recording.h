// SPDX-License-Identifier: MIT
/*
 * The writer of recordings (`.tickflame.gz`): a stream that is readable up to the last piece,
 * whatever happens to the recorder.
 *
 * The owner adds rows to its profile as usual, calls recording_write_sample() and
 * recording_write_reading() for what has a time, and recording_flush() at least once a second: the
 * table rows that are new since the last flush go in front of the samples that use them, as one
 * complete gzip member in one write. Rows of the profile must not change once they are flushed,
 * save threads, the counts of events and libraries and the limits of counters, which are written
 * again when they have changed; so is what describes the recording as a whole: `sampling`,
 * `unaccounted`, `warnings`, versions, intervals and so on.
 * After a failure nothing more is written but, by recording_close(), the end record.
 */
#ifndef TICKFLAME_FOLD_WRITE_RECORDING_H
#define TICKFLAME_FOLD_WRITE_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/base/error.h"
#include "fold/model/profile.h"

struct recording;

struct recording_options {
    bool replace;       /* an existing file is replaced; otherwise it is an error */
    uint64_t size_most; /* bytes of the file at most; 0 = no limit */
};

/* Makes the file, mode 0600. NULL: *error (ERROR_OUTPUT) says why. */
struct recording *recording_create(const char *path, const struct profile *profile,
                                   const struct recording_options *options, struct error *error);

/* Adds a sample with its time; its stack, thread and event are rows of the profile. */
void recording_write_sample(struct recording *recording, const struct sample *sample);

/* Adds a reading of row `counter` of profile->counters. */
void recording_write_reading(struct recording *recording, size_t counter,
                             struct counter_reading reading);

/* Writes out what was added. False: the disk is full or the like (ERROR_OUTPUT; what was flushed
 * before stays readable), or `size_most` is reached (`recording_is_full()` tells). */
bool recording_flush(struct recording *recording, struct error *error);
bool recording_is_full(const struct recording *recording);

/* Bytes written so far. */
uint64_t recording_size(const struct recording *recording);

/* Flushes, writes the end record, closes and frees. False: something could not be written, now or
 * before; the file stays, with all that was flushed. That `size_most` is reached is no failure
 * here: room for the end record is always kept. */
bool recording_close(struct recording *recording, struct error *error);

/* Closes and removes the file. NULL is allowed. */
void recording_discard(struct recording *recording);

#endif
