/* One event loop: a thread with an epoll set that runs the daemons of libmicrohttpd. */
#include "internal.h"

#include <sched.h>
#include <sys/eventfd.h>

#define EVENTS 256
/* How often the loop checks the deadlines. */
#define TICK_MILLISECONDS 250
/* Turns without progress before the loop begins to wait between them, and the longest wait. */
#define IDLE_TURNS 64
#define LONGEST_WAIT_MILLISECONDS 100
/* Within this many turns, cut connections must end. */
#define LAST_TURNS 200

static _Thread_local struct loop *own_loop;

void loop_wake (struct loop *loop) {
    const uint64_t one = 1;
    /* A full counter wakes the loop as well. */
    while (write (loop->wake, &one, sizeof one) < 0 && EINTR == errno)
        continue;
}

bool http_is_event_loop (void) {
    return NULL != own_loop;
}

/* Tells the loop that an exchange has an answer, or new pieces of a stream. */
void loop_post (struct http_exchange *exchange) {
    struct loop *const loop = exchange->loop;
    /* dispatch() looks at the exchange when the callback returns. */
    if ((own_loop == loop && exchange == loop->dispatching) || atomic_exchange (&exchange->is_posted, true))
        return;
    exchange_retain (exchange);
    struct http_exchange *first = atomic_load (&loop->inbox);
    do
        exchange->next = first;
    while (!atomic_compare_exchange_weak (&loop->inbox, &first, exchange));
    if (NULL == first && own_loop != loop)
        loop_wake (loop);
}

static void read_inbox (struct loop *loop) {
    for (struct http_exchange *exchange = atomic_exchange (&loop->inbox, NULL), *next; NULL != exchange; exchange = next) {
        next = exchange->next;
        atomic_store (&exchange->is_posted, false); /* later posts add it again */
        if (NULL == exchange->connection)
            answer_drop (exchange);
        else
            connection_resume (exchange->connection);
        http_exchange_release (exchange);
    }
}

/* Makes the next turn run the daemon of a shard. */
void loop_mark (struct loop *loop, struct shard *shard) {
    shard->is_due = loop->is_due = true;
}

/* Runs each due daemon once; some are due again afterwards. */
static void loop_turn (struct loop *loop) {
    const bool is_due = loop->is_due;
    loop->is_due = false;
    for (struct shard *shard = loop->shards; is_due && NULL != shard; shard = shard->next) {
        MHD_UNSIGNED_LONG_LONG wait = 0;
        if (!shard->is_due)
            continue;
        shard->is_due = false;
        (void) MHD_run (shard->daemon);
        /* The library reads at most 128 events a turn. A wait of 0 means that it has more. */
        if (MHD_YES == MHD_get_timeout (shard->daemon, &wait) && 0 == wait)
            loop_mark (loop, shard);
    }
}

/* A shard with room for one more connection; NULL if no descriptor is left. */
struct shard *loop_shard (struct loop *loop, unsigned most) {
    for (struct shard *shard = loop->shards; NULL != shard; shard = shard->next)
        if (shard->connections < most)
            return shard;
    struct MHD_Daemon *const daemon = connection_daemon (loop);
    if (NULL == daemon)
        return NULL;
    struct shard *const shard = allocate (NULL, sizeof *shard);
    *shard = (struct shard){ .watched = WATCHED_SHARD, .daemon = daemon, .next = loop->shards };
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = shard };
    const int epoll = MHD_get_daemon_info (daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    if (0 != epoll_ctl (loop->epoll, EPOLL_CTL_ADD, epoll, &event)) {
        MHD_stop_daemon (daemon);
        free (shard);
        return NULL;
    }
    loop->shards = shard;
    return shard;
}

static void set_listening (struct loop *loop, bool listens) {
    /* The kernel wakes one loop for each connection, not all loops. */
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
    loop->ticked = loop->now;
    set_listening (loop, STAGE_RUNNING == stage); /* also after accept4() failed */
    if (stage != loop->stage)
        enter (loop, stage);
    deadlines_check (loop);
}

static void take_event (struct loop *loop, const struct epoll_event *event) {
    uint64_t count;
    bool is_sound;
    switch (*(const enum watched *) event->data.ptr) {
    case WATCHED_LISTENER:
        is_sound = listen_accept (loop);
        set_listening (loop, false);
        /* This puts the loop last in the kernel's order, so loops take turns. After a failure it waits for the next tick. */
        set_listening (loop, is_sound);
        break;
    case WATCHED_WAKE: (void) !read (loop->wake, &count, sizeof count); break;
    case WATCHED_SHARD: loop_mark (loop, event->data.ptr); break;
    case WATCHED_CONNECTION: deadlines_hang_up (event->data.ptr, event->events); break;
    }
}

/* How long to wait for events. If daemons are due repeatedly without progress, the wait grows: 0.9.75 spins on a chunk line
 * without an end. */
static int wait_of (const struct loop *loop) {
    if (STAGE_END == loop->stage)
        return 1;
    if (!loop->is_due)
        return TICK_MILLISECONDS;
    const unsigned wait = loop->idle_turns < IDLE_TURNS ? 0 : loop->idle_turns - IDLE_TURNS;
    return wait < LONGEST_WAIT_MILLISECONDS ? (int) wait : LONGEST_WAIT_MILLISECONDS;
}

static void *run (void *context) {
    struct loop *const loop = context;
    struct epoll_event events[EVENTS];
    unsigned last_turns = 0;
    uint64_t before = 0; /* loop->progress at the begin of the last turn */
    own_loop = loop;
    (void) pthread_setname_np (pthread_self (), "http-loop");
    set_listening (loop, true);
    while (STAGE_END != loop->stage || (NULL != loop->connections && ++last_turns < LAST_TURNS)) {
        /* Other threads may soon post work: a yield costs less than a sleep. */
        if (!loop->is_due && loop->progress != before)
            (void) sched_yield ();
        const int count = epoll_wait (loop->epoll, events, EVENTS, wait_of (loop));
        before = loop->progress;
        loop->now = clock_microseconds () / 1000;
        for (int i = 0; i < count; i++)
            take_event (loop, &events[i]);
        read_inbox (loop);
        loop_turn (loop);
        /* Check deadlines after reading, so that bytes that waited for a callback are not late. */
        if (loop->now - loop->ticked >= TICK_MILLISECONDS || atomic_load (&loop->server->stage) != loop->stage)
            tick (loop);
        read_inbox (loop); /* the posts of this turn's callbacks to their own loop */
        loop->idle_turns = before == loop->progress && loop->is_due ? loop->idle_turns + 1 : 0;
    }
    return NULL;
}

/* False if no descriptor or thread is left. */
bool loop_start (struct loop *loop, struct http_server *server) {
    *loop = (struct loop){
        .server = server,
        .watched_listener = WATCHED_LISTENER,
        .watched_wake = WATCHED_WAKE,
        .now = clock_microseconds () / 1000,
        .epoll = epoll_create1 (EPOLL_CLOEXEC),
        .wake = eventfd (0, EFD_NONBLOCK | EFD_CLOEXEC),
    };
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = &loop->watched_wake };
    (void) pthread_mutex_init (&loop->lock, NULL);
    if (loop->epoll >= 0 && loop->wake >= 0 && 0 == epoll_ctl (loop->epoll, EPOLL_CTL_ADD, loop->wake, &event)
        && 0 == pthread_create (&loop->thread, NULL, &run, loop))
        return true;
    loop_destroy (loop);
    return false;
}

/* Ends the daemons of a loop when all threads have ended. */
void loop_stop (struct loop *loop) {
    read_inbox (loop); /* answers that came after the thread's end */
    for (struct shard *shard = loop->shards, *next; NULL != shard; shard = next) {
        next = shard->next;
        MHD_stop_daemon (shard->daemon);
        free (shard);
    }
}

void loop_destroy (struct loop *loop) {
    if (loop->epoll >= 0)
        (void) close (loop->epoll);
    if (loop->wake >= 0)
        (void) close (loop->wake);
    (void) pthread_mutex_destroy (&loop->lock);
}
