/* One event loop: a thread with an epoll set that turns the daemons of libmicrohttpd from outside. */
#include "internal.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define EVENTS 256
/* How often the deadlines are checked. */
#define TICK_MILLISECONDS 250
/* Turns without progress before the loop begins to wait between them. */
#define IDLE_TURNS 64
/* The longest wait between two turns without progress. */
#define LONGEST_WAIT_MILLISECONDS 100
/* Turns that cut connections have to end. */
#define LAST_TURNS 200

static _Thread_local struct loop *own_loop;

/* ------------------------------------------------------------- other threads */

void loop_wake (struct loop *loop) {
    const uint64_t one = 1;
    /* A full counter wakes the loop as well. */
    while (write (loop->wake, &one, sizeof one) < 0 && EINTR == errno)
        continue;
}

/* Makes the loop look at an exchange that was answered, or whose stream has pieces. */
void loop_post (struct http_exchange *exchange) {
    struct loop *const loop = exchange->loop;
    /* dispatch() looks at the exchange when the callback returns. */
    if (own_loop == loop && exchange == loop->dispatching)
        return;
    (void) pthread_mutex_lock (&loop->lock);
    const bool was_empty = NULL == loop->inbox;
    if (!exchange->is_in_inbox) {
        exchange_retain (exchange);
        exchange->is_in_inbox = true;
        exchange->next = loop->inbox;
        loop->inbox = exchange;
    }
    (void) pthread_mutex_unlock (&loop->lock);
    if (was_empty && own_loop != loop)
        loop_wake (loop);
}

void loop_hand_over (struct loop *loop, struct connection *newcomer) {
    (void) pthread_mutex_lock (&loop->lock);
    newcomer->next = loop->newcomers;
    loop->newcomers = newcomer;
    (void) pthread_mutex_unlock (&loop->lock);
    loop_wake (loop);
}

/* ------------------------------------------------------------------- turns */

/* Has the daemon of a shard turned in the next turn. */
void loop_mark (struct loop *loop, struct shard *shard) {
    if (shard->is_due)
        return;
    shard->is_due = true;
    loop->due[loop->due_count++] = shard;
}

/* Turns each daemon that is due, once; some are due again afterwards. */
void loop_turn (struct loop *loop) {
    const size_t count = loop->due_count;
    for (size_t i = 0; i < count; i++) {
        MHD_UNSIGNED_LONG_LONG wait = 0;
        struct shard *const shard = loop->due[i];
        shard->is_due = false;
        (void) MHD_run (shard->daemon);
        /* The library reads at most 128 events a turn, and says by a wait of 0 that it is not done. */
        if (MHD_YES == MHD_get_timeout (shard->daemon, &wait) && 0 == wait)
            loop_mark (loop, shard);
    }
    loop->due_count -= count;
    memmove ((void *) loop->due, (void *) (loop->due + count), loop->due_count * sizeof *loop->due);
}

static struct http_exchange *next_posted (struct loop *loop) {
    (void) pthread_mutex_lock (&loop->lock);
    struct http_exchange *const exchange = loop->inbox;
    if (NULL != exchange) {
        loop->inbox = exchange->next;
        exchange->is_in_inbox = false;
    }
    (void) pthread_mutex_unlock (&loop->lock);
    return exchange;
}

static struct connection *next_newcomer (struct loop *loop) {
    (void) pthread_mutex_lock (&loop->lock);
    struct connection *const newcomer = loop->newcomers;
    if (NULL != newcomer)
        loop->newcomers = newcomer->next;
    (void) pthread_mutex_unlock (&loop->lock);
    return newcomer;
}

static void read_inbox (struct loop *loop) {
    for (struct connection *newcomer; NULL != (newcomer = next_newcomer (loop));)
        connection_add (loop, newcomer);
    for (struct http_exchange *exchange; NULL != (exchange = next_posted (loop)); http_exchange_release (exchange))
        if (NULL == exchange->connection)
            answer_drop (exchange);
        else
            connection_resume (exchange->connection);
}

/* ------------------------------------------------------------------- shards */

static bool add_shard (struct loop *loop) {
    struct shard *const shard = calloc (1, sizeof *shard);
    struct shard **const shards = realloc ((void *) loop->shards, (loop->shard_count + 1) * sizeof *shards);
    if (NULL != shards)
        loop->shards = shards;
    /* A daemon may be due again while it is turned. */
    struct shard **const due = realloc ((void *) loop->due, 2 * (loop->shard_count + 1) * sizeof *due);
    if (NULL != due)
        loop->due = due;
    if (NULL == shard || NULL == shards || NULL == due || NULL == (shard->daemon = connection_daemon (loop))) {
        free (shard);
        return false;
    }
    shard->watched = WATCHED_SHARD;
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = shard };
    const union MHD_DaemonInfo *const info = MHD_get_daemon_info (shard->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    if (NULL == info || 0 != epoll_ctl (loop->epoll, EPOLL_CTL_ADD, info->epoll_fd, &event)) {
        MHD_stop_daemon (shard->daemon);
        free (shard);
        return false;
    }
    loop->shards[loop->shard_count++] = shard;
    return true;
}

/* A shard with room for one more connection; NULL without memory. */
struct shard *loop_shard (struct loop *loop, unsigned most) {
    for (size_t i = 0; i < loop->shard_count; i++)
        if (loop->shards[i]->connections < most)
            return loop->shards[i];
    return add_shard (loop) ? loop->shards[loop->shard_count - 1] : NULL;
}

/* --------------------------------------------------------------- the thread */

static void set_listening (struct loop *loop, bool listens) {
    /* One loop is woken for each connection, not all. */
    struct epoll_event event = { .events = EPOLLIN | EPOLLEXCLUSIVE, .data.ptr = &loop->watched_listener };
    if (listens != loop->is_listening
        && 0 == epoll_ctl (loop->epoll, listens ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, loop->server->listener, &event))
        loop->is_listening = listens;
}

/* Begins a stage of the stop. */
static void enter (struct loop *loop, unsigned stage) {
    loop->stage = stage;
    for (struct connection *connection = loop->connections, *next; NULL != connection; connection = next) {
        next = connection->next;
        if (STAGE_END == stage || PHASE_IDLE == connection->phase)
            deadlines_cut (connection);
        else
            connection_tell (connection, HTTP_DEPARTURE_STOPPING);
        if (STAGE_FAREWELL == stage && PHASE_STREAMING == connection->phase)
            http_stream_finish (connection->exchange);
    }
}

static void tick (struct loop *loop) {
    struct http_server *const server = loop->server;
    const unsigned stage = atomic_load (&server->stage);
    const bool leaves = server->is_inherited && atomic_load (&server->is_leaving);
    loop->ticked = loop->now;
    /* Also again after accept4() failed. */
    set_listening (loop, STAGE_RUNNING == stage && !leaves);
    if (stage != loop->stage)
        enter (loop, stage);
    deadlines_check (loop);
}

static void take_event (struct loop *loop, const struct epoll_event *event) {
    uint64_t count;
    switch (*(const enum watched *) event->data.ptr) {
    case WATCHED_LISTENER:
        if (!listen_accept (loop))
            set_listening (loop, false); /* until the next tick: else the failure would wake the loop at once */
        break;
    case WATCHED_WAKE:
        (void) !read (loop->wake, &count, sizeof count);
        break;
    case WATCHED_SHARD: loop_mark (loop, event->data.ptr); break;
    case WATCHED_CONNECTION: deadlines_hang_up (event->data.ptr, event->events); break;
    }
}

/* How long to wait for events. A daemon that is due over and over without progress gets ever longer waits: 0.9.75 spins
 * on a chunk line without an end. */
static int wait_of (const struct loop *loop) {
    if (0 == loop->due_count)
        return TICK_MILLISECONDS;
    if (loop->idle_turns < IDLE_TURNS)
        return 0;
    const unsigned wait = loop->idle_turns - IDLE_TURNS;
    return wait < LONGEST_WAIT_MILLISECONDS ? (int) wait : LONGEST_WAIT_MILLISECONDS;
}

static void *run (void *context) {
    struct loop *const loop = context;
    struct epoll_event events[EVENTS];
    own_loop = loop;
    (void) pthread_setname_np (pthread_self (), "http-loop");
    set_listening (loop, true);
    unsigned last_turns = 0;
    uint64_t before = 0; /* loop->progress at the begin of the last turn */
    while (STAGE_END != loop->stage || (atomic_load (&loop->connection_count) > 0 && ++last_turns < LAST_TURNS)) {
        /* Others may have work for this loop: a yield costs less than a sleep. */
        if (0 == loop->due_count && loop->progress != before)
            (void) sched_yield ();
        const int count = epoll_wait (loop->epoll, events, EVENTS, STAGE_END == loop->stage ? 1 : wait_of (loop));
        before = loop->progress;
        loop->now = clock_microseconds () / 1000;
        for (int i = 0; i < count; i++)
            take_event (loop, &events[i]);
        read_inbox (loop);
        loop_turn (loop);
        /* After what a callback kept waiting was read: nobody is late for that. */
        if (loop->now - loop->ticked >= TICK_MILLISECONDS || atomic_load (&loop->server->stage) != loop->stage)
            tick (loop);
        /* What the callbacks of this turn posted to their own loop. */
        read_inbox (loop);
        loop->idle_turns = before == loop->progress && loop->due_count > 0 ? loop->idle_turns + 1 : 0;
    }
    return NULL;
}

/* ------------------------------------------------------------ begin and end */

bool loop_init (struct loop *loop, struct http_server *server) {
    memset (loop, 0, sizeof *loop);
    loop->server = server;
    loop->watched_listener = WATCHED_LISTENER;
    loop->watched_wake = WATCHED_WAKE;
    loop->now = clock_microseconds () / 1000;
    loop->epoll = epoll_create1 (EPOLL_CLOEXEC);
    loop->wake = eventfd (0, EFD_NONBLOCK | EFD_CLOEXEC);
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = &loop->watched_wake };
    const bool has_lock = 0 == pthread_mutex_init (&loop->lock, NULL);
    if (has_lock && loop->epoll >= 0 && loop->wake >= 0
        && 0 == epoll_ctl (loop->epoll, EPOLL_CTL_ADD, loop->wake, &event))
        return true;
    loop_destroy (loop);
    return false;
}

bool loop_start (struct loop *loop) {
    loop->has_thread = 0 == pthread_create (&loop->thread, NULL, &run, loop);
    return loop->has_thread;
}

/* Ends the daemons of a loop whose thread has ended, or never began. */
void loop_stop (struct loop *loop) {
    /* Another loop may hand a connection over when this one has ended. */
    read_inbox (loop);
    for (size_t i = 0; i < loop->shard_count; i++) {
        MHD_stop_daemon (loop->shards[i]->daemon);
        free (loop->shards[i]);
    }
    loop->shard_count = loop->due_count = 0;
}

void loop_destroy (struct loop *loop) {
    loop_stop (loop);
    free ((void *) loop->shards);
    free ((void *) loop->due);
    if (loop->epoll >= 0)
        (void) close (loop->epoll);
    if (loop->wake >= 0)
        (void) close (loop->wake);
    (void) pthread_mutex_destroy (&loop->lock);
}
