// SPDX-License-Identifier: MIT
#include "profiler/live/target.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fold/base/memory.h"
#include "fold/base/number.h"
#include "fold/base/utf8.h"
#include "profiler/live/proc_file.h"
#include "profiler/symbol/elf_file.h"

static void copy_text(char *to, size_t size, struct text text) {
    size_t copied = text.size < size - 1 ? text.size : size - 1;
    if (copied > 0) /* threads of the kernel have no arguments */
        memcpy(to, text.data, copied);
    to[copied] = '\0';
}

/* Arguments have NULs between them in `line`: blanks take their place. */
static void set_command_line(struct target *target, struct text line) {
    while (line.size > 0 && line.data[line.size - 1] == '\0')
        line.size--;
    copy_text(target->command_line, sizeof target->command_line, line);
    size_t size =
        line.size < sizeof target->command_line - 1 ? line.size : sizeof target->command_line - 1;
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)target->command_line[i];
        target->command_line[i] = (char)(byte < ' ' || byte == 0x7f ? ' ' : byte);
    }
    utf8_repair(target->command_line, size);
}

/* "node", "nodejs", and such with a version behind: "node20", "node-18.9". */
static bool is_node_name(struct text name) {
    if (text_starts_with(name, TEXT("nodejs")))
        name = text_skip(name, 6);
    else if (text_starts_with(name, TEXT("node")))
        name = text_skip(name, 4);
    else
        return false;
    for (size_t i = 0; i < name.size; i++) {
        if (!strchr("0123456789.-v", name.data[i]) || name.data[i] == '\0')
            return false;
    }
    return true;
}

/* Whether the file of a process's program names V8: Electron, a renamed or embedded Node. V8 alone
 * is larger than 16 MiB, so most files need not be opened. */
static bool holds_v8(pid_t process_id) {
    enum { LEAST_SIZE = 16 << 20 };
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/exe", process_id);
    if (stat(path, &status) != 0 || status.st_size < LEAST_SIZE)
        return false;
    struct elf_file file = {0};
    struct error error = {0};
    if (!elf_file_open(&file, path, &error))
        return false;
    bool found = elf_file_names(&file, TEXT("_ZN2v87Isolate"));
    elf_file_close(&file);
    return found;
}

static void read_program(struct target *target, struct text arguments) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/exe", target->process_id);
    ssize_t size = readlink(path, target->executable, sizeof target->executable - 1);
    target->executable[size > 0 ? size : 0] = '\0';
    struct text program = text_of(target->executable);
    struct text mark = TEXT(" (deleted)");
    if (text_ends_with(program, mark)) {
        target->deleted = true;
        program.size -= mark.size;
        target->executable[program.size] = '\0';
    }
    if (program.size > 0) {
        target->is_node = is_node_name(text_basename(program)) || holds_v8(target->process_id);
        return;
    }
    /* Another user's: its first argument can be read, which the program itself may have changed. */
    struct text first = arguments;
    first.size = strnlen(arguments.size > 0 ? arguments.data : "", arguments.size);
    target->is_node = is_node_name(text_basename(first));
}

static bool asks_for_map(struct text strings, struct text start) {
    while (strings.size > 0) {
        struct text one = {strings.data, strnlen(strings.data, strings.size)};
        strings = text_skip(strings, one.size + 1);
        if (!text_starts_with(one, start))
            continue;
        /* V8 takes `_` for `-`. */
        struct buffer copy = {0};
        buffer_append_text(&copy, one);
        for (size_t i = 0; i < copy.size; i++)
            copy.data[i] = copy.data[i] == '_' ? '-' : copy.data[i];
        bool found = text_contains(buffer_text(&copy), TEXT("--perf-basic-prof"));
        buffer_free(&copy);
        if (found)
            return true;
    }
    return false;
}

static bool find_perf_map(const struct target *target, struct text arguments) {
    char path[128];
    if (asks_for_map(arguments, TEXT("-")))
        return true;
    struct buffer environment = {0};
    bool found = proc_read(&environment, "/proc/%d/environ", target->process_id) &&
                 asks_for_map(buffer_text(&environment), TEXT("NODE_OPTIONS="));
    buffer_free(&environment);
    if (found)
        return true;
    snprintf(path, sizeof path, "/proc/%d/root/tmp/perf-%d.map", target->process_id,
             target->inner_process_id);
    if (access(path, F_OK) == 0)
        return true;
    snprintf(path, sizeof path, "/tmp/perf-%d.map", target->process_id);
    return access(path, F_OK) == 0;
}

static void set_owner(struct target *target, uid_t owner) {
    char room[4096];
    struct passwd entry;
    struct passwd *found = NULL;
    target->owner = owner;
    if (getpwuid_r(owner, &entry, room, sizeof room, &found) == 0 && found)
        snprintf(target->owner_name, sizeof target->owner_name, "%s", entry.pw_name);
    else
        snprintf(target->owner_name, sizeof target->owner_name, "%u", (unsigned)owner);
}

static bool read_status(struct target *target, struct text status, struct error *error) {
    struct text value;
    uint64_t number;
    int process_id = target->process_id;
    if (!proc_status_field(status, "State", &value) || value.size == 0 || *value.data == 'Z' ||
        *value.data == 'X')
        return error_set(error, ERROR_SAMPLE, "process %d has ended", process_id);
    if (proc_status_field(status, "Tgid", &value) && number_parse_decimal(value, &number) &&
        number != (uint64_t)process_id)
        return error_set(error, ERROR_SAMPLE, "%d is a thread of process %u", process_id,
                         (unsigned)number);
    if (proc_status_field(status, "PPid", &value) && number_parse_decimal(value, &number))
        target->parent = (pid_t)number;
    if (proc_status_field(status, "Uid", &value) && proc_number_of_list(value, false, &number))
        set_owner(target, (uid_t)number);
    target->inner_process_id = target->process_id;
    if (proc_status_field(status, "NSpid", &value) && proc_number_of_list(value, true, &number))
        target->inner_process_id = (pid_t)number;
    return true;
}

bool target_read(struct target *target, pid_t process_id, struct error *error) {
    *target = (struct target){.process_id = process_id};
    struct buffer status = {0};
    struct buffer arguments = {0};
    bool found = false;
    if (process_id <= 0 || !proc_read(&status, "/proc/%d/status", process_id)) {
        error_set(error, ERROR_SAMPLE, "there is no process %d", process_id);
    } else if (read_status(target, buffer_text(&status), error)) {
        if (proc_read(&arguments, "/proc/%d/cmdline", process_id))
            set_command_line(target, buffer_text(&arguments));
        read_program(target, buffer_text(&arguments));
        if (target->is_node)
            target->has_perf_map = find_perf_map(target, buffer_text(&arguments));
        found = true;
    }
    buffer_free(&status);
    buffer_free(&arguments);
    return found;
}

size_t target_list_node(struct target **targets) {
    pid_t *all;
    size_t all_count = proc_list_numbers(&all, "/proc");
    size_t count = 0;
    size_t capacity = 0;
    *targets = NULL;
    for (size_t i = 0; i < all_count; i++) {
        struct error error = {0};
        struct target target;
        if (!target_read(&target, all[i], &error) || !target.is_node)
            continue;
        MEMORY_RESERVE(*targets, capacity, count + 1);
        (*targets)[count++] = target;
    }
    free(all);
    return count;
}

size_t target_children(pid_t process_id, pid_t **children) {
    pid_t *all;
    size_t all_count = proc_list_numbers(&all, "/proc");
    pid_t *parents = memory_allocate_zero(all_count, sizeof *parents);
    struct buffer stat = {0};
    for (size_t i = 0; i < all_count; i++) {
        char state;
        if (!proc_read(&stat, "/proc/%d/stat", all[i]) ||
            !proc_parse_stat(buffer_text(&stat), &state, &parents[i]) || state == 'Z')
            parents[i] = 0;
    }
    size_t count = 0;
    size_t capacity = 0;
    *children = NULL;
    /* Whose children were not looked for yet: `process_id` first, then those found. */
    for (size_t next = 0; next <= count; next++) {
        pid_t parent = next == 0 ? process_id : (*children)[next - 1];
        for (size_t i = 0; i < all_count; i++) {
            if (parents[i] != parent)
                continue;
            MEMORY_RESERVE(*children, capacity, count + 1);
            (*children)[count++] = all[i];
            parents[i] = 0; /* once, even if numbers are used anew meanwhile */
        }
    }
    buffer_free(&stat);
    free(parents);
    free(all);
    return count;
}

size_t target_threads(pid_t process_id, pid_t **threads) {
    return proc_list_numbers(threads, "/proc/%d/task", process_id);
}
