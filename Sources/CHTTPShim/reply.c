/* Answers: the head as it is sent, byte for byte, and the body. Any thread may put one together; the status line before
 * the fields and the lines behind them depend on the moment of sending, and are then written into room that was kept for
 * them. libmicrohttpd sees nothing of it: the gate sends it (gate.c). */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* The status line and Date: 52 bytes beside the reason. */
#define LONGEST_REASON 48
#define ROOM_BEFORE 104
/* Request-Id, Connection, Content-Length or Transfer-Encoding, and the empty line. */
#define ROOM_BEHIND 128
/* An answer's own fields, most often. */
#define ROOM_FOR_FIELDS 280

struct http_reply {
    enum framing framing;
    char *head; /* in `room`, or a larger one of malloc */
    size_t capacity;
    size_t first; /* of the head's bytes: those before it are room */
    size_t last;  /* behind them */
    size_t sent;  /* of the head and the body */
    const char *body;
    int file; /* which has the body instead, or -1 */
    size_t length;
    bool is_bodiless;         /* the head tells of a body that is not sent */
    struct http_body *shared; /* which has the body, or NULL */
    char room[];
};

/* -------------------------------------------------------------------------------------- writing a head */

/* There is room. */
static void put (struct http_reply *reply, const char *bytes, size_t length)
{
    memcpy (reply->head + reply->last, bytes, length);
    reply->last += length;
}

static void put_text (struct http_reply *reply, const char *text)
{
    put (reply, text, strlen (text));
}

static void put_number (struct http_reply *reply, size_t number)
{
    char digits[20];
    size_t count = 0;
    do {
        digits[sizeof digits - ++count] = (char) ('0' + number % 10);
        number /= 10;
    } while (0 != number);
    put (reply, digits + sizeof digits - count, count);
}

/* Room for so many bytes, and still for what comes behind the fields. */
static bool make_room (struct http_reply *reply, size_t length)
{
    const size_t needed = reply->last + length + ROOM_BEHIND;
    if (needed <= reply->capacity)
        return true;
    char *const grown = malloc (2 * needed);
    if (NULL == grown)
        return false;
    memcpy (grown, reply->head, reply->last);
    if (reply->room != reply->head)
        free (reply->head);
    reply->head = grown;
    reply->capacity = 2 * needed;
    return true;
}

/* --------------------------------------------------------------------------------------------- fields */

/* What frames an answer, ends its connection or names it is written here alone: twice, it would be two answers. */
static bool is_ours (const char *name, size_t length)
{
    static const char *const ours[] = { "Content-Length", "Transfer-Encoding", "Connection", "Date", "Request-Id" };
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        if (strlen (ours[i]) == length && 0 == strncasecmp (ours[i], name, length))
            return true;
    return false;
}

static bool is_field (const char *name, size_t name_length, const char *value, size_t value_length)
{
    return syntax_is_token (name, name_length) && syntax_is_value (value, value_length) && !is_ours (name, name_length);
}

/* Writes "name: value" and a line end for each pair; returns how many bytes, or SIZE_MAX where one is no field. */
static size_t put_fields (char *lines, const char *pairs, size_t length)
{
    const char *const end = pairs + length;
    size_t written = 0;
    while (pairs < end) {
        const char *const name = pairs;
        const size_t name_length = strlen (name);
        const char *const value = name + name_length + 1;
        const size_t value_length = strlen (value);
        if (!is_field (name, name_length, value, value_length))
            return SIZE_MAX;
        written += (size_t) sprintf (lines + written, "%s: %s\r\n", name, value);
        pairs = value + value_length + 1;
    }
    return written;
}

/* -------------------------------------------------------------------------------------- shared bodies */

struct http_body *http_body_create (const void *bytes, size_t length, const char *fields, size_t fields_length)
{
    char line[24];
    const int prefix = snprintf (line, sizeof line, "%zx\r\n", length);
    if (prefix < 0 || length > SIZE_MAX / 4 || fields_length > SIZE_MAX / 8)
        return NULL;
    /* A pair's two zeros become four bytes of a line. */
    struct http_body *const body = malloc (sizeof *body + (size_t) prefix + length + 2 + 2 * fields_length + 1);
    if (NULL == body)
        return NULL;
    atomic_init (&body->references, 1);
    body->prefix = (uint32_t) prefix;
    body->length = length;
    memcpy (body->text, line, (size_t) prefix);
    if (length > 0)
        memcpy (body->text + prefix, bytes, length);
    memcpy (body->text + prefix + length, "\r\n", 2);
    body->fields = put_fields (body->text + prefix + length + 2, fields, fields_length);
    if (SIZE_MAX != body->fields)
        return body;
    free (body);
    return NULL;
}

void body_retain (struct http_body *body)
{
    atomic_fetch_add_explicit (&body->references, 1, memory_order_relaxed);
}

void http_body_release (struct http_body *body)
{
    if (1 == atomic_fetch_sub_explicit (&body->references, 1, memory_order_acq_rel))
        free (body);
}

/* -------------------------------------------------------------------------------------------- replies */

/* With room for fields, and behind it for a body of its own. */
static struct http_reply *create (size_t fields, size_t body)
{
    const size_t capacity = ROOM_BEFORE + fields + ROOM_BEHIND;
    struct http_reply *const reply = malloc (sizeof *reply + capacity + body);
    if (NULL == reply)
        return NULL;
    *reply = (struct http_reply){ .file = -1, .capacity = capacity, .first = ROOM_BEFORE, .last = ROOM_BEFORE };
    reply->head = reply->room;
    reply->body = reply->room + capacity;
    reply->length = body;
    return reply;
}

struct http_reply *http_reply_create (const void *bytes, size_t length)
{
    struct http_reply *const reply = length > SIZE_MAX / 2 ? NULL : create (ROOM_FOR_FIELDS, length);
    if (NULL != reply && length > 0)
        memcpy (reply->room + reply->capacity, bytes, length);
    return reply;
}

struct http_reply *http_reply_create_shared (struct http_body *body)
{
    struct http_reply *const reply = create (body->fields, 0);
    if (NULL == reply)
        return NULL;
    body_retain (body);
    reply->shared = body;
    reply->body = body->text + body->prefix;
    reply->length = body->length;
    put (reply, reply->body + body->length + 2, body->fields);
    return reply;
}

struct http_reply *http_reply_create_file (int descriptor, uint64_t length)
{
    struct http_reply *const reply = length > SIZE_MAX / 2 ? NULL : create (ROOM_FOR_FIELDS, 0);
    if (NULL == reply) {
        (void) close (descriptor);
        return NULL;
    }
    reply->file = descriptor;
    reply->length = (size_t) length;
    return reply;
}

struct http_reply *reply_create_unframed (enum framing framing)
{
    struct http_reply *const reply = create (ROOM_FOR_FIELDS, 0);
    if (NULL != reply)
        reply->framing = framing;
    return reply;
}

bool http_reply_add_field (struct http_reply *reply, const char *name, size_t name_length, const char *value,
                           size_t value_length)
{
    if (!is_field (name, name_length, value, value_length) || !make_room (reply, name_length + value_length + 4))
        return false;
    put (reply, name, name_length);
    put (reply, ": ", 2);
    put (reply, value, value_length);
    put (reply, "\r\n", 2);
    return true;
}

void http_reply_destroy (struct http_reply *reply)
{
    if (NULL != reply->shared)
        http_body_release (reply->shared);
    if (reply->file >= 0)
        (void) close (reply->file);
    if (reply->room != reply->head)
        free (reply->head);
    free (reply);
}

/* ---------------------------------------------------------------------------------------------- sending */

/* Before what is there. */
static void put_before (struct http_reply *reply, const char *bytes, size_t length)
{
    reply->first -= length;
    memcpy (reply->head + reply->first, bytes, length);
}

/* The status line and Date. */
static void put_start (struct http_reply *reply, unsigned status, const char *date)
{
    const char *const reason = MHD_get_reason_phrase_for (status);
    const size_t length = strlen (reason);
    const char code[]
        = { ' ', (char) ('0' + status / 100), (char) ('0' + status / 10 % 10), (char) ('0' + status % 10), ' ' };
    put_before (reply, "\r\n", 2);
    put_before (reply, date, DATE_LENGTH);
    put_before (reply, "\r\nDate: ", 8);
    if (length <= LONGEST_REASON) /* it may be empty (RFC 9112, section 4) */
        put_before (reply, reason, length);
    put_before (reply, code, sizeof code);
    put_before (reply, "HTTP/1.1", 8);
}

/* A 204 has no body, nor has a 304: it might tell the length of what it does not send (RFC 9110, section 8.6), and clients
 * that know no better would wait for that. */
static void put_framing (struct http_reply *reply, unsigned status)
{
    if (FRAMED_BY_CHUNKS == reply->framing)
        put_text (reply, "Transfer-Encoding: chunked\r\n");
    if (FRAMED_BY_LENGTH != reply->framing || 204 == status || 304 == status)
        return;
    put_text (reply, "Content-Length: ");
    put_number (reply, reply->length);
    put (reply, "\r\n", 2);
}

/* Writes what goes around the fields. Once, before any of it is sent. */
void reply_finish (struct http_reply *reply, const struct reply_frame *frame)
{
    put_start (reply, frame->status, frame->date);
    put_text (reply, "Request-Id: ");
    put_text (reply, frame->id);
    put (reply, "\r\n", 2);
    if (NULL != frame->connection) {
        put_text (reply, "Connection: ");
        put_text (reply, frame->connection);
        put (reply, "\r\n", 2);
    }
    put_framing (reply, frame->status);
    put (reply, "\r\n", 2);
    reply->is_bodiless = frame->is_head || 204 == frame->status || 304 == frame->status;
}

/* What is still to be sent of what is in memory, in up to two pieces: returns how many. */
int reply_rest (const struct http_reply *reply, struct iovec pieces[2])
{
    const size_t head = reply->last - reply->first;
    const size_t body = reply->is_bodiless || reply->file >= 0 ? 0 : reply->length;
    const size_t of_body = reply->sent > head ? reply->sent - head : 0;
    int count = 0;
    if (reply->sent < head)
        pieces[count++] = (struct iovec){ reply->head + reply->first + reply->sent, head - reply->sent };
    if (of_body < body)
        pieces[count++] = (struct iovec){ (void *) (uintptr_t) (reply->body + of_body), body - of_body };
    return count;
}

/* What is to be sent behind that of a file: how many bytes. */
size_t reply_file_rest (const struct http_reply *reply, int *file, off_t *offset)
{
    const size_t head = reply->last - reply->first;
    if (reply->file < 0 || reply->is_bodiless)
        return 0;
    *file = reply->file;
    *offset = (off_t) (reply->sent - head);
    return head + reply->length - reply->sent;
}

bool reply_was_sent (const struct http_reply *reply)
{
    struct iovec rest[2];
    int file;
    off_t offset;
    return 0 == reply_rest (reply, rest) && 0 == reply_file_rest (reply, &file, &offset);
}

void reply_advance (struct http_reply *reply, size_t count)
{
    reply->sent += count;
}
