// SPDX-License-Identifier: MIT
#include "profiler/command/help_format.h"

#include "profiler/command/help_text.h"

enum { ROW_COLUMN = 22 };

enum block_kind { BLOCK_END, BLOCK_TITLE, BLOCK_TEXT, BLOCK_ROW, BLOCK_EXAMPLE };

struct block {
    enum block_kind kind;
    const char *left; /* of a row */
    const char *text;
};

#define TITLE(text)                                                                                \
    { BLOCK_TITLE, NULL, text }
#define PARAGRAPH(text)                                                                            \
    { BLOCK_TEXT, NULL, text }
#define ROW(left, text)                                                                            \
    { BLOCK_ROW, left, text }

static const struct block page[] = {
    TITLE("The file"),
    PARAGRAPH(
        "A recording (.tickflame.gz) is lines of text in UTF-8, compressed with gzip: "
        "`zcat FILE | less` shows it. It is a chain of gzip members. Each of them is complete by "
        "itself, holds whole lines, and is written at once, every second or more often. So "
        "whatever ends the recorder, all lines of the members before stand. A recording that has "
        "no end record was cut short; its last line counts only when a newline ends it."),
    PARAGRAPH("The first line is `tickflame-recording`, a tab and the version of the format, 1. "
              "The version becomes another one only when programs that know the old one could no "
              "longer understand the file."),
    TITLE("Lines"),
    PARAGRAPH(
        "A line is a record: fields with a tab between, of which the first says what it is. "
        "Records that a program does not know are to be skipped, and so are fields behind those "
        "that it knows and words that it does not know. Fields that are empty, or left out at the "
        "end of a line, are 0, no string, or the first word of their list, unless something else "
        "is said below."),
    PARAGRAPH("Numbers are decimal and have at most 64 bits; a weight may have a fraction with up "
              "to 18 digits. Times are microseconds since the recording began. In a text, a tab "
              "is \\t, a newline \\n, a carriage return \\r and a backslash \\\\; other control "
              "characters, marks that change the direction of text, and whatever is not UTF-8 "
              "are \\xHH for each byte. YES and NO stand as the words yes and no."),
    PARAGRAPH("Strings, frames and stacks have no number in their lines: the first one is 1, the "
              "next one 2. 0 is no string, no frame, the empty stack. A line only refers to rows "
              "of lines above it. Threads, events, libraries and counters have their number, from "
              "0, in their line; a number that was there before changes that row."),
    TITLE("Records of the tables"),
    ROW("string", "TEXT. A name, a path, whatever else is text."),
    ROW("frame",
        "NAME KIND TIER FILE LINE COLUMN MODULE INLINED. NAME, FILE (of the script) and MODULE "
        "(path of the library) are strings. KIND: unknown, javascript, builtin, regexp, wasm, "
        "bytecode, cpp, addon, library, kernel, gc, compiler, waiting, unaccounted. TIER of V8: "
        "none, "
        "interpreted, baseline, maglev, optimised, other. LINE and COLUMN are those of the "
        "function's definition, from 1. INLINED: expanded into the code of its caller."),
    ROW("stack",
        "PARENT FRAME... Puts frames on top of the stack PARENT, from the outer to the inner one. "
        "Each FRAME makes a stack with a number of its own."),
    ROW("thread",
        "NUMBER ID PROCESS ROLE NAME FLAG... ID and PROCESS are the system's numbers, NAME a "
        "string. ROLE: main, worker, v8, libuv, other. Flags: runs-javascript, unless it is known "
        "that it never does; role-by-stacks when both are only a guess until the stacks tell."),
    ROW("event",
        "NUMBER NAME UNIT SAMPLES. What makes samples, such as cpu-clock. UNIT of their weights: "
        "samples, ticks, microseconds, nanoseconds, bytes, count. SAMPLES taken so far, those "
        "that were not kept too."),
    ROW("library", "NUMBER PATH SYMBOLS COMPLAINT. A file with code: how many symbols are known "
                   "of it, and a string that says why there are none."),
    ROW("counter", "NUMBER NAME UNIT PROCESS LIMIT. A quantity that is read beside the samples, "
                   "such as rss. LIMIT: what it must not exceed; 0 when none is known."),
    TITLE("Records of what happened"),
    ROW("sample",
        "THREAD STACK TIME WEIGHT COUNT STATE ACTIVITY EVENT. Left empty or left out means: THREAD "
        "as in the sample before; all others as in the line of this thread's sample before. TIME "
        "is told from this thread's sample before, and may have a minus. For the first sample of "
        "a thread, before is STACK 0, TIME 0, WEIGHT 1, COUNT 1 and the first words; the first "
        "THREAD is 0. WEIGHT is in the unit of the event, or of the recording when there are no "
        "events. COUNT: how many samples it stands for, 0 when that is not known. STATE of V8: "
        "unknown, javascript, gc, parser, bytecode-compiler, compiler, other, external, "
        "atomics-wait, idle, logging. ACTIVITY: busy, or idle for a thread that waits for work."),
    ROW("reading", "COUNTER TIME VALUE. What a counter was at a time."),
    ROW("turn", "PROCESS START END ERROR STARTUP. A stretch of time in which the event loop of a "
                "process did not come back to its poll, 10 ms or longer. ERROR: how far off its "
                "length can be, in microseconds. STARTUP: the program was being loaded. A process "
                "whose loop was looked at has the counter `event loop idle`."),
    ROW("unaccounted",
        "REASON WEIGHT. The weight so far of samples at addresses without a name. REASON: outside "
        "of all code that is known, code-gone (deleted or replaced), no-address."),
    ROW("warning", "KIND COUNT TEXT. Something to know about the recording: how often so far, and "
                   "a sentence about the first time."),
    ROW("end", "SAMPLES REASON. The last line: the number of samples. REASON: complete, size-limit "
               "(there was no room for more), write-failed (what came last could not be written)."),
    ROW("meta", "KEY VALUE. Describes the recording; a later line of the same KEY replaces an "
                "older one."),
    TITLE("Keys of meta"),
    ROW("unit", "Unit of the weights, as for events."),
    ROW("node, v8", "Versions."),
    ROW("command", "The command line of what was recorded."),
    ROW("route", "How samples were taken: perf_event, ptrace (the process stopped for each), "
                 "cpu-prof or inspector (V8's own profiler)."),
    ROW("detail", "A sentence about that."),
    ROW("asked-hz", "Samples a second that were asked for."),
    ROW("interval-us", "Microseconds between two samples of a running thread."),
    ROW("duration-us", "Microseconds that were recorded. Unknown: from the first to the last "
                       "sample."),
    ROW("times", "yes: samples have their times."),
    ROW("stack-limit", "Frames that a stack can have at most."),
    ROW("native-stacks", "yes: stacks go from main() to the kernel."),
    ROW("isolate-only", "yes: only the thread of one isolate was sampled."),
    ROW("waiting-is-missing", "yes: sampled by CPU time, so that waiting is not in it."),
    ROW("kernel-hidden", "yes: frames in the kernel could not be recorded."),
    ROW("lost", "Samples that the kernel had no room for."),
    ROW("throttled", "How often the kernel lowered the rate."),
    ROW("truncated", "Samples whose stack reached the limit of depth."),
    ROW("cut", "Samples whose stack ends where no caller can be told."),
    ROW("call-graph", "How stacks were walked: fp (by frame pointers), dwarf (by copies of the "
                      "stack), auto (both)."),
    ROW("repaired", "Samples whose stack frame pointers alone would have lost callers of."),
    ROW("waits", "yes: what threads waited for is in it, measured from switch to switch. The "
                 "innermost frame of such a sample is `(waiting)` of kind waiting, or `(idle)` "
                 "when its ACTIVITY is idle; its WEIGHT is how long it waited, its TIME the end."),
    ROW("waits-guessed", "yes: the stack of a wait is that of the last sample before it."),
    ROW("names", "Where the names of JavaScript functions come from: heap (V8's, read while it "
                 "ran), map (a perf map), none."),
    ROW("names-compared, names-different", "Frames whose name from the heap was compared with the "
                                           "perf map's, and how many were another."),
    ROW("cpu-us, cpu-samples", "Microseconds of CPU time that the processes used while they were "
                               "sampled, and the samples of that time."),
    TITLE("An example"),
    {BLOCK_EXAMPLE, NULL, NULL},
    {BLOCK_END, NULL, NULL},
};

/* tests/unit/recording_write_test.c writes it. */
const char *const help_format_example[] = {
    "tickflame-recording\t1",
    "meta\tunit\tnanoseconds",
    "meta\tnode\tv24.11.1",
    "meta\tcommand\tnode server.js",
    "meta\troute\tperf_event",
    "meta\tasked-hz\t99",
    "meta\tinterval-us\t10101",
    "meta\ttimes\tyes",
    "meta\tnative-stacks\tyes",
    "meta\twaiting-is-missing\tyes",
    "string\tv24.11.1",
    "string\tnode server.js",
    "string\tcpu-clock",
    "string\tnode",
    "string\trss",
    "string\t/srv/server.js",
    "string\thandle",
    "string\tparse",
    "string\t/usr/bin/node",
    "frame\t7\tjavascript\tinterpreted\t6\t12\t21",
    "frame\t8\tjavascript\toptimised\t6\t4\t15\t\tyes",
    "stack\t0\t1\t2",
    "thread\t0\t4711\t4711\tmain\t4\truns-javascript",
    "event\t0\t3\tnanoseconds\t3",
    "library\t0\t9\t80212",
    "counter\t0\t5\tbytes\t4711",
    "sample\t\t1\t10230\t10101010",
    "reading\t0\t11000\t52428800",
    "sample\t\t2\t10101",
    "sample",
    "meta\tlost\t1",
    "string\tuv_fs_read",
    "string\tvfs_read",
    "string\tlibuv-worker",
    "frame\t10\tcpp\t\t\t\t\t9",
    "frame\t11\tkernel",
    "stack\t1\t3\t4",
    "thread\t1\t4712\t4711\tlibuv\t12",
    "event\t0\t3\tnanoseconds\t7",
    "sample\t\t4\t10230",
    "sample\t1\t4\t40862\t10101010",
    "sample\t\t\t10101\t20202020\t2\tgc",
    "reading\t0\t1011000\t54525952",
    "warning\tlost-samples\t1\tthe kernel had no room for 1 sample",
    "end\t6\tcomplete",
    NULL,
};

void help_write_format(struct output *output) {
    output_string(output, "The format of recordings\n");
    for (const struct block *block = page; block->kind != BLOCK_END; block++) {
        switch (block->kind) {
        case BLOCK_TITLE:
            output_format(output, "\n%s\n", block->text);
            break;
        case BLOCK_TEXT:
            output_string(output, "  ");
            help_write_wrapped(output, block->text, 2, 2);
            break;
        case BLOCK_ROW:
            help_write_row(output, text_of(block->left), ROW_COLUMN, block->text);
            break;
        case BLOCK_EXAMPLE:
            for (const char *const *line = help_format_example; *line; line++)
                output_format(output, "%s\n", *line);
            break;
        case BLOCK_END:
            break;
        }
    }
}

void help_write_format_man(struct output *output) {
    output_string(output, ".TH TICKFLAME-FORMAT 5 \"\" \"tickflame " TICKFLAME_VERSION
                          "\" \"File Formats\"\n"
                          ".SH NAME\n"
                          "tickflame\\-format \\- recordings of tickflame\n");
    for (const struct block *block = page; block->kind != BLOCK_END; block++) {
        switch (block->kind) {
        case BLOCK_TITLE:
            output_format(output, ".SH %s\n", block->text);
            break;
        case BLOCK_TEXT:
            output_string(output, ".PP\n");
            help_write_man_text(output, text_of(block->text));
            output_byte(output, '\n');
            break;
        case BLOCK_ROW:
            help_write_man_row(output, text_of(block->left), block->text);
            break;
        case BLOCK_EXAMPLE:
            output_string(output, ".nf\n.ta 14n 22n 30n 38n 46n 54n 62n 70n\n");
            for (const char *const *line = help_format_example; *line; line++) {
                help_write_man_text(output, text_of(*line));
                output_byte(output, '\n');
            }
            output_string(output, ".fi\n");
            break;
        case BLOCK_END:
            break;
        }
    }
    output_string(output, ".SH SEE ALSO\n.BR tickflame (1)\n");
}
