/* Listening and accepting, on a thread of its own.
 *
 * Why not libmicrohttpd: MHD_quiesce_daemon() takes the listening socket out of the event loops' epoll sets from the
 * caller's thread while the loops may do the same, and aborts the process when it comes second (0.9.75, 1.0.1). And a
 * connection beyond a limit can be told so, at once, rather than left in the backlog (surplus.c). */
#include "internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* Connections accepted in one go. */
#define BATCH 64
#define TICK_MILLISECONDS 100
/* What may lie unread in the kernel for one connection; it keeps twice as much. Who waits for an answer is not read, and
 * may send all the same. */
#define UNREAD_BYTES (32 * 1024)

struct listener {
    struct http_server *server;
    int descriptor;
    int epoll;
    int wake;
    bool armed;   /* the epoll set has the listening socket */
    bool resting; /* no descriptors or memory: not armed before the next tick */
    bool inherited; /* the socket: others accept from it, too, or will */
    bool started;
    pthread_t thread;
    atomic_bool closing;
    struct surplus surplus;
    struct hold_watch watch;
};

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

/* --------------------------------------------------------------------------------------- the socket */

/* Literals and "localhost" only: resolving names would block and may give several addresses. */
static bool parse_host (const char *host, uint16_t port, union address *address, socklen_t *length)
{
    memset (address, 0, sizeof *address);
    if (0 == strcmp (host, "localhost"))
        host = "127.0.0.1";
    if (1 == inet_pton (AF_INET, host, &address->v4.sin_addr)) {
        address->v4.sin_family = AF_INET;
        address->v4.sin_port = htons (port);
        *length = sizeof address->v4;
        return true;
    }
    if (1 == inet_pton (AF_INET6, host, &address->v6.sin6_addr)) {
        address->v6.sin6_family = AF_INET6;
        address->v6.sin6_port = htons (port);
        *length = sizeof address->v6;
        return true;
    }
    return false;
}

static bool set (int descriptor, int level, int option, int value)
{
    return 0 == setsockopt (descriptor, level, option, &value, sizeof value);
}

/* Accepted sockets inherit these. */
static bool set_options (int descriptor, const struct http_limits *limits)
{
    const int unsent = (int) limits->unsent_bytes;
    const uint64_t graces = GRACES_OF_KERNEL * limits->grace_milliseconds;
    const int patience = graces > INT_MAX ? INT_MAX : (int) graces;
    /* A restart must not wait for the old connections' TIME_WAIT. */
    return set (descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
           /* An answer is one write: Nagle's algorithm could only delay it. */
           && set (descriptor, IPPROTO_TCP, TCP_NODELAY, 1)
           /* The kernel's memory is ours, too: left alone, it grows to megabytes for a client that does not read. */
           && set (descriptor, SOL_SOCKET, SO_SNDBUF, unsent) && set (descriptor, SOL_SOCKET, SO_RCVBUF, UNREAD_BYTES)
           && set (descriptor, IPPROTO_TCP, TCP_NOTSENT_LOWAT, unsent / 4)
           /* A client whose network died never says so. With nothing under way the kernel asks after half a minute, three
            * times; and what is sent and not acknowledged, which would suppress the asking, ends the connection by itself.
            * That holds for the asking, too (tcp(7)): by default not before the third time. */
           && set (descriptor, SOL_SOCKET, SO_KEEPALIVE, 1) && set (descriptor, IPPROTO_TCP, TCP_KEEPIDLE, 30)
           && set (descriptor, IPPROTO_TCP, TCP_KEEPINTVL, 10) && set (descriptor, IPPROTO_TCP, TCP_KEEPCNT, 3)
           && set (descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, patience);
}

static enum http_start start_error (int error)
{
    switch (error) {
    case EADDRINUSE: return HTTP_START_ADDRESS_IN_USE;
    case EADDRNOTAVAIL:
    case EAFNOSUPPORT: return HTTP_START_BAD_ADDRESS;
    case EACCES:
    case EPERM: return HTTP_START_DENIED;
    default: return HTTP_START_FAILED;
    }
}

/* An open socket that listens on an IP address. */
static bool is_listening (int descriptor)
{
    int listens = 0, type = 0, family = 0;
    socklen_t length = sizeof listens;
    return 0 == getsockopt (descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) && 0 != listens
           && 0 == getsockopt (descriptor, SOL_SOCKET, SO_TYPE, &type, &length) && SOCK_STREAM == type
           && 0 == getsockopt (descriptor, SOL_SOCKET, SO_DOMAIN, &family, &length)
           && (AF_INET == family || AF_INET6 == family);
}

static bool set_flags (int descriptor)
{
    const int flags = fcntl (descriptor, F_GETFL);
    return flags >= 0 && 0 == fcntl (descriptor, F_SETFL, flags | O_NONBLOCK)
           && 0 == fcntl (descriptor, F_SETFD, FD_CLOEXEC);
}

static enum http_start open_socket (struct listener *listener, const struct place *place, uint16_t *bound)
{
    union address address;
    socklen_t length = sizeof address;
    listener->descriptor = place->inherited;
    if (place->inherited >= 0) {
        if (!is_listening (place->inherited))
            return HTTP_START_NO_LISTENER;
        if (!set_flags (place->inherited) || !set_options (place->inherited, &listener->server->limits))
            return start_error (errno);
    } else {
        if (!parse_host (place->host, place->port, &address, &length))
            return HTTP_START_BAD_ADDRESS;
        listener->descriptor = socket (address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (listener->descriptor < 0 || !set_options (listener->descriptor, &listener->server->limits)
            || 0 != bind (listener->descriptor, &address.any, length) || 0 != listen (listener->descriptor, SOMAXCONN))
            return start_error (errno);
        length = sizeof address;
    }
    if (0 != getsockname (listener->descriptor, &address.any, &length))
        return start_error (errno);
    *bound = ntohs (AF_INET6 == address.any.sa_family ? address.v6.sin6_port : address.v4.sin_port);
    return HTTP_START_OK;
}

/* --------------------------------------------------------------------------------------- accepting */

static void set_armed (struct listener *listener, bool armed)
{
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = listener };
    if (armed == listener->armed)
        return;
    if (0 == epoll_ctl (listener->epoll, armed ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, listener->descriptor, &event))
        listener->armed = armed;
}

/* As an IPv6 address, mapped where it is none. */
static void take_peer (const union address *address, unsigned char peer[HTTP_ADDRESS_SIZE])
{
    memset (peer, 0, HTTP_ADDRESS_SIZE);
    if (AF_INET6 == address->any.sa_family) {
        memcpy (peer, &address->v6.sin6_addr, HTTP_ADDRESS_SIZE);
    } else {
        peer[10] = 0xff;
        peer[11] = 0xff;
        memcpy (peer + 12, &address->v4.sin_addr, 4);
    }
}

/* The loop that has least to do, of those that no call holds: of all, where all are held. */
static struct loop *choose_loop (const struct http_server *server)
{
    const uint64_t now = clock_microseconds ();
    struct loop *chosen = &server->loops[0];
    bool chosen_is_held = hold_is_on (chosen, now);
    for (unsigned i = 1; i < server->loop_count; i++) {
        struct loop *const loop = &server->loops[i];
        const bool is_held = hold_is_on (loop, now);
        const bool has_less = atomic_load (&loop->connections) < atomic_load (&chosen->connections);
        if (is_held == chosen_is_held ? !has_less : is_held)
            continue;
        chosen = loop;
        chosen_is_held = is_held;
    }
    return chosen;
}

static void place (struct listener *listener, int descriptor, const unsigned char *peer)
{
    struct http_server *const server = listener->server;
    struct loop *const loop = choose_loop (server);
    /* Checked first: a client that has more than its share does not drive others out. */
    if (!addresses_add (server->addresses, peer)) {
        surplus_refuse (&listener->surplus, descriptor, peer, HTTP_REFUSAL_ADDRESS_FULL);
        return;
    }
    const bool is_local = addresses_is_local (server->addresses, peer);
    if (!server_has_place (server, is_local)) {
        addresses_remove (server->addresses, peer);
        surplus_refuse (&listener->surplus, descriptor, peer, HTTP_REFUSAL_FULL);
        loop_want_room (server, is_local);
        return;
    }
    atomic_fetch_add (&server->connections, 1);
    atomic_fetch_add (&server->local_connections, is_local);
    atomic_fetch_add (&loop->connections, 1);
    if (loop_hand_over (loop, descriptor, peer))
        return;
    connection_uncount (loop, peer);
    /* Before the client can see it. */
    server_notify_loss (server, peer);
    (void) close (descriptor);
}

/* How many this process may have now, or 0: it may have been lowered since the start. */
static uint64_t descriptor_limit (void)
{
    struct rlimit limit;
    return 0 == getrlimit (RLIMIT_NOFILE, &limit) ? limit.rlim_cur : 0;
}

/* False when there is no use in trying again at once. */
static bool accept_one (struct listener *listener)
{
    union address address;
    socklen_t length = sizeof address;
    unsigned char peer[HTTP_ADDRESS_SIZE];
    const int descriptor = accept4 (listener->descriptor, &address.any, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor >= 0) {
        take_peer (&address, peer);
        place (listener, descriptor, peer);
        return true;
    }
    if (ECONNABORTED == errno || EINTR == errno)
        return true;
    if (EAGAIN != errno) {
        const int error = errno;
        const struct http_notice notice = {
            .kind = HTTP_NOTICE_ACCEPT,
            .limit = EMFILE == error ? descriptor_limit () : 0,
            .count = 1,
            .error = error,
        };
        server_notify (listener->server, &notice);
        set_armed (listener, false); /* tried again on the next tick; else it would end each wait at once */
        listener->resting = true;
    }
    return false;
}

/* Whether clients that connect now are left to who serves this socket next. */
static bool leaves_clients (const struct listener *listener)
{
    return listener->inherited && atomic_load (&listener->server->leaving);
}

static void accept_batch (struct listener *listener)
{
    for (int i = 0; i < BATCH && !atomic_load (&listener->closing) && !leaves_clients (listener) && accept_one (listener);
         i++)
        continue;
}

static void take_event (struct listener *listener, const struct epoll_event *event)
{
    if (listener == event->data.ptr)
        accept_batch (listener);
    else if (&listener->wake == event->data.ptr)
        wake_clear (listener->wake);
    else
        surplus_read (event->data.ptr);
}

static void *run (void *context)
{
    struct listener *const listener = context;
    struct epoll_event events[BATCH];
    (void) pthread_setname_np (pthread_self (), "http-listen");
    while (!atomic_load (&listener->closing)) {
        /* Nobody wakes this thread when clients are to be left. */
        const bool ticks = surplus_tick (&listener->surplus) > 0 || listener->resting || listener->inherited;
        if (!listener->resting)
            set_armed (listener, !leaves_clients (listener));
        listener->resting = false;
        const int look_again = hold_look (&listener->watch, listener->server);
        const int count
            = epoll_wait (listener->epoll, events, BATCH, ticks || !listener->armed ? TICK_MILLISECONDS : look_again);
        for (int i = 0; i < count; i++)
            take_event (listener, &events[i]);
    }
    /* New clients are refused from here on, rather than kept waiting in the backlog. */
    (void) close (listener->descriptor);
    listener->descriptor = -1;
    return NULL;
}

/* ---------------------------------------------------------------------------------- start and end */

enum http_start listener_create (struct http_server *server, const struct place *place, uint16_t *bound,
                                 struct listener **result)
{
    struct listener *const listener = calloc (1, sizeof *listener);
    if (NULL == listener) {
        if (place->inherited >= 0)
            (void) close (place->inherited);
        return HTTP_START_FAILED;
    }
    listener->server = server;
    listener->descriptor = place->inherited;
    listener->inherited = place->inherited >= 0;
    listener->epoll = epoll_create1 (EPOLL_CLOEXEC);
    surplus_init (&listener->surplus, server, listener->epoll);
    listener->wake = wake_create ();
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = &listener->wake };
    enum http_start start = HTTP_START_FAILED;
    if (listener->epoll >= 0 && listener->wake >= 0
        && 0 == epoll_ctl (listener->epoll, EPOLL_CTL_ADD, listener->wake, &event))
        start = open_socket (listener, place, bound);
    if (HTTP_START_OK == start)
        *result = listener;
    else
        listener_free (listener);
    return start;
}

bool listener_start (struct listener *listener)
{
    listener->started = 0 == pthread_create (&listener->thread, NULL, &run, listener);
    return listener->started;
}

/* Any thread. */
void listener_wake (struct listener *listener)
{
    wake_signal (listener->wake);
}

/* Returns when nothing more is accepted. */
void listener_close (struct listener *listener)
{
    if (!listener->started)
        return;
    atomic_store (&listener->closing, true);
    listener_wake (listener);
    (void) pthread_join (listener->thread, NULL);
    listener->started = false;
}

void listener_free (struct listener *listener)
{
    if (NULL == listener)
        return;
    surplus_close (&listener->surplus);
    if (listener->descriptor >= 0)
        (void) close (listener->descriptor);
    if (listener->epoll >= 0)
        (void) close (listener->epoll);
    if (listener->wake >= 0)
        (void) close (listener->wake);
    free (listener);
}
