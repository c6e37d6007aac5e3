// SPDX-License-Identifier: MIT
#include "profiler/command/live_verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "fold/base/memory.h"
#include "fold/base/utf8.h"
#include "fold/tally/blocking.h"
#include "fold/tally/call_tree.h"
#include "fold/tally/culprit.h"
#include "fold/tally/thread_roles.h"
#include "profiler/live/counters.h"
#include "profiler/report/verdict.h"

#define SECOND 1000000000u

enum {
    /* The line costs at most this part of the time: the next one waits as often as long. */
    COST_SHARE = 50,
    DEFAULT_COLUMNS = 80,
};

struct live_verdict live_verdict_start(uint64_t now, bool quiet) {
    const char *terminal = getenv("TERM");
    return (struct live_verdict){
        .wanted = !quiet && isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0,
        .next = now + 2 * (uint64_t)SECOND,
    };
}

static size_t terminal_columns(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                                                                           : DEFAULT_COLUMNS;
}

/* Appends " NAME FILE:LINE" of a function, the file without its folders. */
static void append_function(struct buffer *line, const struct report *report, uint32_t row) {
    const struct function *function = &report->tree->functions[row];
    buffer_append_byte(line, ' ');
    function_append_visible_name(line, report, function);
    struct text file = text_basename(profile_text(report->profile, function->file));
    if (file.size == 0)
        return;
    buffer_append_byte(line, ' ');
    utf8_append_visible(line, file);
    buffer_append_format(line, ":%u", function->line);
}

/* Appends the culprit in a few words. */
static void append_culprit(struct buffer *line, const struct report *report) {
    const struct call_tree *tree = report->tree;
    const struct blocking *blocking = report->blocking;
    struct culprit culprit = culprit_find(tree, blocking);
    if (culprit.kind == CULPRIT_BLOCKING || culprit.kind == CULPRIT_HEAVY) {
        bool blocks = culprit.kind == CULPRIT_BLOCKING;
        const struct blocking_call *call = blocks ? &blocking->calls[0] : &blocking->heavy[0];
        buffer_append_format(line, "`%s` %s: ", call->name,
                             blocks ? "blocks the event loop" : "computes long");
        share_append(line, weight_share(call->total, tree->javascript_threads), 0);
        if (call->caller_count && call->callers[0].function) {
            buffer_append_text(line, TEXT(", from"));
            append_function(line, report, call->callers[0].function);
        }
    } else if (report->function_count) {
        bool named = culprit.kind == CULPRIT_FUNCTION;
        uint32_t hottest = named ? culprit.function : report->functions[0];
        struct weight self = named ? culprit.weight : tree->functions[hottest].self;
        buffer_append_text(line, TEXT("hottest:"));
        append_function(line, report, hottest);
        buffer_append_text(line, TEXT(", "));
        share_append(line, weight_share(self, named ? culprit.base : tree->busy), 0);
    }
}

/* Appends the verdict of what there is so far. Roles are found anew each time: they get surer. */
static void append_verdict(struct buffer *line, struct profile *profile) {
    size_t size = size_multiply(profile->thread_count, sizeof *profile->threads);
    struct profile_thread *threads = memory_allocate(size);
    memcpy(threads, profile->threads, size);
    thread_roles_decide(profile);
    struct call_tree *tree = call_tree_build(profile, &(struct view){0});
    struct blocking *blocking = blocking_find(tree);
    struct report_input input = {.path = "", .format = profile->format, .samples = profile->total};
    struct report *report = report_make(profile, tree, blocking, &input, 1, &profile->warnings);
    append_culprit(line, report);
    report_free(report);
    blocking_free(blocking);
    call_tree_free(tree);
    memcpy(profile->threads, threads, size);
    free(threads);
}

void live_verdict_update(struct live_verdict *verdict, struct profile *profile, uint64_t elapsed,
                         uint64_t now) {
    if (!verdict->wanted || now < verdict->next)
        return;
    struct buffer line = {0};
    buffer_append_format(&line, "%llu s: ", (unsigned long long)(elapsed / SECOND));
    if (profile_is_empty(profile))
        buffer_append_text(&line, TEXT("no samples yet: nothing runs on a CPU"));
    else
        append_verdict(&line, profile);
    struct text shown = utf8_cut_columns(buffer_text(&line), terminal_columns() - 1);
    fprintf(stderr, "\r\033[K%.*s", (int)shown.size, shown.data);
    fflush(stderr);
    buffer_free(&line);
    verdict->shown = true;
    uint64_t cost = counters_clock() - now;
    uint64_t pause = cost * COST_SHARE;
    verdict->next = now + (pause > SECOND ? pause : SECOND);
}

void live_verdict_end(struct live_verdict *verdict) {
    if (verdict->shown)
        fputs("\r\033[K", stderr);
    verdict->shown = false;
}
