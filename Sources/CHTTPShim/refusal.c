/* What the shim refuses by itself, in Swift's words. */
#include "internal.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

unsigned refusal_status (enum http_refusal reason)
{
    switch (reason) {
    case HTTP_REFUSAL_NOT_FOUND: return 404;
    case HTTP_REFUSAL_METHOD_NOT_ALLOWED: return 405;
    case HTTP_REFUSAL_BODY_TOO_LARGE: return 413;
    case HTTP_REFUSAL_HEADER_TOO_LARGE: return 431;
    case HTTP_REFUSAL_FULL:
    case HTTP_REFUSAL_STOPPING: return 503;
    default: return 400;
    }
}

/* After these the bytes that follow cannot be trusted to start a request, or nobody would read them. */
bool refusal_closes (enum http_refusal reason)
{
    return HTTP_REFUSAL_NOT_FOUND != reason && HTTP_REFUSAL_METHOD_NOT_ALLOWED != reason;
}

static size_t describe (struct http_exchange *exchange, enum http_refusal reason, const char *allow,
                        char body[DESCRIPTION_SIZE])
{
    const struct http_server *const server = exchange->server;
    char id[HTTP_REQUEST_ID_SIZE];
    identity_format (server, exchange->number, id);
    const struct http_refused refused = {
        .reason = reason,
        .status = refusal_status (reason),
        .request_id = id,
        .allow = allow,
    };
    exchange->status = (uint16_t) refused.status;
    const size_t length = server->callbacks.describe (server->owner, &refused, body, DESCRIPTION_SIZE);
    return length <= DESCRIPTION_SIZE ? length : 0;
}

/* Any thread: only queueing is bound to the event loop. */
struct MHD_Response *refusal_response (struct http_exchange *exchange, enum http_refusal reason, const char *allow)
{
    char body[DESCRIPTION_SIZE];
    const size_t length = describe (exchange, reason, allow, body);
    struct MHD_Response *const response = (struct MHD_Response *) http_reply_create (body, length);
    if (NULL == response)
        return NULL;
    (void) MHD_add_response_header (response, MHD_HTTP_HEADER_CONTENT_TYPE, "application/problem+json");
    (void) MHD_add_response_header (response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    if (NULL != allow)
        (void) MHD_add_response_header (response, MHD_HTTP_HEADER_ALLOW, allow);
    if (503 == exchange->status)
        (void) MHD_add_response_header (response, MHD_HTTP_HEADER_RETRY_AFTER, "1");
    reply_finish (exchange, response, refusal_closes (reason));
    return response;
}

/* On the event loop, from within libmicrohttpd's call. */
enum MHD_Result refusal_queue (struct http_exchange *exchange, enum http_refusal reason, const char *allow)
{
    exchange->response = refusal_response (exchange, reason, allow);
    return NULL == exchange->response ? MHD_NO : exchange_queue (exchange);
}

static size_t format_date (char date[40])
{
    const time_t now = time (NULL);
    struct tm parts;
    if (NULL == gmtime_r (&now, &parts))
        return 0;
    return strftime (date, 40, "%a, %d %b %Y %H:%M:%S GMT", &parts);
}

/* Answers in the middle of a body. libmicrohttpd takes no response there and would have us read to the end; nothing else
 * is under way on the socket, so the answer is written to it, as much as fits, and the caller has it closed. */
void refusal_write (struct http_exchange *exchange, enum http_refusal reason)
{
    char body[DESCRIPTION_SIZE];
    char date[40] = "";
    char id[HTTP_REQUEST_ID_SIZE];
    char message[DESCRIPTION_SIZE + 512];
    const size_t length = describe (exchange, reason, NULL, body);
    identity_format (exchange->server, exchange->number, id);
    (void) format_date (date);
    const int head = snprintf (message, 512,
                               "HTTP/1.1 %u %s\r\nDate: %s\r\nConnection: close\r\n"
                               "Content-Type: application/problem+json\r\nCache-Control: no-store\r\n"
                               "Request-Id: %s\r\nContent-Length: %zu\r\n\r\n",
                               (unsigned) exchange->status, 413 == exchange->status ? "Content Too Large" : "Refused",
                               date, id, length);
    if (head < 0 || head >= 512)
        return;
    memcpy (message + head, body, length);
    const size_t size = (size_t) head + (exchange->is_head ? 0 : length);
    (void) send (exchange->descriptor, message, size, MSG_DONTWAIT | MSG_NOSIGNAL);
}
