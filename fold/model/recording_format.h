// SPDX-License-Identifier: MIT
/*
 * The words of the recording format, shared by its writer and its reader.
 *
 * The format itself is described for everyone in `tickflame help format` and the man page
 * tickflame-format(5). In short: lines of text, fields with a tab between, gzip'd in pieces that
 * are complete by themselves; tables of the profile row by row in order of first appearance, then
 * the samples that refer to them; whatever is cut off at the end, all before it stands.
 */
#ifndef TICKFLAME_FOLD_MODEL_RECORDING_FORMAT_H
#define TICKFLAME_FOLD_MODEL_RECORDING_FORMAT_H

#include <stdbool.h>

#include "fold/base/text.h"
#include "fold/model/profile.h"

/* The first line is this, a tab and the version. */
#define RECORDING_MARK    "tickflame-recording"
#define RECORDING_VERSION 1

/* A set of words; which one is meant is an index of `items`. */
struct recording_words {
    const char *const *items;
    int count;
};

/* What a line is: its first field. */
enum recording_record {
    RECORD_META, /* key, value; a later one of the same key replaces it */
    RECORD_STRING,
    RECORD_FRAME,
    RECORD_STACK,
    RECORD_THREAD,
    RECORD_EVENT,
    RECORD_LIBRARY,
    RECORD_COUNTER,
    RECORD_READING,
    RECORD_TURN,
    RECORD_SAMPLE,
    RECORD_UNACCOUNTED,
    RECORD_WARNING,
    RECORD_END,
};
extern const struct recording_words recording_records;

/* Keys of RECORD_META. */
enum recording_key {
    KEY_UNIT,
    KEY_NODE,
    KEY_V8,
    KEY_COMMAND,
    KEY_ROUTE,
    KEY_DETAIL,
    KEY_ASKED_HZ,
    KEY_INTERVAL_US,
    KEY_DURATION_US,
    KEY_TIMES,
    KEY_STACK_LIMIT,
    KEY_NATIVE_STACKS,
    KEY_ISOLATE_ONLY,
    KEY_WAITING_IS_MISSING,
    KEY_KERNEL_HIDDEN,
    KEY_LOST,
    KEY_THROTTLED,
    KEY_TRUNCATED,
    KEY_CUT,
    KEY_CALL_GRAPH,
    KEY_REPAIRED,
    KEY_WAITS,
    KEY_WAITS_GUESSED,
    KEY_NAMES,
    KEY_NAMES_COMPARED,
    KEY_NAMES_DIFFERENT,
    KEY_CPU_US,
    KEY_CPU_SAMPLES,
    RECORDING_KEY_COUNT
};
extern const struct recording_words recording_keys;

/* Where a key's value stands in the profile, and as what. */
enum recording_form {
    FORM_TEXT,   /* struct string_id */
    FORM_NUMBER, /* uint64_t */
    FORM_ANSWER, /* bool */
    FORM_UNIT,   /* enum profile_unit */
    FORM_WORD,   /* const char *, one of `words`, or NULL */
};
struct recording_fact {
    enum recording_form form;
    size_t offset;                       /* in struct profile */
    const struct recording_words *words; /* only of FORM_WORD */
};
extern const struct recording_fact recording_facts[RECORDING_KEY_COUNT];

extern const struct recording_words recording_answers;     /* bool */
extern const struct recording_words recording_units;       /* enum profile_unit */
extern const struct recording_words recording_kinds;       /* enum frame_kind */
extern const struct recording_words recording_tiers;       /* enum frame_tier */
extern const struct recording_words recording_roles;       /* enum thread_role */
extern const struct recording_words recording_states;      /* enum vm_state */
extern const struct recording_words recording_activities;  /* bool: the sample is idle */
extern const struct recording_words recording_unaccounted; /* enum unaccounted_reason */
extern const struct recording_words recording_routes;      /* constants for profile_sampling */
extern const struct recording_words recording_call_graphs; /* the same */
extern const struct recording_words recording_names;       /* the same */

/* What stands behind the fields of a thread. */
enum recording_flag {
    FLAG_RUNS_JAVASCRIPT,
    FLAG_ROLE_BY_STACKS,
};
extern const struct recording_words recording_flags;

/* Why a recording ended. */
enum recording_ending {
    ENDING_COMPLETE,
    ENDING_SIZE_LIMIT,
    ENDING_WRITE_FAILED,
};
extern const struct recording_words recording_endings;

/* The index of a word in the set, or -1. */
int recording_word_find(struct recording_words words, struct text word);

/*
 * A text as a field: a tab is `\t`, a newline `\n`, a carriage return `\r`, a backslash `\\`; other
 * bytes that are not UTF-8, control characters and marks that change the direction of text are
 * `\xHH` for each byte.
 */
void recording_append_text(struct buffer *buffer, struct text text);

/* Undoes it, appending to `buffer`. False: not a text of this form. */
bool recording_parse_text(struct buffer *buffer, struct text field);

#endif
