/* The server as a whole: limits, start, drain, stop. */
#include "internal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* How long the last answers may take to leave once everything parked was refused. */
#define FAREWELL_MILLISECONDS 1000
/* Part of that second: at most this long for clients to acknowledge. */
#define FAREWELL_ACKNOWLEDGE_MICROSECONDS (500u * 1000u)

/* --------------------------------------------------------------------------------------------- limits */

/* Descriptors that are not connections: the listener's refused, the log, a store's files; and of each event loop its
 * epoll sets, its eventfd and the copies of those that linger. */
#define RESERVED_DESCRIPTORS 128
#define RESERVED_FOR_LOOP (MOST_LINGERERS + 8)
/* There is an entry in a table for each descriptor there may be. */
#define MOST_DESCRIPTORS (1u << 20)

size_t http_raise_descriptor_limit (void)
{
    struct rlimit limit;
    if (0 != getrlimit (RLIMIT_NOFILE, &limit))
        return 1024;
    if (limit.rlim_cur < limit.rlim_max) {
        const struct rlimit raised = { limit.rlim_max, limit.rlim_max };
        if (0 == setrlimit (RLIMIT_NOFILE, &raised))
            limit.rlim_cur = limit.rlim_max;
    }
    return limit.rlim_cur < MOST_DESCRIPTORS ? (size_t) limit.rlim_cur : MOST_DESCRIPTORS;
}

static size_t clamped (size_t value, size_t standard, size_t least, size_t most)
{
    if (0 == value)
        return standard;
    return value < least ? least : value > most ? most : value;
}

static unsigned default_threads (void)
{
    const long cores = sysconf (_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : (unsigned) cores;
}

/* What the descriptors allow, at least one. */
static unsigned most_connections (unsigned threads)
{
    const size_t descriptors = http_raise_descriptor_limit ();
    const size_t reserved = RESERVED_DESCRIPTORS + (size_t) threads * RESERVED_FOR_LOOP;
    if (descriptors > 2 * reserved)
        return (unsigned) (descriptors - reserved);
    return descriptors < 4 ? 1 : (unsigned) (descriptors / 4);
}

static struct http_limits resolve (const struct http_limits *limits)
{
    struct http_limits resolved = *limits;
    resolved.threads = (unsigned) clamped (limits->threads, default_threads (), 1, 1024);
    const unsigned most = most_connections (resolved.threads);
    resolved.connections = (unsigned) clamped (limits->connections, most, 1, most);
    resolved.connections_per_address = (unsigned) clamped (
        limits->connections_per_address, resolved.connections < 4 ? 1 : resolved.connections / 4, 1, UINT32_MAX);
    resolved.header_bytes = clamped (limits->header_bytes, 8u * 1024u, 256, LARGEST_HEAD);
    resolved.target_bytes = clamped (limits->target_bytes, 2u * 1024u, 64, LARGEST_HEAD);
    resolved.body_bytes = clamped (limits->body_bytes, 64u * 1024u, 1, SIZE_MAX / 4);
    resolved.unsent_bytes = clamped (limits->unsent_bytes, 64u * 1024u, 4096, 1u << 30);
    resolved.idle_milliseconds = clamped (limits->idle_milliseconds, 30000, 1, UINT32_MAX);
    resolved.head_milliseconds = clamped (limits->head_milliseconds, 10000, 1, UINT32_MAX);
    resolved.grace_milliseconds = clamped (limits->grace_milliseconds, 10000, 1, UINT32_MAX);
    resolved.held_milliseconds = clamped (limits->held_milliseconds, 1000, 1, 3600000);
    resolved.minimum_rate = clamped (limits->minimum_rate, 500, 1, UINT32_MAX);
    return resolved;
}

/* --------------------------------------------------------------------------------------------- create */

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
                                        const struct http_callbacks *callbacks, void *owner, enum http_start *failure)
{
    struct http_server *const server = calloc (1, sizeof *server);
    bool malformed = false;
    *failure = HTTP_START_FAILED;
    if (NULL == server)
        return NULL;
    server->callbacks = *callbacks;
    server->owner = owner;
    server->limits = resolve (limits);
    identity_seed (server->id_prefix);
    const bool quiet = init_quiet (server);
    server->routes = routes_compile (routes, count, &malformed);
    server->addresses = addresses_create (&server->limits);
    server->descriptors = http_raise_descriptor_limit ();
    /* Zero pages until touched: the table costs what is used of it. */
    server->by_descriptor = calloc (server->descriptors, sizeof *server->by_descriptor);
    server->limits.trusted = NULL; /* copied where it is needed */
    if (!quiet || !init_loops (server) || NULL == server->routes || NULL == server->addresses
        || NULL == server->by_descriptor) {
        http_server_destroy (server);
        if (malformed)
            *failure = HTTP_START_BAD_ROUTES;
        return NULL;
    }
    *failure = HTTP_START_OK;
    return server;
}

void http_server_destroy (struct http_server *server)
{
    if (NULL == server)
        return;
    for (unsigned i = 0; i < server->loop_count; i++)
        loop_destroy (&server->loops[i]);
    free (server->loops);
    listener_free (server->listener);
    routes_free (server->routes);
    addresses_free (server->addresses);
    free ((void *) server->by_descriptor);
    (void) pthread_cond_destroy (&server->quiet);
    (void) pthread_mutex_destroy (&server->lock);
    free (server);
}

/* ---------------------------------------------------------------------------------------------- start */

static bool start_threads (struct http_server *server)
{
    for (unsigned i = 0; i < server->loop_count; i++)
        if (!loop_start (&server->loops[i]))
            return false;
    return listener_start (server->listener);
}

static void end_threads (struct http_server *server)
{
    /* Nobody hands anything over to a loop that has ended. */
    listener_close (server->listener);
    for (unsigned i = 0; i < server->loop_count; i++)
        loop_end (&server->loops[i]);
    for (unsigned i = 0; i < server->loop_count; i++)
        loop_join (&server->loops[i]);
}

static enum http_start start_at (struct http_server *server, const struct place *place, uint16_t *bound)
{
    const bool was_started = atomic_exchange (&server->started, true);
    if (was_started || !gate_is_in_place ()) {
        if (place->inherited >= 0)
            (void) close (place->inherited);
        return was_started ? HTTP_START_FAILED : HTTP_START_NO_GATE;
    }
    const enum http_start opened = listener_create (server, place, bound, &server->listener);
    if (HTTP_START_OK != opened)
        return opened;
    /* Signals are the program's: none may land on the shim's threads, which inherit this mask. But for faults of their own:
     * where those are masked, no handler is called, and the process just ends. */
    static const int faults[] = { SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT };
    sigset_t others, before;
    (void) sigfillset (&others);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        (void) sigdelset (&others, faults[i]);
    const bool masked = 0 == pthread_sigmask (SIG_SETMASK, &others, &before);
    const bool started = start_threads (server);
    if (masked)
        (void) pthread_sigmask (SIG_SETMASK, &before, NULL);
    if (started)
        return HTTP_START_OK;
    end_threads (server);
    listener_free (server->listener);
    server->listener = NULL;
    return HTTP_START_FAILED;
}

enum http_start http_server_start (struct http_server *server, const char *host, uint16_t port, uint16_t *bound)
{
    return start_at (server, &(struct place){ host, port, -1 }, bound);
}

enum http_start http_server_start_on (struct http_server *server, int descriptor, uint16_t *bound)
{
    return start_at (server, &(struct place){ NULL, 0, descriptor }, bound);
}

/* ----------------------------------------------------------------------------------------------- stop */

void http_server_begin_draining (struct http_server *server)
{
    atomic_store (&server->draining, true);
}

void http_server_leave_clients (struct http_server *server)
{
    atomic_store (&server->leaving, true);
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
    if (NULL == server->listener)
        return;
    http_server_begin_draining (server);
    wait_until_quiet (server, milliseconds);
    listener_close (server->listener);
    atomic_store (&server->stopping, true);
    for (unsigned i = 0; i < server->loop_count; i++)
        loop_wake (&server->loops[i]);
    const uint64_t farewell = clock_microseconds () + FAREWELL_MILLISECONDS * 1000u;
    wait_until_quiet (server, FAREWELL_MILLISECONDS);
    const uint64_t until = clock_microseconds () + FAREWELL_ACKNOWLEDGE_MICROSECONDS;
    server->acknowledge_until = until < farewell ? until : farewell;
    end_threads (server);
    listener_free (server->listener);
    server->listener = NULL;
}

/* -------------------------------------------------------------------------------------------- notices */

/* Tells of what an operator should know. Any thread. */
void server_notify (const struct http_server *server, const struct http_notice *notice)
{
    if (NULL != server->callbacks.notice)
        server->callbacks.notice (server->owner, notice);
}

/* A connection was closed, or a request on it left without an answer, for want of memory or descriptors. */
void server_notify_loss (const struct http_server *server, const unsigned char *peer)
{
    server_notify (server, &(struct http_notice){ .kind = HTTP_NOTICE_LOSS, .peer = peer, .count = 1 });
}

/* --------------------------------------------------------------------------------------------- gauges */

struct http_gauges http_server_gauges (struct http_server *server)
{
    struct http_gauges gauges = {
        .connections = atomic_load (&server->connections),
        .running = atomic_load (&server->running),
        .begun = atomic_load (&server->begun),
        .draining = atomic_load (&server->draining),
    };
    gauges.exchanges = (size_t) (gauges.begun - atomic_load (&server->released));
    for (unsigned i = 0; i < server->loop_count; i++) {
        gauges.parked += atomic_load_explicit (&server->loops[i].suspended, memory_order_relaxed);
        gauges.lingering += atomic_load_explicit (&server->loops[i].lingering, memory_order_relaxed);
    }
    return gauges;
}

struct http_loop_gauges http_server_loop_gauges (struct http_server *server, unsigned number)
{
    struct http_loop_gauges gauges = { .route = -1 };
    if (number >= server->loop_count)
        return gauges;
    struct loop *const loop = &server->loops[number];
    const clockid_t clock = atomic_load (&loop->clock);
    struct timespec busy;
    /* That of a thread which has ended is refused. */
    if (0 == clock || 0 != clock_gettime (clock, &busy))
        return gauges;
    gauges.connections = atomic_load (&loop->connections);
    gauges.busy_microseconds = (uint64_t) busy.tv_sec * 1000000u + (uint64_t) busy.tv_nsec / 1000u;
    const uint64_t since = atomic_load (&loop->called_since);
    gauges.held = 0 != since && clock_microseconds () > since + server->limits.held_milliseconds * 1000u;
    if (gauges.held) {
        const int32_t route = atomic_load_explicit (&loop->called_route, memory_order_relaxed);
        /* The call ended; the route may belong to the next one. */
        gauges.route = since == atomic_load (&loop->called_since) ? route : -1;
    }
    return gauges;
}

/* Some places are kept for this machine itself, beyond the limit: its probes are not to fail because others fill the
 * server. Its first connections take these, and none of the others'. */
static size_t places (struct http_server *server, bool for_local)
{
    const size_t local = atomic_load (&server->local_connections);
    return server->limits.connections + (for_local || local > PLACES_FOR_LOOPBACK ? PLACES_FOR_LOOPBACK : local);
}

/* Whether a newcomer can be served. */
bool server_has_place (struct http_server *server, bool is_local)
{
    return atomic_load (&server->connections) < places (server, is_local);
}

/* Whether an idle connection may stay: whoever room is made for could not have its place. */
bool server_spares (struct http_server *server, bool is_local)
{
    return is_local && !atomic_load (&server->makes_room_for_local)
           && atomic_load (&server->local_connections) <= PLACES_FOR_LOOPBACK;
}

struct http_limits http_server_limits (const struct http_server *server)
{
    return server->limits;
}
