/* The listening socket, accepting, and the bounds on connections. All loops accept from one socket. */
#include "internal.h"

#include <netdb.h>
#include <stdio.h>

/* Connections that a loop accepts at a time. */
#define BATCH 16
/* At most this many connections beyond a bound get a refusal at a time. Others are closed at once. */
#define REFUSED_CONNECTIONS 8
/* Bytes of an answer that the kernel keeps until the client takes them. The socket becomes writable when less than half of
 * UNSENT_LOW_BYTES is unsent. */
#define UNSENT_BYTES (64 * 1024)
#define UNSENT_LOW_BYTES (16 * 1024)
/* The kernel ends a connection that acknowledges nothing for this many periods of grace (tcp(7), TCP_USER_TIMEOUT). */
#define PERIODS_OF_KERNEL 5

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

/* The slot of an IPv4 address or of an IPv6 /64. A subscriber has at least a /64 (RFC 6177). */
static atomic_uint *slot_of (struct http_server *server, const unsigned char *address) {
    static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
    uint64_t key;
    memcpy (&key, address + (0 == memcmp (address, mapped, sizeof mapped) ? 8 : 0), sizeof key);
    /* The address of the table makes the hash different in each process. */
    key = (key ^ (uint64_t) (uintptr_t) server->counts) * UINT64_C (0xff51afd7ed558ccd);
    return &server->counts[(key ^ key >> 29) >> 16 & (ADDRESS_SLOTS - 1)];
}

static bool set (int descriptor, int level, int option, int value) {
    return 0 == setsockopt (descriptor, level, option, &value, sizeof value);
}

/* Accepted sockets inherit these. */
static bool set_options (int descriptor, const struct http_limits *limits) {
    const int patience = (int) (PERIODS_OF_KERNEL * limits->grace_milliseconds);
    return set (descriptor, SOL_SOCKET, SO_REUSEADDR, 1) /* a restart does not wait for TIME_WAIT */
           && set (descriptor, IPPROTO_TCP, TCP_NODELAY, 1)
           && set (descriptor, SOL_SOCKET, SO_SNDBUF, UNSENT_BYTES)
           && set (descriptor, IPPROTO_TCP, TCP_NOTSENT_LOWAT, UNSENT_LOW_BYTES)
           /* Probes the client after 30 s without traffic, three times: its network may be gone. */
           && set (descriptor, SOL_SOCKET, SO_KEEPALIVE, 1) && set (descriptor, IPPROTO_TCP, TCP_KEEPIDLE, 30)
           && set (descriptor, IPPROTO_TCP, TCP_KEEPINTVL, 10) && set (descriptor, IPPROTO_TCP, TCP_KEEPCNT, 3)
           && set (descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, patience);
}

/* Binds to a literal or "localhost": a name would have to be resolved, and may have several addresses. */
static int bind_to (struct http_server *server, const char *host, uint16_t port) {
    const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM };
    struct addrinfo *found = NULL;
    char service[8];
    (void) snprintf (service, sizeof service, "%u", port);
    if (0 != getaddrinfo (0 == strcmp (host, "localhost") ? "127.0.0.1" : host, service, &hints, &found))
        return EADDRNOTAVAIL;
    server->listener = socket (found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const bool is_open = server->listener >= 0 && set_options (server->listener, &server->limits)
                         && 0 == bind (server->listener, found->ai_addr, found->ai_addrlen)
                         && 0 == listen (server->listener, SOMAXCONN);
    const int error = is_open ? 0 : errno;
    freeaddrinfo (found);
    return error;
}

/* Opens server->listener. Returns 0 or an error of errno(3). */
int listen_open (struct http_server *server, const char *host, uint16_t port, uint16_t *bound) {
    union address address;
    socklen_t length = sizeof address;
    const int error = bind_to (server, host, port);
    if (0 != error)
        return error;
    if (0 != getsockname (server->listener, &address.any, &length))
        return errno;
    *bound = ntohs (AF_INET6 == address.any.sa_family ? address.v6.sin6_port : address.v4.sin_port);
    return 0;
}

/* Counts a connection, and refuses it beyond a bound. False: the caller closes it at once. */
static bool count_in (struct http_server *server, struct connection *connection) {
    const struct http_callbacks *const callbacks = &server->callbacks;
    const size_t others = atomic_fetch_add (&server->connections, 1), most = server->limits.connections;
    const unsigned alike = atomic_fetch_add (slot_of (server, connection->peer), 1),
                   most_alike = server->limits.connections_per_address;
    const bool is_crowd = alike >= most_alike && !callbacks->is_exempt (server->owner, connection->peer);
    if (!is_crowd && others < most)
        return true;
    connection->refusal = is_crowd ? MHD_HTTP_TOO_MANY_REQUESTS : MHD_HTTP_SERVICE_UNAVAILABLE;
    callbacks->turned_away (server->owner, connection->refusal, connection->peer, 0);
    return others < most + REFUSED_CONNECTIONS && (!is_crowd || alike < most_alike + REFUSED_CONNECTIONS);
}

/* Reverses count_in(). */
void listen_forget (struct http_server *server, const struct connection *connection) {
    (void) atomic_fetch_sub (slot_of (server, connection->peer), 1);
    (void) atomic_fetch_sub (&server->connections, 1);
}

static void place (struct loop *loop, int descriptor, const union address *address) {
    struct connection *const connection = allocate (NULL, sizeof *connection);
    *connection = (struct connection){ .descriptor = descriptor };
    if (AF_INET6 == address->any.sa_family) {
        memcpy (connection->peer, &address->v6.sin6_addr, HTTP_ADDRESS_SIZE);
    } else {
        connection->peer[10] = connection->peer[11] = 0xff;
        memcpy (connection->peer + 12, &address->v4.sin_addr, 4);
    }
    if (count_in (loop->server, connection)) {
        connection_add (loop, connection);
        return;
    }
    (void) close (descriptor);
    listen_forget (loop->server, connection);
    free (connection);
}

/* Accepts some connections. False if an immediate retry would fail again. */
bool listen_accept (struct loop *loop) {
    for (int i = 0; i < BATCH; i++) {
        union address address;
        socklen_t length = sizeof address;
        const int descriptor
            = accept4 (loop->server->listener, &address.any, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (descriptor >= 0) {
            place (loop, descriptor, &address);
        } else if (EAGAIN == errno) {
            return true;
        } else if (ECONNABORTED != errno && EINTR != errno) {
            loop->server->callbacks.turned_away (loop->server->owner, 0, NULL, errno);
            return false;
        }
    }
    return true;
}
