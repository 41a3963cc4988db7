/* A body that is written while it is sent: a bounded buffer between any writer and the event loop's reader. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* An idle stream keeps a buffer of this size at most. */
#define KEPT_CAPACITY 512

struct stream {
    pthread_mutex_t lock;
    char *buffer;
    size_t start;
    size_t length;
    size_t capacity;
    bool finished;     /* nothing more will be written */
    bool closed;       /* nothing more will be read */
    bool writer_waits; /* a write was refused as full since the buffer was last half empty */
};

struct stream *stream_create (void)
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
    (void) pthread_mutex_destroy (&stream->lock);
    free (stream->buffer);
    free (stream);
}

/* Under the lock. */
static bool append (struct stream *stream, const void *bytes, size_t length)
{
    if (stream->start + stream->length + length > stream->capacity) {
        if (stream->length > 0 && stream->start > 0)
            memmove (stream->buffer, stream->buffer + stream->start, stream->length);
        stream->start = 0;
        size_t capacity = stream->capacity < KEPT_CAPACITY ? KEPT_CAPACITY : stream->capacity;
        while (capacity < stream->length + length)
            capacity *= 2;
        if (capacity != stream->capacity) {
            char *const grown = realloc (stream->buffer, capacity);
            if (NULL == grown)
                return false;
            stream->buffer = grown;
            stream->capacity = capacity;
        }
    }
    memcpy (stream->buffer + stream->start + stream->length, bytes, length);
    stream->length += length;
    return true;
}

/* Under the lock. */
static size_t take (struct stream *stream, char *buffer, size_t capacity)
{
    const size_t taken = stream->length < capacity ? stream->length : capacity;
    memcpy (buffer, stream->buffer + stream->start, taken);
    stream->start += taken;
    stream->length -= taken;
    if (0 == stream->length) {
        stream->start = 0;
        if (stream->capacity > KEPT_CAPACITY) {
            free (stream->buffer);
            stream->buffer = NULL;
            stream->capacity = 0;
        }
    }
    return taken;
}

/* Whoever makes this move resumes. */
static bool leave_parking (struct http_exchange *exchange)
{
    unsigned char expected = STATE_PARKED;
    return atomic_compare_exchange_strong (&exchange->state, &expected, STATE_SENDING);
}

/* On the event loop, just before the response is queued. */
void stream_begin (struct http_exchange *exchange)
{
    /* A reader that stalls would have megabytes handed to the kernel before the buffer here ever filled. */
    watch_limit_unsent (exchange->descriptor);
    atomic_store (&exchange->streaming, true);
    /* Watched to its end, flowing or not: while it is stuck on a full socket libmicrohttpd does not see a hang-up. */
    if (!watch_add (exchange->server->watch, exchange->descriptor, exchange))
        atomic_store (&exchange->hung_up, true);
}

/* On the event loop, for the last time. */
void stream_end (struct http_exchange *exchange)
{
    struct stream *const stream = exchange->stream;
    watch_remove (exchange->server->watch, exchange->descriptor, exchange);
    (void) pthread_mutex_lock (&stream->lock);
    stream->closed = true;
    (void) pthread_mutex_unlock (&stream->lock);
    exchange_tell_gone (exchange);
}

/* What is flowing ends by itself: its socket was shut down (watch.c), or the reader sees it. */
void stream_hang_up (struct http_exchange *exchange)
{
    if (!leave_parking (exchange))
        return;
    exchange_tell_gone (exchange);
    loop_resume (exchange);
}

void stream_abandon (struct http_exchange *exchange)
{
    (void) pthread_mutex_lock (&exchange->stream->lock);
    exchange->stream->finished = true;
    (void) pthread_mutex_unlock (&exchange->stream->lock);
    stream_hang_up (exchange);
}

/* libmicrohttpd's content reader, on the event loop. */
ssize_t stream_read (void *context, uint64_t position, char *buffer, size_t capacity)
{
    struct http_exchange *const exchange = context;
    struct stream *const stream = exchange->stream;
    (void) position;
    if (NULL == stream)
        return MHD_CONTENT_READER_END_OF_STREAM; /* a HEAD */
    if (atomic_load (&exchange->hung_up))
        return MHD_CONTENT_READER_END_WITH_ERROR;
    (void) pthread_mutex_lock (&stream->lock);
    if (stream->length > 0) {
        const size_t taken = take (stream, buffer, capacity);
        const bool drained = stream->writer_waits && stream->length <= exchange->server->limits.stream_bytes / 2;
        stream->writer_waits = stream->writer_waits && !drained;
        (void) pthread_mutex_unlock (&stream->lock);
        if (drained && NULL != exchange->waiter)
            exchange->server->callbacks.drained (exchange->waiter);
        return (ssize_t) taken;
    }
    if (stream->finished) {
        (void) pthread_mutex_unlock (&stream->lock);
        return MHD_CONTENT_READER_END_OF_STREAM;
    }
    /* A reader that returned 0 without suspending would be called again at once. Parked under the lock, so that a writer
     * either leaves its bytes before we looked or finds the exchange parked. */
    if (!loop_suspend (exchange)) {
        stream->finished = true;
        (void) pthread_mutex_unlock (&stream->lock);
        return MHD_CONTENT_READER_END_OF_STREAM;
    }
    atomic_store (&exchange->state, STATE_PARKED);
    (void) pthread_mutex_unlock (&stream->lock);
    if (atomic_load (&exchange->hung_up))
        stream_hang_up (exchange);
    else if (atomic_load (&exchange->server->stopping))
        stream_abandon (exchange);
    return 0;
}

/* libmicrohttpd is done with the response. */
void stream_release (void *exchange)
{
    http_exchange_release (exchange);
}

enum http_write http_stream_write (struct http_exchange *exchange, const void *bytes, size_t length)
{
    struct stream *const stream = exchange->stream;
    enum http_write result = HTTP_WRITE_GONE;
    if (atomic_load (&exchange->hung_up))
        return HTTP_WRITE_GONE;
    (void) pthread_mutex_lock (&stream->lock);
    if (stream->finished || stream->closed) {
        result = HTTP_WRITE_GONE;
    } else if (stream->length > 0 && stream->length + length > exchange->server->limits.stream_bytes) {
        stream->writer_waits = true;
        result = HTTP_WRITE_FULL;
    } else if (append (stream, bytes, length)) {
        result = HTTP_WRITE_TAKEN;
    }
    (void) pthread_mutex_unlock (&stream->lock);
    if (HTTP_WRITE_TAKEN == result && leave_parking (exchange))
        loop_resume (exchange);
    return result;
}

void http_stream_finish (struct http_exchange *exchange)
{
    struct stream *const stream = exchange->stream;
    (void) pthread_mutex_lock (&stream->lock);
    stream->finished = true;
    (void) pthread_mutex_unlock (&stream->lock);
    if (leave_parking (exchange))
        loop_resume (exchange);
}
