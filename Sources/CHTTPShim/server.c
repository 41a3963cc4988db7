/* The server as a whole: limits, start, drain, stop. */
#include "internal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* What a pool has besides the head: libmicrohttpd's records, and the head of the answer. */
#define POOL_BESIDES_HEAD 4096u
/* How long the answers to what was parked may take when the server stops. */
#define FAREWELL_MILLISECONDS 1000

/* ------------------------------------------------------------------- clocks */

uint64_t clock_microseconds (void) {
    struct timespec time;
    (void) clock_gettime (CLOCK_MONOTONIC, &time);
    return (uint64_t) time.tv_sec * 1000000u + (uint64_t) time.tv_nsec / 1000u;
}

/* One binary serves both: 0.9.75 and 1.0 have one soname, so the loaded library decides. */
bool is_modern (void) {
    static atomic_int known = -1;
    int modern = atomic_load_explicit (&known, memory_order_relaxed);
    if (modern < 0) {
        unsigned major = 0, minor = 0, patch = 0;
        (void) sscanf (MHD_get_version (), "%u.%u.%u", &major, &minor, &patch);
        modern = major > 0 || minor > 9 || patch >= 77;
        atomic_store_explicit (&known, modern, memory_order_relaxed);
    }
    return 0 != modern;
}

/* ------------------------------------------------------- create and destroy */

/* Another process has another prefix, so that ids are unlikely to meet in one log. */
static void make_prefix (char prefix[HTTP_REQUEST_ID_SIZE]) {
    uint64_t bits = 0;
    if (sizeof bits != getrandom (&bits, sizeof bits, 0))
        bits = clock_microseconds ();
    (void) snprintf (prefix, HTTP_REQUEST_ID_SIZE, "%010llx-", (unsigned long long) (bits & UINT64_C (0xffffffffff)));
}

struct http_server *http_server_create (const struct http_route *routes, size_t count, const struct http_limits *limits,
                                        const struct http_callbacks *callbacks, void *owner, enum http_start *failure) {
    struct http_server *const server = calloc (1, sizeof *server);
    bool is_malformed = false;
    *failure = HTTP_START_FAILED;
    if (NULL == server)
        return NULL;
    server->callbacks = *callbacks;
    server->owner = owner;
    server->limits = *limits;
    server->pool = limits->header_bytes + POOL_BESIDES_HEAD;
    server->listener = -1;
    make_prefix (server->id_prefix);
    const bool has_bounds = listen_init (server);
    server->routes = routes_compile (routes, count, &is_malformed);
    server->loops = calloc (server->limits.threads, sizeof *server->loops);
    bool is_whole = has_bounds && NULL != server->routes && NULL != server->loops;
    for (; is_whole && server->loop_count < server->limits.threads; server->loop_count++)
        if (!(is_whole = loop_init (&server->loops[server->loop_count], server)))
            break;
    if (is_whole) {
        *failure = HTTP_START_OK;
        return server;
    }
    http_server_destroy (server);
    if (is_malformed)
        *failure = HTTP_START_BAD_ROUTES;
    return NULL;
}

static void close_listener (struct http_server *server) {
    if (server->listener >= 0)
        (void) close (server->listener);
    server->listener = -1;
}

void http_server_destroy (struct http_server *server) {
    if (NULL == server)
        return;
    for (unsigned i = 0; i < server->loop_count; i++)
        loop_destroy (&server->loops[i]);
    close_listener (server);
    free (server->loops);
    routes_free (server->routes);
    free (server->trusted);
    free ((void *) server->counts);
    free (server);
}

/* -------------------------------------------------------------------- start */

static void join_loops (struct http_server *server) {
    for (unsigned i = 0; i < server->loop_count; i++)
        if (server->loops[i].has_thread) {
            (void) pthread_join (server->loops[i].thread, NULL);
            server->loops[i].has_thread = false;
        }
}

static void begin_stage (struct http_server *server, enum stage stage) {
    atomic_store (&server->stage, stage);
    for (unsigned i = 0; i < server->loop_count; i++)
        loop_wake (&server->loops[i]);
}

/* Signals are the program's: the threads of the shim inherit a mask without them, apart from their own faults. */
static bool start_loops (struct http_server *server) {
    static const int faults[] = { SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT };
    sigset_t others, before;
    (void) sigfillset (&others);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        (void) sigdelset (&others, faults[i]);
    const bool is_masked = 0 == pthread_sigmask (SIG_SETMASK, &others, &before);
    bool is_started = true;
    for (unsigned i = 0; i < server->loop_count && is_started; i++)
        is_started = loop_start (&server->loops[i]);
    if (is_masked)
        (void) pthread_sigmask (SIG_SETMASK, &before, NULL);
    return is_started;
}

static enum http_start start (struct http_server *server, const char *host, uint16_t port, int inherited, uint16_t *bound) {
    const bool was_started = atomic_exchange (&server->is_started, true);
    if (was_started || !strict_holds (server)) {
        if (inherited >= 0)
            (void) close (inherited);
        return was_started ? HTTP_START_AGAIN : HTTP_START_UNSOUND;
    }
    /* The self-test had exchanges of its own. */
    atomic_store (&server->begun, 0);
    atomic_store (&server->released, 0);
    enum http_start result = listen_open (server, host, port, inherited, bound);
    if (HTTP_START_OK == result && !start_loops (server)) {
        begin_stage (server, STAGE_END);
        join_loops (server);
        result = HTTP_START_FAILED;
    }
    if (HTTP_START_OK != result)
        close_listener (server);
    return result;
}

enum http_start http_server_start (struct http_server *server, const char *host, uint16_t port, uint16_t *bound) {
    return start (server, host, port, -1, bound);
}

enum http_start http_server_start_on (struct http_server *server, int descriptor, uint16_t *bound) {
    return start (server, NULL, 0, descriptor, bound);
}

/* --------------------------------------------------------------------- stop */

void http_server_begin_draining (struct http_server *server) {
    atomic_store (&server->is_draining, true);
}

void http_server_leave_clients (struct http_server *server) {
    atomic_store (&server->is_leaving, true);
}

/* Whether no request runs, and none can begin behind a stage that a loop has not come to. */
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
    begin_stage (server, STAGE_END);
    join_loops (server);
    close_listener (server);
    /* Ends the daemons. No connection is suspended any more. */
    for (unsigned i = 0; i < server->loop_count; i++)
        loop_stop (&server->loops[i]);
}

/* ---------------------------------------------------------- what others see */

void server_notify (const struct http_server *server, enum http_notice_kind kind, const unsigned char *peer,
                    uint64_t limit, int error) {
    server->callbacks.notice (server->owner, &(struct http_notice){ kind, peer, limit, error });
}

struct http_gauges http_server_gauges (struct http_server *server) {
    struct http_gauges gauges = {
        .connections = atomic_load (&server->connections),
        .running = atomic_load (&server->running),
        .begun = atomic_load (&server->begun),
        .draining = atomic_load (&server->is_draining),
    };
    gauges.exchanges = (size_t) (gauges.begun - atomic_load (&server->released));
    for (unsigned i = 0; i < server->loop_count; i++)
        gauges.parked += atomic_load_explicit (&server->loops[i].suspended_count, memory_order_relaxed);
    return gauges;
}

struct http_loop_gauges http_server_loop_gauges (struct http_server *server, unsigned number) {
    struct http_loop_gauges gauges = { .route = -1 };
    if (number >= server->loop_count)
        return gauges;
    const struct loop *const loop = &server->loops[number];
    const uint64_t since = atomic_load (&loop->called_since), now = clock_microseconds () / 1000;
    gauges.connections = atomic_load (&loop->connection_count);
    if (0 != since && now > since) {
        gauges.held_milliseconds = now - since;
        gauges.route = atomic_load (&loop->called_route);
    }
    return gauges;
}
