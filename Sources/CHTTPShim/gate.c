/* The gate: what libmicrohttpd reads of a connection, and what it sends.
 *
 * libmicrohttpd (0.9.75) reads heads leniently: it glues folded lines to field names, ends a head at an empty name, cuts
 * values at NUL, and spins on a chunk line without an end; its parsed fields do not tell. So it never sees a client's bytes.
 * It reads by recv(), and a recv() that the program defines comes before libc's, for a shared library's calls too: ours. On
 * an event loop's thread, for a connection of that loop, it reads the message into an exchange (message.c), and returns a
 * constant head once the message is there, or once it is clear how it is to be refused. Were ours not called, no exchange
 * would be handed on, and libmicrohttpd's requests without one are dropped (daemon.c): it fails closed.
 * http_server_start() makes sure that it is called.
 *
 * One message is handed on at a time. What came behind it waits here until the exchange is over.
 *
 * libmicrohttpd sends a constant, too: for each exchange the same empty answer (daemon.c). send() and sendmsg() are ours in
 * the same way, and send the exchange's own answer instead (reply.c), as far as the socket takes it; once all of it is gone,
 * libmicrohttpd is told that its own is. Where there is none, nothing is sent. An answer of libmicrohttpd's that went out
 * past the gate would be a 500, and ends its connection (daemon.c). */
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

/* ---------------------------------------------------------------------------------------- handing it on */

/* A request with nothing of the client's in it: the answer, and whether the connection stays open, are decided here. */
static const char canonical_head[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

static ssize_t hand_on (struct connection *connection, char *buffer, size_t size)
{
    const size_t length = sizeof canonical_head - 1;
    if (length > size) { /* its buffer is half the pool, which is larger than this */
        connection->closing = true;
        return 0;
    }
    memcpy (buffer, canonical_head, length);
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
        connection_give_up (connection);
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
            const size_t used = message_read (connection, scratch, available);
            if (connection->closing)
                return 0;
            available -= used;
            if (message_is_complete (connection)) {
                if (connection->lingers)
                    available = 0; /* nobody reads it as a request any more */
                if (!hold (connection, scratch + used, available)) {
                    connection_give_up (connection);
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
static ssize_t receive (struct connection *connection, char *buffer, size_t size)
{
    if (connection->closing)
        return 0;
    if (NULL != connection->exchange && connection->exchange->handed) {
        /* libmicrohttpd is told of them after this exchange; where the connection was suspended, by the kernel, as it is
         * watched anew. */
        connection->owed = connection->owed || !connection->was_suspended;
        return nothing_yet ();
    }
    if (message_is_complete (connection))
        return hand_on (connection, buffer, size); /* refused by a deadline */
    return receive_message (connection, buffer, size);
}

/* Sends some of what is left of the answer: how many bytes, 0 where nothing is left, or -1. */
static ssize_t send_some (struct connection *connection, const struct http_reply *reply)
{
    struct iovec pieces[2];
    int file;
    off_t offset;
    const int count = reply_rest (reply, pieces);
    if (count > 0)
        return connection_send (connection, pieces, count);
    const size_t length = reply_file_rest (reply, &file, &offset);
    return 0 == length ? 0 : connection_send_file (connection, file, offset, length);
}

/* Sends what is left of the answer. `size`, the length of libmicrohttpd's own answer, is what it is told at the end. */
static ssize_t send_answer (struct connection *connection, size_t size)
{
    struct http_exchange *const exchange = connection->exchange;
    if (NULL == exchange || NULL == exchange->reply) {
        errno = EPIPE;
        return -1;
    }
    for (;;) {
        const ssize_t sent = send_some (connection, exchange->reply);
        if (0 == sent)
            return (ssize_t) size;
        if (sent > 0)
            reply_advance (exchange->reply, (size_t) sent);
        else if (EINTR != errno)
            return -1;
    }
}

/* --------------------------------------------------------------------------------------- interposition */

/* Any other caller in this process gets what libc does: connection_of() finds a connection only on an event loop's
 * thread, and only of that loop. */
ssize_t recv (int descriptor, void *buffer, size_t size, int flags)
{
    struct connection *const connection = connection_of (descriptor);
    if (NULL != connection)
        return receive (connection, buffer, size);
    return recvfrom (descriptor, buffer, size, flags, NULL, NULL);
}

ssize_t send (int descriptor, const void *bytes, size_t size, int flags)
{
    struct connection *const connection = connection_of (descriptor);
    if (NULL != connection)
        return send_answer (connection, size);
    return sendto (descriptor, bytes, size, flags, NULL, 0);
}

ssize_t sendmsg (int descriptor, const struct msghdr *message, int flags)
{
    struct connection *const connection = connection_of (descriptor);
    size_t size = 0;
    if (NULL == connection)
        return socket_send (descriptor, message, flags);
    for (size_t i = 0; i < (size_t) message->msg_iovlen; i++)
        size += message->msg_iov[i].iov_len;
    return send_answer (connection, size);
}

/* Whether a shared library's calls are ours: the search that bound libmicrohttpd's begins where this one does. */
bool gate_is_in_place (void)
{
    ssize_t (*const receives) (int, void *, size_t, int) = &recv;
    ssize_t (*const sends) (int, const void *, size_t, int) = &send;
    ssize_t (*const sends_pieces) (int, const struct msghdr *, int) = &sendmsg;
    void *const bound[] = { dlsym (RTLD_DEFAULT, "recv"), dlsym (RTLD_DEFAULT, "send"), dlsym (RTLD_DEFAULT, "sendmsg") };
    return 0 == memcmp (&bound[0], &receives, sizeof bound[0]) && 0 == memcmp (&bound[1], &sends, sizeof bound[1])
           && 0 == memcmp (&bound[2], &sends_pieces, sizeof bound[2]);
}
