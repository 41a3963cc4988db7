/* Everything only Linux has: one epoll set of the shim's own, and its thread. It notices hang-ups, which libmicrohttpd
 * does not while a connection is suspended; it accepts; and it reads off what clients still send after a refusal.
 *
 * Why it accepts: MHD_quiesce_daemon() takes the listening socket out of the event loops' epoll sets from the caller's
 * thread while the loops may do the same, and aborts the process when it comes second (0.9.75, 1.0.1). With the socket
 * here the loops never see it; and a connection beyond the limit can be told so rather than left in the backlog.
 */
#include "internal.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define STRIPES 16
#define EVENTS 64
/* Connections accepted before the hang-ups get their turn. */
#define ACCEPT_BATCH 64
#define LINGERING 64
#define LINGER_MILLISECONDS 1000
/* As much as a client may still send before it is cut off. */
#define LINGER_BYTES (1024 * 1024)
/* Unsent bytes the kernel takes of one stream before it says that the socket is full. */
#define UNSENT_BYTES 16384

/* What an event is about: a watched descriptor with its entry's generation, or one of these. */
#define TAG_SHIFT 62
#define TAG_WATCHED 0u
#define TAG_LINGERING 1u
#define TAG_LISTENER 2u
#define TAG_WAKE 3u

struct entry {
    struct http_exchange *exchange;
    uint32_t generation; /* an event of an earlier watch of the same descriptor is recognised by it */
};

struct lingerer {
    int descriptor;
    uint64_t deadline;
    size_t budget;
};

struct watch {
    struct http_server *server;
    int epoll;
    int wake;
    int listener;
    bool started;
    pthread_t thread;
    atomic_bool accepting;
    atomic_bool ending;
    atomic_size_t count;
    bool armed; /* the listener is in the set; the thread's own */
    pthread_mutex_t stripes[STRIPES]; /* of the entries, by descriptor */
    pthread_mutex_t linger_lock;
    struct lingerer lingering[LINGERING];
    size_t lingerers;
    size_t descriptors;
    struct entry entries[];
};

static uint64_t tagged (uint64_t tag, uint32_t generation, int descriptor)
{
    return tag << TAG_SHIFT | (uint64_t) (generation & 0x3fffffff) << 32 | (uint32_t) descriptor;
}

static bool control (struct watch *watch, int operation, int descriptor, uint32_t events, uint64_t tag)
{
    struct epoll_event event = { .events = events, .data.u64 = tag };
    return 0 == epoll_ctl (watch->epoll, operation, descriptor, &event);
}

static pthread_mutex_t *stripe (struct watch *watch, int descriptor)
{
    return &watch->stripes[descriptor % STRIPES];
}

/* ---------------------------------------------------------------- watching */

/* False where it cannot be watched. The exchange stays its owner's: it is removed before it goes. */
bool watch_add (struct watch *watch, int descriptor, struct http_exchange *exchange)
{
    if (descriptor < 0 || (size_t) descriptor >= watch->descriptors)
        return false;
    struct entry *const entry = &watch->entries[descriptor];
    (void) pthread_mutex_lock (stripe (watch, descriptor));
    entry->generation += 1;
    entry->exchange = exchange;
    /* Bytes of a next request do not matter here: EPOLLIN is not asked for. What has already hung up is reported. */
    const bool added = control (watch, EPOLL_CTL_ADD, descriptor, EPOLLRDHUP | EPOLLONESHOT,
                                tagged (TAG_WATCHED, entry->generation, descriptor));
    if (added)
        atomic_fetch_add_explicit (&watch->count, 1, memory_order_relaxed);
    else
        entry->exchange = NULL;
    (void) pthread_mutex_unlock (stripe (watch, descriptor));
    return added;
}

/* Under the stripe's lock. Before the connection is resumed, else the number may be another connection's by then. */
static void forget (struct watch *watch, int descriptor)
{
    watch->entries[descriptor].exchange = NULL;
    (void) control (watch, EPOLL_CTL_DEL, descriptor, 0, 0);
    atomic_fetch_sub_explicit (&watch->count, 1, memory_order_relaxed);
}

void watch_remove (struct watch *watch, int descriptor, struct http_exchange *exchange)
{
    if (descriptor < 0 || (size_t) descriptor >= watch->descriptors)
        return;
    (void) pthread_mutex_lock (stripe (watch, descriptor));
    if (exchange == watch->entries[descriptor].exchange)
        forget (watch, descriptor);
    (void) pthread_mutex_unlock (stripe (watch, descriptor));
}

/* Takes the exchange an event is about, with a reference; NULL where it went on meanwhile. */
static struct http_exchange *take (struct watch *watch, int descriptor, uint32_t generation)
{
    struct http_exchange *exchange = NULL;
    (void) pthread_mutex_lock (stripe (watch, descriptor));
    struct entry *const entry = &watch->entries[descriptor];
    if (NULL != entry->exchange && (entry->generation & 0x3fffffff) == generation) {
        exchange = entry->exchange;
        exchange_retain (exchange);
        /* A stream stuck on a full socket would not learn of it: libmicrohttpd waits for the socket to be writable.
         * Under the lock the descriptor is still this connection's. */
        if (atomic_load (&exchange->streaming))
            (void) shutdown (descriptor, SHUT_RDWR);
        forget (watch, descriptor);
    }
    (void) pthread_mutex_unlock (stripe (watch, descriptor));
    return exchange;
}

static void hung_up (struct watch *watch, uint64_t tag)
{
    struct http_exchange *const exchange
        = take (watch, (int) (uint32_t) tag, (uint32_t) (tag >> 32) & 0x3fffffff);
    if (NULL == exchange)
        return;
    exchange_hang_up (exchange);
    http_exchange_release (exchange);
}

void watch_each (struct watch *watch, void (*visit) (struct http_exchange *))
{
    for (size_t i = 0; i < watch->descriptors; i++) {
        (void) pthread_mutex_lock (stripe (watch, (int) i));
        struct http_exchange *const exchange = watch->entries[i].exchange;
        if (NULL != exchange)
            exchange_retain (exchange);
        (void) pthread_mutex_unlock (stripe (watch, (int) i));
        if (NULL == exchange)
            continue;
        visit (exchange);
        http_exchange_release (exchange);
    }
}

size_t watch_count (struct watch *watch)
{
    return atomic_load (&watch->count);
}

void watch_limit_unsent (int descriptor)
{
    const int bytes = UNSENT_BYTES;
    (void) setsockopt (descriptor, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof bytes);
}

/* --------------------------------------------------------------- accepting */

static void set_armed (struct watch *watch, bool armed)
{
    if (armed != watch->armed
        && control (watch, armed ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, watch->listener, EPOLLIN,
                    tagged (TAG_LISTENER, 0, watch->listener)))
        watch->armed = armed;
}

static bool is_full (const struct watch *watch)
{
    return atomic_load (&watch->server->connections) >= watch->server->hard_connections;
}

/* Returns false when there is no use in trying again at once. */
static bool accept_one (struct watch *watch)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    const int descriptor
        = accept4 (watch->listener, (struct sockaddr *) &address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor >= 0) {
        /* Closes the descriptor where it fails. */
        (void) MHD_add_connection (watch->server->daemon, descriptor, (struct sockaddr *) &address, length);
        return true;
    }
    if (ECONNABORTED == errno || EINTR == errno)
        return true;
    if (EAGAIN != errno && EWOULDBLOCK != errno)
        set_armed (watch, false); /* no descriptors or memory: tried again on the next tick */
    return false;
}

static void accept_batch (struct watch *watch)
{
    for (int i = 0; i < ACCEPT_BATCH && atomic_load (&watch->accepting); i++) {
        if (is_full (watch)) {
            set_armed (watch, false); /* the next stay in the backlog until a connection closes */
            return;
        }
        if (!accept_one (watch))
            return;
    }
}

/* --------------------------------------------------------------- lingering */

/* Closing a socket with unread bytes resets the connection, and the reset may overtake the answer (RFC 9112, section
 * 9.6). A copy of the descriptor outlives libmicrohttpd's: its bytes are read and dropped, for a while. */
void watch_linger (struct watch *watch, int descriptor)
{
    (void) pthread_mutex_lock (&watch->linger_lock);
    if (watch->lingerers < LINGERING) {
        const int copy = dup (descriptor);
        struct lingerer *const lingerer = &watch->lingering[watch->lingerers];
        lingerer->descriptor = copy;
        lingerer->deadline = clock_microseconds () + LINGER_MILLISECONDS * 1000u;
        lingerer->budget = LINGER_BYTES;
        if (copy >= 0 && control (watch, EPOLL_CTL_ADD, copy, EPOLLIN, tagged (TAG_LINGERING, 0, copy)))
            watch->lingerers += 1;
        else if (copy >= 0)
            (void) close (copy);
    }
    (void) pthread_mutex_unlock (&watch->linger_lock);
    watch_wake (watch);
}

/* False when the client is done, or has sent too much. */
static bool read_off (struct lingerer *lingerer)
{
    char dropped[4096];
    for (;;) {
        const ssize_t count = recv (lingerer->descriptor, dropped, sizeof dropped, MSG_DONTWAIT);
        if (count < 0)
            return EAGAIN == errno || EINTR == errno;
        if (0 == count || (size_t) count > lingerer->budget)
            return false;
        lingerer->budget -= (size_t) count;
    }
}

/* Few, and only after refusals: all are looked at on each turn there are any. */
static bool tend_lingerers (struct watch *watch, bool all)
{
    const uint64_t now = clock_microseconds ();
    (void) pthread_mutex_lock (&watch->linger_lock);
    for (size_t i = watch->lingerers; i-- > 0;) {
        struct lingerer *const lingerer = &watch->lingering[i];
        if (!all && lingerer->deadline > now && read_off (lingerer))
            continue;
        (void) close (lingerer->descriptor); /* the copy was the last: this takes it out of the set */
        *lingerer = watch->lingering[--watch->lingerers];
    }
    const bool any = watch->lingerers > 0;
    (void) pthread_mutex_unlock (&watch->linger_lock);
    return any;
}

/* ------------------------------------------------------------------ thread */

static void clear_wake (struct watch *watch)
{
    uint64_t count;
    while (read (watch->wake, &count, sizeof count) < 0 && EINTR == errno)
        continue;
}

static void *run (void *context)
{
    struct watch *const watch = context;
    struct epoll_event events[EVENTS];
    bool lingering = false;
    while (!atomic_load (&watch->ending)) {
        if (!atomic_load (&watch->accepting)) {
            if (watch->armed) {
                set_armed (watch, false);
                /* New clients are refused from here on, rather than kept waiting in the backlog. */
                (void) shutdown (watch->listener, SHUT_RDWR);
            }
        } else if (!is_full (watch)) {
            set_armed (watch, true);
        }
        const bool ticks = lingering || (!watch->armed && atomic_load (&watch->accepting));
        const int count = epoll_wait (watch->epoll, events, EVENTS, ticks ? 100 : -1);
        for (int i = 0; i < count; i++) {
            const uint64_t tag = events[i].data.u64;
            switch (tag >> TAG_SHIFT) {
            case TAG_WATCHED: hung_up (watch, tag); break;
            case TAG_LISTENER: accept_batch (watch); break;
            case TAG_WAKE: clear_wake (watch); break;
            default: break; /* lingering: seen to below */
            }
        }
        lingering = tend_lingerers (watch, false);
    }
    (void) tend_lingerers (watch, true);
    return NULL;
}

struct watch *watch_create (struct http_server *server, size_t descriptors)
{
    /* Zero pages until touched: the table costs what is used of it. */
    struct watch *const watch = calloc (1, sizeof *watch + descriptors * sizeof watch->entries[0]);
    if (NULL == watch)
        return NULL;
    watch->server = server;
    watch->descriptors = descriptors;
    watch->epoll = epoll_create1 (EPOLL_CLOEXEC);
    watch->wake = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
    bool made = watch->epoll >= 0 && watch->wake >= 0
                && control (watch, EPOLL_CTL_ADD, watch->wake, EPOLLIN, tagged (TAG_WAKE, 0, watch->wake));
    for (size_t i = 0; i < STRIPES; i++)
        made = 0 == pthread_mutex_init (&watch->stripes[i], NULL) && made;
    made = 0 == pthread_mutex_init (&watch->linger_lock, NULL) && made;
    if (!made) {
        watch_free (watch);
        return NULL;
    }
    return watch;
}

bool watch_start (struct watch *watch, int listener)
{
    watch->listener = listener;
    atomic_store (&watch->accepting, true);
    watch->started = 0 == pthread_create (&watch->thread, NULL, &run, watch);
    return watch->started;
}

void watch_wake (struct watch *watch)
{
    const uint64_t one = 1;
    while (write (watch->wake, &one, sizeof one) < 0 && EINTR == errno)
        continue;
}

void watch_stop_accepting (struct watch *watch)
{
    atomic_store (&watch->accepting, false);
    watch_wake (watch);
}

void watch_join (struct watch *watch)
{
    if (!watch->started)
        return;
    atomic_store (&watch->ending, true);
    watch_wake (watch);
    (void) pthread_join (watch->thread, NULL);
    watch->started = false;
}

void watch_free (struct watch *watch)
{
    if (NULL == watch)
        return;
    (void) tend_lingerers (watch, true); /* of answers that left while the daemon stopped */
    for (size_t i = 0; i < STRIPES; i++)
        (void) pthread_mutex_destroy (&watch->stripes[i]);
    (void) pthread_mutex_destroy (&watch->linger_lock);
    if (watch->epoll >= 0)
        (void) close (watch->epoll);
    if (watch->wake >= 0)
        (void) close (watch->wake);
    free (watch);
}
