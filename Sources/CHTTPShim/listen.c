/* The listening socket. It is the shim's own, not libmicrohttpd's: see accept.c. */
#include "internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

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

/* Accepted sockets inherit these. */
static bool set_options (int listener)
{
    const int on = 1;
    const int keep_idle = 30, keep_interval = 10, keep_count = 3;
    /* A restart must not wait for the old connections' TIME_WAIT. */
    if (0 != setsockopt (listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on))
        return false;
    /* An answer is one write: Nagle's algorithm could only delay it. */
    if (0 != setsockopt (listener, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on))
        return false;
    /* A parked client whose network died never says so: after a minute the kernel asks. */
    return 0 == setsockopt (listener, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on)
           && 0 == setsockopt (listener, IPPROTO_TCP, TCP_KEEPIDLE, &keep_idle, sizeof keep_idle)
           && 0 == setsockopt (listener, IPPROTO_TCP, TCP_KEEPINTVL, &keep_interval, sizeof keep_interval)
           && 0 == setsockopt (listener, IPPROTO_TCP, TCP_KEEPCNT, &keep_count, sizeof keep_count);
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

enum http_start listen_open (const char *host, uint16_t port, int *listener, uint16_t *bound)
{
    union address address;
    socklen_t length;
    if (!parse_host (host, port, &address, &length))
        return HTTP_START_BAD_ADDRESS;
    const int descriptor = socket (address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return start_error (errno);
    if (!set_options (descriptor) || 0 != bind (descriptor, &address.any, length)
        || 0 != listen (descriptor, SOMAXCONN) || 0 != getsockname (descriptor, &address.any, &length)) {
        const int error = errno;
        (void) close (descriptor);
        return start_error (error);
    }
    *listener = descriptor;
    *bound = ntohs (AF_INET6 == address.any.sa_family ? address.v6.sin6_port : address.v4.sin_port);
    return HTTP_START_OK;
}
