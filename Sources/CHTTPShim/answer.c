/* Exchanges, their answers, and the bodies of streams. Any thread makes an answer; the loop of its connection queues it. */
#include "internal.h"

#include <fcntl.h>

/* libmicrohttpd's buffer for a stream before its head is sent; later it reads into the connection's pool. */
#define STREAM_BLOCK 512

/* Bytes and fields. All answers that use them share one response. */
struct http_body {
    atomic_uint references;
    size_t field_bytes;
    struct MHD_Response *response;
    struct http_body *original; /* of a copy: has its bytes */
    size_t length;
    char bytes[];
};

/* The pieces of a stream that are not sent, oldest first. loop->lock protects them. */
struct stream {
    struct http_body *pieces[HTTP_STREAM_PIECES];
    unsigned first, count;
    size_t bytes;     /* of all pieces */
    size_t offset;    /* how much of the first piece was copied; only the loop uses it */
    bool is_finished; /* the body ends after these pieces */
};

/* If there is no memory for a response, the process ends. */
static struct MHD_Response *checked (struct MHD_Response *response) {
    if (NULL == response)
        abort ();
    return response;
}

/* An exchange keeps its body until it is complete, so the response needs no copy of the bytes. */
static struct MHD_Response *response_of (struct http_body *body) {
    return checked (MHD_create_response_from_buffer (body->length, body->bytes, MHD_RESPMEM_PERSISTENT));
}

struct http_body *http_body_create (const void *bytes, size_t length) {
    struct http_body *const body = allocate (NULL, sizeof *body + length);
    *body = (struct http_body){ .references = 1, .length = length };
    if (length > 0)
        memcpy (body->bytes, bytes, length);
    body->response = response_of (body);
    return body;
}

/* If the file has become shorter, the connection waits for the rest, and misses its deadline. */
struct http_body *http_body_create_file (int descriptor, size_t length) {
    const int duplicate = fcntl (descriptor, F_DUPFD_CLOEXEC, 0);
    if (duplicate < 0)
        return NULL;
    struct http_body *const body = allocate (NULL, sizeof *body);
    *body = (struct http_body){ .references = 1, .response = checked (MHD_create_response_from_fd (length, duplicate)) };
    return body;
}

static enum MHD_Result copy_field (void *response, enum MHD_ValueKind kind, const char *name, const char *value) {
    (void) kind;
    return MHD_add_response_header (response, name, value);
}

struct http_body *http_body_copy (struct http_body *original) {
    struct http_body *const copy = allocate (NULL, sizeof *copy);
    *copy = (struct http_body){
        .references = 1,
        .field_bytes = original->field_bytes,
        .response = response_of (original),
        .original = http_body_retain (original),
    };
    (void) MHD_get_response_headers (original->response, &copy_field, copy->response);
    return copy;
}

bool http_body_add_field (struct http_body *body, const char *name, const char *value, size_t value_length) {
    const size_t name_length = strlen (name);
    body->field_bytes += name_length + value_length;
    /* 512: the status line and the library's own fields */
    return body->field_bytes <= HTTP_ANSWER_HEAD_BYTES - 512 && strict_is_token (name, name_length)
           && strict_is_value (value, value_length) && MHD_YES == MHD_add_response_header (body->response, name, value);
}

struct http_body *http_body_retain (struct http_body *body) {
    (void) atomic_fetch_add_explicit (&body->references, 1, memory_order_relaxed);
    return body;
}

void http_body_release (struct http_body *body) {
    if (1 != atomic_fetch_sub_explicit (&body->references, 1, memory_order_acq_rel))
        return;
    MHD_destroy_response (body->response);
    if (NULL != body->original)
        http_body_release (body->original);
    free (body);
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

/* Finishes the stream, and drops all pieces but the first `kept`. The caller has the lock. */
static void stream_drop (struct stream *stream, unsigned kept) {
    stream->is_finished = true;
    while (stream->count > kept) {
        stream->count -= 1;
        struct http_body *const piece = stream->pieces[(stream->first + stream->count) % HTTP_STREAM_PIECES];
        stream->bytes -= piece->length;
        http_body_release (piece);
    }
}

/* If a client lags behind, its stream ends, and the client returns with its cursor. The first piece stays, because
 * libmicrohttpd may have sent a part of it. */
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
        stream->pieces[(stream->first + stream->count++) % HTTP_STREAM_PIECES] = http_body_retain (piece);
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

void http_exchange_stream (struct http_exchange *exchange, struct http_body *head) {
    struct MHD_Response *const fields = head->response;
    exchange->stream = allocate (NULL, sizeof *exchange->stream);
    *exchange->stream = (struct stream){ .first = 0 };
    exchange_retain (exchange);
    head->response = checked (
        MHD_create_response_from_callback (MHD_SIZE_UNKNOWN, STREAM_BLOCK, &stream_read, exchange, &stream_free));
    (void) MHD_get_response_headers (fields, &copy_field, head->response);
    MHD_destroy_response (fields);
    http_exchange_answer (exchange, head, MHD_HTTP_OK);
}

void http_exchange_answer (struct http_exchange *exchange, struct http_body *body, unsigned status) {
    exchange->answer = body;
    exchange->status = status;
    atomic_store_explicit (&exchange->is_answered, true, memory_order_release);
    loop_post (exchange);
}

/* Frees the body and the pieces of a complete exchange; its stream takes no more. On the loop, or with the last reference. */
void answer_drop (struct http_exchange *exchange) {
    if (!atomic_load_explicit (&exchange->is_answered, memory_order_acquire))
        return;
    if (NULL != exchange->answer)
        http_body_release (exchange->answer);
    exchange->answer = NULL;
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

/* Queues the ready answer. On the loop. */
enum MHD_Result answer_queue (struct connection *connection) {
    struct http_exchange *const exchange = connection->exchange;
    struct http_body *const given = exchange->answer;
    const bool is_shared = atomic_load_explicit (&given->references, memory_order_acquire) > 1;
    const bool closes = exchange->closes || NULL != exchange->stream || connection->is_half_closed || 0 != connection->refusal
                        || atomic_load_explicit (&connection->loop->server->is_draining, memory_order_relaxed);
    /* If the client left before, no later event would end the stream. */
    connection->is_lost = connection->is_lost || (NULL != exchange->stream && connection->is_half_closed);
    connection_enter (connection, NULL == exchange->stream ? PHASE_ANSWERING : PHASE_STREAMING);
    if (closes && is_shared) {
        exchange->answer = http_body_copy (given);
        http_body_release (given);
    }
    struct MHD_Response *const response = exchange->answer->response;
    const bool is_sound
        = (is_shared && !closes)
          || (MHD_YES == MHD_add_response_header (response, "Request-Id", exchange->request.id)
              && (!closes || MHD_YES == MHD_add_response_header (response, MHD_HTTP_HEADER_CONNECTION, "close")));
    return is_sound ? MHD_queue_response (connection->handle, exchange->status, response) : MHD_NO;
}
