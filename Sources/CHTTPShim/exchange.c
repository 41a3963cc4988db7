/* The memory of one request. An exchange copies what it needs of the head: libmicrohttpd reuses that memory, and Swift may
 * keep a request for longer. */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the buffer of a body begins with, unless the length is known. */
#define FIRST_BODY_BYTES 1024

static void write_id (const char *prefix, uint64_t number, char id[HTTP_REQUEST_ID_SIZE]) {
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    char reversed[16];
    size_t length = 0, at = strlen (prefix);
    memcpy (id, prefix, at);
    do
        reversed[length++] = digits[number % 36];
    while (0 != (number /= 36));
    while (length > 0)
        id[at++] = reversed[--length];
    id[at] = '\0';
}

/* NULL without memory. */
struct http_exchange *exchange_create (struct connection *connection, size_t fields, size_t text_capacity) {
    struct http_server *const server = connection->loop->server;
    struct http_exchange *const exchange
        = malloc (sizeof *exchange + fields * sizeof exchange->fields[0] + text_capacity);
    if (NULL == exchange)
        return NULL;
    memset (exchange, 0, sizeof *exchange);
    atomic_init (&exchange->references, 1);
    exchange->loop = connection->loop;
    exchange->connection = connection;
    exchange->text = (char *) &exchange->fields[fields];
    exchange->text_end = exchange->text + text_capacity;
    exchange->request.fields = exchange->fields;
    exchange->request.route = -1;
    exchange->request.number = atomic_fetch_add_explicit (&server->begun, 1, memory_order_relaxed);
    write_id (server->id_prefix, exchange->request.number, exchange->request.id);
    memcpy (exchange->request.peer, connection->peer, HTTP_ADDRESS_SIZE);
    return exchange;
}

/* Copies a text that belongs to the head, so that there is room. */
struct http_text exchange_keep (struct http_exchange *exchange, struct http_text text) {
    if (NULL == text.bytes || text.length > (size_t) (exchange->text_end - exchange->text))
        return (struct http_text){ NULL, 0 };
    const struct http_text kept = { memcpy (exchange->text, text.bytes, text.length), text.length };
    exchange->text += text.length;
    return kept;
}

/* Keeps a part of the body. False without memory. */
bool exchange_take_body (struct http_exchange *exchange, const char *bytes, size_t length) {
    struct http_text *const body = &exchange->request.body;
    if (body->length + length > exchange->body_capacity) {
        size_t capacity = exchange->has_length           ? (size_t) exchange->content_length
                          : 0 == exchange->body_capacity ? FIRST_BODY_BYTES
                                                         : 2 * exchange->body_capacity;
        if (capacity < body->length + length)
            capacity = body->length + length;
        char *const larger = realloc (exchange->body, capacity);
        if (NULL == larger)
            return false;
        body->bytes = exchange->body = larger;
        exchange->body_capacity = capacity;
    }
    memcpy (exchange->body + body->length, bytes, length);
    body->length += length;
    return true;
}

void exchange_retain (struct http_exchange *exchange) {
    (void) atomic_fetch_add_explicit (&exchange->references, 1, memory_order_relaxed);
}

void http_exchange_release (struct http_exchange *exchange) {
    if (1 != atomic_fetch_sub_explicit (&exchange->references, 1, memory_order_acq_rel))
        return;
    answer_drop (exchange);
    free (exchange->stream);
    free (exchange->body);
    (void) atomic_fetch_add_explicit (&exchange->loop->server->released, 1, memory_order_relaxed);
    free (exchange);
}

uint64_t http_exchange_age (const struct http_exchange *exchange) {
    return clock_microseconds () - exchange->began;
}
