// SPDX-License-Identifier: MIT
#include "fold/read/perf_script_line.h"

#include <string.h>

#include "fold/base/number.h"

enum {
    COMM_LARGEST = 15,  /* bytes of a thread's name that the kernel keeps */
    WORDS_LARGEST = 64, /* words of an event line that are looked at for ids */
    DECIMALS_LEAST = 6, /* of a time */
    ADDRESS_DIGITS = 16,
};

static bool is_blank(char byte) {
    return byte == ' ' || byte == '\t';
}

static bool is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

static struct text skip_blanks(struct text text) {
    while (text.size > 0 && is_blank(*text.data))
        text = text_skip(text, 1);
    return text;
}

static struct text trim_end(struct text text) {
    while (text.size > 0 && is_blank(text.data[text.size - 1]))
        text.size--;
    return text;
}

/* ---- event lines ---- */

/* Takes a decimal number off the front of *text; too large a one is the largest. */
static bool take_number(struct text *text, uint64_t *number) {
    size_t size = 0;
    while (size < text->size && is_digit(text->data[size]))
        size++;
    if (size == 0)
        return false;
    if (!number_parse_decimal((struct text){text->data, size}, number))
        *number = UINT64_MAX;
    *text = text_skip(*text, size);
    return true;
}

/* Takes what stands before the next blank off the front of *text. */
static struct text take_word(struct text *text) {
    struct text word = {text->data, 0};
    while (word.size < text->size && !is_blank(text->data[word.size]))
        word.size++;
    *text = text_skip(*text, word.size);
    return word;
}

/* Takes `[CPU]`. */
static void take_cpu(struct text *text) {
    struct text rest = *text;
    uint64_t cpu;
    if (rest.size == 0 || *rest.data != '[')
        return;
    rest = text_skip(rest, 1);
    if (take_number(&rest, &cpu) && rest.size > 0 && *rest.data == ']')
        *text = skip_blanks(text_skip(rest, 1));
}

/* Takes `SECONDS.DECIMALS:`. */
static bool take_time(struct text *text, uint64_t *nanoseconds) {
    struct text rest = *text;
    uint64_t seconds;
    if (!take_number(&rest, &seconds) || rest.size == 0 || *rest.data != '.')
        return false;
    rest = text_skip(rest, 1);
    uint64_t decimals = 0;
    size_t count = 0;
    for (; count < rest.size && is_digit(rest.data[count]); count++) {
        if (count < 9)
            decimals = decimals * 10 + (uint64_t)(rest.data[count] - '0');
    }
    for (size_t i = count; i < 9; i++)
        decimals *= 10;
    rest = text_skip(rest, count);
    if (count < DECIMALS_LEAST || rest.size == 0 || *rest.data != ':' ||
        (rest.size > 1 && !is_blank(rest.data[1])))
        return false;
    *nanoseconds =
        seconds > UINT64_MAX / 1000000000 - 1 ? UINT64_MAX : seconds * 1000000000 + decimals;
    *text = skip_blanks(text_skip(rest, 1));
    return true;
}

/* Takes the time, in front of which -F misc puts letters. */
static bool take_misc_and_time(struct text *text, uint64_t *nanoseconds) {
    struct text rest = *text;
    if (take_time(text, nanoseconds))
        return true;
    struct text misc = take_word(&rest);
    rest = skip_blanks(rest);
    if (misc.size == 0 || misc.size > 4 || is_digit(*misc.data) || !take_time(&rest, nanoseconds))
        return false;
    *text = rest;
    return true;
}

/* Takes `EVENT:`, a word that holds more than digits. */
static bool take_event(struct text *text, struct text *event) {
    struct text rest = *text;
    struct text word = take_word(&rest);
    if (word.size < 2 || word.data[word.size - 1] != ':')
        return false;
    word.size--;
    bool only_digits = true;
    for (size_t i = 0; i < word.size; i++)
        only_digits = only_digits && (is_digit(word.data[i]) || word.data[i] == '.');
    if (only_digits)
        return false;
    *event = word;
    *text = skip_blanks(rest);
    return true;
}

/* Takes a number that stands for the period: an event or nothing follows, or a frame. */
static void take_period(struct text *text, struct event_line *line) {
    struct text rest = *text;
    struct text event;
    struct frame_line frame;
    uint64_t period;
    if (!take_number(&rest, &period) || (rest.size > 0 && !is_blank(*rest.data)))
        return;
    rest = skip_blanks(rest);
    struct text behind = rest;
    if (take_event(&behind, &event) ||
        (line->has_time && (rest.size == 0 || only_frame_parse(rest, &frame)))) {
        line->has_period = true;
        line->period = period;
        *text = rest;
    }
}

/* How well what follows the ids fits; the larger the better, 0 not at all. Fills *line. */
static int parse_tail(struct text rest, struct event_line *line) {
    struct frame_line frame;
    rest = skip_blanks(rest);
    take_cpu(&rest);
    line->has_time = take_misc_and_time(&rest, &line->time);
    take_period(&rest, line);
    bool has_event = take_event(&rest, &line->event);
    line->rest = rest;
    bool ends = rest.size == 0 || only_frame_parse(rest, &frame);
    line->form = line->has_time && has_event             ? EVENT_LINE_CERTAIN
                 : line->has_time || (has_event && ends) ? EVENT_LINE_LIKELY
                                                         : EVENT_LINE_MAYBE;
    if (line->has_time)
        return has_event ? 6 : 5;
    if (has_event)
        return line->has_period ? (ends ? 4 : 3) : (ends ? 2 : 0);
    return ends ? 1 : 0;
}

/* Takes a process's or a thread's number; perf's -1 is no process. */
static bool take_id(struct text *text, uint64_t *id) {
    struct text rest = *text;
    bool is_none = text_starts_with(rest, TEXT("-1"));
    if (is_none)
        rest = text_skip(rest, 1);
    if (!take_number(&rest, id))
        return false;
    if (is_none)
        *id = 0;
    *text = rest;
    return true;
}

/* Takes `PID/TID` or one number. */
static bool take_ids(struct text *text, struct event_line *line) {
    struct text rest = *text;
    if (!take_id(&rest, &line->thread_id))
        return false;
    if (rest.size > 0 && *rest.data == '/') {
        rest = text_skip(rest, 1);
        line->process_id = line->thread_id;
        if (!take_id(&rest, &line->thread_id))
            return false;
    }
    if (rest.size > 0 && !is_blank(*rest.data))
        return false;
    *text = rest;
    return true;
}

struct event_line event_line_parse(struct text line) {
    struct event_line best = {.thread = line, .comm = skip_blanks(line)};
    int best_fit = 0;
    struct text rest = skip_blanks(line);
    for (int words = 0; rest.size > 0 && words < WORDS_LARGEST; words++) {
        struct event_line found = {0};
        struct text behind = rest;
        int fit = 0;
        if (take_ids(&behind, &found)) {
            found.thread = (struct text){line.data, (size_t)(behind.data - line.data)};
            found.comm =
                trim_end(skip_blanks((struct text){line.data, (size_t)(rest.data - line.data)}));
            fit = parse_tail(behind, &found);
        }
        /* A name may look like the start of the rest, so the last that fits counts, as long as what
         * is in front of it can be a name. */
        if (fit > best_fit || (fit > 0 && fit == best_fit && found.comm.size <= COMM_LARGEST)) {
            best = found;
            best_fit = fit;
        }
        take_word(&rest);
        rest = skip_blanks(rest);
    }
    return best;
}

/* ---- frame lines ---- */

static bool take_address(struct text *text, struct text *address) {
    size_t size = 0;
    while (size < text->size && size <= ADDRESS_DIGITS &&
           number_hexadecimal_digit(text->data[size]) >= 0)
        size++;
    if (size == 0 || size > ADDRESS_DIGITS || (size < text->size && !is_blank(text->data[size])))
        return false;
    *address = (struct text){text->data, size};
    *text = skip_blanks(text_skip(*text, size));
    return true;
}

/* The parenthesis that opens the last group of `text`, which ends with a closing one. Modules may
 * have parentheses of their own: `(/opt/my app (x86)/node (deleted))`. */
static const char *module_start(struct text text) {
    size_t inside = text.size - 1;
    const char *open = memrchr(text.data, '(', inside);
    if (!open || !memchr(open, ')', (size_t)(text.data + inside - open)))
        return open;
    size_t depth = 1;
    for (const char *at = text.data + inside; at > text.data;) {
        at--;
        if (*at == ')')
            depth++;
        else if (*at == '(' && --depth == 0)
            return at;
    }
    /* Unpaired ones: the last that follows a blank. */
    while (open && open > text.data && open[-1] != ' ')
        open = memrchr(text.data, '(', (size_t)(open - text.data));
    return open;
}

/* Takes `+0xOFFSET` off the end of *text. */
static void take_offset(struct text *text) {
    size_t size = text->size;
    while (size > 0 && number_hexadecimal_digit(text->data[size - 1]) >= 0)
        size--;
    if (size < text->size && size >= 3 && memcmp(text->data + size - 3, "+0x", 3) == 0)
        text->size = size - 3;
}

bool frame_line_parse(struct text line, struct frame_line *frame) {
    struct text rest = skip_blanks(line);
    if (!take_address(&rest, &frame->address))
        return false;
    frame->module = (struct text){rest.data, 0};
    if (rest.size > 1 && rest.data[rest.size - 1] == ')') {
        const char *open = module_start(rest);
        if (open && (open == rest.data || is_blank(open[-1]))) {
            frame->module = (struct text){open + 1, (size_t)(rest.data + rest.size - open) - 2};
            take_offset(&frame->module);
            rest.size = (size_t)(open - rest.data);
        }
    }
    rest = trim_end(rest);
    take_offset(&rest);
    frame->symbol = rest;
    return true;
}

/* Whether a text has an end that take_offset() would take. */
static bool has_offset(struct text text) {
    struct text rest = text;
    take_offset(&rest);
    return rest.size != text.size;
}

bool frame_line_holds(struct text line, const struct frame_line *frame, struct text *address) {
    struct text symbol = frame->symbol;
    struct text module = frame->module;
    struct text rest = skip_blanks(line);
    if (!take_address(&rest, address) || rest.size < symbol.size + module.size + 3 ||
        symbol.size == 0 || memcmp(rest.data, symbol.data, symbol.size) != 0)
        return false;
    /* ` (MODULE)`, and in front of it the offset, without which frame_line_parse() would cut more
     * off a symbol that looks as if it had two. */
    const char *end = rest.data + rest.size - module.size - 3;
    const char *at = rest.data + symbol.size;
    if (memcmp(end, " (", 2) != 0 || end[module.size + 2] != ')' ||
        memcmp(end + 2, module.data, module.size) != 0 || has_offset(module))
        return false;
    if (at == end)
        return !has_offset(symbol);
    if (end - at < 4 || memcmp(at, "+0x", 3) != 0)
        return false;
    for (at += 3; at < end; at++) {
        if (number_hexadecimal_digit(*at) < 0)
            return false;
    }
    return true;
}

bool only_frame_parse(struct text rest, struct frame_line *frame) {
    struct text behind = rest;
    struct text about;
    if (take_address(&behind, &about) && frame_line_parse(behind, frame) &&
        frame->address.size > 4 && frame->symbol.size + frame->module.size > 0)
        return true;
    return frame_line_parse(rest, frame) && frame->symbol.size + frame->module.size > 0;
}
