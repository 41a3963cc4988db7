/* An event loop: one libmicrohttpd daemon and the thread that turns it.
 *
 * Why libmicrohttpd's own threads are not used: its epoll loop takes 128 events at a time and, whenever it got exactly
 * 128, waits again before it looks at them (MHD_epoll, 0.9.75 and 1.0.1). 128 requests that come together then lie there
 * until the next event or the idle timeout: measured, 30 s. Turned from outside, its wait is of no length and the loop
 * sees them at once. It also lets all that is to be resumed be resumed in one turn, which is one walk over libmicrohttpd's
 * list of suspended connections, and by the one thread that suspends: nobody else ever touches a connection.
 */
#include "internal.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A connection on its way from the acceptor. */
struct arrival {
    int descriptor;
    bool surplus;
};

/* -------------------------------------------------------------- what others leave for the loop */

/* Any thread. The connection is counted already (server_connection_closed() uncounts it). */
bool loop_hand_over (struct loop *loop, int descriptor, bool surplus)
{
    (void) pthread_mutex_lock (&loop->lock);
    if (loop->arrival_count == loop->arrival_capacity) {
        const size_t capacity = 0 == loop->arrival_capacity ? 64 : 2 * loop->arrival_capacity;
        struct arrival *const grown = realloc (loop->arrivals, capacity * sizeof *grown);
        if (NULL == grown) {
            (void) pthread_mutex_unlock (&loop->lock);
            return false;
        }
        loop->arrivals = grown;
        loop->arrival_capacity = capacity;
    }
    loop->arrivals[loop->arrival_count++] = (struct arrival){ descriptor, surplus };
    const bool first = 1 == loop->arrival_count;
    (void) pthread_mutex_unlock (&loop->lock);
    if (first)
        wake_signal (loop->wake);
    return true;
}

/* Any thread that moved the exchange on from STATE_PARKED, and nobody else: resuming what is not suspended is undefined.
 * From here on the exchange belongs to the loop again. */
void loop_resume (struct http_exchange *exchange)
{
    struct loop *const loop = exchange->loop;
    struct http_exchange *last = atomic_load_explicit (&loop->resumed, memory_order_relaxed);
    do
        exchange->next_resumed = last;
    while (!atomic_compare_exchange_weak_explicit (&loop->resumed, &last, exchange, memory_order_release,
                                                   memory_order_relaxed));
    if (NULL == last)
        wake_signal (loop->wake);
}

/* ---------------------------------------------------------------------------- the loop's thread */

/* It is suspended, so it stays at least until the next resume_all(). */
void loop_watch_later (struct http_exchange *exchange)
{
    exchange->next_parked = exchange->loop->parked;
    exchange->loop->parked = exchange;
}

static void watch_parked (struct loop *loop)
{
    struct http_exchange *exchange = loop->parked;
    loop->parked = NULL;
    while (NULL != exchange) {
        struct http_exchange *const next = exchange->next_parked;
        exchange_watch (exchange);
        exchange = next;
    }
}

/* From here on the client's hang-up is ours to notice: libmicrohttpd takes a suspended connection out of its epoll set
 * (microhttpd.h, MHD_suspend_connection). False, and nothing suspended, once the server stops. */
bool loop_suspend (struct http_exchange *exchange)
{
    if (atomic_load (&exchange->server->stopping))
        return false;
    atomic_fetch_add_explicit (&exchange->loop->suspended, 1, memory_order_relaxed);
    MHD_suspend_connection (exchange->connection);
    return true;
}

static void resume_all (struct loop *loop)
{
    struct http_exchange *newest = atomic_exchange_explicit (&loop->resumed, NULL, memory_order_acquire);
    struct http_exchange *oldest = NULL;
    while (NULL != newest) {
        struct http_exchange *const next = newest->next_resumed;
        newest->next_resumed = oldest;
        oldest = newest;
        newest = next;
    }
    for (struct http_exchange *exchange = oldest; NULL != exchange; exchange = exchange->next_resumed) {
        atomic_fetch_sub_explicit (&loop->suspended, 1, memory_order_relaxed);
        /* A stream is watched to its end. A parked exchange only as long as it is parked: afterwards the number may be
         * another connection's. */
        if (!atomic_load (&exchange->streaming))
            watch_remove (exchange->server->watch, exchange->descriptor, exchange);
        MHD_resume_connection (exchange->connection);
    }
}

/* libmicrohttpd keeps the address for its limit per address, which is not used. */
static const struct sockaddr_in no_address = { .sin_family = AF_INET };

static void add (struct loop *loop, const struct arrival *arrival)
{
    loop->adding_surplus = arrival->surplus;
    if (MHD_YES
        != MHD_add_connection (loop->daemon, arrival->descriptor, (const struct sockaddr *) &no_address,
                               sizeof no_address))
        server_connection_closed (loop->server, loop); /* it has closed the descriptor */
}

static void add_all (struct loop *loop)
{
    (void) pthread_mutex_lock (&loop->lock);
    struct arrival *const arrivals = loop->arrivals;
    const size_t count = loop->arrival_count;
    loop->arrivals = NULL;
    loop->arrival_count = 0;
    loop->arrival_capacity = 0;
    (void) pthread_mutex_unlock (&loop->lock);
    for (size_t i = 0; i < count; i++)
        add (loop, &arrivals[i]);
    free (arrivals);
}

/* Until libmicrohttpd has something to do or somebody left something. */
static void wait (struct loop *loop, int epoll)
{
    MHD_UNSIGNED_LONG_LONG timeout = 0;
    struct pollfd descriptors[2] = { { .fd = epoll, .events = POLLIN }, { .fd = loop->wake, .events = POLLIN } };
    int milliseconds = -1;
    if (MHD_YES == MHD_get_timeout (loop->daemon, &timeout))
        milliseconds = timeout > 60000 ? 60000 : (int) timeout;
    if (0 == milliseconds)
        return;
    if (poll (descriptors, 2, milliseconds) > 0 && 0 != descriptors[1].revents)
        wake_clear (loop->wake);
}

static bool is_ending (struct loop *loop)
{
    /* Stopping the daemon with anything suspended aborts the process. */
    return atomic_load (&loop->ending) && 0 == atomic_load_explicit (&loop->suspended, memory_order_relaxed);
}

static void *run (void *context)
{
    struct loop *const loop = context;
    const union MHD_DaemonInfo *const info = MHD_get_daemon_info (loop->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    const int epoll = NULL == info ? -1 : info->epoll_fd;
    bool has_worked = false;
    name_thread ("http-loop");
    while (!is_ending (loop)) {
        const uint64_t before = loop->dispatched;
        /* A loop that had requests looks again before it sleeps, and lets others have the core first: a client on the
         * same machine may share it, and asks again when it has read its answer. Where loops and clients have too few
         * cores between them, a sleep and a wake-up for every third request cost more than the requests. The price: who
         * yields is woken by nobody and waits for its turn, which takes longer where others' work keeps the cores busy. */
        if (has_worked)
            (void) sched_yield ();
        else
            wait (loop, epoll);
        add_all (loop);
        resume_all (loop);
        (void) MHD_run (loop->daemon);
        watch_parked (loop);
        has_worked = before != loop->dispatched;
    }
    add_all (loop); /* closed with the others */
    MHD_stop_daemon (loop->daemon);
    return NULL;
}

/* -------------------------------------------------------------------------------- start and end */

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
    struct loop *const loop = context;
    (void) connection;
    if (MHD_CONNECTION_NOTIFY_STARTED == code)
        *socket_context = loop->adding_surplus ? loop : NULL;
    else
        server_connection_closed (loop->server, loop);
}

static struct MHD_Daemon *start_daemon (struct loop *loop)
{
    const struct http_limits *const limits = &loop->server->limits;
    return MHD_start_daemon (
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET, 0, NULL, NULL, &request_continue, loop,
        MHD_OPTION_URI_LOG_CALLBACK, &request_begin, loop, MHD_OPTION_NOTIFY_COMPLETED, &request_completed, loop,
        MHD_OPTION_NOTIFY_CONNECTION, &connection_changed, loop, MHD_OPTION_UNESCAPE_CALLBACK, &keep_escapes, NULL,
        /* Ours comes first, and says so (accept.c): this one closes without a word. */
        MHD_OPTION_CONNECTION_LIMIT, loop->server->hard_connections + 1, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        limits->pool_bytes,
        /* Of the daemon, not of each connection: those are all looked at on every turn of the loop. */
        MHD_OPTION_CONNECTION_TIMEOUT, limits->idle_seconds,
        /* The loop's thread blocks all signals. */
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
}

bool loop_init (struct loop *loop, struct http_server *server)
{
    memset (loop, 0, sizeof *loop);
    loop->server = server;
    loop->wake = wake_create ();
    return 0 == pthread_mutex_init (&loop->lock, NULL) && loop->wake >= 0;
}

bool loop_start (struct loop *loop)
{
    loop->daemon = start_daemon (loop);
    if (NULL == loop->daemon)
        return false;
    loop->started = 0 == pthread_create (&loop->thread, NULL, &run, loop);
    if (!loop->started)
        MHD_stop_daemon (loop->daemon);
    return loop->started;
}

/* Ends once nothing is suspended, and closes what is open. */
void loop_join (struct loop *loop)
{
    if (!loop->started)
        return;
    atomic_store (&loop->ending, true);
    wake_signal (loop->wake);
    (void) pthread_join (loop->thread, NULL);
    loop->started = false;
}

void loop_destroy (struct loop *loop)
{
    for (size_t i = 0; i < loop->arrival_count; i++)
        (void) close (loop->arrivals[i].descriptor);
    free (loop->arrivals);
    if (loop->wake >= 0)
        (void) close (loop->wake);
    (void) pthread_mutex_destroy (&loop->lock);
}
