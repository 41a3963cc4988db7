/* An HTTP/1.1 server for Swift. libmicrohttpd reads every request and sends every answer. The shim adds event loops,
 * bounds, strict checks, deadlines, and detects hang-ups. It finds the route of a request and calls Swift once. Swift answers
 * in that call, or later on any thread. Any thread may call a function. The callbacks run on the event loops. */
#ifndef CHTTPSHIM_H
#define CHTTPSHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_server;
struct http_exchange; /* one request and its answer; counted: http_exchange_release() returns a reference */
struct http_body;     /* bytes and header fields of answers; counted: http_body_release() returns a reference */

/* Bytes without a terminating zero. `bytes` is NULL if there is no such text; an empty text has an address. */
struct http_text {
    const char *bytes;
    size_t length;
};

#define HTTP_REQUEST_ID_SIZE 32
#define HTTP_ADDRESS_SIZE 16 /* IPv6 in network order, or IPv4 mapped into it (RFC 4291, section 2.5.5.2) */
#define HTTP_ALLOW_SIZE 64
#define HTTP_TARGET_BYTES 4096          /* of a request; 414 beyond */
#define HTTP_ANSWER_HEAD_BYTES 2048     /* most bytes of an answer's head */
/* A stream ends when its client lags behind by so many pieces or bytes. */
#define HTTP_STREAM_PIECES 128
#define HTTP_STREAM_BYTES (256u * 1024u)

/* ------------------------------------------------------------------ server */

struct http_limits {
    unsigned threads;                   /* event loops */
    unsigned connections;               /* 503 beyond */
    unsigned connections_per_address;   /* of an IPv4 address or IPv6 /64; 429 beyond */
    size_t header_bytes;                /* request line and fields; 431 beyond */
    size_t body_bytes;                  /* of one request; 413 beyond */
    uint64_t idle_milliseconds;         /* between two requests */
    uint64_t head_milliseconds;         /* for one head */
    uint64_t grace_milliseconds;        /* the period in which the rate of a connection is measured */
};

struct http_callbacks;

/* Never NULL. */
struct http_server *http_server_create (const struct http_limits *limits, const struct http_callbacks *callbacks);
/* Adds a method and a path template. Call it before the start. Each "{}" is a whole segment: a parameter. The first route
 * that matches counts. A GET serves HEAD too, unless the path has its own HEAD. A GET of "/" and a star serves each path
 * without a route. */
void http_server_add_route (struct http_server *server, const char *method, const char *path);
/* Listens, once per server; `port` 0 picks a free one. The callbacks get `owner` until the stop. Returns 0 or an error of
 * errno(3). EADDRNOTAVAIL: `host` is no IP literal or "localhost", or not of this machine. EALREADY: the server was started
 * before. ENOTSUP: libmicrohttpd is too old. */
int http_server_start (struct http_server *server, void *owner, const char *host, uint16_t port, uint16_t *bound);
/* Every later answer closes its connection. The server still accepts and serves. */
void http_server_begin_draining (struct http_server *server);
/* Waits up to `milliseconds` for running requests, tells those that still wait, gives their answers a second, and cuts the
 * rest. It blocks, so do not call it from a callback. */
void http_server_stop (struct http_server *server, uint64_t milliseconds);
/* Frees a server that is stopped or never started. No exchange of it may be left. */
void http_server_destroy (struct http_server *server);

struct http_gauges {
    size_t connections;         /* open */
    size_t running;             /* requests from their head to the end of their answer */
    size_t parked;              /* of these: waiting for an answer, or streaming */
    uint64_t begun;             /* exchanges so far: the next number */
    uint64_t malformed;         /* requests that libmicrohttpd refused by itself so far */
    uint64_t held_milliseconds; /* the age of the oldest callback that runs now */
    int32_t held_route;         /* of that callback, or -1 */
};
struct http_gauges http_server_gauges (struct http_server *server);

/* ---------------------------------------------------------------- requests */

/* One header field, without white space around the value. */
struct http_field {
    struct http_text name, value;
};

/* A request as it was read. It and its texts live as long as the exchange. */
struct http_request {
    /* The status by which the shim refuses the request, or 0. Swift writes the answer. All but 404 and 405 close the
     * connection. 400: the head can be read in two ways, or breaks RFC 9112 or RFC 3986. 429: the address has too many
     * connections. 501: a Transfer-Encoding other than chunked. 503: the server has too many connections. 505: neither
     * HTTP/1.0 nor HTTP/1.1. */
    unsigned refusal;
    int32_t route;   /* the place of the route, or -1 */
    uint64_t number; /* on this server, from 0, in the order of the heads */
    bool is_head;
    char method[16];                       /* as sent, at most 15 bytes */
    char allow[HTTP_ALLOW_SIZE];           /* the Allow field of a 405 */
    char id[HTTP_REQUEST_ID_SIZE];         /* as in Request-Id */
    unsigned char peer[HTTP_ADDRESS_SIZE]; /* the connected client or proxy */
    struct http_text path;                 /* percent-encoded, without authority and query */
    struct http_text query;                /* as sent, without the question mark */
    const struct http_field *fields;       /* in the order of arrival */
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
    /* A connection of `peer` is beyond the bound that `refusal` names: 429 or 503. Or accepting failed with `error` of
     * errno(3); then `peer` is NULL. */
    void (*turned_away) (void *owner, unsigned refusal, const unsigned char *peer, int error);
    /* Whether `peer` may have any number of connections, because it speaks for many clients. Called only at the bound. */
    bool (*is_exempt) (void *owner, const unsigned char *peer);
};

/* ----------------------------------------------------------------- answers */

/* Copies the bytes. */
struct http_body *http_body_create (const void *bytes, size_t length);
/* The first bytes of a file, read when they are sent. Duplicates the descriptor. NULL if no descriptor is left. */
struct http_body *http_body_create_file (int descriptor, size_t length);
/* Copies a body that was made of bytes. Both share the bytes. */
struct http_body *http_body_copy (struct http_body *original);
/* Adds a header field, before the body is used. False if it is malformed, or if the fields are too long together. */
bool http_body_add_field (struct http_body *body, const char *name, const char *value, size_t value_length);
struct http_body *http_body_retain (struct http_body *body);
void http_body_release (struct http_body *body);

/* Whether the calling thread is an event loop. */
bool http_is_event_loop (void);

/* Answers. Call it at most once. It takes the caller's reference to the body. The shim adds Connection: close while draining
 * and after a refusal. It adds Request-Id unless other references to the body exist. */
void http_exchange_answer (struct http_exchange *exchange, struct http_body *body, unsigned status);
/* Answers with a stream, which has the fields of `head` and closes the connection; not for HEAD. */
void http_exchange_stream (struct http_exchange *exchange, struct http_body *head);
/* Appends a piece to the body of a stream, which takes its own reference. Never blocks. False if the stream is over. */
bool http_stream_send (struct http_exchange *exchange, struct http_body *piece);
/* Ends the body after the pieces that were sent, and then the connection. */
void http_stream_finish (struct http_exchange *exchange);

#endif
