// SPDX-License-Identifier: MIT
#include "profiler/symbol/perf_map_search.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "fold/base/error.h"
#include "fold/base/number.h"
#include "profiler/symbol/perf_map.h"

/* A search under way. */
struct search {
    const struct perf_map_places *places;
    uint64_t process_id;
    uint64_t inner_id;             /* what the process takes for its PID */
    struct perf_map_owners owners; /* of files that the user did not name */
    int descriptor;
    struct buffer *path;
    struct buffer refusal; /* of the first file that must not be used */
};

/* The first `size` bytes at most of a file of /proc. False: it cannot be read. */
static bool read_start(const char *path, struct buffer *out, size_t size) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    char piece[4096];
    ssize_t count;
    while (out->size < size && (count = read(descriptor, piece, sizeof piece)) > 0)
        buffer_append(out, piece, (size_t)count);
    close(descriptor);
    return true;
}

/* The fields of a line of /proc/PID/status, without its name; empty: there is no such line. */
static struct text status_line(struct text status, struct text name) {
    while (status.size > 0) {
        const char *newline = memchr(status.data, '\n', status.size);
        struct text line = {status.data, newline ? (size_t)(newline - status.data) : status.size};
        status = text_skip(status, line.size + 1);
        if (text_starts_with(line, name))
            return text_skip(line, name.size);
    }
    return TEXT("");
}

/* Takes the field at the front of *line: blanks, then digits. */
static bool take_field(struct text *line, uint64_t *value) {
    while (line->size > 0 && (*line->data == '\t' || *line->data == ' '))
        *line = text_skip(*line, 1);
    size_t size = 0;
    while (size < line->size && line->data[size] >= '0' && line->data[size] <= '9')
        size++;
    struct text digits = {line->data, size};
    *line = text_skip(*line, size);
    return number_parse_decimal(digits, value);
}

/* Asks a living process for its inner PID and its user. False: it does not live. */
static bool ask_process(struct search *search) {
    struct buffer path = {0}, status = {0};
    buffer_append_format(&path, "/proc/%" PRIu64 "/status", search->process_id);
    buffer_append_byte(&path, '\0');
    bool lives = read_start(path.data, &status, 64 * 1024);
    struct text ids = status_line(buffer_text(&status), TEXT("NStgid:"));
    uint64_t value;
    while (take_field(&ids, &value))
        search->inner_id = value;
    /* The real user, then the effective one, whose files a process makes. */
    struct text users = status_line(buffer_text(&status), TEXT("Uid:"));
    uint64_t real, effective;
    if (take_field(&users, &real) && take_field(&users, &effective) && effective <= UINT32_MAX) {
        search->owners.has_process_user = true;
        search->owners.process_user = (uint32_t)effective;
    }
    buffer_free(&status);
    buffer_free(&path);
    return lives;
}

/* Tries the path in search->path. */
static bool try_path(struct search *search, const struct perf_map_owners *owners) {
    struct error error;
    buffer_append_byte(search->path, '\0');
    search->path->size--;
    search->descriptor = perf_map_open(search->path->data, owners, &error);
    if (search->descriptor < 0 && error.kind != ERROR_NONE && search->refusal.size == 0) {
        buffer_append_format(&search->refusal, "%s, so it is not used", error.text);
        if (!owners->any)
            buffer_append_format(&search->refusal,
                                 "; --map %" PRIu64 "=%s uses it, --trust-maps all of them",
                                 search->process_id, search->path->data);
    }
    return search->descriptor >= 0;
}

static bool try_named(struct search *search) {
    /* Whoever names a file has looked at whose it is. */
    static const struct perf_map_owners any = {.any = true};
    const struct perf_map_places *places = search->places;
    for (size_t i = 0; i < places->map_count; i++) {
        if (places->maps[i].process_id != search->process_id)
            continue;
        buffer_clear(search->path);
        buffer_append_text(search->path, text_of(places->maps[i].path));
        if (try_path(search, &any))
            return true;
        if (search->refusal.size == 0)
            buffer_append_format(&search->refusal, "--map: %s: no such file", places->maps[i].path);
        return false;
    }
    if (!places->map_folder)
        return false;
    buffer_clear(search->path);
    buffer_append_format(search->path, "%s/perf-%" PRIu64 ".map", places->map_folder,
                         search->process_id);
    return try_path(search, &any);
}

/* Tries FOLDER/perf-ID.map below a root. */
static bool try_folder(struct search *search, struct text root, struct text folder, uint64_t id) {
    buffer_clear(search->path);
    buffer_append_text(search->path, root);
    buffer_append_text(search->path, folder);
    buffer_append_format(search->path, "/perf-%" PRIu64 ".map", id);
    return try_path(search, &search->owners);
}

/* Cuts the first of the strings that are each ended by a NUL byte off *rest. */
static struct text take_argument(struct text *rest) {
    struct text argument = {rest->data, strnlen(rest->data, rest->size)};
    *rest = text_skip(*rest, argument.size + 1);
    return argument;
}

/* The folder in an argument of V8's option for it. V8 takes `-` and `_` for the same. */
static bool is_folder_option(struct text argument, struct text *value) {
    static const char name[] = "--perf-basic-prof-path";
    const size_t size = sizeof name - 1;
    for (size_t i = 0; i < size; i++) {
        char byte = i < argument.size ? argument.data[i] : '\0';
        if (byte != name[i] && !(i > 1 && name[i] == '-' && byte == '_'))
            return false;
    }
    *value = text_skip(argument, size);
    return value->size == 0 || *value->data == '=';
}

/* Tries the folder that the command line of the process names, if it does. */
static bool try_command_line(struct search *search) {
    struct buffer path = {0}, command = {0};
    buffer_append_format(&path, "/proc/%" PRIu64 "/cmdline", search->process_id);
    buffer_append_byte(&path, '\0');
    read_start(path.data, &command, 64 * 1024);
    struct text rest = buffer_text(&command);
    bool found = false;
    while (rest.size > 0 && !found) {
        struct text folder;
        if (!is_folder_option(take_argument(&rest), &folder))
            continue;
        folder = folder.size > 0 ? text_skip(folder, 1) : take_argument(&rest);
        buffer_clear(&path);
        bool absolute = text_starts_with(folder, TEXT("/"));
        buffer_append_format(&path, "/proc/%" PRIu64 "/%s", search->process_id,
                             absolute ? "root" : "cwd/");
        found = try_folder(search, buffer_text(&path), folder, search->inner_id);
    }
    buffer_free(&command);
    buffer_free(&path);
    return found;
}

static bool try_process(struct search *search) {
    struct buffer root = {0};
    buffer_append_format(&root, "/proc/%" PRIu64 "/root", search->process_id);
    bool found = try_command_line(search) ||
                 try_folder(search, buffer_text(&root), TEXT("/tmp"), search->inner_id);
    buffer_free(&root);
    return found;
}

enum perf_map_found perf_map_search(const struct perf_map_places *places, uint64_t process_id,
                                    int *descriptor, struct buffer *path) {
    struct search search = {.places = places,
                            .process_id = process_id,
                            .inner_id = process_id,
                            .owners = {.any = places->any_owner},
                            .descriptor = -1,
                            .path = path};
    bool lives = places->live && ask_process(&search);
    struct text root = text_of(places->target_root);
    enum perf_map_found result = places->live && !lives ? PERF_MAP_GONE : PERF_MAP_NONE;
    if (try_named(&search) || (lives && try_process(&search)) ||
        try_folder(&search, TEXT(""), TEXT("/tmp"), process_id) ||
        (root.size > 0 && try_folder(&search, root, TEXT("/tmp"), process_id))) {
        *descriptor = search.descriptor;
        result = PERF_MAP_FOUND;
    } else if (search.refusal.size > 0) {
        buffer_clear(path);
        buffer_append_text(path, buffer_text(&search.refusal));
        result = PERF_MAP_REFUSED;
    }
    buffer_free(&search.refusal);
    return result;
}
