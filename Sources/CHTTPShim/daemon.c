/* libmicrohttpd's daemon of a loop, and what it calls. It is turned from outside (loop.c), has no listening socket
 * (listen.c), no timeouts (deadlines.c), and reads through the gate (gate.c). */
#include "internal.h"

#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

/* Whether the client made libmicrohttpd stop: it may have seen the client's FIN, reset or urgent data before us. A FIN
 * does not end an answer: the client may still read. */
static bool has_left (const struct connection *connection, bool by_fin)
{
    struct pollfd state = { .fd = connection->descriptor, .events = by_fin ? POLLRDHUP | POLLPRI : POLLPRI };
    return connection->is_urged || (by_fin && connection->ended) || poll (&state, 1, 0) > 0;
}

/* Why an answer was not sent completely. */
static enum http_ending unsent (const struct connection *connection, bool by_fin)
{
    if (atomic_load (&connection->loop->ending) && !connection->ended)
        return HTTP_ENDING_STOPPED;
    if (connection->cut)
        return HTTP_ENDING_TIMEOUT;
    return has_left (connection, by_fin) ? HTTP_ENDING_CLIENT_GONE : HTTP_ENDING_LOST;
}

/* MHD_OPTION_NOTIFY_CONNECTION: a connection begins, within MHD_add_connection(), or is over. */
static void changed (void *context, struct MHD_Connection *handle, void **socket_context,
                     enum MHD_ConnectionNotificationCode code)
{
    if (MHD_CONNECTION_NOTIFY_STARTED == code) {
        struct loop *const loop = context;
        *socket_context = loop->adding;
        connection_begin (loop->adding, handle);
        loop->adding = NULL;
        return;
    }
    struct connection *const connection = *socket_context;
    /* Neither the client nor this server ended it: libmicrohttpd lacked what it needs to go on, such as memory. One that has
     * asked for nothing yet needs nothing: a read that finds urgent data skips it, and nobody can tell any more that it came. */
    const bool has_asked = NULL != connection->exchange || connection->handed > 0;
    if (has_asked && !connection->closing && !connection->cut && !atomic_load (&connection->loop->ending)
        && !has_left (connection, true))
        server_notify_loss (connection->loop->server, connection->peer);
    /* Its message was not complete, or was not looked at. */
    if (NULL != connection->exchange)
        exchange_complete (connection->exchange, unsent (connection, true), 0);
    connection_close (connection);
}

static struct connection *connection_behind (struct MHD_Connection *handle)
{
    const union MHD_ConnectionInfo *const info
        = MHD_get_connection_info (handle, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return NULL == info ? NULL : info->socket_context;
}

/* The access handler: first with the canonical head, then with the request that has no body, and again each time the
 * connection was resumed. What the gate did not hand on is no request. */
static enum MHD_Result proceed (void *loop, struct MHD_Connection *handle, const char *url, const char *method,
                                const char *version, const char *bytes, size_t *length, void **context)
{
    struct http_exchange *exchange = *context;
    (void) loop;
    (void) url;
    (void) method;
    (void) version;
    (void) bytes;
    (void) length;
    if (NULL != exchange)
        return exchange_continue (exchange);
    const struct connection *const connection = connection_behind (handle);
    exchange = NULL == connection ? NULL : connection->exchange;
    if (NULL == exchange || !exchange->handed)
        return MHD_NO;
    *context = exchange;
    return MHD_YES; /* an answer given now would close the connection */
}

/* MHD_OPTION_NOTIFY_COMPLETED. */
static void completed (void *loop, struct MHD_Connection *handle, void **context, enum MHD_RequestTerminationCode code)
{
    struct http_exchange *const exchange = *context;
    (void) loop;
    (void) handle;
    (void) code; /* what libmicrohttpd sent is nobody's answer */
    if (NULL == exchange)
        return;
    *context = NULL;
    struct connection *const connection = exchange->connection;
    const bool sent = exchange_was_sent (exchange) && !connection->cut;
    const enum http_ending ending = sent ? HTTP_ENDING_SENT : unsent (connection, exchange->streams);
    /* For want of memory; or libmicrohttpd's own answer went past the gate. */
    if (HTTP_ENDING_LOST == ending)
        server_notify_loss (connection->loop->server, connection->peer);
    connection->closing = connection->closing || exchange->closes || !sent;
    connection->reads_off = connection->closing && sent && !connection->ended;
    exchange_complete (exchange, ending, connection->sent);
    connection_end_exchange (connection);
}

/* libmicrohttpd keeps an address for its own limit per address, which is not used. */
static const struct sockaddr_in no_address = { .sin_family = AF_INET };

/* Adds an accepted connection, which is counted already. libmicrohttpd closes the descriptor of one that it does not take,
 * and may have told of its beginning and end before it says so: what was told is counted there. */
void daemon_add (struct loop *loop, int descriptor, const unsigned char *peer)
{
    struct connection *const connection = connection_open (loop, descriptor, peer);
    if (NULL == connection) {
        connection_uncount (loop, peer);
        /* Before the client can see it. */
        server_notify_loss (loop->server, peer);
        (void) close (descriptor);
        return;
    }
    loop->adding = connection;
    if (MHD_YES
        != MHD_add_connection (loop->daemon, descriptor, (const struct sockaddr *) &no_address, sizeof no_address))
        server_notify_loss (loop->server, peer);
    if (NULL == loop->adding)
        return;
    loop->adding = NULL;
    connection_close (connection);
}

/* Of a connection: a canonical head and a canonical answer go in twice. Every answer touches all of it, so each KiB here is
 * one of a parked poll. */
#define POOL_BYTES ((size_t) 1024)

/* What libmicrohttpd is told to answer with, whatever is answered: the gate sends something else. */
static bool make_answers (struct loop *loop)
{
    loop->answer = MHD_create_response_from_buffer (0, NULL, MHD_RESPMEM_PERSISTENT);
    loop->last_answer = MHD_create_response_from_buffer (0, NULL, MHD_RESPMEM_PERSISTENT);
    return NULL != loop->answer && NULL != loop->last_answer
           && MHD_YES == MHD_add_response_header (loop->last_answer, MHD_HTTP_HEADER_CONNECTION, "close");
}

static void drop_answers (struct loop *loop)
{
    if (NULL != loop->answer)
        MHD_destroy_response (loop->answer);
    if (NULL != loop->last_answer)
        MHD_destroy_response (loop->last_answer);
}

bool daemon_start (struct loop *loop)
{
    const struct http_server *const server = loop->server;
    unsigned flags
        = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_SUPPRESS_DATE_NO_CLOCK;
#if MHD_VERSION >= 0x01000000
    /* Without, MHD_add_connection() only queues: the daemon is one thread's. */
    flags |= MHD_USE_NO_THREAD_SAFETY;
#endif
    const bool made = make_answers (loop);
    loop->daemon = !made ? NULL : MHD_start_daemon (
        flags, 0, NULL, NULL, &proceed, loop, MHD_OPTION_NOTIFY_COMPLETED, &completed, loop,
        MHD_OPTION_NOTIFY_CONNECTION, &changed, loop,
        /* Our limit is lower and sends a 503; libmicrohttpd's would close silently. */
        MHD_OPTION_CONNECTION_LIMIT, server->limits.connections + PLACES_FOR_LOOPBACK + 1, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        POOL_BYTES, MHD_OPTION_CONNECTION_TIMEOUT, 0u,
#if MHD_VERSION >= 0x00097701
        MHD_OPTION_CLIENT_DISCIPLINE_LVL, 1,
#endif
        /* The loop's thread blocks all signals. */
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
    if (NULL == loop->daemon)
        drop_answers (loop);
    return NULL != loop->daemon;
}

/* Closes what is open. Nothing may be suspended. */
void daemon_stop (struct loop *loop)
{
    MHD_stop_daemon (loop->daemon);
    drop_answers (loop);
}
