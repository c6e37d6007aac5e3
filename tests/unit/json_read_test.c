// SPDX-License-Identifier: MIT
/* Tests of fold/base/json_read and json_number: every event with its depth, whatever the pieces. */
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fold/base/json_number.h"
#include "fold/base/json_read.h"

/* Writes what happens down, one letter and the depth an event: `{0 k1:a i1:5 }0`. */
struct recorder {
    struct buffer log;
    unsigned stop_after; /* events until the reader is told to stop; 0 = never */
};

static bool note(struct recorder *recorder, char kind, unsigned depth, struct text text) {
    buffer_append_format(&recorder->log, "%s%c%u", recorder->log.size ? " " : "", kind, depth);
    if (text.data) {
        buffer_append_byte(&recorder->log, ':');
        buffer_append_text(&recorder->log, text);
    }
    return recorder->stop_after == 0 || --recorder->stop_after > 0;
}

static const struct text nothing = {NULL, 0};

static bool begin_object(void *context, unsigned depth) {
    return note(context, '{', depth, nothing);
}
static bool end_object(void *context, unsigned depth) {
    return note(context, '}', depth, nothing);
}
static bool begin_array(void *context, unsigned depth) {
    return note(context, '[', depth, nothing);
}
static bool end_array(void *context, unsigned depth) {
    return note(context, ']', depth, nothing);
}
static bool key(void *context, unsigned depth, struct text text) {
    return note(context, 'k', depth, text.size ? text : TEXT(""));
}
static bool string(void *context, unsigned depth, struct text text) {
    return note(context, 's', depth, text.size ? text : TEXT(""));
}
static bool integer(void *context, unsigned depth, int64_t value) {
    char digits[24];
    int size = snprintf(digits, sizeof digits, "%" PRId64, value);
    return note(context, 'i', depth, (struct text){digits, (size_t)size});
}
static bool number(void *context, unsigned depth, struct text text) {
    return note(context, 'n', depth, text);
}
static bool literal(void *context, unsigned depth, enum json_literal value) {
    static const char *const names[] = {"null", "false", "true"};
    return note(context, 'l', depth, text_of(names[value]));
}

static const struct json_events events = {begin_object, end_object, begin_array, end_array, key,
                                          string,       integer,    number,      literal};

/* Reads `json` in pieces of `piece` bytes (0: whole), each in memory of its own size. */
static bool read_json(struct text json, size_t piece, size_t limit, struct recorder *recorder,
                      uint64_t *cut, struct error *error) {
    struct json_reader *reader = json_reader_open(&events, recorder, limit);
    bool fed = true;
    while (json.size > 0 && fed) {
        size_t size = piece == 0 || piece > json.size ? json.size : piece;
        char *copy = malloc(size);
        assert_non_null(copy);
        memcpy(copy, json.data, size);
        fed = json_reader_feed(reader, (struct text){copy, size}, error);
        free(copy);
        json = text_skip(json, size);
    }
    bool finished = json_reader_finish(reader, error);
    assert_true(fed || !finished);
    *cut = json_reader_cut_strings(reader);
    json_reader_close(reader);
    buffer_append_byte(&recorder->log, '\0');
    return finished;
}

/* That `json` gives these events and this error ("" = none), for every size of pieces. */
static void assert_events_limited(struct text json, size_t limit, const char *log,
                                  const char *message, uint64_t expected_cut) {
    for (size_t piece = 0; piece <= 31; piece++) {
        struct recorder recorder = {0};
        struct error error = {0};
        uint64_t cut = 0;
        assert_int_equal(read_json(json, piece, limit, &recorder, &cut, &error), !*message);
        assert_string_equal(recorder.log.data, log);
        assert_string_equal(error.text, message);
        assert_int_equal(error.kind, *message ? ERROR_INPUT : ERROR_NONE);
        assert_int_equal(cut, expected_cut);
        buffer_free(&recorder.log);
    }
}

static void assert_events(const char *json, const char *log) {
    assert_events_limited(text_of(json), 0, log, "", 0);
}

static void assert_fails(const char *json, const char *log, const char *message) {
    assert_events_limited(text_of(json), 0, log, message, 0);
}

static void values_and_depths(void **state) {
    (void)state;
    assert_events("{\"nodes\": [1, 2], \"name\": \"x\"}",
                  "{0 k1:nodes [1 i2:1 i2:2 ]1 k1:name s1:x }0");
    assert_events(" [ ] ", "[0 ]0");
    assert_events("{}\r\n", "{0 }0");
    assert_events("[[],{},[{\"a\":{}}]]", "[0 [1 ]1 {1 }1 [1 {2 k3:a {3 }3 }2 ]1 ]0");
    assert_events("[true,false,null,\ttrue]", "[0 l1:true l1:false l1:null l1:true ]0");
    assert_events("\"only\"", "s0:only");
    assert_events("null", "l0:null");
    assert_events("17", "i0:17");
    assert_events(" -17 ", "i0:-17");
    assert_events("{\"\":\"\"}", "{0 k1: s1: }0");
    assert_events("[1,\n2,\n{\"a\":3},4]", "[0 i1:1 i1:2 {1 k2:a i2:3 }1 i1:4 ]0");
}

static void numbers(void **state) {
    (void)state;
    assert_events("[0,-0,10,-1,123456789012345678]", "[0 i1:0 i1:0 i1:10 i1:-1 "
                                                     "i1:123456789012345678 ]0");
    assert_events("[9223372036854775807,-9223372036854775808]",
                  "[0 i1:9223372036854775807 i1:-9223372036854775808 ]0");
    assert_events("[9223372036854775808,-9223372036854775809]",
                  "[0 n1:9223372036854775808 n1:-9223372036854775809 ]0");
    assert_events("[1.5,1e3,-2E-7,0.0,1,2.25]", "[0 n1:1.5 n1:1e3 n1:-2E-7 n1:0.0 i1:1 n1:2.25 ]0");
    assert_events("1.25", "n0:1.25");
    char digits[JSON_NUMBER_LARGEST + 4] = "[";
    memset(digits + 1, '7', JSON_NUMBER_LARGEST);
    digits[JSON_NUMBER_LARGEST + 1] = ']';
    struct recorder recorder = {0};
    struct error error = {0};
    uint64_t cut;
    assert_true(read_json(text_of(digits), 0, 0, &recorder, &cut, &error));
    assert_int_equal(recorder.log.size, strlen("[0 n1: ]0") + JSON_NUMBER_LARGEST + 1);
    buffer_free(&recorder.log);
    digits[JSON_NUMBER_LARGEST + 1] = '7';
    assert_fails(digits, "[0", "the JSON ends early, at byte 1026: expected a number");
    digits[JSON_NUMBER_LARGEST + 2] = ']';
    assert_fails(digits, "[0", "byte 1026: a number has more than 1024 characters");
}

static void strings(void **state) {
    (void)state;
    assert_events("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", "[0 s1:\"\\/\b\f\n\r\t ]0");
    assert_events("[\"\\u0041\\u00e9\\u20AC\\ud83D\\uDE00z\"]", "[0 s1:Aé€😀z ]0");
    assert_events("[\"a long text without any escape, é, and its end\"]",
                  "[0 s1:a long text without any escape, é, and its end ]0");
    assert_events("{\"a long key with an \\u0065scape\":1}",
                  "{0 k1:a long key with an escape i1:1 }0");
    /* Halves of pairs. */
    assert_events("[\"\\ud83d\",\"\\ude00\",\"\\ud83dx\",\"\\ud83d\\n\"]",
                  "[0 s1:\xEF\xBF\xBD s1:\xEF\xBF\xBD s1:\xEF\xBF\xBDx s1:\xEF\xBF\xBD\n ]0");
    assert_events("[\"\\ud83d\\ud83d\\ude00\\ude00\"]", "[0 s1:\xEF\xBF\xBD😀\xEF\xBF\xBD ]0");
    assert_events("[\"\\ud83d\\u0041\"]", "[0 s1:\xEF\xBF\xBD"
                                          "A ]0");
    /* Bytes that are not UTF-8 stay. */
    assert_events("[\"\xFF\x80 12345678\"]", "[0 s1:\xFF\x80 12345678 ]0");
    struct recorder recorder = {0};
    struct error error = {0};
    uint64_t cut;
    assert_true(read_json(TEXT("\"a\\u0000b\""), 0, 0, &recorder, &cut, &error));
    assert_memory_equal(recorder.log.data, "s0:a\0b", 7);
    buffer_free(&recorder.log);
}

/* Every byte that ends a run of plain ones, at every place of eight. */
static void special_bytes(void **state) {
    (void)state;
    for (int byte = 1; byte < 256; byte++) {
        for (size_t place = 0; place < 17; place++) {
            char json[24] = "\"aaaaaaaaaaaaaaaaa\"";
            json[1 + place] = (char)byte;
            struct recorder recorder = {0};
            struct error error = {0};
            uint64_t cut;
            bool special = byte < 0x20 || byte == '"' || byte == '\\';
            assert_int_equal(read_json(text_of(json), 0, 0, &recorder, &cut, &error), !special);
            buffer_free(&recorder.log);
        }
    }
}

static void long_strings(void **state) {
    (void)state;
    assert_events_limited(TEXT("[\"1234567890\",\"12345678901\",\"x\"]"), 10,
                          "[0 s1:1234567890 s1:1234567890 s1:x ]0", "", 1);
    assert_events_limited(TEXT("{\"1234567890123456\":\"\\u0031234567890\\n1\"}"), 10,
                          "{0 k1:1234567890 s1:1234567890 }0", "", 2);
    /* Never inside a character: é has two bytes, the euro sign three, the face four. */
    assert_events_limited(TEXT("[\"123456789é1\",\"12345678€123\",\"1234567😀12\"]"), 10,
                          "[0 s1:123456789 s1:12345678 s1:1234567 ]0", "", 3);
    assert_events_limited(TEXT("[\"123456789\\u00e91\",\"12345678\\u20ac123\","
                               "\"1234567\\ud83d\\ude0012\",\"12345678é12\"]"),
                          10, "[0 s1:123456789 s1:12345678 s1:1234567 s1:12345678é ]0", "", 4);
    assert_events_limited(TEXT("[\"é\",\"1\"]"), 1, "[0 s1: s1:1 ]0", "", 1);
}

static void wrong(void **state) {
    (void)state;
    assert_fails("", "", "the JSON ends early, at byte 0: expected a value");
    assert_fails("  ", "", "the JSON ends early, at byte 2: expected a value");
    assert_fails("[1,2", "[0 i1:1", "the JSON ends early, at byte 4: expected a number");
    assert_fails("[1,2 ", "[0 i1:1 i1:2", "the JSON ends early, at byte 5: expected ',' or ']'");
    assert_fails("[1,", "[0 i1:1", "the JSON ends early, at byte 3: expected a value");
    assert_fails("[", "[0", "the JSON ends early, at byte 1: expected a value or ']'");
    assert_fails("{", "{0", "the JSON ends early, at byte 1: expected a key in quotes or '}'");
    assert_fails("{\"a", "{0", "the JSON ends early, at byte 3: expected the end of a string");
    assert_fails("{\"a\"", "{0 k1:a", "the JSON ends early, at byte 4: expected ':'");
    assert_fails("{\"a\":1,", "{0 k1:a i1:1",
                 "the JSON ends early, at byte 7: expected a key in quotes");
    assert_fails("[\"\\u00", "[0",
                 "the JSON ends early, at byte 6: expected an escape such as \\n or \\u0041");
    assert_fails("[tru", "[0", "the JSON ends early, at byte 4: expected true, false or null");
    assert_fails("-", "", "not JSON: byte 0: expected a number, found '-'");
    assert_fails("[1 2]", "[0 i1:1", "not JSON: byte 3: expected ',' or ']', found '2'");
    assert_fails("[1,]", "[0 i1:1", "not JSON: byte 3: expected a value, found ']'");
    assert_fails("[,1]", "[0", "not JSON: byte 1: expected a value or ']', found ','");
    assert_fails("{1:2}", "{0", "not JSON: byte 1: expected a key in quotes or '}', found '1'");
    assert_fails("{\"a\" 1}", "{0 k1:a", "not JSON: byte 5: expected ':', found '1'");
    assert_fails("{\"a\":1,}", "{0 k1:a i1:1",
                 "not JSON: byte 7: expected a key in quotes, found '}'");
    assert_fails("{\"a\":1]", "{0 k1:a i1:1", "not JSON: byte 6: expected ',' or '}', found ']'");
    assert_fails("[1}", "[0 i1:1", "not JSON: byte 2: expected ',' or ']', found '}'");
    assert_fails("[1a]", "[0 i1:1", "not JSON: byte 2: expected ',' or ']', found 'a'");
    assert_fails("[nul]", "[0", "not JSON: byte 4: expected true, false or null, found ']'");
    assert_fails("[\"\\x\"]", "[0",
                 "not JSON: byte 3: expected an escape such as \\n or \\u0041, found 'x'");
    assert_fails("[\"\\u00g0\"]", "[0",
                 "not JSON: byte 6: expected an escape such as \\n or \\u0041, found 'g'");
    assert_fails("[\"a\nb\"]", "[0",
                 "not JSON: byte 3: expected the end of a string, found a blank or a line break");
    assert_fails("[\"\x01\"]", "[0",
                 "not JSON: byte 2: expected the end of a string, found a control character");
    assert_fails("[\xC3\xA9]", "[0",
                 "not JSON: byte 1: expected a value or ']', found a byte beyond ASCII");
    assert_fails("{} {}", "{0 }0", "not JSON: byte 3: expected nothing more, found '{'");
    assert_fails("1 1", "i0:1", "not JSON: byte 2: expected nothing more, found '1'");
    static const char *const bad_numbers[] = {"01",  "-01", "1.",  ".5",  "1.e3", "1e",
                                              "1e+", "+1",  "1-2", "--1", "1.2.3"};
    for (size_t i = 0; i < sizeof bad_numbers / sizeof *bad_numbers; i++) {
        char json[16];
        char message[96];
        bool starts = *bad_numbers[i] != '.' && *bad_numbers[i] != '+';
        snprintf(json, sizeof json, "[%s]", bad_numbers[i]);
        if (starts)
            snprintf(message, sizeof message, "not JSON: byte 1: expected a number, found '%s'",
                     bad_numbers[i]);
        else
            snprintf(message, sizeof message,
                     "not JSON: byte 1: expected a value or ']', found '%c'", *bad_numbers[i]);
        assert_fails(json, "[0", message);
    }
}

static void depth_limit(void **state) {
    (void)state;
    struct buffer json = {0};
    for (int i = 0; i < JSON_READ_DEPTH_MAX; i++)
        buffer_append_byte(&json, '[');
    for (int i = 0; i < JSON_READ_DEPTH_MAX; i++)
        buffer_append_byte(&json, ']');
    const struct json_events none = {0};
    struct error error = {0};
    struct json_reader *reader = json_reader_open(&none, NULL, 0);
    assert_true(json_reader_feed(reader, buffer_text(&json), &error));
    assert_true(json_reader_finish(reader, &error));
    json_reader_close(reader);
    reader = json_reader_open(&none, NULL, 0);
    assert_true(json_reader_feed(reader, (struct text){json.data, JSON_READ_DEPTH_MAX}, &error));
    assert_false(json_reader_feed(reader, TEXT("{"), &error));
    assert_string_equal(error.text, "byte 4096: objects and arrays are nested deeper than 4096");
    error = (struct error){0};
    assert_false(json_reader_feed(reader, TEXT("1"), &error));
    assert_false(json_reader_finish(reader, &error));
    assert_int_equal(error.kind, ERROR_NONE);
    json_reader_close(reader);
    buffer_free(&json);
}

/* Objects and arrays that alternate over all levels end as they began. */
static void mixed_depths(void **state) {
    (void)state;
    struct buffer json = {0};
    for (int i = 0; i < 200; i++)
        buffer_append_text(&json, i % 3 ? TEXT("[") : TEXT("{\"k\":"));
    buffer_append_byte(&json, '1');
    for (int i = 199; i >= 0; i--)
        buffer_append_byte(&json, i % 3 ? ']' : '}');
    for (size_t piece = 0; piece < 32; piece++) {
        struct recorder recorder = {0};
        struct error error = {0};
        uint64_t cut;
        assert_true(read_json(buffer_text(&json), piece, 0, &recorder, &cut, &error));
        buffer_free(&recorder.log);
    }
    buffer_free(&json);
}

/* Any event may be the last one. */
static void stopping(void **state) {
    (void)state;
    const char *json = "{\"a\":[1,2,3.5,\"s\",true,{}],\"b\":-7}";
    struct recorder all = {0};
    struct error error = {0};
    uint64_t cut;
    assert_true(read_json(text_of(json), 0, 0, &all, &cut, &error));
    for (unsigned stop = 1; stop <= 14; stop++) {
        for (size_t piece = 0; piece <= 31; piece++) {
            struct recorder recorder = {.stop_after = stop};
            assert_false(read_json(text_of(json), piece, 0, &recorder, &cut, &error));
            assert_int_equal(error.kind, ERROR_NONE);
            assert_memory_equal(recorder.log.data, all.log.data, recorder.log.size - 1);
            unsigned seen = 1;
            for (size_t i = 0; i < recorder.log.size; i++)
                seen += recorder.log.data[i] == ' ';
            assert_int_equal(seen, stop);
            buffer_free(&recorder.log);
        }
    }
    buffer_free(&all.log);
    json_reader_close(NULL);
}

/* A table without functions reads to the end. */
static void no_interest(void **state) {
    (void)state;
    const struct json_events none = {0};
    struct error error = {0};
    struct json_reader *reader = json_reader_open(&none, NULL, 0);
    assert_true(json_reader_feed(reader, TEXT("{\"a\":[1,2.5,\"x\",null]}"), &error));
    assert_true(json_reader_feed(reader, TEXT(""), &error));
    assert_true(json_reader_finish(reader, &error));
    assert_false(json_reader_finish(reader, &error));
    json_reader_close(reader);
}

static void exact_integers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {
        {"0", 0},
        {"-0", 0},
        {"1.0", 1},
        {"1e3", 1000},
        {"1.5e1", 15},
        {"-1.50e2", -150},
        {"1000e-3", 1},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
        {"9007199254740993.0", 9007199254740993},
        {"0e999999999999999999999", 0},
        {"0.000", 0},
        {"100000000000000000000000e-23", 1},
        {"0.00012e5", 12},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int64_t value = 77;
        assert_true(json_number_to_integer(text_of(good[i].text), &value));
        assert_true(value == good[i].value);
    }
    static const char *const bad[] = {"",
                                      "-",
                                      "a",
                                      "0.5",
                                      "1e-1",
                                      "9223372036854775808",
                                      "1e19",
                                      "1e999",
                                      "1x",
                                      "-9223372036854775809",
                                      "1e99999999999999999999",
                                      "12.000000000000000000001"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t value = 77;
        assert_false(json_number_to_integer(text_of(bad[i]), &value));
        assert_int_equal(value, 77);
    }
}

static void reals_and_forms(void **state) {
    (void)state;
    assert_true(json_number_to_real(TEXT("0.1")) == 0.1);
    assert_true(json_number_to_real(TEXT("-1.5e3")) == -1500);
    assert_true(isinf(json_number_to_real(TEXT("1e999"))));
    assert_int_equal(json_number_form(TEXT("-12")), JSON_NUMBER_DIGITS);
    assert_int_equal(json_number_form(TEXT("1.0")), JSON_NUMBER_OTHER);
    assert_int_equal(json_number_form(TEXT("1e5")), JSON_NUMBER_OTHER);
    assert_int_equal(json_number_form(TEXT("")), JSON_NUMBER_NOT);
    assert_int_equal(json_number_form(TEXT("00")), JSON_NUMBER_NOT);
    assert_int_equal(json_number_form(TEXT("1 ")), JSON_NUMBER_NOT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_depths), cmocka_unit_test(numbers),
        cmocka_unit_test(strings),           cmocka_unit_test(special_bytes),
        cmocka_unit_test(long_strings),      cmocka_unit_test(wrong),
        cmocka_unit_test(depth_limit),       cmocka_unit_test(mixed_depths),
        cmocka_unit_test(stopping),          cmocka_unit_test(no_interest),
        cmocka_unit_test(exact_integers),    cmocka_unit_test(reals_and_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
