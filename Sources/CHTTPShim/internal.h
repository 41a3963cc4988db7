/* What the shim's files share. Nothing here is for Swift. */
#ifndef CHTTPSHIM_INTERNAL_H
#define CHTTPSHIM_INTERNAL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* accept4, EPOLLRDHUP, pthread_condattr_setclock */
#endif

#include "CHTTPShim.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

#if MHD_VERSION < 0x00097500
#error "libmicrohttpd 0.9.75 or later is needed"
#endif

/* Longest text Swift may write for a refusal. */
#define DESCRIPTION_SIZE 1024
/* "GET, HEAD, …" for every method a path has. */
#define ALLOW_SIZE 160

struct poller;
struct watch;
struct route_table;

struct http_server {
    struct http_callbacks callbacks;
    void *owner;
    struct http_limits limits;
    unsigned hard_connections; /* limits.connections and those that are only told that we are full */
    struct route_table *routes;
    struct loop *loops;
    unsigned loop_count;
    struct watch *watch;
    int listener;
    char id_prefix[9];
    atomic_uint_fast64_t begun;    /* exchanges ever made; also what numbers them */
    atomic_uint_fast64_t released; /* and freed */
    atomic_size_t connections;
    atomic_size_t running;
    atomic_bool started;
    atomic_bool draining;
    atomic_bool stopping;
    pthread_mutex_t lock; /* guards nothing but the wait on `quiet` */
    pthread_cond_t quiet; /* running became 0 while draining */
};

/* Where an exchange is. Only the thread that made the move acts on it. */
enum exchange_state {
    STATE_RECEIVING = 0, /* libmicrohttpd is still bringing it */
    STATE_DISPATCHED,    /* dispatch() is running on the event loop */
    STATE_PARKED,        /* suspended: only who moves it on from here may resume it */
    STATE_ANSWERED,      /* its reply waits for the event loop to queue it */
    STATE_SENDING,       /* queued */
    STATE_GONE,          /* the client left before the answer */
};

/* Who may answer. One compare-and-swap from CLAIM_FREE decides, whatever the state. */
enum exchange_claim {
    CLAIM_FREE = 0,
    CLAIM_HANDLER, /* Swift's answer */
    CLAIM_SHIM,    /* a hang-up, or the server's stop */
};

/* A piece of http_exchange.text; offset NO_SPAN: absent. 16 bits do: it comes out of a pool of 32 KiB at most. */
struct span {
    uint16_t offset;
    uint16_t length;
};
#define NO_SPAN UINT16_MAX

struct stream;

/* One allocation, text included: a parked poll must not cost more than it has to. */
struct http_exchange {
    atomic_uint references;
    atomic_uchar state;
    atomic_uchar claim;
    atomic_bool hung_up;
    atomic_bool streaming; /* its stream is queued: hang_up and abandon concern the stream from here on */
    struct http_server *server;
    struct loop *loop;
    struct http_exchange *next_resumed; /* in loop->resumed */
    struct http_exchange *next_parked;  /* in loop->parked */
    struct MHD_Connection *connection;
    struct MHD_Response *response; /* written by who won the claim, then read by the event loop */
    struct stream *stream;         /* likewise */
    void *waiter;
    char *body;
    size_t body_length;
    size_t body_capacity;
    uint64_t number;
    uint64_t started; /* microseconds */
    int descriptor;
    int32_t route;
    uint32_t repeated; /* a bit for each http_field */
    uint16_t status;
    bool entered;    /* its head was seen */
    bool lingers;    /* closes with bytes of the client unread: see watch_linger() */
    bool told_gone;  /* only touched by who owns the exchange's state */
    bool dispatched;
    bool is_head;
    char method[8];
    struct span path;
    struct span query;
    struct span fields[HTTP_FIELD_COUNT];
    struct span parameters[HTTP_MAX_PARAMETERS];
    uint32_t text_length;
    uint32_t text_capacity;
    char text[];
};

/* exchange.c */
struct http_exchange *exchange_create (struct loop *loop, const char *target);
struct http_exchange *exchange_reserve (struct http_exchange *exchange, size_t more);
void exchange_retain (struct http_exchange *exchange);
struct span exchange_append (struct http_exchange *exchange, const char *bytes, size_t length);
enum MHD_Result exchange_run (struct http_exchange *exchange);
enum MHD_Result exchange_queue (struct http_exchange *exchange);
void exchange_complete (struct http_exchange *exchange);

/* park.c */
enum MHD_Result exchange_park (struct http_exchange *exchange);
void exchange_watch (struct http_exchange *exchange);
void exchange_answered (struct http_exchange *exchange);
void exchange_hang_up (struct http_exchange *exchange);
void exchange_abandon (struct http_exchange *exchange);
void exchange_tell_gone (struct http_exchange *exchange);

/* request.c: what libmicrohttpd calls */
void *request_begin (void *loop, const char *target, struct MHD_Connection *connection);
enum MHD_Result request_continue (void *loop, struct MHD_Connection *connection, const char *url, const char *method,
                                  const char *version, const char *bytes, size_t *length, void **context);
void request_completed (void *loop, struct MHD_Connection *connection, void **context,
                        enum MHD_RequestTerminationCode code);

/* strictness.c */
struct head {
    bool chunked;
    bool has_body;
    uint64_t content_length;
    enum http_refusal refusal;
};
struct http_exchange *head_collect (struct http_exchange *exchange, const char *version, struct head *head);

/* body.c */
bool body_append (struct http_exchange *exchange, const char *bytes, size_t length);

/* routes.c */
struct route_match {
    int32_t route; /* -1: none */
    bool path_exists;
    char allow[ALLOW_SIZE];
};
struct route_table *routes_compile (const struct http_route *routes, size_t count);
void routes_free (struct route_table *table);
/* False where the path cannot be decoded. May append decoded text to the exchange. */
bool routes_find (const struct route_table *table, struct http_exchange *exchange, const char *method,
                  struct route_match *match);

/* refusal.c */
unsigned refusal_status (enum http_refusal reason);
bool refusal_closes (enum http_refusal reason);
enum MHD_Result refusal_queue (struct http_exchange *exchange, enum http_refusal reason, const char *allow);
struct MHD_Response *refusal_response (struct http_exchange *exchange, enum http_refusal reason, const char *allow);
void refusal_write (struct http_exchange *exchange, enum http_refusal reason);

/* reply.c */
void reply_finish (struct http_exchange *exchange, struct MHD_Response *response, bool close);

/* stream.c */
struct stream *stream_create (void);
void stream_free (struct stream *stream);
void stream_begin (struct http_exchange *exchange);
void stream_end (struct http_exchange *exchange);
void stream_hang_up (struct http_exchange *exchange);
void stream_abandon (struct http_exchange *exchange);
ssize_t stream_read (void *exchange, uint64_t position, char *buffer, size_t capacity);
void stream_release (void *exchange);

/* loop.c */
struct arrival;
struct loop {
    struct http_server *server;
    struct MHD_Daemon *daemon;
    pthread_t thread;
    bool started;
    atomic_bool ending;
    int wake;
    atomic_size_t connections;                /* handed over and not closed */
    atomic_size_t suspended;                  /* changed by the loop's thread alone */
    _Atomic (struct http_exchange *) resumed; /* the newest of those to resume */
    struct http_exchange *parked;             /* in this turn, and not watched yet */
    uint64_t dispatched;                      /* requests, ever */
    bool adding_surplus;                      /* of the connection being added: it is beyond the limit */
    pthread_mutex_t lock;                     /* of the arrivals */
    struct arrival *arrivals;
    size_t arrival_count;
    size_t arrival_capacity;
};
bool loop_init (struct loop *loop, struct http_server *server);
bool loop_start (struct loop *loop);
void loop_join (struct loop *loop);
void loop_destroy (struct loop *loop);
bool loop_hand_over (struct loop *loop, int descriptor, bool surplus);
bool loop_suspend (struct http_exchange *exchange);
void loop_watch_later (struct http_exchange *exchange);
void loop_resume (struct http_exchange *exchange);

/* poller_linux.c */
void name_thread (const char *name);
int wake_create (void);
void wake_signal (int descriptor);
void wake_clear (int descriptor);
struct poller *poller_create (void);
void poller_free (struct poller *poller);
bool poller_add_hang_up (struct poller *poller, int descriptor, uint64_t tag);
bool poller_add_readable (struct poller *poller, int descriptor, uint64_t tag);
void poller_remove (struct poller *poller, int descriptor);
size_t poller_wait (struct poller *poller, uint64_t *tags, size_t capacity, int milliseconds);
void poller_wake (struct poller *poller);

/* accept.c */
struct acceptor {
    int listener;
    uint64_t tag;
    bool armed; /* the poller has it; the watch thread's own */
    bool resting; /* it failed for want of descriptors or memory: not armed before the next tick */
    atomic_bool accepting;
};
bool accept_prepare (struct acceptor *acceptor, struct http_server *server, struct poller *poller);
void accept_batch (struct acceptor *acceptor, struct http_server *server, struct poller *poller);

/* linger.c */
#define MOST_LINGERERS 64
struct lingerer {
    int descriptor;
    uint64_t deadline;
    size_t budget;
};
struct lingerers {
    pthread_mutex_t lock;
    size_t count;
    struct lingerer of[MOST_LINGERERS];
};
bool linger_init (struct lingerers *lingerers);
void linger_destroy (struct lingerers *lingerers);
void linger_add (struct lingerers *lingerers, struct poller *poller, int descriptor, uint64_t tag);
bool linger_tend (struct lingerers *lingerers);

/* watch.c */
struct watch *watch_create (struct http_server *server, size_t descriptors);
bool watch_start (struct watch *watch, int listener);
void watch_stop_accepting (struct watch *watch);
void watch_wake (struct watch *watch);
void watch_join (struct watch *watch);
void watch_free (struct watch *watch);
bool watch_add (struct watch *watch, int descriptor, struct http_exchange *exchange);
void watch_remove (struct watch *watch, int descriptor, struct http_exchange *exchange);
void watch_each (struct watch *watch, void (*visit) (struct http_exchange *));
size_t watch_count (struct watch *watch);
void watch_linger (struct watch *watch, int descriptor);
void watch_limit_unsent (int descriptor);

/* server.c */
void server_accepted (struct http_server *server, int descriptor);
void server_connection_closed (struct http_server *server, struct loop *loop);
void server_finished_one (struct http_server *server);

/* listen.c */
enum http_start listen_open (const char *host, uint16_t port, int *listener, uint16_t *bound);

/* identity.c */
void identity_seed (char prefix[9]);
void identity_format (const struct http_server *server, uint64_t number, char id[HTTP_REQUEST_ID_SIZE]);

/* limits.c */
struct http_limits limits_resolve (const struct http_limits *limits, unsigned *hard_connections);

/* clock.c */
uint64_t clock_microseconds (void);

#endif
