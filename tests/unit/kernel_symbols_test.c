// SPDX-License-Identifier: MIT
// The functions of the kernel, from text in the form of /proc/kallsyms and from that file itself.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/symbol/kernel_symbols.h"

static void assert_function(const struct kernel_symbols *symbols, uint64_t address,
                            const char *name, const char *module) {
    struct text found = {0}, in = {0};
    assert_int_equal(kernel_symbols_find(symbols, address, &found, &in), name != NULL);
    if (!name)
        return;
    assert_string_equal(found.data, name);
    assert_int_equal(in.size, strlen(module));
    if (in.size)
        assert_string_equal(in.data, module);
}

static void listed_functions(void **state) {
    (void)state;
    struct kernel_symbols symbols = {0};
    kernel_symbols_parse(&symbols, TEXT("ffffffff81000000 T _stext\n"
                                        "ffffffff81000000 T startup_64\n"
                                        "ffffffff81000000 T _text\n"
                                        "ffffffff81000100 t local_alias\n"
                                        "ffffffff81000100 W weak\n"
                                        "ffffffff81000100 T __global_one\n"
                                        "ffffffff81000100 T __global_a\n"
                                        "ffffffff81000100 T __global_bb\n"
                                        "ffffffff81000200 D data_at\n"
                                        "ffffffff81000300 w weak_only\n"
                                        "no line\n"
                                        "ffffffffc0000000 t module_first\t[ext4]\n"
                                        "ffffffffc0000010 t module_last\t[ext4]\n"
                                        "ffffffffa0000000 t lower_module\t[xfs]\n"
                                        "ffffffffa0000ff0 t lower_last\t[xfs]"));
    assert_false(symbols.hidden);
    assert_true(symbols.text_start == 0xffffffff81000000);
    assert_function(&symbols, 0xffffffff80ffffff, NULL, "");
    assert_function(&symbols, 0xffffffff81000000, "startup_64", "");
    assert_function(&symbols, 0xffffffff810000ff, "startup_64", "");
    assert_function(&symbols, 0xffffffff81000100, "__global_a", "");
    assert_function(&symbols, 0xffffffff81000250, "__global_a", "");
    /* The last one before a module reaches to the end of the page behind it. */
    assert_function(&symbols, 0xffffffff81000300, "weak_only", "");
    assert_function(&symbols, 0xffffffff81001fff, "weak_only", "");
    assert_function(&symbols, 0xffffffff81002000, NULL, "");
    assert_function(&symbols, 0xffffffffa0000001, "lower_module", "[xfs]");
    assert_function(&symbols, 0xffffffffa0001fff, "lower_last", "[xfs]");
    assert_function(&symbols, 0xffffffffa0002000, NULL, "");
    assert_function(&symbols, 0xffffffffc000000f, "module_first", "[ext4]");
    assert_function(&symbols, 0xffffffffc0001fff, "module_last", "[ext4]");
    assert_function(&symbols, 0xffffffffc0002000, NULL, "");
    assert_function(&symbols, UINT64_MAX, NULL, "");
    assert_function(&symbols, 0, NULL, "");
    kernel_symbols_free(&symbols);
}

static void hidden_addresses(void **state) {
    (void)state;
    struct kernel_symbols symbols = {0};
    kernel_symbols_parse(&symbols, TEXT("0000000000000000 T _text\n0000000000000000 t one\n"));
    assert_true(symbols.hidden);
    kernel_symbols_free(&symbols);
    /* The first per-cpu variables do stand at 0. */
    kernel_symbols_parse(&symbols, TEXT("0000000000000000 A fixed_percpu_data\n"
                                        "ffffffff81000000 T _text\n"));
    assert_false(symbols.hidden);
    kernel_symbols_free(&symbols);
    kernel_symbols_parse(&symbols, TEXT(""));
    assert_false(symbols.hidden);
    assert_function(&symbols, 0, NULL, "");
    kernel_symbols_free(&symbols);
}

/* Each function of this machine is found at its address, by its own name or by another one that
 * stands at the same address. */
static void this_kernel(void **state) {
    (void)state;
    struct kernel_symbols symbols = {0};
    const char *reason = kernel_symbols_read(&symbols);
    if (reason) {
        assert_int_equal(symbols.size, 0);
        kernel_symbols_free(&symbols);
        skip();
    }
    FILE *file = fopen("/proc/kallsyms", "r");
    assert_non_null(file);
    char line[1024], module[256];
    uint64_t number = 0, asked = 0;
    while (fgets(line, sizeof line, file)) {
        char name[512], type;
        unsigned long long address;
        module[0] = '\0';
        if (sscanf(line, "%llx %c %511s %255s", &address, &type, name, module) < 3 ||
            !strchr("tTwW", type) || number++ % 500 != 0)
            continue;
        struct text found, in;
        assert_true(kernel_symbols_find(&symbols, address, &found, &in));
        assert_true(kernel_symbols_find(&symbols, address, &found, &in));
        assert_int_equal(in.size > 0, module[0] != '\0');
        asked++;
    }
    fclose(file);
    assert_true(number == symbols.size || asked > 0);
    kernel_symbols_free(&symbols);
}

static void padding_of_functions(void **state) {
    (void)state;
    struct kernel_symbols symbols = {0};
    kernel_symbols_parse(&symbols, TEXT("ffffffff81000000 T before\n"
                                        "ffffffff81000100 t __pfx_after\n"
                                        "ffffffff81000110 T after\n"));
    struct text name, module;
    assert_true(kernel_symbols_find_called(&symbols, 0xffffffff8100010f, &name, &module));
    assert_string_equal(name.data, "after");
    assert_true(kernel_symbols_find_called(&symbols, 0xffffffff81000108, &name, &module));
    assert_string_equal(name.data, "__pfx_after");
    assert_true(kernel_symbols_find_called(&symbols, 0xffffffff810000ff, &name, &module));
    assert_string_equal(name.data, "before");
    assert_false(kernel_symbols_find_called(&symbols, 0xffffffff80ffffff, &name, &module));
    kernel_symbols_free(&symbols);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listed_functions),
        cmocka_unit_test(hidden_addresses),
        cmocka_unit_test(this_kernel),
        cmocka_unit_test(padding_of_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
