/* Reads a connection's next message into an exchange: head and body, by the readers (readers.h) and within the server's
 * limits. A message that is not sound, or too large, becomes an exchange as well, with a refusal. */
#include "internal.h"

#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* The exchange will be answered with a refusal, and nothing more of the connection is read as a request. */
static void refuse (struct connection *connection, enum http_refusal reason)
{
    exchange_refuse (connection->exchange, reason);
    connection->lingers = true;
}

/* Refuses the message that arrives. Before the end of its head it has no exchange: it gets one, with the method that these
 * bytes begin with. */
void message_refuse (struct connection *connection, enum http_refusal reason, const char *bytes, size_t available)
{
    if (NULL == connection->exchange)
        connection->exchange = exchange_create_headless (connection, bytes, available);
    if (NULL == connection->exchange)
        connection_give_up (connection);
    else
        refuse (connection, reason);
}

/* Sent only where the client has every answer before it. Behind an answer that is still in the kernel it might be taken
 * in part, and what came next would be read as its rest. Leaving it out is allowed once the body begins to come (RFC
 * 9110, section 10.1.1), and a client that gets none sends its body after a while. */
static void tell_to_continue (struct connection *connection)
{
    static const char message[] = "HTTP/1.1 100 Continue\r\n\r\n";
    int unsent = 0; /* bytes (SIOCOUTQNSD of linux/sockios.h) */
    if (0 != ioctl (connection->descriptor, SIOCOUTQNSD, &unsent) || 0 != unsent)
        return;
    const ssize_t sent
        = sendto (connection->descriptor, message, sizeof message - 1, MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0);
    connection->handed += sent > 0 ? (uint64_t) sent : 0;
    if (sent >= 0 && (size_t) sent < sizeof message - 1)
        connection_cut (connection);
}

/* A sound head: the exchange begins. `is_last` says that nothing of the body is here yet. */
static void begin_exchange (struct connection *connection, const char *bytes, const struct head *head, bool is_last)
{
    const struct http_limits *const limits = &connection->loop->server->limits;
    struct http_exchange *const exchange = exchange_create (connection, bytes, head);
    connection->exchange = exchange;
    if (NULL == exchange) {
        connection_give_up (connection);
        return;
    }
    if ((head->chunked || 0 != head->content_length) && !exchange_has_route (exchange)) {
        connection->lingers = true;
        return;
    }
    if (head->chunked) {
        body_expect_chunks (&exchange->request.body);
    } else {
        if (head->content_length > limits->body_bytes) {
            refuse (connection, HTTP_REFUSAL_BODY_TOO_LARGE);
            return;
        }
        body_expect_length (&exchange->request.body, head->content_length);
        exchange->complete = 0 == head->content_length;
    }
    if (!exchange->complete) {
        connection_enter (connection, PHASE_READING); /* its time is counted anew */
        if (head->expects_continue && is_last)
            tell_to_continue (connection);
    }
}

/* Of a request line: the longest method, two spaces and a version. */
#define ROOM_BESIDE_TARGET 44

static void refuse_partial (struct connection *connection, const char *bytes, size_t length)
{
    const struct http_limits *const limits = &connection->loop->server->limits;
    /* However it came in pieces: the line has a method and a version beside the target. */
    const char *const feed = memchr (bytes, '\n', length);
    const size_t line = NULL == feed ? length : (size_t) (feed - bytes);
    if (line > limits->target_bytes + ROOM_BESIDE_TARGET)
        message_refuse (connection, HTTP_REFUSAL_TARGET_TOO_LONG, bytes, length);
    else
        message_refuse (connection, HTTP_REFUSAL_HEADER_TOO_LARGE, bytes, length);
}

/* The one before a request line that RFC 9112, section 2.2, allows. */
static bool is_empty_line (const struct connection *connection, const char *bytes, size_t available)
{
    return !connection->skipped_line && available >= 2 && '\r' == bytes[0] && '\n' == bytes[1];
}

/* Reads as much of a head as there is and returns how much that was: all of it or nothing. */
static size_t read_head (struct connection *connection, const char *bytes, size_t available)
{
    const struct http_limits *const limits = &connection->loop->server->limits;
    size_t length = 0;
    struct head head;
    if (is_empty_line (connection, bytes, available)) {
        connection->head_seen = 0;
        connection->skipped_line = true;
        return 2;
    }
    if (connection->loop->abandoned) {
        /* What had begun before was told when the server stopped. */
        message_refuse (connection, HTTP_REFUSAL_STOPPING, bytes, available);
        return 0;
    }
    const enum head_end end = head_find_end (bytes, available, connection->head_seen, &length);
    if (HEAD_MALFORMED == end) {
        message_refuse (connection, HTTP_REFUSAL_REQUEST_LINE, bytes, available); /* which speaks of line ends, too */
        return 0;
    }
    if (length > limits->header_bytes) {
        refuse_partial (connection, bytes, available);
        return 0;
    }
    if (HEAD_PARTIAL == end) {
        connection->head_seen = (uint32_t) length;
        return 0;
    }
    connection->head_seen = 0;
    const enum http_refusal reason = head_read (bytes, length, limits->target_bytes, &head);
    if (HTTP_REFUSAL_NONE != reason)
        message_refuse (connection, reason, bytes, length);
    else
        begin_exchange (connection, bytes, &head, length == available);
    return length;
}

static size_t read_body (struct connection *connection, const char *bytes, size_t available)
{
    const struct http_limits *const limits = &connection->loop->server->limits;
    const struct body_limits most = { limits->body_bytes, limits->header_bytes };
    size_t used = 0;
    switch (body_read (&connection->exchange->request.body, &most, bytes, available, &used)) {
    case BODY_MORE: break;
    case BODY_WHOLE: connection->exchange->complete = true; break;
    case BODY_TOO_LARGE: refuse (connection, HTTP_REFUSAL_BODY_TOO_LARGE); break;
    case BODY_TRAILERS_TOO_LARGE: refuse (connection, HTTP_REFUSAL_HEADER_TOO_LARGE); break;
    case BODY_MALFORMED: refuse (connection, HTTP_REFUSAL_CHUNK); break;
    case BODY_NO_MEMORY: connection_give_up (connection); break;
    }
    return used;
}

/* Whether it is here as a whole, or refused: nothing more of it is read. */
bool message_is_complete (const struct connection *connection)
{
    return NULL != connection->exchange && connection->exchange->complete;
}

/* Reads what there is until the message is complete or more is needed; returns how much was used. */
size_t message_read (struct connection *connection, const char *bytes, size_t available)
{
    size_t used = 0;
    connection_begin_message (connection);
    while (used < available && !message_is_complete (connection) && !connection->closing) {
        const size_t step = NULL == connection->exchange ? read_head (connection, bytes + used, available - used)
                                                         : read_body (connection, bytes + used, available - used);
        used += step;
        if (0 == step)
            break;
    }
    if (used == available && NULL == connection->exchange && !connection->closing)
        connection_end_message (connection); /* an empty line begins none: some clients send one behind a body */
    return used;
}
