/* The shim's own thread: it notices hang-ups, which libmicrohttpd does not while a connection is suspended; it accepts
 * (accept.c), and it reads off what clients still send after a refusal (linger.c). */
#include "internal.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>

#define STRIPES 16
#define EVENTS 64
/* While something waits for time to pass, or for room. */
#define TICK_MILLISECONDS 100
/* Unsent bytes the kernel takes of one stream before it says that the socket is full. */
#define UNSENT_BYTES 16384

/* What an event is about: a watched descriptor with its entry's generation, or one of these. */
#define GENERATION_MASK 0x3fffffffu
#define LISTENER_TAG (UINT64_C (1) << 62)
#define LINGERING_TAG (UINT64_C (2) << 62)

struct entry {
    struct http_exchange *exchange;
    uint32_t generation; /* an event of an earlier watch of the same descriptor is recognised by it */
};

struct watch {
    struct http_server *server;
    struct poller *poller;
    struct acceptor acceptor;
    struct lingerers lingerers;
    bool started;
    pthread_t thread;
    atomic_bool ending;
    atomic_size_t count;
    pthread_mutex_t stripes[STRIPES]; /* of the entries, by descriptor */
    size_t descriptors;
    struct entry entries[];
};

static pthread_mutex_t *stripe (struct watch *watch, int descriptor)
{
    return &watch->stripes[descriptor % STRIPES];
}

/* False where it cannot be watched. The exchange stays its owner's, who removes it before it goes. */
bool watch_add (struct watch *watch, int descriptor, struct http_exchange *exchange)
{
    if (descriptor < 0 || (size_t) descriptor >= watch->descriptors)
        return false;
    struct entry *const entry = &watch->entries[descriptor];
    (void) pthread_mutex_lock (stripe (watch, descriptor));
    entry->generation = (entry->generation + 1) & GENERATION_MASK;
    entry->exchange = exchange;
    const uint64_t tag = (uint64_t) entry->generation << 32 | (uint32_t) descriptor;
    const bool added = poller_add_hang_up (watch->poller, descriptor, tag);
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
    poller_remove (watch->poller, descriptor);
    atomic_fetch_sub_explicit (&watch->count, 1, memory_order_relaxed);
}

/* Does nothing where it is not watched for this exchange any more. */
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
    if (NULL != entry->exchange && generation == entry->generation) {
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
    struct http_exchange *const exchange = take (watch, (int) (uint32_t) tag, (uint32_t) (tag >> 32));
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

void watch_linger (struct watch *watch, int descriptor)
{
    linger_add (&watch->lingerers, watch->poller, descriptor, LINGERING_TAG);
}

static void *run (void *context)
{
    struct watch *const watch = context;
    uint64_t tags[EVENTS];
    bool lingering = false;
    name_thread ("http-watch");
    while (!atomic_load (&watch->ending)) {
        const bool wants_room = accept_prepare (&watch->acceptor, watch->server, watch->poller);
        const size_t count
            = poller_wait (watch->poller, tags, EVENTS, lingering || wants_room ? TICK_MILLISECONDS : -1);
        for (size_t i = 0; i < count; i++) {
            if (LISTENER_TAG == tags[i])
                accept_batch (&watch->acceptor, watch->server, watch->poller);
            else if (LINGERING_TAG != tags[i])
                hung_up (watch, tags[i]);
        }
        lingering = linger_tend (&watch->lingerers);
    }
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
    watch->poller = poller_create ();
    bool made = linger_init (&watch->lingerers) && NULL != watch->poller;
    for (size_t i = 0; i < STRIPES; i++)
        made = 0 == pthread_mutex_init (&watch->stripes[i], NULL) && made;
    if (!made) {
        watch_free (watch);
        return NULL;
    }
    return watch;
}

bool watch_start (struct watch *watch, int listener)
{
    watch->acceptor.listener = listener;
    watch->acceptor.tag = LISTENER_TAG;
    atomic_store (&watch->acceptor.accepting, true);
    watch->started = 0 == pthread_create (&watch->thread, NULL, &run, watch);
    return watch->started;
}

/* Something it looks at before it waits has changed. */
void watch_wake (struct watch *watch)
{
    poller_wake (watch->poller);
}

void watch_stop_accepting (struct watch *watch)
{
    atomic_store (&watch->acceptor.accepting, false);
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
    linger_destroy (&watch->lingerers);
    for (size_t i = 0; i < STRIPES; i++)
        (void) pthread_mutex_destroy (&watch->stripes[i]);
    poller_free (watch->poller);
    free (watch);
}
