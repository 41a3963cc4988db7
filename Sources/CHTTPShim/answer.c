/* Exchanges and their answers: any thread makes an answer, the loop of its connection queues it. And the bodies of streams. */
#include "internal.h"

#include <fcntl.h>

/* libmicrohttpd's buffer for a stream before its head is sent; later it reads into the connection's pool. */
#define STREAM_BLOCK 512

/* Bytes, and the one response that all answers with them share. */
struct http_body {
    atomic_uint references;
    struct MHD_Response *response; /* NULL: a piece of a stream */
    size_t length;
    char bytes[];
};

/* The pieces of a stream that are not sent, oldest first. Under loop->lock. */
struct stream {
    struct http_body *pieces[HTTP_STREAM_PIECES];
    unsigned first, count;
    size_t bytes;     /* of these */
    size_t offset;    /* of the first that libmicrohttpd has copied; the loop's alone */
    bool is_finished; /* the body ends after these pieces */
};

/* False if a field is malformed, or if they are too long together. A NUL inside of one makes them more than they are. */
static bool add_fields (struct MHD_Response *response, const struct http_answer *answer) {
    const char *const end = answer->fields + answer->fields_length;
    size_t count = 0;
    if (answer->fields_length > HTTP_ANSWER_HEAD_BYTES - 512) /* 512: the status line and the library's own fields */
        return false;
    for (const char *name = answer->fields; name < end; count++) {
        const char *const value = name + strlen (name) + 1;
        if (value >= end || !strict_is_token (name, (size_t) (value - name) - 1)
            || !strict_is_value (value, strlen (value)) || MHD_YES != MHD_add_response_header (response, name, value))
            return false;
        name = value + strlen (value) + 1;
    }
    return answer->field_count == count;
}

struct http_body *http_body_create (const struct http_answer *answer) {
    struct http_body *const body = allocate (NULL, sizeof *body + answer->length);
    *body = (struct http_body){ .references = 1, .length = answer->length };
    if (answer->length > 0)
        memcpy (body->bytes, answer->bytes, answer->length);
    if (0 == answer->field_count)
        return body;
    /* An exchange keeps the body until it is complete, so the response needs no copy. */
    body->response = MHD_create_response_from_buffer (body->length, body->bytes, MHD_RESPMEM_PERSISTENT);
    if (NULL != body->response && add_fields (body->response, answer))
        return body;
    http_body_release (body);
    return NULL;
}

void http_body_release (struct http_body *body) {
    if (1 != atomic_fetch_sub_explicit (&body->references, 1, memory_order_acq_rel))
        return;
    if (NULL != body->response)
        MHD_destroy_response (body->response);
    free (body);
}

static struct http_body *body_retain (struct http_body *body) {
    (void) atomic_fetch_add_explicit (&body->references, 1, memory_order_relaxed);
    return body;
}

void exchange_retain (struct http_exchange *exchange) {
    (void) atomic_fetch_add_explicit (&exchange->references, 1, memory_order_relaxed);
}

static ssize_t stream_read (void *context, uint64_t position, char *out, size_t most) {
    struct http_exchange *const exchange = context;
    struct connection *const connection = exchange->connection;
    struct stream *const stream = exchange->stream;
    size_t copied = 0;
    (void) position;
    if (connection->is_lost)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    connection->loop->progress += 1;
    (void) pthread_mutex_lock (&connection->loop->lock);
    while (stream->count > 0 && copied < most) {
        struct http_body *const piece = stream->pieces[stream->first];
        const size_t left = piece->length - stream->offset;
        const size_t length = left < most - copied ? left : most - copied;
        memcpy (out + copied, piece->bytes + stream->offset, length);
        copied += length;
        stream->offset += length;
        if (stream->offset < piece->length)
            break;
        stream->first = (stream->first + 1) % HTTP_STREAM_PIECES;
        stream->count -= 1;
        stream->bytes -= piece->length;
        stream->offset = 0;
        http_body_release (piece);
    }
    const bool is_over = 0 == copied && stream->is_finished;
    (void) pthread_mutex_unlock (&connection->loop->lock);
    if (is_over)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (0 == copied)
        connection_suspend (connection);
    return (ssize_t) copied;
}

static void stream_free (void *context) {
    http_exchange_release (context);
}

/* Takes no more pieces, and drops all but the first `kept`. Under the lock. */
static void stream_drop (struct stream *stream, unsigned kept) {
    stream->is_finished = true;
    while (stream->count > kept) {
        stream->count -= 1;
        struct http_body *const piece = stream->pieces[(stream->first + stream->count) % HTTP_STREAM_PIECES];
        stream->bytes -= piece->length;
        http_body_release (piece);
    }
}

/* A client that lags behind loses its stream rather than a part of it: it returns with its cursor. libmicrohttpd may have
 * sent a part of the first piece. */
bool http_stream_send (struct http_exchange *exchange, struct http_body *piece) {
    struct stream *const stream = exchange->stream;
    if (NULL == stream)
        return false;
    (void) pthread_mutex_lock (&exchange->loop->lock);
    if (!stream->is_finished && stream->count > 0
        && (HTTP_STREAM_PIECES == stream->count || stream->bytes + piece->length > HTTP_STREAM_BYTES))
        stream_drop (stream, 1);
    const bool is_taken = !stream->is_finished;
    if (is_taken) {
        stream->pieces[(stream->first + stream->count++) % HTTP_STREAM_PIECES] = body_retain (piece);
        stream->bytes += piece->length;
    }
    (void) pthread_mutex_unlock (&exchange->loop->lock);
    if (is_taken)
        loop_post (exchange);
    return is_taken;
}

void http_stream_finish (struct http_exchange *exchange) {
    if (NULL == exchange->stream)
        return;
    (void) pthread_mutex_lock (&exchange->loop->lock);
    exchange->stream->is_finished = true;
    (void) pthread_mutex_unlock (&exchange->loop->lock);
    loop_post (exchange);
}

static struct MHD_Response *stream_response (struct http_exchange *exchange) {
    exchange->stream = allocate (NULL, sizeof *exchange->stream);
    *exchange->stream = (struct stream){ .first = 0 };
    exchange_retain (exchange);
    return MHD_create_response_from_callback (MHD_SIZE_UNKNOWN, STREAM_BLOCK, &stream_read, exchange, &stream_free);
}

static enum MHD_Result copy_field (void *response, enum MHD_ValueKind kind, const char *name, const char *value) {
    (void) kind;
    return MHD_add_response_header (response, name, value);
}

/* A response of its own with the bytes and fields of a body. NULL without memory. */
static struct MHD_Response *copy_of (const struct http_body *body) {
    struct MHD_Response *const copy
        = MHD_create_response_from_buffer (body->length, (void *) (uintptr_t) body->bytes, MHD_RESPMEM_PERSISTENT);
    if (NULL != copy && NULL != body->response)
        (void) MHD_get_response_headers (body->response, &copy_field, copy);
    return copy;
}

static bool is_shared (const struct http_exchange *exchange, const struct MHD_Response *response) {
    return NULL != exchange->shared && response == exchange->shared->response;
}

/* If the file has become shorter, the connection waits for the rest, and misses its deadline. */
static struct MHD_Response *file_response (const struct http_answer *answer) {
    const int descriptor = fcntl (answer->descriptor, F_DUPFD_CLOEXEC, 0);
    struct MHD_Response *const response
        = descriptor < 0 ? NULL : MHD_create_response_from_fd (answer->length, descriptor);
    if (NULL == response && descriptor >= 0)
        (void) close (descriptor);
    return response;
}

static struct MHD_Response *response_of (struct http_exchange *exchange, const struct http_answer *answer) {
    switch (answer->kind) {
    case HTTP_ANSWER_BYTES:
        return MHD_create_response_from_buffer (answer->length, (void *) (uintptr_t) answer->bytes,
                                                MHD_RESPMEM_MUST_COPY);
    case HTTP_ANSWER_BODY:
        if (NULL == answer->body)
            return NULL;
        exchange->shared = body_retain (answer->body);
        return 0 == answer->field_count && NULL != answer->body->response ? answer->body->response
                                                                          : copy_of (answer->body);
    case HTTP_ANSWER_FILE: return file_response (answer);
    case HTTP_ANSWER_STREAM: return stream_response (exchange);
    }
    return NULL;
}

static void drop (struct http_exchange *exchange) {
    if (NULL != exchange->response && !is_shared (exchange, exchange->response))
        MHD_destroy_response (exchange->response);
    if (NULL != exchange->shared)
        http_body_release (exchange->shared);
    exchange->response = NULL;
    exchange->shared = NULL;
}

bool http_exchange_answer (struct http_exchange *exchange, const struct http_answer *answer) {
    struct MHD_Response *const response = exchange->response = response_of (exchange, answer);
    const bool is_sound = NULL != response && answer->status >= 200 && answer->status <= 599
                          && (is_shared (exchange, response)
                              || (add_fields (response, answer)
                                  && MHD_YES == MHD_add_response_header (response, "Request-Id", exchange->request.id)));
    if (!is_sound) {
        drop (exchange);
        free (exchange->stream);
        exchange->stream = NULL;
        return false;
    }
    exchange->status = answer->status;
    exchange->closes = exchange->closes || answer->closes || HTTP_ANSWER_STREAM == answer->kind;
    atomic_store_explicit (&exchange->is_answered, true, memory_order_release);
    loop_post (exchange);
    return true;
}

/* The exchange is complete. Frees an answer that is not queued, the body that a queued one needed, and the pieces of a
 * stream, which takes no more. On the loop. */
void answer_drop (struct http_exchange *exchange) {
    if (!atomic_load_explicit (&exchange->is_answered, memory_order_acquire))
        return;
    drop (exchange);
    if (NULL == exchange->stream)
        return;
    (void) pthread_mutex_lock (&exchange->loop->lock);
    stream_drop (exchange->stream, 0);
    (void) pthread_mutex_unlock (&exchange->loop->lock);
}

void http_exchange_release (struct http_exchange *exchange) {
    if (1 != atomic_fetch_sub_explicit (&exchange->references, 1, memory_order_acq_rel))
        return;
    answer_drop (exchange);
    free (exchange->stream);
    free (exchange->body);
    free (exchange);
}

uint64_t http_exchange_age (const struct http_exchange *exchange) {
    return clock_microseconds () - exchange->began;
}

/* Queues the answer that is ready. On the loop. */
enum MHD_Result answer_queue (struct connection *connection) {
    struct http_exchange *const exchange = connection->exchange;
    struct MHD_Response *const response = exchange->response;
    const bool closes = exchange->closes || connection->is_half_closed || HTTP_REFUSAL_NONE != connection->surplus
                        || atomic_load_explicit (&connection->loop->server->is_draining, memory_order_relaxed);
    exchange->response = NULL;
    /* No other event would end the stream of a client that has left before. */
    connection->is_lost = connection->is_lost || (NULL != exchange->stream && connection->is_half_closed);
    connection_enter (connection, NULL == exchange->stream ? PHASE_ANSWERING : PHASE_STREAMING);
    struct MHD_Response *const own
        = closes && is_shared (exchange, response) ? copy_of (exchange->shared) : response;
    enum MHD_Result result = MHD_NO;
    if (NULL != own && (!closes || MHD_YES == MHD_add_response_header (own, MHD_HTTP_HEADER_CONNECTION, "close")))
        result = MHD_queue_response (connection->handle, exchange->status, own);
    if (NULL != own && !is_shared (exchange, own))
        MHD_destroy_response (own);
    return result;
}
