// SPDX-License-Identifier: MIT
/*
 * A recording under way: what the sampler delivers becomes samples of a profile, and a file that is
 * written as it grows.
 *
 *     sampler > perf_machine > stacks of the profile > samples: added up in the profile,
 *                                                      one by one in the file
 *
 * The profile holds like samples added up, so memory grows with distinct stacks; the file holds
 * each sample with its time.
 */
#ifndef TICKFLAME_PROFILER_COMMAND_RECORD_SESSION_H
#define TICKFLAME_PROFILER_COMMAND_RECORD_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "fold/model/profile.h"
#include "fold/write/recording.h"
#include "profiler/live/sampler.h"
#include "profiler/symbol/native_names.h"

struct record_session;

/* How the callers of functions are found. */
enum session_stacks {
    STACKS_BY_FRAME_POINTERS, /* as the kernel did it */
    STACKS_REPAIRED,          /* samples have copies of stacks: see UNWIND_AUTO */
    STACKS_BY_TABLES,         /* the same: see UNWIND_CALL_FRAMES */
};

struct record_session_options {
    struct native_names_options names;
    const char *path; /* of the recording; NULL: none is written */
    struct recording_options recording;
    enum sampler_route route;
    enum sampler_event event;
    uint64_t frequency; /* Hz; 0 for page faults */
    enum session_stacks stacks;
    bool names_from_heap; /* of JavaScript; not with STACKS_BY_FRAME_POINTERS */
    bool off_cpu;         /* the sampler tells when threads leave their processor */
    bool switch_stacks;   /* and with which stack */
    const pid_t *processes;
    size_t process_count;
};

/* Begins. NULL: the file cannot be made (ERROR_OUTPUT). To be freed. */
struct record_session *record_session_open(const struct record_session_options *options,
                                           struct error *error);
void record_session_free(struct record_session *session);

/* What is recorded so far; to be changed by the session only, and by the owner for what the session
 * does not know (node, command). */
struct profile *record_session_profile(struct record_session *session);

/* Reads on in perf maps; to be called before each sampler_poll(). */
void record_session_refresh(struct record_session *session);

/* Sampling has begun. */
void record_session_begin(struct record_session *session);

/* A sampler_take for sampler_start(), with the session as context. */
void record_session_take(void *session, const struct perf_record *record,
                         const struct perf_attribute *attribute);

/* Gives what was taken its names and adds it to the profile and the file's next piece. At the
 * start this may have to wait for names: unless `all`, it is left for later then. */
void record_session_settle(struct record_session *session, bool all);

/* Looks at the event loops of the processes when it is time, at `now` (nanoseconds, counters.h).
 * Returns when to come back. Beside those that the session was opened for, children that are
 * sampled too may be told with record_session_watch(), as often as one likes. */
uint64_t record_session_look(struct record_session *session, uint64_t now);
void record_session_watch(struct record_session *session, const pid_t *processes, size_t count);

/* Hands out the parts until now of waits that go on, so that they are in the file. */
void record_session_part_waits(struct record_session *session, uint64_t now);

/* Reads the memory of the processes, and how long their event loops were idle, as readings of the
 * time `now`. */
void record_session_count(struct record_session *session, uint64_t now);

/* Writes the next piece of the file. False: it cannot be written, or is as large as it may be. */
bool record_session_flush(struct record_session *session, struct error *error);
bool record_session_is_full(const struct record_session *session);

/* Sampling has ended at the time `now`: completes the profile; the file gets its end. False: it
 * could not be written (the profile is complete all the same). */
bool record_session_finish(struct record_session *session, const struct sampler_state *state,
                           uint64_t now, struct error *error);

/* Removes the file. */
void record_session_discard(struct record_session *session);

/* Samples so far, and bytes of the file. */
uint64_t record_session_samples(const struct record_session *session);
uint64_t record_session_file_size(const struct record_session *session);

#endif
