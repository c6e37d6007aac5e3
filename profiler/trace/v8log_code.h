// SPDX-License-Identifier: MIT
/*
 * The address space of an isolate, as its log tells it: libraries, C++ symbols, and the code that
 * V8 made, moved and deleted.
 *
 * Entries are rows that are never freed, so a row stays valid although its code is gone. A function
 * (a SharedFunctionInfo of V8) is an entry too; its code entries refer to it. With the exact rules
 * of a reference version functions lie in the same map as code, as they do there, with all that
 * follows from it.
 */
#ifndef TICKFLAME_PROFILER_TRACE_V8LOG_CODE_H
#define TICKFLAME_PROFILER_TRACE_V8LOG_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/model/string_table.h"
#include "profiler/symbol/address_map.h"
#include "profiler/trace/v8log_rules.h"

enum code_kind {
    CODE_NONE,
    CODE_LIBRARY,
    CODE_SYMBOL,        /* C++ */
    CODE_PLAIN,         /* builtin, handler, stub, regular expression ... */
    CODE_FUNCTION_CODE, /* code of a JavaScript or WebAssembly function */
    CODE_FUNCTION,      /* the function itself: no bytes of its own */
};

enum { CODE_ID_NONE = UINT32_MAX };

/* One thing at an address, in one line of a processor's cache. Strings are of the space. */
struct code_entry {
    uint64_t start; /* where it lies, or lay last */
    uint64_t size;  /* bytes */
    uint32_t view;  /* what the owner made of this entry (a label, a frame); 0 = nothing yet. With
                       exact rules see v8log_code_view() */
    uint32_t source_info;    /* a row of the owner's table of source infos; 0 = none */
    uint8_t kind;            /* enum code_kind */
    char mark;               /* '\0' or the plain tier mark: ~ ^ + * ?; of FUNCTION_CODE */
    bool name_used;          /* the first look-up has happened */
    bool renamed;            /* of FUNCTION, or what a reference takes for one */
    struct string_id name;   /* path, symbol, own name or function name */
    struct string_id type;   /* the log's word: "Builtin", "JS" ...; of PLAIN and FUNCTION_CODE */
    struct string_id module; /* of SYMBOL: the path of its library */
    uint32_t function;       /* of FUNCTION_CODE: the function's row */
    uint32_t renames; /* of FUNCTION, or what a reference takes for one: how often its name changed;
                         of FUNCTION_CODE: that count when `view` was made */
    uint32_t code_id, function_id; /* of `--preprocess`; CODE_ID_NONE */
};

/* A symbol that covers an address, as somebody who knows the libraries' files tells it. */
struct code_symbol {
    uint64_t start, size; /* absolute address, bytes */
    struct text name;
};

/* Finds the symbol of `library` (a path), mapped at `start` (its file's first byte) up to `end`,
 * that covers `address`. False: none is known. */
typedef bool code_symbol_find(void *context, struct text library, uint64_t start, uint64_t end,
                              uint64_t address, struct code_symbol *symbol);

/* Pages of libraries, masked by the rules. */
struct page_range {
    uint64_t first, last; /* addresses of pages, inclusive */
};

struct v8log_code {
    const struct v8log_rules *rules;
    bool numbers_names;            /* code of the same name gets a number at its first look-up, as
                                      labels of the reference do: "name {1}" */
    bool for_json;                 /* follow the reference's `--preprocess` rules for functions */
    code_symbol_find *find_symbol; /* tolerant rules only; NULL = no symbols */
    void *find_symbol_context;

    struct arena arena;
    struct string_table strings;
    struct code_entry *entries; /* row 0 is CODE_NONE */
    size_t entry_count, entry_capacity;
    struct address_map dynamic, symbols, libraries;
    struct address_map functions; /* tolerant rules: by address of the function */
    struct address_cache cache;
    uint64_t builtins_start, builtins_end; /* tolerant rules: where builtins were announced inside
                                              of a library; equal when nowhere */
    uint64_t jit_start;       /* tolerant rules: lowest address of compiled code; 0 = none yet */
    struct page_range *pages; /* sorted, not overlapping */
    size_t page_count, page_capacity;
    uint32_t *name_counts; /* by string: uses of a name by different entries */
    size_t name_counts_capacity;
};

/* Makes an empty space. */
void v8log_code_start(struct v8log_code *code, const struct v8log_rules *rules);
void v8log_code_free(struct v8log_code *code);

/* Forgets all addresses, as at the start of another isolate's log; entries stay valid. */
void v8log_code_forget(struct v8log_code *code);

struct text v8log_code_text(const struct v8log_code *code, struct string_id id);

/* Adds a mapping [start, end). The row; with the tolerant rules that of an earlier mapping of the
 * same path and start, which grows. */
uint32_t v8log_code_add_library(struct v8log_code *code, struct text path, uint64_t start,
                                uint64_t end);

/* Adds a C++ symbol [start, end) of the exact rules. The row, also when its place was taken. */
uint32_t v8log_code_add_symbol(struct v8log_code *code, struct text name, uint64_t start,
                               uint64_t end);

/* Adds code without a function. For JSON the new entry takes over the `code_id` of a C++ symbol
 * that covers `start`, as the reference does. */
uint32_t v8log_code_add_plain(struct v8log_code *code, struct text type, struct text name,
                              uint64_t start, uint64_t size);

/* What a record of function code came to. */
struct code_made {
    uint32_t row;      /* the code; 0: the rules refuse the record */
    uint32_t function; /* its function */
    bool is_new;       /* false: the code was there and only its mark may have changed */
};

/* Adds code of the function at address `function`. */
struct code_made v8log_code_add_function_code(struct v8log_code *code, struct text type,
                                              struct text name, uint64_t start, uint64_t size,
                                              uint64_t function, char mark);

/* False: nothing begins at `from` or `start`. */
bool v8log_code_move(struct v8log_code *code, uint64_t from, uint64_t to);
bool v8log_code_move_function(struct v8log_code *code, uint64_t from, uint64_t to);
bool v8log_code_delete(struct v8log_code *code, uint64_t start);

/* The entry of V8's code that begins at `start`; 0 = none. */
uint32_t v8log_code_at_start(const struct v8log_code *code, uint64_t start);

/* The function at this address; 0 = none. */
uint32_t v8log_code_function_at(const struct v8log_code *code, uint64_t address);

/* What holds an address; 0 = nothing that is known. */
uint32_t v8log_code_find(struct v8log_code *code, uint64_t address);

/* Whether V8 has, or had, code within a megabyte of an address that holds nothing. */
bool v8log_code_is_near(const struct v8log_code *code, uint64_t address);

/* The view of an entry; 0 when there is none, or its function got another name since. */
uint32_t v8log_code_view(const struct v8log_code *code, uint32_t row);
void v8log_code_set_view(struct v8log_code *code, uint32_t row, uint32_t view);

/* Appends the reference's label of an entry: "JS: *name /file.js:1:2", "Builtin: ArrayMap" ... */
void v8log_code_append_label(const struct v8log_code *code, uint32_t row, struct buffer *buffer);

#endif
