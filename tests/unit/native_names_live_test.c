// SPDX-License-Identifier: MIT
// Names in living processes: this one, and children that make code and end. What is expected comes
// from the addresses of functions of this program and of libc, and from what the children write.
#include <dlfcn.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/symbol/native_names.h"

/* What a test works on. */
struct fixture {
    struct profile *profile;
    struct symbol_source *source;
    struct native_names *names;
};

static struct fixture open_names(void) {
    struct symbol_options symbols = {.mode = SYMBOLS_FROM_FILES};
    struct fixture fixture = {.profile = profile_new(), .source = symbol_source_open(&symbols)};
    struct native_names_options options = {.source = fixture.source, .live = true};
    fixture.names = native_names_open(fixture.profile, &options);
    return fixture;
}

static void close_names(struct fixture *fixture) {
    native_names_close(fixture->names);
    symbol_source_close(fixture->source);
    profile_free(fixture->profile);
}

/* Tells of all mappings of a process, as /proc lists them. */
static void map_all(struct fixture *fixture, pid_t process) {
    char path[64], line[8192];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)process);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        uint64_t start, end, offset;
        char rights[8];
        int name = 0;
        assert_int_equal(sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &start,
                                &end, rights, &offset, &name),
                         4);
        line[strcspn(line, "\n")] = '\0';
        struct native_mapping mapping = {.process_id = (uint64_t)process,
                                         .start = start,
                                         .size = end - start,
                                         .offset = offset,
                                         .path = text_of(line + name),
                                         .executable = rights[2] == 'x'};
        native_names_map(fixture->names, &mapping);
    }
    fclose(file);
}

static struct frame frame_at(struct fixture *fixture, pid_t process, uint64_t address) {
    code_location location =
        native_names_locate(fixture->names, (uint64_t)process, address, false, false);
    struct frame_id id = native_names_frame(fixture->names, location);
    return *frame_table_get(&fixture->profile->frames, id);
}

static void assert_name(struct fixture *fixture, pid_t process, uint64_t address,
                        enum frame_kind kind, const char *name) {
    struct frame frame = frame_at(fixture, process, address);
    assert_int_equal(frame.kind, kind);
    assert_string_equal(profile_text(fixture->profile, frame.name).data, name);
}

static void this_process(void **state) {
    (void)state;
    struct fixture fixture = open_names();
    pid_t self = getpid();
    map_all(&fixture, self);
    assert_name(&fixture, self, (uintptr_t)&frame_at, FRAME_CPP, "frame_at");
    assert_name(&fixture, self, (uintptr_t)&this_process + 4, FRAME_CPP, "this_process");
    void *abort_in_libc = dlsym(RTLD_NEXT, "abort");
    assert_non_null(abort_in_libc);
    assert_name(&fixture, self, (uintptr_t)abort_in_libc, FRAME_CPP, "abort");
    void *vdso = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
    void *gettime = vdso ? dlsym(vdso, "__vdso_clock_gettime") : NULL;
    if (gettime) {
        assert_name(&fixture, self, (uintptr_t)gettime, FRAME_CPP, "__vdso_clock_gettime");
        struct frame frame = frame_at(&fixture, self, (uintptr_t)gettime);
        assert_string_equal(profile_text(fixture.profile, frame.module).data, "[vdso]");
    }
    if (vdso)
        dlclose(vdso);
    assert_name(&fixture, self, (uintptr_t)&fixture, FRAME_UNACCOUNTED, "[unknown]");
    close_names(&fixture);
}

/* A child with a page of executable memory, and with a program file mapped that it deletes. It
 * waits until it is killed. */
struct child {
    pid_t process;
    uint64_t code;    /* address of the page */
    uint64_t deleted; /* address where the deleted file is mapped; 0: not mapped */
};

static struct child start_child(const char *file) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    struct child child = {0};
    pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a failed test leaves nobody behind */
        void *page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        child.code = (uintptr_t)page;
        if (file) {
            FILE *opened = fopen(file, "rb");
            void *at = opened
                           ? mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(opened), 0)
                           : MAP_FAILED;
            unlink(file);
            child.deleted = at == MAP_FAILED ? 0 : (uintptr_t)at;
        }
        if (page == MAP_FAILED || write(ends[1], &child, sizeof child) != sizeof child)
            _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(ends[0], &child, sizeof child), sizeof child);
    child.process = process;
    close(ends[0]);
    close(ends[1]);
    return child;
}

static void end_child(const struct child *child) {
    kill(child->process, SIGKILL);
    waitpid(child->process, NULL, 0);
}

/* Appends a line to the perf map of a child: code of 16 bytes `offset` bytes into its page. */
static void add_code(const struct child *child, unsigned offset, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)child->process);
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    fprintf(file, "%" PRIx64 " 10 %s\n", child->code + offset, name);
    fclose(file);
}

static void remove_map(const struct child *child) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)child->process);
    unlink(path);
}

static void growing_map(void **state) {
    (void)state;
    struct fixture fixture = open_names();
    struct child child = start_child(NULL);
    pid_t process = child.process;
    remove_map(&child);
    map_all(&fixture, process);
    assert_name(&fixture, process, child.code, FRAME_JAVASCRIPT, "[js unknown]");
    add_code(&child, 0, "JS:*first /srv/a.js:1:1");
    assert_name(&fixture, process, child.code, FRAME_JAVASCRIPT, "[js unknown]");
    native_names_refresh(fixture.names);
    assert_name(&fixture, process, child.code, FRAME_JAVASCRIPT, "first");
    code_location first =
        native_names_locate(fixture.names, (uint64_t)process, child.code, false, false);
    /* An address without an entry makes it read on at once. */
    add_code(&child, 0x20, "JS:*second /srv/a.js:2:1");
    assert_name(&fixture, process, child.code + 0x20, FRAME_JAVASCRIPT, "second");
    /* Other code at the same place: from the next batch on. */
    add_code(&child, 0, "JS:*third /srv/a.js:3:1");
    assert_name(&fixture, process, child.code, FRAME_JAVASCRIPT, "first");
    native_names_refresh(fixture.names);
    assert_name(&fixture, process, child.code, FRAME_JAVASCRIPT, "third");
    struct frame_id before = native_names_frame(fixture.names, first);
    assert_string_equal(
        profile_text(fixture.profile, frame_table_get(&fixture.profile->frames, before)->name).data,
        "first");
    end_child(&child);
    add_code(&child, 0x40, "JS:*last /srv/a.js:4:1");
    native_names_refresh(fixture.names);
    assert_name(&fixture, process, child.code + 0x40, FRAME_JAVASCRIPT, "last");
    struct native_names_summary summary = native_names_finish(fixture.names);
    assert_true(summary.any_map);
    assert_int_equal(summary.map_overlaps, 1);
    remove_map(&child);
    close_names(&fixture);
}

static void map_of_a_stranger(void **state) {
    (void)state;
    if (geteuid() != 0) /* only root can give files away */
        skip();
    struct fixture fixture = open_names();
    struct child child = start_child(NULL);
    remove_map(&child);
    add_code(&child, 0, "JS:*forged /srv/a.js:1:1");
    char path[64], text[256];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)child.process);
    assert_int_equal(chown(path, 12345, 12345), 0);
    map_all(&fixture, child.process);
    assert_name(&fixture, child.process, child.code, FRAME_JAVASCRIPT, "[js unknown]");
    native_names_refresh(fixture.names);
    native_names_refresh(fixture.names);
    const struct warning *refused = warnings_find(&fixture.profile->warnings, "perf-map-refused");
    assert_non_null(refused);
    assert_int_equal(refused->count, 1);
    snprintf(text, sizeof text,
             "/proc/%d/root%s belongs to another user (12345), so it is not used; --map %d="
             "/proc/%d/root%s uses it, --trust-maps all of them",
             (int)child.process, path, (int)child.process, (int)child.process, path);
    assert_string_equal(refused->text, text);
    assert_false(native_names_finish(fixture.names).any_map);
    end_child(&child);
    remove_map(&child);
    close_names(&fixture);
}

static void copy_file(const char *from, const char *to) {
    static char bytes[65536];
    FILE *file = fopen(from, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    file = fopen(to, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/* The file is gone when its mapping is told of, and the process when a name is asked for. */
static void deleted_file(void **state) {
    (void)state;
    if (geteuid() != 0) /* /proc/PID/map_files needs a capability */
        skip();
    char shapes[4096];
    const char *source = getenv("TICKFLAME_SOURCE");
    assert_non_null(source); /* absolute; set by the runner of the tests */
    snprintf(shapes, sizeof shapes, "%s/tests/data/symbol/shapes.so", source);
    copy_file(shapes, "deleted.so");
    struct fixture fixture = open_names();
    struct child child = start_child("deleted.so");
    assert_true(child.deleted != 0);
    map_all(&fixture, child.process);
    copy_file("/proc/self/exe", "deleted.so"); /* another file under its name */
    end_child(&child);
    assert_name(&fixture, child.process, child.deleted + 0x600, FRAME_CPP, "read_file");
    struct frame frame = frame_at(&fixture, child.process, child.deleted + 0x600);
    assert_true(text_ends_with(profile_text(fixture.profile, frame.module), TEXT("/deleted.so")));
    assert_name(&fixture, child.process, (uintptr_t)&frame_at, FRAME_CPP, "frame_at");
    unlink("deleted.so");
    close_names(&fixture);
}

static void no_such_process(void **state) {
    (void)state;
    struct fixture fixture = open_names();
    struct child child = start_child(NULL);
    end_child(&child);
    struct native_mapping mapping = {.process_id = (uint64_t)child.process,
                                     .start = child.code,
                                     .size = 4096,
                                     .path = TEXT("//anon"),
                                     .executable = true};
    native_names_map(fixture.names, &mapping);
    assert_name(&fixture, child.process, child.code, FRAME_JAVASCRIPT, "[js unknown]");
    native_names_refresh(fixture.names);
    assert_int_equal(fixture.profile->warnings.size, 0);
    close_names(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(this_process),      cmocka_unit_test(growing_map),
        cmocka_unit_test(map_of_a_stranger), cmocka_unit_test(deleted_file),
        cmocka_unit_test(no_such_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
