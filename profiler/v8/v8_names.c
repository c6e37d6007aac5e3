// SPDX-License-Identifier: MIT
#include "profiler/v8/v8_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fold/base/memory.h"
#include "profiler/v8/v8_stack.h"

enum {
    FILES_MOST = 256,     /* looked through for a V8 */
    STACK_BUDGET = 16384, /* reads for one stack */
    TEST_FRAMES = 200,    /* of JavaScript in one attempt of the test */
    TEST_ATTEMPTS = 3,
    TEST_NAMED_PERCENT = 90,
};

/* Objects that were on a stack may have moved or died after that long: the test leaves it out. */
#define OLD_NANOSECONDS UINT64_C(50000000)

struct v8_names {
    struct v8_walker walker;
    struct v8_constants constants;
    const struct elf_file *elf;
    enum v8_names_state state;
    unsigned attempts;             /* of the test, that went wrong */
    uint64_t tested, tested_named; /* frames of the attempt under way */
    uint64_t javascript, named;    /* of all stacks */
    char node[32], v8[64];
};

static uint64_t now_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The file of the process that holds V8; 0 = none. */
static uint32_t find_file(struct native_names *names, uint64_t process_id,
                          const struct elf_file **elf) {
    uint32_t files[FILES_MOST];
    size_t count = native_names_files(names, process_id, files, FILES_MOST);
    for (size_t i = 0; i < count; i++) {
        *elf = native_names_elf(names, files[i]);
        if (*elf && v8_constants_are_in(*elf))
            return files[i];
    }
    return 0;
}

struct v8_names *v8_names_open(struct native_names *names, uint64_t process_id,
                               struct error *error) {
    const struct elf_file *elf = NULL;
    uint32_t file = find_file(names, process_id, &elf);
    if (file == 0) {
        error_set(error, ERROR_SAMPLE,
                  "the program has no V8 that says how its memory is laid out (no v8dbg_ symbols)");
        return NULL;
    }
    const struct architecture *architecture = architecture_of_machine(elf->machine);
    if (!architecture || architecture->elf_machine != call_frames_machine()) {
        error_set(error, ERROR_SAMPLE, "this is not implemented for its processor");
        return NULL;
    }
    struct v8_names *v8 = memory_allocate_zero(1, sizeof *v8);
    if (!v8_constants_read(elf, &v8->constants, error)) {
        free(v8);
        return NULL;
    }
    v8->elf = elf;
    v8->state = V8_NAMES_NEW;
    if (v8->constants.major)
        snprintf(v8->v8, sizeof v8->v8, "%u.%u.%u.%u", v8->constants.major, v8->constants.minor,
                 v8->constants.build, v8->constants.patch);
    struct v8_walker *walker = &v8->walker;
    walker->names = names;
    walker->process_id = process_id;
    walker->file = file;
    walker->has_builtin_symbols = elf_file_names(elf, TEXT("Builtins_InterpreterEntryTrampoline"));
    walker->architecture = architecture;
    walker->constants = &v8->constants;
    walker->heap.layout = v8->constants.layout;
    walker->heap.memory.process_id = process_id;
    v8_functions_open(&walker->functions, &walker->heap);
    v8_codes_open(&walker->codes, &walker->heap);
    return v8;
}

void v8_names_close(struct v8_names *v8) {
    if (!v8)
        return;
    v8_functions_close(&v8->walker.functions);
    v8_codes_close(&v8->walker.codes);
    free(v8);
}

/* The test of the first frames: most must have names. Code that starts has frames that are just
 * being made, so there is more than one attempt. */
static void take_test(struct v8_names *v8, uint64_t javascript, uint64_t named) {
    if (v8->state != V8_NAMES_NEW)
        return;
    v8->tested += javascript;
    v8->tested_named += named;
    if (v8->tested < TEST_FRAMES)
        return;
    if (v8->tested_named * 100 >= v8->tested * TEST_NAMED_PERCENT)
        v8->state = V8_NAMES_TESTED;
    else if (++v8->attempts == TEST_ATTEMPTS)
        v8->state = V8_NAMES_FAILED;
    v8->tested = v8->tested_named = 0;
}

void v8_names_walk(struct v8_names *v8, const struct v8_stack *stack, v8_take_frame *take,
                   void *context) {
    struct v8_walker *walker = &v8->walker;
    if (v8->state == V8_NAMES_FAILED) {
        for (size_t i = 0; i < stack->count; i++)
            take(context,
                 &(struct v8_frame){.kind = V8_FRAME_ADDRESS, .address = stack->addresses[i]});
        return;
    }
    walker->heap.now = now_nanoseconds();
    walker->heap.memory.budget = STACK_BUDGET;
    walker->javascript = walker->named = 0;
    v8_stack_walk(walker, stack, take, context);
    v8->javascript += walker->javascript;
    v8->named += walker->named;
    bool is_old = stack->taken && walker->heap.now > stack->taken &&
                  walker->heap.now - stack->taken > OLD_NANOSECONDS;
    if (!is_old)
        take_test(v8, walker->javascript, walker->named);
}

struct v8_names_facts v8_names_facts(struct v8_names *v8) {
    const struct v8_functions *functions = &v8->walker.functions;
    if (!v8->node[0])
        v8_constants_find_node(v8->elf, v8->node);
    return (struct v8_names_facts){
        .state = v8->state,
        .node = text_of(v8->node),
        .v8 = text_of(v8->v8),
        .version_is_known = v8->constants.is_tested,
        .javascript = v8->javascript,
        .named = v8->named,
        .not_read = v8->walker.not_read,
        .no_function = functions->no_function,
        .no_shared = functions->no_shared,
        .no_name = functions->no_name,
        .functions = functions->count,
    };
}
