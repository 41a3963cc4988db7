/* An HTTP/1.1 server for Swift. libmicrohttpd reads every request and sends every answer. The shim adds event loops,
 * bounds, strictness, hang-ups and deadlines. It finds the route of a request and calls Swift once. Swift answers in that
 * call, or later from any thread. Any thread may call a function. The callbacks run on the event loops. */
#ifndef CHTTPSHIM_H
#define CHTTPSHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_server;
struct http_exchange; /* one request and its answer; counted: http_exchange_release() returns a reference */
struct http_body;     /* bytes that answers and streams share; counted: http_body_release() returns a reference */

/* Bytes without a terminating zero. `bytes` is NULL if there is no such text; an empty text has an address. */
struct http_text {
    const char *bytes;
    size_t length;
};

#define HTTP_REQUEST_ID_SIZE 32
#define HTTP_ADDRESS_SIZE 16 /* IPv6 in network order, or IPv4 mapped into it (RFC 4291, section 2.5.5.2) */
#define HTTP_ALLOW_SIZE 64
#define HTTP_LARGEST_HEAD (32u * 1024u) /* the most that `header_bytes` may be */
#define HTTP_ANSWER_HEAD_BYTES 2048     /* what the head of an answer may take */
/* A stream ends when its client lags behind by so many pieces or bytes. */
#define HTTP_STREAM_PIECES 128
#define HTTP_STREAM_BYTES (256u * 1024u)

/* ------------------------------------------------------------------ server */

/* All addresses with these first `bits` bits. */
struct http_network {
    unsigned char address[HTTP_ADDRESS_SIZE];
    unsigned bits;
};

struct http_limits {
    unsigned threads;                   /* event loops */
    unsigned connections;               /* 503 beyond */
    unsigned connections_per_address;   /* of an IPv4 address or IPv6 /64; 429 beyond */
    size_t header_bytes;                /* request line and fields; 431 beyond */
    size_t target_bytes;                /* 414 beyond */
    size_t body_bytes;                  /* of one request; 413 beyond */
    uint64_t idle_milliseconds;         /* between two requests */
    uint64_t head_milliseconds;         /* for one head */
    uint64_t grace_milliseconds;        /* the period in which `minimum_rate` is measured */
    size_t minimum_rate;                /* bytes a second of bodies and answers */
};

/* A method and a path template. Each "{}" is a whole segment: a parameter. The first route that matches counts.
 * A GET serves HEAD too, unless the path has its own HEAD. A GET of "/" and a star serves each path without a route. */
struct http_route {
    const char *method;
    const char *path;
};

struct http_callbacks;

/* Never NULL. The texts of the routes must outlive http_server_destroy(). Connections from the `exempt` networks do not count
 * for `connections_per_address`: they speak for many clients. */
struct http_server *http_server_create (const struct http_route *routes, size_t route_count,
                                        const struct http_network *exempt, size_t exempt_count,
                                        const struct http_limits *limits, const struct http_callbacks *callbacks);
/* Listens, once per server; `port` 0 picks a free one. If `inherited` is not negative: on that socket, which it takes over
 * and closes in any case. The callbacks get `owner` until the stop. Returns 0 or an error of errno(3). EADDRNOTAVAIL: `host`
 * is no IP literal or "localhost", or not of this machine. ENOTSOCK: `inherited` does not listen on an IP address. EALREADY:
 * the server was started before. ENOTSUP: libmicrohttpd is too old. */
int http_server_start (struct http_server *server, void *owner, const char *host, uint16_t port, int inherited,
                       uint16_t *bound);
/* Every later answer closes its connection. The server still accepts and serves. */
void http_server_begin_draining (struct http_server *server);
/* Stops accepting from an inherited socket, so that the next process takes its clients. Without one: no effect. */
void http_server_leave_clients (struct http_server *server);
/* Waits up to `milliseconds` for running requests, tells those that still wait, gives their answers a second, and cuts the
 * rest. Blocks; not from a callback. */
void http_server_stop (struct http_server *server, uint64_t milliseconds);
/* Frees a server that is stopped or never started. No exchange of it may be left. */
void http_server_destroy (struct http_server *server);

struct http_gauges {
    size_t connections;         /* open */
    size_t running;             /* requests from their head to the end of their answer */
    size_t parked;              /* of these: waiting for an answer, or streaming */
    uint64_t begun;             /* exchanges so far: the next number */
    uint64_t held_milliseconds; /* the age of the oldest callback that runs now */
    int32_t held_route;         /* of that callback, or -1 */
};
struct http_gauges http_server_gauges (struct http_server *server);

/* ---------------------------------------------------------------- requests */

/* Why the shim refuses a request. Swift writes the answer. All but the first two close the connection. */
enum http_refusal {
    HTTP_REFUSAL_NONE = 0,
    HTTP_REFUSAL_NOT_FOUND,          /* 404 */
    HTTP_REFUSAL_METHOD_NOT_ALLOWED, /* 405 with Allow */
    HTTP_REFUSAL_HEAD,               /* 400: the head can be read in two ways, or breaks RFC 9112 or RFC 3986 */
    HTTP_REFUSAL_BODY_TOO_LARGE,     /* 413 */
    HTTP_REFUSAL_TARGET_TOO_LONG,    /* 414 */
    HTTP_REFUSAL_ADDRESS_FULL,       /* 429: the address has too many connections */
    HTTP_REFUSAL_HEADER_TOO_LARGE,   /* 431 */
    HTTP_REFUSAL_CODING,             /* 501: a Transfer-Encoding other than chunked */
    HTTP_REFUSAL_VERSION,            /* 505: neither HTTP/1.0 nor HTTP/1.1 */
    HTTP_REFUSAL_FULL,               /* 503: the server has too many connections */
};

/* One header field, without white space around the value. */
struct http_field {
    struct http_text name, value;
};

/* A request as it was read. It and its texts live as long as the exchange. */
struct http_request {
    enum http_refusal refusal;
    int32_t route;   /* index into the routes, or -1 */
    uint64_t number; /* on this server, from 0, in the order of the heads */
    bool is_head;
    char method[16];                       /* as sent, at most 15 bytes */
    char allow[HTTP_ALLOW_SIZE];           /* the Allow field of a 405 */
    char id[HTTP_REQUEST_ID_SIZE];         /* as in Request-Id */
    unsigned char peer[HTTP_ADDRESS_SIZE]; /* the connected client or proxy */
    struct http_text path;                 /* percent-encoded, without authority and query */
    struct http_text query;                /* as sent, without the question mark */
    const struct http_field *fields;       /* in the order in which they came */
    size_t field_count;
    struct http_text body;
};

/* Microseconds since the request was complete. */
uint64_t http_exchange_age (const struct http_exchange *exchange);
void http_exchange_release (struct http_exchange *exchange);

/* --------------------------------------------------------------- callbacks */

/* Why hung_up() is called. */
enum http_departure {
    HTTP_DEPARTURE_OVER = 0, /* the exchange is complete */
    HTTP_DEPARTURE_CLIENT,   /* the client sends nothing more, or it is gone; an answer may still reach it */
    HTTP_DEPARTURE_STOPPING, /* the server stops: answer now or not at all */
};

/* The shim calls these on its event loops. They must not block. */
struct http_callbacks {
    /* A complete request, or a refused one. Called once per exchange, of which the callee gets one reference.
     * Returns a context if the answer comes later or is a stream; else NULL. */
    void *(*request) (void *owner, struct http_exchange *exchange, const struct http_request *request);
    /* Ends the life of a context: called exactly once for each that request() returned. */
    void (*hung_up) (void *context, enum http_departure departure);
    /* A connection of `peer` is beyond a bound: HTTP_REFUSAL_FULL or HTTP_REFUSAL_ADDRESS_FULL. Or accepting failed with
     * `error` of errno(3); then `peer` is NULL. */
    void (*turned_away) (void *owner, enum http_refusal bound, const unsigned char *peer, int error);
};

/* ----------------------------------------------------------------- answers */

struct http_answer;
/* Copies the `bytes` of an answer, and its fields if it has any. NULL if a field is malformed, or without memory. */
struct http_body *http_body_create (const struct http_answer *answer);
void http_body_release (struct http_body *body);

enum http_answer_kind {
    HTTP_ANSWER_BYTES = 0, /* `bytes`, copied */
    HTTP_ANSWER_BODY,      /* `body` and its fields; the answer takes its own reference and has no Request-Id */
    HTTP_ANSWER_FILE,      /* `length` bytes of `descriptor` from its beginning; duplicated */
    HTTP_ANSWER_STREAM,    /* http_stream_send() brings the body; not for HEAD */
};

struct http_answer {
    enum http_answer_kind kind;
    unsigned status;    /* 200 to 599 */
    bool closes;        /* the connection ends after the answer */
    const char *fields; /* `field_count` times: name NUL value NUL; copied */
    size_t fields_length, field_count;
    const void *bytes;
    size_t length;
    struct http_body *body;
    int descriptor;
};

/* Whether the calling thread is an event loop. */
bool http_is_event_loop (void);

/* Answers; once, as the caller ensures. The shim adds Request-Id, and Connection: close if asked or while draining. False
 * if a field or the status is malformed, the fields are too long or memory is short: then there is no answer yet. */
bool http_exchange_answer (struct http_exchange *exchange, const struct http_answer *answer);
/* Appends a piece to the body of a stream, which takes its own reference. Never blocks. False if the stream is over. */
bool http_stream_send (struct http_exchange *exchange, struct http_body *piece);
/* Ends the body after the pieces that were sent, and then the connection. */
void http_stream_finish (struct http_exchange *exchange);

#endif
