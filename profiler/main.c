// SPDX-License-Identifier: MIT
//
// tickflame: the front door, and the map of the source. Every file, in order of dependency: a file
// includes only from groups above its own, and from its own.
// profiler/main.c  this file: the table of commands
//
//
// what everything stands on
//   fold/base/memory.[ch]       allocation that cannot fail halfway, arenas, overflow-safe growth
//   fold/base/text.[ch]         views of bytes, growable buffers
//   fold/base/utf8.[ch]         UTF-8 from strangers: decoding, repair, visible forms
//   fold/base/error.[ch]        errors and warnings: everything that can go wrong
//   fold/base/number.[ch]       parsing numbers, saturating counts, exact weights
//   fold/base/hash_index.[ch]   finds rows of a table that the caller keeps in an array
//   fold/base/input.[ch]        bytes from files and standard input, gunzipped on the way
//   fold/base/output.[ch]       bytes to standard output, or to a file that appears when complete
//   fold/base/json_number.[ch]  numbers in JSON's notation
//   fold/base/json_read.[ch]    JSON in: pieces of any size in, events out
//   fold/base/piece_file.[ch]  a file that is valid after each piece, whatever ends the program
//   fold/base/json_write.[ch]   JSON out: commas, indentation and escapes where they belong
//   fold/base/pattern.[ch]      regular expressions of the user
//
// the profile
//   fold/model/string_table.[ch]   each distinct text once
//   fold/model/frame_table.[ch]    what an address or a name turned out to be
//   fold/model/stack_table.[ch]    a stack is an integer; parents precede their children
//   fold/model/profile.[ch]        everything that a recording says: samples, threads, libraries
//   fold/model/profile_merge.[ch]  several profiles as one
//   fold/model/reader.h            what every reader offers: a probe and a push parser
//   fold/model/call_node.h         the bare form of a call tree, for writers and pictures
//   fold/model/v8_name.[ch]        the grammar of V8's names
//   fold/model/perf_name.[ch]      names of compiled code as perf maps give them
//   fold/model/cpp_name.[ch]       the text of names of native functions
//   fold/model/recording_format.[ch]  the words of the recording format
//
// formats whose stacks carry names, in
//   fold/read/cpuprofile.[ch]       CPU profiles of V8: the JSON
//   fold/read/cpuprofile_data.h     what stands in one
//   fold/read/cpuprofile_tree.c     its nodes as a tree
//   fold/read/cpuprofile_samples.c  its samples, with their times
//   fold/read/folded.[ch]  folded stacks
//   fold/read/perf_script.[ch]        the text of perf script
//   fold/read/perf_script_line.[ch]   its lines, taken apart
//   fold/read/perf_script_frame.[ch]  what symbol and module mean
//   fold/read/recording.[ch]    recordings of `record`
//   fold/read/recording_fields.[ch]  the fields of a line of one
//
// and out
//   fold/write/folded.[ch]  folded stacks
//   fold/write/recording.[ch]  recordings of `record`, piece by piece
//
// what is computed on a profile
//   fold/tally/classify.[ch]            what a frame is: kind, origin, package
//   fold/tally/native_stack.[ch]        what V8 was doing, told from native stacks
//   fold/tally/thread_roles.[ch]        which thread is main, worker, V8's, libuv's
//   fold/tally/call_tree.[ch]           the call tree of one view of a profile
//   fold/tally/call_builder.h           a call tree under construction
//   fold/tally/call_functions.[ch]      which frames are the same function in a view
//   fold/tally/call_order.c             the nodes of a tree in depth-first order of labels
//   fold/tally/call_tiers.c             weights of the tiers of a function
//   fold/tally/blocking.[ch]            calls that hold the event loop, and who calls them
//   fold/tally/culprit.[ch]             what a verdict names first
//   fold/tally/loop_blocks.[ch]         the longest blocks of the event loops
//   fold/tally/loop_moments.[ch]        what stacks tell of the loop, by thread and time
//   fold/tally/loop_block_fill.c        what a block consists of
//   fold/tally/complete_stacks.[ch]     how many native stacks lack callers
//   fold/tally/blocking_catalogue.[ch]  the catalogue of these calls: data, and the search in it
//   fold/tally/blocking_core.c          its rows for Node core and native code
//   fold/tally/blocking_packages.c      its rows for packages
//   fold/tally/blocking_bindings.c      its rows for node's C++ below JavaScript
//
// pictures
//   svg/asset.h           the page script and style, as arrays made by the build
//   svg/palette.[ch]      which colour a frame gets
//   svg/label.[ch]        text of a picture: escaped, cut, with its unit
//   svg/layout.[ch]       where each box stands
//   svg/flame_picture.h   what the parts of the flame graph's writer share
//   svg/flame_graph.[ch]  the flame graph: one SVG file
//   svg/flame_summary.c   verdict, hot strip and legend around the graph
//   svg/flame_graph.css   its style
//   svg/flame_graph.js    its script: zoom, search, details
//
// address to name
//   profiler/symbol/address_map.[ch]    which range of addresses holds this one
//   profiler/symbol/demangle.[ch]       names of C++ and Rust functions as people write them
//   profiler/symbol/elf_file.[ch]       an ELF file, read as a stranger's
//   profiler/symbol/elf_linkage.[ch]    its entries for calls of other files, NAME@plt
//   profiler/symbol/debug_file.[ch]     the separate debug file of an ELF file
//   profiler/symbol/symbol_table.[ch]   from an address to the function that holds it
//   profiler/symbol/symbol_rows.[ch]    symbols given as rows of text (--symbols FILE)
//   profiler/symbol/symbol_source.[ch]  the symbols of one run, loaded when first asked for
//   profiler/symbol/mapped_file.[ch]    finding the very file that a process has mapped
//   profiler/symbol/perf_map.[ch]       names of compiled code, in files that grow
//   profiler/symbol/code_reuse.[ch]     how many samples such names may be wrong for
//   profiler/symbol/perf_map_search.[ch]  where the perf map of a process lies
//   profiler/symbol/kernel_symbols.[ch]  the functions of the kernel
//   profiler/symbol/vdso.[ch]           those of its code in every process
//   profiler/symbol/process_image.[ch]  what processes have mapped where
//   profiler/symbol/location_table.[ch]  places in code as numbers
//   profiler/symbol/native_names.[ch]   names for the addresses of processes
//   profiler/symbol/native_names_parts.h  what its files share
//   profiler/symbol/native_code.c       where addresses lie, for the walk of stacks
//
// from registers to stacks
//   profiler/unwind/architecture.[ch]   what differs between processors: one table
//   profiler/unwind/frame_pointer.[ch]  stacks by frame pointers
//   profiler/unwind/stack_memory.[ch]   the stack of a sample: its copy, and what lies beyond
//   profiler/unwind/call_frames.[ch]    what compilers say of the frames of their code
//   profiler/unwind/call_frames_check.[ch]  whether that is of a kind that can be used
//   profiler/unwind/call_frames_none.c  the same in builds without libunwind: nothing
//   profiler/unwind/unwinder.[ch]       stacks by both, each where it is right
//
// recordings made of addresses: isolate logs
//   profiler/trace/v8log_lines.[ch]           lines cut out of pieces of any size
//   profiler/trace/v8log_fields.[ch]          fields of a line: splitting, escapes, numbers
//   profiler/trace/v8log_rules.[ch]           how each Node version reads its logs, and how we do
//   profiler/trace/v8log_code.[ch]            the address space of an isolate
//   profiler/trace/v8log_exact.c              the same as a Node version does it
//   profiler/trace/v8log_process.[ch]         lines in, ticks with their stacks out
//   profiler/trace/v8log_tolerant.c           the same with what log writers got wrong put right
//   profiler/trace/v8log_inline.[ch]          functions inlined into optimised code
//   profiler/trace/library_symbols.[ch]       from the libraries of a log to the source of symbols
//   profiler/trace/reference_process.[ch]     node --prof-process: a log in, its report or JSON out
//   profiler/trace/v8log_read.[ch]            isolate logs into a profile
//   profiler/trace/reference_symbols.[ch]     C++ symbols as the reference takes them
//   profiler/trace/reference_ticks.[ch]       which ticks count, by its options
//   profiler/trace/reference_summary.[ch]     its tick summary: lists and bottom-up profile
//   profiler/trace/reference_summary_write.c  the same, written in its layout
//   profiler/trace/reference_json.[ch]        its --preprocess JSON
//   profiler/trace/reference_json_write.c     the same, written
//
// recordings made of addresses: perf events
//   profiler/trace/perf_record.[ch]   one record of the kernel, decoded
//   profiler/trace/perf_order.[ch]    records of several CPUs in order of time
//   profiler/trace/perf_waits.[ch]       how long threads are off their processor
//   profiler/trace/perf_rows.[ch]     stacks of code locations, from chains
//   profiler/trace/perf_threads.[ch]  processes and threads by their ids
//   profiler/trace/perf_stacks.[ch]   the user's part of stacks, from registers and copies
//   profiler/trace/perf_machine.[ch]  mappings and names over time; from samples to stacks
//   profiler/trace/perf_sums.[ch]     samples that are alike
//   profiler/trace/perf_file.[ch]     header and events of a perf.data file
//   profiler/trace/perf_facts.c       what it says of machine, binaries, command
//   profiler/trace/perf_data.[ch]     perf.data files
//
// names from the heap of a running V8
//   profiler/v8/v8_names.[ch]      one process: opened, tested, walked
//   profiler/v8/v8_versions.[ch]   layouts by version: the table, and how to add one
//   profiler/v8/v8_constants.[ch]  what one binary exports
//   profiler/v8/v8_memory.[ch]     the process's memory, within a budget
//   profiler/v8/v8_heap.[ch]       objects, their types and slots
//   profiler/v8/v8_string.[ch]     strings
//   profiler/v8/v8_script.[ch]     scripts: their names and lines
//   profiler/v8/v8_functions.[ch]  functions: their names and places
//   profiler/v8/v8_code.[ch]       machine code: whose, of which tier, what was inlined
//   profiler/v8/v8_stack.[ch]      one stack, from addresses to functions
//
// living processes
//   profiler/live/proc_file.[ch]  files of /proc, and the lines in them
//   profiler/live/target.[ch]    what /proc says of a process; finding Node
//   profiler/live/target_port.c  the process that listens on a port
//   profiler/live/permissions.[ch]  what this program may do, by the kernel's rules
//   profiler/live/gates.[ch]     what may be sampled here, and what would help
//   profiler/live/refusal.c      why perf events were refused, in a sentence
//   profiler/live/launch.[ch]    starting a program, held back until sampling is ready
//   profiler/live/perf_open.[ch]  opening perf events, with less where the kernel refuses
//   profiler/live/ptrace_sampler.[ch]  sampling by stops, where perf events are refused
//   profiler/live/ptrace_thread.[ch]   one thread under ptrace: stopped for a moment, left running
//   profiler/live/perf_ring.[ch]  the ring through which the kernel hands over records
//   profiler/live/snapshot.[ch]  records of what was there before the events
//   profiler/live/sampler.[ch]   perf events, rings, records in order
//   profiler/live/sampler_parts.h  what its files share
//   profiler/live/sampler_events.c  which events and rings are opened
//   profiler/live/sampler_processes.c  which processes and threads are sampled
//   profiler/live/v8_profiler.[ch]  the way round where perf events are refused
//   profiler/live/v8_profiler.js  the script that is loaded into node for it
//   profiler/live/asset.h        such scripts, as arrays made by the build
//   profiler/live/event_loop.[ch]  the event loop of a process, read from outside
//   profiler/live/loop_watch.[ch]  from looks at it to its long turns
//   profiler/live/counters.[ch]  memory and time as /proc counts them
//   profiler/live/sleeping_stack.[ch]  the stack of a thread that sleeps, without stopping it
//   profiler/live/throttling.[ch]  how long a CPU quota stopped a process
//
// how results look
//   profiler/report/table.[ch]         text in columns: padding, cutting, wrapping, emphasis
//   profiler/report/report.[ch]        every figure and decision of a report
//   profiler/report/report_parts.h     the parts of making one
//   profiler/report/report_recorded.c  threads, counters, how it was sampled
//   profiler/report/report_notes.c     what to keep in mind
//   profiler/report/verdict.[ch]       the answer in one or two sentences
//   profiler/report/report_blocks.[ch]  the longest blocks of the event loops
//   profiler/report/short_name.[ch]    names of C++ functions in few columns
//   profiler/report/nameless.[ch]      time without a function's name, explained
//   profiler/report/report_text.c      the report for people
//   profiler/report/report_markdown.c  the report for comments and job summaries
//   profiler/report/report_json.c      the report for programs
//
// the command line
//   profiler/command/chosen_symbols.[ch]  the symbols that the command line chooses
//   profiler/command/option.[ch]          option tables and their parser
//   profiler/command/command.[ch]         finding and running commands; messages and exit statuses
//   profiler/command/help.[ch]            what the tables say, for the terminal and as man page
//   profiler/command/help_format.[ch]     the recording format, for the terminal and as man page
//   profiler/command/help_text.[ch]       text wrapped for the terminal, and for man pages
//   profiler/command/shared_options.[ch]  options that several commands share, and their view
//   profiler/command/progress.[ch]        how far reading is
//   profiler/command/input.[ch]           the table of readers; loading inputs
//   profiler/command/record_options.[ch]   the options of tickflame record
//   profiler/command/record_target.[ch]    the processes that it is asked to sample
//   profiler/command/record_session.[ch]   from records to samples and the file
//   profiler/command/record_loops.[ch]     the event loops of the processes that are recorded
//   profiler/command/record_waits.[ch]     waits of threads, as samples
//   profiler/command/record_rate.[ch]      samples a second, as they were delivered
//   profiler/command/record_scripts.[ch]   names from V8's heap, as locations of stacks
//   profiler/command/record_signals.[ch]   the signals that end a recording
//   profiler/command/record_fallback.[ch]  V8's own profiler instead
//   profiler/command/record_result.[ch]    what a recording ends with
//   profiler/command/live_verdict.[ch]     the verdict while it is recorded
//   profiler/command/record.c              tickflame record
//   profiler/command/report.c             tickflame report
//   profiler/command/prof_process.c       tickflame prof-process
//   profiler/command/fold.c               tickflame fold
//   profiler/command/flame.c              tickflame flame
//   profiler/command/doctor.c             tickflame doctor
//
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "profiler/command/command.h"
#include "profiler/symbol/elf_file.h"

static const struct command *const commands[] = {
#ifdef TICKFLAME_WITH_LIVE
    &record_command,
#endif
    &report_command, &prof_process_command,
    &fold_command,   &flame_command,
#ifdef TICKFLAME_WITH_LIVE
    &doctor_command,
#endif
    &help_command,   NULL,
};

/*
 * Fills the places of standard descriptors that were closed, so that no file opened later lands on
 * one of them. The wrong direction makes their use an error, as it should be.
 */
static void guard_standard_descriptors(void) {
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        if (fcntl(descriptor, F_GETFD) >= 0)
            continue;
        int flags = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (open("/dev/null", flags) != descriptor)
            _exit(STATUS_OUTPUT);
    }
}

int main(int count, char **arguments) {
    guard_standard_descriptors();
    /* A closed pipe is then an error of write(), which ends the program silently. */
    signal(SIGPIPE, SIG_IGN);
    /* The same for a file that reaches its size limit (ulimit -f). */
    signal(SIGXFSZ, SIG_IGN);
    elf_file_survive_cuts();
    return command_line_run(commands, count, arguments);
}
