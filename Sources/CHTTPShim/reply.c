/* Answers, put together on whatever thread has one: only queueing them is bound to the event loop. */
#include "internal.h"

/* For HTTP/1.0 clients of a stream; HTTP/1.1's chunks are built in the connection's pool. */
#define STREAM_BLOCK 1024

/* A reply is libmicrohttpd's response under another name, so that Swift need not see its header. */
static struct MHD_Response *response_of (struct http_reply *reply)
{
    return (struct MHD_Response *) reply;
}

struct http_reply *http_reply_create (const void *body, size_t length)
{
#if MHD_VERSION >= 0x00097701
    return (struct http_reply *) MHD_create_response_from_buffer_copy (length, body);
#else
    /* The cast is libmicrohttpd's: it only reads what it copies. */
    return (struct http_reply *) MHD_create_response_from_buffer (length, (void *) (uintptr_t) body,
                                                                  MHD_RESPMEM_MUST_COPY);
#endif
}

struct http_reply *http_reply_create_stream (struct http_exchange *exchange)
{
    struct MHD_Response *const response
        = MHD_create_response_from_callback (MHD_SIZE_UNKNOWN, STREAM_BLOCK, &stream_read, exchange, &stream_release);
    if (NULL == response)
        return NULL;
    exchange_retain (exchange);
    /* Chunked, HEAD would be followed by a stray "0\r\n\r\n"; without a length in HTTP/1.0's manner it is not. */
    if (exchange->is_head
        && MHD_YES != MHD_set_response_options (response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END)) {
        MHD_destroy_response (response);
        return NULL;
    }
    return (struct http_reply *) response;
}

bool http_reply_add_field (struct http_reply *reply, const char *name, const char *value)
{
    return MHD_YES == MHD_add_response_header (response_of (reply), name, value);
}

void http_reply_destroy (struct http_reply *reply)
{
    MHD_destroy_response (response_of (reply));
}

/* Adds what every answer carries. A field that does not fit is left out rather than the answer. */
void reply_finish (struct http_exchange *exchange, struct MHD_Response *response, bool close)
{
    char id[HTTP_REQUEST_ID_SIZE];
    identity_format (exchange->server, exchange->number, id);
    (void) MHD_add_response_header (response, "Request-Id", id);
    if (close || atomic_load_explicit (&exchange->server->draining, memory_order_relaxed))
        (void) MHD_add_response_header (response, MHD_HTTP_HEADER_CONNECTION, "close");
}
