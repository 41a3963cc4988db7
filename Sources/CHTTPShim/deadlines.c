/* Clients that leave, and clients that are too slow. libmicrohttpd watches neither a suspended connection for a hang-up,
 * nor any connection for its rate. */
#include "internal.h"

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* How often the kernel is asked about an idle connection. */
#define LOOK_MILLISECONDS 2000
/* A connection beyond a bound may take this long to send its head. */
#define SURPLUS_MILLISECONDS 1000
/* A chunked body that takes longer has its overhead checked. */
#define CHUNKED_MILLISECONDS 500
/* An answer without progress is cut after so many periods, even if the kernel holds nothing of it. */
#define STUCK_PERIODS 5

/* An event of the edge-triggered watch on the descriptor. */
void deadlines_hang_up (struct connection *connection, uint32_t events) {
    connection->is_half_closed = true;
    connection->is_gone = connection->is_gone || 0 != (events & (EPOLLHUP | EPOLLERR))
                          || PHASE_STREAMING == connection->phase;
    if (PHASE_PARKED == connection->phase)
        connection_tell (connection, HTTP_DEPARTURE_CLIENT);
    else if (PHASE_STREAMING == connection->phase)
        connection_resume (connection);
}

/* Ends a connection from outside. */
void deadlines_cut (struct connection *connection) {
    const bool was_cut = connection->is_cut;
    connection->is_cut = true;
    if (connection->is_suspended) {
        connection_resume (connection); /* the access handler or the stream ends it */
        return;
    }
    (void) shutdown (connection->descriptor, SHUT_RDWR);
    /* The library may be past reading: it spins on its buffer. */
    if (PHASE_READING == connection->phase && !was_cut)
        (void) MHD_set_connection_option (connection->handle, MHD_CONNECTION_OPTION_TIMEOUT, 1u);
    loop_mark (connection->loop, connection->shard);
}

static void miss (struct connection *connection) {
    if (!connection->is_cut)
        server_notify (connection->loop->server, HTTP_NOTICE_CUT, connection->peer, 0, 0);
    deadlines_cut (connection);
}

static struct tcp_info tcp_state (const struct connection *connection) {
    struct tcp_info info = { 0 };
    socklen_t length = sizeof info;
    (void) getsockopt (connection->descriptor, IPPROTO_TCP, TCP_INFO, &info, &length);
    return info;
}

/* Bytes that libmicrohttpd has read of the socket. */
uint64_t deadlines_bytes_read (const struct connection *connection) {
    int unread = 0;
    (void) ioctl (connection->descriptor, FIONREAD, &unread);
    const uint64_t received = tcp_state (connection).tcpi_bytes_received;
    return received < (uint64_t) unread ? 0 : received - (uint64_t) unread;
}

/* A head that arrives for too long, and a connection without a request. */
static void check_idle (struct connection *connection, const struct http_limits *limits, uint64_t now) {
    const bool is_surplus = HTTP_REFUSAL_NONE != connection->surplus;
    const uint64_t idle = is_surplus ? SURPLUS_MILLISECONDS : limits->idle_milliseconds;
    const uint64_t shorter = idle < limits->head_milliseconds ? idle : limits->head_milliseconds;
    if (now - connection->looked_at < (shorter / 4 < LOOK_MILLISECONDS ? shorter / 4 : LOOK_MILLISECONDS))
        return;
    connection->looked_at = now;
    const bool has_head = deadlines_bytes_read (connection) > connection->accounted;
    if (has_head && 0 == connection->head_since)
        connection->head_since = now;
    if (now - connection->since >= idle || (has_head && now - connection->head_since >= limits->head_milliseconds))
        miss (connection);
}

/* A chunked body that consists of chunk lines: bytes are read and nothing arrives. */
static bool is_hollow (const struct connection *connection, uint64_t now) {
    const struct http_exchange *const exchange = connection->exchange;
    return 0 != exchange->read_at_head && now - connection->since >= CHUNKED_MILLISECONDS
           && deadlines_bytes_read (connection) - exchange->read_at_head > 1024 + 8 * exchange->received;
}

/* Whether fewer bytes than the minimum rate asks for arrived or left in a period. */
static bool is_slow (struct connection *connection, const struct http_limits *limits, uint64_t bytes, uint64_t now) {
    const uint64_t period = now - connection->looked_at;
    if (period < limits->grace_milliseconds)
        return false;
    const bool is_slow = bytes - connection->progress < limits->minimum_rate * period / 1000;
    connection->progress = bytes;
    connection->looked_at = now;
    return is_slow;
}

static void check_answer (struct connection *connection, const struct http_limits *limits, uint64_t now) {
    int unsent = 0;
    if (now - connection->looked_at < limits->grace_milliseconds)
        return;
    (void) ioctl (connection->descriptor, SIOCOUTQ, &unsent);
    if (is_slow (connection, limits, tcp_state (connection).tcpi_bytes_acked, now)
        && (unsent > 0 || now - connection->since >= STUCK_PERIODS * limits->grace_milliseconds))
        miss (connection);
}

static void check (struct connection *connection, uint64_t now) {
    const struct http_limits *const limits = &connection->loop->server->limits;
    /* If a FIN comes in one event with bytes, 0.9.75 reads the bytes alone. This makes another event. */
    if (connection->is_half_closed && connection->phase <= PHASE_READING) {
        (void) shutdown (connection->descriptor, SHUT_RD);
        loop_mark (connection->loop, connection->shard);
    }
    switch (connection->phase) {
    case PHASE_IDLE: check_idle (connection, limits, now); break;
    case PHASE_READING:
        if (is_hollow (connection, now) || is_slow (connection, limits, connection->exchange->received, now))
            miss (connection);
        break;
    case PHASE_PARKED: break;
    case PHASE_STREAMING:
        if (connection->is_suspended)
            connection->looked_at = now; /* it waits for pieces, not for the client */
        check_answer (connection, limits, now);
        break;
    case PHASE_ANSWERING: check_answer (connection, limits, now); break;
    }
}

void deadlines_check (struct loop *loop) {
    for (struct connection *connection = loop->connections, *next; NULL != connection; connection = next) {
        next = connection->next;
        check (connection, loop->now);
    }
}
