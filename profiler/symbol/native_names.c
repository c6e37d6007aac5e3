// SPDX-License-Identifier: MIT
#include "profiler/symbol/native_names.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fold/base/hash_index.h"
#include "fold/base/memory.h"
#include "fold/model/perf_name.h"
#include "profiler/symbol/code_reuse.h"
#include "profiler/symbol/native_names_parts.h"

static struct perf_map_places places_of(const struct native_names_options *options) {
    return (struct perf_map_places){
        .maps = options->maps,
        .map_count = options->map_count,
        .map_folder = options->map_folder,
        .target_root = options->target_root,
        .live = options->live,
        .any_owner = options->any_owner,
    };
}

struct native_names *native_names_open(struct profile *profile,
                                       const struct native_names_options *options) {
    struct native_names *names = memory_allocate_zero(1, sizeof *names);
    names->profile = profile;
    names->options = *options;
    names->same_kernel = options->live;
    names->cache = memory_allocate_zero((size_t)1 << LOCATION_CACHE_BITS, sizeof *names->cache);
    names->generations = KERNEL_GENERATION;
    return names;
}

static void wait_for_kernel(struct native_names *names) {
    if (names->kernel_is_under_way)
        pthread_join(names->kernel_thread, NULL);
    names->kernel_is_under_way = false;
}

void native_names_close(struct native_names *names) {
    if (!names)
        return;
    wait_for_kernel(names);
    for (size_t i = 0; i < names->process_count; i++)
        process_image_release(names->processes[i]->image);
    for (size_t i = 0; i < names->map_count; i++) {
        if (names->maps[i]->descriptor >= 0)
            close(names->maps[i]->descriptor);
        perf_map_free(&names->maps[i]->map);
        free(names->maps[i]->path);
        free(names->maps[i]);
    }
    process_images_free(&names->images);
    free(names->processes);
    hash_index_free(&names->process_index);
    free(names->files);
    hash_index_free(&names->file_index);
    free(names->maps);
    location_table_free(&names->locations);
    free(names->cache);
    kernel_symbols_free(&names->kernel);
    vdso_free(&names->vdso);
    buffer_free(&names->scratch);
    arena_free(&names->arena);
    free(names);
}

/* ---- processes ---- */

/* Makes all that the cache knows of a process out of date. */
static void renew(struct native_names *names, struct process *process) {
    if (names->generations == UINT32_MAX) {
        memset(names->cache, 0, ((size_t)1 << LOCATION_CACHE_BITS) * sizeof *names->cache);
        names->generations = KERNEL_GENERATION;
        for (size_t i = 0; i < names->process_count; i++)
            names->processes[i]->generation = ++names->generations;
    }
    process->generation = ++names->generations;
}

struct process *native_names_process(struct native_names *names, uint64_t id) {
    if (names->last && names->last->id == id)
        return names->last;
    uint64_t hash = hash_number(id);
    struct hash_probe probe = hash_index_start(&names->process_index, hash);
    uint32_t number;
    while ((number = hash_index_next(&names->process_index, &probe)) != 0) {
        if (names->processes[number - 1]->id == id)
            return names->last = names->processes[number - 1];
    }
    struct process *process = arena_allocate(&names->arena, sizeof *process);
    MEMORY_RESERVE(names->processes, names->process_capacity, names->process_count + 1);
    names->processes[names->process_count++] = process;
    *process = (struct process){.id = id, .number = (uint32_t)names->process_count};
    renew(names, process);
    hash_index_insert(&names->process_index, hash, process->number);
    return names->last = process;
}

static void forget_map(struct native_names *names, struct process *process) {
    if (process->map) {
        struct process_map *map = names->maps[process->map - 1];
        if (map->descriptor >= 0)
            close(map->descriptor);
        map->descriptor = -1;
    }
    process->map = 0;
    process->has_compiled = process->asked_for_map = process->map_is_final = false;
}

static void set_image(struct native_names *names, struct process *process,
                      struct process_image *image) {
    process_image_release(process->image);
    process->image = image;
    forget_map(names, process);
    renew(names, process);
}

void native_names_fork(struct native_names *names, uint64_t parent, uint64_t child) {
    if (parent == child)
        return;
    struct process *from = native_names_process(names, parent);
    struct process *to = native_names_process(names, child);
    set_image(names, to, process_image_share(from->image));
    to->has_compiled = from->has_compiled;
}

void native_names_exec(struct native_names *names, uint64_t process_id) {
    set_image(names, native_names_process(names, process_id), NULL);
}

/* ---- files ---- */

static enum file_kind kind_of(struct text path) {
    static const char *const none[] = {
        "//anon", "/dev/zero",    "/anon_hugepage", "[heap]", "[stack",
        "[anon:", "[anon_shmem:", "/SYSV",          "/memfd:"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        if (text_starts_with(path, text_of(none[i])))
            return FILE_NONE;
    }
    if (path.size == 0)
        return FILE_NONE;
    if (text_equal(path, TEXT("[vdso]")))
        return FILE_VDSO;
    return *path.data == '[' ? FILE_SPECIAL : FILE_ON_DISK;
}

static bool same_build_id(const struct build_id *a, const struct build_id *b) {
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* The number of the file of a mapping. */
static uint32_t get_file(struct native_names *names, const struct native_mapping *mapping) {
    struct native_file wanted = {.kind = kind_of(mapping->path)};
    struct text path = mapping->path, mark = TEXT(" (deleted)");
    if (wanted.kind == FILE_ON_DISK && text_ends_with(path, mark)) {
        path.size -= mark.size;
        wanted.deleted = true;
    }
    wanted.path = profile_intern(names->profile, wanted.kind == FILE_NONE ? TEXT("") : path);
    wanted.build_id.size =
        mapping->build_id_size < BUILD_ID_MAX ? mapping->build_id_size : BUILD_ID_MAX;
    if (wanted.build_id.size > 0)
        memcpy(wanted.build_id.bytes, mapping->build_id, wanted.build_id.size);
    struct mapped_file mapped = {
        .path = profile_text(names->profile, wanted.path),
        .deleted = wanted.deleted,
        .build_id = wanted.build_id,
        .process_id = names->options.live ? mapping->process_id : 0,
        .start = mapping->start,
        .end = mapping->start + mapping->size,
    };
    /* Two containers may have different files under one path. */
    if (wanted.kind == FILE_ON_DISK)
        mapped_file_identity(&mapped, &wanted.device, &wanted.inode);
    uint64_t hash = hash_number(wanted.path.index);
    struct hash_probe probe = hash_index_start(&names->file_index, hash);
    uint32_t number;
    while ((number = hash_index_next(&names->file_index, &probe)) != 0) {
        const struct native_file *known = &names->files[number - 1];
        if (known->path.index == wanted.path.index && known->kind == wanted.kind &&
            known->deleted == wanted.deleted && known->device == wanted.device &&
            known->inode == wanted.inode && same_build_id(&known->build_id, &wanted.build_id))
            return number;
    }
    if (wanted.kind == FILE_ON_DISK && !names->options.no_symbols &&
        symbol_source_mode(names->options.source) == SYMBOLS_FROM_FILES)
        wanted.library = symbol_source_file(names->options.source, &mapped);
    MEMORY_RESERVE(names->files, names->file_capacity, names->file_count + 1);
    names->files[names->file_count++] = wanted;
    hash_index_insert(&names->file_index, hash, (uint32_t)names->file_count);
    return (uint32_t)names->file_count;
}

void native_names_map(struct native_names *names, const struct native_mapping *mapping) {
    if (mapping->size == 0 || mapping->start > UINT64_MAX - mapping->size)
        return;
    struct process *process = native_names_process(names, mapping->process_id);
    uint64_t end = mapping->start + mapping->size;
    if (!mapping->executable) {
        if (process_image_unmap(&names->images, &process->image, mapping->start, end))
            renew(names, process);
        return;
    }
    uint32_t number = get_file(names, mapping);
    const struct native_file *file = &names->files[number - 1];
    if (file->kind == FILE_NONE)
        process->has_compiled = true;
    if (file->library && mapping->offset <= UINT64_MAX - mapping->size)
        symbol_source_file_end(file->library, mapping->offset + mapping->size);
    struct image_mapping made = {mapping->start, end, mapping->offset, number};
    process_image_map(&names->images, &process->image, &made);
    renew(names, process);
}

void native_names_build_id(struct native_names *names, struct text path,
                           const unsigned char *build_id, size_t size) {
    struct build_id id = {.size = size < BUILD_ID_MAX ? size : BUILD_ID_MAX};
    if (id.size == 0)
        return;
    memcpy(id.bytes, build_id, id.size);
    struct text mark = TEXT(" (deleted)");
    if (text_ends_with(path, mark))
        path.size -= mark.size;
    uint32_t index = profile_intern(names->profile, path).index;
    struct hash_probe probe = hash_index_start(&names->file_index, hash_number(index));
    uint32_t number;
    while ((number = hash_index_next(&names->file_index, &probe)) != 0) {
        const struct native_file *file = &names->files[number - 1];
        if (file->path.index == index && file->library && file->build_id.size == 0 &&
            !symbol_source_file_build_id(file->library, &id))
            warnings_add(&names->profile->warnings, "unwound-by-another", 0,
                         "%.*s has changed since the recording: stacks through it may be wrong",
                         (int)path.size, path.data);
    }
}

void native_names_kernel(struct native_names *names, bool same_kernel, uint64_t text_start) {
    names->same_kernel = same_kernel;
    names->text_start = text_start;
}

/* ---- perf maps ---- */

/* Looks for the perf map of a process, and reads it. */
static void find_map(struct native_names *names, struct process *process) {
    if (names->options.no_maps) {
        process->map_is_final = true;
        return;
    }
    struct perf_map_places places = places_of(&names->options);
    int descriptor = -1;
    struct buffer *path = &names->scratch;
    buffer_clear(path);
    enum perf_map_found found = perf_map_search(&places, process->id, &descriptor, path);
    process->map_is_final = found != PERF_MAP_NONE || !names->options.live;
    if (found == PERF_MAP_REFUSED)
        warnings_add(&names->profile->warnings, "perf-map-refused", 0, "%.*s", (int)path->size,
                     path->data);
    if (found != PERF_MAP_FOUND)
        return;
    struct process_map *map = memory_allocate_zero(1, sizeof *map);
    map->descriptor = descriptor;
    map->path = memory_allocate(path->size + 1);
    memcpy(map->path, path->data, path->size);
    map->path[path->size] = '\0';
    if (names->options.live && !perf_map_is_compressed(descriptor)) {
        perf_map_read(&map->map, descriptor);
    } else {
        perf_map_read_all(&map->map, descriptor);
        close(descriptor);
        map->descriptor = -1;
    }
    MEMORY_RESERVE(names->maps, names->map_capacity, names->map_count + 1);
    names->maps[names->map_count++] = map;
    process->map = (uint32_t)names->map_count;
    renew(names, process);
}

/* Reads on in the map of a process. Returns whether it has new lines. */
static bool read_map(struct native_names *names, struct process *process) {
    struct process_map *map = names->maps[process->map - 1];
    if (map->descriptor < 0 || !perf_map_read(&map->map, map->descriptor))
        return false;
    renew(names, process);
    return true;
}

void native_names_refresh(struct native_names *names) {
    for (size_t i = 0; i < names->process_count && names->options.live; i++) {
        struct process *process = names->processes[i];
        if (process->map)
            read_map(names, process);
        else if (process->asked_for_map && !process->map_is_final)
            find_map(names, process);
    }
}

uint32_t native_names_entry(struct native_names *names, struct process *process, uint64_t address) {
    if (!process->map && !process->asked_for_map)
        find_map(names, process);
    process->asked_for_map = true;
    if (!process->map)
        return 0;
    const struct perf_map *map = &names->maps[process->map - 1]->map;
    uint32_t entry = perf_map_find(map, address);
    /* Code that was just made may stand in lines that were just written. */
    if (entry == 0 && read_map(names, process))
        entry = perf_map_find(map, address);
    return entry;
}

/* ---- locations ---- */

static struct location locate_in_process(struct native_names *names, struct process *process,
                                         uint64_t address) {
    uint32_t number = process_image_find(process->image, address);
    const struct image_mapping *mapping = number ? &names->images.mappings[number - 1] : NULL;
    enum file_kind kind = mapping ? names->files[mapping->file - 1].kind : FILE_NONE;
    if (kind != FILE_NONE) {
        uint64_t inside = address - mapping->start;
        uint64_t value = kind == FILE_SPECIAL ? 0 : inside;
        if (kind == FILE_ON_DISK)
            value += mapping->offset;
        return (struct location){
            .kind = LOCATION_FILE, .value = value, .owner = mapping->file, .mapping = number};
    }
    /* Some recordings lack the mapping of compiled code: what a perf map names is code anyway. */
    uint32_t entry = native_names_entry(names, process, address);
    if (entry)
        return (struct location){
            .kind = LOCATION_COMPILED, .value = entry, .owner = process->map, .has_entry = true};
    return mapping ? (struct location){.kind = LOCATION_COMPILED, .owner = process->number}
                   : (struct location){.kind = LOCATION_NOWHERE};
}

/* native_names_locate() for what the cache does not know. */
static code_location locate_new(struct native_names *names, struct process *process,
                                uint64_t address) {
    struct location location = {.kind = LOCATION_KERNEL, .value = address};
    if (process)
        location = locate_in_process(names, process, address);
    code_location number = location_table_intern(&names->locations, &location);
    /* Only now: reading a perf map begins a new generation. */
    uint32_t generation = process ? process->generation : KERNEL_GENERATION;
    location_cache_put(names->cache, address, generation, number);
    return number;
}

code_location native_names_locate(struct native_names *names, uint64_t process_id, uint64_t address,
                                  bool kernel, bool is_return) {
    struct process *process = kernel ? NULL : native_names_process(names, process_id);
    uint32_t generation = process ? process->generation : KERNEL_GENERATION;
    address -= is_return;
    uint32_t known = location_cache_find(names->cache, address, generation);
    return known ? known : locate_new(names, process, address);
}

enum location_kind native_names_kind(const struct native_names *names, code_location location) {
    return names->locations.locations[location - 1].kind;
}

/* ---- frames ---- */

static struct frame named(struct native_names *names, enum frame_kind kind, struct text name,
                          struct text module) {
    return (struct frame){.kind = (uint8_t)kind,
                          .name = profile_intern(names->profile, name),
                          .module = profile_intern(names->profile, module)};
}

static void *read_kernel_beside(void *context) {
    struct native_names *names = context;
    names->kernel_reason = kernel_symbols_read(&names->kernel);
    names->kernel_is_done = true;
    return NULL;
}

void native_names_prepare(struct native_names *names) {
    if (!names->kernel_is_read && !names->options.no_symbols && names->same_kernel)
        names->kernel_is_under_way =
            pthread_create(&names->kernel_thread, NULL, read_kernel_beside, names) == 0;
}

bool native_names_is_ready(struct native_names *names) {
    return !names->kernel_is_under_way || names->kernel_is_done;
}

static void read_kernel(struct native_names *names) {
    bool is_under_way = names->kernel_is_under_way;
    wait_for_kernel(names);
    names->kernel_is_read = true;
    if (!names->same_kernel) {
        names->kernel_reason =
            "they were recorded on another machine, or before this one was started last";
        return;
    }
    if (!is_under_way)
        names->kernel_reason = kernel_symbols_read(&names->kernel);
    if (!names->kernel_reason && names->text_start && names->kernel.text_start &&
        names->text_start != names->kernel.text_start) {
        names->kernel_reason = "they were recorded before this machine was started last";
        kernel_symbols_free(&names->kernel);
    }
}

static struct frame kernel_frame(struct native_names *names, uint64_t address) {
    struct text name, module;
    if (!names->kernel_is_read && !names->options.no_symbols)
        read_kernel(names);
    if (kernel_symbols_find_called(&names->kernel, address, &name, &module))
        return named(names, FRAME_KERNEL, name, module.size > 0 ? module : TEXT("[kernel]"));
    if (names->kernel_reason)
        names->kernel_unnamed = true;
    return named(names, FRAME_KERNEL, TEXT("[kernel]"), TEXT(""));
}

static const struct symbol *find_symbol(struct native_names *names, const struct location *location,
                                        const struct native_file *file) {
    struct symbol_source *source = names->options.source;
    if (names->options.no_symbols || file->kind != FILE_ON_DISK)
        return NULL;
    if (symbol_source_mode(source) == SYMBOLS_FROM_FILES)
        return file->library ? symbol_source_find_called(source, file->library, location->value)
                             : NULL;
    /* Rows of symbols speak of addresses. */
    const struct image_mapping *mapping = &names->images.mappings[location->mapping - 1];
    const struct symbol_library *library =
        symbol_source_library(source, profile_text(names->profile, file->path),
                              mapping->start - mapping->offset, mapping->end, false);
    return library ? symbol_source_find(source, library,
                                        mapping->start + (location->value - mapping->offset))
                   : NULL;
}

struct text native_names_symbol(struct native_names *names, uint64_t process_id, uint64_t address,
                                bool is_return) {
    code_location number = native_names_locate(names, process_id, address, false, is_return);
    const struct location *location = &names->locations.locations[number - 1];
    if (location->kind != LOCATION_FILE)
        return (struct text){0};
    const struct symbol *symbol = find_symbol(names, location, &names->files[location->owner - 1]);
    return symbol ? symbol->raw : (struct text){0};
}

static struct frame file_frame(struct native_names *names, const struct location *location) {
    struct native_file *file = &names->files[location->owner - 1];
    struct text path = profile_text(names->profile, file->path);
    file->asked = true;
    if (file->kind == FILE_VDSO) {
        buffer_clear(&names->scratch);
        bool found = names->same_kernel && !names->options.no_symbols &&
                     vdso_append_name(&names->vdso, location->value, &names->scratch);
        return named(names, found ? FRAME_CPP : FRAME_LIBRARY,
                     found ? buffer_text(&names->scratch) : TEXT(""), path);
    }
    const struct symbol *symbol = find_symbol(names, location, file);
    if (!symbol)
        return named(names, FRAME_LIBRARY, TEXT(""), path);
    if (mapped_file_is_jitted(path))
        return perf_name_frame(names->profile, symbol->raw);
    return named(names, FRAME_CPP, symbol->name, path);
}

struct frame_id native_names_frame(struct native_names *names, code_location location) {
    const struct location *known = &names->locations.locations[location - 1];
    if (known->frame.index)
        return known->frame;
    struct frame frame;
    switch ((enum location_kind)known->kind) {
    case LOCATION_FILE:
        frame = file_frame(names, known);
        break;
    case LOCATION_KERNEL:
        frame = kernel_frame(names, known->value);
        break;
    case LOCATION_COMPILED:
        frame =
            known->has_entry
                ? perf_name_frame(names->profile, perf_map_name(&names->maps[known->owner - 1]->map,
                                                                (uint32_t)known->value))
                : named(names, FRAME_JAVASCRIPT, TEXT("[js unknown]"), TEXT(""));
        break;
    default:
        frame = named(names, FRAME_UNACCOUNTED, TEXT("[unknown]"), TEXT(""));
        break;
    }
    return names->locations.locations[location - 1].frame = profile_frame(names->profile, &frame);
}

/* ---- what stood in the way ---- */

static void tell_of_files(struct native_names *names) {
    struct profile *profile = names->profile;
    for (size_t i = 0; i < names->file_count; i++) {
        const struct native_file *file = &names->files[i];
        if (!file->asked || file->kind != FILE_ON_DISK)
            continue;
        uint32_t row = profile_add_library(profile, profile_text(profile, file->path));
        struct profile_library *library = &profile->libraries[row];
        if (file->library && file->library->symbol_count > library->symbol_count)
            library->symbol_count = file->library->symbol_count;
        if (file->library && file->library->complaint[0] != '\0')
            library->complaint = profile_intern(profile, text_of(file->library->complaint));
    }
}

static void tell_of_map(struct native_names *names, const struct process_map *map) {
    struct warnings *warnings = &names->profile->warnings;
    warnings_add_count(warnings, map->map.unusable, "perf-map-line", map->map.first_unusable,
                       "%s: not a line of a perf map (START SIZE NAME)", map->path);
    warnings_add_count(warnings, map->map.damaged, "perf-map-cut", 0,
                       "%s: its compressed data is cut or damaged; what was readable is used",
                       map->path);
    warnings_add_count(warnings, map->map.left_out, "perf-map-large", 0,
                       "%s has more lines than are read; those at its end are left out", map->path);
}

/* Warns when many names of a finished recording may be those of later code. */
static void tell_of_reuse(struct native_names *names) {
    struct profile *profile = names->profile;
    uint8_t *marks = memory_allocate_zero(profile->frames.size + 1, 1);
    for (size_t i = 0; i < names->locations.count; i++) {
        const struct location *location = &names->locations.locations[i];
        if (location->kind != LOCATION_COMPILED || !location->has_entry)
            continue;
        const struct perf_map *map = &names->maps[location->owner - 1]->map;
        bool replaces = perf_map_replaces(map, (uint32_t)location->value);
        marks[location->frame.index] |= CODE_COMPILED | (replaces ? CODE_REPLACED : 0);
    }
    marks[0] = 0;
    code_reuse_tell(profile, marks);
    free(marks);
}

struct native_names_summary native_names_finish(struct native_names *names) {
    struct native_names_summary summary = {
        .any_map = names->map_count > 0,
        .kernel_unnamed = names->kernel_unnamed,
        .kernel_reason = names->kernel_reason,
    };
    tell_of_files(names);
    if (!names->options.live)
        tell_of_reuse(names);
    for (size_t i = 0; i < names->map_count; i++) {
        tell_of_map(names, names->maps[i]);
        summary.map_overlaps += names->maps[i]->map.overlaps;
    }
    for (size_t i = 0; i < names->locations.count; i++) {
        const struct location *location = &names->locations.locations[i];
        summary.compiled_unnamed += location->kind == LOCATION_COMPILED && !location->has_entry;
    }
    warnings_add_count(&names->profile->warnings, names->images.left_out, "process-images", 0,
                       "too many processes fork: the mappings of some were not kept");
    return summary;
}
