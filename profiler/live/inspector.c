// SPDX-License-Identifier: MIT
#include "profiler/live/inspector.h"

#include <errno.h>
#include <libwebsockets.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fold/base/memory.h"
#include "fold/base/number.h"
#include "profiler/live/counters.h"
#include "profiler/live/proc_file.h"
#include "profiler/live/target.h"

#define MILLISECOND UINT64_C(1000000)

enum {
    PORT_USUAL = 9229,
    OPEN_MILLISECONDS = 5000,    /* from the signal until somebody listens */
    ANSWER_MILLISECONDS = 60000, /* of a busy event loop */
    TURN_MICROSECONDS = 20000,
    CLOSE_DELAY_MILLISECONDS = 20, /* until we have disconnected: closing waits for that */
    LIST_MOST = 1 << 20,
    MESSAGE_MOST = 1 << 30,
};

struct inspector {
    pid_t process_id;
    uint16_t port;
    bool opened; /* by us */
    struct lws_context *context;
    struct lws *socket;
    bool connected, failed;
    struct buffer outgoing; /* LWS_PRE bytes of room, then the message */
    bool has_outgoing;
    struct buffer incoming; /* the message under way */
    struct buffer answer;   /* to the call with the number `call` */
    bool has_answer;
    uint64_t call;
    struct lws_sorted_usec_list turn;
};

bool inspector_is_built_in(void) {
    return true;
}

/* ---- opening ---- */

/* The port that the command line asks for. */
static uint16_t port_of(pid_t process_id) {
    struct buffer line = {0};
    uint64_t port = PORT_USUAL;
    static const char *const options[] = {"--inspect-port=", "--debug-port="};
    if (proc_read(&line, "/proc/%d/cmdline", process_id)) {
        buffer_append_byte(&line, '\0');
        for (size_t at = 0; at < line.size; at += strlen(line.data + at) + 1) {
            for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
                struct text argument = text_of(line.data + at);
                uint64_t number;
                if (text_starts_with(argument, text_of(options[i])) &&
                    number_parse_decimal(text_skip(argument, strlen(options[i])), &number) &&
                    number > 0 && number <= UINT16_MAX)
                    port = number;
            }
        }
    }
    buffer_free(&line);
    return (uint16_t)port;
}

/* Whether the process has a handler for SIGUSR1. */
static bool catches_signal(pid_t process_id) {
    struct buffer status = {0};
    struct text value;
    uint64_t caught = 0;
    if (!proc_read(&status, "/proc/%d/status", process_id) ||
        !proc_status_field(buffer_text(&status), "SigCgt", &value) ||
        !number_parse_hexadecimal(value, &caught))
        caught = 0;
    buffer_free(&status);
    return caught >> (SIGUSR1 - 1) & 1;
}

/* What GET PATH answers on the loopback interface; false: nobody listens. */
static bool get(uint16_t port, const char *path, struct buffer *answer) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char request[128];
    int size =
        snprintf(request, sizeof request,
                 "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: close\r\n\r\n", path, port);
    buffer_clear(answer);
    bool sent = descriptor >= 0 &&
                connect(descriptor, (const struct sockaddr *)&address, sizeof address) == 0 &&
                send(descriptor, request, (size_t)size, MSG_NOSIGNAL) == size;
    char piece[4096];
    ssize_t got = 0;
    struct pollfd readable = {.fd = descriptor, .events = POLLIN};
    while (sent && answer->size < LIST_MOST && poll(&readable, 1, OPEN_MILLISECONDS) > 0 &&
           (got = recv(descriptor, piece, sizeof piece, 0)) > 0)
        buffer_append(answer, piece, (size_t)got);
    if (descriptor >= 0)
        close(descriptor);
    return sent && answer->size > 0;
}

/* The path of the WebSocket in the list of targets: behind `"webSocketDebuggerUrl": "ws://HOST`. */
static bool find_path(struct text list, char path[128]) {
    static const char key[] = "\"webSocketDebuggerUrl\"";
    const char *found = memmem(list.data, list.size, key, sizeof key - 1);
    const char *end = list.data + list.size;
    const char *start = found ? memmem(found, (size_t)(end - found), "://", 3) : NULL;
    start = start ? memchr(start + 3, '/', (size_t)(end - start) - 3) : NULL;
    const char *quote = start ? memchr(start, '"', (size_t)(end - start)) : NULL;
    if (!quote || quote - start >= 128)
        return false;
    snprintf(path, 128, "%.*s", (int)(quote - start), start);
    return true;
}

/* Makes the process listen, if it does not yet. */
static bool make_listen(struct inspector *inspector, struct buffer *list, struct error *error) {
    pid_t process_id = inspector->process_id;
    if (get(inspector->port, "/json/list", list))
        return true;
    struct target target;
    if (!target_read(&target, process_id, error))
        return false;
    if (!target.is_node || !catches_signal(process_id))
        return error_set(error, ERROR_SAMPLE,
                         "process %d %s: its inspector cannot be opened by a signal", process_id,
                         target.is_node ? "has no handler for SIGUSR1 (--disable-sigusr1?)"
                                        : "does not run node");
    if (kill(process_id, SIGUSR1) != 0)
        return error_set(error, ERROR_SAMPLE, "SIGUSR1 to process %d: %s", process_id,
                         strerror(errno));
    inspector->opened = true;
    uint64_t end = counters_clock() + OPEN_MILLISECONDS * MILLISECOND;
    while (counters_clock() < end) {
        if (get(inspector->port, "/json/list", list))
            return true;
        poll(NULL, 0, 20);
    }
    return error_set(error, ERROR_SAMPLE,
                     "the inspector of process %d does not listen on 127.0.0.1:%u: the program "
                     "handles SIGUSR1 itself, or has another network (a container's)",
                     process_id, inspector->port);
}

/* ---- the WebSocket ---- */

/* A message is complete: the answer to the call under way, or an event, which is of no use. */
static void take_message(struct inspector *inspector) {
    char start[40];
    int size = snprintf(start, sizeof start, "{\"id\":%llu,", (unsigned long long)inspector->call);
    struct text message = buffer_text(&inspector->incoming);
    if (text_starts_with(message, (struct text){start, (size_t)size})) {
        buffer_clear(&inspector->answer);
        buffer_append_text(&inspector->answer, message);
        inspector->has_answer = true;
    }
    buffer_clear(&inspector->incoming);
}

static void send_outgoing(struct inspector *inspector) {
    if (!inspector->has_outgoing)
        return;
    inspector->has_outgoing = false;
    size_t size = inspector->outgoing.size - LWS_PRE;
    if (lws_write(inspector->socket, (unsigned char *)inspector->outgoing.data + LWS_PRE, size,
                  LWS_WRITE_TEXT) < (int)size)
        inspector->failed = true;
}

static int see(struct lws *socket, enum lws_callback_reasons reason, void *user, void *bytes,
               size_t size) {
    struct inspector *inspector = lws_context_user(lws_get_context(socket));
    (void)user;
    switch (reason) {
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
        inspector->connected = true;
        break;
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
    case LWS_CALLBACK_CLIENT_CLOSED:
        inspector->failed = true;
        inspector->socket = NULL;
        break;
    case LWS_CALLBACK_CLIENT_RECEIVE:
        if (inspector->incoming.size > MESSAGE_MOST - size)
            return -1;
        buffer_append(&inspector->incoming, bytes, size);
        if (lws_is_final_fragment(socket) && lws_remaining_packet_payload(socket) == 0)
            take_message(inspector);
        break;
    case LWS_CALLBACK_CLIENT_WRITEABLE:
        send_outgoing(inspector);
        break;
    default:
        break;
    }
    return 0;
}

static void end_turn(struct lws_sorted_usec_list *turn) {
    (void)turn;
}

/* Lets the library work for a moment. */
static void serve(struct inspector *inspector) {
    lws_sul_schedule(inspector->context, 0, &inspector->turn, end_turn, TURN_MICROSECONDS);
    lws_service(inspector->context, 0);
}

static bool connect_to(struct inspector *inspector, const char *path, struct error *error) {
    static const struct lws_protocols protocols[] = {
        {.name = "inspector", .callback = see, .rx_buffer_size = 65536}, {0}};
    struct lws_context_creation_info information = {.port = CONTEXT_PORT_NO_LISTEN,
                                                    .protocols = protocols,
                                                    .user = inspector,
                                                    .gid = -1,
                                                    .uid = -1};
    lws_set_log_level(0, NULL);
    inspector->context = lws_create_context(&information);
    if (!inspector->context)
        return error_set(error, ERROR_SAMPLE, "libwebsockets cannot be used here");
    struct lws_client_connect_info connection = {
        .context = inspector->context,
        .address = "127.0.0.1",
        .port = inspector->port,
        .path = path,
        .host = "127.0.0.1",
        .local_protocol_name = "inspector",
    };
    inspector->socket = lws_client_connect_via_info(&connection);
    uint64_t end = counters_clock() + ANSWER_MILLISECONDS * MILLISECOND;
    while (inspector->socket && !inspector->connected && !inspector->failed &&
           counters_clock() < end)
        serve(inspector);
    return (inspector->connected && !inspector->failed) ||
           error_set(error, ERROR_SAMPLE, "the inspector on port %u does not answer",
                     inspector->port);
}

/* Calls a method; `parameters` is JSON. The answer is in inspector->answer. */
static bool call(struct inspector *inspector, const char *method, const char *parameters,
                 struct error *error) {
    char room[LWS_PRE] = {0};
    inspector->call++;
    inspector->has_answer = false;
    buffer_clear(&inspector->outgoing);
    buffer_append(&inspector->outgoing, room, sizeof room);
    buffer_append_format(&inspector->outgoing, "{\"id\":%llu,\"method\":\"%s\",\"params\":%s}",
                         (unsigned long long)inspector->call, method, parameters);
    inspector->has_outgoing = true;
    uint64_t end = counters_clock() + ANSWER_MILLISECONDS * MILLISECOND;
    if (inspector->socket)
        lws_callback_on_writable(inspector->socket);
    while (inspector->socket && !inspector->has_answer && !inspector->failed &&
           counters_clock() < end)
        serve(inspector);
    if (!inspector->has_answer)
        return error_set(error, ERROR_SAMPLE, "the inspector did not answer %s", method);
    if (text_contains(buffer_text(&inspector->answer), TEXT("\"result\"")))
        return true;
    return error_set(error, ERROR_SAMPLE, "the inspector refused %s: %.*s", method,
                     inspector->answer.size < 200 ? (int)inspector->answer.size : 200,
                     inspector->answer.data);
}

/* Whether it is the wanted process that listens. */
static bool is_wanted(struct inspector *inspector, struct error *error) {
    struct target target;
    char wanted[40];
    if (!target_read(&target, inspector->process_id, error) ||
        !call(inspector, "Runtime.evaluate",
              "{\"expression\":\"process.pid\",\"returnByValue\":true}", error))
        return false;
    snprintf(wanted, sizeof wanted, "\"value\":%d,", target.inner_process_id);
    struct text answer = buffer_text(&inspector->answer);
    return text_contains(answer, text_of(wanted)) ||
           error_set(error, ERROR_SAMPLE, "another process than %d listens on 127.0.0.1:%u",
                     inspector->process_id, inspector->port);
}

struct inspector *inspector_open(pid_t process_id, struct error *error) {
    struct inspector *inspector = memory_allocate_zero(1, sizeof *inspector);
    struct buffer list = {0};
    char path[128];
    inspector->process_id = process_id;
    inspector->port = port_of(process_id);
    bool open = make_listen(inspector, &list, error);
    if (open && !find_path(buffer_text(&list), path))
        open =
            error_set(error, ERROR_SAMPLE, "no inspector answers on 127.0.0.1:%u", inspector->port);
    open = open && connect_to(inspector, path, error) && is_wanted(inspector, error);
    buffer_free(&list);
    if (open)
        return inspector;
    inspector_close(inspector);
    return NULL;
}

bool inspector_start(struct inspector *inspector, uint64_t interval_us, struct error *error) {
    char interval[64];
    snprintf(interval, sizeof interval, "{\"interval\":%llu}", (unsigned long long)interval_us);
    return call(inspector, "Profiler.enable", "{}", error) &&
           call(inspector, "Profiler.setSamplingInterval", interval, error) &&
           call(inspector, "Profiler.start", "{}", error);
}

bool inspector_stop(struct inspector *inspector, struct buffer *profile, struct error *error) {
    static const char key[] = "\"profile\":";
    buffer_clear(profile);
    if (!call(inspector, "Profiler.stop", "{}", error))
        return false;
    /* {"id":N,"result":{"profile":{...}}} */
    struct text answer = buffer_text(&inspector->answer);
    const char *found = memmem(answer.data, answer.size, key, sizeof key - 1);
    size_t start = found ? (size_t)(found - answer.data) + sizeof key - 1 : 0;
    if (!found || answer.size < start + 2)
        return error_set(error, ERROR_SAMPLE, "the inspector gave no profile");
    buffer_append(profile, answer.data + start, answer.size - start - 2);
    return true;
}

void inspector_close(struct inspector *inspector) {
    if (!inspector)
        return;
    struct error ignored = {0};
    char close_it[256];
    snprintf(close_it, sizeof close_it,
             "{\"expression\":\"(load => { setTimeout(() => load('inspector').close(), %d); "
             "})(require)\",\"includeCommandLineAPI\":true}",
             CLOSE_DELAY_MILLISECONDS);
    if (inspector->opened && inspector->connected && !inspector->failed)
        call(inspector, "Runtime.evaluate", close_it, &ignored);
    if (inspector->context)
        lws_context_destroy(inspector->context);
    buffer_free(&inspector->outgoing);
    buffer_free(&inspector->incoming);
    buffer_free(&inspector->answer);
    free(inspector);
}
