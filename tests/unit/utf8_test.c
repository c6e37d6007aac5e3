// SPDX-License-Identifier: MIT
/*
 * Tests of fold/base/utf8.h. The digests of the decoder are those of Python's strict decoder over
 * the same byte sequences; which code points are shown as escapes is taken from the Unicode
 * Character Database (Bidi_Control, Noncharacter_Code_Point, Cc, Zl, Zp); the order of texts is
 * what Node's `<` says.
 */
#include "fold/base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Bytes at which the rules for second, third and fourth bytes change. */
static const unsigned char boundaries[] = {0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF,
                                           0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED,
                                           0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF};

/* FNV-1a over code point (four bytes, the lowest first) and length of each first character. */
struct digest {
    uint64_t hash;
    unsigned valid;
};

static void add_to_digest(struct digest *digest, const unsigned char *bytes, size_t size) {
    /* In memory of its own size, so that the sanitizer sees a look beyond it. */
    char *copy = malloc(size + (size == 0));
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    size_t length = 99;
    uint32_t point = utf8_decode((struct text){copy, size}, &length);
    free(copy);
    digest->valid += point != UTF8_INVALID;
    unsigned char record[5] = {point & 0xFF, point >> 8 & 0xFF, point >> 16 & 0xFF, point >> 24,
                               (unsigned char)length};
    for (size_t i = 0; i < sizeof record; i++)
        digest->hash = (digest->hash ^ record[i]) * 0x100000001B3u;
}

/* All sequences of `size` bytes taken from `alphabet`, the last byte changing fastest. */
static struct digest digest_of(const unsigned char *alphabet, size_t letters, size_t size) {
    struct digest digest = {0xCBF29CE484222325u, 0};
    size_t count = 1;
    for (size_t i = 0; i < size; i++)
        count *= letters;
    for (size_t n = 0; n < count; n++) {
        unsigned char bytes[4];
        size_t rest = n;
        for (size_t i = size; i-- > 0; rest /= letters)
            bytes[i] = alphabet[rest % letters];
        add_to_digest(&digest, bytes, size);
    }
    return digest;
}

static void test_decodes_as_python(void **state) {
    (void)state;
    unsigned char all[256];
    for (unsigned i = 0; i < sizeof all; i++)
        all[i] = (unsigned char)i;
    const struct {
        const unsigned char *alphabet;
        size_t letters, size;
        uint64_t hash;
        unsigned valid;
    } cases[] = {
        {all, sizeof all, 1, 0x1EBC6B0148DEE0A5u, 128},
        {all, sizeof all, 2, 0xE41F3466FF6BDCA5u, 34688},
        {boundaries, sizeof boundaries, 3, 0xB9EF3012CBD4C76Fu, 1620},
        {boundaries, sizeof boundaries, 4, 0xCCA44AAE2F50298Du, 39528},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct digest digest = digest_of(cases[i].alphabet, cases[i].letters, cases[i].size);
        assert_int_equal(digest.valid, cases[i].valid);
        assert_true(digest.hash == cases[i].hash);
    }
}

static bool is_surrogate(uint32_t point) {
    return point >= 0xD800 && point <= 0xDFFF;
}

/* Each code point, there and back, with the length that RFC 3629 says. */
static void test_append_and_decode(void **state) {
    (void)state;
    struct buffer buffer = {0};
    for (uint32_t point = 0; point <= 0x10FFFF; point++) {
        buffer_clear(&buffer);
        utf8_append(&buffer, point);
        size_t wanted = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
        size_t length;
        uint32_t decoded = utf8_decode(buffer_text(&buffer), &length);
        if (buffer.size != wanted)
            fail_msg("U+%04X takes %zu bytes", (unsigned)point, buffer.size);
        if (is_surrogate(point) ? decoded != UTF8_INVALID || length != 1
                                : decoded != point || length != wanted)
            fail_msg("U+%04X is decoded as %x", (unsigned)point, (unsigned)decoded);
    }
    buffer_clear(&buffer);
    utf8_append(&buffer, 0xD83D);
    assert_memory_equal(buffer.data, "\xED\xA0\xBD", 3);
    buffer_free(&buffer);
}

static void test_repair_and_valid(void **state) {
    (void)state;
    static const struct {
        struct text bytes;
        const char *repaired;
    } cases[] = {
        {TEXT("abc é中😀"), "abc é中😀"},
        {TEXT("\xC3"), "?"},
        {TEXT("\xC3(\xA9"), "?(?"},
        {TEXT("\xE4\xB8|\xE4\xB8\xAD"), "??|中"},
        {TEXT("\xC0\xAF"), "??"},
        {TEXT("\xE0\x80\xAF"), "???"},
        {TEXT("\xED\xA0\x80"), "???"},
        {TEXT("\xF4\x90\x80\x80"), "????"},
        {TEXT("\xF0\x9F\x98"), "???"},
        {TEXT("\xFF\xFE"), "??"},
        {TEXT("\xF0\x9F\x98\x80\x80"), "😀?"},
        {TEXT(""), ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char bytes[32] = "";
        memcpy(bytes, cases[i].bytes.data, cases[i].bytes.size);
        bool valid = memcmp(bytes, cases[i].repaired, cases[i].bytes.size) == 0;
        assert_int_equal(utf8_valid(cases[i].bytes), valid);
        utf8_repair(bytes, cases[i].bytes.size);
        assert_string_equal(bytes, cases[i].repaired);
        assert_true(utf8_valid(text_of(bytes)));
    }
    assert_true(utf8_valid(TEXT("a\0b")));
}

static void assert_visible(struct text text, const char *expected) {
    struct buffer buffer = {0};
    utf8_append_visible(&buffer, text);
    buffer_append_byte(&buffer, '\0');
    assert_string_equal(buffer.data, expected);
    buffer_free(&buffer);
}

static void test_visible(void **state) {
    (void)state;
    assert_visible(TEXT(""), "");
    assert_visible(TEXT("plain é 中 😀 \\n"), "plain é 中 😀 \\n");
    assert_visible(TEXT("a\nb\tc\rd"), "a\\nb\\x09c\\x0dd");
    assert_visible(TEXT("\0"), "\\x00");
    assert_visible(TEXT("\x1B[31mred\x7F"), "\\x1b[31mred\\x7f");
    assert_visible(TEXT("\xC2\x80\xC2\x9B\xC2\x9F\xC2\xA0"), "\\x80\\x9b\\x9f\xC2\xA0");
    assert_visible(TEXT("\xFF\xC3(\xE4\xB8"), "\\xff\\xc3(\\xe4\\xb8");
    assert_visible(TEXT("\xED\xA0\x80"), "\\xed\\xa0\\x80");
    assert_visible(TEXT("user\xE2\x80\xAEgnp.js"), "user\\u{202e}gnp.js");
    assert_visible(TEXT("\xE2\x81\xA6x\xE2\x81\xA9"), "\\u{2066}x\\u{2069}");
    assert_visible(TEXT("\xD8\x9C\xE2\x80\x8F\xEF\xBB\xBF"), "\\u{61c}\\u{200f}\\u{feff}");
    assert_visible(TEXT("\xE2\x80\xA8\xE2\x80\xA9"), "\\u{2028}\\u{2029}");
    assert_visible(TEXT("\xEF\xBF\xBF\xEF\xB7\x90"), "\\u{ffff}\\u{fdd0}");
    assert_visible(TEXT("\xF4\x8F\xBF\xBF"), "\\u{10ffff}");
    /* Joiners shape a script or an emoji; they change no order. */
    assert_visible(TEXT("\xE2\x80\x8C\xE2\x80\x8D"), "\xE2\x80\x8C\xE2\x80\x8D");
}

struct span {
    uint32_t first, last;
};

static bool in_spans(uint32_t point, const struct span *spans) {
    for (; spans->last; spans++)
        if (point >= spans->first && point <= spans->last)
            return true;
    return false;
}

/* Every character is either left alone or wholly an escape, as its properties say. */
static void test_visible_every_character(void **state) {
    (void)state;
    static const struct span controls[] = {{0, 0x1F}, {0x7F, 0x9F}, {0, 0}};
    static const struct span marks[] = {
        {0x061C, 0x061C},
        {0x200E, 0x200F},
        {0x202A, 0x202E},
        {0x2066, 0x2069}, /* Bidi_Control */
        {0x2028, 0x2029}, /* Zl, Zp */
        {0xFEFF, 0xFEFF}, /* byte-order mark */
        {0xFDD0, 0xFDEF}, /* non-characters, with the last two of each plane */
        {0, 0}};
    struct buffer plain = {0}, visible = {0};
    for (uint32_t point = 0; point <= 0x10FFFF; point++) {
        if (is_surrogate(point))
            continue;
        buffer_clear(&plain);
        buffer_clear(&visible);
        utf8_append(&plain, point);
        utf8_append_visible(&visible, buffer_text(&plain));
        char escape[16] = "";
        if (point == '\n')
            strcpy(escape, "\\n");
        else if (in_spans(point, controls))
            snprintf(escape, sizeof escape, "\\x%02x", (unsigned)point);
        else if (in_spans(point, marks) || point % 0x10000 >= 0xFFFE)
            snprintf(escape, sizeof escape, "\\u{%x}", (unsigned)point);
        struct text wanted = *escape ? text_of(escape) : buffer_text(&plain);
        if (!text_equal(buffer_text(&visible), wanted))
            fail_msg("U+%04X is shown as %.*s", (unsigned)point, (int)visible.size, visible.data);
    }
    buffer_free(&plain);
    buffer_free(&visible);
}

/* Widths by East_Asian_Width W and F, and by the categories Mn and Me. */
static void test_columns(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t columns;
    } cases[] = {
        {"", 0},        {"abc", 3},
        {"café", 4},    {"cafe\xCC\x81", 4},
        {"中文", 4},    {"한글", 4},
        {"かな", 4},    {"ＡＢ", 4},
        {"ｱｲ", 2},      {"😀", 2},
        {"🚀x", 3},      {"\xE2\x9D\xA4\xEF\xB8\x8F", 1},
        {"Ünïcödé", 7}, {"Привет", 6},
        {"𝑓", 1},       {"𠀀", 2},
        {"①", 1},       {"e\xE2\x83\x9D", 1},
        {"\xFF", 1},    {"₩ ￦", 4},
        {"⌚", 2},       {"–—…", 3},
        {"·×÷", 3},     {"√∞", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (utf8_columns(text_of(cases[i].text)) != cases[i].columns)
            fail_msg("'%s' takes %zu columns", cases[i].text, utf8_columns(text_of(cases[i].text)));
}

static void test_cut_columns(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t columns;
        const char *expected;
    } cases[] = {
        {"abc", 0, ""},
        {"abc", 2, "ab"},
        {"abc", 3, "abc"},
        {"abc", SIZE_MAX, "abc"},
        {"中文字", 4, "中文"},
        {"中文字", 5, "中文"}, /* half a character is none */
        {"中文字", 1, ""},
        {"a中b", 2, "a"},
        {"a中b", 3, "a中"},
        {"é😀", 2, "é"},
        {"e\xCC\x81\xCC\xA3x", 1, "e\xCC\x81\xCC\xA3"}, /* marks stay with their letter */
        {"xe\xCC\x81", 1, "x"},
        {"", 5, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text text = text_of(cases[i].text);
        struct text cut = utf8_cut_columns(text, cases[i].columns);
        assert_ptr_equal(cut.data, text.data);
        if (!text_equal(cut, text_of(cases[i].expected)))
            fail_msg("'%s' is cut to '%.*s'", cases[i].text, (int)cut.size, cut.data);
    }
}

/* In the order of JavaScript's `<`: sorted by node. Lone surrogates are WTF-8. */
static const struct text in_utf16_order[] = {
    {"", 0},
    {"a", 1},
    {"aa", 2},
    {"ab", 2},
    {"a\355\240\200", 4},
    {"a\360\220\200\200", 5},
    {"a\357\277\277", 4},
    {"b", 1},
    {"z", 1},
    {"\177", 1},
    {"\302\200", 2},
    {"\303\251", 2},
    {"\337\277", 2},
    {"\340\240\200", 3},
    {"\344\270\255", 3},
    {"\355\237\277", 3},
    {"\355\240\200", 3},
    {"\360\220\200\200", 4},
    {"\360\220\200\200\360\220\200\200", 8},
    {"\360\220\200\200\357\277\277", 7},
    {"\360\220\210\200", 4},
    {"\360\220\217\277", 4},
    {"\355\240\200\356\200\200", 6},
    {"\355\240\275", 3},
    {"\355\240\275a", 4},
    {"\355\240\275\360\237\230\200", 7},
    {"\360\237\230\200", 4},
    {"\360\237\230\200a", 5},
    {"\360\237\230\201", 4},
    {"\355\240\275\356\200\200", 6},
    {"\355\240\275\357\277\277", 6},
    {"\355\257\277", 3},
    {"\364\217\277\277", 4},
    {"\355\257\277\357\277\275", 6},
    {"\355\260\200", 3},
    {"\355\260\200a", 4},
    {"\355\277\277", 3},
    {"\356\200\200", 3},
    {"\357\243\277", 3},
    {"\357\254\201", 3},
    {"\357\275\236", 3},
    {"\357\277\275", 3},
    {"\357\277\277", 3},
    {"\357\277\277\360\220\200\200", 7},
};

static void test_order_as_javascript(void **state) {
    (void)state;
    enum { COUNT = sizeof in_utf16_order / sizeof *in_utf16_order };
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < COUNT; k++) {
            int order = utf8_compare_utf16(in_utf16_order[i], in_utf16_order[k]);
            if ((order > 0) - (order < 0) != (i > k) - (i < k))
                fail_msg("rows %d and %d are compared as %d", i, k, order);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decodes_as_python),
        cmocka_unit_test(test_append_and_decode),
        cmocka_unit_test(test_repair_and_valid),
        cmocka_unit_test(test_visible),
        cmocka_unit_test(test_visible_every_character),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_cut_columns),
        cmocka_unit_test(test_order_as_javascript),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
