/* What libmicrohttpd calls, always on the connection's event loop: when the request line is there, when the head is,
 * with each piece of the body, when the request is complete, after each resuming, and when it is over. */
#include "internal.h"

#include <string.h>

/* The URI log callback: the one place where the target is still as it was sent. */
void *request_begin (void *loop, const char *target, struct MHD_Connection *connection)
{
    (void) connection;
    return exchange_create (loop, NULL == target ? "" : target);
}

static int descriptor_of (struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *const info
        = MHD_get_connection_info (connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return NULL == info ? -1 : info->connect_fd;
}

static void enter (struct http_exchange *exchange, struct MHD_Connection *connection, const char *method)
{
    exchange->entered = true;
    exchange->connection = connection;
    if (NULL != exchange->server->callbacks.record)
        exchange->started = clock_microseconds ();
    exchange->is_head = 0 == strcmp (method, MHD_HTTP_METHOD_HEAD);
    (void) strncpy (exchange->method, method, sizeof exchange->method - 1);
    exchange->descriptor = descriptor_of (connection);
}

static bool is_surplus (const struct http_exchange *exchange)
{
    const union MHD_ConnectionInfo *const info
        = MHD_get_connection_info (exchange->connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return NULL != info && NULL != info->socket_context;
}

static bool is_head_too_large (const struct http_exchange *exchange)
{
    const struct http_limits *const limits = &exchange->server->limits;
    if (limits->header_bytes >= limits->pool_bytes)
        return false;
    const union MHD_ConnectionInfo *const info
        = MHD_get_connection_info (exchange->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return NULL != info && info->header_size > limits->header_bytes;
}

/* Refuses before the body was read: libmicrohttpd closes after such an answer. */
static enum MHD_Result refuse_early (struct http_exchange *exchange, enum http_refusal reason, const char *allow)
{
    exchange->lingers = true;
    return refusal_queue (exchange, reason, allow);
}

/* Sets the exchange's route, or says why there is none. */
static enum http_refusal find_route (struct http_exchange *exchange, const char *method, struct route_match *match)
{
    if (!routes_find (exchange->server->routes, exchange, method, match))
        return HTTP_REFUSAL_TARGET;
    exchange->route = match->route;
    if (match->route >= 0)
        return HTTP_REFUSAL_NONE;
    return match->path_exists ? HTTP_REFUSAL_METHOD_NOT_ALLOWED : HTTP_REFUSAL_NOT_FOUND;
}

static const char *allow_of (enum http_refusal reason, const struct route_match *match)
{
    return HTTP_REFUSAL_METHOD_NOT_ALLOWED == reason ? match->allow : NULL;
}

static enum MHD_Result head_complete (struct http_exchange *exchange, struct MHD_Connection *connection,
                                      const char *method, const char *version, void **context)
{
    struct head head;
    struct route_match match;
    enter (exchange, connection, method);
    struct http_exchange *const moved = head_collect (exchange, version, &head);
    if (NULL == moved)
        return MHD_NO;
    exchange = moved;
    *context = moved;
    if (HTTP_REFUSAL_NONE != head.refusal)
        return refuse_early (exchange, head.refusal, NULL);
    if (is_head_too_large (exchange))
        return refuse_early (exchange, HTTP_REFUSAL_HEADER_TOO_LARGE, NULL);
    if (is_surplus (exchange))
        return refuse_early (exchange, HTTP_REFUSAL_FULL, NULL);
    if (!head.has_body)
        return MHD_YES; /* routed once complete: an answer given now would close the connection */
    const enum http_refusal reason = find_route (exchange, method, &match);
    if (HTTP_REFUSAL_NONE != reason)
        return refuse_early (exchange, reason, allow_of (reason, &match));
    if (head.content_length > exchange->server->limits.body_bytes)
        return refuse_early (exchange, HTTP_REFUSAL_BODY_TOO_LARGE, NULL);
    return MHD_YES;
}

static enum MHD_Result body_piece (struct http_exchange *exchange, const char *bytes, size_t *length)
{
    if (*length > exchange->server->limits.body_bytes - exchange->body_length) {
        exchange->lingers = true;
        refusal_write (exchange, HTTP_REFUSAL_BODY_TOO_LARGE);
        return MHD_NO;
    }
    if (!body_append (exchange, bytes, *length))
        return MHD_NO;
    *length = 0;
    return MHD_YES;
}

static enum MHD_Result complete (struct http_exchange *exchange, const char *method)
{
    if (STATE_RECEIVING == atomic_load_explicit (&exchange->state, memory_order_relaxed) && exchange->route < 0) {
        struct route_match match;
        const enum http_refusal reason = find_route (exchange, method, &match);
        if (HTTP_REFUSAL_NONE != reason)
            return refusal_queue (exchange, reason, allow_of (reason, &match));
    }
    return exchange_run (exchange);
}

enum MHD_Result request_continue (void *loop, struct MHD_Connection *connection, const char *url, const char *method,
                                  const char *version, const char *bytes, size_t *length, void **context)
{
    struct http_exchange *const exchange = *context;
    (void) loop;
    (void) url;
    if (NULL == exchange)
        return MHD_NO; /* no memory for it */
    if (!exchange->entered)
        return head_complete (exchange, connection, method, version, context);
    if (*length > 0)
        return body_piece (exchange, bytes, length);
    return complete (exchange, method);
}

void request_completed (void *loop, struct MHD_Connection *connection, void **context,
                        enum MHD_RequestTerminationCode code)
{
    struct http_exchange *const exchange = *context;
    (void) loop;
    (void) code;
    if (NULL == exchange)
        return;
    *context = NULL;
    /* What never was a request may have been answered by libmicrohttpd itself, with the rest of it unread. */
    if (exchange->lingers || !exchange->entered)
        watch_linger (exchange->server->watch, descriptor_of (connection));
    exchange_complete (exchange);
}
