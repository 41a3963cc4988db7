/* Sockets that are closed for us and not yet for their clients. Closing a socket with unread bytes resets the connection,
 * and the reset may overtake the answer (RFC 9112, section 9.6). So a copy of the descriptor outlives libmicrohttpd's: its
 * bytes are read and dropped, for a while. On the loop's thread. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
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

/* A free place, or that of the one whose time is over first. */
static struct lingerer *place (struct loop *loop)
{
    struct lingerer *first = &loop->lingerers[0];
    for (size_t i = 0; i < MOST_LINGERERS && first->used; i++)
        if (!loop->lingerers[i].used || loop->lingerers[i].deadline < first->deadline)
            first = &loop->lingerers[i];
    if (first->used)
        end (loop, first);
    return first;
}

void linger_take (struct loop *loop, int descriptor)
{
    struct lingerer *const lingerer = place (loop);
    const int copy = fcntl (descriptor, F_DUPFD_CLOEXEC, 0);
    if (copy < 0)
        return;
    *lingerer = (struct lingerer){ WATCHED_LINGERER, true,         copy, loop->now + LINGER_MICROSECONDS,
                                   loop->now,        LINGER_BYTES };
    struct epoll_event event = { .events = EPOLLIN | EPOLLRDHUP, .data.ptr = lingerer };
    atomic_fetch_add_explicit (&loop->lingering, 1, memory_order_relaxed);
    if (0 != epoll_ctl (loop->epoll, EPOLL_CTL_ADD, copy, &event))
        end (loop, lingerer);
}

/* Ends when the client is done, or has sent too much. */
void linger_read (struct loop *loop, struct lingerer *lingerer)
{
    for (int reads = 0; lingerer->used && reads < LINGER_READS; reads++) {
        const ssize_t count
            = recvfrom (lingerer->descriptor, loop->scratch, SCRATCH_SIZE, MSG_DONTWAIT, NULL, NULL);
        if (count < 0 && (EAGAIN == errno || EINTR == errno))
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

bool linger_is_heard (const struct loop *loop)
{
    for (size_t i = 0; i < MOST_LINGERERS; i++)
        if (loop->lingerers[i].used && !connection_is_heard (loop->lingerers[i].descriptor))
            return false;
    return true;
}

/* With UINT64_MAX for now, all of them. */
void linger_tick (struct loop *loop, uint64_t now)
{
    for (size_t i = 0; i < MOST_LINGERERS; i++)
        if (loop->lingerers[i].used && loop->lingerers[i].deadline <= now)
            end (loop, &loop->lingerers[i]);
}
