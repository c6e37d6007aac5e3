// SPDX-License-Identifier: MIT
// Times the walk of the stacks of a perf.data file that was recorded with --call-graph dwarf:
//
//     unwind_bench FILE auto|dwarf|fp [frames]
//
// Everything but the walks is done outside of the measured time. "cold" are the walks of the first
// tenth of the samples, which open files and learn. Times are CPU time.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fold/base/input.h"
#include "profiler/trace/perf_file.h"
#include "profiler/trace/perf_machine.h"
#include "profiler/trace/perf_order.h"
#include "profiler/trace/perf_stacks.h"

struct span {
    double seconds;
    uint64_t stacks, frames;
};

struct bench {
    struct perf_events events;
    struct native_names *names;
    struct perf_machine *machine; /* of all records but samples */
    struct stack_walker walker;
    uint64_t samples, cold_most;
    struct span cold, warm;
    uint64_t complete, cut, truncated, repaired, single;
    double longest;
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void take_nothing(void *context, const struct machine_sample *sample) {
    (void)context;
    (void)sample;
}

static void walk(struct bench *bench, const struct perf_record *record,
                 const struct perf_attribute *attribute) {
    static struct user_stack stack;
    double start = now();
    user_stack_walk(&bench->walker, record, attribute, NULL, 0, false, &stack);
    double taken = now() - start;
    struct span *span = bench->samples < bench->cold_most ? &bench->cold : &bench->warm;
    span->seconds += taken;
    span->stacks++;
    span->frames += stack.count;
    if (span == &bench->warm && taken > bench->longest)
        bench->longest = taken;
    bench->complete += stack.ending == UNWIND_COMPLETE;
    bench->cut += stack.ending == UNWIND_CUT;
    bench->truncated += stack.ending == UNWIND_TRUNCATED;
    bench->repaired += stack.repaired;
    bench->single += stack.count == 1;
}

static void deliver(void *context, struct text bytes, uint32_t layout) {
    struct bench *bench = context;
    struct perf_record record;
    const struct perf_attribute *attribute = &bench->events.attributes[layout];
    if (!perf_record_decode(attribute, bytes, false, &record))
        return;
    if (record.type != PERF_SAMPLE) {
        perf_machine_record(bench->machine, &record, attribute, 0);
        return;
    }
    if (user_stack_is_recorded(&bench->walker, &record))
        walk(bench, &record, attribute);
    bench->samples++;
}

/* Calls for each record of the kernel's. */
static void each_record(struct text records, struct perf_order *order, struct bench *bench) {
    while (records.size >= 8) {
        uint16_t size;
        memcpy(&size, records.data + 6, sizeof size);
        if (size < 8 || size > records.size)
            break;
        struct text record = {records.data, size};
        if (perf_number_32(record.data, false) < PERF_OWN_FIRST) {
            uint32_t layout = perf_events_layout(&bench->events, record, false);
            perf_order_add(order,
                           perf_record_time(&bench->events.attributes[layout], record, false),
                           record, layout);
        }
        records = text_skip(records, size);
    }
    perf_order_finish(order);
}

static void print_span(const char *name, const struct span *span) {
    if (span->stacks)
        printf("%s: %" PRIu64 " stacks of %.1f frames, %.2f us a stack, %.0f ns a frame\n", name,
               span->stacks, (double)span->frames / (double)span->stacks,
               span->seconds * 1e6 / (double)span->stacks,
               span->seconds * 1e9 / (double)span->frames);
}

static void print(const struct bench *bench) {
    double all = (double)(bench->cold.stacks + bench->warm.stacks) / 100;
    print_span("cold", &bench->cold);
    print_span("warm", &bench->warm);
    printf("complete %.2f %%, cut %.2f %%, truncated %.2f %%, repaired %.2f %%, of one frame %.2f "
           "%%, longest %.0f us\n",
           (double)bench->complete / all, (double)bench->cut / all, (double)bench->truncated / all,
           (double)bench->repaired / all, (double)bench->single / all, bench->longest * 1e6);
}

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return NULL;
    long length = ftell(file);
    char *bytes = length > 0 ? malloc((size_t)length) : NULL;
    rewind(file);
    *size = bytes ? fread(bytes, 1, (size_t)length, file) : 0;
    fclose(file);
    return bytes;
}

int main(int argc, char **argv) {
    struct error error = {0};
    struct perf_header header;
    size_t size = 0;
    char *bytes = argc == 3 ? read_file(argv[1], &size) : NULL;
    struct text file = {bytes, size};
    struct bench bench = {0};
    size_t header_size = size > PERF_HEADER_SIZE_LEAST ? perf_header_size(file, &error) : 0;
    if (header_size == 0 || header_size > size ||
        !perf_header_read((struct text){bytes, header_size}, &header, &error) || header.pipe ||
        header.swapped || header.data.offset > size ||
        header.data.size > size - header.data.offset ||
        !perf_header_events(&header, (struct text){bytes, header.data.offset}, &bench.events,
                            &error)) {
        fprintf(stderr, "usage: unwind_bench PERF_DATA auto|dwarf|fp %s\n", error.text);
        return 2;
    }
    struct profile *profile = profile_new();
    struct symbol_source *source = symbol_source_open(&(struct symbol_options){0});
    bench.names = native_names_open(profile, &(struct native_names_options){.source = source});
    bench.machine = perf_machine_open(
        profile, &(struct perf_machine_options){.names = bench.names, .take = take_nothing});
    bench.walker.architecture = architecture_of_machine(call_frames_machine());
    if (strcmp(argv[2], "fp") != 0)
        bench.walker.unwinder = unwinder_open(&(struct unwinder_options){
            .names = bench.names,
            .mode = strcmp(argv[2], "dwarf") == 0 ? UNWIND_CALL_FRAMES : UNWIND_AUTO});
    struct text records = {bytes + header.data.offset, header.data.size};
    struct perf_order *order = perf_order_open(deliver, &bench);
    bench.cold_most = header.data.size / bench.events.attributes[0].sample_stack_user / 10;
    each_record(records, order, &bench);
    print(&bench);
    perf_order_close(order);
    perf_machine_close(bench.machine);
    unwinder_close(bench.walker.unwinder);
    native_names_close(bench.names);
    symbol_source_close(source);
    profile_free(profile);
    perf_events_free(&bench.events);
    free(bytes);
    return 0;
}
