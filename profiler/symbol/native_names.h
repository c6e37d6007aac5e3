// SPDX-License-Identifier: MIT
/*
 * Names for the addresses of living or recorded processes: mappings of each process, ELF symbols,
 * perf maps, the vdso and the kernel, put together.
 *
 * It is told what is mapped where (from records of the kernel), and asked in two steps. First, for
 * every address of every stack: which *location* is that? A location is a small number for a place
 * in code: an offset in a file, an entry of a perf map, an address of the kernel. This step is a
 * look-up in a cache of the process. Then, once per location: which *frame* is that? Only this step
 * opens files and demangles. Between the two, build ids may still become known.
 *
 * Perf maps. V8 (`--perf-basic-prof`) appends a line per compiled function to `/tmp/perf-PID.map`,
 * PID being that of the process's innermost pid namespace; perf_map_search.h says where the file is
 * looked for. A line takes the place of all older ones that it overlaps. While
 * a process lives, the file is read on whenever native_names_refresh() is called, and once more
 * when an address of executable memory without a file has no entry: addresses located after that
 * get the new entries, locations handed out before keep their names. So where code of the process
 * takes the place of older code, each sample has the name that was valid when its batch of samples
 * was read, and not that of the last line in the file.
 *
 * Files. mapped_file.h says where they are looked for, and which one counts as the mapped one.
 * Those of a living process are opened when native_names_map() tells of them, because the process
 * may end before a name is asked for; their symbols are read when first needed. Perf maps are
 * opened when the first address in executable memory without a file comes, and while a process has
 * none, at every native_names_refresh().
 */
#ifndef TICKFLAME_PROFILER_SYMBOL_NATIVE_NAMES_H
#define TICKFLAME_PROFILER_SYMBOL_NATIVE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/base/text.h"
#include "fold/model/profile.h"
#include "profiler/symbol/perf_map_search.h"
#include "profiler/symbol/symbol_source.h"

struct native_names_options {
    struct symbol_source *source; /* of ELF symbols; outlives the names */
    const struct given_map *maps; /* perf maps named by the user, looked at first */
    size_t map_count;
    const char *map_folder;  /* --map-dir: holds perf-PID.map files; NULL = none */
    const char *target_root; /* its tmp/ may hold perf maps; NULL = none */
    bool live;               /* the processes are those of this machine, now */
    bool any_owner;          /* use a perf map that belongs to another user than the process (when
                                live) or than this one and root */
    bool no_maps;            /* leave compiled code without names */
    bool no_symbols;         /* leave everything but perf maps without names */
};

struct native_names;

/* What a process maps. `build_id_size` 0: not known. */
struct native_mapping {
    uint64_t process_id;
    uint64_t start, size; /* bytes of address space */
    uint64_t offset;      /* of `start` in the file */
    struct text path;     /* as the kernel names it: a file, `[vdso]`, `//anon` ... */
    const unsigned char *build_id;
    size_t build_id_size; /* at most 20 */
    bool executable;
};

/* A place in code; 0 = none. Numbers count up from 1 as places are first seen. */
typedef uint32_t code_location;

enum location_kind {
    LOCATION_NOWHERE,  /* in no executable mapping: no code at all, such as text read as an address
                        */
    LOCATION_FILE,     /* in a file, named or not */
    LOCATION_COMPILED, /* in executable memory without a file: JavaScript or other compiled code */
    LOCATION_KERNEL,
    LOCATION_GIVEN, /* of native_names_give() */
};

/* An empty set of names for frames of `profile`, which outlives it. To be closed. */
struct native_names *native_names_open(struct profile *profile,
                                       const struct native_names_options *options);
void native_names_close(struct native_names *names);

/*
 * Begins to read the functions of the kernel, which takes a tenth of a second or more, in a thread
 * of its own; live only. Until native_names_is_ready() a name of the kernel has to wait for it.
 */
void native_names_prepare(struct native_names *names);
bool native_names_is_ready(struct native_names *names);

/* Adds a mapping; it takes the place of what it overlaps in the same process. Mappings that are not
 * executable only remove. */
void native_names_map(struct native_names *names, const struct native_mapping *mapping);

/* The process `child` begins as a copy of `parent`. The parent's perf map is not its own. */
void native_names_fork(struct native_names *names, uint64_t parent, uint64_t child);

/* The process runs another program from here on: its mappings and its perf map are gone. */
void native_names_exec(struct native_names *names, uint64_t process_id);

/* Tells the build id of a file that mappings name, for those mappings that have none. */
void native_names_build_id(struct native_names *names, struct text path,
                           const unsigned char *build_id, size_t size);

/* Whether this machine's kernel, as it runs now, is the one that was recorded: only then are its
 * symbols used. `text_start` is the recorded address of `_text` or `_stext`, 0 = not known. The
 * default is `live`. */
void native_names_kernel(struct native_names *names, bool same_kernel, uint64_t text_start);

/*
 * The location of an address of a process, or with `kernel` of the kernel. `is_return`: it is a
 * return address, so the call before it is meant. Never 0.
 */
code_location native_names_locate(struct native_names *names, uint64_t process_id, uint64_t address,
                                  bool kernel, bool is_return);
enum location_kind native_names_kind(const struct native_names *names, code_location location);

/* Whether a perf map names the location. */
bool native_names_is_mapped(const struct native_names *names, code_location location);

/* A location for a frame of which more is known than an address tells; the same for the same frame.
 * native_names_is_given(): whether a number is one of these. */
code_location native_names_give(struct native_names *names, struct frame_id frame);
bool native_names_is_given(const struct native_names *names, code_location location);

/* Where an address of a process lies, for the walk of stacks. */
struct native_code {
    enum location_kind kind; /* LOCATION_NOWHERE, LOCATION_FILE or LOCATION_COMPILED */
    uint32_t file;           /* LOCATION_FILE: its number, the same for all its mappings */
    uint64_t offset;         /* LOCATION_FILE: of the address in the file */
};
struct native_code native_names_code(struct native_names *names, uint64_t process_id,
                                     uint64_t address);

/* Counts up whenever what native_names_code() says of a process may have changed; no two processes
 * have the same. */
uint32_t native_names_generation(struct native_names *names, uint64_t process_id);

/*
 * The open file with a number from native_names_code(), which has to be the very one that was
 * mapped (mapped_file.h); it stays open as long as the source of symbols. NULL: it is not to be
 * had. In finished recordings the build id may become known only later: when it is another one,
 * there is a warning, and the file is looked for again for the names.
 */
const struct elf_file *native_names_elf(struct native_names *names, uint32_t file);

/* The numbers of the files in which the process has code, each once, those at higher addresses
 * first, at most `most`. Returns how many. */
size_t native_names_files(struct native_names *names, uint64_t process_id, uint32_t *files,
                          size_t most);

/* The symbol of the function that an address of a process lies in, as it stands in its file; empty:
 * none is known, or the address is in no file. Valid as long as the source of symbols. */
struct text native_names_symbol(struct native_names *names, uint64_t process_id, uint64_t address,
                                bool is_return);

/*
 * The frame of a location. Functions by their short demangled name; a file without symbols is a
 * frame of FRAME_LIBRARY without name, the kernel without symbols one frame `[kernel]`, compiled
 * code without a perf map `[js unknown]`, nowhere `[unknown]`. The same location gives the same
 * frame always. An address that no function holds although the next byte begins one is that one's:
 * it came from a return address that no call left.
 */
struct frame_id native_names_frame(struct native_names *names, code_location location);

/* Reads on in the perf maps of all processes (live only). To be called before each batch. */
void native_names_refresh(struct native_names *names);

/* What stood in the way, for the report. native_names_finish() also adds to the profile the files
 * that addresses lay in, with their complaints, and warnings for maps that are damaged or were not
 * used, or, in finished recordings, whose lines took the place of those of other functions that
 * more than 5 % of the samples in compiled code have. To be called once, when all samples are
 * added. */
struct native_names_summary {
    uint64_t compiled_unnamed; /* processes with compiled code that no perf map names */
    bool any_map;              /* at least one perf map was read */
    bool kernel_unnamed;       /* kernel addresses were seen and have no names */
    const char *kernel_reason; /* then why, in words that fit behind "kernel functions have no
                                  names: "; a constant */
    uint64_t map_overlaps;     /* lines of perf maps that took the place of older ones */
};
struct native_names_summary native_names_finish(struct native_names *names);

#endif
