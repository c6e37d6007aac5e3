// SPDX-License-Identifier: MIT
#include "fold/model/cpp_name.h"

#include <ctype.h>
#include <string.h>

struct text cpp_name_without_version(struct text name) {
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

void cpp_name_shorten(struct text full, struct buffer *out) {
    full = without_clone_marks(full);
    struct text name = full;
    bool found = !made_for_another(full) && find_name(&name);
    buffer_append_text(out, found ? name : full);
}
