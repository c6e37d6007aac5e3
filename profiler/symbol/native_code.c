// SPDX-License-Identifier: MIT
#include "profiler/symbol/native_names_parts.h"

struct native_code native_names_code(struct native_names *names, uint64_t process_id,
                                     uint64_t address) {
    struct process *process = native_names_process(names, process_id);
    uint32_t number = process_image_find(process->image, address);
    if (number == 0) {
        /* Some recordings lack the mapping of compiled code: what a perf map names is code anyway.
         */
        bool named = !names->options.live && native_names_entry(names, process, address) != 0;
        return (struct native_code){.kind = named ? LOCATION_COMPILED : LOCATION_NOWHERE};
    }
    const struct image_mapping *mapping = &names->images.mappings[number - 1];
    enum file_kind kind = names->files[mapping->file - 1].kind;
    if (kind == FILE_NONE)
        return (struct native_code){.kind = LOCATION_COMPILED};
    return (struct native_code){
        .kind = LOCATION_FILE,
        .file = mapping->file,
        .offset = address - mapping->start + (kind == FILE_VDSO ? 0 : mapping->offset),
    };
}

uint32_t native_names_generation(struct native_names *names, uint64_t process_id) {
    return native_names_process(names, process_id)->generation;
}

size_t native_names_files(struct native_names *names, uint64_t process_id, uint32_t *files,
                          size_t most) {
    struct process *process = native_names_process(names, process_id);
    uint64_t address = UINT64_MAX;
    size_t count = 0;
    uint32_t number;
    while (count < most && (number = process_image_before(process->image, &address)) != 0) {
        uint32_t file = names->images.mappings[number - 1].file;
        size_t at = 0;
        while (at < count && files[at] != file)
            at++;
        if (at == count && names->files[file - 1].kind == FILE_ON_DISK)
            files[count++] = file;
        if (address-- == 0)
            break;
    }
    return count;
}

const struct elf_file *native_names_elf(struct native_names *names, uint32_t file) {
    const struct native_file *native = &names->files[file - 1];
    if (native->kind == FILE_VDSO)
        return names->same_kernel ? vdso_file(&names->vdso) : NULL;
    return native->library ? symbol_source_elf(names->options.source, native->library) : NULL;
}

code_location native_names_give(struct native_names *names, struct frame_id frame) {
    struct location wanted = {.kind = LOCATION_GIVEN, .value = frame.index};
    code_location location = location_table_intern(&names->locations, &wanted);
    names->locations.locations[location - 1].frame = frame;
    return location;
}

bool native_names_is_given(const struct native_names *names, code_location location) {
    return location > 0 && location <= names->locations.count &&
           names->locations.locations[location - 1].kind == LOCATION_GIVEN;
}

bool native_names_is_mapped(const struct native_names *names, code_location location) {
    return names->locations.locations[location - 1].has_entry;
}
