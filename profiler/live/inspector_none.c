// SPDX-License-Identifier: MIT
/* Takes the place of inspector.c in builds without libwebsockets. */
#include "profiler/live/inspector.h"

#include <stddef.h>

bool inspector_is_built_in(void) {
    return false;
}

struct inspector *inspector_open(pid_t process_id, struct error *error) {
    (void)process_id;
    error_set(error, ERROR_SAMPLE,
              "this tickflame was built without a client for Node's inspector (libwebsockets)");
    return NULL;
}

bool inspector_start(struct inspector *inspector, uint64_t interval_us, struct error *error) {
    (void)inspector;
    (void)interval_us;
    return error_set(error, ERROR_SAMPLE, "there is no inspector");
}

bool inspector_stop(struct inspector *inspector, struct buffer *profile, struct error *error) {
    (void)inspector;
    (void)profile;
    return error_set(error, ERROR_SAMPLE, "there is no inspector");
}

void inspector_close(struct inspector *inspector) {
    (void)inspector;
}
