// SPDX-License-Identifier: MIT
#include "svg_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fold/base/utf8.h"

/* A file of tests/data/field-cases. */
static struct buffer field_case(const char *name) {
    char path[4096];
    const char *root = getenv("TICKFLAME_SOURCE");
    snprintf(path, sizeof path, "%s/tests/data/field-cases/%s", root != NULL ? root : ".", name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("no %s", path);
    struct buffer buffer = {0};
    char block[4096];
    size_t size;
    while ((size = fread(block, 1, sizeof block, file)) > 0)
        buffer_append(&buffer, block, size);
    fclose(file);
    return buffer;
}

static struct buffer draw_case(const char *name, const struct flame_options *options) {
    struct buffer folded = field_case(name);
    struct buffer svg = support_draw(buffer_text(&folded), UNIT_SAMPLES, options);
    buffer_free(&folded);
    return svg;
}

static void assert_has(const struct buffer *svg, const char *part) {
    if (strstr(svg->data, part) == NULL)
        fail_msg("not in the picture: %s", part);
}

static void assert_has_not(const struct buffer *svg, const char *part) {
    if (strstr(svg->data, part) != NULL)
        fail_msg("in the picture: %s", part);
}

static size_t count_of(const struct buffer *svg, const char *part) {
    size_t count = 0;
    for (const char *at = svg->data; (at = strstr(at, part)) != NULL; at++)
        count++;
    return count;
}

static const char *after(const char *at, const char *part) {
    const char *found = strstr(at, part);
    if (found == NULL)
        fail_msg("not closed: %.60s", at);
    return found + strlen(part);
}

static void check_reference(const char *at) {
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(at, known[i], strlen(known[i])) == 0)
            return;
    fail_msg("a bare &: %.40s", at);
}

/* The tag at `at`, up to behind its `>`: quoted attributes without `<`, known references. */
static const char *check_tag(const char *at) {
    char quote = '\0';
    for (at++; quote != '\0' || *at != '>'; at++) {
        assert_int_not_equal(*at, '\0');
        assert_int_not_equal(*at, '<');
        if (*at == '&')
            check_reference(at);
        if (quote != '\0' && *at == quote)
            quote = '\0';
        else if (quote == '\0' && (*at == '"' || *at == '\''))
            quote = *at;
    }
    return at + 1;
}

/* Strict about all that this program can write: elements nest, characters are allowed in XML. */
static void check_xml(const struct buffer *svg) {
    assert_true(utf8_valid(buffer_text(svg)));
    assert_int_equal(strlen(svg->data), svg->size);
    for (size_t i = 0; i < svg->size; i++)
        assert_true((unsigned char)svg->data[i] >= 0x20 || svg->data[i] == '\n');
    assert_has_not(svg, "\xEF\xBF\xBE");
    assert_has_not(svg, "\xEF\xBF\xBF");
    struct text open[64];
    size_t depth = 0;
    const char *at = after(svg->data, "?>");
    while (*at != '\0') {
        if (strncmp(at, "<![CDATA[", 9) == 0) {
            at = after(at, "]]>");
        } else if (strncmp(at, "<!--", 4) == 0) {
            const char *end = after(at + 4, "--");
            assert_int_equal(*end, '>');
            at = end + 1;
        } else if (strncmp(at, "</", 2) == 0) {
            if (depth == 0) {
                fail_msg("closed, but not open: %.40s", at);
                return;
            }
            struct text name = open[--depth];
            assert_memory_equal(at + 2, name.data, name.size);
            assert_int_equal(at[2 + name.size], '>');
            at += 3 + name.size;
        } else if (*at == '<') {
            struct text name = {at + 1, strcspn(at + 1, " />\n")};
            assert_true(name.size > 0 && depth < 64);
            at = check_tag(at);
            if (at[-2] != '/')
                open[depth++] = name;
        } else {
            if (*at == '&')
                check_reference(at);
            assert_true(depth > 0 || *at == '\n');
            if (strncmp(at, "]]>", 3) == 0)
                fail_msg("]]> in text");
            at++;
        }
    }
    assert_int_equal(depth, 0);
}

static void blocking_calls_stand_out(void **state) {
    (void)state;
    struct flame_options options = flame_options_default();
    options.static_only = true;
    options.width = 1600;
    struct buffer svg = draw_case("fc27-sync.folded", &options);
    check_xml(&svg);
    assert_has(&svg, "readFileSync holds the event loop for 30.0 % of busy time, called by handle "
                     "/srv/app/s.js:3.");
    assert_has(&svg, "compareSync 25.0 %, pbkdf2Sync 10.0 %; all of them together 65.0 %. At");
    assert_has(&svg, "At start-up, not counted: 5.0 %.");
    assert_has(&svg, "<title>readFileSync (30 samples, 30.00%)\nat node:fs:440:21\n◆ blocks the "
                     "event loop");
    assert_has(&svg,
               "<title>readFileSync (5 samples, 5.00%)\nat node:fs:440:21\n◆ synchronous call "
               "at start-up");
    assert_has(&svg, "<title>all (100 samples, 100%)</title>");
    /* Three calls with hatch and mark in the graph, three in the strip, one in the legend. */
    assert_int_equal(count_of(&svg, " sync\""), 7);
    assert_int_equal(count_of(&svg, "class=\"hatch\""), 7);
    assert_int_equal(count_of(&svg, ">◆ readFileSync<"), 1);
    assert_int_equal(count_of(&svg, " startup\""), 1);
    assert_has_not(&svg, "<script");
    assert_has_not(&svg, "Few samples");
    buffer_free(&svg);
}

static void hostile_names_do_nothing(void **state) {
    (void)state;
    for (int choice = 0; choice < 24; choice++) {
        struct flame_options options = flame_options_default();
        options.static_only = choice & 1;
        options.upright = choice & 2;
        options.width = choice & 4 ? FLAME_WIDTH_LEAST : 0;
        options.colors = choice / 8;
        options.title = "<script>\x1b \xff</script>";
        options.subtitle = "a & b\n]]>";
        options.notes = "--><script>alert(1)</script>--";
        options.count_name = "<i>";
        options.search = "<script>|\"";
        struct buffer svg = draw_case("fc15-hostile-names.folded", &options);
        check_xml(&svg);
        assert_int_equal(count_of(&svg, "<script"), choice & 1 ? 0 : 1);
        assert_has(&svg, "<title>&lt;script&gt;alert(1)&lt;/script&gt; (10 &lt;i&gt;, 13.33%)");
        assert_has(&svg, "esc\\x1b[31mred (6 ");
        assert_has(&svg, "nul\\x00byte (5 ");
        assert_has(&svg, "bad\\xffutf8 (3 ");
        assert_has(&svg, "\\u{202e}");
        assert_has(&svg, "\\u{fffe}\\u{ffff}");
        buffer_free(&svg);
    }
}

static void few_samples_are_said_to_be_few(void **state) {
    (void)state;
    struct flame_options options = flame_options_default();
    struct buffer svg = draw_case("fc17c-few-samples.folded", &options);
    check_xml(&svg);
    assert_has(&svg, "class=\"hint\"");
    assert_has(&svg, "Few samples: only 5 samples");
    assert_has(&svg, "<title>all (5 samples, 100%)</title>");
    buffer_free(&svg);

    svg = support_draw(TEXT("a 2\nb 3\n"), UNIT_MICROSECONDS, &options);
    assert_has_not(&svg, "Few samples");
    buffer_free(&svg);
}

static void a_search_counts_each_sample_once(void **state) {
    (void)state;
    struct flame_options options = flame_options_default();
    options.search = "fib";
    struct buffer svg = draw_case("fc19-recursion.folded", &options);
    check_xml(&svg);
    assert_has(&svg, ">matched: 64.29%</text>");
    assert_int_equal(count_of(&svg, " match\">"), 3);
    buffer_free(&svg);
}

static void weights_stay_exact(void **state) {
    (void)state;
    struct flame_options options = flame_options_default();
    struct buffer svg = draw_case("fc16b-huge-counts.folded", &options);
    check_xml(&svg);
    assert_has(&svg, "<title>all (4,620,693,217,682,128,898 samples, 100%)</title>");
    assert_has(&svg, "<title>a (9,007,199,254,740,994 samples, 0.19%)");
    assert_has(&svg, "fg:w=\"9007199254740994\"");
    buffer_free(&svg);

    svg = draw_case("fc16a-line-oddities.folded", &options);
    check_xml(&svg);
    assert_has(&svg, "<title>all (18.5 samples, 100%)</title>");
    assert_has(&svg, "<title>d (1.5 samples, 8.11%)");
    assert_has_not(&svg, "<title>zero");
    buffer_free(&svg);
}

static void what_is_not_drawn_is_said(void **state) {
    (void)state;
    struct buffer folded = {0};
    buffer_append_format(&folded, "main;big 100000\n");
    for (int i = 0; i < 3000; i++)
        buffer_append_format(&folded, "main;f%d;g 20\n", i);
    struct flame_options options = flame_options_default();
    struct buffer svg = support_draw(buffer_text(&folded), UNIT_TICKS, &options);
    check_xml(&svg);
    assert_true(count_of(&svg, "<title>") < 10);
    assert_has(&svg, "6000 frames are not drawn one by one, because they are narrow (at most 0.15 "
                     "px); they weigh 60,000 ticks (37.50 %).");
    assert_has(&svg, "<title>6000 smaller frames (60,000 ticks, 37.50%)</title>");
    buffer_free(&svg);

    options.min_width = 0;
    svg = support_draw(buffer_text(&folded), UNIT_TICKS, &options);
    assert_has(&svg, "Every frame is drawn.");
    assert_int_equal(count_of(&svg, "<title>"), 6003);
    buffer_free(&svg);
    buffer_free(&folded);
}

static void colours_follow_the_kind_or_the_package(void **state) {
    (void)state;
    struct text folded = TEXT("main /srv/app/a.js:1:1;use /srv/app/node_modules/left/i.js:1:1 5\n"
                              "main /srv/app/a.js:1:1;use /srv/app/node_modules/right/i.js:1:1 9\n"
                              "main /srv/app/a.js:1:1;emit node:events:1:1 2\n"
                              "main /srv/app/a.js:1:1;read_[k] 2\n"
                              "main /srv/app/a.js:1:1;(garbage collector) 2\n");
    struct flame_options options = flame_options_default();
    struct buffer svg = support_draw(folded, UNIT_TICKS, &options);
    assert_has(&svg, "<g class=\"app\"><title>main (");
    assert_int_equal(count_of(&svg, "<g class=\"dep\"><title>use ("), 2);
    assert_has(&svg, "<g class=\"core\"><title>emit (");
    assert_has(&svg, "<g class=\"krn\"><title>read (");
    assert_has(&svg, "<g class=\"gc\"><title>(garbage collector) (");
    buffer_free(&svg);
    options.colors = FLAME_COLORS_PACKAGE;
    svg = support_draw(folded, UNIT_TICKS, &options);
    assert_has(&svg, "<g class=\"h0\"><title>use (9 ticks");
    assert_has(&svg, "<g class=\"h1\"><title>use (5 ticks");
    assert_has(&svg, ">right 45.0 %</text>");
    buffer_free(&svg);
}

static void endless_names_are_cut(void **state) {
    (void)state;
    struct buffer folded = {0};
    for (int i = 0; i < 100; i++) {
        buffer_append_format(&folded, "f%d", i);
        for (int k = 0; k < 20000; k++)
            buffer_append_text(&folded, TEXT("名"));
        buffer_append_text(&folded, TEXT(" 7\n"));
    }
    struct flame_options options = flame_options_default();
    options.static_only = true;
    struct buffer svg = support_draw(buffer_text(&folded), UNIT_TICKS, &options);
    check_xml(&svg);
    assert_has(&svg, "名… (7 ticks, 1.00%)");
    assert_has_not(&svg, "\\xe5");
    assert_true(svg.size < 200000);
    buffer_free(&svg);
    buffer_free(&folded);
}

static void the_same_input_gives_the_same_bytes(void **state) {
    (void)state;
    struct flame_options options = flame_options_default();
    struct buffer one = draw_case("fc27-sync.folded", &options);
    struct buffer two = draw_case("fc27-sync.folded", &options);
    assert_true(text_equal(buffer_text(&one), buffer_text(&two)));
    buffer_free(&one);
    buffer_free(&two);
}

static void refusals(void **state) {
    (void)state;
    struct support support = support_read(TEXT("a 0\nb 1\n"), UNIT_SAMPLES);
    struct flame_options options = flame_options_default();
    struct buffer svg = {0};
    struct error error = {0};
    struct output *output = output_open_buffer(&svg);
    options.search = "a(";
    assert_false(svg_flame_write(output, support.tree, support.blocking, &options, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    options.search = NULL;
    options.width = 10;
    assert_false(svg_flame_write(output, support.tree, support.blocking, &options, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    options.width = 0;
    support_free(&support);

    support = support_read(TEXT("(idle) 5\n"), UNIT_SAMPLES);
    assert_false(svg_flame_write(output, support.tree, support.blocking, &options, &error));
    assert_int_equal(error.kind, ERROR_INPUT);
    assert_true(output_close(output, &error));
    assert_int_equal(svg.size, 0);
    support_free(&support);
    buffer_free(&svg);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocking_calls_stand_out),
        cmocka_unit_test(hostile_names_do_nothing),
        cmocka_unit_test(few_samples_are_said_to_be_few),
        cmocka_unit_test(a_search_counts_each_sample_once),
        cmocka_unit_test(weights_stay_exact),
        cmocka_unit_test(what_is_not_drawn_is_said),
        cmocka_unit_test(colours_follow_the_kind_or_the_package),
        cmocka_unit_test(endless_names_are_cut),
        cmocka_unit_test(the_same_input_gives_the_same_bytes),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
