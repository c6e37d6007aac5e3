// SPDX-License-Identifier: MIT
#include "profiler/command/record_target.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fold/base/utf8.h"
#include "profiler/command/command.h"
#include "profiler/live/target.h"

enum { LIST_COLUMNS = 50 };

/* Appends the command line without the folder of the program and, where that is still too wide,
 * without the options in front of the script: what tells processes apart. */
static void append_command(struct buffer *line, struct text command) {
    const char *blank = command.size ? memchr(command.data, ' ', command.size) : NULL;
    struct text program = {command.data, blank ? (size_t)(blank - command.data) : command.size};
    struct text arguments = text_skip(command, program.size);
    utf8_append_visible(line, text_basename(program));
    size_t options = 0;
    while (options + 1 < arguments.size && arguments.data[options + 1] == '-') {
        const char *next = memchr(arguments.data + options + 1, ' ', arguments.size - options - 1);
        options = next ? (size_t)(next - arguments.data) : arguments.size;
    }
    if (line->size + arguments.size > LIST_COLUMNS && options > 0 && options < arguments.size) {
        buffer_append_text(line, TEXT(" ..."));
        arguments = text_skip(arguments, options);
    }
    utf8_append_visible(line, arguments);
}

/* The one to name as an example: one that this user may sample, with names if there is one. */
static const struct target *best_target(const struct target *targets, size_t count) {
    uid_t user = geteuid();
    const struct target *best = targets;
    int best_rank = -1;
    for (size_t i = 0; i < count; i++) {
        bool permitted = user == 0 || targets[i].owner == user;
        int rank = 2 * permitted + targets[i].has_perf_map;
        if (rank > best_rank) {
            best = &targets[i];
            best_rank = rank;
        }
    }
    return best;
}

int record_targets_list(void) {
    struct error error = {0};
    struct target *targets = NULL;
    size_t count = target_list_node(&targets);
    if (count == 0) {
        error_set(&error, ERROR_SAMPLE,
                  "no node process runs here; give one with -p PID, or start one: tickflame record "
                  "-- node app.js");
        return command_fail(&error);
    }
    struct output *output = output_open(NULL, 0666, &error);
    output_format(output, "%8s  %-12s %-5s %s\n", "PID", "USER", "NAMES", "COMMAND");
    for (size_t i = 0; i < count; i++) {
        struct buffer line = {0};
        append_command(&line, text_of(targets[i].command_line));
        struct text shown = utf8_cut_columns(buffer_text(&line), LIST_COLUMNS);
        output_format(output, "%8d  %-12.12s %-5s %.*s\n", targets[i].process_id,
                      targets[i].owner_name, targets[i].has_perf_map ? "yes" : "no",
                      (int)shown.size, shown.data);
        buffer_free(&line);
    }
    output_string(output,
                  "\nNAMES: whether it was started with --perf-basic-prof, so that JavaScript\n"
                  "functions have names.\n");
    output_format(output, "Next: tickflame record -p %d -d 10\n",
                  best_target(targets, count)->process_id);
    free(targets);
    return output_close(output, &error) ? STATUS_DONE : command_fail(&error);
}

static bool add_target(struct record_targets *targets, pid_t process_id, struct error *error) {
    struct target target;
    if (!target_read(&target, process_id, error))
        return false;
    for (size_t i = 0; i < targets->count; i++)
        if (targets->items[i] == process_id)
            return true;
    if (targets->count == RECORD_PROCESSES_MAX)
        return error_set(error, ERROR_USAGE, "more than %d processes", RECORD_PROCESSES_MAX);
    targets->items[targets->count++] = process_id;
    return true;
}

bool record_targets_find(struct record_targets *targets, const struct record_options *options,
                         struct error *error) {
    for (size_t i = 0; i < options->processes.count; i++)
        if (!add_target(targets, options->processes.items[i], error))
            return false;
    pid_t listening;
    return !options->port || (target_find_port((uint16_t)options->port, &listening, error) &&
                              add_target(targets, listening, error));
}

void record_targets_warn(const struct record_targets *targets) {
    for (size_t i = 0; i < targets->count; i++) {
        struct error error = {0};
        struct target target;
        if (target_read(&target, targets->items[i], &error) && !target.is_node)
            command_warn("process %d does not run node (%s): its native functions are shown",
                         targets->items[i],
                         target.executable[0] ? target.executable : target.command_line);
    }
}

void record_targets_describe(const struct record_targets *targets, const struct operands *operands,
                             struct profile *profile) {
    struct buffer line = {0};
    for (size_t i = 0; i < operands->count; i++)
        buffer_append_format(&line, "%s%s", i ? " " : "", operands->items[i]);
    struct error error = {0};
    struct target target;
    if (operands->count == 0 && targets->count && target_read(&target, targets->items[0], &error))
        buffer_append_text(&line, text_of(target.command_line));
    profile->command = profile_intern(profile, buffer_text(&line));
    buffer_free(&line);
}

bool record_targets_ask_names(struct buffer *environment) {
    const char *given = getenv("NODE_OPTIONS");
    if (given && strstr(given, "--perf-basic-prof"))
        return false;
    buffer_append_format(environment,
                         "NODE_OPTIONS=%s%s--perf-basic-prof --interpreted-frames-native-stack",
                         given ? given : "", given && *given ? " " : "");
    buffer_append_byte(environment, '\0');
    return true;
}

static bool is_own_file(const struct stat *status) {
    return S_ISREG(status->st_mode) && status->st_uid == geteuid() && status->st_nlink == 1;
}

bool record_targets_map_is_free(pid_t process_id, struct error *error) {
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/tmp/perf-%d.map", process_id);
    if (lstat(path, &status) != 0 || is_own_file(&status))
        return true;
    return error_set(error, ERROR_SAMPLE,
                     "%s is there already and %s: node would write through it. Remove it, or "
                     "record with --names none",
                     path,
                     S_ISLNK(status.st_mode)   ? "is a symbolic link"
                     : S_ISREG(status.st_mode) ? "is not this user's alone"
                                               : "is no regular file");
}

static void remove_own_file(const char *path) {
    struct stat status;
    if (lstat(path, &status) == 0 && is_own_file(&status))
        unlink(path);
}

/* The isolate logs of a process in the working folder. */
static void remove_isolate_logs(uint64_t process_id) {
    char end[40];
    snprintf(end, sizeof end, "-%llu-v8.log", (unsigned long long)process_id);
    DIR *folder = opendir(".");
    if (!folder)
        return;
    for (struct dirent *entry; (entry = readdir(folder));) {
        struct text name = text_of(entry->d_name);
        if (text_starts_with(name, TEXT("isolate")) && text_ends_with(name, text_of(end)))
            remove_own_file(entry->d_name);
    }
    closedir(folder);
}

void record_targets_remove_traces(const struct profile *profile) {
    for (size_t i = 0; i < profile->thread_count; i++) {
        const struct profile_thread *thread = &profile->threads[i];
        if (thread->process_id == 0 || thread->id != thread->process_id)
            continue;
        char path[64];
        snprintf(path, sizeof path, "/tmp/perf-%llu.map", (unsigned long long)thread->process_id);
        remove_own_file(path);
        remove_isolate_logs(thread->process_id);
    }
}
