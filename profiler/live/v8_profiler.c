// SPDX-License-Identifier: MIT
#include "profiler/live/v8_profiler.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fold/base/memory.h"
#include "fold/base/text.h"
#include "profiler/live/asset.h"

static bool write_script(const char *path, struct error *error) {
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    ssize_t written = -1;
    if (file >= 0) {
        written = write(file, live_asset_v8_profiler_js.data, live_asset_v8_profiler_js.size);
        close(file);
    }
    return written == (ssize_t)live_asset_v8_profiler_js.size ||
           error_set(error, ERROR_SAMPLE, "%s cannot be written: %s", path, strerror(errno));
}

/* A string that the profiler owns. */
static char *keep(struct buffer *buffer) {
    buffer_append_byte(buffer, '\0');
    char *string = buffer->data;
    *buffer = (struct buffer){0};
    return string;
}

/* NODE_OPTIONS quotes with `"`, in which `\` takes the next character as it is. */
static void append_quoted(struct buffer *buffer, const char *path) {
    buffer_append_byte(buffer, '"');
    for (; *path; path++) {
        if (*path == '"' || *path == '\\')
            buffer_append_byte(buffer, '\\');
        buffer_append_byte(buffer, *path);
    }
    buffer_append_byte(buffer, '"');
}

bool v8_profiler_prepare(struct v8_profiler *profiler, uint64_t interval_us, struct error *error) {
    const char *parent = getenv("TMPDIR");
    int size = snprintf(profiler->folder, sizeof profiler->folder, "%s/tickflame-XXXXXX",
                        parent && *parent ? parent : "/tmp");
    if (size >= (int)sizeof profiler->folder || !mkdtemp(profiler->folder)) {
        profiler->folder[0] = '\0';
        return error_set(error, ERROR_SAMPLE, "no folder for V8's profiles can be made below %s",
                         parent && *parent ? parent : "/tmp");
    }
    char script[sizeof profiler->folder + 32];
    snprintf(script, sizeof script, "%s/v8_profiler.js", profiler->folder);
    if (!write_script(script, error))
        return false;
    struct buffer line = {0};
    const char *given = getenv("NODE_OPTIONS");
    buffer_append_format(&line, "NODE_OPTIONS=%s%s--require ", given ? given : "",
                         given && *given ? " " : "");
    append_quoted(&line, script);
    profiler->environment[0] = keep(&line);
    buffer_append_format(&line, "TICKFLAME_PROFILE_FOLDER=%s", profiler->folder);
    profiler->environment[1] = keep(&line);
    buffer_append_format(&line, "TICKFLAME_PROFILE_INTERVAL=%llu", (unsigned long long)interval_us);
    profiler->environment[2] = keep(&line);
    return true;
}

static int compare_paths(const void *left, const void *right) {
    return strcmp(*(char *const *)left, *(char *const *)right);
}

void v8_profiler_collect(struct v8_profiler *profiler) {
    DIR *folder = opendir(profiler->folder);
    if (!folder)
        return;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (!text_ends_with(text_of(entry->d_name), TEXT(".cpuprofile")))
            continue;
        struct buffer path = {0};
        buffer_append_format(&path, "%s/%s", profiler->folder, entry->d_name);
        MEMORY_RESERVE(profiler->profiles, profiler->profile_capacity, profiler->profile_count + 1);
        profiler->profiles[profiler->profile_count++] = keep(&path);
    }
    closedir(folder);
    if (profiler->profile_count)
        qsort(profiler->profiles, profiler->profile_count, sizeof *profiler->profiles,
              compare_paths);
}

void v8_profiler_remove(struct v8_profiler *profiler) {
    DIR *folder = profiler->folder[0] ? opendir(profiler->folder) : NULL;
    if (folder) {
        /* The folder is ours and only files were put into it. */
        for (struct dirent *entry; (entry = readdir(folder));)
            unlinkat(dirfd(folder), entry->d_name, 0);
        closedir(folder);
        rmdir(profiler->folder);
    }
    for (size_t i = 0; i < profiler->profile_count; i++)
        free(profiler->profiles[i]);
    free(profiler->profiles);
    for (size_t i = 0; profiler->environment[i]; i++)
        free(profiler->environment[i]);
    *profiler = (struct v8_profiler){0};
}
