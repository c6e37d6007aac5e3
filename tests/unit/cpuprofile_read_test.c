// SPDX-License-Identifier: MIT
/* Tests of fold/read/cpuprofile. Each input is read whole and in pieces of 1 to 31 bytes. */
#include "tests/unit/tally_support.h"

#include <string.h>

#include "fold/read/cpuprofile.h"

/*
 * The JSON that a test means, to be given back with buffer_free(). For the sake of the eye tests
 * write
 * `'` for `"`, `$<NAME>` for the callFrame of a function at a.js:2:3, and `%<NAME>` for that of one
 * without a place.
 */
static struct buffer json_of(const char *text) {
    struct buffer json = {0};
    for (; *text; text++) {
        const char *end =
            (*text == '$' || *text == '%') && text[1] == '<' ? strchr(text, '>') : NULL;
        if (end) {
            buffer_append_text(&json, TEXT("\"callFrame\":{\"functionName\":\""));
            buffer_append(&json, text + 2, (size_t)(end - text - 2));
            buffer_append_text(&json, *text == '$'
                                          ? TEXT("\",\"scriptId\":\"7\",\"url\":\"a.js\","
                                                 "\"lineNumber\":1,\"columnNumber\":2}")
                                          : TEXT("\",\"scriptId\":\"0\",\"url\":\"\","
                                                 "\"lineNumber\":-1,\"columnNumber\":-1}"));
            text = end;
        } else {
            buffer_append_byte(&json, *text == '\'' ? '"' : *text);
        }
    }
    return json;
}

/* Feeds a profile in pieces of `piece` bytes (0: whole), each in memory of its own size. */
static bool feed(struct profile *profile, struct text json, size_t piece, struct error *error) {
    void *parser = cpuprofile_reader.open(profile, NULL);
    bool fed = true;
    while (json.size > 0 && fed) {
        size_t size = piece == 0 || piece > json.size ? json.size : piece;
        char *copy = malloc(size);
        assert_non_null(copy);
        memcpy(copy, json.data, size);
        fed = cpuprofile_reader.feed(parser, (struct text){copy, size}, error);
        free(copy);
        json = text_skip(json, size);
    }
    bool finished = fed && cpuprofile_reader.finish(parser, error);
    cpuprofile_reader.close(parser);
    return finished;
}

/* A profile that must be usable. */
static struct profile *read_profile(struct text json, size_t piece, bool keep_times) {
    struct profile *profile = profile_new();
    struct error error = {0};
    profile->keep_times = keep_times;
    bool finished = feed(profile, json, piece, &error);
    assert_string_equal(error.text, "");
    assert_true(finished);
    return profile;
}

/* The same for a profile as tests write it, whole. */
static struct profile *read_text(const char *text) {
    struct buffer json = json_of(text);
    struct profile *profile = read_profile(buffer_text(&json), 0, false);
    buffer_free(&json);
    return profile;
}

static enum probe_result probe(const char *text) {
    struct buffer json = json_of(text);
    enum probe_result result = cpuprofile_reader.probe(buffer_text(&json));
    buffer_free(&json);
    return result;
}

/* That the folded text of all samples, idle ones too, is `folded`, for every size of pieces, and
 * that the kinds of the warnings with their counts are `warnings` ("kind 1, kind 2"). */
static void assert_read(struct text json, const char *folded, const char *warnings,
                        enum profile_unit unit) {
    struct view view = {.keep_idle = true};
    for (size_t piece = 0; piece <= 31; piece++) {
        struct profile *profile = read_profile(json, piece, piece % 2);
        struct buffer said = {0};
        for (size_t i = 0; i < profile->warnings.size; i++)
            buffer_append_format(&said, "%s%s %u", i ? ", " : "", profile->warnings.items[i].kind,
                                 (unsigned)profile->warnings.items[i].count);
        buffer_append_byte(&said, '\0');
        support_assert_fold(profile, &view, folded);
        assert_string_equal(said.data, warnings);
        assert_int_equal(profile->unit, unit);
        assert_string_equal(profile->format, "cpuprofile");
        assert_int_equal(profile->thread_count, 1);
        assert_true(profile->threads[0].runs_javascript);
        assert_true(profile->isolate_only);
        buffer_free(&said);
        profile_free(profile);
    }
}

static void assert_ticks(const char *text, const char *folded, const char *warnings) {
    struct buffer json = json_of(text);
    assert_read(buffer_text(&json), folded, warnings, UNIT_TICKS);
    buffer_free(&json);
}

static void assert_times(const char *text, const char *folded, const char *warnings) {
    struct buffer json = json_of(text);
    assert_read(buffer_text(&json), folded, warnings, UNIT_MICROSECONDS);
    buffer_free(&json);
}

static void assert_fails(const char *text, const char *message) {
    struct buffer json = json_of(text);
    for (size_t piece = 0; piece <= 31; piece++) {
        struct profile *profile = profile_new();
        struct error error = {0};
        assert_false(feed(profile, buffer_text(&json), piece, &error));
        assert_int_equal(error.kind, ERROR_INPUT);
        assert_string_equal(error.text, message);
        profile_free(profile);
    }
    buffer_free(&json);
}

static void field_case(const char *name, const char *folded, const char *warnings,
                       enum profile_unit unit) {
    char path[128];
    snprintf(path, sizeof path, "field-cases/%s.cpuprofile", name);
    struct buffer data = support_data(path);
    assert_int_equal(cpuprofile_reader.probe(buffer_text(&data)), PROBE_CERTAIN);
    if (folded)
        assert_read(buffer_text(&data), folded, warnings, unit);
    buffer_free(&data);
}

static void field_cases(void **state) {
    (void)state;
    field_case("fc11-negative-delta",
               "(idle) 1000\n"
               "main /srv/app/index.js:1:1 2000\n"
               "main /srv/app/index.js:1:1;work /srv/app/work.js:10:5 6000\n",
               "unordered-sample 1", UNIT_MICROSECONDS);
    field_case("fc12a-hitcount-only",
               "main /srv/app/index.js:1:1 3\n"
               "main /srv/app/index.js:1:1;work /srv/app/work.js:10:5 7\n",
               "", UNIT_TICKS);
    field_case("fc12b-parent-links",
               "main /srv/app/index.js:1:1 2000\n"
               "main /srv/app/index.js:1:1;work /srv/app/work.js:10:5 8000\n",
               "", UNIT_MICROSECONDS);
    field_case("fc12c-old-head-tree",
               "main /srv/app/index.js:1 2\n"
               "main /srv/app/index.js:1;work /srv/app/work.js:10 3\n",
               "", UNIT_TICKS);
    field_case("fc13a-cycle", NULL, NULL, 0);
    field_case("fc13b-dangling", "[unknown] 50\na /a.js:1:1 50\n",
               "unknown-child 1, unknown-node 1", UNIT_MICROSECONDS);
    field_case("fc14-pseudo-frames",
               "(garbage collector) 2000\n"
               "(idle) 6000\n"
               "(program) 2000\n"
               "handler /srv/app/h.js:5:3 4000\n"
               "handler /srv/app/h.js:5:3;(anonymous) /srv/app/h.js:9:13 2000\n"
               "handler /srv/app/h.js:5:3;readFileSync node:fs:441:22 4000\n",
               "", UNIT_MICROSECONDS);
}

/* FC-11: each sample with its time, and what describes the recording. */
static void times_are_kept(void **state) {
    (void)state;
    struct buffer data = support_data("field-cases/fc11-negative-delta.cpuprofile");
    struct profile *profile = read_profile(buffer_text(&data), 0, true);
    static const unsigned times[] = {1000, 3500, 4000, 6000, 7000};
    static const unsigned lasted[] = {2500, 500, 2000, 1000, 3000};
    assert_true(profile->has_times);
    assert_int_equal(profile->sample_count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(profile->samples[i].time, times[i]);
        assert_int_equal(profile->samples[i].weight.whole, lasted[i]);
        assert_int_equal(profile->samples[i].count, 1);
        assert_int_equal(profile->samples[i].idle, i == 3);
    }
    assert_int_equal(profile->duration_us, 9000);
    assert_int_equal(profile->interval_us, 1800);
    assert_int_equal(profile->total.whole, 9000);
    profile_free(profile);
    profile = read_profile(buffer_text(&data), 0, false);
    assert_int_equal(profile->sample_count, 3);
    uint64_t count = 0;
    for (size_t i = 0; i < 3; i++)
        count += profile->samples[i].count;
    assert_int_equal(count, 5);
    profile_free(profile);
    buffer_free(&data);
}

/* FC-14: GC is a state, idle is idle, shares of the rest. */
static void pseudo_functions(void **state) {
    (void)state;
    struct buffer data = support_data("field-cases/fc14-pseudo-frames.cpuprofile");
    struct profile *profile = read_profile(buffer_text(&data), 0, false);
    struct view view = {0};
    struct call_tree *tree = call_tree_build(profile, &view);
    assert_int_equal(tree->idle.whole, 6000);
    assert_int_equal(tree->busy.whole, 14000);
    assert_int_equal(tree->exclusive[FRAME_JAVASCRIPT].whole, 10000);
    assert_int_equal(tree->exclusive[FRAME_GC].whole, 2000);
    assert_int_equal(tree->exclusive[FRAME_CPP].whole, 2000);
    support_assert_weights(tree, "handler /srv/app/h.js:5:3", 4000, 10000);
    support_assert_weights(tree, "(garbage collector)", 2000, 2000);
    call_tree_free(tree);
    profile_free(profile);
    buffer_free(&data);
}

/* FC-13a. */
static void cycles(void **state) {
    (void)state;
    struct buffer data = support_data("field-cases/fc13a-cycle.cpuprofile");
    struct profile *profile = profile_new();
    struct error error = {0};
    assert_false(feed(profile, buffer_text(&data), 0, &error));
    assert_true(strstr(error.text, "node 2 is its own") || strstr(error.text, "node 3 is its own"));
    profile_free(profile);
    buffer_free(&data);
    assert_fails("{'nodes':[{'id':1,'children':[1]}]}",
                 "the nodes are no tree: node 1 is its own ancestor");
    assert_fails("{'nodes':[{'id':1},{'id':2,'parent':4},{'id':4,'parent':2,"
                 "'children':[5]},{'id':5,'children':[6]},{'id':6}]}",
                 "the nodes are no tree: node 2 is its own ancestor");
}

static void order_is_free(void **state) {
    (void)state;
    /* Samples before nodes, children before parents, keys in another order. */
    assert_times("{'timeDeltas':[10,1,2],'samples':[3,2,3],'endTime':20,'startTime':0,"
                 "'nodes':[{'id':3,$<inner>},{'children':[3],'hitCount':9,"
                 "'callFrame':{'columnNumber':0,'lineNumber':0,'url':'file:///b.js',"
                 "'functionName':'outer'},'id':2}]}",
                 "outer /b.js:1:1 2\nouter /b.js:1:1;inner a.js:2:3 8\n", "");
    /* Both kinds of links at once, the same link twice, and nodes inside nodes. */
    assert_ticks("{'nodes':[{'id':1,'functionName':'(root)','children':[2,2]},{'id':2,"
                 "$<a>,'parent':1,'hitCount':1,'children':[{'id':3,$<b>,'hitCount':2},"
                 "{'id':4,$<c>,'hitCount':4},5]},{'id':5,$<d>,'hitCount':8}]}",
                 "a a.js:2:3 1\na a.js:2:3;b a.js:2:3 2\na a.js:2:3;c a.js:2:3 4\n"
                 "a a.js:2:3;d a.js:2:3 8\n",
                 "");
    /* The older form with a callFrame, and the root last. */
    assert_ticks("{'head':{'children':[{'id':2,'hitCount':5,"
                 "'callFrame':{'functionName':'f','url':'f.js','lineNumber':0,"
                 "'columnNumber':0}}],'functionName':'(root)','url':''}}",
                 "f f.js:1:1 5\n", "");
}

static void what_is_not_known(void **state) {
    (void)state;
    assert_ticks("{'nodes':[{'id':1,$<a>,'hitCount':1,'children':[7,'x',-1,5000000000,2]},"
                 "{'id':1,$<again>,'hitCount':100},{'id':2,$<b>,'hitCount':2,'parent':9},"
                 "{'id':3,$<c>,'hitCount':4,'children':[2]},{'id':null,$<d>,'hitCount':8,"
                 "'children':[4]},{'id':4,$<e>,'hitCount':16},{'id':5,'hitCount':32},7,"
                 "'x',{'id':6,'hitCount':-64}]}",
                 "(anonymous) 32\na a.js:2:3 1\na a.js:2:3;b a.js:2:3 2\nc a.js:2:3 4\n"
                 "d a.js:2:3 8\nd a.js:2:3;e a.js:2:3 16\n",
                 "bad-id 2, repeated-node 1, unknown-parent 1, unknown-child 1,"
                 " second-parent 1");
    /* Elements that are no ids and no times keep their places. */
    assert_times("{'nodes':[{'id':1,$<a>},{'id':2,$<b>}],'startTime':0,'endTime':100,"
                 "'samples':[1,null,2.0,{'x':[1]},'y',[3],2,1.5],'timeDeltas':[0,10,10,10,"
                 "10,true,10,10]}",
                 "[unknown] 70\na a.js:2:3 10\nb a.js:2:3 20\n", "unknown-node 5, bad-element 6");
}

static void odd_times(void **state) {
    (void)state;
    /* Without an end, or with one that is too early, the last lasts as long as the average. */
    assert_times("{'nodes':[{'id':1,$<a>,'hitCount':3},{'id':2,$<b>}],'startTime':5,"
                 "'samples':[1,2,1],'timeDeltas':[0,100,300]}",
                 "a a.js:2:3 300\nb a.js:2:3 300\n", "");
    assert_times("{'nodes':[{'id':1,$<a>,'hitCount':3},{'id':2,$<b>}],'startTime':5,"
                 "'endTime':6,'samples':[1,2,1],'timeDeltas':[0,100,300]}",
                 "a a.js:2:3 300\nb a.js:2:3 300\n", "");
    /* Fractions of microseconds are exact. */
    assert_times("{'nodes':[{'id':1,$<a>,'hitCount':3},{'id':2,$<b>}],'startTime':0.5,"
                 "'endTime':3.75,'samples':[1,2],'timeDeltas':[0.25,1.125]}",
                 "a a.js:2:3 1.125\nb a.js:2:3 1.875\n", "");
    /* More samples than times: endTime is of no use then. */
    assert_times("{'nodes':[{'id':1,$<a>,'hitCount':3},{'id':2,$<b>}],'startTime':0,"
                 "'endTime':9999,'samples':[1,2,1,1],'timeDeltas':[0,100,100]}",
                 "a a.js:2:3 200\nb a.js:2:3 100\n", "sample-without-time 1");
    assert_times("{'nodes':[{'id':1,$<a>,'hitCount':3},{'id':2,$<b>}],'startTime':0,"
                 "'endTime':30,'samples':[1,2],'timeDeltas':[0,10,10]}",
                 "a a.js:2:3 10\nb a.js:2:3 20\n", "time-without-sample 1");
    /* The first before the start, several out of order, two at once. */
    assert_times("{'nodes':[{'id':1,$<a>,'hitCount':3},{'id':2,$<b>}],'startTime':100,"
                 "'endTime':200,'samples':[2,1,2,1,2],'timeDeltas':[-10,60,-20,-20,0]}",
                 "a a.js:2:3 50\nb a.js:2:3 60\n", "unordered-sample 2");
    /* Times that cannot be. */
    assert_times("{'nodes':[{'id':1,$<a>,'hitCount':3},{'id':2,$<b>}],'startTime':0,"
                 "'endTime':9223372036854775807,'samples':[1,2,1],'timeDeltas':[0,10,"
                 "9223372036854775807]}",
                 "a a.js:2:3 15\n", "bad-time 1");
    assert_times("{'nodes':[{'id':1,$<a>,'hitCount':3},{'id':2,$<b>}],'startTime':0,"
                 "'endTime':1e300,'samples':[1,2,1],'timeDeltas':[0,1e300,10]}",
                 "a a.js:2:3 5\nb a.js:2:3 10\n", "bad-time 1");
    /* No time passes, or there is none: hit counts; without those, samples. */
    assert_ticks("{'nodes':[{'id':1,$<a>,'hitCount':3},{'id':2,$<b>}],'startTime':7,"
                 "'endTime':7,'samples':[1,2],'timeDeltas':[0,0]}",
                 "a a.js:2:3 3\n", "");
    assert_ticks("{'nodes':[{'id':1,$<a>,'hitCount':3},{'id':2,$<b>}],'samples':[1,2]}",
                 "a a.js:2:3 3\n", "");
    assert_ticks("{'samples':[2,1,2,3],'nodes':[{'id':1,$<a>},{'id':2,$<b>}]}",
                 "[unknown] 1\na a.js:2:3 1\nb a.js:2:3 2\n", "unknown-node 1");
    struct profile *profile =
        read_text("{'nodes':[{'id':1,$<a>,'hitCount':3},{'id':2,$<b>}],'startTime':1000,"
                  "'endTime':3500}");
    assert_int_equal(profile->duration_us, 2500);
    assert_false(profile->has_times);
    assert_int_equal(profile->interval_us, 0);
    profile_free(profile);
}

static void kinds_of_functions(void **state) {
    (void)state;
    const char *json = "{'nodes':[{'id':1,%<(root)>,'children':[2,3,4,5,6,7,8,9,10,11,12,13,"
                       "14]},{'id':2,%<writev>,'hitCount':1},{'id':3,%<RegExp: ^(?:a b)+:1:2$>,"
                       "'hitCount':2},{'id':4,%<>,'hitCount':4},{'id':5,%<js-to-wasm>,"
                       "'hitCount':8},{'id':6,%<(unresolved function)>,'hitCount':16},{'id':7,"
                       "%<(garbage collector)>,'hitCount':32},{'id':8,%<(idle)>,'hitCount':64},"
                       "{'id':9,$<(idle)>,'hitCount':128},{'id':10,$<(anonymous)>,"
                       "'hitCount':256},{'id':11,$<>,'hitCount':512},{'id':12,'hitCount':1024,"
                       "'callFrame':{'functionName':'','url':'','lineNumber':0,"
                       "'columnNumber':19}},{'id':13,'hitCount':2048,"
                       "'callFrame':{'functionName':'run','url':'wasm://wasm/0a','lineNumber':0,"
                       "'columnNumber':99}},{'id':14,'hitCount':4096,"
                       "'callFrame':{'functionName':'(program)','url':'','lineNumber':0,"
                       "'columnNumber':0}}]}";
    assert_ticks(json,
                 "(anonymous) 1028\n(anonymous) a.js:2:3 768\n(garbage collector) 32\n"
                 "(idle) 64\n(idle) a.js:2:3 128\n(program) 4096\n"
                 "(unresolved function) 16\nRegExp:^(?:a b)+:1:2$ 2\njs-to-wasm 8\n"
                 "run wasm://wasm/0a:1:100 2048\nwritev 1\n",
                 "");
    struct profile *profile = read_text(json);
    struct view view = {0};
    struct call_tree *tree = call_tree_build(profile, &view);
    assert_int_equal(tree->idle.whole, 64);
    assert_int_equal(tree->exclusive[FRAME_CPP].whole, 1 + 4 + 4096);
    assert_int_equal(tree->exclusive[FRAME_REGEXP].whole, 2);
    assert_int_equal(tree->exclusive[FRAME_WASM].whole, 8 + 2048);
    assert_int_equal(tree->exclusive[FRAME_UNACCOUNTED].whole, 16);
    assert_int_equal(tree->exclusive[FRAME_GC].whole, 32);
    assert_int_equal(tree->exclusive[FRAME_JAVASCRIPT].whole, 128 + 256 + 512 + 1024);
    call_tree_free(tree);
    profile_free(profile);
}

/* A collector that a tool put below a function stays there, and adds nothing to it. */
static void collector_below_a_function(void **state) {
    (void)state;
    const char *json = "{'nodes':[{'id':1,$<f>,'hitCount':3,'children':[2]},{'id':2,"
                       "%<(garbage collector)>,'hitCount':5}]}";
    assert_ticks(json, "f a.js:2:3 3\nf a.js:2:3;(garbage collector) 5\n", "");
    struct profile *profile = read_text(json);
    struct view view = {0};
    struct call_tree *tree = call_tree_build(profile, &view);
    support_assert_weights(tree, "f a.js:2:3", 3, 3);
    support_assert_weights(tree, "(garbage collector)", 5, 5);
    call_tree_free(tree);
    profile_free(profile);
}

/* A chain of `count` functions below the root; the last two have hits. */
static struct buffer chain(unsigned count) {
    struct buffer json = {0};
    buffer_append_text(&json, TEXT("{'nodes':[{'id':1,%<(root)>,'children':[2]}"));
    for (unsigned i = 0; i < count; i++)
        buffer_append_format(
            &json,
            ",{'id':%u,'callFrame':{'functionName':'f','url':'f.js','lineNumber':0,"
            "'columnNumber':0},'hitCount':%u,'children':[%u]}",
            i + 2, i + 2 < count ? 0 : i + 3 - count, i + 3);
    /* The last one names a child that is there and has nothing. */
    buffer_append_format(&json, ",{'id':%u,'callFrame':{}}]}", count + 2);
    buffer_append_byte(&json, '\0');
    struct buffer result = json_of(json.data);
    buffer_free(&json);
    return result;
}

/* 255 frames and the root are whole; with 256 V8 has cut the outer end. */
static void deep_stacks(void **state) {
    (void)state;
    struct buffer json = chain(256);
    struct profile *profile = read_profile(buffer_text(&json), 0, false);
    struct view view = {0};
    struct buffer folded = support_fold(profile, &view, NULL);
    const char *second = strchr(folded.data, '\n') + 1;
    unsigned frames[2] = {1, 1};
    for (const char *at = folded.data; *at; at++)
        frames[at >= second] += *at == ';';
    assert_memory_equal(folded.data, "[truncated];f f.js:1:1;", 23);
    assert_int_equal(frames[0], 257);
    assert_memory_equal(second, "f f.js:1:1;", 11);
    assert_int_equal(frames[1], 255);
    assert_memory_equal(folded.data + folded.size - 3, " 1\n", 3);
    assert_int_equal(profile->sampling.truncated, 2);
    buffer_free(&folded);
    profile_free(profile);
    buffer_free(&json);
}

/* The inner end of deeper stacks is kept: at least 512 frames, at most 1024. */
static void stacks_without_end(void **state) {
    (void)state;
    static const struct {
        unsigned count, deepest;
    } cases[] = {{1024, 1024}, {1025, 513}, {1536, 1024}, {1537, 513}, {5000, 904}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buffer json = chain(cases[i].count);
        struct profile *profile = read_profile(buffer_text(&json), 0, false);
        struct view view = {0};
        struct call_tree *tree = call_tree_build(profile, &view);
        uint32_t depth = 0;
        for (size_t k = 1; k < tree->node_count; k++)
            if (tree->nodes[k].self.whole == 2)
                depth = tree->nodes[k].depth;
        assert_int_equal(depth, cases[i].deepest + 1);
        support_assert_weights(tree, "[truncated]", 0, 3);
        call_tree_free(tree);
        profile_free(profile);
        buffer_free(&json);
    }
}

/* Time and memory stay linear: a square would take hours. */
static void very_deep_stacks(void **state) {
    (void)state;
    struct buffer json = chain(300000);
    struct profile *profile = read_profile(buffer_text(&json), 0, false);
    assert_int_equal(profile->total.whole, 3);
    assert_int_equal(profile->sampling.truncated, 3);
    assert_true(profile->stacks.size < 2000);
    profile_free(profile);
    buffer_free(&json);
}

/* A file that ends anywhere gives what stands in it, or an error that says where it ends. */
static void cut_files(void **state) {
    (void)state;
    struct buffer data = support_data("field-cases/fc11-negative-delta.cpuprofile");
    for (size_t size = 0; size < data.size; size++) {
        struct profile *profile = profile_new();
        struct error error = {0};
        if (feed(profile, (struct text){data.data, size}, 0, &error)) {
            assert_non_null(warnings_find(&profile->warnings, "json-cut"));
            assert_true(profile->total.whole == 4 || profile->total.whole == 5 ||
                        profile->unit == UNIT_MICROSECONDS);
        } else {
            char end[32];
            snprintf(end, sizeof end, "at byte %zu:", size);
            assert_non_null(strstr(error.text, end));
        }
        profile_free(profile);
    }
    buffer_free(&data);
    assert_ticks("{'nodes':[{'id':1,$<a>,'hitCount':3}],'samples':[1,1", "a a.js:2:3 3\n",
                 "json-cut 1");
    assert_times("{'nodes':[{'id':1,$<a>}],'startTime':0,'endTime':9000,'samples':[1,1,1],"
                 "'timeDeltas':[0,10,1",
                 "a a.js:2:3 20\n", "sample-without-time 1, json-cut 1");
    assert_ticks("{'nodes':[{'id':1,$<a>,'hitCount':3}]} x", "a a.js:2:3 3\n", "json-cut 1");
}

static void no_profiles(void **state) {
    (void)state;
    const char *message = "not a CPU profile of V8: expected a JSON object with 'nodes' or 'head'";
    static const char *const others[] = {"{}",         "[]",   "17",          "1.5",
                                         "'nodes'",    "null", "{'nodes':7}", "{'nodes':[1,2]}",
                                         "{'head':[]}"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_fails(others[i], message);
    assert_fails("", "the JSON ends early, at byte 0: expected a value");
    assert_fails("hello", "not JSON: byte 0: expected a value, found 'h'");
    assert_fails("{'nodes':[{'id':1},", "the JSON ends early, at byte 19: expected a value");
    /* Nothing was sampled: that is no damage. */
    struct profile *profile =
        read_text("{'nodes':[{'id':1,%<(root)>}],'samples':[],'timeDeltas':[]}");
    assert_true(profile_is_empty(profile));
    assert_int_equal(profile->warnings.size, 0);
    profile_free(profile);
}

static void long_names(void **state) {
    (void)state;
    struct buffer json = {0};
    buffer_append_text(&json, TEXT("{\"nodes\":[{\"id\":1,\"hitCount\":1,\"functionName\":\""));
    for (int i = 0; i < 1024 * 1024 + 1; i++)
        buffer_append_byte(&json, 'n');
    buffer_append_text(&json, TEXT("\",\"url\":\"x.js\",\"lineNumber\":7}]}"));
    struct profile *profile = read_profile(buffer_text(&json), 4096, false);
    assert_non_null(warnings_find(&profile->warnings, "name-too-long"));
    const struct frame *frame = frame_table_get(&profile->frames, (struct frame_id){1});
    assert_int_equal(profile_text(profile, frame->name).size, 1024 * 1024);
    assert_int_equal(frame->line, 7);
    profile_free(profile);
    buffer_free(&json);
}

static void probes(void **state) {
    (void)state;
    static const char *const own[] = {"{'nodes':[{'id':1,'callFrame'",
                                      "{'nodes':[{'hitCount':",
                                      " {\n 'head': {\n  'functionName':",
                                      "{'typeId':'CPU','head':{'id':1,'hitCount'",
                                      "{'samples':[2,",
                                      "{'startTime':1,'timeDeltas':",
                                      "{'nodes':[{'callFrame':{} x"};
    static const char *const others[] = {
        "",
        "{",
        "[]",
        "a;b 3\n",
        "v8-version,11,3,244,8",
        "{'samples':[2",
        "{'head':{'callFrame':{'functionName':'(root)'},'selfSize':0,'id':1",
        "{'samples':[{'size':1},2",
        "{'snapshot':{'meta':{'node_fields':['type']}},'nodes':[9,1,1,0,4,0,0]",
        "{'traceEvents':[{'args':{'samples':[1,2]}}]}",
        "[{'pid':1,'args':{'callFrame':1}}]",
        "{'shared':{'frames':[]},'profiles':[{'samples':[[1,2]]}]}",
        "{'nodes':[{'id':1}],\n'samples': 5\n}"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        assert_int_equal(probe(own[i]), PROBE_CERTAIN);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(probe(others[i]), PROBE_NO);
    /* Whatever else it is called, a parser may be closed before anything was fed. */
    struct profile *profile = profile_new();
    cpuprofile_reader.close(cpuprofile_reader.open(profile, NULL));
    profile_free(profile);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(field_cases),
        cmocka_unit_test(times_are_kept),
        cmocka_unit_test(pseudo_functions),
        cmocka_unit_test(cycles),
        cmocka_unit_test(order_is_free),
        cmocka_unit_test(what_is_not_known),
        cmocka_unit_test(odd_times),
        cmocka_unit_test(kinds_of_functions),
        cmocka_unit_test(collector_below_a_function),
        cmocka_unit_test(deep_stacks),
        cmocka_unit_test(stacks_without_end),
        cmocka_unit_test(very_deep_stacks),
        cmocka_unit_test(cut_files),
        cmocka_unit_test(no_profiles),
        cmocka_unit_test(long_names),
        cmocka_unit_test(probes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
