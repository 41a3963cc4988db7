/* Accepting, on the watch's thread.
 *
 * Why not libmicrohttpd: MHD_quiesce_daemon() takes the listening socket out of the event loops' epoll sets from the
 * caller's thread while the loops may do the same, and aborts the process when it comes second (0.9.75, 1.0.1). With the
 * socket here the loops never see it; and a connection beyond the limit can be told so rather than left in the backlog.
 */
#include "internal.h"

#include <errno.h>

/* Connections accepted before the hang-ups get their turn. */
#define ACCEPT_BATCH 64

static void set_armed (struct acceptor *acceptor, struct poller *poller, bool armed)
{
    if (armed == acceptor->armed)
        return;
    if (!armed)
        poller_remove (poller, acceptor->listener);
    else if (!poller_add_readable (poller, acceptor->listener, acceptor->tag))
        return;
    acceptor->armed = armed;
}

static bool is_full (const struct http_server *server)
{
    return atomic_load (&server->connections) >= server->hard_connections;
}

/* Before each wait. Returns whether to look again soon: it wants to accept and cannot. */
bool accept_prepare (struct acceptor *acceptor, struct http_server *server, struct poller *poller)
{
    if (!atomic_load (&acceptor->accepting)) {
        if (acceptor->armed) {
            set_armed (acceptor, poller, false);
            /* New clients are refused from here on, rather than kept waiting in the backlog. */
            (void) shutdown (acceptor->listener, SHUT_RDWR);
        }
        return false;
    }
    if (acceptor->resting) {
        acceptor->resting = false; /* this wait; the socket is ready all the time, and would end it at once */
        return true;
    }
    if (!is_full (server))
        set_armed (acceptor, poller, true);
    return !acceptor->armed;
}

/* Returns false when there is no use in trying again at once. */
static bool accept_one (struct acceptor *acceptor, struct http_server *server, struct poller *poller)
{
    const int descriptor = accept4 (acceptor->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor >= 0) {
        server_accepted (server, descriptor);
        return true;
    }
    if (ECONNABORTED == errno || EINTR == errno)
        return true;
    if (EAGAIN != errno && EWOULDBLOCK != errno) {
        set_armed (acceptor, poller, false); /* no descriptors or memory: tried again on the next tick */
        acceptor->resting = true;
    }
    return false;
}

void accept_batch (struct acceptor *acceptor, struct http_server *server, struct poller *poller)
{
    for (int i = 0; i < ACCEPT_BATCH && atomic_load (&acceptor->accepting); i++) {
        if (is_full (server)) {
            set_armed (acceptor, poller, false); /* the next stay in the backlog until a connection closes */
            return;
        }
        if (!accept_one (acceptor, server, poller))
            return;
    }
}
