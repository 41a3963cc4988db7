/* A body that is written while it is sent. libmicrohttpd sends the head and asks for the body; from then on the connection
 * is suspended to its end, and the shim writes each piece to the socket itself: one system call for an event, from bytes
 * that all its streams share, without a walk through libmicrohttpd's lists. One piece at a time is on its way; what changes
 * meanwhile is told by who sends the next. */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* libmicrohttpd allocates a block for reading a body that the shim sends itself. */
#define BLOCK 16

struct stream {
    pthread_mutex_t lock;
    struct http_body *piece; /* on its way */
    struct http_body *last;  /* to be sent after it, when it is finished */
    bool refused;            /* one was not taken meanwhile: its sender is to be told when there is room */
    bool finished;           /* nothing more will be sent after it */
    bool closed;             /* nothing more is taken */
    bool sent_whole;         /* all of it, the end included */
    bool left;               /* it ends because its client sends no more */
    bool over;               /* its connection is being closed */
    size_t offset;           /* of the piece: how much was sent. The loop's alone, as is what follows */
    size_t end_offset;
};

static struct stream *create (void)
{
    struct stream *const stream = calloc (1, sizeof *stream);
    if (NULL != stream && 0 != pthread_mutex_init (&stream->lock, NULL)) {
        free (stream);
        return NULL;
    }
    return stream;
}

void stream_free (struct stream *stream)
{
    if (NULL == stream)
        return;
    if (NULL != stream->piece)
        http_body_release (stream->piece);
    if (NULL != stream->last)
        http_body_release (stream->last);
    (void) pthread_mutex_destroy (&stream->lock);
    free (stream);
}

/* ----------------------------------------------------------------------------------------- any thread */

enum http_write http_stream_send (struct http_exchange *exchange, struct http_body *piece)
{
    struct stream *const stream = exchange->stream;
    enum http_write result = HTTP_WRITE_TAKEN;
    (void) pthread_mutex_lock (&stream->lock);
    if (stream->finished || stream->closed || CLAIM_SHIM == atomic_load (&exchange->claim)) {
        result = HTTP_WRITE_GONE;
    } else if (NULL != stream->piece) {
        stream->refused = true;
        result = HTTP_WRITE_FULL;
    } else {
        body_retain (piece);
        stream->piece = piece;
    }
    (void) pthread_mutex_unlock (&stream->lock);
    if (HTTP_WRITE_TAKEN == result)
        inbox_put (exchange->inbox, exchange);
    return result;
}

/* Returns whether it was not finished before. */
static bool finish (struct http_exchange *exchange, struct http_body *last)
{
    struct stream *const stream = exchange->stream;
    (void) pthread_mutex_lock (&stream->lock);
    const bool first = !stream->finished;
    stream->finished = true;
    if (first && NULL != last) {
        body_retain (last);
        stream->last = last;
    }
    (void) pthread_mutex_unlock (&stream->lock);
    if (first)
        inbox_put (exchange->inbox, exchange);
    return first;
}

void http_stream_finish (struct http_exchange *exchange, struct http_body *last)
{
    (void) finish (exchange, last);
}

/* ------------------------------------------------------------------------------------ the loop's thread */

/* libmicrohttpd is asked to close: its next call of stream_read() says so. */
static void end (struct http_exchange *exchange)
{
    struct stream *const stream = exchange->stream;
    if (stream->over)
        return;
    stream->over = true;
    (void) pthread_mutex_lock (&stream->lock);
    stream->closed = true;
    (void) pthread_mutex_unlock (&stream->lock);
    atomic_store (&exchange->state, STATE_ANSWERED); /* taken back from the inbox, it is resumed */
    inbox_put (exchange->inbox, exchange);
}

enum sending {
    SENDING_DONE,
    SENDING_BLOCKED,
    SENDING_BROKEN,
};

static enum sending send_from (struct connection *connection, const char *bytes, size_t length, size_t *offset)
{
    while (*offset < length) {
        struct iovec rest = { (void *) (uintptr_t) (bytes + *offset), length - *offset };
        const ssize_t count = connection_send (connection, &rest, 1);
        if (count >= 0)
            *offset += (size_t) count;
        else if (EAGAIN == errno)
            return SENDING_BLOCKED;
        else if (EINTR != errno)
            return SENDING_BROKEN;
    }
    return SENDING_DONE;
}

static enum sending send_piece (struct http_exchange *exchange, struct http_body *piece)
{
    if (0 == exchange->request.minor) /* HTTP/1.0 knows no chunks: the body ends with the connection */
        return send_from (exchange->connection, piece->text + piece->prefix, piece->length, &exchange->stream->offset);
    return send_from (exchange->connection, piece->text, piece->prefix + piece->length + 2, &exchange->stream->offset);
}

static enum sending send_end (struct http_exchange *exchange)
{
    static const char last_chunk[] = "0\r\n\r\n";
    if (0 == exchange->request.minor)
        return SENDING_DONE;
    return send_from (exchange->connection, last_chunk, sizeof last_chunk - 1, &exchange->stream->end_offset);
}

/* Returns whether somebody is to be told that there is room. */
static bool drop_piece (struct stream *stream)
{
    (void) pthread_mutex_lock (&stream->lock);
    struct http_body *const piece = stream->piece;
    const bool refused = stream->refused;
    stream->piece = NULL;
    stream->refused = false;
    (void) pthread_mutex_unlock (&stream->lock);
    stream->offset = 0;
    if (NULL != piece)
        http_body_release (piece);
    return refused;
}

/* Sends what there is, as far as the socket takes it. */
void stream_flush (struct http_exchange *exchange)
{
    struct stream *const stream = exchange->stream;
    struct connection *const connection = exchange->connection;
    while (!stream->over) {
        (void) pthread_mutex_lock (&stream->lock);
        if (NULL == stream->piece) {
            stream->piece = stream->last;
            stream->last = NULL;
        }
        struct http_body *const piece = stream->piece;
        const bool finished = stream->finished;
        (void) pthread_mutex_unlock (&stream->lock);
        if (NULL == piece && !finished)
            return;
        if (NULL != piece && 0 == stream->offset)
            connection_enter (connection, PHASE_STREAMING); /* its time is counted anew */
        enum sending sending = NULL == piece ? send_end (exchange) : send_piece (exchange, piece);
        if (!connection_want_writable (connection, SENDING_BLOCKED == sending))
            sending = SENDING_BROKEN;
        if (SENDING_BLOCKED == sending)
            return;
        if (SENDING_BROKEN == sending || NULL == piece) {
            stream->sent_whole = SENDING_DONE == sending && !stream->left;
            end (exchange);
            return;
        }
        if (drop_piece (stream) && !finished && NULL != exchange->waiter)
            exchange->server->callbacks.drained (exchange->waiter);
    }
}

/* Its client sends no more. A client rarely listens to a stream with half a connection for long, but one that still
 * reads is sent the end of the body: without it the stream would look cut off (RFC 9112, section 8). */
void stream_half_close (struct http_exchange *exchange)
{
    if (finish (exchange, NULL))
        exchange->stream->left = true;
}

/* Its client has left. */
void stream_abandon (struct http_exchange *exchange)
{
    end (exchange);
}

/* Whether all of it was sent. */
bool stream_was_sent (const struct http_exchange *exchange)
{
    return exchange->stream->sent_whole;
}

/* The head was sent. A reader that returned 0 without suspending would be called again at once. */
static void begin (struct http_exchange *exchange)
{
    http_reply_destroy (exchange->reply);
    exchange->reply = NULL;
    connection_enter (exchange->connection, PHASE_STREAMING);
    connection_suspend (exchange->connection);
    atomic_store (&exchange->state, STATE_STREAMING);
    /* It begins with an event, also where it is to end at once. */
    if (NULL != exchange->waiter)
        exchange->server->callbacks.drained (exchange->waiter);
    if (exchange->connection->ended)
        stream_half_close (exchange);
    else if (atomic_load (&exchange->server->stopping))
        http_stream_finish (exchange, NULL);
    stream_flush (exchange);
}

/* For the last time. */
void stream_end (struct http_exchange *exchange)
{
    struct stream *const stream = exchange->stream;
    (void) pthread_mutex_lock (&stream->lock);
    stream->closed = true;
    (void) pthread_mutex_unlock (&stream->lock);
    (void) drop_piece (stream);
}

/* libmicrohttpd's content reader: called once when the head was sent, and once more at the end. Between the two the
 * exchange is alive, since it is completed last of all. */
static ssize_t read_nothing (void *context, uint64_t position, char *buffer, size_t capacity)
{
    struct http_exchange *const exchange = context;
    const struct stream *const stream = exchange->stream;
    (void) position;
    (void) buffer;
    (void) capacity;
    if (stream->over)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    begin (exchange);
    return 0;
}

/* The stream is there from here on: whoever brings its events may do so before the answer is given. */
static bool prepare (struct http_exchange *exchange)
{
    if (!exchange->request.is_head && NULL == exchange->stream)
        exchange->stream = create ();
    return exchange->request.is_head || NULL != exchange->stream;
}

struct http_reply *http_reply_create_stream (struct http_exchange *exchange)
{
    const struct request *const request = &exchange->request;
    if (!prepare (exchange))
        return NULL;
    /* HTTP/1.0 knows no chunks. */
    return reply_create_unframed (request->is_head || 0 == request->minor ? FRAMED_BY_CLOSE : FRAMED_BY_CHUNKS);
}

/* What libmicrohttpd takes for its answer. NULL without memory. */
struct MHD_Response *stream_response (struct http_exchange *exchange)
{
    return MHD_create_response_from_callback (MHD_SIZE_UNKNOWN, BLOCK, &read_nothing, exchange, NULL);
}
