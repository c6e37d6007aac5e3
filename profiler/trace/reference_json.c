// SPDX-License-Identifier: MIT
#include "profiler/trace/reference_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/trace/v8log_fields.h"

/* Script ids beyond this would make an array of nulls that nobody can use. */
enum { SCRIPT_ID_MAX = 4 * 1024 * 1024 };

void reference_json_start(struct reference_json *json, const struct reference_options *options,
                          struct v8log_code *space, struct output *output) {
    *json = (struct reference_json){.options = options, .space = space, .output = output};
    space->for_json = true;
    MEMORY_RESERVE(json->sources, json->source_capacity, 16);
    MEMORY_RESERVE(json->deopts, json->deopt_capacity, 16);
    MEMORY_RESERVE(json->scripts, json->script_capacity, 16);
    json->source_count = json->deopt_count = json->script_count = 1;
}

static struct string_id intern(struct reference_json *json, struct text text) {
    return string_table_intern(&json->strings, &json->arena, text);
}

/* The text of a string of the address space as one of ours. */
static struct string_id take_over(struct reference_json *json, struct string_id id) {
    return intern(json, v8log_code_text(json->space, id));
}

static uint32_t add_code(struct reference_json *json, struct reference_json_code code) {
    MEMORY_RESERVE(json->code, json->code_capacity, json->code_count + 1);
    json->code[json->code_count] = code;
    return (uint32_t)json->code_count++;
}

static void add_named(struct reference_json *json, uint32_t row) {
    struct code_entry *entry = &json->space->entries[row];
    entry->code_id = add_code(json, (struct reference_json_code){
                                        .kind = entry->kind, .name = take_over(json, entry->name)});
}

void reference_json_library(struct reference_json *json, uint32_t row) {
    add_named(json, row);
}

void reference_json_symbol(void *context, uint32_t row) {
    struct reference_json *json = context;
    /* With the tolerant rules a symbol becomes known when the first tick hits it. */
    if (json->space->entries[row].code_id == CODE_ID_NONE)
        add_named(json, row);
}

void reference_json_plain_code(void *context, uint32_t row, double time) {
    struct reference_json *json = context;
    struct code_entry *entry = &json->space->entries[row];
    struct reference_json_code code = {.kind = CODE_PLAIN,
                                       .name = take_over(json, entry->name),
                                       .type = take_over(json, entry->type),
                                       .time = time};
    if (entry->code_id == CODE_ID_NONE)
        entry->code_id = add_code(json, code);
    else
        json->code[entry->code_id] = code;
}

static uint32_t add_function(struct reference_json *json, struct string_id name) {
    MEMORY_RESERVE(json->functions, json->function_capacity, json->function_count + 1);
    json->functions[json->function_count] = (struct reference_json_function){.name = name};
    return (uint32_t)json->function_count++;
}

void reference_json_function_code(void *context, struct code_made made, double time) {
    struct reference_json *json = context;
    struct code_entry *owner = &json->space->entries[made.function];
    struct code_entry *entry = &json->space->entries[made.row];
    bool is_function = owner->kind == CODE_FUNCTION;
    if (owner->function_id == CODE_ID_NONE && (is_function || owner->renamed))
        owner->function_id = add_function(json, take_over(json, owner->name));
    if (!made.is_new)
        return;
    if (owner->function_id == CODE_ID_NONE) {
        /* Code taken for a function: the reference stumbles before it writes the element, so the
         * id will be that of the next one. */
        entry->code_id = (uint32_t)json->code_count;
        return;
    }
    uint32_t id = add_code(json, (struct reference_json_code){.kind = CODE_FUNCTION_CODE,
                                                              .mark = entry->mark,
                                                              .name = take_over(json, entry->name),
                                                              .function = owner->function_id,
                                                              .time = time});
    entry->code_id = id;
    struct reference_json_function *function = &json->functions[owner->function_id];
    if (function->last_code)
        json->code[function->last_code - 1].next = id + 1;
    else
        function->first_code = id + 1;
    function->last_code = id + 1;
}

/* The element of the code that begins at `start`; NULL = none. */
static struct reference_json_code *code_at(struct reference_json *json, uint64_t start) {
    uint32_t row = start == ADDRESS_INVALID ? 0 : v8log_code_at_start(json->space, start);
    uint32_t id = row ? json->space->entries[row].code_id : CODE_ID_NONE;
    return id < json->code_count ? &json->code[id] : NULL;
}

/* The function ids of a list `S0x1S0x2`. */
static void parse_functions(struct reference_json *json, struct text list,
                            struct reference_json_source *source) {
    if (list.size == 0)
        return;
    list = text_skip(list, 1);
    size_t count = 1;
    for (size_t i = 0; i < list.size; i++)
        count += list.data[i] == 'S';
    source->functions = arena_allocate(&json->arena, count * sizeof *source->functions);
    source->function_count = count;
    for (size_t i = 0; i < count; i++) {
        const char *end = list.size ? memchr(list.data, 'S', list.size) : NULL;
        struct text item = {list.data, end ? (size_t)(end - list.data) : list.size};
        list = text_skip(list, item.size + 1);
        uint64_t address = v8log_parse_address_exactly(item);
        uint32_t row =
            address == ADDRESS_INVALID ? 0 : v8log_code_function_at(json->space, address);
        source->functions[i] = row ? json->space->entries[row].function_id : CODE_ID_NONE;
    }
}

void reference_json_source_info(void *context, const struct v8log_source_info *info) {
    struct reference_json *json = context;
    struct reference_json_code *code = code_at(json, info->start);
    if (!code)
        return;
    struct reference_json_source source = {.script = info->script,
                                           .from = info->from,
                                           .to = info->to,
                                           .positions = intern(json, info->positions),
                                           .inlined = intern(json, info->inlined)};
    parse_functions(json, info->functions, &source);
    if (code->source) {
        json->sources[code->source] = source;
        return;
    }
    MEMORY_RESERVE(json->sources, json->source_capacity, json->source_count + 1);
    json->sources[json->source_count] = source;
    code->deopt_first = code->deopt != 0;
    code->source = (uint32_t)json->source_count++;
}

void reference_json_deopt(void *context, const struct v8log_deopt *deopt) {
    struct reference_json *json = context;
    struct reference_json_code *code = code_at(json, deopt->code);
    if (!code || code->deopt)
        return;
    MEMORY_RESERVE(json->deopts, json->deopt_capacity, json->deopt_count + 1);
    json->deopts[json->deopt_count] =
        (struct reference_json_deopt){.time = deopt->time,
                                      .inlining_id = deopt->inlining_id,
                                      .script_offset = deopt->script_offset,
                                      .has_bailout = deopt->bailout.data != NULL,
                                      .has_position = deopt->position.data != NULL,
                                      .has_reason = deopt->reason.data != NULL,
                                      .bailout = intern(json, deopt->bailout),
                                      .position = intern(json, deopt->position),
                                      .reason = intern(json, deopt->reason)};
    code->deopt = (uint32_t)json->deopt_count++;
}

/* A growable array of rows, zero where nothing was stored. */
static void store(uint32_t **rows, size_t *count, size_t *capacity, size_t index, uint32_t row) {
    if (index >= *count) {
        MEMORY_RESERVE(*rows, *capacity, index + 1);
        memset(*rows + *count, 0, (index + 1 - *count) * sizeof **rows);
        *count = index + 1;
    }
    (*rows)[index] = row;
}

static void name_script(struct reference_json *json, uint32_t row) {
    struct reference_json_script *script = &json->scripts[row];
    struct text last = string_table_text(&json->strings, script->url);
    for (const char *slash; (slash = memchr(last.data, '/', last.size)) != NULL;)
        last = text_skip(last, (size_t)(slash - last.data) + 1);
    script->name = intern(json, last);
    uint32_t name = script->name.index;
    script->is_alike = name < json->scripts_by_name_count && json->scripts_by_name[name] != 0;
    store(&json->scripts_by_name, &json->scripts_by_name_count, &json->scripts_by_name_capacity,
          name, row);
}

/* A script is named by the last component of its URL, until another one has the same: then all of
 * them get the whole URL of the newest (a fault of the reference; right with tolerant rules). */
struct string_id reference_json_script_name(const struct reference_json *json,
                                            const struct reference_json_script *script) {
    const struct reference_json_script *newest =
        &json->scripts[json->scripts_by_name[script->name.index]];
    if (!newest->is_alike)
        return script->name;
    return json->space->rules->exact ? newest->url : script->url;
}

void reference_json_script(void *context, double id, struct text url, struct text source) {
    struct reference_json *json = context;
    if (!(id >= 0 && id <= SCRIPT_ID_MAX))
        return;
    MEMORY_RESERVE(json->scripts, json->script_capacity, json->script_count + 1);
    uint32_t row = (uint32_t)json->script_count++;
    json->scripts[row] = (struct reference_json_script){.has_url = url.data != NULL,
                                                        .has_source = source.data != NULL,
                                                        .id = (uint32_t)id,
                                                        .url = intern(json, url),
                                                        .source = intern(json, source)};
    store(&json->scripts_by_id, &json->scripts_by_id_count, &json->scripts_by_id_capacity,
          (size_t)id, row);
    name_script(json, row);
}

/* Seven bits a byte, the lowest first; the high bit says that more follow. */
static void pack(struct buffer *buffer, uint64_t number) {
    char bytes[10];
    size_t size = 0;
    do {
        bytes[size++] = (char)((number & 0x7F) | (number > 0x7F ? 0x80 : 0));
        number >>= 7;
    } while (number);
    buffer_append(buffer, bytes, size);
}

static void pack_frame(struct reference_json *json, uint64_t address) {
    uint32_t row = address == ADDRESS_INVALID ? 0 : v8log_code_find(json->space, address);
    if (!row) {
        pack(&json->packed, 0);
        pack(&json->packed, address);
        return;
    }
    struct code_entry *entry = &json->space->entries[row];
    if (entry->kind == CODE_SYMBOL)
        reference_json_symbol(json, row);
    pack(&json->packed, (uint64_t)json->space->entries[row].code_id + 1);
    pack(&json->packed, address - json->space->entries[row].start);
}

void reference_json_tick(void *context, const struct v8log_tick *original) {
    struct reference_json *json = context;
    struct v8log_tick tick = *original;
    if (!reference_ticks_take(&json->ticks, json->options, &tick))
        return;
    buffer_append(&json->packed, &tick.time, sizeof tick.time);
    buffer_append(&json->packed, &tick.state, sizeof tick.state);
    pack(&json->packed, tick.frame_count + 1);
    pack_frame(json, tick.in_callback ? tick.top_of_stack : tick.pc);
    for (size_t i = 0; i < tick.frame_count; i++)
        pack_frame(json, tick.frames[i]);
}

void reference_json_event(void *context, enum v8log_event event, struct text name) {
    struct reference_json *json = context;
    reference_ticks_event(&json->ticks, json->options, event, name, json->output);
}

void reference_json_free(struct reference_json *json) {
    reference_ticks_free(&json->ticks);
    string_table_free(&json->strings);
    arena_free(&json->arena);
    free(json->code);
    free(json->functions);
    free(json->sources);
    free(json->deopts);
    free(json->scripts);
    free(json->scripts_by_id);
    free(json->scripts_by_name);
    buffer_free(&json->packed);
}
