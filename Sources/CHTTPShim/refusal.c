/* What the shim refuses by itself, in Swift's words. */
#include "internal.h"

#include <string.h>


/* Longest text Swift may write for a refusal. */
#define DESCRIPTION_SIZE 2048

unsigned refusal_status (enum http_refusal reason)
{
    switch (reason) {
    case HTTP_REFUSAL_NOT_FOUND: return 404;
    case HTTP_REFUSAL_METHOD_NOT_ALLOWED: return 405;
    case HTTP_REFUSAL_SLOW: return 408;
    case HTTP_REFUSAL_BODY_TOO_LARGE: return 413;
    case HTTP_REFUSAL_TARGET_TOO_LONG: return 414;
    case HTTP_REFUSAL_EXPECTATION: return 417;
    case HTTP_REFUSAL_ADDRESS_FULL: return 429;
    case HTTP_REFUSAL_HEADER_TOO_LARGE: return 431;
    case HTTP_REFUSAL_CODING: return 501;
    case HTTP_REFUSAL_FULL:
    case HTTP_REFUSAL_STOPPING:
    case HTTP_REFUSAL_CUT_OFF: return 503;
    case HTTP_REFUSAL_VERSION: return 505;
    default: return 400;
    }
}

/* After these the bytes that follow cannot be trusted to start a request, or nobody would read them. */
static bool closes (enum http_refusal reason)
{
    return HTTP_REFUSAL_NOT_FOUND != reason && HTTP_REFUSAL_METHOD_NOT_ALLOWED != reason;
}

static uint64_t limit_of (const struct http_server *server, enum http_refusal reason)
{
    switch (reason) {
    case HTTP_REFUSAL_BODY_TOO_LARGE: return server->limits.body_bytes;
    case HTTP_REFUSAL_ADDRESS_FULL: return server->limits.connections_per_address;
    case HTTP_REFUSAL_TARGET_TOO_LONG: return server->limits.target_bytes;
    case HTTP_REFUSAL_HEADER_TOO_LARGE: return server->limits.header_bytes;
    default: return 0;
    }
}

static struct http_refused refused_for (const struct http_server *server, enum http_refusal reason, const char *id)
{
    const struct http_refused refused = {
        .reason = reason,
        .status = refusal_status (reason),
        .request_id = id,
        .limit = limit_of (server, reason),
    };
    return refused;
}

static bool passes (unsigned status)
{
    return 429 == status || 503 == status;
}

static bool add (struct http_reply *reply, const char *name, const char *value)
{
    return http_reply_add_field (reply, name, strlen (name), value, strlen (value));
}

static struct http_reply *create (struct http_server *server, const struct http_refused *refused)
{
    char body[DESCRIPTION_SIZE];
    const size_t length = server->callbacks.describe (server->owner, refused, body, DESCRIPTION_SIZE);
    struct http_reply *const reply = http_reply_create (body, length <= DESCRIPTION_SIZE ? length : 0);
    if (NULL == reply)
        return NULL;
    if (add (reply, "Content-Type", "application/problem+json") && add (reply, "Cache-Control", "no-store")
        && (NULL == refused->allow || add (reply, "Allow", refused->allow))
        && (!passes (refused->status) || add (reply, "Retry-After", "1")))
        return reply;
    http_reply_destroy (reply);
    return NULL;
}

/* Any thread: only queueing is bound to the event loop. NULL without memory. */
struct http_reply *refusal_reply (struct http_exchange *exchange, enum http_refusal reason, const char *allow)
{
    struct http_server *const server = exchange->server;
    char id[HTTP_REQUEST_ID_SIZE];
    identity_format (server, exchange->number, id);
    struct http_refused refused = refused_for (server, reason, id);
    refused.allow = allow;
    refused.path = request_text (&exchange->request, exchange->request.path);
    refused.exchange = exchange->request.text_length > 0 ? exchange : NULL;
    struct http_reply *const reply = create (server, &refused);
    exchange->refusal = (uint8_t) reason;
    exchange->status = (uint16_t) refused.status;
    exchange->closes_after = closes (reason);
    if (NULL != reply && NULL != server->callbacks.dress && NULL != refused.exchange)
        server->callbacks.dress (server->owner, &refused, reply);
    return reply;
}

/* To a connection that is refused before it is read, and never reaches libmicrohttpd: whole. NULL without memory. */
struct http_reply *refusal_reply_unasked (struct http_server *server, enum http_refusal reason, const char *id)
{
    const struct http_refused refused = refused_for (server, reason, id);
    struct http_reply *const reply = create (server, &refused);
    const struct reply_frame frame
        = { .status = refused.status, .date = clock_date (), .id = id, .connection = "close" };
    if (NULL != reply)
        reply_finish (reply, &frame);
    return reply;
}
