/* An event loop: one libmicrohttpd daemon and the thread that turns it.
 *
 * Why libmicrohttpd's own threads are not used: its epoll loop takes 128 events at a time and, whenever it got exactly
 * 128, waits again before it looks at them (MHD_epoll, 0.9.75 to 1.0.10). 128 requests that come together then lie there
 * until the next event: measured, 30 s. Turned from outside, its wait is of no length and the loop sees them at once. And
 * all that is to be resumed is resumed in one turn, which is one walk over libmicrohttpd's list of suspended connections,
 * by the one thread that suspends: nobody else ever touches a connection.
 *
 * A turn: wait; take in what came (connections, answers, hang-ups, sockets with room); look at the deadlines; let
 * libmicrohttpd run; show it again the connections whose bytes it was not told of; conclude what is over.
 */
#include "internal.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define EVENTS 64
/* Between two looks at the deadlines. */
#define TICK_MILLISECONDS 250
/* Between two looks: a longer time is the fault of the loop or the machine, not of the clients. */
#define STANDSTILL_MICROSECONDS (1000u * 1000u)
/* So many turns without progress are normal. */
#define IDLE_TURNS 64
/* After so long without progress a loop cuts off the connections that may be the cause. */
#define PATIENCE_MICROSECONDS (1000u * 1000u)
/* At the end, between two looks whether all clients have acknowledged their answers. */
#define ACKNOWLEDGE_TICK_MILLISECONDS 5

/* -------------------------------------------------------------- what others leave for the loop */

void loop_wake (struct loop *loop)
{
    wake_signal (loop->inbox.wake);
}

static void want (struct loop *loop, bool has_asked)
{
    atomic_store (&loop->wanted[has_asked], true);
    loop_wake (loop);
}

/* Any thread. All places are taken, and one idle connection shall go: a silent one of any loop, or else one that has asked
 * before; and no further one until a place is free. Whoever is told meanwhile that there is no room comes again: a burst
 * must not drive out one for each of it. */
void loop_want_room (struct http_server *server, bool for_local)
{
    if (atomic_exchange (&server->makes_room, true))
        return;
    atomic_store (&server->makes_room_for_local, for_local);
    if (server_has_place (server, for_local))
        atomic_store (&server->makes_room, false);
    else
        want (&server->loops[0], false);
}

/* Any thread. The connection is counted already. */
bool loop_hand_over (struct loop *loop, int descriptor, const unsigned char *peer)
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
    struct arrival *const arrival = &loop->arrivals[loop->arrival_count++];
    arrival->descriptor = descriptor;
    memcpy (arrival->peer, peer, sizeof arrival->peer);
    const bool first = 1 == loop->arrival_count;
    (void) pthread_mutex_unlock (&loop->lock);
    if (first)
        loop_wake (loop);
    return true;
}

/* ---------------------------------------------------------------------------- the loop's thread */

static void take_arrivals (struct loop *loop)
{
    (void) pthread_mutex_lock (&loop->lock);
    struct arrival *const arrivals = loop->arrivals;
    const size_t count = loop->arrival_count;
    loop->arrivals = NULL;
    loop->arrival_count = 0;
    loop->arrival_capacity = 0;
    (void) pthread_mutex_unlock (&loop->lock);
    for (size_t i = 0; i < count; i++)
        daemon_add (loop, arrivals[i].descriptor, arrivals[i].peer);
    loop->progress += count;
    free (arrivals);
}

static void take_answers (struct loop *loop)
{
    struct http_exchange *exchange = inbox_take_all (&loop->inbox);
    while (NULL != exchange) {
        struct http_exchange *const next = exchange->next_in_inbox;
        atomic_store (&exchange->in_inbox, false);
        exchange_take_out (exchange);
        exchange = next;
    }
}

/* A hang-up, FIN, or room in a socket that a stream waits for. libmicrohttpd learns by itself of what happens to a
 * connection that it has not suspended, except of a FIN that came in one burst with what it has read. */
static void look_at (struct connection *connection, uint32_t events)
{
    struct http_exchange *const exchange = connection->exchange;
    const bool waits = NULL != exchange && exchange->handed;
    connection->ended = connection->ended || 0 != (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR));
    connection->is_urged = connection->is_urged || 0 != (events & EPOLLPRI);
    if (0 != (events & (EPOLLHUP | EPOLLERR)) && waits)
        exchange_hang_up (exchange);
    else if (0 != (events & EPOLLRDHUP) && waits)
        exchange_half_close (exchange);
    else if (connection->ended && !waits)
        connection_look_again (connection);
    /* Also with a FIN, which is reported with every event after it: the client may still read. */
    if (0 == (events & (EPOLLHUP | EPOLLERR)) && 0 != (events & EPOLLOUT) && connection->writable_wanted && waits)
        stream_flush (exchange);
}

/* Returns whether connections have arrived or something else was left. */
static bool take_events (struct loop *loop, const struct epoll_event *events, int count)
{
    bool woken = false;
    for (int i = 0; i < count; i++) {
        /* The first member of each of them: what it is. */
        switch (*(const enum watched *) events[i].data.ptr) {
        case WATCHED_DAEMON: break;
        case WATCHED_INBOX:
            wake_clear (loop->inbox.wake);
            woken = true;
            break;
        case WATCHED_CONNECTION: look_at (events[i].data.ptr, events[i].events); break;
        case WATCHED_LINGERER: linger_read (loop, events[i].data.ptr); break;
        }
    }
    return woken;
}

/* Whether libmicrohttpd says that it has something to do. */
static bool is_ready (const struct loop *loop)
{
    MHD_UNSIGNED_LONG_LONG timeout = 0;
    return MHD_YES == MHD_get_timeout (loop->daemon, &timeout) && 0 == timeout;
}

/* How long to wait where it says so, in milliseconds: not at all, unless turn after turn nothing was done. That shall not
 * cost a core. */
static int pause_after (unsigned idle)
{
    if (idle < IDLE_TURNS)
        return 0;
    return idle - IDLE_TURNS < 100 ? (int) (idle - IDLE_TURNS) : 100;
}

/* What this loop cannot give the next one is asked for, and after the last the first again, for one that has asked. */
static void make_room (struct loop *loop, bool has_asked)
{
    struct http_server *const server = loop->server;
    if (!atomic_load_explicit (&loop->wanted[has_asked], memory_order_relaxed))
        return;
    atomic_store (&loop->wanted[has_asked], false);
    const bool is_last = loop + 1 == server->loops + server->loop_count;
    if (deadlines_make_room (loop, has_asked))
        return; /* over when its place is free */
    if (is_last && has_asked)
        atomic_store (&server->makes_room, false);
    else
        want (is_last ? server->loops : loop + 1, has_asked || is_last);
}

static void turn (struct loop *loop, int milliseconds)
{
    struct epoll_event events[EVENTS];
    const bool sleeps = 0 != milliseconds && inbox_will_sleep (&loop->inbox);
    const int count = epoll_wait (loop->epoll, events, EVENTS, sleeps ? milliseconds : 0);
    if (sleeps)
        inbox_woke (&loop->inbox);
    loop->now = clock_microseconds ();
    if (take_events (loop, events, count))
        take_arrivals (loop);
    take_answers (loop);
    make_room (loop, false);
    make_room (loop, true);
    const uint64_t elapsed = loop->now - loop->last_tick;
    if (elapsed >= TICK_MILLISECONDS * 1000u) {
        loop->last_tick = loop->now;
        deadlines_look (loop, elapsed > STANDSTILL_MICROSECONDS ? elapsed - TICK_MILLISECONDS * 1000u : 0);
    }
    (void) MHD_run (loop->daemon);
    connection_show_to_library (loop);
    exchange_conclude_all (loop);
}

/* The server stops. Called once: what is parked later finds it out by itself. */
static void abandon_all (struct loop *loop)
{
    struct link *next = NULL;
    loop->abandoned = true;
    for (struct link *link = loop->all.next; link != &loop->all; link = next) {
        struct connection *const connection = connection_among_all (link);
        next = link->next;
        if (NULL != connection->exchange && connection->exchange->handed)
            exchange_abandon (connection->exchange);
    }
    deadlines_stop (loop);
}

/* The time for the last answers is over: a stream whose client takes it slowly would keep the loop from ending. */
static void cut_streams (struct loop *loop)
{
    for (struct link *link = loop->all.next; link != &loop->all; link = link->next) {
        struct connection *const connection = connection_among_all (link);
        if (PHASE_STREAMING == connection->phase && !connection->cut)
            connection_cut (connection);
    }
}

static void throw_out (struct loop *loop, uint64_t since)
{
    const struct http_notice notice = { .kind = HTTP_NOTICE_SPIN, .count = deadlines_throw_out (loop, since) };
    server_notify (loop->server, &notice);
}

/* Whether all clients have what was answered. Bytes of theirs that are not read when it closes reset the connection, and
 * the reset drops what is still on its way. One whose answer is not sent whole by now is cut off. */
static bool is_acknowledged (const struct loop *loop)
{
    for (struct link *link = loop->all.next; link != &loop->all; link = link->next) {
        const struct connection *const connection = connection_among_all (link);
        if (PHASE_ANSWERING != connection->phase && !receipt_is_complete (connection->descriptor))
            return false;
    }
    return linger_is_acknowledged (loop);
}

static bool is_ending (struct loop *loop)
{
    /* Stopping the daemon with anything suspended aborts the process. */
    if (!atomic_load (&loop->ending) || 0 != atomic_load_explicit (&loop->suspended, memory_order_relaxed))
        return false;
    return loop->now >= loop->server->acknowledge_until || is_acknowledged (loop);
}

/* How long a loop with nothing to do sleeps, milliseconds; -1 until it is woken. */
static int pause_of (const struct loop *loop)
{
    if (atomic_load_explicit (&loop->ending, memory_order_relaxed))
        return ACKNOWLEDGE_TICK_MILLISECONDS;
    return deadlines_are_set (loop) ? TICK_MILLISECONDS : -1;
}

static void *run (void *context)
{
    struct loop *const loop = context;
    bool has_worked = false;
    unsigned idle = 0; /* turns in a row that had something to do and did nothing */
    uint64_t idle_since = 0;
    current_loop = loop;
    (void) pthread_setname_np (pthread_self (), "http-loop");
    clockid_t clock;
    if (0 == pthread_getcpuclockid (pthread_self (), &clock))
        atomic_store (&loop->clock, clock);
    while (!is_ending (loop)) {
        const uint64_t before = loop->progress;
        const bool ready = is_ready (loop);
        /* A loop that had requests looks again before it sleeps, and lets others have the core first: a client on the
         * same machine may share it, and asks again when it has read its answer. Where loops and clients have too few
         * cores between them, a sleep and a wake-up for every third request cost more than the requests. The price: who
         * yields is woken by nobody and waits for its turn, which takes longer where others' work keeps the cores busy. */
        if (has_worked && !ready)
            (void) sched_yield ();
        if (ready)
            turn (loop, pause_after (idle));
        else
            turn (loop, has_worked ? 0 : pause_of (loop));
        if (atomic_load_explicit (&loop->server->stopping, memory_order_relaxed) && !loop->abandoned)
            abandon_all (loop);
        if (atomic_load (&loop->ending))
            cut_streams (loop);
        has_worked = before != loop->progress;
        idle = ready && !has_worked ? idle + 1 : 0;
        if (0 == idle)
            idle_since = loop->now;
        if (loop->now - idle_since <= PATIENCE_MICROSECONDS)
            continue;
        throw_out (loop, idle_since);
        idle_since = loop->now;
    }
    take_arrivals (loop); /* closed with the others */
    daemon_stop (loop);
    linger_stop (loop);
    take_answers (loop); /* whoever answered too late */
    exchange_conclude_all (loop);
    current_loop = NULL;
    return NULL;
}

/* -------------------------------------------------------------------------------- start and end */

static bool watch (const struct loop *loop, int descriptor, const enum watched *what)
{
    struct epoll_event event = { .events = EPOLLIN };
    event.data.ptr = (void *) (uintptr_t) what;
    return 0 == epoll_ctl (loop->epoll, EPOLL_CTL_ADD, descriptor, &event);
}

static bool watch_daemon (struct loop *loop)
{
    const union MHD_DaemonInfo *const info = MHD_get_daemon_info (loop->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return NULL != info && watch (loop, info->epoll_fd, &loop->watched_daemon);
}

bool loop_init (struct loop *loop, struct http_server *server)
{
    memset (loop, 0, sizeof *loop);
    loop->server = server;
    loop->watched_daemon = WATCHED_DAEMON;
    loop->watched_inbox = WATCHED_INBOX;
    loop->inbox.wake = -1;
    link_clear (&loop->all);
    link_clear (&loop->look_again);
    loop->epoll = epoll_create1 (EPOLL_CLOEXEC);
    return 0 == pthread_mutex_init (&loop->lock, NULL) && inbox_init (&loop->inbox) && loop->epoll >= 0
           && watch (loop, loop->inbox.wake, &loop->watched_inbox);
}

bool loop_start (struct loop *loop)
{
    if (!daemon_start (loop))
        return false;
    loop->now = clock_microseconds ();
    loop->started = watch_daemon (loop) && 0 == pthread_create (&loop->thread, NULL, &run, loop);
    if (!loop->started)
        daemon_stop (loop);
    return loop->started;
}

/* Tells it to end: once nothing is suspended and its clients have acknowledged their answers, or had the time for it. */
void loop_end (struct loop *loop)
{
    if (!loop->started)
        return;
    atomic_store (&loop->ending, true);
    loop_wake (loop);
}

/* Waits until it has ended, and has closed what was open. */
void loop_join (struct loop *loop)
{
    if (!loop->started)
        return;
    (void) pthread_join (loop->thread, NULL);
    loop->started = false;
}

void loop_destroy (struct loop *loop)
{
    for (size_t i = 0; i < loop->arrival_count; i++)
        (void) close (loop->arrivals[i].descriptor);
    free (loop->arrivals);
    inbox_destroy (&loop->inbox);
    if (loop->epoll >= 0)
        (void) close (loop->epoll);
    (void) pthread_mutex_destroy (&loop->lock);
}
