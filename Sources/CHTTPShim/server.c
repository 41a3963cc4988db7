/* The whole server: limits, routes, start, drain, stop. */
#include "internal.h"

#include <signal.h>
#include <sys/random.h>
#include <time.h>

/* The first version of libmicrohttpd with the layout of heads that strict.c needs, and the first that is strict itself. */
#define OLDEST_LIBRARY "0.9.75"
#define MODERN_LIBRARY "0.9.77"
/* The room of a pool besides the head: libmicrohttpd's records, and the head of the answer. */
#define POOL_BESIDES_HEAD 4096u
/* How long the last answers to parked requests may take when the server stops. */
#define FAREWELL_MILLISECONDS 1000

uint64_t clock_microseconds (void) {
    struct timespec time;
    (void) clock_gettime (CLOCK_MONOTONIC, &time);
    return (uint64_t) time.tv_sec * 1000000u + (uint64_t) time.tv_nsec / 1000u;
}

/* Ends the process if there is no memory, as Swift does. */
void *allocate (void *old, size_t length) {
    void *const memory = realloc (old, length);
    if (NULL == memory)
        abort ();
    return memory;
}

static char *copy_of (const char *text) {
    const size_t length = strlen (text) + 1;
    return memcpy (allocate (NULL, length), text, length);
}

struct http_server *http_server_create (const struct http_limits *limits, const struct http_callbacks *callbacks) {
    struct http_server *const server = allocate (NULL, sizeof *server);
    uint64_t bits = clock_microseconds ();
    *server = (struct http_server){
        .callbacks = *callbacks,
        .limits = *limits,
        .pool = limits->header_bytes + POOL_BESIDES_HEAD,
        .listener = -1,
        .rest = -1,
        .is_modern = strverscmp (MHD_get_version (), MODERN_LIBRARY) >= 0,
        .counts = calloc (ADDRESS_SLOTS, sizeof *server->counts),
        .loops = calloc (limits->threads, sizeof *server->loops),
    };
    if (NULL == server->counts || NULL == server->loops)
        abort ();
    /* Each process has a random prefix, so that ids in one log are unlikely to be equal. */
    (void) !getrandom (&bits, sizeof bits, 0);
    strict_write_number (bits, 6, server->id_prefix);
    server->id_prefix[6] = '-';
    return server;
}

void http_server_add_route (struct http_server *server, const char *method, const char *path) {
    server->routes = allocate (server->routes, (server->route_count + 1) * sizeof *server->routes);
    if (0 == strcmp (path, "/*"))
        server->rest = (int32_t) server->route_count;
    server->routes[server->route_count++] = (struct route){ copy_of (method), copy_of (path) };
}

/* Whether a path matches a template. */
static bool matches (const char *template, struct http_text path) {
    const char *at = path.bytes;
    const char *const end = at + path.length;
    while ('\0' != *template) {
        if ('{' == *template) {
            const char *const slash = memchr (at, '/', (size_t) (end - at));
            const char *const stop = NULL == slash ? end : slash;
            if (at == stop)
                return false;
            at = stop;
            template += 2;
        } else if (at == end || *at++ != *template++) {
            return false;
        }
    }
    return at == end;
}

/* Adds a method to "GET, HEAD" unless it is there. No method of a route is a part of another method. */
static void allow (char list[HTTP_ALLOW_SIZE], const char *method) {
    if (NULL == strstr (list, method) && strlen (list) + strlen (method) + 3 <= HTTP_ALLOW_SIZE)
        (void) strcat (strcat (list, '\0' == *list ? "" : ", "), method);
}

/* Finds the route of a request, or refuses it. Every event loop reads the routes, without a lock. */
void server_find_route (const struct http_server *server, struct http_request *request) {
    int32_t get = -1;
    for (size_t i = 0; i < server->route_count; i++) {
        const struct route *const route = &server->routes[i];
        if (!matches (route->path, request->path))
            continue;
        if (0 == strcmp (route->method, request->method)) {
            request->route = (int32_t) i;
            return;
        }
        allow (request->allow, route->method);
        if (0 != strcmp (route->method, "GET"))
            continue;
        allow (request->allow, "HEAD");
        get = get < 0 ? (int32_t) i : get;
    }
    if (request->is_head && get >= 0)
        request->route = get;
    else if ('\0' != request->allow[0])
        request->refusal = MHD_HTTP_METHOD_NOT_ALLOWED;
    else if (server->rest >= 0 && (request->is_head || 0 == strcmp (request->method, "GET")))
        request->route = server->rest;
    else
        request->refusal = MHD_HTTP_NOT_FOUND;
}

static void close_listener (struct http_server *server) {
    if (server->listener >= 0)
        (void) close (server->listener);
    server->listener = -1;
}

void http_server_destroy (struct http_server *server) {
    for (unsigned i = 0; i < server->loop_count; i++)
        loop_destroy (&server->loops[i]);
    close_listener (server);
    for (size_t i = 0; i < server->route_count; i++) {
        free (server->routes[i].method);
        free (server->routes[i].path);
    }
    free (server->routes);
    free (server->loops);
    free ((void *) server->counts);
    free (server);
}

static void begin_stage (struct http_server *server, enum stage stage) {
    atomic_store (&server->stage, stage);
    for (unsigned i = 0; i < server->loop_count; i++)
        loop_wake (&server->loops[i]);
}

/* Ends the threads, and closes everything. No connection may be suspended. */
static void end (struct http_server *server) {
    begin_stage (server, STAGE_END);
    for (unsigned i = 0; i < server->loop_count; i++)
        (void) pthread_join (server->loops[i].thread, NULL);
    close_listener (server);
    for (unsigned i = 0; i < server->loop_count; i++)
        loop_stop (&server->loops[i]);
}

/* The program handles signals. So the threads of the shim start with all signals blocked, apart from their own faults. */
static bool start_loops (struct http_server *server) {
    static const int faults[] = { SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT };
    sigset_t others, before;
    (void) sigfillset (&others);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        (void) sigdelset (&others, faults[i]);
    const bool is_masked = 0 == pthread_sigmask (SIG_SETMASK, &others, &before);
    while (server->loop_count < server->limits.threads && loop_start (&server->loops[server->loop_count], server))
        server->loop_count += 1;
    if (is_masked)
        (void) pthread_sigmask (SIG_SETMASK, &before, NULL);
    return server->loop_count == server->limits.threads;
}

int http_server_start (struct http_server *server, void *owner, const char *host, uint16_t port, uint16_t *bound) {
    if (atomic_exchange (&server->is_started, true))
        return EALREADY;
    if (strverscmp (MHD_get_version (), OLDEST_LIBRARY) < 0)
        return ENOTSUP;
    server->owner = owner;
    const int error = listen_open (server, host, port, bound);
    if (0 == error && start_loops (server))
        return 0;
    end (server);
    return 0 == error ? EAGAIN : error;
}

void http_server_begin_draining (struct http_server *server) {
    atomic_store (&server->is_draining, true);
}

/* Whether no request runs, and each loop has entered the present stage. */
static bool is_quiet (const struct http_server *server) {
    for (unsigned i = 0; i < server->loop_count; i++)
        if (atomic_load (&server->loops[i].stage) != atomic_load (&server->stage))
            return false;
    return 0 == atomic_load (&server->running);
}

static void wait_until_quiet (const struct http_server *server, uint64_t milliseconds) {
    const struct timespec pause = { 0, 2 * 1000 * 1000 };
    const uint64_t until = clock_microseconds () / 1000 + milliseconds;
    while (!is_quiet (server) && clock_microseconds () / 1000 < until)
        (void) nanosleep (&pause, NULL);
}

void http_server_stop (struct http_server *server, uint64_t milliseconds) {
    if (server->listener < 0)
        return;
    http_server_begin_draining (server);
    wait_until_quiet (server, milliseconds);
    begin_stage (server, STAGE_FAREWELL);
    wait_until_quiet (server, FAREWELL_MILLISECONDS);
    end (server);
}

struct http_gauges http_server_gauges (struct http_server *server) {
    const uint64_t now = clock_microseconds () / 1000;
    struct http_gauges gauges = {
        .connections = atomic_load (&server->connections),
        .running = atomic_load (&server->running),
        .begun = atomic_load (&server->begun),
        .malformed = atomic_load (&server->malformed),
        .held_route = -1,
    };
    for (unsigned i = 0; i < server->loop_count; i++) {
        const struct loop *const loop = &server->loops[i];
        const uint64_t since = atomic_load (&loop->called_since);
        gauges.parked += atomic_load_explicit (&loop->suspended_count, memory_order_relaxed);
        if (0 == since || now <= since + gauges.held_milliseconds)
            continue;
        gauges.held_milliseconds = now - since;
        gauges.held_route = atomic_load (&loop->called_route);
    }
    return gauges;
}
