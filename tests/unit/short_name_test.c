// SPDX-License-Identifier: MIT
/* Tests of profiler/report/short_name.h. */
#include "profiler/report/short_name.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

static void assert_short(const char *name, size_t width, const char *expected) {
    struct short_names names = {0};
    struct buffer shown = {0};
    short_names_append(&names, &shown, text_of(name), width);
    buffer_append_byte(&shown, '\0');
    assert_string_equal(shown.data, expected);
    buffer_free(&shown);
    short_names_free(&names);
}

static void test_one(void **state) {
    (void)state;
    assert_short("uv_run", 30, "uv_run");
    assert_short("Accessor<Traits<int>>::Get", 26, "Accessor<Traits<int>>::Get");
    assert_short("Accessor<Traits<int, bool>>::Get", 30, "Accessor<Traits<...>>::Get");
    assert_short("Accessor<Traits<int, bool>>::Get", 24, "Accessor<...>::Get");
    assert_short("v8::internal::JsonParser<unsigned short>::ParseJsonValue<true>", 48,
                 "...JsonParser<...>::ParseJsonValue<...>");
    /* Operators are no argument lists. */
    assert_short("a::Map<some::Key, other::Value>::operator<", 30, "a::Map<...>::operator<");
    assert_short("std::operator<< <std::char_traits<char> >", 30, "std::operator<< <...>");
    assert_short("a::Map<some::Key, other::Value>::operator->", 30, "a::Map<...>::operator->");
    assert_short("a::f<&other::thing->member, another>::g", 30, "a::f<...>::g");
    /* Without namespaces the start tells most. */
    assert_short("a_function_of_c_with_a_very_long_name", 20, "a_function_of_c_w...");
    assert_short("one::a_function_with_a_very_long_name::x", 20, "...very_long_name::x");
    /* Unbalanced. */
    assert_short("a<b<c<d<e<f<g<h<i<j<k<l<m<n<o<p", 20, "a<b<c<d<e<...");
    assert_short(">>>>>>>>>>>>>>>>>>>>>>>>>>>>>>", 20, ">>>>>>>>>>>>>>>>>...");
    assert_short("", 20, "");
}

/* Two functions never look the same. */
static void test_alike(void **state) {
    (void)state;
    static const char *const names[] = {
        "node::CompressionStream<node::ZlibContext>::Write<false>",
        "node::CompressionStream<node::BrotliContext<node::Encoder>>::Write<false>",
        "node::CompressionStream<node::ZlibContext>::Write<false>",
        "node::CompressionStream<node::ZlibContext>::Write<true>",
    };
    static const char *const shown[] = {
        "node::CompressionStream<...>::Write<...>",
        "...tream<node::BrotliContext<node::Enco...",
        "node::CompressionStream<...>::Write<...>",
        "...ext>::Write<true>",
    };
    struct short_names table = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct buffer buffer = {0};
        short_names_append(&table, &buffer, text_of(names[i]), 42);
        buffer_append_byte(&buffer, '\0');
        assert_string_equal(buffer.data, shown[i]);
        buffer_free(&buffer);
    }
    short_names_free(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one),
        cmocka_unit_test(test_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
