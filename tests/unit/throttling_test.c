// SPDX-License-Identifier: MIT
/* Throttled time of control groups, of files made up in a folder of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "profiler/live/throttling.h"

static char root[] = "/tmp/tickflame-throttling-XXXXXX";

/* Writes a file below the root, and makes the folders above it. */
static void put_file(const char *path, const char *text) {
    char name[512];
    size_t start = strlen(root) + 1;
    snprintf(name, sizeof name, "%s%s", root, path);
    for (char *slash = strchr(name + start, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(name, 0755);
        *slash = '/';
    }
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void expect(const struct throttling *throttling, uint64_t periods, uint64_t microseconds) {
    uint64_t found_periods;
    uint64_t found_microseconds;
    assert_true(throttling_read(throttling, &found_periods, &found_microseconds));
    assert_int_equal(found_periods, periods);
    assert_int_equal(found_microseconds, microseconds);
}

static const char version_2_mounts[] =
    "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 master:1 - cgroup2 cgroup2 rw,nsdelegate\n";

static void version_2(void **state) {
    (void)state;
    put_file("/proc/self/mountinfo", version_2_mounts);
    put_file("/proc/20/cgroup", "0::/system.slice/app.service\n");
    put_file("/sys/fs/cgroup/cpu.stat", "usage_usec 9\nuser_usec 5\nsystem_usec 4\n");
    put_file("/sys/fs/cgroup/system.slice/cpu.stat",
             "usage_usec 7\nnr_periods 4\nnr_throttled 1\nthrottled_usec 100\n");
    put_file("/sys/fs/cgroup/system.slice/app.service/cpu.stat",
             "usage_usec 3\nnr_periods 8\nnr_throttled 5\nthrottled_usec 70000\nnr_bursts 0\n");
    struct throttling *throttling = throttling_open(20, root);
    assert_non_null(throttling);
    expect(throttling, 6, 70100);
    put_file("/sys/fs/cgroup/system.slice/app.service/cpu.stat",
             "usage_usec 3\nnr_periods 9\nnr_throttled 6\nthrottled_usec 81000\nnr_bursts 0\n");
    expect(throttling, 7, 81100);
    put_file("/sys/fs/cgroup/system.slice/app.service/cpu.stat", "");
    uint64_t ignored;
    assert_false(throttling_read(throttling, &ignored, &ignored));
    throttling_close(throttling);
}

/* Both versions at once, where the first one limits; nanoseconds; a container that sees just its
 * own group. */
static void version_1(void **state) {
    (void)state;
    put_file("/proc/self/mountinfo",
             "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
             "33 31 0:30 / /v1/cpuset rw - cgroup cgroup rw,cpuset\n"
             "32 31 0:29 /docker/12ab /v1/cpu,cpuacct ro,nosuid - cgroup cgroup rw,cpu,cpuacct\n"
             "41 31 0:38 / /v1/unified rw - cgroup2 cgroup2 rw\n");
    put_file("/v1/cpu,cpuacct/cpu.stat", "nr_periods 3\nnr_throttled 2\nthrottled_time 5000999\n");
    put_file("/v1/cpu,cpuacct/app/cpu.stat",
             "nr_periods 3\nnr_throttled 1\nthrottled_time 1000000\n");
    put_file("/proc/21/cgroup",
             "0::/\n3:cpuset:/docker/12ab\n2:cpu,cpuacct:/docker/12ab/app\n1:name=systemd:/\n");
    struct throttling *throttling = throttling_open(21, root);
    assert_non_null(throttling);
    expect(throttling, 3, 6000);
    throttling_close(throttling);
    /* Its namespace calls that group the root. */
    put_file("/proc/22/cgroup", "2:cpu,cpuacct:/\n");
    throttling = throttling_open(22, root);
    assert_non_null(throttling);
    expect(throttling, 2, 5000);
    throttling_close(throttling);
}

static void none(void **state) {
    (void)state;
    put_file("/proc/self/mountinfo", version_2_mounts);
    put_file("/sys/fs/cgroup/cpu.stat", "usage_usec 9\nuser_usec 5\nsystem_usec 4\n");
    static const char *const groups[] = {
        "0::/\n", "0::/../../other\n", "2:memory:/a\n", "", "\n::\n:\n0:", "0::/not/there\n",
    };
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        put_file("/proc/23/cgroup", groups[i]);
        assert_null(throttling_open(23, root));
    }
    put_file("/proc/23/cgroup", "0::/system.slice\n");
    put_file("/proc/self/mountinfo", "22 1 8:1 / /\n- - -\n30 22 0:26 / /sys - cgroup2\n\n");
    assert_null(throttling_open(23, root));
    assert_null(throttling_open(999, root)); /* no such process */
    throttling_close(NULL);
}

static int make_root(void **state) {
    (void)state;
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", root);
    return system(command); /* NOLINT(cert-env33-c): a folder of its own */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_2),
        cmocka_unit_test(version_1),
        cmocka_unit_test(none),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
