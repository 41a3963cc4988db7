/* The yardstick for waiting: what libmicrohttpd does for those who stream or park, with its own threads and calls. One
 * text is told to all, from one copy; who is behind when several changes come is told of the last. Nothing is stored,
 * logged or watched: a client that leaves while it waits is noticed when the next change is sent to it.
 *
 * It speaks as much of Bindery's contract as the load generator reads: a number for each change, in the ETag of the
 * POST that made it, as the id of an event and as the cursor of a poll's answer.
 */
#define _GNU_SOURCE /* asprintf */
#include "bare.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one change made, for as long as somebody is still sending it. */
struct edition {
    atomic_uint references;
    unsigned long number;
    struct MHD_Response *answer; /* one for all who parked */
    size_t event_length;
    char *event;
    char *state; /* what the change itself is answered */
};

/* Somebody suspended. May be freed as soon as it is resumed. */
struct waiter {
    struct MHD_Connection *connection;
    struct waiter *next;
};

struct stream {
    struct waiter waiter;
    struct changing *changing;
    struct edition *sending; /* NULL between two events */
    size_t sent;
    unsigned long last; /* the number sent last; before the first event, one that is never reached */
};

struct changing {
    const struct fields *fields;
    size_t bytes;
    pthread_mutex_t lock; /* of what follows */
    struct edition *latest;
    struct waiter *waiting;
};

/* ------------------------------------------------------------------------------------------------- editions */

static void release (struct edition *edition)
{
    if (NULL == edition || 1 != atomic_fetch_sub (&edition->references, 1))
        return;
    if (NULL != edition->answer)
        MHD_destroy_response (edition->answer);
    free (edition->event);
    free (edition->state);
    free (edition);
}

/* The text that changes: its number, made up to `length`. */
static char *make_value (unsigned long number, size_t length)
{
    char *value = NULL;
    const int digits = asprintf (&value, "%lu", number);
    if (digits < 0)
        return NULL;
    if (length <= (size_t) digits)
        return value;
    char *const padded = realloc (value, length + 1);
    if (NULL == padded) {
        free (value);
        return NULL;
    }
    memset (padded + digits, '.', length - (size_t) digits);
    padded[length] = '\0';
    return padded;
}

/* Its number twice, and the text. */
static const char json[] = "{\"kind\":\"delta\",\"cursor\":\"bare.%lu\",\"changes\":["
                           "{\"seq\":%lu,\"viewModel\":\"bare\",\"output\":\"text\",\"value\":\"%s\"}]}";

/* NULL for want of memory. */
static struct edition *publish (const struct changing *changing, unsigned long number)
{
    char *text = NULL;
    const int frame = snprintf (NULL, 0, json, number, number, "");
    const size_t rest = frame >= 0 && changing->bytes > (size_t) frame ? changing->bytes - (size_t) frame : 0;
    char *const value = make_value (number, rest);
    struct edition *const edition = calloc (1, sizeof *edition);
    if (NULL == value || NULL == edition || asprintf (&text, json, number, number, value) < 0
        || asprintf (&edition->event, "event: delta\nid: bare.%lu\ndata: %s\n\n", number, text) < 0
        || asprintf (&edition->state, "{\"text\":\"%s\"}", value) < 0)
        return NULL; /* and the process is about to end */
    atomic_init (&edition->references, 1);
    edition->number = number;
    edition->event_length = strlen (edition->event);
    edition->answer = respond (changing->fields, text, strlen (text));
    free (text);
    free (value);
    return NULL == edition->answer ? NULL : edition;
}

static struct edition *latest (struct changing *changing)
{
    (void) pthread_mutex_lock (&changing->lock);
    struct edition *const edition = changing->latest;
    atomic_fetch_add (&edition->references, 1);
    (void) pthread_mutex_unlock (&changing->lock);
    return edition;
}

/* -------------------------------------------------------------------------------------------------- waiting */

/* Under the lock, so that no change comes between the look and the wait. */
static void suspend (struct changing *changing, struct waiter *waiter)
{
    waiter->next = changing->waiting;
    changing->waiting = waiter;
    MHD_suspend_connection (waiter->connection);
}

static enum MHD_Result change (struct changing *changing, struct MHD_Connection *connection)
{
    char tag[48];
    (void) pthread_mutex_lock (&changing->lock);
    struct edition *const before = changing->latest;
    struct edition *const edition = publish (changing, before->number + 1);
    struct waiter *waiting = changing->waiting;
    if (NULL == edition) {
        (void) pthread_mutex_unlock (&changing->lock);
        return MHD_NO;
    }
    atomic_fetch_add (&edition->references, 1);
    changing->latest = edition;
    changing->waiting = NULL;
    (void) pthread_mutex_unlock (&changing->lock);
    release (before);
    while (NULL != waiting) {
        struct waiter *const next = waiting->next;
        MHD_resume_connection (waiting->connection);
        waiting = next;
    }
    struct MHD_Response *const response = respond (changing->fields, edition->state, strlen (edition->state));
    (void) snprintf (tag, sizeof tag, "\"bare.%lu\"", edition->number);
    release (edition);
    if (NULL == response)
        return MHD_NO;
    const enum MHD_Result queued = MHD_YES == MHD_add_response_header (response, MHD_HTTP_HEADER_ETAG, tag)
                                       ? MHD_queue_response (connection, MHD_HTTP_OK, response)
                                       : MHD_NO;
    MHD_destroy_response (response);
    return queued;
}

/* What *state is from the first call for a request to the one that suspends it. */
static struct waiter begun;

static enum MHD_Result park (struct changing *changing, struct MHD_Connection *connection, void **state)
{
    if (&begun == *state) {
        const char *const since = MHD_lookup_connection_value (connection, MHD_GET_ARGUMENT_KIND, "since");
        const char *const dot = NULL == since ? NULL : strchr (since, '.');
        const unsigned long seen = NULL == dot ? 0 : strtoul (dot + 1, NULL, 10);
        struct waiter *const waiter = calloc (1, sizeof *waiter);
        if (NULL == waiter)
            return MHD_NO;
        *state = waiter;
        waiter->connection = connection;
        (void) pthread_mutex_lock (&changing->lock);
        const int waits = changing->latest->number <= seen;
        if (waits)
            suspend (changing, waiter);
        (void) pthread_mutex_unlock (&changing->lock);
        if (waits)
            return MHD_YES;
    }
    struct edition *const edition = latest (changing);
    const enum MHD_Result queued = MHD_queue_response (connection, MHD_HTTP_OK, edition->answer);
    release (edition);
    return queued;
}

/* -------------------------------------------------------------------------------------------------- streams */

static ssize_t read_stream (void *context, uint64_t position, char *buffer, size_t capacity)
{
    struct stream *const stream = context;
    struct changing *const changing = stream->changing;
    (void) position;
    if (NULL == stream->sending) {
        (void) pthread_mutex_lock (&changing->lock);
        if (changing->latest->number == stream->last) {
            suspend (changing, &stream->waiter);
            (void) pthread_mutex_unlock (&changing->lock);
            return 0;
        }
        stream->sending = changing->latest;
        atomic_fetch_add (&stream->sending->references, 1);
        (void) pthread_mutex_unlock (&changing->lock);
        stream->sent = 0;
        stream->last = stream->sending->number;
    }
    const size_t left = stream->sending->event_length - stream->sent;
    const size_t taken = left < capacity ? left : capacity;
    memcpy (buffer, stream->sending->event + stream->sent, taken);
    stream->sent += taken;
    if (taken == left) {
        release (stream->sending);
        stream->sending = NULL;
    }
    return (ssize_t) taken;
}

static void free_stream (void *context)
{
    struct stream *const stream = context;
    release (stream->sending);
    free (stream);
}

static enum MHD_Result begin_stream (struct changing *changing, struct MHD_Connection *connection)
{
    struct stream *const stream = calloc (1, sizeof *stream);
    if (NULL == stream)
        return MHD_NO;
    *stream = (struct stream){ .waiter.connection = connection, .changing = changing, .last = (unsigned long) -1 };
    struct MHD_Response *const response
        = MHD_create_response_from_callback (MHD_SIZE_UNKNOWN, 1024, &read_stream, stream, &free_stream);
    if (NULL == response) {
        free (stream);
        return MHD_NO;
    }
    const enum MHD_Result queued
        = MHD_YES == MHD_add_response_header (response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/event-stream")
              ? MHD_queue_response (connection, MHD_HTTP_OK, response)
              : MHD_NO;
    MHD_destroy_response (response);
    return queued;
}

/* ------------------------------------------------------------------------------------------------- requests */

void changing_complete (void *context, struct MHD_Connection *connection, void **state,
                        enum MHD_RequestTerminationCode code)
{
    (void) context;
    (void) connection;
    (void) code;
    if (&begun != *state)
        free (*state);
}

struct changing *changing_create (const struct fields *fields, size_t bytes)
{
    struct changing *const changing = calloc (1, sizeof *changing);
    if (NULL == changing || 0 != pthread_mutex_init (&changing->lock, NULL))
        return NULL;
    changing->fields = fields;
    changing->bytes = bytes;
    changing->latest = publish (changing, 0);
    return NULL == changing->latest ? NULL : changing;
}

enum MHD_Result changing_handle (void *context, struct MHD_Connection *connection, const char *url, const char *method,
                                 const char *version, const char *bytes, size_t *length, void **state)
{
    struct changing *const changing = context;
    (void) version;
    (void) bytes;
    if (NULL == *state) {
        *state = &begun; /* an answer given at the head would close the connection */
        return MHD_YES;
    }
    if (0 != *length) {
        *length = 0;
        return MHD_YES;
    }
    if (0 == strcmp (url, "/change") && 0 == strcmp (method, MHD_HTTP_METHOD_POST))
        return change (changing, connection);
    if (0 == strcmp (url, "/park"))
        return park (changing, connection, state);
    if (0 == strcmp (url, "/stream"))
        return begin_stream (changing, connection);
    struct MHD_Response *const response = respond (changing->fields, "{}", 2);
    if (NULL == response)
        return MHD_NO;
    const enum MHD_Result queued = MHD_queue_response (connection, MHD_HTTP_OK, response);
    MHD_destroy_response (response);
    return queued;
}
