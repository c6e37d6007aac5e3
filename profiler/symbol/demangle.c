// SPDX-License-Identifier: MIT
#include "profiler/symbol/demangle.h"

#include <ctype.h>
#include <demangle.h>
#include <setjmp.h>
#include <string.h>

/* One demangling under way: the text so far, and the way out when it becomes too long. */
struct collector {
    struct buffer *out;
    size_t start;
    jmp_buf too_long;
};

static void collect(const char *piece, size_t size, void *opaque) {
    struct collector *collector = opaque;
    /* libiberty's callback cannot refuse, and what would follow may take for ever. Its printers
     * keep their state on the stack, so that leaving them by a jump loses nothing. */
    if (collector->out->size - collector->start + size > DEMANGLED_SIZE_MAX)
        longjmp(collector->too_long, 1);
    buffer_append(collector->out, piece, size);
}

typedef int demangler(const char *mangled, int options, demangle_callbackref callback,
                      void *opaque);

/* Runs one of libiberty's demanglers; on failure `out` is as before. */
static bool run(demangler *function, const char *mangled, int options, struct buffer *out) {
    struct collector collector = {.out = out, .start = out->size};
    if (setjmp(collector.too_long) == 0) {
        if (function(mangled, options, collect, &collector) != 0 && out->size > collector.start)
            return true;
    }
    out->size = collector.start;
    return false;
}

/* The order of libiberty's automatic style: Rust first, because the older names of Rust are C++
 * names with a mark. */
static bool demangle(struct text mangled, int options, struct buffer *out) {
    /* Longer ones are refused by libiberty too (its recursion limit is on 2 parts a byte). */
    char name[DEMANGLE_RECURSION_LIMIT / 2 + 1];
    /* `nm` sets leading dots and dollars aside; they are the marks of some platforms. */
    size_t marks = 0;
    while (marks < mangled.size && (mangled.data[marks] == '.' || mangled.data[marks] == '$'))
        marks++;
    struct text rest = text_skip(mangled, marks);
    bool candidate = text_starts_with(rest, TEXT("_Z")) || text_starts_with(rest, TEXT("_R")) ||
                     text_starts_with(rest, TEXT("_GLOBAL_"));
    if (!candidate || rest.size >= sizeof name || memchr(rest.data, '\0', rest.size)) {
        buffer_append_text(out, mangled);
        return false;
    }
    memcpy(name, rest.data, rest.size);
    name[rest.size] = '\0';
    size_t start = out->size;
    buffer_append(out, mangled.data, marks);
    if (run(rust_demangle_callback, name, options, out) ||
        run(cplus_demangle_v3_callback, name, options, out))
        return true;
    out->size = start;
    buffer_append_text(out, mangled);
    return false;
}

bool demangle_full(struct text mangled, struct buffer *out) {
    return demangle(mangled, DMGL_PARAMS | DMGL_ANSI, out);
}

bool demangle_short(struct text mangled, struct buffer *out) {
    return demangle(mangled, DMGL_NO_OPTS, out);
}

struct text demangle_without_version(struct text name) {
    size_t at = name.size;
    while (at > 0 && (isalnum((unsigned char)name.data[at - 1]) || name.data[at - 1] == '_' ||
                      name.data[at - 1] == '.'))
        at--;
    if (at == name.size || at == 0 || name.data[at - 1] != '@')
        return name;
    at--;
    if (at > 0 && name.data[at - 1] == '@')
        at--;
    return at > 0 ? (struct text){name.data, at} : name;
}

/* ---- shortening of text ---- */

/* The end of the bracket group that opens at `at`: behind its closing bracket, or `end`. */
static size_t skip_group(struct text text, size_t at) {
    size_t depth = 0;
    while (at < text.size) {
        char byte = text.data[at];
        if (byte == '(' || byte == '{' || byte == '[' || byte == '<')
            depth++;
        /* The arrow of a lambda's or decltype's text is no closing bracket. */
        else if (byte == ')' || byte == '}' || byte == ']' ||
                 (byte == '>' && text.data[at - 1] != '-'))
            depth--;
        at++;
        if (depth == 0)
            break;
    }
    return at;
}

static bool word_character(char byte) {
    return isalnum((unsigned char)byte) || byte == '_' || byte == '$';
}

/* Behind the word `operator` and its symbol or type when they stand at `at`; otherwise `at`. */
static size_t skip_operator(struct text text, size_t at) {
    static const struct text word = {"operator", 8};
    /* Those that begin like another one stand before it. */
    static const char *const operators[] = {
        "()", "[]", "->*", "->", "<=>", "<<=", "<<", "<=", "<",  ">>=", ">>", ">=", ">",
        "++", "+=", "+",   "--", "-=",  "-",   "*=", "*",  "/=", "/",   "%=", "%",  "^=",
        "^",  "&&", "&=",  "&",  "||",  "|=",  "|",  "~",  "!=", "!",   "==", "=",  ",",
    };
    if (!text_starts_with(text_skip(text, at), word) ||
        (at > 0 && word_character(text.data[at - 1])) ||
        (at + word.size < text.size && word_character(text.data[at + word.size])))
        return at;
    at += word.size;
    struct text rest = text_skip(text, at);
    if (text_starts_with(rest, TEXT(" "))) {
        /* `new`, `delete[]`, `co_await`, a literal's `"" x`, or the type of a conversion. */
        at++;
        while (at < text.size && text.data[at] != '(')
            at = strchr("<{[", text.data[at]) ? skip_group(text, at) : at + 1;
        return at;
    }
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (text_starts_with(rest, text_of(operators[i]))) {
            at += strlen(operators[i]);
            break;
        }
    }
    /* A blank keeps `operator<` and the arguments of its template apart. */
    return text_starts_with(text_skip(text, at), TEXT(" <")) ? at + 1 : at;
}

/* Behind the qualifiers of a member function that stand at `at`. */
static size_t skip_qualifiers(struct text text, size_t at) {
    static const struct text qualifiers[] = {{" const", 6}, {" volatile", 9}, {" &&", 3},
                                             {" &", 2},     {"&&", 2},        {"&", 1}};
    for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers;) {
        if (text_starts_with(text_skip(text, at), qualifiers[i])) {
            at += qualifiers[i].size;
            i = 0;
        } else {
            i++;
        }
    }
    return at;
}

/* Whether libiberty leaves the parameters in both forms: code that the compiler made for a
 * function. */
static bool made_for_another(struct text full) {
    static const char *const starts[] = {"non-virtual thunk to ", "virtual thunk to ",
                                         "covariant return thunk to ", "transaction clone for ",
                                         "non-transaction clone for "};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (text_starts_with(full, text_of(starts[i])))
            return true;
    }
    return false;
}

static struct text without_clone_marks(struct text full) {
    static const struct text mark = {" [clone ", 8};
    const char *found = memmem(full.data, full.size, mark.data, mark.size);
    return found > full.data ? (struct text){full.data, (size_t)(found - full.data)} : full;
}

/* Cuts *full at its parameters and before its return type. False: it has no parameters. */
static bool find_name(struct text *full) {
    size_t start = 0; /* of the name: behind the return type */
    size_t at = 0;
    while (at < full->size) {
        size_t behind = skip_operator(*full, at);
        if (behind > at) {
            at = behind;
            continue;
        }
        char byte = full->data[at];
        if (byte == '(') {
            struct text before = {full->data, at};
            behind = skip_group(*full, at);
            size_t next = skip_qualifiers(*full, behind);
            if (text_ends_with(before, TEXT("decltype "))) {
                at = behind; /* a return type */
            } else if (text_ends_with(before, TEXT(" ")) && at + 1 < full->size &&
                       strchr("*&", full->data[at + 1])) {
                at += 2; /* `void (*name(int))(char)`: the name stands inside */
                start = at;
            } else if (text_starts_with(text_skip(*full, next), TEXT("::"))) {
                at = next; /* `name(int) const::{lambda()#1}`, `(anonymous namespace)::name` */
            } else {
                *full = (struct text){full->data + start, at - start};
                return at > start;
            }
        } else if (strchr("<{[", byte)) {
            at = skip_group(*full, at);
        } else {
            at++;
            if (byte == ' ')
                start = at;
        }
    }
    return false;
}

void demangle_shorten(struct text full, struct buffer *out) {
    full = without_clone_marks(full);
    struct text name = full;
    bool found = !made_for_another(full) && find_name(&name);
    buffer_append_text(out, found ? name : full);
}
