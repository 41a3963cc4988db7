/* What the shim's files share. Nothing here is for Swift.
 *
 * Calls go one way:
 *
 *   server ──▶ listen ──▶ loop ──▶ daemon ──────────────────▶ exchange ──▶ stream
 *                 │         └────▶ deadlines ──▶ message ──▶     │  └────▶ refusal
 *                 │                  gate ─────▶                 │            ▲
 *                 ├──▶ hold ◀────────────────────────────────────┤            │
 *                 └──▶ surplus ──────────────────────────────────┼────────────┘
 *                                                                ▼
 *     connection, linger, receipt, request, reply, routes, inbox, addresses, clock; and the readers (readers.h)
 *
 * What must go back up goes through libmicrohttpd, which calls the functions that daemon.c gives it, and recv(), send() and
 * sendmsg() in gate.c; through the inbox, where other threads leave exchanges for their loop; through the callbacks of
 * CHTTPShim.h; and through what all ask of the server, which calls none of them: server_has_place(), server_spares() and
 * server_notify().
 *
 * A connection (connection.c), touched by its loop's thread alone:
 *
 *                         first byte of a head            the whole message, or a refusal
 *   accepted ──▶ IDLE ─────────────────────────▶ READING ──────────────────────────────▶ SERVING ◀─┐
 *                 │ ▲                              │ FIN: closed                            │         │ parked: suspended,
 *                 │ │                              │ too slow: refused                      │         │ until an answer
 *                 │ │ sent, and kept open          ▼                                        ▼         │ or a hang-up
 *   idle too long,│ └──────────────────────────── ANSWERING ◀────────────────────────── answered ─────┘
 *   or FIN        ▼                                │ read too slowly: cut off               │ with a stream
 *               closed ◀───────────────────────────┴───────────── over, or hung up ── STREAMING
 */
#ifndef CHTTPSHIM_INTERNAL_H
#define CHTTPSHIM_INTERNAL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* accept4, EPOLLRDHUP, pthread_condattr_setclock, RTLD_NEXT */
#endif

#include "CHTTPShim.h"
#include "readers.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#if MHD_VERSION < 0x00097500
#error "libmicrohttpd 0.9.75 or later is needed"
#endif

/* --------------------------------------------------------------- request.c */

/* What is kept of a message. Each span is a place in the text. */
struct request {
    struct body body;
    char method[8];
    struct span path;
    struct span query;
    struct span fields[HTTP_FIELD_COUNT];
    struct span parameters[HTTP_MAX_PARAMETERS]; /* set by routes_find() */
    uint32_t repeated;
    uint8_t minor;
    bool is_head;
    uint32_t text_length;
    uint32_t text_capacity;
    char text[];
};
size_t request_text_size (const char *bytes, const struct head *head);
void request_init (struct request *request, size_t capacity);
void request_keep (struct request *request, const char *bytes, const struct head *head);
void request_keep_method (struct request *request, const char *method, size_t length);
bool request_is_read_only (const struct request *request);
struct span request_append (struct request *request, const char *bytes, size_t length);
static inline struct http_text request_text (const struct request *request, struct span span)
{
    if (NO_SPAN == span.offset)
        return (struct http_text){ NULL, 0 };
    return (struct http_text){ request->text + span.offset, span.length };
}

/* ----------------------------------------------------------------- inbox.c */

/* Where other threads leave exchanges for a loop. */
struct inbox {
    _Atomic (struct http_exchange *) newest;
    atomic_bool sleeping; /* its loop waits, or is about to: a wake-up is needed */
    int wake;             /* an eventfd */
};
bool inbox_init (struct inbox *inbox);
void inbox_destroy (struct inbox *inbox);
void inbox_put (struct inbox *inbox, struct http_exchange *exchange);
struct http_exchange *inbox_take_all (struct inbox *inbox);
bool inbox_will_sleep (struct inbox *inbox);
void inbox_woke (struct inbox *inbox);
int wake_create (void);
void wake_signal (int descriptor);
void wake_clear (int descriptor);

/* -------------------------------------------------------------- exchange.c */

/* Where an exchange is. Only the thread that made the move acts on it. */
enum exchange_state {
    STATE_RECEIVING = 0, /* the gate or libmicrohttpd is still bringing it */
    STATE_DISPATCHED,    /* dispatch() is running on the event loop */
    STATE_PARKED,        /* suspended: only who moves it on from here may have it resumed */
    STATE_ANSWERED,      /* its reply waits for the event loop to queue it */
    STATE_SENDING,       /* queued */
    STATE_STREAMING,     /* suspended to its end, while the shim writes to the socket itself */
    STATE_GONE,          /* the client left before the answer */
};

/* Who may answer. One compare-and-swap from CLAIM_FREE decides, whatever the state. */
enum exchange_claim {
    CLAIM_FREE = 0,
    CLAIM_HANDLER, /* Swift's answer */
    CLAIM_SHIM,    /* a hang-up, or the server's stop */
};

struct loop;
struct stream;

/* One allocation, text included: a parked poll must not cost more than it has to. */
struct http_exchange {
    atomic_uint references;
    atomic_uchar state;
    atomic_uchar claim;
    atomic_bool in_inbox;
    bool complete;   /* the message is there: the gate may hand it on */
    bool handed;     /* and has */
    bool dispatched; /* its handler was called, and may have begun something */
    bool told_half_closed;
    bool told_gone;
    bool refused;    /* answered by the shim */
    bool closes;     /* its connection ends with it */
    bool streams;    /* its answer is the stream: written by who won the claim */
    bool closes_after; /* its answer is the connection's last: likewise */
    uint8_t ending;  /* an enum http_ending, once it is over */
    uint8_t refusal; /* an enum http_refusal: found while it was read, or answered */
    uint16_t status;
    int32_t route;
    struct http_server *server;
    struct connection *connection; /* while it is not completed; for the loop's thread */
    struct inbox *inbox;           /* its loop's */
    struct http_exchange *next_in_inbox;
    struct http_reply *reply; /* written by who won the claim, then read by the event loop */
    struct http_body *shared; /* likewise, where the event loop is to make the reply of it */
    _Atomic (struct stream *) stream; /* made with a stream's reply */
    void *waiter;
    uint64_t number;
    uint64_t started; /* microseconds */
    uint64_t ended;   /* likewise, once it is over */
    uint64_t sent;    /* bytes of its answer, once it is over */
    struct http_exchange *next_over;
    _Atomic uint64_t session; /* a name for the log, or 0 */
    unsigned char peer[HTTP_ADDRESS_SIZE];
    struct request request; /* the last: its text follows */
};

struct http_exchange *exchange_create (struct connection *connection, const char *bytes, const struct head *head);
struct http_exchange *exchange_create_headless (struct connection *connection, const char *bytes, size_t available);
bool exchange_has_route (struct http_exchange *exchange);
void exchange_refuse (struct http_exchange *exchange, enum http_refusal reason);
static inline void exchange_retain (struct http_exchange *exchange)
{
    atomic_fetch_add_explicit (&exchange->references, 1, memory_order_relaxed);
}
enum MHD_Result exchange_continue (struct http_exchange *exchange);
void exchange_take_out (struct http_exchange *exchange);
void exchange_half_close (struct http_exchange *exchange);
void exchange_hang_up (struct http_exchange *exchange);
void exchange_abandon (struct http_exchange *exchange);
bool exchange_was_sent (const struct http_exchange *exchange);
void exchange_complete (struct http_exchange *exchange, enum http_ending ending, uint64_t bytes);
void exchange_conclude_all (struct loop *loop);

/* --------------------------------------------------------------- receipt.c */

/* What a client has acknowledged of what was handed to the kernel for it. */
struct receipt {
    uint64_t acknowledged;  /* bytes, at the last look */
    uint64_t stalled_since; /* since when it has acknowledged no more of what was sent; 0: all of it is acknowledged */
    bool is_ours;           /* it is slow, but takes some: the kernel's timeout is off */
};
void receipt_look (struct receipt *receipt, int descriptor, uint64_t handed, uint64_t now);
void receipt_pardon (struct receipt *receipt, uint64_t missed, uint64_t now);
bool receipt_is_stalled (const struct receipt *receipt, uint64_t now, uint64_t microseconds);
bool receipt_is_complete (int descriptor);
bool receipt_is_pending (int descriptor);

/* How long a client may take nothing of what it was sent, in times of grace: before it is ended here (deadlines.c,
 * linger.c), which tells the log why, and before the kernel ends it, where that did not happen. */
#define GRACES_OF_STALL 5
#define GRACES_OF_KERNEL 6

/* ------------------------------------------------------------ connection.c */

/* What an event of the loop's epoll set is about: the first member of what its data points to. */
enum watched {
    WATCHED_DAEMON = 0,
    WATCHED_INBOX,
    WATCHED_CONNECTION,
    WATCHED_LINGERER,
};

enum phase {
    PHASE_IDLE = 0,
    PHASE_READING,
    PHASE_SERVING,
    PHASE_ANSWERING,
    PHASE_STREAMING,
};

struct link {
    struct link *previous;
    struct link *next;
};
void link_clear (struct link *link);

struct connection {
    enum watched watched;
    uint8_t phase;
    bool closing;         /* the gate says that nothing more comes */
    bool ended;           /* the client has sent FIN */
    bool is_urged;        /* or urgent data, which libmicrohttpd takes for an error */
    bool owed;            /* libmicrohttpd was not told of all that came: it has to ask again after the exchange */
    bool lingers;         /* closes with bytes of the client unread */
    bool reads_off;       /* closes behind an answer: what its client still sends must not reset it */
    bool cut;             /* too slow in reading */
    bool running;         /* counted as such */
    bool suspended;
    bool was_suspended;   /* in this exchange */
    bool writable_wanted; /* its stream waits for the socket */
    bool is_paced;        /* how fast its client takes the answer was looked at */
    bool has_asked;       /* and was answered */
    bool skipped_line;    /* the empty line before a request line that RFC 9112, section 2.2, allows */
    int descriptor;
    struct loop *loop;
    struct MHD_Connection *handle;
    struct http_exchange *exchange; /* being read, served or answered */
    char *held;                     /* read from the kernel and not used yet */
    uint32_t held_length;
    uint32_t head_seen;     /* of the held bytes, looked through for the head's end */
    struct link among_all;  /* of the loop */
    struct link among_some; /* those that libmicrohttpd is to look at again */
    uint64_t since;         /* when the phase began or its pace was looked at last, microseconds */
    uint64_t handed;        /* bytes of all exchanges handed to the kernel */
    struct receipt receipt; /* of them */
    uint64_t sent;          /* bytes of this exchange handed to the kernel */
    uint64_t moved_before;  /* of the body or the answer, when the phase began or was looked at last */
    uint64_t acknowledged_before; /* of what was handed, what its client had taken then, once its pace was looked at */
    unsigned char peer[HTTP_ADDRESS_SIZE];
};

extern _Thread_local struct loop *current_loop;
struct connection *connection_open (struct loop *loop, int descriptor, const unsigned char *peer);
void connection_begin (struct connection *connection, struct MHD_Connection *handle);
void connection_close (struct connection *connection);
void connection_uncount (struct loop *loop, const unsigned char *peer);
struct connection *connection_of (int descriptor);
struct connection *connection_among_all (struct link *link);
void connection_enter (struct connection *connection, enum phase phase);
void connection_begin_message (struct connection *connection);
void connection_end_message (struct connection *connection);
void connection_end_exchange (struct connection *connection);
void connection_suspend (struct connection *connection);
void connection_resume (struct connection *connection);
void connection_look_again (struct connection *connection);
void connection_show_to_library (struct loop *loop);
ssize_t connection_send (struct connection *connection, struct iovec *pieces, int count);
ssize_t connection_send_file (struct connection *connection, int file, off_t offset, size_t length);
ssize_t socket_send (int descriptor, const struct msghdr *message, int flags);
bool connection_want_writable (struct connection *connection, bool wanted);
void connection_give_up (struct connection *connection);
void connection_cut (struct connection *connection);

/* ---------------------------------------------------------------- linger.c */

/* A socket that is closed for us, whose last bytes are read off and taken. */
#define MOST_LINGERERS 256
struct lingerer {
    enum watched watched;
    bool used;
    int descriptor;
    uint64_t deadline;
    uint64_t since;
    size_t budget;
    uint64_t handed; /* FIN included, as the kernel counts it */
    struct receipt receipt;
};
void linger_take (const struct connection *connection);
void linger_read (struct loop *loop, struct lingerer *lingerer);
bool linger_is_acknowledged (const struct loop *loop);
void linger_tick (struct loop *loop, uint64_t missed);
void linger_stop (struct loop *loop);

/* ------------------------------------------------------------- deadlines.c */

bool deadlines_are_set (const struct loop *loop);
void deadlines_look (struct loop *loop, uint64_t missed);
void deadlines_stop (struct loop *loop);
size_t deadlines_throw_out (struct loop *loop, uint64_t since);
bool deadlines_make_room (struct loop *loop, bool has_asked);

/* ---------------------------------------------------------------- daemon.c */

bool daemon_start (struct loop *loop);
void daemon_stop (struct loop *loop);
void daemon_add (struct loop *loop, int descriptor, const unsigned char *peer);

/* --------------------------------------------------------------- message.c */

size_t message_read (struct connection *connection, const char *bytes, size_t available);
bool message_is_complete (const struct connection *connection);
void message_refuse (struct connection *connection, enum http_refusal reason, const char *bytes, size_t available);

/* ------------------------------------------------------------------ gate.c */

bool gate_is_in_place (void);

/* ---------------------------------------------------------------- stream.c */

void stream_free (struct stream *stream);
void stream_flush (struct http_exchange *exchange);
void stream_half_close (struct http_exchange *exchange);
void stream_abandon (struct http_exchange *exchange);
bool stream_was_sent (const struct http_exchange *exchange);
struct MHD_Response *stream_response (struct http_exchange *exchange);
void stream_end (struct http_exchange *exchange);

/* ----------------------------------------------------------------- reply.c */

/* The chunk line, the bytes and a line end in one piece, so that a chunk is sent in one piece too; then the fields. */
struct http_body {
    atomic_uint references;
    uint32_t prefix; /* bytes of the chunk line */
    size_t length;   /* of the bytes */
    size_t fields;   /* bytes of the fields */
    char text[];
};
void body_retain (struct http_body *body);

/* How its reader knows where an answer's body ends. */
enum framing {
    FRAMED_BY_LENGTH = 0,
    FRAMED_BY_CHUNKS,
    FRAMED_BY_CLOSE,
};
/* One whose body is somebody else's to send. */
struct http_reply *reply_create_unframed (enum framing framing);

/* What goes around an answer's fields. */
struct reply_frame {
    unsigned status;
    const char *date;
    const char *id;
    const char *connection; /* the field's value; NULL: there is none */
    bool is_head;           /* no body is sent */
};
void reply_finish (struct http_reply *reply, const struct reply_frame *frame);
int reply_rest (const struct http_reply *reply, struct iovec pieces[2]);
size_t reply_file_rest (const struct http_reply *reply, int *file, off_t *offset);
bool reply_was_sent (const struct http_reply *reply);
void reply_advance (struct http_reply *reply, size_t count);

/* --------------------------------------------------------------- refusal.c */

unsigned refusal_status (enum http_refusal reason);
struct http_reply *refusal_reply (struct http_exchange *exchange, enum http_refusal reason, const char *allow);
struct http_reply *refusal_reply_unasked (struct http_server *server, enum http_refusal reason, const char *id);

/* ---------------------------------------------------------------- routes.c */

/* "GET, HEAD, …" for every method a path has. */
#define ALLOW_SIZE 160
struct route_match {
    int32_t route; /* -1: none */
    bool path_exists;
    char allow[ALLOW_SIZE];
};
struct route_table;
/* NULL where there is no memory, or where a template is not as http_server_create() wants it, which `malformed` says. */
struct route_table *routes_compile (const struct http_route *routes, size_t count, bool *malformed);
void routes_free (struct route_table *table);
/* False where the path cannot be decoded. Sets the request's parameters, whose decoded text it appends. */
bool routes_find (const struct route_table *table, struct request *request, struct route_match *match);

/* ------------------------------------------------------------- addresses.c */

/* How many connections each address has. */
struct addresses;
struct addresses *addresses_create (const struct http_limits *limits);
void addresses_free (struct addresses *addresses);
bool addresses_is_local (const struct addresses *addresses, const unsigned char address[HTTP_ADDRESS_SIZE]);
bool addresses_add (struct addresses *addresses, const unsigned char address[HTTP_ADDRESS_SIZE]);
void addresses_remove (struct addresses *addresses, const unsigned char address[HTTP_ADDRESS_SIZE]);

/* ----------------------------------------------------------------- clock.c */

#define DATE_LENGTH 29
uint64_t clock_microseconds (void);
uint64_t clock_later (uint64_t time, uint64_t by, uint64_t now);
const char *clock_date (void);
void identity_seed (char prefix[9]);
void identity_format (const struct http_server *server, uint64_t number, char id[HTTP_REQUEST_ID_SIZE]);

/* ------------------------------------------------------------------ loop.c */

/* Read from the kernel in one piece, and with what was held of a head before it. */
#define PIECE_SIZE (16u * 1024u)
#define SCRATCH_SIZE (LARGEST_HEAD + PIECE_SIZE)

struct arrival {
    int descriptor;
    unsigned char peer[HTTP_ADDRESS_SIZE];
};

struct loop {
    struct http_server *server;
    struct MHD_Daemon *daemon;
    struct MHD_Response *answer; /* what libmicrohttpd takes for each: empty; and the one that ends its connection */
    struct MHD_Response *last_answer;
    pthread_t thread;
    bool started;
    atomic_bool ending;
    _Atomic clockid_t clock; /* the time that its thread has had on processors; 0 before it began */
    enum watched watched_daemon;
    enum watched watched_inbox;
    int epoll; /* libmicrohttpd's set, the inbox, hang-ups, streams, lingerers */
    struct inbox inbox;
    uint64_t now;      /* when this turn began, microseconds */
    uint64_t progress; /* grows with whatever is done; what does not make it grow is no progress */
    uint64_t last_tick;
    atomic_uint_fast64_t called_since; /* the turn of the call into Swift that runs, microseconds; 0 where none does */
    atomic_int_fast32_t called_route;  /* of that call */
    uint64_t told_since;               /* the listener's: the call that it told of, and that has not ended; or 0 */
    int32_t told_route;                /* likewise: what it called */
    bool abandoned;    /* all that was parked, because the server stops */
    atomic_bool wanted[2]; /* a newcomer needs the place of a silent connection, or of an idle one that has asked before */
    size_t open;       /* connections */
    uint64_t looked_at; /* progress at the last look at the deadlines */
    bool is_unacknowledged; /* some client had not taken all of its answers then */
    atomic_size_t connections; /* handed over and not closed */
    atomic_size_t suspended;   /* changed by the loop's thread alone */
    atomic_size_t lingering;   /* likewise */
    struct link all;           /* connections */
    struct link look_again;
    struct connection *adding; /* on its way through MHD_add_connection() */
    struct http_exchange *over; /* exchanges that are, the oldest first; and the latest */
    struct http_exchange *latest_over;
    struct lingerer lingerers[MOST_LINGERERS];
    pthread_mutex_t lock; /* of the arrivals */
    struct arrival *arrivals;
    size_t arrival_count;
    size_t arrival_capacity;
    char scratch[SCRATCH_SIZE];
};
bool loop_init (struct loop *loop, struct http_server *server);
bool loop_start (struct loop *loop);
void loop_end (struct loop *loop);
void loop_join (struct loop *loop);
void loop_destroy (struct loop *loop);
bool loop_hand_over (struct loop *loop, int descriptor, const unsigned char *peer);
void loop_wake (struct loop *loop);
void loop_want_room (struct http_server *server, bool for_local);

/* --------------------------------------------------------------- surplus.c */

/* Refused for want of a place, and not closed yet. */
struct refused_connection {
    int descriptor; /* -1: free */
    uint64_t until;
};
#define MOST_SURPLUS 64
struct surplus {
    struct http_server *server;
    int epoll; /* the listener's */
    size_t most; /* at a time */
    size_t next;
    struct refused_connection refused[MOST_SURPLUS];
};
void surplus_init (struct surplus *surplus, struct http_server *server, int epoll);
void surplus_refuse (struct surplus *surplus, int descriptor, const unsigned char *peer, enum http_refusal reason);
void surplus_read (struct refused_connection *refused);
size_t surplus_tick (struct surplus *surplus);
void surplus_close (struct surplus *surplus);

/* ------------------------------------------------------------------ hold.c */

/* What the listener remembers of its last look. */
struct hold_watch {
    uint64_t begun; /* exchanges, as the server counted them */
    uint64_t last;  /* microseconds */
};
void hold_begin (struct loop *loop, int32_t route);
void hold_end (struct loop *loop);
bool hold_is_on (const struct loop *loop, uint64_t now);
int hold_look (struct hold_watch *watch, struct http_server *server);

/* ---------------------------------------------------------------- listen.c */

struct listener;
void listener_wake (struct listener *listener);
/* Where to listen: on a socket that listens already, or, where that is -1, at an address. */
struct place {
    const char *host;
    uint16_t port;
    int inherited;
};
enum http_start listener_create (struct http_server *server, const struct place *place, uint16_t *bound,
                                 struct listener **listener);
bool listener_start (struct listener *listener);
void listener_close (struct listener *listener);
void listener_free (struct listener *listener);

/* ---------------------------------------------------------------- server.c */

/* Beyond the limit of connections. */
#define PLACES_FOR_LOOPBACK 8u

struct http_server {
    struct http_callbacks callbacks;
    void *owner;
    struct http_limits limits;
    struct route_table *routes;
    struct addresses *addresses;
    struct loop *loops;
    unsigned loop_count;
    struct listener *listener;
    _Atomic (struct connection *) *by_descriptor; /* an entry for each descriptor there may be */
    size_t descriptors;
    char id_prefix[9];
    atomic_uint_fast64_t begun;    /* exchanges ever made; also what numbers them */
    atomic_uint_fast64_t released; /* and freed */
    atomic_size_t connections;
    atomic_size_t local_connections; /* of these, from this machine */
    atomic_size_t running;
    atomic_bool started;
    atomic_bool draining;
    atomic_bool leaving; /* newcomers to a socket that was handed over, to who serves it next */
    uint64_t acknowledge_until; /* set before the loops are told to end, microseconds */
    atomic_bool stopping;
    atomic_bool watched;              /* the listener looks for loops that are held */
    atomic_bool makes_room;           /* an idle connection is looked for, or closes */
    atomic_bool makes_room_for_local; /* for a newcomer from this machine */
    pthread_mutex_t lock;   /* guards nothing but the wait on `quiet` */
    pthread_cond_t quiet;   /* running became 0 while draining */
};
bool server_has_place (struct http_server *server, bool is_local);
bool server_spares (struct http_server *server, bool is_local);
void server_notify (const struct http_server *server, const struct http_notice *notice);
void server_notify_loss (const struct http_server *server, const unsigned char *peer);

#endif
