// SPDX-License-Identifier: MIT
#include "profiler/symbol/debug_file.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

static bool same_build_id(const struct elf_file *a, const struct elf_file *b) {
    return a->build_id_size > 0 && a->build_id_size == b->build_id_size &&
           memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
}

static uint32_t crc_of(const struct elf_file *file) {
    uint32_t crc = 0;
    for (size_t at = 0; at < file->size;) {
        size_t piece = file->size - at < INT_MAX ? file->size - at : INT_MAX;
        crc = (uint32_t)crc32(crc, (const unsigned char *)file->data + at, (unsigned)piece);
        at += piece;
    }
    return crc;
}

/* Opens the file whose path is in `path` when it has symbols and belongs to `file`. */
static bool open_if_fits(struct elf_file *debug, const struct elf_file *file, struct buffer *path,
                         bool by_link) {
    struct error ignored;
    buffer_append_byte(path, '\0');
    if (!elf_file_open(debug, path->data, &ignored))
        return false;
    bool identified = file->build_id_size > 0 && debug->build_id_size > 0;
    bool fits =
        identified ? same_build_id(file, debug) : by_link && crc_of(debug) == file->debug_link_crc;
    if (fits && debug->has_symtab)
        return true;
    elf_file_close(debug);
    return false;
}

static bool open_by_build_id(struct elf_file *debug, const struct elf_file *file, struct text root,
                             struct buffer *path) {
    if (file->build_id_size < 2)
        return false;
    buffer_clear(path);
    buffer_append_text(path, root);
    buffer_append_text(path, TEXT("/usr/lib/debug/.build-id/"));
    for (size_t i = 0; i < file->build_id_size; i++)
        buffer_append_format(path, i == 1 ? "/%02x" : "%02x", file->build_id[i]);
    buffer_append_text(path, TEXT(".debug"));
    return open_if_fits(debug, file, path, false);
}

bool debug_file_open(struct elf_file *debug, const struct elf_file *file, struct text path,
                     struct text root) {
    *debug = (struct elf_file){0};
    struct buffer name = {0};
    bool opened = open_by_build_id(debug, file, root, &name);
    /* A link with a folder in it would lead anywhere. */
    bool linked = file->debug_link.size > 0 &&
                  memchr(file->debug_link.data, '/', file->debug_link.size) == NULL;
    struct text folder = {path.data, path.size - text_basename(path).size};
    struct text inside = text_starts_with(folder, root) ? text_skip(folder, root.size) : folder;
    for (int place = 0; !opened && linked && place < 3; place++) {
        buffer_clear(&name);
        buffer_append_text(&name, place == 2 ? root : folder);
        if (place == 1)
            buffer_append_text(&name, TEXT(".debug/"));
        if (place == 2) {
            buffer_append_text(&name, TEXT("/usr/lib/debug"));
            buffer_append_text(&name, inside);
        }
        buffer_append_text(&name, file->debug_link);
        opened = open_if_fits(debug, file, &name, true);
    }
    buffer_free(&name);
    return opened;
}
