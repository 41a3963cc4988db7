/* CHTTPShim: an HTTP/1.1 server for Swift, over libmicrohttpd.
 *
 * It finds the route, gathers the body, calls Swift once with the whole request and takes the answer in that call or
 * later from any thread. It knows nothing of sessions or JSON: the text of its refusals is written by Swift too.
 *
 * What it cannot do: libmicrohttpd answers some malformed input by itself, in HTML and without a Request-Id, before the
 * shim has heard of the request (400 for a broken request line, header line, Content-Length or chunk, 413 for a
 * Content-Length that does not fit 64 bits, 414 and 431 for a head that does not fit its pool, 505; 1.0 also for a missing
 * Host and an unknown Transfer-Encoding). It offers no way to replace those.
 *
 * Threads: every function may be called from any thread unless it says otherwise. The shim has one thread for each event
 * loop (loop.c) and one more, the watch (watch.c), and all of them block every signal.
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

/* Bytes that are not zero-terminated; `bytes` is NULL where there are none, as opposed to empty. */
struct http_text {
    const char *bytes;
    size_t length;
};

/* The longest request id, with its terminating zero. */
#define HTTP_REQUEST_ID_SIZE 32
/* The longest text of an address, with its terminating zero: INET6_ADDRSTRLEN. */
#define HTTP_ADDRESS_SIZE 46

/* ------------------------------------------------------------------ limits */

/* Zero anywhere means: the default. */
struct http_limits {
    unsigned threads;      /* event loops; default: one per core */
    unsigned connections;  /* served at a time; default: what RLIMIT_NOFILE allows, less a reserve */
    size_t pool_bytes;     /* of one connection: request head, its index and the answer's head; 1 to 32 KiB, default 4 KiB */
    size_t header_bytes;   /* request line and fields; 431 beyond; default: as many as fit the pool */
    size_t body_bytes;     /* of one request; 413 beyond; default 64 KiB */
    size_t stream_bytes;   /* waiting to be sent on one stream; default 16 KiB */
    unsigned idle_seconds; /* without a byte either way, not counting parked time; default 30 */
};

/* Raises the soft RLIMIT_NOFILE to the hard one and returns what it now is. */
size_t http_raise_descriptor_limit (void);

/* ------------------------------------------------------------------ routes */

/* A method and a path template of literal segments and whole-segment `{parameters}`, at most
 * HTTP_MAX_PARAMETERS of them. A GET serves HEAD as well. */
struct http_route {
    const char *method;
    const char *path;
};
#define HTTP_MAX_PARAMETERS 8
#define HTTP_MAX_SEGMENTS 16

/* --------------------------------------------------------------- callbacks */

/* Why the shim refused a request by itself. */
enum http_refusal {
    HTTP_REFUSAL_NONE = 0,
    HTTP_REFUSAL_NOT_FOUND,          /* 404 */
    HTTP_REFUSAL_METHOD_NOT_ALLOWED, /* 405, with Allow */
    HTTP_REFUSAL_BODY_TOO_LARGE,     /* 413, closes */
    HTTP_REFUSAL_HEADER_TOO_LARGE,   /* 431, closes */
    HTTP_REFUSAL_TARGET,             /* 400, closes: a path that cannot be percent-decoded */
    HTTP_REFUSAL_FRAMING,            /* 400, closes: Content-Length with or beside another, or an unknown Transfer-Encoding */
    HTTP_REFUSAL_HOST,               /* 400, closes: two Host fields, or none in HTTP/1.1 */
    HTTP_REFUSAL_FIELD,              /* 400, closes: a field name that is not a token */
    HTTP_REFUSAL_FULL,               /* 503, closes: more connections than the limit */
    HTTP_REFUSAL_STOPPING,           /* 503, closes: still waiting when the server stopped */
};

/* A refusal, for Swift to put in words. The strings live for the call. */
struct http_refused {
    enum http_refusal reason;
    unsigned status;
    const char *request_id;
    const char *allow; /* the Allow field of a 405, else NULL */
};

/* What became of an exchange. The strings live for the call. */
struct http_outcome {
    int32_t route;          /* index into the routes, or -1 */
    const char *method;     /* as the client wrote it, its first seven letters */
    bool is_head;           /* a GET's route serves it: the method is not the route's */
    unsigned status;        /* as answered; 499 where the client left first */
    uint64_t microseconds;  /* from the request's complete head to the answer's last byte handed to the kernel */
    const char *request_id;
};

/* Called by the shim's threads. `owner` is what http_server_create() got, `waiter` what http_exchange_set_waiter() got. */
struct http_callbacks {
    /* A complete request for `route`. Called once per exchange, on an event loop's thread: what it does not answer
     * before it returns, the shim parks. The callee owns one reference. */
    void (*dispatch) (void *owner, struct http_exchange *exchange, uint32_t route);
    /* Writes the body of a refusal (application/problem+json) into `buffer` and returns its length, at most `capacity`. */
    size_t (*describe) (void *owner, const struct http_refused *refused, char *buffer, size_t capacity);
    /* The client of a parked or streaming exchange has left, or its stream is over, or the server is stopping. At most
     * once per exchange. It keeps hang-ups and new connections waiting while it runs. */
    void (*gone) (void *waiter);
    /* A stream that had refused bytes as full has room again. */
    void (*drained) (void *waiter);
    /* The exchange is over and its waiter is not used again. Only where one was set. */
    void (*completed) (void *waiter);
    /* What became of each request, after completed(); NULL where nobody wants to know, which saves the reckoning. */
    void (*record) (void *owner, const struct http_outcome *outcome);
};

/* ------------------------------------------------------------------ server */

enum http_start {
    HTTP_START_OK = 0,
    HTTP_START_ADDRESS_IN_USE,
    HTTP_START_BAD_ADDRESS, /* neither an IPv4 nor an IPv6 literal nor "localhost", or not of this machine */
    HTTP_START_DENIED,      /* the port needs a privilege */
    HTTP_START_FAILED,      /* no memory, descriptors or threads */
};

/* Compiles the routes. Returns NULL where a template is malformed, has too many segments or parameters, or stands twice
 * with the same method. Everything is copied; `owner` must outlive http_server_destroy(). */
struct http_server *http_server_create (const struct http_route *routes, size_t count, const struct http_limits *limits,
                                        const struct http_callbacks *callbacks, void *owner);

/* Listens; `port` 0 picks a free one. Once per server. */
enum http_start http_server_start (struct http_server *server, const char *host, uint16_t port, uint16_t *bound);

/* From here on every answer closes its connection. Requests are still dispatched. */
void http_server_begin_draining (struct http_server *server);

/* Stops for good: waits up to `milliseconds` for the running exchanges, stops accepting, answers what is still parked
 * with 503 and tells its waiters, waits for those answers to leave, and stops the event loops. Blocks; not from a
 * callback. A dispatch() that never returns keeps it from returning. */
void http_server_stop (struct http_server *server, uint64_t milliseconds);

/* Frees a server that was stopped or never started, when no exchange of it is referenced any more. */
void http_server_destroy (struct http_server *server);

struct http_gauges {
    size_t connections; /* open */
    size_t running;     /* exchanges dispatched and not completed */
    size_t parked;      /* of these, suspended: waiting for an answer, or a stream with nothing to send */
    size_t watched;     /* descriptors watched for a hang-up */
    size_t exchanges;   /* exchanges in memory */
};
struct http_gauges http_server_gauges (struct http_server *server);

/* The limits as they are in force. */
struct http_limits http_server_limits (const struct http_server *server);

/* ---------------------------------------------------------------- requests */

/* The request fields the shim keeps; it drops the others. */
enum http_field {
    HTTP_FIELD_ACCEPT = 0,
    HTTP_FIELD_ACCEPT_LANGUAGE,
    HTTP_FIELD_ACCESS_CONTROL_REQUEST_HEADERS,
    HTTP_FIELD_ACCESS_CONTROL_REQUEST_METHOD,
    HTTP_FIELD_AUTHORIZATION,
    HTTP_FIELD_BINDERY_SESSION,
    HTTP_FIELD_CONTENT_TYPE,
    HTTP_FIELD_COOKIE,
    HTTP_FIELD_HOST,
    HTTP_FIELD_IDEMPOTENCY_KEY,
    HTTP_FIELD_IF_MATCH,
    HTTP_FIELD_IF_NONE_MATCH,
    HTTP_FIELD_LAST_EVENT_ID,
    HTTP_FIELD_ORIGIN,
    HTTP_FIELD_SEC_FETCH_SITE,
    HTTP_FIELD_X_FORWARDED_FOR,
    HTTP_FIELD_X_FORWARDED_HOST,
    HTTP_FIELD_X_FORWARDED_PROTO,
    HTTP_FIELD_COUNT,
};

bool http_exchange_is_head (const struct http_exchange *exchange);
/* As sent: percent-encoded, without the query. */
struct http_text http_exchange_path (const struct http_exchange *exchange);
/* As sent, without the question mark; NULL where there is none. */
struct http_text http_exchange_query (const struct http_exchange *exchange);
/* The percent-decoded value of the template's `index`-th parameter. */
struct http_text http_exchange_parameter (const struct http_exchange *exchange, size_t index);
/* The first field of that name, without the white space around it. */
struct http_text http_exchange_field (const struct http_exchange *exchange, enum http_field field);
/* Whether the field came more than once. */
bool http_exchange_field_is_repeated (const struct http_exchange *exchange, enum http_field field);
struct http_text http_exchange_body (const struct http_exchange *exchange);
/* Writes the request's id, zero-terminated. */
void http_exchange_id (const struct http_exchange *exchange, char id[HTTP_REQUEST_ID_SIZE]);

/* Writes the address of whoever is connected, a client or the proxy before it, zero-terminated: an IPv4 address in dotted
 * form, also where it came mapped into IPv6, else an IPv6 address as RFC 5952 writes it; empty where it is not known. */
void http_exchange_peer (const struct http_exchange *exchange, char address[HTTP_ADDRESS_SIZE]);

/* Names what gone(), drained() and completed() will be told. Only inside dispatch(), once. */
void http_exchange_set_waiter (struct http_exchange *exchange, void *waiter);

void http_exchange_release (struct http_exchange *exchange);

/* ----------------------------------------------------------------- answers */

enum http_answer {
    HTTP_ANSWER_TAKEN = 0,
    HTTP_ANSWER_TWICE, /* the exchange was answered before: the caller's mistake */
    HTTP_ANSWER_GONE,  /* the client or the server has left; not a mistake */
};

/* An answer with these bytes as its body; they are copied. NULL only without memory. */
struct http_reply *http_reply_create (const void *body, size_t length);
/* An answer whose body is what http_stream_write() will bring, for http_exchange_answer_stream(). For a HEAD it is one
 * without a body or a length, for http_exchange_answer(). */
struct http_reply *http_reply_create_stream (struct http_exchange *exchange);
/* Adds a field. False where the name is no token or the value holds a line break: nothing is added then. */
bool http_reply_add_field (struct http_reply *reply, const char *name, const char *value);
/* Frees a reply that was not given to http_exchange_answer(). */
void http_reply_destroy (struct http_reply *reply);

/* Answers, exactly once: takes the reply whatever it returns. Without one, NULL, the connection is closed. Adds Request-Id, and Connection: close where asked or
 * while draining. The status is 200 to 599. */
enum http_answer http_exchange_answer (struct http_exchange *exchange, unsigned status, struct http_reply *reply,
                                       bool close);
/* The same with a reply of http_reply_create_stream(): from here on http_stream_write() brings the body. Not for HEAD. */
enum http_answer http_exchange_answer_stream (struct http_exchange *exchange, unsigned status,
                                              struct http_reply *reply);

/* ----------------------------------------------------------------- streams */

enum http_write {
    HTTP_WRITE_TAKEN = 0,
    HTTP_WRITE_FULL, /* nothing was taken; drained() will be called once there is room */
    HTTP_WRITE_GONE, /* the client has left, or the stream was finished */
};

/* Appends to an exchange answered with http_reply_create_stream(): all of it or nothing. What is longer than the buffer
 * is taken when the buffer is empty. Never blocks. */
enum http_write http_stream_write (struct http_exchange *exchange, const void *bytes, size_t length);
/* Ends the body after what was written, and the connection with it. Idempotent. */
void http_stream_finish (struct http_exchange *exchange);

#endif
