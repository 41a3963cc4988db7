/* Detects clients that leave or are too slow. libmicrohttpd does not watch suspended connections for a hang-up, and it does
 * not measure rates. */
#include "internal.h"

/* Bytes a second of bodies and answers. The loop cuts slower connections. */
#define MINIMUM_RATE 500
/* How often the loop asks the kernel about an idle connection. */
#define LOOK_MILLISECONDS 2000
/* A connection beyond a bound may take this long to send its head. */
#define REFUSED_MILLISECONDS 1000
/* A request that is parked for so long waits for a change. Requests that wait for a thread end sooner: for them, madvise(2)
 * would cost more than all other work. */
#define SETTLED_MILLISECONDS 250

/* Handles an event of the edge-triggered watch on the descriptor. */
void deadlines_hang_up (struct connection *connection, uint32_t events) {
    connection->is_half_closed = true;
    connection->is_lost = connection->is_lost || 0 != (events & (EPOLLHUP | EPOLLERR))
                          || PHASE_STREAMING == connection->phase;
    if (PHASE_PARKED == connection->phase)
        connection_tell (connection, HTTP_DEPARTURE_CLIENT);
    else if (PHASE_STREAMING == connection->phase)
        connection_resume (connection);
}

/* Ends a connection, on the loop but outside of a callback. */
void deadlines_cut (struct connection *connection) {
    connection->is_lost = true;
    if (connection->is_suspended) {
        connection_resume (connection); /* the access handler or the stream ends it */
        return;
    }
    (void) shutdown (connection->descriptor, SHUT_RDWR);
    /* The library may spin on its buffer without reading the socket. */
    if (PHASE_READING == connection->phase)
        (void) MHD_set_connection_option (connection->handle, MHD_CONNECTION_OPTION_TIMEOUT, 1u);
    loop_mark (connection->loop, connection->shard);
}

/* Cuts a connection without a request, and a head that arrives too slowly. */
static void check_idle (struct connection *connection, const struct http_limits *limits, uint64_t now) {
    const uint64_t pause = limits->head_milliseconds / 4;
    if (now - connection->since >= (0 != connection->refusal ? REFUSED_MILLISECONDS : limits->idle_milliseconds)) {
        deadlines_cut (connection);
        return;
    }
    if (now - connection->looked_at < (pause < LOOK_MILLISECONDS ? pause : LOOK_MILLISECONDS))
        return;
    connection->looked_at = now;
    if (0 == connection_bytes_read (connection)) /* libmicrohttpd has no part of the next head */
        return;
    if (0 == connection->head_since)
        connection->head_since = now;
    if (now - connection->head_since >= limits->head_milliseconds)
        deadlines_cut (connection);
}

/* Whether the bytes that arrived or were acknowledged in a period are below the minimum rate. */
static bool is_slow (struct connection *connection, const struct http_limits *limits, uint64_t now) {
    const uint64_t period = now - connection->looked_at;
    if (period < limits->grace_milliseconds)
        return false;
    const uint64_t bytes = PHASE_READING == connection->phase ? connection->exchange->received
                                                              : connection_tcp (connection).tcpi_bytes_acked;
    const bool is_slow = bytes - connection->progress < MINIMUM_RATE * period / 1000;
    connection->progress = bytes;
    connection->looked_at = now;
    return is_slow;
}

static void check (struct connection *connection, uint64_t now) {
    const struct http_limits *const limits = &connection->loop->server->limits;
    /* If a FIN comes in one event with bytes, 0.9.75 reads only the bytes. This causes another event. */
    if (connection->is_half_closed && connection->phase <= PHASE_READING) {
        (void) shutdown (connection->descriptor, SHUT_RD);
        loop_mark (connection->loop, connection->shard);
    }
    /* A parked request waits for the server, and a suspended stream waits for pieces: the client is not slow. */
    if (connection->is_suspended) {
        connection->looked_at = now;
        if (now - connection->since >= SETTLED_MILLISECONDS)
            connection_drop_zero_pages (connection);
    } else if (PHASE_IDLE == connection->phase)
        check_idle (connection, limits, now);
    else if (is_slow (connection, limits, now))
        deadlines_cut (connection);
}

void deadlines_check (struct loop *loop) {
    for (struct connection *connection = loop->connections, *next; NULL != connection; connection = next) {
        next = connection->next;
        check (connection, loop->now);
    }
}
