// SPDX-License-Identifier: MIT
// A perf.data file with copies of stacks of a program whose calls are known (make-chain): `perf
// script` finds the same ones.
#include "tests/unit/tally_support.h"

#include <elf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/trace/perf_data.h"
#include "profiler/unwind/unwinder.h"

static const char *const chain[] = {"work", "inner", "middle", "outer", "begin", "_start"};
enum { CHAIN_COUNT = sizeof chain / sizeof *chain, SAMPLES = 20 };

/* The bytes of a file of tests/data/perf-data; to be freed. */
static struct buffer read_data(const char *name) {
    char path[4096], bytes[4096];
    const char *source = getenv("TICKFLAME_SOURCE");
    assert_non_null(source);
    snprintf(path, sizeof path, "%s/tests/data/perf-data/%s", source, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    struct buffer data = {0};
    size_t size;
    while ((size = fread(bytes, 1, sizeof bytes, file)) > 0)
        buffer_append(&data, bytes, size);
    fclose(file);
    return data;
}

static struct profile *read_recording(const char *root, size_t piece) {
    struct buffer data = read_data("chain.perf.data");
    struct text rest = buffer_text(&data);
    struct symbol_source *source =
        symbol_source_open(&(struct symbol_options){.target_root = root});
    struct profile *profile = profile_new();
    struct error error = {0};
    void *parser = perf_data_reader.open(
        profile, &(struct perf_data_options){.names = {.source = source, .target_root = root}});
    for (; rest.size > 0; rest = text_skip(rest, piece < rest.size ? piece : rest.size)) {
        struct text part = {rest.data, piece < rest.size ? piece : rest.size};
        assert_true(perf_data_reader.feed(parser, part, &error));
    }
    assert_true(perf_data_reader.finish(parser, &error));
    perf_data_reader.close(parser);
    symbol_source_close(source);
    buffer_free(&data);
    return profile;
}

static struct text frame_name(const struct profile *profile, struct stack_id at) {
    return profile_text(
        profile, frame_table_get(&profile->frames, stack_table_frame(&profile->stacks, at))->name);
}

/* Each stack is the chain, or its inner part below [truncated]. Returns how many samples have the
 * whole one. */
static uint64_t count_whole(const struct profile *profile) {
    uint64_t whole = 0, all = 0;
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct sample *sample = &profile->samples[i];
        size_t depth = 0;
        struct stack_id at = sample->stack;
        for (; at.index && !text_equal(frame_name(profile, at), TEXT("[truncated]"));
             at = stack_table_parent(&profile->stacks, at)) {
            assert_true(depth < CHAIN_COUNT);
            assert_true(text_equal(frame_name(profile, at), text_of(chain[depth])));
            depth++;
        }
        assert_true(at.index ? depth < CHAIN_COUNT : depth == CHAIN_COUNT);
        all += sample->count;
        whole += at.index ? 0 : sample->count;
    }
    assert_int_equal(all, SAMPLES);
    return whole;
}

static void test_chain(void **state) {
    (void)state;
    if (!unwinder_is_for(EM_X86_64))
        skip();
    char root[4096];
    snprintf(root, sizeof root, "%s/tests/data/perf-data/chain", getenv("TICKFLAME_SOURCE"));
    for (size_t piece = 1; piece <= 32; piece++) {
        struct profile *profile = read_recording(root, piece < 32 ? piece : SIZE_MAX);
        /* The others have frames that are larger than the copy. */
        assert_int_equal(count_whole(profile), 17);
        assert_int_equal(profile->sampling.cut, 3);
        assert_int_equal(profile->sampling.repaired, SAMPLES);
        assert_string_equal(profile->sampling.call_graph, "auto");
        assert_int_equal(profile->warnings.size, 0);
        profile_free(profile);
    }
}

/* What the build id says of the program is known only at the end of the file. */
static void test_other_program(void **state) {
    (void)state;
    if (!unwinder_is_for(EM_X86_64))
        skip();
    enum { BUILD_ID_AT = 0x168 };
    struct buffer program = read_data("chain/opt/chain/chain");
    program.data[BUILD_ID_AT] = (char)~program.data[BUILD_ID_AT];
    assert_int_equal(mkdir("other", 0755), 0);
    assert_int_equal(mkdir("other/opt", 0755), 0);
    assert_int_equal(mkdir("other/opt/chain", 0755), 0);
    FILE *file = fopen("other/opt/chain/chain", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(program.data, 1, program.size, file), program.size);
    fclose(file);
    /* perf keeps binaries there that it has seen. */
    setenv("HOME", "/nowhere", 1);
    struct profile *profile = read_recording("other", SIZE_MAX);
    const struct warning *warning = warnings_find(&profile->warnings, "unwound-by-another");
    assert_non_null(warning);
    assert_int_equal(warning->count, 1);
    for (size_t i = 0; i < profile->sample_count; i++)
        assert_int_equal(frame_name(profile, profile->samples[i].stack).size, 0);
    profile_free(profile);
    buffer_free(&program);
    unlink("other/opt/chain/chain");
    rmdir("other/opt/chain");
    rmdir("other/opt");
    rmdir("other");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_other_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
