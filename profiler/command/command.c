// SPDX-License-Identifier: MIT
#include "profiler/command/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fold/base/memory.h"
#include "fold/base/text.h"
#include "fold/base/utf8.h"
#include "profiler/command/help.h"
#include "profiler/command/help_format.h"

/* One line on standard error, in one piece, so that lines of several processes do not mix. */
static void print_line(const char *word, const char *text) {
    struct buffer line = {0};
    buffer_append_format(&line, "tickflame: %s: ", word);
    utf8_append_visible(&line, text_of(text));
    buffer_append_byte(&line, '\n');
    fwrite(line.data, 1, line.size, stderr);
    buffer_free(&line);
}

int command_fail(const struct error *error) {
    if (error->closed_pipe)
        return STATUS_DONE;
    print_line("error", error->text);
    switch (error->kind) {
    case ERROR_USAGE:
        return STATUS_USAGE;
    case ERROR_SAMPLE:
        return STATUS_SAMPLE;
    case ERROR_OUTPUT:
        return STATUS_OUTPUT;
    case ERROR_NONE:
    case ERROR_INPUT:
        break;
    }
    return STATUS_INPUT;
}

void command_warn(const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print_line("warning", text);
}

void command_warn_all(const char *path, const struct warnings *warnings) {
    for (size_t i = 0; i < warnings->size; i++) {
        const struct warning *warning = &warnings->items[i];
        struct buffer line = {0};
        if (path)
            buffer_append_format(&line, "%s: ", path);
        if (warning->line)
            buffer_append_format(&line, "line %llu: ", (unsigned long long)warning->line);
        buffer_append_format(&line, "%s", warning->text);
        if (warning->count > 1)
            buffer_append_format(&line, " (%llu like this)", (unsigned long long)warning->count);
        buffer_append_byte(&line, '\0');
        print_line("warning", line.data);
        buffer_free(&line);
    }
}

static const struct command *find_command(const struct command *const *commands, const char *name) {
    for (; *commands; commands++)
        if (strcmp((*commands)->name, name) == 0)
            return *commands;
    return NULL;
}

static const struct command *require_command(const struct command *const *commands,
                                             const char *name, struct error *error) {
    const struct command *command = find_command(commands, name);
    if (command)
        return command;
    const char *best = NULL;
    unsigned distance = 0;
    for (; *commands; commands++)
        best = option_closer(name, (*commands)->name, best, &distance);
    const char *what = name[0] == '-' ? "option" : "command";
    struct stat status;
    if (stat(name, &status) == 0 && S_ISREG(status.st_mode))
        error_set(error, ERROR_USAGE, "'%s' is a file, not a command; did you mean 'report %s'?",
                  name, name);
    else if (best)
        error_set(error, ERROR_USAGE, "unknown %s '%s'; did you mean '%s'?", what, name, best);
    else
        error_set(error, ERROR_USAGE, "unknown %s '%s' (tickflame help lists all)", what, name);
    return NULL;
}

/* Ends an output; returns the exit status. */
static int finish(struct output *output) {
    struct error error = {0};
    return output_close(output, &error) ? STATUS_DONE : command_fail(&error);
}

static int run_help(const struct command *const *commands, const struct help_options *options,
                    const struct operands *operands) {
    struct error error = {0};
    const struct command *command = NULL;
    bool format = operands->count == 1 && strcmp(operands->items[0], "format") == 0;
    if (operands->count > 1) {
        error_set(&error, ERROR_USAGE, "help takes one command, not %zu", operands->count);
        return command_fail(&error);
    }
    if (operands->count == 1 && !format) {
        command = require_command(commands, operands->items[0], &error);
        if (!command)
            return command_fail(&error);
    }
    struct output *output = output_open(options->output, 0666, &error);
    if (!output)
        return command_fail(&error);
    if (format && options->man)
        help_write_format_man(output);
    else if (format)
        help_write_format(output);
    else if (options->man)
        help_write_man(output, commands);
    else if (command)
        help_write_command(output, command);
    else
        help_write_overview(output, commands);
    return finish(output);
}

static int run_command(const struct command *const *commands, const struct command *command,
                       char **arguments, size_t count) {
    struct error error = {0};
    struct operands operands = {0};
    void *options = memory_allocate(command->options_size);
    memcpy(options, command->defaults, command->options_size);
    int status;
    switch (options_parse(command->groups, command->name, arguments, count, options, &operands,
                          &error)) {
    case OPTIONS_HELP: {
        struct output *output = output_open(NULL, 0666, &error);
        help_write_command(output, command);
        status = finish(output);
        break;
    }
    case OPTIONS_PARSED:
        status = command->run ? command->run(options, &operands)
                              : run_help(commands, options, &operands);
        break;
    default:
        status = command_fail(&error);
    }
    free(operands.items);
    free(options);
    return status;
}

int command_line_run(const struct command *const *commands, int count, char **arguments) {
    struct error error = {0};
    if (count < 2) {
        struct buffer usage = {0};
        struct output *output = output_open_buffer(&usage);
        help_write_overview(output, commands);
        output_close(output, &error);
        fwrite(usage.data, 1, usage.size, stderr);
        buffer_free(&usage);
        return STATUS_USAGE;
    }
    const char *name = arguments[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0) {
        struct output *output = output_open(NULL, 0666, &error);
        output_string(output, "tickflame " TICKFLAME_VERSION "\n");
        return finish(output);
    }
    const struct command *command = require_command(commands, name, &error);
    if (!command)
        return command_fail(&error);
    return run_command(commands, command, arguments + 2, (size_t)count - 2);
}
