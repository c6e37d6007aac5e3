// SPDX-License-Identifier: MIT
/* The CPU quota of cgroups: where it is found, and what the kernel says of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/live/throttling.h"

static void both_versions(void **state) {
    (void)state;
    uint64_t periods = 0, time = 0;
    assert_true(throttling_parse(TEXT("usage_usec 9042384\nuser_usec 8000000\nsystem_usec 1042384\n"
                                      "nr_periods 120\nnr_throttled 97\nthrottled_usec 7650321\n"
                                      "nr_bursts 0\nburst_usec 0\n"),
                                 &periods, &time));
    assert_true(periods == 97 && time == 7650321);
    assert_true(throttling_parse(TEXT("nr_periods 120\nnr_throttled 98\nthrottled_time 7650321999\n"
                                      "nr_bursts 0\nburst_time 0\n"),
                                 &periods, &time));
    assert_true(periods == 98 && time == 7650321);
    /* A group without the controller; lines that are none. */
    assert_false(throttling_parse(TEXT("usage_usec 1\nuser_usec 1\n"), &periods, &time));
    assert_false(throttling_parse(TEXT("nr_throttled 5\n"), &periods, &time));
    assert_false(throttling_parse(TEXT("nr_throttled x\nthrottled_usec\n"), &periods, &time));
    assert_false(throttling_parse(TEXT(""), &periods, &time));
}

static void expect(struct throttling_place place, const char *mount, const char *group,
                   bool second) {
    assert_true(text_equal(place.mount, text_of(mount)));
    assert_true(text_equal(place.group, text_of(group)));
    assert_int_equal(place.second, second);
}

static void places(void **state) {
    (void)state;
    struct throttling_place found[2];
    /* Version 2 alone, with the group's own view of it as in a container, and without. */
    struct text mounts = TEXT("29 1 254:1 / / rw,relatime - ext4 /dev/vda rw\n"
                              "30 29 0:26 / /sys/fs/cgroup rw,nosuid shared:4 master:1 - cgroup2 "
                              "cgroup2 rw,nsdelegate\n");
    assert_int_equal(throttling_places(TEXT("0::/\n"), mounts, found), 1);
    expect(found[0], "/sys/fs/cgroup", "", true);
    assert_int_equal(throttling_places(TEXT("0::/system.slice/a b.service\n"), mounts, found), 1);
    expect(found[0], "/sys/fs/cgroup", "/system.slice/a b.service", true);
    /* Outside of what can be seen here. */
    assert_int_equal(throttling_places(TEXT("0::/../other\n"), mounts, found), 0);

    /* Both versions; the controllers together with others, in any order. */
    mounts = TEXT("33 31 0:29 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
                  "34 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
                  "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    struct text groups = TEXT("9:name=systemd:/x\n4:cpuset:/y\n3:cpuacct,cpu:/z/a:b/\n0::/w\n");
    assert_int_equal(throttling_places(groups, mounts, found), 2);
    expect(found[0], "/sys/fs/cgroup/cpu,cpuacct", "/z/a:b", false);
    expect(found[1], "/sys/fs/cgroup/unified", "/w", true);
    assert_int_equal(throttling_places(TEXT("2:cpuacct:/\n1:cpuset:/\n"), mounts, found), 0);

    /* The mounts of a container that sees the names of the machine: a part of the hierarchy. */
    mounts = TEXT("34 31 0:30 /docker/f00 /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpuacct,cpu\n");
    assert_int_equal(throttling_places(TEXT("1:cpu,cpuacct:/docker/f00\n"), mounts, found), 1);
    expect(found[0], "/sys/fs/cgroup/cpu", "", false);
    assert_int_equal(throttling_places(TEXT("1:cpu:/docker/f00/in\n"), mounts, found), 1);
    expect(found[0], "/sys/fs/cgroup/cpu", "/in", false);
    assert_int_equal(throttling_places(TEXT("1:cpu:/docker/f00d\n"), mounts, found), 0);
    assert_int_equal(throttling_places(TEXT("1:cpu:/\n"), mounts, found), 0);

    /* Texts that are cut anywhere. */
    mounts = TEXT("34 31 0:30 / /sys/fs/cgroup/cpu rw shared:1 - cgroup cgroup rw,cpu\n");
    for (size_t size = 0; size + 4 < mounts.size; size++)
        assert_int_equal(
            throttling_places(TEXT("1:cpu:/\n"), (struct text){mounts.data, size}, found), 0);
    assert_int_equal(throttling_places(TEXT("1:cpu"), mounts, found), 1);
    expect(found[0], "/sys/fs/cgroup/cpu", "", false);
    assert_int_equal(throttling_places(TEXT("1:"), mounts, found), 0);
    assert_int_equal(throttling_places(TEXT(""), mounts, found), 0);
}

static void processes(void **state) {
    (void)state;
    struct throttling throttling;
    uint64_t periods, time;
    assert_false(throttling_open(&throttling, -1));
    assert_int_equal(throttling.count, 0);
    assert_false(throttling_read(&throttling, &periods, &time));
    /* Whether there is a quota is the machine's business: then it can be read. */
    if (throttling_open(&throttling, getpid()))
        assert_true(throttling_read(&throttling, &periods, &time));
    throttling_close(&throttling);
    assert_int_equal(throttling.count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_versions),
        cmocka_unit_test(places),
        cmocka_unit_test(processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
