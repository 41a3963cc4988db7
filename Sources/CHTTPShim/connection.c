/* A connection as its loop keeps it: which phase it is in since when, whether libmicrohttpd has it suspended, and what is
 * to be done with it at the end of the turn. All on the loop's thread. */
#include "internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

/* Of a file, sent at once. */
#define FILE_PIECE (256u * 1024u)

/* The loop whose thread this is. */
_Thread_local struct loop *current_loop;

/* ---------------------------------------------------------------------------------------------- lists */

void link_clear (struct link *link)
{
    link->previous = link;
    link->next = link;
}

static bool link_is_alone (const struct link *link)
{
    return link == link->next;
}

static void link_add (struct link *list, struct link *link)
{
    link->next = list;
    link->previous = list->previous;
    list->previous->next = link;
    list->previous = link;
}

static void link_remove (struct link *link)
{
    link->previous->next = link->next;
    link->next->previous = link->previous;
    link_clear (link);
}

struct connection *connection_among_all (struct link *link)
{
    return (struct connection *) (void *) ((char *) link - offsetof (struct connection, among_all));
}

static struct connection *connection_among_some (struct link *link)
{
    return (struct connection *) (void *) ((char *) link - offsetof (struct connection, among_some));
}

/* -------------------------------------------------------------------------------------- open and close */

/* Edge-triggered: a hang-up and urgent data are reported once. That bytes can be read, libmicrohttpd is told by its own
 * set. */
static bool watch (const struct connection *connection, int operation, uint32_t more)
{
    struct epoll_event event = { .events = EPOLLRDHUP | EPOLLPRI | EPOLLET | more };
    event.data.ptr = (void *) (uintptr_t) connection;
    return 0 == epoll_ctl (connection->loop->epoll, operation, connection->descriptor, &event);
}

/* One less of those that were accepted for the loop. */
void connection_uncount (struct loop *loop, const unsigned char *peer)
{
    const bool is_local = addresses_is_local (loop->server->addresses, peer);
    addresses_remove (loop->server->addresses, peer);
    atomic_fetch_sub (&loop->connections, 1);
    atomic_fetch_sub (&loop->server->local_connections, is_local);
    atomic_fetch_sub (&loop->server->connections, 1);
    atomic_store (&loop->server->makes_room, false);
}

/* NULL where there is no memory or it cannot be watched; the descriptor stays the caller's. */
struct connection *connection_open (struct loop *loop, int descriptor, const unsigned char *peer)
{
    struct connection *const connection = calloc (1, sizeof *connection);
    if (NULL == connection)
        return NULL;
    connection->watched = WATCHED_CONNECTION;
    connection->loop = loop;
    connection->descriptor = descriptor;
    connection->since = loop->now;
    memcpy (connection->peer, peer, sizeof connection->peer);
    if ((size_t) descriptor >= loop->server->descriptors || !watch (connection, EPOLL_CTL_ADD, 0)) {
        free (connection);
        return NULL;
    }
    loop->open += 1;
    link_add (&loop->all, &connection->among_all);
    link_clear (&connection->among_some);
    return connection;
}

/* libmicrohttpd has taken it: from here on the gate reads and sends for it. Not earlier: libmicrohttpd closes the
 * descriptor of a connection that it does not take before it says so, and by then the number may be another loop's
 * connection. */
void connection_begin (struct connection *connection, struct MHD_Connection *handle)
{
    connection->handle = handle;
    atomic_store_explicit (&connection->loop->server->by_descriptor[connection->descriptor], connection,
                           memory_order_relaxed);
}

static void stop_running (struct connection *connection)
{
    struct http_server *const server = connection->loop->server;
    if (!connection->running)
        return;
    connection->running = false;
    if (1 != atomic_fetch_sub (&server->running, 1) || !atomic_load (&server->draining))
        return;
    (void) pthread_mutex_lock (&server->lock);
    (void) pthread_cond_broadcast (&server->quiet);
    (void) pthread_mutex_unlock (&server->lock);
}

/* Forgets it. The descriptor is libmicrohttpd's to close, which takes it out of the epoll set. */
void connection_close (struct connection *connection)
{
    struct loop *const loop = connection->loop;
    if (0 != connection->handed && !connection->cut
        && (connection->reads_off || receipt_is_pending (connection->descriptor)))
        linger_take (connection);
    stop_running (connection);
    connection_uncount (loop, connection->peer);
    loop->open -= 1;
    link_remove (&connection->among_all);
    link_remove (&connection->among_some);
    if (NULL != connection->handle)
        atomic_store_explicit (&loop->server->by_descriptor[connection->descriptor], NULL, memory_order_relaxed);
    (void) epoll_ctl (loop->epoll, EPOLL_CTL_DEL, connection->descriptor, NULL);
    loop->progress += 1;
    free (connection->held);
    free (connection);
}

/* The connection of a descriptor, where this is its loop's thread. */
struct connection *connection_of (int descriptor)
{
    struct loop *const loop = current_loop;
    if (NULL == loop || descriptor < 0 || (size_t) descriptor >= loop->server->descriptors)
        return NULL;
    struct connection *const connection
        = atomic_load_explicit (&loop->server->by_descriptor[descriptor], memory_order_relaxed);
    return NULL != connection && loop == connection->loop ? connection : NULL;
}

/* --------------------------------------------------------------------------------------------- phases */

void connection_enter (struct connection *connection, enum phase phase)
{
    connection->phase = (uint8_t) phase;
    connection->since = connection->loop->now;
    connection->moved_before = PHASE_READING == phase ? 0 : connection->sent;
    connection->is_paced = false;
}

/* The first byte of a request is here, or was before. */
void connection_begin_message (struct connection *connection)
{
    if (connection->running)
        return;
    connection->running = true;
    connection->was_suspended = false;
    connection->sent = 0;
    connection_enter (connection, PHASE_READING);
    atomic_fetch_add_explicit (&connection->loop->server->running, 1, memory_order_relaxed);
}

/* There is none under way any more. */
void connection_end_message (struct connection *connection)
{
    stop_running (connection);
    connection_enter (connection, PHASE_IDLE);
}

void connection_end_exchange (struct connection *connection)
{
    connection->exchange = NULL;
    connection->has_asked = true;
    connection->loop->progress += 1;
    connection_end_message (connection);
    if (connection->owed || connection->ended)
        connection_look_again (connection);
    connection->owed = false;
}

void connection_suspend (struct connection *connection)
{
    if (connection->suspended)
        return;
    connection->suspended = true;
    connection->was_suspended = true;
    atomic_fetch_add_explicit (&connection->loop->suspended, 1, memory_order_relaxed);
    MHD_suspend_connection (connection->handle);
}

void connection_resume (struct connection *connection)
{
    if (!connection->suspended)
        return;
    connection->suspended = false;
    connection->loop->progress += 1;
    atomic_fetch_sub_explicit (&connection->loop->suspended, 1, memory_order_relaxed);
    MHD_resume_connection (connection->handle);
}

/* Has libmicrohttpd call recv() for it again, although the kernel reported nothing new. */
void connection_look_again (struct connection *connection)
{
    connection->loop->progress += 1; /* there is something to do: the loop does not sleep now */
    if (link_is_alone (&connection->among_some))
        link_add (&connection->loop->look_again, &connection->among_some);
}

/* Between two turns of libmicrohttpd, which takes for readable whatever it has resumed. */
void connection_show_to_library (struct loop *loop)
{
    while (!link_is_alone (&loop->look_again)) {
        struct connection *const connection = connection_among_some (loop->look_again.next);
        link_remove (&connection->among_some);
        if (connection->suspended || NULL == connection->handle)
            continue;
        MHD_suspend_connection (connection->handle);
        MHD_resume_connection (connection->handle);
    }
}

typedef ssize_t (*sendmsg_function) (int, const struct msghdr *, int);

/* sendmsg(2) by libc: the name is the gate's. */
ssize_t socket_send (int descriptor, const struct msghdr *message, int flags)
{
    static _Atomic (sendmsg_function) found;
    sendmsg_function function = atomic_load_explicit (&found, memory_order_relaxed);
    if (NULL == function) {
        /* POSIX has the conversion work (dlsym(3)). */
        *(void **) &function = dlsym (RTLD_NEXT, "sendmsg");
        atomic_store_explicit (&found, function, memory_order_relaxed);
    }
    if (NULL == function) {
        errno = ENOSYS;
        return -1;
    }
    return function (descriptor, message, flags);
}

static ssize_t count_sent (struct connection *connection, ssize_t sent)
{
    if (sent > 0) {
        connection->sent += (uint64_t) sent;
        connection->handed += (uint64_t) sent;
        connection->loop->progress += 1;
    }
    return sent;
}

/* Sends to its client, and counts what the kernel took. */
ssize_t connection_send (struct connection *connection, struct iovec *pieces, int count)
{
    const struct msghdr message = { .msg_iov = pieces, .msg_iovlen = (size_t) count };
    return count_sent (connection, socket_send (connection->descriptor, &message, MSG_DONTWAIT | MSG_NOSIGNAL));
}

/* The same of a file, some of it at a time: others of the loop wait while it is read. Where it ends before `length` bytes,
 * EIO. No SIGPIPE reaches the loops' threads, on which signals are blocked. */
ssize_t connection_send_file (struct connection *connection, int file, off_t offset, size_t length)
{
    const size_t most = length < FILE_PIECE ? length : FILE_PIECE;
    const ssize_t sent = sendfile (connection->descriptor, file, &offset, most);
    if (0 == sent) {
        errno = EIO;
        return -1;
    }
    return count_sent (connection, sent);
}

/* False where the kernel cannot be asked to report that there is room again. */
bool connection_want_writable (struct connection *connection, bool wanted)
{
    if (wanted == connection->writable_wanted)
        return true;
    connection->writable_wanted = wanted;
    return watch (connection, EPOLL_CTL_MOD, wanted ? EPOLLOUT : 0) || !wanted;
}

/* Without memory for an answer: the connection closes when libmicrohttpd reads next. */
void connection_give_up (struct connection *connection)
{
    connection->closing = true;
    server_notify_loss (connection->loop->server, connection->peer);
}

/* Ends it whatever is under way: what the kernel still holds for it is dropped, and whoever waits for the socket is told
 * that it hung up. */
void connection_cut (struct connection *connection)
{
    const struct linger at_once = { .l_onoff = 1, .l_linger = 0 };
    connection->cut = true;
    (void) setsockopt (connection->descriptor, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    (void) shutdown (connection->descriptor, SHUT_RDWR);
}
