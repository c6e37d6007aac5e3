// SPDX-License-Identifier: MIT
#include "profiler/trace/reference_ticks.h"

#include <math.h>

struct reference_options reference_options_default(void) {
    return (struct reference_options){.range_start = -INFINITY,
                                      .range_end = INFINITY,
                                      .call_graph_size = 5,
                                      .separate_ic = true,
                                      .separate_builtins = true,
                                      .separate_stubs = true,
                                      .log_name = "v8.log"};
}

static bool is_included(const struct reference_ticks *ticks,
                        const struct reference_options *options, double state) {
    if (options->drops_state)
        return state != options->dropped_state;
    if (options->filters_state)
        return state == options->state;
    if (options->runtime_timer)
        return ticks->has_runtime_timer &&
               text_equal(buffer_text(&ticks->runtime_timer), text_of(options->runtime_timer));
    return true;
}

bool reference_ticks_take(struct reference_ticks *ticks, const struct reference_options *options,
                          struct v8log_tick *tick) {
    ticks->distortion += options->distortion;
    tick->time -= ticks->distortion;
    if (tick->time < options->range_start || tick->time > options->range_end)
        return false;
    ticks->total++;
    if (tick->state == 1)
        ticks->gc++;
    if (is_included(ticks, options, tick->state))
        return true;
    ticks->excluded++;
    return false;
}

void reference_ticks_event(struct reference_ticks *ticks, const struct reference_options *options,
                           enum v8log_event event, struct text name, struct output *output) {
    switch (event) {
    case V8LOG_TIMER_EVENT:
        ticks->distortion += options->distortion;
        break;
    case V8LOG_RUNTIME_TIMER:
        buffer_clear(&ticks->runtime_timer);
        buffer_append_text(&ticks->runtime_timer, name);
        ticks->has_runtime_timer = true;
        break;
    case V8LOG_HEAP_SAMPLE_BEGIN:
        ticks->heap_sample_open = ticks->heap_sample_open || text_equal(name, TEXT("Heap"));
        break;
    case V8LOG_HEAP_SAMPLE_END:
        if (!text_equal(name, TEXT("Heap")) || !ticks->heap_sample_open)
            break;
        ticks->heap_sample_open = false;
        output_format(output, "Generation %u:\n", ++ticks->heap_samples);
        break;
    }
}

void reference_ticks_free(struct reference_ticks *ticks) {
    buffer_free(&ticks->runtime_timer);
}
