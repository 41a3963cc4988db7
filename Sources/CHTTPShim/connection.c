/* The events of connections, from libmicrohttpd: begin, head, body, resumed, complete, end. */
#include "internal.h"

#include <sys/ioctl.h>
#include <sys/mman.h>

/* The most connections of one daemon. */
#define SHARD_CONNECTIONS 512
/* The shim reads and drops this much of a refused body over the limit. If it closed with unread bytes, the kernel would
 * reset the connection, and the client might not get the answer. */
#define DROPPED_BYTES (1024u * 1024u)
/* An option and a flag of 1.0 that the header of 0.9.75 lacks (microhttpd.h of 1.0.1). */
#define OPTION_CLIENT_DISCIPLINE_LVL ((enum MHD_OPTION) 38)
#define USE_NO_THREAD_SAFETY (1u << 19)

void connection_enter (struct connection *connection, enum phase phase) {
    connection->phase = phase;
    connection->since = connection->looked_at = connection->loop->now;
    connection->progress = 0;
    connection->loop->progress += 1;
}

void connection_suspend (struct connection *connection) {
    connection->is_suspended = true;
    (void) atomic_fetch_add_explicit (&connection->loop->suspended_count, 1, memory_order_relaxed);
    MHD_suspend_connection (connection->handle);
}

void connection_resume (struct connection *connection) {
    if (!connection->is_suspended)
        return;
    connection->is_suspended = false;
    (void) atomic_fetch_sub_explicit (&connection->loop->suspended_count, 1, memory_order_relaxed);
    MHD_resume_connection (connection->handle);
    connection->loop->progress += 1;
    loop_mark (connection->loop, connection->shard);
}

/* Ends the context of the connection's exchange, if it still has one. */
void connection_tell (struct connection *connection, enum http_departure departure) {
    struct http_exchange *const exchange = connection->exchange;
    void *const context = NULL == exchange ? NULL : exchange->context;
    if (NULL == context)
        return;
    exchange->context = NULL;
    connection->loop->server->callbacks.hung_up (context, departure);
}

/* Returns the zero pages of a suspended connection's pool to the kernel, once: they read as zeros again. */
void connection_drop_zero_pages (struct connection *connection) {
    static const char zeros[4096];
    const char *const pool = connection->uri; /* a few bytes behind its beginning */
    if (NULL == pool)
        return;
    char *page = (char *) (((uintptr_t) pool + sizeof zeros - 1) & ~(uintptr_t) (sizeof zeros - 1));
    for (; page + sizeof zeros <= pool + connection->loop->server->pool - 128; page += sizeof zeros)
        if (0 == memcmp (page, zeros, sizeof zeros))
            (void) madvise (page, sizeof zeros, MADV_DONTNEED);
    connection->uri = NULL;
}

/* The kernel's state of a connection. */
struct tcp_info connection_tcp (const struct connection *connection) {
    struct tcp_info info = { 0 };
    socklen_t length = sizeof info;
    (void) getsockopt (connection->descriptor, IPPROTO_TCP, TCP_INFO, &info, &length);
    return info;
}

/* How many bytes libmicrohttpd has read beyond the complete requests. */
uint64_t connection_bytes_read (const struct connection *connection) {
    int unread = 0;
    (void) ioctl (connection->descriptor, FIONREAD, &unread);
    const uint64_t received = connection_tcp (connection).tcpi_bytes_received;
    const uint64_t others = connection->accounted + (uint64_t) unread;
    return received > others ? received - others : 0;
}

/* The free bytes of the pool for the head of an answer. With too few, libmicrohttpd closes the connection without an answer.
 * Later requests in the same burst also use the pool: libmicrohttpd reads up to half of it in advance. */
static size_t room_left (const struct connection *connection) {
    const struct http_exchange *const exchange = connection->exchange;
    const uint64_t own = exchange->head_bytes + exchange->received;
    if (exchange->room >= HTTP_ANSWER_HEAD_BYTES + connection->loop->server->pool / 2)
        return exchange->room;
    const uint64_t read = connection_bytes_read (connection);
    const uint64_t ahead = read > own ? read - own : 0;
    return exchange->room > ahead ? exchange->room - (size_t) ahead : 0;
}

/* Answers only with a status, because the pool has too little room for Swift's answer. */
static enum MHD_Result refuse_head (struct connection *connection) {
    struct MHD_Response *const response = MHD_create_response_from_buffer (0, NULL, MHD_RESPMEM_PERSISTENT);
    connection_enter (connection, PHASE_ANSWERING);
    (void) MHD_add_response_header (response, MHD_HTTP_HEADER_CONNECTION, "close");
    const enum MHD_Result result
        = MHD_queue_response (connection->handle, MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE, response);
    MHD_destroy_response (response);
    return result;
}

/* Calls Swift, and queues the answer or parks the exchange. */
static enum MHD_Result dispatch (struct connection *connection) {
    struct http_exchange *const exchange = connection->exchange;
    struct loop *const loop = connection->loop;
    const size_t room = room_left (connection);
    if (room < HTTP_ANSWER_HEAD_BYTES / 2)
        return refuse_head (connection);
    if (room < HTTP_ANSWER_HEAD_BYTES) {
        exchange->request.refusal = MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE;
        exchange->closes = true;
    }
    exchange->began = clock_microseconds ();
    exchange_retain (exchange); /* for Swift, which releases it */
    loop->dispatching = exchange;
    atomic_store_explicit (&loop->called_route, exchange->request.route, memory_order_relaxed);
    atomic_store_explicit (&loop->called_since, exchange->began / 1000, memory_order_relaxed);
    exchange->context = loop->server->callbacks.request (loop->server->owner, exchange, &exchange->request);
    atomic_store_explicit (&loop->called_since, 0, memory_order_relaxed);
    loop->dispatching = NULL;
    if (atomic_load_explicit (&exchange->is_answered, memory_order_acquire))
        return answer_queue (connection);
    connection_enter (connection, PHASE_PARKED);
    connection_suspend (connection);
    if (STAGE_RUNNING != loop->stage)
        connection_tell (connection, HTTP_DEPARTURE_STOPPING);
    else if (connection->is_half_closed)
        connection_tell (connection, HTTP_DEPARTURE_CLIENT);
    return MHD_YES;
}

/* Whether the connection may go on after a request. */
static bool keeps_connection (unsigned refusal) {
    return 0 == refusal || MHD_HTTP_NOT_FOUND == refusal || MHD_HTTP_METHOD_NOT_ALLOWED == refusal;
}

/* A refused request is answered before its body arrives, unless the body is small enough to be dropped first. */
static bool is_answered_early (const struct http_exchange *exchange) {
    const unsigned refusal = exchange->request.refusal;
    const bool knows_body = keeps_connection (refusal) || MHD_HTTP_CONTENT_TOO_LARGE == refusal;
    const uint64_t most = exchange->loop->server->limits.body_bytes + DROPPED_BYTES;
    return 0 != refusal && (!knows_body || exchange->waits_for_continue || exchange->content_length > most);
}

/* The head is complete. */
static enum MHD_Result begin (struct connection *connection, const char *url, const char *method, const char *version,
                              void **context) {
    struct loop *const loop = connection->loop;
    if (connection->is_lost || STAGE_RUNNING != loop->stage)
        return MHD_NO; /* no answer can leave; bytes that arrived before shutdown() are still read */
    struct http_exchange *const exchange = strict_read (connection, url, method, version);
    connection->head_since = 0;
    *context = connection->exchange = exchange;
    (void) atomic_fetch_add (&loop->server->running, 1);
    connection_enter (connection, PHASE_READING);
    if (!is_answered_early (exchange))
        return MHD_YES;
    exchange->closes = true;
    return dispatch (connection);
}

static void keep_body (struct http_exchange *exchange, const char *bytes, size_t length) {
    struct http_text *const body = &exchange->request.body;
    const size_t needed = body->length + length;
    if (needed > exchange->body_capacity) {
        exchange->body_capacity = exchange->content_length > 0 ? (size_t) exchange->content_length : 2 * needed;
        body->bytes = exchange->body = allocate (exchange->body, exchange->body_capacity);
    }
    memcpy (exchange->body + body->length, bytes, length);
    body->length = needed;
}

static enum MHD_Result take_body (struct connection *connection, const char *bytes, size_t *length) {
    struct http_exchange *const exchange = connection->exchange;
    unsigned *const refusal = &exchange->request.refusal;
    const size_t limit = connection->loop->server->limits.body_bytes;
    exchange->received += *length;
    connection->loop->progress += 1;
    if (exchange->received > limit + DROPPED_BYTES)
        return MHD_NO;
    if (0 == *refusal && exchange->received > limit)
        *refusal = MHD_HTTP_CONTENT_TOO_LARGE; /* chunked: the length was not known before */
    if (0 == *refusal)
        keep_body (exchange, bytes, *length);
    exchange->closes = exchange->closes || !keeps_connection (*refusal);
    *length = 0;
    return MHD_YES;
}

static struct connection *connection_of (struct MHD_Connection *handle) {
    return MHD_get_connection_info (handle, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

/* The access handler of libmicrohttpd. It is called with the head, with each part of the body, with the complete request,
 * and after each resume. */
static enum MHD_Result handle (void *cls, struct MHD_Connection *handle, const char *url, const char *method,
                               const char *version, const char *bytes, size_t *length, void **context) {
    struct connection *const connection = connection_of (handle);
    (void) cls;
    if (NULL == connection->exchange)
        return begin (connection, url, method, version, context);
    if (0 != *length)
        return take_body (connection, bytes, length);
    if (PHASE_READING == connection->phase)
        return dispatch (connection);
    if (connection->is_lost || !atomic_load_explicit (&connection->exchange->is_answered, memory_order_acquire))
        return MHD_NO;
    return answer_queue (connection);
}

/* MHD_OPTION_NOTIFY_COMPLETED: the answer is sent, or the connection ends. */
static void completed (void *cls, struct MHD_Connection *handle, void **context, enum MHD_RequestTerminationCode code) {
    struct http_exchange *const exchange = *context;
    (void) cls;
    (void) handle;
    (void) code;
    if (NULL == exchange)
        return;
    *context = NULL;
    struct connection *const connection = exchange->connection;
    connection_tell (connection, connection->is_lost ? HTTP_DEPARTURE_CLIENT : HTTP_DEPARTURE_OVER);
    connection->accounted += exchange->head_bytes + exchange->received;
    connection->exchange = NULL;
    exchange->connection = NULL;
    answer_drop (exchange);
    (void) atomic_fetch_sub (&connection->loop->server->running, 1);
    http_exchange_release (exchange);
    connection_enter (connection, PHASE_IDLE);
}

/* Frees a connection. Its descriptor is closed, or will be at once. */
static void forget (struct connection *connection) {
    struct loop *const loop = connection->loop;
    (void) epoll_ctl (loop->epoll, EPOLL_CTL_DEL, connection->descriptor, NULL);
    if (NULL == connection->previous)
        loop->connections = connection->next;
    else
        connection->previous->next = connection->next;
    if (NULL != connection->next)
        connection->next->previous = connection->previous;
    if (NULL != connection->shard)
        connection->shard->connections -= 1;
    listen_forget (loop->server, connection);
    free (connection->target);
    free (connection);
}

/* MHD_OPTION_NOTIFY_CONNECTION: called inside MHD_add_connection(), and when the connection ends. */
static void changed (void *cls, struct MHD_Connection *handle, void **context, enum MHD_ConnectionNotificationCode code) {
    struct loop *const loop = cls;
    if (MHD_CONNECTION_NOTIFY_STARTED == code) {
        loop->adding->handle = handle;
        *context = loop->adding;
        loop->adding = NULL;
        return;
    }
    forget (*context);
}

/* MHD_OPTION_URI_LOG_CALLBACK: the target of a request line, before libmicrohttpd splits it in place. */
static void *target_seen (void *cls, const char *uri, struct MHD_Connection *handle) {
    struct connection *const connection = connection_of (handle);
    (void) cls;
    connection->uri = uri;
    connection->target_length = strlen (uri);
    if (connection->target_length >= connection->target_capacity) {
        connection->target_capacity = connection->target_length + 1;
        connection->target = allocate (connection->target, connection->target_capacity);
    }
    memcpy (connection->target, uri, connection->target_length + 1);
    return NULL;
}

/* MHD_OPTION_UNESCAPE_CALLBACK: leaves everything as it arrived, for strict.c. */
static size_t keep_escapes (void *cls, struct MHD_Connection *handle, char *text) {
    (void) cls;
    (void) handle;
    return strlen (text);
}

/* MHD_OPTION_EXTERNAL_LOGGER: only the log reports requests that the library refuses by itself. */
static void logged (void *cls, const char *format, va_list arguments) {
    struct http_server *const server = cls;
    (void) arguments;
    if (0 == strncmp (format, "Error processing request", 24))
        (void) atomic_fetch_add (&server->malformed, 1);
}

/* Starts a daemon without a thread: the loop runs it. The shim has the limits, timeouts and listening socket. */
struct MHD_Daemon *connection_daemon (struct loop *loop) {
    const bool is_modern = loop->server->is_modern;
    const unsigned flags = MHD_USE_ERROR_LOG | MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET
                           /* Without it, MHD_add_connection() of 1.0 only queues. */
                           | (is_modern ? USE_NO_THREAD_SAFETY : 0);
    return MHD_start_daemon (
        flags, 0, NULL, NULL, &handle, NULL, MHD_OPTION_EXTERNAL_LOGGER, &logged, loop->server,
        MHD_OPTION_NOTIFY_COMPLETED, &completed, NULL,
        MHD_OPTION_NOTIFY_CONNECTION, &changed, loop, MHD_OPTION_URI_LOG_CALLBACK, &target_seen, NULL,
        MHD_OPTION_UNESCAPE_CALLBACK, &keep_escapes, NULL, MHD_OPTION_CONNECTION_LIMIT, SHARD_CONNECTIONS + 1u,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, loop->server->pool, MHD_OPTION_CONNECTION_TIMEOUT, 0u,
        is_modern ? OPTION_CLIENT_DISCIPLINE_LVL : MHD_OPTION_STRICT_FOR_CLIENT, is_modern ? 1 : 0,
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
}

/* Takes ownership of an accepted connection, which listen.c has counted. */
void connection_add (struct loop *loop, struct connection *connection) {
    /* The library needs the address only for its own limit, which is not used. */
    static const struct sockaddr_in no_address = { .sin_family = AF_INET };
    struct epoll_event event = { .events = EPOLLRDHUP | EPOLLET, .data.ptr = connection };
    connection->watched = WATCHED_CONNECTION;
    connection->loop = loop;
    connection->next = loop->connections;
    if (NULL != loop->connections)
        loop->connections->previous = connection;
    loop->connections = connection;
    struct shard *const shard = loop_shard (loop, SHARD_CONNECTIONS);
    if (NULL == shard || 0 != epoll_ctl (loop->epoll, EPOLL_CTL_ADD, connection->descriptor, &event)) {
        loop->server->callbacks.turned_away (loop->server->owner, 0, NULL, errno);
        (void) close (connection->descriptor);
        forget (connection);
        return;
    }
    connection->shard = shard;
    shard->connections += 1;
    connection_enter (connection, PHASE_IDLE);
    loop->adding = connection;
    /* On failure the library closes the descriptor. Before that it may have called changed() for begin and end. */
    if (MHD_YES
            != MHD_add_connection (shard->daemon, connection->descriptor, (const struct sockaddr *) &no_address,
                                   sizeof no_address)
        && NULL != loop->adding)
        forget (connection);
    loop->adding = NULL;
    loop_mark (loop, shard);
}
