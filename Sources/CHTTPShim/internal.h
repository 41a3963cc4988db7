/* Declarations for the files of the shim. Calls go one way:
 *   server → listen → loop → connection → strict, answer; and deadlines → connection. */
#ifndef CHTTPSHIM_INTERNAL_H
#define CHTTPSHIM_INTERNAL_H

#define _GNU_SOURCE /* accept4(), EPOLLEXCLUSIVE, pthread_setname_np(), strcasestr(), strverscmp() */
#include "CHTTPShim.h"

#include <errno.h>
#include <linux/tcp.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* The object of an event in a loop's epoll set: the first member of each watched object. */
enum watched { WATCHED_LISTENER, WATCHED_WAKE, WATCHED_SHARD, WATCHED_CONNECTION };

/* One daemon of libmicrohttpd. A resume scans all suspended connections of its daemon, so daemons are small. */
struct shard {
    enum watched watched;
    bool is_due; /* the next turn must run it */
    unsigned connections;
    struct MHD_Daemon *daemon;
    struct shard *next;
};

enum phase {
    PHASE_IDLE,      /* between requests; a head may be arriving */
    PHASE_READING,   /* the head was read, the body arrives */
    PHASE_PARKED,    /* waits for its answer */
    PHASE_ANSWERING, /* the answer is being sent */
    PHASE_STREAMING, /* the stream is being sent, or waits for pieces */
};

/* Only the thread of its loop touches it. */
struct connection {
    enum watched watched;
    enum phase phase;
    int descriptor;
    bool is_suspended;
    bool is_half_closed; /* the client sends nothing more */
    bool is_lost;        /* nothing can be sent any more: the client is gone, it missed a deadline, or the server ends */
    unsigned refusal;    /* of its request, because the connection is beyond a bound; else 0 */
    struct loop *loop;
    struct shard *shard;
    struct MHD_Connection *handle;
    struct http_exchange *exchange;
    struct connection *previous, *next; /* in loop->connections */
    const char *uri;      /* where libmicrohttpd has the target of the request line, until zero pages are dropped */
    char *target;         /* a copy of it, before libmicrohttpd takes it apart */
    size_t target_length, target_capacity;
    uint64_t since;      /* of the phase, in milliseconds */
    uint64_t looked_at;  /* when the deadlines were last checked */
    uint64_t head_since; /* when a head was first seen to arrive, or 0 */
    uint64_t accounted;  /* bytes of all complete requests */
    uint64_t progress;   /* bytes received or acknowledged at the last check */
    unsigned char peer[HTTP_ADDRESS_SIZE];
};

struct http_exchange {
    atomic_uint references;
    struct http_request request;
    struct loop *loop;
    struct connection *connection; /* the loop's alone; NULL when the exchange is complete */
    void *context;                 /* the loop's alone */
    uint64_t began;                /* when the request was complete, in microseconds */

    bool waits_for_continue;
    uint64_t content_length, received; /* announced; arrived, also dropped bytes */
    size_t head_bytes, room;           /* `room` is left in the pool beside the head */
    char *body;
    size_t body_capacity;

    atomic_bool is_answered; /* the loop may read the next members */
    struct http_body *answer;
    unsigned status;
    bool closes;
    struct stream *stream;
    struct http_exchange *next; /* in loop->inbox */
    atomic_bool is_posted;      /* it is in the inbox */

    char *text, *text_end; /* room for texts, behind the fields */
    struct http_field fields[];
};

enum stage {
    STAGE_RUNNING,
    STAGE_FAREWELL, /* the loop accepts no connections; it has told parked exchanges */
    STAGE_END,      /* connections are cut, loops end */
};

struct loop {
    struct http_server *server;
    int epoll, wake;
    enum watched watched_listener, watched_wake;
    pthread_t thread;
    /* Only the thread of the loop uses these. */
    bool is_listening; /* the listener is in the epoll set */
    bool is_due;       /* a shard is */
    struct shard *shards;
    struct connection *connections, *adding;
    struct http_exchange *dispatching;
    uint64_t now, ticked; /* milliseconds */
    uint64_t progress;    /* grows with each step of a request; a turn without it is idle */
    unsigned idle_turns;
    /* Shared with other threads. */
    pthread_mutex_t lock; /* of the streams */
    _Atomic (struct http_exchange *) inbox;  /* answered, or with new pieces; newest first */
    atomic_size_t suspended_count;
    atomic_uint stage;             /* of the stop, as far as this loop has come */
    _Atomic uint64_t called_since; /* milliseconds; 0: no callback runs */
    _Atomic int32_t called_route;
};

struct route {
    char *method, *path;
};

struct http_server {
    struct http_callbacks callbacks;
    void *owner;
    struct http_limits limits;
    bool is_modern; /* One binary serves 0.9.75 and 1.0, which have one soname: the loaded library decides. */
    size_t pool;    /* bytes of a connection's memory pool */
    struct route *routes;
    size_t route_count;
    int32_t rest; /* the route of each path without one, or -1 */
    atomic_uint *counts; /* connections by address: ADDRESS_SLOTS */
    struct loop *loops;
    atomic_uint loop_count; /* started loops */
    int listener;
    char id_prefix[HTTP_REQUEST_ID_SIZE];
    atomic_bool is_started, is_draining;
    atomic_uint stage;
    atomic_size_t connections, running;
    _Atomic uint64_t begun, malformed;
};

/* Connections are counted by a hash of their address. Two addresses in one slot share the limit. */
#define ADDRESS_SLOTS (1u << 16)

/* server.c */
void server_find_route (const struct http_server *server, struct http_request *request);
uint64_t clock_microseconds (void);
void *allocate (void *old, size_t length);

/* listen.c */
int listen_open (struct http_server *server, const char *host, uint16_t port, uint16_t *bound);
bool listen_accept (struct loop *loop);
void listen_forget (struct http_server *server, const struct connection *connection);

/* loop.c */
bool loop_start (struct loop *loop, struct http_server *server);
void loop_stop (struct loop *loop);
void loop_destroy (struct loop *loop);
void loop_wake (struct loop *loop);
void loop_post (struct http_exchange *exchange);
void loop_mark (struct loop *loop, struct shard *shard);
struct shard *loop_shard (struct loop *loop, unsigned most);

/* connection.c */
struct MHD_Daemon *connection_daemon (struct loop *loop);
void connection_add (struct loop *loop, struct connection *connection);
void connection_enter (struct connection *connection, enum phase phase);
void connection_suspend (struct connection *connection);
void connection_resume (struct connection *connection);
struct tcp_info connection_tcp (const struct connection *connection);
uint64_t connection_bytes_read (const struct connection *connection);
void connection_drop_zero_pages (struct connection *connection);
void connection_tell (struct connection *connection, enum http_departure departure);

/* strict.c */
struct http_exchange *strict_read (struct connection *connection, const char *url, const char *method, const char *version);
void strict_write_number (uint64_t number, int digits, char *text);
bool strict_is_token (const char *bytes, size_t length);
bool strict_is_value (const char *bytes, size_t length);

/* answer.c */
void exchange_retain (struct http_exchange *exchange);
enum MHD_Result answer_queue (struct connection *connection);
void answer_drop (struct http_exchange *exchange);

/* deadlines.c */
void deadlines_hang_up (struct connection *connection, uint32_t events);
void deadlines_check (struct loop *loop);
void deadlines_cut (struct connection *connection);

#endif
