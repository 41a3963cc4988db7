/* The server as a whole: start, drain, stop. */
#include "internal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How long the last answers may take to leave once everything parked was refused. */
#define FAREWELL_MILLISECONDS 1000

const char connection_is_surplus = 0;

struct http_server *http_server_create (const struct http_route *routes, size_t count, const struct http_limits *limits,
                                        const struct http_callbacks *callbacks, void *owner)
{
    struct http_server *const server = calloc (1, sizeof *server);
    if (NULL == server)
        return NULL;
    server->callbacks = *callbacks;
    server->owner = owner;
    server->limits = limits_resolve (limits, &server->hard_connections);
    server->listener = -1;
    identity_seed (server->id_prefix);
    server->routes = routes_compile (routes, count);
    const bool locked = 0 == pthread_mutex_init (&server->lock, NULL);
    pthread_condattr_t attributes;
    bool waits = 0 == pthread_condattr_init (&attributes);
    waits = waits && 0 == pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC)
            && 0 == pthread_cond_init (&server->quiet, &attributes);
    (void) pthread_condattr_destroy (&attributes);
    if (NULL == server->routes || !locked || !waits) {
        routes_free (server->routes);
        free (server);
        return NULL;
    }
    return server;
}

/* A path stays percent-encoded: each parameter is decoded by itself (routes.c), else "a%2Fb" would be two segments. */
static size_t keep_escapes (void *context, struct MHD_Connection *connection, char *text)
{
    (void) context;
    (void) connection;
    return strlen (text);
}

static void connection_changed (void *context, struct MHD_Connection *connection, void **socket_context,
                                enum MHD_ConnectionNotificationCode code)
{
    struct http_server *const server = context;
    (void) connection;
    if (MHD_CONNECTION_NOTIFY_STARTED == code) {
        if (atomic_fetch_add (&server->connections, 1) >= server->limits.connections)
            *socket_context = (void *) (uintptr_t) &connection_is_surplus;
        return;
    }
    if (atomic_fetch_sub (&server->connections, 1) >= server->hard_connections)
        watch_wake (server->watch); /* it had stopped accepting */
}

static struct MHD_Daemon *start_daemon (struct http_server *server)
{
    /* libmicrohttpd's own limit is for each event loop and refuses without a word: ours (watch_linux.c) comes first. */
    const unsigned connections = (server->hard_connections + 256) * server->limits.threads;
    struct MHD_OptionItem pool[] = {
        { MHD_OPTION_THREAD_POOL_SIZE, (intptr_t) server->limits.threads, NULL },
        { MHD_OPTION_END, 0, NULL },
    };
    if (1 == server->limits.threads)
        pool[0].option = MHD_OPTION_END; /* one event loop is not a pool */
    return MHD_start_daemon (
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC | MHD_USE_NO_LISTEN_SOCKET, 0, NULL, NULL,
        &request_continue, server, MHD_OPTION_URI_LOG_CALLBACK, &request_begin, server, MHD_OPTION_NOTIFY_COMPLETED,
        &request_completed, server, MHD_OPTION_NOTIFY_CONNECTION, &connection_changed, server,
        MHD_OPTION_UNESCAPE_CALLBACK, &keep_escapes, NULL, MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, server->limits.pool_bytes,
        /* Of the daemon, not of each connection: those are all looked at on every turn of the loop. */
        MHD_OPTION_CONNECTION_TIMEOUT, server->limits.idle_seconds, MHD_OPTION_ARRAY, pool, MHD_OPTION_END);
}

static bool start_threads (struct http_server *server)
{
    server->watch = watch_create (server, http_raise_descriptor_limit ());
    if (NULL == server->watch)
        return false;
    server->daemon = start_daemon (server);
    if (NULL == server->daemon)
        return false;
    return watch_start (server->watch, server->listener);
}

static void tear_down (struct http_server *server)
{
    if (NULL != server->watch)
        watch_join (server->watch);
    if (NULL != server->daemon)
        MHD_stop_daemon (server->daemon);
    server->daemon = NULL;
    if (server->listener >= 0)
        (void) close (server->listener);
    server->listener = -1;
}

enum http_start http_server_start (struct http_server *server, const char *host, uint16_t port, uint16_t *bound)
{
    if (server->listener >= 0 || NULL != server->watch)
        return HTTP_START_FAILED;
    const enum http_start opened = listen_open (host, port, &server->listener, bound);
    if (HTTP_START_OK != opened)
        return opened;
    /* Signals are the program's: none may land on the shim's threads, which inherit this mask. */
    sigset_t all, before;
    (void) sigfillset (&all);
    const bool masked = 0 == pthread_sigmask (SIG_SETMASK, &all, &before);
    const bool started = start_threads (server);
    if (masked)
        (void) pthread_sigmask (SIG_SETMASK, &before, NULL);
    if (!started) {
        tear_down (server);
        return HTTP_START_FAILED;
    }
    return HTTP_START_OK;
}

void http_server_begin_draining (struct http_server *server)
{
    atomic_store (&server->draining, true);
}

/* Called for every exchange: only a draining server has someone to tell. */
void server_finished_one (struct http_server *server)
{
    if (1 != atomic_fetch_sub (&server->running, 1) || !atomic_load (&server->draining))
        return;
    (void) pthread_mutex_lock (&server->lock);
    (void) pthread_cond_broadcast (&server->quiet);
    (void) pthread_mutex_unlock (&server->lock);
}

static void wait_until_quiet (struct http_server *server, uint64_t milliseconds)
{
    struct timespec deadline;
    if (0 != clock_gettime (CLOCK_MONOTONIC, &deadline))
        return;
    deadline.tv_sec += (time_t) (milliseconds / 1000);
    deadline.tv_nsec += (long) (milliseconds % 1000) * 1000000;
    if (deadline.tv_nsec >= 1000000000) {
        deadline.tv_sec += 1;
        deadline.tv_nsec -= 1000000000;
    }
    (void) pthread_mutex_lock (&server->lock);
    while (0 != atomic_load (&server->running)
           && 0 == pthread_cond_timedwait (&server->quiet, &server->lock, &deadline))
        continue;
    (void) pthread_mutex_unlock (&server->lock);
}

void http_server_stop (struct http_server *server, uint64_t milliseconds)
{
    if (NULL == server->daemon)
        return;
    http_server_begin_draining (server);
    wait_until_quiet (server, milliseconds);
    watch_stop_accepting (server->watch);
    atomic_store (&server->stopping, true);
    watch_each (server->watch, &exchange_abandon);
    wait_until_quiet (server, FAREWELL_MILLISECONDS);
    /* Stopping the daemon with anything suspended aborts the process. Nothing parks any more without resuming itself, so
     * this is a matter of microseconds. */
    while (0 != atomic_load (&server->suspended))
        (void) usleep (100);
    tear_down (server);
}

void http_server_destroy (struct http_server *server)
{
    if (NULL == server)
        return;
    watch_free (server->watch);
    routes_free (server->routes);
    (void) pthread_cond_destroy (&server->quiet);
    (void) pthread_mutex_destroy (&server->lock);
    free (server);
}

struct http_gauges http_server_gauges (struct http_server *server)
{
    return (struct http_gauges){
        .connections = atomic_load (&server->connections),
        .running = atomic_load (&server->running),
        .parked = atomic_load (&server->suspended),
        .watched = NULL == server->watch ? 0 : watch_count (server->watch),
        .exchanges = (size_t) (atomic_load (&server->begun) - atomic_load (&server->released)),
    };
}

struct http_limits http_server_limits (const struct http_server *server)
{
    return server->limits;
}
