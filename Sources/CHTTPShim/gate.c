/* The gate: what libmicrohttpd reads of a connection.
 *
 * libmicrohttpd (0.9.75) reads heads kindly: it glues folded lines to field names, ends a head at an empty name, cuts
 * values at NUL, and spins on a chunk line without an end; its parsed fields do not tell. So it is given nothing to read
 * kindly. It reads by recv(), and a recv() that the program defines comes before libc's for a shared library's calls, too:
 * ours, which on an event loop's thread and for a connection of that loop reads the message itself (head.c, body.c), keeps
 * it in an exchange, and returns one of a few constant heads once the message is there, or once it is clear how it is to be
 * refused. Where ours were not called, no exchange would be handed on, and libmicrohttpd's requests without one are
 * refused (connection_continue()): it fails closed. http_server_start() sees to it that it is called.
 *
 * One message is handed on at a time. What came behind it waits here until the exchange is over.
 *
 * send() and sendmsg() are counted in the same way: what an answer's client took, and whether it takes anything at all. */
#include "internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* From one connection in one turn of the loop, in pieces of PIECE_SIZE. */
#define MOST_READS 2

/* --------------------------------------------------------------------------------- what is held back */

/* Moves what was held of the connection's bytes to the scratch buffer. */
static size_t take_held (struct connection *connection)
{
    const size_t length = connection->held_length;
    if (0 == length)
        return 0;
    memcpy (connection->loop->scratch, connection->held, length);
    free (connection->held);
    connection->held = NULL;
    connection->held_length = 0;
    return length;
}

/* False without memory. */
static bool hold (struct connection *connection, const char *bytes, size_t length)
{
    if (0 == length)
        return true;
    connection->held = malloc (length);
    if (NULL == connection->held)
        return false;
    memcpy (connection->held, bytes, length);
    connection->held_length = (uint32_t) length;
    return true;
}

/* ------------------------------------------------------------------------------------ reading a message */

/* There is no memory to say more. */
static void give_up (struct connection *connection)
{
    connection->closing = true;
    notice_loss (connection->loop->server, connection->peer);
}

/* The message will be answered with a refusal, and nothing more of the connection is read as a request. */
static void refuse (struct connection *connection, enum http_refusal reason)
{
    exchange_refuse (connection->exchange, reason);
    connection->lingers = true;
}

/* Likewise, for what its head is, or as much of it as is there. */
static void refuse_head (struct connection *connection, enum http_refusal reason, const char *bytes, size_t available)
{
    connection->exchange = exchange_create_headless (connection, bytes, available);
    if (NULL == connection->exchange)
        give_up (connection);
    else
        refuse (connection, reason);
}

static void tell_to_continue (const struct connection *connection)
{
    static const char message[] = "HTTP/1.1 100 Continue\r\n\r\n";
    /* Nothing else is under way on the socket. Who does not hear it sends its body all the same, after a while. */
    (void) sendto (connection->descriptor, message, sizeof message - 1, MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0);
}

/* A sound head: the exchange begins. `is_last` says that nothing of the body is here yet. */
static void begin_exchange (struct connection *connection, const char *bytes, const struct head *head, bool is_last)
{
    const struct http_limits *const limits = &connection->loop->server->limits;
    struct http_exchange *const exchange = exchange_create (connection, bytes, head);
    connection->exchange = exchange;
    if (NULL == exchange) {
        give_up (connection);
        return;
    }
    if ((head->chunked || 0 != head->content_length) && !exchange_has_route (exchange)) {
        connection->lingers = true;
        return;
    }
    if (head->chunked) {
        body_expect_chunks (&exchange->request.body);
    } else {
        if (head->content_length > limits->body_bytes) {
            refuse (connection, HTTP_REFUSAL_BODY_TOO_LARGE);
            return;
        }
        body_expect_length (&exchange->request.body, head->content_length);
        exchange->complete = 0 == head->content_length;
    }
    if (!exchange->complete) {
        connection_enter (connection, PHASE_READING); /* its time is counted anew */
        if (head->expects_continue && is_last)
            tell_to_continue (connection);
    }
}

/* Of a request line: the longest method, two spaces and a version. */
#define ROOM_BESIDE_TARGET 44

static void refuse_partial (struct connection *connection, const char *bytes, size_t length)
{
    const struct http_limits *const limits = &connection->loop->server->limits;
    /* However it came in pieces: the line has a method and a version beside the target. */
    const char *const feed = memchr (bytes, '\n', length);
    const size_t line = NULL == feed ? length : (size_t) (feed - bytes);
    if (line > limits->target_bytes + ROOM_BESIDE_TARGET)
        refuse_head (connection, HTTP_REFUSAL_TARGET_TOO_LONG, bytes, length);
    else
        refuse_head (connection, HTTP_REFUSAL_HEADER_TOO_LARGE, bytes, length);
}

/* Reads as much of a head as there is and returns how much that was: all of it or nothing. */
static size_t read_head (struct connection *connection, const char *bytes, size_t available)
{
    const struct http_limits *const limits = &connection->loop->server->limits;
    size_t length = 0;
    struct head head;
    const enum head_end end = head_find_end (bytes, available, connection->head_seen, &length);
    if (HEAD_MALFORMED == end) {
        refuse_head (connection, HTTP_REFUSAL_REQUEST_LINE, bytes, available); /* which speaks of line ends, too */
        return 0;
    }
    if (length > limits->header_bytes) {
        refuse_partial (connection, bytes, available);
        return 0;
    }
    if (HEAD_PARTIAL == end) {
        connection->head_seen = (uint32_t) length;
        return 0;
    }
    connection->head_seen = 0;
    if (2 == length && !connection->skipped_line) {
        connection->skipped_line = true;
        return 2;
    }
    const enum http_refusal reason = head_read (bytes, length, limits->target_bytes, &head);
    if (HTTP_REFUSAL_NONE != reason)
        refuse_head (connection, reason, bytes, length);
    else
        begin_exchange (connection, bytes, &head, length == available);
    return length;
}

static size_t read_body (struct connection *connection, const char *bytes, size_t available)
{
    const struct http_limits *const limits = &connection->loop->server->limits;
    const struct body_limits most = { limits->body_bytes, limits->header_bytes };
    size_t used = 0;
    switch (body_read (&connection->exchange->request.body, &most, bytes, available, &used)) {
    case BODY_MORE: break;
    case BODY_WHOLE: connection->exchange->complete = true; break;
    case BODY_TOO_LARGE: refuse (connection, HTTP_REFUSAL_BODY_TOO_LARGE); break;
    case BODY_TRAILERS_TOO_LARGE: refuse (connection, HTTP_REFUSAL_HEADER_TOO_LARGE); break;
    case BODY_MALFORMED: refuse (connection, HTTP_REFUSAL_CHUNK); break;
    case BODY_NO_MEMORY: give_up (connection); break;
    }
    return used;
}

static bool is_complete (const struct connection *connection)
{
    return NULL != connection->exchange && connection->exchange->complete;
}

/* Reads what there is until the message is complete or more is needed; returns how much was used. */
static size_t read_message (struct connection *connection, const char *bytes, size_t available)
{
    size_t used = 0;
    connection_begin_message (connection);
    if (connection->loop->abandoned && NULL == connection->exchange)
        refuse_head (connection, HTTP_REFUSAL_STOPPING, bytes, available); /* who was here before was told when it stopped */
    while (used < available && !is_complete (connection) && !connection->closing) {
        const size_t step = NULL == connection->exchange ? read_head (connection, bytes + used, available - used)
                                                         : read_body (connection, bytes + used, available - used);
        used += step;
        if (0 == step)
            break;
    }
    return used;
}

/* ---------------------------------------------------------------------------------------- handing it on */

/* A request that says of the client's nothing but what libmicrohttpd's answer depends on: whether it has a body, its
 * version, and whether the connection stays. */
static const char *canonical_head (const struct http_exchange *exchange)
{
    if (0 == exchange->request.minor) {
        if (exchange->closes)
            return exchange->request.is_head ? "HEAD / HTTP/1.0\r\n\r\n" : "GET / HTTP/1.0\r\n\r\n";
        return exchange->request.is_head ? "HEAD / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
                                 : "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
    }
    if (exchange->closes)
        return exchange->request.is_head ? "HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                                 : "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    return exchange->request.is_head ? "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" : "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
}

static ssize_t hand_on (struct connection *connection, char *buffer, size_t size)
{
    const char *const head = canonical_head (connection->exchange);
    const size_t length = strlen (head);
    if (length > size) { /* its buffer is half the pool, which is larger than this */
        connection->closing = true;
        return 0;
    }
    memcpy (buffer, head, length);
    connection->exchange->handed = true;
    connection->skipped_line = false;
    connection_enter (connection, PHASE_SERVING);
    return (ssize_t) length;
}

static ssize_t nothing_yet (void)
{
    errno = EAGAIN;
    return -1;
}

static ssize_t receive_from_kernel (const struct connection *connection, char *buffer, size_t size)
{
    for (;;) {
        const ssize_t count = recvfrom (connection->descriptor, buffer, size, MSG_DONTWAIT, NULL, NULL);
        if (count >= 0 || EINTR != errno)
            return count;
    }
}

/* The rest is kept for later, and libmicrohttpd told that there is nothing yet. */
static ssize_t keep (struct connection *connection, size_t length)
{
    if (!hold (connection, connection->loop->scratch, length)) {
        give_up (connection);
        return 0;
    }
    return nothing_yet ();
}

/* Reads from the kernel until a message is there, or others shall have their turn. */
static ssize_t receive_message (struct connection *connection, char *buffer, size_t size)
{
    char *const scratch = connection->loop->scratch;
    size_t available = take_held (connection);
    bool drained = false;
    for (int reads = 0;; reads++) {
        if (available > 0) {
            const size_t used = read_message (connection, scratch, available);
            if (connection->closing)
                return 0;
            available -= used;
            if (is_complete (connection)) {
                if (connection->lingers)
                    available = 0; /* nobody reads it as a request any more */
                if (!hold (connection, scratch + used, available)) {
                    give_up (connection);
                    return 0;
                }
                /* libmicrohttpd takes an answer shorter than it asked for as a sign that there is no more. */
                connection->owed = available > 0 || !drained || connection->ended;
                return hand_on (connection, buffer, size);
            }
            memmove (scratch, scratch + used, available);
        }
        if (drained && !connection->ended)
            return keep (connection, available);
        if (MOST_READS == reads) {
            connection_look_again (connection);
            return keep (connection, available);
        }
        const ssize_t count = receive_from_kernel (connection, scratch + available, PIECE_SIZE);
        if (count < 0) {
            const int error = errno;
            connection->ended = connection->ended || EAGAIN != error;
            const ssize_t kept = keep (connection, available);
            errno = error;
            return kept < 0 ? -1 : 0;
        }
        if (0 == count) {
            connection->closing = true;
            return 0;
        }
        connection->loop->progress += 1;
        drained = (size_t) count < PIECE_SIZE;
        available += (size_t) count;
    }
}

/* libmicrohttpd asks for the connection's next bytes. */
ssize_t gate_receive (struct connection *connection, char *buffer, size_t size)
{
    if (connection->closing)
        return 0;
    if (NULL != connection->exchange && connection->exchange->handed) {
        /* Told once this exchange is over; by the kernel, where the connection was suspended and is watched anew. */
        connection->owed = connection->owed || !connection->was_suspended;
        return nothing_yet ();
    }
    if (is_complete (connection))
        return hand_on (connection, buffer, size); /* refused by a deadline */
    return receive_message (connection, buffer, size);
}

/* --------------------------------------------------------------------------------------- interposition */

/* Whoever else in this process receives, sends or links these is served as by libc: only on a thread of an event loop, and
 * only for a connection of that loop, connection_of() finds one. */
ssize_t recv (int descriptor, void *buffer, size_t size, int flags)
{
    struct connection *const connection = connection_of (descriptor);
    if (NULL != connection)
        return gate_receive (connection, buffer, size);
    return recvfrom (descriptor, buffer, size, flags, NULL, NULL);
}

static ssize_t count_sent (int descriptor, ssize_t count)
{
    struct connection *const connection = count > 0 ? connection_of (descriptor) : NULL;
    if (NULL != connection) {
        connection->sent += (uint64_t) count;
        connection->loop->progress += 1;
    }
    return count;
}

ssize_t send (int descriptor, const void *bytes, size_t size, int flags)
{
    return count_sent (descriptor, sendto (descriptor, bytes, size, flags, NULL, 0));
}

typedef ssize_t (*sendmsg_function) (int, const struct msghdr *, int);

static sendmsg_function libc_sendmsg (void)
{
    static _Atomic (sendmsg_function) found;
    sendmsg_function function = atomic_load_explicit (&found, memory_order_relaxed);
    if (NULL == function) {
        /* POSIX has the conversion work (dlsym(3)). */
        *(void **) &function = dlsym (RTLD_NEXT, "sendmsg");
        atomic_store_explicit (&found, function, memory_order_relaxed);
    }
    return function;
}

ssize_t sendmsg (int descriptor, const struct msghdr *message, int flags)
{
    const sendmsg_function function = libc_sendmsg ();
    if (NULL == function) {
        errno = ENOSYS;
        return -1;
    }
    return count_sent (descriptor, function (descriptor, message, flags));
}

/* Whether a shared library's recv() is ours: the search that bound libmicrohttpd's begins where this one does. */
bool gate_is_in_place (void)
{
    ssize_t (*const ours) (int, void *, size_t, int) = &recv;
    void *const bound = dlsym (RTLD_DEFAULT, "recv");
    return NULL != bound && 0 == memcmp (&bound, &ours, sizeof bound);
}
