/* What the shim refuses by itself, in Swift's words. */
#include "internal.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Longest text Swift may write for a refusal. */
#define DESCRIPTION_SIZE 1024

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
    case HTTP_REFUSAL_ANSWER: return 500;
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

static size_t describe (struct http_server *server, enum http_refusal reason, const char *id, const char *allow,
                        struct http_text path, char body[DESCRIPTION_SIZE])
{
    const struct http_refused refused = {
        .reason = reason,
        .status = refusal_status (reason),
        .request_id = id,
        .allow = allow,
        .path = path,
        .limit = limit_of (server, reason),
    };
    const size_t length = server->callbacks.describe (server->owner, &refused, body, DESCRIPTION_SIZE);
    return length <= DESCRIPTION_SIZE ? length : 0;
}

static bool passes (unsigned status)
{
    return 429 == status || 503 == status;
}

/* Any thread: only queueing is bound to the event loop. NULL without memory. */
struct MHD_Response *refusal_response (struct http_exchange *exchange, enum http_refusal reason, const char *allow)
{
    char body[DESCRIPTION_SIZE];
    char id[HTTP_REQUEST_ID_SIZE];
    identity_format (exchange->server, exchange->number, id);
    exchange->status = (uint16_t) refusal_status (reason);
    const struct http_text path = request_text (&exchange->request, exchange->request.path);
    const size_t length = describe (exchange->server, reason, id, allow, path, body);
    struct MHD_Response *const response = (struct MHD_Response *) http_reply_create (body, length);
    if (NULL == response)
        return NULL;
    /* Not of an answer that had no room: these may be what was too much. */
    if (NULL != exchange->server->callbacks.dress && exchange->request.text_length > 0 && HTTP_REFUSAL_ANSWER != reason)
        exchange->server->callbacks.dress (exchange->server->owner, exchange, (struct http_reply *) response);
    const bool made
        = MHD_YES == MHD_add_response_header (response, MHD_HTTP_HEADER_CONTENT_TYPE, "application/problem+json")
          && MHD_YES == MHD_add_response_header (response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store")
          && (NULL == allow || MHD_YES == MHD_add_response_header (response, MHD_HTTP_HEADER_ALLOW, allow))
          && (!passes (exchange->status)
              || MHD_YES == MHD_add_response_header (response, MHD_HTTP_HEADER_RETRY_AFTER, "1"))
          && reply_finish (exchange, response, closes (reason));
    if (made)
        return response;
    MHD_destroy_response (response);
    return NULL;
}

static void format_date (char date[40])
{
    const time_t now = time (NULL);
    struct tm parts;
    date[0] = '\0';
    if (NULL != gmtime_r (&now, &parts))
        (void) strftime (date, 40, "%a, %d %b %Y %H:%M:%S GMT", &parts);
}

/* The whole answer to a connection that is refused before it is read, and never reaches libmicrohttpd. Returns its length,
 * 0 where it does not fit. */
size_t refusal_message (struct http_server *server, enum http_refusal reason, const char *id, char *message,
                        size_t capacity)
{
    char body[DESCRIPTION_SIZE];
    char date[40];
    const struct http_text no_path = { NULL, 0 };
    const size_t length = describe (server, reason, id, NULL, no_path, body);
    const unsigned status = refusal_status (reason);
    format_date (date);
    const int head = snprintf (message, capacity,
                               "HTTP/1.1 %u %s\r\nDate: %s\r\nConnection: close\r\nRetry-After: 1\r\n"
                               "Content-Type: application/problem+json\r\nCache-Control: no-store\r\n"
                               "Request-Id: %s\r\nContent-Length: %zu\r\n\r\n",
                               status, 503 == status ? "Service Unavailable" : "Too Many Requests", date, id, length);
    if (head < 0 || (size_t) head + length > capacity)
        return 0;
    memcpy (message + head, body, length);
    return (size_t) head + length;
}
