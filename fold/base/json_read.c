// SPDX-License-Identifier: MIT
#include "fold/base/json_read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fold/base/json_number.h"
#include "fold/base/memory.h"
#include "fold/base/number.h"
#include "fold/base/utf8.h"

/* What may come next between tokens. */
enum expected {
    EXPECT_VALUE,
    EXPECT_VALUE_OR_END, /* behind `[` */
    EXPECT_KEY,
    EXPECT_KEY_OR_END, /* behind `{` */
    EXPECT_COLON,
    EXPECT_COMMA_OR_END,
    EXPECT_NOTHING, /* behind the value */
};

/* A token that the end of a piece has cut, or that is not a single run of bytes. */
enum token { TOKEN_NONE, TOKEN_STRING, TOKEN_ESCAPE, TOKEN_NUMBER, TOKEN_LITERAL };

enum { ESCAPE_SIZE = 5, LITERAL_SIZE = 5, REPLACEMENT = 0xFFFD };

struct json_reader {
    const struct json_events *events;
    void *context;
    size_t string_largest;
    enum expected expected;
    enum token token;
    bool is_key;                                /* the string under way is one */
    bool stopped;                               /* nothing more is read */
    unsigned depth;                             /* objects and arrays that are open */
    uint64_t objects[JSON_READ_DEPTH_MAX / 64]; /* a bit for each open one: it is an object */
    struct buffer text;      /* of the string or number under way, as far as it was read */
    uint32_t high_surrogate; /* waits for its other half; 0 = none */
    char partial[8];         /* of an escape (behind the backslash) or a literal */
    size_t partial_size;
    uint64_t cut_strings;
    uint64_t offset;   /* of the first byte of the piece */
    const char *start; /* the piece */
    struct error *error;
};

struct json_reader *json_reader_open(const struct json_events *events, void *context,
                                     size_t string_largest) {
    struct json_reader *reader = memory_allocate_zero(1, sizeof *reader);
    reader->events = events;
    reader->context = context;
    reader->string_largest = string_largest ? string_largest : JSON_READ_STRING_LARGEST;
    return reader;
}

void json_reader_close(struct json_reader *reader) {
    if (!reader)
        return;
    buffer_free(&reader->text);
    free(reader);
}

uint64_t json_reader_cut_strings(const struct json_reader *reader) {
    return reader->cut_strings;
}

static bool in_object(const struct json_reader *reader) {
    unsigned level = reader->depth - 1;
    return reader->depth > 0 && (reader->objects[level / 64] >> level % 64 & 1);
}

static const char *expected_words(const struct json_reader *reader) {
    switch (reader->token) {
    case TOKEN_STRING:
        return "the end of a string";
    case TOKEN_ESCAPE:
        return "an escape such as \\n or \\u0041";
    case TOKEN_NUMBER:
        return "a number";
    case TOKEN_LITERAL:
        return "true, false or null";
    default:
        break;
    }
    switch (reader->expected) {
    case EXPECT_VALUE:
        return "a value";
    case EXPECT_VALUE_OR_END:
        return "a value or ']'";
    case EXPECT_KEY:
        return "a key in quotes";
    case EXPECT_KEY_OR_END:
        return "a key in quotes or '}'";
    case EXPECT_COLON:
        return "':'";
    case EXPECT_COMMA_OR_END:
        return in_object(reader) ? "',' or '}'" : "',' or ']'";
    default:
        return "nothing more";
    }
}

static bool is_space(char byte) {
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

static bool is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

/* Fails at the byte `at` of the piece. */
static bool fail(struct json_reader *reader, const char *at) {
    unsigned char byte = (unsigned char)*at;
    char shown[] = {'\'', *at, '\'', '\0'};
    const char *found = byte > 0x20 && byte < 0x7F ? shown
                        : is_space(*at)            ? "a blank or a line break"
                        : byte < 0x20              ? "a control character"
                                                   : "a byte beyond ASCII";
    return error_set(
        reader->error, ERROR_INPUT, "not JSON: byte %" PRIu64 ": expected %s, found %s",
        reader->offset + (uint64_t)(at - reader->start), expected_words(reader), found);
}

/* What a value is followed by. */
static void end_value(struct json_reader *reader) {
    reader->expected = reader->depth ? EXPECT_COMMA_OR_END : EXPECT_NOTHING;
}

/* Numbers. */

static bool report_integer(struct json_reader *reader, int64_t value) {
    end_value(reader);
    return !reader->events->integer ||
           reader->events->integer(reader->context, reader->depth, value);
}

static bool is_number_byte(char byte) {
    return is_digit(byte) || byte == '-' || byte == '+' || byte == '.' || byte == 'e' ||
           byte == 'E';
}

/* A number is complete; `end` is behind it. */
static bool end_number(struct json_reader *reader, struct text number, const char *end) {
    reader->token = TOKEN_NUMBER;
    if (number.size > JSON_NUMBER_LARGEST)
        return error_set(
            reader->error, ERROR_INPUT, "byte %" PRIu64 ": a number has more than %d characters",
            reader->offset + (uint64_t)(end - reader->start), (int)JSON_NUMBER_LARGEST);
    enum json_number_form form = json_number_form(number);
    if (form == JSON_NUMBER_NOT)
        return error_set(reader->error, ERROR_INPUT,
                         "not JSON: byte %" PRIu64 ": expected a number, found '%.*s'",
                         reader->offset + (uint64_t)(end - reader->start) - number.size,
                         number.size > 40 ? 40 : (int)number.size, number.data);
    reader->token = TOKEN_NONE;
    int64_t value;
    if (form == JSON_NUMBER_DIGITS && json_number_to_integer(number, &value))
        return report_integer(reader, value);
    end_value(reader);
    return !reader->events->number ||
           reader->events->number(reader->context, reader->depth, number);
}

/* Keeps a part of a number; not more than is needed to see that it is too long. */
static void keep_number(struct json_reader *reader, const char *at, const char *end) {
    size_t room = JSON_NUMBER_LARGEST + 1 - reader->text.size;
    size_t size = (size_t)(end - at);
    buffer_append(&reader->text, at, size < room ? size : room);
}

/* Goes on with a number that the piece before has cut. */
static bool continue_number(struct json_reader *reader, const char **at, const char *end) {
    const char *number_end = *at;
    while (number_end < end && is_number_byte(*number_end))
        number_end++;
    keep_number(reader, *at, number_end);
    *at = number_end;
    return number_end == end || end_number(reader, buffer_text(&reader->text), number_end);
}

/* A number that does not end as plain digits do, or not in this piece. */
static bool read_other_number(struct json_reader *reader, const char **at, const char *end) {
    const char *start = *at;
    while (*at < end && is_number_byte(**at))
        (*at)++;
    if (*at < end)
        return end_number(reader, (struct text){start, (size_t)(*at - start)}, *at);
    reader->token = TOKEN_NUMBER;
    buffer_clear(&reader->text);
    keep_number(reader, start, end);
    return true;
}

/* Decodes plain digits. Returns what follows them, or NULL when this is no such number. */
static const char *plain_integer(const char *at, const char *end, int64_t *value) {
    enum { DIGITS_SAFE = 18 };
    bool negative = *at == '-';
    const char *digits = at + negative;
    uint64_t magnitude = 0;
    const char *digit = digits;
    for (; digit < end && is_digit(*digit); digit++)
        magnitude = magnitude * 10 + (unsigned char)(*digit - '0');
    size_t count = (size_t)(digit - digits);
    if (count == 0 || count > DIGITS_SAFE || digit == end || (*digits == '0' && count > 1) ||
        *digit == '.' || *digit == 'e' || *digit == 'E' || *digit == '-' || *digit == '+')
        return NULL;
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return digit;
}

/*
 * A number, and in an array the numbers that follow it: the bulk of heap snapshots and of samples
 * is long rows of integers, which are read here without looking at the state in between.
 */
static bool read_numbers(struct json_reader *reader, const char **at, const char *end) {
    bool in_array = reader->depth > 0 && !in_object(reader);
    bool (*integer)(void *, unsigned, int64_t) = reader->events->integer;
    for (;;) {
        int64_t value;
        const char *next = plain_integer(*at, end, &value);
        if (!next)
            return read_other_number(reader, at, end);
        *at = next;
        if (!in_array)
            return report_integer(reader, value);
        if (integer && !integer(reader->context, reader->depth, value)) {
            end_value(reader);
            return false;
        }
        if (*next != ',')
            break;
        next++;
        while (next < end && is_space(*next))
            next++;
        *at = next;
        reader->expected = EXPECT_VALUE;
        if (next == end || (!is_digit(*next) && *next != '-'))
            return true;
    }
    end_value(reader);
    return true;
}

/* Strings. */

/* The bytes of a string that are kept: four more than the limit tell whether and where to cut. */
static size_t string_room(const struct json_reader *reader) {
    size_t most = reader->string_largest + 4;
    return reader->text.size < most ? most - reader->text.size : 0;
}

static void keep_string(struct json_reader *reader, const char *at, size_t size) {
    size_t room = string_room(reader);
    buffer_append(&reader->text, at, size < room ? size : room);
}

/* Cuts a string that is longer than the limit. */
static struct text limit_string(struct json_reader *reader, struct text string) {
    if (string.size <= reader->string_largest)
        return string;
    reader->cut_strings++;
    string.size = reader->string_largest;
    for (int i = 0; i < 3 && string.size > 0; i++) {
        if (((unsigned char)string.data[string.size] & 0xC0) != 0x80)
            break;
        string.size--;
    }
    return string;
}

/* The string is complete. */
static bool end_string(struct json_reader *reader, struct text string) {
    reader->token = TOKEN_NONE;
    string = limit_string(reader, string);
    if (reader->is_key) {
        reader->expected = EXPECT_COLON;
        return !reader->events->key || reader->events->key(reader->context, reader->depth, string);
    }
    end_value(reader);
    return !reader->events->string ||
           reader->events->string(reader->context, reader->depth, string);
}

/* The first byte from `at` on that is a quote, a backslash or a control character; `end` without
 * one. Eight bytes at a time: a byte below n gets its high bit set by subtracting n, where that
 * was clear before. */
static const char *find_special(const char *at, const char *end) {
    const uint64_t ones = UINT64_C(0x0101010101010101);
    for (; end - at >= 8; at += 8) {
        uint64_t bytes;
        memcpy(&bytes, at, sizeof bytes);
        uint64_t quotes = bytes ^ ones * '"';
        uint64_t backslashes = bytes ^ ones * '\\';
        uint64_t found = ((bytes - ones * 0x20) & ~bytes) | ((quotes - ones) & ~quotes) |
                         ((backslashes - ones) & ~backslashes);
        if (found & ones * 0x80)
            break;
    }
    while (at < end && *at != '"' && *at != '\\' && (unsigned char)*at >= 0x20)
        at++;
    return at;
}

static void keep_character(struct json_reader *reader, uint32_t point) {
    if (string_room(reader) > 0)
        utf8_append(&reader->text, point);
}

/* A half of a pair whose other half did not come. */
static void drop_surrogate(struct json_reader *reader) {
    if (reader->high_surrogate)
        keep_character(reader, REPLACEMENT);
    reader->high_surrogate = 0;
}

/* Takes a UTF-16 code unit. */
static void add_unit(struct json_reader *reader, uint32_t unit) {
    bool is_low = unit >= 0xDC00 && unit < 0xE000;
    if (is_low && reader->high_surrogate) {
        keep_character(reader,
                       0x10000 + ((reader->high_surrogate - 0xD800) << 10) + (unit - 0xDC00));
        reader->high_surrogate = 0;
        return;
    }
    drop_surrogate(reader);
    if (unit >= 0xD800 && unit < 0xDC00)
        reader->high_surrogate = unit;
    else
        keep_character(reader, is_low ? REPLACEMENT : unit);
}

/* What a single character behind a backslash means; 0 for those that mean nothing. */
static char simple_escape(char letter) {
    switch (letter) {
    case '"':
    case '\\':
    case '/':
        return letter;
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return 0;
    }
}

/* Goes on with an escape, behind its backslash. */
static bool continue_escape(struct json_reader *reader, const char **at, const char *end) {
    while (*at < end) {
        char byte = **at;
        if (reader->partial_size == 0 && byte != 'u') {
            char meaning = simple_escape(byte);
            if (!meaning)
                return fail(reader, *at);
            (*at)++;
            drop_surrogate(reader);
            keep_character(reader, (unsigned char)meaning);
            reader->token = TOKEN_STRING;
            return true;
        }
        if (reader->partial_size > 0 && number_hexadecimal_digit(byte) < 0)
            return fail(reader, *at);
        (*at)++;
        reader->partial[reader->partial_size++] = byte;
        if (reader->partial_size == ESCAPE_SIZE) {
            uint32_t unit = 0;
            for (int i = 1; i < ESCAPE_SIZE; i++)
                unit = unit << 4 | (uint32_t)number_hexadecimal_digit(reader->partial[i]);
            add_unit(reader, unit);
            reader->token = TOKEN_STRING;
            return true;
        }
    }
    return true;
}

/* Goes on with a string of which `text` holds the start. */
static bool continue_string(struct json_reader *reader, const char **at, const char *end) {
    while (*at < end) {
        const char *special = find_special(*at, end);
        if (special > *at) {
            drop_surrogate(reader);
            keep_string(reader, *at, (size_t)(special - *at));
            *at = special;
        }
        if (special == end)
            return true;
        if (*special == '"') {
            (*at)++;
            drop_surrogate(reader);
            return end_string(reader, buffer_text(&reader->text));
        }
        if (*special != '\\')
            return fail(reader, special);
        (*at)++;
        reader->token = TOKEN_ESCAPE;
        reader->partial_size = 0;
        if (!continue_escape(reader, at, end))
            return false;
        if (reader->token == TOKEN_ESCAPE)
            return true;
    }
    return true;
}

/* A string from its opening quote on. Most end in the same piece and have no escape. */
static bool read_string(struct json_reader *reader, bool is_key, const char **at, const char *end) {
    const char *start = *at + 1;
    const char *special = find_special(start, end);
    reader->is_key = is_key;
    if (special < end && *special == '"') {
        *at = special + 1;
        return end_string(reader, (struct text){start, (size_t)(special - start)});
    }
    reader->token = TOKEN_STRING;
    buffer_clear(&reader->text);
    *at = start;
    return continue_string(reader, at, end);
}

/* The rest of the grammar. */

static bool continue_literal(struct json_reader *reader, const char **at, const char *end) {
    static const char *const words[] = {
        [JSON_NULL] = "null", [JSON_FALSE] = "false", [JSON_TRUE] = "true"};
    for (; *at < end; (*at)++) {
        enum json_literal literal = reader->partial_size == 0
                                        ? (**at == 'n'   ? JSON_NULL
                                           : **at == 'f' ? JSON_FALSE
                                                         : JSON_TRUE)
                                        : (enum json_literal)reader->partial[0];
        if (**at != words[literal][reader->partial_size])
            return fail(reader, *at);
        reader->partial[0] = (char)literal;
        reader->partial_size++;
        if (words[literal][reader->partial_size] == '\0') {
            (*at)++;
            reader->token = TOKEN_NONE;
            end_value(reader);
            return !reader->events->literal ||
                   reader->events->literal(reader->context, reader->depth, literal);
        }
    }
    return true;
}

static bool begin(struct json_reader *reader, bool object, const char *at) {
    if (reader->depth == JSON_READ_DEPTH_MAX)
        return error_set(reader->error, ERROR_INPUT,
                         "byte %" PRIu64 ": objects and arrays are nested deeper than %d",
                         reader->offset + (uint64_t)(at - reader->start), (int)JSON_READ_DEPTH_MAX);
    unsigned level = reader->depth++;
    uint64_t bit = UINT64_C(1) << level % 64;
    uint64_t *bits = &reader->objects[level / 64];
    *bits = object ? *bits | bit : *bits & ~bit;
    reader->expected = object ? EXPECT_KEY_OR_END : EXPECT_VALUE_OR_END;
    bool (*event)(void *, unsigned) =
        object ? reader->events->begin_object : reader->events->begin_array;
    return !event || event(reader->context, level);
}

static bool end_container(struct json_reader *reader, bool object) {
    reader->depth--;
    end_value(reader);
    bool (*event)(void *, unsigned) =
        object ? reader->events->end_object : reader->events->end_array;
    return !event || event(reader->context, reader->depth);
}

static bool read_value(struct json_reader *reader, const char **at, const char *end) {
    switch (**at) {
    case '"':
        return read_string(reader, false, at, end);
    case '{':
    case '[':
        (*at)++;
        return begin(reader, (*at)[-1] == '{', *at - 1);
    case 't':
    case 'f':
    case 'n':
        reader->token = TOKEN_LITERAL;
        reader->partial_size = 0;
        return continue_literal(reader, at, end);
    default:
        if (is_digit(**at) || **at == '-')
            return read_numbers(reader, at, end);
        return fail(reader, *at);
    }
}

/* What stands between tokens; *at is no blank. */
static bool read_token(struct json_reader *reader, const char **at, const char *end) {
    char byte = **at;
    switch (reader->expected) {
    case EXPECT_VALUE_OR_END:
        if (byte == ']') {
            (*at)++;
            return end_container(reader, false);
        }
        return read_value(reader, at, end);
    case EXPECT_VALUE:
        return read_value(reader, at, end);
    case EXPECT_KEY_OR_END:
        if (byte == '}') {
            (*at)++;
            return end_container(reader, true);
        }
        return byte == '"' ? read_string(reader, true, at, end) : fail(reader, *at);
    case EXPECT_KEY:
        return byte == '"' ? read_string(reader, true, at, end) : fail(reader, *at);
    case EXPECT_COLON:
        if (byte != ':')
            return fail(reader, *at);
        (*at)++;
        reader->expected = EXPECT_VALUE;
        return true;
    case EXPECT_COMMA_OR_END: {
        bool object = in_object(reader);
        if (byte == (object ? '}' : ']')) {
            (*at)++;
            return end_container(reader, object);
        }
        if (byte != ',')
            return fail(reader, *at);
        (*at)++;
        reader->expected = object ? EXPECT_KEY : EXPECT_VALUE;
        return true;
    }
    default:
        return fail(reader, *at);
    }
}

static bool read_piece(struct json_reader *reader, const char *at, const char *end) {
    while (at < end) {
        bool ok = true;
        switch (reader->token) {
        case TOKEN_NONE:
            if (is_space(*at)) {
                at++;
                continue;
            }
            ok = read_token(reader, &at, end);
            break;
        case TOKEN_ESCAPE:
            ok = continue_escape(reader, &at, end);
            break;
        case TOKEN_STRING:
            ok = continue_string(reader, &at, end);
            break;
        case TOKEN_NUMBER:
            ok = continue_number(reader, &at, end);
            break;
        case TOKEN_LITERAL:
            ok = continue_literal(reader, &at, end);
            break;
        }
        if (!ok)
            return false;
    }
    return true;
}

bool json_reader_feed(struct json_reader *reader, struct text piece, struct error *error) {
    if (reader->stopped)
        return false;
    reader->start = piece.data;
    reader->error = error;
    reader->stopped = piece.size > 0 && !read_piece(reader, piece.data, piece.data + piece.size);
    reader->offset += piece.size;
    return !reader->stopped;
}

bool json_reader_finish(struct json_reader *reader, struct error *error) {
    if (reader->stopped)
        return false;
    reader->stopped = true;
    reader->error = error;
    reader->start = NULL;
    /* Only a number does not say itself that it has ended. */
    if (reader->token == TOKEN_NUMBER && reader->depth == 0 &&
        !end_number(reader, buffer_text(&reader->text), NULL))
        return false;
    if (reader->token != TOKEN_NONE || reader->expected != EXPECT_NOTHING)
        return error_set(error, ERROR_INPUT,
                         "the JSON ends early, at byte %" PRIu64 ": expected %s", reader->offset,
                         expected_words(reader));
    return true;
}
