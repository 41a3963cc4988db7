/* What Swift reads of a request. */
#include "internal.h"

static struct http_text text_of (const struct http_exchange *exchange, struct span span)
{
    if (NO_SPAN == span.offset)
        return (struct http_text){ NULL, 0 };
    return (struct http_text){ exchange->text + span.offset, span.length };
}

bool http_exchange_is_head (const struct http_exchange *exchange)
{
    return exchange->is_head;
}

struct http_text http_exchange_path (const struct http_exchange *exchange)
{
    return text_of (exchange, exchange->path);
}

struct http_text http_exchange_query (const struct http_exchange *exchange)
{
    return text_of (exchange, exchange->query);
}

struct http_text http_exchange_parameter (const struct http_exchange *exchange, size_t index)
{
    if (index >= HTTP_MAX_PARAMETERS)
        return (struct http_text){ NULL, 0 };
    return text_of (exchange, exchange->parameters[index]);
}

struct http_text http_exchange_field (const struct http_exchange *exchange, enum http_field field)
{
    if ((unsigned) field >= HTTP_FIELD_COUNT)
        return (struct http_text){ NULL, 0 };
    return text_of (exchange, exchange->fields[field]);
}

bool http_exchange_field_is_repeated (const struct http_exchange *exchange, enum http_field field)
{
    return 0 != (exchange->repeated & (1u << field));
}

struct http_text http_exchange_body (const struct http_exchange *exchange)
{
    return (struct http_text){ exchange->body, exchange->body_length };
}

void http_exchange_id (const struct http_exchange *exchange, char id[HTTP_REQUEST_ID_SIZE])
{
    identity_format (exchange->server, exchange->number, id);
}

void http_exchange_set_waiter (struct http_exchange *exchange, void *waiter)
{
    exchange->waiter = waiter;
}
