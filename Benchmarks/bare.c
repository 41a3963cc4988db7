/* The yardstick: what libmicrohttpd does with nothing above it, on one thread of its own.
 *
 * bare PORT BODY_FILE ["Name: value" …]
 *
 * GET /park?since=N waits for a change, GET /stream streams them, and POST /change makes one. Every other request is
 * answered with the bytes of the file. All answers have the given fields. Nothing is looked up, stored or logged.
 */
#define _GNU_SOURCE /* asprintf */
#include <microhttpd.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define BODY_ROOM (1024 * 1024)
/* As much as Bindery's pool for a connection. */
#define POOL 12288
#define EVENT_ROOM 256

struct waiter {
    struct MHD_Connection *connection;
    struct waiter *next;
};

struct stream {
    struct waiter waiter;
    char event[EVENT_ROOM]; /* a copy, since the next change may come while it is sent */
    size_t length;
    size_t sent;
    unsigned long last; /* the number of the change that was sent last */
};

/* libmicrohttpd's thread alone uses these. */
static struct waiter *waiting;
static unsigned long number;       /* of the last change */
static struct MHD_Response *delta; /* the same for all polls */

static char **fields;
static int field_count;
static char body[BODY_ROOM];
static size_t body_length;

/* NULL for want of memory. */
static struct MHD_Response *respond (const void *bytes, size_t length)
{
    struct MHD_Response *const response
        = MHD_create_response_from_buffer (length, (void *) (uintptr_t) bytes, MHD_RESPMEM_MUST_COPY);
    for (int i = 0; NULL != response && i < field_count; i++) {
        char name[64];
        const char *const colon = strstr (fields[i], ": ");
        (void) snprintf (name, sizeof name, "%.*s", (int) (colon - fields[i]), fields[i]);
        (void) MHD_add_response_header (response, name, colon + 2);
    }
    return response;
}

static enum MHD_Result answer (struct MHD_Connection *connection, struct MHD_Response *response)
{
    if (NULL == response)
        return MHD_NO;
    const enum MHD_Result queued = MHD_queue_response (connection, MHD_HTTP_OK, response);
    MHD_destroy_response (response);
    return queued;
}

/* Bindery's words for a change of one output; returns its length. */
static size_t tell (char *text, const char *before, const char *after)
{
    return (size_t) snprintf (text, EVENT_ROOM,
                              "%s{\"kind\":\"delta\",\"cursor\":\"%lu.Tz0mQ2eLr8k\",\"changes\":[{\"seq\":%lu,"
                              "\"viewModel\":\"counter\",\"output\":\"text\",\"value\":\"%lu\"}]}%s",
                              before, number, number, number, after);
}

static void suspend (struct waiter *waiter)
{
    waiter->next = waiting;
    waiting = waiter;
    MHD_suspend_connection (waiter->connection);
}

static enum MHD_Result change (struct MHD_Connection *connection)
{
    char text[EVENT_ROOM];
    number++;
    if (NULL != delta)
        MHD_destroy_response (delta);
    delta = respond (text, tell (text, "", ""));
    while (NULL != waiting) {
        struct waiter *const next = waiting->next;
        MHD_resume_connection (waiting->connection);
        waiting = next;
    }
    return answer (connection, respond (text, (size_t) snprintf (text, sizeof text, "{\"text\":\"%lu\"}", number)));
}

static enum MHD_Result park (struct MHD_Connection *connection, void **state)
{
    struct waiter *const waiter = *state;
    const char *const since = MHD_lookup_connection_value (connection, MHD_GET_ARGUMENT_KIND, "since");
    if (NULL == waiter->connection && NULL != since && strtoul (since, NULL, 10) == number) {
        waiter->connection = connection;
        suspend (waiter);
        return MHD_YES;
    }
    return NULL == delta ? MHD_NO : MHD_queue_response (connection, MHD_HTTP_OK, delta);
}

static ssize_t read_stream (void *context, uint64_t position, char *buffer, size_t capacity)
{
    struct stream *const stream = context;
    (void) position;
    if (stream->sent == stream->length) {
        char before[64];
        if (stream->last == number) {
            suspend (&stream->waiter);
            return 0;
        }
        (void) snprintf (before, sizeof before, "event: delta\nid: %lu.Tz0mQ2eLr8k\ndata: ", number);
        stream->length = tell (stream->event, before, "\n\n");
        stream->sent = 0;
        stream->last = number;
    }
    const size_t left = stream->length - stream->sent;
    const size_t taken = left < capacity ? left : capacity;
    memcpy (buffer, stream->event + stream->sent, taken);
    stream->sent += taken;
    return (ssize_t) taken;
}

static enum MHD_Result begin_stream (struct MHD_Connection *connection)
{
    struct stream *const stream = calloc (1, sizeof *stream);
    if (NULL == stream)
        return MHD_NO;
    stream->waiter.connection = connection;
    struct MHD_Response *const response
        = MHD_create_response_from_callback (MHD_SIZE_UNKNOWN, 1024, &read_stream, stream, &free);
    if (NULL != response)
        (void) MHD_add_response_header (response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/event-stream");
    return answer (connection, response);
}

static enum MHD_Result handle (void *context, struct MHD_Connection *connection, const char *url, const char *method,
                               const char *version, const char *bytes, size_t *length, void **state)
{
    (void) context;
    (void) version;
    (void) bytes;
    if (NULL == *state) /* an answer to the head alone would close the connection */
        return NULL == (*state = calloc (1, sizeof (struct waiter))) ? MHD_NO : MHD_YES;
    if (0 != *length) {
        *length = 0;
        return MHD_YES;
    }
    if (0 == strcmp (url, "/change") && 0 == strcmp (method, MHD_HTTP_METHOD_POST))
        return change (connection);
    if (0 == strcmp (url, "/park"))
        return park (connection, state);
    if (0 == strcmp (url, "/stream"))
        return begin_stream (connection);
    return answer (connection, respond (body, body_length));
}

static void complete (void *context, struct MHD_Connection *connection, void **state,
                      enum MHD_RequestTerminationCode code)
{
    (void) context;
    (void) connection;
    (void) code;
    free (*state);
}

int main (int argc, char **argv)
{
    FILE *const file = argc < 3 ? NULL : fopen (argv[2], "rb");
    if (NULL == file) {
        (void) fputs ("usage: bare PORT BODY_FILE [\"Name: value\" …]\n", stderr);
        return 64;
    }
    body_length = fread (body, 1, sizeof body, file);
    (void) fclose (file);
    fields = argv + 3;
    field_count = argc - 3;
    for (int i = 0; i < field_count; i++)
        if (NULL == strstr (fields[i], ": "))
            return 64;
    struct rlimit descriptors;
    if (0 == getrlimit (RLIMIT_NOFILE, &descriptors)) {
        descriptors.rlim_cur = descriptors.rlim_max;
        (void) setrlimit (RLIMIT_NOFILE, &descriptors);
    }
    const struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons ((uint16_t) strtoul (argv[1], NULL, 10)),
        .sin_addr.s_addr = htonl (INADDR_LOOPBACK),
    };
    sigset_t ends;
    int received;
    (void) sigemptyset (&ends);
    (void) sigaddset (&ends, SIGTERM);
    (void) pthread_sigmask (SIG_BLOCK, &ends, NULL);
    struct MHD_Daemon *const daemon = MHD_start_daemon (
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, &handle, NULL,
        MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_LIMIT, 19000u, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t) POOL, MHD_OPTION_NOTIFY_COMPLETED, &complete, NULL, MHD_OPTION_END);
    if (NULL == daemon) {
        (void) fprintf (stderr, "bare: cannot listen on port %s\n", argv[1]);
        return 1;
    }
    (void) sigwait (&ends, &received);
    _exit (0); /* MHD_stop_daemon() aborts the process if a connection is suspended */
}
