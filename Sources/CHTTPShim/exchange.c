/* The memory of one request. An exchange copies what it needs of the head: libmicrohttpd reuses that memory, and Swift may
 * keep a request for longer. */
#include "internal.h"

/* The prefix of the server, and the number in eight digits of base 36. */
static void write_id (const char *prefix, uint64_t number, char id[HTTP_REQUEST_ID_SIZE]) {
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    char *const end = stpcpy (id, prefix) + 8;
    *end = '\0';
    for (int i = 1; i <= 8; i++, number /= 36)
        end[-i] = digits[number % 36];
}

struct http_exchange *exchange_create (struct connection *connection, size_t fields, size_t text_capacity) {
    struct http_server *const server = connection->loop->server;
    struct http_exchange *const exchange
        = allocate (NULL, sizeof *exchange + fields * sizeof exchange->fields[0] + text_capacity);
    char *const text = (char *) &exchange->fields[fields];
    *exchange = (struct http_exchange){
        .references = 1, .loop = connection->loop, .connection = connection, .text = text, .text_end = text + text_capacity
    };
    exchange->request.fields = exchange->fields;
    exchange->request.route = -1;
    exchange->request.number = atomic_fetch_add_explicit (&server->begun, 1, memory_order_relaxed);
    write_id (server->id_prefix, exchange->request.number, exchange->request.id);
    memcpy (exchange->request.peer, connection->peer, HTTP_ADDRESS_SIZE);
    return exchange;
}

/* Copies a text that is a part of the head, so that there is room. */
struct http_text exchange_keep (struct http_exchange *exchange, struct http_text text) {
    if (NULL == text.bytes || text.length > (size_t) (exchange->text_end - exchange->text))
        return (struct http_text){ NULL, 0 };
    const struct http_text kept = { exchange->text, text.length };
    exchange->text = mempcpy (exchange->text, text.bytes, text.length);
    return kept;
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
    free (exchange);
}

uint64_t http_exchange_age (const struct http_exchange *exchange) {
    return clock_microseconds () - exchange->began;
}
