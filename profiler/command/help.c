// SPDX-License-Identifier: MIT
#include "profiler/command/help.h"

#include <string.h>

#include "fold/base/text.h"
#include "profiler/command/help_text.h"

enum { OVERVIEW_COLUMN = 16, OPTION_COLUMN = 26 };

static const char description[] =
    "tickflame samples a running Node.js process, or reads a CPU profile of one; says in numbers "
    "where the time went (JavaScript, C++, garbage collection, libraries, kernel) and which "
    "synchronous calls block the event loop; and draws the flame graph.\n\n"
    "Inputs are recognised by their content, may be gzip'd, and `-` is standard input. Several "
    "inputs are merged. Input formats: isolate logs of `node --prof` (v8log), "
    "recordings of this program (tickflame), CPU profiles of "
    "`node --cpu-prof` and DevTools (cpuprofile), recordings of `perf record` (perf-data), the "
    "text of `perf script` (perf-script), folded stacks (folded).";

/* From a server to an answer. */
static const char *const first_steps[] = {
    "node --perf-basic-prof server.js",
    "tickflame record -p PID -d 10",
    "tickflame flame tickflame-PID.tickflame.gz -o flame.svg",
};

static const char *const statuses[][2] = {
    {"0", "done; also when part of the input was damaged and a warning says so"},
    {"2", "wrong usage"},
    {"3", "an input could not be read or recognised, or holds nothing usable"},
    {"4", "sampling is not possible here; the message says why"},
    {"5", "the output could not be written"},
};

/* The option as it is typed: "-o, --output FILE", "--[no-]tiers". */
static void append_spelling(struct buffer *buffer, const struct option *option) {
    const char *rest = option->spellings, *spelling;
    size_t size;
    bool first = true;
    while ((rest = option_next_word(rest, ' ', &spelling, &size))) {
        buffer_append_format(buffer, "%s%s%.*s", first ? "" : ", ",
                             option->negatable && size > 2 ? "--[no-]" : "",
                             (int)(option->negatable && size > 2 ? size - 2 : size),
                             option->negatable && size > 2 ? spelling + 2 : spelling);
        first = false;
    }
    if (option->value)
        buffer_append_format(buffer, option->type == OPTION_OPTIONAL ? "[=%s]" : " %s",
                             option->value);
}

void help_write_overview(struct output *output, const struct command *const *commands) {
    output_string(output, "Usage: tickflame COMMAND [options] [INPUT...]\n\n");
    help_write_wrapped(output, description, 0, 0);
    output_string(output, "\nTo begin with\n");
    for (size_t i = 0; i < sizeof first_steps / sizeof *first_steps; i++)
        output_format(output, "  %s\n", first_steps[i]);
    output_string(output, "\nCommands\n");
    for (; *commands; commands++)
        help_write_row(output, text_of((*commands)->name), OVERVIEW_COLUMN, (*commands)->summary);
    help_write_row(output, TEXT("--version"), OVERVIEW_COLUMN, "the version of this program");
    output_string(output, "\nExit status\n");
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        help_write_row(output, text_of(statuses[i][0]), OVERVIEW_COLUMN, statuses[i][1]);
    output_string(output, "\n`tickflame help COMMAND` lists the options of a command.\n");
}

void help_write_command(struct output *output, const struct command *command) {
    output_format(output, "Usage: tickflame %s %s\n\n", command->name, command->synopsis);
    help_write_wrapped(output, command->description, 0, 0);
    struct buffer spelling = {0};
    for (const struct option_group *const *group = command->groups; *group; group++) {
        output_format(output, "\n%s\n", (*group)->title);
        for (size_t i = 0; i < (*group)->count; i++) {
            const struct option *option = &(*group)->options[i];
            if (!option->help)
                continue;
            buffer_clear(&spelling);
            append_spelling(&spelling, option);
            help_write_row(output, buffer_text(&spelling), OPTION_COLUMN, option->help);
        }
    }
    buffer_free(&spelling);
}

static void write_man_command(struct output *output, const struct command *command) {
    output_format(output, ".SS tickflame %s\n.B tickflame ", command->name);
    help_write_man_text(output, text_of(command->name));
    output_byte(output, ' ');
    help_write_man_text(output, text_of(command->synopsis));
    output_string(output, "\n.PP\n");
    help_write_man_text(output, text_of(command->description));
    output_byte(output, '\n');
    struct buffer spelling = {0};
    for (const struct option_group *const *group = command->groups; *group; group++) {
        output_string(output, ".PP\n");
        help_write_man_text(output, text_of((*group)->title));
        output_string(output, ":\n");
        for (size_t i = 0; i < (*group)->count; i++) {
            const struct option *option = &(*group)->options[i];
            if (!option->help)
                continue;
            buffer_clear(&spelling);
            append_spelling(&spelling, option);
            help_write_man_row(output, buffer_text(&spelling), option->help);
        }
    }
    buffer_free(&spelling);
}

void help_write_man(struct output *output, const struct command *const *commands) {
    output_string(output,
                  ".TH TICKFLAME 1 \"\" \"tickflame " TICKFLAME_VERSION "\" \"User Commands\"\n"
                  ".SH NAME\n"
                  "tickflame \\- CPU profiles and flame graphs of Node.js\n"
                  ".SH SYNOPSIS\n"
                  ".B tickflame\n"
                  ".I COMMAND\n"
                  "[options] [INPUT...]\n"
                  ".SH DESCRIPTION\n");
    help_write_man_text(output, text_of(description));
    output_string(output, "\n.SH EXAMPLES\n.nf\n");
    for (size_t i = 0; i < sizeof first_steps / sizeof *first_steps; i++) {
        help_write_man_text(output, text_of(first_steps[i]));
        output_byte(output, '\n');
    }
    output_string(output, ".fi\n.SH COMMANDS\n");
    for (; *commands; commands++)
        write_man_command(output, *commands);
    output_string(output, ".SH EXIT STATUS\n");
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        help_write_man_row(output, text_of(statuses[i][0]), statuses[i][1]);
}

static const struct option help_option_rows[] = {
    {.spellings = "--man",
     .type = OPTION_FLAG,
     .offset = offsetof(struct help_options, man),
     .help = "Write the man page tickflame(1), or tickflame-format(5), as the build does."},
    {.spellings = "-o --output",
     .value = "FILE",
     .type = OPTION_TEXT,
     .offset = offsetof(struct help_options, output),
     .help = "Write to FILE; standard output otherwise."},
};
static const struct option_group help_options = {
    "Options", help_option_rows, sizeof help_option_rows / sizeof *help_option_rows};
static const struct option_group *const help_groups[] = {&help_options, NULL};
static const struct help_options help_defaults = {0};

const struct command help_command = {
    .name = "help",
    .summary = "this list, or everything about one command",
    .synopsis = "[COMMAND | format]",
    .description = "Lists the commands, or the options of one. `tickflame COMMAND --help` is the "
                   "same. `tickflame help format` describes the recordings of this program.",
    .groups = help_groups,
    .options_size = sizeof help_defaults,
    .defaults = &help_defaults,
};
