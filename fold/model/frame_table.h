// SPDX-License-Identifier: MIT
/*
 * Frames: what an address, or a name in a file, turned out to be. Each distinct frame once.
 *
 * Readers fill in what their input says: raw name, place, module and, where they know it, kind and
 * tier. What a frame means (kind where the reader could not know, origin, package) is decided in
 * one place for all inputs: fold/tally/classify.h.
 */
#ifndef TICKFLAME_FOLD_MODEL_FRAME_TABLE_H
#define TICKFLAME_FOLD_MODEL_FRAME_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/hash_index.h"
#include "fold/model/string_table.h"

/* Kinds of frames, which are also the categories of time (`exclusive` in the JSON report). */
enum frame_kind {
    FRAME_UNKNOWN_KIND, /* the reader cannot tell: classify decides by the name */
    FRAME_JAVASCRIPT,
    FRAME_BUILTIN,  /* V8's own code for JavaScript built-ins */
    FRAME_REGEXP,   /* compiled regular expression; name is its source */
    FRAME_WASM,     /* WebAssembly function */
    FRAME_BYTECODE, /* handler of the bytecode interpreter */
    FRAME_CPP,      /* a named native function */
    FRAME_ADDON,    /* native code of a .node file */
    FRAME_LIBRARY,  /* native code without a name: only the library is known */
    FRAME_KERNEL,
    FRAME_GC,          /* the pseudo frame `(garbage collector)` */
    FRAME_COMPILER,    /* parser and compilers; as a category of time only */
    FRAME_WAITING,     /* the pseudo frame `(waiting)`: the thread had given its processor up, below
                          code that wanted something (a file, a lock, a child process) */
    FRAME_UNACCOUNTED, /* nothing is known of the address: `[unknown]` */
    FRAME_KIND_COUNT
};

/* V8's tiers, by the mark that stands in front of a name. */
enum frame_tier {
    FRAME_NO_TIER,     /* not a JavaScript function, or not marked */
    FRAME_INTERPRETED, /* ~ bytecode interpreter */
    FRAME_BASELINE,    /* ^ Sparkplug */
    FRAME_MAGLEV,      /* + Maglev, Turboprop in V8 9 */
    FRAME_OPTIMISED,   /* * TurboFan */
    FRAME_OTHER_TIER,  /* a mark that this program does not know, printed as ? */
    FRAME_TIER_COUNT
};

struct frame_id {
    uint32_t index; /* 0 = none */
};

/* One frame. The strings live in the string table of the same profile. */
struct frame {
    struct string_id name;   /* as V8 or the symbol table gives it, without tier mark; 0 = anonymous
                                (JavaScript) or not known (native code) */
    struct string_id file;   /* script path or URL, without `file://`; 0 = none */
    uint32_t line, column;   /* of the function's definition, from 1; 0 = not known */
    struct string_id module; /* path of the library that holds the address; 0 = none */
    uint8_t kind;            /* enum frame_kind */
    uint8_t tier;            /* enum frame_tier */
    bool inlined;            /* expanded from the code of the frame below it on the stack */
};

/* All zero is an empty table. */
struct frame_table {
    struct frame *frames; /* by index; row 0 is all zero */
    size_t size;          /* rows, row 0 included; 0 before the first one */
    size_t capacity;
    struct hash_index index;
};

/* The id of a frame equal to *frame in every member; added when it is new. */
struct frame_id frame_table_intern(struct frame_table *table, const struct frame *frame);

/* The frame of an id (not 0). Valid until the next frame is added. */
const struct frame *frame_table_get(const struct frame_table *table, struct frame_id id);

void frame_table_free(struct frame_table *table);

/* The category's name in JSON and in `--category`: "javascript", "cpp" ... */
const char *frame_kind_name(enum frame_kind kind);

/* The tier's mark: "~", "^", "+", "*", "?"; "" for FRAME_NO_TIER. */
const char *frame_tier_mark(enum frame_tier tier);

#endif
