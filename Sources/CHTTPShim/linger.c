/* Sockets that we have closed and their clients have not. Closing a socket with unread bytes resets the connection, and
 * the reset may overtake the answer (RFC 9112, section 9.6). So a copy of the descriptor outlives libmicrohttpd's: its
 * bytes are read and dropped, for a while, and its client takes the rest of its answers, as long as it takes any. On the
 * loop's thread. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define LINGER_MICROSECONDS (1000u * 1000u)
/* As long as it sends, and as much as it may still send before it is cut off: an upload that was refused is answered
 * though its client sends it to the end before it reads. */
#define LONGEST_LINGER_MICROSECONDS (20u * 1000u * 1000u)
#define LINGER_BYTES (32u * 1024u * 1024u)
/* In one turn. */
#define LINGER_READS 8

static void end (struct loop *loop, struct lingerer *lingerer)
{
    (void) close (lingerer->descriptor); /* the last copy: this takes it out of the epoll set, too */
    lingerer->used = false;
    atomic_fetch_sub_explicit (&loop->lingering, 1, memory_order_relaxed);
}

/* From here on the kernel alone holds what the client has not taken, and nobody counts that: not for long. */
static void leave_to_kernel (const struct loop *loop, int descriptor)
{
    const uint64_t grace = loop->server->limits.grace_milliseconds;
    const int patience = grace > INT_MAX ? INT_MAX : (int) grace;
    (void) setsockopt (descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &patience, sizeof patience);
}

/* Whether its client may still take what it has not: not after a reset, of which SIOCOUTQ knows nothing. */
static bool is_awaited (int descriptor)
{
    unsigned char state = TCP_CLOSE; /* the first member of struct tcp_info */
    socklen_t length = sizeof state;
    return receipt_is_pending (descriptor)
           && 0 == getsockopt (descriptor, IPPROTO_TCP, TCP_INFO, &state, &length) && TCP_CLOSE != state;
}

/* A free place, or that of the one whose time is over first: of those that wait for their clients, before the others. */
static struct lingerer *place (struct loop *loop)
{
    struct lingerer *first = &loop->lingerers[0];
    for (size_t i = 0; i < MOST_LINGERERS && first->used; i++)
        if (!loop->lingerers[i].used || loop->lingerers[i].deadline < first->deadline)
            first = &loop->lingerers[i];
    if (first->used) {
        leave_to_kernel (loop, first->descriptor);
        end (loop, first);
    }
    return first;
}

/* A connection that closes. Where it was idle, its client rarely sends: others come first. */
void linger_take (const struct connection *connection)
{
    struct loop *const loop = connection->loop;
    struct lingerer *const lingerer = place (loop);
    const int copy = fcntl (connection->descriptor, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) {
        leave_to_kernel (loop, connection->descriptor);
        return;
    }
    *lingerer = (struct lingerer){
        .watched = WATCHED_LINGERER,
        .used = true,
        .descriptor = copy,
        .deadline = loop->now + (connection->reads_off ? LINGER_MICROSECONDS : 0),
        .since = loop->now,
        .budget = LINGER_BYTES,
        .handed = connection->handed + 1,
        .receipt = connection->receipt,
    };
    struct epoll_event event = { .events = EPOLLIN | EPOLLRDHUP, .data.ptr = lingerer };
    atomic_fetch_add_explicit (&loop->lingering, 1, memory_order_relaxed);
    if (0 != epoll_ctl (loop->epoll, EPOLL_CTL_ADD, copy, &event))
        end (loop, lingerer);
}

/* It sends no more. The epoll set would say so for ever. */
static bool reads_on (struct loop *loop, struct lingerer *lingerer)
{
    lingerer->deadline = 0;
    return is_awaited (lingerer->descriptor)
           && 0 == epoll_ctl (loop->epoll, EPOLL_CTL_DEL, lingerer->descriptor, NULL);
}

/* Ends when the client is done, or has sent too much. */
void linger_read (struct loop *loop, struct lingerer *lingerer)
{
    for (int reads = 0; lingerer->used && reads < LINGER_READS; reads++) {
        const ssize_t count
            = recvfrom (lingerer->descriptor, loop->scratch, SCRATCH_SIZE, MSG_DONTWAIT, NULL, NULL);
        if (count < 0 && (EAGAIN == errno || EINTR == errno))
            return;
        if (0 == count && reads_on (loop, lingerer))
            return;
        if (count <= 0 || (size_t) count > lingerer->budget
            || loop->now - lingerer->since > LONGEST_LINGER_MICROSECONDS) {
            end (loop, lingerer);
        } else {
            lingerer->budget -= (size_t) count;
            lingerer->deadline = loop->now + LINGER_MICROSECONDS;
        }
    }
}

bool linger_is_acknowledged (const struct loop *loop)
{
    for (size_t i = 0; i < MOST_LINGERERS; i++)
        if (loop->lingerers[i].used && !receipt_is_complete (loop->lingerers[i].descriptor))
            return false;
    return true;
}

/* False where its client has all its answers, or takes no more: then they are dropped. */
static bool waits (const struct loop *loop, struct lingerer *lingerer)
{
    const struct linger at_once = { .l_onoff = 1, .l_linger = 0 };
    const uint64_t patience = GRACES_OF_STALL * loop->server->limits.grace_milliseconds * 1000u;
    receipt_look (&lingerer->receipt, lingerer->descriptor, lingerer->handed, loop->now);
    if (!is_awaited (lingerer->descriptor))
        return false;
    if (!receipt_is_stalled (&lingerer->receipt, loop->now, patience))
        return true;
    (void) setsockopt (lingerer->descriptor, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    return false;
}

static void pardon (struct lingerer *lingerer, uint64_t missed, uint64_t now)
{
    if (0 != lingerer->deadline)
        lingerer->deadline += missed;
    lingerer->since = clock_later (lingerer->since, missed, now);
    receipt_pardon (&lingerer->receipt, missed, now);
}

/* Ends those whose time is over. `missed`: by how many microseconds this look is late. */
void linger_tick (struct loop *loop, uint64_t missed)
{
    for (size_t i = 0; i < MOST_LINGERERS; i++) {
        struct lingerer *const lingerer = &loop->lingerers[i];
        if (lingerer->used && 0 != missed)
            pardon (lingerer, missed, loop->now);
        if (lingerer->used && lingerer->deadline <= loop->now && !waits (loop, lingerer))
            end (loop, lingerer);
    }
}

/* The loop ends. What their clients have not taken they may take from the kernel. */
void linger_stop (struct loop *loop)
{
    for (size_t i = 0; i < MOST_LINGERERS; i++)
        if (loop->lingerers[i].used)
            end (loop, &loop->lingerers[i]);
}
