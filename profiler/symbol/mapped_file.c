// SPDX-License-Identifier: MIT
#include "profiler/symbol/mapped_file.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/symbol/debug_file.h"

enum { COMPLAINT_SIZE = 160 };

/* A search under way. */
struct search {
    struct elf_file *elf, *debug;
    const struct mapped_file *file;
    struct buffer place; /* the path that is tried */
    char *complaint;     /* about the best place so far */
    bool found_other;    /* it is about a file that is another one */
};

static void complain(struct search *search, const char *text) {
    snprintf(search->complaint, COMPLAINT_SIZE, "%.150s", text);
}

/* Recordings fill short build ids up with zeros, and cut longer ones. */
bool mapped_file_has_build_id(const struct elf_file *elf, const struct build_id *id) {
    unsigned char own[BUILD_ID_MAX] = {0};
    size_t size = elf->build_id_size < BUILD_ID_MAX ? elf->build_id_size : BUILD_ID_MAX;
    memcpy(own, elf->build_id, size);
    return size > 0 && memcmp(own, id->bytes, id->size) == 0;
}

static bool ends_like(const struct mapped_file *file, const struct elf_file *elf) {
    for (size_t i = 0; i < file->end_count; i++) {
        if (elf_file_segment_ends(elf, file->ends[i]))
            return true;
    }
    return false;
}

bool mapped_file_is_jitted(struct text path) {
    struct text name = text_basename(path);
    return text_starts_with(name, TEXT("jitted-")) && text_ends_with(name, TEXT(".so"));
}

/* How far a place can be trusted. */
enum trust { TRUST_PROCESS, TRUST_NAME, TRUST_BUILD_ID };

/* Why an open file is not the one that was mapped; NULL: it is. */
static const char *objection(const struct search *search, enum trust trust) {
    const struct mapped_file *file = search->file;
    if (file->build_id.size > 0)
        return mapped_file_has_build_id(search->elf, &file->build_id)
                   ? NULL
                   : "has changed since the recording: its build id is another";
    if (trust == TRUST_PROCESS || mapped_file_is_jitted(file->path))
        return NULL;
    if (trust == TRUST_BUILD_ID || file->deleted)
        return "was deleted or replaced, and the recording has no build id to find it by";
    return ends_like(file, search->elf)
               ? NULL
               : "is not the file that was mapped: its code has another size";
}

/* Tries the path in search->place. `root` is the folder below which it lies. */
static bool try_place(struct search *search, struct text root, enum trust trust) {
    struct error error = {0};
    buffer_append_byte(&search->place, '\0');
    struct text path = {search->place.data, search->place.size - 1};
    if (!elf_file_open(search->elf, path.data, &error)) {
        bool first = search->complaint[0] == '\0';
        if (!search->found_other && (first || strcmp(error.text, "no such file") != 0))
            complain(search, error.text);
        return false;
    }
    const char *reason = objection(search, trust);
    if (reason) {
        elf_file_close(search->elf);
        search->found_other = true;
        complain(search, reason);
        return false;
    }
    if (search->elf->has_symtab)
        return true;
    /* What a container lacks, the machine around it may have. */
    struct text own = search->file->path;
    if (!debug_file_open(search->debug, search->elf, path, root) && root.size > 0)
        debug_file_open(search->debug, search->elf, own, TEXT(""));
    return true;
}

static bool try_path(struct search *search, struct text root, struct text path, enum trust trust) {
    buffer_clear(&search->place);
    buffer_append_text(&search->place, root);
    buffer_append_text(&search->place, path);
    return try_place(search, root, trust);
}

/* ---- the view of a living process ---- */

static bool is_program(const struct mapped_file *file) {
    char link[64], target[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%" PRIu64 "/exe", file->process_id);
    ssize_t size = readlink(link, target, sizeof target);
    struct text name = {target, size > 0 ? (size_t)size : 0};
    struct text mark = TEXT(" (deleted)");
    if (text_ends_with(name, mark))
        name.size -= mark.size;
    return size > 0 && text_equal(name, file->path);
}

enum { PROCESS_PLACES = 3 };

/* Puts the number `number` of the process's places into `place`; `root` is its root folder.
 * False: it does not apply. */
static bool process_place(const struct mapped_file *file, int number, struct buffer *place,
                          struct buffer *root) {
    buffer_clear(place);
    buffer_clear(root);
    buffer_append_format(root, "/proc/%" PRIu64 "/root", file->process_id);
    switch (number) {
    case 0:
        buffer_append_text(place, buffer_text(root));
        buffer_append_text(place, file->path);
        return !file->deleted;
    case 1:
        buffer_append_format(place, "/proc/%" PRIu64 "/map_files/%" PRIx64 "-%" PRIx64,
                             file->process_id, file->start, file->end);
        return true;
    default:
        buffer_append_format(place, "/proc/%" PRIu64 "/exe", file->process_id);
        return is_program(file);
    }
}

static bool try_process(struct search *search) {
    struct buffer root = {0};
    bool opened = false;
    for (int i = 0; i < PROCESS_PLACES && !opened; i++) {
        if (process_place(search->file, i, &search->place, &root))
            opened = try_place(search, buffer_text(&root), TRUST_PROCESS);
    }
    buffer_free(&root);
    return opened;
}

bool mapped_file_identity(const struct mapped_file *file, uint64_t *device, uint64_t *inode) {
    struct buffer place = {0}, root = {0};
    bool known = false;
    for (int i = 0; i < PROCESS_PLACES && !known && file->process_id; i++) {
        if (!process_place(file, i, &place, &root))
            continue;
        buffer_append_byte(&place, '\0');
        struct stat status;
        known = stat(place.data, &status) == 0 && S_ISREG(status.st_mode);
        if (known) {
            *device = status.st_dev;
            *inode = status.st_ino;
        }
    }
    buffer_free(&place);
    buffer_free(&root);
    return known;
}

/* ---- all places ---- */

/* In perf's cache: .debug/.build-id/XX/YYYY/elf. */
static bool try_cache(struct search *search, struct text home) {
    const struct build_id *id = &search->file->build_id;
    if (id->size < 2 || home.size == 0)
        return false;
    buffer_clear(&search->place);
    buffer_append_text(&search->place, home);
    buffer_append_text(&search->place, TEXT("/.debug/.build-id/"));
    for (size_t i = 0; i < id->size; i++)
        buffer_append_format(&search->place, i == 1 ? "/%02x" : "%02x", id->bytes[i]);
    buffer_append_text(&search->place, TEXT("/elf"));
    return try_place(search, TEXT(""), TRUST_BUILD_ID);
}

static bool try_all(struct search *search, const struct mapped_file_places *places) {
    const struct mapped_file *file = search->file;
    if (places->binary) {
        if (try_path(search, TEXT(""), text_of(places->binary), TRUST_NAME))
            return true;
        if (search->found_other)
            complain(search, file->build_id.size > 0
                                 ? "was not mapped from the file given with --apply-to: its build "
                                   "id is another"
                                 : "was not mapped from the file given with --apply-to: its code "
                                   "has another size");
        return false;
    }
    if (file->path.size == 0 || file->path.data[0] != '/') {
        complain(search, "is not in a file of this machine");
        return false;
    }
    bool below = places->target_root.size > 0;
    return (below && try_path(search, places->target_root, file->path, TRUST_NAME)) ||
           (file->process_id && try_process(search)) ||
           ((!below || file->build_id.size > 0) &&
            try_path(search, TEXT(""), file->path, below ? TRUST_BUILD_ID : TRUST_NAME)) ||
           try_cache(search, places->home);
}

bool mapped_file_open(struct elf_file *elf, struct elf_file *debug, const struct mapped_file *file,
                      const struct mapped_file_places *places, char complaint[160]) {
    *elf = *debug = (struct elf_file){0};
    complaint[0] = '\0';
    struct search search = {.elf = elf, .debug = debug, .file = file, .complaint = complaint};
    bool opened = try_all(&search, places);
    buffer_free(&search.place);
    if (opened)
        complaint[0] = '\0';
    return opened;
}

void mapped_file_add_end(struct mapped_file *file, uint64_t end) {
    for (size_t i = 0; i < file->end_count; i++) {
        if (file->ends[i] == end)
            return;
    }
    if (file->end_count < MAPPED_FILE_ENDS_MAX)
        file->ends[file->end_count++] = end;
}
