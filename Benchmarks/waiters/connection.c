/* Sockets, the epoll that they are in, and what is sent over them. */
#define _GNU_SOURCE /* IP_BIND_ADDRESS_NO_PORT */
#include "waiters.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* An address has 28,000 ports for connections to one server, and those closed lately are not free at once. */
#define CONNECTIONS_OF_ONE_ADDRESS 5000

#define BATCH 256

static int poller;
static uint16_t server_port;
static unsigned opened;
static int64_t received;

int64_t now (void)
{
    struct timespec time;
    (void) clock_gettime (CLOCK_MONOTONIC, &time);
    return (int64_t) time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

int64_t arrival (void)
{
    return received;
}

void connections_begin (const struct options *options)
{
    struct rlimit descriptors;
    const rlim_t needed = (rlim_t) options->streams + options->polls + 256;
    if (0 != getrlimit (RLIMIT_NOFILE, &descriptors))
        die ("getrlimit: %s", strerror (errno));
    if (descriptors.rlim_max < needed)
        die ("%ju open files are allowed, %ju are needed", (uintmax_t) descriptors.rlim_max, (uintmax_t) needed);
    descriptors.rlim_cur = descriptors.rlim_max;
    if (0 != setrlimit (RLIMIT_NOFILE, &descriptors))
        die ("setrlimit: %s", strerror (errno));
    server_port = options->port;
    poller = epoll_create1 (EPOLL_CLOEXEC);
    if (poller < 0)
        die ("epoll_create1: %s", strerror (errno));
}

void connection_open (struct connection *connection)
{
    const int one = 1;
    struct sockaddr_in client = { .sin_family = AF_INET };
    struct sockaddr_in server = { .sin_family = AF_INET, .sin_port = htons (server_port) };
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = connection };
    client.sin_addr.s_addr = htonl (INADDR_LOOPBACK + opened++ / CONNECTIONS_OF_ONE_ADDRESS);
    server.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
    memset (connection, 0, sizeof *connection);
    connection->descriptor = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection->descriptor < 0
        || 0 != setsockopt (connection->descriptor, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one)
        || 0 != bind (connection->descriptor, (const struct sockaddr *) &client, sizeof client)
        || 0 != connect (connection->descriptor, (const struct sockaddr *) &server, sizeof server)
        || 0 != epoll_ctl (poller, EPOLL_CTL_ADD, connection->descriptor, &event))
        die ("connection %u: %s", opened, strerror (errno));
}

void connection_ask (struct connection *connection, const char *request)
{
    const size_t length = strlen (request);
    if ((ssize_t) length != send (connection->descriptor, request, length, MSG_NOSIGNAL))
        die ("a request could not be sent: %s", strerror (errno));
}

static void receive (struct connection *connection)
{
    static char bytes[128 * 1024];
    const ssize_t length = recv (connection->descriptor, bytes, sizeof bytes, MSG_DONTWAIT);
    received = now ();
    if (length > 0)
        response_take (connection, bytes, (size_t) length);
    else if (0 == length || (EAGAIN != errno && EINTR != errno))
        die ("the server closed a connection%s%s", 0 == length ? "" : ": ", 0 == length ? "" : strerror (errno));
}

void connections_turn (int64_t patience)
{
    struct epoll_event events[BATCH];
    const int milliseconds = patience <= 0 ? 0 : (int) ((patience + 999) / 1000);
    const int count = epoll_wait (poller, events, BATCH, milliseconds);
    for (int i = 0; i < count; i++)
        receive (events[i].data.ptr);
}

char *request_text (const struct options *options, const char *method, const char *path, const char *cursor,
                    const char *accept, const char *data)
{
    static const char place[] = "{cursor}";
    const char *const found = strstr (path, place);
    const int before = NULL == found ? (int) strlen (path) : (int) (found - path);
    const char *const after = NULL == found ? "" : found + sizeof place - 1;
    char *text = NULL;
    size_t length = 0;
    FILE *const request = open_memstream (&text, &length);
    if (NULL == request)
        die ("out of memory");
    (void) fprintf (request, "%s %.*s%s%s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n", method, before, path,
                    NULL == found ? "" : cursor, after, (unsigned) options->port);
    if (NULL != options->header)
        (void) fprintf (request, "%s\r\n", options->header);
    if (NULL != accept)
        (void) fprintf (request, "Accept: %s\r\n", accept);
    if (NULL != data)
        (void) fprintf (request, "Content-Type: application/json\r\n");
    if (NULL != data || 0 == strcmp (method, "POST"))
        (void) fprintf (request, "Content-Length: %zu\r\n", NULL == data ? 0 : strlen (data));
    (void) fprintf (request, "\r\n%s", NULL == data ? "" : data);
    if (0 != fclose (request))
        die ("out of memory");
    return text;
}
