/* The server under test: the shim with handlers in C, told what to do by lines on its input, telling by lines on its
 * output. It allocates nothing itself: what is allocated and not freed is the shim's or libmicrohttpd's. */
#include "CHTTPShim.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUTE_TEXT, ROUTE_ECHO, ROUTE_WAIT, ROUTE_STAY, ROUTE_EVENTS, ROUTE_SHARED, ROUTE_LARGE, ROUTE_NAME, ROUTE_WIDE, ROUTE_COUNT };

static const struct http_route routes[ROUTE_COUNT] = {
    [ROUTE_TEXT] = { "GET", "/" },          [ROUTE_ECHO] = { "POST", "/echo" },
    [ROUTE_WAIT] = { "GET", "/wait" },      [ROUTE_STAY] = { "GET", "/stay" },
    [ROUTE_EVENTS] = { "GET", "/events" },  [ROUTE_SHARED] = { "GET", "/shared" },
    [ROUTE_LARGE] = { "GET", "/large" },    [ROUTE_NAME] = { "GET", "/names/{name}" },
    [ROUTE_WIDE] = { "GET", "/wide" },
};

/* A request that is answered later, or a stream. */
struct waiter {
    struct http_exchange *exchange; /* NULL once it was answered */
    int32_t route;
    bool taken;  /* until completed() */
    size_t next; /* an event that was not taken: sent when there is room */
};
#define MOST_WAITERS 64
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct waiter waiters[MOST_WAITERS];

static char large[256 * 1024];

static void say (const char *format, const char *text, long long a, long long b, long long c)
{
    char line[160];
    const int length = snprintf (line, sizeof line, format, text, a, b, c);
    if (length > 0 && write (1, line, (size_t) length) != length)
        abort ();
}

/* ---------------------------------------------------------------------------------------------- answers */

static void answer (struct http_exchange *exchange, unsigned status, struct http_reply *reply, bool close)
{
    if (NULL != reply && !http_reply_add_field (reply, "Content-Type", 12, "text/plain", 10)) {
        http_reply_destroy (reply);
        reply = NULL;
    }
    if (NULL == reply) {
        status = 500;
        reply = http_reply_create ("oops", 4);
    }
    (void) http_exchange_answer (exchange, status, reply, close || 500 == status);
}

static void answer_shared (struct http_exchange *exchange)
{
    struct http_body *const body = http_body_create ("shared", 6, NULL, 0);
    answer (exchange, 200, NULL == body ? NULL : http_reply_create_shared (body), false);
    if (NULL != body)
        http_body_release (body);
}

/* More of a field than a reply has room for at first, and than libmicrohttpd has for a head. */
static void answer_wide (struct http_exchange *exchange)
{
    char value[2001];
    memset (value, 'w', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    struct http_reply *reply = http_reply_create ("wide", 4);
    if (NULL != reply && !http_reply_add_field (reply, "Wide", 4, value, sizeof value - 1)) {
        http_reply_destroy (reply);
        reply = NULL;
    }
    answer (exchange, 200, reply, false);
}

static void keep (struct http_exchange *exchange, int32_t route)
{
    (void) pthread_mutex_lock (&lock);
    struct waiter *found = NULL;
    for (size_t i = 0; i < MOST_WAITERS && NULL == found; i++)
        if (!waiters[i].taken)
            found = &waiters[i];
    if (NULL == found)
        abort ();
    *found = (struct waiter){ exchange, route, true, 0 };
    (void) pthread_mutex_unlock (&lock);
    http_exchange_set_waiter (exchange, found);
}

static void begin_stream (struct http_exchange *exchange)
{
    struct http_reply *const reply = http_reply_create_stream (exchange);
    if (NULL == reply || http_exchange_is_head (exchange)) {
        answer (exchange, 200, reply, true);
        http_exchange_release (exchange);
        return;
    }
    keep (exchange, ROUTE_EVENTS);
    (void) http_exchange_answer_stream (exchange, 200, reply);
}

static void dispatch (void *owner, struct http_exchange *exchange, uint32_t route)
{
    const struct http_text body = http_exchange_body (exchange);
    (void) owner;
    switch (route) {
    case ROUTE_WAIT:
    case ROUTE_STAY:
        keep (exchange, (int32_t) route);
        say ("parked%s\n", "", 0, 0, 0);
        return;
    case ROUTE_EVENTS: begin_stream (exchange); return;
    case ROUTE_ECHO: answer (exchange, 200, http_reply_create (body.bytes, body.length), false); break;
    case ROUTE_SHARED: answer_shared (exchange); break;
    case ROUTE_LARGE: answer (exchange, 200, http_reply_create (large, sizeof large), false); break;
    case ROUTE_NAME: {
        const struct http_text name = http_exchange_parameter (exchange, 0);
        answer (exchange, 200, http_reply_create (name.bytes, name.length), false);
        break;
    }
    case ROUTE_WIDE: answer_wide (exchange); break;
    default: answer (exchange, 200, http_reply_create ("hello", 5), false); break;
    }
    http_exchange_release (exchange);
}

static size_t describe (void *owner, const struct http_refused *refused, char *buffer, size_t capacity)
{
    (void) owner;
    const int length = snprintf (buffer, capacity, "{\"status\":%u}", refused->status);
    return length < 0 ? 0 : (size_t) length;
}

/* ---------------------------------------------------------------------------------- what the shim tells */

static void half_closed (void *waiter)
{
    (void) waiter;
    say ("half-closed%s\n", "", 0, 0, 0);
}

static void gone (void *waiter)
{
    (void) waiter;
    say ("gone%s\n", "", 0, 0, 0);
}

/* To one stream; its event stays for later where there is no room. Under the lock. */
static void send_to (struct waiter *waiter, struct http_body *body, size_t size)
{
    waiter->next = HTTP_WRITE_FULL == http_stream_send (waiter->exchange, body) ? size : 0;
}

/* Says so once for each stream, when it begins. */
static void drained (void *context)
{
    struct waiter *const waiter = context;
    (void) pthread_mutex_lock (&lock);
    const size_t size = waiter->next;
    struct http_body *const body = 0 == size ? NULL : http_body_create (large, size, NULL, 0);
    if (NULL == body && 0 != size)
        say ("no-event%s\n", "", 0, 0, 0);
    if (NULL != body && NULL != waiter->exchange)
        send_to (waiter, body, size);
    if (NULL == body && 0 != size && NULL != waiter->exchange)
        http_stream_finish (waiter->exchange, NULL);
    (void) pthread_mutex_unlock (&lock);
    if (NULL != body)
        http_body_release (body);
    if (0 == size)
        say ("drained%s\n", "", 0, 0, 0);
}

static void completed (void *context)
{
    struct waiter *const waiter = context;
    (void) pthread_mutex_lock (&lock);
    struct http_exchange *const exchange = waiter->exchange;
    *waiter = (struct waiter){ NULL, -1, false, 0 };
    (void) pthread_mutex_unlock (&lock);
    if (NULL != exchange)
        http_exchange_release (exchange);
}

static void record (void *owner, const struct http_outcome *outcome)
{
    static const char *const endings[] = { "sent", "refused", "client-gone", "timeout", "stopped", "lost" };
    (void) owner;
    say ("record %s %lld %lld\n", endings[outcome->ending], outcome->status, outcome->route, 0);
}

static void notice (void *owner, const struct http_notice *notice)
{
    (void) owner;
    say ("notice%s %lld %lld %lld\n", "", notice->kind, (long long) notice->count, notice->error);
}

static const struct http_callbacks callbacks = {
    .dispatch = dispatch,
    .describe = describe,
    .half_closed = half_closed,
    .gone = gone,
    .drained = drained,
    .completed = completed,
    .record = record,
    .notice = notice,
};

/* ------------------------------------------------------------------------------------ what the test says */

/* Answers all that is parked there, from another thread than the loop's. */
static void wake (int32_t route)
{
    for (size_t i = 0; i < MOST_WAITERS; i++) {
        (void) pthread_mutex_lock (&lock);
        struct http_exchange *const exchange = route != waiters[i].route ? NULL : waiters[i].exchange;
        if (NULL != exchange)
            waiters[i].exchange = NULL;
        (void) pthread_mutex_unlock (&lock);
        if (NULL == exchange)
            continue;
        answer (exchange, 200, http_reply_create ("woken", 5), false);
        http_exchange_release (exchange);
    }
}

/* To all streams. */
static void send_event (size_t size)
{
    struct http_body *const body = http_body_create (large, size, NULL, 0);
    if (NULL == body)
        say ("no-event%s\n", "", 0, 0, 0);
    (void) pthread_mutex_lock (&lock);
    for (size_t i = 0; i < MOST_WAITERS; i++) {
        if (ROUTE_EVENTS != waiters[i].route || NULL == waiters[i].exchange)
            continue;
        if (NULL == body)
            http_stream_finish (waiters[i].exchange, NULL);
        else
            send_to (&waiters[i], body, size);
    }
    (void) pthread_mutex_unlock (&lock);
    if (NULL != body)
        http_body_release (body);
}

static void end_streams (void)
{
    (void) pthread_mutex_lock (&lock);
    for (size_t i = 0; i < MOST_WAITERS; i++)
        if (ROUTE_EVENTS == waiters[i].route && NULL != waiters[i].exchange)
            http_stream_finish (waiters[i].exchange, NULL);
    (void) pthread_mutex_unlock (&lock);
}

static struct http_server *start (const struct http_limits *limits)
{
    enum http_start start;
    struct http_server *const server = http_server_create (routes, ROUTE_COUNT, limits, &callbacks, NULL, &start);
    uint16_t port = 0;
    if (NULL != server)
        start = http_server_start (server, "127.0.0.1", 0, &port);
    if (HTTP_START_OK == start) {
        say ("started%s %lld\n", "", port, 0, 0);
        return server;
    }
    http_server_destroy (server);
    say ("not-started%s %lld\n", "", start, 0, 0);
    return NULL;
}

static void tell_gauges (struct http_server *server)
{
    const struct http_gauges gauges = http_server_gauges (server);
    char line[128];
    const int length = snprintf (line, sizeof line, "gauges %zu %zu %zu %zu %zu\n", gauges.connections, gauges.running,
                                 gauges.parked, gauges.lingering, gauges.exchanges);
    if (length > 0 && write (1, line, (size_t) length) != length)
        abort ();
}

static void obey (const char *line, struct http_server **server, const struct http_limits *limits)
{
    if (0 == strcmp (line, "start"))
        *server = start (limits);
    else if (0 == strcmp (line, "wake"))
        wake (ROUTE_WAIT);
    else if (0 == strcmp (line, "let-go"))
        wake (ROUTE_STAY);
    else if (0 == strncmp (line, "event ", 6))
        send_event ((size_t) atoi (line + 6));
    else if (0 == strcmp (line, "end"))
        end_streams ();
    else if (0 == strcmp (line, "gauges"))
        tell_gauges (*server);
    else if (0 == strcmp (line, "drain"))
        http_server_begin_draining (*server);
    else if (0 == strncmp (line, "stop ", 5)) {
        http_server_stop (*server, (uint64_t) atoi (line + 5));
        tell_gauges (*server);
        http_server_destroy (*server);
        *server = NULL;
        say ("stopped%s\n", "", 0, 0, 0);
    }
}

/* host [THREADS CONNECTIONS HEAD_MS GRACE_MS IDLE_MS] */
int main (int count, char **arguments)
{
    struct http_limits limits;
    struct http_server *server = NULL;
    char line[64];
    size_t length = 0;
    memset (&limits, 0, sizeof limits);
    memset (large, 'x', sizeof large);
    if (count > 5) {
        limits.threads = (unsigned) atoi (arguments[1]);
        limits.connections = (unsigned) atoi (arguments[2]);
        limits.head_milliseconds = (uint64_t) atoi (arguments[3]);
        limits.grace_milliseconds = (uint64_t) atoi (arguments[4]);
        limits.idle_milliseconds = (uint64_t) atoi (arguments[5]);
    }
    limits.unsent_bytes = 16 * 1024;
    for (char c; 1 == read (0, &c, 1);) {
        if ('\n' != c && length + 1 < sizeof line) {
            line[length++] = c;
            continue;
        }
        line[length] = '\0';
        length = 0;
        obey (line, &server, &limits);
    }
    return NULL == server ? 0 : 1;
}
