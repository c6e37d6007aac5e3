// SPDX-License-Identifier: MIT
// Fuzz target: the tick processor. The first byte chooses the rules (tolerant, or those of a Node
// version) and the time range, the second one text or JSON and other options. The rest is the log,
// which must give the same output whole and in pieces.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "profiler/trace/reference_process.h"

static const struct v8log_rules *choose_rules(uint8_t choice) {
    unsigned node = 12 + 2 * (unsigned)(choice % 9);
    const struct v8log_rules *rules = v8log_rules_of_node(node);
    return rules ? rules : &v8log_tolerant_rules;
}

static struct reference_options choose_options(uint8_t choice) {
    static const double sizes[] = {5, 0, 1, 20, 1e9, NAN};
    struct reference_options options = reference_options_default();
    options.call_graph_size = sizes[choice % 6];
    options.filters_state = choice % 7 == 1;
    options.state = choice % 3;
    options.ignore_unknown = choice % 5 == 1;
    options.separate_ic = choice % 3 != 1;
    options.separate_bytecodes = choice % 3 == 2;
    options.separate_builtins = choice % 4 != 1;
    options.only_summary = choice % 11 == 1;
    options.runtime_timer = choice % 13 == 1 ? "x" : NULL;
    options.distortion = choice % 17 == 1 ? 0.5 : 0;
    options.range_start = choice % 19 == 1 ? 1000 : -INFINITY;
    return options;
}

static void process(struct text log, const uint8_t choices[2], bool in_pieces,
                    struct buffer *printed) {
    struct warnings warnings = {0};
    struct error error = {0};
    struct reference_options options = choose_options(choices[1]);
    struct output *output = output_open_buffer(printed);
    bool preprocess = choices[1] & 0x80;
    struct reference_process *process =
        reference_process_new(choose_rules(choices[0]), &options, preprocess,
                              (struct reference_symbol_sources){0}, output, &warnings);
    static const enum v8log_timed_range ranges[] = {V8LOG_ALL_LINES, V8LOG_ALL_LINES,
                                                    V8LOG_TIMED_RANGE, V8LOG_PAIRWISE_TIMED_RANGE};
    reference_process_hold_lines(process, ranges[choices[0] >> 6]);
    while (log.size > 0) {
        size_t size = in_pieces ? (size_t)1 + (unsigned char)*log.data % 32 : log.size;
        if (size > log.size)
            size = log.size;
        reference_process_feed(process, (struct text){log.data, size});
        log = text_skip(log, size);
    }
    reference_process_finish(process);
    reference_process_write(process);
    reference_process_free(process);
    if (!output_close(output, &error))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2)
        return 0;
    struct text log = {(const char *)data + 2, size - 2};
    struct buffer whole = {0}, pieces = {0};
    process(log, data, false, &whole);
    process(log, data, true, &pieces);
    if (!text_equal(buffer_text(&whole), buffer_text(&pieces)))
        abort();
    buffer_free(&whole);
    buffer_free(&pieces);
    return 0;
}
