// SPDX-License-Identifier: MIT
/* `tickflame doctor`: what can be sampled here and now, and what each missing thing needs. */
#include <limits.h>

#include "fold/base/json_write.h"
#include "profiler/command/command.h"
#include "profiler/live/gates.h"
#include "profiler/report/table.h"

struct doctor_options {
    uint64_t process_id;
    int format;
};

enum { FORMAT_TEXT, FORMAT_JSON };

static const struct doctor_options defaults = {0};

static void write_json(struct output *output, const struct gates *gates) {
    struct json_writer json = {.output = output};
    json_begin_object(&json);
    json_key(&json, "schema"), json_count(&json, 1);
    json_key(&json, "gates"), json_begin_array(&json);
    for (size_t i = 0; i < gates->count; i++) {
        const struct gate *gate = &gates->items[i];
        json_begin_object(&json);
        json_key(&json, "name"), json_string(&json, gate->name);
        json_key(&json, "open"), json_boolean(&json, gate->open);
        json_key(&json, "value"), json_string(&json, gate->value);
        json_key(&json, "fix"), json_string(&json, gate->fix[0] ? gate->fix : NULL);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_key(&json, "route"), json_string(&json, gates->route);
    json_end_object(&json);
    json_finish(&json);
}

static void write_text(struct output *output, const struct gates *gates) {
    enum { STATE_COLUMNS = 8, NAME_COLUMNS = 17, FIX_INDENT = 10 };
    struct table table = {.output = output};
    for (size_t i = 0; i < gates->count; i++) {
        const struct gate *gate = &gates->items[i];
        table_left(&table, PLAIN, text_of(gate->open ? "ok" : "closed"), STATE_COLUMNS);
        table_left(&table, PLAIN, text_of(gate->name), NAME_COLUMNS);
        table_wrapped(&table, PLAIN, text_of(gate->value), STATE_COLUMNS + NAME_COLUMNS,
                      STATE_COLUMNS + NAME_COLUMNS);
        if (gate->fix[0]) {
            output_format(output, "%*s", FIX_INDENT, "");
            table_wrapped(&table, PLAIN, text_of(gate->fix), FIX_INDENT, FIX_INDENT);
        }
    }
    output_byte(output, '\n');
    struct text answer = text_of(gates->route);
    if (text_equal(answer, TEXT("perf_event")))
        answer = TEXT("`tickflame record` can sample.");
    else if (text_equal(answer, TEXT("ptrace")))
        answer =
            TEXT("`tickflame record` can sample this process by stopping its threads, up to 199 "
                 "times a second: perf events are refused.");
    else if (text_equal(answer, TEXT("cpu-prof")))
        answer = TEXT("`tickflame record` cannot attach to processes; `tickflame record -- node "
                      "app.js` has V8's own profiler record what it starts.");
    else
        answer = TEXT("`tickflame record` cannot sample this process.");
    table_wrapped(&table, PLAIN, answer, 0, 0);
}

static int run(const void *options_given, const struct operands *operands) {
    const struct doctor_options *options = options_given;
    struct error error = {0};
    if (operands->count > 0 || options->process_id > INT_MAX) {
        error_set(&error, ERROR_USAGE,
                  operands->count > 0 ? "doctor takes no input: `%s`" : "there is no such process",
                  operands->count > 0 ? operands->items[0] : "");
        return command_fail(&error);
    }
    struct output *output = output_open(NULL, 0666, &error);
    if (!output)
        return command_fail(&error);
    struct gates gates;
    gates_try(&gates, (pid_t)options->process_id);
    if (options->format == FORMAT_JSON)
        write_json(output, &gates);
    else
        write_text(output, &gates);
    if (!output_close(output, &error))
        return command_fail(&error);
    return text_equal(text_of(gates.route), TEXT("none")) ? STATUS_SAMPLE : STATUS_DONE;
}

static const struct option doctor_rows[] = {
    {.spellings = "-p --pid",
     .value = "PID",
     .type = OPTION_COUNT,
     .offset = offsetof(struct doctor_options, process_id),
     .help = "Say whether this process can be sampled, and what its names need."},
    {.spellings = "--format",
     .value = "text|json",
     .type = OPTION_CHOICE,
     .offset = offsetof(struct doctor_options, format),
     .help = "Text for people (the default), or JSON."},
};
static const struct option_group doctor_only_options = {"Sampling", doctor_rows,
                                                        sizeof doctor_rows / sizeof *doctor_rows};

static const struct option_group *const groups[] = {&doctor_only_options, NULL};

const struct command doctor_command = {
    .name = "doctor",
    .summary = "what can be sampled here and now, and what each missing thing needs",
    .synopsis = "[options]",
    .description =
        "Tries what sampling needs: perf events, frames and symbols of the kernel, memory for "
        "rings, open files, and with `-p` the process itself. Each closed gate is shown with the "
        "setting that closes it and what opens it. Not every gate must be open: the last line says "
        "whether `record` can sample. The status is 4 when it cannot.",
    .groups = groups,
    .options_size = sizeof defaults,
    .defaults = &defaults,
    .run = run,
};
