/* CHTTPShim: an HTTP/1.1 server for Swift, over libmicrohttpd.
 *
 * It reads each request strictly, finds the route, calls Swift once with the whole request and takes the answer in that
 * call or later from any thread. It knows nothing of sessions or JSON: the text of its refusals is written by Swift too.
 *
 * libmicrohttpd never sees a byte that a client chose: the gate (gate.c) stands in its recv(), reads heads and bodies by
 * the rules of RFC 9112, and hands on a canonical head for each sound request. What is not sound is answered here, as
 * application/problem+json. Nor does a client see a byte of libmicrohttpd's: the gate sends each answer as it was made here.
 *
 * Threads: every function may be called from any thread unless it says otherwise. The shim has one thread for each event
 * loop (loop.c) and one that accepts (listen.c), and all of them block every signal.
 */
#ifndef CHTTPSHIM_H
#define CHTTPSHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A listening server. */
struct http_server;

/* One request and its answer. Counted: Swift's reference is the one dispatch() hands over, given back with
 * http_exchange_release(). What the http_exchange_… accessors return lives as long as the exchange. */
struct http_exchange;

/* An answer being put together: owned by the caller until http_exchange_answer() takes it. */
struct http_reply;

/* Bytes that any number of answers and streams share, and the fields of such an answer. Counted: given back with
 * http_body_release(). */
struct http_body;

/* Bytes that are not zero-terminated; `bytes` is NULL where there are none, as opposed to empty. */
struct http_text {
    const char *bytes;
    size_t length;
};

/* The longest request id, with its terminating zero. */
#define HTTP_REQUEST_ID_SIZE 32
/* An IPv6 address in network order, or an IPv4 address mapped into it (RFC 4291, section 2.5.5.2). */
#define HTTP_ADDRESS_SIZE 16

/* ------------------------------------------------------------------ limits */

/* Addresses whose first `bits` bits are these. */
struct http_network {
    unsigned char address[HTTP_ADDRESS_SIZE];
    unsigned bits;
};

/* Zero anywhere means: the default. */
struct http_limits {
    unsigned threads;                 /* event loops; default: one per core */
    unsigned connections;             /* served at a time; default: what RLIMIT_NOFILE allows, less a reserve */
    unsigned connections_per_address; /* of one IPv4 address or IPv6 /64; default a quarter of the connections.
                                       * Loopback and `trusted` are exempt */
    size_t header_bytes;     /* request line and fields; 431 beyond; 256 B to 32 KiB, default 8 KiB */
    size_t target_bytes;     /* of the request line's target; 414 beyond; default 2 KiB */
    size_t body_bytes;       /* of one request; 413 beyond; default 64 KiB */
    size_t unsent_bytes;     /* that the kernel keeps for one connection; default 64 KiB */
    uint64_t idle_milliseconds;  /* between two requests; default 30 s */
    uint64_t head_milliseconds;  /* from a head's first byte to its last; 408 beyond; default 10 s */
    uint64_t grace_milliseconds; /* before the minimum rate counts; a client that takes nothing of what it was sent is cut
                                  * off after five times as long, whatever its connection is doing; default 10 s */
    uint64_t held_milliseconds;  /* that a call may hold its loop before it is told of; default 1 s, at most an hour */
    size_t minimum_rate;         /* bytes a second, of bodies coming in and answers going out, by what the kernel takes
                                  * or the client's acknowledges, which may lie unread there; default 500 */
    const struct http_network *trusted; /* proxies: no bound per address. Copied */
    size_t trusted_count;
};

/* Raises the soft RLIMIT_NOFILE to the hard one and returns what it now is. */
size_t http_raise_descriptor_limit (void);

/* ------------------------------------------------------------------ routes */

/* A method and a path template of literal segments and whole-segment `{parameters}`, at most
 * HTTP_MAX_PARAMETERS of them. A GET serves HEAD as well. A GET of "/" and a star is for every path that no other has. */
struct http_route {
    const char *method;
    const char *path;
};
#define HTTP_MAX_PARAMETERS 8
#define HTTP_MAX_SEGMENTS 16

/* --------------------------------------------------------------- callbacks */

/* Why the shim refused a request by itself. All but the first two close the connection. */
enum http_refusal {
    HTTP_REFUSAL_NONE = 0,
    HTTP_REFUSAL_NOT_FOUND,          /* 404 */
    HTTP_REFUSAL_METHOD_NOT_ALLOWED, /* 405, with Allow */
    HTTP_REFUSAL_REQUEST_LINE,       /* 400: not METHOD SP target SP HTTP/1.x */
    HTTP_REFUSAL_TARGET,             /* 400: a target that is no RFC 3986 path and query, or wrongly encoded */
    HTTP_REFUSAL_FIELD,              /* 400: a field line that is not `name: value` */
    HTTP_REFUSAL_HOST,               /* 400: not one Host, or none that is a host */
    HTTP_REFUSAL_FRAMING,            /* 400: a body whose length could be read in two ways */
    HTTP_REFUSAL_CHUNK,              /* 400: a malformed chunk or trailer */
    HTTP_REFUSAL_SLOW,               /* 408 */
    HTTP_REFUSAL_BODY_TOO_LARGE,     /* 413 */
    HTTP_REFUSAL_TARGET_TOO_LONG,    /* 414 */
    HTTP_REFUSAL_EXPECTATION,        /* 417: an Expect other than 100-continue */
    HTTP_REFUSAL_ADDRESS_FULL,       /* 429: more connections of one address than the limit */
    HTTP_REFUSAL_HEADER_TOO_LARGE,   /* 431 */
    HTTP_REFUSAL_CODING,             /* 501: a Transfer-Encoding other than chunked */
    HTTP_REFUSAL_VERSION,            /* 505: neither HTTP/1.0 nor HTTP/1.1 */
    HTTP_REFUSAL_FULL,               /* 503: more connections than the limit */
    HTTP_REFUSAL_STOPPING,           /* 503: still arriving, or waiting to read, when the server stopped */
    HTTP_REFUSAL_CUT_OFF,            /* 503: handed out to change something, and not answered when the server stopped */
    HTTP_REFUSAL_COUNT,
};

/* A refusal, for Swift to put in words. The texts live for the call. */
struct http_refused {
    enum http_refusal reason;
    unsigned status;
    const char *request_id;
    const char *allow;     /* the Allow field of a 405, else NULL */
    struct http_text path; /* as sent; NULL where no head was read */
    uint64_t limit;        /* of 413, 414 and 431 in bytes, of 429 in connections; else 0 */
    const struct http_exchange *exchange; /* NULL where no head was read */
};

/* How an exchange ended. */
enum http_ending {
    HTTP_ENDING_SENT = 0,    /* the whole answer was handed to the kernel */
    HTTP_ENDING_REFUSED,     /* so was a refusal of the shim's own */
    HTTP_ENDING_CLIENT_GONE, /* the client left before that */
    HTTP_ENDING_TIMEOUT,     /* it was too slow in reading and was cut off */
    HTTP_ENDING_STOPPED,     /* the server stopped before that */
    HTTP_ENDING_LOST,        /* the server had not what it takes to send it */
};

/* What became of an exchange. The texts live for the call. */
struct http_outcome {
    int32_t route;         /* index into the routes, or -1 */
    const char *method;    /* as the client wrote it; empty where it was not read or has more than seven letters */
    bool is_head;          /* a GET's route serves it: the method is not the route's */
    unsigned status;       /* as answered; 499 where the client left first */
    enum http_ending ending;
    uint64_t bytes;        /* of the answer, its head included, that were handed to the kernel */
    uint64_t microseconds; /* from the request's complete head to the answer's last byte handed to the kernel */
    const char *request_id;
    const unsigned char *peer;            /* HTTP_ADDRESS_SIZE bytes: whoever is connected */
    const struct http_exchange *exchange; /* NULL where a connection was refused before it was read */
    enum http_refusal refusal;            /* why the shim refused it; NONE where it did not */
    uint64_t session;                     /* what http_exchange_set_session() was told, or 0 */
};

/* What an operator should know of. */
enum http_notice_kind {
    HTTP_NOTICE_CONNECTIONS = 0, /* a connection beyond the limit was refused */
    HTTP_NOTICE_ADDRESS,         /* a connection beyond its address's limit was refused */
    HTTP_NOTICE_ACCEPT,          /* none could be accepted; `error` says why */
    HTTP_NOTICE_SPIN,            /* a loop turned without progress and threw connections out */
    HTTP_NOTICE_HELD,            /* a call holds its loop: once for each time. `count` is the loop's number, from 1, and
                                  * `limit` how many loops there are */
    HTTP_NOTICE_FREE,            /* the call of which HELD told has returned */
    HTTP_NOTICE_LOSS,            /* a connection or a request was lost for want of memory or descriptors */
};

struct http_notice {
    enum http_notice_kind kind;
    const unsigned char *peer; /* HTTP_ADDRESS_SIZE bytes, or NULL */
    uint64_t limit;            /* the bound, or 0 */
    uint64_t count;            /* how many connections */
    int error;                 /* errno, or 0 */
    int32_t route;             /* of HELD and FREE: index into the routes */
    uint64_t microseconds;     /* of HELD and FREE: since the call began */
};

/* Called by the shim's threads. `owner` is what http_server_create() got, `waiter` what http_exchange_set_waiter() got. */
struct http_callbacks {
    /* A complete request for `route`. Called once per exchange, on an event loop's thread: what it does not answer
     * before it returns, the shim parks. The callee owns one reference. */
    void (*dispatch) (void *owner, struct http_exchange *exchange, uint32_t route);
    /* Writes the body of a refusal (application/problem+json) into `buffer` and returns its length, at most `capacity`. */
    size_t (*describe) (void *owner, const struct http_refused *refused, char *buffer, size_t capacity);
    /* Adds fields to a refusal of a request whose head was read; NULL where none are to be added. */
    void (*dress) (void *owner, const struct http_refused *refused, struct http_reply *refusal);
    /* The client of a parked exchange will send nothing more (FIN): perhaps it left, perhaps it still reads. At most once,
     * on the event loop. */
    void (*half_closed) (void *waiter);
    /* The client of a parked or streaming exchange has left, or its stream is over, or the server is stopping. At most
     * once per exchange, on the event loop. */
    void (*gone) (void *waiter);
    /* A stream takes the next event: its head was sent, or there is room again after one was not taken. On the event
     * loop. */
    void (*drained) (void *waiter);
    /* The exchange is over and its waiter is not used again. Only where one was set. */
    void (*completed) (void *waiter);
    /* What became of each request, after completed(); NULL where nobody wants to know, which saves the reckoning. */
    void (*record) (void *owner, const struct http_outcome *outcome);
    /* Something that an operator should know of; NULL where nobody wants to. Any of the shim's threads. */
    void (*notice) (void *owner, const struct http_notice *notice);
};

/* ------------------------------------------------------------------ server */

enum http_start {
    HTTP_START_OK = 0,
    HTTP_START_ADDRESS_IN_USE,
    HTTP_START_BAD_ADDRESS, /* neither an IPv4 nor an IPv6 literal nor "localhost", or not of this machine */
    HTTP_START_DENIED,      /* the port needs a privilege */
    HTTP_START_NO_LISTENER, /* what was handed over is no socket that listens on an IP address */
    HTTP_START_FAILED,      /* no memory, descriptors or threads */
    HTTP_START_NO_GATE,     /* libmicrohttpd would not read and write through the gate: this program is linked in another way */
    HTTP_START_BAD_ROUTES,  /* a template is malformed, has too many segments or parameters, or stands twice with the same method */
};

/* Compiles the routes. Returns NULL where there can be no server, and says in `failure` why: HTTP_START_BAD_ROUTES or
 * HTTP_START_FAILED. Everything is copied; `owner` must outlive http_server_destroy(). */
struct http_server *http_server_create (const struct http_route *routes, size_t count, const struct http_limits *limits,
                                        const struct http_callbacks *callbacks, void *owner, enum http_start *failure);

/* Listens; `port` 0 picks a free one. Once per server. */
enum http_start http_server_start (struct http_server *server, const char *host, uint16_t port, uint16_t *bound);

/* The same on a socket that listens already: what has connected to it and is not accepted when the server ends is left to who
 * else has the socket, as a service manager. Takes it over, and closes it whatever comes of it. */
enum http_start http_server_start_on (struct http_server *server, int descriptor, uint16_t *bound);

/* From here on every answer closes its connection. Requests are still dispatched, and clients still accepted. */
void http_server_begin_draining (struct http_server *server);

/* Leaves clients to who serves a socket next that was handed over: a tenth of a second later nothing more is accepted of it.
 * Who was accepted is served. Nothing changes where the server listens by itself. Any thread. */
void http_server_leave_clients (struct http_server *server);

/* Stops for good: waits up to `milliseconds` for the exchanges that run and the requests that arrive, stops accepting,
 * answers what is still parked or half here with 503 and tells its waiters, waits for those answers to leave, and stops
 * the event loops. Blocks; not from a callback. A dispatch() that never returns keeps it from returning. */
void http_server_stop (struct http_server *server, uint64_t milliseconds);

/* Frees a server that was stopped or never started, when no exchange of it is referenced any more. */
void http_server_destroy (struct http_server *server);

struct http_gauges {
    size_t connections; /* open */
    size_t running;     /* requests that arrive or are not answered to the end */
    size_t parked;      /* of these, suspended: waiting for an answer, or streaming */
    size_t lingering;   /* closed for us; read off, until the client has closed or taken its answers */
    size_t exchanges;   /* exchanges in memory */
    uint64_t begun;     /* exchanges there have ever been: no number is as large yet */
    bool draining;      /* http_server_begin_draining() was called */
};
struct http_gauges http_server_gauges (struct http_server *server);

/* What one event loop, counted from 0, is at: connections, the time that its thread has had on processors, and whether a call
 * into Swift holds it for longer than held_milliseconds. All zero for one that is not there or has ended. */
struct http_loop_gauges {
    size_t connections;
    uint64_t busy_microseconds;
    bool held;
    int32_t route; /* of the call that holds it; -1 where none does */
};
struct http_loop_gauges http_server_loop_gauges (struct http_server *server, unsigned number);

/* The limits as they are in force. */
struct http_limits http_server_limits (const struct http_server *server);

/* ---------------------------------------------------------------- requests */

/* The request fields the shim keeps; it drops the others. */
enum http_field {
    HTTP_FIELD_ACCEPT = 0,
    HTTP_FIELD_ACCEPT_LANGUAGE,
    HTTP_FIELD_ACCESS_CONTROL_REQUEST_METHOD,
    HTTP_FIELD_AUTHORIZATION,
    HTTP_FIELD_BINDERY_SESSION,
    HTTP_FIELD_CONTENT_ENCODING,
    HTTP_FIELD_CONTENT_TYPE,
    HTTP_FIELD_COOKIE,
    HTTP_FIELD_HOST,
    HTTP_FIELD_IDEMPOTENCY_KEY,
    HTTP_FIELD_IF_MATCH,
    HTTP_FIELD_IF_NONE_MATCH,
    HTTP_FIELD_LAST_EVENT_ID,
    HTTP_FIELD_ORIGIN,
    HTTP_FIELD_SEC_FETCH_SITE,
    HTTP_FIELD_TRACEPARENT,
    HTTP_FIELD_X_FORWARDED_FOR,
    HTTP_FIELD_X_FORWARDED_HOST,
    HTTP_FIELD_X_FORWARDED_PROTO,
    HTTP_FIELD_COUNT,
};

bool http_exchange_is_head (const struct http_exchange *exchange);
/* As sent: percent-encoded, without the query; of an absolute-form target the path alone. */
struct http_text http_exchange_path (const struct http_exchange *exchange);
/* As sent, without the question mark; NULL where there is none. */
struct http_text http_exchange_query (const struct http_exchange *exchange);
/* The percent-decoded value of the template's `index`-th parameter. */
struct http_text http_exchange_parameter (const struct http_exchange *exchange, size_t index);
/* The first field of that name, without the white space around it; of Accept, Accept-Language, If-Match, If-None-Match and
 * X-Forwarded-For, all of them as one list. */
struct http_text http_exchange_field (const struct http_exchange *exchange, enum http_field field);
/* Whether the field came more than once. */
bool http_exchange_field_is_repeated (const struct http_exchange *exchange, enum http_field field);
struct http_text http_exchange_body (const struct http_exchange *exchange);
/* The request's number on this server, from 0, in the order in which their heads were read. */
uint64_t http_exchange_number (const struct http_exchange *exchange);
/* Writes the request's id, zero-terminated. */
void http_exchange_id (const struct http_exchange *exchange, char id[HTTP_REQUEST_ID_SIZE]);
/* Whoever is connected, a client or the proxy before it: HTTP_ADDRESS_SIZE bytes. */
const unsigned char *http_exchange_peer (const struct http_exchange *exchange);

/* Says of whose session the exchange speaks, for record(). Any thread, before it is answered. */
void http_exchange_set_session (struct http_exchange *exchange, uint64_t session);

/* Names what half_closed(), gone(), drained() and completed() will be told. Only inside dispatch(), once. */
void http_exchange_set_waiter (struct http_exchange *exchange, void *waiter);

void http_exchange_release (struct http_exchange *exchange);

/* ----------------------------------------------------------------- answers */

/* Bytes to share; they are copied once, and so are the fields of an answer with them: name, value, name, value, each
 * ending with a zero, `fields_length` bytes in all. NULL without memory, or where http_reply_add_field() would not add
 * one. */
struct http_body *http_body_create (const void *bytes, size_t length, const char *fields, size_t fields_length);
void http_body_release (struct http_body *body);

/* An answer with these bytes as its body; they are copied. NULL only without memory. */
struct http_reply *http_reply_create (const void *bytes, size_t length);
/* An answer with a shared body, of which it takes a reference of its own, and its fields. NULL only without memory. */
struct http_reply *http_reply_create_shared (struct http_body *body);
/* An answer whose body is so many bytes of a file, from its beginning, which are read as they are sent: where the file has
 * become shorter by then, the connection ends. It takes the descriptor, whatever it returns. NULL only without memory. */
struct http_reply *http_reply_create_file (int descriptor, uint64_t length);
/* An answer whose body is what http_stream_send() will bring, for http_exchange_answer_stream(). For a HEAD it is one
 * without a body or a length, for http_exchange_answer() with `close`. NULL only without memory. */
struct http_reply *http_reply_create_stream (struct http_exchange *exchange);
/* Adds a field. False where the name is no token, where the value holds a control character, and where the field is the
 * shim's to write (Connection, Content-Length, Date, Request-Id, Transfer-Encoding): nothing is added then. */
bool http_reply_add_field (struct http_reply *reply, const char *name, size_t name_length, const char *value,
                           size_t value_length);
/* Frees a reply that was not given to http_exchange_answer(). */
void http_reply_destroy (struct http_reply *reply);

/* Answers, exactly once: takes the reply whatever it returns. Without one, NULL, the connection is closed. Adds
 * Request-Id, and Connection: close where asked or while draining. The status is 200 to 599. False, and nothing was done,
 * where the exchange was answered before, or the client or the server has left. */
bool http_exchange_answer (struct http_exchange *exchange, unsigned status, struct http_reply *reply, bool close);
/* The same with nothing but a shared body, of which it takes a reference, and its fields: what is answered to thousands at
 * once is put together by their loops, one by one, as it is sent. */
bool http_exchange_answer_shared (struct http_exchange *exchange, unsigned status, struct http_body *body, bool close);
/* The same with a reply of http_reply_create_stream(), whose body http_stream_send() brings. Not for HEAD.
 * drained() is called once the head was handed on. */
bool http_exchange_answer_stream (struct http_exchange *exchange, unsigned status, struct http_reply *reply);

/* ----------------------------------------------------------------- streams */

enum http_write {
    HTTP_WRITE_TAKEN = 0,
    HTTP_WRITE_FULL,      /* the event before it is still on its way; nothing was taken, drained() will be called */
    HTTP_WRITE_GONE,      /* the client has left, or the stream was finished */
};

/* Sends a piece of an event stream's body, of which the stream takes a reference of its own. One piece at a time is on
 * its way: who is refused as full waits for drained() and sends what is newest then. Never blocks. May be called once
 * http_reply_create_stream() has returned: what comes before the answer waits for its head. */
enum http_write http_stream_send (struct http_exchange *exchange, struct http_body *piece);
/* Ends the body after what was sent and a last piece, or NULL, of which the stream takes a reference of its own; and the
 * connection with it. Only the first call counts. */
void http_stream_finish (struct http_exchange *exchange, struct http_body *last);

#endif
