// SPDX-License-Identifier: MIT
/*
 * The longest blocks of the event loops (fold/tally/loop_blocks.h) in a report.
 */
#ifndef TICKFLAME_PROFILER_REPORT_REPORT_BLOCKS_H
#define TICKFLAME_PROFILER_REPORT_REPORT_BLOCKS_H

#include "fold/base/json_write.h"
#include "profiler/report/report.h"
#include "profiler/report/table.h"

/* Writes the section of the text report; nothing when the profile cannot tell. */
void blocks_write_text(struct table *table, const struct report *report);

/* The keys `blocks` and `event_loop` of the JSON report. */
void blocks_write_json(struct json_writer *json, const struct report *report);

/* What held the loop, in visible form: "pbkdf2Sync from login", "parse server.js:12". */
void block_append_what(struct buffer *buffer, const struct report *report,
                       const struct loop_block *block);

/* "203.1 ms", with "at most" in front where that is so. */
void block_append_length(struct buffer *buffer, const struct loop_block *block);

/* How many blocks there were, and how they were measured: sentences. */
void blocks_append_count(struct buffer *buffer, const struct report *report);
void blocks_append_evidence(struct buffer *buffer, const struct report *report);

#endif
