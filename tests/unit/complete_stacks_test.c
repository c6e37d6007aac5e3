// SPDX-License-Identifier: MIT
/* Tests of fold/tally/complete_stacks.h. */
#include "fold/tally/complete_stacks.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

/* Adds a stack of functions, outermost first, `name@library` or a name alone. */
static void add(struct profile *profile, const char *const *names, enum frame_kind kind,
                uint64_t count) {
    struct stack_id stack = {0};
    for (; *names; names++) {
        struct text name = text_of(*names), module = TEXT("");
        for (size_t i = 0; i < name.size; i++)
            if (name.data[i] == '@') {
                module = text_skip(name, i + 1);
                name.size = i;
                break;
            }
        struct frame frame = {.name = profile_intern(profile, name),
                              .module = profile_intern(profile, module),
                              .kind = (uint8_t)(name.size ? kind : FRAME_LIBRARY)};
        stack = profile_push(profile, stack, profile_frame(profile, &frame));
    }
    profile_add_sample(
        profile,
        (struct sample){.stack = stack, .count = count, .weight = weight_of(1000 * count)});
}

#define STACK(...)                                                                                 \
    (const char *const[]) {                                                                        \
        __VA_ARGS__, NULL                                                                          \
    }

static void test_share(void **state) {
    (void)state;
    struct profile *profile = profile_new();
    profile->native_stacks = true;
    profile_add_thread(profile, (struct profile_thread){.id = 1});
    add(profile, STACK("_start@/usr/bin/node", "main@/usr/bin/node", "uv_run"), FRAME_CPP, 40);
    add(profile, STACK("__libc_start_call_main", "main"), FRAME_CPP, 5);
    add(profile, STACK("clone3@/lib/libc.so.6", "start_thread", "worker"), FRAME_CPP, 5);
    add(profile, STACK("@/lib/x86_64/libc.so.6", "uv_run"), FRAME_CPP, 5);
    add(profile, STACK("do_syscall_64", "schedule"), FRAME_KERNEL, 5);
    add(profile, STACK("vips_convolve@/srv/libvips-cpp.so.42", "memcpy@/lib/libc.so.6"), FRAME_CPP,
        30);
    add(profile, STACK("handler"), FRAME_JAVASCRIPT, 10);
    profile_add_sample(profile, (struct sample){.count = 7, .weight = weight_of(7)});
    struct complete_stacks complete = complete_stacks_find(profile);
    assert_true(complete.share > 0.5999 && complete.share < 0.6001);
    assert_true(text_equal(complete.worst, TEXT("libvips-cpp.so.42")));
    assert_true(complete.worst_share > 0.7499 && complete.worst_share < 0.7501);
    profile_free(profile);
}

static void test_not_known(void **state) {
    (void)state;
    struct profile *profile = profile_new();
    profile_add_thread(profile, (struct profile_thread){.id = 1});
    assert_true(complete_stacks_find(profile).share < 0);
    add(profile, STACK("handler"), FRAME_JAVASCRIPT, 10);
    assert_true(complete_stacks_find(profile).share < 0);
    profile->native_stacks = true;
    struct complete_stacks complete = complete_stacks_find(profile);
    assert_true(complete.share == 0);
    assert_int_equal(complete.worst.size, 0);
    profile_free(profile);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_share),
        cmocka_unit_test(test_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
