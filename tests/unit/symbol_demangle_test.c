// SPDX-License-Identifier: MIT
// Demangling. The full forms are what `nm -C` of GNU binutils 2.40 prints, the short ones what
// `c++filt -p` prints.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fold/model/cpp_name.h"
#include "profiler/symbol/demangle.h"

struct forms {
    const char *mangled;
    const char *full;
    const char *name;
};

static const struct forms known[] = {
    {"_ZN4node2fs4ReadERKN2v820FunctionCallbackInfoINS1_5ValueEEE",
     "node::fs::Read(v8::FunctionCallbackInfo<v8::Value> const&)", "node::fs::Read"},
    {"_ZN4node2fs4ReadERKN2v820FunctionCallbackInfoINS1_5ValueEEE.cold",
     "node::fs::Read(v8::FunctionCallbackInfo<v8::Value> const&) [clone .cold]", "node::fs::Read"},
    {"_Z5twiceIiET_S0_", "int twice<int>(int)", "twice<int>"},
    {"_ZN12_GLOBAL__N_13runEv", "(anonymous namespace)::run()", "(anonymous namespace)::run"},
    {"_ZN5ShapeC1Ei", "Shape::Shape(int)", "Shape::Shape"},
    {"_ZNK5ShapeclEi", "Shape::operator()(int) const", "Shape::operator()"},
    {"_ZN5ShapelsEi", "Shape::operator<<(int)", "Shape::operator<<"},
    {"_ZlsIcERSoS0_T_", "std::ostream& operator<< <char>(std::ostream&, char)",
     "operator<< <char>"},
    {"_ZNK5ShapecvbEv", "Shape::operator bool() const", "Shape::operator bool"},
    {"_Znwm", "operator new(unsigned long)", "operator new"},
    {"_ZdaPv", "operator delete[](void*)", "operator delete[]"},
    {"_ZZN5Shape4drawEvENKUliE_clEi", "Shape::draw()::{lambda(int)#1}::operator()(int) const",
     "Shape::draw()::{lambda(int)#1}::operator()"},
    {"_ZThn16_N5Shape4drawEv", "non-virtual thunk to Shape::draw()",
     "non-virtual thunk to Shape::draw()"},
    {"_Z7pointerIiEPFvcET_", "void (*pointer<int>(int))(char)", "pointer<int>"},
    {"_RNvCs1234_7mycrate3foo", "mycrate::foo", "mycrate::foo"},
    {"_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write", "core::fmt::write"},
    {"read", "read", "read"},
    {"_Zebra", "_Zebra", "_Zebra"},
    {"_Z", "_Z", "_Z"},
    {"", "", ""},
};

static void both_forms(void **state) {
    (void)state;
    struct buffer out = {0};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct text mangled = text_of(known[i].mangled);
        bool changed = strcmp(known[i].mangled, known[i].full) != 0;
        buffer_clear(&out);
        assert_int_equal(demangle_full(mangled, &out), changed);
        buffer_append_byte(&out, '\0');
        assert_string_equal(out.data, known[i].full);
        buffer_clear(&out);
        assert_int_equal(demangle_short(mangled, &out), changed);
        buffer_append_byte(&out, '\0');
        assert_string_equal(out.data, known[i].name);
    }
    buffer_free(&out);
}

static void shortened_text(void **state) {
    (void)state;
    static const struct forms more[] = {
        {"", "std::vector<int> f<a<(b)1> >(int (*)(char))", "f<a<(b)1> >"},
        {"", "decltype (x()) f<int>(int)", "f<int>"},
        {"", "a::b(int) const::{lambda()#1}::operator()() const", NULL},
        {"", "sha512_block_data_order_avx2", "sha512_block_data_order_avx2"},
        {"", "f[abi:cxx11](int)", "f[abi:cxx11]"},
        {"", "std::string a::operator+<char>(b const&, char)", "a::operator+<char>"},
        {"", "a::operator std::vector<int> ()", "a::operator std::vector<int> "},
        {"", "f(", "f"},
        {"", "(((", "((("},
        {"", "<", "<"},
        {"", "operator", "operator"},
        {"", ")", ")"},
    };
    struct buffer out = {0};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        buffer_clear(&out);
        cpp_name_shorten(text_of(known[i].full), &out);
        buffer_append_byte(&out, '\0');
        assert_string_equal(out.data, known[i].name);
    }
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        buffer_clear(&out);
        cpp_name_shorten(text_of(more[i].full), &out);
        buffer_append_byte(&out, '\0');
        assert_string_equal(out.data, more[i].name ? more[i].name
                                                   : "a::b(int) const::{lambda()#1}::operator()");
    }
    buffer_free(&out);
}

static void versions(void **state) {
    (void)state;
    static const char *const names[][2] = {
        {"read@@GLIBC_2.2.5", "read"},
        {"memcpy@GLIBC_2.2.5", "memcpy"},
        {"read", "read"},
        {"@@GLIBC_2.2.5", "@@GLIBC_2.2.5"},
        {"@V", "@V"},
        {"a@", "a@"},
        {"a@b c", "a@b c"},
        {"", ""},
        {"@", "@"},
        {"operator new(unsigned long)@@GLIBCXX_3.4", "operator new(unsigned long)"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct text name = cpp_name_without_version(text_of(names[i][0]));
        assert_int_equal(name.size, strlen(names[i][1]));
        assert_memory_equal(name.data, names[i][1], name.size);
    }
}

/* Each further parameter names the one before it twice: the text doubles 35 times. */
static void result_is_limited(void **state) {
    (void)state;
    struct buffer mangled = {0};
    struct buffer out = {0};
    buffer_append_text(&mangled, TEXT("_Z1f1aIiiE"));
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    buffer_append_text(&mangled, TEXT("S_IS0_S0_E"));
    for (int i = 1; i < 35; i++)
        buffer_append_format(&mangled, "S_IS%c_S%c_E", digits[i], digits[i]);
    assert_false(demangle_full(buffer_text(&mangled), &out));
    assert_int_equal(out.size, mangled.size);
    assert_memory_equal(out.data, mangled.data, out.size);
    buffer_free(&mangled);
    buffer_free(&out);
}

static void depth_is_limited(void **state) {
    (void)state;
    struct buffer mangled = {0};
    struct buffer out = {0};
    for (size_t length = 900; length < 200000; length = length * 3 / 2) {
        buffer_clear(&mangled);
        buffer_clear(&out);
        buffer_append_text(&mangled, TEXT("_Z1f"));
        while (mangled.size < length)
            buffer_append_byte(&mangled, 'P');
        buffer_append_byte(&mangled, 'i');
        bool demangled = demangle_full(buffer_text(&mangled), &out);
        assert_true(out.size > 0);
        if (mangled.size > 1024)
            assert_false(demangled);
    }
    buffer_free(&mangled);
    buffer_free(&out);
}

static void bytes_that_are_no_text(void **state) {
    (void)state;
    struct buffer out = {0};
    struct text hidden = TEXT("_Z1fi\0x");
    assert_false(demangle_full(hidden, &out));
    assert_int_equal(out.size, hidden.size);
    buffer_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms),       cmocka_unit_test(shortened_text),
        cmocka_unit_test(versions),         cmocka_unit_test(result_is_limited),
        cmocka_unit_test(depth_is_limited), cmocka_unit_test(bytes_that_are_no_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
