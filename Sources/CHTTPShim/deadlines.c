/* Every wait has an end: for a request to begin, for its head, for its body, and for a client to take its answer. Looked
 * at a few times a second, all connections of a loop in one walk: cheaper than a timer that each request winds up. */
#include "internal.h"

#include <sys/socket.h>

/* A new connection may be about to send. */
#define MOMENT_MICROSECONDS (500u * 1000u)
/* Time for a client to acknowledge its last answers. */
#define ACKNOWLEDGE_MICROSECONDS (5u * 1000u * 1000u)

/* Bytes of the body received, or of the answer sent, so far. */
static uint64_t moved (const struct connection *connection)
{
    if (PHASE_READING != connection->phase)
        return connection->sent;
    return NULL == connection->exchange ? 0 : connection->exchange->request.body.length;
}

/* Looks whether the client acknowledges what it was sent. Where it has acknowledged all of it the kernel is not asked
 * again: a parked poll costs no system call. */
static void look_at_receipt (struct connection *connection)
{
    if (connection->receipt.acknowledged != connection->handed)
        receipt_look (&connection->receipt, connection->descriptor, connection->handed, connection->loop->now);
}

/* Whether a transfer has moved less than the minimum rate since it was looked at last, a time of grace ago. Bytes of an
 * earlier window are no credit: the kernel's buffers, filled at once, would stand for minutes. And as the kernel takes more
 * in lumps alone, an answer is too slow only where its client has taken too little, too. */
static bool is_too_slow (struct connection *connection, uint64_t elapsed)
{
    const struct http_limits *const limits = &connection->loop->server->limits;
    const bool reads = PHASE_READING == connection->phase;
    if (!reads && !connection->is_paced) {
        connection->is_paced = true;
        connection->acknowledged_before = connection->receipt.acknowledged;
    }
    if (elapsed < limits->grace_milliseconds * 1000u)
        return false;
    const uint64_t least = elapsed * limits->minimum_rate;
    const uint64_t moved_now = moved (connection);
    const uint64_t acknowledged_now = connection->receipt.acknowledged;
    if ((moved_now - connection->moved_before) * 1000000u < least
        && (reads || (acknowledged_now - connection->acknowledged_before) * 1000000u < least))
        return true;
    connection->since = connection->loop->now;
    connection->moved_before = moved_now;
    connection->acknowledged_before = acknowledged_now;
    return false;
}

/* Refuses a request that is still arriving. */
static void give_up_on (struct connection *connection, enum http_refusal reason)
{
    message_refuse (connection, reason, connection->held, connection->held_length);
    connection_look_again (connection);
}

static void look_at_reading (struct connection *connection, uint64_t elapsed)
{
    const struct http_limits *const limits = &connection->loop->server->limits;
    if (NULL == connection->exchange) {
        if (elapsed > limits->head_milliseconds * 1000u)
            give_up_on (connection, HTTP_REFUSAL_SLOW);
    } else if (!connection->exchange->complete && is_too_slow (connection, elapsed)) {
        give_up_on (connection, HTTP_REFUSAL_SLOW);
    }
}

/* Whether it has sent a request that was not read yet: it may be an action, which must not be dropped unanswered. */
static bool has_sent (const struct connection *connection)
{
    char byte;
    return 0 != connection->held_length
           || recvfrom (connection->descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT, NULL, NULL) > 0;
}

/* Closes a connection between two requests. */
static void close_idle (struct connection *connection)
{
    connection->closing = true;
    connection_look_again (connection);
}

static void look_at (struct connection *connection)
{
    const struct http_limits *const limits = &connection->loop->server->limits;
    const uint64_t now = connection->loop->now;
    const uint64_t elapsed = now - connection->since;
    look_at_receipt (connection);
    /* In every phase: a client may also send, or wait, and leave its last answers in the kernel. */
    if (!connection->cut
        && receipt_is_stalled (&connection->receipt, now, GRACES_OF_STALL * limits->grace_milliseconds * 1000u))
        connection_cut (connection);
    switch ((enum phase) connection->phase) {
    case PHASE_IDLE:
        if (elapsed > limits->idle_milliseconds * 1000u && !connection->closing && !has_sent (connection))
            close_idle (connection);
        break;
    case PHASE_READING: look_at_reading (connection, elapsed); break;
    case PHASE_SERVING: break; /* the action's time, or the wait's, is not ours */
    case PHASE_ANSWERING:
        if (!connection->cut && is_too_slow (connection, elapsed))
            connection_cut (connection);
        break;
    case PHASE_STREAMING:
        if (!connection->cut && connection->writable_wanted && is_too_slow (connection, elapsed))
            connection_cut (connection);
        break;
    }
}

/* Whether any deadline runs. A parked poll has none here, nor has a stream, once its client has acknowledged all that
 * was sent; the first look after that sees it. */
bool deadlines_are_set (const struct loop *loop)
{
    return loop->open > atomic_load_explicit (&loop->suspended, memory_order_relaxed)
           || 0 != atomic_load_explicit (&loop->lingering, memory_order_relaxed) || loop->is_unacknowledged
           || loop->progress != loop->looked_at;
}

/* Time in which the loop was blocked, by a handler or by the machine, does not count against clients. */
static void pardon (struct connection *connection, uint64_t missed)
{
    connection->since = clock_later (connection->since, missed, connection->loop->now);
    receipt_pardon (&connection->receipt, missed, connection->loop->now);
}

/* A few times a second. `missed`: by how many microseconds this look is late. */
void deadlines_look (struct loop *loop, uint64_t missed)
{
    struct link *next = NULL;
    loop->looked_at = loop->progress;
    loop->is_unacknowledged = false;
    for (struct link *link = loop->all.next; link != &loop->all; link = next) {
        struct connection *const connection = connection_among_all (link);
        next = link->next;
        if (0 != missed)
            pardon (connection, missed);
        look_at (connection);
        loop->is_unacknowledged = loop->is_unacknowledged || 0 != connection->receipt.stalled_since;
    }
    linger_tick (loop, missed);
}

/* The server stops: refuses every request that is still arriving. */
void deadlines_stop (struct loop *loop)
{
    for (struct link *link = loop->all.next; link != &loop->all; link = link->next) {
        struct connection *const connection = connection_among_all (link);
        if (PHASE_READING == connection->phase && (NULL == connection->exchange || !connection->exchange->complete))
            give_up_on (connection, HTTP_REFUSAL_STOPPING);
    }
}

/* Newcomers are turned away: closes the oldest connection between two requests, or of those that have never sent a byte;
 * one that has not acknowledged all its answers only after a while, and where the loop has no other. False where there is
 * none. */
bool deadlines_make_room (struct loop *loop, bool has_asked)
{
    struct connection *stalled = NULL;
    for (struct link *link = loop->all.next; link != &loop->all; link = link->next) {
        struct connection *const connection = connection_among_all (link);
        if (PHASE_IDLE != connection->phase || has_asked != connection->has_asked || connection->closing
            || loop->now - connection->since < MOMENT_MICROSECONDS
            || server_spares (loop->server, addresses_is_local (loop->server->addresses, connection->peer))
            || has_sent (connection))
            continue;
        look_at_receipt (connection);
        if (0 == connection->receipt.stalled_since) {
            close_idle (connection);
            return true;
        }
        if (NULL == stalled && receipt_is_stalled (&connection->receipt, loop->now, ACKNOWLEDGE_MICROSECONDS))
            stalled = connection;
    }
    if (NULL != stalled)
        close_idle (stalled);
    return NULL != stalled;
}

/* The last resort, where libmicrohttpd says that it is ready and does nothing: cuts the connections that it may be
 * about, those that have not moved since then. Returns how many. */
size_t deadlines_throw_out (struct loop *loop, uint64_t since)
{
    size_t count = 0;
    struct link *next = NULL;
    for (struct link *link = loop->all.next; link != &loop->all; link = next) {
        struct connection *const connection = connection_among_all (link);
        next = link->next;
        if (connection->suspended || connection->cut || connection->since > since || PHASE_IDLE == connection->phase)
            continue;
        connection_cut (connection);
        count += 1;
    }
    return count;
}
