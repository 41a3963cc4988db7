/* The server as a whole: start, drain, stop. */
#include "internal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How long the last answers may take to leave once everything parked was refused. */
#define FAREWELL_MILLISECONDS 1000

static bool init_quiet (struct http_server *server)
{
    pthread_condattr_t attributes;
    if (0 != pthread_mutex_init (&server->lock, NULL) || 0 != pthread_condattr_init (&attributes))
        return false;
    const bool made = 0 == pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC)
                      && 0 == pthread_cond_init (&server->quiet, &attributes);
    (void) pthread_condattr_destroy (&attributes);
    return made;
}

static bool init_loops (struct http_server *server)
{
    server->loops = calloc (server->limits.threads, sizeof *server->loops);
    bool made = NULL != server->loops;
    for (; made && server->loop_count < server->limits.threads; server->loop_count++)
        made = loop_init (&server->loops[server->loop_count], server);
    return made;
}

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
    const bool quiet = init_quiet (server);
    server->routes = routes_compile (routes, count);
    server->watch = watch_create (server, http_raise_descriptor_limit ());
    if (!quiet || !init_loops (server) || NULL == server->routes || NULL == server->watch) {
        http_server_destroy (server);
        return NULL;
    }
    return server;
}

/* On the watch's thread. Goes to the loop that has least to do. */
void server_accepted (struct http_server *server, int descriptor)
{
    struct loop *loop = &server->loops[0];
    for (unsigned i = 1; i < server->loop_count; i++)
        if (atomic_load (&server->loops[i].connections) < atomic_load (&loop->connections))
            loop = &server->loops[i];
    const bool surplus = atomic_fetch_add (&server->connections, 1) >= server->limits.connections;
    atomic_fetch_add (&loop->connections, 1);
    if (!loop_hand_over (loop, descriptor, surplus)) {
        (void) close (descriptor);
        server_connection_closed (server, loop);
    }
}

void server_connection_closed (struct http_server *server, struct loop *loop)
{
    atomic_fetch_sub (&loop->connections, 1);
    if (atomic_fetch_sub (&server->connections, 1) >= server->hard_connections)
        watch_wake (server->watch); /* it had stopped accepting */
}

static bool start_threads (struct http_server *server)
{
    for (unsigned i = 0; i < server->loop_count; i++)
        if (!loop_start (&server->loops[i]))
            return false;
    return watch_start (server->watch, server->listener);
}

static void tear_down (struct http_server *server)
{
    /* Nobody hands anything over to a loop that has ended. */
    watch_join (server->watch);
    for (unsigned i = 0; i < server->loop_count; i++)
        loop_join (&server->loops[i]);
    if (server->listener >= 0)
        (void) close (server->listener);
    server->listener = -1;
}

enum http_start http_server_start (struct http_server *server, const char *host, uint16_t port, uint16_t *bound)
{
    if (atomic_exchange (&server->started, true))
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
    if (server->listener < 0)
        return;
    http_server_begin_draining (server);
    wait_until_quiet (server, milliseconds);
    watch_stop_accepting (server->watch);
    atomic_store (&server->stopping, true);
    watch_each (server->watch, &exchange_abandon);
    wait_until_quiet (server, FAREWELL_MILLISECONDS);
    tear_down (server);
}

void http_server_destroy (struct http_server *server)
{
    if (NULL == server)
        return;
    for (unsigned i = 0; i < server->loop_count; i++)
        loop_destroy (&server->loops[i]);
    free (server->loops);
    watch_free (server->watch);
    routes_free (server->routes);
    (void) pthread_cond_destroy (&server->quiet);
    (void) pthread_mutex_destroy (&server->lock);
    free (server);
}

static size_t count_suspended (struct http_server *server)
{
    size_t count = 0;
    for (unsigned i = 0; i < server->loop_count; i++)
        count += atomic_load_explicit (&server->loops[i].suspended, memory_order_relaxed);
    return count;
}

struct http_gauges http_server_gauges (struct http_server *server)
{
    return (struct http_gauges){
        .connections = atomic_load (&server->connections),
        .running = atomic_load (&server->running),
        .parked = count_suspended (server),
        .watched = watch_count (server->watch),
        .exchanges = (size_t) (atomic_load (&server->begun) - atomic_load (&server->released)),
    };
}

struct http_limits http_server_limits (const struct http_server *server)
{
    return server->limits;
}
