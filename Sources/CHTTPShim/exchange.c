/* One request and its answer: memory, and the two decisions everything hangs on. Who may answer is decided by one
 * compare-and-swap of `claim`; who may resume a suspended connection by the move away from STATE_PARKED, which only the
 * claim's owner makes, or, for a stream, by a compare-and-swap of its own (stream.c). */
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Room for the fields of most requests, so that the exchange need not move. */
#define FIELD_ROOM 96

void exchange_retain (struct http_exchange *exchange)
{
    atomic_fetch_add_explicit (&exchange->references, 1, memory_order_relaxed);
}

void http_exchange_release (struct http_exchange *exchange)
{
    if (1 != atomic_fetch_sub_explicit (&exchange->references, 1, memory_order_acq_rel))
        return;
    atomic_fetch_add_explicit (&exchange->server->released, 1, memory_order_relaxed);
    stream_free (exchange->stream);
    free (exchange->body);
    free (exchange);
}

/* Where the origin-form begins: RFC 9112, section 3.2.2, has every server take the absolute-form too. */
static const char *origin_form (const char *target)
{
    size_t scheme = 0;
    if (0 == strncasecmp (target, "http://", 7))
        scheme = 7;
    else if (0 == strncasecmp (target, "https://", 8))
        scheme = 8;
    if (0 == scheme)
        return target;
    const char *const path = target + scheme + strcspn (target + scheme, "/?");
    return '/' == path[0] ? path : "/";
}

struct http_exchange *exchange_create (struct loop *loop, const char *target)
{
    const char *const path = origin_form (target);
    const size_t length = strlen (path);
    const size_t path_length = strcspn (path, "?");
    /* A second copy of what may have to be decoded. */
    const size_t decoded = NULL != memchr (path, '%', path_length) ? path_length : 0;
    const size_t capacity = length + decoded + FIELD_ROOM;
    if (capacity >= NO_SPAN)
        return NULL;
    struct http_exchange *const exchange = malloc (sizeof *exchange + capacity);
    if (NULL == exchange)
        return NULL;
    memset (exchange, 0, sizeof *exchange);
    memset (exchange->fields, 0xff, sizeof exchange->fields);
    memset (exchange->parameters, 0xff, sizeof exchange->parameters);
    atomic_init (&exchange->references, 1);
    exchange->server = loop->server;
    exchange->loop = loop;
    exchange->descriptor = -1;
    exchange->route = -1;
    exchange->text_capacity = (uint32_t) capacity;
    exchange->path = exchange_append (exchange, path, path_length);
    exchange->query.offset = NO_SPAN;
    if (path_length < length)
        exchange->query = exchange_append (exchange, path + path_length + 1, length - path_length - 1);
    exchange->number = atomic_fetch_add_explicit (&loop->server->begun, 1, memory_order_relaxed);
    return exchange;
}

/* Makes room for `more` bytes of fields. Only while nobody else knows the exchange: it may move. */
struct http_exchange *exchange_reserve (struct http_exchange *exchange, size_t more)
{
    const size_t decoded
        = NULL != memchr (exchange->text + exchange->path.offset, '%', exchange->path.length) ? exchange->path.length : 0;
    const size_t needed = exchange->text_length + more + decoded;
    if (needed <= exchange->text_capacity)
        return exchange;
    if (needed >= NO_SPAN)
        return NULL;
    struct http_exchange *const moved = realloc (exchange, sizeof *exchange + needed);
    if (NULL != moved)
        moved->text_capacity = (uint32_t) needed;
    return moved;
}

struct span exchange_append (struct http_exchange *exchange, const char *bytes, size_t length)
{
    struct span span = { NO_SPAN, 0 };
    if (length > exchange->text_capacity - exchange->text_length)
        return span;
    span.offset = (uint16_t) exchange->text_length;
    span.length = (uint16_t) length;
    memcpy (exchange->text + exchange->text_length, bytes, length);
    exchange->text_length += (uint32_t) length;
    return span;
}

/* Hands the complete request to Swift and sees what became of it. */
static enum MHD_Result dispatch (struct http_exchange *exchange)
{
    struct http_server *const server = exchange->server;
    exchange->dispatched = true;
    exchange->loop->dispatched += 1;
    atomic_store_explicit (&exchange->state, STATE_DISPATCHED, memory_order_relaxed);
    atomic_fetch_add_explicit (&server->running, 1, memory_order_relaxed);
    exchange_retain (exchange);
    server->callbacks.dispatch (server->owner, exchange, (uint32_t) exchange->route);
    if (STATE_ANSWERED == atomic_load_explicit (&exchange->state, memory_order_acquire))
        return exchange_queue (exchange);
    return exchange_park (exchange);
}

/* libmicrohttpd's call once the request is complete, and again each time the connection was resumed. */
enum MHD_Result exchange_run (struct http_exchange *exchange)
{
    switch (atomic_load_explicit (&exchange->state, memory_order_acquire)) {
    case STATE_RECEIVING: return dispatch (exchange);
    case STATE_ANSWERED: return exchange_queue (exchange);
    case STATE_GONE: return MHD_NO; /* closes; allowed, as it is not suspended any more */
    default: return MHD_YES;
    }
}

enum MHD_Result exchange_queue (struct http_exchange *exchange)
{
    struct MHD_Response *const response = exchange->response;
    if (NULL == response)
        return MHD_NO; /* there was no memory for it */
    atomic_store_explicit (&exchange->state, STATE_SENDING, memory_order_relaxed);
    if (NULL != exchange->stream)
        stream_begin (exchange);
    const enum MHD_Result queued = MHD_queue_response (exchange->connection, exchange->status, response);
    exchange->response = NULL;
    MHD_destroy_response (response);
    return queued;
}

static enum http_answer refuse_answer (struct http_reply *reply, unsigned char claim)
{
    if (NULL != reply)
        http_reply_destroy (reply);
    return CLAIM_HANDLER == claim ? HTTP_ANSWER_TWICE : HTTP_ANSWER_GONE;
}

static enum http_answer answer (struct http_exchange *exchange, unsigned status, struct http_reply *reply, bool close,
                                struct stream *stream)
{
    unsigned char claim = CLAIM_FREE;
    if (!atomic_compare_exchange_strong (&exchange->claim, &claim, CLAIM_HANDLER)) {
        stream_free (stream);
        return refuse_answer (reply, claim);
    }
    exchange->response = (struct MHD_Response *) reply;
    exchange->status = (uint16_t) status;
    exchange->stream = stream;
    if (NULL != reply)
        reply_finish (exchange, exchange->response, close);
    exchange_answered (exchange);
    return HTTP_ANSWER_TAKEN;
}

enum http_answer http_exchange_answer (struct http_exchange *exchange, unsigned status, struct http_reply *reply,
                                       bool close)
{
    return answer (exchange, status, reply, close, NULL);
}

enum http_answer http_exchange_answer_stream (struct http_exchange *exchange, unsigned status, struct http_reply *reply)
{
    struct stream *const stream = stream_create ();
    if (NULL != stream)
        return answer (exchange, status, reply, true, stream);
    http_reply_destroy (reply);
    return answer (exchange, status, NULL, true, NULL);
}

static void record (const struct http_exchange *exchange)
{
    const struct http_server *const server = exchange->server;
    char id[HTTP_REQUEST_ID_SIZE];
    identity_format (server, exchange->number, id);
    const struct http_outcome outcome = {
        .route = exchange->route,
        .method = exchange->method,
        .is_head = exchange->is_head,
        .status = 0 == exchange->status ? 499 : exchange->status,
        .microseconds = clock_microseconds () - exchange->started,
        .request_id = id,
    };
    server->callbacks.record (server->owner, &outcome);
}

/* The last word on an exchange, on its event loop: libmicrohttpd will not call for it again. */
void exchange_complete (struct http_exchange *exchange)
{
    struct http_server *const server = exchange->server;
    if (NULL != exchange->stream)
        stream_end (exchange);
    if (NULL != exchange->response)
        MHD_destroy_response (exchange->response); /* answered, but never queued */
    exchange->response = NULL;
    if (NULL != exchange->waiter)
        server->callbacks.completed (exchange->waiter);
    if (exchange->entered && NULL != server->callbacks.record)
        record (exchange);
    if (exchange->dispatched)
        server_finished_one (server);
    http_exchange_release (exchange);
}
