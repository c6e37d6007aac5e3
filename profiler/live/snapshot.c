// SPDX-License-Identifier: MIT
/* Before perf_record.h, which has macros for what is an enumeration here. */
#include <linux/perf_event.h>

#include "profiler/live/snapshot.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "profiler/live/proc_file.h"
#include "profiler/live/target.h"

static void append_32(struct buffer *record, uint32_t number) {
    buffer_append(record, &number, sizeof number);
}

static void append_64(struct buffer *record, uint64_t number) {
    buffer_append(record, &number, sizeof number);
}

static void begin_record(struct buffer *record, uint32_t type) {
    struct perf_event_header header = {.type = type, .misc = PERF_RECORD_MISC_USER};
    buffer_clear(record);
    buffer_append(record, &header, sizeof header);
}

/* The name, ended by a NUL and filled up to 8 bytes; then the fields that stand at the end of all
 * records. Puts the size into the header. */
static void end_record(struct buffer *record, const struct perf_attribute *attribute,
                       struct text name, pid_t process_id, pid_t thread_id, uint64_t time) {
    static const char zeros[8];
    buffer_append_text(record, name);
    buffer_append(record, zeros, 8 - name.size % 8);
    uint64_t fields = attribute->sample_id_all ? attribute->sample_type : 0;
    if (fields & PERF_SAMPLE_TID) {
        append_32(record, (uint32_t)process_id);
        append_32(record, (uint32_t)thread_id);
    }
    if (fields & PERF_SAMPLE_TIME)
        append_64(record, time);
    if (fields & PERF_SAMPLE_ID)
        append_64(record, 0);
    if (fields & PERF_SAMPLE_STREAM_ID)
        append_64(record, 0);
    if (fields & PERF_SAMPLE_CPU)
        append_64(record, 0);
    if (fields & PERF_SAMPLE_IDENTIFIER)
        append_64(record, 0);
    uint16_t size = (uint16_t)record->size;
    memcpy(record->data + offsetof(struct perf_event_header, size), &size, sizeof size);
}

/* A path as it stands in /proc/PID/maps, where a newline is `\012`. */
static void append_path(struct buffer *path, struct text text) {
    for (size_t i = 0; i < text.size; i++) {
        bool newline = text_starts_with(text_skip(text, i), TEXT("\\012"));
        buffer_append_byte(path, newline ? '\n' : text.data[i]);
        i += newline ? 3 : 0;
    }
}

bool snapshot_append_mapping(struct buffer *record, const struct perf_attribute *attribute,
                             pid_t process_id, uint64_t time, struct text line) {
    enum { PATH_MOST = 4096 };
    struct proc_mapping mapping;
    if (!proc_parse_mapping(line, &mapping) || !mapping.executable)
        return false;
    begin_record(record, PERF_RECORD_MMAP2);
    append_32(record, (uint32_t)process_id);
    append_32(record, (uint32_t)process_id);
    append_64(record, mapping.start);
    append_64(record, mapping.end - mapping.start);
    append_64(record, mapping.offset);
    append_32(record, mapping.device_major);
    append_32(record, mapping.device_minor);
    append_64(record, mapping.inode);
    append_64(record, 0); /* the inode's generation, which /proc does not tell */
    append_32(record, PROT_EXEC | (mapping.readable ? PROT_READ : 0u) |
                          (mapping.writable ? PROT_WRITE : 0u));
    append_32(record, mapping.shared ? MAP_SHARED : MAP_PRIVATE);
    struct buffer path = {0};
    /* As the kernel calls memory without a file; the rest of "[anon:NAME]" is the program's. */
    if (mapping.path.size == 0 || text_starts_with(mapping.path, TEXT("[anon")))
        buffer_append_text(&path, TEXT("//anon"));
    else
        append_path(&path, mapping.path);
    path.size = path.size < PATH_MOST ? path.size : PATH_MOST;
    end_record(record, attribute, buffer_text(&path), process_id, process_id, time);
    buffer_free(&path);
    return true;
}

static void take_name(pid_t process_id, pid_t thread_id, const struct perf_attribute *attribute,
                      uint64_t time, snapshot_take *take, void *context) {
    enum { NAME_MOST = 15 };
    struct buffer name = {0};
    if (proc_read(&name, "/proc/%d/task/%d/comm", process_id, thread_id)) {
        struct text text = buffer_text(&name);
        if (text_ends_with(text, TEXT("\n")))
            text.size--;
        text.size = text.size < NAME_MOST ? text.size : NAME_MOST;
        struct buffer record = {0};
        begin_record(&record, PERF_RECORD_COMM);
        append_32(&record, (uint32_t)process_id);
        append_32(&record, (uint32_t)thread_id);
        end_record(&record, attribute, text, process_id, thread_id, time);
        take(context, time, buffer_text(&record));
        buffer_free(&record);
    }
    buffer_free(&name);
}

void snapshot_process(pid_t process_id, const struct perf_attribute *attribute, uint64_t time,
                      snapshot_take *take, void *context) {
    pid_t *threads;
    size_t count = target_threads(process_id, &threads);
    take_name(process_id, process_id, attribute, time, take, context);
    for (size_t i = 0; i < count; i++) {
        if (threads[i] != process_id)
            take_name(process_id, threads[i], attribute, time, take, context);
    }
    free(threads);
    struct buffer maps = {0};
    struct buffer record = {0};
    if (proc_read(&maps, "/proc/%d/maps", process_id)) {
        struct text rest = buffer_text(&maps);
        struct text line;
        while (proc_next_line(&rest, &line)) {
            if (snapshot_append_mapping(&record, attribute, process_id, time, line))
                take(context, time, buffer_text(&record));
        }
    }
    buffer_free(&maps);
    buffer_free(&record);
}
