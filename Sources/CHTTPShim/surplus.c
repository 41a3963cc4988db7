/* Connections beyond the limit, or beyond their address's share: each is answered at once, without having asked, and never
 * reaches a loop. It is closed when the client closes it, when a second has passed, or when its place is needed for the
 * next: closing it earlier could reset it before the answer is read (RFC 9112, section 9.6). On the listener's thread. */
#include "internal.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATIENCE_MICROSECONDS (1000u * 1000u)

/* A quarter of the descriptors that are not kept for connections: the rest is for what else the process has open. With
 * more of them, those already answered would keep the next from being answered. */
static size_t most_at_a_time (const struct http_server *server)
{
    const size_t places = server->limits.connections + PLACES_FOR_LOOPBACK;
    const size_t share = server->descriptors > places ? (server->descriptors - places) / 4 : 0;
    return share < 1 ? 1 : share > MOST_SURPLUS ? MOST_SURPLUS : share;
}

/* The epoll set says of which there is something to read: its events lead to surplus_read(). */
void surplus_init (struct surplus *surplus, struct http_server *server, int epoll)
{
    surplus->server = server;
    surplus->epoll = epoll;
    surplus->most = most_at_a_time (server);
    surplus->next = 0;
    for (size_t i = 0; i < MOST_SURPLUS; i++)
        surplus->refused[i].descriptor = -1;
}

static void end (struct refused_connection *refused)
{
    (void) close (refused->descriptor);
    refused->descriptor = -1;
}

/* Reads and drops what it sends. */
void surplus_read (struct refused_connection *refused)
{
    char dropped[4096];
    if (refused->descriptor < 0)
        return;
    const ssize_t count = recvfrom (refused->descriptor, dropped, sizeof dropped, MSG_DONTWAIT, NULL, NULL);
    if (0 == count || (count < 0 && EAGAIN != errno && EINTR != errno))
        end (refused);
}

/* Ends those whose time is over, and returns how many are left. */
size_t surplus_tick (struct surplus *surplus)
{
    const uint64_t now = clock_microseconds ();
    size_t count = 0;
    for (size_t i = 0; i < MOST_SURPLUS; i++) {
        if (surplus->refused[i].descriptor >= 0 && surplus->refused[i].until <= now)
            end (&surplus->refused[i]);
        count += surplus->refused[i].descriptor >= 0;
    }
    return count;
}

static void record (struct http_server *server, enum http_refusal reason, const char *id, enum http_ending ending,
                    size_t sent, const unsigned char *peer)
{
    const struct http_outcome outcome = {
        .route = -1,
        .method = "",
        .status = refusal_status (reason),
        .ending = ending,
        .bytes = sent,
        .request_id = id,
        .peer = peer,
        .refusal = reason,
    };
    if (NULL != server->callbacks.record)
        server->callbacks.record (server->owner, &outcome);
}

static void notify (const struct http_server *server, enum http_refusal reason, const unsigned char *peer)
{
    const bool is_address = HTTP_REFUSAL_ADDRESS_FULL == reason;
    const struct http_notice notice = {
        .kind = is_address ? HTTP_NOTICE_ADDRESS : HTTP_NOTICE_CONNECTIONS,
        .peer = peer,
        .limit = is_address ? server->limits.connections_per_address : server->limits.connections,
        .count = 1,
    };
    server_notify (server, &notice);
}

/* Sends what its socket takes at once: all of it, unless the kernel lacks memory. */
static enum http_ending tell (struct http_server *server, int descriptor, enum http_refusal reason, const char *id,
                              size_t *sent)
{
    struct iovec pieces[2];
    struct http_reply *const reply = refusal_reply_unasked (server, reason, id);
    if (NULL == reply)
        return HTTP_ENDING_LOST;
    const struct msghdr message = { .msg_iov = pieces, .msg_iovlen = (size_t) reply_rest (reply, pieces) };
    const ssize_t count = socket_send (descriptor, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    *sent = count > 0 ? (size_t) count : 0;
    reply_advance (reply, *sent);
    const bool has_left = count < 0 && (EPIPE == errno || ECONNRESET == errno);
    const bool whole = 0 == reply_rest (reply, pieces);
    http_reply_destroy (reply);
    return whole ? HTTP_ENDING_REFUSED : has_left ? HTTP_ENDING_CLIENT_GONE : HTTP_ENDING_LOST;
}

/* Takes the descriptor. */
void surplus_refuse (struct surplus *surplus, int descriptor, const unsigned char *peer, enum http_refusal reason)
{
    struct http_server *const server = surplus->server;
    struct refused_connection *const refused = &surplus->refused[surplus->next++ % surplus->most];
    char id[HTTP_REQUEST_ID_SIZE];
    struct epoll_event event = { .events = EPOLLIN | EPOLLRDHUP, .data.ptr = refused };
    identity_format (server, atomic_fetch_add (&server->begun, 1), id);
    atomic_fetch_add (&server->released, 1);
    size_t sent = 0;
    const enum http_ending ending = tell (server, descriptor, reason, id, &sent);
    (void) shutdown (descriptor, SHUT_WR);
    if (refused->descriptor >= 0)
        end (refused);
    *refused = (struct refused_connection){ descriptor, clock_microseconds () + PATIENCE_MICROSECONDS };
    if (0 != epoll_ctl (surplus->epoll, EPOLL_CTL_ADD, descriptor, &event))
        end (refused);
    record (server, reason, id, ending, sent, peer);
    notify (server, reason, peer);
}

void surplus_close (struct surplus *surplus)
{
    for (size_t i = 0; i < MOST_SURPLUS; i++)
        if (surplus->refused[i].descriptor >= 0)
            end (&surplus->refused[i]);
}
