/* Answers, put together on whatever thread has one: only queueing them is bound to the event loop. */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What libmicrohttpd adds to an answer's head: status line, Date, Content-Length, Connection and the last line. */
#define HEAD_OF_LIBRARY 192

/* -------------------------------------------------------------------------------------- shared bodies */

struct http_body *http_body_create (const void *bytes, size_t length, const char *fields, size_t fields_length)
{
    char line[24];
    const int prefix = snprintf (line, sizeof line, "%zx\r\n", length);
    if (prefix < 0 || length > SIZE_MAX / 4 || fields_length > SIZE_MAX / 4)
        return NULL;
    struct http_body *const body = malloc (sizeof *body + (size_t) prefix + length + 2 + fields_length);
    if (NULL == body)
        return NULL;
    atomic_init (&body->references, 1);
    body->prefix = (uint32_t) prefix;
    body->length = length;
    memcpy (body->text, line, (size_t) prefix);
    if (length > 0)
        memcpy (body->text + prefix, bytes, length);
    memcpy (body->text + prefix + length, "\r\n", 2);
    body->fields = fields_length;
    if (fields_length > 0)
        memcpy (body->text + prefix + length + 2, fields, fields_length);
    return body;
}

void body_retain (struct http_body *body)
{
    atomic_fetch_add_explicit (&body->references, 1, memory_order_relaxed);
}

void http_body_release (struct http_body *body)
{
    if (1 == atomic_fetch_sub_explicit (&body->references, 1, memory_order_acq_rel))
        free (body);
}

/* -------------------------------------------------------------------------------------------- replies */

/* A reply is libmicrohttpd's response under another name, so that Swift need not see its header. */
static struct MHD_Response *response_of (struct http_reply *reply)
{
    return (struct MHD_Response *) reply;
}

struct http_reply *http_reply_create (const void *bytes, size_t length)
{
#if MHD_VERSION >= 0x00097701
    return (struct http_reply *) MHD_create_response_from_buffer_copy (length, bytes);
#else
    /* The cast is libmicrohttpd's: it only reads what it copies. */
    return (struct http_reply *) MHD_create_response_from_buffer (length, (void *) (uintptr_t) bytes,
                                                                  MHD_RESPMEM_MUST_COPY);
#endif
}

static void let_go (void *body)
{
    http_body_release (body);
}

struct http_reply *http_reply_create_shared (struct http_body *body)
{
    struct MHD_Response *const response = MHD_create_response_from_buffer_with_free_callback_cls (
        body->length, body->text + body->prefix, &let_go, body);
    if (NULL == response)
        return NULL;
    body_retain (body);
    const char *name = body->text + body->prefix + body->length + 2;
    const char *const end = name + body->fields;
    while (name < end) {
        const char *const value = name + strlen (name) + 1;
        if (MHD_YES != MHD_add_response_header (response, name, value)) {
            MHD_destroy_response (response);
            return NULL;
        }
        name = value + strlen (value) + 1;
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

static enum MHD_Result add_up (void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
    size_t *const size = context;
    (void) kind;
    *size += strlen (name) + strlen (value) + 4;
    return MHD_YES;
}

/* An answer whose head does not fit the connection's pool would be dropped by libmicrohttpd, the connection closed without
 * a byte, and the completion told as a normal one. Half the pool is the read buffer's; the canonical head's lines and the
 * answer's head have the other. */
static bool fits (struct http_exchange *exchange, struct MHD_Response *response)
{
    size_t size = HEAD_OF_LIBRARY;
    (void) MHD_get_response_headers (response, &add_up, &size);
    return size <= exchange->server->limits.pool_bytes / 2;
}

/* Adds what every answer carries. False where the answer cannot be sent. */
bool reply_finish (struct http_exchange *exchange, struct MHD_Response *response, bool close)
{
    char id[HTTP_REQUEST_ID_SIZE];
    identity_format (exchange->server, exchange->number, id);
    if (MHD_YES != MHD_add_response_header (response, "Request-Id", id))
        return false;
    if (close || atomic_load_explicit (&exchange->server->draining, memory_order_relaxed)) {
        exchange->closes = true;
        if (MHD_YES != MHD_add_response_header (response, MHD_HTTP_HEADER_CONNECTION, "close"))
            return false;
    }
    return fits (exchange, response);
}
